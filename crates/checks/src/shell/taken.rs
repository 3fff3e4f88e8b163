//! Parts of the guard that a command takes along: they lie in a folder that it removes, moves, covers or searches, or a pattern is
//! for them.

use std::path::{Path, PathBuf};

use model::Facts;
use model::deed::{Certainty, Deed, Object, Verb};
use shell::Call;
use shell::programs::Search;
use shell::text::{ANY, is_hole};

use super::made::Made;
use super::open_permissions::locks;
use super::protected_write::on_this_machine;
use crate::own;

/// Our own parts that go, or change, when this call does what it says.
pub(super) fn taken(call: &Call, made: &Made, facts: &dyn Facts) -> Vec<PathBuf> {
    let mut all = Vec::new();
    if let Some(search) = Search::of(call).filter(|search| search.deletes) {
        all.extend(found(call, &search, facts));
    }
    let mut known: Option<Vec<PathBuf>> = None;
    for deed in &call.deeds {
        let Object::Path { text, pattern, .. } = &deed.object else { continue };
        let tree = takes(call, deed);
        let writes = matches!(deed.verb, Verb::Writes | Verb::Appends | Verb::Edits | Verb::Empties);
        // A pattern for a file that is written names the file alone.
        if !(tree || writes && *pattern) {
            continue;
        }
        let Some(absolute) = on_this_machine(call, text).filter(|path| shell::text::is_known(path)) else {
            continue;
        };
        // Taking a link away leaves what it is for.
        let behind = match absolute.rsplit_once('/') {
            Some((folder, name)) if tree => made.followed(folder).map(|folder| format!("{folder}/{name}")),
            _ => made.followed(&absolute),
        };
        for place in behind.iter().chain([&absolute]) {
            // What a pattern or a name lies behind may be a link.
            let led = led(place, facts);
            let near = own::is_near(place, facts);
            if !near && !led.as_deref().is_some_and(|led| own::is_near(led, facts)) {
                continue;
            }
            let place = if near { place } else { led.as_ref().unwrap_or(place) };
            let real = facts.resolve(Path::new(place));
            let parts = known.get_or_insert_with(|| own::places(facts));
            let pattern = place.contains(['*', '?', '[']);
            let hit = |part: &&PathBuf| {
                let whole = part.components().count() == Path::new(place).components().count();
                if pattern {
                    own::matches(place, part) && (tree || whole) || own::leads_into(place, part, facts)
                } else {
                    tree && (part.starts_with(place) || part.starts_with(&real))
                }
            };
            all.extend(parts.iter().filter(hit).filter(|part| facts.entry(part).is_some()).cloned());
        }
    }
    all
}

/// The same path where its folder, or the part of it before a pattern, is reached by links.
fn led(place: &str, facts: &dyn Facts) -> Option<String> {
    let plain = place.find(['*', '?', '[']).unwrap_or(place.len());
    let (folder, rest) = place.split_at(place[..plain].rfind('/')?);
    let real = facts.resolve(Path::new(folder));
    (!folder.is_empty() && real != Path::new(folder)).then(|| format!("{}{rest}", real.display()))
}

/// Parts that a search would hand to a program that changes what it is given: by their names, however deep they lie.
fn searched(deed: &Deed, call: &Call, facts: &dyn Facts) -> Option<PathBuf> {
    let Object::Path { text, .. } = &deed.object else { return None };
    let changes = match deed.verb {
        Verb::Deletes | Verb::Moves | Verb::Empties | Verb::Writes | Verb::Appends | Verb::Edits => true,
        Verb::Permits => locks(call),
        _ => false,
    };
    if !changes {
        return None;
    }
    let (root, name) = text.rsplit_once(&format!("/{ANY}/"))?;
    let name = name.replace(ANY, "*");
    // A name of which nothing is known says nothing.
    if name.contains('/') || name.bytes().all(|b| matches!(b, b'*' | b'?')) || !shell::text::is_known(&name) {
        return None;
    }
    let root = shell::path::absolute(root, &call.cwd);
    if !shell::text::is_known(&root) || !own::is_near(&root, facts) {
        return None;
    }
    let root = facts.resolve(Path::new(&root));
    // Our records are called by what they are; of most the names end so.
    let records = ["x.json", "log.jsonl", "x.toml"].iter().any(|record| shell::path::matches(&name, record));
    let ours = |part: &PathBuf| {
        let last = part.file_name().is_some_and(|last| shell::path::matches(&name, &last.to_string_lossy()));
        let own = part == facts.state_dir() && records;
        part.starts_with(&root) && (last || own) || records && root.starts_with(facts.state_dir())
    };
    own::places(facts).into_iter().find(|part| ours(part) && facts.entry(part).is_some())
}

