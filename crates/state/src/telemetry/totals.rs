//! Counters and histograms over all records so far. They only grow, so that a number that is sent twice counts once: that is why what is
//! sent are totals, and why they are kept beside the place up to which the log was counted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use crate::log::Record;

/// Upper ends of the buckets of a duration, in microseconds.
pub(super) const BOUNDS: [u64; 15] = [
    500, 1_000, 2_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    5_000_000, 10_000_000, 30_000_000,
];

/// Of one metric. More are counted together: names of tools come from others.
const MOST_SERIES: usize = 500;
const LONGEST: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole things.
    Count,
    /// Millionths of the unit.
    Millionths,
    /// A duration, kept in microseconds.
    Histogram,
}

/// One metric, by a name that stays.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) doc: &'static str,
    pub(super) kind: Kind,
    pub(super) labels: &'static [&'static str],
}

macro_rules! metrics {
    ($($id:ident = $name:literal, $unit:literal, $kind:ident, [$($label:literal),*], $doc:literal;)*) => {
        $(const $id: &str = $name;)*
        pub(super) static METRICS: &[Metric] = &[$(Metric {
            name: $name, unit: $unit, doc: $doc, kind: Kind::$kind, labels: &[$($label),*],
        }),*];
    };
}

metrics! {
    DECISIONS = "plimsoll.decisions", "{decision}", Count, ["plimsoll.agent", "plimsoll.event", "gen_ai.tool.name", "plimsoll.verdict", "plimsoll.observed"], "Hook calls by what was decided.";
    RULES = "plimsoll.rule.decisions", "{decision}", Count, ["plimsoll.rule", "plimsoll.verdict"], "Decisions by the rules that spoke.";
    DURATION = "plimsoll.hook.duration", "s", Histogram, ["plimsoll.event"], "How long the agent has waited for a hook.";
    FINDINGS = "plimsoll.lint.findings", "{finding}", Count, ["plimsoll.linter", "plimsoll.lint.rule"], "What linters found, at each look at a file.";
    TESTS = "plimsoll.tests", "{run}", Count, ["plimsoll.result"], "Test runs by result, the agent's own and those in the background.";
    TOKENS = "plimsoll.fixer.tokens", "{token}", Count, ["gen_ai.request.model", "gen_ai.token.type"], "Tokens of models that fix findings.";
    COST = "plimsoll.fixer.cost", "USD", Millionths, ["gen_ai.request.model"], "What those models have cost.";
    FAILURES = "plimsoll.failures", "{failure}", Count, [], "Faults of Plimsoll itself.";
}

/// What one series has come to. For a histogram the sum, and how many are in each bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) value: u64,
    pub(super) buckets: Vec<u64>,
}

type Series = BTreeMap<Vec<String>, Sum>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    by_metric: BTreeMap<&'static str, Series>,
}

impl Totals {
    pub(super) fn of(&self, metric: &Metric) -> impl Iterator<Item = (&Vec<String>, &Sum)> {
        self.by_metric.get(metric.name).into_iter().flatten()
    }

    pub(super) fn has(&self, metric: &Metric, labels: &[String]) -> bool {
        self.by_metric.get(metric.name).is_some_and(|series| series.contains_key(labels))
    }

    fn series(&mut self, metric: &'static str, labels: &[&str]) -> &mut Sum {
        let series = self.by_metric.entry(metric).or_default();
        let short = |text: &&str| text.chars().take(LONGEST).collect();
        let mut key: Vec<String> = labels.iter().map(short).collect();
        if series.len() >= MOST_SERIES && !series.contains_key(&key) {
            key = labels.iter().map(|_| "other".to_owned()).collect();
        }
        series.entry(key).or_default()
    }

    fn add(&mut self, metric: &'static str, labels: &[&str], value: u64) {
        if value > 0 {
            let sum = self.series(metric, labels);
            sum.value = sum.value.saturating_add(value);
        }
    }

    fn observe(&mut self, metric: &'static str, labels: &[&str], micros: u64) {
        let sum = self.series(metric, labels);
        sum.buckets.resize(BOUNDS.len() + 1, 0);
        sum.value = sum.value.saturating_add(micros);
        sum.buckets[BOUNDS.iter().position(|bound| micros <= *bound).unwrap_or(BOUNDS.len())] += 1;
    }

