//! `cargo dev latency`: what a hook call costs, as a multiple of `/bin/true` in the same run.
//!
//! CPU time (user and system, of the whole process tree) and not wall time, because machines are shared; the median of many
//! interleaved runs, because they are noisy. It measures and prints, and marks what is over its limit; nothing fails by it.
//! What is measured is in `cases`, one file per subject; how, in `measure`; the page of numbers, in `report`.

mod beside;
mod cases;
mod measure;
mod report;
mod stage;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use beside::Beside;
use measure::Figures;
use stage::Stage;

/// Measure what a hook call costs, as a multiple of `/bin/true` in the same run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs of each case; dear ones get fewer
    #[arg(long, default_value_t = 300)]
    runs: usize,
    /// The program, instead of a fresh release build
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Only cases whose subject or name contains this; may be given several times
    #[arg(long)]
    only: Vec<String>,
    /// Write `docs/benchmarks.md` too
    #[arg(long)]
    report: bool,
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
        self.program == Path::new(TRUE)
    }
}

/// What everything is compared with.
const TRUE: &str = "/bin/true";

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let built = match &args.bin {
        Some(path) => path.clone(),
        None => build()?,
    };
    let stage = Stage::new(&built)?;
    let mut cases = vec![stage.program("the floor", TRUE, TRUE, &[])];
    for subject in cases::SUBJECTS {
        cases.extend(subject(&stage)?);
    }
    let wanted = |case: &Case| {
        args.only.iter().any(|only| case.name.contains(only.as_str()) || case.subject.contains(only.as_str()))
    };
    cases.retain(|case| case.is_floor() || args.only.is_empty() || wanted(case));
    let figures = measure::all(&stage, &cases, args.runs)?;
    let floor = figures[0].median;
    let mut subject = "";
    for (case, figures) in cases.iter().zip(&figures) {
        if case.subject != subject {
            subject = case.subject;
            println!(
                "\n{:36} {:>9} {:>9} {:>9} {:>7} {:>7} {:>9} {:>13}",
                subject, "CPU µs", "least", "wall µs", "×true", "limit", "peak kB", "instructions"
            );
        }
        println!("{}", line(case, figures, floor));
    }
    beside::print(&cases, &figures);
    println!("\n{} runs each, interleaved; × is the ratio of medians of user + system time", args.runs);
    if args.report {
        report::write(&cases, &figures, args.runs)?;
    }
    Ok(())
}

fn line(case: &Case, figures: &Figures, floor: u64) -> String {
    let number = |n: Option<u64>| n.map_or_else(|| "-".into(), |n| n.to_string());
    let ratio = figures.times(floor);
    let limit = case.limit.map_or_else(|| "-".into(), |limit| format!("{limit:.1}"));
    let over = if case.limit.is_some_and(|limit| ratio > limit) { "  OVER" } else { "" };
    format!(
        "{:36} {:>9} {:>9} {:>9} {ratio:>7.2} {limit:>7} {:>9} {:>13}{over}",
        case.name,
        figures.median,
        figures.least,
        figures.wall,
        number(figures.peak),
        number(figures.instructions)
    )
}

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
