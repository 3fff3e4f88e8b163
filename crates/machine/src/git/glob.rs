//! Git's patterns for paths, as `:(glob)` reads them: `**/` is any folders, `*` and `?` stay within a name.

/// Whether a path relative to where the pattern counts from is meant by it.
pub fn matches(glob: &str, path: &str) -> bool {
    fits(glob.as_bytes(), path.as_bytes())
}

fn fits(glob: &[u8], path: &[u8]) -> bool {
    match glob {
        // A folder that is named means everything in it.
        [] => path.is_empty() || path[0] == b'/',
        [b'*', b'*', b'/', rest @ ..] => {
            fits(rest, path) || (0..path.len()).any(|at| path[at] == b'/' && fits(rest, &path[at + 1..]))
        }
        [b'*', b'*'] => true,
        [b'*', rest @ ..] => {
            let name = path.iter().position(|&byte| byte == b'/').unwrap_or(path.len());
            (0..=name).any(|at| fits(rest, &path[at..]))
        }
        [b'?', rest @ ..] => path.first().is_some_and(|&byte| byte != b'/') && fits(rest, &path[1..]),
        [b'[', rest @ ..] => {
            let Some(end) = rest.iter().skip(1).position(|&byte| byte == b']').map(|at| at + 1) else {
                return path.first() == Some(&b'[') && fits(rest, &path[1..]);
            };
            let (set, negated) = match &rest[..end] {
                [b'!' | b'^', set @ ..] => (set, true),
                set => (set, false),
            };
            path.first().is_some_and(|&byte| byte != b'/' && in_set(set, byte) != negated)
                && fits(&rest[end + 1..], &path[1..])
        }
        [b'\\', byte, rest @ ..] | [byte, rest @ ..] => path.first() == Some(byte) && fits(rest, &path[1..]),
    }
}

fn in_set(set: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while at < set.len() {
        if let [low, b'-', high, ..] = set[at..] {
            if (low..=high).contains(&byte) {
                return true;
            }
            at += 3;
        } else if set[at] == byte {
            return true;
        } else {
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn as_git_reads_them() {
        for (glob, path, fit) in [
            ("**/.ruff.toml", ".ruff.toml", true),
            ("**/.ruff.toml", "a b/ü/.ruff.toml", true),
            ("**/.ruff.toml", "x.ruff.toml", false),
            ("**/.yamllint*", "a/.yamllint.yml", true),
            ("**/.yamllint*", "a/.yamllint/x", true),
            (".claude/hooks/**", ".claude/hooks/a/b.sh", true),
            (".claude/hooks/**", ".claude/settings.json", false),
            (".claude/settings*.json", ".claude/settings.local.json", true),
            ("*.toml", "a/b.toml", false),
            ("a[0-9]?", "a7x", true),
            ("a[!0-9]", "a7", false),
            ("[a", "[a", true),
        ] {
            assert_eq!(matches(glob, path), fit, "{glob} {path}");
        }
    }
}
