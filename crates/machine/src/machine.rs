//! The environment of this process: variables, directories, clocks. Tests make one from a table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use model::environment::{self, Variable};

use crate::folders::Folders;
use crate::git::{Dirty, Glance};
use crate::{private, sha256};

#[cfg(target_os = "macos")]
const MANAGED: &str = "/Library/Application Support/plimsoll";
/// Not by `%ProgramData%`, which is a variable like any other.
#[cfg(windows)]
const MANAGED: &str = r"C:\ProgramData\plimsoll";
#[cfg(not(any(target_os = "macos", windows)))]
const MANAGED: &str = "/etc/plimsoll";

#[derive(Debug)]
pub struct Machine {
    /// Instead of the process's own variables.
    table: Option<BTreeMap<String, String>>,
    cwd: Option<PathBuf>,
    started: Instant,
    /// Asked for by nearly everything, so found once.
    state: OnceLock<PathBuf>,
    cache: OnceLock<PathBuf>,
    /// What `git status` said, by work tree. A process answers one event.
    pub(crate) status: Mutex<BTreeMap<PathBuf, Arc<BTreeMap<String, Dirty>>>>,
    /// What could be known without it.
    pub(crate) glances: Mutex<BTreeMap<PathBuf, Option<Arc<Glance>>>>,
    /// What lies in the folders of work trees and projects.
    pub(crate) folders: Mutex<BTreeMap<PathBuf, Folders>>,
}

impl Machine {
    /// This process.
    pub fn real() -> Self {
        Self {
            table: None,
            cwd: None,
            started: Instant::now(),
            state: OnceLock::new(),
            cache: OnceLock::new(),
            status: Mutex::default(),
            glances: Mutex::default(),
            folders: Mutex::default(),
        }
    }

    /// A made-up one.
    pub fn with(variables: &[(&str, &str)], cwd: &Path) -> Self {
        let table = variables.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
        Self {
            table: Some(table),
            cwd: Some(cwd.to_owned()),
            started: Instant::now(),
            state: OnceLock::new(),
            cache: OnceLock::new(),
            status: Mutex::default(),
            glances: Mutex::default(),
            folders: Mutex::default(),
        }
    }

    /// An empty variable counts as unset.
    pub fn var(&self, variable: &Variable) -> Option<String> {
        let value = match &self.table {
            Some(table) => table.get(variable.name).cloned(),
            None => std::env::var(variable.name).ok(),
        };
        value.filter(|text| !text.is_empty())
    }

    /// A relative home would be whatever folder an agent happens to be in, so it counts as none. Where no variable says it,
    /// the system knows.
    pub fn home(&self) -> Option<PathBuf> {
        self.told_home().or_else(|| self.table.is_none().then(private::home_of_user).flatten())
    }

    /// Only where a variable says it: nobody's settings are changed in a home that was not meant.
    pub fn told_home(&self) -> Option<PathBuf> {
        #[cfg(windows)]
        if self.table.is_none() {
            return std::env::home_dir();
        }
        self.folder(&environment::HOME)
    }

    /// A folder that a variable names.
    fn folder(&self, variable: &Variable) -> Option<PathBuf> {
        self.var(variable).map(PathBuf::from).filter(|dir| dir.is_absolute())
    }

    /// The same for a folder of ours, unless it lies in the project: a clone may bring its settings along, and the records.
    fn own_folder(&self, variable: &Variable) -> Option<PathBuf> {
        let dir = self.folder(variable)?;
        let project = self.folder(&environment::CLAUDE_PROJECT_DIR);
        let inside = project.is_some_and(|project| dir.starts_with(&project) && self.home() != Some(project));
        (!inside).then_some(dir)
    }

    pub fn cwd(&self) -> PathBuf {
        self.cwd.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
    }

    /// Where our own records lie. Without any home there is still the temporary directory, as far as nobody else can have put
    /// anything there.
    pub fn state_dir(&self) -> PathBuf {
        let find = || {
            if let Some(dir) = self.own_folder(&environment::PLIMSOLL_STATE_DIR) {
                return dir;
            }
            if let Some(base) = self.own_folder(&environment::XDG_STATE_HOME) {
                return base.join("plimsoll");
            }
            match self.home() {
                Some(home) => home.join(".local/state/plimsoll"),
                None => private::homeless("plimsoll-state"),
            }
        };
        self.state.get_or_init(|| kept(find())).clone()
    }

