//! What earlier sessions in a project have learned: one file per event, and an index of them.
//!
//! `~/.claude/memory/<hash>/events/evt_….json` and `manifest.json` beside them, in the form that other tools read. The hash is of the
//! remote, so that clones and work trees share a store; without a remote, of the first work tree. Stores that were made by path are
//! read too. An event that is not in the index yet is found by its file; the index is made anew where it is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::memory::names;
use model::{Lesson, Memory, SessionId, Utility, redact_all, time};
use serde_json::{Map, Value as Json, json};

use crate::{Lock, Machine, Project, atomic, files, git, sha256};

/// Events are kept this long, and so many of them.
const DAYS: u64 = 90;
const MOST: usize = 500;
const RECENT: usize = 50;
const PER_KEY: usize = 30;

/// What is always said has no id of its own: this and its topic.
pub const ASSERTION: &str = "core:";

/// The store of one project.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// Stores that earlier systems keep for the same project; read, not written.
    older: Vec<PathBuf>,
}

/// One event as it lies on disk.
#[derive(Clone, Debug)]
pub struct Event {
    pub id: String,
    pub json: Json,
}

impl Event {
    fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or_default()
    }

    pub fn content(&self) -> &str {
        self.text("content")
    }

    pub fn category(&self) -> &str {
        self.text("category")
    }

    pub fn at(&self) -> u64 {
        time::parse_rfc3339(self.text("ts")).unwrap_or(0)
    }

    pub fn entities(&self) -> Vec<String> {
        let list = self.json["entities"].as_array().into_iter().flatten();
        list.filter_map(Json::as_str).map(str::to_owned).collect()
    }
}

/// The index, as it is on disk.
#[derive(Debug, Default)]
struct Manifest {
    recent: Vec<String>,
    total: usize,
    index: BTreeMap<String, Vec<String>>,
}

impl Store {
    pub fn of(machine: &Machine, project: &Project) -> Option<Self> {
        let base = machine.home()?.join(".claude/memory");
        let repository = git::Repository::find(&project.root);
        let url = repository.as_ref().and_then(git::Repository::remote).unwrap_or_default();
        let main = repository.as_ref().map_or_else(|| project.root.clone(), git::Repository::main_root);
        let hash = |text: String| sha256(text.as_bytes()).short().to_owned();
        let root =
            if url.is_empty() { format!("|{}", main.display()) } else { format!("{}|", address(&url)) };
        let top = repository.map_or_else(|| project.root.clone(), |repository| repository.root);
        let mut older =
            vec![hash(format!("{url}|{}", top.display())), hash(format!("{url}|{}", main.display()))];
        let root = hash(root);
        older.retain(|name| *name != root);
        older.dedup();
        let older = older.into_iter().map(|name| base.join(name)).filter(|dir| dir.is_dir()).collect();
        Some(Self { root: base.join(root), older })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    fn events_dir(&self) -> PathBuf {
        self.root.join("events")
    }

    fn lock(&self) -> io::Result<Lock> {
        Ok(Lock::take(&self.root.join(".manifest.lock"), Duration::from_secs(5))?)
    }

    /// Every id, oldest first: by the time in the name.
    fn ids(&self) -> Vec<String> {
        let dirs = [&self.root].into_iter().chain(&self.older);
        let mut ids: Vec<String> = dirs.flat_map(|dir| names(&dir.join("events"))).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids().is_empty()
    }

    /// One event, wherever it lies. A file that is broken is none.
    pub fn get(&self, id: &str) -> Option<Event> {
        if id.contains(['/', '\\']) {
            return None;
        }
        let dirs = [&self.root].into_iter().chain(&self.older);
        let mut texts =
            dirs.filter_map(|dir| files::read(&dir.join("events").join(format!("{id}.json"))).ok()?);
        let json: Json = serde_json::from_str(&texts.next()?).ok()?;
        json.is_object().then(|| Event { id: id.to_owned(), json })
    }

    /// All of them, newest first.
    pub fn all(&self) -> Vec<Event> {
        self.ids().iter().rev().filter_map(|id| self.get(id)).collect()
    }

    /// Removes an event, or by `core:topic` what is always said about a topic.
    pub fn forget(&self, machine: &Machine, id: &str) -> io::Result<bool> {
        if let Some(topic) = id.strip_prefix(ASSERTION) {
            return self.forget_assertion(topic);
        }
        if self.get(id).is_none() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        for dir in [&self.root].into_iter().chain(&self.older) {
            files::remove(&dir.join("events").join(format!("{id}.json")))?;
        }
        self.reindex(machine.now())?;
        Ok(true)
    }

    fn manifest(&self) -> Option<Manifest> {
        let json = files::read_json(&self.root.join("manifest.json"))?;
        let list = |value: &Json| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
        };
        let index = json["entity_index"].as_object()?.iter().map(|(key, ids)| (key.clone(), list(ids)));
        Some(Manifest {
            recent: list(&json["recent"]),
            total: usize::try_from(json["total_count"].as_u64()?).ok()?,
            index: index.collect(),
        })
    }

