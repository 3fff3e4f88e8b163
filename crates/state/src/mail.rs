//! Texts that wait for a hook that can carry them: one file each in the session's folder, so that what a task leaves and what a
//! hook takes away do not meet in one file.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use model::{Mail, Reader, SessionId};
use serde_json::{Value as Json, json};

use crate::{Lock, Machine, Project, atomic, files, sha256};

const PATIENCE: Duration = Duration::from_secs(2);

fn dir(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("mail")
}

fn file(project: &Project, session: &SessionId, key: &str) -> PathBuf {
    dir(project, session).join(format!("{}.json", sha256(key.as_bytes()).short()))
}

fn lock(project: &Project, session: &SessionId) -> io::Result<Lock> {
    Ok(Lock::take(&project.session_dir(session).join("mail.lock"), PATIENCE)?)
}

/// Leaves a text, in place of an older one with the same key.
pub fn post(machine: &Machine, project: &Project, session: &SessionId, mail: &Mail) -> io::Result<()> {
    let _lock = lock(project, session)?;
    let json = json!({"at": machine.now(), "key": mail.key, "to": mail.to.as_str(), "text": mail.text});
    atomic::write(&file(project, session, &mail.key), format!("{json}\n").as_bytes())
}

/// What waits, oldest first. A file that cannot be read waits on: it may be in the middle of being replaced.
pub fn waiting(project: &Project, session: &SessionId) -> Vec<Mail> {
    let Ok(entries) = std::fs::read_dir(dir(project, session)) else { return Vec::new() };
    let texts = entries.flatten().filter_map(|entry| files::read(&entry.path()).ok().flatten());
    let mut list: Vec<(u64, Mail)> = texts.filter_map(|text| parse(&text)).collect();
    list.sort_by(|a, b| (a.0, &a.1.key).cmp(&(b.0, &b.1.key)));
    list.into_iter().map(|(_, mail)| mail).collect()
}

fn parse(text: &str) -> Option<(u64, Mail)> {
    let json: Json = serde_json::from_str(text).ok()?;
    let word = |key: &str| json[key].as_str().map(str::to_owned);
    Some((
        json["at"].as_u64()?,
        Mail { key: word("key")?, text: word("text")?, to: Reader::parse(json["to"].as_str()?)? },
    ))
}

/// Takes away what was delivered. A text that was replaced meanwhile stays.
pub fn remove(project: &Project, session: &SessionId, delivered: &[Mail]) -> io::Result<()> {
    let _lock = lock(project, session)?;
    for mail in delivered {
        let file = file(project, session, &mail.key);
        let now = files::read(&file).ok().flatten().and_then(|text| parse(&text));
        if now.is_some_and(|(_, now)| now == *mail) {
            std::fs::remove_file(&file)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_text_replaces_an_older_one_and_outlives_its_delivery() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], dir.path());
        let project = Project::at(&machine, dir.path().join("p"));
        let session = SessionId::new("s");
        let mail = |key: &str, text: &str| Mail { key: key.into(), text: text.into(), to: Reader::Model };
        assert_eq!(waiting(&project, &session), []);
        post(&machine, &project, &session, &mail("tests", "old")).unwrap();
        post(&machine, &project, &session, &mail("lint/a b", "x")).unwrap();
        let seen = waiting(&project, &session);
        assert_eq!(seen.len(), 2);
        post(&machine, &project, &session, &mail("tests", "new")).unwrap();
        remove(&project, &session, &seen).unwrap();
        assert_eq!(waiting(&project, &session), [mail("tests", "new")]);
    }
}
