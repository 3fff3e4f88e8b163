//! What the agent and the user get when *we* fail, in one place. A guard in doubt asks, and nothing is silent.
//!
//! | what failed | before a tool call | elsewhere |
//! | --- | --- | --- |
//! | input empty, too large, no JSON | ask, with the reason | logged |
//! | input not UTF-8 | ask, with the reason | answered as read |
//! | a tool's input is not an object, lacks what the tool needs, or has a NUL | ask, with the reason | answered as read |
//! | a wrong command line | ask, with the reason | logged |
//! | a panic outside a check | ask, with the reason | logged |
//! | a panic or time-out in a guard | ask (in the pipeline) | asked as far as the event can |
//! | ended from outside: a signal, the deadline, no memory, no stack | ask (exit 2 where the dialect cannot), logged | silent, logged |
//! | stdout full or closed | a refusal or question leaves by stderr and exit 2 | a held stop too |
//! | the log or a journal not writable | answered; said to the user once in a session, and on stderr | the same |

use std::io;
use std::sync::Mutex;

use agents::{Agent, BadInput, Reply};
use model::{Decision, Event, EventName, Findings, Oddity, Verdict};
use state::{Machine, log};
use thiserror::Error;

use crate::hook::{BadLine, Dialect, Line};

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Panics are caught and reported in our own words; the standard report would land in the agent's debug log, if anywhere.
pub(crate) fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = info.to_string().replace('\n', " ");
        }
    }));
}

fn last_panic() -> String {
    LAST_PANIC.lock().map(|text| text.clone()).unwrap_or_default()
}

/// What went wrong with us, so that there is nothing to judge by.
#[derive(Debug, Error)]
pub(crate) enum Trouble {
    #[error("an internal error: {0}")]
    Panic(String),
    #[error("the hook's input could not be read: {0}")]
    Unread(io::Error),
    #[error("the hook is registered wrongly: {0}")]
    Line(BadLine),
    #[error(transparent)]
    Input(#[from] BadInput),
}

/// What `work` gives, or what went wrong with us.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Trouble> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|_| Trouble::Panic(last_panic()))
}

/// The answer when it is not known what was asked.
pub(crate) fn refuse(machine: &Machine, line: &Line, why: &Trouble) -> Reply {
    refuse_in(line.dialect, line.agent(&serde_json::Map::new()), machine, why)
}

/// The same where no command line says how to speak.
pub(crate) fn refuse_in(dialect: Dialect, agent: &dyn Agent, machine: &Machine, why: &Trouble) -> Reply {
    let reason = why.to_string();
    let _ = log::append_unreadable(machine, &reason);
    let reason = model::visible(&reason);
    let text = format!(
        "Plimsoll could not judge this: {reason}. A guard in doubt asks; `plimsoll log` has the details."
    );
    match dialect {
        Dialect::Native => agent.refuse(&text),
        // The older systems let such a call pass. Their dialect cannot ask, so the user is told on stderr.
        Dialect::Legacy => Reply {
            stdout: "{\"decision\": \"approve\"}\n".into(),
            stderr: format!("[hook:warning] {text}\n"),
            ..Reply::default()
        },
    }
}

/// Input that is not a payload. Where it can be seen that it was not about a tool call, there is nothing to guard.
pub(crate) fn unreadable(machine: &Machine, line: &Line, bad: BadInput, bytes: &[u8]) -> Reply {
    if concerns_no_call(machine, &bad, bytes) { Reply::default() } else { refuse(machine, line, &bad.into()) }
}

/// Whether broken input can be seen to be about no tool call. That is logged.
pub(crate) fn concerns_no_call(machine: &Machine, bad: &BadInput, bytes: &[u8]) -> bool {
    let names = event_names(bytes);
    // Other agents have other names for it: `BeforeTool`, `preToolUse`.
    let before = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("tool") && (name.starts_with("before") || name.starts_with("pre"))
    };
    let guards = |name: &EventName| before(name.as_str()) || *name == EventName::PermissionRequest;
    let harmless = !names.is_empty() && !names.iter().any(guards);
    if harmless {
        let _ = log::append_unreadable(machine, &format!("{} on {}", bad, names[0]));
    }
    harmless
}

/// Every event name that a broken payload mentions as a field. Quotes inside JSON strings are escaped, so a file's content
/// cannot pose as one; a nested field could, which is why all of them count.
fn event_names(bytes: &[u8]) -> Vec<EventName> {
    const FIELD: &[u8] = b"\"hook_event_name\"";
    let mut names = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(FIELD.len()).position(|window| window == FIELD) {
        rest = &rest[at + FIELD.len()..];
        let value = rest.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        if let Some(text) = value.and_then(|value| value.strip_prefix(b"\"")) {
            let name: String =
                text.iter().take_while(|b| b.is_ascii_alphabetic()).map(|&b| char::from(b)).collect();
            // Cut off in the middle of its name, it may be any.
            let whole = text.get(name.len()) == Some(&b'"');
            names.push(if whole { EventName::from(name.as_str()) } else { EventName::PreToolUse });
        }
    }
    names
}

/// A call that may not be what it seems: its bytes were replaced, or its input has a shape that the tool may read otherwise than
/// we do.
pub(crate) fn doubt(event: &Event, damaged: bool, verdict: &mut Verdict) {
    if event.name != EventName::PreToolUse || verdict.decision >= Decision::Ask {
        return;
    }
    let odd = || event.tool_use().and_then(|use_| use_.odd).map(Oddity::as_str);
    let Some(why) = damaged.then_some("the hook's input is not valid UTF-8").or_else(odd) else { return };
    let mut found = Findings::default();
    found.ask("hook/input", format!("Plimsoll could not judge this call: {why}."), "A guard in doubt asks.");
    verdict.merge(found.findings, Vec::new(), Vec::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_names_are_found_in_broken_payloads() {
        let names = |text: &str| event_names(text.as_bytes());
        assert_eq!(names(r#"{"hook_event_name" : "PostToolUse", "x"#), [EventName::PostToolUse]);
        assert_eq!(names(r#"{"a":"\"hook_event_name\":\"Stop\"", "#), []);
        for cut in [r#"{"hook_event_name":"PreTo"#, r#"{"hook_event_name":"Stop"#, r#"{"hook_event_name":""#]
        {
            assert_eq!(names(cut), [EventName::PreToolUse], "{cut}");
        }
        let both = names(r#"{"hook_event_name":"PostToolUse","tool_input":{"hook_event_name":"PreToolUse"}"#);
        assert_eq!(both, [EventName::PostToolUse, EventName::PreToolUse]);
    }
}
