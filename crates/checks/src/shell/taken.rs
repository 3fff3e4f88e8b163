//! Parts of the guard that a command takes along: they lie in a folder that it removes, moves or searches, or a pattern is for
//! them.

use std::path::{Path, PathBuf};

use model::Facts;
use shell::Call;
use shell::text::{ANY, is_hole};

use super::made::Made;
use super::protected_write::on_this_machine;
use super::words::{has_flag, operands};
use super::written::written;
use crate::own;

/// Our own parts that go, or change, when this call does what it says.
pub(super) fn taken(call: &Call, made: &Made, facts: &dyn Facts) -> Vec<PathBuf> {
    let mut all = Vec::new();
    if matches!(call.program(), "find" | "gfind" | "fd" | "fdfind") {
        all.extend(found(call, facts));
    }
    let places: Vec<(String, bool)> = trees(call)
        .into_iter()
        .map(|path| (path, true))
        .chain(
            // A pattern for a file that is written names the file alone.
            written(call).into_iter().filter(|path| path.contains(['*', '?', '['])).map(|path| (path, false)),
        )
        .collect();
    if places.is_empty() {
        return all;
    }
    let mut known: Option<Vec<PathBuf>> = None;
    // A packer may go elsewhere first.
    let elsewhere =
        call.program().ends_with("tar").then(|| super::words::value(call, &["-C", "--directory"])).flatten();
    let cwd = elsewhere.map_or_else(|| call.cwd.clone(), |dir| shell::path::absolute(dir, &call.cwd));
    let moved = Call { cwd, elsewhere: call.elsewhere, mounts: call.mounts.clone(), ..Call::default() };
    for (path, tree) in places {
        let Some(absolute) = on_this_machine(&moved, &path).filter(|path| shell::text::is_known(path)) else {
            continue;
        };
        // Taking a link away leaves what it is for.
        let behind = match absolute.rsplit_once('/') {
            Some((folder, name)) if tree => made.followed(folder).map(|folder| format!("{folder}/{name}")),
            _ => made.followed(&absolute),
        };
        for place in behind.iter().chain([&absolute]) {
            if !own::is_near(place, facts) {
                continue;
            }
            let real = facts.resolve(Path::new(place));
            let parts = known.get_or_insert_with(|| own::places(facts));
            let pattern = place.contains(['*', '?', '[']);
            let hit = |part: &&PathBuf| {
                let whole = part.components().count() == Path::new(place).components().count();
                if pattern {
                    own::matches(place, part) && (tree || whole) || own::leads_into(place, part, facts)
                } else {
                    tree && (part.starts_with(place) || part.starts_with(&real))
                }
            };
            all.extend(parts.iter().filter(hit).filter(|part| facts.entry(part).is_some()).cloned());
        }
    }
    all
}

/// Whether a call may take a part of ours along: its path is not known to the end, and what is known leads to one. The value of a
/// loop over a pattern is such a path.
pub(super) fn may_take(call: &Call, facts: &dyn Facts) -> Option<PathBuf> {
    trees(call).into_iter().find_map(|path| {
        let is_open = path.contains(ANY) && !path.starts_with(is_hole);
        let place = is_open.then(|| shell::path::absolute(&path.replace(ANY, "*"), &call.cwd))?;
        let deep = place.split('/').filter(|piece| !piece.is_empty()).count() > 2;
        if !deep || !shell::text::is_known(&place) || !own::is_near(&place, facts) {
            return None;
        }
        own::places(facts).into_iter().find(|part| own::matches(&place, part) && facts.entry(part).is_some())
    })
}

/// Programs that only look at what they are given, or take it as a source.
const READERS: &[&str] = &[
    "[",
    "awk",
    "bat",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "command",
    "cp",
    "cut",
    "diff",
    "dirname",
    "basename",
    "du",
    "echo",
    "file",
    "find",
    "git",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "head",
    "hexdump",
    "id",
    "install",
    "jq",
    "ldd",
    "less",
    "ln",
    "ls",
    "eza",
    "lsof",
    "md5sum",
    "more",
    "nm",
    "objdump",
    "od",
    "otool",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "readelf",
    "readlink",
    "realpath",
    "rsync",
    "scp",
    "sed",
    "sha1sum",
    "sha256sum",
    "shasum",
    "size",
    "sort",
    "stat",
    "strings",
    "tail",
    "test",
    "tree",
    "type",
    "wc",
    "where",
    "whereis",
    "which",
    "xxd",
    "yq",
    "zcat",
    "pgrep",
    "ps",
    "man",
    "export",
    "set",
    "true",
    "false",
    ":",
    "source",
    ".",
    "plimsoll",
    "ag",
    "codesign",
    "spctl",
    "dpkg",
    "rpm",
    "hash",
    "compgen",
    "perf",
    "strace",
    "time",
];

