//! An answer that leaves the user without a next step: `stop/forward-motion`.

use model::{Body, Event, EventName, Findings, Levels, Meta, On, Role};

use super::is_first;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "stop/forward-motion",
    summary: "an answer that ends with a bare \"done\"",
    docs: "\
Looks at the last paragraph of the agent's answer. When it only says that something is done, without a question, a suggestion or an offer, the
agent is asked once to say what could come next. No model is asked; the words decide.
",
    cases: include_str!("forward_motion.toml"),
    on: &[On::event(EventName::Stop)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

/// Words that point ahead.
const AHEAD: &[&str] = &[
    "want me to",
    "shall i",
    "let me know",
    "would you like",
    "should i",
    "next step",
    "next, ",
    "next:",
    "what do you think",
    "ready to",
    "ready for",
    "happy to",
    "i can also",
    "feel free",
    "go ahead",
    "you can now",
    "you could",
    "i suggest",
    "i recommend",
    "if you",
];

/// Words that only look back.
const OVER: &[&str] =
    &["done", "finished", "completed", "complete", "all set", "that's it", "wrapped up", "all good"];

/// With one of these a sentence tells under which condition something is over, or that it is not.
const CONDITIONS: &[&str] = &[
    "when", "whenever", "until", "till", "once", "unless", "if", "whether", "before", "after", "while",
    "not", "never", "nothing", "no", "none", "cannot", "yet", "almost", "nearly", "partly", "half",
    "returns",
];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, _: &Context<'_>, out: &mut Findings) {
    let Body::Stop(stop) = &event.body else { return };
    if is_first(event) && is_bare(&stop.last_message) {
        out.deny(
            META.id,
            "Response lacks forward motion: it ends with a bare statement of completion.".into(),
            "",
        )
        .instead = Some("End with what the user can do now: a suggestion, an offer or a question.".into());
    }
}

fn is_bare(message: &str) -> bool {
    let message = message.replace("\r\n", "\n").to_lowercase().replace('\u{2019}', "'");
    let Some(last) = message.split("\n\n").filter(|part| !part.trim().is_empty()).last() else {
        return false;
    };
    !last.contains('?') && !AHEAD.iter().any(|words| last.contains(words)) && ends_bare(last)
}

/// Whether the last sentence says that it is over, and little else. `done` in the middle of an explanation, or in code, is not that.
fn ends_bare(paragraph: &str) -> bool {
    const FEW: usize = 8;
    let code = |text: &str| text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let plain = code(paragraph);
    let sentence = plain
        .split(['.', '!', '\n'])
        .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()))
        .rfind(|part| !part.is_empty())
        .unwrap_or_default()
        .to_owned();
    let words = sentence.split_whitespace().count();
    let over = |text: &str| OVER.iter().any(|words| has_words(text, words));
    let is_condition = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        CONDITIONS.contains(&word) || word.ends_with("n't")
    };
    if sentence.split_whitespace().any(is_condition) {
        return false;
    }
    // "Done", "everything is done now"; of a longer one only what it ends with.
    let ends = || OVER.iter().any(|words| sentence.ends_with(words) && has_words(&sentence, words));
    over(&sentence) && (words <= FEW || ends())
}

/// As words of their own: `abandoned` is not `done`.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        before && text[at + words.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric())
    })
}
