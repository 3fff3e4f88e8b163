//! The task `tests`: runs the project's tests, records what they really gave, and leaves word of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use checks::runner::{self, Looks, Plan, Runner};
use model::practice::{Record, TestResult, TestStatus};
use model::{Mail, Reader};
use state::config::{self, Loaded, Trust};
use state::process::{Program, SHELL};
use state::turn::{Pace, Turn};
use state::{Machine, Project, append_line, evidence, files, mail, records, trust};

use super::Work;

/// Rapid edits settle first, and runs keep apart.
const PACE: Pace = Pace { quiet: Duration::from_secs(2), distance: Duration::from_secs(10) };

/// What a message shows of the runner's output: its last lines.
const LINES: usize = 20;
const CHARACTERS: usize = 2000;

/// A run that came to an end.
pub(crate) struct Tested {
    pub(crate) runner: Runner,
    pub(crate) status: TestStatus,
    /// The end of what it printed, or why there is nothing to tell by.
    pub(crate) tail: String,
}

impl Tested {
    /// For the person: one line.
    pub(crate) fn headline(&self) -> String {
        let runner = self.runner.as_str();
        match self.status.result {
            TestResult::Pass => format!("Tests passed ({runner})"),
            TestResult::Fail => {
                let failures = self.status.failures;
                format!("Test failures detected ({runner}): {failures} failed")
            }
            TestResult::None => format!(
                "No test result ({runner}): {}",
                self.tail.lines().last().unwrap_or("nothing was run")
            ),
        }
    }

    /// For the agent: with what it needs to mend it.
    pub(crate) fn report(&self) -> String {
        match self.status.result {
            TestResult::Fail => format!("{}:\n{}", self.headline(), self.tail),
            _ => self.headline(),
        }
    }
}

pub(super) fn run(work: &Work<'_>, args: &[String]) -> Result<(), String> {
    let [root, file] = args else { return Err("tests: which project and which file?".into()) };
    let (root, file) = (PathBuf::from(root), PathBuf::from(file));
    let post = |key: &str, to, text: String| {
        let mail = Mail { key: key.into(), text, to };
        mail::post(work.machine, &work.project, &work.session, &mail)
            .map_err(|error| format!("tests: {error}"))
    };
    let tested = match run_tests(work.machine, &work.project, &root, &file, Trust::Recorded)? {
        Ran::Tested(tested) => tested,
        Ran::Nothing => return Ok(()),
        Ran::Waits(command) => {
            let told = work.project.session_dir(&work.session).join("told-of-tests");
            if files::exists(&told) {
                return Ok(());
            }
            append_line(&told, "").map_err(|error| format!("tests: {error}"))?;
            let text = format!(
                "The tests of this project were not run: {command}. Run `plimsoll trust` to let this project's own tools run."
            );
            return post("tests for the person", Reader::Person, text);
        }
    };
    post("tests", Reader::Model, tested.report())?;
    post("tests for the person", Reader::Person, tested.headline())
}

/// What became of a request for tests.
pub(crate) enum Ran {
    Tested(Tested),
    /// There is no runner, or a newer change has taken over.
    Nothing,
    /// This would be run, and the user has not trusted the project yet.
    Waits(String),
}

pub(crate) fn run_tests(
    machine: &Machine,
    project: &Project,
    root: &Path,
    file: &Path,
    trust: Trust,
) -> Result<Ran, String> {
    let loaded = config::load(machine, project, checks::role, Trust::Recorded);
    let Some(plan) = plan(machine, &loaded, root, file) else { return Ok(Ran::Nothing) };
    if trust == Trust::Recorded && !may_run(machine, &loaded, root) {
        return Ok(Ran::Waits(shown(&plan, root)));
    }
    let failed = |error: std::io::Error| format!("tests: {error}");
    let Some(turn) = Turn::wait(machine, root, PACE).map_err(failed)? else { return Ok(Ran::Nothing) };
    // Before the run: what is tested is what was there when it began.
    let tree = evidence::tree_hash(root).map_err(failed)?;
    let limit = Duration::from_secs(loaded.config.tests_timeout);
    let program =
        Program::new(&plan.program).args(&plan.args).cwd(&plan.dir).within(limit).unless(turn.watch());
    let done = without_our_variables(program).env("CI", "1").env("PYTHONDONTWRITEBYTECODE", "1").run();
    let (outcome, tail) = match done {
        Ok(done) => {
            let output = format!(
                "{}\n{}",
                String::from_utf8_lossy(&done.stdout),
                String::from_utf8_lossy(&done.stderr)
            );
            (runner::read(plan.runner, &output, done.code), tail(&output))
        }
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(Ran::Nothing),
        Err(error) => (runner::Outcome { result: TestResult::None, failures: 0 }, error.to_string()),
    };
    let status = TestStatus { result: outcome.result, failures: outcome.failures, at: machine.now() };
    evidence::record(machine, root, &status, &tree, plan.runner.as_str()).map_err(failed)?;
    if status.result == TestResult::Fail {
        let line = format!(
            "{}|test_fail|{} failed ({})",
            model::time::rfc3339(status.at),
            status.failures,
            plan.runner.as_str()
        );
        records::change(machine, project, ".audit-log", &Record::Append(line)).map_err(failed)?;
    }
    turn.finish(machine).map_err(failed)?;
    Ok(Ran::Tested(Tested { runner: plan.runner, status, tail }))
}

/// How a change of this file would be tested.
pub(crate) fn plan(machine: &Machine, loaded: &Loaded, root: &Path, file: &Path) -> Option<Plan> {
    match &loaded.config.tests_command {
        Some(command) => Some(own(root, command)),
        None => runner::detect(root, file, &Disk(machine)),
    }
}

/// Tests are code of the project. A command that its config names is in force only where the user has trusted exactly that text.
fn may_run(machine: &Machine, loaded: &Loaded, root: &Path) -> bool {
    let by_text = loaded.config.tests_command.is_some() && loaded.source("tests.command").is_foreign();
    by_text || trust::tools_may_run(machine, root)
}

/// The command of a plan, with programs of the project as the user sees them there.
pub(crate) fn shown(plan: &Plan, root: &Path) -> String {
    let program = Path::new(&plan.program)
        .strip_prefix(root)
        .map_or(plan.program.clone(), |below| below.display().to_string());
    shell::join([&program].into_iter().chain(&plan.args).map(String::as_str))
}

fn own(root: &Path, command: &str) -> Plan {
    let args = vec!["-c".to_owned(), command.to_owned()];
    Plan { runner: Runner::Own, dir: root.to_owned(), program: SHELL.into(), args }
}

/// Tests of a project that is itself about hooks must not take ours for theirs.
fn without_our_variables(program: Program) -> Program {
    ["CLAUDE_PROJECT_DIR", "CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CLAUDECODE", "PLIMSOLL_STATE_DIR"]
        .into_iter()
        .fold(program, Program::without_env)
}

fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let text = lines[lines.len().saturating_sub(LINES)..].join("\n");
    let skip = text.chars().count().saturating_sub(CHARACTERS);
    text.chars().skip(skip).collect()
}

struct Disk<'a>(&'a Machine);

impl Looks for Disk<'_> {
    fn text(&self, path: &Path) -> Option<String> {
        files::read(path).ok().flatten()
    }

    fn exists(&self, path: &Path) -> bool {
        files::exists(path)
    }

    fn has_program(&self, name: &str) -> bool {
        self.0.find_program(name).is_some()
    }
}
