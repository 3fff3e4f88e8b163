//! What checks about the work in progress have in common: the file of an edit as code, and the records in `.claude` as values.

pub(crate) mod picture;

use std::path::{Path, PathBuf};

use model::state_files::{PLAN, Proof, TestStatus};
use model::{Change, Event, LastRun, Repository, Tested, Tree, source};

use crate::Context;
use crate::file::Target;

/// A file of source code that an event writes.
pub(crate) struct Code<'a> {
    pub(crate) target: Target<'a>,
    /// Relative to the project, or to the repository that it lies in; else as it is.
    pub(crate) path: PathBuf,
    pub(crate) repository: Option<Repository>,
}

impl<'a> Code<'a> {
    /// `None` for what none of them is about: other files, generated ones, the agent's folder, a file that only goes away.
    pub(crate) fn of(event: &'a Event, cx: &Context<'_>) -> Option<Self> {
        let path = &event.edit()?.path;
        // By name first: most edits end here, and nothing was looked up.
        if !source::is_source(path) || event.edit()?.change == Change::Removed {
            return None;
        }
        let target = Target::of(event, cx)?;
        let repository = target.written.parent().and_then(|dir| cx.facts.repository(dir));
        let roots = [Some(cx.facts.project()), repository.as_ref().map(|found| found.root.as_path())];
        let inside = roots.into_iter().flatten().find_map(|root| target.written.strip_prefix(root).ok());
        let path = inside.unwrap_or(&target.written).to_owned();
        // The agent's folder of the user may be the project itself.
        let ours = path.iter().any(|part| part == ".claude")
            || target.inside(&cx.facts.absolute(Path::new("~/.claude")));
        (!ours && !source::is_skippable(&path)).then_some(Self { target, path, repository })
    }

    pub(crate) fn is_test(&self) -> bool {
        source::is_test(&self.path)
    }

    /// Whether it belongs to this project: below its root, or in another work tree of its repository.
    pub(crate) fn is_ours(&self, cx: &Context<'_>) -> bool {
        let project = cx.facts.project();
        self.target.inside(project)
            || self.repository.as_ref().is_some_and(|file| {
                cx.facts.repository(project).is_some_and(|ours| ours.main_root == file.main_root)
            })
    }

    /// For a message.
    pub(crate) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

/// The text that an edit brings in.
pub(crate) fn new_text(change: &Change) -> Option<String> {
    match change {
        Change::Write { content } => Some(content.clone()),
        Change::Replace(parts) => {
            Some(parts.iter().map(|part| part.new.as_str()).collect::<Vec<_>>().join("\n"))
        }
        Change::Cell { source } => Some(source.clone()),
        Change::Unknown | Change::Removed => None,
    }
}

/// Where evidence about work in `repository` lies: its own root, the first work tree, and the project when it is in there.
pub(crate) fn evidence_roots(repository: Option<&Repository>, project: &Path) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    if let Some(repository) = repository {
        roots.push(repository.root.clone());
        if project.starts_with(&repository.root) || project.starts_with(&repository.main_root) {
            roots.push(project.to_owned());
        }
        roots.push(repository.main_root.clone());
    } else {
        roots.push(project.to_owned());
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    roots.retain(|root| {
        !seen.contains(root) && {
            seen.push(root.clone());
            true
        }
    });
    roots
}

/// The folders whose code is that of a repository: its own, or the project in it.
pub(crate) fn code_roots(repository: &Repository, project: &Path) -> Vec<PathBuf> {
    let root = &repository.root;
    let inside = project.starts_with(root) && project != root;
    [root.clone()].into_iter().chain(inside.then(|| project.to_owned())).collect()
}

/// What is known about code that lies in several folders: what is enough for a commit, else whatever there is.
pub(crate) fn best(all: &[Tested]) -> Tested {
    let enough = all.iter().find(|tested| matches!(tested, Tested::Same | Tested::NoTests));
    enough.or_else(|| all.iter().find(|tested| **tested != Tested::Unrecorded)).cloned().unwrap_or_default()
}

/// What is known about the code that lies there.
pub(crate) fn tested(cx: &Context<'_>, repository: Option<&Repository>) -> Tested {
    let roots = match repository {
        Some(repository) => code_roots(repository, cx.facts.project()),
        None => vec![cx.facts.project().to_owned()],
    };
    best(&roots.iter().map(|root| cx.facts.tested(root, &Tree::Present)).collect::<Vec<_>>())
}

/// A record's text in the first of the roots that has it.
pub(crate) fn record(cx: &Context<'_>, roots: &[PathBuf], name: &str) -> Option<String> {
    roots.iter().find_map(|root| cx.facts.record(root, name).ok().flatten())
}

/// The same of the project itself.
pub(crate) fn own_record(cx: &Context<'_>, name: &str) -> Option<String> {
    cx.facts.record(cx.facts.project(), name).ok().flatten()
}

/// The last run that was seen in the work tree, else in the project.
pub(crate) fn last_run(cx: &Context<'_>, repository: Option<&Repository>) -> Option<LastRun> {
    evidence_roots(repository, cx.facts.project()).iter().find_map(|root| cx.facts.last_run(root))
}

/// Whether the last result says nothing to a session that begins. One that goes on has the evidence that it had; for a new one an old
/// result counts only where it is of this very code.
pub(crate) fn is_old_evidence(cause: &str, cx: &Context<'_>) -> bool {
    let root = cx.facts.project();
    let is_old = || {
        if cx.facts.believes_files() {
            return cause != "compact";
        }
        cause == "startup"
            && matches!(
                cx.facts.tested(root, &Tree::Present),
                Tested::Changed | Tested::Unrecorded | Tested::Forged
            )
    };
    cx.facts.last_run(root).is_some() && is_old()
}

pub(crate) fn test_status(cx: &Context<'_>, repository: Option<&Repository>) -> Option<TestStatus> {
    last_run(cx, repository).map(|run| run.status)
}

pub(crate) fn proof(cx: &Context<'_>, repository: Option<&Repository>) -> Option<Proof> {
    Proof::parse(&record(cx, &evidence_roots(repository, cx.facts.project()), Proof::FILE)?)
}

/// Where evidence about the work that the agent is at is written: the project, or another work tree of it that the agent is in.
pub(crate) fn evidence_home(event: &Event, cx: &Context<'_>) -> PathBuf {
    let project = cx.facts.project();
    let here = event.cwd.as_deref().and_then(|cwd| cx.facts.repository(cwd));
    let ours = cx.facts.repository(project);
    match here {
        // Another work tree, or a repository of its own in the project.
        Some(here)
            if ours.as_ref().is_some_and(|ours| {
                here.root != ours.root
                    && (here.main_root == ours.main_root || here.root.starts_with(&ours.root))
            }) =>
        {
            here.root
        }
        _ => project.to_owned(),
    }
}

/// Whether the user has a list of work.
pub(crate) fn has_todo(cx: &Context<'_>) -> bool {
    let script = || cx.facts.home().map(|home| home.join(".claude/scripts/todo.sh"));
    cx.config.todo_command.is_some() || script().is_some_and(|file| cx.facts.modified(&file).is_some())
}

/// The plan's place: in the work tree that is worked in, in the project, in the first work tree.
pub(crate) fn plan_file(cx: &Context<'_>, repository: Option<&Repository>) -> Option<PathBuf> {
    let roots = evidence_roots(repository, cx.facts.project());
    roots.into_iter().map(|root| root.join(PLAN)).find(|file| cx.facts.modified(file).is_some())
}

/// `1 file`, `2 files`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A time span in its largest unit.
pub(crate) fn span(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
