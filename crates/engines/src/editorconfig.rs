//! `.editorconfig`, as far as a formatter needs it: the keys that hold for one file.

use std::collections::BTreeMap;
use std::path::Path;

use crate::discover;
use crate::glob;
use crate::problem::Outcome;

/// Keys and values (lower case) of all sections that match `path`, nearest file last. `None` where no section does, so
/// that defaults of the caller's own hold.
pub(crate) fn section(path: &Path) -> Outcome<Option<BTreeMap<String, String>>> {
    let mut files = Vec::new();
    for folder in path.ancestors().skip(1) {
        let Some(file) = discover::here(folder, &[".editorconfig"]) else { continue };
        let text = discover::read(&file)?;
        let is_root = preamble(&text).any(|(key, value)| key == "root" && value == "true");
        files.push((folder, text));
        if is_root {
            break;
        }
    }
    let mut found = BTreeMap::new();
    for (folder, text) in files.iter().rev() {
        let Ok(relative) = path.strip_prefix(folder) else { continue };
        let relative = relative.to_string_lossy();
        let mut holds = false;
        for line in lines(text) {
            if let Some(pattern) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                holds = matches(pattern, &relative);
            } else if holds && let Some((key, value)) = pair(line) {
                found.insert(key, value);
            }
        }
    }
    // End of line, charset and the like are not about formatting: a file with only those leaves our defaults in force.
    let ours = [
        "indent_style",
        "indent_size",
        "tab_width",
        "binary_next_line",
        "switch_case_indent",
        "space_redirects",
    ];
    Ok(ours.iter().any(|key| found.contains_key(*key)).then_some(found))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']))
}

fn preamble(text: &str) -> impl Iterator<Item = (String, String)> {
    lines(text).take_while(|line| !line.starts_with('[')).filter_map(pair)
}

fn pair(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once('=')?;
    let value = value.split([';', '#']).next().unwrap_or_default();
    Some((key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase()))
}

/// A pattern with a slash is anchored at the folder of its file; one without matches in every folder below.
fn matches(pattern: &str, relative: &str) -> bool {
    let name = relative.rsplit('/').next().unwrap_or(relative);
    let subject = if pattern.contains('/') { relative } else { name };
    glob::matches(pattern.trim_start_matches('/'), subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_editors_match_them() {
        for (pattern, path, expected) in [
            ("*", "a/b.sh", true),
            ("*.sh", "a/b.sh", true),
            ("scripts/*", "scripts/a", true),
            ("/x.sh", "a/x.sh", false),
            ("[[shell]]", "a.sh", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn sections_of_nearer_files_win() {
        let root = tempfile::tempdir().unwrap();
        crate::test_files::write(
            &root.path().join(".editorconfig"),
            "root = true\n[*]\nindent_style = space\nindent_size = 4\n",
        );
        crate::test_files::write(&root.path().join("a/.editorconfig"), "[*.sh]\nindent_size = 2\n");
        let found = section(&root.path().join("a/x.sh")).unwrap().unwrap();
        assert_eq!(found["indent_size"], "2");
        assert_eq!(found["indent_style"], "space");
        let found = section(&root.path().join("x.sh")).unwrap().unwrap();
        assert_eq!(found["indent_size"], "4");
    }
}
