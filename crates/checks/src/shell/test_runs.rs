//! Tests that the agent runs by itself: `shell/test-runs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use model::state_files::TestResult;
use model::{Effect, Event, EventName, Findings, Level, Levels, Meta, On, Outcome, Proof, TestsSeen};
use shell::programs::{Output, Role};
use shell::{Call, Ends, Reading};

use crate::autonomy::proof_of;
use crate::context::read_text;
use crate::runner::seen::{self, Ended};
use crate::runner::{Looks, Plan, is_own_test, places, plans};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "shell/test-runs",
    summary: "tests that the agent runs, recorded with how they ended and for which code",
    docs: "\
Watches commands that run tests, by whatever runner and through whatever wrapper (`uv run pytest`, `make test`, `npm test`, a container, the
project's own `tests.command`), and records how they ended: by the exit status, as far as it is the tests' own, and by the runner's
own summary. A status that a pipe, `|| true`, `;`, `&`, a function or a script of the same name hides counts only as that summary says; without one
the result is not known. A run of a part of the tests (by name, by folder) counts as a part; of a project whose tests lie in several folders, or are run
by several runners, the parts add up.

The result is tied to the code: what it was before the command, and only if it is the same afterwards. It says nothing to the agent, unless the
commit gate is on and the result cannot be told.
",
    cases: include_str!("test_runs.toml"),
    on: &[
        On::shell(EventName::PreToolUse),
        On::shell(EventName::PostToolUse),
        On::shell(EventName::PostToolUseFailure),
    ],
    role: model::Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.2",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let gated =
        crate::find("shell/evidence").is_some_and(|check| crate::level(check.meta, cx.config) != Level::Off);
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
    let tests = match inside(first, event, reading, cx) {
        Some(inside) => inside.tests(command, reading, &root, cx),
        None => Some(Tests::of(first, command, reading, &root, cx)),
    };
    let Some(tests) = tests else { return };
    let ended = event.tool_use().and_then(|use_| tests.end(&use_.outcome, command, reading));
    if ended.is_none() && gated {
        out.context.push(format!(
            "It is not clear how these tests ended: {}. Before a commit run `plimsoll test`, or the tests alone.",
            tests.obstacle()
        ));
    }
    let (result, failures) =
        ended.as_ref().map_or((TestResult::None, 0), |(ended, _)| (ended.result, ended.failures));
    out.effects.push(Effect::TestsEnd(Box::new(TestsSeen {
        part: tests.part,
        covers: tests.covers,
        of: tests.of,
        sure: result != TestResult::Fail || ended.is_some_and(|(_, said)| said),
        root,
        call,
        command: shown(command),
        result,
        failures,
        mirrored: gated,
    })));
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

pub(super) fn runs(call: &Call) -> bool {
    proof_of(call) == Some(Proof::Test)
}

/// The first call that runs tests.
fn first<'r>(command: &str, reading: &'r Reading, cx: &Context<'_>) -> Option<&'r Call> {
    let found = reading.calls.iter().find(|call| runs(call));
    found.or_else(|| reading.calls.first().filter(|_| is_own(command, cx)))
}

/// Tests behind a shell that a command starts: `bash -c 'pytest'`, `./scripts/test`.
struct Inside<'r> {
    /// What starts it.
    by: &'r Call,
    text: String,
    reading: Reading,
}

/// What such a command starts, where the tests themselves do not stand in it.
fn inside<'r>(tests: &Call, event: &Event, reading: &'r Reading, cx: &Context<'_>) -> Option<Inside<'r>> {
    if tests.span.is_some() {
        return None;
    }
    let of = |by: &'r Call| {
        let text = started(by, cx)?;
        let reading = read_text(event, &text, cx.facts);
        let found = reading.calls.iter().any(|call| runs(call) && call.span.is_some());
        found.then_some(Inside { by, text, reading })
    };
    reading.calls.iter().filter(|call| call.span.is_some() && !runs(call)).find_map(of)
}

/// The script that a call gives to a shell, in its words or in a file.
fn started(call: &Call, cx: &Context<'_>) -> Option<String> {
    if let Some(text) = call.with_role(Role::Shell).next() {
        return shell::text::is_known(text).then(|| text.to_owned());
    }
    let program = call.argv.first()?.text.as_str();
    let file = call.with_role(Role::Script).next().or_else(|| program.contains('/').then_some(program))?;
    let file = PathBuf::from(shell::path::absolute(file, &call.cwd));
    let text = cx.facts.read(&file).ok()??;
    // Another language, or none.
    let first = text.lines().next().unwrap_or_default();
    let is_shell = !first.starts_with("#!") || first.trim_end().ends_with("sh");
    is_shell.then_some(text)
}

