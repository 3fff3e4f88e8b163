//! Code of other languages, read for what it does to the machine: commands it starts, files it deletes or writes, code it fetches
//! and runs. Not an interpreter: it finds calls by name and reads their arguments where those are constant.

use crate::reader::Reader;
use crate::reading::{Arg, Call, Direction, Redirect};
use crate::state::State;
use crate::text::{ANY, DECODED, NET, SECRET};

/// What a call does with its first argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// A shell command, or a list of words.
    Runs,
    /// A list of words, first the program.
    RunsWords,
    Deletes,
    DeletesTree,
    Writes,
    /// Runs its argument as code of the same language.
    Evaluates,
}

/// Calls by the end of their dotted name.
const CALLS: &[(&str, &str, Does)] = &[
    ("python", "os.system", Does::Runs),
    ("python", "os.popen", Does::Runs),
    ("python", "system", Does::Runs),
    ("python", "popen", Does::Runs),
    ("python", "Popen", Does::Runs),
    ("python", "run", Does::Runs),
    ("python", "call", Does::Runs),
    ("python", "check_call", Does::Runs),
    ("python", "check_output", Does::Runs),
    ("python", "getoutput", Does::Runs),
    ("python", "getstatusoutput", Does::Runs),
    ("python", "spawn", Does::Runs),
    ("python", "execv", Does::RunsWords),
    ("python", "execvp", Does::RunsWords),
    ("python", "execl", Does::RunsWords),
    ("python", "execlp", Does::RunsWords),
    ("python", "spawnlp", Does::RunsWords),
    ("python", "rmtree", Does::DeletesTree),
    ("python", "removedirs", Does::DeletesTree),
    ("python", "os.remove", Does::Deletes),
    ("python", "remove", Does::Deletes),
    ("python", "os.unlink", Does::Deletes),
    ("python", "unlink", Does::Deletes),
    ("python", "rmdir", Does::Deletes),
    ("python", "open", Does::Writes),
    ("python", "write_text", Does::Writes),
    ("python", "write_bytes", Does::Writes),
    ("python", "truncate", Does::Writes),
    ("python", "exec", Does::Evaluates),
    ("python", "eval", Does::Evaluates),
    ("perl", "system", Does::Runs),
    ("perl", "exec", Does::Runs),
    ("perl", "qx", Does::Runs),
    ("perl", "unlink", Does::Deletes),
    ("perl", "rmtree", Does::DeletesTree),
    ("perl", "remove_tree", Does::DeletesTree),
    ("perl", "rmdir", Does::Deletes),
    ("perl", "eval", Does::Evaluates),
    ("ruby", "system", Does::Runs),
    ("ruby", "exec", Does::Runs),
    ("ruby", "spawn", Does::Runs),
    ("ruby", "popen", Does::Runs),
    ("ruby", "capture2", Does::Runs),
    ("ruby", "rm_rf", Does::DeletesTree),
    ("ruby", "rm_r", Does::DeletesTree),
    ("ruby", "remove_dir", Does::DeletesTree),
    ("ruby", "remove_entry_secure", Does::DeletesTree),
    ("ruby", "File.delete", Does::Deletes),
    ("ruby", "File.unlink", Does::Deletes),
    ("ruby", "File.write", Does::Writes),
    ("ruby", "eval", Does::Evaluates),
    ("javascript", "exec", Does::Runs),
    ("javascript", "execSync", Does::Runs),
    ("javascript", "spawn", Does::RunsWords),
    ("javascript", "spawnSync", Does::RunsWords),
    ("javascript", "execFile", Does::RunsWords),
    ("javascript", "execFileSync", Does::RunsWords),
    ("javascript", "rmSync", Does::DeletesTree),
    ("javascript", "rm", Does::DeletesTree),
    ("javascript", "rmdirSync", Does::DeletesTree),
    ("javascript", "rmdir", Does::DeletesTree),
    ("javascript", "removeSync", Does::DeletesTree),
    ("javascript", "unlinkSync", Does::Deletes),
    ("javascript", "unlink", Does::Deletes),
    ("javascript", "writeFileSync", Does::Writes),
    ("javascript", "writeFile", Does::Writes),
    ("javascript", "appendFileSync", Does::Writes),
    ("javascript", "eval", Does::Evaluates),
    ("javascript", "Function", Does::Evaluates),
    ("javascript", "then", Does::Evaluates),
    ("php", "system", Does::Runs),
    ("php", "exec", Does::Runs),
    ("php", "shell_exec", Does::Runs),
    ("php", "passthru", Does::Runs),
    ("php", "popen", Does::Runs),
    ("php", "proc_open", Does::Runs),
    ("php", "unlink", Does::Deletes),
    ("php", "rmdir", Does::Deletes),
    ("php", "file_put_contents", Does::Writes),
    ("php", "eval", Does::Evaluates),
    ("lua", "os.execute", Does::Runs),
    ("lua", "io.popen", Does::Runs),
    ("lua", "os.remove", Does::Deletes),
    ("lua", "load", Does::Evaluates),
    ("r", "system", Does::Runs),
    ("r", "system2", Does::Runs),
    ("r", "unlink", Does::DeletesTree),
    ("r", "file.remove", Does::Deletes),
    ("awk", "system", Does::Runs),
    ("tcl", "exec", Does::Runs),
];

