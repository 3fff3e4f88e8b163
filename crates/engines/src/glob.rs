//! Path patterns of config files. A handful of patterns per run do not pay for compiling a regular expression each.

/// Whether `path` (with `/` between its parts) matches: `*` within a part, `**` across parts, `?` one character, `{a,b}`.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    alternatives(pattern).iter().any(|pattern| glob(pattern.as_bytes(), path.as_bytes()))
}

/// `*.{sh,bash}` as two patterns.
fn alternatives(pattern: &str) -> Vec<String> {
    let (Some(open), Some(close)) = (pattern.find('{'), pattern.find('}')) else {
        return vec![pattern.to_owned()];
    };
    if close < open {
        return vec![pattern.to_owned()];
    }
    let (before, after) = (&pattern[..open], &pattern[close + 1..]);
    pattern[open + 1..close]
        .split(',')
        .flat_map(|middle| {
            alternatives(after).into_iter().map(move |after| format!("{before}{middle}{after}"))
        })
        .collect()
}

fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        // `**/x` matches `x` too.
        [b'*', b'*', b'/', rest @ ..] => {
            glob(rest, text) || (0..text.len()).any(|at| text[at] == b'/' && glob(rest, &text[at + 1..]))
        }
        [b'*', b'*', rest @ ..] => (0..=text.len()).any(|at| glob(rest, &text[at..])),
        [b'*', rest @ ..] => {
            let end = text.iter().position(|byte| *byte == b'/').unwrap_or(text.len());
            (0..=end).any(|at| glob(rest, &text[at..]))
        }
        [b'?', rest @ ..] => text.first().is_some_and(|byte| *byte != b'/') && glob(rest, &text[1..]),
        [literal, rest @ ..] => text.first() == Some(literal) && glob(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths() {
        for (pattern, path, expected) in [
            ("*.sh", "b.sh", true),
            ("*.sh", "a/b.sh", false),
            ("**/*.toml", "a.toml", true),
            ("**/*.toml", "x/y/a.toml", true),
            ("*.{sh,bash}", "x.bash", true),
            ("*.{sh,bash}", "x.zsh", false),
            ("scripts/*", "scripts/a/b", false),
            ("scripts/**", "scripts/a/b", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