/// Whether a program that is not known for reading is given our program or our records: it may do anything with them.
pub(super) fn may_touch(call: &Call, facts: &dyn Facts) -> Option<PathBuf> {
    let program = super::words::program(call);
    // Our folders are called after us, wherever they are.
    let names_us = |text: &str| text.contains("plimsoll");
    if program.is_empty()
        || model::is_own_name(program)
        || !call.texts().any(names_us)
        || READERS.contains(&program)
    {
        return None;
    }
    call.texts().filter(|text| names_us(text)).find_map(|text| {
        // `-o FILE`, `-oFILE`, `--output=FILE`, `of=FILE`.
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        let value = value.strip_prefix("-o").unwrap_or(value);
        let path = shell::path::absolute(value, &call.cwd);
        let path = Path::new(&path);
        (shell::text::is_known(value)
            && !value.contains(char::is_whitespace)
            && (own::is_executable(path, facts)
                || path.starts_with(facts.state_dir())
                || path.starts_with(facts.cache_dir())))
        .then(|| path.to_owned())
    })
}

/// What a call takes away as a whole, with all that is in it.
fn trees(call: &Call) -> Vec<String> {
    let texts = |values: &[&str], skip: usize| {
        operands(call.args(), values).into_iter().skip(skip).map(|arg| arg.text.clone()).collect::<Vec<_>>()
    };
    match call.program() {
        "rm" | "unlink" | "shred" | "trash" | "trash-put" | "srm" | "wipe" | "rmdir" => {
            texts(&["-n", "-s"], 0)
        }
        "gio" if call.has("trash") => texts(&[], 1),
        "mv" => {
            let mut from = texts(&["-t", "-S"], 0);
            if super::words::value(call, &["-t", "--target-directory"]).is_none() {
                from.pop();
            }
            from
        }
        "chmod" if locks(call) => texts(&[], 0),
        "rsync" if call.texts().any(|text| text.starts_with("--del")) => {
            texts(&["-e"], 0).pop().into_iter().collect()
        }
        "mount" if !call.has("--bind") => texts(&["-t", "-o", "-L", "-U"], 0).pop().into_iter().collect(),
        "git" => match super::words::git(call) {
            Some(git)
                if matches!(git.verb, "rm" | "mv")
                    && !git.has("--cached")
                    && !git.flag("n", &["dry-run"]) =>
            {
                git.operands(&[]).into_iter().map(|arg| arg.text.clone()).collect()
            }
            _ => Vec::new(),
        },
        _ => super::packed::packed_away(call)
            .into_iter()
            .filter(|(_, tree)| *tree)
            .map(|(arg, _)| arg.text)
            .collect(),
    }
}

/// Whether a mode takes the owner's own rights: `000`, `a-rwx`, `u-x`, `-w`.
fn locks(call: &Call) -> bool {
    call.texts().any(|text| {
        let digits = text.bytes().all(|b| b.is_ascii_digit()) && matches!(text.len(), 3 | 4);
        // A folder that cannot be entered.
        digits && (text.as_bytes()[text.len() - 3] - b'0') & 5 != 5 || takes_rights(text)
    }) && !has_flag(call, "", &["reference"])
}

fn takes_rights(mode: &str) -> bool {
    if mode.len() >= 3 && mode.bytes().all(|b| b.is_ascii_digit()) {
        return (mode.as_bytes()[mode.len() - 3] - b'0') & 4 == 0;
    }
    mode.split(',').any(|rule| {
        let Some((who, rights)) = rule.split_once(['-', '=']) else { return false };
        let owner = who.is_empty() || who.contains(['u', 'a']);
        let mode =
            who.bytes().all(|b| b"ugoa".contains(&b)) && rights.bytes().all(|b| b"rwxXst".contains(&b));
        mode && owner && (!rights.is_empty() && rule.contains('-') || rule.ends_with('='))
    })
}

