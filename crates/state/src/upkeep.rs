//! What is put in order when a session begins: modes of files that an older version left open, records of sessions and projects
//! that nobody uses any more, and the copies of config files that can be read.
//!
//! The session waits for it, so it looks at little and stops early; what is left is done at the next start.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use model::SessionId;

use crate::{Machine, Project, atomic, config, files, log, private, session};

/// What removing may take.
const LIMIT: Duration = Duration::from_millis(20);
const DAY: Duration = Duration::from_hours(24);
/// A session that has not written anything for so long has ended, however it ended.
const OLD_SESSION: Duration = Duration::from_hours(30 * 24);
/// The same for a project that is still there.
const OLD_PROJECT: Duration = Duration::from_hours(180 * 24);

/// Everything. What goes wrong is for the log, and keeps nothing else from being done.
pub fn at_session_start(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    limits: log::Limits,
) -> Vec<String> {
    let mut failures = Vec::new();
    let mut note = |what: &str, done: io::Result<()>| {
        if let Err(error) = done {
            failures.push(format!("{what}: {error}"));
        }
    };
    note("the settings could not be copied", config::keep_good(machine, project));
    note("the project could not be noted", note_root(project));
    tighten(machine);
    log::keep_to(machine, limits);
    note("old records could not be removed", prune(machine, project, session));
    failures
}

/// Our records know their project by a hash; this says which it is.
fn note_root(project: &Project) -> io::Result<()> {
    let (file, root) = (root_file(&project.records), project.root.to_string_lossy());
    if files::read(&file)?.as_deref() == Some(root.as_ref()) {
        return Ok(());
    }
    atomic::write(&file, root.as_bytes())
}

fn root_file(records: &Path) -> PathBuf {
    records.join("root")
}

/// Takes away what others may do with our files. Files that we make are private from the beginning, so there is something to do
/// only once, after an older version.
fn tighten(machine: &Machine) {
    let state = machine.state_dir();
    let mark = state.join("private.lock");
    let is_done = mark.exists();
    // A folder that somebody else uses too, named by the variable, is not ours to close.
    if is_own_folder(machine, &state) {
        private::close(&state, private::Kind::Folder);
    }
    for path in files::list(&state).into_iter().filter(|path| is_own_name(path)) {
        // Ended before it was marked: done again at the next start.
        if path.is_dir() && !is_done {
            close_below(&path);
        } else {
            private::close(&path, private::Kind::File);
        }
    }
    let cache = machine.cache_dir();
    if is_own_folder(machine, &cache) {
        private::close(&cache, private::Kind::Folder);
    }
    if !is_done && state.is_dir() {
        let _ = private::options(&mark).write(true).create(true).truncate(false).open(&mark);
    }
}

fn is_own_folder(machine: &Machine, dir: &Path) -> bool {
    let real = files::resolve(dir);
    let shared = [machine.home().unwrap_or_default(), std::env::temp_dir(), PathBuf::from("/")];
    !shared.iter().any(|shared| files::resolve(shared).starts_with(&real))
}

fn is_own_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ["projects", "backups"].contains(&name.as_ref())
        || [".json", ".jsonl", ".lock"].iter().any(|end| name.ends_with(end))
        || name.starts_with("review-failures")
}

/// No link is followed, and a tree has an end.
fn close_below(dir: &Path) {
    let mut open = vec![dir.to_owned()];
    let mut left = 50_000_u32;
    while let Some(dir) = open.pop() {
        private::close(&dir, private::Kind::Folder);
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            left = left.saturating_sub(1);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && left > 0 => open.push(entry.path()),
                Ok(kind) if kind.is_file() && left > 0 => private::close(&entry.path(), private::Kind::File),
                _ => {}
            }
        }
    }
}

