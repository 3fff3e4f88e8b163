//! What is known about programs, stated once: their names, how their words are read, and what those words do.
//!
//! The tables are text (`crates/shell/programs/*.txt`, whose format is described in `programs/README.md`); `build.rs` checks them and
//! makes the static table that is used here. `decode` reads a call's words by it, `deeds` says what they do.

mod brings;
pub(crate) mod containers;
pub mod decode;
pub mod decoded;
pub(crate) mod deeds;
pub mod kind;
mod output;
mod places;
mod registry;
mod role;
mod search;
pub mod sed;

use model::deed::Verb;

pub use brings::Brings;
pub use containers::{Mount, mount};
pub use deeds::ELSEWHERE;
pub use deeds::landing::{Landing, landings};
pub(crate) use deeds::network::relayed;
pub use deeds::refs::{is_main, is_whole, repository, store};
pub use output::Output;
pub use registry::Registry;
pub use role::Role;
pub use search::Search;

/// One program, or one of its subcommands.
#[derive(Debug)]
pub struct Program {
    /// The first is its name, the others are what it is called too. `*` in one stands for anything.
    pub names: &'static [&'static str],
    pub style: Style,
    /// Of its code, scripts and, where nothing else is given, its input; empty for none.
    pub language: &'static str,
    /// Where the commands run that it starts.
    pub place: Where,
    /// What it prints, where its words and its input say it.
    pub output: Option<Output>,
    /// How files arrive by it that its words do not name.
    pub brings: Option<Brings>,
    /// Where the packages come from that it installs.
    pub registry: Option<Registry>,
    pub options: &'static [Opt],
    /// The places of those that are one letter.
    pub letters: &'static [(char, u16)],
    /// One of them is a word after one dash, among others after two.
    pub dashed: bool,
    /// What its operands are; `None` where nobody has said, and the call is not fully understood.
    pub operands: Option<&'static [Operand]>,
    pub rules: &'static [Rule],
    /// What to do instead of what it does, in words; empty where nobody has said.
    pub instead: &'static str,
    /// Values that people give to settings which are commands, every day.
    pub usual: &'static [&'static str],
    /// Files with code that it loads by itself from the folder that it works in, before anything else.
    pub loads: &'static [&'static str],
    /// Names of settings, in small letters, with what their values are for; `*` stands for anything.
    pub settings: &'static [(&'static str, Role)],
    /// It is this program or subcommand, under a name of its own; empty where it is not.
    pub same: &'static [&'static str],
    /// Any of its words, or of its subcommands', can start something.
    pub starts: bool,
    /// It runs what a file says, of the folder or named: a script, a task, a service.
    pub acts: bool,
    pub subs: &'static [Program],
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    #[default]
    Here,
    /// In a container that is thrown away.
    Container,
    /// In a container that stays.
    Kept,
    /// On another machine.
    Host,
    /// Here, with the rights of another user.
    User,
}

/// How a program reads its words.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own, and programs mix them")]
pub struct Style {
    /// The first operand ends the options.
    pub posix: bool,
    /// Options are whole words after one dash or two: `-name`, `-destroy`.
    pub single: bool,
    /// A first word without a dash is a cluster of options: `tar xf`.
    pub bundle: bool,
    /// Words are `key=value`: `dd if=…`.
    pub keys: bool,
    /// An expression follows the operands: `find . -name x`.
    pub find: bool,
    /// Long options are not taken by their beginnings.
    pub exact: bool,
    /// A long option that is not in the table takes the next word, unless that looks like an option.
    pub valued: bool,
    /// Letters after a plus take an option back: `bash +x`.
    pub plus: bool,
    /// What it starts runs as it would without it.
    pub transparent: bool,
    /// Groups of commands come before its subcommands, as deep as there are: `gcloud compute instances delete`.
    pub deep: bool,
    /// Long options are not taken by their beginnings, and `=` may follow a letter: `-v=/x:/y`.
    pub cobra: bool,
    /// Its subcommands may be written in capitals.
    pub anycase: bool,
    /// A word after one dash is a signal: `kill -KILL`; after it, a number with a dash is an operand.
    pub signal: bool,
    /// Its input is code where no other is given.
    pub stdin: bool,
    /// Its options are known after its subcommands too.
    pub global: bool,
    /// It only prints what it is told, or answers by its exit code: nothing happens.
    pub harmless: bool,
    /// Its subcommands are programs of their own, too: `git-commit`.
    pub dashed: bool,
    /// It keeps versions of files.
    pub versions: bool,
    /// It speaks to a service that others use, too.
    pub service: bool,
    /// It prints nothing but its own words.
    pub silent: bool,
    /// By its name it is a command, wherever that stands among the words of a program that nobody knows.
    pub striking: bool,
    /// Everything else is done through it: another in its place sees every password and every command.
    pub base: bool,
    /// It speaks to other machines.
    pub network: bool,
    /// Its redirections last, for the shell that goes on after it.
    pub lasting: bool,
    /// A command of PowerShell: parameters in letters of any size, by any beginning that is no other's.
    pub cmdlet: bool,
    /// Its options begin with a slash, in letters of any size: `del /s /q`.
    pub slash: bool,
}

