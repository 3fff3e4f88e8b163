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

/// Whether the last sentence says that it is over, and little else. `done` in the middle of an explanation, in code or in quotes, is
/// not that.
fn ends_bare(paragraph: &str) -> bool {
    const FEW: usize = 8;
    let plain = outside(&outside(paragraph, '`').replace(['\u{201c}', '\u{201d}'], "\""), '"');
    let sentence = plain
        .split(['.', '!', '\n'])
        .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()))
        .rfind(|part| !part.is_empty())
        .unwrap_or_default()
        .to_owned();
    let is_condition = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        CONDITIONS.contains(&word) || word.ends_with("n't")
    };
    if sentence.split_whitespace().any(is_condition) {
        return false;
    }
    let few = sentence.split_whitespace().count() <= FEW;
    // "Done", "everything is done now"; of a longer one only what it ends with.
    OVER.iter().any(|over| {
        let mut places = sentence.match_indices(over).filter(|(at, _)| is_words(&sentence, *at, over));
        places.any(|(at, _)| {
            let rest = sentence[at + over.len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
            rest.is_empty() || few && !names_a_thing(&sentence[..at], rest)
        })
    })
}

/// A text without what stands between two of these marks. One that is never closed marks nothing.
fn outside(text: &str, mark: char) -> String {
    let parts: Vec<&str> = text.split(mark).collect();
    let open = parts.len().is_multiple_of(2).then(|| parts.len() - 1);
    let kept = parts.iter().enumerate().filter(|(at, _)| at % 2 == 0 || Some(*at) == open);
    kept.map(|(_, part)| *part).collect::<Vec<_>>().join(" ")
}

/// Whether such a word only says which thing is meant: `finished jobs`, `the list of completed tasks`. What follows a verb, or is followed
/// by how or what with, is said of the work.
fn names_a_thing(before: &str, after: &str) -> bool {
    const VERBS: &[&str] = &[
        "is",
        "are",
        "was",
        "were",
        "am",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "got",
        "it's",
        "i've",
        "i'm",
        "we've",
        "we're",
        "that's",
        "they're",
        "all",
        "now",
        "fully",
        "everything",
        "successfully",
    ];
    const GOES_ON: &[&str] = &[
        "now",
        "successfully",
        "here",
        "already",
        "too",
        "as",
        "with",
        "without",
        "and",
        "in",
        "on",
        "for",
        "by",
        "at",
        "from",
        "so",
        "the",
        "this",
        "that",
        "these",
        "all",
        "my",
        "your",
        "our",
        "it",
        "everything",
        "every",
        "both",
        "a",
        "an",
    ];
    let word = |text: Option<&str>| {
        text.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_owned())
    };
    let said = word(before.split_whitespace().last()).is_some_and(|word| VERBS.contains(&word.as_str()));
    let next = word(after.split_whitespace().next()).unwrap_or_default();
    !said && !GOES_ON.contains(&next.as_str()) && !next.ends_with("ly") && !next.ends_with("ing")
}

/// As words of their own: `abandoned` is not `done`.
fn is_words(text: &str, at: usize, words: &str) -> bool {
    let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
    before && text[at + words.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric())
}
