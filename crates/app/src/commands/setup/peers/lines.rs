//! TOML and YAML that others write, too: our lines are marked, and taken out by their marks.

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

/// One list item per event below `hooks:`. Every line of ours ends in a mark.
pub(super) fn yaml(text: &str, entries: &[Entry]) -> anyhow::Result<String> {
    let text = without_marks(text);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let open = !text.is_empty() && !text.ends_with('\n');
    let at = lines.iter().position(|line| line.starts_with("hooks:"));
    let Some(at) = at else {
        let mut text = text.clone();
        if text.trim_start().starts_with('{') {
            bail!("it is written as one line of JSON; write it as lines of YAML first");
        }
        if open {
            text.push('\n');
        }
        let _ = writeln!(text, "hooks:  {}", if open { MARK_OPEN } else { MARK });
        for entry in entries {
            let _ = write!(text, "  {}:  {MARK}\n{}", entry.event, item("    ", entry));
        }
        return Ok(text);
    };
    let rest = lines[at]["hooks:".len()..].trim();
    if !rest.is_empty() && !rest.starts_with('#') {
        bail!("its `hooks:` is written in one line; write it as a block first, one event per line");
    }
    let blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let indent = |line: &str| line.len() - line.trim_start().len();
    let step = lines[at + 1..].iter().find(|line| !blank(line)).map_or(2, |line| indent(line).max(1));
    let pad = " ".repeat(step);
    for entry in entries {
        let head = format!("{pad}{}:", entry.event);
        let known = lines.iter().position(|line| line.trim_end() == head);
        if let Some(known) = known {
            // Beside the items that are there.
            let inner = lines[known + 1..].iter().find(|line| !blank(line)).map_or(step, |line| indent(line));
            let inner = " ".repeat(inner.max(step));
            insert(&mut lines, known + 1, &item(&inner, entry));
        } else {
            let new = format!("{pad}{}:  {MARK}\n{}", entry.event, item(&format!("{pad}  "), entry));
            insert(&mut lines, at + 1, &new);
        }
    }
    let mut text = lines.join("\n");
    if !open {
        text.push('\n');
    }
    Ok(text)
}

fn insert(lines: &mut Vec<String>, at: usize, text: &str) {
    lines.splice(at..at, text.lines().map(str::to_owned));
}

fn item(pad: &str, entry: &Entry) -> String {
    let line = serde_json::json!(entry.line);
    format!("{pad}- command: {line}  {MARK}\n{pad}  timeout: {}  {MARK}\n", entry.seconds)
}

pub(super) fn without_marks(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end();
        if plain.ends_with(MARK_OPEN) {
            out.pop();
        } else if !plain.ends_with(MARK) {
            out.push_str(line);
        }
    }
    out
}
