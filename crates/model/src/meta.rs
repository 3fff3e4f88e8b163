//! What a check says about itself. Docs, `explain`, hook registration and the profile table are made from this.

use std::fmt;

use crate::EventName;
use crate::config::Profile;
use crate::verdict::RuleId;

/// What failing means: a guard that fails asks, an advisory that fails is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Stands between the agent and harm, or records what such a check relies on. In doubt it asks. A cloned project cannot switch it
    /// off without trust.
    Guard,
    /// Spares the user a question. A cloned project cannot switch it on without trust.
    Grant,
    /// Helps. In doubt it is silent.
    Advisory,
}

/// Whether a check runs, and how hard it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Off,
    /// Its denials and questions become context.
    Warn,
    On,
}

impl Level {
    pub const NAMES: &'static [&'static str] = &["on", "warn", "off"];

    pub fn as_str(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Warn => "warn",
            Level::On => "on",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Level::Off, Level::Warn, Level::On].into_iter().find(|level| level.as_str() == text)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The level of a check in each profile. `observe` runs whatever any other profile runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    pub guards: Level,
    pub standard: Level,
    pub strict: Level,
    pub autonomous: Level,
}

impl Levels {
    pub const ALWAYS: Levels =
        Levels { guards: Level::On, standard: Level::On, strict: Level::On, autonomous: Level::On };

    /// Linters and the project's own commands: everywhere but in `guards`.
    pub const TIDY: Levels = Levels { guards: Level::Off, ..Levels::ALWAYS };

    /// The gates: tests, mocks, branches, documentation, plans.
    pub const STRICT: Levels = Levels { strict: Level::On, ..Levels::NEVER };

    /// For an agent that works alone.
    pub const AUTONOMOUS: Levels = Levels { autonomous: Level::On, ..Levels::NEVER };

    /// Only where the setting `checks` says so.
    pub const NEVER: Levels =
        Levels { guards: Level::Off, standard: Level::Off, strict: Level::Off, autonomous: Level::Off };

    pub fn of(&self, profile: Profile) -> Level {
        match profile {
            Profile::Guards => self.guards,
            Profile::Standard => self.standard,
            Profile::Strict => self.strict,
            Profile::Autonomous => self.autonomous,
            Profile::Observe => self.standard.max(self.strict).max(self.autonomous),
        }
    }
}

/// Which tools of an event a check looks at. The union over all checks becomes the matcher that `init` registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tools {
    /// The event has no tools, or all of them count.
    Any,
    Edits,
    Shell,
    /// What reads files, looks through them or opens addresses.
    Reads,
    /// Of servers, by their common prefix.
    Mcp,
    /// Of servers, and whatever this version does not know.
    Foreign,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct On {
    pub event: EventName,
    pub tools: Tools,
}

impl On {
    pub const fn event(event: EventName) -> Self {
        Self { event, tools: Tools::Any }
    }

    pub const fn edits(event: EventName) -> Self {
        Self { event, tools: Tools::Edits }
    }

    pub const fn shell(event: EventName) -> Self {
        Self { event, tools: Tools::Shell }
    }

    pub const fn reads(event: EventName) -> Self {
        Self { event, tools: Tools::Reads }
    }

    pub const fn foreign(event: EventName) -> Self {
        Self { event, tools: Tools::Foreign }
    }
}

#[derive(Clone, Debug)]
pub struct Meta {
    pub id: RuleId,
    /// One line: what it flags.
    pub summary: &'static str,
    /// What it does, why, and what to do about it; Markdown for the user.
    pub docs: &'static str,
    /// The case file, as text: tests run it, the docs page shows some of it.
    pub cases: &'static str,
    pub on: &'static [On],
    pub role: Role,
    pub levels: Levels,
    pub since: &'static str,
}
