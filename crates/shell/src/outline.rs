//! The shape of a command, for people: one line for each part of it, what belongs together indented.

use crate::parse::parse;
use crate::syntax::{AssignValue, Assignment, Command, Part, Redirect, Script, Simple, Span, Word};

/// More lines say less.
const MOST_LINES: usize = 60;

/// One line of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub depth: usize,
    pub text: String,
}

/// The outline of a command, as far as it can be read.
pub fn outline(command: &str) -> Vec<Line> {
    let (script, stopped) = parse(command);
    let mut outline = Outline { text: command, lines: Vec::new() };
    outline.script(&script, 0);
    if let Some(stopped) = stopped {
        outline.line(0, format!("… {} at byte {}", stopped.what, stopped.at));
    }
    outline.lines
}

struct Outline<'a> {
    text: &'a str,
    lines: Vec<Line>,
}

impl Outline<'_> {
    fn line(&mut self, depth: usize, text: impl Into<String>) {
        match self.lines.len() {
            count if count < MOST_LINES => self.lines.push(Line { depth, text: text.into() }),
            MOST_LINES => self.lines.push(Line { depth: 0, text: "…".into() }),
            _ => {}
        }
    }

    /// The source of something, on one line and not too long.
    fn source(&self, span: &Span) -> String {
        let text = self.text.get(span.clone()).unwrap_or_default();
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(100) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    fn script(&mut self, script: &Script, depth: usize) {
        script.commands.iter().for_each(|command| self.command(command, depth));
    }

    fn under(&mut self, title: &str, script: &Script, depth: usize) {
        self.line(depth, title);
        self.script(script, depth + 1);
    }

    fn command(&mut self, command: &Command, depth: usize) {
        match command {
            Command::Simple(simple) => self.simple(simple, depth),
            Command::Pipeline(stages) => {
                self.line(depth, "pipeline");
                stages.iter().for_each(|stage| self.command(stage, depth + 1));
            }
            Command::Negated(inner) => {
                self.line(depth, "not");
                self.command(inner, depth + 1);
            }
            Command::List { first, rest } => {
                self.command(first, depth);
                for (and, command) in rest {
                    self.line(depth, if *and { "and then" } else { "or else" });
                    self.command(command, depth + 1);
                }
            }
            Command::Background(inner) => {
                self.line(depth, "in the background");
                self.command(inner, depth + 1);
            }
            Command::Coprocess { script, .. } => self.under("in the background", script, depth),
            Command::Subshell(script) => self.under("subshell", script, depth),
            Command::Group(script) => self.under("group", script, depth),
            Command::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.under("if", condition, depth);
                    self.under("then", body, depth);
                }
                if let Some(body) = otherwise {
                    self.under("else", body, depth);
                }
            }
            Command::For { name, words, body } => {
                self.line(depth, format!("for {name}"));
                words.iter().flatten().for_each(|word| self.word(word, depth + 1));
                self.under("do", body, depth);
            }
            Command::While { condition, body } => {
                self.under("while", condition, depth);
                self.under("do", body, depth);
            }
            Command::Case { word, arms } => {
                self.line(depth, format!("case {}", self.source(&word.span)));
                for arm in arms {
                    let patterns: Vec<String> =
                        arm.patterns.iter().map(|word| self.source(&word.span)).collect();
                    self.under(&patterns.join(" | "), &arm.body, depth + 1);
                }
            }
            Command::Function { name, body } => {
                self.line(depth, format!("function {name}"));
                self.command(body, depth + 1);
            }
            Command::Words(words) => {
                self.line(depth, "test");
                words.iter().for_each(|word| self.nested(&word.parts, depth + 1));
            }
            Command::Arithmetic(word) => self.line(depth, format!("arithmetic {}", self.source(&word.span))),
            Command::Redirected { command, redirects } => {
                self.command(command, depth);
                self.redirects(redirects, depth + 1);
            }
        }
    }

    fn simple(&mut self, simple: &Simple, depth: usize) {
        let source = self.source(&simple.span);
        self.line(depth, if source.is_empty() { "(command)".to_owned() } else { source });
        let values =
            simple.assignments.iter().chain(simple.declared.iter().map(|(_, assignment)| assignment));
        for Assignment { value, .. } in values {
            match value {
                AssignValue::Text(word) => self.nested(&word.parts, depth + 1),
                AssignValue::List(words) => words.iter().for_each(|word| self.nested(&word.parts, depth + 1)),
            }
        }
        simple.words.iter().for_each(|word| self.nested(&word.parts, depth + 1));
        self.redirects(&simple.redirects, depth + 1);
    }

    fn word(&mut self, word: &Word, depth: usize) {
        self.line(depth, self.source(&word.span));
        self.nested(&word.parts, depth + 1);
    }

    fn redirects(&mut self, redirects: &[Redirect], depth: usize) {
        for redirect in redirects {
            let target = self.source(&redirect.target.span);
            if !target.is_empty() {
                self.line(depth, format!("{} {target}", redirect.direction.as_str()));
            }
            self.nested(&redirect.target.parts, depth + 1);
        }
    }

    /// Commands inside of words.
    fn nested(&mut self, parts: &[Part], depth: usize) {
        for part in parts {
            match part {
                Part::Bare(_) | Part::Quoted(_) => {}
                Part::Double(inner) => self.nested(inner, depth),
                Part::Parameter(parameter) => {
                    if let Some(change) = &parameter.operation {
                        self.nested(&change.word.parts, depth);
                        self.nested(&change.other.parts, depth);
                    }
                }
                Part::Arithmetic(word) => self.nested(&word.parts, depth),
                Part::Substitution(script) => self.under("$( … )", script, depth),
                Part::Process { script, input } => {
                    self.under(if *input { "<( … )" } else { ">( … )" }, script, depth);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::outline;

    #[test]
    fn what_belongs_together_is_indented() {
        let lines = outline("a 1 | b \"$(c)\" > f && for x in y; do z; done");
        let text: String =
            lines.iter().map(|line| format!("{}{}\n", "  ".repeat(line.depth), line.text)).collect();
        assert_eq!(
            text,
            "pipeline\n  a 1\n  b \"$(c)\"\n    $( … )\n      c\n    > f\nand then\n  for x\n    y\n  do\n    z\n"
        );
    }

    #[test]
    fn it_stays_short() {
        assert!(outline(&"a;".repeat(1000)).len() <= 61);
        assert!(outline("echo $(").iter().any(|line| line.text.contains("byte")));
    }
}
