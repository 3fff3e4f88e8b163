//! Linting: every linter at once, by engines and by programs, and what each answers.

use std::io;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use state::process::Running;
use state::{beneath, files};
use thiserror::Error;

use super::{Done, Run, now, trace};
use crate::cache::Slot;
use crate::definition::Linting;
use crate::output;
use crate::output::{Found, Printed, Subject, Unreadable};
use crate::plan::{Plan, Task};
use crate::plausible::{plausible_fix, same_words};
use crate::violation::{Outcome, Violation};

/// Why a linter has no answer.
#[derive(Debug, Error)]
pub(super) enum Unlooked {
    #[error(transparent)]
    Start(io::Error),
    #[error(transparent)]
    Output(#[from] Unreadable),
    /// It writes into the file itself.
    #[error("it broke the file, which was put back as it was before")]
    Broke,
    #[error("it broke the file, which could not be put back: {0}")]
    BrokeForGood(io::Error),
}

impl Run<'_> {
    /// Where one look shows that its tool has nothing to format and nothing to report: that, and what the other linters say.
    pub(super) fn glance(&self, plan: &Plan, text: &str, done: &mut Done) -> Option<Vec<Answer>> {
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

    pub(super) fn lint(&self, plan: &Plan, text: &str) -> Vec<Answer> {
        let begun = self.begin(plan, text);
        self.finish(plan, text, begun)
    }

    /// Starts all linters. No threads: each costs as much as a tenth of a fast linter, and a program needs none to run.
    pub(super) fn begin<'p>(&self, plan: &'p Plan, text: &str) -> Vec<Begun<'p>> {
        plan.lint.iter().map(|task| self.start_one(plan, task, task.linter.lint.as_ref(), text)).collect()
    }

    pub(super) fn finish(&self, plan: &Plan, text: &str, begun: Vec<Begun<'_>>) -> Vec<Answer> {
        let engines = plan.engines(self.engines);
        let engines: Vec<Answer> =
            engines.into_iter().flat_map(|names| self.by_engine(&names, text)).collect();
        let left_out = self.left_out(plan, text);
        begun.into_iter().map(|begun| self.end(text, begun)).chain(engines).chain(left_out).collect()
    }

    /// What a tool does not look for because the project has chosen other rules of it, and what is wrong all the same.
    fn left_out(&self, plan: &Plan, text: &str) -> Vec<Answer> {
        let begin = now();
        let of = |task: &Task| self.engines.left_out(self.file, text, task.linter.name);
        let found: Vec<Outcome> = plan.asked_for_faults().filter_map(of).collect();
        found.into_iter().map(|outcome| faults_alone(outcome, begin)).collect()
    }

    /// Waits for a linter. Output that nobody thought of ends this one only.
    pub(super) fn end(&self, text: &str, begun: Begun<'_>) -> Answer {
        let task = begun.task;
        let ran = std::panic::catch_unwind(AssertUnwindSafe(|| self.finish_one(text, begun)));
        ran.unwrap_or_else(|_| Answer::broken(task, "reading its output failed".into()))
    }

    pub(super) fn by_engine(&self, names: &[&'static str], text: &str) -> Vec<Answer> {
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

    pub(super) fn start_one<'p>(
        &self,
        plan: &Plan,
        task: &'p Task,
        job: Option<&'p Linting>,
        text: &str,
    ) -> Begun<'p> {
        let Some(job) = job else {
            let answer = Answer::broken(task, "it does not lint".into());
            return Begun { task, step: Step::Answered(answer) };
        };
        let fixing = job.fixes && plan.flags.has("format");
        // What its settings have it write it cannot write into a text that is no file.
        let piped = job.fixes && !fixing && plan.flags.has("fixes_itself");
        let (args, stdin) = if piped { (job.stdin, text) } else { (job.args, "") };
        let words: Vec<String> = args.iter().filter_map(|arg| self.argument(arg, task, plan)).collect();
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
        let running = self.alone(task, words, stdin.as_bytes()).start();
        Begun { task, step: Step::Runs { job, fixing, slot, begin, running } }
    }

    pub(super) fn finish_one(&self, text: &str, begun: Begun<'_>) -> Answer {
        let task = begun.task;
        let (job, fixing, slot, begin, running) = match begun.step {
            Step::Answered(answer) => return answer,
            Step::Runs { job, fixing, slot, begin, running } => (job, fixing, slot, begin, running),
        };
        let finished = running.and_then(Running::finish);
        let trace = trace(task, "lint", begin, &finished);
        let unstartable = match &finished {
            Ok(finished) => matches!(finished.code, Some(126 | 127)),
            Err(error) => error.kind() != io::ErrorKind::TimedOut,
        };
        let found = finished.map_err(Unlooked::Start).and_then(|finished| {
            let (stdout, stderr) =
                (String::from_utf8_lossy(&finished.stdout), String::from_utf8_lossy(&finished.stderr));
            let printed =
                Printed { stdout: &stdout, stderr: &stderr, code: finished.code, cut: finished.cut };
            let about = Subject { file: self.file, cwd: &task.cwd, text };
            Ok(output::read(task.linter, job, &about, &printed)?)
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
                Answer { version, trace, rewritten, unstartable, ..Answer::broken(task, why.to_string()) }
            }
        }
    }

    /// Whether a tool that writes into the file itself has changed it. What it has broken is put back.
    pub(super) fn fixed(&self, text: &str) -> Result<bool, Unlooked> {
        let now = files::read_bytes(self.file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        match now {
            Some(now) if now == text => Ok(false),
            Some(now) if same_words(text, &now) || plausible_fix(text, &now) => Ok(true),
            _ => match beneath::rewrite(self.project, self.file, text.as_bytes()) {
                Ok(()) => Err(Unlooked::Broke),
                Err(error) => Err(Unlooked::BrokeForGood(error)),
            },
        }
    }

    /// A tool that was given one file, and names one that is nowhere, means that one by another name; so does one that names what it was given
    /// on stdin by the system's name for that.
    pub(super) fn about_this(&self, task: &Task, found: Found) -> Found {
        if task.linter.whole {
            return found;
        }
        let Found { mut here, elsewhere } = found;
        let (elsewhere, nowhere): (Vec<_>, Vec<_>) =
            elsewhere.into_iter().partition(|other| files::is_file(&other.file));
        here.extend(nowhere.into_iter().map(|other| Violation { file: self.file.to_owned(), ..other }));
        Found { here, elsewhere }
    }
}

/// A linter on its way.
pub(super) struct Begun<'p> {
    pub(super) task: &'p Task,
    pub(super) step: Step<'p>,
}

pub(super) enum Step<'p> {
    Answered(Answer),
    Runs { job: &'p Linting, fixing: bool, slot: Option<Slot>, begin: Instant, running: io::Result<Running> },
}

/// What one linter made of the file.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) linter: &'static str,
    pub(super) outcome: Outcome,
    pub(super) version: String,
    pub(super) elsewhere: Vec<Violation>,
    pub(super) trace: String,
    pub(super) rewritten: bool,
    pub(super) unstartable: bool,
}

impl Answer {
    pub(super) fn broken(task: &Task, why: String) -> Self {
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

/// Of an engine that had no settings to go by.
pub(super) fn faults_alone(outcome: Outcome, begin: Instant) -> Answer {
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
pub(super) fn engine_speaks_as(engine: &str, name: &str) -> bool {
    engine == name || matches!((engine, name), ("syntax", "oxc") | ("rust-syntax", "syn"))
}
