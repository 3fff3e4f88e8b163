//! A secret in what the user has written: `prompt/secret`.

use model::{Body, Event, EventName, Findings, Levels, Meta, On, Role, find_secrets};

use crate::result::{kinds, own_values};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "prompt/secret",
    summary: "a key or a password in a prompt",
    docs: "\
Tells you when a prompt of yours holds a key: it is in the conversation and its transcript from then on. Put the key into a file or a
variable, and name that instead. Nothing is held up.
",
    cases: include_str!("secret.toml"),
    on: &[On::event(EventName::UserPromptSubmit)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Prompt(prompt) = &event.body else { return };
    let found = find_secrets(&prompt.text, &own_values(cx.facts));
    if !found.is_empty() {
        let named = kinds(found.iter().map(|secret| secret.kind.as_str()));
        out.notices.push(format!(
            "Your prompt holds a secret ({named}), which is now in the conversation and its transcript. Revoke it when you are done, \
             and next time name the file or the variable that has it."
        ));
    }
}
