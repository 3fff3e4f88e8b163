//! Where the work stands, in lines: for the agent at the start of a session, with a prompt, before a compaction, in a subagent.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use model::state_files::{AgentFindings, Churn, Proof, TestResult, TestStatus};
use model::{Event, Level, Repository, source};

use super::{counted, own_record, plan_file, span};
use crate::Context;
use crate::plan::{Plan, Status};

/// The share of changed files from which on a plan is worth a second look.
const STALE: u64 = 10;

/// A project at work, looked at once.
pub(crate) struct Picture<'a> {
    cx: &'a Context<'a>,
    pub(crate) repository: Option<Repository>,
    pub(crate) plan_file: Option<PathBuf>,
    pub(crate) plan: Option<Plan>,
}

impl<'a> Picture<'a> {
    /// Of the work tree that the agent is in, as far as it is one of the project's.
    pub(crate) fn of(event: &Event, cx: &'a Context<'a>) -> Self {
        Self::at(event.cwd.as_deref(), cx)
    }

    /// Of another work tree, or of a repository in the project, where the last change was made; `None` where that is the one that the agent
    /// is in.
    pub(crate) fn of_work(event: &Event, changes: &[PathBuf], cx: &'a Context<'a>) -> Option<Self> {
        let dir = changes.last()?.parent()?;
        let here = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project());
        let (work, here) = (cx.facts.repository(dir)?, cx.facts.repository(here)?);
        let ours =
            |work: &Repository| work.main_root == here.main_root || work.root.starts_with(cx.facts.project());
        (work.root != here.root && ours(&work)).then(|| Self::with(Some(work), cx))
    }

    fn at(dir: Option<&Path>, cx: &'a Context<'a>) -> Self {
        let project = cx.facts.project();
        let ours = cx.facts.repository(project);
        let here = dir.and_then(|dir| cx.facts.repository(dir));
        let same = here.filter(|here| ours.as_ref().is_some_and(|ours| ours.main_root == here.main_root));
        Self::with(same.or(ours), cx)
    }

    fn with(repository: Option<Repository>, cx: &'a Context<'a>) -> Self {
        let plan_file = plan_file(cx, repository.as_ref());
        let plan = plan_file
            .as_deref()
            .and_then(|file| cx.facts.read(file).ok().flatten())
            .map(|text| Plan::read(&text));
        Self { cx, repository, plan_file, plan }
    }

    pub(crate) fn root(&self) -> &Path {
        self.repository.as_ref().map_or_else(|| self.cx.facts.project(), |repository| &repository.root)
    }

    pub(crate) fn branch(&self) -> Option<&str> {
        self.repository.as_ref()?.branch.as_deref()
    }

    pub(crate) fn is_on_main(&self) -> bool {
        matches!(self.branch(), Some("main" | "master"))
    }

    pub(crate) fn uncommitted(&self) -> Option<usize> {
        self.repository.as_ref()?;
        self.cx.facts.uncommitted(self.root()).ok().map(|files| files.len())
    }

    /// Whether work without a plan would be refused.
    pub(crate) fn wants_plan(&self) -> bool {
        crate::find("file/plan-check")
            .is_some_and(|check| crate::level(check.meta, self.cx.config) != Level::Off)
    }

    pub(crate) fn git(&self) -> Option<String> {
        let repository = self.repository.as_ref()?;
        let mut line = format!("Git: branch={}", repository.branch.as_deref().unwrap_or("(detached)"));
        if repository.unborn {
            line.push_str(" (no commits yet)");
        }
        if let Some(count) = self.uncommitted() {
            let _ = write!(line, " | {count} uncommitted");
        }
        if !repository.worktrees.is_empty() {
            let _ =
                write!(line, " | {}", counted(repository.worktrees.len() as u64, "worktree", "worktrees"));
        }
        Some(line)
    }

    pub(crate) fn worktrees(&self) -> Vec<String> {
        let list = self.repository.iter().flat_map(|repository| &repository.worktrees);
        list.map(|path| format!("  worktree: {}", path.display())).collect()
    }

    /// The warning that goes with work on main, where a gate stands for it.
    pub(crate) fn main_warning(&self) -> Option<String> {
        let guarded = crate::find("file/branch-guard")
            .is_some_and(|check| crate::level(check.meta, self.cx.config) != Level::Off);
        let unborn = self.repository.as_ref().is_some_and(|repository| repository.unborn);
        // Before the first commit there is nothing that a worktree could be made from.
        let instead = if unborn {
            "work on a branch (git switch -c feature/name)"
        } else {
            "work in a worktree (git worktree add .worktrees/feature-name -b feature-name)"
        };
        (self.is_on_main() && guarded).then(|| {
            let branch = self.branch().unwrap_or("main");
            format!("WARNING: {branch} is checked out. Source code is not written here: {instead}.")
        })
    }

    /// `None` where there is no plan and none is asked for.
    pub(crate) fn plan(&self) -> Option<String> {
        let Some(plan) = &self.plan else {
            return self.wants_plan().then(|| "Plan: not found (required before implementation)".to_owned());
        };
        let mut line = format!("Plan: {}/{} phases", plan.count(Status::Completed), plan.phases.len());
        if let Some(active) = plan.active() {
            let _ = write!(line, " | active: {}", title(&active.title));
        }
        let written = self.plan_file.as_deref().and_then(|file| self.cx.facts.modified(file));
        if let Some(written) = written {
            let _ = write!(line, " | age: {}d", self.cx.facts.now().saturating_sub(written) / 86_400);
        }
        Some(line)
    }

    /// How far the code has moved from the plan, where that is worth saying. Asks git when a commit is new.
    pub(crate) fn plan_age(&self) -> Option<String> {
        Self::plan_age_of(self.cx.facts.churn(self.plan_file.as_deref()?).ok()??)
    }

    /// How far that is, as far as it has been counted already.
    pub(crate) fn known_churn(&self) -> Option<Churn> {
        self.cx.facts.known_churn(self.plan_file.as_deref()?)
    }

    pub(crate) fn plan_age_of(churn: Churn) -> Option<String> {
        (churn.percent() >= STALE).then(|| {
            format!(
                "WARNING: {} % of the source files have changed since the plan was updated ({} of {}): bring MASTER_PLAN.md up to date.",
                churn.percent(),
                churn.changed,
                churn.total
            )
        })
    }

    pub(crate) fn test_status(&self) -> Option<TestStatus> {
        super::test_status(self.cx, self.repository.as_ref())
    }

    pub(crate) fn tests(&self) -> Option<String> {
        let status = self.test_status()?;
        let age = span(status.age(self.cx.facts.now()));
        Some(match status.result {
            TestResult::Pass => format!("Tests: passing ({age} ago)"),
            TestResult::Fail => {
                format!("Tests: FAILING ({}, {age} ago)", counted(status.failures, "failure", "failures"))
            }
            TestResult::None => format!("Tests: no result ({age} ago)"),
        })
    }

    pub(crate) fn proof(&self) -> Option<Proof> {
        super::proof(self.cx, self.repository.as_ref())
    }

    /// Titles of the research log, newest last.
    pub(crate) fn research(&self) -> Option<String> {
        let file = self.cx.facts.project().join(".claude/research-log.md");
        let text = self.cx.facts.read(&file).ok().flatten()?;
        let titles: Vec<&str> =
            text.lines().filter_map(|line| line.trim_end().strip_prefix("### ")).collect();
        if titles.is_empty() {
            return None;
        }
        let last: Vec<String> =
            titles[titles.len().saturating_sub(3)..].iter().map(|text| title(text)).collect();
        let last = last.join("; ");
        Some(format!(
            "Research: {} in .claude/research-log.md, last: {last}",
            counted(titles.len() as u64, "entry", "entries")
        ))
    }

    /// Files that this session has changed, each once, in order.
    pub(crate) fn changes(&self, event: &Event) -> Vec<PathBuf> {
        let journal =
            own_record(self.cx, &format!(".session-changes-{}", event.session.as_str())).unwrap_or_default();
        let mut seen: Vec<PathBuf> = Vec::new();
        for line in journal.lines().filter(|line| !line.is_empty()) {
            let path = PathBuf::from(line);
            if !seen.contains(&path) {
                seen.push(path);
            }
        }
        seen
    }
}

/// A title of the project's own, short enough to be nothing else: what a hook says, an agent takes for our word.
fn title(text: &str) -> String {
    const LONGEST: usize = 80;
    text.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

/// The journal's text, told apart: source and the rest.
pub(crate) fn sources(changes: &[PathBuf]) -> Vec<&PathBuf> {
    changes.iter().filter(|path| source::is_source(path)).collect()
}

/// What checks of subagents have left: its text as it stands there, and as lines.
pub(crate) fn findings(cx: &Context<'_>) -> Option<(String, Vec<String>)> {
    let text = own_record(cx, AgentFindings::FILE)?;
    let lines = AgentFindings::show(&text);
    (!lines.is_empty()).then_some((text, lines))
}
