//! What a linter is. The definitions themselves are data in `defs/`, made into a static table when this crate is built.

use crate::Language;

/// One tool.
#[derive(Debug)]
pub struct Linter {
    /// The folder's name, and what it is called everywhere.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    pub docs: &'static str,
    pub languages: &'static [Language],
    /// Extensions of those languages that it looks at; all of them where none is named.
    pub files: &'static [&'static str],
    pub not_files: &'static [&'static str],
    pub program: &'static str,
    pub home: Home,
    /// Whether it runs code of the project that it looks at.
    pub project_code: ProjectCode,
    /// Executables behind a node script, relative to a `node_modules`; the script costs ten times as much to start.
    pub native: &'static [&'static str],
    /// Its configuration files. The nearest folder with one of them is where it is run.
    pub configs: &'static [&'static str],
    /// Beginnings of rules by which code does not parse, names what is not there, or is certain to crash; with `!`, of those that
    /// only look like it. They count in every project; the others where it has chosen the linter.
    pub faults: &'static [&'static str],
    /// Beginnings of rules by which a file cannot be parsed.
    pub syntax: &'static [&'static str],
    /// What a project calls it where it says what to run.
    pub words: &'static [&'static str],
    /// The same for its formatting, where that is a choice of its own.
    pub format_words: &'static [&'static str],
    /// The engine gives its findings on real files, so that it may answer in its place.
    pub agrees: bool,
    /// Rules that its engine tells where it does not, by their beginnings; `cargo dev agreement` counts them.
    pub engine_errs: &'static [&'static str],
    /// Its engine is silent where the project has no settings for it.
    pub settings_decide: bool,
    /// Only runs where there is one of `configs`.
    pub only_configured: bool,
    /// Flags of the plan that must be set for it to run.
    pub when: &'static [&'static str],
    /// Left out below the directories of `security_linter_exclusions`.
    pub security: bool,
    /// Takes too long for every edit: with `pace: fast` it runs in the background.
    pub slow: bool,
    /// The engine is this tool's own library, linked in: the tool is only started for what the library does not know.
    pub linked: bool,
    /// What it says also depends on other files, so that it cannot be remembered.
    pub reads_others: bool,
    /// Looks at a whole project; what it says of other files is not about this edit.
    pub whole: bool,
    /// Arguments that make it say its version.
    pub version: &'static [&'static str],
    pub at_least: Option<&'static str>,
    pub install: Option<Install>,
    pub env: &'static [(&'static str, &'static str)],
    /// More of them where it is given one file: it needs no pool of threads, and nothing that pays off only in a longer run.
    pub env_of_one: &'static [(&'static str, &'static str)],
    /// Beginnings of lines that it prints before it says what went wrong.
    pub preamble: &'static [&'static str],
    /// Text on stdin to text on stdout, in this order.
    pub format: &'static [Formatting],
    pub lint: Option<Linting>,
    /// Says whatever formatting would change and linting would report. Where it says nothing, one process has done the work of
    /// two.
    pub glance: Option<Linting>,
}

/// Where a project keeps such a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// A virtual environment.
    Python,
    /// `node_modules`.
    Node,
    /// Nowhere: it is on PATH.
    Native,
}

/// There is one of each, so that the name says which it is.
impl PartialEq for Linter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Linter {}

/// How a tool comes to run code of the project that it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectCode {
    /// It does not: its settings are data, and it starts nothing.
    No,
    /// Its settings may be a program.
    Settings,
    /// Its settings may name plugins of the project.
    Plugins,
    /// It builds the project, or has it built.
    Build,
    /// The project chooses which toolchain does the work, and that may be one of its own.
    Toolchain,
    /// It starts git, which runs what the repository's settings name.
    Git,
}

impl ProjectCode {
    /// What it does that takes trust, after the word "it".
    pub fn why(self) -> &'static str {
        match self {
            ProjectCode::No => "runs no code of the project",
            ProjectCode::Settings => "reads settings that can be code",
            ProjectCode::Plugins => "loads plugins that the project names",
            ProjectCode::Build => "builds the project",
            ProjectCode::Toolchain => "lets the project choose its toolchain",
            ProjectCode::Git => "starts git with the repository's settings",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Install {
    pub from: Registry,
    pub package: &'static str,
    /// The one that the definition was made with.
    pub version: &'static str,
    /// More packages, with their versions, that it needs for its work.
    pub with: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    PyPi,
    Npm,
}

#[derive(Debug)]
pub struct Formatting {
    pub args: &'static [&'static str],
    /// Exit codes with which stdout is the new text.
    pub ok: &'static [i32],
    /// Words by which a failure is about a file that cannot be parsed, which is the linter's to report. Any other failure is
    /// told. Where none are given, no failure is.
    pub unparsed: &'static [&'static str],
    /// It changes what the code says, not only how it looks.
    pub fixes: bool,
    /// The same, where whole files are formatted.
    pub fixes_whole: bool,
}

