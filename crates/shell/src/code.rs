//! Programs that run text: shells and interpreters. Arguments and variables of other programs that are code are in `slot`.

use std::borrow::Cow;

use crate::programs::decode::program;
use crate::reader::Reader;
use crate::reader::follow::Starter;
use crate::reading::Arg;
use crate::sql::Act;
use crate::state::State;
use crate::text::{ANY, is_known};

impl Reader<'_> {
    /// The output of something that runs text; `None` when `name` does not.
    pub(crate) fn run_code(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        // The shell that runs this very script, by another name.
        if argv[0].text.starts_with("/proc/") && name == "exe" {
            let argv: Vec<Arg> = std::iter::once(Arg::new("sh")).chain(argv[1..].iter().cloned()).collect();
            return self.follow(&argv, state);
        }
        if matches!(name, "pwsh" | "powershell" | "powershell.exe" | "pwsh.exe") {
            return Some(self.powershell(argv, state));
        }
        if matches!(name, "cmd" | "cmd.exe") {
            return Some(self.cmd(argv, state));
        }
        // A program by its path: a script of this project, or one that was just written; by its name where `PATH` leads to it.
        let by_name = !argv[0].text.contains('/')
            && state.variables.contains_key("PATH")
            && state.files.contains_key(&state.absolute(&argv[0].text));
        let file = installed(&argv[0].text, state).map_or(Cow::Borrowed(argv[0].text.as_str()), Cow::Owned);
        if (file.contains('/') || by_name)
            && is_known(&file)
            && let Some(text) = self.script_text(&file, state)
            && (text.starts_with("#!") || looks_like_text(&text))
        {
            self.record(argv.to_vec(), state);
            return Some(self.script_file(&file, &text, argv, state));
        }
        if self.from_network && argv[0].text.contains('/') && !crate::path::is_program(&argv[0].text) {
            self.unseen("sh", &crate::text::NET.to_string());
        }
        self.code_slots(name, argv, state);
        None
    }

    /// Runs a script file by its first line.
    pub(crate) fn script_file(&mut self, file: &str, text: &str, argv: &[Arg], state: &mut State) -> String {
        let language = shebang(text.lines().next().unwrap_or_default());
        let (file, text) = (file.to_owned(), text.to_owned());
        let path = state.absolute(&file);
        if self.running.contains(&path) {
            // It starts itself; beside itself, that never ends.
            self.reading.fork_bomb |= self.forked();
            return String::new();
        }
        self.running.push(path);
        let label = self.script_name(&file, state);
        let positional = argv.iter().map(|arg| arg.text.clone()).collect();
        let output = self.in_script(label, |reader| match language {
            Some(language) => reader.inline(language, &text, state),
            None => {
                let mut inner = state.clone();
                inner.positional.set(positional);
                inner.other_positional.clear();
                let output = reader.run_text(&text, "sh", &mut inner);
                state.left_by(inner);
                output
            }
        });
        self.running.pop();
        output.unwrap_or_default()
    }

    /// The text behind `-c`, with the words after it.
    pub(crate) fn shell_code(
        &mut self,
        label: &'static str,
        code: &str,
        given: &[Arg],
        state: &mut State,
    ) -> String {
        let positional: Vec<String> = given.iter().map(|arg| arg.text.clone()).collect();
        let mut inner = state.clone();
        inner.other_positional.clear();
        inner.positional.set(if positional.is_empty() { vec![label.to_owned()] } else { positional });
        let output = self
            .inheriting(&mut inner, |reader, inner| {
                reader.wrapped(label, |reader| reader.run_text(code, label, inner))
            })
            .unwrap_or_default();
        state.left_by(inner);
        output
    }

    /// A script for a shell, with its arguments.
    pub(crate) fn shell_file(&mut self, label: &'static str, words: &[Arg], state: &mut State) -> String {
        let Some(file) = words.first() else { return String::new() };
        if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
            return self.shell_stdin(label, state);
        }
        match self.script_text(&file.text, state) {
            Some(text) => {
                if crate::reader::is_only_holes(&text) {
                    self.unseen(label, &text);
                }
                self.wrapped(label, |reader| reader.script_file(&file.text, &text, words, state))
                    .unwrap_or_default()
            }
            // Not there to be read. What it is made of counts: a name from the network is code from it.
            None => {
                if !is_known(&file.text) {
                    self.unseen(label, &file.text);
                } else if self.from_network {
                    self.unseen(label, &crate::text::NET.to_string());
                } else if self.will_be_there(&file.text, state) {
                    self.not_read();
                }
                ANY.to_string()
            }
        }
    }

    pub(crate) fn shell_stdin(&mut self, label: &'static str, state: &mut State) -> String {
        // Somebody else types, or sends, what it runs.
        let Some(code) = state.stdin.clone() else { return crate::text::SHELL.to_string() };
        let mut inner = state.clone();
        inner.stdin = None;
        let mut output = self
            .inheriting(&mut inner, |reader, inner| {
                reader.wrapped(label, |reader| reader.run_text(&code, label, inner))
            })
            .unwrap_or_default();
        state.left_by(inner);
        if crate::reader::is_only_holes(&code) {
            output.push(crate::text::SHELL);
        }
        output
    }

    /// Code in the language of a program: from its line, or from its input.
    pub(crate) fn code(
        &mut self,
        by: Starter<'_>,
        code: &str,
        given: &[Arg],
        state: &mut State,
    ) -> Option<String> {
        if crate::reader::is_only_holes(code)
            && !matches!(by.entry.language, "jq" | "sql" | "lines" | "bang" | "commands" | "transfers")
        {
            self.unseen(by.label, code);
            return Some(ANY.to_string());
        }
        match by.entry.language {
            "awk" => {
                self.awk(by, code, state);
                None
            }
            "sed" => {
                self.sed(code, state);
                None
            }
            // What a key does: `start:execute(cmd)`.
            "fzf" => {
                let verbs = ["execute(", "execute-silent(", "become(", "reload("];
                for command in verbs.iter().filter_map(|verb| Some(code.split_once(verb)?.1)) {
                    self.run_slot("fzf", command.trim_end_matches(')'), state);
                }
                None
            }
            "bang" => {
                self.touched(by.label, code, state);
                self.bang_lines(code, state);
                None
            }
            "crontab" => {
                self.timetable(by, code, state);
                None
            }
            "ansible" => {
                self.playbook(by, code, state);
                None
            }
            "commands" => {
                self.commands(by, code, state);
                None
            }
            "cmake" => {
                for command in code.split("COMMAND ").skip(1) {
                    self.run_slot("cmake", command.split([')', '\n']).next().unwrap_or_default(), state);
                }
                None
            }
            "transfers" => {
                self.bang_lines(&code.replace(';', "\n"), state);
                None
            }
            // It only asks, and may load what it names; or its words are read with the call's own.
            "jq" => {
                self.touched(by.label, code, state);
                None
            }
            "lines" => None,
            language if crate::inline::escapes::has(language) => {
                self.touched(by.label, code, state);
                for command in crate::inline::escapes::commands(language, code) {
                    self.run_slot(by.label, &command, state);
                }
                None
            }
            "sql" => {
                self.statements(code, state);
                None
            }
            // The tasks of a package are one thing, its code another.
            "npm" => self.wrapped(by.label, |reader| reader.inline("javascript", code, state)),
            language => {
                // Modules named on the command line say what the code has at hand.
                let modules: Vec<&str> = ["M", "m", "r"].iter().flat_map(|name| by.values(name)).collect();
                let noted = matches!(language, "perl" | "ruby") && !modules.is_empty();
                let mut code =
                    if noted { format!("{code}\n# {}", modules.join(" ")) } else { code.to_owned() };
                // What the expression comes to is printed.
                if language == "javascript"
                    && (by.words.has("print") || by.words.has("-pe"))
                    && !code.contains([';', '\n'])
                {
                    code = format!("console.log({code})");
                }
                let given: Vec<&str> =
                    given.iter().map(|arg| arg.text.as_str()).filter(|text| *text != "--").collect();
                let stdin = state.stdin.clone();
                let code = crate::inline::with_input(language, &code, &given, stdin.as_deref());
                self.wrapped(by.label, |reader| reader.inline(language, &code, state))
            }
        }
    }

    /// A file with code in the language of a program.
    pub(crate) fn script(&mut self, by: Starter<'_>, file: &[Arg], state: &mut State) -> Option<String> {
        let path = &file.first()?.text;
        if matches!(path.as_str(), "-" | "/dev/stdin") {
            let code = state.stdin.clone()?;
            return self.code(by, &code, file.get(1..).unwrap_or_default(), state);
        }
        if is_address(path) {
            self.unseen(by.label, &crate::text::NET.to_string());
            return Some(ANY.to_string());
        }
        // `php artisan …`, `python manage.py …`: the script is the program that counts. So is that of a package by its folder.
        let named = crate::programs::find(crate::path::name(path)).map(|_| crate::path::name(path));
        let printed = named.or_else(|| of_package(path)).and_then(|name| {
            let mut words = file.to_vec();
            if name != crate::path::name(path) {
                words[0] = Arg::new(name);
            }
            self.wrapped(by.label, |reader| {
                reader.follow(&words, state).unwrap_or_else(|| {
                    let at = reader.reading.calls.len();
                    reader.record(words.clone(), state);
                    reader.simulate(program(name), &words, Some(at), state)
                })
            })
        });
        let script = self.script_text(path, state).or_else(|| match by.entry.language {
            // Found by its name alone, as the language does it.
            "javascript" => module_files(path).find_map(|file| self.script_text(&file, state)),
            _ => None,
        });
        match script {
            Some(text)
                if crate::reader::is_only_holes(&text)
                    && !matches!(by.entry.language, "sql" | "transfers") =>
            {
                self.unseen(by.label, &text);
            }
            Some(text) if is_little(by.entry.language) => {
                self.code(by, &text, &[], state);
                return None;
            }
            Some(text) => {
                let name = self.script_name(path, state);
                let language = if by.entry.language == "npm" { "javascript" } else { by.entry.language };
                self.in_script(name, |reader| reader.inline(language, &text, state));
            }
            None if !is_known(path) => self.unseen(by.label, path),
            None if self.from_network => self.unseen(by.label, &crate::text::NET.to_string()),
            None if self.will_be_there(path, state) => self.not_read(),
            // No file, and it has the looks of code: an option before it is not what it was taken for.
            None if path.contains('(') && path.contains(')') => return self.code(by, path, &[], state),
            None => {}
        }
        (!is_little(by.entry.language)).then(|| printed.unwrap_or_else(|| ANY.to_string()))
    }

    /// Commands for a shell, and files, that statements of a database name.
    fn statements(&mut self, text: &str, state: &mut State) {
        for act in crate::sql::acts(text) {
            match act {
                Act::Runs(code) => self.run_slot("sql", &code, state),
                Act::Writes(file) => self.note_written("sql", &file, "", state),
                _ => {}
            }
        }
    }

    /// What is assigned on the line is known to the program, and so is what it reads.
    fn awk(&mut self, by: Starter<'_>, program: &str, state: &mut State) {
        let assigned = by.values("assign").filter_map(|text| text.split_once('='));
        let assigned: String =
            assigned.map(|(name, value)| format!("{name} = {}\n", crate::inline::literal(value))).collect();
        let stdin = state.stdin.clone();
        let program = crate::inline::with_input("awk", program, &[], stdin.as_deref());
        let mut program = program.into_owned();
        for (name, value) in &self.vars {
            program = program.replace(&format!("ENVIRON[\"{name}\"]"), &crate::inline::literal(value));
        }
        program = program.replace("ENVIRON[\"HOME\"]", "\"~\"");
        self.inline("awk", &format!("{assigned}{program}"), state);
    }
}

