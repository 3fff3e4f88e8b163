//! JSON files changed in place: comments, order, indentation and everything unknown stay as they are.

use anyhow::Context;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value as Json;

/// A file's text as a tree that prints back to the same text. An empty file is an empty object.
pub(crate) fn parse(text: &str) -> anyhow::Result<(CstRootNode, CstObject)> {
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
    fn lists_and_broken_files_are_refused() {
        assert!(parse("[1]").is_err());
        assert!(parse("{\"a\": ").is_err());
        assert!(parse("").is_ok());
    }
}
