//! A user's machine with one clone on it, and the program run there. Everything lies below one temporary folder: a home with files
//! that must not change, our own records, the tools of the machine, and a folder in which every program that should not have run
//! leaves a file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::watched::{self, Seen};
use crate::world::{PROGRAM, SESSION, program, write};

/// In what a clone's records say: it must not come out of our mouth.
pub(super) const MARK: &str = "OBEY-THE-CLONE";

/// Tools of the machine that load code of a project, or run it. The user has them, and has not yet trusted the clone.
const LOADERS: &[&str] = &[
    "eslint",
    "prettier",
    "markdownlint-cli2",
    "flake8",
    "vitest",
    "jest",
    "pytest",
    "npm",
    "npx",
    "pnpm",
    "bun",
    "bunx",
    "uv",
    "uvx",
    "cargo",
    "make",
    "just",
    "tox",
    "nox",
    "pre-commit",
    "bandit",
    "pylint",
    "mypy",
    "go",
    "golangci-lint",
    "knip",
    "semgrep",
    "tsc",
    "tsgo",
    "deno",
    "poetry",
    "hatch",
    "stylelint",
    "claude",
];

pub(super) struct Checkout {
    _dir: TempDir,
    base: PathBuf,
    pub(super) project: PathBuf,
    /// Where the agent stands; the project unless said otherwise.
    pub(super) cwd: PathBuf,
    /// Files that the agent edits.
    pub(super) edited: Vec<String>,
    /// In front of PATH.
    pub(super) first_on_path: Vec<OsString>,
}

impl Checkout {
    /// A small repository with one commit and a change, in which nothing is wrong yet.
    pub(super) fn new(profile: &str) -> Self {
        Self::named("project", profile)
    }

    fn named(name: &str, profile: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let project = base.join(name);
        for folder in ["home", "state", "cache", "tmp", "ran", "tools"] {
            fs::create_dir(base.join(folder)).unwrap();
        }
        fs::create_dir(&project).unwrap();
        let mut clone = Self {
            _dir: dir,
            base,
            cwd: project.clone(),
            project,
            edited: vec!["app.py".into()],
            first_on_path: Vec::new(),
        };
        clone.first_on_path.push(clone.base.join("tools").into_os_string());
        clone.furnish_home(profile);
        for tool in LOADERS {
            let script = clone.canary(&format!("machine's {tool}"));
            let looks = "case \"$*\" in --version|-V|version|-version) echo 1.0.0; exit 0;; esac";
            program(&clone.base.join("tools").join(tool), &format!("{looks}\n{script}"));
        }
        for (name, text) in CODE {
            clone.file(name, text);
        }
        clone.git(&["init", "-q", "-b", "main"]);
        clone.git(&["add", "-A"]);
        clone.git(&["commit", "-qm", "start"]);
        clone.file("app.py", "x = 10\n");
        clone.file("new.md", "# New\n");
        clone
    }

    fn furnish_home(&self, profile: &str) {
        let home = self.home();
        for (name, text) in [
            (".bashrc", "alias ll='ls -l'\n"),
            (".profile", "umask 022\n"),
            (".gitconfig", "[user]\n\tname = someone\n\temail = someone@example.invalid\n"),
            (".ssh/config", "Host *\n"),
            (".claude/settings.json", "{}\n"),
            (".claude/CLAUDE.md", "# Mine\n"),
            (".claude/projects/x/t.jsonl", "{}\n"),
            ("etc/passwd", "someone:x:1000:1000::/:/bin/sh\n"),
            ("etc/session-owner.json", "{}\n"),
            ("etc/settings.json", "{}\n"),
            ("notes/todo.txt", "nothing\n"),
        ] {
            write(&home.join(name), text);
        }
        write(&home.join(".claude/hooks/config.json"), &json!({"profile": profile}).to_string());
    }

