//! The folders that a file belongs to, nearest first, and what their configuration files say about linters.

use std::path::{Path, PathBuf};

use state::files;

/// From the file's folder up to the project's root; for a file outside of it, up to its own repository's.
pub(crate) fn upwards<'a>(near: &'a Path, project: &Path) -> Vec<&'a Path> {
    let inside = near.starts_with(project);
    let mut folders = Vec::new();
    for dir in near.ancestors() {
        folders.push(dir);
        if if inside { dir == project } else { files::exists(&dir.join(".git")) } {
            break;
        }
    }
    folders
}

/// Folders in which a configuration may lie: from the file upwards, to the project's root or, outside, to the repository's.
pub(crate) struct Roots<'a> {
    pub(crate) near: &'a Path,
    pub(crate) project: &'a Path,
    pub(crate) called_in: Option<&'a Path>,
}

impl Roots<'_> {
    pub(crate) fn nearest(&self, names: &[&str]) -> Option<&Path> {
        let has = |dir: &&Path| names.iter().any(|name| files::is_file(&dir.join(name)));
        let last = [self.project].into_iter().chain(self.called_in);
        upwards(self.near, self.project).into_iter().chain(last).find(has)
    }

    /// Those folders, the project's own last.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> =
            upwards(self.near, self.project).into_iter().chain(self.called_in).map(Path::to_owned).collect();
        folders.retain(|dir| dir != self.project);
        folders.push(self.project.to_owned());
        folders
    }

    /// Whether an `.editorconfig` says how shell scripts are to look.
    pub(crate) fn styles_scripts(&self) -> bool {
        let Some(dir) = self.nearest(&[".editorconfig"]) else { return false };
        let text = files::read(&dir.join(".editorconfig")).ok().flatten().unwrap_or_default();
        let mut ours = false;
        text.lines().map(str::trim).any(|line| {
            if let Some(pattern) = line.strip_prefix('[') {
                ours = pattern.starts_with("*]") || pattern.contains("sh");
            }
            let keys = ["indent_", "tab_width", "binary_next_line", "switch_case_indent", "space_redirects"];
            ours && keys.iter().any(|key| line.starts_with(key))
        })
    }

    /// Whether one of these files switches something on, in whichever of their languages it is written.
    pub(crate) fn sets(&self, names: &[&str], key: &str) -> bool {
        let Some(dir) = self.nearest(names) else { return false };
        let on = |line: &str| {
            let line = line.trim_start();
            let remark = line.starts_with("//") || line.starts_with('#');
            !remark
                && line.match_indices(key).any(|(at, _)| is_switched_on(&line[..at], &line[at + key.len()..]))
        };
        let texts = names.iter().filter_map(|name| files::read(&dir.join(name)).ok().flatten());
        texts.into_iter().any(|text| text.lines().any(on))
    }

    pub(crate) fn mentions(&self, names: &[&str], word: &str) -> bool {
        names.iter().any(|name| {
            let dir = self.nearest(&[name]);
            dir.is_some_and(|dir| {
                files::read(&dir.join(name)).ok().flatten().is_some_and(|text| text.contains(word))
            })
        })
    }
}

/// Whether a key that stands between these two has the value `true`.
fn is_switched_on(before: &str, after: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let value = after.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':').map(str::trim_start);
    !before.ends_with(part) && value.is_some_and(|value| value.starts_with("true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_is_found_in_every_language() {
        for (before, after, on) in [
            ("{\"", "\": true}", true),
            ("", ": true", true),
            ("  ", ": true,", true),
            ("{\"", "\": false}", false),
            ("no", ": true", false),
            ("", "es: true", false),
        ] {
            assert_eq!(is_switched_on(before, after), on, "{before}fix{after}");
        }
    }
}
