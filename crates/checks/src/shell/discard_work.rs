//! Work that git would throw away: `shell/discard-work`.

use model::{Event, Findings, Meta};

use super::words::{Git, git};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/discard-work",
    "a git command that throws work away",
    "\
Refuses `git reset --hard`, `git clean -f`, `git branch -D`, `git checkout -- .`, `git restore .`, `git switch --discard-changes`, `git stash
clear`, and the ways to lose history for good (`reflog expire`, `gc --prune=now`, `filter-branch`, `update-ref -d` of main), in every
order of flags. Each answer names the form that keeps the work.
",
    include_str!("discard_work.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in &reading.calls {
            let Some(git) = git(call).filter(|git| !git.has("--help") && !git.has("-h")) else { continue };
            if let Some(lost) = lost(&git, call.stdin.as_deref()) {
                let finding =
                    out.deny(META.id, lost.what.into(), "What is not committed cannot be brought back.");
                finding.instead = Some(lost.instead.into());
                finding.at.clone_from(&call.span);
                return;
            }
        }
    }
}

struct Lost {
    what: &'static str,
    instead: &'static str,
}

fn lost(git: &Git<'_>, stdin: Option<&str>) -> Option<Lost> {
    let whole = |git: &Git<'_>| {
        git.operands(&["-s", "--source"])
            .iter()
            .any(|a| matches!(a.text.as_str(), "." | "./" | ":/" | "*" | ":" | "/"))
    };
    Some(match git.verb {
        "reset" if git.flag("", &["hard"]) && !git.flag("", &["soft", "mixed"]) || git.has("--hard") => {
            Lost {
                what: "This would throw away every uncommitted change.",
                instead: "Keep them: `git stash`. Move only the branch: `git reset --soft <commit>`.",
            }
        }
        "reset" if git.has("--merge") => Lost {
            what: "This would throw away what is staged.",
            instead: "Keep it: `git stash`. Move only the branch: `git reset --soft <commit>`.",
        },
        "clean"
            if (git.flag("f", &["force"]) || git.setting("clean.requireforce") == Some("false"))
                && !git.flag("n", &["dry-run"]) =>
        {
            Lost {
                what: "This would delete files that git does not know.",
                instead: "See what would go: `git clean -n`. Keep it: `git stash --include-untracked`.",
            }
        }
        "branch" if git.flag("D", &[]) || (git.flag("d", &["delete"]) && git.flag("f", &["force"])) => Lost {
            what: "This would delete a branch whether it is merged or not.",
            instead: "Delete it only if it is merged: `git branch -d <branch>`.",
        },
        "checkout"
            if !git.has("-b")
                && (git.has("--") && whole(git)
                    || whole(git) && git.operands(&[]).len() <= 2
                    || git.flag("f", &["force"])) =>
        {
            Lost { what: "This would throw away uncommitted changes.", instead: "Keep them: `git stash`." }
        }
        "restore" if whole(git) && (!git.flag("S", &["staged"]) || git.flag("W", &["worktree"])) => Lost {
            what: "This would throw away uncommitted changes.",
            instead: "Keep them: `git stash`. Only unstage: `git restore --staged .`",
        },
        "switch" if git.flag("f", &["discard-changes", "force"]) => Lost {
            what: "This would throw away uncommitted changes.",
            instead: "Keep them: `git stash`, then `git switch <branch>`.",
        },
        "stash" if git.operands(&[]).first().is_some_and(|a| a.text == "clear") => Lost {
            what: "This would delete everything that was stashed.",
            instead: "Look at it first: `git stash list`, `git stash show -p`.",
        },
        "stash" if git.operands(&[]).first().is_some_and(|a| a.text == "drop") => Lost {
            what: "This would delete what was stashed.",
            instead: "Bring it back instead, `git stash pop`, or let the person drop it.",
        },
        "submodule" if git.has("deinit") && git.flag("f", &["force"]) && (git.has("--all") || whole(git)) => {
            Lost {
                what: "This would throw away every change in the submodules.",
                instead: "Without `--force` git keeps what is not committed: `git submodule deinit --all`.",
            }
        }
        "branch"
            if git.flag("f", &["force"])
                && git.operands(&[]).len() > 1
                && git
                    .operands(&[])
                    .first()
                    .is_some_and(|a| matches!(a.text.as_str(), "main" | "master")) =>
        {
            Lost {
                what: "This would move the main branch away from its commits.",
                instead: "Give the commit a branch of its own: `git branch <name> <commit>`.",
            }
        }
        "reflog" if git.has("expire") || git.has("delete") => Lost {
            what: "This would delete the record that lost commits are found by.",
            instead: "Leave the reflog alone; it expires by itself.",
        },
        "gc" if git.args.iter().any(|a| matches!(a.text.as_str(), "--prune=now" | "--prune=all")) => Lost {
            what: "This would delete every commit that no branch holds.",
            instead: "Plain `git gc` keeps recent ones.",
        },
        "prune" if !git.flag("n", &["dry-run"]) => Lost {
            what: "This would delete every commit that no branch holds.",
            instead: "Plain `git gc` keeps recent ones.",
        },
        "filter-branch" | "filter-repo" => Lost {
            what: "This would rewrite the whole history.",
            instead: "Let the person do that on a fresh clone.",
        },
        "update-ref"
            if git.has("--stdin")
                && stdin.is_some_and(|text| text.lines().any(|line| line.starts_with("delete"))) =>
        {
            Lost {
                what: "This would delete branches and tags by their files.",
                instead: "Delete a merged branch: `git branch -d <branch>`.",
            }
        }
        "symbolic-ref" if git.flag("d", &["delete"]) => Lost {
            what: "This would leave the repository without a branch.",
            instead: "Change branches: `git switch <branch>`.",
        },
        "update-ref"
            if git.has("-d")
                && git
                    .args
                    .iter()
                    .any(|a| matches!(a.text.as_str(), "refs/heads/main" | "refs/heads/master" | "HEAD")) =>
        {
            Lost { what: "This would delete the main branch.", instead: "Leave main alone." }
        }
        "worktree" if git.has("remove") && git.flag("f", &["force"]) => return None,
        "rm" if git.flag("r", &[]) && whole(git) && !git.has("--cached") => {
            Lost { what: "This would delete every tracked file.", instead: "Name the files that you mean." }
        }
        "push" | "commit" | "submodule" => return None,
        "read-tree" if git.has("--reset") && git.has("-u") => {
            Lost { what: "This would throw away uncommitted changes.", instead: "Keep them: `git stash`." }
        }
        "checkout-index" if git.flag("f", &["force"]) && git.flag("a", &["all"]) => {
            Lost { what: "This would overwrite uncommitted changes.", instead: "Keep them: `git stash`." }
        }
        _ => return None,
    })
}
