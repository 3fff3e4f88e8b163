//! What earlier work has left to say: `session/mail`.

use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Reader, Role};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/mail",
    summary: "results of work in the background, delivered with the next answer",
    docs: "\
Slow linters and test runs go on when their hook has answered, and some events cannot carry advice to the agent at all. What
they have to say waits here and goes out once, with the next event that can carry it: a prompt, a tool call that has ended, or
the start of the session. What is meant for the user is shown at a stop too.
",
    cases: include_str!("mail.toml"),
    on: &[
        On::event(EventName::SessionStart),
        On::event(EventName::UserPromptSubmit),
        On::edits(EventName::PostToolUse),
        On::shell(EventName::PostToolUse),
        On::event(EventName::Stop),
    ],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let mut list = cx.facts.mail();
    // A stop has no way to the model that would not keep it going.
    list.retain(|mail| mail.to == Reader::Person || event.name != EventName::Stop);
    for mail in &list {
        match mail.to {
            Reader::Model => out.context.push(mail.text.clone()),
            Reader::Person => out.notices.push(mail.text.clone()),
        }
    }
    if !list.is_empty() {
        out.effects.push(Effect::Delivered(list));
    }
}
