//! JSON by a mapping. Tools print other things around their JSON, so it is looked for; and they move their fields, so several
//! places are tried.

use serde_json::{Deserializer, Value};

use super::{Cause, Entry, position};
use crate::definition::Mapping;

/// The report format of GitLab's code quality, which several tools speak.
pub(super) static GITLAB: Mapping = Mapping {
    list: "",
    file: "location.path",
    line: "location.positions.begin.line|location.lines.begin",
    column: "location.positions.begin.column",
    offset: "",
    code: "check_name",
    message: "description",
    only: &[],
    placed: false,
};

pub(super) fn read(text: &str, mapping: &Mapping, source: &str) -> Result<Vec<Entry>, Cause> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let document = find(text, |value| list(value, mapping.list).is_some());
    let document = document.ok_or(Cause::Without("JSON of this form"))?;
    let items = list(&document, mapping.list).unwrap_or_default();
    let mut entries = Vec::new();
    for (around, item) in items {
        let kept = mapping.only.iter().all(|(field, values)| {
            at(item, field)
                .and_then(Value::as_str)
                .is_none_or(|value| values.split('|').any(|one| one == value))
        });
        if !kept {
            continue;
        }
        let Some(message) = words(item, mapping.message) else {
            return Err(Cause::Wordless);
        };
        let mut entry = Entry {
            file: match mapping.file.strip_prefix('^') {
                Some(path) => around.and_then(|around| words(around, path)),
                None => words(item, mapping.file),
            },
            line: number(item, mapping.line).unwrap_or(0),
            column: number(item, mapping.column).unwrap_or(0),
            code: words(item, mapping.code).unwrap_or_default(),
            message,
        };
        if entry.line == 0
            && let Some(offset) = number(item, mapping.offset)
        {
            (entry.line, entry.column) = position(source, offset as usize);
        }
        if entry.line > 0 || !mapping.placed {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// The first JSON document in `text` that `fits`.
pub(super) fn find(text: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    let mut tries = 0;
    // Each try may read to the end.
    let most = if text.len() > 1_000_000 { 20 } else { 1000 };
    let starts = text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'[' | b'{')).map(|(at, _)| at);
    let mut end = 0;
    for start in starts {
        // What lies inside of a document that did not fit is a part of it.
        if start < end {
            continue;
        }
        let mut stream = Deserializer::from_str(&text[start..]).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            if fits(&value) {
                return Some(value);
            }
            end = start + stream.byte_offset();
        }
        tries += 1;
        // Brackets in prose are tried one by one; a flood of them is not a report.
        if tries > most {
            return None;
        }
    }
    None
}

/// The items of the list at `path`, where it is one. `*` goes into every item of a list on the way, which then is around them.
fn list<'a>(document: &'a Value, path: &str) -> Option<Vec<(Option<&'a Value>, &'a Value)>> {
    path.split('|').find_map(|path| match path.strip_prefix("*.") {
        Some(rest) => {
            let outer = document.as_array()?;
            let inner = |around| {
                let items = at(around, rest).and_then(Value::as_array).into_iter().flatten();
                items.map(move |item| (Some(around), item))
            };
            Some(outer.iter().flat_map(inner).collect())
        }
        None => Some(at(document, path)?.as_array()?.iter().map(|item| (None, item)).collect()),
    })
}

/// What is at `path`; the document itself where the path is empty.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(value);
    }
    path.split('.').try_fold(value, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => value.get(key),
    })
}

/// The first of these places that holds text or a number; `=word` is the word itself.
fn words(item: &Value, paths: &str) -> Option<String> {
    paths.split('|').filter(|path| !path.is_empty()).find_map(|path| match path.strip_prefix('=') {
        Some(word) => Some(word.to_owned()),
        None => match at(item, path)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        },
    })
}

fn number(item: &Value, paths: &str) -> Option<u32> {
    let mut paths = paths.split('|').filter(|path| !path.is_empty());
    paths.find_map(|path| u32::try_from(at(item, path)?.as_u64()?).ok())
}
