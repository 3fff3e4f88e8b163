//! What files of the user were before we put something into them, so that it can be taken out again without a trace. An
//! editor of JSON keeps comments and order, but not every blank; a copy does.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use crate::{Lock, Machine, atomic, files, sha256};

fn file(machine: &Machine) -> PathBuf {
    machine.state_dir().join("originals.json")
}

fn read(machine: &Machine) -> Map<String, Json> {
    files::read_object(&file(machine))
}

/// Notes that we are about to make `after` of `before`. `copy` is where `before` is kept, if there was nothing of ours in it;
/// otherwise the copy of an earlier time still counts, as long as nobody else has changed the file since.
pub fn remember(
    machine: &Machine,
    path: &Path,
    before: &str,
    after: &str,
    copy: Option<&Path>,
) -> io::Result<()> {
    let file = file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut all = read(machine);
    let name = path.to_string_lossy().into_owned();
    if let Some(entry) = all.get_mut(&name).filter(|entry| entry["made"] == true) {
        entry["after"] = sha256(after.as_bytes()).into();
        return atomic::write(&file, format!("{:#}\n", Json::Object(all)).as_bytes());
    }
    let earlier = || {
        let entry = all.get(&name).filter(|entry| entry["after"] == sha256(before.as_bytes()).as_str())?;
        entry["copy"].as_str().map(str::to_owned)
    };
    match copy.map(|copy| copy.to_string_lossy().into_owned()).or_else(earlier) {
        Some(copy) => all.insert(name, json!({"copy": copy, "after": sha256(after.as_bytes()).as_str()})),
        None => all.shift_remove(&name),
    };
    atomic::write(&file, format!("{:#}\n", Json::Object(all)).as_bytes())
}

/// Notes that we are about to make a file that was not there.
pub fn remember_made(machine: &Machine, path: &Path, after: &str) -> io::Result<()> {
    let file = file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut all = read(machine);
    let entry = json!({"made": true, "after": sha256(after.as_bytes()).as_str()});
    all.insert(path.to_string_lossy().into_owned(), entry);
    atomic::write(&file, format!("{:#}\n", Json::Object(all)).as_bytes())
}

/// Whether a file was not there before us.
pub fn is_made(machine: &Machine, path: &Path) -> bool {
    read(machine).get(path.to_string_lossy().as_ref()).is_some_and(|entry| entry["made"] == true)
}

/// The same, and nobody else has changed it since.
pub fn is_untouched(machine: &Machine, path: &Path, now: &str) -> bool {
    let all = read(machine);
    let entry = all.get(path.to_string_lossy().as_ref());
    entry.is_some_and(|entry| entry["made"] == true && entry["after"] == sha256(now.as_bytes()).as_str())
}

/// Every file that we have put something into and know the old text of.
pub fn known(machine: &Machine) -> Vec<PathBuf> {
    read(machine).keys().map(PathBuf::from).collect()
}

/// A file is gone, and with it what we knew about it.
pub fn forget(machine: &Machine, path: &Path) -> io::Result<()> {
    let file = file(machine);
    let _lock = Lock::take(&file.with_extension("lock"), Duration::from_secs(5))?;
    let mut all = read(machine);
    match all.shift_remove(path.to_string_lossy().as_ref()) {
        Some(_) => atomic::write(&file, format!("{:#}\n", Json::Object(all)).as_bytes()),
        None => Ok(()),
    }
}

/// The text that a file had before us, if it is still exactly as we left it.
pub fn original(machine: &Machine, path: &Path, now: &str) -> Option<String> {
    let all = read(machine);
    let entry = all.get(path.to_string_lossy().as_ref())?;
    if entry["after"] != sha256(now.as_bytes()).as_str() {
        return None;
    }
    files::read(Path::new(entry["copy"].as_str()?)).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_we_made_is_known_as_ours_until_somebody_changes_it() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())], dir.path());
        let path = Path::new("/p/config.json");
        assert!(!is_made(&machine, path));
        remember_made(&machine, path, "one").unwrap();
        assert!(is_made(&machine, path) && is_untouched(&machine, path, "one"));
        assert_eq!(known(&machine), [path]);
        remember(&machine, path, "one", "two", None).unwrap();
        assert!(is_untouched(&machine, path, "two") && !is_untouched(&machine, path, "one"));
        assert!(is_made(&machine, path) && !is_untouched(&machine, path, "theirs"));
        forget(&machine, path).unwrap();
        assert!(!is_made(&machine, path));
    }

    #[test]
    fn the_first_text_comes_back_unless_somebody_else_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())], dir.path());
        let (path, copy) = (Path::new("/p/settings.json"), dir.path().join("copy"));
        std::fs::write(&copy, "theirs").unwrap();
        assert_eq!(original(&machine, path, "theirs"), None);
        remember(&machine, path, "theirs", "ours", Some(&copy)).unwrap();
        remember(&machine, path, "ours", "ours again", None).unwrap();
        assert_eq!(original(&machine, path, "ours again").as_deref(), Some("theirs"));
        assert_eq!(original(&machine, path, "ours again, and more"), None);
        remember(&machine, path, "ours again, and more", "ours", None).unwrap();
        assert_eq!(original(&machine, path, "ours"), None);
    }
}
