//! The script `multi_linter`: everything in the edit's own hook, nothing put off, the answer in stderr and exit code.
//!
//! A client, whose payload names its event, gets what the document says: nothing on stdout. The script's own tests send no more than a
//! file, and want a word for programs there: `{"continue":true}` and, where violations are left, their number and rules.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use agents::Reply;
use checks::violations;
use model::config::{Formatting, Pace, Unconfigured};
use model::{Decision, Linted, environment};
use serde_json::{Value as Json, json};
use state::config::{Layer, Loaded, Trust};
use state::process::Program;
use state::{Machine, Project};

use super::run::{Answered, Came, Run};
use crate::exit;
use crate::hook::{Dialect, Terms};

/// As registered by the original: the largest model has ten minutes.
const SECONDS: u64 = 660;
/// More than the whole specification takes.
const SELF_TEST: Duration = Duration::from_mins(20);

pub(super) fn multi_linter(machine: &Machine, _: &[String]) -> Reply {
    let terms = Terms {
        trust: Trust::Everything,
        deadline: SECONDS,
        adjust: as_the_original,
        as_script: true,
        dialect: Dialect::Legacy,
        ..Terms::only(&["edit/lint"])
    };
    // The original had no other name for a session.
    let session = Some(format!("pid-{}", machine.session_pid()));
    let run = Run { session, ..Run::new(machine, "PostToolUse", terms) };
    let input = state::files::read_stdin(agents::LARGEST).map_err(|error| error.to_string());
    let read = input.and_then(|bytes| {
        let by_client = agents::read(&bytes).map(|input| agents::names_its_event(&input.payload));
        by_client.map(|by_client| (bytes, by_client)).map_err(|bad| bad.to_string())
    });
    let (mut reply, by_client) = match read {
        Ok((bytes, by_client)) => {
            let reply = match run.of(&bytes) {
                Came::Settled(answered) => spoken(&run, &answered),
                other => run.unsettled(other),
            };
            (reply, by_client)
        }
        // There is no file that could be looked at.
        Err(why) => {
            let stderr = format!("[hook:warning] the hook's input could not be read: {why}\n");
            (Reply { stderr, ..Reply::default() }, false)
        }
    };
    reply.stderr.insert_str(0, &retired(machine));
    if by_client {
        reply.stdout.clear();
    } else if reply.exit == exit::OK && reply.stdout.is_empty() {
        reply.stdout = line(&json!({"continue": true}));
    }
    reply
}

/// `test_hook FILE`: what `multi_linter` says of a file, for a user who looks for a fault in it.
pub(super) fn test_hook(machine: &Machine, words: &[String]) -> Reply {
    let fail = |text: String| Reply { stderr: format!("{text}\n"), exit: exit::FAILED, ..Reply::default() };
    let Some(word) = words.first() else { return fail("usage: test_hook <file> | --self-test".into()) };
    let Some(program) = machine.executable() else {
        return fail("it is not known where this program lies".into());
    };
    if word == "--self-test" {
        let done = Program::new(&program).arg("selftest").within(SELF_TEST).run();
        return match done {
            Ok(done) => Reply {
                stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
                exit: done.code.and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::FAILED),
                ..Reply::default()
            },
            Err(error) => fail(error.to_string()),
        };
    }
    let file = model::path::absolute(Path::new(word), &machine.cwd(), machine.home().as_deref());
    if !state::files::is_file(&file) {
        return fail(format!("test_hook: {word} is not there"));
    }
    let input = json!({
        "hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": {"file_path": file},
    });
    let ran = Program::new(&program)
        .args(["compat", "multi_linter"])
        .stdin(input.to_string().as_bytes())
        .within(Duration::from_secs(SECONDS))
        .run();
    let done = match ran {
        Ok(done) => done,
        Err(error) => return fail(format!("test_hook: {error}")),
    };
    let status = match done.code {
        Some(0) => "OK: nothing to report",
        Some(2) => "BLOCKING: the agent is told what is above",
        _ => "UNKNOWN",
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = done.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let stdout = format!(
        "input: {input}\noutput:\n{}{}exit code: {code}\nstatus: {status}\n",
        text(&done.stdout),
        text(&done.stderr)
    );
    Reply { stdout, ..Reply::default() }
}

