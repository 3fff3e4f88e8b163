//! `cargo dev latency`: what a hook call costs, as a multiple of `/bin/true` in the same run.
//!
//! CPU time (user and system, of the whole process tree) and not wall time, because machines are shared; the median of many
//! interleaved runs, because they are noisy. It measures and prints, and marks what is over its limit; nothing fails by it.
//! What is measured is in `cases`, one file per subject; how, in `measure`; the page of numbers, in `report`. `instructions` counts
//! instead, which can be compared and can fail.

mod beside;
mod cases;
mod floor;
mod instructions;
mod measure;
mod report;
mod stage;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use beside::Beside;
pub(crate) use instructions::executed;
#[cfg(test)]
pub(crate) use instructions::{pages, release};
use measure::Figures;
use stage::Stage;

/// Measure what a hook call costs, as a multiple of `/bin/true` in the same run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs of each case; dear ones get fewer
    #[arg(long, default_value_t = 300)]
    runs: usize,
    /// The program, instead of a fresh release build
    #[arg(long, alias = "binary")]
    bin: Option<PathBuf>,
    /// Only cases whose subject or name contains this; may be given several times
    #[arg(long)]
    only: Vec<String>,
    /// Write `docs/internals/benchmarks.md` too
    #[arg(long)]
    report: bool,
    /// Count instructions with valgrind instead, which every run repeats
    #[arg(long)]
    instructions: bool,
    /// Compare the counts with those in this file; without a name, with those in the repository
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = instructions::KEPT, requires = "instructions")]
    against: Option<PathBuf>,
    /// Fail if a call before a tool takes this many percent more than in that file
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0)]
    within: f64,
    /// Write the counts to this file; without a name, to the one in the repository
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = instructions::KEPT, requires = "instructions")]
    save: Option<PathBuf>,
}

/// One thing to measure.
#[derive(Debug)]
struct Case {
    /// The heading that it stands under.
    subject: &'static str,
    name: String,
    program: PathBuf,
    args: Vec<String>,
    stdin: PathBuf,
    /// The working directory and the project.
    project: PathBuf,
    variables: Vec<(String, String)>,
    /// Times `/bin/true`, at most.
    limit: Option<f64>,
    /// Starts other programs, so that a tenth of the runs tell enough.
    dear: bool,
    beside: Option<Beside>,
}

impl Case {
    /// States the most that it may cost.
    fn at_most(mut self, times: f64) -> Self {
        self.limit = Some(times);
        self
    }

    fn dear(mut self) -> Self {
        self.dear = true;
        self
    }

    fn beside(mut self, part: Beside) -> Self {
        self.beside = Some(part);
        self
    }

    fn is_floor(&self) -> bool {
        self.program == Path::new(TRUE) || self.name == floor::NAME
    }
}

/// What everything is compared with.
const TRUE: &str = "/bin/true";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let built = match &args.bin {
        Some(path) => path.clone(),
        None => build(args.instructions)?,
    };
    if args.instructions {
        return instructions::run(args, &built);
    }
    let stage = Stage::new(&built)?;
    let mut cases = vec![stage.program("the floor", TRUE, TRUE, &[])];
    cases.extend(floor::static_noop(&stage)?);
    for subject in cases::SUBJECTS {
        cases.extend(subject(&stage)?);
    }
    let wanted = |case: &Case| {
        args.only.iter().any(|only| case.name.contains(only.as_str()) || case.subject.contains(only.as_str()))
    };
    cases.retain(|case| case.is_floor() || args.only.is_empty() || wanted(case));
    let figures = measure::all(&stage, &cases, args.runs)?;
    let floor = figures[0].median;
    let noop = cases.iter().position(|case| case.name == floor::NAME).map(|at| figures[at].median);
    let mut subject = "";
    for (case, figures) in cases.iter().zip(&figures) {
        if case.subject != subject {
            subject = case.subject;
            println!(
                "\n{:36} {:>9} {:>9} {:>9} {:>7} {:>8} {:>7} {:>9} {:>13}",
                subject, "CPU µs", "least", "wall µs", "×true", "×static", "limit", "peak kB", "instructions"
            );
        }
        println!("{}", line(case, figures, floor, noop));
    }
    beside::print(&cases, &figures);
    println!("\n{} runs each, interleaved; × is the ratio of medians of user + system time", args.runs);
    if args.report {
        report::write(&cases, &figures, args.runs)?;
    }
    Ok(())
}

fn line(case: &Case, figures: &Figures, floor: u64, noop: Option<u64>) -> String {
    let number = |n: Option<u64>| n.map_or_else(|| "-".into(), |n| n.to_string());
    let ratio = figures.times(floor);
    let bare = noop.map_or_else(|| "-".into(), |noop| format!("{:.2}", figures.times(noop)));
    let limit = case.limit.map_or_else(|| "-".into(), |limit| format!("{limit:.1}"));
    let over = if case.limit.is_some_and(|limit| ratio > limit) { "  OVER" } else { "" };
    format!(
        "{:36} {:>9} {:>9} {:>9} {ratio:>7.2} {bare:>8} {limit:>7} {:>9} {:>13}{over}",
        case.name,
        figures.median,
        figures.least,
        figures.wall,
        number(figures.peak),
        number(figures.instructions)
    )
}

/// The release executable, built as a user builds it, or without what takes half an hour to compile.
fn build(bare: bool) -> anyhow::Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "plimsoll", "--message-format=json-render-diagnostics"])
        .args(bare.then_some("--no-default-features"))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        bail!("the release build failed");
    }
    executable(&output.stdout)
}

/// The one that cargo's messages name.
pub(crate) fn executable(messages: &[u8]) -> anyhow::Result<PathBuf> {
    String::from_utf8_lossy(messages)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo named no executable")
}
