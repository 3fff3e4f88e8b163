//! What happened after a decision, found out from the records that follow it: lines are never written again.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::Record;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It did not happen.
    Stopped,
    /// It was stopped, and the user has let the same through in the same session.
    Allowed,
    /// The user was asked, and agreed.
    Approved,
    /// The user was asked, and did not.
    Refused,
    Ran,
    /// It ran, and said that it failed.
    Failed,
}

impl Outcome {
    pub const ALL: [Outcome; 6] = [
        Outcome::Stopped,
        Outcome::Allowed,
        Outcome::Approved,
        Outcome::Refused,
        Outcome::Ran,
        Outcome::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Stopped => "stopped",
            Outcome::Allowed => "allowed",
            Outcome::Approved => "approved",
            Outcome::Refused => "refused",
            Outcome::Ran => "ran",
            Outcome::Failed => "failed",
        }
    }

    /// As a sentence goes on.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Stopped => "stopped",
            Outcome::Allowed => "stopped, then allowed by hand",
            Outcome::Approved => "approved by the user",
            Outcome::Refused => "refused by the user",
            Outcome::Ran => "ran",
            Outcome::Failed => "ran and failed",
        }
    }
}

/// A call that was judged, by a name that the caller has chosen for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Call<N> {
    name: N,
    asked: bool,
}

/// Takes records in their order and says what they tell about earlier ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcomes<N> {
    /// Judged, and nothing heard of yet; by session, then by call.
    open: HashMap<String, BTreeMap<String, Call<N>>>,
    /// Stopped, by session, tool and subject.
    stopped: HashMap<String, Vec<N>>,
    /// The same in the order in which they came: the oldest are forgotten.
    order: VecDeque<String>,
    /// Agents that say when a call has run.
    tell: BTreeSet<String>,
}

impl<N> Default for Outcomes<N> {
    fn default() -> Self {
        Self { open: HashMap::new(), stopped: HashMap::new(), order: VecDeque::new(), tell: BTreeSet::new() }
    }
}

impl<N: Clone> Outcomes<N> {
    const MOST_STOPPED: usize = 20_000;
    const MOST_SESSIONS: usize = 2_000;
    /// Of one session. Nothing is ever heard of the calls of an agent that does not say when one has run.
    const MOST_CALLS: usize = 1_000;

