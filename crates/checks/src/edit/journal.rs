//! The list of files that this session changed: `edit/journal`.

use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::file::Target;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "edit/journal",
    summary: "a record of each file that the session changes",
    docs: "\
Appends the path of every edited file to `.claude/.session-changes-<session>` in the project, one line per edit. Gates,
summaries and the stop checks read it. Our own files and the agent's settings folder are left out, so that they never count
as changed code. It says nothing to the agent.

Codex takes a patch that stands in a shell command out of it, applies it by itself, and tells no hook when that is done. So its files are
recorded before the command runs, and linters look at them when the agent stops.
",
    cases: include_str!("journal.toml"),
    on: &[On::edits(EventName::PostToolUse), On::shell(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if event.name == EventName::PreToolUse {
        return patched(event, cx, out);
    }
    let Some(target) = Target::of(event, cx) else { return };
    // A newline in a name would make two lines of one.
    let plain = !target.written.to_string_lossy().contains('\n');
    if event.session.is_known() && plain && !target.inside(&cx.facts.project().join(".claude")) {
        out.effects.push(Effect::FileChanged(target.written));
    }
}

fn patched(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if !agents::takes_patches_out(event.agent) || !event.session.is_known() {
        return;
    }
    let own = cx.facts.project().join(".claude");
    let files =
        cx.arrivals(event).iter().filter(|arrivals| arrivals.edits).flat_map(|arrivals| &arrivals.files);
    for file in files {
        let path = std::path::Path::new(&file.path);
        let plain = !file.path.contains('\n');
        if plain && path.starts_with(cx.facts.project()) && !path.starts_with(&own) {
            out.effects.push(Effect::Patched(path.to_owned()));
        }
    }
}
