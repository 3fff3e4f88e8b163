//! Autonomous work: an agent that goes on without asking, as far as the user's plan allows.

use std::path::{Path, PathBuf};

/// The state's name in a `.claude` folder, and what older skills call theirs.
pub const AUTONOMY_STATES: [&str; 3] = ["autonomous-state.json", "appfix-state.json", "godo-state.json"];

/// What the branch of a work tree that was made for an agent is called: this, and the agent's name.
pub const AGENT_BRANCH: &str = "claude-agent/";

/// What the state of autonomous work says, while there is any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Autonomy {
    /// The skill or plan that it is about, as the state names it; empty where it does not.
    pub mode: String,
    /// `false` for an agent that works for another one, which alone deploys.
    pub coordinator: bool,
    /// What the plan allows: a tool, and what for.
    pub allowed_prompts: Vec<(String, String)>,
    /// Only there; everywhere where empty.
    pub directories: Vec<PathBuf>,
    /// Only these commands, as beginnings of words with `*` for the rest; all where empty.
    pub commands: Vec<String>,
    /// As the script of old did it: every tool, known or not.
    pub every_tool: bool,
    /// It says a time to come, so a clock was set back since: what it forbids is forbidden, and it approves nothing.
    pub is_ahead: bool,
}

impl Default for Autonomy {
    fn default() -> Self {
        Self {
            mode: String::new(),
            coordinator: true,
            allowed_prompts: Vec::new(),
            directories: Vec::new(),
            commands: Vec::new(),
            every_tool: false,
            is_ahead: false,
        }
    }
}

impl Autonomy {
    /// Whether it reaches as far as this path, which the caller has resolved.
    pub fn reaches(&self, path: &Path) -> bool {
        self.directories.is_empty() || self.directories.iter().any(|dir| path.starts_with(dir))
    }

    /// Whether it covers a command line, one program with its words.
    pub fn covers(&self, line: &str) -> bool {
        self.commands.is_empty() || self.commands.iter().any(|pattern| matches(pattern, line))
    }

    /// The name that answers use.
    pub fn title(&self) -> &str {
        if self.mode.is_empty() { "autonomous" } else { &self.mode }
    }
}

/// `cargo test` is that command with any further words; `cargo *` any command of cargo; a `*` inside a word stands for a part
/// of that word.
fn matches(pattern: &str, line: &str) -> bool {
    let mut words = line.split_whitespace();
    for part in pattern.split_whitespace() {
        if part == "*" {
            return true;
        }
        let Some(word) = words.next() else { return false };
        let fits = match part.split_once('*') {
            Some((start, end)) => {
                word.len() >= start.len() + end.len() && word.starts_with(start) && word.ends_with(end)
            }
            None => word == part,
        };
        if !fits {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_matched_word_by_word() {
        for (pattern, line, fits) in [
            ("cargo test", "cargo test -p x", true),
            ("cargo test", "cargo tests", false),
            ("cargo test", "cargo", false),
            ("cargo *", "cargo build", true),
            ("npm run test*", "npm run test:unit", true),
            ("npm run test*", "npm run deploy", false),
        ] {
            let autonomy = Autonomy { commands: vec![pattern.into()], ..Autonomy::default() };
            assert_eq!(autonomy.covers(line), fits, "{pattern} / {line}");
        }
        assert!(Autonomy::default().covers("anything"));
    }
}
