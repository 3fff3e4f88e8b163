//! Facts as the keys of `given` say them.

use std::path::PathBuf;

use model::{
    Autonomy, ChangeKind, Changed, Held, Judgement, Linted, Restore, Review, Reviewer, Since, Unknown,
    Violation,
};

use toml::Value;

/// `linted = { violations = ["app.py:3:1 F841 message (ruff)"], said = […], notices = […], already_there = 0, since = [] }`, or a text: why
/// it was not done.
pub(super) fn linted(value: &Value, place: impl Fn(&str) -> PathBuf) -> Result<Linted, Unknown> {
    let Some(table) = value.as_table() else {
        return Err(Unknown(value.as_str().unwrap_or_default().to_owned()));
    };
    let texts =
        |key: &str| table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let violation = |text: &str| {
        let (at, rest) = text.split_once(' ')?;
        let (code, message) = rest.split_once(' ')?;
        let mut at = at.split(':');
        let file = place(at.next()?);
        let mut number = || at.next()?.parse().ok();
        let (line, column) = (number()?, number()?);
        let message = message.trim_end_matches(" (ruff)").to_owned();
        Some(Violation { file, line, column, code: code.into(), message, linter: "ruff", built_in: false })
    };
    let many = table.get("many").and_then(Value::as_integer).unwrap_or(1);
    let count = |key: &str| table.get(key).and_then(Value::as_integer).and_then(|n| n.try_into().ok());
    let rewriters: Vec<String> = texts("rewriters").map(str::to_owned).collect();
    let violations: Vec<_> = texts("violations").filter_map(violation).collect();
    Ok(Linted {
        violations: (0..many).flat_map(|_| violations.iter().cloned()).collect(),
        already_there: count("already_there").unwrap_or(0),
        since: table.get("since").and_then(Value::as_array).into_iter().flatten().map(since).collect(),
        rewritten: !rewriters.is_empty(),
        rewriters,
        delegated: table.get("delegated").and_then(Value::as_bool).unwrap_or(false),
        said: texts("said").map(str::to_owned).collect(),
        notices: texts("notices").map(str::to_owned).collect(),
        ..Linted::default()
    })
}

/// The line of an edit that has made a violation: 0 for its own, below it where lines were removed.
fn since(value: &Value) -> Option<Since> {
    let line = value.as_integer().filter(|line| *line != 0)?;
    Some(Since { line: line.unsigned_abs().try_into().ok()?, removed: line < 0 })
}

/// `changed = [{ path, kind, restore | copy, before, after }]`.
pub(super) fn changed(value: &Value) -> Result<Vec<Changed>, String> {
    let kinds = [
        ChangeKind::Modified,
        ChangeKind::Staged,
        ChangeKind::Deleted,
        ChangeKind::New,
        ChangeKind::Committed,
    ];
    let mut list = Vec::new();
    for entry in value.as_array().into_iter().flatten().filter_map(Value::as_table) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text("kind").unwrap_or_else(|| "modified".into());
        list.push(Changed {
            path: text("path").ok_or("path is missing")?,
            kind: kinds.into_iter().find(|k| k.as_str() == kind).ok_or("no such kind of change")?,
            restore: match text("copy") {
                Some(copy) => Restore::Copy(copy.into()),
                None => Restore::Command(text("restore").unwrap_or_default()),
            },
            texts: text("before").zip(text("after")),
        });
    }
    Ok(list)
}

/// `held = { times, same, reasons }`.
pub(super) fn held(value: &Value) -> Result<Held, String> {
    let number = |key: &str| value.get(key).and_then(Value::as_integer).and_then(|n| u32::try_from(n).ok());
    Ok(Held {
        times: number("times").ok_or("held.times is missing")?,
        same: number("same").unwrap_or(0),
        reasons: value.get("reasons").and_then(Value::as_str).unwrap_or_default().to_owned(),
    })
}

/// `autonomy = { coordinator, allowed_prompts = [{ tool, prompt }], ahead }`.
pub(super) fn autonomy(value: &Value) -> Result<Autonomy, String> {
    let table = value.as_table().ok_or("autonomy is a table")?;
    let entries = table.get("allowed_prompts").and_then(Value::as_array).into_iter().flatten();
    let text =
        |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| {
        let entries = table.get(key).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    Ok(Autonomy {
        mode: table.get("mode").and_then(Value::as_str).unwrap_or_default().to_owned(),
        directories: list("directories").into_iter().map(PathBuf::from).collect(),
        commands: list("commands"),
        coordinator: table.get("coordinator").and_then(Value::as_bool).unwrap_or(true),
        allowed_prompts: entries.map(|entry| (text(entry, "tool"), text(entry, "prompt"))).collect(),
        every_tool: table.get("every_tool").and_then(Value::as_bool).unwrap_or(false),
        is_ahead: table.get("ahead").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// What a reviewer says when asked.
pub(super) type Answer = (Reviewer, Result<Review, Unknown>);

/// `reviewers = { gemini = "unsafe: why", openai = "fails: why" }`; who is not there has no key.
pub(super) fn reviewers(value: &Value) -> Result<Vec<Answer>, String> {
    let table = value.as_table().ok_or("reviewers is a table")?;
    let mut list = Vec::new();
    for reviewer in Reviewer::ALL {
        let name = reviewer.to_string().to_ascii_lowercase();
        let Some(text) = table.get(&name).and_then(Value::as_str) else { continue };
        let answer = match text.strip_prefix("fails: ") {
            Some(why) => Err(Unknown(why.into())),
            None => opinion(text).map(|(judgement, reason)| Ok(Review { reviewer, judgement, reason }))?,
        };
        list.push((reviewer, answer));
    }
    Ok(list)
}

pub(super) fn opinion(text: &str) -> Result<(Judgement, String), String> {
    let (word, reason) = text.split_once(": ").ok_or("an opinion is `safe: why`")?;
    Ok((Judgement::parse(word).ok_or("no such judgement")?, reason.to_owned()))
}

pub(crate) fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => text.clone().into(),
        Value::Boolean(flag) => (*flag).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Array(list) => serde_json::Value::Array(list.iter().map(json).collect()),
        Value::Table(table) => {
            serde_json::Value::Object(table.iter().map(|(k, v)| (k.clone(), json(v))).collect())
        }
        Value::Datetime(_) => serde_json::Value::Null,
    }
}
