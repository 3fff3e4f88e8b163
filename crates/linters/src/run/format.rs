//! Formatting: each formatter by its turn, on stdin, and only what is believable becomes the file.

use state::process::Finished;
use state::{beneath, files};

use super::{Done, Failed, Run, now, trace};
use crate::definition::Formatting;
use crate::output::Printed;
use crate::plan::{Plan, Task};
use crate::plausible::{only_comments, plausible_fix, same_words};
use crate::touched::{Before, Past, Touched};
use crate::violation::Rewrite;
use crate::{Language, output};

/// What formatters made of a text, and which of them changed it.
pub(super) struct Formatted {
    pub(super) text: String,
    by: Vec<String>,
}

impl Run<'_> {
    /// Runs all formatters over `text`. `None` when none of them could.
    pub(super) fn format(&self, plan: &Plan, text: &str, done: &mut Done) -> Option<Formatted> {
        if plan.engine_formats {
            let text = self.format_by_engine(plan, text)?;
            return Some(Formatted { text, by: vec![format!("{} (built in)", self.engine_that_formats())] });
        }
        let mut by: Vec<String> = Vec::new();
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
                    by.push(task.linter.name.to_owned());
                }
            }
        }
        by.dedup();
        any.then_some(Formatted { text: current, by })
    }

    /// The name of the tool that the engine of this language formats for.
    fn engine_that_formats(&self) -> &'static str {
        match self.language {
            Language::Shell => "shfmt",
            Language::Json => "json",
            Language::Markdown => "markdownlint-cli2",
            Language::Toml => "taplo",
            _ => "ruff",
        }
    }

    /// What one step makes of a text, where it ended as it does when all is well.
    pub(super) fn rewritten(
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
                done.failed.push(Failed { unstartable, ..self.failed(task, &error) });
                None
            }
        }
    }

    /// Whether what a step has made of a text may become the file.
    pub(super) fn takes(
        &self,
        task: &Task,
        job: &Formatting,
        plan: &Plan,
        old: &str,
        new: &str,
        done: &mut Done,
    ) -> bool {
        let fixes = job.fixes || (job.fixes_whole && plan.formats_all);
        let same = same_words(old, new) && self.engines.same_tree(self.file, old, new) != Some(false);
        // Whatever prints something of its own before the text does so again.
        let mut fixed =
            || plausible_fix(old, new) && self.rewritten(task, job, new, plan, done).as_deref() == Some(new);
        let plausible = same || (fixes && fixed());
        if !plausible || (self.parses(old) && !self.parses(new)) {
            let why = format!(
                "what it printed is not {} in another form; the file is left as it was written",
                self.file.file_name().unwrap_or_default().to_string_lossy()
            );
            done.failed.push(self.failed(task, &why));
            return false;
        }
        let mut formatted =
            |before: &str| self.rewritten(task, job, before, plan, done).as_deref() == Some(before);
        plan.formats_all || self.follows(old, &mut formatted)
    }

    /// Whether an edit's lines are to be formatted: the file was, before it, and there is more than comments to do.
    pub(super) fn follows(&self, text: &str, is_formatted: &mut dyn FnMut(&str) -> bool) -> bool {
        match self.past.map(Past::before) {
            Some(Before::New | Before::Asked) => true,
            Some(Before::Text(before)) => {
                let touched = Touched::between(before, text);
                !only_comments(self.language, text, &touched) && is_formatted(before)
            }
            Some(Before::Unknown) | None => false,
        }
    }

    pub(super) fn asked(&self) -> bool {
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

    /// Puts the new text in place, if the file is still what was formatted; what was written then.
    pub(super) fn replace(&self, old: &str, new: &Formatted, done: &mut Done) -> Option<String> {
        let now = files::read_bytes(self.file).unwrap_or_default();
        if now != old.as_bytes() {
            done.trace.push(format!("{} changed meanwhile; it is left as it is", self.file.display()));
            return None;
        }
        let by = &new.by;
        let new = keep_line_ends(old, &new.text);
        match beneath::rewrite(self.project, self.file, new.as_bytes()) {
            Ok(()) => {
                done.rewritten = true;
                done.rewriters.extend_from_slice(by);
                Some(new)
            }
            Err(error) => {
                let why =
                    format!("{} could not be written, so it was not formatted: {error}", self.file.display());
                done.failed.push(Failed::ours(why));
                None
            }
        }
    }

    /// A formatter that could not do its work for another reason than the file: its configuration, or something that it needs. A
    /// file that cannot be parsed is the linter's to report, in words that name the place.
    pub(super) fn cannot_format(&self, task: &Task, job: &Formatting, finished: &Finished) -> Option<Failed> {
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let code = finished.code?;
        if job.unparsed.is_empty()
            || job.ok.contains(&code)
            || job.unparsed.iter().any(|word| stderr.contains(word))
        {
            return None;
        }
        let printed = Printed { stdout: "", stderr: &stderr, code: finished.code, cut: finished.cut };
        let why = output::Unreadable::new(output::Cause::Unformatted(code), task.linter, &printed);
        Some(self.failed(task, &why))
    }
}

/// A file with the line ends of Windows keeps them.
fn keep_line_ends(old: &str, new: &str) -> String {
    let windows = old.contains("\r\n") && !old.replace("\r\n", "").contains('\n');
    if windows && !new.contains("\r\n") { new.replace('\n', "\r\n") } else { new.to_owned() }
}
