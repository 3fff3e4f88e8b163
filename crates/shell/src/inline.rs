//! Code of other languages, read for what it does to the machine: commands it starts, files it deletes or writes, code it fetches
//! and runs. Not an interpreter: it finds calls by name (`call`) and reads their arguments where those are constant (`value`).

mod call;
pub(crate) mod escapes;
mod input;
mod text;
mod value;

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;
use crate::text::{ANY, DECODED, EACH, NET, SECRET, is_known};

use call::{Does, Found, calls, constants};
pub(crate) use input::{literal, with_input};
use text::end_of_string;
use value::{Value, is_hollow};

/// Words that mean that text comes over the network, or out of an encoding.
const FETCHES: &[&str] = &[
    "urlopen",
    "requests.get",
    "requests.request",
    "urlretrieve",
    "http.client",
    "fetch(",
    "axios",
    "LWP",
    "HTTP::Tiny",
    "URI.open",
    "open-uri",
    "Net::HTTP",
    "file_get_contents('http",
    "file_get_contents(\"http",
    "curl_exec",
    "https.get",
    "http.get",
    "download.file",
    "httpx",
    "aiohttp",
    "socket.http",
    "get(\"http",
    "get('http",
    "require('https')",
    "require(\"https\")",
    "require('http')",
    "require(\"http\")",
    "getstore(",
    "XMLHttpRequest",
];
const DECODES: &[&str] = &[
    "b64decode",
    "base64.decode",
    "decode64",
    "decode_base64",
    "base64_decode",
    "atob(",
    "unhexlify",
    "fromhex",
    "'base64'",
    "\"base64\"",
    "codecs.decode",
    "rot13",
    "unpack(",
    "decompress(",
    "marshal.loads",
    "pack(",
];

/// Words by which code takes some of what it finds in a folder, and not all.
const CHOOSES: &[&str] =
    &["if ", "if(", "unless ", "filter", "grep", "match", "endswith", "fnmatch", "suffix"];

/// Words by which code of any language starts a command.
const STARTS: &[&str] = &[
    "callCommand",
    "cmd",
    "command",
    "exec",
    "popen",
    "process",
    "Process",
    "run",
    "sh ",
    "shell",
    "spawn",
    "system",
    "!",
    "call-process",
];

