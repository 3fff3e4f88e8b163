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
    /// A list per event below `hooks:`.
    Yaml,
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
}
