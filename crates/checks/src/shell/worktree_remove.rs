//! The ground under the agent's feet: `shell/worktree-remove`.

use std::path::Path;

use model::{Event, Findings, Meta, Rewrite};
use shell::Reading;

use super::force_push::directory;
use super::words::git;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/worktree-remove",
    "the removal of a work tree from inside it",
    "\
`git worktree remove` becomes `cd <main work tree> && git worktree remove <absolute path>`. An agent whose directory has been removed
cannot run anything any more, not even `cd`. The rewrite approves nothing.
",
    include_str!("worktree_remove.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for (index, call) in reading.calls.iter().enumerate() {
            let Some(git) = git(call)
                .filter(|git| git.verb == "worktree" && git.args.first().is_some_and(|a| a.text == "remove"))
            else {
                continue;
            };
            let dir = directory(call, &git);
            let Some(repository) = cx.facts.repository(&dir) else { continue };
            if stands_in(reading, index, &repository.main_root) {
                continue;
            }
            let Some(span) = &call.span else { continue };
            let main = repository.main_root.to_string_lossy();
            let why = format!(
                "Plimsoll changed to {main} first, so that the shell does not stand in a directory that is gone."
            );
            let at = span.start..span.start;
            out.rewrites.push(Rewrite {
                rule: META.id,
                span: at,
                text: format!("cd {} && ", shell::quote(&main)),
                why: why.clone(),
            });
            for arg in
                git.args.iter().skip(1).filter(|arg| !arg.text.starts_with('-') && !arg.text.starts_with('/'))
            {
                if let Some(span) = &arg.span {
                    let path = shell::path::absolute(&arg.text, &dir.to_string_lossy());
                    out.rewrites.push(Rewrite {
                        rule: META.id,
                        span: span.clone(),
                        text: shell::quote(&path).into_owned(),
                        why: why.clone(),
                    });
                }
            }
        }
    }
}

/// Whether the command has gone to the main work tree before.
fn stands_in(reading: &Reading, index: usize, main: &Path) -> bool {
    reading.calls[..index]
        .iter()
        .rev()
        .find(|call| call.program() == "cd")
        .is_some_and(|call| Path::new(&call.cwd) == main)
}
