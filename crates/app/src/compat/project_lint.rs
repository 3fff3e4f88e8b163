//! The script `practice/lint`: the linter that a project has, in the edit's own hook, without a model. When it has failed three
//! times in a row it only advises for five minutes, so that an agent that cannot fix something can go on.

use std::time::Duration;

use agents::Reply;
use linters::Language;
use serde_json::json;
use state::config::Loaded;
use state::process::Program;
use state::{Machine, Project, beneath, files};

use super::linter::after_delegation;
use super::run::{Came, Run, trusting};
use crate::hook::Terms;

const SECONDS: u64 = 60;
/// Failures in a row that open the breaker, and seconds that it stays open.
const FAILURES: u64 = 3;
const PAUSE: u64 = 300;

pub(super) fn lint(machine: &Machine, _: &[String]) -> Reply {
    let terms = Terms { deadline: SECONDS, adjust: without_a_model, ..trusting(&["edit/lint"]) };
    let run = Run::new(machine, "PostToolUse", terms);
    // The original let pass what it could not read.
    let Came::Settled(answered) = run.of_stdin() else { return Reply::default() };
    let event = &answered.event;
    let project = &answered.settled.project;
    let mut said = after_delegation(&run, &answered);
    // A file of no language that we know may still be the business of the project's own rule.
    if let Some(edit) = event.edit()
        && said.exit == 0
        && Language::of(&edit.path).is_none()
    {
        said = by_make(project).unwrap_or(said);
    }
    Breaker::of(machine, project).judge(machine, said)
}

fn without_a_model(loaded: &mut Loaded) {
    super::linter::whole_files(loaded);
    loaded.config.subprocess_delegation = false;
}

/// `make lint`, where the project has such a rule.
fn by_make(project: &Project) -> Option<Reply> {
    let text = files::read(&project.root.join("Makefile")).ok().flatten()?;
    if !text.lines().any(|line| line.starts_with("lint:")) {
        return None;
    }
    let ran = Program::new("make").arg("lint").cwd(&project.root).within(Duration::from_secs(SECONDS)).run();
    let (failed, words) = match ran {
        Ok(done) => (done.code != Some(0), [done.stdout, done.stderr].concat()),
        Err(error) => (true, error.to_string().into_bytes()),
    };
    if !failed {
        return None;
    }
    let words = String::from_utf8_lossy(&words).into_owned();
    let last: Vec<&str> = words.lines().rev().take(20).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Some(Reply {
        stderr: format!("[hook] make lint failed\n{}\n", last.join("\n")),
        exit: 2,
        ..Reply::default()
    })
}

/// `.claude/.lint-breaker`: `state|count|epoch`.
struct Breaker {
    root: std::path::PathBuf,
    file: std::path::PathBuf,
    open: bool,
    count: u64,
    since: u64,
}

impl Breaker {
    fn of(machine: &Machine, project: &Project) -> Self {
        let file = project.claude_dir().join(".lint-breaker");
        let text = files::read(&file).ok().flatten().unwrap_or_default();
        let mut parts = text.trim().split('|');
        let state = parts.next().unwrap_or_default().to_owned();
        let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
        let (count, since) = (number(), number());
        // After the pause one more try counts.
        let now = machine.now();
        let open = state == "open" && now < since + PAUSE && !model::time::is_ahead(since, now);
        Self { root: project.root.clone(), file, open, count, since }
    }

    fn judge(mut self, machine: &Machine, reply: Reply) -> Reply {
        if reply.exit == 0 {
            if self.count > 0 {
                self.write("closed", 0, machine.now());
            }
            return reply;
        }
        if self.open {
            let text = format!(
                "[hook:advisory] the linter has failed {} times in a row and only advises for now\n{}",
                self.count, reply.stderr
            );
            let json =
                json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text}});
            return Reply { stdout: format!("{json}\n"), ..Reply::default() };
        }
        self.count += 1;
        let state = if self.count >= FAILURES { "open" } else { "closed" };
        self.since = machine.now();
        self.write(state, self.count, self.since);
        reply
    }

    fn write(&self, state: &str, count: u64, epoch: u64) {
        // Without it the linter goes on blocking, which is the safe side.
        let _ = beneath::write(&self.root, &self.file, format!("{state}|{count}|{epoch}\n").as_bytes());
    }
}