    /// Where our records of the project at `root` lie: `<state>/projects/<name>-<hash>`.
    pub fn records_of(&self, root: &Path) -> PathBuf {
        let name: String = root
            .file_name()
            .map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned())
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            .take(40)
            .collect();
        let hash = sha256(root.to_string_lossy().as_bytes());
        self.state_dir().join("projects").join(format!("{name}-{}", hash.short()))
    }

    /// What can be had again: installed tools, results.
    pub fn cache_dir(&self) -> PathBuf {
        let find = || match (self.folder(&environment::XDG_CACHE_HOME), self.home()) {
            (Some(base), _) => base.join("plimsoll"),
            (None, Some(home)) => home.join(".cache/plimsoll"),
            (None, None) => private::homeless("plimsoll-cache"),
        };
        self.cache.get_or_init(|| kept(find())).clone()
    }

    /// Where the machine's administrator keeps what holds for every user. No variable of a release build leads elsewhere: whoever could set
    /// one could choose their policy. A made-up machine has it where its table says.
    pub fn managed_dir(&self) -> Option<PathBuf> {
        let told = || self.folder(&environment::PLIMSOLL_TEST_MANAGED);
        if self.table.is_some() {
            return told();
        }
        cfg!(debug_assertions).then(told).flatten().or_else(|| Some(PathBuf::from(MANAGED)))
    }

    /// Seconds since 1970.
    pub fn now(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
    }

    /// The same to the nanosecond, for what must differ between two moments.
    pub fn nanos(&self) -> u128 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos())
    }

    /// Microseconds since this process began to look.
    pub fn micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The process that started this one: the older systems named their session files by it.
    pub fn parent_pid(&self) -> u32 {
        #[cfg(unix)]
        return std::os::unix::process::parent_id();
        #[cfg(not(unix))]
        return 0;
    }

    /// The process that the files of the old linter hooks are named by.
    pub fn guard_pid(&self) -> u32 {
        self.var(&environment::HOOK_GUARD_PID)
            .and_then(|pid| pid.parse().ok())
            .unwrap_or_else(|| self.parent_pid())
    }

    /// The process that the session files of the old linter hooks are named by.
    pub fn session_pid(&self) -> u32 {
        self.var(&environment::HOOK_SESSION_PID)
            .and_then(|pid| pid.parse().ok())
            .unwrap_or_else(|| self.parent_pid())
    }

    /// Whether this process may do everything.
    pub fn is_root(&self) -> bool {
        #[cfg(unix)]
        return nix::unistd::geteuid().is_root();
        #[cfg(not(unix))]
        return false;
    }

    /// The words after the program's name.
    pub fn arguments(&self) -> Vec<String> {
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The program that is running.
    pub fn executable(&self) -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    /// The first program of this name on PATH. Entries that are not absolute are left out: what they mean depends on the folder that
    /// we are started in, which is somebody's project.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let path = self.var(&environment::PATH)?;
        let absolute = std::env::split_paths(&path).filter(|dir| dir.is_absolute());
        absolute.flat_map(|dir| program_files(&dir, name, cfg!(windows))).find(|file| is_executable(file))
    }

    /// All of them.
    pub fn find_programs(&self, name: &str) -> impl Iterator<Item = PathBuf> + use<> {
        let path = self.var(&environment::PATH).unwrap_or_default();
        let absolute = std::env::split_paths(&path).filter(|dir| dir.is_absolute());
        let all: Vec<PathBuf> = absolute.flat_map(|dir| program_files(&dir, name, cfg!(windows))).collect();
        all.into_iter().filter(|file| is_executable(file))
    }
}

/// The files that a program's name in a folder may mean, in the order in which they are tried. On Windows nothing is started without
/// an ending, and what npm puts there without one is a script for other shells.
pub fn program_files(dir: &Path, name: &str, windows: bool) -> impl Iterator<Item = PathBuf> + use<> {
    const ENDS: &[&str] = &[".exe", ".cmd", ".bat"];
    let ends = |end: &&str| {
        let at = name.len().checked_sub(end.len()).filter(|at| *at > 0);
        at.and_then(|at| name.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    let ends = if windows && !ENDS.iter().any(ends) { ENDS } else { &[""] };
    let file = dir.join(name);
    ends.iter().map(move |end| {
        if end.is_empty() {
            return file.clone();
        }
        let mut whole = file.clone().into_os_string();
        whole.push(end);
        whole.into()
    })
}

fn kept(dir: PathBuf) -> PathBuf {
    private::keep(&dir);
    dir
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_an_ending_on_windows() {
        let dir = Path::new("/bin");
        let names = |name: &str, windows: bool| -> Vec<String> {
            program_files(dir, name, windows).map(|file| file.to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names("ruff", false), ["/bin/ruff"]);
        assert_eq!(names("ruff", true), ["/bin/ruff.exe", "/bin/ruff.cmd", "/bin/ruff.bat"]);
        assert_eq!(names("powershell.exe", true), ["/bin/powershell.exe"]);
        assert_eq!(names("RUFF.EXE", true), ["/bin/RUFF.EXE"]);
        assert_eq!(names("python3.12", true)[0], "/bin/python3.12.exe");
        assert_eq!(names(".exe", true)[0], "/bin/.exe.exe", "an ending alone is a name");
    }

    #[test]
    fn our_records_lie_where_no_clone_brings_them() {
        let (own, other) = ("/home/me/.local/state/plimsoll", "/var/state");
        for (dir, expected) in [
            (other, other),
            (".claude/state", own),
            ("./x", own),
            ("/home/me/p/.claude/state", own),
            ("/home/me/p", own),
            ("/home/me/p2", "/home/me/p2"),
        ] {
            let variables =
                [("HOME", "/home/me"), ("CLAUDE_PROJECT_DIR", "/home/me/p"), ("PLIMSOLL_STATE_DIR", dir)];
            assert_eq!(
                Machine::with(&variables, Path::new("/home/me/p")).state_dir(),
                Path::new(expected),
                "{dir}"
            );
        }
        assert_eq!(Machine::with(&[("HOME", ".")], Path::new("/p")).home(), None);
    }
}
