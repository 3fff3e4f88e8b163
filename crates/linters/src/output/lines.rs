//! One violation per line, by patterns such as `{file}:{line}:{column}: {code} {message}`.
//!
//! `{line}` and `{column}` are numbers. `{file}` is the file that was asked about where the line begins with its name, so that
//! a colon in the name does no harm. `{message}` reaches as far as it can, everything else as little.

use super::{Entry, Subject};

pub(super) fn read(text: &str, patterns: &[&str], about: &Subject<'_>) -> Vec<Entry> {
    let relative = about.file.strip_prefix(about.cwd).map(|path| path.to_string_lossy().into_owned());
    let mut names = vec![about.file.to_string_lossy().into_owned()];
    names.extend(relative);
    text.lines()
        .filter_map(|line| patterns.iter().find_map(|pattern| one(line.trim_end(), pattern, &names)))
        .collect()
}

fn one(line: &str, pattern: &str, names: &[String]) -> Option<Entry> {
    let mut entry = Entry::default();
    let (mut line, mut pattern) = (line, pattern);
    loop {
        let Some((literal, rest)) = pattern.split_once('{') else {
            return (line == pattern).then_some(entry);
        };
        line = line.strip_prefix(literal)?;
        let (field, after) = rest.split_once('}')?;
        let until = after.split('{').next().unwrap_or_default();
        let known = names.iter().find(|name| field == "file" && line.starts_with(name.as_str()));
        let end = match (known, field) {
            (Some(name), _) => name.len(),
            (None, "line" | "column") => line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len()),
            _ if until.is_empty() => line.len(),
            (None, "message") => line.rfind(until)?,
            _ => line.find(until)?,
        };
        let value = &line[..end];
        match field {
            "file" => entry.file = Some(value.to_owned()),
            "line" => entry.line = value.parse().ok()?,
            "column" => entry.column = value.parse().ok()?,
            "message" => value.clone_into(&mut entry.message),
            // A rule is one word; prose that happens to have the right marks in it is not a finding.
            "code" if value.is_empty() || value.contains(char::is_whitespace) => return None,
            "code" => value.clone_into(&mut entry.code),
            _ if value.contains(char::is_whitespace) && field != "alias" => return None,
            _ => {}
        }
        line = &line[end..];
        pattern = after;
    }
}
