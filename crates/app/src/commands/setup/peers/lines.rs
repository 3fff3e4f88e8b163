//! TOML and YAML that others write, too: our lines are marked, and go without a trace.

use std::fmt::Write;

use anyhow::bail;

use super::Entry;

const BEGIN: &str = "# plimsoll: hooks, written by `plimsoll init`";
/// The same, where the line before had no end.
const BEGIN_OPEN: &str = "# plimsoll: hooks, written by `plimsoll init` (no line end before)";
const END: &str = "# plimsoll: end";

/// A block of `[[hooks]]` at the end, which is valid behind anything.
pub(super) fn toml(text: &str, entries: &[Entry]) -> anyhow::Result<String> {
    let mut text = without_block(text);
    if text.lines().any(|line| line.split('=').next().is_some_and(|key| key.trim() == "hooks")) {
        bail!(
            "it has `hooks = …`, which `[[hooks]]` cannot stand beside; write that as `[[hooks]]` tables first"
        );
    }
    let open = !text.is_empty() && !text.ends_with('\n');
    if open {
        text.push('\n');
    }
    let _ = writeln!(text, "{}", if open { BEGIN_OPEN } else { BEGIN });
    for entry in entries {
        let line = serde_json::json!(entry.line);
        let _ = writeln!(
            text,
            "[[hooks]]\nevent = \"{}\"\ncommand = {line}\ntimeout = {}",
            entry.event, entry.seconds
        );
    }
    let _ = writeln!(text, "{END}");
    Ok(text)
}

pub(super) fn without_block(text: &str) -> String {
    let Some(begin) = text.find(BEGIN_OPEN).or_else(|| text.find(BEGIN)) else { return text.to_owned() };
    let Some(end) = text[begin..].find(END).map(|at| begin + at + END.len()) else { return text.to_owned() };
    let rest = text[end..].strip_prefix('\n').unwrap_or(&text[end..]);
    let mut before = &text[..begin];
    if text[begin..].starts_with(BEGIN_OPEN) {
        before = before.strip_suffix('\n').unwrap_or(before);
    }
    format!("{before}{rest}")
}

const MARK: &str = "# plimsoll";
const MARK_OPEN: &str = "# plimsoll (no line end before)";

