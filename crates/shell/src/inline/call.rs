//! Calls in code that matter, by name, with their arguments.

use super::text::{end_of_string, matching};
use super::value::{Names, Value, arguments, value};

/// What a call does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// A shell command, or a list of words.
    Runs,
    /// A list of words, first the program.
    RunsWords,
    /// The same after a first argument that is a mode.
    SpawnsWords,
    Deletes,
    DeletesTree,
    Writes,
    Reads,
    /// What a command does; `$1` is the first argument.
    Like(&'static str),
    Kills,
    /// Runs its argument as code of the same language.
    Evaluates,
    /// Fetches a file from the network to a place.
    Downloads,
    /// A method by its name: `send(:system, …)`.
    Sends,
    /// Names files, so that what is done to unknown ones later is done to these.
    Finds,
}

use Does::{
    Deletes, DeletesTree, Downloads, Evaluates, Finds, Kills, Like, Reads, Runs, RunsWords, Sends,
    SpawnsWords, Writes,
};

const COPY: Does = Like("cp -r $1 $2");
const FIFO: Does = Like("mkfifo $1");
const LINK: Does = Like("ln -sf $1 $2");
const MOVE: Does = Like("mv $1 $2");
/// The mode of a file: most say the file first.
const MODE: Does = Like("chmod $2 $1");
const MODE_FIRST: Does = Like("chmod $1 $2");
const OWNER: Does = Like("chown $2 $1");

