//! The task `tests`: runs the project's tests, records what they really gave, and leaves word of it.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, bail};
use checks::runner::{self, Looks, Plan, Runner};
use model::state_files::{Record, TestResult, TestStatus};
use model::{Mail, Reader, SessionId, TestsSeen};
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
    pub(crate) runner: String,
    pub(crate) status: TestStatus,
    /// The end of what it printed, or why there is nothing to tell by.
    pub(crate) tail: String,
    pub(crate) output: String,
    /// The code changed meanwhile.
    pub(crate) moved: bool,
    /// None of the runners has found a test.
    pub(crate) nothing: bool,
}

impl Tested {
    /// For the user: one line.
    pub(crate) fn headline(&self) -> String {
        let runner = &self.runner;
        match self.status.result {
            TestResult::Pass => format!("Tests passed ({runner})"),
            TestResult::Fail => {
                let failures = self.status.failures;
                format!("Test failures detected ({runner}): {failures} failed")
            }
            TestResult::None if self.nothing => format!("No tests were found ({runner})"),
            TestResult::None => format!(
                "No test result ({runner}): {}",
                self.tail.lines().last().unwrap_or("nothing was run")
            ),
        }
    }

    /// For the agent: with what it needs to fix it.
    pub(crate) fn report(&self) -> String {
        match self.status.result {
            TestResult::Fail => format!("{}:\n{}", self.headline(), self.tail),
            _ => self.headline(),
        }
    }
}

pub(super) fn run(work: &Work<'_>, args: &[String]) -> anyhow::Result<()> {
    let [root, file] = args else { bail!("tests: which project and which file?") };
    let (root, file) = (PathBuf::from(root), PathBuf::from(file));
    let post = |key: &str, to, text: String| {
        let mail = Mail { key: key.into(), text, to };
        mail::post(work.machine, &work.project, &work.session, &mail).context("tests")
    };
    let tested = match run_tests(work.machine, &work.project, &work.session, &root, &file, Trust::Recorded)? {
        Ran::Tested(tested) => tested,
        Ran::Nothing => return Ok(()),
        Ran::Waits(command) => {
            let told = work.project.session_dir(&work.session).join("told-of-tests");
            if files::exists(&told) {
                return Ok(());
            }
            append_line(&told, "").context("tests")?;
            let text = format!(
                "The tests of this project were not run: {command}. Run `plimsoll trust` to let this project's own tools run."
            );
            return post("tests for the user", Reader::Person, text);
        }
    };
    let seen = TestsSeen {
        root,
        call: String::new(),
        command: tested.runner.clone(),
        result: tested.status.result,
        failures: tested.status.failures,
        part: false,
        covers: Vec::new(),
        of: Vec::new(),
        sure: true,
        mirrored: true,
    };
    super::record(work, "tests", &super::Seen { tests: Some(&seen), ..Default::default() }, Vec::new());
    post("tests", Reader::Model, tested.report())?;
    post("tests for the user", Reader::Person, tested.headline())
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
    session: &SessionId,
    root: &Path,
    file: &Path,
    trust: Trust,
) -> anyhow::Result<Ran> {
    let loaded = config::load(machine, project, checks::role, Trust::Recorded);
    let Some(plan) = plan(machine, &loaded, root, file) else { return Ok(Ran::Nothing) };
    if trust == Trust::Recorded && !may_run(machine, &loaded, root) {
        return Ok(Ran::Waits(shown(&plan, root)));
    }
    let Some(turn) = Turn::wait(machine, root, session, PACE).context("tests")? else {
        return Ok(Ran::Nothing);
    };
    let overtaken: Overtaken = Rc::new(turn.watch());
    let all = plans(machine, &loaded, root);
    let share = Share::of(&plan, &all, root);
    let tested = execute(machine, project, &loaded, (root, &share), &[plan], &mut |_| {}, &overtaken)?;
    turn.finish(machine).context("tests")?;
    Ok(tested.map_or(Ran::Nothing, Ran::Tested))
}

/// Whether a newer request has come.
type Overtaken = Rc<dyn Fn() -> bool>;

/// Runs all tests of a project while somebody waits for them; `None` where there are none, which is recorded too.
pub(crate) fn run_all(
    machine: &Machine,
    project: &Project,
    loaded: &Loaded,
    root: &Path,
    plans: &[Plan],
    begins: &mut dyn FnMut(&Plan),
) -> anyhow::Result<Option<Tested>> {
    // At once, and instead of a run in the background that was asked for earlier.
    let now = Pace { quiet: Duration::ZERO, distance: Duration::ZERO };
    let Some(turn) = Turn::wait(machine, root, &SessionId::default(), now).context("tests")? else {
        bail!("a newer run has begun");
    };
    let tested = {
        let never: Overtaken = Rc::new(|| false);
        execute(machine, project, loaded, (root, &Share::default()), plans, begins, &never)?
    };
    turn.finish(machine).context("tests")?;
    Ok(tested)
}

/// What a run covers of all places that have tests; both empty where it is the whole.
#[derive(Default)]
struct Share {
    covers: Vec<String>,
    of: Vec<String>,
}

