//! Code of other languages, read for what it does to the machine: commands it starts, files it deletes or writes, code it fetches
//! and runs. Not an interpreter: it finds calls by name (`call`) and reads their arguments where those are constant (`value`).

mod awk;
mod call;
pub(crate) mod escapes;
mod generic;
mod input;
pub(crate) mod literals;
mod program;
mod table;
mod text;
mod touched;
mod value;

use crate::reader::Reader;
use crate::reading::{Arg, Argv};
use crate::state::State;
use crate::text::{ANY, DECODED, EACH, NET, SECRET, is_known};

use call::{Found, calls, constants};
pub(crate) use input::{literal, with_input};
use literals::{backticks, literals, printed};
use program::{CHOOSES, DECODES, FETCHES};
use table::Does;
use value::{Value, is_hollow};

impl Reader<'_> {
    /// Reads `code` for its effects, which are noted as if a shell had them. Returns what it may print.
    pub(crate) fn inline(&mut self, language: &'static str, code: &str, state: &mut State) -> String {
        self.reading.inline.push((language.to_owned(), code.to_owned()));
        let fetches = FETCHES.iter().any(|word| code.contains(word));
        let decodes = DECODES.iter().any(|word| code.contains(word));
        self.whole_program(code, fetches);
        self.touched(language, code, state);
        match language {
            "generic" => self.generic(code, fetches, state),
            "tcl" => self.tcl(code, state),
            _ => self.calls_of(language, code, fetches, decodes, state),
        }
        for command in backticks(language, code) {
            self.run_slot(language, &command, state);
        }
        if language == "awk" {
            for command in awk::commands(code) {
                self.run_slot(language, &command, state);
            }
            for path in awk::printed_to(code) {
                self.note_written(language, path, "", state);
            }
        }
        let mut output = String::new();
        if fetches {
            output.push(NET);
        }
        if decodes {
            output.push(DECODED);
        }
        if code.contains("environ")
            || code.contains("process.env")
            || code.contains("ENV")
            || code.contains("getenv")
        {
            output.push(SECRET);
        }
        if let Some(printed) = printed(language, code) {
            return printed;
        }
        output.push(ANY);
        output
    }

    fn calls_of(
        &mut self,
        language: &'static str,
        code: &str,
        fetches: bool,
        decodes: bool,
        state: &mut State,
    ) {
        let names = constants(language, code);
        let found = calls(code, &names);
        // One of the names in a folder, or each of them.
        let one = if CHOOSES.iter().any(|word| code.contains(word)) { ANY } else { EACH };
        let places: Vec<String> =
            found.iter().filter(|call| call.does == Does::Finds).flat_map(|call| places(call, one)).collect();
        for call in &found {
            self.effect(language, call, &places, fetches, decodes, state);
        }
        if language == "python" {
            // What a notebook's shell runs.
            for line in code.lines().filter_map(|line| line.trim_start().strip_prefix('!')) {
                self.run_slot("python", line, state);
            }
        }
    }

    fn effect(
        &mut self,
        language: &'static str,
        call: &Found,
        places: &[String],
        fetches: bool,
        decodes: bool,
        state: &mut State,
    ) {
        let first = call.args.first().cloned().unwrap_or_default();
        // Ruby opens a command where the name begins like a pipe.
        if language == "ruby" && call.name == "open" && first.text().starts_with('|') {
            self.run_slot(language, first.text().trim_start_matches('|'), state);
            return;
        }
        match call.does {
            Does::Finds => {}
            Does::Downloads => {
                if let Some(path) = call.args.get(1).map(Value::text).filter(|path| is_known(path)) {
                    let path = state.absolute(&path);
                    state.write(path, NET.to_string());
                }
            }
            Does::Sends => {
                let method = call.raw.trim_start_matches([':', '"', '\'', ' ']);
                let code = call.args.get(1).map(Value::text).unwrap_or_default();
                if ["system", "exec", "spawn", "`"].iter().any(|name| method.starts_with(name)) {
                    self.run_slot(language, &code, state);
                } else if method.contains("eval") {
                    self.deeper(|reader| reader.inline(language, &code, state));
                }
            }
            Does::Evaluates => {
                // `.then(eval)`: the function itself is the argument.
                if call.name == "then" && !call.raw.contains("eval") && !call.raw.contains("Function") {
                    return;
                }
                let code = first.text();
                if is_known(&code) && !code.trim().is_empty() {
                    self.deeper(|reader| reader.inline(language, &code, state));
                } else if fetches || code.contains(NET) {
                    self.unseen(language, &NET.to_string());
                } else if decodes || code.contains(DECODED) {
                    self.unseen(language, &DECODED.to_string());
                }
            }
            Does::Runs => self.start_text(language, call, fetches, decodes, state),
            Does::RunsWords | Does::SpawnsWords => self.start_words(language, call, state),
            Does::Deletes | Does::DeletesTree => self.delete(language, call, places, state),
            Does::Like(command) => self.act_like(language, command, call, places, state),
            Does::Kills => {
                let is_group = call.name == "killpg" && first.text() == "1";
                if is_group || call.args.iter().any(|arg| arg.text() == "-1") {
                    self.note_as(language, ["kill", "-9", "-1"].map(str::to_owned), state);
                }
            }
            // A program of the project may use what is secret; code on the command line is there to show it.
            Does::Reads => {
                if self.script.is_none() {
                    let path = home_path(&first.text(), self.home_ref());
                    self.note_as(language, ["cat".to_owned(), path], state);
                }
            }
            Does::Writes => {
                let path = first.text();
                let content = format!(
                    "{} {}",
                    call.args.iter().skip(1).map(Value::text).collect::<Vec<_>>().join(" "),
                    call.after
                );
                let path = home_path(&path, self.home_ref());
                self.note_written(language, &path, &content, state);
            }
        }
    }

    /// A function that does what a command does, where it has all the arguments that the command takes: `{}.copy()` copies no file.
    fn act_like(
        &mut self,
        language: &'static str,
        command: &'static str,
        call: &Found,
        places: &[String],
        state: &State,
    ) {
        let argument = |word: &str| -> Option<String> {
            let number: usize = word.parse().ok()?;
            let text = call.args.get(number.checked_sub(1)?)?.text();
            // A path that is not known is one of those that were looked for.
            let looked_for = places.first().filter(|_| is_hollow(&text));
            Some(home_path(looked_for.unwrap_or(&text), self.home_ref()))
        };
        let words = command.split(' ').map(|word| match word.strip_prefix('$') {
            Some(number) => argument(number),
            None => Some(word.to_owned()),
        });
        if let Some(words) = words.collect::<Option<Vec<String>>>() {
            self.note_as(language, words, state);
        }
    }

    /// A program with its words.
    fn start_words(&mut self, language: &'static str, call: &Found, state: &mut State) {
        let first = call.args.first().cloned().unwrap_or_default();
        let skip = usize::from(call.does == Does::SpawnsWords);
        let mut words: Vec<String> = call.args.iter().skip(skip).flat_map(Value::texts).collect();
        if let Some(options) = call.raw.split("args:").nth(1) {
            words.extend(
                value::arguments(options, &constants(language, ""))
                    .first()
                    .map(Value::texts)
                    .unwrap_or_default(),
            );
        }
        // `spawn("rm -rf x", {shell: true})`
        if call.raw.contains("shell") && first.text().contains(' ') {
            self.run_slot(language, &first.text(), state);
            return;
        }
        // `execvp("sh", ["sh", "-c", …])` names the program twice.
        if words.len() > 1 && crate::path::name(&words[0]) == crate::path::name(&words[1]) {
            words.remove(0);
        }
        self.start(language, words, state);
    }

    fn delete(&mut self, language: &'static str, call: &Found, places: &[String], state: &mut State) {
        let first = call.args.first().cloned().unwrap_or_default();
        // One by one, but all of them, however deep.
        let deep = places.iter().any(|place| place.ends_with(EVERYTHING));
        let flags = if call.does == Does::DeletesTree || deep { "-rf" } else { "-f" };
        let paths = match call.name.as_str() {
            // `array_map("unlink", glob("…"))`
            "array_map" if first.text() == "unlink" => call.args.get(1).map(Value::texts).unwrap_or_default(),
            "array_map" => return,
            // `rimraf.sync` and nothing else that is in sync.
            "sync" if !call.raw.contains('/') => return,
            "unlink" if language == "perl" || language == "php" => {
                call.args.iter().flat_map(Value::texts).collect()
            }
            // `shell.rm('-rf', 'x')`
            _ if first.text().starts_with('-') => call.args.iter().skip(1).flat_map(Value::texts).collect(),
            _ => first.texts(),
        };
        // A path that is not known is one of those that were looked for.
        let paths: Vec<String> = paths
            .into_iter()
            .flat_map(
                |path| {
                    if is_hollow(&path) && !places.is_empty() { places.to_vec() } else { vec![path] }
                },
            )
            .collect();
        for path in paths {
            let path = home_path(&path, self.home_ref());
            let argv =
                vec![Arg::new("rm"), Arg::new(flags), Arg { glob: path.contains('*'), ..Arg::new(path) }];
            self.wrapped(language, |reader| reader.record(argv, state));
        }
    }

    fn start_text(
        &mut self,
        language: &'static str,
        call: &Found,
        fetches: bool,
        decodes: bool,
        state: &mut State,
    ) {
        let first = call.args.first().cloned().unwrap_or_default();
        if language == "perl" && call.name == "open" {
            // `open(F, "cmd|")`, `open(my $f, "-|", "cmd")`; otherwise it opens a file.
            let rest: Vec<String> = call.args.iter().skip(1).map(Value::text).collect();
            match rest.as_slice() {
                [mode, command @ ..] if matches!(mode.as_str(), "-|" | "|-") => {
                    self.run_slot(language, &command.join(" "), state);
                }
                [command] if command.trim_end().ends_with('|') || command.trim_start().starts_with('|') => {
                    let command = command.trim_matches([' ', '|']);
                    self.run_slot(language, command, state);
                    // What is printed to a shell is run by it.
                    if crate::code::is_shell(crate::path::name(command)) {
                        for text in literals(
                            &self.reading.inline.last().map(|(_, code)| code.clone()).unwrap_or_default(),
                        ) {
                            self.run_slot(language, text.trim_start_matches('|'), state);
                        }
                    }
                }
                [mode, path] if mode.starts_with(['>', '+']) => self.note_written(language, path, "", state),
                [path] if path.starts_with('>') => {
                    self.note_written(language, path.trim_start_matches(['>', ' ']), "", state);
                }
                [path] | [_, path] if self.script.is_none() => {
                    let path = home_path(path.trim_start_matches(['<', ' ']), self.home_ref());
                    self.note_as(language, ["cat".to_owned(), path], state);
                }
                _ => {}
            }
            return;
        }
        match first {
            Value::List(words) if !words.is_empty() => self.start(language, words, state),
            // `exec(split / /, "…")`
            Value::List(_) => {
                if let Some(Value::Text(text)) = call.args.get(1) {
                    self.run_slot(language, text, state);
                }
            }
            Value::Text(_)
                if matches!(language, "perl" | "ruby" | "php")
                    && call.args.len() > 1
                    && !matches!(call.name.as_str(), "proc_open" | "popen") =>
            {
                let words: Vec<String> = call.args.iter().map(Value::text).collect();
                self.start(language, words, state);
            }
            Value::Text(text) if is_hollow(&text) => {
                let mark = if fetches || text.contains(NET) {
                    NET
                } else if decodes || text.contains(DECODED) {
                    DECODED
                } else {
                    return;
                };
                self.unseen(language, &mark.to_string());
            }
            Value::Text(text) => self.run_slot(language, &text, state),
        }
    }

    fn start(&mut self, language: &'static str, words: Vec<String>, state: &mut State) {
        let argv: Vec<Arg> = words.into_iter().map(Arg::new).collect();
        self.wrapped(language, |reader| reader.dispatch_program(argv, state));
    }

    fn note_read(&mut self, language: &'static str, path: String, state: &State) {
        self.note_as(language, ["cat".to_owned(), path], state);
    }

    fn note_as(&mut self, language: &'static str, words: impl IntoIterator<Item = String>, state: &State) {
        let argv: Argv =
            words.into_iter().map(|word| Arg { glob: word.contains('*'), ..Arg::new(word) }).collect();
        self.wrapped(language, |reader| reader.record(argv, state));
    }
}

/// What a pattern for all files at any depth ends in here; others do not have the dot.
const EVERYTHING: &str = "./*";

/// The directories and patterns that code looks through.
fn places(call: &Found, one: char) -> Vec<String> {
    // Perl's have what is done with each before the places.
    let named = if call.name.starts_with("find") { call.args.last() } else { call.args.first() };
    let paths = named.map(Value::texts).unwrap_or_default();
    let below = |path: String| {
        if let Some((root, _)) = path.split_once("/**").filter(|_| !path.contains("**/*.")) {
            format!("{root}/{EVERYTHING}")
        } else if path.contains('*') {
            path.replace("**/", "")
        } else {
            format!("{}/{one}", path.trim_end_matches('/'))
        }
    };
    paths.into_iter().filter(|path| !is_hollow(path)).map(below).collect()
}

/// `~` as the home it stands for, because a language does not expand it later.
fn home_path(path: &str, home: Option<&str>) -> String {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}

/// Whether a text begins like a command that matters.
fn is_command(text: &str) -> bool {
    let first = text.split_whitespace().next().map(crate::path::name).unwrap_or_default();
    text.contains(' ') && crate::programs::is_striking(first)
}
