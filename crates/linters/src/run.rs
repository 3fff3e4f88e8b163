//! Runs a plan: formatters one after the other, linters side by side, and reads what they say.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use state::process::{Finished, Program, Running};
use state::{Machine, beneath, files};

use crate::Language;
use crate::cache::Slot;
use crate::definition::{Formatting, Linting};
use crate::output::{self, Found, Printed, Subject};
use crate::plan::{Plan, Task};
use crate::plausible::{is_cut_off, only_comments, plausible_fix, same_words};
use crate::posing::is_posing;
use crate::touched::{Before, Past, Touched};
use crate::version::version_within;
use crate::violation::{Engines, Outcome, Rewrite, Violation};

/// More than any linter's report of one file.
const MOST: usize = 16 * 1024 * 1024;

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
        Self { linter: "plimsoll", version: String::new(), why, unstartable: false }
    }

    /// The line that is said.
    pub fn line(&self) -> String {
        let version = if self.version.is_empty() { String::new() } else { format!(" {}", self.version) };
        format!("[hook:warning] could not read the output of {}{version}: {}", self.linter, self.why)
    }
}

impl Run<'_> {
    /// Phases 1 and 2: formats the file, then collects what is wrong with it.
    pub fn all(&self, plan: &Plan) -> Done {
        let mut done = Done::default();
        let before = match files::read_bytes(self.file) {
            Ok(bytes) => bytes,
            Err(error) => {
                let why = format!("{} could not be read: {error}", self.file.display());
                done.failed.push(Failed::ours(why));
                return done;
            }
        };
        let Ok(text) = String::from_utf8(before) else {
            let why = format!("{} is not UTF-8", self.file.display());
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
        let formatted = self.format(plan, &text, done).filter(|new| *new != text);
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
                "a tool emptied, cut or removed the file, which was put back as it was before".to_owned()
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
            let finished =
                self.program(task, args, b"").run().map_err(|error| self.failed(task, error.to_string()))?;
            let (stdout, stderr) =
                (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
            let printed =
                Printed { stdout: &stdout, stderr: &stderr, code: finished.code, cut: finished.cut };
            let subject = Subject { file: &chunk[0], cwd: &task.cwd, text: "" };
            let found =
                output::read(task.linter, job, &subject, &printed).map_err(|why| self.failed(task, why))?;
            violations.extend(found.here);
            violations.extend(found.elsewhere);
        }
        violations.retain(|violation| plan.counts(violation));
        Ok(violations)
    }

    /// Runs all formatters over `text`. `None` when none of them could.
    fn format(&self, plan: &Plan, text: &str, done: &mut Done) -> Option<String> {
        if plan.engine_formats {
            return self.format_by_engine(plan, text);
        }
        let mut current = text.to_owned();
        let mut any = false;
        for task in &plan.format {
            for job in task.linter.format {
                // What it fixes cannot be told from what it breaks, so that is for those who want every file fixed as a whole.
                let wanted = if job.fixes {
                    plan.formats_all || (self.asked() && plan.chose_fixes(task.linter))
                } else {
                    plan.chose_format(task.linter)
                };
                if !wanted {
                    continue;
                }
                let Some(new) = self.rewritten(task, job, &current, plan, done) else { continue };
                any = true;
                if new != current && self.takes(task, job, plan, &current, &new, done) {
                    current = new;
                }
            }
        }
        any.then_some(current)
    }

    /// What one step makes of a text, where it ended as it does when all is well.
    fn rewritten(
        &self,
        task: &Task,
        job: &Formatting,
        text: &str,
        plan: &Plan,
        done: &mut Done,
    ) -> Option<String> {
        let begin = now();
        let finished = self.start(task, job.args, text.as_bytes(), plan);
        done.trace.push(trace(task, "format", begin, &finished));
        match finished {
            Ok(finished) if finished.code.is_some_and(|code| job.ok.contains(&code)) && !finished.cut => {
                // Nothing at all for a file with something in it is not formatting.
                String::from_utf8(finished.stdout).ok().filter(|new| !new.is_empty() || text.is_empty())
            }
            Ok(finished) => {
                done.failed.extend(self.cannot_format(task, job, &finished));
                None
            }
            Err(error) => {
                let unstartable = error.kind() != std::io::ErrorKind::TimedOut;
                done.failed.push(Failed { unstartable, ..self.failed(task, error.to_string()) });
                None
            }
        }
    }

    /// Whether what a step has made of a text may become the file.
    fn takes(
        &self,
        task: &Task,
        job: &Formatting,
        plan: &Plan,
        old: &str,
        new: &str,
        done: &mut Done,
    ) -> bool {
        let plausible = if job.fixes || (job.fixes_whole && plan.formats_all) {
            // Whatever prints something of its own before the text does so again.
            plausible_fix(old, new) && self.rewritten(task, job, new, plan, done).as_deref() == Some(new)
        } else {
            same_words(old, new) && self.engines.same_tree(self.file, old, new) != Some(false)
        };
        if !plausible || (self.parses(old) && !self.parses(new)) {
            let why = format!(
                "what it printed is not {} in another form; the file is left as it was written",
                self.file.file_name().unwrap_or_default().to_string_lossy()
            );
            done.failed.push(self.failed(task, why));
            return false;
        }
        let mut formatted =
            |before: &str| self.rewritten(task, job, before, plan, done).as_deref() == Some(before);
        plan.formats_all || self.follows(old, &mut formatted)
    }

    /// Whether an edit's lines are to be formatted: the file was, before it, and there is more than comments to do.
    fn follows(&self, text: &str, is_formatted: &mut dyn FnMut(&str) -> bool) -> bool {
        match self.past.map(Past::before) {
            Some(Before::New | Before::Asked) => true,
            Some(Before::Text(before)) => {
                let touched = Touched::between(before, text);
                !only_comments(self.language, text, &touched) && is_formatted(before)
            }
            Some(Before::Unknown) | None => false,
        }
    }

    fn asked(&self) -> bool {
        self.past.is_some_and(|past| *past.before() == Before::Asked)
    }

    /// What the engine makes of a text, where that may become the file.
    pub fn format_by_engine(&self, plan: &Plan, text: &str) -> Option<String> {
        let names = self.engines.stands_for(self.language, self.file);
        let chosen =
            || names.iter().filter_map(|name| crate::definition::find(name)).any(|l| plan.chose_format(l));
        if plan.formats_all || (self.asked() && chosen()) {
            return self.engines.format(self.language, self.file, text, Rewrite::Fixes { keep: self.defer });
        }
        // Only these write what their originals do, byte by byte.
        let original = match self.language {
            Language::Python => "ruff",
            Language::Toml => "taplo",
            _ => return None,
        };
        let format = |text: &str| self.engines.format(self.language, self.file, text, Rewrite::Layout);
        let new = format(text).filter(|new| new != text && same_words(text, new))?;
        let chosen = crate::definition::find(original).is_some_and(|linter| plan.chose_format(linter));
        let mut formatted = |before: &str| format(before).is_none_or(|new| new == before);
        (chosen && self.follows(text, &mut formatted)).then_some(new)
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
                Some(task) => self.of_stdin(plan, task, text),
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

    /// Puts the new text in place, if the file is still what was formatted; what was written then.
    fn replace(&self, old: &str, new: &str, done: &mut Done) -> Option<String> {
        let now = files::read_bytes(self.file).unwrap_or_default();
        if now != old.as_bytes() {
            done.trace.push(format!("{} changed meanwhile; it is left as it is", self.file.display()));
            return None;
        }
        let new = keep_line_ends(old, new);
        match beneath::rewrite(self.project, self.file, new.as_bytes()) {
            Ok(()) => {
                done.rewritten = true;
                Some(new)
            }
            Err(error) => {
                let why = format!("{} could not be written: {error}", self.file.display());
                done.failed.push(Failed::ours(why));
                None
            }
        }
    }

    /// Where one look shows that its tool has nothing to format and nothing to report: that, and what the other linters say.
    fn glance(&self, plan: &Plan, text: &str, done: &mut Done) -> Option<Vec<Answer>> {
        let task = plan.glanced()?;
        let look = self.start_one(plan, task, task.linter.glance.as_ref(), text);
        let others = plan.lint.iter().filter(|other| other.linter.name != task.linter.name);
        let others =
            others.map(|other| self.start_one(plan, other, other.linter.lint.as_ref(), text)).collect();
        let answer = self.end(text, look);
        if answer.outcome == Outcome::Clean && answer.elsewhere.is_empty() {
            return Some(self.finish(plan, text, others).into_iter().chain([answer]).collect());
        }
        done.trace.push(answer.trace);
        None
    }

    fn lint(&self, plan: &Plan, text: &str) -> Vec<Answer> {
        let begun = self.begin(plan, text);
        self.finish(plan, text, begun)
    }

    /// Starts all linters. No threads: each costs as much as a tenth of a fast linter, and a program needs none to run.
    fn begin<'p>(&self, plan: &'p Plan, text: &str) -> Vec<Begun<'p>> {
        plan.lint.iter().map(|task| self.start_one(plan, task, task.linter.lint.as_ref(), text)).collect()
    }

    fn finish(&self, plan: &Plan, text: &str, begun: Vec<Begun<'_>>) -> Vec<Answer> {
        let engines = plan.engines(self.engines);
        let engines: Vec<Answer> =
            engines.into_iter().flat_map(|names| self.by_engine(&names, text)).collect();
        begun.into_iter().map(|begun| self.end(text, begun)).chain(engines).collect()
    }

    /// Waits for a linter. Output that nobody thought of ends this one only.
    fn end(&self, text: &str, begun: Begun<'_>) -> Answer {
        let task = begun.task;
        let ran = std::panic::catch_unwind(AssertUnwindSafe(|| self.finish_one(text, begun)));
        ran.unwrap_or_else(|_| Answer::broken(task, "reading its output failed".into()))
    }

    fn by_engine(&self, names: &[&'static str], text: &str) -> Vec<Answer> {
        let begin = now();
        let Some(outcome) = self.engines.lint(self.language, self.file, text, names) else {
            return Vec::new();
        };
        // Settings that cannot be read do not hide what is wrong whatever they say.
        let bare = matches!(outcome, Outcome::Unreadable(_))
            .then(|| self.engines.lint_bare(self.language, self.file, text, names))
            .flatten()
            .map(|outcome| faults_alone(outcome, begin));
        let trace = format!("engine for {} {} µs", names.join(", "), begin.elapsed().as_micros());
        let answer = Answer {
            linter: names.first().copied().unwrap_or_default(),
            outcome,
            version: "(built in)".into(),
            elsewhere: Vec::new(),
            trace,
            rewritten: false,
            unstartable: false,
        };
        [answer].into_iter().chain(bare).collect()
    }

    fn start_one<'p>(&self, plan: &Plan, task: &'p Task, job: Option<&'p Linting>, text: &str) -> Begun<'p> {
        let Some(job) = job else {
            let answer = Answer::broken(task, "it does not lint".into());
            return Begun { task, step: Step::Answered(answer) };
        };
        let words: Vec<String> = job.args.iter().filter_map(|arg| self.argument(arg, task, plan)).collect();
        let fixing = job.fixes && plan.flags.has("format");
        let slot = if fixing || !self.remembers {
            None
        } else {
            Slot::of(self.machine, task, &words, self.file, self.project, text)
        };
        if let Some(found) = slot.as_ref().and_then(Slot::read) {
            let answer = Answer {
                linter: task.linter.name,
                outcome: Outcome::of(found),
                version: String::new(),
                elsewhere: Vec::new(),
                trace: format!("{} lint, remembered", task.linter.name),
                rewritten: false,
                unstartable: false,
            };
            return Begun { task, step: Step::Answered(answer) };
        }
        let begin = now();
        let running = self.alone(task, words, b"").start();
        Begun { task, step: Step::Runs { job, fixing, slot, begin, running } }
    }

    fn finish_one(&self, text: &str, begun: Begun<'_>) -> Answer {
        let task = begun.task;
        let (job, fixing, slot, begin, running) = match begun.step {
            Step::Answered(answer) => return answer,
            Step::Runs { job, fixing, slot, begin, running } => (job, fixing, slot, begin, running),
        };
        let finished = running.and_then(Running::finish);
        let trace = trace(task, "lint", begin, &finished);
        let unstartable = match &finished {
            Ok(finished) => matches!(finished.code, Some(126 | 127)),
            Err(error) => error.kind() != std::io::ErrorKind::TimedOut,
        };
        let found = finished.map_err(|error| error.to_string()).and_then(|finished| {
            let (stdout, stderr) =
                (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
            let printed =
                Printed { stdout: &stdout, stderr: &stderr, code: finished.code, cut: finished.cut };
            output::read(task.linter, job, &Subject { file: self.file, cwd: &task.cwd, text }, &printed)
        });
        let (rewritten, found) = match fixing.then(|| self.fixed(text)) {
            None => (false, found),
            Some(Ok(changed)) => (changed, found),
            Some(Err(why)) => (false, Err(why)),
        };
        match found {
            Ok(found) => {
                let Found { here, elsewhere } = self.about_this(task, found);
                // The file may have been written again while the linter looked.
                if let Some(slot) = &slot
                    && files::read_bytes(self.file).is_ok_and(|now| now == text.as_bytes())
                {
                    slot.keep(&here);
                }
                Answer {
                    linter: task.linter.name,
                    outcome: Outcome::of(here),
                    version: String::new(),
                    elsewhere,
                    trace,
                    rewritten,
                    unstartable: false,
                }
            }
            Err(why) => {
                // What cannot be started does not know its version either.
                let version = if unstartable { String::new() } else { self.version(task) };
                Answer { version, trace, rewritten, unstartable, ..Answer::broken(task, why) }
            }
        }
    }

    /// Whether a tool that writes into the file itself has changed it. What it has broken is put back.
    fn fixed(&self, text: &str) -> Result<bool, String> {
        let now = files::read_bytes(self.file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        match now {
            Some(now) if now == text => Ok(false),
            Some(now) if same_words(text, &now) || plausible_fix(text, &now) => Ok(true),
            _ => match beneath::rewrite(self.project, self.file, text.as_bytes()) {
                Ok(()) => Err("it broke the file, which was put back as it was before".into()),
                Err(error) => Err(format!("it broke the file, which could not be put back: {error}")),
            },
        }
    }

    /// A formatter that could not do its work for another reason than the file: its configuration, or something that it needs. A
    /// file that cannot be parsed is the linter's to report, in words that name the place.
    fn cannot_format(&self, task: &Task, job: &Formatting, finished: &Finished) -> Option<Failed> {
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let code = finished.code?;
        if job.unparsed.is_empty()
            || job.ok.contains(&code)
            || job.unparsed.iter().any(|word| stderr.contains(word))
        {
            return None;
        }
        let printed = Printed { stdout: "", stderr: &stderr, code: finished.code, cut: finished.cut };
        let why = output::with_words(task.linter, format!("it could not format, exit code {code}"), &printed);
        Some(self.failed(task, why))
    }

    fn failed(&self, task: &Task, why: String) -> Failed {
        Failed { linter: task.linter.name, version: self.version(task), why, unstartable: false }
    }

    /// Of a tool that failed, for the line that says so. A tool that hangs may hang here too.
    fn version(&self, task: &Task) -> String {
        let left = self.deadline.saturating_duration_since(now());
        version_within(self.machine, task.linter, &task.place, left).unwrap_or_default()
    }

    /// A tool that was given one file, and names one that is nowhere, means that one by another name.
    fn about_this(&self, task: &Task, found: Found) -> Found {
        if task.linter.whole {
            return found;
        }
        let Found { mut here, elsewhere } = found;
        let (elsewhere, nowhere): (Vec<_>, Vec<_>) =
            elsewhere.into_iter().partition(|other| files::exists(&other.file));
        here.extend(nowhere.into_iter().map(|other| Violation { file: self.file.to_owned(), ..other }));
        Found { here, elsewhere }
    }

    fn start(&self, task: &Task, args: &[&str], stdin: &[u8], plan: &Plan) -> std::io::Result<Finished> {
        let args = args.iter().filter_map(|arg| self.argument(arg, task, plan)).collect();
        self.alone(task, args, stdin).run()
    }

    /// For one file.
    fn alone(&self, task: &Task, args: Vec<String>, stdin: &[u8]) -> Program {
        let program = self.program(task, args, stdin);
        task.linter.env_of_one.iter().fold(program, |program, (name, value)| program.env(name, value))
    }

    fn program(&self, task: &Task, args: Vec<String>, stdin: &[u8]) -> Program {
        let mut program = task
            .place
            .start(self.machine)
            .args(args)
            .cwd(&task.cwd)
            .stdin(stdin)
            .within(self.deadline.saturating_duration_since(now()))
            .keeping(MOST)
            // Nothing may be written into the project but the file itself.
            .env("RUFF_NO_CACHE", "true")
            .env("UV_NO_SYNC", "1")
            .env("UV_FROZEN", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        for (name, value) in task.linter.env {
            program = program.env(name, value);
        }
        program
    }

    /// One word of a definition's command line; `None` when it is not for this run.
    fn argument(&self, arg: &str, task: &Task, plan: &Plan) -> Option<String> {
        let arg = match arg.strip_prefix('?') {
            Some(rest) => {
                let (flag, word) = rest.split_once(' ')?;
                if !plan.flags.has(flag) {
                    return None;
                }
                word
            }
            None => arg,
        };
        let codes =
            || self.defer.iter().filter(|code| !code.contains('/')).cloned().collect::<Vec<_>>().join(",");
        let edition = || edition(&task.cwd).unwrap_or_else(|| "2021".to_owned());
        Some(match arg {
            "{defer}" => codes(),
            "{edition}" => edition(),
            _ => arg
                .replace("{file}", &self.file.to_string_lossy())
                .replace("{project}", &task.cwd.to_string_lossy()),
        })
    }
}

impl Done {
    fn take(&mut self, results: Vec<Answer>, plan: &Plan) {
        for result in results {
            self.trace.push(result.trace);
            self.rewritten |= result.rewritten;
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

/// A linter on its way.
struct Begun<'p> {
    task: &'p Task,
    step: Step<'p>,
}

enum Step<'p> {
    Answered(Answer),
    Runs {
        job: &'p Linting,
        fixing: bool,
        slot: Option<Slot>,
        begin: Instant,
        running: std::io::Result<Running>,
    },
}

/// What one linter made of the file.
#[derive(Debug)]
struct Answer {
    linter: &'static str,
    outcome: Outcome,
    version: String,
    elsewhere: Vec<Violation>,
    trace: String,
    rewritten: bool,
    unstartable: bool,
}

impl Answer {
    fn broken(task: &Task, why: String) -> Self {
        Self {
            linter: task.linter.name,
            outcome: Outcome::Unreadable(why),
            version: String::new(),
            elsewhere: Vec::new(),
            trace: String::new(),
            rewritten: false,
            unstartable: false,
        }
    }
}

fn trace(task: &Task, what: &str, begin: Instant, finished: &std::io::Result<Finished>) -> String {
    let how = match finished {
        Ok(finished) => finished.code.map_or_else(|| "signal".to_owned(), |code| format!("exit {code}")),
        Err(error) => error.to_string(),
    };
    format!("{} {what} {} µs {how}", task.linter.name, begin.elapsed().as_micros())
}

/// Of an engine that had no settings to go by.
fn faults_alone(outcome: Outcome, begin: Instant) -> Answer {
    let found = match outcome {
        Outcome::Found(found) => found,
        Outcome::Clean | Outcome::Unreadable(_) => Vec::new(),
    };
    let is_fault = |found: &Violation| {
        crate::definition::find_or_plugin(found.linter).is_some_and(|linter| linter.is_fault(&found.code))
    };
    Answer {
        linter: "plimsoll",
        outcome: Outcome::of(found.into_iter().filter(is_fault).collect()),
        version: String::new(),
        elsewhere: Vec::new(),
        trace: format!("engine without settings {} µs", begin.elapsed().as_micros()),
        rewritten: false,
        unstartable: false,
    }
}

/// An engine's findings may be told under another name than it is asked by.
fn engine_speaks_as(engine: &str, name: &str) -> bool {
    engine == name || (engine == "syntax" && name == "oxc")
}

/// The edition of the crate that the file belongs to; rustfmt alone does not look for it.
fn edition(dir: &Path) -> Option<String> {
    let text = files::read(&dir.join("Cargo.toml")).ok().flatten()?;
    let line = text.lines().find(|line| line.trim_start().starts_with("edition"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// A file with the line ends of Windows keeps them.
fn keep_line_ends(old: &str, new: &str) -> String {
    let windows = old.contains("\r\n") && !old.replace("\r\n", "").contains('\n');
    if windows && !new.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() }
}

#[expect(clippy::disallowed_methods, reason = "the deadline is on this clock, which only goes forward")]
fn now() -> Instant {
    Instant::now()
}