/// Calls by the end of their dotted name.
static CALLS: &[(&str, &[(&str, Does)])] = &[
    (
        "python",
        &[
            ("system", Runs),
            ("popen", Runs),
            ("Popen", Runs),
            ("run", Runs),
            ("call", Runs),
            ("check_call", Runs),
            ("check_output", Runs),
            ("getoutput", Runs),
            ("getstatusoutput", Runs),
            ("create_subprocess_shell", Runs),
            ("create_subprocess_exec", RunsWords),
            ("spawn", Runs),
            ("execv", RunsWords),
            ("execve", RunsWords),
            ("execvp", RunsWords),
            ("execvpe", RunsWords),
            ("execl", RunsWords),
            ("execlp", RunsWords),
            ("posix_spawn", RunsWords),
            ("posix_spawnp", RunsWords),
            ("spawnl", SpawnsWords),
            ("spawnlp", SpawnsWords),
            ("spawnv", SpawnsWords),
            ("spawnvp", SpawnsWords),
            ("rmtree", DeletesTree),
            ("removedirs", DeletesTree),
            ("remove", Deletes),
            ("unlink", Deletes),
            ("rmdir", Deletes),
            ("open", Writes),
            ("write_text", Writes),
            ("write_bytes", Writes),
            ("truncate", Writes),
            ("copyfile", COPY),
            ("copytree", COPY),
            ("copy2", COPY),
            ("copy", COPY),
            ("symlink", LINK),
            ("link", LINK),
            ("symlink_to", Like("ln -sf $2 $1")),
            ("hardlink_to", Like("ln -sf $2 $1")),
            ("mkfifo", FIFO),
            ("mknod", FIFO),
            ("read_text", Reads),
            ("read_bytes", Reads),
            ("rename", MOVE),
            ("renames", MOVE),
            ("=os.replace", MOVE),
            ("move", MOVE),
            ("chmod", MODE),
            ("chown", OWNER),
            ("kill", Kills),
            ("killpg", Kills),
            ("urlretrieve", Downloads),
            ("exec", Evaluates),
            ("eval", Evaluates),
            ("glob", Finds),
            ("rglob", Finds),
            ("iglob", Finds),
            ("walk", Finds),
            ("listdir", Finds),
            ("scandir", Finds),
            ("iterdir", Finds),
        ],
    ),
    (
        "perl",
        &[
            ("system", Runs),
            ("exec", Runs),
            ("qx", Runs),
            ("open", Runs),
            ("unlink", Deletes),
            ("rmtree", DeletesTree),
            ("remove_tree", DeletesTree),
            ("rmdir", Deletes),
            ("rename", MOVE),
            ("copy", COPY),
            ("move", MOVE),
            ("symlink", LINK),
            ("link", LINK),
            ("mkfifo", FIFO),
            ("chmod", MODE_FIRST),
            ("chown", Like("chown $1 $3")),
            ("kill", Kills),
            ("eval", Evaluates),
            ("glob", Finds),
            ("finddepth", Finds),
            ("find", Finds),
        ],
    ),
    (
        "ruby",
        &[
            ("system", Runs),
            ("exec", Runs),
            ("spawn", Runs),
            ("popen", Runs),
            ("capture2", Runs),
            ("capture2e", Runs),
            ("capture3", Runs),
            ("popen3", Runs),
            ("rm_rf", DeletesTree),
            ("rm_r", DeletesTree),
            ("remove_dir", DeletesTree),
            ("remove_entry", DeletesTree),
            ("remove_entry_secure", DeletesTree),
            ("rmtree", DeletesTree),
            ("File.delete", Deletes),
            ("File.unlink", Deletes),
            ("FileUtils.rm", Deletes),
            ("open", Writes),
            ("File.write", Writes),
            ("File.read", Reads),
            ("IO.read", Reads),
            ("FileUtils.mv", MOVE),
            ("File.rename", MOVE),
            ("FileUtils.cp", COPY),
            ("FileUtils.cp_r", COPY),
            ("FileUtils.copy", COPY),
            ("FileUtils.ln_s", LINK),
            ("FileUtils.ln_sf", LINK),
            ("FileUtils.ln", LINK),
            ("File.symlink", LINK),
            ("File.link", LINK),
            ("File.mkfifo", FIFO),
            ("File.chmod", MODE_FIRST),
            ("FileUtils.chmod", MODE_FIRST),
            ("FileUtils.chmod_R", Like("chmod -R $1 $2")),
            ("FileUtils.chown_R", Like("chown -R $1 $3")),
            ("Process.kill", Kills),
            ("send", Sends),
            ("public_send", Sends),
            ("__send__", Sends),
            ("eval", Evaluates),
            ("instance_eval", Evaluates),
            ("Dir.glob", Finds),
        ],
    ),
    (
        "javascript",
        &[
            ("exec", Runs),
            ("execSync", Runs),
            ("spawn", RunsWords),
            ("spawnSync", RunsWords),
            ("execFile", RunsWords),
            ("execFileSync", RunsWords),
            ("Deno.Command", RunsWords),
            ("rmSync", DeletesTree),
            ("rm", DeletesTree),
            ("rmdirSync", DeletesTree),
            ("rmdir", DeletesTree),
            ("removeSync", DeletesTree),
            ("emptyDirSync", DeletesTree),
            ("sync", DeletesTree),
            ("rimraf", DeletesTree),
            ("Deno.remove", DeletesTree),
            ("unlinkSync", Deletes),
            ("unlink", Deletes),
            ("writeFileSync", Writes),
            ("writeFile", Writes),
            ("appendFileSync", Writes),
            ("appendFile", Writes),
            ("truncateSync", Writes),
            ("readFileSync", Reads),
            ("readFile", Reads),
            ("readTextFileSync", Reads),
            ("createWriteStream", Writes),
            ("Bun.write", Writes),
            ("writeTextFile", Writes),
            ("writeTextFileSync", Writes),
            ("renameSync", MOVE),
            ("rename", MOVE),
            ("copyFileSync", COPY),
            ("copyFile", COPY),
            ("cpSync", COPY),
            ("symlinkSync", LINK),
            ("symlink", LINK),
            ("linkSync", LINK),
            ("chmodSync", MODE),
            ("chmod", MODE),
            ("chownSync", OWNER),
            ("kill", Kills),
            ("eval", Evaluates),
            ("Function", Evaluates),
            ("runInNewContext", Evaluates),
            ("runInThisContext", Evaluates),
            ("then", Evaluates),
            ("readdirSync", Finds),
            ("globSync", Finds),
        ],
    ),
    (
        "php",
        &[
            ("system", Runs),
            ("exec", Runs),
            ("shell_exec", Runs),
            ("passthru", Runs),
            ("popen", Runs),
            ("proc_open", Runs),
            ("pcntl_exec", RunsWords),
            ("unlink", Deletes),
            ("rmdir", Deletes),
            ("array_map", Deletes),
            ("fopen", Writes),
            ("file_put_contents", Writes),
            ("file_get_contents", Reads),
            ("readfile", Reads),
            ("rename", MOVE),
            ("copy", COPY),
            ("symlink", LINK),
            ("link", LINK),
            ("posix_mkfifo", FIFO),
            ("chmod", MODE),
            ("chown", OWNER),
            ("posix_kill", Kills),
            ("eval", Evaluates),
            ("assert", Evaluates),
            ("glob", Finds),
            ("scandir", Finds),
            ("RecursiveDirectoryIterator", Finds),
            ("DirectoryIterator", Finds),
            ("FilesystemIterator", Finds),
        ],
    ),
    (
        "lua",
        &[
            ("os.execute", Runs),
            ("io.popen", Runs),
            ("os.remove", Deletes),
            ("os.rename", MOVE),
            ("load", Evaluates),
            ("loadstring", Evaluates),
        ],
    ),
    (
        "r",
        &[
            ("system", Runs),
            ("system2", RunsWords),
            ("shell", Runs),
            ("unlink", DeletesTree),
            ("file.remove", Deletes),
            ("file.copy", COPY),
            ("file.rename", MOVE),
            ("file.symlink", LINK),
            ("readLines", Reads),
            ("download.file", Downloads),
            ("eval", Evaluates),
            ("list.files", Finds),
        ],
    ),
    ("awk", &[("system", Runs)]),
];

