//! Whether a call is one that a rule is about: its program, its words, its options in any spelling, its operands, its variables.

use std::collections::BTreeSet;

use model::rule::{self, Book, Fit, Key, Kind, Number, Text, pattern};
use shell::Call;
use shell::text::is_hole;

use super::path::Place;
use super::scene::Scene;
use crate::Context;

/// The names that a call is looked up by: as it was started, and as the tables call it.
pub(super) fn names(call: &Call) -> impl Iterator<Item = &str> {
    let own = call.program();
    let known = call.path().first().copied().filter(|known| *known != own);
    std::iter::once(own).chain(known)
}

/// The rules that may be about its program and its first word.
pub(super) fn collect(scene: &Scene<'_>, call: &Call, book: &Book, found: &mut Vec<Number>) {
    book.about(Key::AnyProgram, found);
    for name in names(call) {
        if !book.about_program(name, found) {
            continue;
        }
        let begin = found.len();
        book.about(Key::EachSpoken(name), found);
        if found.len() == begin {
            continue;
        }
        if first_words(scene.spoken()).all(|word| shell::text::is_known(word.text)) {
            found.truncate(begin);
            for word in first_words(scene.spoken()) {
                book.about(Key::Spoken(name, word.text), found);
                word.known.into_iter().for_each(|known| book.about(Key::Spoken(name, known), found));
            }
        }
    }
}

/// The words of which one is the first: what may be somebody's value may be left out.
fn first_words<'a, 'b>(words: &'b [Word<'a>]) -> impl Iterator<Item = &'b Word<'a>> {
    let sure = words.iter().position(|word| !word.doubtful).map_or(words.len(), |at| at + 1);
    words[..sure].iter()
}

pub(super) fn fits(wanted: &rule::Call, call: &Call, spoken: &[Word<'_>], cx: &Context<'_>) -> Fit {
    // Which program it is must be known; what runs unseen is judged elsewhere.
    if call.argv.is_empty() || !shell::text::is_known(call.program()) {
        return Fit::No;
    }
    if !wanted.program.iter().any(|known| is_program(known, call, cx)) {
        return Fit::No;
    }
    let mut fit = begins(spoken, &wanted.words);
    let mut and = |next: &dyn Fn() -> Fit| {
        if fit > Fit::No {
            fit = fit.min(next());
        }
    };
    for (nth, words) in wanted.begins.iter().enumerate() {
        and(&|| call.args().get(nth).map_or(Fit::No, |arg| is_one_of(words, &arg.text)));
    }
    for names in &wanted.options {
        and(&|| chosen(names, call));
    }
    for names in &wanted.not_options {
        and(&|| !chosen(names, call));
    }
    for (names, text) in &wanted.option {
        and(&|| valued(names, text, call));
    }
    if !wanted.any_word.is_empty() {
        and(&|| among(&wanted.any_word, call));
    }
    if !wanted.no_word.is_empty() {
        and(&|| !stand(&wanted.no_word, call));
    }
    if let Some(text) = &wanted.operand {
        and(&|| together(text, &call.operands().map(|arg| arg.text.as_str()).collect::<Vec<_>>()));
    }
    for (name, text) in &wanted.variable {
        and(&|| call.var(name).map_or(Fit::No, |value| text.fits(value)));
    }
    if wanted.exact {
        let whole = if wanted.begins.is_empty() {
            spoken.len() == wanted.words.len() && only(wanted, call)
        } else {
            call.args().len() == wanted.begins.len()
        };
        and(&|| whole.into());
    }
    fit
}

/// By its name; one with a slash is a file.
fn is_program(known: &str, call: &Call, cx: &Context<'_>) -> bool {
    if known.contains('/') {
        let text = call.argv.first().map_or("", |arg| arg.text.as_str());
        let wanted = Text { like: vec![known.to_owned()], unlike: Vec::new() };
        return text.contains('/') && Place::new(text, &call.cwd, false, cx).fits(&wanted, cx) == Fit::Yes;
    }
    names(call).any(|name| pattern::fits(known, name, Kind::Text) == Fit::Yes)
}

/// One text fits and none is of those that must not.
fn together(wanted: &Text, texts: &[&str]) -> Fit {
    let any = |patterns: &[String]| {
        let fit = |text: &str| {
            patterns.iter().map(|one| pattern::fits(one, text, Kind::Text)).max().unwrap_or_default()
        };
        texts.iter().map(|text| fit(text)).max().unwrap_or_default()
    };
    let some: Fit = (!texts.is_empty()).into();
    let like = if wanted.like.is_empty() { some } else { any(&wanted.like) };
    if like == Fit::No { like } else { like.min(!any(&wanted.unlike)) }
}

/// Whether one of these words stands in the call: an option in any spelling, anything else as it is.
fn among(words: &[String], call: &Call) -> Fit {
    let one = |word: &String| {
        if word.starts_with('-') {
            return chosen(std::slice::from_ref(word), call);
        }
        stand(std::slice::from_ref(word), call)
    };
    words.iter().map(one).max().unwrap_or_default()
}

/// Whether one of these words stands in the call as it is. A rule that looks away where there is such a word must not take another for it.
fn stand(words: &[String], call: &Call) -> Fit {
    call.texts().map(|text| is_one_of(words, text)).max().unwrap_or_default()
}

fn is_one_of(words: &[String], text: &str) -> Fit {
    words.iter().map(|word| pattern::fits(&pattern::quoted(word), text, Kind::Text)).max().unwrap_or_default()
}

/// A word that is no option.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    text: &'a str,
    /// As the table names the subcommand.
    known: Option<&'static str>,
    /// It may be the value of an option that nobody knows.
    doubtful: bool,
}

