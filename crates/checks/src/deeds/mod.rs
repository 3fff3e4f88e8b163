//! What a call of any tool but a shell would do, as deeds, and the judges of deeds: one for each subject, whichever tool it is.
//!
//! A shell's deeds come from its reading. A check of a subject asks its judge here first and then looks at the reading, so that a
//! user who switches it off or softens it does so for every road.

mod data;
mod loss;
mod place;
mod secret;

use model::deed::{Certainty, Deed, Object, Verb};
use model::{
    Change, Event, Facts, FileEdit, Findings, Foreign, Intent, Noun, Part, Realm, RuleId, Search, Side, Tool,
};

use shell::address;

use crate::Context;

pub(crate) use data::data;
pub(crate) use loss::{files, services, work};
pub(crate) use secret::secret;

/// What the event's tool would do. Empty for a shell, whose reading says it.
pub fn deeds(event: &Event) -> Vec<Deed> {
    let Some(use_) = event.tool_use() else { return Vec::new() };
    match &use_.tool {
        Tool::Read { path } => vec![address::of_path(Verb::Reads, &path.to_string_lossy())],
        Tool::Edit(edit) => vec![edited(edit)],
        Tool::Patch(edits) => edits.iter().map(edited).collect(),
        Tool::Search(search) => searched(search),
        Tool::Fetch { address } => vec![address::deed(Verb::Fetches, address)],
        Tool::Ask { question } => vec![Deed::new(Verb::Sends, Object::Thing(question.clone()))],
        Tool::Foreign(foreign) => by_shape(foreign),
        Tool::Shell(_) | Tool::Agent { .. } | Tool::Own => Vec::new(),
    }
}

fn edited(edit: &FileEdit) -> Deed {
    let verb = match edit.change {
        Change::Write { .. } | Change::Unknown => Verb::Writes,
        Change::Replace(_) | Change::Cell { .. } => Verb::Edits,
        Change::Removed => Verb::Deletes,
    };
    Deed::path(verb, edit.path.to_string_lossy())
}

/// Where a search looks, and by which names.
fn searched(search: &Search) -> Vec<Deed> {
    let place =
        search.place.as_ref().map_or_else(|| ".".into(), |place| place.to_string_lossy().into_owned());
    let (verb, names) = (if search.shows { Verb::Reads } else { Verb::Looks }, search.names.as_deref());
    let Some(names) = names else {
        return vec![Deed::new(verb, Object::Path { text: place, tree: true, pattern: false })];
    };
    let one = |names: String| {
        // A pattern may name its folder itself.
        let whole = names.starts_with(['/', '~']);
        let text = if whole { names } else { format!("{}/{names}", place.trim_end_matches('/')) };
        Deed::new(verb, Object::Path { text, tree: false, pattern: true })
    };
    alternatives(names).into_iter().map(one).collect()
}

/// `{.env,.env.*}` is two patterns. So many are looked at.
fn alternatives(names: &str) -> Vec<String> {
    const MOST: usize = 16;
    let inner = names.split_once('{').and_then(|(before, rest)| {
        let (list, after) = rest.split_once('}')?;
        Some((before, list, after))
    });
    match inner {
        Some((before, list, after)) => {
            list.split(',').take(MOST).map(|one| format!("{before}{one}{after}")).collect()
        }
        None => vec![names.to_owned()],
    }
}

/// By the verb in the tool's name and the shape of what it was given.
fn by_shape(foreign: &Foreign) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = foreign.parts.iter().filter_map(|part| of_part(foreign, part)).collect();
    // What a patch writes stands in no argument by itself.
    for edit in &foreign.edits {
        let deed = edited(edit);
        if !deeds.iter().any(|known| known.object.text() == deed.object.text()) {
            deeds.push(deed);
        }
    }
    if foreign.intent == Intent::Configure {
        deeds.push(Deed::new(Verb::Overrules, Object::Thing("the client's own settings".into())));
    }
    deeds
}

