//! Commits on the branch that everybody shares: `shell/commit-on-main`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::{Event, Findings, Level, Levels, Meta, Repository};
use shell::{Call, Reading};

use super::commits::{Made, calls, makes_commit};
use super::force_push::directory;
use super::words::Git;
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels { standard: Level::Off, strict: Level::On, autonomous: Level::Off },
    ..super::guard(
        "shell/commit-on-main",
        "a commit on main or master",
        "\
Refuses `git commit` while `main` or `master` is checked out, and whatever else commits (`cherry-pick`, `revert`, `am`, `rebase -i`,
`update-ref`, an alias from git's own files), in the repository that the command is about: by its directory, `-C`,
`--git-dir`, `GIT_DIR`, in a linked work tree. A branch that the same command has just made counts. Exempt are the first commit
of a repository, the commit that ends a merge, the repository in `~/.claude`, and a commit of `MASTER_PLAN.md` alone.
",
        include_str!("commit_on_main.toml"),
    )
};

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        // Branches that this command itself has switched to.
        let mut switched: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut added = false;
        let mut made = Made::default();
        for (call, git) in calls(reading) {
            let dir = directory(call, &git);
            made.note(call, &git, cx);
            if let Some(branch) = switches_to(&git) {
                switched.insert(dir, branch);
                continue;
            }
            added |= matches!(git.verb, "add" | "stage" | "rm" | "mv");
            if !commits_here(&git, reading) {
                continue;
            }
            let Some(repository) = made.repository(call, &git, event, cx) else { continue };
            let branch = named_branch(&git).or_else(|| switched.get(&dir).cloned());
            let branch = branch.or_else(|| repository.branch.clone()).unwrap_or_default();
            if !matches!(branch.as_str(), "main" | "master") || is_exempt(&repository, &git, added, cx, &dir)
            {
                continue;
            }
            report(call, &branch, out);
            return;
        }
    }
}

/// Whether a call commits what is worked on, and does not only bring two branches together.
fn commits_here(git: &Git<'_>, reading: &Reading) -> bool {
    match git.verb {
        "merge" | "pull" | "push" | "fetch" | "branch" | "checkout" | "switch" => false,
        // By itself it leaves an object that nothing names.
        "commit-tree" => calls(reading).any(|(_, git)| {
            matches!(git.verb, "reset" | "update-ref" | "branch" | "checkout" | "switch" | "merge" | "push")
        }),
        "rebase" => makes_commit(git) && !follows_upstream(git),
        _ => makes_commit(git),
    }
}

/// `git rebase`, `git rebase origin/main`: the branch goes on where the others' is.
fn follows_upstream(git: &Git<'_>) -> bool {
    let rewrites = git.flag("ix", &["interactive", "exec", "onto", "root"]);
    let words = git.operands(&["-s", "-X", "--strategy"]);
    let upstream = |text: &str| text.contains('/') || text.contains("@{u");
    !rewrites && words.len() < 2 && words.iter().all(|arg| upstream(&arg.text))
}

/// The branch that a reference names.
fn named_branch(git: &Git<'_>) -> Option<String> {
    let name =
        git.operands(&["-m"]).first().map(|arg| arg.text.clone()).filter(|_| git.verb == "update-ref")?;
    name.strip_prefix("refs/heads/").map(str::to_owned)
}

/// Whether this project refuses commits on the branch that a call of git works on.
pub(super) fn refuses(call: &Call, git: &Git<'_>, cx: &Context<'_>) -> bool {
    crate::level(&META, cx.config) == Level::On
        && cx
            .facts
            .repository(&directory(call, git))
            .and_then(|found| found.branch)
            .is_some_and(|branch| matches!(branch.as_str(), "main" | "master"))
}

fn report(call: &Call, branch: &str, out: &mut Findings) {
    let finding = out.deny(
        META.id,
        format!("Cannot commit directly to {branch}."),
        "Main is sacred: everybody builds on it.",
    );
    finding.instead =
        Some(format!("Work on a branch of its own: git worktree add .worktrees/feature-name {branch}"));
    finding.at.clone_from(&call.span);
}

fn switches_to(git: &Git<'_>) -> Option<String> {
    let words = git.operands(&["-b", "-B", "-c", "-C", "--create", "--orphan"]);
    match git.verb {
        "checkout" | "switch" if !git.has("--") => {
            let made = git.args.windows(2).find(|pair| {
                matches!(pair[0].text.as_str(), "-b" | "-B" | "-c" | "-C" | "--create" | "--orphan")
            });
            made.map(|pair| pair[1].text.clone()).or_else(|| words.first().map(|arg| arg.text.clone()))
        }
        _ => None,
    }
}

fn is_exempt(repository: &Repository, git: &Git<'_>, added: bool, cx: &Context<'_>, dir: &Path) -> bool {
    if repository.unborn || repository.merging || is_meta(&repository.root, cx) {
        return true;
    }
    if git.verb != "commit" {
        return false;
    }
    // Only what is staged goes in, and nothing of it is added on the way.
    let takes_more = git.flag("aip", &["all", "include", "patch", "interactive"])
        || added
        || !git
            .operands(&[
                "-m",
                "-F",
                "-C",
                "-c",
                "-t",
                "--message",
                "--file",
                "--author",
                "--date",
                "--trailer",
            ])
            .is_empty();
    !takes_more && cx.facts.staged(dir).is_ok_and(|files| files == ["MASTER_PLAN.md"])
}

/// The repository that holds the agent's own set-up.
pub(super) fn is_meta(root: &Path, cx: &Context<'_>) -> bool {
    cx.facts.home().is_some_and(|home| root == home.join(".claude"))
}
