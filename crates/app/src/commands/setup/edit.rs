//! JSON files changed in place: comments, order, indentation and everything unknown stay as they are.

use anyhow::Context;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value as Json;

/// What editors of Windows put before a text. Claude Code reads settings with it; observed in 2.1.325.
pub(crate) const MARK: char = '\u{feff}';

/// What becomes of `text` by changes of its tree.
pub(crate) fn printed(root: &CstRootNode, text: &str) -> String {
    let mark = if text.starts_with(MARK) { MARK.to_string() } else { String::new() };
    mark + &root.to_string()
}

/// A file's text as a tree that prints back to the same text. An empty file is an empty object.
pub(crate) fn parse(text: &str) -> anyhow::Result<(CstRootNode, CstObject)> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| anyhow::anyhow!("is not JSON: {error}"))?;
    let object = root.object_value_or_create().context("is not a JSON object")?;
    Ok((root, object))
}

/// Sets a dotted key, making the objects on the way.
pub(crate) fn set(object: &CstObject, key: &str, value: &Json) {
    match key.split_once('.') {
        Some((section, rest)) => set(&object.object_value_or_set(section), rest, value),
        None => match object.get(key) {
            Some(property) => property.set_value(input(value)),
            None => {
                object.append(key, input(value));
            }
        },
    }
}

/// A value as the tree takes it.
pub(crate) fn input(value: &Json) -> CstInputValue {
    match value {
        Json::Null => CstInputValue::Null,
        Json::Bool(flag) => CstInputValue::Bool(*flag),
        Json::Number(number) => CstInputValue::Number(number.to_string()),
        Json::String(text) => CstInputValue::String(text.clone()),
        Json::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Json::Object(object) => {
            CstInputValue::Object(object.iter().map(|(k, v)| (k.clone(), input(v))).collect())
        }
    }
}

/// The same text as plain JSON: without comments, and without commas behind the last entry. Strings stay as they are, and so do lines
/// that have anything else on them.
pub(crate) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                trim_line(&mut out);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.find("*/").map_or("", |at| &rest[at + 2..]);
                trim_line(&mut out);
                continue;
            }
            '}' | ']' => {
                if out.trim_end().ends_with(',') {
                    let comma = out.trim_end().len() - 1;
                    out.remove(comma);
                }
                1
            }
            other => other.len_utf8(),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    // Lines that had nothing but a comment.
    let mut before_was_blank = true;
    let mut lines: Vec<&str> = Vec::new();
    for line in out.split_inclusive('\n') {
        let blank = line.trim().is_empty();
        if !(blank && before_was_blank) {
            lines.push(line);
        }
        before_was_blank = blank;
    }
    lines.concat()
}

/// Blanks before a comment go with it; a line that had nothing else is taken together with the one before.
fn trim_line(out: &mut String) {
    let kept = out.trim_end_matches([' ', '\t']).len();
    out.truncate(kept);
    if out.ends_with('\n') {
        out.pop();
    }
}

/// The bytes of a string that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_meant_stays_byte_for_byte() {
        let text = "{\n    // mine\n    \"a\": 1, \"b\":   [1,2],\n    \"c\": {\"d\": true}\n}\n";
        let (root, object) = parse(text).unwrap();
        assert_eq!(root.to_string(), text);
        set(&object, "c.d", &json!(false));
        assert_eq!(root.to_string(), text.replace("true", "false"));
    }

    /// The tree gives each entry of an object that grows a line of its own; what is around it stays.
    #[test]
    fn an_object_that_grows_is_laid_out_anew_and_its_neighbours_are_not() {
        let (root, object) =
            parse("{\n    // mine\n    \"b\":   [1,2],\n    \"c\": {\"d\": true}\n}\n").unwrap();
        set(&object, "c.e", &json!("x"));
        let expected = "{\n    // mine\n    \"b\":   [1,2],\n    \"c\": {\n        \"d\": true,\n        \"e\": \"x\"\n    }\n}\n";
        assert_eq!(root.to_string(), expected);
    }

    #[test]
    fn comments_and_last_commas_go_and_nothing_else() {
        let text = "// top\n{\n  // in it\n  \"a\": \"// no comment, }\", // at its end\n  /* two\n lines */ \"b\": [1, 2,],\n  \"c\": \"\\\\\", // x\n}\n";
        let plain = without_comments(text);
        let json: Json = serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {plain}"));
        assert_eq!(json, json!({"a": "// no comment, }", "b": [1, 2], "c": "\\"}));
        assert!(!plain.contains("top") && !plain.contains("at its end"), "{plain}");
        let fine = "{\n  \"a\": [1, 2]\n}\n";
        assert_eq!(without_comments(fine), fine);
    }

    #[test]
    fn lists_and_broken_files_are_refused() {
        assert!(parse("[1]").is_err());
        assert!(parse("{\"a\": ").is_err());
        assert!(parse("").is_ok());
    }
}
