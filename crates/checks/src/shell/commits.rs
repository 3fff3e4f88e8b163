//! Which calls put a commit on a branch, by whatever name, and of which repository.

use std::path::{Path, PathBuf};

use model::deed::{Object, Verb};
use model::state_files::PLAN;
use model::{Event, Repository};
use shell::programs::{Role, repository, store};
use shell::{Call, Reading};

use crate::Context;

/// Whether a call makes a commit, or puts one on a branch that was not there.
pub(super) fn makes_commit(call: &Call) -> bool {
    call.deeds.iter().any(|deed| matches!(deed.verb, Verb::Commits | Verb::Replays | Verb::Merges))
}

/// What a command has made before a call: work trees, and repositories of their own.
#[derive(Default)]
pub(super) struct Made {
    trees: Vec<(PathBuf, PathBuf, Option<String>)>,
    repositories: Vec<PathBuf>,
}

impl Made {
    /// Notes what this call makes.
    pub(super) fn note(&mut self, call: &Call, cx: &Context<'_>) {
        let made = call.deeds.iter().find_map(|deed| match &deed.object {
            Object::Path { text, .. } if deed.verb == Verb::Keeps => Some(text),
            _ => None,
        });
        let words = call.words();
        let roles = words.roles();
        let word = |wanted: Role| {
            roles.iter().find(|(_, role)| *role == wanted).map(|(at, _)| call.argv[*at].text.as_str())
        };
        let dir = PathBuf::from(repository(call));
        let place = |text: &str| PathBuf::from(shell::path::absolute(text, &call.cwd));
        let spec = words.operand_spec().unwrap_or_default();
        match (made, word(Role::From)) {
            // A copy of what lies here is one more place to work on it.
            (Some(made), Some(from)) if from.starts_with(['.', '/', '~']) || from.starts_with("file:") => {
                self.trees.push((place(made), place(from.trim_start_matches("file://")), None));
            }
            (Some(made), Some(_)) => self.repositories.push(place(made)),
            (Some(made), None) if spec.len() > 1 => {
                let branch = call
                    .value("b")
                    .or(call.value("B"))
                    .or_else(|| call.operands().nth(1).map(|arg| &*arg.text));
                let branch = branch.unwrap_or_else(|| shell::path::name(made)).to_owned();
                self.trees.push((place(made), dir, Some(branch)));
            }
            _ if spec.iter().any(|operand| operand.role == Role::Nest) => {
                let made = made.map_or(dir, |text| place(text));
                // What is there already is only made again.
                if cx.facts.modified(&made).is_none() && !cx.facts.project().starts_with(&made) {
                    self.repositories.push(made);
                }
            }
            _ => {}
        }
    }

    /// The repository that a call works on. One that cannot be told counts as the project's: what is not known is no way round.
    pub(super) fn repository(&self, call: &Call, event: &Event, cx: &Context<'_>) -> Option<Repository> {
        let text = repository(call);
        let dir = PathBuf::from(&text);
        let elsewhere = store(call).is_some();
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
            if !elsewhere && cx.facts.modified(&dir).is_some() {
                return None;
            }
        }
        let here = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project());
        let ours = cx.facts.repository(here).or_else(|| cx.facts.repository(cx.facts.project()));
        ours.or_else(|| elsewhere.then(|| of_project(cx.facts.project())))
    }
}

/// A database that lies elsewhere, with the project around it.
fn of_project(root: &Path) -> Repository {
    Repository { root: root.to_owned(), main_root: root.to_owned(), ..Repository::default() }
}

/// Calls of version systems on this machine, and of programs that commit by themselves, in order.
pub(super) fn calls(reading: &Reading) -> impl Iterator<Item = &Call> {
    reading
        .calls
        .iter()
        .filter(|call| !call.elsewhere)
        .filter(move |call| call.keeps_versions() || makes_commit(call))
}

/// Notes what a call adds to the next commit, by name; what it does not name is one that nobody knows.
pub(super) fn note_added(call: &Call, added: &mut Vec<String>) {
    if call.concerns("the index") {
        let before = added.len();
        added.extend(call.operands().map(|arg| arg.text.clone()));
        if added.len() == before {
            added.push(String::new());
        }
    }
}

/// Whether a commit has the plan in it and nothing else: what is staged, what this command has added before, or what it names itself.
pub(super) fn is_plan(call: &Call, added: &[String], cx: &Context<'_>, dir: &Path) -> bool {
    let is_plan = |name: &str| name.strip_prefix("./").unwrap_or(name) == PLAN;
    if ["all", "include", "patch", "interactive"].iter().any(|option| call.chose(option)) {
        return false;
    }
    let mut named = call.operands().map(|arg| arg.text.as_str()).peekable();
    if named.peek().is_some() {
        return named.all(is_plan);
    }
    let Ok(staged) = cx.facts.staged(dir) else { return false };
    let mut all = staged.iter().chain(added).peekable();
    all.peek().is_some() && all.all(|name| is_plan(name))
}
