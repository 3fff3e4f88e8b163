//! Here-documents: asked for in one line, read after it.

use super::{Parsed, Parser};
use crate::syntax::{Direction, Part, Redirect, Word};

pub(super) struct Pending {
    number: usize,
    delimiter: String,
    /// Expansions count in the body.
    expands: bool,
    strip_tabs: bool,
}

/// A redirect whose body is still to come carries its number in this.
const PLACE: &str = "\u{0}heredoc ";

impl Parser<'_> {
    /// Notes a here-document; the word stands for its body until `fill`.
    pub(super) fn ask_heredoc(&mut self, delimiter: &Word, strip_tabs: bool) -> Word {
        let number = self.bodies.len();
        self.bodies.push(None);
        let plain = |part: &Part| matches!(part, Part::Bare(_));
        let expands = delimiter.parts.iter().all(plain);
        let delimiter = delimiter.parts.iter().map(raw).collect();
        self.pending.push(Pending { number, delimiter, expands, strip_tabs });
        Word { parts: vec![Part::Quoted(format!("{PLACE}{number}"))], span: 0..0 }
    }

    /// At the beginning of a line: the bodies of all that were asked for.
    pub(super) fn read_heredocs(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let begin = self.at;
            let mut body = String::new();
            loop {
                if self.at >= self.bytes.len() {
                    // Bash warns and takes what there is.
                    break;
                }
                let line_end = self.rest().find('\n').map_or(self.bytes.len(), |i| self.at + i);
                let line = &self.text[self.at..line_end];
                let stripped = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
                self.at = (line_end + 1).min(self.bytes.len());
                if stripped.trim_end_matches('\r') == pending.delimiter {
                    break;
                }
                body.push_str(stripped);
                body.push('\n');
            }
            let span = self.since(begin);
            let word = if pending.expands {
                self.expanding(&body)?
            } else {
                Word { parts: vec![Part::Quoted(body)], span }
            };
            self.bodies[pending.number] = Some(word);
            self.waiting += 1;
        }
        Ok(())
    }

    /// The body as if between double quotes, except that a double quote is an ordinary character.
    fn expanding(&self, body: &str) -> Parsed<Word> {
        let parts = self.inner(body).double_quoted_parts(None)?;
        Ok(Word { parts: vec![Part::Double(parts)], span: 0..0 })
    }
}

fn raw(part: &Part) -> String {
    match part {
        Part::Bare(text) | Part::Quoted(text) => text.clone(),
        Part::Double(parts) => parts.iter().map(raw).collect(),
        _ => String::new(),
    }
}

/// Says whether a body found its place.
pub(super) fn fill(redirect: &mut Redirect, bodies: &mut [Option<Word>]) -> bool {
    if redirect.direction == Direction::Text
        && let [Part::Quoted(text)] = redirect.target.parts.as_slice()
        && let Some(number) = text.strip_prefix(PLACE).and_then(|n| n.parse::<usize>().ok())
        && let Some(body) = bodies.get_mut(number).and_then(Option::take)
    {
        redirect.target = body;
        return true;
    }
    false
}
