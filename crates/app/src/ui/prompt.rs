//! Questions to a user. Without one (`--yes`, or no terminal behind stdin) every question has its default as the answer.

use std::io::{BufRead, IsTerminal, Write};

#[derive(Debug)]
pub(crate) struct Prompt {
    ask: bool,
}

impl Prompt {
    /// Asks only where somebody can answer.
    pub(crate) fn new(yes: bool) -> Self {
        Self { ask: !yes && std::io::stdin().is_terminal() }
    }

    pub(crate) fn confirm(&self, question: &str, default: bool) -> bool {
        let hint = if default { "Y/n" } else { "y/N" };
        match self.line(&format!("{question} [{hint}] ")).as_deref().map(str::trim) {
            Some("y" | "Y" | "yes") => true,
            Some("n" | "N" | "no") => false,
            _ => default,
        }
    }

    /// One of `choices`; anything else asks again.
    pub(crate) fn choose(&self, question: &str, choices: &[&str], default: &str) -> String {
        loop {
            let text = self.line(&format!("{question} ({}) [{default}] ", choices.join(", ")));
            match text.as_deref().map(str::trim) {
                None | Some("") => return default.to_owned(),
                Some(answer) if choices.contains(&answer) => return answer.to_owned(),
                Some(_) => {}
            }
        }
    }

    /// `None` when nobody answers: no terminal, or the end of input.
    fn line(&self, question: &str) -> Option<String> {
        if !self.ask {
            return None;
        }
        let _ = write!(std::io::stderr(), "{}", model::visible(question));
        let mut text = String::new();
        match std::io::stdin().lock().read_line(&mut text) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(text),
        }
    }
}