/// Whether a deed takes a path away with all that is below it, for good or for a while.
fn takes(call: &Call, deed: &Deed) -> bool {
    match deed.verb {
        // What is seen there instead is followed, too; but what was there is hidden.
        Verb::Deletes | Verb::Moves | Verb::Covers => true,
        Verb::Permits => locks(call),
        _ => false,
    }
}

/// Whether a call may take a part of ours along: a part of its path is not known, and what is known leads to one; or it puts a whole
/// folder of files that nobody has seen where our program or our records are.
pub(super) fn may_take(call: &Call, facts: &dyn Facts) -> Option<PathBuf> {
    call.deeds.iter().find_map(|deed| {
        let Object::Path { text, tree, .. } = &deed.object else { return None };
        if let Some(part) = searched(deed, call, facts) {
            return Some(part);
        }
        if takes(call, deed) && text.contains(ANY) && !text.starts_with(is_hole) {
            let place = shell::path::absolute(&text.replace(ANY, "*"), &call.cwd);
            let deep = place.split('/').filter(|piece| !piece.is_empty()).count() > 2;
            if !deep || !shell::text::is_known(&place) || !own::is_near(&place, facts) {
                return None;
            }
            let there = |part: &PathBuf| own::matches(&place, part) && facts.entry(part).is_some();
            return own::places(facts).into_iter().find(there);
        }
        if deed.verb == Verb::Writes && *tree {
            let place = shell::path::absolute(text, &call.cwd);
            let mut ours = facts.executables().iter().map(PathBuf::as_path).chain([facts.state_dir()]);
            let part = ours.find(|part| part.starts_with(&place) || Path::new(&place).starts_with(part));
            // A project that holds our program is where we are built.
            return part.filter(|part| !part.starts_with(facts.project())).map(Path::to_owned);
        }
        None
    })
}

/// Whether a program that nobody has described is given our program, our records or an agent's settings: it may do anything with them.
pub(super) fn may_touch(call: &Call, facts: &dyn Facts) -> Option<PathBuf> {
    if model::is_own_name(call.program()) {
        return None;
    }
    let given =
        call.deeds.iter().filter(|deed| deed.verb == Verb::Uses && deed.certainty == Certainty::Unseen);
    given.map(|deed| deed.object.text()).find_map(|text| {
        // Our folders are called after us, wherever they are.
        let names_us = text.contains("plimsoll") || text.contains("/settings") && text.contains(".claude");
        if !names_us || !shell::text::is_known(text) || text.contains(char::is_whitespace) {
            return None;
        }
        let path = shell::path::absolute(text, &call.cwd);
        let path = Path::new(&path);
        let settings = || {
            path.parent().is_some_and(|folder| folder.ends_with(".claude"))
                && path.extension().is_some_and(|ending| ending == "json")
        };
        (own::is_executable(path, facts)
            || path.starts_with(facts.state_dir())
            || path.starts_with(facts.cache_dir())
            || settings())
        .then(|| path.to_owned())
    })
}

/// What a search that removes what it finds would find of ours.
fn found(call: &Call, search: &Search, facts: &dyn Facts) -> Vec<PathBuf> {
    let mut all = Vec::new();
    // Most searches are for names that none of ours has.
    let could = |pattern: &str| pattern.contains('/') || own::could_be_named(pattern, facts);
    if search.empty || !search.wanted.is_empty() && !search.wanted.iter().any(|test| could(&test.pattern)) {
        return all;
    }
    for root in &search.roots {
        let root = shell::path::absolute(root, &call.cwd);
        if !shell::text::is_known(&root) || !own::is_near(&root, facts) {
            continue;
        }
        // From within our records everything is ours.
        let root = facts.resolve(Path::new(&root));
        if root.starts_with(facts.state_dir()) {
            all.push(root);
            continue;
        }
        let lets_through =
            |part: &PathBuf| search.lets_through(&part.to_string_lossy(), &root.to_string_lossy());
        let found = own::places(facts).into_iter().filter(lets_through);
        all.extend(found.filter(|part| facts.entry(part).is_some()));
    }
    all
}
