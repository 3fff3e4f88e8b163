//! What an agent that works alone need not ask for: `autonomy/auto-approve`.

use model::{
    Autonomy, Decision, Event, EventName, Findings, Language, Level, Meta, On, PermissionMode, Role, Tool,
    ToolUse,
};

use super::AUTONOMOUS;
use crate::{Check, Context, Options};

static META: Meta = Meta {
    id: "autonomy/auto-approve",
    summary: "a tool call while autonomous work is active",
    docs: "\
While autonomous work is active, tool calls about which nobody has anything to say run without asking the user. It is active
while `.claude/autonomous-state.json`, of the project or in `~/.claude`, is not older than `autonomy.ttl_hours` (by
`last_activity_at`, else `started_at`), or while `GODO_ACTIVE` or `APPFIX_ACTIVE` is `true`. `plimsoll autonomy start` writes the
state, with an expiry and, where wanted, the directories and commands that it is for; `plimsoll autonomy stop` ends it.

Only tools that this version knows are approved: what a server's tool does, or one of a newer client, its name and its arguments do not
prove.

A state that says a time to come (a clock was set back) approves nothing.

It raises only *no opinion* to *allow*. What a guard refuses stays refused, and what a guard asks the user about stays a
question: also when the client then asks for permission, where the guards are heard again. It is silent in the client's
`auto` mode, which has a judge of its own; in plan mode it approves nothing but leaving it; and it never answers a question that
is put to the user.
",
    cases: include_str!("auto_approve.toml"),
    on: &[On::event(EventName::PreToolUse), On::event(EventName::PermissionRequest)],
    role: Role::Grant,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(autonomy) = grant(event, cx) else { return };
    // The client asks for permission because a guard has asked, or because nobody has spoken. Only the second is ours.
    if event.name == EventName::PermissionRequest && is_guarded(event, cx) {
        return;
    }
    out.allow(META.id, format!("Auto-approved by {} mode", autonomy.title()));
}

/// The autonomous work that this call is a part of.
fn grant(event: &Event, cx: &Context<'_>) -> Option<Autonomy> {
    let use_ = event.tool_use()?;
    if event.mode == PermissionMode::Auto
        || event.mode == PermissionMode::Plan && use_.name != "ExitPlanMode"
        || use_.name == "AskUserQuestion"
    {
        return None;
    }
    let autonomy = cx.facts.autonomy()?;
    if !autonomy.every_tool && !is_known(use_, event, cx) {
        return None;
    }
    (!autonomy.is_ahead && in_scope(&autonomy, event, use_, cx)).then_some(autonomy)
}

/// A tool whose deeds are known. What a server's tool does, its name and its arguments do not prove; for PowerShell, all of it must
/// have been followed.
fn is_known(use_: &ToolUse, event: &Event, cx: &Context<'_>) -> bool {
    let followed = |reading: &shell::Reading| {
        reading.doubts.is_empty()
            && reading.unseen.is_empty()
            && reading.calls.iter().all(|call| call.words().understood)
    };
    use_.known
        && match &use_.tool {
            Tool::Shell(command) => {
                command.language == Language::Posix || cx.reading(event).is_some_and(followed)
            }
            Tool::Foreign(_) => false,
            _ => true,
        }
}

/// Whether this call needs nobody's word, as far as no guard objects.
pub(crate) fn approves(event: &Event, cx: &Context<'_>) -> bool {
    crate::level(&META, cx.config) == Level::On && grant(event, cx).is_some()
}

fn in_scope(autonomy: &Autonomy, event: &Event, use_: &ToolUse, cx: &Context<'_>) -> bool {
    match &use_.tool {
        Tool::Edit(edit) => autonomy.reaches(&cx.facts.resolve(&edit.path)),
        Tool::Patch(edits) => edits.iter().all(|edit| autonomy.reaches(&cx.facts.resolve(&edit.path))),
        Tool::Shell(_) => {
            if autonomy.directories.is_empty() && autonomy.commands.is_empty() {
                return true;
            }
            let Some(reading) = cx.reading(event) else { return false };
            // What cannot be read cannot be told to be within bounds.
            reading.doubts.is_empty()
                && reading.unseen.is_empty()
                && reading.calls.iter().all(|call| {
                    let writes = call.redirects.iter().all(|redirect| {
                        redirect.target.text.starts_with("/dev/")
                            || autonomy.reaches(&cx.facts.resolve(redirect.target.text.as_ref()))
                    });
                    writes
                        && autonomy.reaches(&cx.facts.resolve(std::path::Path::new(&*call.cwd)))
                        && (call.argv.is_empty() || autonomy.covers(&call.line()))
                })
        }
        // What neither edits nor runs is not bounded by places and commands.
        _ => true,
    }
}

/// What the checks before a tool call say of the same call, without any effect.
fn is_guarded(event: &Event, cx: &Context<'_>) -> bool {
    let before = Event { name: EventName::PreToolUse, ..event.clone() };
    let options = Options { explain: true, ..Options::default() };
    crate::run(&before, &Context::new(cx.config, cx.facts), &options).verdict.decision >= Decision::Ask
}
