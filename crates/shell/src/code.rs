//! Programs that run text: shells, interpreters, and the arguments and variables of other programs that are code.

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, is_known};
use crate::wrapper::option_value;

const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "yash", "fish", "rbash", "hush", "csh",
    "tcsh", "pwsh", "posh",
];

/// Variables whose value some program runs.
const CODE_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "BROWSER",
    "EDITOR",
    "ENV",
    "FCEDIT",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "PS4",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "VISUAL",
];

/// An interpreter and its options for code.
struct Interpreter {
    names: &'static [&'static str],
    code: &'static [&'static str],
    /// The language that `inline` reads.
    language: &'static str,
    /// Options that make it filter its input instead of running it.
    filters: &'static [&'static str],
}

static INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["python", "python2", "python3", "pypy", "pypy3", "ipython"],
        code: &["-c"],
        language: "python",
        filters: &["-m"],
    },
    Interpreter { names: &["perl"], code: &["-e", "-E"], language: "perl", filters: &[] },
    Interpreter { names: &["ruby", "irb"], code: &["-e"], language: "ruby", filters: &[] },
    Interpreter {
        names: &["node", "nodejs", "bun", "deno", "ts-node", "tsx"],
        code: &["-e", "--eval", "-p", "--print", "-pe"],
        language: "javascript",
        filters: &[],
    },
    Interpreter { names: &["php"], code: &["-r"], language: "php", filters: &[] },
    Interpreter { names: &["lua", "luajit"], code: &["-e"], language: "lua", filters: &[] },
    Interpreter { names: &["R", "Rscript"], code: &["-e"], language: "r", filters: &[] },
    Interpreter { names: &["osascript"], code: &["-e"], language: "osascript", filters: &[] },
    Interpreter { names: &["tclsh", "wish", "expect"], code: &["-c"], language: "tcl", filters: &[] },
];

