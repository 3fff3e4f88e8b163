//! What must not be lost when the conversation is summarised: `session/compaction`.

use std::fmt::Write;

use model::state_files::Record;
use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role, time};

use crate::plan::annotations;
use crate::work::own_record;
use crate::work::picture::{Picture, findings, sources};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/compaction",
    summary: "the state of the work, kept over a compaction",
    docs: "\
Before the client summarises a conversation, the state of the work is written to `.claude/.preserved-context` (git, plan, changed files,
decisions, tests, findings about subagents, the last of the audit log), from which the next start of the session reads it once. The
summary itself is asked to name the objective, the active files, constraints and decisions, and how to go on.
",
    cases: include_str!("compaction.toml"),
    on: &[On::event(EventName::PreCompact)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// Files and decisions that are named; the rest is counted.
const NAMED: usize = 5;
/// Full paths in the file.
const PATHS: usize = 10;

const DIRECTIVE: &str = "\
Write the summary so that work can go on from it alone, under these headings:
1. Objective and status: what the user asked for, what is done, what is open.
2. Active context: the files that are worked on, with paths, and what matters in each.
3. Constraints and decisions: what must hold, what was decided and why (DEC-IDs), what was rejected.
4. Handoff: the very next step, and what to check before it.";

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let picture = Picture::of(event, cx);
    let changes = picture.changes(event);
    let mut lines: Vec<String> = picture.git().into_iter().collect();
    lines.extend(picture.worktrees());
    if picture.plan.is_some() {
        lines.extend(picture.plan());
    }
    if !changes.is_empty() {
        let names: Vec<_> = changes
            .iter()
            .take(NAMED)
            .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        lines.push(format!("Modified this session: {}{}", names.join(", "), more(changes.len(), NAMED)));
    }
    let decisions = decisions(cx, &changes);
    lines.extend(decisions.iter().take(NAMED).cloned());
    lines.extend(picture.tests());
    if let Some(proof) = picture.proof() {
        lines.push(format!("Proof of work: {}", proof.word()));
    }
    if let Some((_, found)) = findings(cx) {
        lines.push("Unresolved agent findings:".into());
        lines.extend(found.into_iter().map(|line| format!("  {line}")));
    }
    let audit = own_record(cx, ".audit-log").unwrap_or_default();
    let audit: Vec<&str> = audit.lines().collect();
    if !audit.is_empty() {
        lines.push("Last of the audit log:".into());
        lines.extend(audit[audit.len().saturating_sub(5)..].iter().map(|line| format!("  {line}")));
    }
    // Where nothing is known, a heading over nothing only takes room.
    if lines.is_empty() && changes.is_empty() {
        out.context.push(DIRECTIVE.to_owned());
        return;
    }
    let mut text =
        format!("# Kept before a compaction at {}\n{}\n", time::rfc3339(cx.facts.now()), lines.join("\n"));
    for path in changes.iter().take(PATHS) {
        let _ = writeln!(text, "  changed: {}", path.display());
    }
    out.effects.push(Effect::Record(".preserved-context".into(), Record::Write(text)));
    out.context.push(format!("{DIRECTIVE}\n\n--- Project State ---\n{}", lines.join("\n")));
}

fn more(all: usize, shown: usize) -> String {
    if all > shown { format!(" (+{} more)", all - shown) } else { String::new() }
}

/// The decisions in what was changed.
fn decisions(cx: &Context<'_>, changes: &[std::path::PathBuf]) -> Vec<String> {
    let mut lines = Vec::new();
    for path in sources(changes) {
        let Ok(Some(text)) = cx.facts.read(path) else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        lines.extend(
            annotations(&text)
                .into_iter()
                .filter_map(|found| found.id)
                .map(|id| format!("@decision {id} ({name})")),
        );
    }
    lines
}
