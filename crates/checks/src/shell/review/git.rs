//! Git: what reads, what works on the agent's own branch, and what asks for a person.

use shell::Call;

use super::Opinion;
use crate::Context;
use crate::shell::commit_on_main::refuses;
use crate::shell::words::{Git, git};

/// Subcommands that only read.
const READS: &[&str] = &[
    "log",
    "diff",
    "status",
    "show",
    "shortlog",
    "describe",
    "blame",
    "annotate",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "name-rev",
    "for-each-ref",
    "grep",
    "cat-file",
    "merge-base",
    "merge-tree",
    "whatchanged",
    "count-objects",
    "var",
    "version",
    "help",
    "check-ignore",
    "check-attr",
    "cherry",
    "range-diff",
    "show-ref",
    "show-branch",
    "diff-tree",
    "diff-index",
    "diff-files",
    "fsck",
    "verify-commit",
    "verify-tag",
    "archive",
    "symbolic-ref",
];

/// Subcommands that change only what the agent works on.
const WORKS: &[&str] = &["add", "stage", "fetch", "init", "apply", "am", "cherry-pick", "revert", "mv"];

/// Words that make a safe subcommand something else.
const ESCALATE: &[&str] = &[
    "--force",
    "--hard",
    "--no-verify",
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--ext-diff",
    "--textconv",
    "--output",
    "--open-files-in-pager",
    "--mirror",
    "--delete",
    "--edit-description",
    "--prune-now",
];

pub(super) fn judge(call: &Call, cx: &Context<'_>) -> Option<Opinion> {
    let words = git(call)?;
    // `-c` can make git run anything.
    let configured = call.args().iter().take_while(|arg| arg.text != words.verb).any(|arg| {
        matches!(arg.text.as_str(), "-c" | "--config-env" | "--exec-path")
            || arg.text.starts_with("--exec-path=")
            || arg.text.starts_with("--config-env=")
    });
    if configured {
        return Some(Opinion::risky("git -c can make git run other programs"));
    }
    let escalated = words.args.iter().any(|arg| {
        ESCALATE.iter().any(|word| arg.text == *word || arg.text.starts_with(&format!("{word}=")))
            || arg.text.starts_with("-O") && words.verb == "grep"
    });
    if escalated {
        return Some(Opinion::risky("it forces something, skips checks or writes elsewhere"));
    }
    if words.verb != "fetch"
        && words.verb != "checkout"
        && words.verb != "tag"
        && words.flag("f", &[])
        && !READS.contains(&words.verb)
    {
        return Some(Opinion::risky("it forces something"));
    }
    // A patch that somebody else sends is somebody else's code.
    if matches!(words.verb, "apply" | "am")
        && call.stdin.as_deref().is_some_and(|text| text.contains([shell::text::NET, shell::text::DECODED]))
    {
        return Some(Opinion::risky("it takes in a patch from elsewhere"));
    }
    // These commit, too.
    let commits = matches!(words.verb, "cherry-pick" | "revert" | "am")
        && !words.flag("n", &["no-commit", "abort", "quit", "skip"]);
    if commits && refuses(call, &words, cx) {
        return Some(Opinion::risky("it commits on the branch that everybody shares"));
    }
    Some(subcommand(&words))
}

fn subcommand(git: &Git<'_>) -> Opinion {
    let words = git.operands(&[
        "-m",
        "-n",
        "--message",
        "-b",
        "-B",
        "-c",
        "-C",
        "--format",
        "--sort",
        "--contains",
        "--points-at",
    ]);
    let first = words.first().map_or("", |arg| arg.text.as_str());
    match git.verb {
        // Into the branches themselves, over what is there.
        "fetch" if words.iter().any(|arg| arg.text.starts_with('+') || arg.text.contains(":refs/heads/")) => {
            Opinion::risky("it overwrites branches")
        }
        "commit" | "push" | "merge" => {
            Opinion::risky("it needs the person's word (commits, pushes and merges are theirs to allow)")
        }
        "symbolic-ref" => Opinion::safe_if(words.len() < 2, "it changes a reference"),
        "archive" => Opinion::safe_if(!git.flag("o", &["output"]), "it writes a file"),
        verb if READS.contains(&verb) => Opinion::Safe,
        verb if WORKS.contains(&verb) => Opinion::Safe,
        "reflog" => Opinion::safe_if(
            matches!(first, "" | "show" | "exists" | "list"),
            "it can delete the record of lost commits",
        ),
        "pull" => Opinion::safe_if(!git.flag("f", &["force"]) && !git.has("--no-rebase"), "it merges"),
        "checkout" => {
            let keeps = !git.has("--")
                && !git.flag("fp", &["force", "patch", "ours", "theirs"])
                && words.len() <= 1
                && !matches!(first, "." | "./" | "*")
                && !first.contains('.');
            Opinion::safe_if(keeps, "it can overwrite uncommitted changes")
        }
        "switch" => Opinion::safe_if(
            !git.flag("fC", &["force", "discard-changes", "force-create"]),
            "it can overwrite uncommitted changes",
        ),
        "branch" => Opinion::safe_if(
            !git.flag(
                "dDmMcCu",
                &["delete", "move", "copy", "set-upstream-to", "unset-upstream", "edit-description"],
            ),
            "it changes branches",
        ),
        // A plain new one is a name, like a branch.
        "tag" => Opinion::safe_if(
            !git.flag("dafsu", &["delete", "annotate", "force", "sign", "local-user"]),
            "it changes tags",
        ),
        "remote" => Opinion::safe_if(
            matches!(first, "" | "show" | "get-url") && !git.has("update"),
            "it changes remotes",
        ),
        "stash" => Opinion::safe_if(
            matches!(first, "" | "list" | "show" | "push" | "save" | "pop" | "apply" | "create")
                && !git.flag("ua", &["include-untracked", "all"]),
            "it drops stashed work, or takes files away that git does not know",
        ),
        "worktree" => Opinion::safe_if(matches!(first, "list" | "add"), "it removes or repairs work trees"),
        "config" => {
            let reads = ["--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch"]
                .iter()
                .any(|word| git.has(word))
                || matches!(first, "get" | "list")
                || (words.len() == 1 && !git.args.iter().any(|a| a.text.starts_with("--")));
            Opinion::safe_if(
                reads && !git.has("--unset") && !git.has("--replace-all"),
                "it changes git's settings",
            )
        }
        "notes" => Opinion::safe_if(matches!(first, "" | "list" | "show"), "it changes notes"),
        "submodule" => Opinion::safe_if(matches!(first, "" | "status" | "summary"), "it changes submodules"),
        "bisect" => {
            Opinion::safe_if(matches!(first, "log" | "view" | "visualize"), "it moves through history")
        }
        "lfs" => Opinion::safe_if(matches!(first, "ls-files" | "status" | "env"), "it changes large files"),
        "rebase" | "reset" | "clean" | "restore" | "rm" | "gc" | "prune" | "filter-branch" | "update-ref"
        | "replace" => Opinion::risky("it rewrites history or discards work"),
        _ => Opinion::Unknown,
    }
}