impl Reader<'_> {
    /// The output of something that runs text; `None` when `name` does not.
    pub(crate) fn run_code(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if SHELLS.contains(&name) || argv[0].text == "/proc/self/exe" {
            return Some(self.shell(name, argv, state));
        }
        if let Some(interpreter) =
            INTERPRETERS.iter().find(|i| i.names.contains(&name) || i.names.contains(&bare))
        {
            // `bun install` and its like are package management.
            if matches!(name, "bun" | "deno") && option_value(&argv[1..], interpreter.code).is_none() {
                return None;
            }
            return Some(self.interpreter(interpreter, argv, state));
        }
        if let Some(output) = self.task_runner(name, argv, state) {
            return Some(output);
        }
        // A program by its path: a script of this project, or one that was just written.
        if argv[0].text.contains('/')
            && is_known(&argv[0].text)
            && let Some(text) = self.script_text(&argv[0].text, state)
            && (text.starts_with("#!") || looks_like_text(&text))
        {
            self.record(argv.to_vec(), state);
            return Some(self.script_file(&argv[0].text, &text, argv, state));
        }
        self.code_slots(name, argv, state);
        None
    }

    /// Runs a script file by its first line.
    pub(crate) fn script_file(&mut self, file: &str, text: &str, argv: &[Arg], state: &mut State) -> String {
        let first = text.lines().next().unwrap_or_default();
        let interpreter = INTERPRETERS
            .iter()
            .find(|i| first.starts_with("#!") && i.names.iter().any(|n| first.contains(n)));
        let (file, text) = (file.to_owned(), text.to_owned());
        let positional = argv.iter().map(|arg| arg.text.clone()).collect();
        self.in_script(&file, |reader| match interpreter {
            Some(interpreter) => reader.inline(interpreter.language, &text, state),
            None => {
                let mut inner = state.clone();
                inner.positional = positional;
                let output = reader.run_text(&text, "sh", &mut inner);
                state.files = inner.files;
                output
            }
        })
        .unwrap_or_default()
    }

    fn shell(&mut self, name: &str, argv: &[Arg], state: &mut State) -> String {
        let args = &argv[1..];
        self.record(argv.to_vec(), state);
        let mut at = 0;
        let mut code = None;
        let mut reads_stdin = false;
        while let Some(arg) = args.get(at) {
            let text = arg.text.as_str();
            match text {
                "-o" | "+o" | "-O" | "+O" => at += 1,
                "--rcfile" | "--init-file" => {
                    at += 1;
                    let file = args.get(at).map(|a| a.text.clone()).unwrap_or_default();
                    if let Some(text) = self.script_text(&file, state) {
                        self.run_text(&text, name, state);
                    }
                }
                "--" | "-" => {
                    at += 1;
                    break;
                }
                "--version" | "--help" => return String::new(),
                _ if text.starts_with("--") => {}
                _ if text.starts_with('-') || text.starts_with('+') => {
                    // `-n` only checks the syntax.
                    if text.starts_with('-') && text.contains('n') && !text.contains('c') {
                        return String::new();
                    }
                    reads_stdin |= text.contains('s');
                    if text.contains('c') && text.starts_with('-') {
                        code = Some(());
                    }
                }
                _ => break,
            }
            at += 1;
        }
        let operands = args.get(at..).unwrap_or_default();
        let label = SHELLS.iter().find(|shell| **shell == name).copied().unwrap_or("sh");
        if code.is_some() {
            let Some(code) = operands.first() else { return String::new() };
            let positional: Vec<String> = operands[1..].iter().map(|a| a.text.clone()).collect();
            let mut inner = state.clone();
            inner.positional = if positional.is_empty() { vec![name.to_owned()] } else { positional };
            let text = code.text.clone();
            let output =
                self.wrapped(label, |reader| reader.run_text(&text, label, &mut inner)).unwrap_or_default();
            state.files = inner.files;
            return output;
        }
        if let Some(file) = operands.first().filter(|_| !reads_stdin) {
            if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
                return self.shell_stdin(label, state);
            }
            return match self.script_text(&file.text, state) {
                Some(text) => {
                    let (file, rest) = (file.text.clone(), operands.to_vec());
                    self.wrapped(label, |reader| reader.script_file(&file, &text, &rest, state))
                        .unwrap_or_default()
                }
                // Not there to be read. What it is made of counts: a name from the network is code from it.
                None => {
                    if !is_known(&file.text) {
                        let text = file.text.clone();
                        self.unseen(label, &text);
                    }
                    ANY.to_string()
                }
            };
        }
        self.shell_stdin(label, state)
    }

    fn shell_stdin(&mut self, label: &'static str, state: &mut State) -> String {
        let Some(code) = state.stdin.clone() else { return String::new() };
        let mut inner = state.clone();
        inner.stdin = None;
        let output =
            self.wrapped(label, |reader| reader.run_text(&code, label, &mut inner)).unwrap_or_default();
        state.files = inner.files;
        output
    }

    fn interpreter(&mut self, interpreter: &'static Interpreter, argv: &[Arg], state: &mut State) -> String {
        let args = &argv[1..];
        self.record(argv.to_vec(), state);
        let label = interpreter.names[0];
        if let Some(code) = option_value(args, interpreter.code) {
            if crate::reader::is_only_holes(&code) {
                self.unseen(label, &code);
                return ANY.to_string();
            }
            return self
                .wrapped(label, |reader| reader.inline(interpreter.language, &code, state))
                .unwrap_or_default();
        }
        if args.iter().any(|arg| interpreter.filters.contains(&arg.text.as_str())) {
            return crate::text::holes(state.stdin.as_deref().unwrap_or_default()) + &ANY.to_string();
        }
        if args.iter().any(|arg| matches!(arg.text.as_str(), "--version" | "-V" | "--help" | "-h" | "-v")) {
            return String::new();
        }
        let file = args.iter().find(|arg| !arg.text.starts_with('-') || arg.text == "-");
        match file {
            Some(file) if !matches!(file.text.as_str(), "-" | "/dev/stdin") => {
                if let Some(text) = self.script_text(&file.text, state) {
                    if crate::reader::is_only_holes(&text) {
                        self.unseen(label, &text);
                        return ANY.to_string();
                    }
                    let file = file.text.clone();
                    self.in_script(&file, |reader| reader.inline(interpreter.language, &text, state));
                } else if !is_known(&file.text) {
                    let text = file.text.clone();
                    self.unseen(label, &text);
                }
                ANY.to_string()
            }
            _ => match state.stdin.clone() {
                Some(code) if crate::reader::is_only_holes(&code) => {
                    self.unseen(label, &code);
                    ANY.to_string()
                }
                Some(code) => self
                    .wrapped(label, |reader| reader.inline(interpreter.language, &code, state))
                    .unwrap_or_default(),
                None => String::new(),
            },
        }
    }

    /// A variable that some program runs as a command.
    pub(crate) fn code_variable(&mut self, name: &str, value: &str, state: &mut State) {
        if CODE_VARIABLES.contains(&name) && !value.is_empty() && is_known(value) && !value.starts_with('$') {
            let saved = self.vars.len();
            let code = value.to_owned();
            self.wrapped("variable", |reader| reader.run_text(&code, "variable", &mut state.clone()));
            self.vars.truncate(saved);
        }
    }

    /// Arguments of ordinary programs that are commands.
    fn code_slots(&mut self, name: &str, argv: &[Arg], state: &mut State) {
        let args = &argv[1..];
        let texts: Vec<String> = args.iter().map(|a| a.text.clone()).collect();
        match name {
            "awk" | "gawk" | "mawk" | "nawk" => {
                let program = texts.iter().find(|t| !t.starts_with('-')).cloned().unwrap_or_default();
                self.inline("awk", &program, state);
            }
            "sed" | "gsed" => {
                for text in &texts {
                    // The `e` command and flag run a shell.
                    if let Some(code) = sed_command(text) {
                        self.run_slot("sed", &code, state);
                    }
                }
            }
            "git" => self.git_slots(&texts, state),
            "tar" | "gtar" | "bsdtar" => {
                for text in &texts {
                    for prefix in [
                        "--checkpoint-action=exec=",
                        "--to-command=",
                        "--use-compress-program=",
                        "--rsh-command=",
                        "-I",
                    ] {
                        if let Some(code) = text.strip_prefix(prefix).filter(|code| !code.is_empty()) {
                            let code = code.to_owned();
                            self.run_slot("tar", &code, state);
                        }
                    }
                }
            }
            "vim" | "vi" | "nvim" | "ex" | "view" | "emacs" => {
                for text in &texts {
                    let command = text.strip_prefix('+').unwrap_or(text);
                    if let Some((_, code)) = command.split_once('!') {
                        let code = code.trim_end_matches('"').to_owned();
                        self.run_slot("vim", &code, state);
                    }
                    if let Some(code) =
                        command.split("shell-command \"").nth(1).and_then(|c| c.split('"').next())
                    {
                        let code = code.to_owned();
                        self.run_slot("emacs", &code, state);
                    }
                }
                let stdin = state.stdin.clone().unwrap_or_default();
                self.bang_lines("vim", &stdin, state);
            }
            "ed" | "bc" | "ftp" | "sftp" | "mysql" | "mail" | "gdb" | "lldb" => {
                let stdin = state.stdin.clone().unwrap_or_default();
                self.bang_lines("ed", &stdin, state);
                for pair in texts.windows(2).filter(|pair| {
                    matches!(pair[0].as_str(), "-ex" | "-o" | "--eval-command" | "-eval-command")
                }) {
                    let code = pair[1].trim_start_matches("shell").trim_start_matches('!').trim().to_owned();
                    if pair[1].starts_with("shell") || pair[1].starts_with('!') {
                        self.run_slot("gdb", &code, state);
                    }
                    self.inline("python", &pair[1].clone(), state);
                }
            }
            "psql" | "sqlite3" | "sqlite" => {
                let stdin = state.stdin.clone().unwrap_or_default();
                for text in texts.iter().chain([&stdin]) {
                    for line in text.lines() {
                        let line = line.trim();
                        if let Some(code) = line
                            .strip_prefix("\\!")
                            .or(line.strip_prefix(".shell "))
                            .or(line.strip_prefix(".system "))
                        {
                            let code = code.trim().to_owned();
                            self.run_slot("psql", &code, state);
                        }
                    }
                }
            }
            "crontab" => {
                let stdin = state.stdin.clone().unwrap_or_default();
                for line in stdin.lines() {
                    let code: String = line.split_whitespace().skip(5).collect::<Vec<_>>().join(" ");
                    self.run_slot("crontab", &code, state);
                }
            }
            "rsync" | "scp" | "sftp-server" => {
                if let Some(code) = option_value(args, &["-e", "--rsh", "-S"]) {
                    self.run_slot("rsync", &code, state);
                }
            }
            "man" | "less" | "zip" | "ssh-keygen" | "nmap" | "split" | "sort" => {
                if let Some(code) = option_value(
                    args,
                    &["-P", "--pager", "-TT", "--unzip-command", "--filter", "--compress-program"],
                ) {
                    self.run_slot("option", &code, state);
                }
            }
            "make" | "gmake" => {}
            "nodemon" | "watchexec" | "entr" | "chokidar" | "concurrently" | "foreman" | "onchange" => {
                for text in &texts {
                    if text.contains(' ') {
                        self.run_slot("watcher", &text.clone(), state);
                    }
                }
            }
            _ => {}
        }
    }

    fn run_slot(&mut self, label: &'static str, code: &str, state: &mut State) {
        if !code.trim().is_empty() {
            self.wrapped(label, |reader| reader.run_text(code, label, &mut state.clone()));
        }
    }

    /// `!command` lines of an editor's script.
    fn bang_lines(&mut self, label: &'static str, text: &str, state: &mut State) {
        for line in text.lines() {
            if let Some(code) = line.trim_start().trim_start_matches(':').strip_prefix('!') {
                let code = code.to_owned();
                self.run_slot(label, &code, state);
            }
        }
    }

    /// What git runs: aliases given on the line, configured commands, `rebase -x`, `bisect run`, `submodule foreach`.
    fn git_slots(&mut self, texts: &[String], state: &mut State) {
        let mut aliases: Vec<(String, String)> = Vec::new();
        let mut at = 0;
        while at < texts.len() && texts[at].starts_with('-') {
            match texts[at].as_str() {
                "-c" | "--config-env" => {
                    at += 1;
                    if let Some((key, value)) = texts.get(at).and_then(|t| t.split_once('=')) {
                        let key = key.to_ascii_lowercase();
                        if let Some(alias) = key.strip_prefix("alias.") {
                            aliases.push((alias.to_owned(), value.to_owned()));
                        } else if is_git_command_key(&key) && value != "cat" {
                            let code = value.trim_start_matches('!').to_owned();
                            self.run_slot("git", &code, state);
                        }
                    }
                }
                "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix" => {
                    at += 1;
                }
                _ => {}
            }
            at += 1;
        }
        let rest = texts.get(at..).unwrap_or_default();
        let Some(verb) = rest.first() else { return };
        if let Some((_, code)) = aliases.iter().find(|(name, _)| name == verb) {
            let tail = crate::join(rest[1..].iter().map(String::as_str));
            let code = match code.strip_prefix('!') {
                Some(shell) => format!("{shell} {tail}"),
                None => format!("git {code} {tail}"),
            };
            self.run_slot("git", &code, state);
            return;
        }
        let args: Vec<Arg> = rest[1..].iter().map(Arg::new).collect();
        match verb.as_str() {
            "rebase" => {
                if let Some(code) = option_value(&args, &["-x", "--exec"]) {
                    self.run_slot("git", &code, state);
                }
            }
            "bisect" if rest.get(1).is_some_and(|t| t == "run") => {
                let inner: Vec<Arg> = rest[2..].iter().map(Arg::new).collect();
                self.wrapped("git", |reader| reader.dispatch(inner, &mut state.clone()));
            }
            "submodule" => {
                if let Some(at) = rest.iter().position(|t| t == "foreach") {
                    let words: Vec<String> = rest[at + 1..]
                        .iter()
                        .filter(|t| *t != "--recursive" && *t != "-q")
                        .cloned()
                        .collect();
                    self.run_slot("git", &words.join(" "), state);
                }
            }
            "filter-branch" => {
                for pair in rest.windows(2).filter(|pair| pair[0].ends_with("-filter")) {
                    let code = pair[1].clone();
                    self.run_slot("git", &code, state);
                }
            }
            "config" => {
                // Set now, run later.
                let values: Vec<&String> = rest[1..].iter().filter(|t| !t.starts_with('-')).collect();
                if let [key, value] = values.as_slice()
                    && (is_git_command_key(&key.to_ascii_lowercase()) || key.starts_with("alias."))
                    && let Some(code) =
                        value.strip_prefix('!').or((!key.starts_with("alias.")).then_some(value.as_str()))
                {
                    let code = code.to_owned();
                    self.run_slot("git", &code, state);
                }
            }
            _ => {}
        }
    }

    /// An unknown program whose last words are a command by themselves is judged by them: it may be a wrapper.
    pub(crate) fn tail(&mut self, name: &str, argv: &[Arg], state: &mut State) {
        const DANGEROUS: &[&str] = &[
            "rm",
            "dd",
            "mkfs",
            "shred",
            "shutdown",
            "reboot",
            "halt",
            "poweroff",
            "git",
            "chmod",
            "chown",
            "bash",
            "sh",
            "zsh",
            "dash",
            "sudo",
            "wipefs",
            "truncate",
            "find",
            "kill",
            "mkfs.ext4",
            "eval",
        ];
        if crate::simulate::is_known_program(name) {
            return;
        }
        for (index, arg) in argv.iter().enumerate().skip(1).take(8) {
            let base = crate::path::name(&arg.text);
            if DANGEROUS.contains(&base) && index + 1 < argv.len() {
                let inner = argv[index..].to_vec();
                self.wrapped("unknown", |reader| reader.dispatch(inner, &mut state.clone()));
                return;
            }
        }
    }
}

fn is_git_command_key(key: &str) -> bool {
    matches!(
        key,
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.hookspath"
            | "core.askpass"
            | "sequence.editor"
            | "diff.external"
            | "core.gitproxy"
            | "gpg.program"
    ) || key.starts_with("pager.")
        || (key.starts_with("filter.")
            && (key.ends_with(".clean") || key.ends_with(".smudge") || key.ends_with(".process")))
        || (key.starts_with("diff.") && (key.ends_with(".command") || key.ends_with(".textconv")))
        || (key.starts_with("merge.") && key.ends_with(".driver"))
        || (key.starts_with("difftool.") || key.starts_with("mergetool.")) && key.ends_with(".cmd")
        || key.starts_with("credential") && key.ends_with("helper")
}

/// The shell command in a sed script: `1e cmd`, `s/x/cmd/e`.
fn sed_command(script: &str) -> Option<String> {
    let trimmed = script.trim();
    let after = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | ' '));
    if let Some(code) = after.strip_prefix("e ") {
        return Some(code.to_owned());
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

fn looks_like_text(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('\u{7f}')
        && !text.chars().take(512).any(|c| c == '\0' || c == char::REPLACEMENT_CHARACTER)
}