#[derive(Debug)]
pub struct Linting {
    /// `{file}`, `{name}`, `{project}`, `{defer}` stand for what they say; `?flag word` is left out unless the flag is set.
    pub args: &'static [&'static str],
    /// The same for a text on stdin that is not in the file any more. Nothing where the tool takes none.
    pub stdin: &'static [&'static str],
    /// Exit codes with which there may be nothing to say.
    pub clean: &'static [i32],
    /// Exit codes with which something was found. Any other is a failure.
    pub found: &'static [i32],
    pub stream: Stream,
    /// The rule, where the output names none.
    pub code: &'static str,
    /// Before the rule, where the output leaves it out (`SC` before ShellCheck's numbers).
    pub prefix: &'static str,
    /// Columns are counted from zero.
    pub from_zero: bool,
    /// Plugins by the beginning of their rules.
    pub names: &'static [(&'static str, &'static str)],
    /// It fixes the file while it looks.
    pub fixes: bool,
    pub reader: Reader,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
    Both,
}

/// How output is understood; the code is in `output`.
#[derive(Debug)]
pub enum Reader {
    Json(Mapping),
    /// Patterns, tried in order on each line.
    Lines(&'static [&'static str]),
    /// The report format of GitLab's code quality.
    Gitlab,
    Sarif,
    Checkstyle,
    /// `error: what` with `--> file:line:column` or `┌─ file:line:column` below.
    Report,
    /// Cargo's messages, one JSON object per line.
    Cargo,
    /// Knip's report: lists by kind of issue, below each file.
    Knip,
}

/// Where things stand in a JSON document. A path is keys joined by dots; several, joined by `|`, are tried in order, because
/// tools move their fields between versions.
#[derive(Debug)]
pub struct Mapping {
    /// The list; empty where the document itself is the list.
    pub list: &'static str,
    /// With `^` before it: in the entry that the list lies in.
    pub file: &'static str,
    pub line: &'static str,
    pub column: &'static str,
    /// Bytes from the beginning of the file, where there is no line.
    pub offset: &'static str,
    pub code: &'static str,
    pub message: &'static str,
    /// Fields and the values (joined by `|`) that they must have.
    pub only: &'static [(&'static str, &'static str)],
    /// An entry without a line is not about the code: the tool says why it did not look.
    pub placed: bool,
}

include!(concat!(env!("OUT_DIR"), "/linters.rs"));

/// The linter of this name.
pub fn find(name: &str) -> Option<&'static Linter> {
    LINTERS.iter().find(|linter| linter.name == name)
}

/// The linter of this name, or the one that has a plugin of this name: `flake8` for `flake8-async`.
pub fn find_or_plugin(name: &str) -> Option<&'static Linter> {
    find(name).or_else(|| LINTERS.iter().find(|linter| linter.speaks_as(name)))
}

impl Linter {
    /// Whether every project of its languages has a use for it, whatever it is set up with.
    pub fn is_usual(&self) -> bool {
        !self.only_configured && (self.when.is_empty() || self.when == ["biome"])
    }

    /// Whether a rule says that the file cannot be parsed.
    pub fn is_syntax(&self, code: &str) -> bool {
        self.syntax.iter().any(|start| code.starts_with(start))
    }

    /// Whether a rule is about what is wrong, whoever's taste it is.
    pub fn is_fault(&self, code: &str) -> bool {
        let taste = |start: &&&str| start.starts_with('!');
        let begins = |start: &&str| code.starts_with(start.trim_start_matches('!'));
        self.faults.iter().filter(|start| !taste(start)).any(begins)
            && !self.faults.iter().filter(taste).any(begins)
    }

    /// Whether the word of its engine about a rule is not its own.
    pub fn engine_errs(&self, code: &str) -> bool {
        self.engine_errs.iter().any(|start| code.starts_with(start))
    }

    /// Whether it is the linter of this name, or has a plugin of that name.
    pub fn speaks_as(&self, name: &str) -> bool {
        let plugins = self.lint.as_ref().map_or(&[][..], |job| job.names);
        self.name == name || plugins.iter().any(|(_, plugin)| *plugin == name)
    }

    /// Whether it rewrites files.
    pub fn formats(&self) -> bool {
        !self.format.is_empty() || self.lint.as_ref().is_some_and(|job| job.fixes)
    }

    /// Whether it may fix what it lints.
    pub fn fixes_what_it_lints(&self) -> bool {
        self.lint.as_ref().is_some_and(|job| job.fixes)
    }

    /// Whether it looks at a file of this language and extension at all.
    pub fn covers(&self, language: Language, extension: &str) -> bool {
        self.languages.contains(&language)
            && (self.files.is_empty() || self.files.contains(&extension))
            && !self.not_files.contains(&extension)
    }
}