/// What a search that removes or changes what it finds would find of ours.
fn found(call: &Call, facts: &dyn Facts) -> Vec<PathBuf> {
    let words: Vec<&str> = call.texts().collect();
    let changes = words.contains(&"-delete")
        || words.iter().enumerate().any(|(at, word)| {
            matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir")
                && changes(words.get(at + 1..).unwrap_or_default())
        });
    // What is empty is none of ours.
    let empty = words.contains(&"-empty")
        || words.windows(2).any(|pair| pair[0] == "-size" && pair[1].starts_with('0'));
    if !changes || empty || !call.program().ends_with("find") {
        return Vec::new();
    }
    let begins_test = |word: &&str| word.starts_with('-') || matches!(*word, "(" | "!" | "\\(");
    let count = words.iter().position(begins_test).unwrap_or(words.len());
    let roots = if count == 0 { &["."][..] } else { &words[..count] };
    let tests = Tests::read(&words[count..]);
    let mut all = Vec::new();
    // Most searches are for names that none of ours has.
    let plain = tests.wanted.iter().all(|(_, whole, fold)| !whole && !fold) && !tests.wanted.is_empty();
    if plain && !tests.wanted.iter().any(|(pattern, ..)| own::could_be_named(pattern, facts)) {
        return all;
    }
    for root in roots {
        let root = shell::path::absolute(root, &call.cwd);
        if !shell::text::is_known(&root) || !own::is_near(&root, facts) {
            continue;
        }
        // From within our records everything is ours.
        let root = facts.resolve(Path::new(&root));
        if root.starts_with(facts.state_dir()) {
            all.push(root);
            continue;
        }
        let found = own::places(facts).into_iter().filter(|part| tests.let_through(part, &root));
        all.extend(found.filter(|part| facts.entry(part).is_some()));
    }
    all
}

/// Whether a program that is run for each file changes it.
fn changes(words: &[&str]) -> bool {
    let rest = || words.iter().take_while(|word| !matches!(**word, ";" | "+" | "\\;"));
    match words.first().map(|word| shell::path::name(word)) {
        Some("rm" | "unlink" | "shred" | "mv" | "truncate" | "trash" | "rmdir" | "tee") => true,
        Some("sed" | "perl") => rest().any(|word| word.starts_with("-i") || word.starts_with("--in-place")),
        Some("chmod") => rest().any(|word| takes_rights(word)),
        _ => false,
    }
}

/// The tests of a search that are about names.
#[derive(Default)]
struct Tests<'a> {
    /// Pattern, whole path or name, letter case ignored.
    wanted: Vec<(&'a str, bool, bool)>,
    unwanted: Vec<(&'a str, bool, bool)>,
    files_only: bool,
}

impl<'a> Tests<'a> {
    fn read(words: &[&'a str]) -> Self {
        let mut tests = Self::default();
        for (at, word) in words.iter().enumerate() {
            let value = words.get(at + 1).copied().unwrap_or_default();
            match *word {
                "-name" | "-iname" | "-path" | "-ipath" | "-wholename" => {
                    let whole = matches!(*word, "-path" | "-ipath" | "-wholename");
                    let test = (value, whole, word.starts_with("-i"));
                    let negated = at > 0 && matches!(words[at - 1], "!" | "-not" | "\\!");
                    let pruned = words.get(at + 2..).is_some_and(|rest| {
                        let rest = rest.strip_prefix(&[")"]).unwrap_or(rest);
                        // Left out, unless it is what is then worked on.
                        rest.first() == Some(&"-prune")
                            && rest.get(1).is_none_or(|next| matches!(*next, "-o" | "-or"))
                    });
                    if negated || pruned { tests.unwanted.push(test) } else { tests.wanted.push(test) }
                }
                "-type" => tests.files_only = value == "f",
                _ => {}
            }
        }
        tests
    }

    fn let_through(&self, part: &Path, root: &Path) -> bool {
        let Ok(rest) = part.strip_prefix(root) else { return false };
        let names: Vec<_> = rest.components().map(|piece| piece.as_os_str().to_string_lossy()).collect();
        let fits = |&(pattern, whole, fold): &(&str, bool, bool), own_only: bool| {
            let matches = |text: &str| {
                if fold {
                    shell::path::matches(&pattern.to_lowercase(), &text.to_lowercase())
                } else {
                    shell::path::matches(pattern, text)
                }
            };
            if whole {
                // As the search prints it, from wherever it begins.
                let path = rest.to_string_lossy();
                let tail = pattern.trim_start_matches("./");
                return matches(&part.to_string_lossy())
                    || shell::path::matches(tail, &path)
                    || tail
                        .trim_end_matches("/*")
                        .split('/')
                        .next_back()
                        .is_some_and(|last| names.iter().any(|n| n == last) && !own_only);
            }
            let count = if own_only { names.len().saturating_sub(1) } else { 0 };
            names.iter().skip(count).any(|name| matches(name))
        };
        let wanted = self.wanted.is_empty() || self.wanted.iter().any(|test| fits(test, self.files_only));
        wanted && !self.unwanted.iter().any(|test| fits(test, false))
    }
}
