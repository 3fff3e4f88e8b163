//! Programs that apply patches.

use model::{Change, Replacement};
use shell::path::{absolute, is_below, matches};
use shell::text::is_known;

use super::format::{FilePatch, Name, Patch, read_patch, strip};
use super::options::Words;
use super::scene::{Scene, Source};
use super::unpacking::text_of;
use super::{Arrival, Arrivals, Carrier, Rest};

/// How a patch is applied.
struct Way<'a> {
    /// Parts that are taken off the beginning of each name; `None` for all but the last.
    strip: Option<usize>,
    reversed: bool,
    /// The folders that names may be counted from.
    roots: Vec<String>,
    /// Patterns in their order: the first that fits says whether the file is patched.
    chosen: Vec<(bool, &'a str)>,
    /// Files elsewhere are passed over.
    within: Option<String>,
}

pub(super) fn patch(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["dry-run", "C", "check", "help", "version", "v"]) {
        return None;
    }
    // It goes there first, and looks for everything from there.
    let dir = words.value(&["d", "directory"]);
    let place = |path: &str| scene.place_in(dir, path);
    let mut texts = words.texts();
    if let Some(original) = texts.next() {
        // Whatever the patch says, it is for this file.
        let target = words.value(&["o", "output"]).unwrap_or(original);
        let files = place(target).map(|path| Arrival { path, change: Change::Unknown });
        return Some(Arrivals { files: files.into_iter().collect(), ..Arrivals::of(Carrier::Patch) });
    }
    let source = match words.value(&["i", "input"]).filter(|file| *file != "-") {
        Some(file) => place(file).map_or(Source::Hidden, |file| scene.file(&file)),
        None => scene.stdin(),
    };
    let mut found = apply(
        scene,
        [source],
        &Way {
            strip: words.value(&["p", "strip"]).and_then(|count| count.parse().ok()),
            reversed: words.has(&["R", "reverse"]),
            roots: place(".").into_iter().collect(),
            chosen: Vec::new(),
            within: None,
        },
    )?;
    // All of it into one file.
    if let Some(output) = words.value(&["o", "output"]) {
        found.files =
            place(output).map(|path| Arrival { path, change: Change::Unknown }).into_iter().collect();
    }
    Some(found)
}

/// The form of coding agents: the patch is the only operand, or comes in.
pub(super) fn envelope(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let here = scene.here();
    let hidden = || Arrivals::hidden(Carrier::Patch, "the patch cannot be read", vec![here.clone()]);
    let text = match words.texts().next() {
        Some(text) => text.to_owned(),
        None => match text_of(scene, &scene.stdin()) {
            Ok(text) => text,
            Err(Source::Missing) => return None,
            Err(Source::Unseen) => return Some(Arrivals::unseen(Carrier::Patch)),
            Err(_) => return Some(hidden()),
        },
    };
    if text.trim().is_empty() {
        return None;
    }
    let edits = agents::edits_of_patch(&text);
    if edits.is_empty() {
        return Some(hidden());
    }
    let files = edits
        .into_iter()
        .map(|edit| Arrival { path: absolute(&edit.path.to_string_lossy(), &here), change: edit.change });
    let mut found = Arrivals { files: files.collect(), edits: true, ..Arrivals::of(Carrier::Patch) };
    // What is not known in it may be more than a line.
    if !is_known(&text) {
        found.rest = Rest::Unseen;
    }
    Some(found)
}

pub(super) fn git_apply(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let looks = words.has(&["check", "stat", "numstat", "summary"]) && !words.has(&["apply"]);
    if looks || words.has(&["cached"]) {
        return None;
    }
    by_git(scene, words)
}

pub(super) fn git_am(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    // What it was at is in its own folder by now.
    if words.has(&["abort", "skip", "quit", "show-current-patch", "continue", "resolved", "r", "retry"]) {
        return None;
    }
    by_git(scene, words)
}

fn by_git(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let here = scene.here();
    let root = scene.facts.repository(std::path::Path::new(&here)).map(|repository| repository.root);
    let root = root.map_or_else(|| here.clone(), |root| root.to_string_lossy().into_owned());
    let directory = words.value(&["directory"]);
    let mut roots: Vec<String> = vec![absolute(directory.unwrap_or("."), &here)];
    // Names in git's own form are counted from the top, and what lies outside of the folder is passed over.
    if directory.is_none() && root != here {
        roots.push(root);
    }
    let sources: Vec<Source> = if words.operands.is_empty() {
        vec![scene.stdin()]
    } else {
        words.texts().flat_map(|text| scene.files(text)).collect()
    };
    apply(
        scene,
        sources,
        &Way {
            strip: Some(words.value(&["p"]).and_then(|count| count.parse().ok()).unwrap_or(1)),
            reversed: words.has(&["R", "reverse"]),
            roots,
            chosen: chosen(scene),
            within: Some(here),
        },
    )
}

