//! The agent's report: its schema, and what is wrong with one.

use std::fmt::Write;

use model::SessionChanges;
use serde_json::Value as Json;

const FIRST: &str = "BLOCKED: Cannot stop without valid completion checkpoint.\n\nRequired: .claude/completion-checkpoint.json\n";

const SCHEMA: &str = r#"
Schema:
{
  "self_report": {
    "is_job_complete": true,           // REQUIRED: boolean
    "code_changes_made": true,         // REQUIRED: boolean
    "linters_pass": true,              // REQUIRED: boolean (if code changed)
    "category": "bugfix"               // REQUIRED: any string
  },
  "reflection": {
    "what_was_done": "...",            // REQUIRED: >20 chars
    "what_remains": "none",            // REQUIRED: "none" to allow stop
    "key_insight": "...",              // REQUIRED: >50 chars
    "search_terms": ["term1", ...]     // REQUIRED: 2-7 items
  }
}

Validation rules:
- is_job_complete must be true
- what_remains must be "none"
- what_was_done must be >20 characters
- key_insight must be >50 characters
- search_terms must have 2-7 items
- linters_pass must be true if code_changes_made is true"#;

/// What `plimsoll checkpoint new` writes: whole in form, and not yet true.
pub(crate) const TEMPLATE: &str = r#"{
  "self_report": {
    "is_job_complete": false,
    "code_changes_made": true,
    "linters_pass": false,
    "category": ""
  },
  "reflection": {
    "what_was_done": "",
    "what_remains": "everything",
    "key_insight": "",
    "search_terms": []
  }
}
"#;

pub(super) fn missing() -> String {
    format!("{FIRST}{SCHEMA}")
}

pub(super) fn invalid(wrong: &[String]) -> String {
    let mut text = format!("{FIRST}\nWhat does not hold:\n");
    for line in wrong {
        let _ = writeln!(text, "  * {line}");
    }
    text.push_str(SCHEMA);
    text
}

/// Enough of a report to be remembered.
pub(super) fn is_whole(report: &Json) -> bool {
    problems(report, &SessionChanges::default()).is_empty()
}

/// What is wrong with it by itself.
pub(super) fn problems(report: &Json, changes: &SessionChanges) -> Vec<String> {
    let mut wrong = Vec::new();
    if !report.is_object() {
        return vec![format!("it is {}, not an object", kind(report))];
    }
    let mut part = |name: &str| match report.get(name) {
        Some(part) if part.is_object() => part.clone(),
        Some(other) => {
            wrong.push(format!("{name} is {}; it must be an object", kind(other)));
            Json::Null
        }
        None => {
            wrong.push(format!("{name} is missing"));
            Json::Null
        }
    };
    let (self_report, reflection) = (part("self_report"), part("reflection"));
    if self_report.is_object() {
        judge_self(&self_report, changes, &mut wrong);
    }
    if reflection.is_object() {
        judge_reflection(&reflection, &mut wrong);
    }
    wrong
}

fn judge_self(part: &Json, changes: &SessionChanges, wrong: &mut Vec<String>) {
    let mut flag = |name: &str| match part.get(name) {
        Some(Json::Bool(flag)) => Some(*flag),
        Some(other) => {
            wrong.push(format!("self_report.{name} is {}; it must be true or false", kind(other)));
            None
        }
        None => {
            wrong.push(format!("self_report.{name} is missing; it must be true or false"));
            None
        }
    };
    let (complete, changed) = (flag("is_job_complete"), flag("code_changes_made"));
    let made = !changes.files.is_empty();
    // Whoever says that nothing changed need not speak of linters, unless something did.
    let linters = if changed == Some(true) || made { flag("linters_pass") } else { None };
    if complete == Some(false) {
        wrong.push("self_report.is_job_complete is false: finish the job first".into());
    }
    if changed == Some(false) && made {
        let names: Vec<&str> = changes.files.iter().take(3).map(|file| file.path.as_str()).collect();
        let more = if changes.files.len() > 3 { ", …" } else { "" };
        wrong.push(format!(
            "self_report.code_changes_made is false, but this session changed {}{more}",
            names.join(", ")
        ));
    }
    if linters == Some(false) {
        wrong.push("self_report.linters_pass is false: run the linters and fix what they say".into());
    }
    match part.get("category") {
        Some(Json::String(_)) => {}
        Some(other) => wrong.push(format!("self_report.category is {}; it must be a string", kind(other))),
        None => wrong.push("self_report.category is missing; any string will do".into()),
    }
}

