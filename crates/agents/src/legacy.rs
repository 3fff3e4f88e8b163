//! The first protocol of the old linter hooks: `{"decision": "block" | "approve"}` for every event, with a word even when there
//! is nothing to say. Projects that replace single scripts by `plimsoll compat` need it; nothing else does.

use model::{Decision, Event, EventName, LastWord, Verdict};
use serde_json::{Map, Value, json};

use crate::reply::{Reply, bounded};

/// Never weaker than the verdict: an `ask`, which this dialect cannot say, blocks.
pub fn render(event: &Event, verdict: &Verdict) -> Reply {
    if event.name == EventName::PostToolUse {
        return after_a_tool(verdict);
    }
    let mut object = Map::new();
    let blocked = verdict.decision >= Decision::Ask;
    object.insert("decision".into(), json!(if blocked { "block" } else { "approve" }));
    if blocked {
        object.insert("reason".into(), bounded(&reason(event, verdict)).into());
    }
    if !verdict.notices.is_empty() {
        object.insert("systemMessage".into(), bounded(&verdict.notices.join("\n")).into());
    }
    let mut stderr =
        verdict.context.iter().chain(&verdict.background).cloned().collect::<Vec<_>>().join("\n");
    if !stderr.is_empty() {
        stderr.push('\n');
    }
    let otherwise = blocked.then(|| verdict.reason());
    Reply { stdout: line(&object), stderr, exit: 0, otherwise }
}

/// This dialect cannot ask, so a call that could not be judged is blocked.
pub fn last_word(event: Option<&EventName>) -> LastWord {
    match event {
        Some(EventName::PreToolUse) => LastWord {
            stdout: "",
            stderr: "plimsoll: this call could not be judged: the hook was stopped, or ran out of time\n",
            exit: 2,
        },
        _ => LastWord::SILENCE,
    }
}

/// The linter had no words for stdout: everything is on stderr, and the exit code says whether it is about violations.
fn after_a_tool(verdict: &Verdict) -> Reply {
    let blocked = verdict.decision >= Decision::Ask;
    let reason = if blocked { verdict.reason() } else { String::new() };
    let texts =
        [reason].into_iter().chain(verdict.context.iter().cloned()).chain(verdict.notices.iter().cloned());
    let lines: Vec<String> =
        texts.filter(|text| !text.is_empty()).map(|text| format!("{}\n", text.trim_end())).collect();
    Reply { stderr: lines.concat(), exit: if blocked { 2 } else { 0 }, ..Reply::default() }
}

/// Before a tool call the scripts said what and why, and those who call them compare the words. At a stop the commands to run
/// are the point.
fn reason(event: &Event, verdict: &Verdict) -> String {
    if event.name != EventName::PreToolUse {
        return verdict.reason();
    }
    let mut short = verdict.clone();
    for finding in &mut short.findings {
        finding.instead = None;
    }
    short.reason()
}

/// JSON in the scripts' spelling: a blank behind each colon and comma, a newline at the end.
fn line(object: &Map<String, Value>) -> String {
    let fields: Vec<String> =
        object.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
    format!("{{{}}}\n", fields.join(", "))
}

#[cfg(test)]
mod tests {
    use model::Findings;

    use super::*;
    use crate::{Agent, ClaudeCode, Defaults};

    fn said(event: &str) -> Reply {
        let event = ClaudeCode.parse(Map::new(), Defaults { event: Some(event), session: None });
        let mut found = Findings::default();
        found.deny("a/b", "It is \"x\".".into(), "Because.").instead = Some("Do y.".into());
        let mut verdict = Verdict::default();
        verdict.merge(found.findings, Vec::new(), vec!["note".into()]);
        render(&event, &verdict)
    }

    #[test]
    fn the_spelling_is_the_scripts() {
        let expected = "{\"decision\": \"block\", \"reason\": \"It is \\\"x\\\". Because.\", \"systemMessage\": \"note\"}\n";
        assert_eq!(said("PreToolUse").stdout, expected);
    }

    #[test]
    fn at_a_stop_the_commands_to_run_are_said_too() {
        assert!(said("Stop").stdout.contains("Because. Do y."), "{}", said("Stop").stdout);
    }
}
