//! Programs that run text: shells and interpreters. Arguments and variables of other programs that are code are in `slot`.

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, is_known};
use crate::wrapper::option_value;

const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "yash", "fish", "rbash", "hush", "csh",
    "tcsh", "posh", "nu", "xonsh", "elvish", "osh",
];

/// An interpreter and its options for code.
struct Interpreter {
    names: &'static [&'static str],
    code: &'static [&'static str],
    /// The language that `inline` reads.
    language: &'static str,
    /// Options that make it filter its input, or only look at how it is written, instead of running it.
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
    Interpreter { names: &["ruby", "irb"], code: &["-e"], language: "ruby", filters: &["-c"] },
    Interpreter {
        names: &["node", "nodejs", "bun", "deno", "ts-node", "tsx", "zx"],
        code: &["-e", "--eval", "-p", "--print", "-pe", "eval"],
        language: "javascript",
        filters: &["--check", "-c"],
    },
    Interpreter { names: &["php"], code: &["-r", "-B", "-R", "-E"], language: "php", filters: &["-l"] },
    Interpreter { names: &["lua", "luajit"], code: &["-e"], language: "lua", filters: &[] },
    Interpreter { names: &["R", "Rscript"], code: &["-e"], language: "r", filters: &[] },
    Interpreter { names: &["osascript"], code: &["-e"], language: "osascript", filters: &[] },
    Interpreter { names: &["tclsh", "wish", "expect"], code: &["-c"], language: "tcl", filters: &[] },
    // Languages of which only the commands in them are looked for.
    Interpreter {
        names: &[
            "bb", "clj", "clojure", "crystal", "elixir", "erl", "fsharpi", "ghc", "groovy", "guile", "iex",
            "janet", "jshell", "julia", "kotlin", "nim", "ocaml", "octave", "racket", "raku", "runghc",
            "sbcl", "scala", "swift",
        ],
        code: &["--eval", "-eval", "eval", "--execute", "--exec", "-e", "-E", "-c"],
        language: "generic",
        filters: &["build", "compile", "deps", "fmt", "install", "package", "test"],
    },
];

