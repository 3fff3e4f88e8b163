//! `plimsoll stats`: the log counted, for a terminal of 80 columns.

use std::collections::BTreeSet;

use model::Decision;
use serde_json::{Value as Json, json};
use state::log::rollup::{self, Day, Rule, Summary};
use state::{Machine, Project};

use crate::exit;
use crate::ui::human::plural;
use crate::ui::{Printer, Tone, human};

/// Count decisions by check, time, findings, tests and money, and name checks that may be noise.
///
/// `plimsoll stats` counts the last seven days of this project. A check whose refusals you have let through by hand is a candidate for
/// noise: `plimsoll replay --suggest` proposes settings, and `plimsoll explain CHECK` says what it is for. Days are those of UTC.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which days
    #[arg(value_enum, default_value_t = Span::Week)]
    span: Span,
    /// Of all projects, not only this one
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Span {
    Today,
    /// Today and the six days before
    Week,
    /// Today and the 29 days before
    Month,
    /// All that is in the log
    Ever,
}

impl Span {
    /// The first day of it, counted from 1970.
    pub(crate) fn first_day(self, today: u64) -> u64 {
        match self {
            Span::Today => today,
            Span::Week => today.saturating_sub(6),
            Span::Month => today.saturating_sub(29),
            Span::Ever => 0,
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Span::Today => "today",
            Span::Week => "the last 7 days",
            Span::Month => "the last 30 days",
            Span::Ever => "all that is in the log",
        }
    }
}

pub(crate) const DAY: u64 = 24 * 3600;

/// What the log says of this project, or of all of them.
pub(crate) fn summary(machine: &Machine, all: bool) -> Summary {
    let mut rollup = rollup::summed(machine);
    if !all {
        let project = Project::here(machine).root.to_string_lossy().into_owned();
        return rollup.remove(&project).unwrap_or_default();
    }
    let mut whole = Summary::default();
    rollup.values().for_each(|summary| whole.merge(summary));
    whole
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let summary = summary(machine, args.all);
    let today = machine.now() / DAY;
    let first = args.span.first_day(today);
    let day = summary.since(first);
    if args.json {
        printer.json(&as_json(&summary, &day, first));
        return Ok(exit::OK);
    }
    let whose =
        if args.all { "all projects".to_owned() } else { Project::here(machine).root.display().to_string() };
    printer.toned(Tone::Title, &format!("{whose}, {}", args.span.words()));
    overview(printer, &summary, &day, first);
    days(printer, &summary, today);
    rules(printer, &day);
    noise(printer, &summary, &day);
    slow(printer, &day);
    Ok(exit::OK)
}

fn overview(printer: &Printer, summary: &Summary, day: &Day, first: u64) {
    let [none, allow, ask, deny] = day.verdicts().map(human::count);
    let back = day.verdicts()[3].saturating_sub(day.refused());
    let sessions = sessions_since(summary, first);
    let n = human::count;
    printer.line(&format!("hook calls  {} in {}", n(day.calls()), plural(sessions, "session")));
    printer.line(&format!(
        "verdicts    {}, {}, {allow} allowed, {none} without comment",
        printer.paint(Tone::Bad, &format!("{deny} denied")),
        printer.paint(Tone::Warning, &format!("{ask} asked")),
    ));
    if back > 0 {
        printer.line(&format!(
            "of these    {} before they ran, {} sent back (findings, held stops)",
            plural(day.refused(), "call"),
            n(back)
        ));
    }
    let then = day.outcomes;
    if then.allowed + then.approved + then.refused > 0 {
        printer.line(&format!(
            "then        {} allowed by hand after a refusal; asked: {} approved, {} refused",
            n(then.allowed),
            n(then.approved),
            n(then.refused)
        ));
    }
    let waited = day.waited().checked_div(day.calls()).unwrap_or(0);
    printer.line(&format!(
        "waited      {} for hooks, {} on average",
        human::duration(day.waited()),
        human::duration(waited)
    ));
    let found: u64 = day.findings.values().sum();
    printer.line(&format!("linters     {} found, {} fixed", plural(found, "finding"), n(day.fixed)));
    let [passed, failed, unknown] = day.tests;
    printer.line(&format!(
        "tests       {}: {} passed, {} failed",
        plural(passed + failed + unknown, "run"),
        n(passed),
        n(failed)
    ));
    if day.fixer.runs > 0 {
        printer.line(&format!(
            "fixer       {}, {} tokens in, {} out, {}",
            plural(day.fixer.runs, "run"),
            n(day.fixer.tokens_in),
            n(day.fixer.tokens_out),
            dollars(day.fixer.microdollars)
        ));
    }
    if day.failures > 0 {
        printer.toned(
            Tone::Warning,
            &format!("faults      {} in Plimsoll itself; `plimsoll log`", n(day.failures)),
        );
    }
}

