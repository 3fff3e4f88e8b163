//! Runs a plan: formatters one after the other, linters side by side, and reads what they say.

mod command;
mod format;
mod lint;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use state::process::Finished;
use state::{Machine, beneath, files};

use crate::Language;
use crate::definition::Linting;
use crate::output::{self, Printed, Subject};
use crate::plan::{Plan, Task};
use crate::plausible::is_cut_off;
use crate::posing::is_posing;
use crate::touched::{Before, Past};
use crate::violation::{Engines, Outcome, Violation};
use lint::{Answer, engine_speaks_as};

/// More than any linter's report of one file.
const MOST: usize = 16 * 1024 * 1024;

/// In place of a linter's name, where it is we who could not do our work.
const OURS: &str = "plimsoll";

/// What a run needs besides its plan.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "engines are functions, not data")]
pub struct Run<'a> {
    pub machine: &'a Machine,
    pub file: &'a Path,
    pub language: Language,
    pub project: &'a Path,
    /// Rules that are left alone on an edit.
    pub defer: &'a [String],
    pub engines: &'a dyn Engines,
    /// Until when tools may run.
    pub deadline: Instant,
    /// What a tool said of the same text before counts.
    pub remembers: bool,
    /// The text before the edit. Without one, nothing is known of it.
    pub past: Option<&'a dyn Past>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Done {
    pub violations: Vec<Violation>,
    /// The file was written.
    pub rewritten: bool,
    /// Whose work that was.
    pub rewriters: Vec<String>,
    /// Tools that could not do their work, and why: said, never taken for clean.
    pub failed: Vec<Failed>,
    /// What was run, with its time, for the log.
    pub trace: Vec<String>,
    pub formatting: Duration,
    pub linting: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub linter: &'static str,
    pub version: String,
    pub why: String,
    /// It could not be started at all: nothing changes that by itself.
    pub unstartable: bool,
}

impl Failed {
    /// Of our own doing.
    fn ours(why: String) -> Self {
        Self { linter: OURS, version: String::new(), why, unstartable: false }
    }

    /// The line that is said, with what to do about it.
    pub fn line(&self) -> String {
        if self.linter == OURS {
            return format!("[hook:warning] {}", self.why);
        }
        let version = if self.version.is_empty() { String::new() } else { format!(" {}", self.version) };
        let next = if self.unstartable {
            "It is not asked again in this session; `plimsoll doctor` says what it needs."
        } else {
            "Run it on the file yourself to see what it says."
        };
        let why = self.why.trim_end_matches('.');
        format!("[hook:warning] could not read the output of {}{version}: {why}. {next}", self.linter)
    }
}