/// Words that mean that text comes over the network, or out of an encoding.
const FETCHES: &[&str] = &[
    "urlopen",
    "requests.get",
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
];

impl Reader<'_> {
    /// Reads `code` for its effects, which are noted as if a shell had them. Returns what it may print.
    pub(crate) fn inline(&mut self, language: &'static str, code: &str, state: &mut State) -> String {
        self.reading.inline.push((language.to_owned(), code.to_owned()));
        let fetches = FETCHES.iter().any(|word| code.contains(word));
        let decodes = DECODES.iter().any(|word| code.contains(word));
        self.whole_program(language, code, fetches);
        for call in calls(language, code) {
            self.effect(language, &call, fetches, decodes, state);
        }
        for command in backticks(language, code) {
            self.run_text(&command, language, state);
        }
        let mut output = String::new();
        if fetches {
            output.push(NET);
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

    /// What shows only in the program as a whole: reverse shells and fork bombs.
    fn whole_program(&mut self, language: &str, code: &str, fetches: bool) {
        let has = |word: &str| code.contains(word);
        let connects = (has("socket")
            || has("Socket")
            || has("fsockopen")
            || has("net.connect")
            || has("TCPSocket")
            || has("net.Socket"))
            && (has("connect") || has("fsockopen") || has("Socket("));
        let shell = has("/bin/sh") || has("/bin/bash") || has("sh -i") || has("cmd.exe") || has("pty.spawn");
        if connects && shell || (has("dup2") && has("socket")) {
            self.unseen("reverse shell", &NET.to_string());
        }
        let loops = has("while") || has("loop") || has("for(;;)") || has("for (;;)");
        if has("fork") && loops && !has("forkserver") && !fetches {
            self.reading.fork_bomb = true;
        }
        let _ = language;
    }

    fn effect(
        &mut self,
        language: &'static str,
        call: &Found,
        fetches: bool,
        decodes: bool,
        state: &mut State,
    ) {
        let first = call.args.first().cloned().unwrap_or_default();
        match call.does {
            Does::Evaluates => {
                // `.then(eval)`: the function itself is the argument.
                let names_eval = call.name.ends_with("then")
                    && !call.raw.contains("eval")
                    && !call.raw.contains("Function");
                if names_eval {
                    return;
                }
                if fetches {
                    self.unseen(language, &NET.to_string());
                } else if decodes {
                    match decode_literal(&call.raw) {
                        Some(code) => {
                            self.deeper(|reader| reader.inline(language, &code, state));
                        }
                        None => self.unseen(language, &DECODED.to_string()),
                    }
                } else if let Some(Value::Text(code)) = call.args.first() {
                    let code = code.clone();
                    if !crate::reader::is_only_holes(&code) {
                        self.deeper(|reader| reader.inline(language, &code, state));
                    }
                }
            }
            Does::Runs | Does::RunsWords => match first {
                Value::List(words) if !words.is_empty() => self.start(language, words, state),
                Value::Text(text) if call.does == Does::RunsWords => {
                    let mut words = vec![text];
                    for arg in &call.args[1..] {
                        match arg {
                            Value::List(list) => words.extend(list.iter().cloned()),
                            Value::Text(text) => words.push(text.clone()),
                        }
                    }
                    // `execvp("sh", ["sh", "-c", …])` names the program twice.
                    if words.len() > 1 && crate::path::name(&words[0]) == crate::path::name(&words[1]) {
                        words.remove(0);
                    }
                    self.start(language, words, state);
                }
                Value::Text(text) => {
                    let several = matches!(language, "perl" | "ruby" | "php") && call.args.len() > 1;
                    if several {
                        let words = call.args.iter().map(|arg| match arg {
                            Value::Text(text) => text.clone(),
                            Value::List(list) => list.join(" "),
                        });
                        let words: Vec<String> = words.collect();
                        self.start(language, words, state);
                    } else if crate::reader::is_only_holes(&text) {
                        let mark = if fetches {
                            NET
                        } else if decodes {
                            DECODED
                        } else {
                            ANY
                        };
                        if mark != ANY {
                            self.unseen(language, &mark.to_string());
                        }
                    } else {
                        self.wrapped(language, |reader| reader.run_text(&text, language, state));
                    }
                }
                Value::List(_) => {}
            },
            Does::Deletes | Does::DeletesTree => {
                let flags = if call.does == Does::DeletesTree { "-rf" } else { "-f" };
                for path in call.args.first().map(Value::texts).unwrap_or_default() {
                    let argv = vec![
                        Arg::new("rm"),
                        Arg::new(flags),
                        Arg { glob: path.contains('*'), ..Arg::new(path) },
                    ];
                    self.wrapped(language, |reader| reader.record(argv, state));
                }
            }
            Does::Writes => {
                let writes = language != "python"
                    || call.name != "open"
                    || call
                        .args
                        .get(1)
                        .is_some_and(|mode| mode.texts().iter().any(|m| m.contains(['w', 'a', 'x', '+'])));
                if let (true, Value::Text(path)) = (writes, first) {
                    let redirect = Redirect { fd: 1, direction: Direction::Write, target: Arg::new(path) };
                    let call = Call {
                        redirects: vec![redirect],
                        cwd: state.cwd(),
                        wrappers: vec![language],
                        script: self.script.clone(),
                        ..Call::default()
                    };
                    self.reading.calls.push(call);
                }
            }
        }
    }

    fn start(&mut self, language: &'static str, words: Vec<String>, state: &mut State) {
        let argv: Vec<Arg> = words.into_iter().map(Arg::new).collect();
        self.wrapped(language, |reader| reader.dispatch(argv, state));
    }
}

#[derive(Clone, Debug)]
enum Value {
    Text(String),
    List(Vec<String>),
}

impl Default for Value {
    fn default() -> Self {
        Value::Text(ANY.to_string())
    }
}

impl Value {
    fn texts(&self) -> Vec<String> {
        match self {
            Value::Text(text) => vec![text.clone()],
            Value::List(list) => list.clone(),
        }
    }
}

struct Found {
    name: String,
    does: Does,
    args: Vec<Value>,
    /// The arguments as they are written.
    raw: String,
}

/// The calls of `code` that matter, with their arguments.
fn calls(language: &str, code: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let renamed = renamed(language, code);
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() && found.len() < 200 {
        let b = bytes[at];
        if b == b'\'' || b == b'"' {
            at = end_of_string(code, at);
            continue;
        }
        if b == b'#'
            && matches!(language, "python" | "ruby" | "perl" | "r")
            && (at == 0 || bytes[at - 1].is_ascii_whitespace())
        {
            at = code[at..].find('\n').map_or(bytes.len(), |i| at + i);
            continue;
        }
        if !(b.is_ascii_alphabetic() || b == b'_') {
            at += 1;
            continue;
        }
        let begin = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_alphanumeric()
                || matches!(bytes[at], b'_' | b'.' | b':' | b'$')
                || (bytes[at] == b'-' && bytes.get(at + 1) == Some(&b'>')))
        {
            at += 1;
        }
        let name = &code[begin..at];
        let name = name.trim_end_matches(['.', ':']);
        let name = renamed.iter().find(|(new, _)| new == name).map_or(name, |(_, old)| old.as_str());
        let Some((_, _, does)) = CALLS.iter().find(|(l, n, _)| *l == language && is_named(name, n)) else {
            continue;
        };
        let rest = code[at..].trim_start_matches([' ', '\t']);
        let open = code.len() - rest.len();
        let raw = if let Some(inside) = rest.strip_prefix('(') {
            let end = matching(inside);
            inside[..end].to_owned()
        } else if language == "tcl"
            || matches!(language, "perl" | "ruby")
                && (*does == Does::Evaluates || rest.starts_with(['"', '\'', '<', 'g', 'q', '{', '[']))
        {
            rest.split(['\n', ';']).next().unwrap_or_default().to_owned()
        } else {
            continue;
        };
        // Words of Tcl need no quotes.
        let mut args =
            if language == "tcl" { vec![Value::Text(raw.trim().to_owned())] } else { arguments(&raw) };
        // A method of a path: `Path('x').unlink()`.
        if raw.trim().is_empty()
            || (*does == Does::Writes && name.contains('.') && name != "open" && language == "python")
        {
            let receiver = receiver(&code[..begin]);
            if let Some(value) = receiver {
                args = vec![value];
            } else if raw.trim().is_empty() {
                continue;
            }
        }
        found.push(Found {
            name: name.rsplit('.').next().unwrap_or(name).to_owned(),
            does: *does,
            args,
            raw: raw.clone(),
        });
        at = open + 1;
    }
    found
}

