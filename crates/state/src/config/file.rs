//! One config file: JSON with comments, taken apart into the keys that are known.

use std::path::Path;

use jsonc_parser::ParseOptions;
use model::config::{RETIRED, SETTINGS, find, nearest};
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// Why a file gives no settings. It reads on after the file's name.
#[derive(Debug, Error)]
pub enum Unparsed {
    #[error("there is no such file")]
    Missing,
    #[error("cannot be read: {0}")]
    Unread(#[from] std::io::Error),
    #[error("is not a JSON object")]
    NotAnObject,
    #[error("is not JSON: {0}")]
    NotJson(String),
}

/// A config file as JSON; comments and trailing commas are fine.
pub(super) fn read(file: &Path) -> Result<Option<Map<String, Json>>, Unparsed> {
    let Some(text) = crate::files::read(file)? else {
        return Ok(None);
    };
    parse(&text).map(Some)
}

/// Whether there is nothing in it at all, not even `{}`.
pub(super) fn is_blank(file: &Path) -> bool {
    crate::files::read(file).is_ok_and(|text| text.is_some_and(|text| text.trim().is_empty()))
}

/// The same from text, for `config check` and the set-up.
pub fn parse(text: &str) -> Result<Map<String, Json>, Unparsed> {
    // Editors of Windows put a mark before a text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    // Plain JSON is the common case and the faster parser's.
    if let Ok(Json::Object(object)) = serde_json::from_str(text) {
        return Ok(object);
    }
    match jsonc_parser::parse_to_serde_value::<Json>(text, &ParseOptions::default()) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err(Unparsed::NotAnObject),
        Err(error) => Err(Unparsed::NotJson(error.to_string())),
    }
}

/// Flattens an object to known keys. `complain` gets a line about everything else.
pub(super) fn walk(
    object: &Map<String, Json>,
    prefix: &str,
    values: &mut Vec<(&'static str, Json)>,
    complain: &mut dyn FnMut(String),
) {
    for (name, value) in object {
        // How the old linter hooks wrote a comment.
        if name.starts_with('_') {
            continue;
        }
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        if let Some(setting) = find(&key) {
            values.push((setting.key, value.clone()));
        } else if let Some(retired) = RETIRED.iter().find(|retired| retired.key == key) {
            complain(format!("{key} is no longer supported and is ignored; {}", retired.instead));
        } else if let Some(setting) = if value.is_object() { None } else { find(&format!("{key}.enabled")) } {
            values.push((setting.key, if value.is_null() { Json::Bool(false) } else { value.clone() }));
        } else if let Json::Object(inner) = value
            && is_section(&key)
        {
            walk(inner, &key, values, complain);
            // A file that names languages and leaves this one out has it off; an object without `enabled` too.
            let left_out = match key.as_str() {
                "languages" => !inner.contains_key("typescript"),
                "languages.typescript" => !inner.contains_key("enabled"),
                _ => false,
            };
            if left_out {
                values.push(("languages.typescript.enabled", Json::Bool(false)));
            }
        } else if is_section(&key) {
            complain(format!("{key} should be an object"));
        } else {
            let hint = nearest(&key, strsim::damerau_levenshtein).map_or_else(
                || "see `plimsoll config schema`".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            complain(format!("{key} is unknown and ignored; {hint}"));
        }
    }
}

/// Whether settings lie below this name. Every hook asks it of every section of a file.
fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_an_editor_of_windows_is_read() {
        let text = "\u{feff}{\r\n  // mine\r\n  \"profile\": \"strict\",\r\n}\r\n";
        assert_eq!(parse(text).unwrap()["profile"], "strict");
        assert_eq!(parse("\u{feff}").unwrap(), Map::new());
        assert!(parse("\u{feff}[1]").is_err());
    }
}