    /// Makes the index from the events. The caller holds the lock.
    fn reindex(&self, now: u64) -> io::Result<()> {
        let mut manifest = Manifest::default();
        for id in names(&self.events_dir()) {
            if let Some(event) = self.get(&id) {
                manifest.add(&event);
            }
        }
        self.write(&manifest, now)
    }

    fn write(&self, manifest: &Manifest, now: u64) -> io::Result<()> {
        let utility: Map<String, Json> = (self.utility().into_iter())
            .map(|(id, used)| (id, json!({"injected": used.shown, "cited": used.helped})))
            .collect();
        let json = json!({
            "recent": manifest.recent,
            "total_count": manifest.total,
            "updated_at": time::rfc3339(now),
            "entity_index": manifest.index,
            "utility": utility,
        });
        atomic::write(&self.root.join("manifest.json"), format!("{json}\n").as_bytes())
    }

    /// Stores an event and its place in the index. The same content as one of the last hour is not stored twice.
    pub(crate) fn add(
        &self,
        machine: &Machine,
        kind: &str,
        source: &str,
        mut event: Json,
    ) -> io::Result<Option<String>> {
        let _lock = self.lock()?;
        let now = machine.now();
        let content = redact_all(event["content"].as_str().unwrap_or_default());
        let start = |text: &str| text.chars().take(200).collect::<String>();
        let mut names = names(&self.events_dir());
        let again =
            names.iter().rev().take(8).filter_map(|id| self.get(id)).any(|known| {
                now.saturating_sub(known.at()) < 3600 && start(known.content()) == start(&content)
            });
        if again {
            return Ok(None);
        }
        let stamp = time::rfc3339(now).replace(['-', ':', 'Z'], "");
        let (pid, mut number) = (std::process::id(), 0u32);
        let id = loop {
            let salt = sha256(format!("{content}{pid}{number}{}", machine.micros()).as_bytes());
            let id = format!("evt_{stamp}-{pid}-{}", salt.first(6));
            if !names.contains(&id) {
                break id;
            }
            number += 1;
        };
        let entities: Vec<String> = (event["entities"].as_array().into_iter().flatten())
            .filter_map(Json::as_str)
            .map(redact_all)
            .collect();
        if let Some(names) = event["meta"]["files"].as_array_mut() {
            // Also a name may have one in it.
            for name in names {
                *name = redact_all(name.as_str().unwrap_or_default()).into();
            }
        }
        event["content"] = content.into();
        event["entities"] = json!(entities);
        let mut whole = json!({"v": 1, "id": id, "ts": time::rfc3339(now), "type": kind, "source": source});
        if let (Some(whole), Some(event)) = (whole.as_object_mut(), event.as_object()) {
            whole.extend(event.clone());
        }
        atomic::write(&self.events_dir().join(format!("{id}.json")), format!("{whole:#}\n").as_bytes())?;
        names.push(id.clone());
        let mut manifest = match self.manifest() {
            // Another writer's event that is not in it yet, or a file that somebody removed.
            Some(manifest) if manifest.total + 1 == names.len() => manifest,
            _ => {
                self.prune(now, &names)?;
                self.reindex(now)?;
                return Ok(Some(id));
            }
        };
        manifest.add(&Event { id: id.clone(), json: whole });
        if self.prune(now, &names)? {
            self.reindex(now)?;
        } else {
            self.write(&manifest, now)?;
        }
        Ok(Some(id))
    }

