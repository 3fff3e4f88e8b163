//! What linters say of an edited file, in the words that checks and linters share.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::Task;

/// One thing that a linter found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub file: PathBuf,
    /// From 1; 0 where it is not known.
    pub line: u32,
    pub column: u32,
    /// The rule as its linter calls it: `F841`, `SC2086`, `lint/style/useConst`.
    pub code: String,
    pub message: String,
    /// The linter's name.
    pub linter: &'static str,
    /// An engine of this program has said it in that linter's place.
    pub built_in: bool,
}

impl Violation {
    /// Who has said it: `ruff`, or `ruff (built in)`.
    pub fn by(&self) -> Cow<'static, str> {
        if self.built_in { format!("{} (built in)", self.linter).into() } else { self.linter.into() }
    }

    /// `place rule words (who says so)`, on one line. Places below `root` are told from there.
    pub fn line_in(&self, root: &Path) -> String {
        const LONGEST_MESSAGE: usize = 240;
        let file = self.file.strip_prefix(root).unwrap_or(&self.file).display();
        let mut message = self.message.replace(['\n', '\r'], " ");
        if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        let Self { line, column, code, .. } = self;
        format!("{file}:{line}:{column} {code} {message} ({})", self.by())
    }
}

/// What became of a file, or of all files of a stop, after formatting, and after a model has tried to fix what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linted {
    /// The files that were looked at: what was found in them before and is not here is settled.
    pub looked: Vec<PathBuf>,
    /// What is open, to be acted upon.
    pub violations: Vec<Violation>,
    /// Of these, how many were there before the edit and untouched by it.
    pub already_there: usize,
    /// For each of these, where it is new with the edit but on a line that it has not written, which lines of the edit have made it: a use
    /// of what they took away. Empty where none is.
    pub since: Vec<Option<Since>>,
    /// A model was asked to fix the file.
    pub delegated: bool,
    /// The file was formatted or fixed, so that it is not what the agent wrote.
    pub rewritten: bool,
    /// Who has formatted or fixed it, as the agent is told: `ruff`, `taplo (built in)`, `a model`.
    pub rewriters: Vec<String>,
    /// Lines with a prefix (`[hook:warning] …`) that the agent should know, in order.
    pub said: Vec<String>,
    /// The same for the user: what is missing on this machine. Each is said once in a session.
    pub notices: Vec<String>,
    /// Work that goes on in the background.
    pub later: Vec<Task>,
    /// For whoever looks for a fault: what ran, how long, what a tool printed.
    pub trace: Vec<String>,
    /// What the model cost, as far as its client has said so.
    pub spent: Option<Spent>,
}

/// A place of an edit, in the text after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    pub line: u32,
    /// Lines that stood here were taken away, and none put in their place.
    pub removed: bool,
}

/// What a run of a model has taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub model: String,
    pub micros: u64,
    /// All that it read, also from a cache.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub microdollars: u64,
}
