//! What tools have returned, before the model reads it.

mod hidden;
mod repeats;
mod secrets;
mod size;

use std::path::Path;

use model::deed::{Object, Verb};
use model::hidden::Source;
use model::{Event, EventName, Facts, Level, On, OwnValues, Secret, Sight, Tool, Tools, source};

use crate::Context;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] =
    &[&secrets::CHECK, &hidden::CHECK, &repeats::CHECK, &size::CHECK];

pub(crate) use hidden::WARNED;

/// After every tool that returns text which the model does not know yet.
static AFTER: &[On] = &[
    On::shell(EventName::PostToolUse),
    On::reads(EventName::PostToolUse),
    On { event: EventName::PostToolUse, tools: Tools::Mcp },
    On::shell(EventName::PostToolUseFailure),
    On { event: EventName::PostToolUseFailure, tools: Tools::Mcp },
];

/// The project's files of settings, as tools for them are wont to call them.
const SETTINGS: &[&str] = &[".env", ".env.local", ".env.development", ".env.production"];

/// The secrets of the project, read anew each time: nothing of them is kept.
pub(crate) fn own_values(facts: &dyn Facts) -> OwnValues {
    let read = |name: &&str| facts.read(&facts.project().join(Path::new(name))).ok().flatten();
    OwnValues::of(&SETTINGS.iter().filter_map(read).collect::<Vec<_>>())
}

/// What is in the texts of a result, in their order, looked at once for the checks that are on.
pub(crate) fn sights(event: &Event, cx: &Context<'_>) -> Vec<Sight> {
    let Some(use_) = event.tool_use() else { return Vec::new() };
    let is_on = |check: &crate::Check| crate::level(check.meta, cx.config) != Level::Off;
    let own = is_on(&secrets::CHECK).then(|| own_values(cx.facts));
    let source = || hidden::source(event, cx);
    let source: Option<&dyn Fn() -> Source> = if is_on(&hidden::CHECK) { Some(&source) } else { None };
    let mut sights: Vec<Sight> =
        use_.outcome.texts().iter().map(|(_, text)| Sight::of(text, own.as_ref(), source)).collect();
    let has_published = |sight: &Sight| sight.secrets.iter().any(Secret::may_be_published);
    if sights.iter().any(has_published) && is_published(event, cx) {
        for sight in &mut sights {
            sight.secrets.retain(|secret| !secret.may_be_published());
        }
    }
    sights
}

/// Whether all that a call shows are files of installed packages, which everybody has.
fn is_published(event: &Event, cx: &Context<'_>) -> bool {
    // Where it really lies, too: a package of the project's own may be linked there.
    let is_published =
        |path: &Path| source::is_published(path) && source::is_published(&cx.facts.resolve(path));
    match event.tool_use().map(|use_| &use_.tool) {
        Some(Tool::Read { path }) => is_published(path),
        Some(Tool::Search(search)) => search.place.as_deref().is_some_and(is_published),
        Some(Tool::Shell(_)) => cx.reading(event).is_some_and(|reading| {
            let mut deeds = reading.calls.iter().flat_map(|call| &call.deeds).peekable();
            deeds.peek().is_some()
                && reading.unseen.is_empty()
                && deeds.all(|deed| match (deed.verb, &deed.object) {
                    (Verb::Looks, _) => true,
                    (Verb::Reads, Object::Path { text, .. }) => is_published(Path::new(text)),
                    _ => false,
                })
        }),
        _ => false,
    }
}

/// Kinds of secrets in words, each once.
pub(crate) fn kinds<'a>(kinds: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 5;
    let mut named: Vec<&str> = Vec::new();
    for kind in kinds {
        if !named.contains(&kind) {
            named.push(kind);
        }
    }
    let more = named.len().saturating_sub(SHOWN);
    named.truncate(SHOWN);
    let list = named.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

/// Tells one text from another, in every process alike: as FNV-1a does, but eight bytes at a time, because results are long.
pub(crate) fn fingerprint(parts: &[&str]) -> u64 {
    parts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, part| {
        let (eights, rest) = part.as_bytes().as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let eights = eights.iter().chain([&last]).map(|eight| u64::from_le_bytes(*eight));
        eights.chain([part.len() as u64]).fold(hash, |hash, eight| {
            let mixed = (hash ^ eight).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 29
        })
    })
}
