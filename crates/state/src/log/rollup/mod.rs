//! The log counted: what `stats` and `report` show. Counts add up, so a file of the log that is full is counted once and its
//! counts are kept (`cache`); `fold` does the counting.

mod cache;
mod fold;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Outcome;

pub use cache::summed;
pub use fold::Fold;

/// By project.
pub type Rollup = BTreeMap<String, Summary>;

/// What happened in one project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// By day since 1970, UTC.
    pub days: BTreeMap<u64, Day>,
    pub sessions: BTreeMap<String, Session>,
    /// The latest that were stopped, asked about, or went wrong, oldest first.
    pub recent: Vec<Example>,
    /// The latest of each check.
    pub examples: BTreeMap<String, Vec<Example>>,
}

/// One day. Lists by verdict are in the order of `Decision::ALL`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Day {
    /// Hook calls by hour and verdict.
    pub hours: BTreeMap<u64, [u64; 4]>,
    pub events: BTreeMap<String, Times>,
    pub rules: BTreeMap<String, Rule>,
    pub tools: BTreeMap<String, [u64; 4]>,
    pub agents: BTreeMap<String, u64>,
    /// What became of calls of tools.
    pub outcomes: Outcomes,
    /// Findings of linters that were not there at the last look, by linter and rule: `ruff F401`.
    pub findings: BTreeMap<String, u64>,
    pub files: BTreeMap<String, u64>,
    /// Findings that were gone when the file was looked at again.
    pub fixed: u64,
    /// Runs of tests: passed, failed, nothing to tell by.
    pub tests: [u64; 3],
    pub fixer: Spent,
    /// Records of something that went wrong in Plimsoll itself.
    pub failures: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    pub verdicts: [u64; 4],
    pub outcomes: Outcomes,
}

/// Counts of `Outcome`, without `Stopped`: that is every refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcomes {
    pub allowed: u64,
    pub approved: u64,
    pub refused: u64,
    pub ran: u64,
    pub failed: u64,
}

impl Outcomes {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Stopped => {}
            Outcome::Allowed => self.allowed += 1,
            Outcome::Approved => self.approved += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Ran => self.ran += 1,
            Outcome::Failed => self.failed += 1,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.allowed += other.allowed;
        self.approved += other.approved;
        self.refused += other.refused;
        self.ran += other.ran;
        self.failed += other.failed;
    }
}

/// What models that fix have taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    pub runs: u64,
    pub micros: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub microdollars: u64,
}

/// How long something took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Times {
    pub count: u64,
    pub micros: u64,
    pub longest: u64,
    /// How often, by microseconds to two digits. Rounding keeps the order, so a percentile of these is the rounded percentile.
    pub spread: BTreeMap<u64, u64>,
}

impl Times {
    fn add(&mut self, micros: u64) {
        self.count += 1;
        self.micros += micros;
        self.longest = self.longest.max(micros);
        *self.spread.entry(rounded(micros)).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.micros += other.micros;
        self.longest = self.longest.max(other.longest);
        sum(&mut self.spread, &other.spread);
    }

    /// The least value that `percent` of all do not exceed, to two digits; never more than the longest.
    pub fn percentile(&self, percent: u64) -> u64 {
        let wanted = (self.count * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (micros, count) in &self.spread {
            seen += count;
            if seen >= wanted {
                return (*micros).min(self.longest);
            }
        }
        0
    }
}

/// To two digits: 449,736 is 450,000.
pub fn rounded(micros: u64) -> u64 {
    let mut scale = 1;
    while micros / scale >= 100 {
        scale *= 10;
    }
    (micros + scale / 2) / scale * scale
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    pub agent: String,
    /// Seconds since 1970.
    pub first: u64,
    pub last: u64,
    pub verdicts: [u64; 4],
    /// Waited for hooks.
    pub micros: u64,
}

/// One record, as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Example {
    pub id: String,
    pub seconds: u64,
    pub verdict: String,
    pub event: String,
    pub tool: String,
    pub subject: String,
    pub rules: Vec<String>,
    pub reason: String,
    pub session: String,
    pub project: String,
    pub agent: String,
    pub micros: u64,
    pub failure: String,
    pub observed: bool,
    /// What happened then, by its word; empty where nobody knows.
    pub then: String,
}

impl Summary {
    pub const MOST_RECENT: usize = 250;
    const MOST_EXAMPLES: usize = 3;