#[derive(Debug)]
pub struct Opt {
    /// Without dashes; one letter is a short option. A word after one dash, among others after two, keeps it.
    pub names: &'static [&'static str],
    pub takes: Takes,
    pub role: Role,
    /// With it nothing is done: help, a rehearsal.
    pub rehearses: bool,
    /// What follows it are operands.
    pub ends: bool,
    /// The marks of its names, with and without a dash.
    pub marks: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    Value,
    /// Only in the same word: `--color=auto`, `-i.bak`.
    Attached,
    /// The digits behind a letter, after which other letters go on: `-0777ne`.
    Digits,
    /// The word after the next one, which is a name for it: `--arg name value`.
    Second,
}

#[derive(Debug)]
pub struct Operand {
    pub role: Role,
    /// As many as there are; what is named after it is taken from the end.
    pub many: bool,
    /// Only behind `--`.
    pub behind: bool,
}

/// What holds where certain words are there.
#[derive(Debug)]
pub struct Rule {
    /// One of these must hold, each with all of its clauses. Always, where there is none.
    pub when: &'static [&'static [Clause]],
    pub operands: Option<&'static [Operand]>,
    /// What the call does, in words.
    pub does: Option<(Verb, &'static str)>,
    pub stake: Option<Stake>,
    pub prints: Option<Prints>,
    /// What its input is for.
    pub input: Option<Role>,
}

/// What a program prints, as far as that matters to whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prints {
    /// The names of all things of a kind.
    All,
    /// Each name that is in the folder.
    Each,
    /// What came over the network.
    Network,
    /// Nothing of what it reads.
    Nothing,
    /// What comes in.
    Input,
    Text(&'static str),
}

/// One thing that is there, or is not.
#[derive(Debug)]
pub struct Clause {
    pub about: About,
    /// It is one of these; `*` in one stands for anything, `<…>` for a kind of value. Empty: whatever it is.
    pub values: &'static [&'static str],
    pub not: bool,
    /// So often, or more.
    pub times: usize,
    /// The marks of the option's name: most calls have none of them.
    pub(crate) marks: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Option(&'static str),
    /// Any of them, or one by its place.
    Operand(Option<usize>),
    /// Every one of them.
    Operands,
    /// At least so many of them.
    Count(usize),
    /// Of the environment, set for this call.
    Variable(&'static str),
}

/// How much is lost where the call destroys something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stake {
    /// It is on this machine, or made for development and tests.
    Local,
    /// It was made to be thrown away.
    Trial,
    /// The call does nothing.
    Nothing,
}

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The entry of a program by the name that it was called by: also in capitals, with an ending of Windows or a version.
pub fn find(name: &str) -> Option<&'static Program> {
    let program = by_name(name)?;
    // Most have no other name.
    if program.same.is_empty() { Some(program) } else { program.chain().last().copied().or(Some(program)) }
}

fn by_name(name: &str) -> Option<&'static Program> {
    let exact = |name: &str| {
        let mut at = places::place(name);
        while let Some(number) = usize::from(TAKEN[at]).checked_sub(1) {
            let (known, program) = BY_NAME[number];
            if known == name {
                return Some(&PROGRAMS[program]);
            }
            at = (at + 1) % places::PLACES;
        }
        None
    };
    if let Some(program) = exact(name) {
        return Some(program);
    }
    if name.bytes().any(|b| b.is_ascii_uppercase() || b == b'.' || b.is_ascii_digit()) {
        let lower = name.to_ascii_lowercase();
        let plain = lower.strip_suffix(".exe").unwrap_or(&lower);
        let bare = plain.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        return exact(plain).or_else(|| exact(bare)).or_else(|| by_family(plain));
    }
    by_family(name)
}

/// A program without the ending that Windows gives it, where it is known without.
pub(crate) fn drop_ending(name: &mut String) {
    let at = name.len().saturating_sub(4);
    let ends =
        |end: &str| [".exe", ".cmd", ".bat", ".com"].iter().any(|known| end.eq_ignore_ascii_case(known));
    if name.get(at..).is_some_and(ends) && find(crate::path::name(&name[..at])).is_some() {
        name.truncate(at);
    }
}

/// Whole families of commands: `remove-az*`.
fn by_family(name: &str) -> Option<&'static Program> {
    if !name.contains('-') {
        return None;
    }
    let (_, at) = PATTERNS.iter().find(|(pattern, _)| crate::path::matches(pattern, name))?;
    PROGRAMS.get(*at)
}

