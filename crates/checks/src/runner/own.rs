//! `plimsoll test`, run by an agent: judged as the commands that it starts.

use model::{Event, is_own_name};
use shell::{Call, Reading};

use super::{Looks, plans};
use crate::Context;
use crate::context::read_text;
use crate::shell::Disk;

/// Whether a call runs the project's tests through us, which records them.
pub(crate) fn is_own_test(call: &Call) -> bool {
    is_own_name(call.program()) && call.path().get(1) == Some(&"test")
}

/// Adds what it starts, so that every check sees it.
pub(crate) fn follow_own(event: &Event, cx: &Context<'_>, reading: &mut Reading) {
    if !reading.calls.iter().any(is_own_test) {
        return;
    }
    let disk: &dyn Looks = &Disk(cx);
    let texts = match &cx.config.tests_command {
        Some(command) => vec![command.clone()],
        None => plans(cx.facts.project(), disk)
            .iter()
            .map(|plan| shell::join([&plan.program].into_iter().chain(&plan.args).map(String::as_str)))
            .collect(),
    };
    for text in texts {
        let mut started = read_text(event, &text, cx.facts);
        // It stands in no text that could be changed.
        started.forget_spans();
        reading.append(started);
    }
}
