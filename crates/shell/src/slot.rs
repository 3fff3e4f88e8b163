//! Arguments and variables of ordinary programs that are commands: `tar --to-command`, `git -c core.pager`, `EDITOR`, and the words
//! after a program that nobody knows.

mod git_config;
mod hooks;
mod unknown;

pub use git_config::git_settings;

use model::deed::Verb;

use crate::programs::decode::decode;
use crate::programs::{Role, find, is_striking, variable, variable_of};
use crate::reader::Reader;
use crate::reader::follow::Starter;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, DECODED, NET, is_known};

/// Variables whose value some program runs.
const CODE_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "BROWSER",
    "EDITOR",
    "FCEDIT",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SYSTEMD_PAGER",
    "VISUAL",
];

/// Variables that a shell expands, commands included, before it uses them.
const EXPANDED_VARIABLES: &[&str] = &["ENV", "PS0", "PS1", "PS2", "PS4"];

impl Reader<'_> {
    /// A variable that some program runs as a command.
    pub(crate) fn code_variable(&mut self, name: &str, value: &str, state: &mut State) {
        if value.is_empty() || !is_known(value) {
            // What came over the network is run as it is.
            if value.contains([NET, DECODED]) && is_code(name) {
                self.unseen("variable", value);
            }
            return;
        }
        if name == "BASH_ENV" {
            // A file that every shell runs before anything else. Where it cannot be read, nobody has seen it.
            match self.script_text(value, state) {
                Some(text) => {
                    let mut inner = state.clone();
                    self.wrapped("variable", |reader| reader.run_text(&text, "BASH_ENV", &mut inner));
                }
                None => self.unseen("BASH_ENV", &ANY.to_string()),
            }
        }
        if variable(name) == Some(Role::Script) {
            self.loaded(value, state);
        }
        // A function that every shell below takes from its environment.
        if name.starts_with("BASH_FUNC_")
            && let Some((_, body)) = value.split_once('{')
        {
            self.run_slot("variable", body.trim_end().trim_end_matches('}'), state);
        }
        if name == "MAKEFLAGS" {
            for command in crate::inline::escapes::commands("make", &value.replace("\\ ", " ")) {
                self.run_slot("variable", &command, state);
            }
        }
        match variable_of(name) {
            Some((Role::Before, program)) => self.run_slot("variable", &format!("{program} {value}"), state),
            // In the program's own language.
            Some((Role::Code, program)) => {
                let language = find(program).map_or("", |program| program.language);
                self.wrapped("variable", |reader| reader.inline(language, value, &mut state.clone()));
            }
            _ => {}
        }
        if EXPANDED_VARIABLES.contains(&name) {
            self.expanded(value, &mut state.clone());
        } else if (is_code(name) || (is_called_a_command(name) && is_a_command(value)))
            && !value.starts_with('$')
        {
            // `LESSOPEN='|cmd %s'` pipes.
            let code = value.trim_start_matches(['|', '-']).to_owned();
            let saved = self.vars.len();
            self.run_slot("variable", &code, state);
            self.vars.truncate(saved);
        }
    }

    /// Words of ordinary programs that are commands, and code that this very script wrote and now builds or tests.
    pub(crate) fn code_slots(&mut self, name: &str, argv: &[Arg], state: &mut State) {
        if find(name).is_some_and(|program| program.language == "editor") {
            self.editor(argv, state);
        }
        let piped = state.stdin.is_some() && argv.iter().any(|arg| arg.text == "-");
        if piped || !state.files.is_empty() {
            self.built(argv, state);
        }
    }

    /// What this very command wrote, and now builds or tests, is code.
    fn built(&mut self, argv: &[Arg], state: &mut State) {
        let words = decode(argv, &[]);
        let mut builds = words.does().filter(|(verb, _)| *verb == Verb::Builds).peekable();
        if builds.peek().is_none() {
            return;
        }
        let tests = builds.any(|(_, what)| what.contains("tests"));
        let mut codes = Vec::new();
        for (path, text) in state.files.iter().filter(|(path, _)| tests && !path.starts_with("/dev/")) {
            if path.ends_with(".py") {
                codes.push(("python", text.clone()));
            } else if crate::code::is_javascript(path) {
                codes.push(("javascript", text.clone()));
            }
        }
        // Of any language that is compiled, the texts in it are looked at.
        for arg in argv[1..].iter().filter(|_| !tests) {
            let text = match arg.text.as_str() {
                "-" => state.stdin.clone(),
                file => state.files.get(&state.absolute(file)).cloned(),
            };
            codes.extend(text.map(|text| ("generic", text)));
        }
        for (language, code) in codes {
            self.inline(language, &code, state);
        }
    }

    /// Lines of a table of times and commands.
    pub(crate) fn timetable(&mut self, by: Starter<'_>, table: &str, state: &State) {
        for line in table.lines() {
            let skip = if line.trim_start().starts_with('@') { 1 } else { 5 };
            let code: String = line.split_whitespace().skip(skip).collect::<Vec<_>>().join(" ");
            self.run_slot(by.label, &code, state);
        }
    }

    /// What is run on other machines: by a module that takes a command line, or by the steps of a playbook.
    pub(crate) fn playbook(&mut self, by: Starter<'_>, text: &str, state: &State) {
        if by.words.has("args") {
            let module = by.values("module-name").last();
            let shell = module.is_none_or(|module| {
                matches!(module.rsplit('.').next(), Some("shell" | "command" | "raw" | "script"))
            });
            if shell {
                self.run_slot(by.label, text, state);
            }
            return;
        }
        for module in ["shell:", "command:", "raw:"] {
            for code in text.split(module).skip(1) {
                let code = code.lines().next().unwrap_or_default().trim();
                self.run_slot(by.label, code.trim_matches(['\'', '"', '}', ']', ' ']), state);
            }
        }
    }

    /// `commands=[…]`, or the same in JSON.
    pub(crate) fn commands(&mut self, by: Starter<'_>, text: &str, state: &State) {
        if let Some((_, list)) = text.split_once("commands=") {
            self.run_slot(by.label, list.trim_matches(['[', ']', '"', '\'']), state);
        }
        for code in text.split(['"', '\'']).skip(1).step_by(2).filter(|_| text.contains("commands")) {
            self.run_slot(by.label, code, state);
        }
    }

    /// The `e` command and flag run a shell.
    pub(crate) fn sed(&mut self, script: &str, state: &mut State) {
        match sed_command(script) {
            // By itself it runs each line that comes in.
            Some(code) if code.is_empty() => self.run_slot("sed", &state.piped(), state),
            Some(code) => self.run_slot("sed", &code, state),
            None => {}
        }
    }

    /// Code that another program runs. That it may be no shell's is not a reason for doubt.
    pub(crate) fn run_slot(&mut self, label: &'static str, code: &str, state: &State) {
        if code.trim().is_empty() {
            return;
        }
        let before = self.reading.doubts.len();
        let mut inner = state.clone();
        self.wrapped(label, |reader| reader.run_text(code, label, &mut inner));
        // What it writes is seen by whoever judges the files.
        if inner.files.len() != state.files.len() {
            let written = inner.files.iter().map(|(path, text)| (path.clone(), std::rc::Rc::clone(text)));
            self.reading.files.extend(written);
        }
        let mut at = before;
        while at < self.reading.doubts.len() {
            if matches!(self.reading.doubts[at], crate::reading::Doubt::Syntax { .. }) {
                self.reading.doubts.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// `vim -c '!cmd'`, `emacs --eval '(shell-command "cmd")'`, and what an editor reads.
    fn editor(&mut self, argv: &[Arg], state: &mut State) {
        for arg in &argv[1..] {
            let command = arg.text.strip_prefix('+').unwrap_or(&arg.text);
            if let Some((_, code)) = command.split_once('!') {
                let code = code.trim_end_matches('"').to_owned();
                self.run_slot("editor", &code, state);
            }
            if command.contains('(') || command.contains("source http") {
                self.inline("generic", command, state);
            }
        }
        // A script for it is a script all the same.
        let words = decode(argv, &[]);
        for (_, file) in words.given(argv).filter(|(role, _)| *role == Role::Use) {
            if let Some(text) = self.script_text(file, state) {
                if crate::reader::is_only_holes(&text) {
                    self.unseen("editor", &text);
                }
                self.bang_lines(&text, state);
            }
        }
        self.bang_lines(&state.piped(), state);
    }

    /// `!command` lines, as editors, debuggers and calculators have them; a debugger's may be code of its own.
    pub(crate) fn bang_lines(&mut self, text: &str, state: &mut State) {
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches(':').trim_start_matches("platform ");
            if let Some(code) = line.strip_prefix('!').or_else(|| line.strip_prefix("shell ")) {
                self.run_slot("editor", code, state);
            } else if let Some(code) = line.strip_prefix("python ").or_else(|| line.strip_prefix("script ")) {
                self.inline("python", code, state);
            }
        }
    }
}

/// Whether some program runs the value of a variable.
fn is_code(name: &str) -> bool {
    CODE_VARIABLES.contains(&name) || variable(name) == Some(Role::Shell)
}

/// Whether a variable is called as those are whose value is a command, whoever reads it: `KUBE_EDITOR`, `RUSTC_WRAPPER`, `CC`.
fn is_called_a_command(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "ASKPASS", "BROWSER", "EDITOR", "PAGER", "_CMD", "_COMMAND", "_PROG", "_RSH", "_SHELL", "_SSH",
        "_WRAPPER",
    ];
    const TOOLS: &[&str] = &[
        "AR",
        "AS",
        "CC",
        "CPP",
        "CXX",
        "FC",
        "HOSTCC",
        "LD",
        "NM",
        "OBJCOPY",
        "PKG_CONFIG",
        "RANLIB",
        "STRIP",
    ];
    let upper = name.to_ascii_uppercase();
    TOOLS.contains(&name) || ENDS.iter().any(|end| upper.ends_with(end))
}

/// Whether a value is more than the name of a program, so that there is something to judge.
fn is_a_command(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default();
    value.contains([' ', ';', '|', '&', '/']) || is_striking(crate::path::name(first))
}

/// The shell command in a sed script: `1e cmd`, `s/x/cmd/e`.
fn sed_command(script: &str) -> Option<String> {
    let trimmed = script.trim();
    let after = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' '));
    if let Some(code) = after.strip_prefix("e ") {
        return Some(code.to_owned());
    }
    if after == "e" {
        return Some(String::new());
    }
    if let Some(rest) = after.strip_prefix('s') {
        let delimiter = rest.chars().next()?;
        if !delimiter.is_alphanumeric() && !delimiter.is_whitespace() {
            let parts: Vec<&str> = rest[delimiter.len_utf8()..].split(delimiter).collect();
            if parts.len() >= 3
                && parts[2].contains('e')
                && parts[2].chars().all(|c| "gpeiIMm0123456789".contains(c))
            {
                return Some(parts[1].to_owned());
            }
        }
    }
    None
}
