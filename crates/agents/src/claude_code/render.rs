//! Verdict to reply, by the table in `answers.rs`. Lowering never weakens: what an event cannot say in its own way is said
//! in the next stronger or plainer one, and what would do harm is left to the log.

use model::{Decision, Event, LastWord, PermissionMode, Verdict};
use serde_json::{Map, Value, json};

use super::answers::{Answers, Form};
use crate::reply::{CONTEXT_LIMIT, Reply, bounded};

pub(super) fn reply(event: &Event, verdict: &Verdict) -> Reply {
    let answers = Answers::of(&event.name);
    if answers.halt
        && let Some(why) = &verdict.halt
    {
        return halted(event, verdict, why);
    }
    let decision = lowered(event, verdict.decision);
    let mut out = Draft::default();
    let mut plain = String::new();

    match answers.context {
        Form::Context => out.context = verdict.text(CONTEXT_LIMIT),
        Form::Plain => plain = verdict.text(CONTEXT_LIMIT),
        form => verdict.context.iter().for_each(|text| out.say(form, text.clone())),
    }
    for text in &verdict.notices {
        out.say(answers.notice, text.clone());
    }
    let output = verdict.output.as_ref().filter(|_| answers.replace);
    if let Some(output) = output {
        out.specific.insert("updatedToolOutput".into(), output.clone());
    }
    let form = match answers.form(decision) {
        // With exit code 2 the client reads no stdout, and the old output would stay.
        Form::Exit2 if output.is_some() => Form::Block,
        form => form,
    };
    match form {
        Form::Silence => {}
        Form::Permission => {
            out.specific.insert("permissionDecision".into(), decision.as_str().into());
            // A question is put to the user already.
            let reason = if decision == Decision::Deny { verdict.refusal() } else { verdict.reason() };
            out.specific.insert("permissionDecisionReason".into(), bounded(&reason).into());
        }
        Form::Behavior => {
            let mut behavior = Map::new();
            behavior.insert("behavior".into(), decision.as_str().into());
            if decision == Decision::Deny {
                behavior.insert("message".into(), bounded(&verdict.reason()).into());
            } else if let Some(input) = updated_input(event, verdict) {
                behavior.insert("updatedInput".into(), input);
            }
            out.specific.insert("decision".into(), Value::Object(behavior));
        }
        Form::Block => {
            out.reply.insert("decision".into(), "block".into());
            out.reply.insert("reason".into(), bounded(&verdict.reason()).into());
        }
        // The client ignores stdout then, so everything else that was to be said goes along.
        Form::Exit2 => return by_stderr(verdict),
        form @ (Form::Context | Form::Notice | Form::Plain) => out.say(form, verdict.reason()),
    }
    if answers.rewrite
        && answers.deny == Form::Permission
        && decision < Decision::Deny
        && let Some(input) = updated_input(event, verdict)
    {
        out.specific.insert("updatedInput".into(), input);
    }
    if answers.notice != Form::Silence
        && let Some(signal) = &verdict.signal
    {
        out.reply.insert("terminalSequence".into(), signal.as_str().into());
    }
    if !plain.is_empty() && out.reply.is_empty() {
        return Reply { stdout: format!("{plain}\n"), ..Reply::default() };
    }
    let reply = out.finish(event);
    let refuses = matches!(answers.form(decision), Form::Permission | Form::Behavior | Form::Block);
    if refuses && decision >= Decision::Ask { reply.or_else(verdict.reason()) } else { reply }
}

fn by_stderr(verdict: &Verdict) -> Reply {
    let mut stderr = verdict.reason();
    for text in verdict.context.iter().chain(&verdict.background).chain(&verdict.notices) {
        stderr.push('\n');
        stderr.push_str(text);
    }
    stderr.push('\n');
    Reply { stderr, exit: 2, ..Reply::default() }
}

/// The model does not go on, so what else is open is the user's to know.
fn halted(event: &Event, verdict: &Verdict, why: &str) -> Reply {
    let mut reply = Map::new();
    if let Some(output) = &verdict.output {
        let specific = json!({"hookEventName": event.name.as_str(), "updatedToolOutput": output});
        reply.insert("hookSpecificOutput".into(), specific);
    }
    reply.insert("continue".into(), false.into());
    reply.insert("stopReason".into(), bounded(why).into());
    let open = verdict.findings.iter().filter(|finding| finding.decision >= Decision::Ask);
    let open = open.map(model::Finding::text).filter(|text| text != why);
    let said: Vec<String> = open.chain(verdict.notices.iter().cloned()).collect();
    if !said.is_empty() {
        reply.insert("systemMessage".into(), bounded(&said.join("\n")).into());
    }
    Reply::json(reply)
}

/// `ask` as bytes. A test compares the two.
pub(super) const LAST_WORD: LastWord = LastWord {
    stdout: concat!(
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":""#,
        "Plimsoll could not judge this call: it was stopped, or ran out of time, before it had an answer. ",
        r#"Look at the call yourself; `plimsoll log` says more."}}"#
    ),
    stderr: "",
    exit: 0,
};

/// The answer of last resort: the user decides.
pub(super) fn ask(reason: &str) -> Reply {
    let mut object = Map::new();
    object.insert(
        "hookSpecificOutput".into(),
        json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": "ask",
            "permissionDecisionReason": bounded(reason),
        }),
    );
    Reply::json(object).or_else(reason.to_owned())
}

/// In auto mode an `allow` would skip the client's own safety check, so it is not said there.
fn lowered(event: &Event, decision: Decision) -> Decision {
    match (decision, &event.mode) {
        (Decision::Allow, PermissionMode::Auto) => Decision::None,
        (decision, _) => decision,
    }
}

/// The whole input with the new command: the client replaces, it does not merge.
pub(crate) fn updated_input(event: &Event, verdict: &Verdict) -> Option<Value> {
    let command = verdict.command.as_ref()?;
    event.command()?;
    let at = event.commands().first()?.at.as_deref()?;
    let mut input = Value::Object(event.tool_use()?.input.clone());
    let place = input.pointer_mut(at)?;
    let command = Value::from(command.clone());
    *place = if place.is_array() { Value::Array(vec![command]) } else { command };
    Some(input)
}

#[derive(Default)]
struct Draft {
    reply: Map<String, Value>,
    specific: Map<String, Value>,
    context: String,
    notice: Vec<String>,
}

impl Draft {
    fn say(&mut self, form: Form, text: String) {
        match form {
            // A reason that has no way of its own comes first.
            Form::Context if self.context.is_empty() => self.context = text,
            Form::Context => self.context = format!("{text}\n\n{}", self.context),
            Form::Notice => self.notice.push(text),
            _ => {}
        }
    }

    fn finish(mut self, event: &Event) -> Reply {
        if !self.context.is_empty() {
            self.specific.insert("additionalContext".into(), bounded(&self.context).into());
        }
        if !self.specific.is_empty() {
            let mut specific = Map::new();
            specific.insert("hookEventName".into(), event.name.as_str().into());
            specific.append(&mut self.specific);
            self.reply.insert("hookSpecificOutput".into(), Value::Object(specific));
        }
        if !self.notice.is_empty() {
            self.reply.insert("systemMessage".into(), bounded(&self.notice.join("\n")).into());
        }
        Reply::json(self.reply)
    }
}