impl Reader<'_> {
    /// The output of something that runs text; `None` when `name` does not.
    pub(crate) fn run_code(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if SHELLS.contains(&name) || (argv[0].text.starts_with("/proc/") && name == "exe") {
            return Some(self.shell(name, argv, state));
        }
        if matches!(name, "pwsh" | "powershell" | "powershell.exe" | "pwsh.exe") {
            return Some(self.powershell(argv, state));
        }
        if matches!(name, "cmd" | "cmd.exe") {
            let words = argv
                .iter()
                .map(|arg| arg.text.as_str())
                .skip_while(|t| !t.eq_ignore_ascii_case("/c"))
                .skip(1);
            let code = words.collect::<Vec<_>>().join(" ").replace('\\', "\\\\");
            self.record(argv.to_vec(), state);
            return self.wrapped("cmd", |reader| reader.run_text(&code, "cmd", &mut state.clone()));
        }
        if let Some(interpreter) =
            INTERPRETERS.iter().find(|i| i.names.contains(&name) || i.names.contains(&bare))
        {
            // `bun install` and its like are package management; `bun run -` reads its program, `bun x.ts` is one.
            let script = argv.get(1).is_some_and(|arg| is_javascript(&arg.text));
            if matches!(name, "bun" | "deno")
                && !script
                && option_value(&argv[1..], interpreter.code).is_none()
            {
                if argv.iter().any(|arg| arg.text == "-") {
                    let code = state.piped();
                    self.record(argv.to_vec(), state);
                    if crate::reader::is_only_holes(&code) {
                        self.unseen(interpreter.names[0], &code);
                    }
                    return self.wrapped("node", |reader| reader.inline("javascript", &code, state));
                }
                return None;
            }
            return Some(self.interpreter(interpreter, argv, state));
        }
        if let Some(output) = self.task_runner(name, argv, state) {
            return Some(output);
        }
        // A program by its path: a script of this project, or one that was just written; by its name where `PATH` leads to it.
        let by_name = !argv[0].text.contains('/')
            && state.variables.contains_key("PATH")
            && state.files.contains_key(&state.absolute(&argv[0].text));
        let file = installed(&argv[0].text, state).unwrap_or_else(|| argv[0].text.clone());
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
        let first = text.lines().next().unwrap_or_default();
        let interpreter = INTERPRETERS
            .iter()
            .find(|i| first.starts_with("#!") && i.names.iter().any(|n| first.contains(n)));
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
        let output = self.in_script(label, |reader| match interpreter {
            Some(interpreter) => reader.inline(interpreter.language, &text, state),
            None => {
                let mut inner = state.clone();
                inner.positional.set(positional);
                inner.other_positional.clear();
                let output = reader.run_text(&text, "sh", &mut inner);
                state.files = inner.files;
                output
            }
        });
        self.running.pop();
        output.unwrap_or_default()
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
                "--command" | "--commands" => code = Some(()),
                _ if text.starts_with("--command=") => {
                    let text = text["--command=".len()..].to_owned();
                    return self
                        .wrapped("sh", |reader| reader.run_text(&text, "sh", state))
                        .unwrap_or_default();
                }
                _ if text.starts_with("--") => {}
                _ if text.starts_with('-') || text.starts_with('+') => {
                    // `-n` only checks the syntax.
                    if text.starts_with('-') && text.contains('n') && !text.contains('c') {
                        return String::new();
                    }
                    // `-euo pipefail`
                    at += text.matches(['o', 'O']).count();
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
            inner.other_positional.clear();
            inner.positional.set(if positional.is_empty() { vec![name.to_owned()] } else { positional });
            let text = code.text.clone();
            let output = self
                .inheriting(&mut inner, |reader, inner| {
                    reader.wrapped(label, |reader| reader.run_text(&text, label, inner))
                })
                .unwrap_or_default();
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
                    if crate::reader::is_only_holes(&text) {
                        self.unseen(label, &text);
                    }
                    self.wrapped(label, |reader| reader.script_file(&file, &text, &rest, state))
                        .unwrap_or_default()
                }
                // Not there to be read. What it is made of counts: a name from the network is code from it.
                None => {
                    if !is_known(&file.text) {
                        let text = file.text.clone();
                        self.unseen(label, &text);
                    } else if self.from_network {
                        self.unseen(label, &crate::text::NET.to_string());
                    }
                    ANY.to_string()
                }
            };
        }
        self.shell_stdin(label, state)
    }

    /// PowerShell's commands are words like ours; what they are called is for the checks to know.
    fn powershell(&mut self, argv: &[Arg], state: &mut State) -> String {
        self.record(argv.to_vec(), state);
        let is_option = |text: &str, long: &str| {
            let name = text.trim_start_matches(['-', '/']).to_ascii_lowercase();
            text.starts_with(['-', '/']) && !name.is_empty() && long.starts_with(&name)
        };
        let code =
            argv.iter().skip(1).position(|arg| is_option(&arg.text, "command")).map(|at| &argv[at + 2..]);
        if argv.iter().any(|arg| {
            is_option(&arg.text, "encodedcommand")
                && arg.text.len() > 1
                && !is_option(&arg.text, "executionpolicy")
        }) {
            self.unseen("powershell", &crate::text::DECODED.to_string());
            return ANY.to_string();
        }
        match code.filter(|words| !matches!(words, [arg] if arg.text == "-")) {
            Some(words) => {
                let text = words.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                if runs_download(&text) {
                    self.unseen("powershell", &crate::text::NET.to_string());
                }
                self.wrapped("powershell", |reader| reader.run_text(&text, "powershell", &mut state.clone()))
                    .unwrap_or_default()
            }
            None => self.shell_stdin("powershell", state),
        }
    }

    fn shell_stdin(&mut self, label: &'static str, state: &mut State) -> String {
        // Somebody else types, or sends, what it runs.
        let Some(code) = state.stdin.clone() else { return crate::text::SHELL.to_string() };
        let mut inner = state.clone();
        inner.stdin = None;
        let mut output = self
            .inheriting(&mut inner, |reader, inner| {
                reader.wrapped(label, |reader| reader.run_text(&code, label, inner))
            })
            .unwrap_or_default();
        state.files = inner.files;
        if crate::reader::is_only_holes(&code) {
            output.push(crate::text::SHELL);
        }
        output
    }

    fn interpreter(&mut self, interpreter: &'static Interpreter, argv: &[Arg], state: &mut State) -> String {
        let args = &argv[1..];
        self.record(argv.to_vec(), state);
        self.file_slots(interpreter.names[0], args, state);
        let label = interpreter.names[0];
        if let Some(code) = option_value(args, interpreter.code) {
            // Modules named on the command line say what the code has at hand.
            let modules: Vec<&str> = args
                .iter()
                .map(|arg| arg.text.as_str())
                .filter(|t| {
                    matches!(interpreter.language, "perl" | "ruby")
                        && (t.starts_with("-M") || t.starts_with("-r"))
                })
                .collect();
            let code = if modules.is_empty() { code } else { format!("{code}\n# {}", modules.join(" ")) };
            if crate::reader::is_only_holes(&code) {
                self.unseen(label, &code);
                return ANY.to_string();
            }
            let given = after_code(args, interpreter.code);
            let stdin = state.stdin.clone();
            let code = crate::inline::with_input(interpreter.language, &code, &given, stdin.as_deref());
            return self
                .wrapped(label, |reader| reader.inline(interpreter.language, &code, state))
                .unwrap_or_default();
        }
        let module = args
            .iter()
            .position(|arg| arg.text == "-m")
            .and_then(|at| args.get(at + 1))
            .map_or("", |arg| arg.text.as_str());
        match (interpreter.language, module) {
            ("python", "timeit") => {
                let code = args.last().map(|arg| arg.text.clone()).unwrap_or_default();
                return self
                    .wrapped(label, |reader| reader.inline("python", &code, state))
                    .unwrap_or_default();
            }
            ("python", "base64") if args.iter().any(|arg| arg.text == "-d") => {
                let input = state.piped();
                return crate::simulate::decode::text(&input, crate::simulate::decode::base64)
                    .unwrap_or_else(|| crate::text::DECODED.to_string());
            }
            // Modules that run a program for somebody who watches it.
            ("python", "cProfile" | "coverage" | "pdb" | "profile" | "trace" | "tracemalloc") => {
                let at = args.iter().position(|arg| arg.text == "-m").map_or(0, |at| at + 2);
                let words = args[at..]
                    .iter()
                    .filter(|arg| arg.text != "run" && !(arg.text.len() > 1 && arg.text.starts_with('-')));
                let inner: Vec<Arg> = argv[..1].iter().chain(words).cloned().collect();
                return self
                    .wrapped(label, |reader| reader.interpreter(interpreter, &inner, state))
                    .unwrap_or_default();
            }
            _ => {}
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
                    let file = self.script_name(&file.text, state);
                    self.in_script(file, |reader| reader.inline(interpreter.language, &text, state));
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
                Some(code) => {
                    let given: Vec<&str> =
                        args.iter().map(|arg| arg.text.as_str()).skip_while(|t| *t != "-").skip(1).collect();
                    let code = crate::inline::with_input(interpreter.language, &code, &given, None);
                    self.wrapped(label, |reader| reader.inline(interpreter.language, &code, state))
                        .unwrap_or_default()
                }
                None => String::new(),
            },
        }
    }
}

/// The words behind the code that is given on the line: its arguments.
fn after_code<'a>(args: &'a [Arg], options: &[&str]) -> Vec<&'a str> {
    let is_code = |text: &str| {
        options.iter().any(|option| {
            text == *option || option.len() == 2 && text.starts_with('-') && text.ends_with(&option[1..])
        })
    };
    let words = args.iter().map(|arg| arg.text.as_str());
    words.skip_while(|text| !is_code(text)).skip(2).filter(|text| *text != "--").collect()
}

/// Whether a file is a script of JavaScript or TypeScript by its name.
pub(crate) fn is_javascript(file: &str) -> bool {
    [".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"].iter().any(|ending| file.ends_with(ending))
}

pub(crate) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program)
}

/// Whether text in PowerShell fetches code and runs it: `iwr … | iex`.
fn runs_download(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let says = |names: &[&str]| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|w| names.contains(&w))
    };
    says(&["iex", "invoke-expression"])
        && says(&["iwr", "irm", "curl", "wget", "invoke-webrequest", "invoke-restmethod", "downloadstring"])
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
