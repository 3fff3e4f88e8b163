//! `prefix_rule` of Codex: words in their order, options among them. In wrappers ours finds them too.

use model::rule::Then;
use serde_json::{Value as Json, json};

use super::starlark::{self, Value};
use super::{Draft, Made};

pub(super) fn read(text: &str) -> Result<Vec<Draft>, String> {
    let mut drafts = Vec::new();
    for call in starlark::calls(text)? {
        if call.name != "prefix_rule" {
            drafts.push(Draft::Cannot(format!("line {}: {}: no rule says this", call.line, call.name)));
            continue;
        }
        match one(&call) {
            Ok(made) => drafts.push(Draft::Rule(made)),
            Err(why) => drafts.push(Draft::Cannot(format!("line {}: {why}", call.line))),
        }
    }
    Ok(drafts)
}

fn one(call: &starlark::Call) -> Result<Made, String> {
    let pattern = call.argument("pattern").and_then(Value::list).ok_or("prefix_rule has no pattern")?;
    let decision = call.argument("decision").and_then(Value::text).unwrap_or("allow");
    let then = match decision {
        "allow" => Then::Allow,
        "prompt" => Then::Ask,
        "forbidden" => Then::Deny,
        other => return Err(format!("the decision {other} is not known")),
    };
    let tokens: Vec<Vec<String>> = pattern
        .iter()
        .map(alternatives)
        .collect::<Option<_>>()
        .ok_or("a pattern is a list of texts, and of lists of them")?;
    let (programs, rest) = tokens.split_first().ok_or("the pattern is empty")?;
    let line: Vec<&str> = tokens.iter().filter_map(|words| words.first()).map(String::as_str).collect();
    let examples = |name: &str| -> Vec<Json> {
        let list = call.argument(name).and_then(Value::list).unwrap_or_default();
        list.iter().filter_map(example).map(Json::from).collect()
    };
    let (mut fires, mut none) = (examples("match"), examples("not_match"));
    if fires.is_empty() {
        fires.push(json!(shell::join(line.iter().copied())));
    }
    if none.is_empty() {
        none.push(json!(format!("echo {}", shell::quote(&line.join(" ")))));
    }
    let words: Vec<Json> =
        rest.iter().map(|words| if let [one] = &words[..] { json!(one) } else { json!(words) }).collect();
    let mut wanted = serde_json::Map::from_iter([("program".to_owned(), json!(programs))]);
    if !words.is_empty() {
        wanted.insert("begins".to_owned(), json!(words));
    }
    Ok(Made {
        origin: format!("Codex prefix_rule {}", line.join(" ")),
        name: line.join("-"),
        then: Some(then),
        keys: vec![("call", Json::Object(wanted))],
        say: call.argument("justification").and_then(Value::text).unwrap_or_default().to_owned(),
        fires,
        none,
    })
}

fn alternatives(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Text(text) => Some(vec![text.clone()]),
        Value::List(list) => list.iter().map(|one| one.text().map(str::to_owned)).collect(),
        Value::Other(_) => None,
    }
}

fn example(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::List(list) => {
            let words: Vec<&str> = list.iter().map(Value::text).collect::<Option<_>>()?;
            Some(shell::join(words))
        }
        Value::Other(_) => None,
    }
}