    pub(super) fn count(&mut self, record: &Record) {
        self.add(FAILURES, &[], record.failures.len() as u64);
        if let Some(fixer) = &record.fixer {
            self.add(TOKENS, &[&fixer.model, "input"], fixer.tokens_in);
            self.add(TOKENS, &[&fixer.model, "output"], fixer.tokens_out);
            self.add(COST, &[&fixer.model], fixer.microdollars);
        }
        if let Some(lint) = &record.lint {
            for found in &lint.found {
                self.add(FINDINGS, &[&found.linter, &found.rule], 1);
            }
        }
        if let Some(tests) = &record.tests {
            self.add(TESTS, &[&tests.result], 1);
        }
        // Work in the background decides nothing, and nobody waits for it.
        if record.event.starts_with("task ") {
            return;
        }
        let observed = if record.observed { "true" } else { "false" };
        self.add(DECISIONS, &[&record.agent, &record.event, &record.tool, &record.verdict, observed], 1);
        for rule in record.rules.iter().collect::<BTreeSet<_>>() {
            self.add(RULES, &[rule, &record.verdict], 1);
        }
        self.observe(DURATION, &[&record.event], record.micros);
    }

    pub(super) fn json(&self) -> Json {
        let series = |series: &Series| -> Json {
            series.iter().map(|(labels, sum)| json!([labels, sum.value, sum.buckets])).collect()
        };
        let metrics = self.by_metric.iter().map(|(name, all)| ((*name).to_owned(), series(all)));
        Json::Object(metrics.collect::<Map<_, _>>())
    }

    pub(super) fn read(json: &Json) -> Self {
        let mut totals = Self::default();
        for metric in METRICS {
            for entry in json[metric.name].as_array().into_iter().flatten() {
                let texts = |json: &Json| -> Option<Vec<String>> {
                    json.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
                };
                let numbers =
                    |json: &Json| -> Option<Vec<u64>> { json.as_array()?.iter().map(Json::as_u64).collect() };
                let read = || Some((texts(&entry[0])?, entry[1].as_u64()?, numbers(&entry[2])?));
                // Labels or buckets of another version begin anew.
                let fits = |labels: &Vec<String>, buckets: &Vec<u64>| {
                    let wanted = if metric.kind == Kind::Histogram { BOUNDS.len() + 1 } else { 0 };
                    labels.len() == metric.labels.len() && buckets.len() == wanted
                };
                if let Some((labels, value, buckets)) =
                    read().filter(|(labels, _, buckets)| fits(labels, buckets))
                {
                    totals.by_metric.entry(metric.name).or_default().insert(labels, Sum { value, buckets });
                }
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(json: &Json) -> Record {
        Record::parse(&json.to_string()).unwrap()
    }

    #[test]
    fn records_are_counted_and_totals_are_read_back() {
        let mut totals = Totals::default();
        for micros in [400, 3_000, 99_000_000] {
            totals.count(&record(
                &json!({"agent": "a", "event": "PreToolUse", "tool": "Bash", "verdict": "deny",
                "rules": ["x/y", "x/y"], "micros": micros, "failures": ["f"]}),
            ));
        }
        totals.count(&record(
            &json!({"event": "task update", "verdict": "none", "micros": 5, "failures": ["g"],
            "fixer": {"model": "m", "tokens_in": 3, "tokens_out": 4, "microdollars": 5}}),
        ));
        let value = |name: &str| {
            let metric = METRICS.iter().find(|metric| metric.name == name).unwrap();
            totals.of(metric).map(|(_, sum)| sum.value).collect::<Vec<_>>()
        };
        assert_eq!((value(DECISIONS), value(RULES), value(FAILURES)), (vec![3], vec![3], vec![4]));
        assert_eq!((value(TOKENS), value(COST)), (vec![3, 4], vec![5]));
        let duration = METRICS.iter().find(|metric| metric.name == DURATION).unwrap();
        let (_, sum) = totals.of(duration).next().unwrap();
        assert_eq!((sum.value, sum.buckets[0], sum.buckets[3], sum.buckets[15]), (99_003_400, 1, 1, 1));
        assert_eq!(Totals::read(&totals.json()), totals);
        assert_eq!(Totals::read(&json!({"plimsoll.decisions": [[["one"], 3, []], 7]})), Totals::default());
    }

    #[test]
    fn names_of_others_do_not_grow_without_end() {
        let mut totals = Totals::default();
        for number in 0..2 * MOST_SERIES {
            totals.count(&record(
                &json!({"event": "PreToolUse", "verdict": "none", "tool": format!("mcp__{number}")}),
            ));
        }
        let all: Vec<u64> = totals.of(&METRICS[0]).map(|(_, sum)| sum.value).collect();
        assert_eq!((all.len(), all.iter().sum::<u64>()), (MOST_SERIES + 1, 2 * MOST_SERIES as u64));
    }
}
