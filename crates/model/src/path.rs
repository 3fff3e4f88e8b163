//! Paths as text: made absolute and normalised without looking at the disk.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Joins `path` to `base`, expands a leading `~`, and removes `.`, `..` and doubled separators.
pub fn absolute(path: &Path, base: &Path, home: Option<&Path>) -> PathBuf {
    let expanded = match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => base.join(path),
    };
    let mut clean = PathBuf::new();
    for part in expanded.components() {
        match part {
            Component::CurDir => {}
            // `..` of the root is the root, as the kernel has it.
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// The part of `path` below `root`, with `/` on every system; `None` when it is not below it.
pub fn below(path: &Path, root: &Path) -> Option<String> {
    let rest = path.strip_prefix(root).ok()?;
    let parts: Vec<_> = rest.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    Some(parts.join("/"))
}

/// Whether two names are one, where letter case may not count.
pub fn same_name(a: &OsStr, b: &str, folds: bool) -> bool {
    if !folds {
        return a == b;
    }
    let bytes = a.as_encoded_bytes();
    // Most names have no letters that change their length in another case.
    if bytes.is_ascii() && b.is_ascii() {
        return bytes.eq_ignore_ascii_case(b.as_bytes());
    }
    a.to_string_lossy().to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_becomes_one_path() {
        let clean = |text: &str| absolute(Path::new(text), Path::new("/p/sub"), Some(Path::new("/home/me")));
        assert_eq!(clean("a.py"), Path::new("/p/sub/a.py"));
        assert_eq!(clean("../.ruff.toml"), Path::new("/p/.ruff.toml"));
        assert_eq!(clean("/p//./x/../.claude//hooks/a"), Path::new("/p/.claude/hooks/a"));
        assert_eq!(clean("/../../etc"), Path::new("/etc"));
        assert_eq!(clean("~/.claude/settings.json"), Path::new("/home/me/.claude/settings.json"));
        assert_eq!(clean("~"), Path::new("/home/me"));
        assert_eq!(clean("~other/x"), Path::new("/p/sub/~other/x"));
    }

    #[test]
    fn below_is_relative_with_slashes() {
        assert_eq!(below(Path::new("/p/a/b"), Path::new("/p")).as_deref(), Some("a/b"));
        assert_eq!(below(Path::new("/q/a"), Path::new("/p")), None);
        assert_eq!(below(Path::new("/px/a"), Path::new("/p")), None);
    }
}
