//! The ground under the agent's feet: `shell/worktree-remove`.

use std::ops::Range;
use std::path::Path;

use model::{Event, Findings, Meta, Rewrite};
use shell::programs::repository;
use shell::{Call, Reading};

use super::literal;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/worktree-remove",
    "removing a work tree from inside it",
    "\
`git worktree remove` becomes `cd <main work tree> && git worktree remove <absolute path>`. An agent whose directory has been removed
cannot run anything any more, not even `cd`. The rewrite approves nothing.
",
    include_str!("worktree_remove.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    let ends = |call: &Call| call.concerns("the end of a work tree");
    for (index, call) in reading.calls.iter().enumerate().filter(|(_, call)| ends(call)) {
        let dir = repository(call);
        let Some(found) = cx.facts.repository(Path::new(&dir)) else { continue };
        if stands_in(reading, index, &found.main_root) {
            continue;
        }
        out.rewrites.extend(rewrites(event, call, &dir, &found.main_root).unwrap_or_default());
    }
}

/// Goes to the main work tree first. From another folder, paths are counted from that; a word that stands for others, or for what
/// is not known, cannot be written so that it means the same, and then nothing is changed.
fn rewrites(event: &Event, call: &Call, dir: &str, main: &Path) -> Option<Vec<Rewrite>> {
    let span = call.span.clone()?;
    let root = main.to_string_lossy();
    let why = format!(
        "Plimsoll changed to {root} first, so that the shell is not left in a directory that no longer exists."
    );
    let rewrite = |span: Range<usize>, text: String| Rewrite { rule: META.id, span, text, why: why.clone() };
    let mut made = vec![rewrite(span.start..span.start, format!("cd {} && ", shell::quote(&root)))];
    let moves = dir != root || *call.cwd != root;
    for arg in call.operands().filter(|arg| moves && !arg.text.starts_with('/')) {
        let path = shell::path::absolute(&arg.text, dir);
        let span = arg.span.clone().filter(|_| literal(event, arg))?;
        made.push(rewrite(span, shell::quote(&path).into_owned()));
    }
    Some(made)
}

/// Whether the command has gone to the main work tree before.
fn stands_in(reading: &Reading, index: usize, main: &Path) -> bool {
    reading.calls[..index]
        .iter()
        .rev()
        .find(|call| shell::changes_folder(call))
        .is_some_and(|call| Path::new(&*call.cwd) == main)
}
