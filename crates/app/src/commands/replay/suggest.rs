//! Rules that a recording proposes: what the user has approved by hand again and again, and what was refused and then let through.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use model::Decision;
use serde_json::{Value as Json, json};

use super::judge::Row;
use super::one_line;
use crate::ui::{Printer, Tone};

/// Fewer are not habit.
const OFTEN: u64 = 3;

/// With fewer words a rule would allow whatever a program is told to do.
const LEAST_WORDS: usize = 2;

/// Examples that are kept of each.
const MOST_EXAMPLES: usize = 3;

/// Programs that do whatever their words say. What was approved for one of their commands says nothing about the next.
const ANYTHING: &[&str] = &[
    "bash", "sh", "zsh", "fish", "dash", "eval", "exec", "source", "python", "python3", "node", "ruby",
    "perl", "php", "sudo", "env", "xargs", "ssh", "docker", "kubectl", "curl", "wget", "rm", "dd", "npx",
    "uvx", "bunx",
];

#[derive(Debug, Default)]
struct Habit {
    count: u64,
    sessions: BTreeSet<String>,
    /// Length and text of the shortest.
    examples: BTreeSet<(usize, String)>,
}

impl Habit {
    fn add(&mut self, row: &Row) {
        self.count += 1;
        self.sessions.insert(row.session.clone());
        self.examples.insert((row.subject.len(), row.subject.clone()));
        if self.examples.len() > MOST_EXAMPLES {
            self.examples.pop_last();
        }
    }

    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.sessions.extend(other.sessions.iter().cloned());
        self.examples.extend(other.examples.iter().cloned());
        while self.examples.len() > MOST_EXAMPLES {
            self.examples.pop_last();
        }
    }

    fn examples(&self) -> Vec<&str> {
        self.examples.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// What is proposed, call by call.
#[derive(Debug, Default)]
pub(crate) struct Suggest {
    /// Approved by hand, by the program and its leading words.
    approved: BTreeMap<Vec<String>, Habit>,
    /// A rule that was overruled, by its name.
    noise: BTreeMap<String, Habit>,
}

impl Suggest {
    pub(super) fn add(&mut self, row: &Row) {
        let stopped = row.base.as_ref().is_some_and(|base| base.decision >= Decision::Ask);
        let overruled = row.allowed || row.approved && stopped;
        if overruled {
            let rules = row.base.iter().flat_map(|base| &base.rules).chain(&row.now.rules);
            for rule in rules.collect::<BTreeSet<_>>() {
                self.noise.entry(rule.clone()).or_default().add(row);
            }
        }
        // What a guard speaks to is for the user to decide each time; and what is approved anyway needs no rule.
        if row.approved && row.now.decision == Decision::None {
            let mut calls = row.calls.iter();
            if let (Some(call), None) = (calls.next(), calls.next())
                && call.first().is_some_and(|program| !ANYTHING.contains(&program.as_str()))
            {
                self.approved.entry(call.clone()).or_default().add(row);
            }
        }
    }

    /// The habits that are worth a rule, the most frequent first. What is done with one thing after the other is one habit, by the words
    /// that stay the same.
    fn habits(&self) -> Vec<(&[String], Habit)> {
        let mut all: BTreeMap<&[String], Habit> = BTreeMap::new();
        for (words, habit) in &self.approved {
            let often = habit.count >= OFTEN || words.len() <= LEAST_WORDS;
            let same = if often { &words[..] } else { &words[..words.len() - 1] };
            all.entry(same).or_default().join(habit);
        }
        let mut all: Vec<_> = all.into_iter().filter(|(_, habit)| habit.count >= OFTEN).collect();
        all.sort_by_key(|(words, habit)| (std::cmp::Reverse(habit.count), *words));
        all
    }

    fn noise(&self) -> Vec<(&String, &Habit)> {
        let mut all: Vec<_> = self.noise.iter().collect();
        all.sort_by_key(|(rule, habit)| (std::cmp::Reverse(habit.count), *rule));
        all
    }

    pub(super) fn print(&self, printer: &Printer, json: bool) {
        if json {
            return printer.json(&self.json());
        }
        if self.habits().is_empty() && self.noise.is_empty() {
            return printer.line("Nothing to propose: you have not approved the same call several times.");
        }
        for (words, habit) in self.habits() {
            let sessions = habit.sessions.len();
            printer.toned(
                Tone::Faint,
                &format!("# approved by hand {} times in {sessions} sessions", habit.count),
            );
            printer.text(&rule(words, &habit));
            printer.line("");
        }
        for (rule, habit) in self.noise() {
            printer.toned(Tone::Faint, &format!("# {rule} was overruled by the user {} times:", habit.count));
            for example in habit.examples() {
                printer.toned(Tone::Faint, &format!("#     {}", one_line(example)));
            }
        }
    }

    fn json(&self) -> Json {
        let allow: Vec<Json> = self
            .habits()
            .into_iter()
            .map(|(words, habit)| {
                json!({"words": words, "approved": habit.count, "sessions": habit.sessions.len(),
                    "examples": habit.examples(), "rule": rule(words, &habit)})
            })
            .collect();
        let noise: Vec<Json> = self
            .noise()
            .into_iter()
            .map(|(rule, habit)| {
                json!({"rule": rule, "overruled": habit.count, "sessions": habit.sessions.len(), "examples": habit.examples()})
            })
            .collect();
        json!({"allow": allow, "noise": noise})
    }
}

/// The rule as it would stand in `rules.toml`.
fn rule(words: &[String], habit: &Habit) -> String {
    let (program, rest) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let id: String =
        words.join("-").chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let mut text = format!("[[rule]]\nid = \"own/{}\"\n", id.to_lowercase());
    let list = |items: &[String]| Json::from(items.to_vec()).to_string();
    let call = if rest.is_empty() {
        format!("{{ program = {} }}", Json::from(program))
    } else {
        format!("{{ program = {}, words = {} }}", Json::from(program), list(rest))
    };
    let _ = writeln!(text, "call = {call}\nthen = \"allow\"");
    let cases: Vec<String> = habit.examples().into_iter().map(str::to_owned).collect();
    let not = vec![format!("echo {}", words.join(" "))];
    let _ = writeln!(text, "cases = {{ allow = {}, none = {} }}", list(&cases), list(&not));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_is_what_stays_the_same() {
        let mut suggest = Suggest::default();
        let mut approve = |words: &str, count: u64| {
            let words = words.split(' ').map(str::to_owned).collect();
            suggest.approved.insert(words, Habit { count, ..Habit::default() });
        };
        approve("fly deploy staging", 1);
        approve("fly deploy demo", 2);
        approve("fly logs api", 3);
        approve("make", 3);
        approve("make all", 2);
        approve("gh pr view", 1);
        approve("gh issue view", 2);
        let found: Vec<_> =
            suggest.habits().iter().map(|(words, habit)| (words.join(" "), habit.count)).collect();
        let expected = [("fly deploy", 3), ("fly logs api", 3), ("make", 3)];
        assert_eq!(found, expected.map(|(words, count)| (words.to_owned(), count)));
    }

    #[test]
    fn a_habit_becomes_a_rule() {
        let mut habit = Habit { count: 3, ..Habit::default() };
        habit.examples.insert((9, "make \"all\"".to_owned()));
        let text = rule(&["make".to_owned(), "all".to_owned()], &habit);
        let expected = "[[rule]]\nid = \"own/make-all\"\ncall = { program = \"make\", words = [\"all\"] }\nthen = \"allow\"\ncases = { allow = [\"make \\\"all\\\"\"], none = [\"echo make all\"] }\n";
        assert_eq!(text, expected);
    }
}
