//! Tests that the agent runs by itself: `shell/test-runs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use model::{Effect, Event, EventName, Findings, Level, Levels, Meta, On, Outcome, Proof, Role, TestsSeen};
use shell::programs::Output;
use shell::{Call, Ends, Reading};

use crate::autonomy::proof_of;
use crate::runner::seen::{self, Ended};
use crate::runner::{Looks, has_tests, is_own_test};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "shell/test-runs",
    summary: "tests that the agent runs, recorded with how they ended and for which code",
    docs: "\
Watches commands that run tests, by whatever runner and through whatever wrapper (`uv run pytest`, `make test`, `npm test`, a container, the
project's own `tests.command`), and records how they ended: by the exit status, as far as it is the tests' own, and by the runner's
own summary. A status that a pipe, `|| true`, `;`, `&`, a function or a script of the same name hides counts only as that summary says; without one
the result is not known. A run of a part of the tests (by name, by folder) counts as a part.

The result is tied to the code: what it was before the command, and only if it is the same afterwards. It says nothing to the agent, unless the
commit gate is on and the result cannot be told.
",
    cases: include_str!("test_runs.toml"),
    on: &[
        On::shell(EventName::PreToolUse),
        On::shell(EventName::PostToolUse),
        On::shell(EventName::PostToolUseFailure),
    ],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.2",
};

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let gated = crate::find("shell/evidence")
            .is_some_and(|check| crate::level(check.meta(), cx.config) != Level::Off);
        let begins = event.name == EventName::PreToolUse;
        // Without the gate nobody asks what the code was.
        if begins && !gated {
            return;
        }
        let Some(command) = event.command().filter(|_| is_awaited(event)) else { return };
        let Some(reading) = cx.reading(event) else { return };
        // That records itself.
        if reading.calls.iter().any(is_own_test) {
            return;
        }
        let Some(first) = first(command, reading, cx) else { return };
        let root = home(first, event, cx);
        let call = event.tool_use().and_then(|use_| use_.id.clone()).unwrap_or_else(|| command.to_owned());
        if begins {
            out.effects.push(Effect::TestsBegin(root, call));
            return;
        }
        let tests = Tests::of(first, command, reading, cx);
        let Some(ended) = event.tool_use().and_then(|use_| tests.end(&use_.outcome, command, reading)) else {
            if gated {
                out.context.push(format!(
                    "How these tests ended cannot be told: {}. For a commit run `plimsoll test`, or the tests alone.",
                    tests.obstacle()
                ));
            }
            return;
        };
        out.effects.push(Effect::TestsEnd(Box::new(TestsSeen {
            part: tests.part || is_below(&tests, &root, cx),
            root,
            call,
            command: shown(command),
            result: ended.result,
            failures: ended.failures,
            mirrored: gated,
        })));
    }
}

/// Of a command that goes on, the answer says only that it was started.
fn is_awaited(event: &Event) -> bool {
    event.commands().iter().all(|command| command.awaited)
}

/// A command as one short line.
fn shown(command: &str) -> String {
    const LONGEST: usize = 60;
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether a command is the project's own for its tests.
fn is_own(command: &str, cx: &Context<'_>) -> bool {
    cx.config.tests_command.as_deref().is_some_and(|own| own.trim() == command.trim())
}

fn runs(call: &Call) -> bool {
    proof_of(call) == Some(Proof::Test)
}

/// The first call that runs tests.
fn first<'r>(command: &str, reading: &'r Reading, cx: &Context<'_>) -> Option<&'r Call> {
    let found = reading.calls.iter().find(|call| runs(call));
    found.or_else(|| reading.calls.first().filter(|_| is_own(command, cx)))
}

/// The tests in a command.
struct Tests {
    cwd: PathBuf,
    /// They run on this machine's files under their own names.
    here: bool,
    ends: Ends,
    /// The runner itself, which says how it ended; else a task by the name that a project gives it.
    direct: bool,
    /// Not all of them.
    part: bool,
    /// Somebody else in the command may print what looks like a summary.
    noisy: bool,
    /// Only the end of what is printed is seen.
    cut: bool,
}

impl Tests {
    /// `call`: the first of them.
    fn of(call: &Call, command: &str, reading: &Reading, cx: &Context<'_>) -> Self {
        let own = is_own(command, cx);
        let ends = match &call.span {
            _ if own => Ends::Own,
            Some(span) => shell::ends(command, span),
            None => Ends::Hidden,
        };
        let tests: Vec<&Call> = reading.calls.iter().filter(|call| runs(call)).collect();
        let place = |call: &Call| call.span.as_ref().map(|span| (span.start, span.end));
        let places: BTreeSet<(usize, usize)> = tests.iter().filter_map(|call| place(call)).collect();
        // What starts the runner stands where it stands.
        let starts = |call: &Call| place(call).is_some_and(|place| places.contains(&place));
        let others = reading.calls.iter().filter(|call| !runs(call) && !starts(call));
        Self {
            cwd: PathBuf::from(&*call.cwd),
            here: !call.elsewhere,
            ends,
            direct: !own
                && tests
                    .iter()
                    .any(|call| call.concerns("the tests") && call.with_role(TASK).next().is_none()),
            part: tests.iter().any(|call| call.concerns(PART)),
            noisy: others.clone().any(|call| may_print_a_summary(call, command)),
            cut: others.clone().any(|call| output_of(call) == Some(Output::Last)),
        }
    }

    /// How they ended; `None` where nobody can tell.
    fn end(&self, outcome: &Outcome, command: &str, reading: &Reading) -> Option<crate::runner::Outcome> {
        let passed = match (outcome, self.ends) {
            (Outcome::Done(_), Ends::Own | Ends::Passes) => Some(true),
            (Outcome::Failed { .. }, Ends::Own) => Some(false),
            // Earlier parts only change the folder, and then it is theirs all the same.
            (Outcome::Failed { .. }, Ends::Passes) if only_moves(reading) => Some(false),
            _ => None,
        };
        // Whatever is called like the runner then, it need not be it.
        let shimmed = reading.calls.iter().any(|call| call.vars.iter().any(|(name, _)| name == "PATH"))
            || command.contains("alias ");
        let passed = passed.filter(|_| !shimmed);
        let printed = outcome.printed();
        // Where the status tells, others may print what they like.
        let output = if self.noisy && passed.is_none() { "" } else { printed.as_str() };
        let prints_summary = self.direct;
        seen::read(&Ended { output, passed, prints_summary, cut: self.cut })
    }

    /// Why it could not be told.
    fn obstacle(&self) -> &'static str {
        match (self.ends, self.noisy) {
            (Ends::Hidden, true) => "the command hides their exit status and prints other things",
            (Ends::Hidden, false) => {
                "the command hides their exit status, and there is no summary of a runner that is known"
            }
            _ => "there is no summary of a runner that is known",
        }
    }
}

