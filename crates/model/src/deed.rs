//! What a call would do: the words that checks judge, `explain` prints, the log keeps and rules of users match on.
//!
//! A call is one program with its words, or one tool with its arguments. Whoever knows programs (`shell`) or tools says what each
//! does as deeds; whoever judges deeds knows neither.

use std::fmt;

use crate::Span;

/// One thing that a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    pub verb: Verb,
    pub object: Object,
    /// Where the object stands in the command, if it stands there as one word.
    pub span: Option<Span>,
    pub certainty: Certainty,
    pub place: Place,
}

impl Deed {
    pub fn new(verb: Verb, object: Object) -> Self {
        Self { verb, object, span: None, certainty: Certainty::Known, place: Place::Here }
    }

    /// A few words for the log: `deletes build/**`. `show` says how what is not known looks.
    pub fn in_short(&self, show: impl Fn(&str) -> String) -> String {
        /// Much more than is kept: what is cut here could be a half of a secret.
        const LONGEST: usize = 1024;
        let verb = self.verb.as_str();
        let text = match &self.object {
            Object::Code { language, .. } => format!("{verb} code of {language}"),
            Object::Path { text, tree: true, .. } => {
                format!("{verb} {}/**", show(text).trim_end_matches('/'))
            }
            other => {
                let text = other.text();
                format!("{verb} {}", show(&text[..text.floor_char_boundary(LONGEST)]))
            }
        };
        if self.certainty == Certainty::Unseen { format!("{text} (perhaps)") } else { text }
    }

    /// The same about a path, as it was written.
    pub fn path(verb: Verb, path: impl Into<String>) -> Self {
        Self::new(verb, Object::Path { text: path.into(), tree: false, pattern: false })
    }
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $name:ident $word:literal),* $(,)?) => {
        /// What happens to the object.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Verb { $($(#[$doc])* $name,)* }

        impl Verb {
            pub const ALL: &[Verb] = &[$(Verb::$name,)*];

            /// As `explain`, the log and rules name it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Verb::$name => $word,)* }
            }
        }
    };
}

verbs! {
    /// Its content is taken in, and may be shown.
    Reads "reads",
    /// Only whether it is there, its name, size or date.
    Looks "looks at",
    /// Its content is used and not shown: a key, a config, a certificate.
    Uses "uses",
    /// It has new content, whatever it had before.
    Writes "writes",
    Appends "appends to",
    /// A part of it is changed in its place.
    Edits "edits",
    Deletes "deletes",
    /// It is left without content.
    Empties "empties",
    /// A disk, a volume, a copy that one is brought back from, or what the machine starts with.
    Erases "erases",
    /// It is no longer where it was.
    Moves "moves",
    /// Something is mounted over it, and hides it.
    Covers "covers",
    /// It gets another name.
    Links "links",
    /// Who may do what with it changes.
    Permits "changes permissions of",
    /// A program or code.
    Runs "runs",
    /// Again and again, or whenever the machine or a program starts.
    Schedules "makes run later",
    Fetches "fetches",
    Sends "sends",
    Listens "listens on",
    /// Whoever reaches it from outside can use it: a shell, a port, a folder.
    Admits "lets others use",
    /// Builds, tests, checks or formats the project with its own tools.
    Builds "builds",
    /// Asks a database or a service, and changes nothing.
    Queries "queries",
    /// Changes what a database or a service holds, as everyday work does.
    Changes "changes",
    Installs "installs",
    Uninstalls "uninstalls",
    Publishes "publishes",
    /// Brings it to users: a package to a registry, an application to where it runs.
    Deploys "deploys",
    /// Branches, tags, remotes, and the order of commits; nothing is lost that is not named.
    Records "changes history",
    /// Makes a commit.
    Commits "commits to",
    /// Makes a commit again that was made elsewhere.
    Replays "replays commits on",
    /// Brings a branch to the commits of another, by whatever name.
    Merges "merges into",
    /// What a version system does for itself, where nothing is lost and nothing leaves: staging, stashing, a new branch.
    Keeps "keeps",
    /// Work that nothing else holds: changes that are not committed, what was stashed, commits without a branch.
    Discards "discards",
    /// A setting of a program, for now or for good.
    Sets "sets",
    /// Something that others use, or that is paid for.
    Destroys "destroys",
    /// The same, changed so that others notice.
    Alters "alters",
    /// Prints a secret that lies in no file and that nobody but its owner should see: of a vault, a keyring, a cluster.
    Tells "tells",
    /// The same of what can be made anew, a token, or is the project's own, which its people may well want to see.
    Reveals "reveals",
    /// A service, a container, processes.
    Stops "stops",
    /// The machine, everything on it, or the way to it.
    Halts "halts",
    /// A container or another system gets it, to do with it what it likes.
    Lends "lends",
    /// What the agent may do.
    Overrules "changes the rules of",
}

/// Some verbs: what a call does at all, asked by every check of every call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbs(u64);

impl Verbs {
    pub const NONE: Verbs = Verbs(0);

    #[must_use]
    pub const fn with(self, verb: Verb) -> Self {
        Self(self.0 | 1 << verb as u64)
    }

    #[must_use]
    pub const fn or(self, others: Verbs) -> Self {
        Self(self.0 | others.0)
    }

    pub const fn has(self, verb: Verb) -> bool {
        self.0 & (1 << verb as u64) != 0
    }

    pub const fn has_any(self, others: Verbs) -> bool {
        self.0 & others.0 != 0
    }

    /// What is read, looked at, asked for, used or built: most commands do nothing else, and most checks need not look at those.
    pub const LOOKING: Verbs = Verbs::NONE
        .with(Verb::Reads)
        .with(Verb::Looks)
        .with(Verb::Queries)
        .with(Verb::Uses)
        .with(Verb::Builds);

    /// Whether there are some, and all of them are among the others.
    pub const fn are_among(self, others: Verbs) -> bool {
        self.0 != 0 && self.0 & !others.0 == 0
    }
}

impl FromIterator<Verb> for Verbs {
    fn from_iter<I: IntoIterator<Item = Verb>>(verbs: I) -> Self {
        verbs.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What it happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// As it was written: relative to where the call runs, with `~`, with holes where a part is not known.
    Path {
        text: String,
        /// With all that is below it.
        tree: bool,
        /// `*`, `?` or `[` in it match names.
        pattern: bool,
    },
    Host(String),
    Address(String),
    /// Of a database.
    Statement(String),
    Package(String),
    /// A branch, a tag or `HEAD` of a repository; `*` for all of them.
    Ref(String),
    Setting {
        name: String,
        value: String,
    },
    Code {
        language: String,
        text: String,
    },
    /// In words: a bucket, a cluster, the machine.
    Thing(String),
}

impl Object {
    /// What `explain` and the log show.
    pub fn text(&self) -> &str {
        match self {
            Object::Path { text, .. }
            | Object::Host(text)
            | Object::Address(text)
            | Object::Statement(text)
            | Object::Package(text)
            | Object::Ref(text)
            | Object::Setting { name: text, .. }
            | Object::Code { text, .. }
            | Object::Thing(text) => text,
        }
    }
}

/// How far what would happen is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certainty {
    #[default]
    Known,
    /// A part of the object is not known.
    Hole,
    /// What is done was not seen: code that was not read, an archive that could not be opened.
    Unseen,
}

/// Where it happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Here,
    Container,
    OtherHost,
    /// At a service, wherever that runs: nothing says that it is this machine.
    Service,
}
