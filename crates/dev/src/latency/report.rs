//! `docs/internals/benchmarks.md`: the numbers of one run, with how to get them again.

use std::fmt::Write as _;

use anyhow::Context;

use super::{Case, Figures, floor};
use crate::workspace;

const FILE: &str = "docs/internals/benchmarks.md";

const HEAD: &str = "\
<!-- Written by `cargo dev latency --report`; its source is `crates/dev/src/latency/report.rs`. -->

# What it costs

CPU time of one whole hook call (user and system, children included) as a multiple of `/bin/true` in the same run: the start of a
program that does nothing. Wall time is left out, but for one comparison at the end: it says more about what else the machine was
doing. The runs of all cases are interleaved, and the median counts. *limit* is what we hold ourselves to.

Get them again with

```sh
cargo dev latency            # prints them
cargo dev latency --report   # writes this page
```

Time is noisy; instructions are not. `cargo dev latency --instructions --against` counts those of the standing cases with valgrind
and fails where a call before a tool takes three percent more than in `crates/dev/instructions.tsv`.
";

const BESIDE: &str = "
## Every linter on every edit, on the clock

The pace `thorough` beside the slowest of a language's tools alone, by hand; Python's beside all of its tools at once. The lower
quartile of the runs' wall time. A file of some fifty lines each: of a script of three lines shellcheck takes as long as a few
processes take to start, and the hook is one more.

| language | slowest | × | limit | µs | tool's µs |
| --- | --- | --- | --- | --- | --- |
";

pub(super) fn write(cases: &[Case], figures: &[Figures], runs: usize) -> anyhow::Result<()> {
    let path = workspace::root().join(FILE);
    std::fs::write(&path, page(cases, figures, runs)).with_context(|| format!("{FILE} cannot be written"))?;
    println!("wrote {FILE}");
    Ok(())
}

fn page(cases: &[Case], figures: &[Figures], runs: usize) -> String {
    let least = figures.first().map_or(0, |figures| figures.median);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut text = HEAD.to_owned();
    let _ = writeln!(
        text,
        "\nThis run: {runs} rounds on {} with {cores} cores; `/bin/true` took {least} µs.",
        std::env::consts::OS
    );
    let noop = cases.iter().zip(figures).find(|(case, _)| case.name == floor::NAME);
    if let Some((_, figures)) = noop {
        let _ = writeln!(
            text,
            "A static program of the C library that does nothing took {} µs, {:.2} times as long.",
            figures.median,
            figures.times(least)
        );
    }
    let mut subject = "";
    for (case, figures) in cases.iter().zip(figures).filter(|(case, _)| !case.is_floor()) {
        if case.subject != subject {
            subject = case.subject;
            let mut title = subject.to_owned();
            title[..1].make_ascii_uppercase();
            let _ = write!(
                text,
                "\n## {title}\n\n| case | × `/bin/true` | limit | µs | peak kB |\n| --- | --- | --- | --- | --- |\n"
            );
        }
        let limit = case.limit.map_or_else(|| "-".into(), |limit| limit.to_string());
        let peak = figures.peak.map_or_else(|| "-".into(), |peak| peak.to_string());
        let _ = writeln!(
            text,
            "| {} | {:.2} | {limit} | {} | {peak} |",
            case.name.replace('|', "\\|"),
            figures.times(least),
            figures.median
        );
    }
    let rows = super::beside::rows(cases, figures);
    if !rows.is_empty() {
        text.push_str(BESIDE);
    }
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {} | {} | {} |",
            row.name,
            row.tool,
            row.times(),
            super::beside::LIMIT,
            row.hook,
            row.alone
        );
    }
    text
}