/// `from os import system as s`: what a name stands for.
fn renamed(language: &str, code: &str) -> Vec<(String, String)> {
    if language != "python" {
        return Vec::new();
    }
    let mut found = Vec::new();
    for statement in code.split(['\n', ';']) {
        let Some((_, names)) =
            statement.trim().strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        else {
            continue;
        };
        for name in names.trim_matches(['(', ')']).split(',') {
            if let Some((old, new)) = name.split_once(" as ") {
                found.push((new.trim().to_owned(), old.trim().to_owned()));
            }
        }
    }
    found
}

/// `os.system` also as `__import__('os').system` and `s.run`.
fn is_named(name: &str, wanted: &str) -> bool {
    if name == wanted {
        return true;
    }
    if wanted.contains('.') {
        name.ends_with(wanted.rsplit('.').next().unwrap_or(wanted))
            && name.ends_with(&format!(".{}", wanted.rsplit('.').next().unwrap_or(wanted)))
            && wanted.split('.').next() != Some("File")
    } else {
        name.rsplit(['.', ':', '>']).next() == Some(wanted)
    }
}

/// What stands before a method call, when it is `Path("…")` or `os.path.expanduser("…")`.
fn receiver(before: &str) -> Option<Value> {
    let trimmed = before.trim_end_matches('.').trim_end();
    let inside = trimmed.strip_suffix(')')?;
    let mut depth = 1;
    let open = inside.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let head = inside[..open].trim_end();
    let value = value(&inside[open + 1..]);
    Some(if head.ends_with("home") { Value::Text("~".into()) } else { value })
}

