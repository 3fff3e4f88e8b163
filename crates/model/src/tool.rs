//! A tool call in our words, whichever agent or server has the tool and whatever it calls its fields.

use std::path::PathBuf;

use crate::FileEdit;

/// What kind of tool it is, with what it was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Tool {
    Shell(Command),
    Edit(FileEdit),
    /// Several files by one call.
    Patch(Vec<FileEdit>),
    Read {
        path: PathBuf,
    },
    Search(Search),
    /// An address is opened and what it says is read.
    Fetch {
        address: String,
    },
    /// A question to the web.
    Ask {
        question: String,
    },
    Agent {
        kind: String,
    },
    /// Known, and it does nothing outside the agent itself: its plans, its lists, its questions.
    Own,
    /// Of a server, or of a client that is newer than we are: judged by its name and by the looks of what it was given.
    Foreign(Box<Foreign>),
}

/// Who reads a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// `sh`, `bash`, `zsh`.
    #[default]
    Posix,
    PowerShell,
    /// The older one of Windows.
    Cmd,
}

/// A command line that a tool would run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    pub text: String,
    pub language: Language,
    /// Where it starts, if not where the agent is.
    pub cwd: Option<PathBuf>,
    /// Its place in the tool's input, as a JSON pointer, where it stands there as it is. Only then can it be replaced.
    pub at: Option<String>,
    /// The tool answers only after it has ended, with how it ended.
    pub awaited: bool,
    /// It may be no command at all: only its looks say that it is one.
    pub guessed: bool,
}

impl Command {
    /// One that a shell tool runs and waits for.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), at: Some("/command".into()), awaited: true, ..Self::default() }
    }
}

/// Looking through files, or for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    pub pattern: String,
    /// A file or a folder; the agent's own directory where there is none.
    pub place: Option<PathBuf>,
    /// Only files of such names.
    pub names: Option<String>,
    /// It shows lines of the files that it finds, not only their names.
    pub shows: bool,
}

/// What a tool is for, as far as its name says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    #[default]
    Unknown,
    List,
    Search,
    Read,
    Fetch,
    Query,
    Run,
    Send,
    Copy,
    Link,
    Permit,
    Write,
    Move,
    Delete,
    /// The client's own settings.
    Configure,
}

/// What a tool that is not known was given, by looks. The same text may stand here under several nouns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foreign {
    pub intent: Intent,
    pub parts: Vec<Part>,
    /// What it would do to files on this machine.
    pub edits: Vec<FileEdit>,
    pub commands: Vec<Command>,
    /// Of a search: it shows lines of the files that it finds.
    pub shows: bool,
    /// It names more than was kept.
    pub clipped: bool,
}

impl Foreign {
    /// The first thing that it is about.
    pub(crate) fn subject(&self) -> Option<String> {
        let edit = || self.edits.first().map(|edit| edit.path.to_string_lossy().into_owned());
        let command = self.commands.first().map(|command| command.text.clone());
        command.or_else(edit).or_else(|| self.parts.first().map(|part| part.noun.text().to_owned()))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The name of the argument, in small letters with `_`.
    pub key: String,
    pub noun: Noun,
}

/// What an argument is.
#[derive(Clone, Debug, PartialEq)]
pub enum Noun {
    Path {
        /// As it was written.
        text: String,
        side: Side,
        /// The argument is a path by its name, not only by its looks.
        named: bool,
    },
    Address(String),
    /// For a database.
    Statement(String),
    Code {
        /// `python`, `javascript`, …
        language: &'static str,
        text: String,
    },
    /// For other people, or for a service.
    Words(String),
    /// Something that is taken away as a whole, in words.
    Thing {
        text: String,
        realm: Realm,
    },
}

/// Where such a thing belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realm {
    /// A table, a database.
    Data,
    /// A cluster, a bucket: what others use, or what is paid for.
    Service,
    /// What no commit has yet.
    Work,
    /// A password, a token: shown, not taken away.
    Secret,
    /// Who may do what, or what a rule keeps from happening: given to others, or gone round.
    Rights,
    /// What others notice at once, and what may well be meant: money, a message to everybody, what runs for users.
    Outside,
    /// This machine, or a node of a cluster, for a container to do with it what it likes.
    Machine,
}

impl Noun {
    pub fn text(&self) -> &str {
        match self {
            Noun::Path { text, .. }
            | Noun::Address(text)
            | Noun::Statement(text)
            | Noun::Code { text, .. }
            | Noun::Words(text)
            | Noun::Thing { text, .. } => text,
        }
    }
}

/// Which end of a copy or a move a path is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    #[default]
    Only,
    From,
    To,
    /// A folder that other paths are relative to.
    Around,
}
