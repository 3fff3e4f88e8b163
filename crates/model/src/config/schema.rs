//! The JSON Schema of a config file, made from the registry.

use serde_json::{Map, Value as Json, json};

use super::{Kind, SETTINGS, Setting};

/// Draft 2020-12. Unknown keys are allowed: they are warned about, never fatal.
pub fn json_schema() -> Json {
    let mut root = Map::new();
    for setting in SETTINGS {
        insert(&mut root, &setting.key.split('.').collect::<Vec<_>>(), property(setting));
    }
    // `"typescript": true` is the short form of `{"enabled": true}`.
    if let Some(typescript) = root.get_mut("languages").and_then(|l| l.pointer_mut("/properties/typescript"))
    {
        typescript["type"] = json!(["object", "boolean"]);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plimsoll configuration",
        "description": "<project>/.claude/hooks/config.json, config.local.json beside it, ~/.claude/hooks/config.json",
        "type": "object",
        "properties": root,
    })
}

fn insert(into: &mut Map<String, Json>, path: &[&str], leaf: Json) {
    match path {
        [] => {}
        [name] => {
            into.insert((*name).to_owned(), leaf);
        }
        [name, rest @ ..] => {
            let section = into.entry(*name).or_insert_with(|| json!({"type": "object", "properties": {}}));
            if let Some(Json::Object(properties)) = section.get_mut("properties") {
                insert(properties, rest, leaf);
            }
        }
    }
}

fn property(setting: &Setting) -> Json {
    let mut schema = match setting.kind {
        Kind::Bool => json!({"type": "boolean"}),
        Kind::Number => json!({"type": "integer", "minimum": 0}),
        Kind::NumberOrNull => json!({"type": ["integer", "null"], "minimum": 0}),
        Kind::Text => json!({"type": "string"}),
        Kind::TextOrNull => json!({"type": ["string", "null"]}),
        Kind::Choice(names) => json!({"enum": names}),
        Kind::ChoiceOrFalse(names) => {
            let mut all: Vec<Json> = names.iter().map(|&name| name.into()).collect();
            all.push(Json::Bool(false));
            json!({"enum": all})
        }
        Kind::List => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Lists => {
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}})
        }
        Kind::Choices(names) => json!({"type": "object", "additionalProperties": {"enum": names}}),
        Kind::ChoiceOrChoices(names) => {
            json!({"anyOf": [{"enum": names}, {"type": "object", "additionalProperties": {"enum": names}}]})
        }
    };
    schema["description"] = setting.doc.trim().replace("\n ", " ").into();
    schema["default"] = (setting.default)();
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_nested_properties() {
        let schema = json_schema();
        let leaf =
            schema.pointer("/properties/subprocess/properties/tiers/properties/opus/properties/timeout");
        assert_eq!(leaf.and_then(|l| l["default"].as_u64()), Some(600));
        assert_eq!(schema["properties"]["languages"]["properties"]["typescript"]["type"][1], "boolean");
    }
}
