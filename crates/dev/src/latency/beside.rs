//! What a hook that runs every linter takes on the clock, beside the slowest of them alone: how long an edit waits that had to
//! wait for that one anyway. The lower quartile of each, because what else a machine does only ever adds.

use super::{Case, Figures};

/// The part of a case in such a comparison; the word is what both sides have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    Hook(&'static str),
    Tool(&'static str),
}

/// Times the slowest tool, at most.
pub(super) const LIMIT: f64 = 1.15;

#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The slowest tool.
    pub(super) tool: String,
    /// Microseconds.
    pub(super) hook: u64,
    pub(super) alone: u64,
}

impl Row {
    #[expect(clippy::cast_precision_loss, reason = "microseconds of a short run")]
    pub(super) fn times(&self) -> f64 {
        self.hook as f64 / self.alone.max(1) as f64
    }
}

pub(super) fn rows(cases: &[Case], figures: &[Figures]) -> Vec<Row> {
    let measured = || cases.iter().zip(figures);
    let row = |(case, figures): (&Case, &Figures)| {
        let Some(Beside::Hook(name)) = case.beside else { return None };
        let tools = measured().filter(|(case, _)| case.beside == Some(Beside::Tool(name)));
        let (slowest, alone) = tools.max_by_key(|(_, figures)| figures.quiet)?;
        Some(Row { name, tool: slowest.name.clone(), hook: figures.quiet, alone: alone.quiet })
    };
    measured().filter_map(row).collect()
}

pub(super) fn print(cases: &[Case], figures: &[Figures]) {
    let rows = rows(cases, figures);
    if !rows.is_empty() {
        println!(
            "\n{:36} {:>9} {:>9} {:>7} {:>7}",
            "thorough, beside the slowest tool", "wall µs", "tool µs", "×", "limit"
        );
    }
    for row in rows {
        let (times, name) = (row.times(), format!("{} ({})", row.name, row.tool));
        let over = if times > LIMIT { "  OVER" } else { "" };
        println!("{name:36} {:>9} {:>9} {times:>7.2} {LIMIT:>7.2}{over}", row.hook, row.alone);
    }
}