pub(super) struct Found {
    pub(super) name: String,
    pub(super) does: Does,
    pub(super) args: Vec<Value>,
    /// The arguments as they are written.
    pub(super) raw: String,
    /// The text right behind the call: `.write('…')`.
    pub(super) after: String,
}

fn known(language: &str, name: &str) -> Option<Does> {
    let (_, calls) = CALLS.iter().find(|(l, _)| *l == language)?;
    calls.iter().find(|(wanted, _)| is_named(name, wanted)).map(|(_, does)| *does)
}

/// `system` also as `os.system`, `__import__('os').system` and `s.system`; a dotted name must end so; `=` is the whole name.
fn is_named(name: &str, wanted: &str) -> bool {
    if let Some(whole) = wanted.strip_prefix('=') {
        return name == whole;
    }
    if wanted.contains('.') {
        return name == wanted
            || name.strip_suffix(wanted).is_some_and(|head| head.ends_with(['.', ':']))
            || (!wanted.starts_with(|c: char| c.is_ascii_uppercase())
                && name.rsplit('.').next() == wanted.rsplit('.').next()
                && name.contains('.'));
    }
    name.rsplit(['.', ':', '>']).next() == Some(wanted)
}

/// The calls of `code` that matter, with their arguments.
pub(super) fn calls(code: &str, names: &Names) -> Vec<Found> {
    let language = names.language;
    let renamed = renamed(language, code);
    let mut found = Vec::new();
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
        // `x['sys' + 'tem']('…')`
        if b == b']' && bytes.get(at + 1) == Some(&b'(') {
            if let Some(call) = by_index(code, at, names) {
                found.push(call);
            }
            at += 1;
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
                || (bytes[at] == b'-' && bytes.get(at + 1) == Some(&b'>'))
                || (bytes[at] == b'>' && bytes[at - 1] == b'-'))
        {
            at += 1;
        }
        let name = code[begin..at].trim_end_matches(['.', ':']);
        let written = renamed.iter().find(|(new, _)| new == name).map_or(name, |(_, old)| old.as_str());
        // Ruby's `Dir["…"]`
        if name == "Dir" && language == "ruby" && bytes.get(at) == Some(&b'[') {
            let inside = &code[at + 1..];
            let raw = &inside[..matching(inside)];
            found.push(Found {
                name: "glob".into(),
                does: Finds,
                args: arguments(raw, names),
                raw: raw.to_owned(),
                after: String::new(),
            });
            continue;
        }
        // `getattr(os, 'system')('…')`
        if name == "getattr" && bytes.get(at) == Some(&b'(') {
            if let Some(call) = by_attribute(code, at, names) {
                found.push(call);
            }
            continue;
        }
        if let Some((call, next)) = named_call(code, begin..at, written, names) {
            found.push(call);
            at = next;
        }
    }
    found
}