/// Removes records of sessions and projects by age, once a day. Never those of this session and this project, and never what the
/// person has trusted in a project that is still there.
fn prune(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    let begin = Instant::now();
    let mark = machine.state_dir().join("pruned.json");
    if age(&mark).is_some_and(|age| age < DAY) {
        return Ok(());
    }
    for records in files::list(&machine.state_dir().join("projects")) {
        let latest = session::latest_in(&records);
        for folder in files::list(&records.join("sessions")) {
            if begin.elapsed() > LIMIT {
                return Ok(());
            }
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let in_use =
                name == session.as_str() || latest.as_ref().is_some_and(|latest| latest.as_str() == name);
            if !in_use && last_use(&folder).is_some_and(|age| age > OLD_SESSION) {
                files::remove_dir(&folder)?;
            }
        }
        if records != project.records {
            prune_project(&records)?;
        }
    }
    atomic::write(&mark, b"{}\n")
}

fn prune_project(records: &Path) -> io::Result<()> {
    let sessions = files::list(&records.join("sessions"));
    let ages = sessions.iter().map(PathBuf::as_path).chain([records]).map(last_use);
    let Some(Some(unused)) = ages.min() else { return Ok(()) };
    let root = files::read(&root_file(records))?.map(PathBuf::from);
    // A drive that is not there just now takes the folder around it along; a folder that was removed does not.
    let is_gone = root
        .as_ref()
        .is_some_and(|root| root.symlink_metadata().is_err() && root.parent().is_some_and(Path::is_dir));
    if is_gone && unused > DAY {
        return files::remove_dir(records);
    }
    if unused <= OLD_PROJECT {
        return Ok(());
    }
    if root.as_ref().is_none_or(|root| root.symlink_metadata().is_err()) {
        return files::remove_dir(records);
    }
    for path in files::list(records) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "root" || name.starts_with("trust") || name.starts_with("last-good") {
            continue;
        }
        if path.is_dir() { files::remove_dir(&path)? } else { files::remove(&path)? }
    }
    Ok(())
}

/// How long ago anything directly in a folder was written.
fn last_use(dir: &Path) -> Option<Duration> {
    files::list(dir).iter().map(PathBuf::as_path).chain([dir]).filter_map(age).min()
}