/// Files that a script's name may stand for: `node x` runs `x.js`, and `node .` what lies there under the usual name.
fn module_files(path: &str) -> impl Iterator<Item = String> + use<> {
    let path = path.trim_end_matches('/').to_owned();
    [".js", ".cjs", ".mjs", ".json", "/index.js", "/index.cjs"]
        .into_iter()
        .map(move |end| format!("{path}{end}"))
}

/// The program that a file of a package is, where it is known by the package's name: `node_modules/@x/eslint/bin/run.js`.
fn of_package(path: &str) -> Option<&'static str> {
    let (_, rest) = path.rsplit_once("node_modules/")?;
    let mut parts = rest.split('/');
    let first = parts.next()?;
    let name = if first.starts_with('@') { parts.next()? } else { first };
    // The file itself, and not the folder.
    parts.next()?;
    crate::programs::find(name).map(crate::programs::Program::name)
}

/// Languages of one program, whose scripts are read like the code on its line.
fn is_little(language: &str) -> bool {
    matches!(language, "awk" | "sed" | "jq" | "cmake" | "sql" | "bang" | "crontab" | "ansible" | "transfers")
        || crate::inline::escapes::has(language)
}

/// Something that is fetched, and then run.
pub(crate) fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://", "git+", "github:", "gist:", "javascript:", "vbscript:"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

