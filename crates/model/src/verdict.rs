//! What we answer: findings of single checks, and the one verdict that they are merged into.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde_json::Value;

use crate::{Effect, Linted, redact_all, visible};

/// `group/name`: the same in config, output, docs and on disk.
pub type RuleId = &'static str;

/// Ordered by strength, so that merging two decisions is `max`. The only severity type in the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// No opinion. Printed as nothing; never an approval.
    #[default]
    None,
    /// Runs without asking the user.
    Allow,
    /// The user decides.
    Ask,
    /// Does not happen.
    Deny,
}

impl Decision {
    pub const ALL: [Decision; 4] = [Decision::None, Decision::Allow, Decision::Ask, Decision::Deny];

    pub fn as_str(self) -> &'static str {
        match self {
            Decision::None => "none",
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Bytes of the command that a finding is about.
pub type Span = Range<usize>;

/// From one check. What, why and what to do instead are kept apart, so that each is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: RuleId,
    pub decision: Decision,
    pub what: String,
    pub why: Cow<'static, str>,
    pub instead: Option<String>,
    pub at: Option<Span>,
}

impl Finding {
    /// The sentence that the agent acts upon.
    pub fn text(&self) -> String {
        let mut text = self.what.clone();
        for part in [Some(self.why.as_ref()), self.instead.as_deref()].into_iter().flatten() {
            if !part.is_empty() {
                let apart = text.is_empty() || text.ends_with('\n') || part.starts_with('\n');
                text.push_str(if apart { "" } else { " " });
                text.push_str(part);
            }
        }
        text
    }
}

/// One replacement in the text of a shell command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub rule: RuleId,
    pub span: Span,
    pub text: String,
    /// Said to the agent, which otherwise does not learn that its command was changed.
    pub why: String,
}

/// One replacement in what a tool has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Where the text stands in the answer, as a JSON pointer.
    pub at: String,
    pub span: Span,
    pub text: String,
}

impl Patch {
    /// The answer with all of them in it. Of two that touch the same bytes the first one counts, and covers both.
    pub fn apply(answer: &Value, mut patches: Vec<Patch>) -> Option<Value> {
        if patches.is_empty() {
            return None;
        }
        let mut answer = answer.clone();
        patches.sort_by(|a, b| (&a.at, a.span.start).cmp(&(&b.at, b.span.start)));
        patches.dedup_by(|later, first| {
            let touches = later.at == first.at && later.span.start < first.span.end;
            if touches {
                first.span.end = first.span.end.max(later.span.end);
            }
            touches
        });
        for patch in patches.iter().rev() {
            if let Some(Value::String(text)) = answer.pointer_mut(&patch.at) {
                text.replace_range(patch.span.clone(), &patch.text);
            }
        }
        Some(answer)
    }
}

/// What one check puts in. It starts empty, and an empty one means "nothing to say".
#[derive(Debug, Default)]
pub struct Findings {
    pub findings: Vec<Finding>,
    pub rewrites: Vec<Rewrite>,
    pub patches: Vec<Patch>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the model that is left out first when there is too much: lines of facts.
    pub background: Vec<String>,
    /// What a terminal is sent to call the user.
    pub signal: Option<String>,
    /// The whole run ends here, and the user is told this. What was denied for it stands in `findings` too, for events that
    /// cannot say it.
    pub halt: Option<String>,
    /// Text for the user, which does not reach the model.
    pub notices: Vec<String>,
    pub effects: Vec<Effect>,
    pub account: Account,
    /// What could not be done, although the check could go on: for the log.
    pub failures: Vec<String>,
}

/// What a check tells of its work. Nothing follows from it: the log keeps it, and scripts at old addresses have forms of their own
/// for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What became of edited files.
    pub lint: Option<Box<Linted>>,
    /// Lines for the log, about what was run.
    pub ran: Vec<String>,
    /// Lines for stderr, for whoever looks for a fault in the hooks. Agents do not show them.
    pub aloud: Vec<String>,
}

impl Account {
    pub fn append(&mut self, mut other: Self) {
        self.lint = other.lint.or(self.lint.take());
        self.ran.append(&mut other.ran);
        self.aloud.append(&mut other.aloud);
    }

    pub fn is_empty(&self) -> bool {
        self.lint.is_none() && self.ran.is_empty() && self.aloud.is_empty()
    }
}

impl Findings {
    pub fn deny(&mut self, rule: RuleId, what: String, why: &'static str) -> &mut Finding {
        self.push(rule, Decision::Deny, what, why)
    }

    pub fn ask(&mut self, rule: RuleId, what: String, why: &'static str) -> &mut Finding {
        self.push(rule, Decision::Ask, what, why)
    }

    pub fn allow(&mut self, rule: RuleId, what: String) -> &mut Finding {
        self.push(rule, Decision::Allow, what, "")
    }

