//! Protected files, by way of the shell: `shell/protected-write`.

use model::{Body, Change, Event, EventName, FileEdit, Findings, Meta, Tool, ToolUse};
use shell::{Call, Direction};

use super::persistence::written;
use super::words::operands;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/protected-write",
    "a command that writes a protected file",
    "\
What an Edit of a file may not do, a shell command may not do either: `sed -i`, redirections, `tee`, `cp`, `mv`, `dd`, `rm`, `chmod`
and inline code that write, remove or unlock linter configs, hooks, settings or evidence get the answer that an edit of
that file would get. Taking a change back (`git checkout -- FILE`, and whatever command a held stop has named for it) passes.
",
    include_str!("protected_write.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        if event.command().is_some_and(|command| cx.facts.is_named_restore(command)) {
            return;
        }
        let mut seen: Vec<String> = Vec::new();
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            for (path, content) in touched(call) {
                let absolute = shell::path::absolute(&path, &call.cwd);
                if path.is_empty() || !shell::text::is_known(&absolute) || seen.contains(&absolute) {
                    continue;
                }
                let edit = as_edit(event, &absolute, content);
                for check in crate::file::CHECKS {
                    if crate::level(check.meta(), cx.config) == model::Level::On {
                        check.run(&edit, cx, out);
                    }
                }
                seen.push(absolute);
            }
        }
    }
}

/// Files that a call writes, removes or unlocks, with their new text where that is known.
fn touched(call: &Call) -> Vec<(String, Option<String>)> {
    let mut paths: Vec<(String, Option<String>)> =
        written(call).into_iter().map(|path| (path, None)).collect();
    if call.program() == "cat"
        && call.args().is_empty()
        && let (Some(text), Some(redirect)) =
            (&call.stdin, call.redirects.iter().find(|r| r.direction == Direction::Write))
    {
        paths.retain(|(path, _)| *path != redirect.target.text);
        paths.push((redirect.target.text.clone(), shell::text::is_known(text).then(|| text.clone())));
    }
    match call.program() {
        "rm" | "unlink" | "chmod" | "chown" | "chattr" | "shred" | "trash" => {
            let skip = usize::from(matches!(call.program(), "chmod" | "chown"));
            paths.extend(
                operands(call.args(), &[]).into_iter().skip(skip).map(|arg| (arg.text.clone(), None)),
            );
        }
        "git" => {
            if let Some(git) =
                super::words::git(call).filter(|git| matches!(git.verb, "rm" | "mv") && !git.has("--cached"))
            {
                paths.extend(git.operands(&[]).into_iter().map(|arg| (arg.text.clone(), None)));
            }
        }
        "mv" => {
            let mut from = operands(call.args(), &["-t", "-S"]);
            from.pop();
            paths.extend(from.into_iter().map(|arg| (arg.text.clone(), None)));
        }
        _ => {}
    }
    paths
}

/// The same change as an edit, so that the checks of files can judge it.
fn as_edit(event: &Event, path: &str, content: Option<String>) -> Event {
    let change = content.map_or(Change::Unknown, |content| Change::Write { content });
    let tool = Tool::Edit(FileEdit { path: path.into(), change });
    let mut edit = event.clone();
    edit.name = EventName::PreToolUse;
    if let Body::Tool(use_) = &event.body {
        edit.body = Body::Tool(ToolUse { tool, ..use_.clone() });
    }
    edit
}
