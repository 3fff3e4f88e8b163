//! What a replay comes to: a table by rule.

use std::collections::{BTreeMap, BTreeSet};

use model::Decision;
use serde_json::{Value as Json, json};

use super::judge::{Answer, Row};
use super::source::Sources;
use super::{Args, one_line, read_json};
use crate::ui::{Printer, Tone, human};

/// How a call is decided otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    NewDeny,
    NewAsk,
    /// It was refused or asked about, and is not any more.
    NoLonger,
    /// Approved without a question now, or no longer.
    Approval,
    /// It hangs on what nobody knows any more.
    Unknown,
}

impl Change {
    fn of(base: Decision, now: Decision) -> Self {
        match (base, now) {
            (_, Decision::Deny) => Change::NewDeny,
            (Decision::Deny, Decision::Ask) => Change::NoLonger,
            (_, Decision::Ask) => Change::NewAsk,
            (Decision::Deny | Decision::Ask, _) => Change::NoLonger,
            _ => Change::Approval,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Change::NewDeny => "new deny",
            Change::NewAsk => "new ask",
            Change::NoLonger => "no longer",
            Change::Approval => "approval",
            Change::Unknown => "unknown",
        }
    }
}

const CHANGES: [Change; 5] =
    [Change::NewDeny, Change::NewAsk, Change::NoLonger, Change::Approval, Change::Unknown];

/// What one rule has to do with it.
#[derive(Debug, Default)]
struct Line {
    deny: u64,
    ask: u64,
    allow: u64,
    changes: BTreeMap<Change, u64>,
    /// The shortest of each kind: length and text.
    examples: BTreeMap<Change, BTreeSet<(usize, String)>>,
    /// Likewise of what is stopped now, where nobody knows what was decided then: mostly before Plimsoll was there.
    stopped: BTreeMap<Decision, BTreeSet<(usize, String)>>,
}

/// Adds a text to the shortest ones.
fn keep(examples: &mut BTreeSet<(usize, String)>, text: &str, most: usize) {
    examples.insert((text.len(), text.to_owned()));
    if examples.len() > most {
        examples.pop_last();
    }
}

/// Calls that no rule has said anything to: there is no name to count them by.
const NOBODY: &str = "(no rule)";

#[derive(Debug)]
pub(super) struct Tally {
    most_examples: usize,
    rules: BTreeMap<String, Line>,
    calls: u64,
    verdicts: BTreeMap<Decision, u64>,
    undecided: u64,
    unknown: u64,
    gone: BTreeMap<&'static str, u64>,
    pub(super) changes: u64,
    pub(super) new_denies: u64,
    pub(super) new_asks: u64,
}

impl Tally {
    pub(super) fn new(most_examples: usize) -> Self {
        Self {
            most_examples,
            rules: BTreeMap::new(),
            calls: 0,
            verdicts: BTreeMap::new(),
            undecided: 0,
            unknown: 0,
            gone: BTreeMap::new(),
            changes: 0,
            new_denies: 0,
            new_asks: 0,
        }
    }

    pub(super) fn add(&mut self, row: &Row) {
        self.calls += 1;
        *self.verdicts.entry(row.now.decision).or_default() += 1;
        self.undecided += u64::from(row.base.is_none());
        for rule in &row.now.rules {
            let line = self.rules.entry(rule.clone()).or_default();
            match row.now.decision {
                Decision::Deny => line.deny += 1,
                Decision::Ask => line.ask += 1,
                Decision::Allow => line.allow += 1,
                Decision::None => {}
            }
        }
        let change = if row.unknown.is_empty() {
            let Some(base) = row.base.as_ref().filter(|_| row.is_changed()) else {
                return self.keep_stopped(row);
            };
            let change = Change::of(base.decision, row.now.decision);
            self.changes += 1;
            self.new_denies += u64::from(change == Change::NewDeny);
            self.new_asks += u64::from(change == Change::NewAsk);
            change
        } else {
            self.unknown += 1;
            for what in &row.unknown {
                *self.gone.entry(what).or_default() += 1;
            }
            Change::Unknown
        };
        for rule in named(row, change) {
            let line = self.rules.entry(rule).or_default();
            *line.changes.entry(change).or_default() += 1;
            keep(line.examples.entry(change).or_default(), &row.subject, self.most_examples);
        }
    }

    fn keep_stopped(&mut self, row: &Row) {
        if row.base.is_some() || row.now.decision < Decision::Ask {
            return;
        }
        for rule in &row.now.rules {
            let line = self.rules.entry(rule.clone()).or_default();
            keep(line.stopped.entry(row.now.decision).or_default(), &row.subject, self.most_examples);
        }
    }

