//! Verdict to reply by an agent's rows. Lowering never weakens: an ask that cannot be put is a denial that says how the user lets it
//! through, a rewrite that cannot be made is a denial that names the safe command, context that an event cannot carry waits.

use model::{Decision, Event, EventName, Verdict};
use serde_json::{Map, Value};

use super::{Dialect, Rewrite, Row, Say};
use crate::reply::{CONTEXT_LIMIT, Reply, bounded};
use crate::{Said, claude_code};

pub(super) fn said(agent: &Dialect, event: &Event, verdict: &Verdict) -> Said {
    let mut said = Said::default();
    let context = verdict.text(CONTEXT_LIMIT);
    let Some(row) = agent.row(&event.name) else {
        // Nothing is known about the answers of such an event.
        return Said { later: context, ..said };
    };
    let before = event.name == EventName::PreToolUse;
    let asks = !matches!(row.ask, Say::Deny) && (agent.asks)(event);
    let (form, text) = match verdict.decision {
        Decision::Ask if before && !asks => (row.deny, Some(verdict.reason())),
        Decision::Deny => (row.deny, Some(verdict.reason())),
        Decision::Ask => (row.ask, Some(verdict.reason())),
        _ => (Say::Nothing, None),
    };
    // How the user lets it through comes last, where it is looked for.
    let end = match verdict.decision {
        Decision::Deny if before => verdict.way_out.clone().unwrap_or_default(),
        Decision::Ask if before && !asks => lowered(agent, verdict),
        _ => String::new(),
    };
    let rewrite = verdict.command.as_ref().and_then(|command| {
        let input = claude_code::updated_input(event, verdict)?;
        Some((command, input))
    });
    match (text, rewrite, row.rewrite) {
        (Some(text), ..) => refused(row, (form, event), &text, context, &end, &mut said),
        (None, Some((_, input)), Rewrite::Json(_, make)) => {
            said.reply = Reply::of(&make(row.native, &input));
            said.later = context;
        }
        (None, Some((command, _)), Rewrite::Deny) => {
            let text = instead(command, &context);
            said.reply = reply(row.deny, row, Some(event), &text);
        }
        (None, None, _) if context.is_empty() => {}
        (None, None, _) => match row.context {
            Say::Later | Say::Nothing | Say::Deny => said.later = context,
            form => said.reply = reply(form, row, Some(event), &context),
        },
    }
    if before && said.reply.stdout.is_empty() && said.reply.exit == 0 {
        agent.nothing.clone_into(&mut said.reply.stdout);
    }
    if let Some(output) = verdict.output.as_ref().filter(|_| agent.replaces) {
        replaced(output, &mut said);
    }
    notices(verdict, &mut said);
    said
}

/// A reason, with what else the model is to read: in one form, because two at once are read by nobody.
fn refused(row: &Row, (form, event): (Say, &Event), text: &str, context: String, end: &str, said: &mut Said) {
    let parts = [text, &context].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let mut together = parts.join("\n\n");
    if !end.is_empty() {
        together.push('\n');
        together.push_str(end);
    }
    match form {
        Say::Nothing => said.later = context,
        Say::Later | Say::Deny => said.later = together,
        Say::User => {
            said.reply.stderr = format!("{text}\n");
            said.later = context;
        }
        // At an end the reason is the next prompt; advice would only be in its way.
        form if row.event == EventName::Stop => {
            said.reply = reply(form, row, Some(event), text);
            said.held = Some(bounded(text));
            said.later = context;
        }
        form => said.reply = reply(form, row, Some(event), &together),
    }
}

/// One text in one form.
pub(super) fn reply(form: Say, row: &Row, event: Option<&Event>, text: &str) -> Reply {
    // An empty reason makes some clients ignore the answer.
    let text = if text.is_empty() { "Plimsoll refuses this." } else { text };
    match form {
        Say::Json(_, make) => {
            let reply = Reply::of(&make(row.native, &bounded(text)));
            // Before a call what cannot be written leaves by exit code 2.
            if row.event == EventName::PreToolUse { reply.or_else(text.to_owned()) } else { reply }
        }
        Say::Call(_, make) => {
            event.map_or_else(Reply::default, |event| Reply::of(&make(event, &bounded(text))))
        }
        Say::Exit2 => Reply { stderr: format!("{}\n", bounded(text)), exit: 2, ..Reply::default() },
        Say::Plain => Reply { stdout: format!("{}\n", bounded(text)), ..Reply::default() },
        Say::User => Reply { stderr: format!("{}\n", bounded(text)), ..Reply::default() },
        Say::Nothing | Say::Deny | Say::Later => Reply::default(),
    }
}

/// What the tool has returned, beside whatever else is said about it.
fn replaced(output: &Value, said: &mut Said) {
    let mut answer = match serde_json::from_str(&said.reply.stdout) {
        Ok(Value::Object(answer)) => answer,
        _ => Map::new(),
    };
    answer.insert("output".into(), output.clone());
    said.reply.stdout = Value::Object(answer).to_string();
}

/// A question that nobody would be asked.
fn lowered(agent: &Dialect, verdict: &Verdict) -> String {
    let way = verdict.way_out.as_deref().unwrap_or("Only the user can do this, in a terminal of their own.");
    format!("{} cannot put this question to the user, so it is refused. {way}", agent.name)
}

/// A rewrite that cannot be made.
fn instead(command: &str, why: &str) -> String {
    let gap = if why.is_empty() { "" } else { "\n" };
    format!("{why}{gap}Run this instead: {command}")
}

/// What only the user is to read. Where stderr is the answer, it follows there.
fn notices(verdict: &Verdict, said: &mut Said) {
    let halted = verdict.halt.iter();
    for text in verdict.notices.iter().chain(halted) {
        said.reply.stderr.push_str(text);
        said.reply.stderr.push('\n');
    }
}

impl Reply {
    pub(crate) fn of(value: &Value) -> Self {
        let stdout = serde_json::to_string(value).unwrap_or_else(|_| value.to_string());
        Self { stdout, ..Self::default() }
    }
}
