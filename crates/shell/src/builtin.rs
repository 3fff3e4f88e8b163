//! Commands of the shell itself: those that change what later words mean, and those that run text.

use std::rc::Rc;

use crate::reader::Reader;
use crate::reading::{Arg, Argv};
use crate::state::{State, Variable};
use crate::text::{ANY, SECRET, UNSET, is_known};

impl Reader<'_> {
    /// The output of a builtin; `None` when `name` is none that matters here.
    pub(crate) fn builtin(&mut self, name: &str, argv: &Argv, state: &mut State) -> Option<String> {
        let args: Vec<&str> = argv[1..].iter().map(|arg| arg.text.as_str()).collect();
        self.indexes(name, &args, state);
        match name {
            "cd" | "pushd" | "chdir" => {
                self.change_directory(&args, state);
                self.record(argv.clone(), state);
            }
            "popd" => {
                let previous = state.previous.clone();
                state.enter(previous);
                self.record(argv.clone(), state);
            }
            "eval" | "source" | "." | "trap" => return self.runs_text(name, argv, &args, state),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, &args, state);
                self.record(argv.clone(), state);
                // Without a name they print what is set.
                if args.iter().all(|a| a.starts_with('-')) && name != "local" {
                    return Some(SECRET.to_string());
                }
            }
            "unset" => {
                unset(&args, state);
                self.record(argv.clone(), state);
            }
            "set" => {
                set_positional(&args, state);
                self.record(argv.clone(), state);
                if args.is_empty() {
                    return Some(SECRET.to_string());
                }
            }
            "shift" => {
                let count = args.first().and_then(|a| a.parse::<usize>().ok()).unwrap_or(1);
                let lists = std::iter::once(&mut *state.positional).chain(state.other_positional.iter_mut());
                // More than there are: nothing is done.
                for list in lists.filter(|list| count < list.len()) {
                    list.drain(1..=count);
                }
            }
            "read" => {
                self.note_reading(argv, state);
                self.read_variables(&args, state);
            }
            "mapfile" | "readarray" => {
                self.note_reading(argv, state);
                self.read_lines(&args, state);
            }
            "printf" if args.first() == Some(&"-v") && args.len() >= 3 => {
                print_to_variable(&args, state);
            }
            "alias" => {
                for arg in &args {
                    if let Some((name, text)) = arg.split_once('=') {
                        state.aliases.insert(name.to_owned(), text.to_owned());
                    }
                }
                self.record(argv.clone(), state);
            }
            "hash" if args.first() == Some(&"-p") && args.len() >= 3 => {
                state.hashed.insert(args[2].to_owned(), args[1].to_owned());
            }
            "compgen" | "complete" if args.contains(&"-C") => {
                let code = args
                    .windows(2)
                    .find(|pair| pair[0] == "-C")
                    .map(|pair| pair[1].to_owned())
                    .unwrap_or_default();
                self.record(argv.clone(), state);
                self.run_slot("complete", &code, state);
            }
            "let" => {
                for arg in &args {
                    for name in crate::arithmetic::assigned(arg) {
                        state.variables.insert(name.to_owned(), Variable::text(ANY));
                    }
                }
                self.record(argv.clone(), state);
            }
            "break" | "continue" | "return" | "exit" | "logout" => {
                self.jumps += 1;
                self.record(argv.clone(), state);
            }
            "shopt" | "wait" | "jobs" | "disown" | "getopts" | "umask" | "ulimit" | "times" | ":"
            | "true" | "false" | "dirs" | "bg" | "fg" => {
                self.record(argv.clone(), state);
            }
            _ => return None,
        }
        Some(String::new())
    }

    /// Those that run text.
    fn runs_text(&mut self, name: &str, argv: &[Arg], args: &[&str], state: &mut State) -> Option<String> {
        match name {
            "eval" => {
                let text = args.iter().skip_while(|a| **a == "--").copied().collect::<Vec<_>>().join(" ");
                self.note(argv, state);
                return self.inheriting(state, |reader, state| {
                    reader.wrapped("eval", |reader| reader.run_text(&text, "eval", state))
                });
            }
            "source" | "." => {
                let file = args.iter().find(|a| **a != "--")?;
                self.note(argv, state);
                if crate::code::is_address(file) {
                    self.unseen("source", &crate::text::NET.to_string());
                    return Some(String::new());
                }
                let text = self.script_text(file, state)?;
                let holds_secrets = is_of_secrets(crate::path::name(file));
                let file = self.script_name(file, state);
                let output = self.in_script(file, |reader| reader.run_text(&text, "source", state));
                if holds_secrets {
                    hide(&text, state);
                }
                return output;
            }
            _ => {
                let text = args.iter().find(|a| !a.starts_with('-')).map(|a| (*a).to_owned());
                self.note(argv, state);
                if let Some(text) = text {
                    return self.wrapped("trap", |reader| reader.run_text(&text, "trap", state));
                }
            }
        }
        Some(String::new())
    }

    /// An index is an expression, and a command in it runs, whatever the quotes around it were.
    fn indexes(&mut self, name: &str, args: &[&str], state: &State) {
        let indexes = match name {
            "test" | "[" | "printf" | "wait" => args.iter().any(|a| matches!(*a, "-v" | "-p")),
            _ => matches!(
                name,
                "unset" | "read" | "declare" | "typeset" | "local" | "export" | "let" | "mapfile"
            ),
        };
        if indexes {
            for text in args.iter().filter(|text| text.contains("[$(") || text.contains("[`")) {
                let text = (*text).to_owned();
                self.expanded(&text, &mut state.clone());
            }
        }
    }

    /// The lines of its input as a list.
    fn read_lines(&mut self, args: &[&str], state: &mut State) {
        // A command for every so many lines.
        if let Some(code) = args.windows(2).find(|pair| pair[0] == "-C").map(|pair| pair[1].to_owned()) {
            self.run_slot("mapfile", &code, state);
        }
        let (options, names) = letters(args, "dnOsuCc");
        let target = names.first().map_or("MAPFILE", |a| *a);
        let text = from_descriptor(&options, state).unwrap_or_else(|| state.input());
        let trimmed = args.iter().any(|a| a.starts_with('-') && a.contains('t'));
        let lines = text
            .split_inclusive('\n')
            .map(|line| if trimmed { line.trim_end_matches('\n') } else { line }.to_owned());
        let variable = Variable::list(lines.collect());
        state.variables.insert(target.to_owned(), variable);
    }

    /// What is read from a file is worth a note, because of the file.
    fn note_reading(&mut self, argv: &[Arg], state: &State) {
        if self.reads_file() {
            self.record(argv.to_vec(), state);
        }
    }

    /// A command that runs text is itself worth a note: reviewers look for it.
    fn note(&mut self, argv: &[Arg], state: &State) {
        self.record(argv.to_vec(), state);
    }

    /// What a script is called; `None` for text that this very command has written, which is as much the command as the rest.
    pub(crate) fn script_name(&self, file: &str, state: &State) -> Option<String> {
        let absolute = state.absolute(file);
        let written = state.files.contains_key(&absolute)
            || absolute.starts_with("/dev/")
            || absolute.starts_with("/proc/");
        if written { self.script.clone() } else { Some(file.to_owned()) }
    }

    /// Runs `walk` as the content of a script file.
    pub(crate) fn in_script<T>(
        &mut self,
        file: Option<String>,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        let saved = std::mem::replace(&mut self.script, file);
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
        // What nobody has set may be empty: then it stays where it is, or goes home.
        let empty = target.is_some_and(|path| !path.is_empty() && path.chars().all(|c| c == UNSET));
        let here = state.cwd();
        // No system call takes a longer path, so where it would be is not known.
        state.enter(if dir.len() > 4096 { ANY.to_string() } else { dir });
        if empty {
            state.cwds.extend([here].into_iter().chain(self.home().map(Rc::from)));
        }
    }

    fn declare(&mut self, command: &str, args: &[&str], state: &mut State) {
        let flags: String = args.iter().filter(|a| a.starts_with('-')).flat_map(|a| a[1..].chars()).collect();
        let exported = command == "export" || flags.contains('x');
        let local = !matches!(command, "export" | "readonly") && !flags.contains('g');
        let mut declared = self.take_declared();
        for arg in args.iter().filter(|a| !a.starts_with(['-', '+'])) {
            let (name, value) = arg
                .split_once('=')
                .map_or((*arg, None), |(name, value)| (name.trim_end_matches('+'), Some(value)));
            if !crate::wrapper::is_name(name) {
                continue;
            }
            if local && let Some(frame) = self.locals.last_mut() {
                frame.push((name.to_owned(), state.variables.get(name).cloned()));
                if value.is_none() {
                    state.variables.insert(name.to_owned(), Variable::default());
                }
            }
            let position = declared.iter().position(|(known, _)| known == name);
            match (position.map(|at| declared.remove(at).1), value) {
                // A word that became an assignment only by expansion.
                (None, Some(value)) => self.define(name, Variable::text(value), exported, &flags, state),
                (Some(variable), _) => self.define(name, variable, exported, &flags, state),
                (None, None) => {
                    if let Some(variable) = state.variables.get_mut(name) {
                        variable.exported |= exported;
                        variable.reference |= flags.contains('n');
                    }
                }
            }
        }
    }

    fn define(&mut self, name: &str, mut variable: Variable, exported: bool, flags: &str, state: &mut State) {
        for text in variable.values.iter_mut().flatten() {
            match flags {
                _ if flags.contains('u') => *text = text.to_uppercase(),
                _ if flags.contains('l') => *text = text.to_lowercase(),
                _ if flags.contains('i') => {
                    *text = self.number(text, state).map_or_else(|| ANY.to_string(), |n| n.to_string());
                }
                _ => {}
            }
        }
        let text = variable.values.last().map(|list| list.join(" ")).unwrap_or_default();
        self.code_variable(name, &text, state);
        variable.reference = flags.contains('n');
        variable.exported |= exported;
        state.variables.insert(name.to_owned(), variable);
    }

    fn read_variables(&mut self, args: &[&str], state: &mut State) {
        let (options, names) = letters(args, "adinNptu");
        let text = from_descriptor(&options, state).unwrap_or_else(|| state.input());
        let ifs = match self.vars.iter().rev().find(|(name, _)| name == "IFS") {
            Some((_, ifs)) => ifs.clone(),
            None => self.ifs(state),
        };
        let raw = options.iter().any(|(letter, _)| *letter == 'r');
        let unescape =
            |text: &str| if raw { text.to_owned() } else { text.replace("\\\n", "").replace('\\', "") };
        // `-d ''` reads everything; other delimiters are their first character.
        let delimiter = value_of(&options, 'd').map_or(Some('\n'), |d| d.chars().next());
        let mut lines: Vec<String> = match delimiter {
            Some(c) => text.strip_suffix(c).unwrap_or(&text).split(c).map(unescape).collect(),
            None => vec![unescape(text.trim_end_matches('\0'))],
        };
        let line = lines.first().cloned().unwrap_or_default();
        if let Some(name) = value_of(&options, 'a') {
            let words = crate::simulate::split_at(&line, &ifs, usize::MAX);
            state.variables.insert(name.to_owned(), Variable::list(words));
            return;
        }
        // Without a name the line is kept as it is.
        if names.is_empty() {
            state.variables.insert("REPLY".into(), Variable::text(line));
            return;
        }
        // A loop reads the other lines too.
        self.few_enough(&mut lines);
        let mut words: Vec<_> =
            lines.iter().map(|line| crate::simulate::split_at(line, &ifs, names.len()).into_iter()).collect();
        for name in &names {
            let values = words.iter_mut().map(|words| vec![words.next().unwrap_or_default()]);
            let variable = Variable { values: values.collect(), ..Variable::default() };
            state.variables.insert((*name).to_owned(), variable);
        }
    }
}