    /// Removes what is too old and what is too much. Says whether anything went.
    fn prune(&self, now: u64, names: &[String]) -> io::Result<bool> {
        let oldest = time::rfc3339(now.saturating_sub(DAYS * 24 * 3600)).replace(['-', ':', 'Z'], "");
        let spare = names.len().saturating_sub(MOST);
        let mut gone = false;
        for (number, id) in names.iter().enumerate() {
            if number < spare || id.get(4..).is_some_and(|stamp| stamp < oldest.as_str()) {
                files::remove(&self.events_dir().join(format!("{id}.json")))?;
                gone = true;
            }
        }
        Ok(gone)
    }

    fn utility_file(&self) -> PathBuf {
        self.root.join("utility.jsonl")
    }

    fn utility(&self) -> BTreeMap<String, Utility> {
        let text = files::read(&self.utility_file()).ok().flatten().unwrap_or_default();
        let mut all: BTreeMap<String, Utility> = BTreeMap::new();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
            for (key, injected) in [("injected", true), ("cited", false)] {
                for id in line[key].as_array().into_iter().flatten().filter_map(Json::as_str) {
                    let used = all.entry(id.to_owned()).or_default();
                    if injected { used.shown += 1 } else { used.helped += 1 }
                }
            }
        }
        all
    }

    /// Notes that events were shown to an agent, or that they helped it.
    fn note(&self, what: &str, ids: &[String]) -> io::Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        crate::append_line(&self.utility_file(), &json!({what: ids}).to_string())
    }

    /// What may be to the point: the newest so many, and what the index has under one of these keys.
    pub fn about(&self, now: u64, newest: usize, keys: &[String]) -> Vec<Memory> {
        let ids = self.ids();
        if ids.is_empty() {
            return Vec::new();
        }
        let manifest = self.manifest().unwrap_or_default();
        let mut wanted: BTreeSet<&String> = ids.iter().rev().take(newest).collect();
        for key in keys {
            wanted.extend(manifest.index.get(key).into_iter().flatten());
        }
        // What the index does not know is looked at too; there is more of it only where the index is broken or a store is old.
        if manifest.total < ids.len() {
            let known: BTreeSet<&String> = manifest.index.values().flatten().collect();
            wanted.extend(ids.iter().filter(|id| !known.contains(id)).rev().take(MOST));
        }
        let utility = self.utility();
        let events = wanted.into_iter().filter_map(|id| self.get(id));
        let usable = events.filter(|event| {
            event.text("source") != "bootstrap" && event.json["meta"]["archived_by"].is_null()
        });
        usable.map(|event| shown(&event, utility.get(&event.id).copied().unwrap_or_default(), now)).collect()
    }

    fn assertions_file(&self) -> PathBuf {
        self.root.join("core-assertions.jsonl")
    }

    /// What is always said: topic and assertion, the last word on each topic, newest twenty.
    pub fn assertions(&self) -> Vec<(String, String)> {
        let text = files::read(&self.assertions_file()).ok().flatten().unwrap_or_default();
        let mut all: Vec<(String, String)> = Vec::new();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
            if let (Some(topic), Some(assertion)) = (line["topic"].as_str(), line["assertion"].as_str()) {
                all.retain(|(known, _)| known != topic);
                all.push((topic.to_owned(), assertion.to_owned()));
            }
        }
        let spare = all.len().saturating_sub(20);
        all.split_off(spare)
    }

    fn forget_assertion(&self, topic: &str) -> io::Result<bool> {
        let _lock = self.lock()?;
        let text = files::read(&self.assertions_file())?.unwrap_or_default();
        let is_about = |line: &&str| {
            serde_json::from_str::<Json>(line).is_ok_and(|line| line["topic"].as_str() == Some(topic))
        };
        let (gone, kept): (Vec<&str>, Vec<&str>) = text.lines().partition(is_about);
        if gone.is_empty() {
            return Ok(false);
        }
        let kept: String = kept.iter().map(|line| format!("{line}\n")).collect();
        atomic::write(&self.assertions_file(), kept.as_bytes())?;
        Ok(true)
    }

    fn assert(&self, now: u64, topic: &str, assertion: &str) -> io::Result<()> {
        let plain: String =
            topic.trim().to_lowercase().replace(char::is_whitespace, "-").chars().take(50).collect();
        if plain.is_empty() || assertion.trim().is_empty() {
            return Ok(());
        }
        let line =
            json!({"ts": time::rfc3339(now), "topic": plain, "assertion": redact_all(assertion.trim())});
        crate::append_line(&self.assertions_file(), &line.to_string())
    }
}

