//! What is open about a file of a session: linters that have not looked at it yet, rules that wait for a later edit. One small
//! file each in the session's records; a stop settles them.

use std::io;
use std::path::{Path, PathBuf};

use linters::{from_json, to_json};
use model::{ContentHash, SessionId, Violation};
use serde_json::{Value as Json, json};
use state::{Project, atomic, files, sha256};
use thiserror::Error;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) file: PathBuf,
    /// Slow linters are to look at it.
    pub(crate) late: bool,
    /// So are all others: nobody has told us of the edit.
    pub(crate) unseen: bool,
    /// So are those that look at whole projects.
    pub(crate) whole: bool,
    /// Something was found that waits for a later edit.
    pub(crate) deferred: bool,
    /// The content that the slow linters have looked at, and what they found.
    pub(crate) looked_at: Option<ContentHash>,
    pub(crate) found: Vec<Violation>,
    /// What the agent was told at the edit itself: another linter does not tell it again.
    pub(crate) told: Vec<Violation>,
}

fn dir(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("lint")
}

pub(crate) fn place(project: &Project, session: &SessionId, file: &Path) -> PathBuf {
    dir(project, session).join(format!("{}.json", sha256(file.to_string_lossy().as_bytes()).short()))
}

/// All of them; nothing for a session without edits, which costs one look.
pub(crate) fn all(project: &Project, session: &SessionId) -> Vec<Mark> {
    let list = files::list(&dir(project, session));
    let json = list.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    json.filter_map(|path| parse(&files::read(path).ok().flatten()?)).collect()
}

pub(crate) fn of(project: &Project, session: &SessionId, file: &Path) -> Option<Mark> {
    parse(&files::read(&place(project, session, file)).ok().flatten()?)
}

/// Keeps a mark; one with nothing open is taken away.
pub(crate) fn keep(project: &Project, session: &SessionId, mark: &Mark) -> io::Result<()> {
    let place = place(project, session, &mark.file);
    if !mark.late && !mark.whole && !mark.deferred {
        return files::remove(&place);
    }
    files::create_dir(&dir(project, session))?;
    let json = json!({
        "file": mark.file, "late": mark.late, "unseen": mark.unseen, "whole": mark.whole, "deferred": mark.deferred,
        "looked_at": mark.looked_at.as_ref().map(ContentHash::as_str), "found": list(&mark.found), "told": list(&mark.told),
    });
    atomic::write(&place, format!("{json}\n").as_bytes())
}

/// What an edit left open is not remembered, so that nobody looks at it later.
#[derive(Debug, Error)]
#[error("what is open about {} could not be noted: {source}", .file.display())]
pub(crate) struct Unnoted {
    file: PathBuf,
    source: io::Error,
}

/// The same where it is said if it fails.
pub(super) fn note(project: &Project, session: &SessionId, mark: &Mark) -> Result<(), Unnoted> {
    keep(project, session, mark).map_err(|source| Unnoted { file: mark.file.clone(), source })
}

/// Notes a file that is about to be changed and of which no event will tell.
pub(crate) fn unseen(project: &Project, session: &SessionId, file: &Path) -> Result<(), Unnoted> {
    let mark = Mark { file: file.to_owned(), late: true, unseen: true, ..Mark::default() };
    note(project, session, &mark)
}

fn list(violations: &[Violation]) -> Vec<Json> {
    let one = |found: &Violation| {
        let mut json = to_json(found);
        json["built_in"] = found.built_in.into();
        json
    };
    violations.iter().map(one).collect()
}

fn parse(text: &str) -> Option<Mark> {
    let json: Json = serde_json::from_str(text).ok()?;
    let file = PathBuf::from(json["file"].as_str()?);
    let flag = |key: &str| json[key].as_bool().unwrap_or(false);
    let violations = |key: &str| -> Vec<Violation> {
        let entries = json[key].as_array().into_iter().flatten();
        let one = |entry: &Json| {
            let found = from_json(entry, &file)?;
            Some(Violation { built_in: entry["built_in"] == true, ..found })
        };
        entries.filter_map(one).collect()
    };
    Some(Mark {
        late: flag("late"),
        unseen: flag("unseen"),
        whole: flag("whole"),
        deferred: flag("deferred"),
        looked_at: json["looked_at"].as_str().map(ContentHash::written),
        found: violations("found"),
        told: violations("told"),
        file,
    })
}
