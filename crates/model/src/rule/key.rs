//! What rules are looked up by. A key is a hash when it is kept: two with the same only cost a look.

/// What happens to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Write,
    Read,
    Delete,
    /// Lines are added to it.
    Add,
}

impl Touch {
    pub const ALL: [Touch; 4] = [Touch::Write, Touch::Read, Touch::Delete, Touch::Add];
}

/// Where a pattern of paths begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Project,
    Home,
    /// The root of the file system.
    Top,
    /// At any depth, as a whole path.
    Anywhere,
    /// At any depth, as one name.
    Name,
}

/// By what of a path a rule is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way<'a> {
    /// It lies in this folder, or is it.
    Below(Root, &'a str),
    /// It is this folder, with all that lies in it, and the rule is about something there.
    Around(Root, &'a str),
    /// One of its names.
    Name(&'a str),
    /// What stands behind the last dot of one of its names.
    Ending(&'a str),
    /// The first two letters of one of its names.
    Head(&'a str),
    /// Nothing in particular.
    Loose,
    /// All of the rules, for a path that is not known.
    Each,
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Fetch,
    Send,
}

/// What a rule is looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key<'a> {
    /// A program by its name, whatever its words are.
    Program(&'a str),
    /// A program, and the first of its words that is no option.
    Spoken(&'a str, &'a str),
    /// All rules about a program and its first word, for a word that is not known.
    EachSpoken(&'a str),
    /// Rules whose program is a pattern.
    AnyProgram,
    Path(Touch, Way<'a>),
    /// Added lines, in whatever file.
    Adds,
    /// The last labels of a host.
    Host(Line, &'a str),
    AnyHost(Line),
    /// All rules about hosts, for one that is not known.
    EachHost(Line),
    /// A server of tools.
    Server(&'a str),
    AnyServer,
    Package(&'a str),
    AnyPackage,
    /// All rules about packages, for one that is not known.
    EachPackage,
    Sql,
    Refs,
    Prompt,
    /// Nothing but what is around the call, and this tool.
    Tool(&'a str),
    AnyTool,
    /// Those that keep a check of ours from looking.
    Overrides,
    /// Those of the team's policy.
    Policy,
}

/// Kinds of keys; each has a bit, so that most questions end there.
const PATHS: u8 = 32;

impl Key<'_> {
    pub(super) fn kind(self) -> u8 {
        let line = |line: Line| u8::from(line == Line::Send);
        match self {
            Key::Program(_) => 0,
            Key::Spoken(..) => 1,
            Key::EachSpoken(_) => 2,
            Key::AnyProgram => 3,
            Key::Adds => 4,
            Key::Host(which, _) => 5 + line(which),
            Key::AnyHost(which) => 7 + line(which),
            Key::EachHost(which) => 9 + line(which),
            Key::Server(_) => 11,
            Key::AnyServer => 12,
            Key::Package(_) => 13,
            Key::AnyPackage => 14,
            Key::EachPackage => 15,
            Key::Sql => 16,
            Key::Refs => 17,
            Key::Prompt => 18,
            Key::Tool(_) => 19,
            Key::AnyTool => 20,
            Key::Overrides => 21,
            Key::Policy => 22,
            Key::Path(touch, way) => PATHS + (touch as u8) * 8 + way.kind(),
        }
    }

    pub(super) fn hash(self) -> Hash {
        let hash = match self {
            Key::Program(text)
            | Key::EachSpoken(text)
            | Key::Host(_, text)
            | Key::Server(text)
            | Key::Package(text)
            | Key::Tool(text)
            | Key::Path(
                _,
                Way::Below(_, text)
                | Way::Around(_, text)
                | Way::Name(text)
                | Way::Ending(text)
                | Way::Head(text),
            ) => Hash::EMPTY.text(text),
            // No name has such a byte.
            Key::Spoken(program, word) => Hash::EMPTY.text(program).byte(0xff).text(word),
            _ => Hash::EMPTY,
        };
        hash.of(self)
    }
}

impl Way<'_> {
    fn kind(self) -> u8 {
        match self {
            Way::Below(Root::Home, _) | Way::Around(Root::Home, _) => 1,
            Way::Below(Root::Top, _) | Way::Around(Root::Top, _) => 2,
            Way::Below(..) | Way::Around(..) => 0,
            Way::Name(_) => 3,
            Way::Ending(_) => 4,
            Way::Head(_) => 5,
            Way::Loose => 6,
            Way::Each => 7,
        }
    }
}

/// FNV: short, and it can be taken on while a path is walked through. The kind comes last, so that a text is hashed once for all kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash(pub(super) u64);

impl Hash {
    pub(super) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// For a key of this kind, whatever the text in it is.
    pub(super) fn of(self, key: Key<'_>) -> Self {
        // Rules around a folder have the kind of those below it.
        let around = matches!(key, Key::Path(_, Way::Around(..)));
        self.byte(key.kind() + if around { 128 } else { 0 })
    }

    pub(super) fn byte(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    pub(super) fn text(self, text: &str) -> Self {
        text.bytes().fold(self, Self::byte)
    }

    /// The same for a text that is meant in small letters.
    pub(super) fn small(self, text: &str) -> Self {
        text.bytes().fold(self, |hash, byte| hash.byte(byte.to_ascii_lowercase()))
    }
}