    /// The rules with the most news first.
    fn sorted(&self) -> Vec<(&String, &Line)> {
        let mut all: Vec<_> = self.rules.iter().collect();
        let count = |line: &Line, change: Change| line.changes.get(&change).copied().unwrap_or(0);
        all.sort_by_key(|(name, line)| {
            let news = CHANGES.map(|change| std::cmp::Reverse(count(line, change)));
            (news, std::cmp::Reverse(line.deny + line.ask), *name)
        });
        all
    }

    pub(super) fn print(&self, printer: &Printer, sources: &Sources, args: &Args) {
        let compared = if args.against.is_some() { "the other settings" } else { "then" };
        if args.json {
            return printer.json(&self.json(sources, compared));
        }
        let count = |decision| self.verdicts.get(&decision).copied().unwrap_or(0);
        printer.toned(
            Tone::Title,
            &format!(
                "{} of {}: {} denied, {} asked about, {} approved now",
                human::plural(self.calls, "call"),
                human::plural(sources.files, "recording"),
                count(Decision::Deny),
                count(Decision::Ask),
                count(Decision::Allow)
            ),
        );
        printer.line(&format!(
            "decided differently than {compared}: {}; depends on what is gone: {}; earlier decision not known: {}",
            self.changes, self.unknown, self.undecided
        ));
        if !self.rules.is_empty() {
            printer.line("");
            let head = ["rule", "deny", "ask", "allow"].into_iter().chain(CHANGES.map(Change::as_str));
            let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
            for (name, line) in self.sorted() {
                let mut row = vec![name.clone()];
                row.extend([line.deny, line.ask, line.allow].map(number));
                row.extend(CHANGES.map(|change| number(line.changes.get(&change).copied().unwrap_or(0))));
                rows.push(row);
            }
            // A column without a number would only push the others off the screen.
            let empty = |at: usize| at > 3 && rows[1..].iter().all(|row| row[at] == number(0));
            let kept: Vec<usize> = (0..rows[0].len()).filter(|at| !empty(*at)).collect();
            let rows: Vec<Vec<String>> =
                rows.iter().map(|row| kept.iter().map(|at| row[*at].clone()).collect()).collect();
            printer.table(&rows);
        }
        for (name, line) in self.sorted() {
            for (change, examples) in &line.examples {
                printer.line("");
                printer.line(&format!("{name}: {}", change.as_str()));
                for (_, text) in examples {
                    printer.line(&format!("    {}", one_line(text)));
                }
            }
            for (decision, examples) in &line.stopped {
                printer.line("");
                printer.line(&format!("{name}: {}", decision.as_str()));
                for (_, text) in examples {
                    printer.line(&format!("    {}", one_line(text)));
                }
            }
        }
        if !self.gone.is_empty() {
            printer.line("");
            let gone: Vec<String> =
                self.gone.iter().map(|(what, count)| format!("{what} ({count})")).collect();
            printer.toned(Tone::Faint, &format!("Not known any more: {}", gone.join(", ")));
        }
        sources.say(printer);
    }

    fn json(&self, sources: &Sources, compared: &str) -> Json {
        let rules: Vec<Json> = self
            .sorted()
            .into_iter()
            .map(|(name, line)| {
                let counts: BTreeMap<&str, u64> =
                    line.changes.iter().map(|(change, count)| (change.as_str(), *count)).collect();
                let examples: BTreeMap<&str, Vec<&str>> = line
                    .examples
                    .iter()
                    .map(|(change, texts)| {
                        (change.as_str(), texts.iter().map(|(_, text)| text.as_str()).collect())
                    })
                    .collect();
                json!({"rule": name, "deny": line.deny, "ask": line.ask, "allow": line.allow,
                    "changes": counts, "examples": examples})
            })
            .collect();
        let verdicts: BTreeMap<&str, u64> =
            self.verdicts.iter().map(|(decision, count)| (decision.as_str(), *count)).collect();
        json!({
            "calls": self.calls,
            "verdicts": verdicts,
            "compared_with": compared,
            "changed": self.changes,
            "new_deny": self.new_denies,
            "new_ask": self.new_asks,
            "unknown": self.unknown,
            "gone": self.gone,
            "not_decided_then": self.undecided,
            "rules": rules,
            "read": read_json(sources),
        })
    }
}

/// The rules that a change is put down to: those that speak now, or those that spoke then.
fn named(row: &Row, change: Change) -> Vec<String> {
    let spoke = |answer: &Answer| answer.rules.clone();
    let rules = match change {
        Change::NoLonger => row.base.as_ref().map(spoke).unwrap_or_default(),
        Change::Approval if row.now.rules.is_empty() => row.base.as_ref().map(spoke).unwrap_or_default(),
        _ => spoke(&row.now),
    };
    if rules.is_empty() { vec![NOBODY.to_owned()] } else { rules }
}

fn number(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}