/// A list of words two levels deep in a YAML file, and where its lines are.
struct Words {
    section: usize,
    /// The line of the list, and how far it is indented; `None` where the section has no such list.
    list: Option<(usize, usize)>,
    /// The lines of its words.
    items: Vec<usize>,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line's text without its comment, where it has one behind a blank.
fn bare(line: &str) -> &str {
    let end = line.find(" #").unwrap_or(line.len());
    let line = line[..end].trim();
    if line.starts_with('#') { "" } else { line }
}

fn is_word(line: &str, word: &str) -> bool {
    bare(line).strip_prefix('-').is_some_and(|rest| rest.trim().trim_matches(['"', '\'']) == word)
}

fn find(lines: &[&str], section: &str, list: &str) -> Option<Words> {
    let at = lines.iter().position(|line| line.starts_with(&format!("{section}:")))?;
    let body = |from: usize, deeper: usize| {
        let rest = lines[from..].iter().enumerate();
        let inside = rest.take_while(move |(_, line)| bare(line).is_empty() || indent(line) >= deeper);
        inside.filter(|(_, line)| !bare(line).is_empty()).map(move |(n, _)| from + n)
    };
    let mut found = Words { section: at, list: None, items: Vec::new() };
    if let Some(line) = body(at + 1, 1).find(|&n| bare(lines[n]).starts_with(&format!("{list}:"))) {
        let depth = indent(lines[line]);
        found.list = Some((line, depth));
        // The words of a list may stand as far left as its name.
        found.items = body(line + 1, depth).take_while(|&n| bare(lines[n]).starts_with('-')).collect();
    }
    Some(found)
}

/// A file with one word more in its list.
pub(super) fn with_word(text: &str, section: &str, list: &str, word: &str) -> anyhow::Result<String> {
    if text.trim_start().starts_with('{') {
        bail!("it is written as JSON; write it as lines of YAML first");
    }
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let view: Vec<&str> = lines.iter().map(String::as_str).collect();
    let Some(found) = find(&view, section, list) else {
        let open = !text.is_empty() && !text.ends_with('\n');
        let (gap, mark) = if open { ("\n", MARK_OPEN) } else { ("", MARK) };
        return Ok(format!("{text}{gap}{section}:  {mark}\n  {list}:  {MARK}\n    - {word}  {MARK}\n"));
    };
    if bare(view[found.section]) != format!("{section}:") {
        bail!("its `{section}:` is written in one line; write it as a block first");
    }
    let Some((line, depth)) = found.list else {
        lines.insert(found.section + 1, format!("  {list}:  {MARK}\n    - {word}  {MARK}\n"));
        return Ok(ended(lines, found.section));
    };
    let rest = bare(view[line])[list.len() + 1..].trim();
    if let Some(inside) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        if inside.split(',').all(|one| one.trim().trim_matches(['"', '\'']) != word) {
            let more =
                if inside.trim().is_empty() { format!("[{word}]") } else { format!("[{inside}, {word}]") };
            lines[line] = lines[line].replacen(rest, &more, 1);
        }
        return Ok(lines.concat());
    }
    if !rest.is_empty() {
        bail!("its `{section}.{list}` is not a list that can be added to; add {word} to it by hand");
    }
    if !found.items.iter().any(|&n| is_word(view[n], word)) {
        let pad = found.items.first().map_or(depth + 2, |&n| indent(view[n]));
        lines.insert(line + 1, format!("{}- {word}  {MARK}\n", " ".repeat(pad)));
        return Ok(ended(lines, line));
    }
    Ok(lines.concat())
}

/// The line before an inserted one has an end, and where it had none, the inserted one has none.
fn ended(mut lines: Vec<String>, before: usize) -> String {
    if !lines[before].ends_with('\n') {
        lines[before].push('\n');
        if let Some(last) = lines.last_mut() {
            last.pop();
        }
    }
    lines.concat()
}

/// The same without it, and without what was written for it alone. A word is known by itself: the agent writes the file, too, and keeps no
/// comments.
pub(super) fn without_word(text: &str, section: &str, list: &str, word: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let view: Vec<&str> = lines.iter().map(String::as_str).collect();
    let Some(found) = find(&view, section, list) else { return text.to_owned() };
    let Some((line, _)) = found.list else { return text.to_owned() };
    let rest = bare(view[line])[list.len() + 1..].trim().to_owned();
    if rest.starts_with('[') {
        let less = rest.replace(&format!(", {word}]"), "]").replace(&format!("[{word}]"), "[]");
        lines[line] = lines[line].replacen(&rest, &less, 1);
        return lines.concat();
    }
    let words: Vec<usize> = found.items.iter().copied().filter(|&n| is_word(view[n], word)).collect();
    if words.is_empty() {
        return text.to_owned();
    }
    let marked = |n: usize| view[n].trim_end().ends_with(MARK) || view[n].trim_end().ends_with(MARK_OPEN);
    let mut gone = words.clone();
    if words.len() == found.items.len() && marked(line) {
        gone.push(line);
        if marked(found.section) {
            gone.push(found.section);
        }
    }
    let open = gone.contains(&found.section) && view[found.section].trim_end().ends_with(MARK_OPEN)
        || gone.contains(&(lines.len() - 1)) && !text.ends_with('\n');
    let mut rest: String =
        lines.iter().enumerate().filter(|(n, _)| !gone.contains(n)).map(|(_, line)| line.as_str()).collect();
    if open && rest.ends_with('\n') {
        rest.pop();
    }
    rest
}
