//! Subagents: what they are told, and what is looked at when they end.

mod context;
mod guardian;
mod implementer;
mod planner;

use model::state_files::{AgentFindings, Record};
use model::{Body, Effect, Event, Findings};

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] =
    &[&context::CHECK, &planner::CHECK, &implementer::CHECK, &guardian::CHECK];

/// What a subagent is for, by the name of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Planner,
    Implementer,
    Guardian,
    /// It only looks or runs something.
    Light,
    Other,
}

impl Kind {
    pub(crate) fn of(name: &str) -> Self {
        match name.rsplit(':').next().unwrap_or(name).to_lowercase().as_str() {
            "planner" | "plan" => Kind::Planner,
            "implementer" => Kind::Implementer,
            "guardian" => Kind::Guardian,
            "bash" | "explore" => Kind::Light,
            _ => Kind::Other,
        }
    }

    fn is(self, event: &Event) -> bool {
        event.subagent.as_ref().is_some_and(|agent| Self::of(&agent.kind) == self)
    }
}

/// The last words of the subagent that ends.
fn last_words(event: &Event) -> &str {
    match &event.body {
        Body::Stop(stop) => &stop.last_message,
        _ => "",
    }
}

/// It asks for permission and stops, and nobody is there to give it: the parent takes its question for the result.
fn waits_for_approval(message: &str) -> bool {
    const QUESTIONS: &[&str] = &[
        "do you approve",
        "do you confirm",
        "do you want me to",
        "should i proceed",
        "shall i",
        "would you like me to",
        "can i proceed",
        "ready to proceed?",
        "please confirm",
        "please approve",
        "awaiting your approval",
        "waiting for your approval",
        "is this okay?",
    ];
    const ENDS: &[&str] = &[
        "has been created",
        "has been written",
        "is complete",
        "are complete",
        "completed",
        "committed",
        "merged",
        "implemented",
        "finished",
        "all tests pass",
        "plan written",
        "created master_plan",
        "wrote master_plan",
    ];
    let message = message.to_lowercase();
    let tail: String = message.chars().rev().take(600).collect::<Vec<_>>().into_iter().rev().collect();
    QUESTIONS.iter().any(|words| tail.contains(words)) && !ENDS.iter().any(|words| message.contains(words))
}

/// Keeps what is open for the next prompt, and shows it to the user.
fn persist(agent: &'static str, issues: &[String], out: &mut Findings) {
    if issues.is_empty() {
        return;
    }
    out.effects
        .push(Effect::Record(AgentFindings::FILE.into(), Record::Append(AgentFindings::line(agent, issues))));
    let event = match agent {
        "planner" => "agent_planner",
        "implementer" => "agent_implementer",
        _ => "agent_guardian",
    };
    for issue in issues {
        out.effects.push(Effect::Audit { event, detail: issue.clone() });
    }
    out.notices.push(format!(
        "{agent} ended with this open:\n{}",
        issues.iter().map(|issue| format!("  - {issue}")).collect::<Vec<_>>().join("\n")
    ));
}
