//! A session that begins reads the project's documentation first: `session/read-docs`.

use std::fmt::Write;

use model::{Body, Event, EventName, Findings, Meta, On, Role};

use crate::autonomy::AUTONOMOUS;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/read-docs",
    summary: "the project's documents that the agent should read first",
    docs: "\
Tells an agent at the start of a session which of the project's documents to read before anything else: `docs/index.md`,
`CLAUDE.md`, `.claude/MEMORIES.md` and `docs/TECHNICAL_OVERVIEW.md`, those that are there. After a compaction it says so with more
force, because what the agent knew of the project is gone. Where none of them is there, it is silent.
",
    cases: include_str!("read_docs.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Advisory,
    levels: AUTONOMOUS,
    since: "0.1",
};

/// A document, what it is to a session that begins, and what it is to one that has forgotten.
const DOCS: &[(&str, &str, &str)] = &[
    ("docs/index.md", "project documentation hub with architecture links", "documentation hub (REQUIRED)"),
    ("CLAUDE.md", "coding standards you MUST follow", "coding standards (REQUIRED)"),
    (".claude/MEMORIES.md", "prior session context", "session context (REQUIRED)"),
    ("docs/TECHNICAL_OVERVIEW.md", "architecture and system design (if exists)", "architecture (if exists)"),
];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Session(change) = &event.body else { return };
    let there = |name: &str| cx.facts.read(&cx.facts.project().join(name)).is_ok_and(|text| text.is_some());
    if let Some(text) = text(&change.cause, there) {
        out.context.push(text);
    }
}

/// The reminder, about the documents that are there; `None` without any.
pub(crate) fn text(source: &str, there: impl Fn(&str) -> bool) -> Option<String> {
    let mut docs: Vec<_> = DOCS.iter().filter(|(name, ..)| there(name)).collect();
    if docs.is_empty() {
        return None;
    }
    let mut list = String::new();
    if source == "compact" {
        // What to do comes before where to look.
        docs.sort_by_key(|(name, ..)| name.starts_with("docs/"));
        for (number, (name, _, what)) in docs.iter().enumerate() {
            let _ = write!(list, "\n{}. {name} - {what}", number + 1);
        }
        return Some(format!(
            "⚠️ CONTEXT COMPACTION DETECTED - CRITICAL INSTRUCTION ⚠️\n\nYou have just experienced context compaction. Your memory \
             of this project is now INCOMPLETE.\n\nSTOP. Do NOT respond to the user yet.\n\nYou MUST read these files FIRST using the \
             Read tool:{list}\n\nThis is NOT optional. Do NOT skip this step. Do NOT summarize from memory.\nThe compacted summary is \
             insufficient - you need the actual file contents.\n\nRead the docs NOW before doing anything else."
        ));
    }
    for (number, (name, what, _)) in docs.iter().enumerate() {
        let _ = write!(list, " ({}) {name} - {what}", number + 1);
    }
    Some(format!(
        "MANDATORY: Before executing ANY user request, you MUST use the Read tool to read these files IN ORDER:{list}. DO NOT skip \
         this step. DO NOT summarize from memory. Actually READ the files. The user expects informed responses based on current \
         project state, not generic assistance."
    ))
}