/// The words that are neither options nor their values, in their order.
pub(super) fn spoken(call: &Call) -> Vec<Word<'_>> {
    let words = call.words();
    let mut options = BTreeSet::new();
    let mut unknown = BTreeSet::new();
    for chosen in &words.options {
        options.insert(chosen.word);
        if let Some(value) = chosen.value.filter(|value| value.from == 0) {
            options.extend(value.word..value.end.max(value.word + 1));
        }
        if chosen.option.is_none() && chosen.value.is_none() {
            unknown.insert(chosen.word + 1);
        }
    }
    let operands: BTreeSet<usize> = words.operands.iter().copied().collect();
    let at: Vec<usize> =
        (1..call.argv.len()).filter(|at| !options.contains(at) && call.argv[*at].text != "--").collect();
    let subs = at.iter().filter(|at| !operands.contains(at)).count();
    let path = words.path.get(1..).unwrap_or_default();
    // `git-commit` has its subcommand in its name; groups that no table has stand before the one that it has.
    let (inside, apart) = (path.len().saturating_sub(subs), subs.saturating_sub(path.len()));
    let mut made: Vec<Word<'_>> = path[..inside]
        .iter()
        .map(|&known| Word { text: known, known: Some(known), doubtful: false })
        .collect();
    let mut nth = 0;
    for at in at {
        let is_sub = !operands.contains(&at);
        let known =
            is_sub.then_some(nth).and_then(|nth: usize| path.get(inside + nth.checked_sub(apart)?).copied());
        nth += usize::from(is_sub);
        made.push(Word { text: &call.argv[at].text, known, doubtful: unknown.contains(&at) });
    }
    made
}

fn begins(words: &[Word<'_>], wanted: &[String]) -> Fit {
    let Some((first, others)) = wanted.split_first() else { return Fit::Yes };
    let Some((word, rest)) = words.split_first() else { return Fit::No };
    let known = word.known.map_or(Fit::No, |known| pattern::fits(first, known, Kind::Text));
    let here = known.max(pattern::fits(first, word.text, Kind::Text));
    let here = if here == Fit::No { here } else { here.min(begins(rest, others)) };
    // What may be somebody's value may be left out.
    if word.doubtful { here.max(begins(rest, wanted).min(Fit::Perhaps)) } else { here }
}

fn bare(name: &str) -> &str {
    name.trim_start_matches('-')
}

/// Whether an option is there, by any of these spellings.
fn chosen(names: &[String], call: &Call) -> Fit {
    let words = call.words();
    // `-rf` is both of them, unless the program has an option of that name.
    let all = |name: &String| {
        let letters = name.strip_prefix('-').filter(|rest| !rest.starts_with('-') && rest.len() > 1);
        letters
            .is_some_and(|letters| letters.chars().all(|letter| words.has(letter.encode_utf8(&mut [0; 4]))))
    };
    let given = |name: &String| words.has(bare(name)) || all(name);
    if names.iter().any(given) || strangers(names, call).next().is_some() {
        return Fit::Yes;
    }
    // A word that is not known may be any option.
    let values: BTreeSet<usize> =
        words.options.iter().filter_map(|chosen| chosen.value).map(|value| value.word).collect();
    let ended = call.argv.iter().position(|arg| arg.text == "--").unwrap_or(call.argv.len());
    let open = |at: usize| call.argv[at].text.starts_with(is_hole) && !values.contains(&at);
    if (1..ended).any(open) { Fit::Perhaps } else { Fit::No }
}

/// Options of these names that the table does not know, with what may be their values.
fn strangers<'a>(names: &'a [String], call: &'a Call) -> impl Iterator<Item = Option<&'a str>> {
    let strange = call.words().options.iter().filter(|chosen| chosen.option.is_none());
    strange.filter_map(move |chosen| {
        let text = call.argv[chosen.word].text.as_str();
        let (given, value) = text.split_once('=').map_or((text, None), |(given, value)| (given, Some(value)));
        let next = || {
            let next = call.argv.get(chosen.word + 1).map(|arg| arg.text.as_str());
            next.filter(|next| !next.starts_with('-'))
        };
        let same = names.iter().any(|name| name == given);
        // `-xf`: several in one word.
        let cluster = |name: &String| {
            let letter = name.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
            let rest = given
                .strip_prefix('-')
                .filter(|rest| !rest.starts_with('-') && rest.bytes().all(|b| b.is_ascii_alphabetic()));
            letter.zip(rest).is_some_and(|(letter, rest)| rest.contains(letter))
        };
        (same || names.iter().any(cluster)).then(|| value.or_else(next))
    })
}

/// Whether an option has such a value.
fn valued(names: &[String], text: &Text, call: &Call) -> Fit {
    let words = call.words();
    let known = names.iter().flat_map(|name| words.values(bare(name), &call.argv));
    let mut values: Vec<&str> = known.collect();
    values.extend(strangers(names, call).flatten());
    if values.is_empty() {
        // It may be there, in a word that is not known.
        return if chosen(names, call) == Fit::Perhaps { Fit::Perhaps } else { Fit::No };
    }
    together(text, &values)
}

/// Whether it has no options but those that the rule names.
fn only(wanted: &rule::Call, call: &Call) -> bool {
    let mut named = wanted.options.iter().chain(wanted.option.iter().map(|(names, _)| names));
    let listed = |word: usize| {
        let text = call.argv[word].text.as_str();
        let given = text.split_once('=').map_or(text, |(given, _)| given);
        named.clone().any(|names| names.iter().any(|name| name == given))
    };
    let all = call.words().options.iter().all(|chosen| listed(chosen.word));
    all && named.all(|names| chosen(names, call) == Fit::Yes)
}