fn judge_reflection(part: &Json, wrong: &mut Vec<String>) {
    let mut text = |name: &str| match part.get(name) {
        Some(Json::String(text)) => Some(text.trim().to_owned()),
        Some(other) => {
            wrong.push(format!("reflection.{name} is {}; it must be a string", kind(other)));
            None
        }
        None => {
            wrong.push(format!("reflection.{name} is missing"));
            None
        }
    };
    let (done, remains, insight) = (text("what_was_done"), text("what_remains"), text("key_insight"));
    let length = |text: &str| text.chars().count();
    if let Some(done) = done.as_deref().filter(|done| length(done) <= 20) {
        wrong.push(format!(
            "reflection.what_was_done has {} characters; it must have more than 20",
            length(done)
        ));
    }
    if let Some(remains) = remains.filter(|text| !is_nothing(text)) {
        let start: String = remains.chars().take(80).collect();
        wrong.push(format!("reflection.what_remains is \"{start}\": do it, then write \"none\""));
    }
    if let Some(insight) = &insight {
        if length(insight) <= 50 {
            wrong.push(format!(
                "reflection.key_insight has {} characters; it must have more than 50",
                length(insight)
            ));
        } else if done.as_ref().is_some_and(|done| same_beginning(insight, done)) {
            wrong.push(
                "reflection.key_insight repeats what_was_done: say what another session should know".into(),
            );
        }
    }
    match part.get("search_terms") {
        Some(Json::Array(terms)) => {
            if !(2..=7).contains(&terms.len()) {
                wrong.push(format!("reflection.search_terms has {} items; it must have 2 to 7", terms.len()));
            }
            if terms.iter().any(|term| term.as_str().is_none_or(|term| term.trim().is_empty())) {
                wrong.push("reflection.search_terms must be strings with something in them".into());
            }
        }
        Some(other) => wrong.push(format!("reflection.search_terms is {}; it must be a list", kind(other))),
        None => wrong.push("reflection.search_terms is missing".into()),
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text.trim_end_matches('.').to_lowercase().as_str(), "" | "none" | "nothing" | "n/a")
}

fn same_beginning(one: &str, other: &str) -> bool {
    let start = |text: &str| text.chars().take(40).collect::<String>().to_lowercase();
    start(one) == start(other)
}

/// Tests that the report names, where it names any.
pub(super) fn verification(report: &Json, version: impl FnOnce() -> String, wrong: &mut Vec<String>) {
    let Some(part) = report.get("verification") else { return };
    let Some(tests) = part.get("tests").and_then(Json::as_array) else {
        wrong.push("verification.tests must be a list".into());
        return;
    };
    for (number, test) in tests.iter().enumerate() {
        let id = test["id"].as_str().map_or_else(|| format!("number {}", number + 1), str::to_owned);
        match &test["passed"] {
            Json::Bool(true) if test["actual"].is_null() => {
                wrong.push(format!("verification.tests: {id} has no result (`actual`)"));
            }
            Json::Bool(true) => {}
            Json::Bool(false) => wrong.push(format!("verification.tests: {id} failed")),
            other => wrong.push(format!(
                "verification.tests: `passed` of {id} is {}; it must be true or false",
                kind(other)
            )),
        }
    }
    if let Some(tested) = part.get("tests_executed_at_version").and_then(Json::as_str) {
        let now = version();
        if !is_same_version(tested, &now) {
            wrong.push(format!(
                "verification: the tests ran on version {tested}, and this is {now}; run them again"
            ));
        }
    }
}

/// Whether something is uncommitted is one bit that changes with every commit of the very same code.
fn plain(version: &str) -> &str {
    version.strip_suffix("-dirty").unwrap_or(version)
}

/// Whether both name one commit: some write it in short and some whole.
pub(super) fn is_same_version(tested: &str, now: &str) -> bool {
    const SHORTEST: usize = 7;
    let (tested, now) = (plain(tested.trim()), plain(now));
    let is_hash = |text: &str| text.len() >= SHORTEST && text.bytes().all(|b| b.is_ascii_hexdigit());
    tested == now || is_hash(tested) && is_hash(now) && (tested.starts_with(now) || now.starts_with(tested))
}

fn kind(json: &Json) -> String {
    match json {
        Json::Null => "null".into(),
        Json::Bool(_) => "a boolean".into(),
        Json::Number(_) => "a number".into(),
        Json::String(text) => format!("the string \"{}\"", text.chars().take(20).collect::<String>()),
        Json::Array(_) => "a list".into(),
        Json::Object(_) => "an object".into(),
    }
}