/// Where a statement ends: at its mark or at the end of the block around it, not in a text or in brackets of its own.
fn statement_end(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while let Some(&b) = text.as_bytes().get(at) {
        match b {
            b'"' | b'\'' => {
                at = end_of_string(text, at);
                continue;
            }
            b';' | b'\n' => return at,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            b'{' => depth += 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// A call by its name, which stands at `place`, and where to go on.
fn named_call(
    code: &str,
    place: std::ops::Range<usize>,
    written: &str,
    names: &Names,
) -> Option<(Found, usize)> {
    let (language, begin, at) = (names.language, place.start, place.end);
    let library = if language == "python" { library_program(written, code) } else { None };
    let does = known(language, written).or(library.as_ref().map(|_| RunsWords))?;
    let rest = code[at..].trim_start_matches([' ', '\t']);
    let open = code.len() - rest.len();
    let (raw, after) = if let Some(inside) = rest.strip_prefix('(') {
        let end = matching(inside);
        (&inside[..end], inside.get(end + 1..).unwrap_or_default())
    } else if matches!(language, "perl" | "ruby") && takes_bare(does, rest) {
        let end = [" if ", " unless ", " while ", " for ", " or ", " and "]
            .iter()
            .filter_map(|word| rest.find(word))
            .chain([statement_end(rest)])
            .min()
            .unwrap_or(rest.len());
        (&rest[..end], "")
    } else {
        return None;
    };
    let mut args = arguments(raw, names);
    args.splice(0..0, library.into_iter().flatten().map(Value::Text));
    // A method of a path: `Path('x').unlink()`, `p.write_text('…')`.
    let method = code[..begin].ends_with(['.', ')']) || written.contains('.');
    let of_path = language == "python"
        && method
        && matches!(does, Writes | Reads | Deletes | Finds | Like(_))
        && !matches!(written, "os.open" | "io.open" | "codecs.open" | "os.truncate" | "shutil.copyfile")
        && (raw.trim().is_empty()
            || !written.starts_with("os.")
                && !written.starts_with("shutil.")
                && !written.starts_with("glob."));
    if of_path && let Some(value) = receiver(&code[..begin], written, names) {
        match does {
            Finds => {
                args = vec![Value::Text(format!(
                    "{}/{}",
                    value.text().trim_end_matches('/'),
                    args.first().map_or_else(|| "*".to_owned(), Value::text)
                ))];
            }
            _ => args.insert(0, value),
        }
    }
    let line = after.split('\n').next().unwrap_or_default();
    let does = if does == Writes
        && written.rsplit('.').next().is_some_and(|name| matches!(name, "open" | "fopen"))
        && !writes(&args)
    {
        Reads
    } else {
        does
    };
    let call = Found {
        name: written.rsplit(['.', ':']).next().unwrap_or(written).to_owned(),
        does,
        args,
        raw: raw.to_owned(),
        after: line.to_owned(),
    };
    Some((call, open + usize::from(rest.starts_with('('))))
}

/// Programs as functions: `sh.rm('-rf', 'x')`, and `repo.git.reset('--hard')`.
fn library_program(name: &str, code: &str) -> Option<Vec<String>> {
    let (owner, program) = name.rsplit_once('.')?;
    if owner == "sh" && code.contains("import sh") {
        return Some(vec![program.to_owned()]);
    }
    let is_git = owner == "git" || owner.ends_with(".git");
    (is_git && (code.contains("from git import") || code.contains("import git")))
        .then(|| vec!["git".to_owned(), program.replace('_', "-")])
}

/// Whether `open` is asked to write.
fn writes(args: &[Value]) -> bool {
    let mode = args.get(1).map(Value::text).unwrap_or_default();
    mode.len() <= 4 && mode.contains(['w', 'a', 'x', '+'])
}

/// What may follow the name of a call that needs no parentheses.
fn takes_bare(does: Does, rest: &str) -> bool {
    does == Evaluates
        || rest.starts_with(|c: char| {
            matches!(c, '"' | '\'' | '<' | '$' | '@' | '[' | '{' | '%') || c.is_ascii_alphanumeric()
        })
}

/// What stands before a method call: a variable, `Path("…")`, `Path.home()`.
fn receiver(before: &str, written: &str, names: &Names) -> Option<Value> {
    if let Some((owner, _)) = written.rsplit_once('.') {
        return Some(value(owner, names)).filter(|value| *value != Value::default());
    }
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
    let head = inside[..open]
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
        .map_or(0, |at| at + inside[at..].chars().next().map_or(1, char::len_utf8));
    Some(value(&trimmed[head..], names)).filter(|value| *value != Value::default())
}

fn by_attribute(code: &str, at: usize, names: &Names) -> Option<Found> {
    let inside = &code[at + 1..];
    let end = matching(inside);
    let name = arguments(&inside[..end], names).get(1)?.text();
    let call = inside.get(end + 1..)?.strip_prefix('(')?;
    let raw = &call[..matching(call)];
    let does = known(names.language, &name)?;
    Some(Found { name, does, args: arguments(raw, names), raw: raw.to_owned(), after: String::new() })
}

fn by_index(code: &str, at: usize, names: &Names) -> Option<Found> {
    let open = code[..at].rfind('[')?;
    let name = value(&code[open + 1..at], names).text();
    let call = &code[at + 2..];
    let raw = &call[..matching(call)];
    let mut args = arguments(raw, names);
    // A library of programs: `local['rm']('-rf', 'x')`.
    let does = match known(names.language, &name) {
        Some(does) => does,
        None if code.contains("plumbum") => {
            args.insert(0, Value::Text(name.clone()));
            RunsWords
        }
        None => return None,
    };
    Some(Found { name, does, args, raw: raw.to_owned(), after: String::new() })
}

/// `from os import system as s`, `const {execSync: x} = …`, `x = os.system`: what a name stands for.
fn renamed(language: &'static str, code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for statement in code.split(['\n', ';']).take(400) {
        let statement = statement.trim();
        if let Some((_, list)) = statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            for name in list.trim_matches(['(', ')']).split(',') {
                if let Some((old, new)) = name.split_once(" as ") {
                    found.push((new.trim().to_owned(), old.trim().to_owned()));
                }
            }
        }
        if language == "javascript" {
            for list in
                statement.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(list, _)| list)
            {
                for name in list.split(',') {
                    if let Some((old, new)) = name.split_once(':').or(name.split_once(" as ")) {
                        found.push((new.trim().to_owned(), old.trim().to_owned()));
                    }
                }
            }
        }
        if let Some((left, right)) = statement.split_once('=') {
            let name = left.trim().rsplit(' ').next().unwrap_or_default().trim_start_matches('$');
            let right = right.trim();
            let end = right.rsplit('.').next().unwrap_or(right);
            if crate::wrapper::is_name(name)
                && crate::wrapper::is_name(end)
                && right.contains('.')
                && known(language, end).is_some()
            {
                found.push((name.to_owned(), end.to_owned()));
            }
        }
    }
    found
}

