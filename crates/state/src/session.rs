//! What belongs to one session: how the protected files looked at its beginning, what the user approved, and which edits
//! they let through for a while.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{ContentHash, Held, SessionId, Watch, time};
use serde_json::{Map, Value as Json, json};

use crate::{Lock, Machine, Project, atomic, files, git, guarded, open_changes, private, sha256};

/// The protected files as the session found them.
#[derive(Debug, Default)]
pub struct Baseline {
    pub head: Option<String>,
    pub taken_at: u64,
    /// Git's own directory then; another one that is there later knows nothing of this session's beginning.
    pub git_dir: Option<PathBuf>,
    /// Commits that references named then: what they lead to is not the session's.
    pub known: Vec<String>,
    /// Whether every protected file is among `files`; `None` in a record that has only those that differed from the last commit.
    pub whole: Option<bool>,
    pub files: BTreeMap<String, Before>,
}

/// A protected file at the beginning.
#[derive(Clone, Debug)]
pub struct Before {
    pub hash: ContentHash,
    /// Where its text lies.
    pub copy: Option<PathBuf>,
    /// It differed from the last commit: the user's own work.
    pub dirty: bool,
}

/// A file's content as a hash. A link to a folder counts by where it leads.
pub fn content_hash(path: &Path) -> ContentHash {
    match files::read_bytes(path) {
        Ok(bytes) => sha256(&bytes),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            match std::fs::read_link(path) {
                Ok(target) => link_hash(&target),
                Err(_) => ContentHash::absent(),
            }
        }
        Err(_) => match std::fs::read_link(path) {
            Ok(target) if path.is_dir() => link_hash(&target),
            _ => ContentHash::unreadable(),
        },
    }
}

fn link_hash(target: &Path) -> ContentHash {
    sha256(&[b"link to ", target.as_os_str().as_encoded_bytes()].concat())
}

fn baseline_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("baseline.json")
}

/// Takes the baseline of a session that has none yet. A resumed session keeps the one of its beginning.
pub fn take_baseline(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    watch: &Watch,
) -> io::Result<()> {
    note_latest(project, session)?;
    let file = baseline_file(project, session);
    if file.exists() {
        return Ok(());
    }
    // Outside a repository nobody has said what belongs together: it may be the user's home.
    let Some(repository) = git::Repository::find(&project.root) else { return Ok(()) };
    // A repository that git cannot read has nothing to say; the contents are there all the same.
    let dirty = git::matching(machine, &project.root, &watch.globs).unwrap_or_default();
    let seen = guarded::walk(machine, &project.root, &watch.globs);
    let mut all = seen.files;
    for name in dirty.keys() {
        all.entry(name.clone()).or_insert_with(|| content_hash(&project.root.join(name)));
    }
    let mut entries = Map::new();
    for (name, hash) in all {
        let mut entry = json!({"hash": hash.as_str()});
        if let Some(copy) = keep(project, &project.root.join(&name), &hash)? {
            entry["copy"] = copy.to_string_lossy().into();
        }
        if dirty.contains_key(&name) {
            entry["dirty"] = true.into();
        }
        entries.insert(name, entry);
    }
    for (name, open) in open_changes::all(project) {
        let hash = content_hash(&project.root.join(&name));
        if open.stands(&hash, dirty.contains_key(&name)) {
            match open.before {
                Some(before) => entries.insert(name, before),
                None => entries.remove(&name),
            };
        }
    }
    let json = json!({
        "taken_at": machine.now(),
        "head": git::head_commit(&repository),
        "git_dir": files::resolve(&repository.git_dir),
        "known": repository.known_commits(),
        "whole": seen.whole,
        "files": entries,
    });
    atomic::write(&file, format!("{json:#}\n").as_bytes())
}

/// Larger files are not configuration that anybody reads; git has them.
const LARGEST_COPY: u64 = 1024 * 1024;

/// A copy by content, which all sessions of the project share: most of them find what the last one found.
fn keep(project: &Project, path: &Path, hash: &ContentHash) -> io::Result<Option<PathBuf>> {
    if hash.hex().is_empty() {
        return Ok(None);
    }
    let copy = project.records.join("kept").join(hash.hex());
    if copy.exists() {
        // What is old and not asked for may be cleared away.
        let touched = std::fs::File::options().append(true).open(&copy);
        let _ = touched.and_then(|file| file.set_modified(std::time::SystemTime::now()));
        return Ok(Some(copy));
    }
    if files::size(path).is_ok_and(|size| size > LARGEST_COPY) {
        return Ok(None);
    }
    match files::read_bytes(path) {
        Ok(bytes) if sha256(&bytes) == *hash => {
            atomic::write_cache(&copy, &bytes)?;
            Ok(Some(copy))
        }
        _ => Ok(None),
    }
}