const TASK: shell::programs::Role = shell::programs::Role::Task;
const PART: &str = "a part of the tests";

fn output_of(call: &Call) -> Option<Output> {
    call.words().program.and_then(|program| program.output)
}

/// Whether all but the tests only changes the folder or prints words that say nothing about tests.
fn only_moves(reading: &Reading) -> bool {
    reading.calls.iter().all(|call| {
        runs(call)
            || shell::changes_folder(call)
            || call.words().program.is_some_and(|program| program.style.silent)
    })
}

/// What could be taken for the word of a runner, printed by somebody else.
fn may_print_a_summary(call: &Call, command: &str) -> bool {
    if call.output != shell::Output::Shown && call.fed_by.is_empty() || shell::changes_folder(call) {
        return false;
    }
    let Some(program) = call.words().program else { return true };
    // It hands on what the runner prints, and reads no file besides.
    let hands_on = matches!(program.output, Some(Output::Same | Output::Last | Output::Through))
        && !call.fed_by.is_empty()
        && (program.output == Some(Output::Through) || call.operands().next().is_none());
    // Its own words, as they stand in the command, which must not look like one.
    let says = program.style.silent
        && !call.span.clone().and_then(|span| command.get(span)).is_none_or(looks_like_a_summary);
    !(hands_on || says || program.style.transparent)
}

/// Words that a runner ends with, or words that are not known before they are printed.
fn looks_like_a_summary(source: &str) -> bool {
    let text = source.to_lowercase().replace("${pipestatus[0]}", "").replace("$?", "");
    text.contains(['$', '`'])
        || ["pass", "ok", "test result", "tests:", "ran "].iter().any(|word| text.contains(word))
}

/// The work tree whose code is tested.
fn home(tests: &Call, event: &Event, cx: &Context<'_>) -> PathBuf {
    let project = cx.facts.project();
    let cwd = if tests.elsewhere { event.cwd.as_deref().unwrap_or(project) } else { Path::new(&*tests.cwd) };
    let (here, ours) = (cx.facts.repository(cwd), cx.facts.repository(project));
    match (here, ours) {
        (Some(here), Some(ours)) if here.main_root == ours.main_root && here.root != ours.root => here.root,
        _ => project.to_owned(),
    }
}

/// Whether they ran in a folder of a project that has tests above it, too.
fn is_below(tests: &Tests, root: &Path, cx: &Context<'_>) -> bool {
    tests.here && tests.cwd != root && tests.cwd.starts_with(root) && has_tests(root, &Disk(cx))
}

/// What detection asks, answered by the facts.
pub(crate) struct Disk<'a>(pub(crate) &'a Context<'a>);

impl Looks for Disk<'_> {
    fn text(&self, path: &Path) -> Option<String> {
        self.0.facts.read(path).ok().flatten()
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.facts.entry(path).is_some()
    }

    fn folders(&self, dir: &Path) -> Vec<PathBuf> {
        let all = self.0.facts.list(dir).into_iter();
        all.filter(|path| path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b".")))
            .filter(|path| self.0.facts.entry(path).is_some_and(|entry| entry.directory))
            .collect()
    }

    fn has_program(&self, name: &str) -> bool {
        self.0.facts.has_program(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_a_summary_are_known() {
        for text in
            ["echo '3 passed in 0.1s'", "printf \"ok\\n\"", "echo \"Tests: 3\"", "echo $(cat x)", "echo $x"]
        {
            assert!(looks_like_a_summary(text), "{text}");
        }
        for text in ["echo \"exit: $?\"", "true", "echo ${PIPESTATUS[0]}"] {
            assert!(!looks_like_a_summary(text), "{text}");
        }
        assert_eq!(shown("a\n  b"), "a b");
    }
}
