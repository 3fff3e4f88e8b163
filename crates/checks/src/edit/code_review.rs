//! A second pair of eyes on larger files: `edit/code-review`.

use std::fmt::Write;

use model::{Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::Code;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "edit/code-review",
    summary: "a larger source file that changed and could be reviewed",
    docs: "\
After a change of a source file of twenty lines or more the agent gets the beginning of the difference and is reminded that
`mcp__multi__codereview` gives a second opinion, where that server is there. Tests, configuration and generated files are left out.
",
    cases: include_str!("code_review.toml"),
    on: &[On::edits(EventName::PostToolUse)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

const SMALL: usize = 20;
const SHOWN: usize = 10;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(code) = Code::of(event, cx).filter(|code| !code.is_test()) else { return };
    let Ok(Some(text)) = cx.facts.read(&code.target.real) else { return };
    let lines = text.lines().count();
    if lines < SMALL {
        return;
    }
    let mut said = format!("{} ({lines} lines) has changed.", code.name());
    let diff =
        code.repository.as_ref().and_then(|_| cx.facts.diff(&code.target.real).ok()).unwrap_or_default();
    let changed = diff.lines().filter(|line| {
        (line.starts_with('+') || line.starts_with('-'))
            && !line.starts_with("+++")
            && !line.starts_with("---")
    });
    for line in changed.take(SHOWN) {
        let short: String = line.chars().take(120).collect();
        let _ = write!(said, "\n  {short}");
    }
    said.push_str("\nFor a second opinion on it, use mcp__multi__codereview where it is available.");
    out.context.push(said);
}
