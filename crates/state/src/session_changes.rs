//! What a session changed, against how it found the repository.
//!
//! At its beginning the commit and everything that differed from it are written down, untracked files too; a compaction or a
//! resumed session keeps that. Later a file counts when it differs from both: what the user had lying there is not the
//! session's, and what the session has committed still is. Outside a repository the journal of edits has to do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use model::{SessionChanges, SessionId, Touched, is_noise, time};
use serde_json::{Map, Value as Json, json};
use sha1::{Digest, Sha1};

use crate::git::{self, Dirty};
use crate::written::{self, Belief};
use crate::{Machine, Project, atomic, beneath, files, session};

/// Added lines of one file that are remembered from the beginning; a file with more than that counts as a whole.
const MOST_LINES: usize = 5000;

fn baseline_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("changes.json")
}

/// The seed's file, which other tools read.
pub fn snapshot_file(project: &Project) -> PathBuf {
    project.claude_dir().join("session-snapshot.json")
}

/// Writes down how a session finds the repository, unless that was done before.
pub(crate) fn begin(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    let file = baseline_file(project, session);
    if file.exists() && session.is_known() {
        return Ok(());
    }
    // The report of another session is not this one's; what it taught has been remembered.
    beneath::remove(&project.root, &crate::checkpoint::file(project))?;
    let mut json = json!({"taken_at": machine.now(), "head": null, "files": {}});
    let mut hash = diff_hash(b"");
    if let Some(repository) = git::Repository::find(&project.root) {
        let dirty = status(machine, &repository.root)?;
        let head = git::head_commit(&repository);
        let tracked = dirty.values().any(|dirty| !dirty.untracked);
        let diff = match &head {
            Some(_) if tracked => git::diff(&repository.root, "HEAD")?,
            _ => String::new(),
        };
        // Others compute it too, so it is of the documented command, with noise and all.
        if head.is_some() && git::status(machine, &repository.root)?.values().any(|dirty| !dirty.untracked) {
            hash = diff_hash(&git::documented_diff(&repository.root)?);
        }
        let added = added(&diff);
        let mut entries = Map::new();
        for name in dirty.keys() {
            let path = repository.root.join(name);
            let mut entry = json!({"hash": session::content_hash(&path).as_str()});
            if let Some(ranges) = added.get(name) {
                entry["lines"] = json!(line_hashes(&path, ranges));
            }
            entries.insert(name.clone(), entry);
        }
        json["head"] = json!(head);
        json["files"] = Json::Object(entries);
    }
    atomic::write(&file, format!("{json}\n").as_bytes())?;
    let snapshot = json!({
        "diff_hash_at_start": hash,
        "session_started_at": time::rfc3339(machine.now()),
        "session_id": session.as_str(),
    });
    beneath::write(&project.root, &snapshot_file(project), format!("{snapshot:#}\n").as_bytes())
}