/// The entries of a session's baseline as they are kept.
pub(crate) fn baseline_entries(project: &Project, session: &SessionId) -> Map<String, Json> {
    let json = files::read_json(&baseline_file(project, session)).unwrap_or_default();
    json["files"].as_object().cloned().unwrap_or_default()
}

pub fn baseline(project: &Project, session: &SessionId) -> Option<Baseline> {
    let json = files::read_json(&baseline_file(project, session))?;
    let whole = json["whole"].as_bool();
    let entries = json["files"].as_object()?.iter().map(|(path, entry)| {
        let before = Before {
            hash: entry["hash"].as_str().map_or_else(ContentHash::absent, ContentHash::written),
            copy: entry["copy"].as_str().map(PathBuf::from),
            dirty: whole.is_none() || entry["dirty"] == true,
        };
        (path.clone(), before)
    });
    let texts = |list: &Json| {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(Json::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    Some(Baseline {
        head: json["head"].as_str().map(str::to_owned),
        taken_at: json["taken_at"].as_u64().unwrap_or(0),
        git_dir: json["git_dir"].as_str().map(PathBuf::from),
        known: texts(&json["known"]),
        whole,
        files: entries.collect(),
    })
}

/// The session that was started last in this project: the one that a user in a terminal means.
pub fn latest(project: &Project) -> Option<SessionId> {
    latest_in(&project.records)
}

pub(crate) fn latest_in(records: &Path) -> Option<SessionId> {
    let text = files::read(&records.join("latest-session")).ok()??;
    Some(SessionId::new(text.trim())).filter(SessionId::is_known)
}

fn note_latest(project: &Project, session: &SessionId) -> io::Result<()> {
    // One that goes on is known already.
    if latest(project).as_ref() == Some(session) {
        return Ok(());
    }
    atomic::write(&project.records.join("latest-session"), session.as_str().as_bytes())
}

/// Approvals: by path, the hash of the content that the user has agreed to. In the format of the old linter hooks.
pub fn approvals(file: &Path) -> BTreeMap<String, ContentHash> {
    approved_in(&files::read_json(file).unwrap_or_default())
}

/// The same from the file of the old linter hooks, which lies where anybody may put one.
pub(crate) fn shared_approvals(file: &Path) -> BTreeMap<String, ContentHash> {
    let text = private::read_shared(file).unwrap_or_default();
    approved_in(&serde_json::from_str(&text).unwrap_or_default())
}

fn approved_in(json: &Json) -> BTreeMap<String, ContentHash> {
    let entries = json["files"].as_object().cloned().unwrap_or_default();
    entries
        .into_iter()
        .filter_map(|(path, hash)| Some((path, ContentHash::written(hash.as_str()?))))
        .collect()
}

pub fn approvals_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("approvals.json")
}

/// Adds to the approvals in `file`, keeping those that are there.
pub fn approve(machine: &Machine, file: &Path, hashes: &[(String, ContentHash)]) -> io::Result<()> {
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut all = approvals(file);
    all.extend(hashes.iter().cloned());
    write_approvals(machine, file, &all)
}

fn write_approvals(machine: &Machine, file: &Path, all: &BTreeMap<String, ContentHash>) -> io::Result<()> {
    atomic::write(file, approvals_text(machine, all).as_bytes())
}

/// The file of the old linter hooks, for `compat`.
pub fn write_shared_approvals(
    machine: &Machine,
    file: &Path,
    all: &BTreeMap<String, ContentHash>,
) -> io::Result<()> {
    private::write_shared(file, &approvals_text(machine, all))
}

fn approvals_text(machine: &Machine, all: &BTreeMap<String, ContentHash>) -> String {
    let all: Map<String, Json> = all.iter().map(|(path, hash)| (path.clone(), hash.clone().into())).collect();
    format!("{:#}\n", json!({"approved_at": time::rfc3339(machine.now()), "files": all}))
}

/// The mark that something was said in the session. Payloads without a session count by the process that started us.
pub(crate) fn said_file(machine: &Machine, project: &Project, session: &SessionId, what: &str) -> PathBuf {
    let by = if session.is_known() { String::new() } else { format!("-{}", machine.guard_pid()) };
    project.session_dir(session).join(format!("said-{what}{by}"))
}

/// Where hidden instructions were found in sessions of this project that nobody has cleared: the record, and the place in words.
pub fn warnings(project: &Project) -> Vec<(PathBuf, String)> {
    let sessions = files::list(&project.records.join("sessions"));
    let records = sessions.iter().map(|session| session.join("said-warned"));
    records.filter_map(|file| Some((file.clone(), files::read(&file).ok().flatten()?))).collect()
}

/// Allowances are the user's word about a file, whichever project an agent meets it in, so there is one list for all.
fn overrides_file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("overrides.json")
}

