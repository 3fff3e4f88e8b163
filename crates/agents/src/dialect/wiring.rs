//! Where and how an agent is told to call us, as data: `init`, `uninstall` and `doctor` share it.

/// What the file of a registration looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Groups of handlers per event, below `hooks` or at the root, in Claude Code's form with a shell line. The unit of its time
    /// limits in milliseconds.
    Groups { key: Option<&'static str>, unit: u64 },
    /// A file of our own in the same form.
    OwnGroups,
    /// A file of our own in Copilot's form.
    OwnCopilot,
    /// Cursor's: a list of handlers per event, below `hooks`.
    Cursor,
    /// `[[hooks]]` tables.
    Toml,
    /// A file of code that hands events to us.
    Bridge(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    pub format: Format,
    /// Below the home.
    pub user: &'static str,
    /// Below the project; `None` where the agent reads nothing there.
    pub project: Option<&'static str>,
    /// Its folder below the home: where that is, the agent is used.
    pub folder: &'static str,
    /// Its program, as it is called in a terminal.
    pub program: &'static str,
    /// The most seconds that it lets a hook be registered with. A bridge has limits of its own.
    pub longest: u64,
    /// What the user still has to do in the agent, after `init`.
    pub steps: &'static [&'static str],
    /// What makes the agent skip hooks without a word.
    pub off: &'static [Switch],
    /// Further files that a registration of the user needs, below the home.
    pub beside: &'static [(&'static str, Beside)],
}

impl Wiring {
    /// Claude Code's form below `hooks`, and nothing that is special.
    pub const USUAL: Self = Self {
        format: Format::Groups { key: Some("hooks"), unit: 1 },
        user: "",
        project: None,
        folder: "",
        program: "",
        longest: 660,
        steps: &[],
        off: &[],
        beside: &[],
    };
}

/// A place in an agent's settings by which hooks are skipped.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Below the home, and below a project.
    pub file: &'static str,
    /// Where in its JSON.
    pub at: &'static str,
    pub off: Off,
}

#[derive(Clone, Copy, Debug)]
pub enum Off {
    /// With this value no hook runs.
    When(bool),
    /// It lists what is left out.
    Named,
    /// A file of lines that lists it, and is no JSON.
    Lines,
}

impl Switch {
    pub const fn when(file: &'static str, at: &'static str, value: bool) -> Self {
        Self { file, at, off: Off::When(value) }
    }

    pub const fn lines(file: &'static str) -> Self {
        Self { file, at: "", off: Off::Lines }
    }

    pub const fn list(file: &'static str, at: &'static str) -> Self {
        Self { file, at, off: Off::Named }
    }
}

/// A file besides the one that names us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// All of it is ours.
    Own(&'static str),
    /// One word more in a list of a YAML file: `section:`, below it `list:`, below it the words.
    YamlWord { section: &'static str, list: &'static str, word: &'static str },
}