    pub(super) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// The same project under another name.
    pub(super) fn rename(&mut self, name: &str) {
        let new = self.base.join(name);
        fs::rename(&self.project, &new).unwrap();
        self.project.clone_from(&new);
        self.cwd = new;
    }
}

/// Code of every kind that we look at, so that there is something to lint and to test.
const CODE: &[(&str, &str)] = &[
    ("app.py", "x = 1\n"),
    ("tests/test_app.py", "def test_x():\n    assert True\n"),
    ("app.ts", "export const x = 1;\n"),
    ("app.js", "export const x = 1;\n"),
    ("run.sh", "#!/bin/sh\necho 1\n"),
    ("README.md", "# A project\n"),
    ("data.yaml", "a: 1\n"),
    ("data.json", "{\"a\": 1}\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("main.go", "package main\n"),
    ("Dockerfile", "FROM scratch\n"),
    ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n"),
    ("package.json", "{\"name\": \"x\", \"scripts\": {\"test\": \"true\"}}\n"),
    (
        "MASTER_PLAN.md",
        "# Plan\n## Phase 1: One\n**Status:** completed\n## Phase 2: Two\n**Status:** in-progress\n",
    ),
];

// What lies in the clone. A relative name is one in the project.
impl Checkout {
    /// Puts away what is there, so that a builder need not know.
    pub(super) fn clear(&self, name: &str) -> PathBuf {
        let path = self.project.join(name);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&path).unwrap(),
            Ok(_) => fs::remove_file(&path).unwrap(),
            Err(_) => {}
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    pub(super) fn file(&self, name: &str, text: &str) {
        fs::write(self.clear(name), text).unwrap();
    }

    /// A device that a test may lose: where root runs the tests, and the guard fails, the machine's own would be replaced.
    pub(super) fn device(&self, name: &str) -> PathBuf {
        let copy = self.base.join("devices").join(Path::new(name).file_name().unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        let copied = Command::new("cp").args(["-a", name]).arg(&copy).stderr(Stdio::null()).status().unwrap();
        if copied.success() { copy } else { name.into() }
    }

    pub(super) fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.clear(name)).unwrap();
    }

    pub(super) fn fifo(&self, name: &str) {
        let path = self.clear(name);
        let done = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(done.success(), "{}", path.display());
    }

    /// A script's line that leaves a file with this name.
    pub(super) fn canary(&self, name: &str) -> String {
        let file = self.base.join("ran").join(name.replace('/', "∕"));
        format!("echo \"$0 $*\" >>'{}'; cat >/dev/null 2>&1 </dev/null; exit 0", file.display())
    }

    /// A program in the project that must not run.
    pub(super) fn shim(&self, name: &str) -> PathBuf {
        let path = self.clear(name);
        program(&path, &self.canary(name));
        path
    }

    /// With nobody's settings but the repository's own, of which the executing ones come later.
    pub(super) fn git(&self, words: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=test", "-c", "user.email=test@example.invalid"]).args(words);
        git.current_dir(&self.project).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let done = git.output().unwrap();
        assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }
}

