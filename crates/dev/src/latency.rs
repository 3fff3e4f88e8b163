//! `cargo dev latency`: what a hook call costs, as a multiple of `/bin/true` in the same run.
//!
//! CPU time (user and system, of the whole process tree) and not wall time, because machines are shared; the median of many
//! interleaved runs, because they are noisy. It measures and prints; nothing fails by it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::json;

/// Measure what a hook call costs, as a multiple of `/bin/true` in the same run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs of each case
    #[arg(long, default_value_t = 300)]
    runs: usize,
    /// The program, instead of a fresh release build
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Only cases whose name contains this
    #[arg(long)]
    only: Option<String>,
}

/// One thing to measure.
struct Case {
    name: &'static str,
    program: PathBuf,
    args: &'static [&'static str],
    stdin: PathBuf,
    micros: Vec<u64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let built = match &args.bin {
        Some(path) => path.clone(),
        None => build()?,
    };
    let work = tempfile::tempdir()?;
    // A file that the linker has just written costs a third more to start than a copy of it.
    let program = work.path().join("plimsoll");
    std::fs::copy(&built, &program).with_context(|| format!("{} cannot be copied", built.display()))?;
    let project = prepare(work.path())?;
    let mut cases = cases(work.path(), &program, &project)?;
    if let Some(only) = &args.only {
        cases.retain(|case| case.name == TRUE || case.name.contains(only.as_str()));
    }
    for round in 0..args.runs + 5 {
        for case in &mut cases {
            let micros = measure(case, work.path(), &project)?;
            // The first rounds fill caches.
            if round >= 5 {
                case.micros.push(micros);
            }
        }
    }
    let floor = median(&cases[0].micros);
    println!(
        "{:28} {:>9} {:>9} {:>7} {:>9} {:>13}",
        "case", "CPU µs", "least", "×true", "peak kB", "instructions"
    );
    for case in &cases {
        let (middle, least) = (median(&case.micros), case.micros.iter().min().copied().unwrap_or(0));
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a short run")]
        let ratio = middle as f64 / floor as f64;
        let instructions =
            instructions(case, work.path(), &project).map_or_else(|| "-".into(), |n| n.to_string());
        let peak = peak_kilobytes(case, work.path(), &project).map_or_else(|| "-".into(), |n| n.to_string());
        println!("{:28} {middle:>9} {least:>9} {ratio:>7.2} {peak:>9} {instructions:>13}", case.name);
    }
    println!("\n{} runs each, interleaved; × is the ratio of medians of user + system time", args.runs);
    Ok(())
}

const TRUE: &str = "/bin/true";

/// The release executable, built as a user builds it.
fn build() -> anyhow::Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "plimsoll", "--message-format=json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        bail!("the release build failed");
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo named no executable")
}

/// A project as people have them: a repository with a config file.
fn prepare(work: &Path) -> anyhow::Result<PathBuf> {
    let project = work.join("project");
    std::fs::create_dir_all(project.join(".claude/hooks"))?;
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::create_dir_all(work.join("home"))?;
    std::fs::write(
        project.join(".claude/hooks/config.json"),
        r#"{"languages": {"python": true}, "profile": "standard"}"#,
    )?;
    std::fs::write(project.join("src/app.py"), "x = 1\n")?;
    for words in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "start"]] {
        let who = ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid"];
        let done = Command::new("git").args(who).args(words).current_dir(&project).output()?;
        if !done.status.success() {
            bail!("git {} failed", words[0]);
        }
    }
    Ok(project)
}

fn cases(work: &Path, program: &Path, project: &Path) -> anyhow::Result<Vec<Case>> {
    let mut cases = vec![Case {
        name: TRUE,
        program: TRUE.into(),
        args: &[],
        stdin: "/dev/null".into(),
        micros: Vec::new(),
    }];
    let file = |name: &str| project.join(name).to_string_lossy().into_owned();
    let edit = |name: &str| json!({"tool_name": "Edit", "tool_input": {"file_path": file(name), "old_string": "x = 1", "new_string": "x = 2", "replace_all": false}});
    let shell =
        |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "d"}});
    let compound = "cd src && grep -rn \"needle\" --include='*.py' . | head -20; python -m pytest -q tests/test_app.py && ".repeat(22)
        + "git status";
    for (name, event, body) in [
        ("edit, ordinary file", "PreToolUse", edit("src/app.py")),
        ("edit, protected file", "PreToolUse", edit(".ruff.toml")),
        ("shell, ls -la", "PreToolUse", shell("ls -la")),
        ("shell, 2 KB compound", "PreToolUse", shell(&compound)),
        ("after an edit", "PostToolUse", edit("src/app.py")),
        (
            "stop, nothing changed",
            "Stop",
            json!({"stop_hook_active": false, "last_assistant_message": "Done."}),
        ),
    ] {
        let mut payload = json!({
            "session_id": "latency", "transcript_path": file("t.jsonl"), "cwd": project, "permission_mode": "default",
            "hook_event_name": event, "tool_use_id": "toolu_01",
        });
        if let (Some(into), Some(from)) = (payload.as_object_mut(), body.as_object()) {
            into.extend(from.clone());
        }
        let stdin = work.join(format!("{name}.json"));
        std::fs::write(&stdin, payload.to_string())?;
        let args = &["hook", "--deadline", "30"];
        cases.push(Case { name, program: program.to_owned(), args, stdin, micros: Vec::new() });
    }
    Ok(cases)
}

fn command(case: &Case, work: &Path, project: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(&case.program);
    command.args(case.args);
    with_surroundings(&mut command, case, work, project)?;
    Ok(command)
}

fn with_surroundings(command: &mut Command, case: &Case, work: &Path, project: &Path) -> anyhow::Result<()> {
    command.current_dir(project).stdin(File::open(&case.stdin)?).stdout(Stdio::null()).stderr(Stdio::null());
    command
        .env("HOME", work.join("home"))
        .env("CLAUDE_PROJECT_DIR", project)
        .env_remove("PLIMSOLL_STATE_DIR");
    Ok(())
}

/// CPU of one run, by what this process's finished children have used before and after.
fn measure(case: &Case, work: &Path, project: &Path) -> anyhow::Result<u64> {
    let before = children_micros()?;
    let status = command(case, work, project)?.status()?;
    if !status.success() && status.code() != Some(2) {
        bail!("{} ended with {status}", case.name);
    }
    Ok(children_micros()? - before)
}

fn children_micros() -> anyhow::Result<u64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(u64::try_from(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())?)
}

/// The most memory one run held, where GNU time is there to say it: the kernel counts a child's peak from before `exec`, so
/// it must be asked from a small parent.
fn peak_kilobytes(case: &Case, work: &Path, project: &Path) -> Option<u64> {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(&case.program).args(case.args);
    with_surroundings(&mut command, case, work, project).ok()?;
    let output = command.stderr(Stdio::piped()).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}

/// User instructions of one run, where the machine counts them.
fn instructions(case: &Case, work: &Path, project: &Path) -> Option<u64> {
    let mut command = Command::new("perf");
    command.args(["stat", "-x", ",", "-e", "instructions:u", "--"]).arg(&case.program).args(case.args);
    with_surroundings(&mut command, case, work, project).ok()?;
    let output = command.stderr(Stdio::piped()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines()
        .find(|line| line.contains("instructions"))
        .and_then(|line| line.split(',').next()?.parse().ok())
}

fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}