pub(crate) fn sessions_since(summary: &Summary, first: u64) -> u64 {
    summary.sessions.values().filter(|session| session.last >= first * DAY).count() as u64
}

pub(crate) fn dollars(microdollars: u64) -> String {
    let cents = (microdollars + 5000) / 10_000;
    format!("${}.{:02}", human::count(cents / 100), cents % 100)
}

/// A bar for each of the last 30 days.
fn days(printer: &Printer, summary: &Summary, today: u64) {
    let span = today.saturating_sub(29)..=today;
    let of = |pick: fn(&Day) -> u64| -> Vec<u64> {
        span.clone().map(|day| summary.days.get(&day).map_or(0, pick)).collect()
    };
    let calls = of(Day::calls);
    let stopped = of(|day| day.verdicts()[2] + day.verdicts()[3]);
    if calls.iter().all(|count| *count == 0) {
        return;
    }
    printer.line("");
    printer.toned(Tone::Title, "the last 30 days");
    for (name, values) in [("hook calls", calls), ("denied or asked", stopped)] {
        let most = values.iter().max().copied().unwrap_or(0);
        printer.line(&format!("  {name:16} {}  at most {} a day", sparkline(&values), human::count(most)));
    }
}

/// One character each, as high as its share of the greatest. What is not nothing is never without a bar.
fn sparkline(values: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().max().copied().unwrap_or(0).max(1);
    let bar = |value: &u64| match value {
        0 => '·',
        value => BARS[usize::try_from((value * 8).div_ceil(most) - 1).unwrap_or(7).min(7)],
    };
    values.iter().map(bar).collect()
}

/// Checks with a word, the strongest first.
pub(crate) fn ranked(day: &Day) -> Vec<(&str, &Rule)> {
    let mut rules: Vec<(&str, &Rule)> = day.rules.iter().map(|(id, rule)| (id.as_str(), rule)).collect();
    let weight = |rule: &Rule| {
        (rule.verdicts[3] + rule.verdicts[2], rule.verdicts[3], rule.verdicts[1] + rule.verdicts[0])
    };
    rules.sort_by(|a, b| weight(b.1).cmp(&weight(a.1)).then(a.0.cmp(b.0)));
    rules
}

fn rules(printer: &Printer, day: &Day) {
    const MOST: usize = 15;
    let ranked = ranked(day);
    if ranked.is_empty() {
        return;
    }
    printer.line("");
    let head = format!("{:38} {:>7} {:>7} {:>7} {:>7}", "check", "denied", "asked", "allowed", "by hand");
    printer.toned(Tone::Title, &head);
    for (id, rule) in ranked.iter().take(MOST) {
        let by_hand = rule.outcomes.allowed + rule.outcomes.approved;
        let [_, allow, ask, deny] = rule.verdicts;
        let cells = [deny, ask, allow, by_hand].map(|count| match count {
            0 => format!(" {:>7}", "·"),
            count => format!(" {:>7}", human::count(count)),
        });
        let name: String = id.chars().take(38).collect();
        printer.line(&format!("{name:38}{}", cells.concat()));
    }
    if ranked.len() > MOST {
        printer.toned(Tone::Faint, &format!("and {} more; --json has all", ranked.len() - MOST));
    }
}

/// Checks whose refusals or questions the user has overruled, most often overruled first.
pub(crate) fn overruled(day: &Day) -> Vec<(&str, &Rule)> {
    let mut list: Vec<(&str, &Rule)> = day.rules.iter().map(|(id, rule)| (id.as_str(), rule)).collect();
    list.retain(|(_, rule)| rule.outcomes.allowed > 0);
    list.sort_by(|a, b| b.1.outcomes.allowed.cmp(&a.1.outcomes.allowed).then(a.0.cmp(b.0)));
    list
}

