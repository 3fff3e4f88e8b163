//! Commands of the shell itself: those that change what later words mean, and those that run text.

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::{State, Variable};
use crate::text::{ANY, is_known};

impl Reader<'_> {
    /// The output of a builtin; `None` when `name` is none that matters here.
    pub(crate) fn builtin(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let args: Vec<&str> = argv[1..].iter().map(|arg| arg.text.as_str()).collect();
        match name {
            "cd" | "pushd" | "chdir" => {
                self.change_directory(&args, state);
                self.record(argv.to_vec(), state);
            }
            "popd" => {
                let previous = state.previous.clone();
                state.enter(previous);
                self.record(argv.to_vec(), state);
            }
            "eval" => {
                let text = args.iter().skip_while(|a| **a == "--").copied().collect::<Vec<_>>().join(" ");
                self.note(argv, state);
                return self.wrapped("eval", |reader| reader.run_text(&text, "eval", state));
            }
            "source" | "." => {
                let file = args.iter().find(|a| **a != "--")?;
                self.note(argv, state);
                let text = self.script_text(file, state)?;
                let file = (*file).to_owned();
                return self.in_script(&file, |reader| reader.run_text(&text, "source", state));
            }
            "trap" => {
                let text = args.iter().find(|a| !a.starts_with('-')).map(|a| (*a).to_owned());
                self.note(argv, state);
                if let Some(text) = text {
                    return self.wrapped("trap", |reader| reader.run_text(&text, "trap", state));
                }
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, &args, state);
                self.record(argv.to_vec(), state);
            }
            "unset" => {
                for name in &args {
                    state.variables.remove(*name);
                    state.functions.remove(*name);
                }
                self.record(argv.to_vec(), state);
            }
            "set" => {
                if let Some(at) = args.iter().position(|a| *a == "--") {
                    state.positional.truncate(1);
                    state.positional.extend(args[at + 1..].iter().map(|a| (*a).to_owned()));
                }
                self.record(argv.to_vec(), state);
            }
            "shift" => {
                let count = args.first().and_then(|a| a.parse::<usize>().ok()).unwrap_or(1);
                let end = (1 + count).min(state.positional.len());
                state.positional.drain(1.min(end)..end);
            }
            "read" => read_variables(&args, state),
            "mapfile" | "readarray" => {
                let target = operands(&args, &["-d", "-n", "-O", "-s", "-u", "-C", "-c"])
                    .first()
                    .map_or("MAPFILE", |a| *a);
                let text = state.stdin.clone().unwrap_or_else(|| ANY.to_string());
                let lines = text.lines().map(str::to_owned).collect();
                let variable = Variable { values: vec![lines], reference: false, exported: false };
                state.variables.insert(target.to_owned(), variable);
            }
            "printf" if args.first() == Some(&"-v") && args.len() >= 3 => {
                let text = crate::simulate::printf(&args[2..]);
                state.variables.insert(args[1].to_owned(), Variable::text(text));
            }
            "alias" => {
                for arg in &args {
                    if let Some((name, text)) = arg.split_once('=') {
                        state.aliases.insert(name.to_owned(), text.to_owned());
                    }
                }
                self.record(argv.to_vec(), state);
            }
            "hash" if args.first() == Some(&"-p") && args.len() >= 3 => {
                state.hashed.insert(args[2].to_owned(), args[1].to_owned());
            }
            "let" | "shopt" | "wait" | "jobs" | "disown" | "getopts" | "umask" | "ulimit" | "times"
            | "break" | "continue" | "return" | "exit" | ":" | "true" | "false" | "dirs" | "bg" | "fg"
            | "logout" => {
                self.record(argv.to_vec(), state);
            }
            _ => return None,
        }
        Some(String::new())
    }

    /// A command that runs text is itself worth a note: reviewers look for it.
    fn note(&mut self, argv: &[Arg], state: &State) {
        self.record(argv.to_vec(), state);
    }

    /// Runs `walk` as the content of a script file.
    pub(crate) fn in_script<T>(&mut self, file: &str, walk: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let saved = self.script.replace(file.to_owned());
        let result = self.deeper(walk);
        self.script = saved;
        result
    }

    fn change_directory(&mut self, args: &[&str], state: &mut State) {
        let target = args.iter().find(|a| !matches!(**a, "-L" | "-P" | "-e" | "-@" | "--"));
        let dir = match target {
            None => self.home().unwrap_or_else(|| ANY.to_string()),
            Some(&"-") => state.previous.clone(),
            Some(path) if is_known(path) => state.absolute(path),
            Some(path) => crate::path::absolute(path, &state.cwd()),
        };
        state.enter(dir);
    }

    fn declare(&mut self, command: &str, args: &[&str], state: &mut State) {
        let flags: String = args.iter().filter(|a| a.starts_with('-')).flat_map(|a| a[1..].chars()).collect();
        let exported = command == "export" || flags.contains('x');
        for arg in args.iter().filter(|a| !a.starts_with('-') && !a.starts_with('+')) {
            match arg.split_once('=') {
                Some((name, value)) => {
                    let name = name.trim_end_matches('+');
                    self.code_variable(name, value, state);
                    // Lists come here as one text: `declare -a x=(a b)`.
                    let list = match value.strip_prefix('(').and_then(|v| v.strip_suffix(')')) {
                        Some(inner) => inner.split_whitespace().map(str::to_owned).collect(),
                        None => vec![value.to_owned()],
                    };
                    let variable = Variable { values: vec![list], reference: flags.contains('n'), exported };
                    state.variables.insert(name.to_owned(), variable);
                }
                None => {
                    if let Some(variable) = state.variables.get_mut(*arg) {
                        variable.exported |= exported;
                    }
                }
            }
        }
    }
}

fn read_variables(args: &[&str], state: &mut State) {
    let list = args.windows(2).find(|pair| pair[0] == "-a").map(|pair| pair[1]);
    let text = state.stdin.clone().unwrap_or_else(|| ANY.to_string());
    let line = text.lines().next().unwrap_or_default().to_owned();
    if let Some(name) = list {
        let words = line.split_whitespace().map(str::to_owned).collect();
        let variable = Variable { values: vec![words], reference: false, exported: false };
        state.variables.insert(name.to_owned(), variable);
        return;
    }
    let names = operands(args, &["-p", "-t", "-d", "-n", "-N", "-i", "-u", "-a"]);
    let names = if names.is_empty() { vec!["REPLY"] } else { names };
    let mut rest = line.trim();
    for (index, name) in names.iter().enumerate() {
        let value = if index + 1 == names.len() {
            rest
        } else {
            let (head, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            rest = tail.trim_start();
            head
        };
        let mut variable = Variable::text(value);
        // A loop reads the other lines too.
        for other in text.lines().skip(1).take(8).filter(|_| names.len() == 1) {
            variable.values.push(vec![other.trim().to_owned()]);
        }
        state.variables.insert((*name).to_owned(), variable);
    }
}

/// What is left of `args` without options and their values.
pub(crate) fn operands<'a>(args: &[&'a str], with_value: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < args.len() {
        let arg = args[index];
        if arg == "--" {
            found.extend(&args[index + 1..]);
            break;
        }
        if arg.starts_with('-') && arg.len() > 1 {
            if with_value.contains(&arg) {
                index += 1;
            }
        } else {
            found.push(arg);
        }
        index += 1;
    }
    found
}
