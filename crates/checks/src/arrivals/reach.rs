//! Which of what arrives is worth a judgement, and which protected files lie where something unknown may land.

use std::collections::BTreeMap;
use std::path::Path;

use model::{Change, Facts};
use shell::path::{is_below, name};

use super::{Arrival, Arrivals, Carrier, Rest};
use crate::shell::place::is_temporary;
use crate::{Context, file, own};

/// Of a patch, or of a file that is looked into.
pub(super) const LONGEST_TEXT: usize = 8 * 1024 * 1024;
/// Files of a patch that are judged whatever their names are; further ones only where it could matter.
const MOST_EDITS: usize = 300;
/// Files that could matter; nobody means more of them.
const MOST_JUDGED: usize = 500;

/// Files of which the text decides what they are, or whether they change at all: settings, by how such files are called.
pub(super) fn wants_text(path: &str) -> bool {
    let last = name(path);
    last.starts_with('.')
        || last.contains("config")
        || file::PARTIAL.contains(&last)
        || path.contains(".claude/") && (last.starts_with("settings.") || last.ends_with(".md"))
        || ["ruff.toml", "biome.json", "biome.jsonc", "knip.json", "knip.jsonc", "oxlint.json"]
            .contains(&last)
}

/// Whether the file has this text already.
fn is_there(file: &Arrival, cx: &Context<'_>) -> bool {
    match &file.change {
        Change::Write { content } => {
            cx.facts.read(Path::new(&file.path)).ok().flatten().is_some_and(|before| before == *content)
        }
        _ => false,
    }
}

/// What of a call is judged, and how.
#[derive(Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) files: Vec<&'a Arrival>,
    /// A refusal becomes a question.
    pub(crate) softly: bool,
    /// More than is judged here.
    pub(crate) cut: bool,
}

pub(crate) fn judged<'a>(arrivals: &'a Arrivals, cx: &Context<'_>) -> Judged<'a> {
    let mut sieve = Sieve { cx, folders: BTreeMap::new() };
    let mut files: Vec<&Arrival> = Vec::new();
    for (at, file) in arrivals.files.iter().enumerate() {
        let kept = match arrivals.carrier {
            Carrier::Patch => at < MOST_EDITS || sieve.could_matter(&file.path),
            Carrier::Kept | Carrier::Archive => sieve.could_matter(&file.path) && !sieve.is_apart(&file.path),
            Carrier::Commit => false,
        };
        if kept && !is_there(file, cx) {
            files.push(file);
        }
    }
    let cut = files.len() > MOST_EDITS + MOST_JUDGED;
    files.truncate(MOST_EDITS + MOST_JUDGED);
    Judged { files, softly: arrivals.carrier == Carrier::Kept, cut }
}

/// What is known of a folder: whether it is there, and whether the way to it goes by links.
#[derive(Clone, Copy)]
struct Folder {
    exists: bool,
    linked: bool,
}

struct Sieve<'a, 'c> {
    cx: &'a Context<'c>,
    folders: BTreeMap<String, Folder>,
}

impl Sieve<'_, '_> {
    fn folder(&mut self, path: &str) -> Folder {
        if let Some(known) = self.folders.get(path) {
            return *known;
        }
        let facts = self.cx.facts;
        let folder = Folder {
            exists: facts.entry(Path::new(path)).is_some_and(|entry| entry.directory),
            linked: facts.resolve(Path::new(path)) != Path::new(path),
        };
        self.folders.insert(path.to_owned(), folder);
        folder
    }

    /// Most names say by themselves that no check has a word on them.
    fn could_matter(&mut self, path: &str) -> bool {
        let project = self.cx.facts.project().to_string_lossy().into_owned();
        let inside = path.strip_prefix(project.trim_end_matches('/')).filter(|rest| rest.starts_with('/'));
        let Some(inside) = inside else {
            // Elsewhere what lasts counts too, but not what is thrown away.
            return !is_temporary(path) || own::is_near(path, self.cx.facts);
        };
        if inside.contains("/.") {
            return true;
        }
        let last = name(path).to_lowercase();
        if file::is_config_name(&last, self.cx.config)
            || own::could_be_settings(inside)
            || last == "hooks.json"
            || last.contains("plimsoll")
            || matches!(last.as_str(), "quality-checks.json" | "gates.json")
        {
            return true;
        }
        let Some((parent, _)) = path.rsplit_once('/') else { return true };
        let folder = self.folder(parent);
        // The disk may know it as something else.
        let twin = || self.cx.facts.entry(Path::new(path)).is_some_and(|entry| entry.links > 1);
        folder.linked || folder.exists && twin()
    }

