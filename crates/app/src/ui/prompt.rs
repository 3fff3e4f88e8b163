//! Questions to a user. Only clear answers count: what is not one is said so and asked again, and the end of input (Ctrl-D) is no
//! answer at all. Without anybody to ask (`--yes`) every question has its default as the answer.

use std::io::{BufRead, IsTerminal, Write};

#[derive(Debug)]
pub(crate) struct Prompt {
    ask: bool,
}

impl Prompt {
    pub(crate) fn new(yes: bool) -> Self {
        Self { ask: !yes }
    }

    /// Whether questions are put at all.
    pub(crate) fn asks(&self) -> bool {
        self.ask
    }

    /// Whether somebody is there to answer.
    pub(crate) fn has_terminal() -> bool {
        std::io::stdin().is_terminal()
    }

    /// One of `choices`, by its name. `None` where the user ends the input.
    pub(crate) fn choose(&self, question: &str, choices: &[&str], default: Option<&str>) -> Option<String> {
        let named = |answer: &str| choices.iter().find(|choice| choice.eq_ignore_ascii_case(answer));
        let read = |answer: &str| named(answer).map(|name| (*name).to_owned());
        self.ask(question, default, &choices.join(", "), read).unwrap_or_else(|| default.map(str::to_owned))
    }

    /// Yes or no; `default` is what a bare Enter means, if it means anything.
    pub(crate) fn confirm(&self, question: &str, default: Option<bool>) -> Option<bool> {
        let word = default.map(|yes| if yes { "yes" } else { "no" });
        let read = |answer: &str| match answer.to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(true),
            "n" | "no" => Some(false),
            _ => None,
        };
        self.ask(question, word, "yes, no", read).unwrap_or(default.or(Some(false)))
    }

    /// Some of `choices`, separated by commas or blanks, or `all`.
    pub(crate) fn several(&self, question: &str, choices: &[&str], default: &[&str]) -> Option<Vec<String>> {
        let names = |answer: &str| {
            if answer.eq_ignore_ascii_case("all") {
                return Some(choices.iter().map(|name| (*name).to_owned()).collect());
            }
            let words = answer.split([',', ' ']).filter(|word| !word.is_empty());
            words
                .map(|word| {
                    choices.iter().find(|name| name.eq_ignore_ascii_case(word)).map(|name| (*name).to_owned())
                })
                .collect::<Option<Vec<_>>>()
                .filter(|names| !names.is_empty())
        };
        let known = format!("{}, all", choices.join(", "));
        let default = default.join(",");
        self.ask(question, Some(&default), &known, names).unwrap_or_else(|| names(&default))
    }

    /// `None` where nobody is asked, `Some(None)` where the input has ended.
    #[expect(clippy::option_option, reason = "one `None` is taken back with `?`, the other with a default")]
    fn ask<T>(
        &self,
        question: &str,
        default: Option<&str>,
        known: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Option<T>> {
        if !self.ask {
            return None;
        }
        let hint = default.map(|default| format!(" [{default}]")).unwrap_or_default();
        loop {
            let Some(line) = line(&format!("{question}{hint} > ")) else { return Some(None) };
            let answer = match line.trim() {
                "" => default.unwrap_or_default(),
                answer => answer,
            };
            if let Some(found) = read(answer) {
                return Some(Some(found));
            }
            let said = if answer.is_empty() {
                String::new()
            } else {
                format!("\"{answer}\" is not an answer here; ")
            };
            say(&format!("  {said}type one of: {known}\n"));
        }
    }
}

fn say(text: &str) {
    let mut out = std::io::stderr();
    let _ = write!(out, "{}", model::visible(text)).and_then(|()| out.flush());
}

/// `None` at the end of input.
fn line(question: &str) -> Option<String> {
    say(question);
    let mut text = String::new();
    match std::io::stdin().lock().read_line(&mut text) {
        // The terminal stays on the line of the question.
        Ok(0) | Err(_) => {
            say("\n");
            None
        }
        Ok(_) => Some(text),
    }
}