    fn push(&mut self, rule: RuleId, decision: Decision, what: String, why: &'static str) -> &mut Finding {
        self.findings.push(Finding { rule, decision, what, why: why.into(), instead: None, at: None });
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    /// Everything that another one holds, after what is here.
    pub fn append(&mut self, mut other: Self) {
        self.findings.append(&mut other.findings);
        self.rewrites.append(&mut other.rewrites);
        self.patches.append(&mut other.patches);
        self.context.append(&mut other.context);
        self.background.append(&mut other.background);
        self.signal = self.signal.take().or(other.signal);
        self.halt = self.halt.take().or(other.halt);
        self.notices.append(&mut other.notices);
        self.effects.append(&mut other.effects);
        self.account.append(other.account);
        self.failures.append(&mut other.failures);
    }

    pub fn decision(&self) -> Decision {
        self.findings.iter().map(|f| f.decision).max().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
            && self.rewrites.is_empty()
            && self.patches.is_empty()
            && self.context.is_empty()
            && self.background.is_empty()
            && self.signal.is_none()
            && self.halt.is_none()
            && self.notices.is_empty()
            && self.effects.is_empty()
            && self.account.is_empty()
            && self.failures.is_empty()
    }
}

/// The one answer of a hook run, before it is lowered to what the agent and the event can express.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    pub findings: Vec<Finding>,
    /// The command to run instead. Orthogonal to the decision: a rewrite approves nothing.
    pub command: Option<String>,
    /// What the model reads in place of what the tool has returned, in the tool's own shape.
    pub output: Option<Value>,
    pub context: Vec<String>,
    /// Said after it, and left out first when there is too much.
    pub background: Vec<String>,
    /// What a terminal is sent to call the user.
    pub signal: Option<String>,
    /// The run ends, and the user is told this.
    pub halt: Option<String>,
    pub notices: Vec<String>,
    /// How the user, and only they, lets a call through that was refused.
    pub way_out: Option<String>,
}

impl Verdict {
    /// Takes in one check's findings. The result does not depend on the order of decisions, only texts keep theirs.
    pub fn merge(&mut self, findings: Vec<Finding>, context: Vec<String>, notices: Vec<String>) {
        for finding in findings {
            self.decision = self.decision.max(finding.decision);
            self.findings.push(finding);
        }
        for (into, from) in [(&mut self.context, context), (&mut self.notices, notices)] {
            for text in from {
                if !into.contains(&text) {
                    into.push(text);
                }
            }
        }
    }

    /// The reasons behind the decision, strongest only, each once.
    pub fn reason(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        for finding in self.findings.iter().filter(|f| f.decision == self.decision) {
            let text = finding.text();
            if !parts.contains(&text) {
                parts.push(text);
            }
        }
        parts.join("\n\n")
    }

    /// The same with the way that the user has to let it through: for a refusal, not for a question to them.
    pub fn refusal(&self) -> String {
        let mut text = self.reason();
        if let Some(way) = &self.way_out {
            text.push('\n');
            text.push_str(way);
        }
        text
    }

    /// Everything for the model as one text.
    pub fn text(&self, limit: usize) -> String {
        crate::assemble(&self.context, &self.background, limit)
    }

    /// Makes its texts fit for a screen, where clients put them: nothing in them steers a terminal, and what only the user
    /// reads holds no secret. Commands stay as they are, or they would be others.
    pub fn make_presentable(&mut self) {
        fn show(text: &mut String) {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        for finding in &mut self.findings {
            show(&mut finding.what);
            finding.instead.iter_mut().for_each(show);
        }
        self.context.iter_mut().chain(&mut self.background).chain(&mut self.way_out).for_each(show);
        for text in self.notices.iter_mut().chain(&mut self.halt) {
            *text = redact_all(text);
            show(text);
        }
    }

    pub fn is_silent(&self) -> bool {
        self.decision == Decision::None
            && self.command.is_none()
            && self.output.is_none()
            && self.context.is_empty()
            && self.background.is_empty()
            && self.signal.is_none()
            && self.notices.is_empty()
    }

    /// What is said besides the decision, for the log.
    pub fn besides(&self) -> Vec<&'static str> {
        let parts = [
            ("rewrite", self.command.is_some()),
            ("output", self.output.is_some()),
            ("context", !self.context.is_empty() || !self.background.is_empty()),
            ("notice", !self.notices.is_empty()),
            ("signal", self.signal.is_some()),
            ("halt", self.halt.is_some()),
        ];
        parts.into_iter().filter(|(_, is_there)| *is_there).map(|(word, _)| word).collect()
    }

    /// The rules that had something to say, each once, in order.
    pub fn rules(&self) -> Vec<RuleId> {
        let mut rules = Vec::new();
        for finding in &self.findings {
            if !rules.contains(&finding.rule) {
                rules.push(finding.rule);
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: RuleId, decision: Decision) -> Finding {
        Finding { rule, decision, what: rule.into(), why: "".into(), instead: None, at: None }
    }

    #[test]
    fn merging_takes_the_strongest_whatever_the_order() {
        for (first, second) in [(Decision::Deny, Decision::Allow), (Decision::Allow, Decision::Deny)] {
            let mut verdict = Verdict::default();
            verdict.merge(vec![finding("a/a", first)], vec!["c".into()], vec![]);
            verdict.merge(vec![finding("b/b", second)], vec!["c".into()], vec![]);
            assert_eq!(verdict.decision, Decision::Deny);
            assert_eq!(verdict.context, ["c"]);
            assert_eq!(verdict.rules(), ["a/a", "b/b"]);
        }
    }

    #[test]
    fn a_reason_names_only_what_decided() {
        let mut verdict = Verdict::default();
        verdict.merge(
            vec![finding("a/asked", Decision::Ask), finding("b/denied", Decision::Deny)],
            vec![],
            vec![],
        );
        assert_eq!(verdict.reason(), "b/denied");
    }
}
