//! The second opinion: what reviewers outside this machine are asked about a command, and what they may say.

use std::fmt;
use std::path::Path;

use crate::redact_all;

/// Who is asked. The order is the one they are asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reviewer {
    Gemini,
    OpenAi,
}

impl Reviewer {
    pub const ALL: [Reviewer; 2] = [Reviewer::Gemini, Reviewer::OpenAi];
}

impl fmt::Display for Reviewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reviewer::Gemini => "Gemini",
            Reviewer::OpenAi => "OpenAI",
        })
    }
}

/// What was made of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Safe,
    /// Safe, but not what the project's plan is about.
    Misaligned,
    Unsafe,
    /// One reviewer called it unsafe and no other agreed. Only a conclusion, never one reviewer's word.
    Doubtful,
}

impl Judgement {
    pub const ALL: [Judgement; 4] =
        [Judgement::Safe, Judgement::Misaligned, Judgement::Unsafe, Judgement::Doubtful];

    pub fn as_str(self) -> &'static str {
        match self {
            Judgement::Safe => "safe",
            Judgement::Misaligned => "misaligned",
            Judgement::Unsafe => "unsafe",
            Judgement::Doubtful => "doubtful",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|judgement| judgement.as_str() == text)
    }
}

/// What one reviewer said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub reviewer: Reviewer,
    pub judgement: Judgement,
    pub reason: String,
}

/// What all of them together came to, as it is kept for the rest of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    pub judgement: Judgement,
    pub reason: String,
}

/// One question. Its texts can be sent away: what looks like a secret is masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub command: String,
    pub directory: String,
    pub branch: Option<String>,
    /// What the project is about just now.
    pub intent: String,
    /// Something in the command was masked, so nobody who is asked sees all of it.
    pub masked: bool,
    /// The command as it is, where it runs and on which branch: the same again is the same question. Hashed, never sent.
    pub identity: String,
}

impl Question {
    pub fn new(command: &str, directory: &Path, branch: Option<String>, intent: &str) -> Self {
        let shown = redact_all(command);
        let directory = directory.to_string_lossy().into_owned();
        let identity = [command, &directory, branch.as_deref().unwrap_or_default()].join("\0");
        Self {
            masked: shown != command,
            command: shown,
            directory,
            branch,
            intent: redact_all(intent),
            identity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_holds_no_secret_but_knows_the_command_again() {
        let ask = |command: &str| {
            Question::new(command, Path::new("/p"), Some("main".into()), "Ship it. TOKEN=hunter2")
        };
        let one = ask("deploy --token=hunter2 \\\n  --to staging");
        assert_eq!(one.command, "deploy --token=*** \\\n  --to staging");
        assert!(one.masked && !one.intent.contains("hunter2"));
        let other = ask("deploy --token=hunter3 \\\n  --to staging");
        assert!(other.command == one.command && other.identity != one.identity);
        assert!(!ask("ls -la").masked);
    }
}
