//! What can be told of the sources without compiling them. A file that no `mod` line names is not compiled: its checks never run, and its
//! tests pass for ever. And a file or a function that is too long is about two things.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace;

/// Every Rust file below a folder, but not what was built there.
fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") {
                files_below(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Files that cargo finds by their place or that a manifest names.
fn is_root(file: &Path, manifest: &str) -> bool {
    let text = file.to_string_lossy();
    let by_place = ["/src/lib.rs", "/src/main.rs", "/build.rs"].iter().any(|end| text.ends_with(end));
    let dir = file.parent().unwrap();
    // `tests/x.rs`, and `tests/x/main.rs`.
    let test =
        dir.ends_with("tests") || (dir.parent().unwrap().ends_with("tests") && file.ends_with("main.rs"));
    let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
    by_place || test || named.into_iter().any(|path| file.ends_with(path))
}

/// Whether one of the files that may declare this one does: the file of its folder's name, or the folder's `mod.rs`, `lib.rs`, `main.rs`.
fn is_declared(file: &Path) -> bool {
    let dir = file.parent().unwrap();
    let name = file.file_stem().unwrap().to_string_lossy();
    let (dir, name) = match &*name {
        "mod" => (dir.parent().unwrap(), dir.file_name().unwrap().to_string_lossy()),
        _ => (dir, name),
    };
    let line = format!("mod {name};");
    let parents = [dir.with_extension("rs"), dir.join("mod.rs"), dir.join("lib.rs"), dir.join("main.rs")];
    parents.iter().filter_map(|parent| fs::read_to_string(parent).ok()).any(|text| {
        text.lines().any(|present| {
            // A keyword as a name.
            let present = present.trim().replace("mod r#", "mod ");
            present == line || (present.starts_with("pub") && present.ends_with(&format!(" {line}")))
        })
    })
}

#[test]
fn every_file_is_compiled() {
    let mut forgotten = Vec::new();
    for dir in fs::read_dir(workspace::root().join("crates")).unwrap() {
        let dir = dir.unwrap().path();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap();
        let mut files = Vec::new();
        files_below(&dir, &mut files);
        let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        for file in &files {
            // `#[path = "…"]` names it from anywhere.
            let end = format!("{}\"", file.file_name().unwrap().to_string_lossy());
            let by_path = || {
                texts
                    .iter()
                    .flat_map(|text| text.lines())
                    .any(|line| line.contains("path = \"") && line.contains(&end))
            };
            if !is_root(file, &manifest) && !is_declared(file) && !by_path() {
                forgotten.push(file.strip_prefix(workspace::root()).unwrap().to_owned());
            }
        }
    }
    assert!(forgotten.is_empty(), "no `mod` line names {forgotten:#?}");
}

/// The most lines of a file.
const LONGEST_FILE: usize = 500;
/// The most lines of a function.
const LONGEST_FUNCTION: usize = 80;

/// Functions that are longer because they are a table: a `match` or a list with a row for each word, event or kind.
const TABLES: &[(&str, &str)] = &[
    ("crates/agents/src/tools/shape/weighty.rs", "rights"),
    ("crates/app/tests/cli/faults/random.rs", "fault"),
    ("crates/app/tests/cli/hostile/tools.rs", "configs_are_code"),
    ("crates/app/tests/cli/try_session.rs", "a_session_is_played_to_its_end"),
    ("crates/checks/src/arrivals/tests.rs", "every_spelling_brings_the_same_files"),
    ("crates/checks/src/imagined/given/session.rs", "take_work"),
    ("crates/checks/src/imagined/table.rs", "given"),
    ("crates/checks/src/rules/tests.rs", "paths"),
    ("crates/checks/src/runner/seen.rs", "the_runners_own_word_counts_where_the_status_is_hidden"),
    ("crates/checks/src/shell/place.rs", "known"),
    ("crates/dev/src/conformance/record.rs", "ask"),
    ("crates/engines/src/dockerfile/instructions.rs", "lint"),
    ("crates/model/src/redact/line/habit.rs", "habit"),
    ("crates/model/src/redact/names.rs", "habits"),
    ("crates/shell/src/builtin.rs", "builtin"),
    ("crates/shell/src/code.rs", "code"),
    ("crates/shell/src/inline/value/call.rs", "call"),
    ("crates/shell/src/powershell/evaluate.rs", "evaluate"),
    ("crates/shell/src/powershell/method.rs", "of_text"),
    ("crates/shell/src/powershell/printed.rs", "printed_by"),
    ("crates/shell/src/programs/tests.rs", "spellings"),
    ("crates/shell/src/sql/tokens.rs", "tokens"),
    ("crates/state/src/effects.rs", "apply"),
];

/// Functions of a formatted text that are too long: their name and length.
fn long_functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", &line[..indent]);
        // Its brace stands below its first word, and nothing else does before it but the end of its head.
        let Some(last) = lines[first + 1..].iter().position(|line| *line == end) else { continue };
        if last + 2 > LONGEST_FUNCTION {
            found.push((name.to_owned(), last + 2));
        }
    }
    found
}

/// The name, where a function with a body of several lines begins here.
fn function_name(line: &str) -> Option<&str> {
    let head = line.trim_start();
    if head.ends_with(';') || head.ends_with('}') {
        return None;
    }
    let at = if head.starts_with("fn ") { 0 } else { head.find(" fn ")? + 1 };
    let plain = |c: char| c.is_ascii_alphanumeric() || "()\"_ :".contains(c);
    if !head[..at].chars().all(plain) {
        return None;
    }
    let name = &head[at + 3..];
    name.find(['(', '<']).map(|end| &name[..end])
}

/// Every source of the workspace, with its path below the root.
fn sources() -> Vec<(String, String)> {
    let root = workspace::root();
    let mut files = Vec::new();
    files_below(&root.join("crates"), &mut files);
    let path = |file: &Path| file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
    files.iter().map(|file| (path(file), fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn no_file_is_too_long() {
    let sources = sources();
    let lengths = || sources.iter().map(|(path, text)| (text.lines().count(), path));
    let long: Vec<_> = lengths().filter(|(lines, _)| *lines > LONGEST_FILE).collect();
    assert!(long.is_empty(), "more than {LONGEST_FILE} lines; part them by subject: {long:#?}");
    let mut all: Vec<usize> = lengths().map(|(lines, _)| lines).collect();
    all.sort_unstable();
    assert!(all[all.len() / 2] < 150, "half of all files have {} lines or more", all[all.len() / 2]);
}

#[test]
fn no_function_is_too_long_but_tables() {
    let mut long = Vec::new();
    let mut used = Vec::new();
    for (path, text) in sources() {
        for (name, lines) in long_functions(&text) {
            match TABLES.iter().find(|(file, function)| *file == path && *function == name) {
                Some(table) => used.push(table),
                None => long.push(format!("{path}: {name}, {lines} lines")),
            }
        }
    }
    assert!(long.is_empty(), "more than {LONGEST_FUNCTION} lines:\n{}", long.join("\n"));
    let idle: Vec<_> = TABLES.iter().filter(|table| !used.contains(table)).collect();
    assert!(idle.is_empty(), "these are not long any more: {idle:?}");
}

#[test]
fn the_length_of_a_function_is_seen() {
    let body = "    let x = 1;\n".repeat(LONGEST_FUNCTION);
    let text = format!("fn short() {{\n}}\n\npub(crate) fn long(\n    x: u8,\n) -> u8 {{\n{body}}}\n");
    assert_eq!(long_functions(&text), [("long".to_owned(), LONGEST_FUNCTION + 4)]);
}
