//! `cargo dev new-check group/name`: a check to start from. The two files compile and their cases hold before a word is
//! changed, so that the author always works from green; `new_check/` has the texts.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::workspace;

/// Make a check to start from: its source, its cases, its lines in the group's `mod.rs`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// `group/name`, named by what it flags: `file/lock-file`, never `file/no-lock-file`
    id: String,
}

const SOURCE: &str = include_str!("new_check/check.rs.txt");
const CASES: &str = include_str!("new_check/cases.toml.txt");

/// How a group's list of checks begins.
const LIST: &str = "pub(crate) static CHECKS: &[&crate::Check] = &[";

/// The `max_width` of rustfmt.toml.
const WIDTH: usize = 110;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = workspace::root();
    for file in make(&root.join("crates/checks/src"), &args.id)? {
        println!("wrote {}", file.strip_prefix(root).unwrap_or(&file).display());
    }
    println!("now write what it does; then `cargo nextest run -p checks` and `cargo dev generate`");
    Ok(())
}

/// Makes the check in the source folder of `checks`, and names the files that it wrote. Nothing is written before all is
/// known to be right.
fn make(checks: &Path, id: &str) -> anyhow::Result<[PathBuf; 3]> {
    let (group, name) = id.split_once('/').with_context(|| format!("{id} is not of the form group/name"))?;
    let groups = groups(checks)?;
    ensure!(groups.iter().any(|known| known == group), "unknown group {group}; known: {}", groups.join(", "));
    ensure!(is_name(name), "{name} is not a name: small letters, digits and single hyphens, a letter first");
    let module = name.replace('-', "_");
    ensure!(!KEYWORDS.contains(&module.as_str()), "{name} is a word of Rust, which no module can be called");

    let folder = checks.join(group);
    let (source, cases, list) =
        (folder.join(format!("{module}.rs")), folder.join(format!("{module}.toml")), folder.join("mod.rs"));
    for file in [&source, &cases] {
        ensure!(!file.exists(), "{} is there already", file.display());
    }
    let listed =
        add(&read(&list)?, &module).with_context(|| format!("{} cannot be extended", list.display()))?;
    for (file, text) in
        [(&source, fill(SOURCE, id, &module)), (&cases, fill(CASES, id, &module)), (&list, listed)]
    {
        fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    }
    Ok([source, cases, list])
}

