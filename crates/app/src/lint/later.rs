//! What an edit does not wait for: slow linters that run in the background and leave their findings for the next hook, and
//! everything that is still open when the agent stops.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use checks::violations;
use linters::{Language, Plan, Task};
use model::{Linted, Mail, Reader, SessionId, Violation};
use state::{Lock, Project, files, mail, sha256};

use super::open::{self, Mark};
use super::same::{once, same_fault};
use super::{Service, is_deferred, is_on};

/// Files that are looked at side by side when the agent stops.
const AT_ONCE: usize = 4;
/// Of one file there may be several edits in a row.
const PATIENCE: Duration = Duration::from_mins(5);

impl Service<'_> {
    /// Remembers what is open about an edited file, and says whether somebody is to look at it later.
    pub(super) fn mark(
        &self,
        session: &SessionId,
        file: &Path,
        plan: &Plan,
        deferred: bool,
        told: &[Violation],
    ) -> Result<bool, open::Unnoted> {
        let late = !plan.late.is_empty() || !plan.late_engine.is_empty();
        let (whole, told) = (!plan.whole.is_empty(), told.to_vec());
        let mark = Mark { file: file.to_owned(), late, whole, deferred, told, ..Mark::default() };
        open::note(self.project, session, &mark)?;
        Ok(late)
    }

    /// The task: lets the slow linters look, and leaves what they find for the next hook and for the stop. `None` where the present text
    /// has been looked at, or is not the one any more that was.
    pub(crate) fn look_later(
        &self,
        session: &SessionId,
        file: &Path,
    ) -> anyhow::Result<Option<Vec<Violation>>> {
        let lock = open::place(self.project, session, file).with_extension("lock");
        let _lock = Lock::take(&lock, PATIENCE)?;
        let Some(mut mark) = open::of(self.project, session, file).filter(|mark| mark.late) else {
            return Ok(None);
        };
        let text = files::read(file).ok().flatten().unwrap_or_default();
        let hash = Some(sha256(text.as_bytes()));
        if mark.looked_at == hash {
            return Ok(None);
        }
        let (found, said) = self.look(session, file, &text, Which::Late);
        // Edited meanwhile: whoever was started for that edit looks at the new text.
        if files::read(file).ok().flatten().unwrap_or_default() != text {
            return Ok(None);
        }
        let key = format!("lint/{}", file.display());
        let waiting: Vec<Mail> =
            mail::waiting(self.project, session).into_iter().filter(|mail| mail.key == key).collect();
        mail::remove(self.project, session, &waiting)?;
        let known = |found: &Violation| mark.told.iter().any(|told| same_fault(told, found));
        let news: Vec<Violation> = found.iter().filter(|found| !known(found)).cloned().collect();
        if !news.is_empty() || !said.is_empty() {
            let text = self.letter(file, &news, &said);
            let mail = Mail { key, text, to: Reader::Model };
            mail::post(self.machine, self.project, session, &mail)?;
        }
        mark.looked_at = hash;
        mark.late = !found.is_empty();
        mark.found.clone_from(&found);
        open::keep(self.project, session, &mark)?;
        Ok(Some(found))
    }

    fn letter(&self, file: &Path, found: &[Violation], said: &[String]) -> String {
        let name = file.strip_prefix(&self.project.root).unwrap_or(file).display();
        if found.is_empty() {
            return said.join("\n");
        }
        let list = violations::list(found, &self.project.root, violations::MOST);
        let mut text = format!("{} found by slower linters in {name}:\n{list}", violations::count(found));
        for line in said {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(violations::FIX);
        text
    }

    /// Everything that is open in this session, looked at now where nobody has looked at the present text.
    pub(super) fn settle(&self, session: &SessionId) -> Linted {
        let marks = open::all(self.project, session);
        let looked = marks.iter().map(|mark| mark.file.clone()).collect();
        let mut linted = Linted { looked, ..Linted::default() };
        for some in marks.chunks(AT_ONCE) {
            let results: Vec<(Vec<Violation>, Vec<String>)> = std::thread::scope(|scope| {
                let threads: Vec<_> =
                    some.iter().map(|mark| scope.spawn(|| self.settle_one(session, mark))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
            });
            for (found, said) in results {
                linted.violations.extend(found);
                linted.said.extend(said);
            }
        }
        self.settle_projects(session, &marks, &mut linted);
        linted.violations.extend(self.settle_clones(session));
        linted.violations.sort();
        linted.violations.dedup();
        linted.violations = once(linted.violations);
        linted
    }

    fn settle_one(&self, session: &SessionId, mark: &Mark) -> (Vec<Violation>, Vec<String>) {
        let Ok(Some(text)) = files::read(&mark.file) else {
            // Deleted or moved since.
            let _ = open::keep(self.project, session, &Mark { file: mark.file.clone(), ..Mark::default() });
            return (Vec::new(), Vec::new());
        };
        let hash = Some(sha256(text.as_bytes()));
        let mut mark = mark.clone();
        let mut said = Vec::new();
        if mark.late && mark.looked_at != hash {
            let which = if mark.unseen { Which::Whole } else { Which::Late };
            (mark.found, said) = self.look(session, &mark.file, &text, which);
            // What could not be looked at stays open.
            if said.is_empty() {
                mark.looked_at = hash;
                mark.late = !mark.found.is_empty();
            }
        }
        let mut found = mark.found.clone();
        if mark.deferred {
            let (deferred, more) = self.look(session, &mark.file, &text, Which::Deferred);
            mark.deferred = !deferred.is_empty() || !more.is_empty();
            found.extend(deferred);
            said.extend(more);
        }
        if let Err(error) = open::keep(self.project, session, &mark) {
            said.push(format!(
                "[hook:warning] what is open about {} could not be noted: {error}",
                mark.file.display()
            ));
        }
        (found, said)
    }

    /// Linters of whole projects run once for all files of the session.
    fn settle_projects(&self, session: &SessionId, marks: &[Mark], linted: &mut Linted) {
        let edited: Vec<&Path> =
            marks.iter().filter(|mark| mark.whole).map(|mark| mark.file.as_path()).collect();
        let mut done: Vec<(&str, std::path::PathBuf)> = Vec::new();
        for file in &edited {
            let Some(language) = Language::of(file).filter(|language| is_on(*language, &self.loaded.config))
            else {
                continue;
            };
            let engines =
                super::engines(&self.project.root, Some(self.machine), super::previews(&self.loaded.config));
            let plan = Plan::of(&self.request(file, language, &self.loaded.config, &engines));
            let tasks: Vec<Task> = plan
                .whole
                .iter()
                .filter(|task| !done.contains(&(task.linter.name, task.cwd.clone())))
                .cloned()
                .collect();
            done.extend(tasks.iter().map(|task| (task.linter.name, task.cwd.clone())));
            if tasks.is_empty() {
                continue;
            }
            let mut plan = plan;
            plan.lint = tasks;
            plan.engine.clear();
            let (all, said) = self.run(file, language, &self.loaded.config, &engines, None).everywhere(&plan);
            for file in &edited {
                let (here, past) =
                    (all.iter().filter(|found| found.file == **file), self.found_by(session, file));
                linted.violations.extend(self.on_own_lines(file, &past, here));
            }
            linted.said.extend(said);
        }
        // What they have looked at is settled until it is edited again; a linter that failed has been named.
        for file in edited {
            let open = linted.violations.iter().any(|found| found.file == file);
            if let Some(mark) = open::of(self.project, session, file).filter(|_| !open)
                && let Err(error) = open::keep(self.project, session, &Mark { whole: false, ..mark })
            {
                linted.said.push(format!(
                    "[hook:warning] what is open about {} could not be noted: {error}",
                    file.display()
                ));
            }
        }
    }

    /// Lints, and only that.
    fn look(
        &self,
        session: &SessionId,
        file: &Path,
        text: &str,
        which: Which,
    ) -> (Vec<Violation>, Vec<String>) {
        let config = &self.loaded.config;
        let Some(language) = Language::of(file).filter(|language| is_on(*language, config)) else {
            return Default::default();
        };
        let engines = super::engines(&self.project.root, Some(self.machine), super::previews(config));
        let mut plan = Plan::of(&self.request(file, language, config, &engines));
        if which == Which::Late {
            (plan.lint, plan.engine) = (plan.late, plan.late_engine);
            (plan.late, plan.late_engine) = (Vec::new(), Vec::new());
        }
        if which == Which::Whole {
            plan.lint.append(&mut plan.late);
            plan.engine.append(&mut plan.late_engine);
        }
        plan.flags = plan.flags.without("format");
        super::dead::leave_out(self.project, session, &mut plan);
        let past = self.found_by(session, file);
        let run = self.run(file, language, config, &engines, Some(&past));
        let done = run.collect(&plan, text);
        super::dead::note(self.project, session, &plan, &done.failed);
        let said = done.failed.iter().map(linters::Failed::line).collect();
        let wanted = |found: &Violation| (which == Which::Deferred) == is_deferred(found, config);
        let found = done.violations.into_iter().filter(wanted).collect();
        (once(self.own(&run, &plan, &past, found)), said)
    }
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// By the slow linters.
    Late,
    /// By all that look at single files.
    Whole,
    /// For rules that waited.
    Deferred,
}

/// `plimsoll task lint-late <file>`.
pub(crate) fn task(work: &crate::tasks::Work<'_>, args: &[String]) -> anyhow::Result<()> {
    let [file] = args else { bail!("lint-late takes one file") };
    let project: &Project = &work.project;
    let loaded = state::config::load(work.machine, project, checks::role, state::config::Trust::Recorded);
    let deadline = u64::try_from(PATIENCE.as_micros()).unwrap_or(u64::MAX);
    let service = Service {
        machine: work.machine,
        project,
        loaded: &loaded,
        cwd: &project.root,
        deadline,
        as_script: false,
    };
    let Some(found) = service.look_later(&work.session, Path::new(file))? else { return Ok(()) };
    if !found.is_empty() {
        // In the log now, and not only when the agent stops.
        let lint = Linted { looked: vec![file.into()], violations: found, ..Linted::default() };
        let seen = crate::tasks::Seen { lint: Some(&lint), ..Default::default() };
        crate::tasks::record(work, "lint-late", &seen, Vec::new());
    }
    Ok(())
}