    /// Whether it comes in a folder of its own, which was not there before: what lies in there is for what comes with it.
    fn is_apart(&mut self, path: &str) -> bool {
        let mut ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        let Some(new) = ends.find_map(|at| (!self.folder(&path[..at]).exists).then(|| &path[..at])) else {
            return false;
        };
        // In a hidden folder of the project it belongs to that, and a hidden one belongs to where it comes.
        let project = self.cx.facts.project().to_string_lossy();
        let inside = new.strip_prefix(project.trim_end_matches('/'));
        let hidden = inside.is_some_and(|inside| inside.contains("/.")) || name(new).starts_with('.');
        !hidden && !own::is_near(new, self.cx.facts)
    }
}

/// What to ask about a call whose files are not all known, or that would take the guard away: the thing, and why.
pub(crate) fn question(
    arrivals: &Arrivals,
    program: &str,
    cx: &Context<'_>,
) -> Option<(String, &'static str)> {
    if arrivals.carrier == Carrier::Commit {
        // The client reads those of the project, and of folders around it.
        let read_here = |file: &&Arrival| {
            let folder = Path::new(&file.path).ancestors().nth(2);
            folder.is_some_and(|folder| cx.facts.project().starts_with(folder))
        };
        let file = arrivals.files.iter().filter(read_here).find(|file| unwires(file, cx))?;
        let what = format!("This commit has other settings for the agent ({}).", name(&file.path));
        return Some((what, "With them Plimsoll would no longer be asked."));
    }
    let Rest::Hidden { why, below } = &arrivals.rest else { return None };
    let part = below.iter().find_map(|folder| protected_in(folder, cx))?;
    Some((format!("`{program}` may change {part}: {why}."), "Which files it writes cannot be told before."))
}

/// Settings that no longer have us in them, or that switch all hooks off.
fn unwires(file: &Arrival, cx: &Context<'_>) -> bool {
    let before = cx.facts.read(Path::new(&file.path)).ok().flatten().unwrap_or_default();
    let after = match &file.change {
        Change::Write { content } => content.as_str(),
        // It is there, and was too long or no text.
        Change::Unknown => return before.contains("plimsoll"),
        _ => "",
    };
    stops_hooks(after) && !stops_hooks(&before) || before.contains("plimsoll") && !after.contains("plimsoll")
}

pub(super) fn stops_hooks(settings: &str) -> bool {
    let parsed = serde_json::from_str::<serde_json::Value>(settings).ok();
    match parsed.as_ref().and_then(|settings| settings.get("disableAllHooks")) {
        Some(value) => *value != serde_json::Value::Bool(false),
        // What does not parse here may parse elsewhere.
        None => parsed.is_none() && settings.contains("disableAllHooks"),
    }
}

/// What shells start from and what keys open, where a whole home or the system is in reach.
fn started_from(place: &str, facts: &dyn Facts) -> Option<String> {
    const OF_A_HOME: &[&str] = &[".bashrc", ".zshrc", ".profile", ".bash_profile", ".ssh", ".gitconfig"];
    if matches!(place, "/" | "/etc" | "/usr" | "/usr/local" | "/usr/bin" | "/usr/local/bin") {
        return Some(place.to_owned());
    }
    let home = facts.home().filter(|home| Path::new(place) == *home)?;
    let found = OF_A_HOME.iter().map(|name| home.join(name)).find(|path| facts.entry(path).is_some())?;
    Some(found.to_string_lossy().into_owned())
}

/// A protected file that is there, at or below a folder, or the folder itself where it is protected.
fn protected_in(folder: &str, cx: &Context<'_>) -> Option<String> {
    let facts = cx.facts;
    let real = facts.resolve(Path::new(folder)).to_string_lossy().into_owned();
    for place in [folder, real.as_str()] {
        if let Some(part) = started_from(place, facts) {
            return Some(part);
        }
        if format!("{place}/").contains("/.claude/") {
            return Some(place.to_owned());
        }
        if own::is_near(place, facts) {
            let mut parts = own::places(facts).into_iter();
            let found = parts.find(|part| {
                is_below(&part.to_string_lossy(), place)
                    && facts.entry(part).is_some()
                    && !part.starts_with(facts.cache_dir())
            });
            if let Some(part) = found {
                return Some(part.to_string_lossy().into_owned());
            }
        }
        let mut configs = file::config_names(cx.config);
        let found = configs.find(|config| facts.entry(&Path::new(place).join(config)).is_some());
        if let Some(config) = found {
            return Some(format!("{}/{config}", place.trim_end_matches('/')));
        }
    }
    None
}
