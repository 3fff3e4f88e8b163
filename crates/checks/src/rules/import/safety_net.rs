//! Rulebooks of cc-safety-net, versions 1 and 2, and its older inline configuration.

use model::rule::Then;
use serde_json::{Value as Json, json};

use super::{Draft, Made, call_of};

pub(super) fn read(text: &str) -> Result<Vec<Draft>, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let rules = json.get("rules").and_then(Json::as_array).ok_or("it has no rules")?;
    let tests: Vec<&Json> = json.get("tests").and_then(Json::as_array).into_iter().flatten().collect();
    let mut drafts = Vec::new();
    for rule in rules {
        let name = rule["name"].as_str().unwrap_or_default();
        drafts.push(one(rule, name, &tests).unwrap_or_else(|why| Draft::Cannot(format!("{name}: {why}"))));
    }
    if rules.iter().any(Json::is_string) {
        drafts.push(Draft::Cannot(
            "sources of rulebooks are not fetched; import each rulebook.json".to_owned(),
        ));
    }
    Ok(drafts)
}

fn texts(value: &Json) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn one(rule: &Json, name: &str, tests: &[&Json]) -> Result<Draft, &'static str> {
    let command = rule["command"].as_str().ok_or("it has no command")?;
    let found = &rule["match"];
    let (path, any, none) = if found.is_object() {
        (texts(&found["command_path"]), texts(&found["any_args"]), texts(&found["exclude_args"]))
    } else {
        let path = rule["subcommand"].as_str().map(str::to_owned).into_iter().collect();
        (path, texts(&rule["block_args"]), Vec::new())
    };
    if path.is_empty() && any.is_empty() {
        return Err("it matches every call of the program");
    }
    let mut call = call_of(&[command.to_owned()], &path);
    for (key, list) in [("any_word", &any), ("no_word", &none)] {
        if !list.is_empty() {
            call.insert(key.into(), json!(list));
        }
    }
    let mut made = Made {
        origin: format!("cc-safety-net {name}"),
        name: name.to_owned(),
        then: Some(Then::Deny),
        keys: vec![("call", Json::Object(call))],
        say: rule["reason"].as_str().unwrap_or_default().to_owned(),
        ..Made::default()
    };
    for test in tests {
        let Some(command) = test["command"].as_str() else { continue };
        match (test["expect"].as_str(), test["rule"].as_str()) {
            (Some("blocked"), Some(by)) if by == name => made.fires.push(json!(command)),
            (Some("allowed"), _) => made.none.push(json!(command)),
            _ => {}
        }
    }
    let words: Vec<&str> = std::iter::once(command)
        .chain(path.iter().map(String::as_str))
        .chain(any.first().map(String::as_str))
        .collect();
    if made.fires.is_empty() {
        made.fires.push(json!(shell::join(words.iter().copied())));
    }
    if made.none.is_empty() {
        made.none.push(json!(format!("echo {}", shell::quote(&words.join(" ")))));
    }
    Ok(Draft::Rule(made))
}
