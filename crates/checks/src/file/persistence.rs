//! What stays after the session: `file/persistence`.

use std::borrow::Cow;

use model::{Change, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::file::Target;
use crate::lasting::Lasting;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/persistence",
    summary: "an edit that makes something run again later",
    docs: "\
`shell/persistence` for edits: start-up files of shells and tools, cron tables, services, hooks of git, authorized keys, accounts, and
programs in the folders of `PATH` outlive the session. Text for them that fetches or decodes code or points to a temporary place is
refused; any other edit of them is a question to the user, also while an agent works alone.
",
    cases: include_str!("persistence.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(target) = Target::of(event, cx) else { return };
    let content = brought(&target.edit.change);
    let found = target.paths().find_map(|path| {
        let path = path.to_string_lossy();
        Lasting { path: &path, content: &content, fetched: false, copied: false, seen: true }
            .judge(&path, cx.facts)
    });
    let Some((what, foul)) = found.filter(|_| !cx.may_edit(META.id, &target.real)) else { return };
    let why = "It would still run when this session is over.";
    let finding = if foul { out.deny(META.id, what, why) } else { out.ask(META.id, what, why) };
    finding.instead = Some("Tell the user what to add, and where.".into());
}

/// The text that was not there before.
pub(super) fn brought(change: &Change) -> Cow<'_, str> {
    match change {
        Change::Write { content } => content.into(),
        Change::Replace(parts) => {
            parts.iter().map(|part| part.new.as_str()).collect::<Vec<_>>().join("\n").into()
        }
        Change::Cell { source } => source.into(),
        Change::Unknown | Change::Removed => "".into(),
    }
}