fn end_of_string(code: &str, at: usize) -> usize {
    let bytes = code.as_bytes();
    let quote = bytes[at];
    let triple = code[at..].starts_with("'''") || code[at..].starts_with("\"\"\"");
    let mut i = at + if triple { 3 } else { 1 };
    while i < bytes.len() {
        if bytes[i] == b'\\' {
            i += 2;
            continue;
        }
        if bytes[i] == quote && (!triple || code.get(i..i + 3).is_some_and(|s| s.bytes().all(|b| b == quote)))
        {
            return i + if triple { 3 } else { 1 };
        }
        i += 1;
    }
    bytes.len()
}

/// Where the parenthesis that was opened before `text` closes.
fn matching(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 1;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' | b'`' => {
                at = end_of_string(text, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn arguments(raw: &str) -> Vec<Value> {
    split_top(raw).into_iter().map(|part| value(&part)).collect()
}

/// Split at commas that are in no bracket and no string.
fn split_top(raw: &str) -> Vec<String> {
    let bytes = raw.as_bytes();
    let mut parts = Vec::new();
    let (mut depth, mut begin, mut at) = (0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' | b'`' => {
                at = end_of_string(raw, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(raw[begin..at].to_owned());
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !raw[begin..].trim().is_empty() {
        parts.push(raw[begin..].to_owned());
    }
    parts
}

/// A constant, where the expression is one; home directories are known by how they are asked for.
fn value(expression: &str) -> Value {
    let text = expression.trim();
    if let Some(inside) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let words = split_top(inside).into_iter().map(|part| match value(&part) {
            Value::Text(text) => text,
            Value::List(list) => list.join(" "),
        });
        return Value::List(words.collect());
    }
    if let Some(inside) =
        text.strip_prefix("glob(").or(text.strip_prefix("glob.glob(")).and_then(|t| t.strip_suffix(')'))
    {
        return value(inside);
    }
    if let Some(words) = text.strip_prefix('<').and_then(|t| t.split_once('>').map(|(inside, _)| inside)) {
        return Value::Text(words.to_owned());
    }
    if let Some(inside) = text
        .strip_prefix('{')
        .or(text.strip_prefix("q{"))
        .or(text.strip_prefix("qq{"))
        .and_then(|t| t.strip_suffix('}'))
    {
        return Value::Text(inside.to_owned());
    }
    if let Some(literal) = string_literal(text).filter(|literal| literal.contains("$ENV{HOME}")) {
        return Value::Text(literal.replace("$ENV{HOME}", "~"));
    }
    if text.contains("homedir()")
        || text.contains("Path.home()")
        || text.contains("Dir.home")
        || text.contains("ENV['HOME']")
        || text.contains("$ENV{HOME}")
        || text.contains("process.env.HOME")
        || text.contains("environ['HOME']")
        || text.contains("environ[\"HOME\"]")
        || text.contains("getenv('HOME')")
        || text.contains("getenv(\"HOME\")")
        || text.contains("path.expand")
    {
        return Value::Text("~".into());
    }
    match string_literal(text) {
        Some(text) => Value::Text(text),
        None => match inner_string(text) {
            // `os.path.expanduser('~/x')`, `Path('/x')`, `str('/')`.
            Some(text) => Value::Text(text),
            None => Value::default(),
        },
    }
}