/// The options of a builtin by their letters, in clusters or not, and what is left; `valued` take a value, attached or apart.
fn letters<'a>(args: &[&'a str], valued: &str) -> (Vec<(char, &'a str)>, Vec<&'a str>) {
    let mut options = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.as_slice().first().filter(|arg| arg.starts_with('-') && arg.len() > 1) {
        rest.next();
        if *arg == "--" {
            break;
        }
        for (at, letter) in arg.char_indices().skip(1) {
            if !valued.contains(letter) {
                options.push((letter, ""));
                continue;
            }
            let attached = &arg[at + letter.len_utf8()..];
            let value = if attached.is_empty() { rest.next().copied().unwrap_or_default() } else { attached };
            options.push((letter, value));
            break;
        }
    }
    (options, rest.copied().collect())
}

fn value_of<'a>(options: &[(char, &'a str)], letter: char) -> Option<&'a str> {
    options.iter().rfind(|(known, _)| *known == letter).map(|(_, value)| *value)
}

/// `-u 3`: what another descriptor than the usual one gives.
fn from_descriptor(options: &[(char, &str)], state: &State) -> Option<Rc<str>> {
    let number = value_of(options, 'u').filter(|number| *number != "0")?;
    let text = state.files.get(&format!("/dev/fd/{number}")).cloned();
    Some(text.unwrap_or_else(|| ANY.to_string().into()))
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

fn unset(args: &[&str], state: &mut State) {
    let functions = args.first() == Some(&"-f");
    for name in args.iter().filter(|a| !a.starts_with('-')) {
        match name.split_once('[') {
            Some((list, key)) => {
                if let Some(variable) = state.variables.get_mut(list) {
                    variable.remove(key.trim_end_matches(']'));
                }
            }
            None if functions
                || (state.functions.contains_key(*name) && !state.variables.contains_key(*name)) =>
            {
                state.functions.remove(*name);
            }
            None => {
                state.variables.insert((*name).to_owned(), Variable::default());
            }
        }
    }
}

/// The new positional parameters of the shell.
fn set_positional(args: &[&str], state: &mut State) {
    // Options first, then the new positional parameters.
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|a| a.len() > 1 && a.starts_with(['-', '+']) && **a != "--") {
        at += if arg.ends_with('o') { 2 } else { 1 };
    }
    let named = args.get(at).is_some_and(|a| matches!(*a, "--" | "-"));
    if named || at < args.len() {
        state.positional.truncate(1);
        state.other_positional.clear();
        state.positional.extend(args[at + usize::from(named)..].iter().map(|a| (*a).to_owned()));
    }
}

/// `printf -v name …`
fn print_to_variable(args: &[&str], state: &mut State) {
    let text = crate::simulate::printf(&args[2..]);
    match args[1].split_once('[') {
        Some((name, key)) => {
            state.variables.entry(name.to_owned()).or_default().set(key.trim_end_matches(']'), text, false);
        }
        None => {
            state.variables.insert(args[1].to_owned(), Variable::text(text));
        }
    }
}

/// Whether a call goes to another folder.
pub fn changes_folder(call: &crate::reading::Call) -> bool {
    call.program() == "cd"
}

/// `.env`, `.env.local`, `prod.env`
fn is_of_secrets(name: &str) -> bool {
    name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
}

/// What a file of secrets sets is as secret as if the session had set it.
fn hide(text: &str, state: &mut State) {
    for line in text.lines() {
        let Some((name, _)) = line.split_once('=') else { continue };
        let name = name.trim().trim_start_matches("export ").trim_start();
        if crate::expand::is_secret_name(name) && state.variables.contains_key(name) {
            state.variables.insert(name.to_owned(), Variable::text(SECRET));
        }
    }
}