/// Twelve digits, as the snapshot has them.
fn diff_hash(diff: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha1::digest(diff).iter().take(6) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What differs from the last commit, without noise.
fn status(machine: &Machine, root: &Path) -> io::Result<BTreeMap<String, Dirty>> {
    let dirty = git::status(machine, root)?;
    let work = dirty.iter().filter(|(path, _)| !is_noise(path));
    Ok(work.map(|(path, dirty)| (path.clone(), dirty.clone())).collect())
}

struct Baseline {
    head: Option<String>,
    taken_at: u64,
    files: Map<String, Json>,
}

fn baseline(project: &Project, session: &SessionId) -> Option<Baseline> {
    let json = files::read_json(&baseline_file(project, session))?;
    Some(Baseline {
        head: json["head"].as_str().map(str::to_owned),
        taken_at: json["taken_at"].as_u64().unwrap_or(0),
        files: json["files"].as_object().cloned().unwrap_or_default(),
    })
}

/// What this session has changed. A session whose beginning nobody saw is compared with the last commit by what its journal
/// names, so that other people's work is not laid at its door.
pub(crate) fn since(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    belief: Belief,
) -> io::Result<SessionChanges> {
    let journal = journal(machine, project, session, belief);
    let Some(repository) = git::Repository::find(&project.root) else {
        return Ok(by_journal(project, &journal));
    };
    let root = &repository.root;
    let dirty = status(machine, root)?;
    let begun = baseline(project, session);
    let head = git::head_commit(&repository);
    let mut names: BTreeSet<String> = match &begun {
        Some(_) => dirty.keys().cloned().collect(),
        None => {
            let edited: BTreeSet<String> =
                journal.iter().filter_map(|path| model::path::below(path, root)).collect();
            dirty.keys().filter(|name| edited.contains(*name)).cloned().collect()
        }
    };
    let moved = begun.as_ref().is_some_and(|begun| begun.head != head);
    if let Some(begun) = begun.as_ref().filter(|_| moved) {
        let committed = git::committed(root, begun.head.as_deref(), begun.taken_at, &[]);
        names.extend(committed.unwrap_or_default().into_iter().filter(|name| !is_noise(name)));
    }
    if names.is_empty() {
        return Ok(SessionChanges::default());
    }
    // Before the first commit there is nothing to compare with: every line is new.
    let empty = git::empty_tree(head.as_deref());
    let base = match &begun {
        Some(begun) if moved => begun.head.clone().or(empty),
        _ => head.clone(),
    };
    let tracked = names.iter().any(|name| dirty.get(name).is_none_or(|dirty| !dirty.untracked));
    // A base that is gone (a rewritten history) leaves the last commit to compare with.
    let diff = match base.as_deref().filter(|_| tracked) {
        Some(base) => git::diff(root, base).or_else(|_| git::diff(root, "HEAD"))?,
        None => String::new(),
    };
    // What only another session has edited is not work of this one.
    let (own, others) = (below_root(&journal, root), edited_by_others(project, session, root));
    names.retain(|name| own.contains(name) || !others.contains(name));
    let added = added(&diff);
    let at_start = begun.map(|begun| begun.files).unwrap_or_default();
    let touched = names.into_iter().filter_map(|name| {
        let path = root.join(&name);
        let before = at_start.get(&name);
        if before.is_some_and(|before| before["hash"] == session::content_hash(&path).as_str()) {
            return None;
        }
        let state = dirty.get(&name);
        let ranges = match added.get(&name) {
            Some(ranges) => ranges.clone(),
            None if state.is_some_and(|dirty| dirty.untracked || base.is_none()) => vec![whole(&path)],
            // It was touched and put back as the base has it.
            None if moved && state.is_none() && !is_in(&diff, &name) => return None,
            None => Vec::new(),
        };
        let ranges = match before.and_then(|before| before["lines"].as_array()) {
            Some(known) => without(&path, ranges, known),
            None => ranges,
        };
        Some(Touched {
            added: ranges,
            uncommitted: state.is_some(),
            written_at: written_at(&path),
            path: name,
        })
    });
    Ok(SessionChanges { files: touched.collect() })
}

/// Outside a repository there is only what was journaled, and all of each file counts.
fn by_journal(project: &Project, journal: &[PathBuf]) -> SessionChanges {
    let edited = journal.iter().filter_map(|path| model::path::below(path, &project.root));
    let names: BTreeSet<String> = edited.filter(|name| !is_noise(name)).collect();
    let files = names.into_iter().map(|name| {
        let path = project.root.join(&name);
        Touched { added: vec![whole(&path)], uncommitted: true, written_at: written_at(&path), path: name }
    });
    SessionChanges { files: files.collect() }
}

/// Where the edits of a session are kept for longer than it.
pub(crate) fn edits_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("edits")
}

fn below_root(paths: &[PathBuf], root: &Path) -> BTreeSet<String> {
    paths.iter().filter_map(|path| model::path::below(path, root)).collect()
}

