//! CPU time, peak memory and instructions of a program's runs.

use std::fs::File;
use std::process::{Command, Stdio};

use anyhow::bail;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use super::{Case, Stage};

#[derive(Debug, Default)]
pub(super) struct Figures {
    /// CPU, in microseconds.
    pub(super) median: u64,
    pub(super) least: u64,
    /// On the clock, in microseconds: for cases that start other programs side by side.
    pub(super) wall: u64,
    /// The same, of the quietest quarter of the runs.
    pub(super) quiet: u64,
    /// Kilobytes.
    pub(super) peak: Option<u64>,
    pub(super) instructions: Option<u64>,
}

impl Figures {
    /// As a multiple of the floor.
    #[expect(clippy::cast_precision_loss, reason = "microseconds of a short run")]
    pub(super) fn times(&self, floor: u64) -> f64 {
        self.median as f64 / floor.max(1) as f64
    }
}

/// Runs that fill caches.
const WARMING: usize = 5;

pub(super) fn all(stage: &Stage, cases: &[Case], runs: usize) -> anyhow::Result<Vec<Figures>> {
    let mut micros: Vec<Vec<u64>> = cases.iter().map(|_| Vec::new()).collect();
    let mut walls = micros.clone();
    for round in 0..runs + WARMING {
        for ((case, micros), walls) in cases.iter().zip(&mut micros).zip(&mut walls) {
            if case.dear && round >= WARMING && round % 10 != 0 {
                continue;
            }
            let (spent, wall) = once(stage, case)?;
            if round >= WARMING {
                micros.push(spent);
                walls.push(wall);
            }
        }
    }
    let figures = cases.iter().zip(micros).zip(walls).map(|((case, micros), walls)| Figures {
        wall: part(&walls, 2),
        quiet: part(&walls, 4),
        median: part(&micros, 2),
        least: micros.iter().min().copied().unwrap_or(0),
        peak: peak_kilobytes(stage, case),
        instructions: instructions(stage, case),
    });
    Ok(figures.collect())
}

/// CPU and wall time of one run; CPU by what this process's finished children have used before and after.
pub(super) fn once(stage: &Stage, case: &Case) -> anyhow::Result<(u64, u64)> {
    let before = children_micros()?;
    let mut command = Command::new(&case.program);
    command.args(&case.args);
    surround(&mut command, stage, case)?;
    let begin = std::time::Instant::now();
    let status = command.status()?;
    let wall = u64::try_from(begin.elapsed().as_micros())?;
    // 1 and 2 are how linters say that they have found something, and 2 how a hook does.
    if !matches!(status.code(), Some(0..=2)) {
        bail!("{} ended with {status}", case.name);
    }
    Ok((children_micros()? - before, wall))
}

fn surround(command: &mut Command, stage: &Stage, case: &Case) -> anyhow::Result<()> {
    command.current_dir(&case.project).stdin(File::open(&case.stdin)?);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
        .env("HOME", stage.home())
        .env("CLAUDE_PROJECT_DIR", &case.project)
        .env_remove("PLIMSOLL_STATE_DIR");
    command.envs(case.variables.iter().map(|(name, value)| (name, value)));
    Ok(())
}

fn children_micros() -> anyhow::Result<u64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(u64::try_from(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())?)
}

/// The most memory one run held, where GNU time is there to say it: the kernel counts a child's peak from before `exec`, so
/// it must be asked from a small parent.
fn peak_kilobytes(stage: &Stage, case: &Case) -> Option<u64> {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(&case.program).args(&case.args);
    surround(&mut command, stage, case).ok()?;
    let output = command.stderr(Stdio::piped()).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}

/// User instructions of one run, where the machine counts them.
fn instructions(stage: &Stage, case: &Case) -> Option<u64> {
    let mut command = Command::new("perf");
    command.args(["stat", "-x", ",", "-e", "instructions:u", "--"]).arg(&case.program).args(&case.args);
    surround(&mut command, stage, case).ok()?;
    let output = command.stderr(Stdio::piped()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.lines()
        .find(|line| line.contains("instructions"))
        .and_then(|line| line.split(',').next()?.parse().ok())
}

/// What one in `among` of the values is below: the median for 2.
fn part(values: &[u64], among: usize) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / among).copied().unwrap_or(0)
}
