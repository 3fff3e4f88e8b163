//! Git's configuration files as text.

/// Keys and values of a file, in order, keys as `section.name` in small letters; a subsection keeps its case.
pub fn git_settings(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, after) = header(rest);
            section = head;
            line = after.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) || section.is_empty() {
            continue;
        }
        let (key, rest) = line.split_once('=').unwrap_or((line, "true"));
        let mut raw = rest.to_owned();
        // A line goes on after a backslash at its end.
        while raw.ends_with('\\') && !raw.ends_with("\\\\") {
            raw.pop();
            let Some(next) = lines.next() else { break };
            raw.push_str(next);
        }
        found.push((format!("{section}.{}", key.trim().to_ascii_lowercase()), value(raw.trim())));
    }
    found
}

/// `alias] x = y` and `include "if"] …`: the section, and what is behind it on the line.
fn header(text: &str) -> (String, &str) {
    let (head, rest) = match text.find('"') {
        // A bracket within quotes does not end it.
        Some(quote) if text.find(']').is_none_or(|end| end > quote) => {
            let end = text[quote + 1..].find("\"]").map_or(text.len(), |at| quote + 1 + at + 1);
            (&text[..end], text.get(end + 1..).unwrap_or_default())
        }
        _ => text.split_once(']').unwrap_or((text, "")),
    };
    match head.split_once('"') {
        Some((name, below)) => {
            (format!("{}.{}", name.trim().to_ascii_lowercase(), below.trim_end_matches('"')), rest)
        }
        None => (head.trim().to_ascii_lowercase(), rest),
    }
}

/// Quotes are taken off, escapes are read, a remark ends it.
fn value(raw: &str) -> String {
    let mut text = String::new();
    let (mut quoted, mut chars) = (false, raw.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            '#' | ';' if !quoted => break,
            c => text.push(c),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_git_reads_them() {
        let text = "; x\n[user]\n  name = t\n[Alias] ci = commit -v # mine\n  st=status\n  x = \"!f() { git \\\"commit\\\"; }; f\"\n\
                    long = log \\\n --oneline\n[includeIf \"gitdir:~/w]/\"]\n\tpath = ~/other\n[alias \"sub\"]\n\tcommand = commit\n";
        let found = git_settings(text);
        let pairs: Vec<(&str, &str)> = found.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(
            pairs,
            [
                ("user.name", "t"),
                ("alias.ci", "commit -v"),
                ("alias.st", "status"),
                ("alias.x", "!f() { git \"commit\"; }; f"),
                ("alias.long", "log  --oneline"),
                ("includeif.gitdir:~/w]/.path", "~/other"),
                ("alias.sub.command", "commit"),
            ]
        );
    }
}