    /// Takes in what came later.
    pub fn merge(&mut self, later: &Summary) {
        for (day, counts) in &later.days {
            self.days.entry(*day).or_default().merge(counts);
        }
        for (name, session) in &later.sessions {
            self.sessions.entry(name.clone()).or_default().merge(session);
        }
        take_in(&mut self.recent, &later.recent, Self::MOST_RECENT);
        for (rule, list) in &later.examples {
            take_in(self.examples.entry(rule.clone()).or_default(), list, Self::MOST_EXAMPLES);
        }
    }

    /// Hook calls by verdict since this hour, counted from 1970.
    pub fn since_hour(&self, first: u64) -> [u64; 4] {
        let mut all = [0; 4];
        for (day, counts) in self.days.range(first / 24..) {
            let hours = counts.hours.iter().filter(|(hour, _)| day * 24 + **hour >= first);
            hours.for_each(|(_, counts)| add_all(&mut all, counts));
        }
        all
    }

    /// All days from `first` on, as one.
    pub fn since(&self, first: u64) -> Day {
        let mut all = Day::default();
        self.days.range(first..).for_each(|(_, day)| all.merge(day));
        all
    }
}

/// Appends to a list that keeps its newest. A record that is there already has learnt what happened to it.
fn take_in(list: &mut Vec<Example>, later: &[Example], most: usize) {
    for example in later {
        match list.iter_mut().rev().find(|known| known.id == example.id && !known.id.is_empty()) {
            Some(known) => known.then.clone_from(&example.then),
            None => list.push(example.clone()),
        }
    }
    // Projects of a whole report are mixed; within one they come in their order.
    list.sort_by(|a, b| (a.seconds, &a.id).cmp(&(b.seconds, &b.id)));
    let surplus = list.len().saturating_sub(most);
    list.drain(..surplus);
}

impl Day {
    fn merge(&mut self, other: &Self) {
        for (hour, counts) in &other.hours {
            add_all(self.hours.entry(*hour).or_default(), counts);
        }
        for (event, times) in &other.events {
            self.events.entry(event.clone()).or_default().merge(times);
        }
        for (id, rule) in &other.rules {
            let ours = self.rules.entry(id.clone()).or_default();
            add_all(&mut ours.verdicts, &rule.verdicts);
            ours.outcomes.merge(&rule.outcomes);
        }
        for (tool, counts) in &other.tools {
            add_all(self.tools.entry(tool.clone()).or_default(), counts);
        }
        sum(&mut self.agents, &other.agents);
        self.outcomes.merge(&other.outcomes);
        sum(&mut self.findings, &other.findings);
        sum(&mut self.files, &other.files);
        self.fixed += other.fixed;
        self.tests.iter_mut().zip(other.tests).for_each(|(ours, other)| *ours += other);
        self.fixer.runs += other.fixer.runs;
        self.fixer.micros += other.fixer.micros;
        self.fixer.tokens_in += other.fixer.tokens_in;
        self.fixer.tokens_out += other.fixer.tokens_out;
        self.fixer.microdollars += other.fixer.microdollars;
        self.failures += other.failures;
    }

    /// By verdict.
    pub fn verdicts(&self) -> [u64; 4] {
        let mut all = [0; 4];
        self.hours.values().for_each(|hour| add_all(&mut all, hour));
        all
    }

    pub fn calls(&self) -> u64 {
        self.verdicts().iter().sum()
    }

    /// Calls of tools that were refused. The other denials are answers that were sent back: edits with findings, stops that were held.
    pub fn refused(&self) -> u64 {
        self.tools.values().map(|counts| counts[3]).sum()
    }

    /// How long agents have waited for hooks, in microseconds.
    pub fn waited(&self) -> u64 {
        self.events.values().map(|times| times.micros).sum()
    }
}

impl Session {
    fn merge(&mut self, other: &Self) {
        if self.agent.is_empty() {
            self.agent.clone_from(&other.agent);
        }
        self.first = if self.first == 0 { other.first } else { self.first.min(other.first) };
        self.last = self.last.max(other.last);
        add_all(&mut self.verdicts, &other.verdicts);
        self.micros += other.micros;
    }
}

fn add_all(into: &mut [u64; 4], from: &[u64; 4]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
}

fn sum<K: Clone + Ord>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key.clone()).or_default() += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_rounded_values() {
        let mut times = Times::default();
        for micros in 1..=1000 {
            times.add(micros * 7);
        }
        for percent in [1, 50, 90, 95, 99, 100] {
            assert_eq!(times.percentile(percent), rounded(percent * 10 * 7), "{percent}");
        }
        assert_eq!(Times::default().percentile(95), 0);
        assert_eq!([rounded(0), rounded(99), rounded(449_736), rounded(995)], [0, 99, 450_000, 1000]);
    }
}