impl Share {
    /// Of one runner. A package of a workspace is none of the places, and so covers none.
    fn of(plan: &Plan, all: &[Plan], root: &Path) -> Self {
        let of = runner::places(all, root);
        let covers: Vec<String> =
            all.iter().zip(&of).filter(|(one, _)| *one == plan).map(|(_, place)| place.clone()).collect();
        if covers == of { Self::default() } else { Self { covers, of } }
    }
}

/// Runs these one after the other, and records what they give together. `None` where they were overtaken, or there are none.
fn execute(
    machine: &Machine,
    project: &Project,
    loaded: &Loaded,
    (root, share): (&Path, &Share),
    plans: &[Plan],
    begins: &mut dyn FnMut(&Plan),
    overtaken: &Overtaken,
) -> anyhow::Result<Option<Tested>> {
    // Before the run: what is tested is what was there when it began.
    let tree = evidence::tree_hash(machine, root).context("tests")?;
    let limit = Duration::from_secs(loaded.config.tests_timeout);
    let mut sum = Sum::default();
    for plan in plans {
        begins(plan);
        if !sum.add(plan, limit, overtaken) {
            return Ok(None);
        }
    }
    let now = evidence::tree_hash(machine, root).context("tests")?;
    let tree = Some(tree).filter(|tree| *tree == now);
    let moved = tree.is_none();
    let status = TestStatus { result: sum.result(), failures: sum.failures, at: machine.now() };
    let runner = plans.iter().map(|plan| plan.runner.as_str()).collect::<Vec<_>>().join(", ");
    let run = evidence::Run {
        status,
        tree,
        runner: runner.clone(),
        nothing: sum.nothing,
        part: (share.covers != share.of).then(|| runner.clone()),
        covers: share.covers.clone(),
        of: share.of.clone(),
        ..evidence::Run::default()
    };
    evidence::record(machine, root, &run, true).context("tests")?;
    // The file says how the tests of the last edit ended, as those who read it expect; the gate goes by the record.
    if run.part.is_some() && status.result == TestResult::Pass {
        evidence::mirror(machine, root, &run).context("tests")?;
    }
    if plans.is_empty() {
        return Ok(None);
    }
    if status.result == TestResult::Fail {
        let line =
            format!("{}|test_fail|{} failed ({runner})", model::time::rfc3339(status.at), status.failures);
        records::change(machine, project, ".audit-log", &Record::Append(line)).context("tests")?;
    }
    let (tail, nothing) = (tail(&sum.output), sum.nothing);
    Ok(Some(Tested { runner, status, tail, output: sum.output, moved, nothing }))
}

/// What several runners have given.
struct Sum {
    output: String,
    failures: u64,
    passed: bool,
    /// One of them did not come to an end.
    unknown: bool,
    /// None of them has found a test.
    nothing: bool,
}

impl Default for Sum {
    fn default() -> Self {
        Self { output: String::new(), failures: 0, passed: false, unknown: false, nothing: true }
    }
}

impl Sum {
    /// `false` where a newer request has come.
    fn add(&mut self, plan: &Plan, limit: Duration, overtaken: &Overtaken) -> bool {
        if overtaken() {
            return false;
        }
        let program = Program::new(&plan.program).args(&plan.args).cwd(&plan.dir).within(limit);
        let program = without_our_variables(program).env("CI", "1").env("PYTHONDONTWRITEBYTECODE", "1");
        let asked = Rc::clone(overtaken);
        match program.unless(move || asked()).run() {
            Ok(done) => {
                let printed = format!(
                    "{}\n{}",
                    String::from_utf8_lossy(&done.stdout),
                    String::from_utf8_lossy(&done.stderr)
                );
                let outcome = runner::read(plan.runner, &printed, done.code);
                self.output.push_str(&printed);
                self.failures += outcome.failures;
                self.passed |= outcome.result == TestResult::Pass;
                // Nothing to run is not a failure; a runner that broke is not an answer.
                let empty = outcome.result == TestResult::None && matches!(done.code, Some(0 | 1 | 5));
                self.unknown |= outcome.result == TestResult::None && !empty;
                self.nothing &= empty;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return false,
            Err(error) => {
                self.output.push_str(&error.to_string());
                self.unknown = true;
                self.nothing = false;
            }
        }
        true
    }

    fn result(&self) -> TestResult {
        match (self.failures, self.unknown, self.passed) {
            (1.., ..) => TestResult::Fail,
            (0, false, true) => TestResult::Pass,
            _ => TestResult::None,
        }
    }
}

/// How all of the project is tested.
pub(crate) fn plans(machine: &Machine, loaded: &Loaded, root: &Path) -> Vec<Plan> {
    match &loaded.config.tests_command {
        Some(command) => vec![own(root, command)],
        None => runner::plans(root, &Disk(machine)),
    }
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

    fn folders(&self, dir: &Path) -> Vec<PathBuf> {
        let visible = |path: &PathBuf| {
            files::is_dir(path)
                && path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
        };
        files::list(dir).into_iter().filter(visible).collect()
    }

    fn files(&self, dir: &Path) -> Vec<PathBuf> {
        files::list(dir).into_iter().filter(|path| !files::is_dir(path)).collect()
    }

    fn has_program(&self, name: &str) -> bool {
        self.0.find_program(name).is_some()
    }
}