impl Reader<'_> {
    /// Reads `code` for its effects, which are noted as if a shell had them. Returns what it may print.
    pub(crate) fn inline(&mut self, language: &'static str, code: &str, state: &mut State) -> String {
        self.reading.inline.push((language.to_owned(), code.to_owned()));
        let fetches = FETCHES.iter().any(|word| code.contains(word));
        let decodes = DECODES.iter().any(|word| code.contains(word));
        self.whole_program(code, fetches);
        match language {
            "generic" => self.generic(code, state),
            "tcl" => self.tcl(code, state),
            _ => self.calls_of(language, code, fetches, decodes, state),
        }
        for command in backticks(language, code) {
            self.run_slot(language, &command, state);
        }
        if language == "awk" {
            for path in printed_to(code) {
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

    /// What shows only in the program as a whole: reverse shells and fork bombs.
    fn whole_program(&mut self, code: &str, fetches: bool) {
        let whole = code;
        let code = &without_texts(code);
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        let connects = has(&[
            "fsockopen",
            "net.connect",
            "net.Socket",
            "TCPSocket",
            "net.Dial",
            "/inet/tcp",
            "ztcp",
            "IO::Socket",
            "socket(S",
        ]) || (has(&["socket", "require(\"net\")", "require('net')"])
            && has(&["connect(", "connect ", "create_connection", "[socket"]));
        // What comes in is run, line by line.
        let obeys = has(&["popen(", "exec {*}", "eval $"]) && has(&["gets", "receive(", "recv("]);
        let shells = [
            "/bin/sh",
            "/bin/bash",
            "sh -i",
            "cmd.exe",
            "pty.spawn",
            "\"sh\"",
            "'sh'",
            "\"bash\"",
            "'bash'",
            "system$_",
            "popen(cmd",
            "exec sh -c",
            "getline",
        ];
        let shell = shells.iter().any(|word| whole.contains(word));
        let joined = has(&["dup2", "fdopen"]) && has(&["socket", "Socket"]);
        // A program by its address.
        let addressed = [
            "import('http",
            "import(\"http",
            "source('http",
            "source(\"http",
            "include(download(",
            "source http",
        ];
        if has(&addressed) {
            self.unseen("import", &NET.to_string());
        }
        if (connects && (shell || obeys) || joined)
            && (self.script.is_none() || whole.contains("/bin/sh") || whole.contains("/bin/bash"))
        {
            self.unseen("reverse shell", &NET.to_string());
        }
        let loops = has(&["while", "loop", "for(;;)", "for (;;)", "fork() for", ".fork() for"]);
        if code.contains("fork") && loops && !code.contains("forkserver") && !fetches {
            self.reading.fork_bomb = true;
        }
        // The same by way of programs that nobody waits for.
        let endless = [
            "while true",
            "while True",
            "while(true)",
            "while (true)",
            "while 1",
            "while(1)",
            "for(;;)",
            "loop do",
        ];
        let starts =
            has(&["spawn(", "Popen(", "Process.spawn"]) || has(&["os.execute("]) && whole.contains('&');
        let waits = has(&["wait", "sleep(", "break", "communicate", "recv", "readline", "await", "on("]);
        if self.script.is_none() && has(&endless) && starts && !waits {
            self.reading.fork_bomb = true;
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

    fn note_as(&mut self, language: &'static str, words: impl IntoIterator<Item = String>, state: &State) {
        let argv = words.into_iter().map(|word| Arg { glob: word.contains('*'), ..Arg::new(word) }).collect();
        self.wrapped(language, |reader| reader.record(argv, state));
    }

    /// Code of a language that is not read: where it starts commands, its texts are taken for them.
    fn generic(&mut self, code: &str, state: &mut State) {
        let literals = literals(code);
        if STARTS.iter().any(|word| code.contains(word)) || code.contains('`') {
            for text in &literals {
                if is_command(text) {
                    self.run_slot("generic", text, state);
                }
            }
            // `cmd("rm", ["-rf", "/"])`
            if literals.first().is_some_and(|first| !first.contains(' ')) && literals.len() > 1 {
                self.start("generic", literals.clone(), state);
            }
        }
        let deletes = [
            "call delete(",
            "rm(",
            "rm_rf",
            "delete-directory",
            "delete-file",
            "removeSync",
            "rmtree",
            "remove_dir",
            "deleteDir",
            "deleteRecursively",
            "removeItem",
            "RemoveAll",
            "removePathForcibly",
        ];
        if deletes.iter().any(|word| code.contains(word)) {
            let home =
                ["user_home", "homedir", "NSHomeDirectory", "UserHomeDir", "homeDirectory", "\"HOME\""];
            let home = home.iter().any(|word| code.contains(word)).then(|| "~".to_owned());
            for path in literals.into_iter().chain(home) {
                self.note_as("generic", ["rm".to_owned(), "-rf".to_owned(), path], state);
            }
        }
    }

    /// Tcl: commands of words, in brackets or one a line.
    fn tcl(&mut self, code: &str, state: &mut State) {
        for piece in code.split([';', '\n', '[', ']', '{', '}']).take(400) {
            let piece = piece.trim();
            if let Some(command) =
                piece.strip_prefix("exec ").or(piece.strip_prefix("spawn ")).or(piece.strip_prefix("system "))
            {
                self.run_slot("tcl", command, state);
            } else if let Some(paths) = piece.strip_prefix("file delete") {
                let words = ["rm", "-rf"]
                    .into_iter()
                    .chain(paths.split_whitespace().filter(|word| !word.starts_with('-')));
                self.note_as("tcl", words.map(str::to_owned), state);
            } else if let Some(paths) = piece.strip_prefix("glob ").filter(|_| code.contains("file delete")) {
                let found = paths.split_whitespace().filter(|word| !word.starts_with('-'));
                for path in found {
                    let path = Arg { glob: path.contains('*'), ..Arg::new(home_path(path, self.home_ref())) };
                    let argv = vec![Arg::new("rm"), Arg::new("-rf"), path];
                    self.wrapped("tcl", |reader| reader.record(argv, state));
                }
            }
        }
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

/// Code without the texts in it that are more than a word: what is only said is not done.
pub fn without_texts(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    while let Some(next) = code[at..].find(['"', '\'']).map(|i| at + i) {
        out.push_str(&code[at..next]);
        let end = end_of_string(code, next);
        let text = &code[next..end];
        // A quote that does not close is an apostrophe.
        if end == code.len() && !text[1..].ends_with(&text[..1]) {
            out.push_str(&text[..1]);
            at = next + 1;
            continue;
        }
        out.push_str(if text.contains(char::is_whitespace) { "\"\"" } else { text });
        at = end;
    }
    out + &code[at..]
}

/// The string literals of code in whatever language, backticks included.
fn literals(code: &str) -> Vec<String> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < 200 {
        if matches!(bytes[at], b'"' | b'\'' | b'`') {
            let end = end_of_string(code, at);
            // A lone quote is an apostrophe, or a quoted symbol of a Lisp.
            if end > at + 1 && bytes.get(end - 1) == Some(&bytes[at]) {
                found.extend(code.get(at + 1..end - 1).map(|text| text.replace("\\\"", "\"")));
                at = end;
                continue;
            }
        }
        at += 1;
    }
    found
}

/// Commands in backticks, `qx`, `%x`, and a pipe to a shell in awk.
fn backticks(language: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    match language {
        "perl" | "ruby" | "php" => {
            let pieces: Vec<&str> = code.split('`').collect();
            found.extend(pieces.iter().skip(1).step_by(2).map(|p| (*p).to_owned()));
            for (open, close) in [
                ("qx{", '}'),
                ("qx(", ')'),
                ("qx/", '/'),
                ("qx[", ']'),
                ("%x(", ')'),
                ("%x{", '}'),
                ("%x[", ']'),
            ] {
                for piece in code.split(open).skip(1) {
                    found.extend(piece.split(close).next().map(str::to_owned));
                }
            }
        }
        // Bun's `$`…``.
        "javascript" => {
            for piece in code.split("$`").skip(1) {
                // `${process.env.HOME}` is `$HOME` to a shell.
                let text = piece.split('`').next().map(|text| text.replace("${process.env.", "${"));
                found.extend(text);
            }
        }
        "awk" => {
            // `print "cmd" | "sh"` and `"cmd" | getline`.
            let pieces: Vec<&str> = code.split('|').collect();
            for (index, piece) in pieces.iter().enumerate().skip(1) {
                let target = piece.trim_start_matches(['&', ' ']);
                let name =
                    target.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
                let command = match target.strip_prefix('"') {
                    Some(text) => text.split('"').next(),
                    // The name of a text.
                    None => code
                        .split_once(&format!("{name}=\""))
                        .and_then(|(_, text)| text.split('"').next())
                        .filter(|_| !name.is_empty()),
                };
                let program = command.and_then(|c| c.split_whitespace().next()).map(crate::path::name);
                if program.is_some_and(crate::code::is_shell) || target.starts_with("getline") {
                    let command = pieces[index - 1].rsplit('"').nth(1).unwrap_or_default();
                    // What it prints is run, under the name that it was given.
                    let given = target
                        .strip_prefix("getline ")
                        .and_then(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
                    let runs = given.is_some_and(|name| code.contains(&format!("system({name})")));
                    found.push(if runs { format!("{command} | sh") } else { command.to_owned() });
                } else if let Some(command) = command {
                    found.push(command.to_owned());
                }
            }
        }
        "osascript" => {
            for piece in code
                .split("do shell script")
                .chain(code.split("do script"))
                .filter(|piece| piece.trim_start().starts_with('"'))
            {
                found.extend(piece.split('"').nth(1).map(str::to_owned));
            }
            // Its JavaScript: `$.system("…")`.
            if code.contains(".system(") || code.contains("doShellScript(") {
                found.extend(literals(code).into_iter().filter(|text| is_command(text)));
            }
        }
        _ => {}
    }
    found
}

/// The files of awk's `print … > "file"`.
fn printed_to(code: &str) -> impl Iterator<Item = &str> {
    let statements =
        code.split([';', '\n', '{', '}']).filter(|statement| statement.trim_start().starts_with("print"));
    statements.filter_map(|statement| {
        let (_, target) = statement.rsplit_once('>')?;
        target.trim_start().strip_prefix('"')?.split('"').next()
    })
}

/// What `print("…")` alone prints.
fn printed(language: &'static str, code: &str) -> Option<String> {
    let trimmed = code.trim().trim_end_matches(';');
    let inside = match language {
        "python" => trimmed.rsplit([';', '\n']).next()?.trim().strip_prefix("print(")?.strip_suffix(')')?,
        "javascript" => trimmed
            .strip_prefix("console.log(")
            .or(trimmed.strip_prefix("process.stdout.write("))?
            .strip_suffix(')')?,
        "perl" | "ruby" => trimmed
            .strip_prefix("print ")
            .or(trimmed.strip_prefix("puts "))
            .or(trimmed.strip_prefix("say "))?,
        "php" => trimmed.strip_prefix("echo ")?,
        _ => return None,
    };
    let names = constants(language, code);
    let text = value::value(inside, &names).text();
    is_known(&text).then(|| text + "\n")
}
