//! yamllint's `indentation`, for block collections. The engine's own reports every line of a block that begins at the wrong
//! column and guesses the step by majority; the original reports the first line and takes the step from the first block.

use std::collections::BTreeSet;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};
use ryl::config::YamlLintConfig;
use ryl::rules::indentation::ID;

/// What is wrong, and the lines that this has no opinion about: inside of flow collections and of long scalars.
#[derive(Default)]
pub(super) struct Indentation {
    /// Line, column, message.
    pub(super) found: Vec<(usize, usize, String)>,
    pub(super) inside: BTreeSet<usize>,
}

/// Whether a list under a key is indented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sequences {
    Yes,
    No,
    Either,
    /// As the first one is.
    Consistent,
}

enum Frame {
    Map { column: usize, flow: bool, key: bool, key_line: usize },
    List { column: usize, flow: bool, line: usize },
}

struct Walk<'a> {
    lines: Vec<&'a str>,
    /// `None` until the first block shows it.
    step: Option<usize>,
    sequences: Sequences,
    frames: Vec<Frame>,
    result: Indentation,
}

/// `None` where the text does not parse.
pub(super) fn check(text: &str, config: &YamlLintConfig) -> Option<Indentation> {
    let sequences = match config.rule_option_str(ID, "indent-sequences") {
        Some("whatever") => Sequences::Either,
        Some("consistent") => Sequences::Consistent,
        _ if config.rule_option_bool(ID, "indent-sequences", true) => Sequences::Yes,
        _ => Sequences::No,
    };
    let mut walk = Walk {
        lines: text.lines().collect(),
        step: usize::try_from(config.rule_option_int(ID, "spaces", -1)).ok(),
        sequences,
        frames: Vec::new(),
        result: Indentation::default(),
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        walk.event(&event, &span);
    }
    Some(walk.result)
}

impl Walk<'_> {
    fn event(&mut self, event: &Event<'_>, span: &Span) {
        let (line, column) = (span.start.line(), span.start.col());
        match event {
            // Begins behind its key, whatever the span says.
            Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                self.result.inside.extend(line + 1..=span.end.line());
                self.after();
            }
            Event::Scalar(..) | Event::Alias(_) => {
                self.node(line, column, false);
                self.result.inside.extend(line + 1..=span.end.line());
                self.after();
            }
            Event::MappingStart(style, ..) => {
                let flow = *style == StructureStyle::Flow;
                if !flow {
                    self.node(line, column, false);
                }
                self.frames.push(Frame::Map { column, flow, key: true, key_line: line });
            }
            Event::SequenceStart(style, ..) => {
                let flow = *style == StructureStyle::Flow;
                let column = if flow { column } else { self.dash(line, column) };
                if !flow {
                    self.node(line, column, true);
                }
                self.frames.push(Frame::List { column, flow, line });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                if let Some(
                    Frame::Map { flow: true, key_line: from, .. }
                    | Frame::List { flow: true, line: from, .. },
                ) = self.frames.pop()
                {
                    self.result.inside.extend(from + 1..=span.end.line());
                }
                self.after();
            }
            _ => {}
        }
        if let Some(Frame::Map { key: false, key_line, .. }) = self.frames.last_mut()
            && matches!(event, Event::Scalar(..) | Event::Alias(_))
        {
            *key_line = span.end.line();
        }
    }

    /// A list that is not indented has no beginning of its own: the parser gives that of its first item.
    fn dash(&self, line: usize, column: usize) -> usize {
        let text = self.lines.get(line - 1).copied().unwrap_or_default();
        match text.chars().nth(column) {
            Some('-') => column,
            _ if text.trim_start().starts_with('-') => text.len() - text.trim_start().len(),
            _ => column,
        }
    }

    /// After a node in a mapping comes its value, or the next key.
    fn after(&mut self) {
        if let Some(Frame::Map { key, .. }) = self.frames.last_mut() {
            *key = !*key;
        }
    }

    /// A node begins here. Only what is first on its line has an indentation.
    fn node(&mut self, line: usize, column: usize, list: bool) {
        let before: String = self.lines.get(line - 1).unwrap_or(&"").chars().take(column).collect();
        if !before.trim().is_empty() {
            return;
        }
        let expected = match self.frames.last() {
            None => Some(0),
            Some(Frame::Map { flow: true, .. } | Frame::List { flow: true, .. }) => return,
            // Keys stand under the first key, else it would be no YAML.
            Some(Frame::Map { key: true, .. }) => return,
            Some(Frame::Map { column: base, key_line, .. }) => {
                let base = *base;
                if *key_line == line {
                    return;
                }
                if list { self.list_under(base, column) } else { Some(self.stepped(base, column)) }
            }
            Some(Frame::List { column: base, .. }) => {
                let base = *base;
                Some(self.stepped(base, column))
            }
        };
        match expected {
            Some(expected) if expected == column => {}
            Some(expected) => {
                self.result.found.push((
                    line,
                    column + 1,
                    format!("wrong indentation: expected {expected} but found {column}"),
                ));
            }
            None => {
                self.result.found.push((
                    line,
                    column + 1,
                    format!("wrong indentation: expected at least {}", column + 1),
                ));
            }
        }
    }

    fn stepped(&mut self, base: usize, column: usize) -> usize {
        base + *self.step.get_or_insert(column.saturating_sub(base))
    }

    /// `None` where it should be indented, and nothing has shown yet by how much.
    fn list_under(&mut self, base: usize, column: usize) -> Option<usize> {
        if self.sequences == Sequences::Consistent {
            self.sequences = if column == base { Sequences::No } else { Sequences::Yes };
        }
        match self.sequences {
            Sequences::No => Some(base),
            Sequences::Either if column == base => Some(base),
            Sequences::Yes if column == base && self.step.is_none() => None,
            _ => Some(self.stepped(base, column)),
        }
    }
}