fn noise(printer: &Printer, summary: &Summary, day: &Day) {
    let list = overruled(day);
    if list.is_empty() {
        return;
    }
    printer.line("");
    printer.toned(Tone::Title, "perhaps noise: denied, then allowed by hand");
    for (id, rule) in list.iter().take(8) {
        printer.line(&format!("  {id}: {} of {} refusals", rule.outcomes.allowed, rule.verdicts[3]));
        let example = summary.examples.get(*id).into_iter().flatten().rev().find(|one| one.then == "allowed");
        if let Some(example) = example {
            let short: String = example.subject.chars().take(70).collect();
            printer.toned(Tone::Faint, &format!("      {short}"));
        }
    }
}

fn slow(printer: &Printer, day: &Day) {
    if day.events.is_empty() {
        return;
    }
    printer.line("");
    printer.toned(
        Tone::Title,
        &format!(
            "{:22} {:>9} {:>10} {:>10} {:>10} {:>10}",
            "event", "calls", "median", "p95", "p99", "longest"
        ),
    );
    let mut events: Vec<_> = day.events.iter().collect();
    events.sort_by(|a, b| b.1.micros.cmp(&a.1.micros).then(a.0.cmp(b.0)));
    for (event, times) in events.into_iter().take(8) {
        let name = if event.is_empty() { "(not readable)" } else { event };
        let name: String = name.chars().take(22).collect();
        let cells = [times.percentile(50), times.percentile(95), times.percentile(99), times.longest];
        let cells = cells.map(|micros| format!(" {:>10}", human::duration(micros)));
        printer.line(&format!("{name:22} {:>9}{}", human::count(times.count), cells.concat()));
    }
    printer.toned(Tone::Faint, "`plimsoll log --slow` names the calls that took longest");
}

fn as_json(summary: &Summary, day: &Day, first: u64) -> Json {
    let verdicts = |counts: [u64; 4]| -> Json {
        Decision::ALL
            .iter()
            .zip(counts)
            .map(|(word, count)| (word.as_str().to_owned(), count.into()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let rules: serde_json::Map<String, Json> = day
        .rules
        .iter()
        .map(|(id, rule)| (id.clone(), json!({"verdicts": verdicts(rule.verdicts), "then": rule.outcomes})))
        .collect();
    let events: serde_json::Map<String, Json> = day
        .events
        .iter()
        .map(|(event, times)| {
            let figures = json!({
                "count": times.count, "micros": times.micros, "longest": times.longest,
                "p50": times.percentile(50), "p95": times.percentile(95), "p99": times.percentile(99),
            });
            (event.clone(), figures)
        })
        .collect();
    let projects_sessions: BTreeSet<&String> = summary
        .sessions
        .iter()
        .filter(|(_, session)| session.last >= first * DAY)
        .map(|(id, _)| id)
        .collect();
    json!({
        "calls": day.calls(),
        "verdicts": verdicts(day.verdicts()),
        "refused_calls": day.refused(),
        "sessions": projects_sessions.len(),
        "waited_micros": day.waited(),
        "then": day.outcomes,
        "rules": rules,
        "events": events,
        "tools": day.tools.iter().map(|(tool, counts)| (tool.clone(), verdicts(*counts))).collect::<serde_json::Map<_, _>>(),
        "agents": day.agents,
        "findings": day.findings,
        "files": day.files,
        "fixed": day.fixed,
        "tests": {"pass": day.tests[0], "fail": day.tests[1], "none": day.tests[2]},
        "fixer": day.fixer,
        "failures": day.failures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_share() {
        assert_eq!(sparkline(&[0, 1, 4, 8]), "·▁▄█");
        assert_eq!(sparkline(&[0, 0]), "··");
        assert_eq!(sparkline(&[1, 1000]), "▁█");
    }

    #[test]
    fn money_is_rounded_to_cents() {
        assert_eq!([dollars(0), dollars(1_234_567), dollars(5000)], ["$0.00", "$1.23", "$0.01"]);
    }
}
