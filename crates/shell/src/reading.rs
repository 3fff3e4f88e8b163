//! What a script comes down to: the programs that it starts, the code that it runs unseen, and what could not be read.

use std::ops::Range;

pub use crate::syntax::Direction;

/// What is asked of the surroundings. Everything else about a script is in its text.
pub trait World {
    fn home(&self) -> Option<String>;
    /// Where the script starts.
    fn cwd(&self) -> String;
    /// The text of a file that the script runs.
    fn read(&self, path: &str) -> Option<String>;
    /// A variable of the environment, where it is known and no secret.
    fn var(&self, name: &str) -> Option<String>;
    /// Git's settings for a directory, from its files, the ones that win last. Asked only for a verb that git does not have.
    fn git_settings(&self, _dir: &str) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arg {
    /// Quotes removed, expansions made; holes where a part is not known.
    pub text: String,
    /// Its bytes in the command, where it stands there as one word.
    pub span: Option<Range<usize>>,
    /// An unquoted `*`, `?` or `[` in it matches file names.
    pub glob: bool,
}

impl Arg {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), span: None, glob: false }
    }
}

/// A redirection of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub fd: u32,
    pub direction: Direction,
    pub target: Arg,
}

/// Where a program runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    #[default]
    Here,
    /// In a container that is thrown away.
    Elsewhere,
    /// In a container that stays.
    Kept,
}

/// One program that is started, wrappers taken off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The program first. Empty for a redirection by itself.
    pub argv: Vec<Arg>,
    /// Variables that are set for it, by prefix or by `export`.
    pub vars: Vec<(String, String)>,
    pub redirects: Vec<Redirect>,
    /// What it reads on stdin, as far as that is known; `None` for whatever the agent's shell has.
    pub stdin: Option<std::rc::Rc<str>>,
    /// The directory it starts in.
    pub cwd: String,
    /// What it was wrapped in, outermost first: `sudo`, `timeout`, `xargs`, …
    pub wrappers: Vec<&'static str>,
    /// The whole simple command in the script, where it stands there.
    pub span: Option<Range<usize>>,
    /// It runs in a container: paths are not this machine's.
    pub elsewhere: bool,
    /// It does, but in one that was there before and will be there after.
    pub kept: bool,
    /// What of this machine it sees there: the path inside, and the path here.
    pub mounts: Vec<(String, String)>,
    /// Files named in it that this script has filled with secrets.
    pub secrets: Vec<String>,
    /// Its code was not in the command itself but in this script file.
    pub script: Option<String>,
}

impl Call {
    /// The program's name without its directory.
    pub fn program(&self) -> &str {
        let text = self.argv.first().map_or("", |arg| arg.text.as_str());
        text.rsplit('/').next().unwrap_or(text)
    }

    /// The words after the program.
    pub fn args(&self) -> &[Arg] {
        self.argv.get(1..).unwrap_or_default()
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.args().iter().map(|arg| arg.text.as_str())
    }

    pub fn has(&self, word: &str) -> bool {
        self.texts().any(|text| text == word)
    }

    /// A value that is set for this call.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The command as a person would write it; holes are dots.
    pub fn line(&self) -> String {
        let words: Vec<String> = self.argv.iter().map(|arg| crate::text::show(&arg.text)).collect();
        crate::join(words.iter().map(String::as_str))
    }
}

/// Code that is run although nobody can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// What runs it.
    pub by: String,
    /// Its holes: where it comes from.
    pub code: String,
    pub span: Option<Range<usize>>,
}

/// Why something was not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// A syntax that is not understood, with the place.
    Syntax { what: &'static str, at: usize },
    /// A bound was passed.
    Bound(&'static str),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub calls: Vec<Call>,
    pub unseen: Vec<Unseen>,
    pub doubts: Vec<Doubt>,
    /// A function that starts itself again and again.
    pub fork_bomb: bool,
    /// Inline code of interpreters: the interpreter's name and the code.
    pub inline: Vec<(String, String)>,
}