/// What is dated ahead is new.
fn age(path: &Path) -> Option<Duration> {
    let written = path.symlink_metadata().ok()?.modified().ok()?;
    Some(SystemTime::now().duration_since(written).unwrap_or_default())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    struct World {
        dir: tempfile::TempDir,
        machine: Machine,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let text = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
            let (home, state, cache) = (text("home"), text("state"), text("cache"));
            for name in [&home, &cache, &text("project"), &text("other")] {
                fs::create_dir_all(name).unwrap();
            }
            let variables =
                [("HOME", home.as_str()), ("PLIMSOLL_STATE_DIR", &state), ("XDG_CACHE_HOME", &cache)];
            let machine = Machine::with(&variables, dir.path());
            Self { dir, machine }
        }

        fn project(&self, name: &str) -> Project {
            Project::at(&self.machine, self.dir.path().join(name))
        }

        /// As often as it takes, on a machine that is busy.
        fn start(&self) {
            let (project, session) = (self.project("project"), SessionId::new("now"));
            for _ in 0..100 {
                let limits = log::Limits::of(&model::Config::default());
                let failures = at_session_start(&self.machine, &project, &session, limits);
                assert_eq!(failures, Vec::<String>::new());
                if age(&self.machine.state_dir().join("pruned.json")).is_some_and(|age| age < DAY) {
                    return;
                }
            }
            panic!("it is never done");
        }
    }

    fn write(path: &Path, text: &str, days: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        back_date(path, days);
        back_date(path.parent().unwrap(), days);
    }

    fn back_date(path: &Path, days: u64) {
        let time = SystemTime::now() - DAY * u32::try_from(days).unwrap();
        File::open(path).unwrap().set_modified(time).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_an_older_version_left_open_is_closed_and_no_more() {
        let world = World::new();
        let state = world.machine.state_dir();
        let ours = ["log.jsonl", "trust.json", "projects/p-1/sessions/s/before-0", "backups/settings.json"];
        for name in ours {
            write(&state.join(name), "x", 0);
            fs::set_permissions(state.join(name), Permissions::from_mode(0o644)).unwrap();
        }
        for name in ["", "projects", "projects/p-1/sessions/s"] {
            fs::set_permissions(state.join(name), Permissions::from_mode(0o755)).unwrap();
        }
        let other = state.join("notes.txt");
        write(&other, "of somebody else", 0);
        fs::set_permissions(&other, Permissions::from_mode(0o644)).unwrap();
        world.start();
        for name in ours {
            assert_eq!(mode(&state.join(name)), 0o600, "{name}");
        }
        for name in ["", "projects", "projects/p-1", "projects/p-1/sessions/s", "backups"] {
            assert_eq!(mode(&state.join(name)), 0o700, "{name}");
        }
        assert_eq!(mode(&other), 0o644);
    }

    #[test]
    fn a_folder_that_is_not_ours_alone_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        let home = dir.path().to_string_lossy().into_owned();
        let machine = Machine::with(&[("HOME", &home), ("PLIMSOLL_STATE_DIR", &home)], dir.path());
        tighten(&machine);
        assert_eq!(mode(dir.path()), 0o755);
    }

    #[test]
    fn old_sessions_go_and_live_ones_stay() {
        let world = World::new();
        let (here, other) = (world.project("project"), world.project("other"));
        let file = |project: &Project, name: &str| project.records.join("sessions").join(name).join("x");
        write(&file(&here, "old"), "", 31);
        write(&file(&here, "young"), "", 29);
        write(&file(&here, "now"), "", 400);
        write(&file(&here, "latest"), "", 400);
        write(&here.records.join("latest-session"), "latest", 400);
        write(&file(&other, "old"), "", 31);
        write(&file(&other, "touched"), "", 400);
        back_date(&file(&other, "touched"), 1);
        world.start();
        let there = |project: &Project, name: &str| file(project, name).exists();
        assert!(!there(&here, "old") && !there(&other, "old"));
        assert!(
            there(&here, "young")
                && there(&here, "now")
                && there(&here, "latest")
                && there(&other, "touched")
        );
    }

    #[test]
    fn projects_go_when_they_are_gone_or_unused_but_not_their_trust() {
        let world = World::new();
        let gone = world.dir.path().join("gone").to_string_lossy().into_owned();
        let there = world.dir.path().join("other").to_string_lossy().into_owned();
        let records = |name: &str| world.machine.state_dir().join("projects").join(name);
        for (name, root, days) in [
            ("gone", Some(gone.as_str()), 2),
            ("gone-today", Some(&gone), 0),
            ("unmounted", Some("/no/such/drive/project"), 100),
            ("unused", Some(&there), 181),
            ("used", Some(&there), 179),
            ("nameless", None, 181),
        ] {
            write(&records(name).join("tests.json"), "", days);
            write(&records(name).join("trust-tools.json"), "", days);
            if let Some(root) = root {
                write(&records(name).join("root"), root, days);
            }
        }
        world.start();
        let left = |name: &str| {
            (records(name).join("tests.json").exists(), records(name).join("trust-tools.json").exists())
        };
        assert_eq!(left("gone"), (false, false));
        assert_eq!(left("gone-today"), (true, true));
        assert_eq!(left("unmounted"), (true, true));
        assert_eq!(left("unused"), (false, true));
        assert_eq!(left("used"), (true, true));
        assert_eq!(left("nameless"), (false, false));
        assert_eq!(
            files::read(&root_file(&world.project("project").records)).unwrap().unwrap(),
            world.project("project").root.to_string_lossy()
        );
    }

    #[test]
    fn it_is_done_once_a_day() {
        let world = World::new();
        world.start();
        let old = world.project("project").records.join("sessions/old/x");
        write(&old, "", 31);
        world.start();
        assert!(old.exists());
        back_date(&world.machine.state_dir().join("pruned.json"), 2);
        world.start();
        assert!(!old.exists());
    }
}
