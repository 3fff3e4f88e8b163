//! Work that git would throw away: `shell/discard-work`.

use model::{Event, Findings, Meta};
use shell::text::is_hole;
use shell::{Arg, Call};

use super::words::{Git, git, has_flag, only_looks, operands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/discard-work",
    "a git command that throws work away",
    "\
Refuses `git reset --hard`, `git clean -f`, `git branch -D`, `git checkout -- .`, `git restore .`, `git switch --discard-changes`, `git stash
clear`, and the ways to lose history for good (`reflog expire`, `gc --prune=now`, `filter-branch`, `update-ref -d` of main), in every
order of flags, and the same in Mercurial, Subversion, Jujutsu and Perforce. Each answer names the form that keeps the work.
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
            let found = match git(call) {
                Some(git) if git.has("--help") || git.has("-h") || rehearses(&git) => None,
                Some(git) => lost(&git, call.stdin.as_deref()).or_else(|| alias(&git)),
                None => others(call),
            };
            if let Some(lost) = found {
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
        git.operands(&["-s", "--source"]).iter().any(|a| {
            matches!(a.text.as_str(), "." | "./" | ":/" | ":(top)" | ":(top,glob)**" | "*" | ":" | "/")
        })
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
        "filter-branch" | "filter-repo" => REWRITES,
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
            if !git.has("-d")
                && git.operands(&["-m"]).len() > 1
                && git.operands(&["-m"]).first().is_some_and(|a| is_main(a)) =>
        {
            Lost {
                what: "This would move the main branch away from its commits.",
                instead: "Give the commit a branch of its own: `git branch <name> <commit>`.",
            }
        }
        "branch"
            if git.flag("MC", &[])
                && git.operands(&[]).len() > 1
                && git.operands(&[]).last().is_some_and(|a| is_main(a)) =>
        {
            Lost {
                what: "This would put another branch in the place of the main branch.",
                instead: "Merge it instead, or give it a name of its own: `git branch -m <name>`.",
            }
        }
        "config"
            if git.operands(&[]).iter().any(|a| a.text.eq_ignore_ascii_case("clean.requireforce"))
                && git
                    .operands(&[])
                    .last()
                    .is_some_and(|a| matches!(a.text.as_str(), "false" | "0" | "no" | "off")) =>
        {
            Lost {
                what: "This would let git delete files that it does not know without being told twice.",
                instead: "See what would go: `git clean -n`.",
            }
        }
        // All of them, by whatever listed them.
        "tag"
            if git.flag("d", &["delete"])
                && git.operands(&[]).iter().any(|a| a.text.starts_with(is_hole)) =>
        {
            Lost {
                what: "This would delete whatever tags are found.",
                instead: "Name the tag that you mean: `git tag -d <tag>`.",
            }
        }
        "update-ref"
            if git.has("-d")
                && git
                    .args
                    .iter()
                    .any(|a| matches!(a.text.as_str(), "refs/heads/main" | "refs/heads/master" | "HEAD")) =>
        {
            Lost { what: "This would delete the main branch.", instead: "Leave main alone." }
        }
        // Once, and git still keeps what somebody has locked.
        "worktree" if git.has("remove") && forces(git) > 1 => Lost {
            what: "This would throw away a work tree that somebody has locked, and what is not committed in it.",
            instead: "See why it is locked: `git worktree list --verbose`.",
        },
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

/// Shows what would be done.
fn rehearses(git: &Git<'_>) -> bool {
    match git.verb {
        "filter-repo" => git.has("--dry-run") || git.has("--analyze"),
        "reflog" | "rm" => git.flag("n", &["dry-run"]),
        _ => false,
    }
}

fn is_main(arg: &Arg) -> bool {
    matches!(arg.text.trim_start_matches("refs/heads/"), "main" | "master")
}

/// How often something is forced.
fn forces(git: &Git<'_>) -> usize {
    git.args
        .iter()
        .map(|arg| match arg.text.strip_prefix('-') {
            Some("-force") => 1,
            Some(cluster) if !cluster.starts_with('-') => cluster.matches('f').count(),
            _ => 0,
        })
        .sum()
}

/// A name for a command that throws work away: `git config alias.undo 'reset --hard'`.
fn alias(git: &Git<'_>) -> Option<Lost> {
    let words = git.operands(&["-f", "--file"]);
    let at = words.iter().position(|arg| arg.text.starts_with("alias."))?;
    if git.verb != "config" {
        return None;
    }
    let args: Vec<Arg> = words.get(at + 1)?.text.split_whitespace().map(Arg::new).collect();
    let call = Call { argv: std::iter::once(Arg::new("git")).chain(args).collect(), ..Call::default() };
    lost(&super::words::git(&call)?, None)
}

/// Other systems that keep versions.
fn others(call: &Call) -> Option<Lost> {
    const SYSTEMS: &[&str] =
        &["hg", "chg", "svn", "jj", "p4", "bzr", "brz", "fossil", "bfg", "java", "git-filter-repo"];
    if !SYSTEMS.contains(&call.program()) {
        return None;
    }
    let words = operands(call.args(), &["--config", "-R", "--repository", "--cwd"]);
    let verb = words.first().map_or("", |arg| arg.text.as_str());
    let says = |names: &[&str]| call.texts().any(|t| names.contains(&t));
    Some(match (call.program(), verb) {
        _ if only_looks(call) => return None,
        ("hg" | "chg", "update" | "up" | "checkout" | "co") if has_flag(call, "C", &["clean"]) => {
            Lost { what: DISCARDS, instead: "Keep them: `hg shelve`." }
        }
        ("hg" | "chg", "revert") if has_flag(call, "C", &["no-backup"]) && has_flag(call, "a", &["all"]) => {
            Lost { what: DISCARDS, instead: "Without `--no-backup` hg keeps a copy of each file." }
        }
        ("hg" | "chg", "purge" | "clean") if !says(&["-p", "--print"]) => Lost {
            what: "This would delete files that hg does not know.",
            instead: "See what would go: `hg purge --print`.",
        },
        ("hg" | "chg", "strip" | "debugstrip" | "rollback") => Lost {
            what: "This would take commits out of the history.",
            instead: "Take one back: `hg backout <revision>`.",
        },
        ("svn", "revert")
            if has_flag(call, "R", &["recursive"]) || says(&["infinity", "--depth=infinity"]) =>
        {
            Lost {
                what: DISCARDS,
                instead: "Keep them: `svn diff`, into a file. Take back single files: `svn revert <file>`.",
            }
        }
        ("svn", "cleanup") if says(&["--remove-unversioned", "--remove-ignored"]) => Lost {
            what: "This would delete files that svn does not know.",
            instead: "See what would go: `svn status`.",
        },
        ("jj", "abandon") if call.texts().any(|t| t.contains("all()") || t.contains("::")) => Lost {
            what: "This would abandon more than one change.",
            instead: "Name the change that you mean: `jj abandon <change>`.",
        },
        ("jj", "op" | "operation") if says(&["abandon"]) => Lost {
            what: "This would delete the record that lost changes are found by.",
            instead: "Leave it alone; `jj op log` shows it.",
        },
        ("p4", "obliterate") => {
            Lost { what: "This would take files out of the history.", instead: "Let the person do that." }
        }
        ("p4", "revert") if call.texts().any(|t| t.ends_with("...")) => {
            Lost { what: DISCARDS, instead: "Keep them: `p4 shelve`." }
        }
        ("bzr" | "brz" | "fossil", "clean-tree" | "clean" | "extras") if says(&["--force", "-f"]) => Lost {
            what: "This would delete files that have no version.",
            instead: "See what would go, with `--dry-run`.",
        },
        ("bfg", _) => REWRITES,
        ("java", _) if call.texts().any(|t| shell::path::name(t).starts_with("bfg")) => REWRITES,
        ("git-filter-repo", _) => REWRITES,
        _ => return None,
    })
}

const DISCARDS: &str = "This would throw away uncommitted changes.";

const REWRITES: Lost = Lost {
    what: "This would rewrite the whole history.",
    instead: "Let the person do that on a fresh clone.",
};
