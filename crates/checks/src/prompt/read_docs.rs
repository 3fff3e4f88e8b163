//! A user who says so wants the documentation read: `prompt/read-docs`.

use model::{Body, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "prompt/read-docs",
    summary: "a prompt that says \"read the docs\"",
    docs: "\
Where a prompt says \"read the docs\", anywhere and in any case, the agent is told what that means here: begin at `docs/index.md`,
follow the links that matter, and do not go by memory.
",
    cases: include_str!("read_docs.toml"),
    on: &[On::event(EventName::UserPromptSubmit)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

const REMINDER: &str = "\
Before starting this task, you MUST:

1. Read docs/index.md to understand the documentation structure
2. Follow links to the most relevant docs for this specific request
3. Read as deeply as logical - the documentation is up-to-date and authoritative
4. Apply the patterns and conventions documented there

Do NOT skip this step. Do NOT rely on memory. Actually READ the current docs.";

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, _: &Context<'_>, out: &mut Findings) {
    if let Body::Prompt(prompt) = &event.body
        && prompt.text.to_lowercase().contains("read the docs")
    {
        out.context.push(REMINDER.to_owned());
    }
}
