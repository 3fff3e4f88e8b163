//! The first protocol of the linter system: `{"decision": "block" | "approve"}` for every event, with a word even when there
//! is nothing to say. Projects that replace single scripts by `plimsoll compat` need it; nothing else does.

use model::{Decision, Event, Verdict};
use serde_json::{Map, Value, json};

use crate::reply::{Reply, bounded};

/// Never weaker than the verdict: an `ask`, which this dialect cannot say, blocks.
pub fn render(_event: &Event, verdict: &Verdict) -> Reply {
    let mut object = Map::new();
    let blocked = verdict.decision >= Decision::Ask;
    object.insert("decision".into(), json!(if blocked { "block" } else { "approve" }));
    if blocked {
        object.insert("reason".into(), bounded(&verdict.reason()).into());
    }
    if !verdict.notices.is_empty() {
        object.insert("systemMessage".into(), bounded(&verdict.notices.join("\n")).into());
    }
    let mut stderr = verdict.context.join("\n");
    if !stderr.is_empty() {
        stderr.push('\n');
    }
    Reply { stdout: Value::Object(object).to_string(), stderr, exit: 0 }
}