fn overrides(machine: &Machine) -> Map<String, Json> {
    files::read_object(&overrides_file(machine))
}

/// Lets `path` be edited for `seconds`. The path is resolved by the caller.
pub fn allow_edit(machine: &Machine, path: &Path, seconds: u64) -> io::Result<()> {
    let file = overrides_file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut all = overrides(machine);
    let now = machine.now();
    all.retain(|_, allowance| left(allowance, now).is_some());
    all.insert(path.to_string_lossy().into_owned(), json!({"from": now, "until": now + seconds}));
    atomic::write(&file, format!("{:#}\n", Json::Object(all)).as_bytes())
}

/// Whether the user has let `path` be edited, and the time is not over.
pub fn may_edit(machine: &Machine, path: &Path) -> bool {
    overrides(machine)
        .get(path.to_string_lossy().as_ref())
        .is_some_and(|allowance| left(allowance, machine.now()).is_some())
}

/// Seconds that an allowance still holds. One that begins in the future was given by a clock that has been set back, and would
/// hold for longer than the user said.
fn left(allowance: &Json, now: u64) -> Option<u64> {
    // An older version wrote the end alone.
    let until = allowance.as_u64().or_else(|| allowance["until"].as_u64())?;
    let from = allowance["from"].as_u64().unwrap_or(0);
    until.checked_sub(now).filter(|left| *left > 0 && !time::is_ahead(from, now))
}

/// Open allowances, for `status`.
pub fn open_edits(machine: &Machine) -> Vec<(String, u64)> {
    let now = machine.now();
    overrides(machine)
        .into_iter()
        .filter_map(|(path, allowance)| Some((path, left(&allowance, now)?)))
        .collect()
}

fn restores_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("restores.json")
}

/// Remembers the commands that a held stop has named, so that the agent may run them.
pub fn name_restores(project: &Project, session: &SessionId, commands: &[String]) -> io::Result<()> {
    atomic::write(&restores_file(project, session), format!("{:#}\n", json!(commands)).as_bytes())
}

pub fn is_named_restore(project: &Project, session: &SessionId, command: &str) -> bool {
    let named = files::read_json(&restores_file(project, session));
    named.as_ref().and_then(Json::as_array).into_iter().flatten().any(|named| named == command.trim())
}

fn own_text_file(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("own-text")
}

/// Remembers what a held stop has said: some agents give it back as a prompt.
pub fn note_own_text(project: &Project, session: &SessionId, text: &str) -> io::Result<()> {
    atomic::write(&own_text_file(project, session), sha256(text.trim().as_bytes()).as_str().as_bytes())
}

/// Whether a prompt is what the last held stop has said. Some put quotes around it.
pub fn is_own_text(project: &Project, session: &SessionId, prompt: &str) -> bool {
    let Ok(Some(known)) = files::read(&own_text_file(project, session)) else { return false };
    let prompt = prompt.trim();
    [prompt, prompt.trim_matches('"')]
        .iter()
        .any(|text| sha256(text.trim().as_bytes()).as_str() == known.trim())
}

fn held_file(project: &Project, session: &SessionId, by: &str) -> PathBuf {
    // The name of a check has a slash, that of a subagent may have anything.
    project.session_dir(session).join(format!("held-{}.json", SessionId::new(by).as_str()))
}

/// How often a stop has been held under this name. `None` where it could not be counted further: nothing can be written.
pub(crate) fn held(project: &Project, session: &SessionId, by: &str) -> Option<Held> {
    let json = files::read_json(&held_file(project, session, by)).unwrap_or_default();
    let number = |key: &str| json[key].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let held = Held {
        times: number("times"),
        same: number("same"),
        reasons: json["reasons"].as_str().unwrap_or_default().to_owned(),
    };
    note_held(project, session, by, &held).ok().map(|()| held)
}

pub(crate) fn note_held(project: &Project, session: &SessionId, by: &str, held: &Held) -> io::Result<()> {
    let json = json!({"times": held.times, "same": held.same, "reasons": held.reasons});
    atomic::write(&held_file(project, session, by), format!("{json}\n").as_bytes())
}
