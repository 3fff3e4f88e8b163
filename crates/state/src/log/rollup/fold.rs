//! Counts records in their order.

use std::collections::BTreeMap;

use model::Decision;
use serde::{Deserialize, Serialize};

use super::super::outcome::Outcomes as Following;
use super::super::{Lint, Outcome, Record};
use super::{Example, Rollup, Session, Summary};

/// Where a call is counted, so that what is heard of it later is counted there too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cell {
    id: String,
    project: String,
    day: u64,
    rules: Vec<String>,
}

/// What is not over at the end of a file, and goes on in the next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Carry {
    following: Following<Cell>,
    /// What linters said last, by file: how often each rule.
    open: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Carry {
    pub(super) fn shorten(&mut self) {
        self.following.shorten();
    }
}

/// Counting, with what is not over yet.
#[derive(Debug, Default)]
pub struct Fold {
    pub(super) carry: Carry,
    pub(super) rollup: Rollup,
}

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

impl Fold {
    pub(super) fn after(carry: Carry) -> Self {
        Self { carry, rollup: Rollup::new() }
    }

    pub fn into_rollup(self) -> Rollup {
        self.rollup
    }

    pub fn see(&mut self, record: &Record) {
        let seconds = record.seconds();
        let verdict = Decision::ALL.iter().position(|known| known.as_str() == record.verdict).unwrap_or(0);
        let cell = Cell {
            id: record.id.clone(),
            project: record.project.clone(),
            day: seconds / DAY,
            rules: if record.event == "PreToolUse" { record.rules.clone() } else { Vec::new() },
        };
        if !self.rollup.contains_key(&record.project) {
            self.rollup.insert(record.project.clone(), Summary::default());
        }
        if let Some(summary) = self.rollup.get_mut(&record.project) {
            summary.count(record, seconds, verdict);
        }
        for (cell, outcome) in self.carry.following.see(record, &cell) {
            self.told(&cell, outcome);
        }
        // What slow linters find in the background stands in the record of the next stop too, and is counted there.
        let lint = record.lint.as_ref().filter(|_| !record.event.starts_with("task "));
        if let Some(lint) = lint {
            self.linted(lint, &record.event, &cell);
        }
    }

    fn day(&mut self, cell: &Cell) -> &mut super::Day {
        self.rollup.entry(cell.project.clone()).or_default().days.entry(cell.day).or_default()
    }

    fn told(&mut self, cell: &Cell, outcome: Outcome) {
        let day = self.day(cell);
        day.outcomes.add(outcome);
        for rule in &cell.rules {
            day.rules.entry(rule.clone()).or_default().outcomes.add(outcome);
        }
        // Of an earlier file it is no longer there, and need not be.
        let Some(summary) = self.rollup.get_mut(&cell.project) else { return };
        let of_rules = summary.examples.iter_mut().filter(|(rule, _)| cell.rules.contains(rule));
        for example in of_rules.flat_map(|(_, list)| list).chain(&mut summary.recent) {
            if example.id == cell.id && !cell.id.is_empty() {
                outcome.as_str().clone_into(&mut example.then);
            }
        }
    }

    /// What is new in these files counts as found, what is gone as fixed. A stop looks with other linters than an edit, so each goes on
    /// from its own last look.
    fn linted(&mut self, lint: &Lint, event: &str, cell: &Cell) {
        const MOST: usize = 2000;
        let mut now: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
        for file in &lint.files {
            now.entry(file).or_default();
        }
        for found in &lint.found {
            *now.entry(&found.file).or_default().entry(rule(found)).or_default() += 1;
        }
        for (file, rules) in now {
            let key = format!("{event} {file}");
            let before = self.carry.open.remove(&key).unwrap_or_default();
            let more = |here: &BTreeMap<String, u64>, rule: &String, count: &u64| {
                count.saturating_sub(here.get(rule).copied().unwrap_or(0))
            };
            let day = self.day(cell);
            day.fixed += before.iter().map(|(rule, count)| more(&rules, rule, count)).sum::<u64>();
            for (rule, count) in &rules {
                let new = more(&before, rule, count);
                if new > 0 {
                    *day.findings.entry(rule.clone()).or_default() += new;
                    *day.files.entry(file.to_owned()).or_default() += new;
                }
            }
            if !rules.is_empty() {
                self.carry.open.insert(key, rules);
            }
        }
        while self.carry.open.len() > MOST {
            self.carry.open.pop_first();
        }
    }
}

fn rule(found: &super::super::Found) -> String {
    format!("{} {}", found.linter, found.rule)
}

impl Summary {
    fn count(&mut self, record: &Record, seconds: u64, verdict: usize) {
        let day = self.days.entry(seconds / DAY).or_default();
        // Work in the background decides nothing, and nobody waits for it.
        let waited_for = !record.event.starts_with("task ");
        if waited_for {
            day.hours.entry(seconds % DAY / HOUR).or_default()[verdict] += 1;
            of(&mut day.events, &record.event).add(record.micros);
        }
        for rule in &record.rules {
            of(&mut day.rules, rule).verdicts[verdict] += 1;
        }
        if record.event == "PreToolUse" {
            of(&mut day.tools, &record.tool)[verdict] += 1;
        }
        if waited_for && !record.agent.is_empty() {
            *of(&mut day.agents, &record.agent) += 1;
        }
        if let Some(tests) = &record.tests {
            let at = ["pass", "fail"].iter().position(|known| *known == tests.result).unwrap_or(2);
            day.tests[at] += 1;
        }
        if let Some(fixer) = &record.fixer {
            day.fixer.runs += 1;
            day.fixer.micros += fixer.micros;
            day.fixer.tokens_in += fixer.tokens_in;
            day.fixer.tokens_out += fixer.tokens_out;
            day.fixer.microdollars += fixer.microdollars;
        }
        day.failures += u64::from(!record.failures.is_empty());
        if waited_for && !record.session.is_empty() {
            let session: &mut Session = of(&mut self.sessions, &record.session);
            if session.agent.is_empty() {
                session.agent.clone_from(&record.agent);
            }
            session.first = if session.first == 0 { seconds } else { session.first.min(seconds) };
            session.last = session.last.max(seconds);
            session.verdicts[verdict] += 1;
            session.micros += record.micros;
        }
        if verdict >= 2 || !record.failures.is_empty() {
            let example = example(record, seconds);
            for rule in &record.rules {
                keep(of(&mut self.examples, rule), example.clone(), Self::MOST_EXAMPLES);
            }
            keep(&mut self.recent, example, Self::MOST_RECENT);
        }
    }
}

fn keep(list: &mut Vec<Example>, example: Example, most: usize) {
    if list.len() >= most {
        list.remove(0);
    }
    list.push(example);
}

/// An entry, without a copy of its name where it is there.
fn of<'a, T: Default>(map: &'a mut BTreeMap<String, T>, key: &str) -> &'a mut T {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), T::default());
    }
    map.get_mut(key).expect("it was put there just now")
}

fn example(record: &Record, seconds: u64) -> Example {
    // Masked when it was written; a line of somebody else perhaps not.
    let text = |text: &str| model::redact(text);
    Example {
        id: record.id.clone(),
        seconds,
        verdict: record.verdict.clone(),
        event: record.event.clone(),
        tool: record.tool.clone(),
        subject: text(&record.subject),
        rules: record.rules.clone(),
        reason: text(&record.reason),
        session: record.session.clone(),
        project: record.project.clone(),
        agent: record.agent.clone(),
        micros: record.micros,
        failure: record.failures.first().map(|failure| text(failure)).unwrap_or_default(),
        observed: record.observed,
        then: String::new(),
    }
}