/// `--include` and `--exclude` in the order in which they stand.
fn chosen<'a>(scene: &Scene<'a>) -> Vec<(bool, &'a str)> {
    let mut list = Vec::new();
    let mut texts = scene.call.texts();
    while let Some(text) = texts.next() {
        let value = |name: &str, text: &'a str| text.strip_prefix(name)?.strip_prefix('=');
        match text {
            "--include" => list.extend(texts.next().map(|pattern| (true, pattern))),
            "--exclude" => list.extend(texts.next().map(|pattern| (false, pattern))),
            _ => {
                list.extend(value("--include", text).map(|pattern| (true, pattern)));
                list.extend(value("--exclude", text).map(|pattern| (false, pattern)));
            }
        }
    }
    list
}

fn apply(scene: &Scene<'_>, sources: impl IntoIterator<Item = Source>, way: &Way<'_>) -> Option<Arrivals> {
    let mut all: Option<Arrivals> = None;
    for source in sources {
        let found = match text_of(scene, &source) {
            Err(Source::Missing) => continue,
            Err(Source::Unseen) => Arrivals::unseen(Carrier::Patch),
            Err(_) => Arrivals::hidden(Carrier::Patch, "the patch cannot be read", way.roots.clone()),
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => {
                let mut found = placed(&read_patch(&text), way);
                // What is not known in it may be more than a line.
                if !is_known(&text) && found.rest == Rest::Nothing {
                    found.rest = Rest::Unseen;
                }
                found
            }
        };
        all = Some(match all {
            Some(before) => before.join(found),
            None => found,
        });
    }
    all
}

fn placed(patch: &Patch, way: &Way<'_>) -> Arrivals {
    let mut found = Arrivals::of(Carrier::Patch);
    for file in &patch.files {
        for (name, change) in changes(file, way.reversed) {
            for path in way.places(name) {
                found.files.push(Arrival { path, change: change.clone() });
            }
        }
    }
    if !patch.whole {
        let below = way.within.clone().map_or_else(|| way.roots.clone(), |here| vec![here]);
        found.rest = Rest::Hidden { why: "the patch is not understood", below };
    }
    found
}

/// The names of a file in a patch, with what becomes of each.
fn changes(file: &FilePatch, reversed: bool) -> Vec<(&Name, Change)> {
    let (old, new) = if reversed { (&file.new, &file.old) } else { (&file.old, &file.new) };
    let (created, deleted) =
        if reversed { (file.deleted, file.created) } else { (file.created, file.deleted) };
    let hunks = file.hunks.iter().map(|(before, after)| {
        let (old, new) = if reversed { (after, before) } else { (before, after) };
        Replacement { old: old.clone(), new: new.clone(), all: false }
    });
    let hunks: Vec<Replacement> = hunks.collect();
    let change = if deleted {
        Change::Removed
    } else if file.binary {
        Change::Unknown
    } else if created || hunks.len() == 1 && hunks[0].old.is_empty() {
        Change::Write { content: hunks.into_iter().map(|hunk| hunk.new).collect() }
    } else if hunks.is_empty() {
        // Its mode, or its name.
        Change::Unknown
    } else {
        Change::Replace(hunks)
    };
    let mut list = Vec::new();
    match (old, new) {
        (Some(old), Some(new)) if file.renamed => {
            list.push((old, Change::Removed));
            // What it holds is what the other held.
            list.push((new, if matches!(change, Change::Replace(_)) { Change::Unknown } else { change }));
        }
        // Whichever of them is there.
        _ => list.extend([old, new].into_iter().flatten().map(|name| (name, change.clone()))),
    }
    list
}

impl Way<'_> {
    fn places(&self, name: &Name) -> Vec<String> {
        let mut names = Vec::new();
        match self.strip {
            Some(count) => names.extend(strip(&name.text, count.saturating_sub(usize::from(name.bare)))),
            None => {
                // The last part, for some programs all of it.
                names.push(shell::path::name(&name.text));
                names.push(&name.text);
            }
        }
        names.retain(|name| self.takes(name));
        let mut paths: Vec<String> =
            self.roots.iter().flat_map(|root| names.iter().map(|name| absolute(name, root))).collect();
        if let Some(here) = self.within.as_ref().filter(|_| self.roots.len() > 1) {
            paths.retain(|path| is_below(path, here));
        }
        paths.sort();
        paths.dedup();
        paths
    }

    fn takes(&self, name: &str) -> bool {
        let first = self.chosen.iter().find(|(_, pattern)| !is_known(pattern) || matches(pattern, name));
        match first {
            Some((included, pattern)) => *included || !is_known(pattern),
            // Once something is asked for, the rest is not.
            None => !self.chosen.iter().any(|(included, _)| *included),
        }
    }
}