fn of_part(foreign: &Foreign, part: &Part) -> Option<Deed> {
    let thing = |verb: Verb, text: &str| Deed::new(verb, Object::Thing(text.to_owned()));
    Some(match &part.noun {
        Noun::Path { text, side, named } => {
            let mut deed = address::of_path(path_verb(foreign, *side), text);
            if let Object::Path { tree, pattern, .. } = &mut deed.object {
                // Whether it is a folder is not known, and what is in one goes with it.
                *tree = !matches!(deed.verb, Verb::Writes | Verb::Looks);
                *pattern = text.contains(['*', '?', '[']);
            }
            if !named {
                deed.certainty = Certainty::Hole;
            }
            deed
        }
        Noun::Address(text) => {
            address::deed(if foreign.intent == Intent::Send { Verb::Sends } else { Verb::Fetches }, text)
        }
        Noun::Statement(text) => Deed::new(data::verb(text), Object::Statement(text.clone())),
        Noun::Code { language, text } => {
            Deed::new(Verb::Runs, Object::Code { language: (*language).to_owned(), text: text.clone() })
        }
        Noun::Words(text) => thing(Verb::Sends, text),
        Noun::Thing { text, realm: Realm::Data } => thing(Verb::Changes, text),
        Noun::Thing { text, realm: Realm::Service } => thing(Verb::Destroys, text),
        Noun::Thing { text, realm: Realm::Work } => thing(Verb::Deletes, text),
        Noun::Thing { text, realm: Realm::Secret } => thing(Verb::Tells, text),
        Noun::Thing { text, realm: Realm::Rights } => thing(Verb::Permits, text),
        Noun::Thing { text, realm: Realm::Outside } => thing(Verb::Alters, text),
        Noun::Thing { text, realm: Realm::Machine } => thing(Verb::Lends, text),
    })
}

/// What happens to a path, by what the tool is for and which end the path is.
fn path_verb(foreign: &Foreign, side: Side) -> Verb {
    match (foreign.intent, side) {
        (_, Side::Around) | (Intent::List, Side::Only | Side::From) => Verb::Looks,
        (Intent::Search, _) if !foreign.shows => Verb::Looks,
        (Intent::Delete, _) => Verb::Deletes,
        (Intent::Permit, _) => Verb::Permits,
        (Intent::Move, Side::From) => Verb::Moves,
        (Intent::Link, Side::From) => Verb::Links,
        (Intent::Send, Side::Only | Side::From) => Verb::Sends,
        (Intent::Write, Side::Only) | (_, Side::To) => Verb::Writes,
        _ => Verb::Reads,
    }
}

/// The files that a call changes. With a folder goes what is in it: of that, our own parts and the agent's settings matter.
pub(crate) fn edits(event: &Event, facts: &dyn Facts) -> Vec<FileEdit> {
    let mut edits = event.edits().to_vec();
    let Some(Tool::Foreign(_)) = event.tool_use().map(|use_| &use_.tool) else { return edits };
    let cwd = start(event, facts);
    for edit in &mut edits {
        let path = address::of_path(Verb::Writes, &edit.path.to_string_lossy());
        edit.path = place::absolute(path.object.text(), &cwd, facts).into();
    }
    let removed = edits.iter().filter(|edit| edit.change == Change::Removed);
    let removed: Vec<String> = removed.map(|edit| edit.path.to_string_lossy().into_owned()).collect();
    if removed.is_empty() {
        return edits;
    }
    let inside = |folder: &String, part: &str| part != folder && shell::path::is_below(part, folder);
    let taken = crate::own::parts(facts).into_iter().filter(|part| {
        let part = part.to_string_lossy();
        removed.iter().any(|folder| inside(folder, &part))
    });
    let settings = removed.iter().filter(|folder| shell::path::name(folder) == ".claude");
    let settings = settings.map(|folder| format!("{folder}/settings.json").into());
    let more: Vec<_> = settings.chain(taken).collect();
    edits.extend(more.into_iter().map(|path| FileEdit { path, change: Change::Removed }));
    edits
}

/// A call that names so many things that not all of them were looked at.
pub(crate) fn unreadable(rule: RuleId, event: &Event, out: &mut Findings) {
    if let Some(Tool::Foreign(foreign)) = event.tool_use().map(|use_| &use_.tool)
        && foreign.clipped
    {
        let what = "This call names more files, commands or addresses than Plimsoll looks at.".to_owned();
        out.ask(rule, what, "What was not looked at may do anything.");
    }
}

/// A change of the client's own settings by a tool of the client.
pub(crate) fn rules(rule: RuleId, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for deed in cx.deeds(event).iter().filter(|deed| deed.verb == Verb::Overrules) {
        let what = format!("This would change {}.", deed.object.text());
        out.ask(rule, what, "They decide what the agent may do, and who is asked.");
    }
}

/// Where a call starts: what relative paths are relative to.
fn start<'a>(event: &'a Event, facts: &'a dyn Facts) -> std::borrow::Cow<'a, str> {
    event.cwd.as_deref().unwrap_or_else(|| facts.project()).to_string_lossy()
}
