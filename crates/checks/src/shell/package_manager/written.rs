//! Where the words of a call stand in the command, and the command with some of them replaced.

use std::ops::Range;

use shell::{Arg, Call};

use super::translate::Word;

/// Text to be put in place of some bytes of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Range<usize>,
    pub(super) text: String,
}

/// The command with some of its parts replaced.
pub(super) struct Draft<'a> {
    pub(super) command: &'a str,
    pub(super) edits: Vec<Edit>,
}

impl Draft<'_> {
    /// The bytes of `span` as they will be.
    pub(super) fn text(&self, span: Range<usize>) -> String {
        let mut inside: Vec<&Edit> = self.edits.iter().filter(|edit| holds(&span, &edit.span)).collect();
        // An edit inside of another is part of that one's text.
        let all = inside.clone();
        inside.retain(|edit| {
            !all.iter().any(|other| other.span != edit.span && holds(&other.span, &edit.span))
        });
        inside.sort_by_key(|edit| edit.span.start);
        let mut out = String::new();
        let mut at = span.start;
        for edit in inside {
            out.push_str(self.command.get(at..edit.span.start).unwrap_or_default());
            out.push_str(&edit.text);
            at = edit.span.end;
        }
        out.push_str(self.command.get(at..span.end).unwrap_or_default());
        out
    }

    /// A loop comes to the same place again; its first round counts.
    pub(super) fn put(&mut self, edit: Edit) {
        if !self.edits.iter().any(|other| other.span == edit.span) {
            self.edits.push(edit);
        }
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The words of a call as the agent wrote them.
pub(super) struct Written {
    pub(super) words: Vec<Word>,
    /// Redirections between the words, which go to the end.
    pub(super) asides: Vec<String>,
    /// From the program to the last word; `None` where they do not stand in the command, as inside quotes.
    pub(super) span: Option<Range<usize>>,
}

impl Written {
    pub(super) fn of(call: &Call, draft: &Draft<'_>) -> Self {
        let Some(first) = call.argv.first().and_then(|arg| arg.span.clone()) else {
            let words = call.argv.iter().map(unwritten).collect();
            return Self { words, asides: Vec::new(), span: None };
        };
        let mut written =
            Self { words: Vec::new(), asides: Vec::new(), span: Some(first.start..first.start) };
        let mut end = first.start;
        let mut args = call.argv.iter().peekable();
        while let Some(arg) = args.next() {
            if let Some(span) = arg.span.clone().filter(|span| span.start >= end) {
                written.gap(&draft.text(end..span.start));
                end = span.end;
                written.words.push(Word { text: arg.text.clone(), source: draft.text(span) });
                continue;
            }
            // Several words of one, or words that another program adds: what stands there stands for all of them.
            let mut texts = vec![arg.text.clone()];
            while let Some(next) = args.next_if(|next| next.span.as_ref().is_none_or(|span| span.start < end))
            {
                texts.push(next.text.clone());
            }
            let until = args.peek().and_then(|next| next.span.as_ref()).map(|span| span.start);
            let until = until
                .or_else(|| call.span.as_ref().map(|span| span.end))
                .filter(|&until| until >= end)
                .unwrap_or(end);
            let sources =
                std::iter::once(blank(&draft.text(end..until))).chain(std::iter::repeat(String::new()));
            written.words.extend(texts.into_iter().zip(sources).map(|(text, source)| Word { text, source }));
            end = until;
        }
        written.span = Some(first.start..end);
        written
    }

    /// What stands between two words: blanks, a redirection, or something that came to nothing.
    fn gap(&mut self, text: &str) {
        let text = blank(text);
        if text.is_empty() {
            return;
        }
        let operator = text.trim_start_matches(|c: char| c.is_ascii_digit());
        if operator.starts_with(['<', '>']) || operator.starts_with("&>") {
            self.asides.push(text);
        } else {
            self.words.push(Word { text: shell::text::ANY.to_string(), source: text });
        }
    }
}

/// Without blanks and continued lines at the ends.
fn blank(text: &str) -> String {
    text.replace("\\\n", " ").trim().to_owned()
}

fn unwritten(arg: &Arg) -> Word {
    let source = if shell::text::is_known(&arg.text) {
        shell::quote(&arg.text).into_owned()
    } else {
        shell::text::show(&arg.text)
    };
    Word { text: arg.text.clone(), source }
}