// What is done there.
impl Checkout {
    pub(super) fn hook(&self, event: &str, more: &Json, deadline: u64, limit: Duration) -> Seen {
        let mut payload = json!({
            "session_id": SESSION, "transcript_path": self.home().join(".claude/projects/x/t.jsonl"), "cwd": self.cwd,
            "permission_mode": "default", "hook_event_name": event, "tool_use_id": "toolu_01",
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut command = self.program(&["hook", "--deadline", &deadline.to_string()]);
        command.env("CLAUDE_PROJECT_DIR", &self.project);
        watched::run(command, payload.to_string().as_bytes(), limit, &self.sign())
    }

    pub(super) fn command(&self, words: &[&str], limit: Duration) -> Seen {
        watched::run(self.program(words), b"", limit, &self.sign())
    }

    fn program(&self, words: &[&str]) -> Command {
        // What reads without end must not take the machine with it.
        let mut command = Command::new("prlimit");
        command.args(["--as=4000000000", "--"]).arg(PROGRAM).args(words);
        // Of the machine only what every machine has: a tool of the developer's own may write into the home.
        let first = self.first_on_path.iter().map(PathBuf::from);
        let dirs = first.chain(["/usr/bin", "/bin"].map(PathBuf::from));
        command.env_clear().current_dir(&self.cwd).env("PATH", std::env::join_paths(dirs).unwrap());
        command
            .env("HOME", self.home())
            .env("TMPDIR", self.base.join("tmp"))
            .env("XDG_CACHE_HOME", self.base.join("cache"));
        command.env("PLIMSOLL_STATE_DIR", self.base.join("state"));
        command
    }

    /// What every process that comes from here has in its environment.
    fn sign(&self) -> String {
        format!("PLIMSOLL_STATE_DIR={}", self.base.join("state").display())
    }

    /// Processes that are still there after a while; they are ended.
    pub(super) fn left_behind(&self) -> Vec<String> {
        for _ in 0..100 {
            if watched::descendants(&self.sign()).is_empty() {
                return Vec::new();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let left = watched::descendants(&self.sign());
        for (pid, _) in &left {
            let _ =
                nix::sys::signal::kill(nix::unistd::Pid::from_raw(*pid), nix::sys::signal::Signal::SIGKILL);
        }
        left.into_iter().map(|(_, words)| words).collect()
    }

    /// Names of the programs that have run though they should not, with how they were called.
    pub(super) fn ran(&self) -> Vec<String> {
        let mut all: Vec<String> = fs::read_dir(self.base.join("ran"))
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let how = fs::read_to_string(&path).unwrap_or_default();
                let name = path.file_name().unwrap().to_string_lossy().replace('∕', "/");
                format!(
                    "{name} ({} times, first {})",
                    how.lines().count(),
                    how.lines().next().unwrap_or_default()
                )
            })
            .collect();
        // Commands in names can only leave a file where they stand.
        for dir in [&self.project, &self.cwd, &self.base, &self.home(), &self.base.join("tmp")] {
            if dir.join("canary").exists() {
                all.push(format!("a command in a name: {}", dir.join("canary").display()));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    pub(super) fn outside(&self) -> Outside {
        let mut outside = Outside::default();
        outside.look(&self.home());
        outside.look(&self.base.join("tools"));
        outside
    }
}

/// What lies outside the clone: kind, mode, owner, time and content of every file.
#[derive(Debug, Default)]
pub(super) struct Outside(BTreeMap<PathBuf, String>);

impl Outside {
    fn look(&mut self, dir: &Path) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let content = match (meta.is_symlink(), meta.is_file()) {
                (true, _) => fs::read_link(&path).unwrap().to_string_lossy().into_owned(),
                (_, true) => format!("{:x?}", Sha256::digest(fs::read(&path).unwrap()).as_slice()),
                _ => String::new(),
            };
            // A folder's time says only that something in it came or went, which is seen by itself.
            let time = if meta.is_dir() { 0 } else { meta.mtime() };
            let number = if meta.is_dir() { 0 } else { meta.ino() };
            let facts = format!("{:o} {} {number} {time} {content}", meta.mode(), meta.uid());
            if meta.is_dir() {
                self.look(&path);
            }
            self.0.insert(path, facts);
        }
    }

    pub(super) fn changes(&self, after: &Self) -> Vec<String> {
        let gone = self.0.keys().filter(|path| !after.0.contains_key(*path));
        let mut all: Vec<String> = gone.map(|path| format!("{} is gone", path.display())).collect();
        for (path, facts) in &after.0 {
            match self.0.get(path) {
                None => all.push(format!("{} is new", path.display())),
                Some(before) if before != facts => all.push(format!("{} is another", path.display())),
                Some(_) => {}
            }
        }
        all
    }
}
