//! Which calls of git put a commit on a branch, by whatever name, and of which repository.

use std::path::{Path, PathBuf};

use model::{Event, Repository};
use shell::{Call, Reading};

use super::force_push::directory;
use super::words::{Git, as_git, dashed_git, git, subcommands};
use crate::Context;

/// Whether a call makes a commit, or puts one on a branch that was not there.
pub(super) fn makes_commit(git: &Git<'_>) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| git.has(word));
    if has(&["--help", "-h"]) && git.verb != "commit-tree" {
        return false;
    }
    match git.verb {
        "commit" => !git.flag("", &["dry-run"]),
        "merge" => !has(&["--abort", "--quit"]),
        // Without a commit of its own, it needs one that is judged.
        "cherry-pick" | "revert" => !has(&["--abort", "--quit", "--skip"]) && !git.flag("n", &["no-commit"]),
        "am" => !has(&["--abort", "--quit", "--skip"]) && !git.flag("", &["show-current-patch"]),
        "rebase" => !has(&["--abort", "--quit", "--edit-todo"]) && !git.flag("", &["show-current-patch"]),
        // From this machine, it is a merge of what somebody has made here.
        "pull" => git.operands(PULL_VALUES).first().is_some_and(|from| is_local(&from.text)),
        "push" | "fetch" => {
            let words = git.operands(PULL_VALUES);
            words.first().is_some_and(|to| is_local(&to.text))
                && words.iter().skip(1).any(|arg| names_main(arg.text.rsplit(':').next().unwrap_or_default()))
        }
        "branch" => {
            let words = git.operands(&[]);
            let named = |arg: Option<&&shell::Arg>| arg.is_some_and(|arg| names_main(&arg.text));
            git.flag("fM", &["force"]) && named(words.first())
                // Another branch becomes it.
                || git.flag("mMcC", &["move", "copy"]) && words.len() > 1 && named(words.last())
        }
        "checkout" | "switch" => {
            let made = git.args.windows(2).find(|pair| matches!(pair[0].text.as_str(), "-B" | "-C"));
            made.is_some_and(|pair| names_main(&pair[1].text)) && git.args.len() > 2
        }
        "update-ref" => {
            let branch = |text: &str| {
                text == "HEAD" || text.starts_with("refs/heads/") || !shell::text::is_known(text)
            };
            git.flag("", &["stdin"])
                || !git.flag("d", &["delete"])
                    && git.operands(&["-m"]).first().is_some_and(|arg| branch(&arg.text))
        }
        "subtree" => git
            .operands(&[])
            .first()
            .is_some_and(|verb| matches!(verb.text.as_str(), "add" | "merge" | "pull")),
        // A commit by hand.
        "hash-object" => {
            git.flag("w", &[])
                && git.args.iter().any(|arg| matches!(arg.text.as_str(), "commit" | "-tcommit"))
        }
        "commit-tree" | "fast-import" | "citool" | "quiltimport" | "history" => true,
        // Not git's own, and made for this.
        "absorb" | "autofixup" | "cz" => true,
        _ => false,
    }
}

/// Options of a clone that take the next word.
const CLONE_VALUES: &[&str] =
    &["-b", "--branch", "-o", "--origin", "--depth", "-c", "--config", "-j", "--reference", "-u"];

/// Options of a transfer that take the next word.
const PULL_VALUES: &[&str] = &["-s", "-X", "-o", "--strategy", "--depth", "-j", "--push-option"];

fn is_local(place: &str) -> bool {
    place.starts_with(['.', '/', '~']) || place.starts_with("file:")
}

fn names_main(text: &str) -> bool {
    matches!(text.trim_start_matches('+').trim_start_matches("refs/heads/"), "main" | "master")
}

/// What a command has made before a call: work trees, and repositories of their own.
#[derive(Default)]
pub(super) struct Made {
    trees: Vec<(PathBuf, PathBuf, Option<String>)>,
    repositories: Vec<PathBuf>,
}

