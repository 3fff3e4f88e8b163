//! SG01–SG10: stops, held when protected files were changed and nobody has approved it. The specification left them out because
//! it had no way to restart a session; a session is a few hook calls here.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use state::process::Program;
use state::{Approvals, atomic, files, git};

use super::{Bench, Case, Expected, Observed, Suite, answer};

const SCRIPT: &str = "stop_config_guardian";
const BASIS: &str = "old linter hooks, stop guardian; test specification, out of its own scope";
const LIMIT: Duration = Duration::from_secs(30);

const BEFORE: &str = "line-length = 88\n";
const AFTER: &str = "line-length = 300\n";

/// What happens in a session before it stops.
#[derive(Clone, Copy)]
enum Did {
    Write(&'static str, &'static str),
    Remove(&'static str),
    Stage(&'static str),
    /// The user approves the file as it is now.
    Approve(&'static str),
}

use Did::{Approve, Remove, Stage, Write};

struct Row {
    id: &'static str,
    name: &'static str,
    summary: &'static str,
    did: &'static [Did],
    /// What the reason must hold; none where the stop goes through.
    says: &'static [&'static str],
    /// The second stop in a row.
    again: bool,
    repository: bool,
}

const fn row(id: &'static str, name: &'static str, summary: &'static str, did: &'static [Did]) -> Row {
    Row { id, name, summary, did, says: &[], again: false, repository: true }
}

impl Row {
    const fn held(mut self, says: &'static [&'static str]) -> Self {
        self.says = says;
        self
    }

    const fn again(mut self) -> Self {
        self.again = true;
        self
    }

    const fn outside(mut self) -> Self {
        self.repository = false;
        self
    }
}

static ROWS: &[Row] = &[
    row("SG01", "clean_stop", "nothing protected changed", &[Write("app.py", "x = 2\n")]),
    row("SG02", "modified_held", ".ruff.toml modified", &[Write(".ruff.toml", AFTER)]).held(&[
        "AskUserQuestion",
        "git checkout -- .ruff.toml",
        "git diff",
    ]),
    row(
        "SG03",
        "staged_held",
        ".ruff.toml modified and staged",
        &[Write(".ruff.toml", AFTER), Stage(".ruff.toml")],
    )
    .held(&[".ruff.toml"]),
    row("SG04", "deleted_held", ".ruff.toml deleted", &[Remove(".ruff.toml")]).held(&[".ruff.toml"]),
    // The script goes by `git diff`, which names a new file once it is staged.
    row("SG05", "new_held", "a new .flake8", &[Write(".flake8", "[flake8]\n"), Stage(".flake8")])
        .held(&[".flake8"]),
    row("SG06", "second_stop", "stop_hook_active", &[Write(".ruff.toml", AFTER)]).again(),
    row("SG07", "no_repository", "outside a repository", &[Write(".ruff.toml", AFTER)]).outside(),
    row("SG08", "approved", "modified, then approved", &[Write(".ruff.toml", AFTER), Approve(".ruff.toml")]),
    row(
        "SG09",
        "approval_of_other_content",
        "approved, then modified again",
        &[Write(".ruff.toml", AFTER), Approve(".ruff.toml"), Write(".ruff.toml", "line-length = 400\n")],
    )
    .held(&[".ruff.toml"]),
    row(
        "SG10",
        "one_of_two_approved",
        "two modified, one approved",
        &[
            Write(".ruff.toml", AFTER),
            Write(".flake8", "[flake8]\n"),
            Stage(".flake8"),
            Approve(".ruff.toml"),
        ],
    )
    .held(&[".flake8"]),
];

pub(super) fn suite() -> Suite {
    Suite::besides("guardian-agent", "stop_config_guardian.sh", ROWS.iter().map(case).collect())
}

fn case(row: &'static Row) -> Case {
    Case {
        id: row.id,
        name: row.name,
        category: "guardian",
        summary: row.summary.into(),
        basis: BASIS,
        expected: Expected {
            decision: if row.says.is_empty() { "approve" } else { "block" },
            exit: Some(0),
            says: row.says.to_vec(),
        },
        required: false,
        run: Box::new(move |bench| {
            run(bench, row).unwrap_or_else(|error| Observed::failed(error.to_string()))
        }),
    }
}

/// An approval at the old address belongs to a process. This one's number lies above every system's largest, and its file goes
/// with the case.
struct Process(u32);

impl Process {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(
            3_000_000_000
                + (std::process::id() % 10_000_000) * 64
                + NEXT.fetch_add(1, Ordering::Relaxed) % 64,
        )
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = files::remove(&Approvals::pid_file(self.0));
    }
}

fn run(bench: &Bench, row: &Row) -> std::io::Result<Observed> {
    let project = bench.project(row.id, &json!({}), &[(".ruff.toml", BEFORE), ("app.py", "x = 1\n")])?;
    if row.repository {
        commit(&project)?;
    }
    let process = Process::new();
    let pid = process.0.to_string();
    let variables = [("HOOK_GUARD_PID", pid.as_str())];
    let payload = |event: &str| json!({"hook_event_name": event, "session_id": row.id, "cwd": project, "source": "startup", "stop_hook_active": row.again});
    // The old script knew no beginning of a session.
    if bench.native
        && let Err(failed) = bench.script(SCRIPT, &project, &payload("SessionStart"), &variables)
    {
        return Ok(failed);
    }
    for did in row.did {
        match did {
            Write(name, text) => atomic::write(&project.join(name), text.as_bytes())?,
            Remove(name) => files::remove(&project.join(name))?,
            Stage(name) => {
                git::run(&project, &["add", name], LIMIT)?;
            }
            Approve(name) => approve(bench, row, &project, &pid, name)?,
        }
    }
    Ok(bench
        .script(SCRIPT, &project, &payload("Stop"), &variables)
        .map_or_else(|failed| failed, |done| answer::observed(&done)))
}

fn commit(project: &Path) -> std::io::Result<()> {
    git::run(project, &["init", "-q", "-b", "main"], LIMIT)?;
    git::run(project, &["add", "-A"], LIMIT)?;
    let who = ["-c", "user.name=selftest", "-c", "user.email=selftest@example.invalid"];
    git::run(project, &[&who[..], &["commit", "-q", "-m", "start"]].concat(), LIMIT)?;
    Ok(())
}

fn approve(bench: &Bench, row: &Row, project: &Path, pid: &str, name: &str) -> std::io::Result<()> {
    let words: Vec<&str> = if bench.native {
        vec!["approve", "--yes", "--session", row.id, "--", name]
    } else {
        vec!["compat", "approve_configs", pid, name]
    };
    // Whoever runs the cases, here it is the user who approves.
    let program = state::person::signs().fold(Program::new(bench.program()), Program::without_env);
    let done = program
        .args(words)
        .cwd(project)
        .env("PLIMSOLL_STATE_DIR", bench.scratch.join("state"))
        .within(LIMIT)
        .run()?;
    if done.code == Some(0) {
        return Ok(());
    }
    Err(std::io::Error::other(format!(
        "the approval failed: {}",
        String::from_utf8_lossy(&done.stderr).trim()
    )))
}
