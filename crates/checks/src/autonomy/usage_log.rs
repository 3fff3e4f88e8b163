//! Which tools were used, and on what: `autonomy/usage-log`.

use model::{Bookkeeping, Effect, Event, EventName, Findings, Meta, On, Role, Tool, ToolUse};

use super::AUTONOMOUS;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "autonomy/usage-log",
    summary: "a record of each tool call, for looking at how the work went",
    docs: "\
Appends a line to `.claude/tool-usage-log.jsonl` for each tool call: the time, the tool, and a few words of what it was used on,
with secrets masked. The file keeps the last few hundred calls. It says nothing to the agent.
",
    cases: include_str!("usage_log.toml"),
    on: &[On::event(EventName::PostToolUse)],
    role: Role::Advisory,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, _: &Context<'_>, out: &mut Findings) {
    let Some(use_) = event.tool_use().filter(|use_| !use_.name.is_empty()) else { return };
    out.effects.push(Effect::Bookkeeping(Bookkeeping::ToolUsed {
        tool: use_.name.clone(),
        about: model::redact(&about(use_)),
    }));
}

/// A few words that tell this call from others of the same tool. Of a path the end tells, of a command the beginning.
fn about(use_: &ToolUse) -> String {
    let field = |key: &str| use_.input.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    match &use_.tool {
        Tool::Edit(edit) => end(&edit.path.to_string_lossy(), 60),
        Tool::Read { path } => end(&path.to_string_lossy(), 60),
        Tool::Search(search) if use_.name == "Grep" => {
            format!("{}|{}", search.pattern, end(field("path"), 40))
        }
        Tool::Search(search) if use_.name == "Glob" => search.pattern.clone(),
        Tool::Shell(command) => beginning(&command.text, 80),
        Tool::Agent { .. } => beginning(field("description"), 60),
        _ if use_.name == "Skill" => beginning(field("skill"), 60),
        _ => {
            let first = use_.input.values().find_map(serde_json::Value::as_str);
            beginning(first.unwrap_or_default(), 60)
        }
    }
}

fn beginning(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn end(text: &str, most: usize) -> String {
    let skipped = text.chars().count().saturating_sub(most);
    text.chars().skip(skipped).collect()
}
