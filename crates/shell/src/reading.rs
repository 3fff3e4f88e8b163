//! What a script comes down to: the programs that it starts, the code that it runs unseen, and what could not be read.

use std::ops::Range;
use std::rc::Rc;

use model::deed::{Deed, Object, Verb, Verbs};

use crate::cached::Cached;
use crate::programs::decode::decode;
use crate::programs::decoded::Decoded;
use crate::programs::{Prints, Role, Takes};
use crate::secret::Secrets;

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
    /// Whether anything lies there.
    fn exists(&self, _path: &str) -> bool {
        false
    }
    /// Whether a folder lies there: what is copied to it lands in it.
    fn is_directory(&self, _path: &str) -> bool {
        false
    }
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

/// The words of a call, the program first. Whoever follows the call has the same ones: nothing is copied.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Argv(Option<Rc<Vec<Arg>>>);

impl Argv {
    /// To change them for this call alone.
    pub(crate) fn change(&mut self) -> &mut [Arg] {
        self.0.as_mut().map(Rc::make_mut).map(Vec::as_mut_slice).unwrap_or_default()
    }
}

impl std::fmt::Debug for Argv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl std::ops::Deref for Argv {
    type Target = [Arg];

    fn deref(&self) -> &[Arg] {
        match &self.0 {
            Some(words) => words,
            None => &[],
        }
    }
}

impl From<Vec<Arg>> for Argv {
    fn from(words: Vec<Arg>) -> Self {
        Self(Some(Rc::new(words)))
    }
}

impl FromIterator<Arg> for Argv {
    fn from_iter<I: IntoIterator<Item = Arg>>(words: I) -> Self {
        words.into_iter().collect::<Vec<_>>().into()
    }
}

/// A redirection of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub fd: u32,
    pub direction: Direction,
    pub target: Arg,
}

/// Stands among the variables of a call for a `HOME` that was taken away. No variable has such a name, and `~` means what it meant.
pub(crate) const HOMELESS: &str = "!HOME";

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

/// Where what a program prints goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// To whoever reads what the command prints.
    #[default]
    Shown,
    /// To the calls that it feeds.
    Piped,
    /// Into a word, a variable or a file.
    Kept,
}

/// One program that is started, wrappers taken off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The program first. Empty for a redirection by itself.
    pub argv: Argv,
    /// Variables that are set for it, by prefix or by `export`.
    pub vars: Vec<(String, String)>,
    pub redirects: Vec<Redirect>,
    /// What it reads on stdin, as far as that is known; `None` for whatever the agent's shell has.
    pub stdin: Option<Rc<str>>,
    /// The calls whose output that is, by their places in the reading; empty where it comes from elsewhere.
    pub fed_by: Range<usize>,
    pub output: Output,
    /// The holes of what it prints: where that comes from.
    pub printed: String,
    /// Files that its words name and that this script has written, by their absolute paths, with what is in them then.
    pub files: Vec<(String, Rc<str>)>,
    /// The directory it starts in.
    pub cwd: Rc<str>,
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
    /// What it would do. Empty until it is noted by the reader.
    pub deeds: Vec<Deed>,
    /// Worked out when it is first asked for, by `words`; shared with whoever follows the call.
    pub decoded: Cached<Rc<Decoded>>,
    /// The same for the verbs of its deeds, by `verbs`.
    pub done: Cached<Verbs>,
    /// Where it stands, and whether files may be secrets there by their place; for `secrets`.
    pub placed: Cached<(Rc<str>, bool)>,
}

impl Call {
    /// The program's name without its directory.
    pub fn program(&self) -> &str {
        let text = self.argv.first().map_or("", |arg| arg.text.as_str());
        crate::path::base(text)
    }

    /// The words after the program.
    pub fn args(&self) -> &[Arg] {
        self.argv.get(1..).unwrap_or_default()
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.args().iter().map(|arg| arg.text.as_str())
    }

    /// Its words as its program reads them.
    pub fn words(&self) -> &Decoded {
        self.shared_words()
    }

    pub(crate) fn shared_words(&self) -> &Rc<Decoded> {
        self.decoded.get_or_init(|| Rc::new(decode(&self.argv, &self.vars)))
    }

