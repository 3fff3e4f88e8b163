//! Mistakes in the configuration, said once: `session/config-problems`.

use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/config-problems",
    summary: "a configuration that is broken, unknown or not trusted",
    docs: "\
Names at the start of a session what is wrong with the configuration: the file, the key, what was expected, what to do. The
good parts stay in force. It is said to the person; the agent cannot mend it, its edits of these files are refused.
",
    cases: include_str!("config_problems.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, _: &Event, cx: &Context<'_>, out: &mut Findings) {
        for problem in cx.facts.config_problems() {
            out.notices.push(format!("[hook:warning] {}", problem.text));
        }
    }
}
