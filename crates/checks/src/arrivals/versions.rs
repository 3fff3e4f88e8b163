//! What git puts in place of what is there: kept work, single files of another version, whole commits.

use std::path::Path;

use model::deed::{Deed, Object, Verb};
use model::{Incoming, What};
use shell::Call;
use shell::path::{absolute, is_below, matches};

use super::options::Words;
use super::scene::Scene;
use super::unpacking::add;
use super::{Arrivals, Carrier, programs, reach};

/// What a call brings, in the folder that a version system goes to first.
pub(super) fn within(scene: &Scene<'_>, read: programs::Read) -> Option<Arrivals> {
    let call = scene.call;
    if !call.keeps_versions() {
        return read(scene, &Words::of(call));
    }
    let dirs = call.words().options.iter().filter(|chosen| chosen.outer && chosen.is("C"));
    let dirs = dirs.filter_map(|chosen| Some(chosen.value?.text(&call.argv)));
    let cwd = dirs.fold(call.cwd.to_string(), |cwd, dir| absolute(dir, &cwd));
    let call = Call { cwd: cwd.into(), ..call.clone() };
    read(&Scene { call: &call, ..*scene }, &Words::of(&call))
}

/// One step from a version to another.
enum Seen {
    Changes(Vec<Incoming>),
    /// There is no such version, so nothing comes of it.
    Missing,
    Unknown,
    /// This command has made versions by hand.
    Made,
}

fn step(scene: &Scene<'_>, from: &str, to: &str) -> Seen {
    if scene.before.makes_versions {
        return Seen::Made;
    }
    if !shell::text::is_known(from) || !shell::text::is_known(to) {
        return Seen::Unknown;
    }
    match scene.facts.version_changes(Path::new(&scene.here()), from, to, &reach::wants_text) {
        Ok(Some(changes)) => Seen::Changes(changes),
        Ok(None) => Seen::Missing,
        Err(_) => Seen::Unknown,
    }
}

/// What nobody can look at before it is made.
fn made(scene: &Scene<'_>) -> Arrivals {
    Arrivals::hidden(Carrier::Kept, "the version is made by the same command", vec![root(scene)])
}

/// Whether commits and references are put together by hand.
pub(super) fn makes_versions(call: &Call) -> bool {
    let by_hand = |deed: &Deed| match &deed.object {
        Object::Ref(name) => name == "an object",
        Object::Thing(thing) => {
            ["an object", "objects", "references", "entries of the index"].contains(&thing.as_str())
                || deed.verb == Verb::Records && thing == "a stash"
        }
        _ => false,
    };
    call.keeps_versions() && call.deeds.iter().any(by_hand)
}

/// Where names of the repository are counted from.
fn root(scene: &Scene<'_>) -> String {
    let here = scene.here();
    let repository = scene.facts.repository(Path::new(&here));
    repository.map_or(here, |repository| repository.root.to_string_lossy().into_owned())
}

fn placed(
    scene: &Scene<'_>,
    carrier: Carrier,
    changes: &[Incoming],
    wanted: impl Fn(&str) -> bool,
) -> Arrivals {
    let root = root(scene);
    let mut found = Arrivals::of(carrier);
    for change in changes.iter().filter(|change| wanted(&change.name)) {
        add(&mut found, absolute(&change.name, &root), change, &root);
    }
    found
}

pub(super) fn stash(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    // The branch that it makes comes first.
    let branches = scene.call.path().last() == Some(&"branch");
    let which = match words.texts().nth(usize::from(branches)) {
        None => "stash@{0}".to_owned(),
        Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => format!("stash@{{{number}}}"),
        Some(name) => name.to_owned(),
    };
    let changes = match step(scene, &format!("{which}^1"), &which) {
        Seen::Changes(changes) => changes,
        Seen::Missing => return None,
        Seen::Unknown => return Some(Arrivals::unseen(Carrier::Kept)),
        Seen::Made => return Some(made(scene)),
    };
    // Files that git did not know are in a commit of their own.
    let untracked = match step(scene, "", &format!("{which}^3")) {
        Seen::Changes(changes) => changes,
        _ => Vec::new(),
    };
    Some(placed(scene, Carrier::Kept, &[changes, untracked].concat(), |_| true))
}

