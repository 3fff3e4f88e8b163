//! Programs that copy or move whole folders. Single files that are named are read elsewhere, by their names.

use std::path::Path;

use model::{Change, Incoming, What};
use shell::Arg;
use shell::path::{absolute, is_below, name};
use shell::programs::Role;

use super::options::Words;
use super::scene::Scene;
use super::unpacking::{add, is_left_out};
use super::{Arrivals, Carrier, reach};

/// Files below a folder that are looked at.
const MOST: usize = 10_000;

/// `cp`, `mv`
pub(super) fn copy(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let moves = scene.call.with_role(Role::Move).next().is_some();
    if !moves && !words.has(&["r", "R", "a", "recursive", "archive"]) {
        return None;
    }
    let (sources, target) = match words.value(&["t", "target-directory"]) {
        Some(folder) => (words.operands.as_slice(), folder),
        None => {
            let (target, sources) = words.operands.split_last()?;
            (sources, target.text.as_str())
        }
    };
    let into = scene.place(target)?;
    let exists = scene.facts.entry(Path::new(&into)).is_some_and(|entry| entry.directory);
    // Into the folder under its own name, or as the folder.
    let under = (exists || sources.len() > 1 || target.ends_with('/') || words.value(&["t"]).is_some())
        && !words.has(&["T", "no-target-directory"]);
    let without: Vec<&str> = Vec::new();
    all(sources.iter().filter_map(|source| {
        // `x/.` is what is in it.
        let content = source.text.ends_with("/.") || source.text == ".";
        trees(scene, source, &into, under && !content, &without)
    }))
}

/// `ditto` puts what is in the first folder into the second, or unpacks.
pub(super) fn ditto(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let [source, target] = words.operands.as_slice() else { return None };
    let into = scene.place(&target.text)?;
    if words.has(&["x"]) {
        return Some(Arrivals::hidden(Carrier::Archive, "its format is not read here", vec![into]));
    }
    trees(scene, source, &into, false, &[])
}

pub(super) fn rsync(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["n", "dry-run", "list-only"]) {
        return None;
    }
    let (target, sources) = words.operands.split_last()?;
    if is_remote(&target.text) {
        return None;
    }
    let into = scene.place(&target.text)?;
    // What is taken in again is not worth telling apart.
    let plain = !words.has(&["include", "include-from", "filter", "f"]);
    let without: Vec<&str> = if plain { words.values(&["exclude"]).collect() } else { Vec::new() };
    all(sources.iter().filter_map(|source| {
        let content = source.text.ends_with('/') || source.text.ends_with("/.") || source.text == ".";
        if is_remote(&source.text) {
            return Some(fetched(&source.text, &into, content));
        }
        trees(scene, source, &into, !content, &without)
    }))
}

/// `scp host:path here`, `docker cp container:/path here`
pub(super) fn from_afar(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let (target, sources) = words.operands.split_last()?;
    let into = scene.place(&target.text).filter(|_| !is_remote(&target.text) && target.text != "-")?;
    let remote = sources.iter().filter(|source| is_remote(&source.text));
    all(remote.map(|source| fetched(&source.text, &into, source.text.ends_with("/."))))
}

/// `host:path`, `host::module`, `rsync://…`; a path with a slash before the colon is one here.
fn is_remote(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
        || text.contains("://")
}

/// What nobody here can see lands under its own name, or is whatever is in there.
fn fetched(source: &str, into: &str, content: bool) -> Arrivals {
    let last = name(source.rsplit(':').next().unwrap_or(source));
    let open = content || last.is_empty() || matches!(last, "." | "~") || last.contains(['*', '?', '[']);
    let below = if open { into.to_owned() } else { absolute(last, into) };
    Arrivals::hidden(Carrier::Archive, "it comes from another machine", vec![below])
}

fn all(found: impl Iterator<Item = Arrivals>) -> Option<Arrivals> {
    found.reduce(Arrivals::join)
}

/// What a source brings, each thing at its new place; a pattern is for several. A single file that is named brings nothing here: its
/// name says all.
fn trees(scene: &Scene<'_>, source: &Arg, into: &str, under: bool, without: &[&str]) -> Option<Arrivals> {
    let unknown = || Arrivals::hidden(Carrier::Archive, "what it copies is not known", vec![into.to_owned()]);
    let Some(from) = scene.place(&source.text) else { return Some(unknown()) };
    if !source.glob || !from.contains(['*', '?', '[']) {
        return tree(scene, &from, into, under, without);
    }
    let Some(paths) = scene.expanded(&from) else { return Some(unknown()) };
    all(paths.iter().map(|path| {
        tree(scene, path, into, true, without).unwrap_or_else(|| {
            let mut found = Arrivals::of(Carrier::Archive);
            let file = Incoming { name: name(path).to_owned(), what: What::File(None) };
            add(&mut found, absolute(name(path), into), &file, into);
            found
        })
    }))
}

/// What lies below a folder. `None` where it is none, or is not there.
fn tree(scene: &Scene<'_>, folder: &str, into: &str, under: bool, without: &[&str]) -> Option<Arrivals> {
    let root = if under { absolute(name(folder), into) } else { into.to_owned() };
    let unknown = |why: &'static str| Arrivals::hidden(Carrier::Archive, why, vec![root.clone()]);
    let mut found = Arrivals::of(Carrier::Archive);
    let mut members = earlier(scene, folder);
    if scene.facts.entry(Path::new(folder)).is_some_and(|entry| entry.directory) {
        match scene.facts.tree(Path::new(folder), MOST) {
            Ok(list) => members.extend(list.unwrap_or_default()),
            Err(_) => found = unknown("there is too much of it"),
        }
    }
    if scene.before.hidden.iter().any(|hidden| is_below(folder, hidden)) {
        found = found.join(unknown("what it copies is not known"));
    }
    let kept = |member: &Incoming| !without.iter().any(|pattern| is_left_out(&member.name, pattern));
    for mut member in members.into_iter().filter(kept) {
        if member.what == What::File(None) && reach::wants_text(&member.name) {
            let text = scene.facts.read(Path::new(&absolute(&member.name, folder))).ok().flatten();
            member.what = What::File(text);
        }
        add(&mut found, absolute(&member.name, &root), &member, &root);
    }
    (found != Arrivals::of(Carrier::Archive)).then_some(found)
}

/// What this command has unpacked below a folder before.
fn earlier(scene: &Scene<'_>, folder: &str) -> Vec<Incoming> {
    let below = scene.before.brought.iter().filter(|(path, _)| is_below(path, folder) && path != folder);
    let member = |(path, change): &(String, Change)| Incoming {
        name: path[folder.trim_end_matches('/').len()..].trim_start_matches('/').to_owned(),
        what: match change {
            Change::Removed => What::Gone,
            Change::Write { content } => What::File(Some(content.clone())),
            _ => What::File(None),
        },
    };
    below.map(member).collect()
}