/// The language of a script by its first line; `None` for a shell's.
fn shebang(line: &str) -> Option<&'static str> {
    let words = line.strip_prefix("#!")?.split_whitespace();
    let mut programs = words
        .filter(|word| !word.starts_with('-'))
        .filter_map(|word| crate::programs::find(crate::path::name(word)));
    programs
        .find(|program| !program.language.is_empty())
        .map(|program| program.language)
        .filter(|language| *language != "sh")
}

/// Whether a file is a script of JavaScript or TypeScript by its name.
pub(crate) fn is_javascript(file: &str) -> bool {
    [".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"].iter().any(|ending| file.ends_with(ending))
}

pub(crate) fn is_shell(program: &str) -> bool {
    crate::programs::find(program).is_some_and(|program| program.style.plus)
}

/// A program that this command has put where shells look for programs, by its bare name.
fn installed(name: &str, state: &State) -> Option<String> {
    if name.contains('/') {
        return None;
    }
    let on_path = |path: &&String| {
        let folder = path.strip_suffix(name).and_then(|rest| rest.strip_suffix('/'));
        folder.is_some_and(|folder| folder.ends_with("/bin") || folder.ends_with("/sbin"))
    };
    state.files.keys().find(on_path).cloned()
}

fn looks_like_text(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('\u{7f}')
        && !text.chars().take(512).any(|c| c == '\0' || c == char::REPLACEMENT_CHARACTER)
}