/// A string literal by itself, prefixes of Python allowed; concatenated ones are joined.
fn string_literal(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text.trim();
    loop {
        let body = rest.trim_start_matches(['r', 'b', 'f', 'u', 'R', 'B', 'F']);
        let quote = body.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
        let end = end_of_string(body, 0);
        let triple = body.starts_with(&quote.to_string().repeat(3));
        let width = if triple { 3 } else { 1 };
        let inside = body.get(width..end.checked_sub(width)?)?;
        out.push_str(
            &inside.replace("\\n", "\n").replace("\\\"", "\"").replace("\\'", "'").replace("\\\\", "\\"),
        );
        rest = body[end..].trim_start();
        match rest.strip_prefix(['+', '.']) {
            Some(more) => rest = more.trim_start(),
            None if rest.is_empty() => return Some(out),
            None if rest.starts_with(['\'', '"']) => {}
            None => return None,
        }
    }
}

/// The single string argument of a call around it.
fn inner_string(text: &str) -> Option<String> {
    let open = text.find('(')?;
    let name = text[..open].trim();
    let known = [
        "expanduser",
        "Path",
        "PosixPath",
        "str",
        "abspath",
        "realpath",
        "resolve",
        "File.expand_path",
        "join",
        "pathlib.Path",
        "PurePath",
        "shlex.split",
        "split",
    ];
    if !known.iter().any(|k| name.ends_with(k)) {
        return None;
    }
    let inside = &text[open + 1..];
    let inside = &inside[..matching(inside)];
    let parts: Vec<String> = split_top(inside)
        .iter()
        .map(|p| match value(p) {
            Value::Text(text) => text,
            Value::List(list) => list.join(" "),
        })
        .collect();
    Some(parts.join("/"))
}