impl Inside<'_> {
    /// The tests as they stand in there; what stands around them decides with them.
    fn tests(&self, command: &str, around: &Reading, root: &Path, cx: &Context<'_>) -> Option<Tests> {
        let first = self.reading.calls.iter().find(|call| runs(call) && call.span.is_some())?;
        let mut tests = Tests::of(first, &self.text, &self.reading, root, cx);
        let outer = self.by.span.as_ref().map_or(Ends::Hidden, |span| shell::ends(command, span));
        tests.ends = match (outer, tests.ends) {
            (Ends::Own, ends) => ends,
            (Ends::Passes, Ends::Own | Ends::Passes) => Ends::Passes,
            _ => Ends::Hidden,
        };
        let others = || around.calls.iter().filter(|call| call.span.is_some() && call.span != self.by.span);
        tests.noisy |= traces(self.by) || others().any(|call| may_print_a_summary(call, command));
        tests.limits.extend(others().filter_map(limit));
        tests.picked |= others().any(picks);
        Some(tests)
    }
}

/// The tests in a command.
struct Tests {
    ends: Ends,
    root: PathBuf,
    /// A runner that is known to say how it ended; else a task by the name that a project gives it, or a runner of which nothing else is known.
    direct: bool,
    /// Not all of them.
    part: bool,
    /// The places of the project whose tests were all run, and all that have tests.
    covers: Vec<String>,
    of: Vec<String>,
    /// Somebody else in the command may print what looks like a summary.
    noisy: bool,
    /// What is printed goes through programs that only show so many lines of its beginning or its end.
    limits: Vec<(Output, Option<usize>)>,
    /// And through one that shows only some of them.
    picked: bool,
}

impl Tests {
    /// `call`: the first of them.
    fn of(call: &Call, command: &str, reading: &Reading, root: &Path, cx: &Context<'_>) -> Self {
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
        let plans = plans(root, &Disk(cx));
        let (covers, of) = if own { Default::default() } else { covered(&tests, &plans, root) };
        let part = if of.is_empty() { tests.iter().any(|call| call.concerns(PART)) } else { covers != of };
        Self {
            ends,
            root: root.to_owned(),
            direct: !own
                && !plans.is_empty()
                && tests
                    .iter()
                    .any(|call| call.concerns("the tests") && call.with_role(TASK).next().is_none()),
            part,
            covers: if part { covers } else { Vec::new() },
            of: if part { of } else { Vec::new() },
            noisy: others.clone().any(|call| may_print_a_summary(call, command)),
            limits: others.clone().filter_map(limit).collect(),
            picked: others.clone().any(picks),
        }
    }