/// The folders that have a list of checks.
fn groups(checks: &Path) -> anyhow::Result<Vec<String>> {
    let mut groups = Vec::new();
    for entry in fs::read_dir(checks).with_context(|| format!("{} cannot be read", checks.display()))? {
        let entry = entry?;
        let list = entry.path().join("mod.rs");
        if list.is_file() && read(&list)?.contains(LIST) {
            groups.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    groups.sort();
    Ok(groups)
}

fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn is_name(text: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.split('-').all(part)
}

/// The words that Rust keeps for itself.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

/// The text of a group's `mod.rs` with one more module, and one more check at the end of its list: a new one runs after the others.
fn add(text: &str, module: &str) -> anyhow::Result<String> {
    let list = text.find(LIST).with_context(|| format!("`{LIST}` is not in it"))? + LIST.len();
    let end = list + text[list..].find("];").context("its list has no end")?;
    let mut names: Vec<String> = text[list..end].split(',').map(|name| name.trim().to_owned()).collect();
    names.retain(|name| !name.is_empty());
    ensure!(names.iter().all(|name| name.ends_with("::CHECK")), "there is something else in its list");
    names.push(format!("&{module}::CHECK"));
    let declared = format!("mod {module};\n");
    // In the order of the alphabet, as rustfmt wants them.
    let head = &text[..list];
    let place = head.match_indices("\nmod ").map(|(at, _)| at + 1).find(|at| head[*at..] > *declared);
    let place = place.or_else(|| last_module(head)).context("it declares no module")?;
    let (before, between) = head.split_at(place);
    Ok(format!("{before}{declared}{between}{}{}", inside(&names), &text[end..]))
}

/// Between the brackets of a list, on one line where it fits: as rustfmt has it.
fn inside(names: &[String]) -> String {
    let line = names.join(", ");
    let fits = LIST.len() + line.len() + "];".len() <= WIDTH;
    if fits { line } else { format!("\n    {},\n", names.join(",\n    ")) }
}

/// Behind the last module that is declared.
fn last_module(text: &str) -> Option<usize> {
    let start = text.rfind("\nmod ")? + 1;
    Some(start + text[start..].find('\n')? + 1)
}

fn fill(template: &str, id: &str, module: &str) -> String {
    // A version in the docs is the one that people see announced, without its last part.
    let since = env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("", |(since, _)| since);
    template.replace("{{id}}", id).replace("{{module}}", module).replace("{{since}}", since)
}

#[cfg(test)]
mod tests {
    use model::Decision;

    use super::*;

    /// A copy of the source folder of `checks`.
    fn copy() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let from = workspace::root().join("crates/checks/src");
        for group in groups(&from).unwrap() {
            fs::create_dir(dir.path().join(&group)).unwrap();
            for entry in fs::read_dir(from.join(&group)).unwrap() {
                let file = entry.unwrap().path();
                if file.is_file() {
                    fs::copy(&file, dir.path().join(&group).join(file.file_name().unwrap())).unwrap();
                }
            }
        }
        dir
    }

    #[test]
    fn a_check_is_two_files_and_one_line() {
        let dir = copy();
        let before = read(&dir.path().join("file/mod.rs")).unwrap();
        make(dir.path(), "file/lock-file").unwrap();
        let after = read(&dir.path().join("file/mod.rs")).unwrap();
        assert_eq!(
            after.replacen("    &lock_file::CHECK,\n", "", 1).replacen("mod lock_file;\n", "", 1),
            before
        );
        let source = read(&dir.path().join("file/lock_file.rs")).unwrap();
        assert!(
            source.contains("id: \"file/lock-file\"") && source.contains("include_str!(\"lock_file.toml\")"),
            "{source}"
        );
        assert!(!source.contains("{{"), "{source}");
        assert!(dir.path().join("file/lock_file.toml").is_file());
    }

    #[test]
    fn every_group_takes_one() {
        let dir = copy();
        for group in groups(dir.path()).unwrap() {
            make(dir.path(), &format!("{group}/some-new-check")).unwrap();
        }
    }

    #[test]
    fn the_cases_parse_and_hold_both_kinds() {
        let text = fill(CASES, "file/lock-file", "lock_file");
        assert!(!text.contains("{{"), "{text}");
        let cases = checks::cases::parse(&text).unwrap();
        assert!(cases.iter().any(|case| case.expect == Decision::Deny && case.show));
        assert!(cases.iter().any(|case| case.expect == Decision::None));
    }

    #[test]
    fn what_cannot_be_is_refused_and_nothing_is_written() {
        let dir = copy();
        let before = read(&dir.path().join("file/mod.rs")).unwrap();
        for (id, why) in [
            ("lock-file", "group/name"),
            ("pipeline/lock-file", "unknown group pipeline; known: autonomy, "),
            ("../lock-file", "unknown group"),
            ("file/own-state", "there already"),
            ("file/Lock", "small letters"),
            ("file/lock_file", "small letters"),
            ("file/lock--file", "small letters"),
            ("file/-lock", "small letters"),
            ("file/7z", "small letters"),
            ("file/a/b", "small letters"),
            ("file/", "small letters"),
            ("file/match", "word of Rust"),
        ] {
            let error = format!("{:#}", make(dir.path(), id).unwrap_err());
            assert!(error.contains(why), "{id}: {error}");
        }
        assert_eq!(read(&dir.path().join("file/mod.rs")).unwrap(), before);
    }

    #[test]
    fn a_list_of_another_shape_is_left_alone() {
        let list = |mods: &str, inside: &str| format!("//! Some.\n\n{mods}\n\nuse x;\n\n{LIST}{inside}];\n");
        let known = list("mod b;", "&b::CHECK");
        assert!(add(&list("mod b;", "&b::Rule"), "c").is_err());
        assert!(add("static CHECKS: &[Check] = &[];\n", "c").is_err());
        assert_eq!(add(&known, "a").unwrap(), list("mod a;\nmod b;", "&b::CHECK, &a::CHECK"));
        assert_eq!(add(&known, "c").unwrap(), list("mod b;\nmod c;", "&b::CHECK, &c::CHECK"));
        let long = "a_check_with_a_name_that_leaves_no_room_for_another";
        let added = add(&known, long).unwrap();
        assert!(added.contains(&format!("= &[\n    &b::CHECK,\n    &{long}::CHECK,\n];")), "{added}");
    }
}
