//! `plimsoll test`: the project's tests, run and recorded.

use anyhow::Context;
use model::state_files::TestResult;
use state::config::{self, Trust};
use state::{Machine, Project};

use crate::exit;
use crate::tasks::run_tests;
use crate::ui::{Printer, Tone};

/// Run the project's tests and record the result: evidence for the commit gate.
///
/// It starts what `tests.command` says, or the runner that the project has: pytest or unittest, vitest, jest, `bun test` or `npm test`, `cargo
/// test` or nextest, `go test`. The result belongs to exactly this code, in whatever work tree it lies.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only show what would be started, and where
    #[arg(long)]
    show: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let root = &project.root;
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    let plans = run_tests::plans(machine, &loaded, root);
    if args.show {
        for plan in &plans {
            let below = plan.dir.strip_prefix(root).unwrap_or(&plan.dir).display().to_string();
            let place = if below.is_empty() { String::new() } else { format!("   in {below}") };
            printer.line(&format!("{}{place}", run_tests::shown(plan, root)));
        }
        if plans.is_empty() {
            printer.line("nothing: no tests were found");
        }
        return Ok(exit::OK);
    }
    let ran = run_tests::run_all(machine, &project, &loaded, root, &plans, &mut |plan| {
        printer.line(&printer.paint(Tone::Faint, &format!("$ {}", run_tests::shown(plan, root))));
    });
    let Some(tested) = ran.context("the tests could not be run")? else {
        printer.line(
            "No tests were found in this project. That is recorded for the code as it is now; `tests.command` names a command to run instead.",
        );
        return Ok(exit::OK);
    };
    printer.line(tested.output.trim_end());
    let (tone, code) = match tested.status.result {
        TestResult::Pass => (Tone::Good, exit::OK),
        TestResult::Fail => (Tone::Bad, exit::FAILED),
        // As where no runner is known: recorded, and no failure.
        TestResult::None if tested.nothing => (Tone::Warning, exit::OK),
        TestResult::None => (Tone::Warning, exit::FAILED),
    };
    printer.toned(tone, &tested.headline());
    if tested.moved {
        printer.toned(
            Tone::Warning,
            "The code changed while they ran, so this is the result of neither version. Run them again.",
        );
    }
    Ok(code)
}