    /// How they ended; `None` where nobody can tell.
    fn end(
        &self,
        outcome: &Outcome,
        command: &str,
        reading: &Reading,
    ) -> Option<(crate::runner::Outcome, bool)> {
        let passed = match (outcome, self.ends) {
            (Outcome::Done(_), Ends::Own | Ends::Passes) => Some(true),
            (Outcome::Failed { .. }, Ends::Own) => Some(false),
            // Earlier parts only change the folder, and then it is theirs all the same.
            (Outcome::Failed { .. }, Ends::Passes) if only_moves(reading) => Some(false),
            _ => None,
        };
        // Whatever is called like the runner then, it need not be it, and what it prints need not be a runner's.
        let paths = || {
            let vars = reading.calls.iter().flat_map(|call| &call.vars);
            vars.filter(|(name, _)| name == "PATH").map(|(_, value)| value.as_str())
        };
        if paths().any(|path| has_own_folder(path, &self.root)) {
            return None;
        }
        let shimmed = paths().next().is_some() || command.contains("alias ");
        let passed = passed.filter(|_| !shimmed);
        let printed = outcome.printed();
        // Who shows fewer lines than it may has left nothing out.
        let lines = printed.lines().count();
        let is_cut = |by: Output| {
            self.limits.iter().any(|(how, most)| *how == by && most.is_none_or(|most| lines >= most))
        };
        // Where the status tells, others may print what they like. A beginning says nothing about the end.
        let says_nothing = passed.is_none() && (self.noisy || is_cut(Output::First));
        let output = if says_nothing { "" } else { printed.as_str() };
        let cut = is_cut(Output::Last);
        seen::read(&Ended { output, passed, prints_summary: self.direct, cut, picked: self.picked })
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

const TASK: Role = Role::Task;
const DIR: Role = Role::Dir;
const PART: &str = "a part of the tests";

fn output_of(call: &Call) -> Option<Output> {
    call.words().program.and_then(|program| program.output)
}

/// Whether a search path names a folder where anybody may have put a program: one that is found from where the command runs, other than
/// those that package managers fill.
fn has_own_folder(path: &str, root: &Path) -> bool {
    const FILLED: &[&str] = &[".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin"];
    path.split(':').any(|folder| {
        let filled = FILLED.iter().any(|known| folder.trim_end_matches('/').ends_with(known));
        let here = !folder.starts_with(['/', '~', '$']) || Path::new(folder).starts_with(root);
        here && shell::text::is_known(folder) && !filled
    })
}

/// How many lines a program shows of what it is fed; `None` inside where that cannot be told.
fn limit(call: &Call) -> Option<(Output, Option<usize>)> {
    const USUAL: usize = 10;
    let how = output_of(call).filter(|how| matches!(how, Output::First | Output::Last))?;
    let mut words = call.texts();
    let mut most = Some(USUAL);
    while let Some(word) = words.next() {
        let number = match word {
            "-n" | "--lines" => words.next().unwrap_or_default(),
            _ => ["--lines=", "-n", "-"].iter().find_map(|start| word.strip_prefix(start)).unwrap_or("?"),
        };
        most = number.parse().ok();
    }
    Some((how, most))
}

/// Whether it shows those lines of what it is fed that fit a pattern, whole and as they are.
fn picks(call: &Call) -> bool {
    let plain = |text: &str| {
        let letters = text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| "EFGPaihw".contains(letter))
            || ["--color=never", "--color=auto", "--ignore-case", "--line-buffered"].contains(&text)
    };
    output_of(call) == Some(Output::Matching)
        && !call.fed_by.is_empty()
        && call.operands().count() == 1
        && call.texts().filter(|text| text.starts_with('-')).all(plain)
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
    let hands_on =
        matches!(program.output, Some(Output::Same | Output::First | Output::Last | Output::Through))
            && !call.fed_by.is_empty()
            && (program.output == Some(Output::Through) || call.operands().next().is_none());
    let hands_on = hands_on || picks(call);
    // Its own words, as they stand in the command, which must not look like one.
    let says = program.style.silent
        && !traces(call)
        && !call.span.clone().and_then(|span| command.get(span)).is_none_or(looks_like_a_summary);
    // `set -e`: words that only say how.
    let mut words = call.texts().peekable();
    let sets = program.style.harmless
        && !traces(call)
        && words.peek().is_some()
        && words.all(|word| word.starts_with(['-', '+']) || word == "pipefail");
    !(hands_on || says || sets || program.style.transparent)
}

/// Whether a shell is told to print every word that it runs.
fn traces(call: &Call) -> bool {
    call.chose("x") || call.chose("xtrace") || call.texts().any(|word| word == "xtrace")
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
    match here {
        // Another work tree, or another repository, whose commits want evidence of their own.
        Some(here) if ours.is_none_or(|ours| ours.root != here.root) => here.root,
        _ => project.to_owned(),
    }
}

/// The places whose tests these calls run all of, and all places that have tests: folders, and runners where a folder has those of several
/// languages. Both empty where nothing is known of any.
fn covered(tests: &[&Call], plans: &[Plan], root: &Path) -> (Vec<String>, Vec<String>) {
    let all = places(plans, root);
    let whole: Vec<(&Call, PathBuf)> =
        tests.iter().filter(|call| !call.concerns(PART)).map(|call| (*call, folder(call, root))).collect();
    let covers = |plan: &Plan| {
        let here = || whole.iter().filter(|(_, dir)| plan.dir.starts_with(dir)).map(|(call, _)| call);
        let runs = |call: &&&Call, plan: &Plan| plan.starts(shell::path::name(call.program()));
        let beside = || plans.iter().filter(|other| other.dir == plan.dir);
        // Of a task nobody knows which of them it starts, unless its steps say so.
        let is_said = here().any(|call| beside().any(|other| runs(&call, other)));
        if is_said { here().any(|call| runs(&call, plan)) } else { here().next().is_some() }
    };
    let covered = plans.iter().zip(&all).filter(|(plan, _)| covers(plan)).map(|(_, place)| place.clone());
    (covered.collect(), all.clone())
}

/// The folder that a runner is told to work in. What runs in a container has the project there.
fn folder(call: &Call, root: &Path) -> PathBuf {
    if call.elsewhere {
        return root.to_owned();
    }
    let told = call.with_role(DIR).last().map(|text| shell::path::absolute(text, &call.cwd));
    PathBuf::from(told.unwrap_or_else(|| call.cwd.to_string()))
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

    fn files(&self, dir: &Path) -> Vec<PathBuf> {
        let all = self.0.facts.list(dir).into_iter();
        all.filter(|path| self.0.facts.entry(path).is_some_and(|entry| !entry.directory)).collect()
    }

    fn has_program(&self, name: &str) -> bool {
        self.0.facts.has_program(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_path_of_ones_own_is_told_from_one_that_is_filled() {
        for path in [".:/usr/bin", "./bin:/usr/bin", "shims:/bin", ":/bin", "/p/shims:/bin"] {
            assert!(has_own_folder(path, Path::new("/p")), "{path}");
        }
        for path in [
            "/usr/bin:/bin",
            ".venv/bin:/usr/bin",
            "./node_modules/.bin:/bin",
            "~/.local/bin:/bin",
            "/p/.venv/bin:/bin",
        ] {
            assert!(!has_own_folder(path, Path::new("/p")), "{path}");
        }
    }

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