impl Run<'_> {
    /// Phases 1 and 2: formats the file, then collects what is wrong with it.
    pub fn all(&self, plan: &Plan) -> Done {
        let mut done = Done::default();
        let before = match files::read_bytes(self.file) {
            Ok(bytes) => bytes,
            Err(error) => {
                let why = format!("{} could not be read, so it was not linted: {error}", self.file.display());
                done.failed.push(Failed::ours(why));
                return done;
            }
        };
        let Ok(text) = String::from_utf8(before) else {
            let why = format!(
                "{} is not UTF-8, so it was not linted. If it should be, save it as UTF-8.",
                self.file.display()
            );
            done.failed.push(Failed::ours(why));
            return done;
        };
        let text = self.work(plan, text, &mut done);
        if !plan.format.is_empty() || !plan.lint.is_empty() {
            self.keep_whole(&text, &mut done);
        }
        done
    }

    /// The text that the file has when it is done.
    fn work(&self, plan: &Plan, text: String, done: &mut Done) -> String {
        let begin = now();
        if let Some(answers) = self.glance(plan, &text, done) {
            done.linting = begin.elapsed();
            self.settle(answers, plan, &text, done);
            return text;
        }
        // Where formatting takes about as long as linting, both begin at once: most files are formatted already, and then
        // the linters have looked at the right text. The linters begin first, because they take longer.
        let formats = plan.engine_formats || !plan.format.is_empty();
        let speculate = self.language != Language::Python && formats && !plan.lint.is_empty();
        let early = speculate.then(|| (now(), self.begin(plan, &text)));
        let begin = now();
        let formatted = self.format(plan, &text, done).filter(|new| new.text != text);
        done.formatting = begin.elapsed();
        let mut text = text;
        let (begin, answers) = match (formatted, early) {
            (Some(new), early) => {
                // Ends those that look at what is no more.
                drop(early);
                if let Some(written) = self.replace(&text, &new, done) {
                    text = written;
                }
                (now(), self.lint(plan, &text))
            }
            (None, Some((begin, begun))) => (begin, self.finish(plan, &text, begun)),
            (None, None) => (now(), self.lint(plan, &text)),
        };
        done.linting = begin.elapsed();
        self.settle(answers, plan, &text, done);
        text
    }

    /// A tool that was to look at the file, or to format what it was given, and has emptied, cut or removed it: it is put back.
    fn keep_whole(&self, text: &str, done: &mut Done) {
        let now = files::read_bytes(self.file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if text.trim().is_empty() || now.as_deref().is_some_and(|now| now == text || !is_cut_off(text, now)) {
            return;
        }
        let why = match beneath::rewrite(self.project, self.file, text.as_bytes()) {
            Ok(()) => {
                "a tool emptied, cut or removed the file, which was put back as it was before. `plimsoll doctor` lists the tools."
                    .to_owned()
            }
            Err(error) => format!("a tool destroyed the file, which could not be put back: {error}"),
        };
        done.failed.push(Failed::ours(why));
    }

    /// Phase 2 alone.
    pub fn collect(&self, plan: &Plan, text: &str) -> Done {
        let mut done = Done::default();
        self.settle(self.lint(plan, text), plan, text, &mut done);
        done
    }

    /// What counts of the answers.
    fn settle(&self, answers: Vec<Answer>, plan: &Plan, text: &str, done: &mut Done) {
        done.take(answers, plan);
        if !done.violations.is_empty() {
            let parses = !done.violations.iter().any(crate::violation::is_syntax);
            if !parses {
                // What no parser takes they could not read either, and one has said so.
                done.failed.retain(|failed| failed.unstartable || failed.linter == OURS);
            }
            if is_posing(self.language, self.file, text, parses) && !self.was_right() {
                done.violations.clear();
            }
        }
    }

    /// Whether the text before the edit could be read: then it is what its name says.
    fn was_right(&self) -> bool {
        matches!(self.past.map(Past::before), Some(Before::Text(before)) if self.parses(before))
    }

    /// What linters of whole projects say, about whichever file, and what they could not say.
    pub fn everywhere(&self, plan: &Plan) -> (Vec<Violation>, Vec<String>) {
        let (mut found, mut said) = (Vec::new(), Vec::new());
        for answer in self.lint(plan, "") {
            found.extend(answer.elsewhere);
            match answer.outcome {
                Outcome::Clean => {}
                Outcome::Found(list) => found.extend(list),
                Outcome::Unreadable(why) => {
                    let unstartable = answer.unstartable;
                    said.push(
                        Failed { linter: answer.linter, version: answer.version, why, unstartable }.line(),
                    );
                }
            }
        }
        found.retain(|violation| plan.counts(violation));
        (found, said)
    }

    /// One tool over many files, a hundred at a time: what it says about any of them.
    pub fn batch(&self, plan: &Plan, task: &Task, files: &[PathBuf]) -> Result<Vec<Violation>, Failed> {
        let Some(job) = &task.linter.lint else { return Ok(Vec::new()) };
        if job.fixes && plan.flags.has("fixes_itself") && !plan.flags.has("format") {
            return self.one_by_one(plan, task, job, files);
        }
        // A tool whose command line has the file inside of a word takes one at a time; one that looks at a whole project has
        // seen them all.
        let many = match task.linter.whole {
            true => files.len().max(1),
            false if job.args.contains(&"{file}") => 100,
            false => 1,
        };
        let mut violations = Vec::new();
        for chunk in files.chunks(many) {
            let names = chunk.iter().map(|file| file.to_string_lossy().into_owned());
            let args: Vec<String> = job
                .args
                .iter()
                .flat_map(|arg| {
                    if *arg == "{file}" {
                        names.clone().collect()
                    } else {
                        self.argument(arg, task, plan).into_iter().collect::<Vec<_>>()
                    }
                })
                .collect();
            let finished = self.program(task, args, b"").run().map_err(|error| self.failed(task, &error))?;
            let (stdout, stderr) =
                (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
            let printed =
                Printed { stdout: &stdout, stderr: &stderr, code: finished.code, cut: finished.cut };
            let subject = Subject { file: &chunk[0], cwd: &task.cwd, text: "" };
            let found =
                output::read(task.linter, job, &subject, &printed).map_err(|why| self.failed(task, &why))?;
            violations.extend(found.here);
            violations.extend(found.elsewhere);
        }
        violations.retain(|violation| plan.counts(violation));
        Ok(violations)
    }

    /// The same for a tool that would write into files, and is given their texts.
    fn one_by_one(
        &self,
        plan: &Plan,
        task: &Task,
        job: &Linting,
        files: &[PathBuf],
    ) -> Result<Vec<Violation>, Failed> {
        let mut violations = Vec::new();
        for file in files {
            let Some(text) = files::read(file).ok().flatten() else { continue };
            let finished = self
                .start(task, job.stdin, text.as_bytes(), plan)
                .map_err(|error| self.failed(task, &error))?;
            let (stdout, stderr) =
                (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
            let printed =
                Printed { stdout: &stdout, stderr: &stderr, code: finished.code, cut: finished.cut };
            let found =
                output::read(task.linter, job, &Subject { file, cwd: &task.cwd, text: &text }, &printed)
                    .map_err(|why| self.failed(task, &why))?;
            let mine = |one: Violation| Violation { file: file.clone(), ..one };
            violations.extend(found.here.into_iter().chain(found.elsewhere).map(mine));
        }
        violations.retain(|violation| plan.counts(violation));
        Ok(violations)
    }

    /// Whether a text can be read by an engine's parser; where there is none, it can.
    pub fn parses(&self, text: &str) -> bool {
        let rules = |name: &&'static str| {
            crate::definition::find(name).is_none_or(|linter| !linter.syntax.is_empty())
        };
        let names = self.engines.stands_for(self.language, self.file);
        let Some(name) = names.iter().copied().find(rules) else { return true };
        match self.engines.lint(self.language, self.file, text, &[name]) {
            Some(Outcome::Found(found)) => !found.iter().any(crate::violation::is_syntax),
            _ => true,
        }
    }

    /// What the linters of `names` say of another text than the file's, and which of them could be asked.
    pub fn of_text(
        &self,
        plan: &Plan,
        names: &[&'static str],
        text: &str,
    ) -> (Vec<Violation>, Vec<&'static str>) {
        let (mut found, mut asked) = (Vec::new(), Vec::new());
        for name in names.iter().copied() {
            let engine =
                plan.engine.iter().chain(&plan.late_engine).any(|known| engine_speaks_as(known, name));
            let task = plan.lint.iter().find(|task| task.linter.speaks_as(name));
            if asked.contains(&name) || !(engine || task.is_some()) {
                continue;
            }
            let outcome = match task {
                Some(task) => {
                    if let Some(Outcome::Found(more)) = self.engines.left_out(self.file, text, name) {
                        found.extend(more);
                    }
                    self.of_stdin(plan, task, text)
                }
                None => {
                    let engines: Vec<&'static str> = plan
                        .engine
                        .iter()
                        .chain(&plan.late_engine)
                        .copied()
                        .filter(|known| engine_speaks_as(known, name))
                        .collect();
                    match self.engines.lint(self.language, self.file, text, &engines) {
                        // Settings that cannot be read could not be read for the text after the edit either.
                        Some(Outcome::Unreadable(_)) => {
                            self.engines.lint_bare(self.language, self.file, text, &engines)
                        }
                        told => told,
                    }
                }
            };
            match outcome {
                Some(Outcome::Found(list)) => found.extend(list.into_iter().filter(|one| one.linter == name)),
                Some(Outcome::Clean) => {}
                Some(Outcome::Unreadable(_)) | None => continue,
            }
            asked.push(name);
        }
        (found, asked)
    }

    fn of_stdin(&self, plan: &Plan, task: &Task, text: &str) -> Option<Outcome> {
        let job = task.linter.lint.as_ref().filter(|job| !job.stdin.is_empty())?;
        let finished = self.start(task, job.stdin, text.as_bytes(), plan).ok()?;
        let (stdout, stderr) =
            (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
        let printed = Printed { stdout: &stdout, stderr: &stderr, code: finished.code, cut: finished.cut };
        let subject = Subject { file: self.file, cwd: &task.cwd, text };
        let found = output::read(task.linter, job, &subject, &printed).ok()?;
        Some(Outcome::of(self.about_this(task, found).here))
    }

    fn failed(&self, task: &Task, why: &dyn std::fmt::Display) -> Failed {
        let why = why.to_string();
        Failed { linter: task.linter.name, version: self.version(task), why, unstartable: false }
    }
}

impl Done {
    fn take(&mut self, results: Vec<Answer>, plan: &Plan) {
        for result in results {
            self.trace.push(result.trace);
            if result.rewritten {
                self.rewritten = true;
                self.rewriters.push(result.linter.to_owned());
            }
            for other in result.elsewhere {
                self.trace.push(format!(
                    "{}: {}:{} {} {}",
                    other.linter,
                    other.file.display(),
                    other.line,
                    other.code,
                    other.message
                ));
            }
            match result.outcome {
                Outcome::Clean => {}
                Outcome::Found(list) => self.violations.extend(list),
                Outcome::Unreadable(why) => {
                    let unstartable = result.unstartable;
                    self.failed.push(Failed {
                        linter: result.linter,
                        version: result.version,
                        why,
                        unstartable,
                    });
                }
            }
        }
        self.violations.retain(|violation| plan.counts(violation));
        self.violations.sort();
        self.violations.dedup();
    }
}

fn trace(task: &Task, what: &str, begin: Instant, finished: &std::io::Result<Finished>) -> String {
    let how = match finished {
        Ok(finished) => finished.code.map_or_else(|| "signal".to_owned(), |code| format!("exit {code}")),
        Err(error) => error.to_string(),
    };
    format!("{} {what} {} µs {how}", task.linter.name, begin.elapsed().as_micros())
}

#[expect(clippy::disallowed_methods, reason = "the deadline is on this clock, which only goes forward")]
fn now() -> Instant {
    Instant::now()
}