fn edited_by_others(project: &Project, session: &SessionId, root: &Path) -> BTreeSet<String> {
    let own = edits_file(project, session);
    let all = files::list(&project.records.join("sessions")).into_iter().map(|dir| dir.join("edits"));
    let texts = all.filter(|file| *file != own).filter_map(|file| files::read(&file).ok().flatten());
    let paths: Vec<PathBuf> =
        texts.flat_map(|text| text.lines().map(PathBuf::from).collect::<Vec<_>>()).collect();
    below_root(&paths, root)
}

/// Every file that an edit tool of this session has written.
fn journal(machine: &Machine, project: &Project, session: &SessionId, belief: Belief) -> Vec<PathBuf> {
    let name = format!(".session-changes-{}", session.as_str());
    let text = written::read(machine, &project.claude_dir().join(name), belief);
    text.ok().flatten().unwrap_or_default().lines().map(PathBuf::from).collect()
}

fn written_at(path: &Path) -> Option<u64> {
    let time = path.metadata().ok()?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

fn whole(path: &Path) -> Range<usize> {
    let lines = files::read(path).ok().flatten().map_or(0, |text| text.lines().count());
    1..lines + 1
}

/// Added lines by file, from a diff without context.
fn added(diff: &str) -> BTreeMap<String, Vec<Range<usize>>> {
    let mut found: BTreeMap<String, Vec<Range<usize>>> = BTreeMap::new();
    let mut name = None;
    // Lines of a hunk that are still to come; a line of content may look like a header.
    let mut open = 0;
    for line in diff.lines() {
        if open > 0 && line.starts_with(['+', '-', ' ']) {
            open -= 1;
            continue;
        }
        if let Some(path) = line.strip_prefix("+++ ") {
            name = path.strip_prefix("b/").map(|path| path.trim_end_matches('\t').to_owned());
            if let Some(name) = &name {
                found.entry(name.clone()).or_default();
            }
        } else if let Some((old, new)) = line.strip_prefix("@@ -").and_then(hunk) {
            open = old.1 + new.1;
            if let Some(ranges) = name.as_ref().and_then(|name| found.get_mut(name))
                && new.1 > 0
            {
                ranges.push(new.0..new.0 + new.1);
            }
        }
    }
    found
}

/// `3,2 +4,5 @@`: where the old and the new lines begin, and how many there are.
fn hunk(text: &str) -> Option<((usize, usize), (usize, usize))> {
    let mut parts = text.split(' ');
    let side = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((side(parts.next()?)?, side(parts.next()?.strip_prefix('+')?)?))
}

/// Whether a diff speaks of a file at all: also of one that is gone.
fn is_in(diff: &str, name: &str) -> bool {
    diff.contains(&format!("--- a/{name}")) || diff.contains(&format!("+++ b/{name}"))
}

fn line_hash(line: &str) -> u64 {
    // FNV: these only tell lines of one file apart.
    line.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn line_hashes(path: &Path, ranges: &[Range<usize>]) -> Vec<u64> {
    let text = files::read(path).ok().flatten().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let numbers = ranges.iter().cloned().flatten().take(MOST_LINES);
    numbers.filter_map(|number| lines.get(number - 1)).map(|line| line_hash(line)).collect()
}

/// The lines of `ranges` that were not already added when the session began.
fn without(path: &Path, ranges: Vec<Range<usize>>, known: &[Json]) -> Vec<Range<usize>> {
    let known: BTreeSet<u64> = known.iter().filter_map(Json::as_u64).collect();
    let text = files::read(path).ok().flatten().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let numbers = ranges.into_iter().flatten();
    let new =
        numbers.filter(|number| lines.get(number - 1).is_some_and(|line| !known.contains(&line_hash(line))));
    new.map(|number| number..number + 1).collect()
}

/// The commit in short, with `-dirty` where something of the work is not in it; `unknown` outside a repository.
pub(crate) fn version(project: &Project, work: &SessionChanges) -> String {
    let Some(repository) = git::Repository::find(&project.root) else { return "unknown".into() };
    let Some(short) = git::short_head(&repository.root) else { return "unknown".into() };
    if work.files.iter().any(|file| file.uncommitted) { format!("{short}-dirty") } else { short }
}
