//! `plimsoll check`: the linters over many files, for people and for CI.

mod files;
mod github;
mod junit;
mod progress;
mod report;
mod sarif;
mod walk;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use linters::{Before, Engines, Failed, Language, Outcome, Past, Places, Plan, Request, Run, Task};
use model::config::Pace;
use model::{Config, Violation};
use state::config::{self, Trust};
use state::{Machine, Project, atomic, beneath};

use self::progress::Progress;
use self::report::{Format, Report};
use crate::ui::Printer;
use crate::{exit, lint};

/// Lint files as a hook would after an edit: the whole tree, what changed, or what you name.
///
/// Without paths, everything in the project that git does not ignore. The embedded engines look at the types that they know, and
/// tools that are installed at the rest. Exit code 0: nothing found; 1: something found, or something could not be looked at.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and folders; the project where none is given
    paths: Vec<PathBuf>,
    /// Only files that differ from the last commit
    #[arg(long, conflicts_with = "staged")]
    changed: bool,
    /// Only files that the next commit would contain
    #[arg(long)]
    staged: bool,
    /// Format, and apply the fixes that are safe
    #[arg(long)]
    fix: bool,
    /// Of Markdown only what is kept tidy: the root, `docs` and `.claude`
    #[arg(long)]
    ci: bool,
    /// Run every tool that is there, also those that an engine stands for, and the slow ones
    #[arg(long)]
    thorough: bool,
    /// Run the project's own tools though nobody has trusted it, in this run only: for CI
    #[arg(long)]
    trust_project: bool,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Write it into this file, and what people read to the screen; with `json`, `sarif` or `junit`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// No tool may take longer on one batch of files.
const LIMIT: Duration = Duration::from_mins(10);
/// Enough for the deepest recursion of a parser.
const STACK: usize = 32 * 1024 * 1024;

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    if args.output.is_some() && !args.format.is_a_file() {
        bail!("--output goes with --format json, sarif or junit");
    }
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    let mut settings = loaded.config;
    settings.pace = if args.thorough { Pace::Thorough } else { Pace::Fast };
    settings.auto_format = args.fix;
    let files = files::collect(machine, &project.root, args, &settings)?;
    let engines = lint::engines(&project.root, Some(machine), lint::previews(&settings));
    let check = Check {
        machine,
        project: &project.root,
        config: &settings,
        trust: if args.trust_project { Trust::Everything } else { Trust::Recorded },
        engines: &engines,
        deadline: now() + LIMIT,
        plans: Mutex::default(),
    };
    let progress = Progress::new(files.len());
    let mut report = check.all(&files, args.fix, &progress);
    progress.end();
    report.finish();
    match &args.output {
        Some(path) => {
            let text = report::text(args.format, &report, &project.root, files.len());
            atomic::write(path, text.as_bytes())
                .with_context(|| format!("{} could not be written", path.display()))?;
            report::print(printer, Format::Human, &report, &project.root, files.len());
        }
        None => report::print(printer, args.format, &report, &project.root, files.len()),
    }
    Ok(if report.is_clean() { exit::OK } else { exit::FAILED })
}

struct Check<'a> {
    machine: &'a Machine,
    project: &'a Path,
    config: &'a Config,
    trust: Trust,
    engines: &'a dyn Engines,
    deadline: Instant,
    /// Which tools there are for a folder and a kind of file does not depend on the file.
    plans: Mutex<HashMap<(PathBuf, String), Arc<Plan>>>,
}

