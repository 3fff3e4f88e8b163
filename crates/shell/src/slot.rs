//! Arguments and variables of ordinary programs that are commands: `tar --to-command`, `git -c core.pager`, `EDITOR`, and the words
//! after a program that nobody knows.

mod git_config;
mod hooks;
mod unknown;

pub use git_config::git_settings;

use crate::programs::{Role, variable};
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, DECODED, NET, is_known};
use crate::wrapper::option_value;

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

/// Options whose value is a command line.
static OPTIONS: &[(&[&str], &[&str])] = &[
    (&["fly", "flyctl"], &["-C", "--command"]),
    (&["gcloud"], &["--command"]),
    (&["nano"], &["-s", "--speller"]),
    (&["vagrant"], &["-c", "--command"]),
];

/// They make a program of a source file.
const COMPILERS: &[&str] = &["c++", "cc", "clang", "clang++", "g++", "gcc", "rustc", "tcc", "zig"];

/// Programs that matter as the first word of a command.
const DANGEROUS: &[&str] = &[
    "aws",
    "bash",
    "chmod",
    "chown",
    "curl",
    "dash",
    "dd",
    "docker",
    "eval",
    "find",
    "git",
    "halt",
    "kill",
    "kubectl",
    "mkfs",
    "mkfs.ext4",
    "mv",
    "mysql",
    "poweroff",
    "psql",
    "python",
    "python3",
    "reboot",
    "rm",
    "sh",
    "shred",
    "shutdown",
    "sudo",
    "systemctl",
    "terraform",
    "truncate",
    "wget",
    "wipefs",
    "zsh",
];

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
        if name == "PERL5OPT" {
            self.wrapped("variable", |reader| reader.inline("perl", value, &mut state.clone()));
        }
        if EXPANDED_VARIABLES.contains(&name) {
            self.expanded(value, &mut state.clone());
        } else if is_code(name) && !value.starts_with('$') {
            // `LESSOPEN='|cmd %s'` pipes.
            let code = value.trim_start_matches(['|', '-']).to_owned();
            let saved = self.vars.len();
            self.run_slot("variable", &code, state);
            self.vars.truncate(saved);
        }
    }

    /// Arguments of ordinary programs that are commands.
    pub(crate) fn code_slots(&mut self, name: &str, argv: &[Arg], state: &mut State) {
        let args = &argv[1..];
        self.option_slots(name, args, state);
        let texts: Vec<String> = args.iter().map(|a| a.text.clone()).collect();
        match name {
            "tar" | "gtar" | "bsdtar" => {
                for text in texts.iter().filter_map(|t| t.strip_prefix("--checkpoint-action=exec=")) {
                    self.run_slot("tar", text, state);
                }
            }
            "vim" | "vi" | "nvim" | "ex" | "view" | "emacs" => self.editor(args, state),
            "ed" | "bc" | "mail" | "gdb" | "lldb" => {
                let stdin = state.piped();
                self.bang_lines("ed", &stdin, state);
                for text in
                    option_values(args, &["-ex", "-o", "--eval-command", "-eval-command", "--one-line"])
                {
                    let command = text.trim_start_matches("platform ").trim_start();
                    if let Some(code) = command.strip_prefix("shell").or(command.strip_prefix('!')) {
                        self.run_slot("gdb", code.trim_start(), state);
                    }
                    self.inline("python", text.trim_start_matches("script").trim_start(), state);
                }
            }
            "crontab" => {
                let table = match crate::builtin::operands(
                    &texts.iter().map(String::as_str).collect::<Vec<_>>(),
                    &["-u"],
                )
                .first()
                {
                    Some(file) if *file != "-" => self.script_text(file, state).unwrap_or_default(),
                    _ => state.piped(),
                };
                if crate::reader::is_only_holes(&table) {
                    self.unseen("crontab", &table);
                }
                for line in table.lines() {
                    let skip = if line.trim_start().starts_with('@') { 1 } else { 5 };
                    let code: String = line.split_whitespace().skip(skip).collect::<Vec<_>>().join(" ");
                    self.run_slot("crontab", &code, state);
                }
            }
            "less" | "more" => {
                for code in texts.iter().filter_map(|t| t.strip_prefix("+!")) {
                    self.run_slot("less", code, state);
                }
            }
            "ansible" => {
                let shell = option_value(args, &["-m", "--module-name"]).is_none_or(|module| {
                    matches!(module.rsplit('.').next(), Some("shell" | "command" | "raw" | "script"))
                });
                if let Some(code) = option_value(args, &["-a", "--args"]).filter(|_| shell) {
                    self.run_slot("ansible", &code, state);
                }
            }
            "ansible-playbook" => {
                for file in texts.iter().filter(|t| !t.starts_with('-')) {
                    let Some(text) = self.script_text(file, state) else { continue };
                    if crate::reader::is_only_holes(&text) {
                        self.unseen("ansible", &text);
                    }
                    for module in ["shell:", "command:", "raw:"] {
                        for code in text.split(module).skip(1) {
                            let code = code.lines().next().unwrap_or_default().trim();
                            self.run_slot("ansible", code.trim_matches(['\'', '"', '}', ']', ' ']), state);
                        }
                    }
                }
            }
            "gnuplot" => {
                for code in option_values(args, &["-e"]) {
                    self.inline("generic", &code, state);
                }
            }
            "cmake" => self.cmake(&texts, state),
            _ if COMPILERS.contains(&name) => self.compiled(&texts, state),
            "pytest" | "py.test" | "tox" | "nox" => self.written_tests("python", ".py", state),
            "bun" | "deno" | "jest" | "mocha" | "vitest" => {
                self.written_tests("javascript", "s", state);
            }
            "salt" | "salt-call" | "salt-ssh" => {
                if let Some(at) = texts.iter().position(|t| t.starts_with("cmd.")) {
                    let code = texts[at + 1..].join(" ");
                    self.run_slot("salt", &code, state);
                }
            }
            "aws" if texts.iter().any(|t| t == "send-command") => {
                for text in texts.iter().filter_map(|t| t.split_once("commands=")) {
                    self.run_slot("aws", text.1.trim_matches(['[', ']', '"', '\'']), state);
                }
                for text in texts.iter().filter(|t| t.contains("commands")) {
                    for code in text.split(['"', '\'']).skip(1).step_by(2) {
                        self.run_slot("aws", code, state);
                    }
                }
            }
            "heroku" | "adb" | "wsl" | "wsl.exe" => {
                let at = if name.starts_with("wsl") {
                    Some(0)
                } else {
                    texts
                        .iter()
                        .position(|t| matches!(t.as_str(), "run" | "run:detached" | "shell"))
                        .map(|at| at + 1)
                };
                if let Some(at) = at {
                    let words: Vec<&str> =
                        texts[at..].iter().map(String::as_str).skip_while(|t| t.starts_with('-')).collect();
                    let code = words.join(" ");
                    self.run_slot("remote", &code, state);
                }
            }
            "go" if texts.first().is_some_and(|t| matches!(t.as_str(), "run" | "build")) => {
                self.compiled(&texts, state);
            }
            "apt" | "apt-get" => {
                for code in texts.iter().filter_map(|t| t.split_once("Invoke::=").map(|(_, code)| code)) {
                    self.run_slot("apt", code, state);
                }
            }
            "cargo" if texts.first().is_some_and(|t| t == "watch") => {
                for code in option_values(args, &["-s", "--shell"]) {
                    self.run_slot("watcher", &code, state);
                }
            }
            "watchexec" | "entr" | "chokidar" | "concurrently" | "foreman" | "onchange" => {
                for text in texts.iter().filter(|text| text.contains(' ')) {
                    self.run_slot("watcher", text, state);
                }
            }
            _ => {}
        }
    }

    /// A program that this very command wrote, and now compiles: its texts are looked at as those of any language.
    fn compiled(&mut self, texts: &[String], state: &mut State) {
        let files: Vec<_> =
            texts.iter().filter_map(|text| state.files.get(&state.absolute(text)).cloned()).collect();
        let stdin = texts.iter().any(|text| text == "-").then(|| state.piped());
        for code in files.into_iter().chain(stdin) {
            self.inline("generic", &code, state);
        }
    }

    /// Tests that this very command wrote, and now runs.
    fn written_tests(&mut self, language: &'static str, ending: &str, state: &mut State) {
        let is_code = |path: &str| path.ends_with(ending) && !path.starts_with("/dev/");
        let files: Vec<_> =
            state.files.iter().filter(|(path, _)| is_code(path)).map(|(_, text)| text.clone()).collect();
        for code in files {
            self.inline(language, &code, state);
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

    /// `cmake -E rm …` is a file tool, `cmake -P` runs a script.
    fn cmake(&mut self, texts: &[String], state: &mut State) {
        if texts.first().is_some_and(|text| text == "-E") {
            let program = match texts.get(1).map_or("", String::as_str) {
                "rm" | "remove" | "remove_directory" => "rm",
                "copy" | "copy_directory" | "copy_if_different" => "cp",
                "rename" => "mv",
                program @ ("env" | "time" | "touch") => program,
                _ => return,
            };
            let tree = (texts[1] == "remove_directory").then_some("-rf");
            let words = [program].into_iter().chain(tree).chain(texts[2..].iter().map(String::as_str));
            let inner = words.map(Arg::new).collect();
            self.wrapped("cmake", |reader| reader.dispatch_program(inner, &mut state.clone()));
        }
    }

    pub(crate) fn option_slots(&mut self, name: &str, args: &[Arg], state: &State) {
        for (programs, options) in OPTIONS {
            if programs.contains(&name) {
                for code in option_values(args, options) {
                    self.run_slot("option", &code, state);
                }
            }
        }
    }

    /// Code that another program runs. That it may be no shell's is no reason for doubt.
    pub(crate) fn run_slot(&mut self, label: &'static str, code: &str, state: &State) {
        if code.trim().is_empty() {
            return;
        }
        let before = self.reading.doubts.len();
        self.wrapped(label, |reader| reader.run_text(code, label, &mut state.clone()));
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
    fn editor(&mut self, args: &[Arg], state: &mut State) {
        for arg in args {
            let command = arg.text.strip_prefix('+').unwrap_or(&arg.text);
            if let Some((_, code)) = command.split_once('!') {
                let code = code.trim_end_matches('"').to_owned();
                self.run_slot("vim", &code, state);
            }
            if command.contains('(') || command.contains("source http") {
                self.inline("generic", command, state);
            }
        }
        // A script for it is a script all the same.
        for file in option_values(args, &["-S", "-s", "-u", "--script", "-l", "--load"]) {
            if let Some(text) = self.script_text(&file, state) {
                if crate::reader::is_only_holes(&text) {
                    self.unseen("vim", &text);
                }
                self.bang_lines("vim", &text, state);
            }
        }
        let stdin = state.piped();
        self.bang_lines("vim", &stdin, state);
    }

    /// `!command` lines of an editor's script.
    pub(crate) fn bang_lines(&mut self, label: &'static str, text: &str, state: &mut State) {
        for line in text.lines() {
            if let Some(code) = line.trim_start().trim_start_matches(':').strip_prefix('!') {
                self.run_slot(label, code, state);
            }
        }
    }
}

/// Whether some program runs the value of a variable.
fn is_code(name: &str) -> bool {
    CODE_VARIABLES.contains(&name) || variable(name) == Some(Role::Shell)
}

pub(crate) fn is_dangerous(program: &str) -> bool {
    DANGEROUS.contains(&program)
}

/// The values of `options`, wherever they stand: the next word, after `=`, or right behind a short one.
pub(crate) fn option_values(args: &[Arg], options: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        for option in options {
            if arg.text == *option {
                found.extend(args.get(index + 1).map(|a| a.text.clone()));
            } else if let Some(rest) = arg.text.strip_prefix(option) {
                match rest.strip_prefix('=') {
                    Some(value) => found.push(value.to_owned()),
                    None if option.len() == 2 => found.push(rest.to_owned()),
                    None => {}
                }
            }
        }
    }
    found
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
