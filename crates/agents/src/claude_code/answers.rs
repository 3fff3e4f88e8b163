//! One row per event: how each of our answers is said there. Tested as a table, printed in the reference.

use model::{Decision, EventName};

use Form::{Behavior, Block, Context, Exit2, Notice, Permission, Plain, Silence};

/// How an answer leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all, because saying it would do harm or do nothing. The log has it.
    Silence,
    /// `hookSpecificOutput.permissionDecision` with a reason.
    Permission,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `{"decision": "block", "reason": …}`.
    Block,
    /// Exit code 2, text on stderr.
    Exit2,
    /// `hookSpecificOutput.additionalContext`, which the model reads.
    Context,
    /// Text on stdout, as it is.
    Plain,
    /// `systemMessage`, which the user reads.
    Notice,
}

impl Form {
    pub fn as_str(self) -> &'static str {
        match self {
            Silence => "-",
            Permission => "permissionDecision",
            Behavior => "decision.behavior",
            Block => "decision: block",
            Exit2 => "exit 2, stderr",
            Context => "additionalContext",
            Plain => "plain stdout",
            Notice => "systemMessage",
        }
    }
}

/// What one event can express.
#[derive(Clone, Debug)]
pub struct Answers {
    pub event: EventName,
    pub deny: Form,
    pub ask: Form,
    pub allow: Form,
    /// Whether `updatedInput` counts.
    pub rewrite: bool,
    /// Whether `updatedToolOutput` counts.
    pub replace: bool,
    /// Whether `continue: false` ends the run here. Elsewhere the denial says it.
    pub halt: bool,
    pub context: Form,
    pub notice: Form,
}

impl Answers {
    pub fn form(&self, decision: Decision) -> Form {
        match decision {
            Decision::Deny => self.deny,
            Decision::Ask => self.ask,
            Decision::Allow => self.allow,
            Decision::None => Silence,
        }
    }

    const fn rewriting(mut self) -> Self {
        self.rewrite = true;
        self
    }

    const fn replacing(mut self) -> Self {
        self.replace = true;
        self
    }

    const fn halting(mut self) -> Self {
        self.halt = true;
        self
    }

    pub fn of(event: &EventName) -> &'static Answers {
        ANSWERS.iter().find(|row| row.event == *event).unwrap_or(&UNKNOWN)
    }
}

const fn row(event: EventName, [deny, ask, allow, context, notice]: [Form; 5]) -> Answers {
    Answers { event, deny, ask, allow, rewrite: false, replace: false, halt: false, context, notice }
}

/// An event of a later client: nothing is known about its answers, so nothing is said.
static UNKNOWN: Answers = row(EventName::Other(String::new()), [Silence; 5]);

// Columns: deny, ask, allow, context, notice.
pub static ANSWERS: &[Answers] = &[
    row(EventName::Setup, [Context, Context, Silence, Context, Notice]),
    row(EventName::SessionStart, [Context, Context, Silence, Context, Notice]),
    row(EventName::InstructionsLoaded, [Silence, Silence, Silence, Silence, Notice]),
    row(EventName::UserPromptSubmit, [Block, Block, Silence, Context, Notice]),
    row(EventName::UserPromptExpansion, [Block, Block, Silence, Context, Notice]),
    row(EventName::PreToolUse, [Permission, Permission, Permission, Context, Notice]).rewriting(),
    // The user is being asked already, so an ask has nothing to add.
    row(EventName::PermissionRequest, [Behavior, Silence, Behavior, Notice, Notice]).rewriting(),
    row(EventName::PermissionDenied, [Silence, Silence, Silence, Silence, Notice]),
    // The tool has run: what is wrong with its work goes to the model as feedback.
    row(EventName::PostToolUse, [Exit2, Exit2, Silence, Context, Notice]).halting().replacing(),
    row(EventName::PostToolUseFailure, [Exit2, Exit2, Silence, Context, Notice]),
    // A block here would end the whole run, not one call.
    row(EventName::PostToolBatch, [Context, Context, Silence, Context, Notice]),
    row(EventName::Notification, [Silence, Silence, Silence, Silence, Notice]),
    row(EventName::MessageDisplay, [Silence; 5]),
    row(EventName::SubagentStart, [Context, Context, Silence, Context, Notice]),
    // Context would keep the agent going, so advice goes to the user.
    row(EventName::SubagentStop, [Block, Block, Silence, Notice, Notice]).halting(),
    row(EventName::TaskCreated, [Exit2, Exit2, Silence, Silence, Notice]),
    row(EventName::TaskCompleted, [Exit2, Exit2, Silence, Silence, Notice]),
    row(EventName::TeammateIdle, [Exit2, Exit2, Silence, Silence, Notice]),
    row(EventName::Stop, [Block, Block, Silence, Notice, Notice]).halting(),
    row(EventName::StopFailure, [Silence; 5]),
    row(EventName::ConfigChange, [Block, Block, Silence, Silence, Notice]),
    row(EventName::CwdChanged, [Silence, Silence, Silence, Silence, Notice]),
    row(EventName::FileChanged, [Silence, Silence, Silence, Silence, Notice]),
    // Its systemMessage goes to the model.
    row(EventName::DirectoryAdded, [Silence; 5]),
    // Its stdout is read as a path.
    row(EventName::WorktreeCreate, [Silence; 5]),
    row(EventName::WorktreeRemove, [Silence; 5]),
    // Whatever is on stdout, JSON too, becomes a part of the instructions for the summary.
    row(EventName::PreCompact, [Block, Block, Silence, Plain, Silence]),
    row(EventName::PostCompact, [Silence, Silence, Silence, Silence, Notice]),
    row(EventName::PreModelSwitch, [Permission, Permission, Permission, Silence, Notice]),
    row(EventName::PostModelSwitch, [Context, Context, Silence, Context, Notice]),
    row(EventName::Elicitation, [Silence; 5]),
    row(EventName::ElicitationResult, [Silence; 5]),
    row(EventName::SessionEnd, [Silence; 5]),
];