/// Single commits, again or taken back.
pub(super) fn pick(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["abort", "quit", "skip", "continue"]) {
        return None;
    }
    let back = scene.call.path().last() == Some(&"revert");
    let parent = words.value(&["m", "mainline"]).unwrap_or("1");
    let mut all: Option<Arrivals> = None;
    for commit in words.texts() {
        let before = format!("{commit}^{parent}");
        let seen = if back { step(scene, commit, &before) } else { step(scene, &before, commit) };
        let found = match seen {
            Seen::Changes(changes) => placed(scene, Carrier::Kept, &changes, |_| true),
            Seen::Missing => continue,
            Seen::Unknown => Arrivals::unseen(Carrier::Kept),
            Seen::Made => made(scene),
        };
        all = Some(match all {
            Some(before) => before.join(found),
            None => found,
        });
    }
    all
}

/// All there is, as git says it.
const ANYTHING: &str = ":/";

pub(super) fn checkout(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["p", "patch"]) {
        return None;
    }
    let texts: Vec<&str> = words.texts().collect();
    if words.has(&["pathspec-from-file"]) {
        return parts(scene, texts.first()?, &[ANYTHING]);
    }
    // A new branch begins at the version that is named.
    if words.has(&["b", "B", "orphan"]) {
        return whole(scene, texts.first()?, Leaves::Counts);
    }
    // Before the dashes stands a version or nothing.
    let dashed = scene.call.words().before;
    let named = dashed.map_or(texts.len() > 1, |count| count > 0);
    match texts.as_slice() {
        [version, files @ ..] if named && !files.is_empty() => parts(scene, version, files),
        [version] if dashed.is_none() || named => whole(scene, version, Leaves::Counts),
        _ => None,
    }
}

pub(super) fn restore(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["S", "staged"]) && !words.has(&["W", "worktree"]) || words.has(&["p", "patch"]) {
        return None;
    }
    let files = if words.has(&["pathspec-from-file"]) { vec![ANYTHING] } else { words.texts().collect() };
    parts(scene, words.value(&["s", "source"])?, &files)
}

pub(super) fn switch(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    whole(scene, words.texts().next()?, Leaves::Counts)
}

pub(super) fn merge(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["abort", "quit", "continue"]) {
        return None;
    }
    let merged = words.texts().filter_map(|version| whole(scene, version, Leaves::Stays));
    merged.reduce(Arrivals::join)
}

pub(super) fn rebase(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let onto = words.value(&["onto"]).or_else(|| words.texts().next())?;
    whole(scene, onto, Leaves::Stays)
}

pub(super) fn reset(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let changes_files = words.has(&["hard", "merge", "keep"]);
    whole(scene, words.texts().next().filter(|_| changes_files)?, Leaves::Counts)
}

pub(super) fn read_tree(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    whole(scene, words.texts().last().filter(|_| words.has(&["u"]))?, Leaves::Counts)
}

/// What a version does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// It goes.
    Counts,
    /// It may come from the other side.
    Stays,
}

/// A commit as a whole: only the settings that start us are looked at.
fn whole(scene: &Scene<'_>, version: &str, leaves: Leaves) -> Option<Arrivals> {
    let changes = match step(scene, "HEAD", version) {
        Seen::Changes(changes) => changes,
        Seen::Made => return Some(made(scene)),
        Seen::Missing | Seen::Unknown => return None,
    };
    let settings = |name: &str| {
        let inside = format!("/{name}");
        inside.ends_with("/.claude/settings.json") || inside.ends_with("/.claude/settings.local.json")
    };
    let brings = |change: &Incoming| match &change.what {
        What::File(Some(text)) => leaves == Leaves::Counts || reach::stops_hooks(text),
        _ => leaves == Leaves::Counts,
    };
    let changes: Vec<Incoming> =
        changes.into_iter().filter(|change| settings(&change.name) && brings(change)).collect();
    (!changes.is_empty()).then(|| placed(scene, Carrier::Commit, &changes, |_| true))
}

/// Files and folders of a version. The last one takes a change back.
fn parts(scene: &Scene<'_>, version: &str, files: &[&str]) -> Option<Arrivals> {
    if matches!(version, "HEAD" | "@") {
        return None;
    }
    let changes = match step(scene, "HEAD", version) {
        Seen::Changes(changes) => changes,
        Seen::Missing => return None,
        Seen::Unknown => return Some(Arrivals::unseen(Carrier::Archive)),
        Seen::Made => return Some(made(scene)),
    };
    let (root, here) = (root(scene), scene.here());
    let asked = |name: &str| {
        files.iter().any(|file| {
            // `:/` is the top; other such words are for all there is.
            let top = file.starts_with(':') || !shell::text::is_known(file);
            let path = absolute(file, &here);
            let full = absolute(name, &root);
            top || is_below(&full, &path) || matches(&path, &full)
        })
    };
    Some(placed(scene, Carrier::Archive, &changes, asked))
}
