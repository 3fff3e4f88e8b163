//! Where the work stands, said at the start: `session/context`.

use model::state_files::{AgentFindings, Record, TestResult};
use model::{Body, Effect, Event, EventName, Findings, Levels, Meta, On, Role, Task};

use crate::work::picture::{Picture, findings};
use crate::work::{counted, is_old_evidence, own_record};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/context",
    summary: "where the work stands, told to the agent when a session starts",
    docs: "\
Tells the agent at the start of a session: branch, uncommitted files and worktrees; the plan's phases, its age and how far the code has moved from
it; research, what was kept from before a compaction, findings about subagents (each once), the user's list of work, and news of the
harness. When a new session begins, test results of an earlier one are cleared unless they are of the code as it is now; a session that is resumed,
cleared or compacted keeps what it has.
",
    cases: include_str!("context.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// What a session leaves behind when it is not ended, by its name.
const LEFT_BEHIND: &[&str] = &[".session-changes-", ".prompt-count-"];
/// Nobody goes on with a session after this.
const ABANDONED: u64 = 7 * 86_400;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Session(change) = &event.body else { return };
    let picture = Picture::of(event, cx);
    let mut lines = surroundings(&picture);
    let churn = picture.known_churn();
    lines.extend(churn.and_then(Picture::plan_age_of));
    news(cx, &mut lines, out);
    lines.extend(picture.research());
    kept(cx, &mut lines, out);
    abandoned(event, cx, &mut lines, out);
    lines.extend(cx.facts.todo(&["hud"]));
    if let Some((text, found)) = findings(cx) {
        lines.push("Unresolved agent findings from previous session:".into());
        lines.extend(found.into_iter().map(|line| format!("  {line}")));
        out.effects.push(Effect::Record(AgentFindings::FILE.into(), Record::Delivered(text)));
    }
    if let Some(status) = picture.test_status().filter(|status| status.result == TestResult::Fail) {
        lines.push(format!(
            "WARNING: the last tests failed ({}); they have to pass before source is written.",
            counted(status.failures, "failure", "failures")
        ));
    }
    if !lines.is_empty() {
        out.background.push(lines.join("\n"));
    }
    out.effects.push(Effect::Record(format!(".prompt-count-{}", event.session.as_str()), Record::Remove));
    if is_old_evidence(&change.cause, cx) {
        out.effects.push(Effect::ForgetTests);
    }
    // Counted in the background where it is not known, so that no gate has to.
    if let Some(plan) = picture.plan_file.filter(|_| picture.plan.is_some() && churn.is_none()) {
        out.effects
            .push(Effect::Start(Task { name: "churn", args: vec![plan.to_string_lossy().into_owned()] }));
    }
}

/// What a first prompt is told again, because a client may have dropped the start.
pub(crate) fn surroundings(picture: &Picture<'_>) -> Vec<String> {
    let mut lines: Vec<String> = picture.git().into_iter().collect();
    lines.extend(picture.worktrees());
    lines.extend(picture.main_warning());
    lines.extend(picture.plan());
    lines
}

/// What the update check has found, once.
fn news(cx: &Context<'_>, lines: &mut Vec<String>, out: &mut Findings) {
    let Some(text) = own_record(cx, ".update-status") else { return };
    let fields: Vec<&str> = text.trim().splitn(6, '|').collect();
    if let [status, local, remote, count, _, summary] = fields[..] {
        let said = match status {
            "updated" => {
                let commits = counted(count.parse().unwrap_or(0), "commit", "commits");
                Some(format!("Harness updated from {local} to {remote} ({commits}): {summary}"))
            }
            "breaking" => Some(format!(
                "Harness: {remote} is a new major version (here: {local}). It is not applied by itself: {summary}"
            )),
            "conflict" => Some(format!("Harness: {remote} could not be applied over {local}: {summary}")),
            _ => None,
        };
        lines.extend(said);
    }
    out.effects.push(Effect::Record(".update-status".into(), Record::Delivered(text)));
}

/// What was kept before a compaction, once.
fn kept(cx: &Context<'_>, lines: &mut Vec<String>, out: &mut Findings) {
    let Some(text) = own_record(cx, ".preserved-context") else { return };
    // What is still so was said above, and would be left out below its heading.
    let is_known = |line: &str| lines.iter().any(|known| known.trim() == line);
    let said: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !is_known(line))
        .map(|line| format!("  {line}"))
        .collect();
    if !said.is_empty() {
        lines.push("Preserved context from before compaction:".into());
        lines.extend(said);
    }
    out.effects.push(Effect::Record(".preserved-context".into(), Record::Delivered(text)));
}

/// Files of sessions that never ended.
fn abandoned(event: &Event, cx: &Context<'_>, lines: &mut Vec<String>, out: &mut Findings) {
    let mut stale = 0;
    for path in cx.facts.list(&cx.facts.project().join(".claude")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let session = LEFT_BEHIND.iter().find_map(|start| name.strip_prefix(start));
        let age = cx.facts.modified(&path).map_or(0, |written| cx.facts.now().saturating_sub(written));
        if session.is_some_and(|session| session != event.session.as_str()) && age > ABANDONED {
            stale += 1;
            out.effects.push(Effect::Record(name, Record::Remove));
        }
    }
    if stale > 0 {
        lines.push(format!("Stale session files: {stale} (removed)"));
    }
}
