//! Rules that users write: what one matches, what follows, what it says. `pattern` is how texts are compared, `paths` where patterns of
//! paths begin, `book` the form in which many rules are kept, so that a hook reads only those that are about what it judges. `trail` tells
//! by a folder and the names in it that no rule is about something.
//!
//! `checks::rules` reads them from TOML and matches them.

mod book;
mod filing;
mod key;
mod pack;
pub mod paths;
pub mod pattern;
mod trail;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

pub use book::{Book, Number};
pub use key::{Key, Line, Root, Touch};
pub use pattern::{Fit, Kind};
pub use trail::Trail;

use crate::RuleId;

/// One rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// `acme/prod-apply`: as it is named everywhere.
    pub id: String,
    /// Who wrote it.
    pub by: Author,
    /// The file it stands in, and its line there.
    pub file: String,
    pub line: u32,
    pub when: When,
    pub then: Then,
    /// What the agent is told.
    pub say: String,
    /// A command or a sentence: what to do instead.
    pub instead: String,
    /// Words of the call and what is written in their place.
    pub rewrite: Vec<(String, String)>,
    /// Checks of Plimsoll's own that do not look at what this rule allows.
    pub overrides: Vec<String>,
}

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    #[default]
    User,
    /// The files that the user's settings name: a team's, a company's.
    Shared,
    /// A clone brings it along.
    Project,
    /// The team's policy, or the machine's managed settings: nobody below lets through what it stops.
    Policy,
}

/// What follows where a rule fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Then {
    #[default]
    Deny,
    Ask,
    Allow,
    /// The agent is told, and goes on.
    Warn,
    /// The same, as something to know and not as a warning.
    Context,
    /// Words of the call are written otherwise.
    Rewrite,
}

impl Then {
    pub const ALL: [Then; 6] = [Then::Deny, Then::Ask, Then::Allow, Then::Warn, Then::Context, Then::Rewrite];

    pub fn as_str(self) -> &'static str {
        match self {
            Then::Deny => "deny",
            Then::Ask => "ask",
            Then::Allow => "allow",
            Then::Warn => "warn",
            Then::Context => "context",
            Then::Rewrite => "rewrite",
        }
    }

    /// Whether a project's rule waits until the user trusts it: it lets something through, changes what runs, or speaks to the model
    /// for its own sake.
    pub fn needs_trust(self) -> bool {
        matches!(self, Then::Allow | Then::Rewrite | Then::Context)
    }
}

impl Author {
    pub fn as_str(self) -> &'static str {
        match self {
            Author::User => "user",
            Author::Shared => "shared",
            Author::Project => "project",
            Author::Policy => "policy",
        }
    }
}

/// What a rule matches: all of it must hold, for one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    pub call: Option<Call>,
    pub write: Option<Text>,
    pub read: Option<Text>,
    pub delete: Option<Text>,
    pub adds: Option<Adds>,
    /// Hosts.
    pub fetch: Option<Text>,
    pub send: Option<Text>,
    pub mcp: Option<Mcp>,
    pub install: Option<Install>,
    /// Statements of a database.
    pub sql: Option<Text>,
    /// Branches and tags that the call changes or publishes.
    pub refs: Option<Text>,
    pub prompt: Option<Text>,
    pub frame: Frame,
}

/// One program with its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// By any of these names; a pattern is one, too.
    pub program: Vec<String>,
    /// The words that are no options begin with these.
    pub words: Vec<String>,
    /// Its words begin with exactly these, options among them, each in one of these spellings.
    pub begins: Vec<Vec<String>>,
    /// Options that are there, each by any of its spellings.
    pub options: Vec<Vec<String>>,
    /// Options of which none is there.
    pub not_options: Vec<Vec<String>>,
    /// Options with a value that is like this.
    pub option: Vec<(Vec<String>, Text)>,
    /// One of these stands among its words, options in any spelling.
    pub any_word: Vec<String>,
    /// None of these does.
    pub no_word: Vec<String>,
    /// One of its operands is like this.
    pub operand: Option<Text>,
    /// Variables that are set for it.
    pub variable: Vec<(String, Text)>,
    /// It has no other words than those that are named here.
    pub exact: bool,
}

/// Lines that a change adds to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adds {
    /// One of them is like this.
    pub line: Option<Text>,
    /// All of them together are.
    pub text: Option<Text>,
    /// The file is new.
    pub new: bool,
}

/// A tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mcp {
    pub server: Option<Text>,
    pub tool: Option<Text>,
    /// Arguments by name, or by JSON pointer.
    pub argument: Vec<(String, Text)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Install {
    pub package: Option<Text>,
    /// `npm`, `pypi`, …
    pub from: Option<Text>,
}

/// What is around a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub cwd: Option<Text>,
    pub branch: Option<Text>,
    pub profile: Option<Text>,
    pub mode: Option<Text>,
    pub agent: Option<Text>,
    pub tool: Option<Text>,
}

/// How a text has to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// One of these fits, where there are any.
    pub like: Vec<String>,
    /// None of these does.
    pub unlike: Vec<String>,
}

impl Text {
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.like.iter().chain(&self.unlike).map(String::as_str)
    }

    pub fn fits(&self, text: &str) -> Fit {
        self.fits_by(|pattern| pattern::fits(pattern, text, Kind::Text))
    }

    /// The same by another way to compare.
    pub fn fits_by(&self, fits: impl Fn(&str) -> Fit) -> Fit {
        let any = |patterns: &[String]| patterns.iter().map(|one| fits(one)).max().unwrap_or_default();
        let like = if self.like.is_empty() { Fit::Yes } else { any(&self.like) };
        // Most end here.
        if like == Fit::No { Fit::No } else { like.min(!any(&self.unlike)) }
    }

    /// The best of several texts.
    pub fn fits_one<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Fit {
        texts.into_iter().map(|text| self.fits(text)).max().unwrap_or_default()
    }
}

/// The id of a rule in the form that findings have. Each is kept once, for as long as the program runs: there are no more of them than
/// rules in the files.
pub fn interned(id: &str) -> RuleId {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(id) {
        return known;
    }
    let kept: &'static str = Box::leak(id.to_owned().into_boxed_str());
    known.insert(kept);
    kept
}