    /// The words that are neither options, nor their values, nor subcommands.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = &Arg> {
        self.words().operands.iter().map(|&at| &self.argv[at])
    }

    /// Whether an option was given, in any spelling: `call.chose("recursive")` also for `-r` and `--rec`.
    pub fn chose(&self, name: &str) -> bool {
        self.words().has(name)
    }

    /// The last value that an option was given.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.words().last(name, &self.argv)
    }

    /// Files that it writes, as they were written. Folders that it makes are not among them.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.deeds.iter().filter_map(|deed| match (deed.verb, &deed.object) {
            (Verb::Appends, Object::Path { tree: true, .. }) => None,
            (Verb::Writes | Verb::Appends | Verb::Edits | Verb::Empties, Object::Path { text, .. }) => {
                Some(text.as_str())
            }
            _ => None,
        })
    }

    /// The words that are for this, values of options first.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &str> {
        let words = self.words();
        let there = words.has_role(role);
        let (options, operands) =
            if there { (&words.options[..], words.roles()) } else { Default::default() };
        let options = options.iter().filter(move |chosen| chosen.option.is_some_and(|o| o.role == role));
        let options = options.filter_map(|chosen| match chosen.value {
            Some(value) => Some(value.text(&self.argv)),
            // The option itself is the word.
            None => chosen
                .option
                .filter(|o| o.takes == Takes::Nothing)
                .map(|_| self.argv[chosen.word].text.as_str()),
        });
        let operands = operands.iter().filter(move |(_, known)| *known == role);
        options.chain(operands.map(|&(at, _)| self.argv[at].text.as_str()))
    }

    /// The program, and the subcommands that the table knows, by their first names.
    pub fn path(&self) -> &[&'static str] {
        &self.words().path
    }

    /// What it does at all.
    pub fn verbs(&self) -> Verbs {
        *self.done.get_or_init(|| self.deeds.iter().map(|deed| deed.verb).collect())
    }

    /// Whether its program is known, and all it does changes nothing by itself. What does nothing at all must be understood.
    pub fn only_looks(&self) -> bool {
        let (verbs, words) = (self.verbs(), self.words());
        words.entry.is_some() && (verbs.are_among(Verbs::LOOKING) || verbs == Verbs::NONE && words.understood)
    }

    /// Which paths are secrets, seen from where it starts.
    pub fn secrets<'a>(&'a self, home: Option<&'a str>) -> Secrets<'a> {
        let look = || (Rc::clone(&self.cwd), Secrets::is_place(&self.cwd));
        let (cwd, all) = self.placed.get_or_init(look);
        // A copy may stand elsewhere.
        let all = if Rc::ptr_eq(cwd, &self.cwd) { *all } else { Secrets::is_place(&self.cwd) };
        Secrets::placed(&self.cwd, home, all)
    }

    /// Whether it does such a thing to anything.
    pub fn does(&self, verb: Verb) -> bool {
        self.verbs().has(verb)
    }

    /// Whether it does anything to a thing of this name.
    pub fn concerns(&self, thing: &str) -> bool {
        self.deeds.iter().any(|deed| matches!(&deed.object, Object::Thing(text) if text == thing))
    }

    /// The paths that it does one of these things to, and whether they are patterns.
    pub fn paths<'a>(&'a self, verbs: &'a [Verb]) -> impl Iterator<Item = (&'a str, bool)> {
        self.deeds.iter().filter(|deed| verbs.contains(&deed.verb)).filter_map(|deed| match &deed.object {
            Object::Path { text, pattern, .. } => Some((text.as_str(), *pattern)),
            _ => None,
        })
    }

    /// Whether it shows what it reads, or what comes in: what no table describes may.
    pub fn shows(&self) -> bool {
        let words = self.words();
        let Some(entry) = words.entry else { return !self.argv.is_empty() };
        let reads = |role: Role| matches!(role, Role::Read | Role::ReadTree | Role::Pathspec | Role::Rev);
        match words.prints(&self.argv) {
            Some(Prints::Nothing | Prints::Network) => false,
            Some(Prints::Input) => true,
            _ => {
                let spec = words.operand_spec();
                entry.style.silent
                    || !entry.style.network
                        && spec.unwrap_or_default().iter().any(|operand| reads(operand.role))
            }
        }
    }

    /// Whether its program keeps versions of files.
    pub fn keeps_versions(&self) -> bool {
        self.words().entry.is_some_and(|entry| entry.style.versions)
    }

    pub fn has(&self, word: &str) -> bool {
        self.texts().any(|text| text == word)
    }

    /// Whether it is started without the variable that says where its user's settings are.
    pub fn has_no_home(&self) -> bool {
        self.vars.iter().any(|(name, _)| name == HOMELESS)
    }

    /// A value that is set for this call.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The command as a user would write it; holes are dots.
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
    /// What files hold in the end that the script has written, by their absolute paths. Of one that it has only appended to, what it
    /// has appended.
    pub files: std::collections::BTreeMap<String, Rc<str>>,
}

impl Reading {
    /// What the command would do, each thing once, in the order it happens.
    pub fn deeds(&self) -> Vec<Deed> {
        let code = self.inline.iter().map(|(language, _)| format!("code of {language}"));
        let unseen = self.unseen.iter().map(|unseen| format!("code that cannot be seen, by {}", unseen.by));
        let runs = code.chain(unseen).map(|what| Deed::new(Verb::Runs, Object::Thing(what)));
        let mut found: Vec<Deed> = Vec::new();
        for deed in self.calls.iter().flat_map(|call| call.deeds.iter().cloned()).chain(runs) {
            let known = |other: &Deed| other.verb == deed.verb && other.object == deed.object;
            if !deed.object.text().is_empty() && !found.iter().any(known) {
                found.push(deed);
            }
        }
        found
    }
}

impl Reading {
    /// Another command's reading behind this one.
    pub fn append(&mut self, other: Reading) {
        let Reading { mut calls, unseen, doubts, fork_bomb, inline, files } = other;
        // Places are counted on.
        let before = self.calls.len();
        for call in calls.iter_mut().filter(|call| !call.fed_by.is_empty()) {
            call.fed_by = call.fed_by.start + before..call.fed_by.end + before;
        }
        self.calls.extend(calls);
        self.unseen.extend(unseen);
        self.doubts.extend(doubts);
        self.fork_bomb |= fork_bomb;
        self.inline.extend(inline);
        self.files.extend(files);
    }

    /// Takes away where words stand in the text, for a text that cannot be changed.
    pub fn forget_spans(&mut self) {
        for call in &mut self.calls {
            call.span = None;
            let targets = call.redirects.iter_mut().map(|redirect| &mut redirect.target);
            call.argv.change().iter_mut().chain(targets).for_each(|arg| arg.span = None);
        }
        self.unseen.iter_mut().for_each(|unseen| unseen.span = None);
    }
}