impl Made {
    /// Notes what this call makes.
    pub(super) fn note(&mut self, call: &Call, git: &Git<'_>, cx: &Context<'_>) {
        let dir = directory(call, git);
        let place = |text: &str| PathBuf::from(shell::path::absolute(text, &dir.to_string_lossy()));
        match git.verb {
            "worktree" if git.args.first().is_some_and(|arg| arg.text == "add") => {
                let words = git.operands(&["-b", "-B", "--reason"]);
                let Some(path) = words.get(1) else { return };
                let named = git.args.windows(2).find(|pair| matches!(pair[0].text.as_str(), "-b" | "-B"));
                let branch = named.map(|pair| pair[1].text.clone());
                let branch = branch.or_else(|| words.get(2).map(|arg| arg.text.clone()));
                let branch = branch.unwrap_or_else(|| shell::path::name(&path.text).to_owned());
                self.trees.push((place(&path.text), dir.clone(), Some(branch)));
            }
            "init" => {
                let words = git.operands(&["-b", "--initial-branch", "--template", "--separate-git-dir"]);
                let made = words.first().map_or(dir.clone(), |arg| place(&arg.text));
                // What is there already is only made again.
                if cx.facts.modified(&made).is_none() && !cx.facts.project().starts_with(&made) {
                    self.repositories.push(made);
                }
            }
            "clone" => {
                let words = git.operands(CLONE_VALUES);
                let Some(from) = words.first() else { return };
                let name = shell::path::name(from.text.trim_end_matches('/')).trim_end_matches(".git");
                let made = place(words.get(1).map_or(name, |arg| arg.text.as_str()));
                if is_local(&from.text) {
                    // A copy of what lies here is one more place to work on it.
                    self.trees.push((made, place(from.text.trim_start_matches("file://")), None));
                } else {
                    self.repositories.push(made);
                }
            }
            _ => {}
        }
    }

    /// The repository that a call works on. One that cannot be told counts as the project's: what is not known is no way round.
    pub(super) fn repository(
        &self,
        call: &Call,
        git: &Git<'_>,
        event: &Event,
        cx: &Context<'_>,
    ) -> Option<Repository> {
        let dir = directory(call, git);
        let text = dir.to_string_lossy();
        if shell::text::is_known(&text) {
            // A work tree that is made by this very command is not there yet.
            if let Some((tree, from, branch)) =
                self.trees.iter().rev().find(|(tree, ..)| dir.starts_with(tree))
            {
                let of = cx.facts.repository(from)?;
                let branch = branch.clone().or_else(|| of.branch.clone());
                return Some(Repository { root: tree.clone(), branch, ..of });
            }
            if self.repositories.iter().any(|made| dir.starts_with(made)) {
                return None;
            }
            if let Some(found) = cx.facts.repository(&dir) {
                return Some(found);
            }
            if git.database.is_none() && cx.facts.modified(&dir).is_some() {
                return None;
            }
        }
        let here = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project());
        let ours = cx.facts.repository(here).or_else(|| cx.facts.repository(cx.facts.project()));
        ours.or_else(|| git.database.map(|_| of_project(cx.facts.project())))
    }
}

/// A database that lies elsewhere, with the project around it.
fn of_project(root: &Path) -> Repository {
    Repository { root: root.to_owned(), main_root: root.to_owned(), ..Repository::default() }
}

/// Calls of git on this machine, in order.
pub(super) fn calls(reading: &Reading) -> impl Iterator<Item = (&Call, Git<'_>)> {
    let calls = reading.calls.iter().filter(|call| !call.elsewhere);
    calls.filter_map(|call| Some((call, git(call).or_else(|| dashed_git(call)).or_else(|| committer(call))?)))
}

/// Programs that commit by themselves: they write a version down, or ask for the message.
fn committer(call: &Call) -> Option<Git<'_>> {
    let words = subcommands(call, &[]);
    let commits = match (call.program(), words.as_slice()) {
        ("npm" | "pnpm", ["version", _, ..]) => {
            !call.has("--no-git-tag-version") && !call.has("--git-tag-version=false")
        }
        ("cz" | "commitizen", ["commit" | "c" | "bump", ..]) | ("lerna", ["version" | "publish", ..]) => true,
        ("cargo", ["release", ..]) => call.texts().any(|text| matches!(text, "-x" | "--execute")),
        ("bump2version" | "bumpversion" | "bump-my-version", _) => call.has("--commit"),
        ("jj", ["commit" | "ci" | "squash" | "split", ..]) => true,
        _ => false,
    };
    commits.then(|| as_git(call, "commit"))
}