fn as_the_original(loaded: &mut Loaded) {
    whole_files(loaded);
    loaded.config.defer.clear();
    // On, unless somebody has said otherwise.
    if loaded.source("phases.subprocess_delegation") == Layer::Default {
        loaded.config.subprocess_delegation = true;
    }
}

/// Everything in the edit's own hook, about all of the file, by every tool that there is.
pub(super) fn whole_files(loaded: &mut Loaded) {
    loaded.config.pace = Pace::Thorough;
    loaded.config.boy_scout = true;
    loaded.config.unconfigured = Unconfigured::All;
    loaded.config.formatting = Formatting::All;
}

/// What is left, in the script's forms: all of it as JSON where no model is to be asked, else in words, and how many on stdout.
fn spoken(run: &Run<'_>, answered: &Answered) -> Reply {
    let mut reply = after_delegation(run, answered);
    let Some(linted) = answered.settled.lint.as_deref().filter(|_| reply.exit == exit::BLOCKED) else {
        return reply;
    };
    let count = linted.violations.len();
    if run.machine.var(&environment::HOOK_SKIP_SUBPROCESS).as_deref() == Some("1") {
        let lines = linted.said.iter().chain(&answered.settled.verdict.notices);
        reply.stderr = lines.chain(&answered.settled.aloud).map(|line| format!("{line}\n")).collect();
        let list: Vec<Json> = linted.violations.iter().map(linters::to_json).collect();
        // Nothing comes after it, so that what follows the mark is JSON to the end.
        let _ = writeln!(reply.stderr, "[hook] {:#}", json!(list));
        return reply;
    }
    let path = answered.event.edit().map(|edit| edit.path.clone()).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let message = format!("{count} violation(s) in {name}: {}. Fix them.", rules(linted));
    reply.stdout = line(&json!({"continue": true, "systemMessage": message}));
    let _ = writeln!(reply.stderr, "[hook:feedback-loop] delivered {count} for {}", path.display());
    reply
}

/// What is left of an edited file in the words of the scripts' document: everything on stderr, exit code 2 where violations are left.
pub(super) fn after_delegation(run: &Run<'_>, answered: &Answered) -> Reply {
    let settled = &answered.settled;
    let Some(linted) = settled.lint.as_deref().filter(|_| settled.verdict.decision >= Decision::Ask) else {
        return run.rendered(answered);
    };
    let found = &linted.violations;
    let mut stderr = settled.aloud.iter().map(|line| format!("{line}\n")).collect::<String>();
    let _ = writeln!(stderr, "[hook] {} violation(s) remain after delegation", found.len());
    stderr.push_str(&violations::list(found, &settled.project.root, violations::MOST));
    if linted.already_there > 0 {
        let _ = writeln!(stderr, "already there before this edit: {}", linted.already_there);
    }
    let instead = settled.verdict.findings.iter().filter_map(|finding| finding.instead.as_deref());
    let texts = instead.chain(settled.verdict.context.iter().map(String::as_str));
    for text in texts.chain(settled.verdict.notices.iter().map(String::as_str)) {
        let _ = writeln!(stderr, "{}", text.trim_end());
    }
    Reply { stderr, exit: exit::BLOCKED, ..Reply::default() }
}

/// The rules that were broken, each once.
fn rules(linted: &Linted) -> String {
    let mut codes: Vec<&str> = linted.violations.iter().map(|found| found.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes.join(", ")
}

fn line(json: &Json) -> String {
    format!("{json}\n")
}

/// Keys of the first config format: their meaning moved, and the user has to move them.
fn retired(machine: &Machine) -> String {
    let project = Project::find(machine, &machine.cwd());
    let loaded = state::config::load(machine, &project, checks::role, Trust::Everything);
    let problems = loaded.problems.iter().filter(|problem| problem.text.contains("is no longer supported"));
    problems.map(|problem| format!("[hook:error] {}\n", problem.text)).collect()
}