/// What PowerShell takes a name in small letters for: one of its own commands, by that name or by another.
pub(crate) fn cmdlet(name: &str) -> Option<&'static str> {
    let own = CMDLETS.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|at| CMDLETS[at].1);
    own.or_else(|| by_family(name).filter(|entry| entry.style.cmdlet).map(Program::name))
}

/// The same of `cmd`.
pub(crate) fn of_cmd(name: &str) -> Option<&'static str> {
    OF_CMD.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|at| OF_CMD[at].1)
}

/// The version system whose settings are read from its files, too.
pub fn version_system() -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.style.versions && program.style.dashed)
}

/// The program that runs code of a language by its name.
pub(crate) fn interpreter(language: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|program| program.language == language && program.style.stdin).map(Program::name)
}

/// Whether a word is a command by its name alone.
pub(crate) fn is_striking(name: &str) -> bool {
    find(name).is_some_and(|program| program.style.striking)
}

/// A program that a pattern may stand for, where that matters.
pub(crate) fn by_pattern(pattern: &str) -> Option<&'static str> {
    let striking = PROGRAMS.iter().filter(|program| program.style.striking);
    striking.flat_map(|program| program.names).find(|name| crate::path::matches(pattern, name)).copied()
}

/// The same of PowerShell's own commands: one that matters, else the first.
pub(crate) fn cmdlet_by_pattern(pattern: &str) -> Option<&'static str> {
    let lower = pattern.to_ascii_lowercase();
    // A pattern of nothing but stars lists them.
    if !lower.contains(['*', '?']) || lower.bytes().filter(u8::is_ascii_alphabetic).count() < 2 {
        return None;
    }
    let acts = |entry: &Program| {
        let acts = |operand: &Operand| matches!(operand.role, Role::Code | Role::Delete);
        entry.operands.is_some_and(|operands| operands.iter().any(acts))
    };
    let cmdlets = PROGRAMS.iter().filter(|entry| entry.style.cmdlet);
    let names = cmdlets.flat_map(|entry| entry.names.iter().map(move |name| (acts(entry), *name)));
    let fitting = names.filter(|(_, name)| crate::path::matches(&lower, name));
    fitting.max_by_key(|(acts, _)| *acts).map(|(_, name)| name)
}

/// What a variable of the environment is for, where a program has said it.
pub fn variable(name: &str) -> Option<Role> {
    variable_of(name).map(|(role, _)| role)
}

/// The same, and the name of the program that has said it.
pub fn variable_of(name: &str) -> Option<(Role, &'static str)> {
    let at = VARIABLES.binary_search_by(|(known, ..)| (*known).cmp(name));
    // `GIT_CONFIG_KEY_*` stands before the names that it is a pattern for.
    let fits = |(known, ..): &&(&str, Role, &str)| known.ends_with('*') && crate::path::matches(known, name);
    let found =
        at.map_or_else(|at| VARIABLES[..at].iter().rev().take(4).find(fits), |at| Some(&VARIABLES[at]));
    found.map(|(_, role, program)| (*role, *program))
}

impl Role {
    /// A command that ends with the words.
    pub fn takes_rest(self) -> bool {
        matches!(
            self,
            Role::Run | Role::Start | Role::Line | Role::Each | Role::Template | Role::Tool | Role::Fetched
        )
    }
}

impl Program {
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// What the value of a setting is for. Names of sections and keys are the same in any case.
    pub fn setting(&self, name: &str) -> Option<Role> {
        let name = name.to_ascii_lowercase();
        let found = self.settings.iter().find(|(known, _)| crate::path::matches(known, &name));
        found.map(|(_, role)| *role)
    }

    /// What it is under its own name, with what that is a subcommand of.
    fn chain(&'static self) -> Vec<&'static Program> {
        let Some((first, rest)) = self.same.split_first() else { return vec![self] };
        let mut chain: Vec<_> = by_name(first).into_iter().collect();
        for name in rest {
            chain.extend(chain.last().and_then(|entry| entry.sub(name)));
        }
        chain
    }

    /// The option of this letter.
    pub(crate) fn letter(&self, letter: char) -> Option<&'static Opt> {
        let (_, at) = self.letters.iter().find(|(known, _)| *known == letter)?;
        self.options.get(usize::from(*at))
    }

    pub(crate) fn sub(&self, word: &str) -> Option<&'static Program> {
        let same = |name: &&str| *name == word || self.style.anycase && name.eq_ignore_ascii_case(word);
        let fits = |name: &&str| name.contains('*') && crate::path::matches(name, word);
        self.subs
            .iter()
            .find(|sub| sub.names.iter().any(same))
            .or_else(|| self.subs.iter().find(|sub| sub.names.iter().any(fits)))
    }
}

#[cfg(test)]
mod tests;