    /// What this record says about itself and about others, in order; a later word counts.
    pub fn see(&mut self, record: &Record, name: &N) -> Vec<(N, Outcome)> {
        match record.event.as_str() {
            "PreToolUse" => self.judged(record, name),
            "PostToolUse" | "PostToolUseFailure" => {
                if !self.tell.contains(&record.agent) {
                    self.tell.insert(record.agent.clone());
                }
                let failed = record.event == "PostToolUseFailure";
                self.take(record)
                    .map(|call| {
                        let outcome = match (call.asked, failed) {
                            (true, _) => Outcome::Approved,
                            (false, true) => Outcome::Failed,
                            (false, false) => Outcome::Ran,
                        };
                        (call.name, outcome)
                    })
                    .into_iter()
                    .collect()
            }
            "PermissionDenied" => {
                self.take(record).map(|call| (call.name, Outcome::Refused)).into_iter().collect()
            }
            // The agent has gone on without it.
            "UserPromptSubmit" | "Stop" | "SessionEnd" => {
                let open = self.open.remove(&record.session).unwrap_or_default();
                let tells = self.tell.contains(&record.agent);
                let asked = open.into_values().filter(|call| call.asked && tells);
                asked.map(|call| (call.name, Outcome::Refused)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn judged(&mut self, record: &Record, name: &N) -> Vec<(N, Outcome)> {
        // What was only observed was neither stopped nor asked about.
        let verdict = if record.observed { "none" } else { record.verdict.as_str() };
        let mut told = Vec::new();
        let same = || [record.session.as_str(), &record.tool, &record.subject].join("\n");
        if record.is_allowed_by_hand() && !self.stopped.is_empty() {
            let before = self.stopped.remove(&same()).unwrap_or_default();
            told.extend(before.into_iter().map(|name| (name, Outcome::Allowed)));
        }
        if verdict == "deny" {
            let same = same();
            self.stopped.entry(same.clone()).or_default().push(name.clone());
            self.order.push_back(same);
            if self.order.len() > Self::MOST_STOPPED
                && let Some(oldest) = self.order.pop_front()
            {
                self.stopped.remove(&oldest);
            }
            told.push((name.clone(), Outcome::Stopped));
            return told;
        }
        if self.open.len() > Self::MOST_SESSIONS {
            self.open.clear();
        }
        let call = Call { name: name.clone(), asked: verdict == "ask" };
        match self.open.get_mut(&record.session) {
            Some(calls) => {
                calls.insert(of(record), call);
                thin(calls, Self::MOST_CALLS);
            }
            None => drop(self.open.entry(record.session.clone()).or_default().insert(of(record), call)),
        }
        told
    }

    /// Forgets what is long ago, so that the rest can be kept: the next file begins with it.
    pub(super) fn shorten(&mut self) {
        const MOST: usize = 500;
        while self.order.len() > MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.stopped.remove(&oldest);
            }
        }
        if self.open.len() > MOST {
            self.open.clear();
        }
        // Most sessions have a handful; only in a busy one does a file end amid many.
        if self.open.values().map(BTreeMap::len).sum::<usize>() > 2 * MOST {
            self.open.values_mut().for_each(|calls| thin(calls, MOST / 50));
            self.open.retain(|_, calls| !calls.is_empty());
        }
    }

    fn take(&mut self, record: &Record) -> Option<Call<N>> {
        self.open.get_mut(&record.session)?.remove(&of(record))
    }
}

/// Forgets calls when there are too many of them: first those that nobody was asked about.
fn thin<N>(calls: &mut BTreeMap<String, Call<N>>, most: usize) {
    if calls.len() > most {
        calls.retain(|_, call| call.asked);
    }
    if calls.len() > most {
        calls.clear();
    }
}

/// The call, or for an agent that has no names for calls what it was about.
fn of(record: &Record) -> String {
    if record.call.is_empty() { format!("{}\n{}", record.tool, record.subject) } else { record.call.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of calls that nothing is ever heard of only so many are kept, whatever the log's size.
    #[test]
    fn what_is_never_answered_is_forgotten() {
        let mut outcomes = Outcomes::default();
        for number in 0..30_000_usize {
            let record = Record {
                event: "PreToolUse".into(),
                call: number.to_string(),
                verdict: if number % 50 == 0 { "ask" } else { "none" }.into(),
                session: format!("s{}", number / 10_000),
                ..Record::default()
            };
            outcomes.see(&record, &number);
        }
        let open = |outcomes: &Outcomes<usize>| outcomes.open.values().map(BTreeMap::len).sum::<usize>();
        assert!((1..=3 * Outcomes::<usize>::MOST_CALLS).contains(&open(&outcomes)), "{}", open(&outcomes));
        outcomes.shorten();
        assert!(open(&outcomes) <= 1000, "{}", open(&outcomes));
    }

    fn told(lines: &[(&str, &str, &str, bool)]) -> Vec<(usize, &'static str)> {
        let mut outcomes = Outcomes::default();
        let mut told = BTreeMap::new();
        for (number, (event, call, verdict, allowed)) in lines.iter().enumerate() {
            let record = Record {
                event: (*event).into(),
                call: (*call).into(),
                verdict: (*verdict).into(),
                session: "s".into(),
                tool: "Bash".into(),
                subject: "ls".into(),
                allowed: if *allowed { vec!["x".into()] } else { Vec::new() },
                ..Record::default()
            };
            told.extend(outcomes.see(&record, &number));
        }
        told.into_iter().map(|(number, outcome)| (number, outcome.as_str())).collect()
    }

    #[test]
    fn what_follows_tells_what_became_of_a_call() {
        let (pre, post) = ("PreToolUse", "PostToolUse");
        assert_eq!(told(&[(pre, "1", "none", false), (post, "1", "none", false)]), [(0, "ran")]);
        assert_eq!(told(&[(pre, "", "allow", false), (post, "", "none", false)]), [(0, "ran")]);
        assert_eq!(
            told(&[(pre, "1", "none", false), ("PostToolUseFailure", "1", "none", false)]),
            [(0, "failed")]
        );
        assert_eq!(told(&[(pre, "1", "ask", false), (post, "1", "none", false)]), [(0, "approved")]);
        let seen = [(pre, "0", "none", false), (post, "0", "none", false)];
        let asked = [seen[0], seen[1], (pre, "1", "ask", false), ("UserPromptSubmit", "", "none", false)];
        assert_eq!(told(&asked), [(0, "ran"), (2, "refused")]);
        assert_eq!(told(&asked[2..]), [], "an agent that never says what ran leaves it open");
        assert_eq!(
            told(&[(pre, "1", "ask", false), ("PermissionDenied", "1", "none", false)]),
            [(0, "refused")]
        );
        assert_eq!(told(&[(pre, "1", "deny", false), ("Stop", "", "none", false)]), [(0, "stopped")]);
        let later = [(pre, "1", "deny", false), (pre, "2", "allow", true), (post, "2", "none", false)];
        assert_eq!(told(&later), [(0, "allowed"), (1, "ran")]);
    }
}