impl Manifest {
    fn add(&mut self, event: &Event) {
        self.total += 1;
        self.recent.insert(0, event.id.clone());
        self.recent.truncate(RECENT);
        for entity in event.entities() {
            for key in names::keys(&entity) {
                let ids = self.index.entry(key).or_default();
                if !ids.contains(&event.id) {
                    ids.insert(0, event.id.clone());
                    ids.truncate(PER_KEY);
                }
            }
        }
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let names =
        entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| name.starts_with("evt_")).collect();
    names.sort();
    names
}

/// The same remote however it is written: `git@host:o/r.git`, `https://user@host/o/r`, `ssh://git@host:22/o/r`.
fn address(url: &str) -> String {
    let bare = url.trim().trim_end_matches('/').trim_end_matches(".git");
    let (scheme, rest) = bare.split_once("://").unwrap_or(("", bare));
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    if scheme == "file" || scheme.is_empty() && (rest.starts_with(['/', '.']) || !rest.contains(':')) {
        return rest.to_owned();
    }
    let (host, path) = rest.split_once(['/', ':']).unwrap_or((rest, ""));
    // A port says how to get there, not what is there.
    let path = match path.split_once('/') {
        Some((port, path))
            if !scheme.is_empty() && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) =>
        {
            path
        }
        _ => path,
    };
    format!("{}/{}", host.to_lowercase(), path.trim_start_matches('/'))
}

/// Stores a lesson as an event, and what its report says besides.
pub(crate) fn remember(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    lesson: &Lesson,
) -> io::Result<()> {
    let Some(store) = Store::of(machine, project) else { return Ok(()) };
    let mut event = json!({
        "content": lesson.content,
        "entities": lesson.entities,
        "category": lesson.category,
        "meta": {"session_id": session.as_str(), "files": lesson.files},
    });
    if let Some(problem) = &lesson.problem {
        event["problem_type"] = problem.as_str().into();
    }
    let stored = store.add(machine, lesson.kind, lesson.source, event)?;
    for (topic, assertion) in &lesson.assertions {
        store.assert(machine.now(), topic, assertion)?;
    }
    // The same report at a second stop has been counted.
    if stored.is_some() {
        store.note("cited", &session::ids(project, session, &lesson.helped))?;
    }
    Ok(())
}

/// What a check gets to see of an event.
fn shown(event: &Event, used: Utility, now: u64) -> Memory {
    Memory {
        id: event.id.clone(),
        content: event.content().to_owned(),
        entities: event.entities(),
        category: event.category().to_owned(),
        problem: event.text("problem_type").to_owned(),
        age: now.saturating_sub(event.at()),
        used,
    }
}

/// What a session has been shown so far.
pub(crate) mod session;

/// The files that a session is likely to be about: what differs from the last commit, and what the last commits touched.
pub(crate) fn files_at_hand(machine: &Machine, project: &Project) -> Vec<String> {
    let Some(repository) = git::Repository::find(&project.root) else { return Vec::new() };
    let dirty = git::status(machine, &repository.root).map(|found| found.keys().cloned().collect::<Vec<_>>());
    let mut files: Vec<String> = dirty.unwrap_or_default();
    files.extend(git::recently_committed(&repository.root, 5).unwrap_or_default());
    files.retain(|path| !model::is_noise(path));
    files
}

#[cfg(test)]
mod tests;
