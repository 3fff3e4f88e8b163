//! What kind of change it was, and what to test because of that: `stop/change-types`.

mod code;
mod table;

use std::fmt::Write;

use model::{Config, Event, EventName, Findings, Meta, On, Role, SessionChanges};

use super::checkpoint::{Judged, judge};
use super::hold::hold;
use crate::autonomy::AUTONOMOUS;
use crate::{Check, Context};

use table::{TYPES, found};

static META: Meta = Meta {
    id: "stop/change-types",
    summary: "what to test before a stop, by the kind of code that changed",
    docs: "\
Adds to a stop that `stop/checkpoint` holds a checklist: how code should look here, and for each kind of change that the session's
added lines show, what to test. Lines are read as code: prose, comments and imports do not count. The kinds are `env_var`, `auth`,
`link`, `api_route`, `websocket`, `database`, `proxy`, `datetime_boundary`, `serialization_boundary`, `orm_boundary` and
`file_export`; `change_types.patterns` and `change_types.tests` in the configuration add kinds of your own.
",
    cases: include_str!("change_types.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Advisory,
    levels: AUTONOMOUS,
    since: "0.1",
};

/// How code should look, in words that are easy to keep.
const STANDARDS: &str = "\
COMPLIANCE CHECKLIST

1. PHILOSOPHY: boring over clever | local over abstract | small composable units | stateless with side effects at edges | fail loud never silent | tests are truth

2. STYLE: type hints everywhere | snake_case files | absolute imports | Pydantic for contracts

3. LIMITS: files < 400 lines | functions < 60 lines";

const LONGEST: usize = 400;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !matches!(judge(event, cx, &mut Vec::new()), Judged::Open(_)) {
        return;
    }
    let Ok(changes) = cx.facts.session_changes() else { return };
    if let Some(text) = checklist(&changes, cx) {
        hold(META.id, event, cx, &[text], out);
    }
}

/// The checklist, where there is anything to test or to shorten.
fn checklist(changes: &SessionChanges, cx: &Context<'_>) -> Option<String> {
    let root = cx.facts.changes_root();
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    let mut long = String::new();
    for file in &changes.files {
        let Ok(Some(text)) = cx.facts.read(&root.join(&file.path)) else { continue };
        let lines = text.lines().count();
        if lines > LONGEST && code::is_code(&file.path) {
            let _ = write!(long, "\n   - {} has {lines} lines", file.path);
        }
        let code = code::lines(&file.path, &text);
        let added = file.added.iter().cloned().flatten().filter_map(|number| code.get(number - 1));
        let added: Vec<&str> = added.map(String::as_str).filter(|line| !line.trim().is_empty()).collect();
        for (name, tests) in kinds_of(&file.path, &added, cx.config) {
            if !kinds.iter().any(|(known, _)| *known == name) {
                kinds.push((name, tests));
            }
        }
    }
    if kinds.is_empty() && long.is_empty() {
        return None;
    }
    // In the order of the table, whatever the order of the files.
    kinds.sort_by_key(|(name, _)| TYPES.iter().position(|kind| kind.name == name).unwrap_or(TYPES.len()));
    let mut text = format!("{STANDARDS}{long}");
    if !kinds.is_empty() {
        text.push_str("\n\n4. CHANGE-SPECIFIC TESTING REQUIRED:");
        for (name, tests) in kinds {
            let _ = write!(text, "\n\n   ⚠️  {} CHANGES DETECTED:", name.to_uppercase().replace('_', " "));
            for test in tests {
                let _ = write!(text, "\n      - {test}");
            }
        }
    }
    Some(text)
}

fn kinds_of(path: &str, added: &[&str], config: &Config) -> Vec<(String, Vec<String>)> {
    let built_in = TYPES.iter().filter(|kind| kind.is_in(path, added));
    let mut kinds: Vec<(String, Vec<String>)> = built_in
        .map(|kind| (kind.name.to_owned(), kind.tests.iter().map(|&t| t.to_owned()).collect()))
        .collect();
    for (name, patterns) in &config.change_patterns {
        if code::is_code(path) && patterns.iter().any(|pattern| added.iter().any(|line| found(line, pattern)))
        {
            let tests = config.change_tests.get(name).cloned().unwrap_or_default();
            kinds.push((name.clone(), tests));
        }
    }
    kinds
}
