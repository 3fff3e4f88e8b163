//! Changes of protected files that a session ended with, and about which the user has not decided. The next session compares such a file
//! with what it was before that change, not with what it found: so it asks again while the change stands, and a file that was put back is
//! as it was.

use std::io;
use std::path::PathBuf;

use model::{ContentHash, SessionId};
use serde_json::{Map, Value as Json, json};

use crate::{Project, atomic, files, session};

fn file(project: &Project) -> PathBuf {
    project.records.join("open-changes.json")
}

/// A change that stands: what the file is with it, and its entry in the baseline before it.
#[derive(Debug)]
pub(crate) struct Open {
    hash: ContentHash,
    committed: bool,
    /// Nothing where there was no file.
    pub(crate) before: Option<Json>,
}

impl Open {
    /// Whether the change is still there: the file is the same. One that was not committed, and is now, has been settled by whoever did that
    /// outside of a session.
    pub(crate) fn stands(&self, hash: &ContentHash, dirty: bool) -> bool {
        self.hash == *hash && (dirty || self.committed)
    }
}

/// Keeps what a stop has asked about.
pub(crate) fn note(project: &Project, session: &SessionId, paths: &[(String, bool)]) -> io::Result<()> {
    let baseline = session::baseline_entries(project, session);
    let mut all = files::read_object(&file(project));
    for (path, committed) in paths {
        let hash = session::content_hash(&project.root.join(path));
        all.insert(
            path.clone(),
            json!({"hash": hash.as_str(), "committed": committed, "before": baseline.get(path)}),
        );
    }
    write(project, &all)
}

/// Changes that nobody has decided about, by path.
pub(crate) fn all(project: &Project) -> Vec<(String, Open)> {
    let one = |(path, entry): (String, Json)| {
        let hash = ContentHash::written(entry["hash"].as_str()?);
        let before = Some(entry["before"].clone()).filter(|before| !before.is_null());
        Some((path, Open { hash, committed: entry["committed"] == true, before }))
    };
    files::read_object(&file(project)).into_iter().filter_map(one).collect()
}

/// The user has agreed to these contents.
pub fn settle(project: &Project, approved: &[(String, ContentHash)]) -> io::Result<()> {
    let mut all = files::read_object(&file(project));
    let before = all.len();
    all.retain(|path, entry| !approved.iter().any(|(name, hash)| name == path && *hash == entry["hash"]));
    if all.len() == before { Ok(()) } else { write(project, &all) }
}

fn write(project: &Project, all: &Map<String, Json>) -> io::Result<()> {
    atomic::write(&file(project), format!("{:#}\n", Json::Object(all.clone())).as_bytes())
}