/// The constants of a program: `name = expression`, the loops over lists that are written out.
pub(super) fn constants(language: &'static str, code: &str) -> Names {
    let mut names = Names { language, ..Names::default() };
    for statement in statements(language, code).into_iter().take(400) {
        let statement = statement.trim();
        // `[f(x) for x in ['a', '/']]`
        if let Some((_, rest)) = statement.split_once(" for ").filter(|_| language == "python")
            && let Some((name, list)) = rest.split_once(" in ")
        {
            let list = value(list, &names);
            if matches!(&list, Value::List(items) if !items.is_empty())
                && crate::wrapper::is_name(name.trim())
            {
                names.constants.insert(name.trim().to_owned(), list);
            }
        }
        // `for x in ['a', '/']`, `for (const x of […])`.
        if let Some(rest) = statement.strip_prefix("for ").or(statement.strip_prefix("for(")) {
            let split = rest.split_once(" in ").or(rest.split_once(" of "));
            if let Some((name, list)) = split {
                let name = name
                    .trim()
                    .trim_start_matches(['(', '$'])
                    .rsplit(' ')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                let list = value(list.trim_end_matches([':', ')', '{', ' ']), &names);
                if matches!(&list, Value::List(items) if !items.is_empty()) && crate::wrapper::is_name(&name)
                {
                    names.constants.insert(name, list);
                }
            }
            continue;
        }
        let split = if language == "r" { statement.split_once("<-") } else { None };
        let Some((left, right)) = split.or(statement.split_once('=')) else { continue };
        if right.starts_with(['=', '~', '>'])
            || left.ends_with(['!', '<', '>', '+', '-', '*', '/', ':', '|'])
            || left.contains(['(', '"', '\'']) && !left.contains('{')
        {
            continue;
        }
        let name =
            left.trim().rsplit([' ', '{']).next().unwrap_or_default().trim_start_matches(['$', '@', '&']);
        if !crate::wrapper::is_name(name) {
            continue;
        }
        let value = value(right, &names);
        let hollow = matches!(&value, Value::Text(text) if super::value::is_hollow(text));
        if !hollow {
            names.constants.insert(name.to_owned(), value);
        }
    }
    names
}

/// Statements of code, at semicolons and newlines outside strings and brackets; what is in braces is statements too.
fn statements<'a>(language: &str, code: &'a str) -> Vec<&'a str> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let (mut begin, mut at, mut depth) = (0, 0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\'' | b'"' => {
                at = end_of_string(code, at);
                continue;
            }
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            // Perl's `$ENV{HOME}` is not a block.
            b'{' if language == "perl" && at > 0 && bytes[at - 1].is_ascii_alphanumeric() => depth += 1,
            b'}' if language == "perl" && depth > 0 => depth -= 1,
            b';' | b'\n' | b'{' | b'}' if depth == 0 => {
                found.push(&code[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(code.get(begin..).unwrap_or_default());
    found
}
