//! The integration specification as a product feature: every case is run for real, as the client runs a hook, and leaves one
//! record. Its 103 cases are `dependencies`, `linting` and `packages`; `--all` adds suites of our own. Suites are tables (`packages`, …) of cases; `bench` is where they run; `record`, `results` and `comparison` are what
//! is kept of them.

mod answer;
pub(crate) mod bench;
mod case;
mod comparison;
mod dependencies;
mod fixer;
mod guardian;
mod linting;
mod live;
mod packages;
mod protection;
mod record;
mod results;
mod scripted;
mod store;
mod tiers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use state::{Machine, Project};

pub(crate) use bench::Bench;
pub(crate) use case::{Case, Expected, Observed, Suite};
pub(crate) use record::{Outcome, Record};
pub(crate) use store::Store;

/// When the whole run ends, whatever is left of it.
const BACKSTOP: Duration = Duration::from_mins(15);

pub(crate) use live::find_client;

/// How a tool gets onto this machine.
fn how_to_get(name: &str) -> String {
    match linters::definition::find(name).map(|linter| (linter.install, linter.docs)) {
        Some((Some(_), _)) => format!("`plimsoll tools install {name}` brings it"),
        Some((None, docs)) => format!("see {docs}"),
        None => "it comes with its own installer".into(),
    }
}

/// The tools for want of which cases were skipped, each once.
pub(crate) fn wanting(ran: &[Ran]) -> Vec<String> {
    let notes =
        ran.iter().flat_map(|suite| &suite.records).filter(|record| record.outcome() == Outcome::Skipped);
    let tools = notes.filter_map(|record| record.note.strip_prefix("absent: ")?.split_once(": "));
    let tools: std::collections::BTreeSet<String> =
        tools.map(|(tool, _)| tool.to_owned()).filter(|tool| !tool.contains(' ')).collect();
    tools.into_iter().collect()
}

/// The cases about tools and registrations alone, for `doctor`.
pub(crate) fn dependencies(machine: &Machine, project: &Project) -> anyhow::Result<Vec<Record>> {
    let bench = Bench::new(machine, &project.root, false, true).context("no scratch folder could be made")?;
    let ran = run_suite(&bench, &dependencies::suite(), deadline(), &|_| {});
    bench.clear().context("the scratch folder could not be removed")?;
    Ok(ran.records)
}

/// What to run, and how.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Only cases whose id begins with one of these.
    pub(crate) only: Vec<String>,
    /// Through `plimsoll hook` instead of the scripts' addresses.
    pub(crate) native: bool,
    /// What is not here is a failure, as the specification says.
    pub(crate) strict: bool,
    /// Also what the specification leaves to others: protection, guardian, tiers, fixer.
    pub(crate) all: bool,
}

pub(crate) use comparison::page as comparison;
pub(crate) use results::{Counts, gaps, page as results};

pub(crate) fn counts(ran: &[Ran]) -> Counts {
    Counts::of(ran.iter().flat_map(|suite| &suite.records))
}

/// A suite that has been run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) suite: &'static str,
    /// Cases that it should have.
    pub(crate) expected: usize,
    pub(crate) records: Vec<Record>,
}

/// The suites, the ones that look at the machine first.
fn suites(options: &Options) -> Vec<Suite> {
    let mut suites = vec![dependencies::suite(), linting::suite(), packages::suite()];
    // Whoever names a case means it, wherever it is.
    if options.all || !options.only.is_empty() {
        suites.extend([protection::suite(), guardian::suite(), tiers::suite(), fixer::suite()]);
    }
    if !options.only.is_empty() {
        for suite in &mut suites {
            suite.cases.retain(|case| options.only.iter().any(|id| case.id.starts_with(id.as_str())));
            suite.expected = suite.cases.len();
        }
        suites.retain(|suite| !suite.cases.is_empty());
    }
    suites
}

/// Runs everything; `progress` is told of each record as it comes.
pub(crate) fn run(
    machine: &Machine,
    project: &Project,
    options: &Options,
    progress: &(dyn Fn(&Record) + Sync),
) -> anyhow::Result<(Vec<Ran>, Bench)> {
    let bench = Bench::new(machine, &project.root, options.native, options.strict)
        .context("no scratch folder could be made")?;
    let end = deadline();
    let (first, rest): (Vec<Suite>, Vec<Suite>) =
        suites(options).into_iter().partition(|suite| suite.required);
    let mut ran = Vec::new();
    let mut missing = false;
    for suite in first {
        let done = run_suite(&bench, &suite, end, progress);
        // Without what everything needs, the other cases would fail for that reason alone.
        missing |= done.records.iter().any(|record| record.required && !record.pass);
        ran.push(done);
    }
    if missing {
        return Ok((ran, bench));
    }
    std::thread::scope(|scope| {
        let running: Vec<_> =
            rest.iter().map(|suite| scope.spawn(|| run_suite(&bench, suite, end, progress))).collect();
        for suite in running {
            // A panic in a case is a fault of the test and ends the run with its words.
            ran.extend(suite.join());
        }
    });
    Ok((ran, bench))
}

#[expect(clippy::disallowed_methods, reason = "a limit for the whole run, not a fact that is judged")]
fn deadline() -> Instant {
    Instant::now() + BACKSTOP
}

#[expect(clippy::disallowed_methods, reason = "the same")]
fn is_over(end: Instant) -> bool {
    Instant::now() >= end
}

/// Two cases of a suite run side by side: most of the time goes into waiting for linters.
const SIDE_BY_SIDE: usize = 2;

fn run_suite(bench: &Bench, suite: &Suite, end: Instant, progress: &(dyn Fn(&Record) + Sync)) -> Ran {
    let late = AtomicBool::new(false);
    let queue =
        std::sync::Mutex::new(suite.cases.iter().enumerate().collect::<std::collections::VecDeque<_>>());
    let done = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop_front();
                    let Some((index, case)) = next else { break };
                    if is_over(end) {
                        late.store(true, Ordering::Relaxed);
                        break;
                    }
                    let record = case.run(bench, suite.hook);
                    progress(&record);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, record));
                }
            });
        }
    });
    let mut records = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    records.sort_by_key(|(index, _)| *index);
    Ran {
        suite: suite.agent,
        expected: suite.expected,
        records: records.into_iter().map(|(_, r)| r).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_specification_has_103_cases_and_all_has_more() {
        let plain = suites(&Options::default());
        let count = |suites: &[Suite]| suites.iter().map(|suite| suite.cases.len()).sum::<usize>();
        assert_eq!(count(&plain), 103);
        let all = suites(&Options { all: true, ..Options::default() });
        assert_eq!(all.len(), 7);
        for suite in &all {
            assert_eq!(suite.cases.len(), suite.expected, "{}", suite.agent);
        }
        // A record is known by its script and its name, a case by its number.
        let names: BTreeSet<_> =
            all.iter().flat_map(|suite| suite.cases.iter().map(|case| (suite.hook, case.name))).collect();
        let ids: BTreeSet<_> = all.iter().flat_map(|suite| suite.cases.iter().map(|case| case.id)).collect();
        assert_eq!((names.len(), ids.len()), (count(&all), count(&all)));
    }

    #[test]
    fn a_case_that_is_named_is_found_without_asking_for_all() {
        let options = Options { only: vec!["T01".into(), "P0".into()], ..Options::default() };
        let agents: Vec<_> = suites(&options).iter().map(|suite| (suite.agent, suite.expected)).collect();
        assert_eq!(agents, [("pm-agent", 9), ("tier-agent", 1)]);
    }
}