/// Commands in backticks, `qx`, `%x`, and a pipe to a shell in awk.
fn backticks(language: &str, code: &str) -> Vec<String> {
    let mut found = Vec::new();
    match language {
        "perl" | "ruby" | "php" => {
            let pieces: Vec<&str> = code.split('`').collect();
            found.extend(pieces.iter().skip(1).step_by(2).map(|p| (*p).to_owned()));
            for (open, close) in
                [("qx{", '}'), ("qx(", ')'), ("qx/", '/'), ("%x(", ')'), ("%x{", '}'), ("%x[", ']')]
            {
                for piece in code.split(open).skip(1) {
                    found.extend(piece.split(close).next().map(str::to_owned));
                }
            }
        }
        "awk" => {
            // `print "cmd" | "sh"` and `"cmd" | getline`.
            for (index, piece) in code.split('|').enumerate() {
                let before = code.split('|').nth(index.wrapping_sub(1)).unwrap_or_default();
                let target = piece.trim_start();
                if target.starts_with("\"sh") || target.starts_with("\"bash") || target.starts_with("getline")
                {
                    found.extend(before.rsplit('"').nth(1).map(str::to_owned));
                } else if let Some(command) =
                    target.strip_prefix('"').and_then(|t| t.split('"').next()).filter(|_| index > 0)
                {
                    found.push(command.to_owned());
                }
            }
        }
        "osascript" => {
            for piece in code.split("do shell script").skip(1) {
                found.extend(piece.split('"').nth(1).map(str::to_owned));
            }
        }
        _ => {}
    }
    found
}

/// The text inside a decoding call of a literal.
fn decode_literal(raw: &str) -> Option<String> {
    let start = raw.find(['\'', '"'])?;
    let literal = &raw[start..end_of_string(raw, start)];
    let inside = literal.get(1..literal.len().checked_sub(1)?)?;
    let bytes = crate::simulate::base64(inside)?;
    String::from_utf8(bytes).ok()
}

/// What `print("…")` alone prints.
fn printed(language: &str, code: &str) -> Option<String> {
    let trimmed = code.trim().trim_end_matches(';');
    let inside = match language {
        "python" => trimmed.strip_prefix("print(")?.strip_suffix(')')?,
        "javascript" => trimmed.strip_prefix("console.log(")?.strip_suffix(')')?,
        "perl" | "ruby" => trimmed.strip_prefix("print ").or(trimmed.strip_prefix("puts "))?,
        "php" => trimmed.strip_prefix("echo ")?,
        _ => return None,
    };
    string_literal(inside).map(|text| text + "\n")
}