/// Files that wait for a tool, by its name and the folder that it runs in.
type Waiting = BTreeMap<(&'static str, PathBuf), (Task, Arc<Plan>, Vec<PathBuf>)>;

impl Check<'_> {
    /// Engines side by side over the files; then each tool once for all the files that it is for.
    fn all(&self, files: &[PathBuf], fix: bool, progress: &Progress) -> Report {
        let next = AtomicUsize::new(0);
        let threads =
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(files.len().max(1));
        let work = || {
            let (mut report, mut waiting) = (Report::default(), Waiting::new());
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.one(file, fix, &mut report, &mut waiting);
                progress.step();
            }
            (report, waiting)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads)
                .filter_map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok())
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let (mut report, mut waiting) = (Report::default(), Waiting::new());
        for (one, its) in results {
            report.merge(one);
            for (key, (task, plan, files)) in its {
                waiting.entry(key).or_insert_with(|| (task, plan, Vec::new())).2.extend(files);
            }
        }
        for (task, plan, files) in waiting.into_values() {
            progress.say(task.linter.name);
            self.batch(&task, &plan, &files, &mut report);
        }
        report
    }

    fn plan(&self, file: &Path, language: Language) -> Arc<Plan> {
        let folder = file.parent().unwrap_or(file).to_path_buf();
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let kind = name.rsplit_once('.').map_or(name, |(_, extension)| extension).to_owned();
        let key = (folder, kind);
        if let Some(plan) = self.plans.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(plan);
        }
        let runtime = self.config.js_runtime;
        let places = Places { machine: self.machine, project: self.project, runtime, trust: self.trust };
        let mut plan = Plan::of(&Request {
            file,
            language,
            config: self.config,
            places,
            engines: self.engines,
            called_in: None,
        });
        // Nobody waits for one edit here, and what a slow engine has learnt from one file it knows for the next.
        plan.engine.append(&mut plan.late_engine);
        plan.ask_late_tools();
        let plan = Arc::new(plan);
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&plan));
        plan
    }

    fn run<'r>(&'r self, file: &'r Path, language: Language) -> Run<'r> {
        Run {
            machine: self.machine,
            file,
            language,
            project: self.project,
            defer: &[],
            engines: self.engines,
            deadline: self.deadline,
            remembers: true,
            past: Some(&Asked),
        }
    }

    fn one(&self, file: &Path, fix: bool, report: &mut Report, waiting: &mut Waiting) {
        let Some(language) = Language::of(file) else { return };
        let text = match state::files::read(file) {
            Ok(Some(text)) => text,
            // Gone since it was listed.
            Ok(None) => return,
            Err(error) => return report.failed(file, "plimsoll", error.to_string()),
        };
        let plan = self.plan(file, language);
        let mut wait = |task: &Task| {
            let key = (task.linter.name, task.cwd.clone());
            let entry = waiting.entry(key).or_insert_with(|| (task.clone(), Arc::clone(&plan), Vec::new()));
            entry.2.push(file.to_path_buf());
        };
        if self.config.pace == Pace::Thorough {
            plan.whole.iter().for_each(&mut wait);
        } else if !plan.whole.is_empty() {
            let names: Vec<&str> = plan.whole.iter().map(|task| task.linter.name).collect();
            report.left_out(language.key(), &names);
        }
        if fix && !plan.format.is_empty() {
            let done = self.run(file, language).all(&plan);
            report.fixed += usize::from(done.rewritten);
            report.found.extend(done.violations);
            done.failed.into_iter().for_each(|failed| report.failed(file, failed.linter, failed.why));
            return;
        }
        let mut text = text;
        if fix
            && plan.engine_formats
            && let Some(new) =
                self.run(file, language).format_by_engine(&plan, &text).filter(|new| *new != text)
        {
            match beneath::rewrite(self.project, file, new.as_bytes()) {
                Ok(()) => {
                    report.fixed += 1;
                    text = new;
                }
                Err(error) => report.failed(file, "plimsoll", format!("it could not be written: {error}")),
            }
        }
        for names in plan.engines(self.engines) {
            match self.engines.lint(language, file, &text, &names) {
                Some(Outcome::Found(found)) => {
                    report.found.extend(found.into_iter().filter(|found| plan.counts(found)));
                }
                Some(Outcome::Unreadable(why)) => report.failed(file, names[0], why),
                Some(Outcome::Clean) | None => {}
            }
        }
        plan.lint.iter().for_each(wait);
        for waiting in &plan.waiting {
            report.waits(waiting.shown(self.project), waiting.why.as_str());
        }
        for (linter, why) in &plan.unfit {
            report.is_unfit(linter.name, why);
        }
        let chosen: Vec<&'static str> = plan
            .missing
            .iter()
            .filter(|linter| linter.lint.is_some() && plan.is_chosen(linter))
            .map(|linter| linter.name)
            .collect();
        report.lacks(&chosen);
        if plan.engine.is_empty() && plan.lint.is_empty() && plan.whole.is_empty() && plan.waiting.is_empty()
        {
            let names: Vec<&str> = plan.missing.iter().map(|linter| linter.name).collect();
            report.unlinted(language.key(), &names);
        }
    }

    fn batch(&self, task: &Task, plan: &Plan, files: &[PathBuf], report: &mut Report) {
        let Some(first) = files.first() else { return };
        let language = Language::of(first).unwrap_or(Language::TypeScript);
        match self.run(first, language).batch(plan, task, files) {
            Ok(found) => report.found.extend(wanted(found, files)),
            Err(Failed { linter, why, .. }) => report.failed(first, linter, why),
        }
    }
}

/// Whoever says `--fix` means whole files.
struct Asked;

impl Past for Asked {
    fn before(&self) -> &Before {
        &Before::Asked
    }
}

/// A tool that looks at a whole project speaks of files that nobody asked about.
fn wanted(found: Vec<Violation>, files: &[PathBuf]) -> impl Iterator<Item = Violation> {
    found.into_iter().filter(|violation| {
        files.iter().any(|file| violation.file.ends_with(file) || file.ends_with(&violation.file))
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "the deadline of children is on this clock, which only goes forward"
)]
fn now() -> Instant {
    Instant::now()
}
