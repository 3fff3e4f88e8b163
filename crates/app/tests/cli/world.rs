//! A world for one test: a home, a state folder and a project in a temporary folder, and the program run in them. Of the
//! machine it sees nothing but PATH.
//!
//! `World` is what the user and the agent do, `Ran` is what came back (`ran`).

mod ran;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use model::state_files::TestStatus;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::needs::missing;
pub(crate) use ran::Ran;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_plimsoll");

/// The session that hooks speak of where a test does not say another.
pub(crate) const SESSION: &str = "s1";

/// Fourteen protected files have a name; most tests need one.
pub(crate) const RUFF: &str = ".ruff.toml";

/// What `init` registers in the profile `standard`.
pub(crate) const EVENTS: [&str; 9] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStop",
    "Stop",
    "PreCompact",
    "SessionEnd",
];

pub(crate) struct World {
    _dir: TempDir,
    base: PathBuf,
    project: PathBuf,
    /// Where a user's commands are run.
    here: PathBuf,
    variables: BTreeMap<String, OsString>,
}

// What there is at the beginning.
impl World {
    /// A project that is not a repository.
    pub(crate) fn without_git() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let project = base.join("project");
        for name in ["home", "tmp", "bin", "project"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(PROGRAM, base.join("bin/plimsoll")).unwrap();
        // A linter that finds nothing: what these tests are about is not said by linters.
        let tools = base.join("tools");
        program(&tools.join("ruff"), "case \"$*\" in *output-format*) echo '[]';; *) cat;; esac");
        Self { _dir: dir, base, here: project.clone(), project, variables: BTreeMap::new() }
    }

    /// A repository with a first commit: code, and a linter's config.
    pub(crate) fn new() -> Self {
        let world = Self::without_git().with("app.py", "x = 1\n").with(RUFF, "line-length = 88\n");
        world.git(&["init", "-q", "-b", "main"]);
        world.commit("start");
        world
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self
    }

    /// The same, in the last commit.
    /// With a state file that counts.
    pub(crate) fn with_ours(self, name: &str, text: &str) -> Self {
        self.write_ours(name, text);
        self
    }

    pub(crate) fn with_committed(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self.commit(name);
        self
    }

    /// The project's config.
    pub(crate) fn with_config(self, text: &str) -> Self {
        self.with(".claude/hooks/config.json", text)
    }

    /// The user's own config.
    pub(crate) fn with_user_config(self, text: &str) -> Self {
        write(&self.home().join(".claude/hooks/config.json"), text);
        self
    }

    pub(crate) fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// The user has trusted the project's own tools.
    pub(crate) fn trusting_tools(self) -> Self {
        self.run(&["trust", "--tools", "--yes"]).succeeds();
        self
    }

    /// Without the linter that finds nothing.
    pub(crate) fn without_stand_ins(self) -> Self {
        fs::remove_dir_all(self.base.join("tools")).unwrap();
        self
    }

    /// `plimsoll` by its name.
    pub(crate) fn with_program_on_path(self) -> Self {
        let path = self.path_with_program();
        self.with_variable("PATH", path)
    }

    /// Programs that do nothing, by their names.
    pub(crate) fn with_programs_too(self, names: &[&str]) -> Self {
        let bin = self.base.join("more-bin");
        names.iter().for_each(|name| program(&bin.join(name), ""));
        let known = std::env::split_paths(&self.path_without_program()).collect::<Vec<_>>();
        let path = std::env::join_paths([bin].into_iter().chain(known)).unwrap();
        self.with_variable("PATH", path)
    }

    /// The agent was started in a folder of the repository, and the user is there too.
    pub(crate) fn in_subfolder(mut self, name: &str) -> Self {
        self.project = self.project.join(name);
        fs::create_dir_all(&self.project).unwrap();
        self.here.clone_from(&self.project);
        self
    }

    /// The same world with another project.
    pub(crate) fn moved_to(mut self, project: PathBuf) -> Self {
        self.here.clone_from(&project);
        self.project = project;
        self
    }

    /// The user is elsewhere.
    pub(crate) fn standing_in(mut self, dir: PathBuf) -> Self {
        self.here = dir;
        self
    }
}

// Places and files. A relative name is one in the project.
impl World {
    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// Where the administrator's settings lie.
    pub(crate) fn managed(&self) -> PathBuf {
        self.base.join("etc")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.base.join("state")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.project.join(name)
    }

    /// The same as text.
    pub(crate) fn name(&self, name: &str) -> String {
        text(&self.path(name))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.path(name), text);
    }

    #[track_caller]
    /// A state file in `.claude`, as we would have written it: other texts there count for nothing.
    pub(crate) fn write_ours(&self, name: &str, text: &str) {
        self.write_ours_in(&self.project, name, text);
    }

    /// The same in another folder.
    pub(crate) fn write_ours_in(&self, root: &Path, name: &str, text: &str) {
        let (home, state) = (self.home(), self.state());
        let variables = [("HOME", home.to_str().unwrap()), ("PLIMSOLL_STATE_DIR", state.to_str().unwrap())];
        let machine = state::Machine::with(&variables, root);
        let name = name.trim_start_matches(".claude/");
        state::written::write(&machine, &root.join(".claude").join(name), text).unwrap();
        // A result is of a run, which was of some code.
        if let Some(status) = TestStatus::parse(text).filter(|_| name == TestStatus::FILE) {
            let tree = Some(state::evidence::tree_hash(&machine, root).unwrap());
            let run = state::evidence::Run { status, tree, runner: "test".into(), ..Default::default() };
            state::evidence::record(&machine, root, &run, true).unwrap();
        }
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    /// `name` becomes a link to `target`.
    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    /// Every file of this world with its content, except git's own and the links to the program.
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        let all = files_below(&self.base).into_iter();
        let kept = all.filter(|path| {
            !path.starts_with(self.base.join("bin")) && !path.starts_with(self.base.join("tools"))
        });
        let kept = kept.filter(|path| {
            let git = path.components().any(|part| part.as_os_str() == ".git");
            !git || path.ends_with("info/exclude")
        });
        kept.map(|path| (path.clone(), String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()))
            .collect()
    }

    /// The decision log.
    #[track_caller]
    pub(crate) fn log(&self) -> Vec<Json> {
        json_lines(&self.state().join("log.jsonl"))
    }

    /// What the log says last.
    #[track_caller]
    pub(crate) fn last_logged(&self) -> Json {
        self.log().pop().expect("there is nothing in the log")
    }

    /// What was kept of files before they were changed, in no order.
    pub(crate) fn backups(&self) -> Vec<String> {
        let all = files_below(&self.state()).into_iter();
        let backups = all.filter(|path| path.parent().is_some_and(|dir| dir.ends_with("backups")));
        backups.map(|path| fs::read_to_string(path).unwrap()).collect()
    }
}

// What is done there.
impl World {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(&self.here);
        command
            .env("PATH", self.path_without_program())
            .env("HOME", self.home())
            .env("TMPDIR", self.base.join("tmp"));
        command.env("PLIMSOLL_STATE_DIR", self.state()).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("PLIMSOLL_TEST_MANAGED", self.managed());
        command.envs(&self.variables);
        command
    }

    /// The program, not yet started, as a user starts it.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let mut command = self.command(PROGRAM);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// `plimsoll hook`, not yet started, as the client starts it: it says where the project is.
    pub(crate) fn hook_program(&self, args: &[&str]) -> Command {
        let mut command = self.program(&[&["hook"], args].concat());
        if !self.variables.contains_key("CLAUDE_PROJECT_DIR") {
            command.env("CLAUDE_PROJECT_DIR", &self.project);
        }
        command
    }

    /// Runs a shell line in a mount namespace of its own, where that can be had. It finds `$PROGRAM` and `$STATE`, and the project
    /// as a hook does.
    pub(crate) fn in_a_namespace(&self, line: &str, stdin: impl AsRef<[u8]>) -> Option<Ran> {
        let probe = Command::new("unshare").args(["-rm", "true"]).stderr(Stdio::null()).status();
        if !probe.is_ok_and(|status| status.success()) {
            missing("namespaces", "this machine gives its users no mount namespaces");
            return None;
        }
        let mut command = self.command("unshare");
        command.args(["-rm", "sh", "-c", line]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("PROGRAM", PROGRAM).env("STATE", self.state()).env("CLAUDE_PROJECT_DIR", &self.project);
        Some(Ran::of(command, stdin.as_ref()))
    }

    /// A command of a user, with nobody behind stdin.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.program(args), b"")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        Ran::of(self.program(args), stdin)
    }

    pub(crate) fn hook(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        Ran::of(self.hook_program(args), stdin.as_ref())
    }

    /// A payload as the client makes it.
    pub(crate) fn payload(&self, event: &str, more: &Json) -> Json {
        let mut payload = json!({"session_id": SESSION, "cwd": self.project, "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    }

    /// A hook call for any event.
    pub(crate) fn event(&self, event: &str, more: &Json) -> Ran {
        self.hook(&[], self.payload(event, more).to_string())
    }

    pub(crate) fn tool(&self, event: &str, tool: &str, input: &Json) -> Ran {
        self.event(event, &json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_01"}))
    }

    /// The agent is about to edit a file. The name goes out as it is.
    pub(crate) fn wants_to_edit(&self, file: &str) -> Ran {
        self.tool("PreToolUse", "Edit", &json!({"file_path": file, "old_string": "8", "new_string": "9"}))
    }

    /// The agent has edited a file.
    pub(crate) fn has_edited(&self, file: &str) -> Ran {
        self.tool("PostToolUse", "Edit", &json!({"file_path": file, "old_string": "8", "new_string": "9"}))
    }

    #[track_caller]
    pub(crate) fn session_starts(&self, session: &str) {
        self.event("SessionStart", &json!({"session_id": session, "source": "startup"})).is_an_answer();
    }

    pub(crate) fn session_stops(&self, session: &str) -> Ran {
        self.event("Stop", &json!({"session_id": session, "stop_hook_active": false}))
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let who = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"];
        let mut git = self.command("git");
        let done = git.current_dir(&self.project).args(who).args(args).output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    #[track_caller]
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// A shell line, as it was named in an answer; `plimsoll` is on its PATH. There is no terminal to agree on, so the line says it.
    #[track_caller]
    pub(crate) fn sh(&self, line: &str) -> Ran {
        let agreed = ["approve", "allow"].iter().fold(line.to_owned(), |line, verb| {
            line.replace(&format!("plimsoll {verb} "), &format!("plimsoll {verb} --yes "))
        });
        let line = agreed.as_str();
        let mut command = self.command("sh");
        command.env("PATH", self.path_with_program()).args(["-c", line]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Ran::of(command, b"").succeeds_as(line)
    }

    fn path_without_program(&self) -> OsString {
        let dirs = [self.base.join("tools")].into_iter().chain(dirs_without_program());
        std::env::join_paths(dirs).unwrap()
    }

    fn path_with_program(&self) -> OsString {
        let dirs = [self.base.join("bin"), self.base.join("tools")].into_iter().chain(dirs_without_program());
        std::env::join_paths(dirs).unwrap()
    }

    /// Paths, times and durations out of snapshots, as long as the result is held.
    pub(crate) fn plain(&self) -> insta::internals::SettingsBindDropGuard {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(&self.base.to_string_lossy().replace('.', r"\."), "[WORLD]");
        settings.add_filter(&PROGRAM.replace('.', r"\."), "[PROGRAM]");
        settings.add_filter(r"\d{4}-\d\d-\d\dT\d\d:?\d\d:?\d\dZ", "[TIME]");
        settings.add_filter(r"[ \d]\d [A-Z][a-z]{2} \d\d:\d\d:\d\d", "[TIME]");
        settings.add_filter(r" +<?\d+(\.\d)? (µs|ms|s)\b", " [MICROS]");
        settings.add_filter(r"\d+ (s|min|h) more", "[SECONDS] more");
        settings.add_filter(r"\d+ of \d+ checks", "[N] of [N] checks");
        settings.add_filter(r"projects/project-[0-9a-f]{16}", "projects/[RECORDS]");
        settings.bind_to_scope()
    }
}

/// A developer may have the program installed; tests say themselves whether it is on PATH.
fn dirs_without_program() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|dir| !dir.join("plimsoll").exists()).collect()
}

/// Without blanks at the ends of lines, which no editor keeps in a snapshot.
pub(crate) fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A shell script that can be run.
pub(crate) fn program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    write(path, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.symlink_metadata().unwrap().is_dir() {
            true => files.extend(files_below(&path)),
            false if path.is_file() => files.push(path),
            false => {}
        }
    }
    files.sort();
    files
}

/// Every line of a file as JSON; a line that is not whole is a failure.
#[track_caller]
pub(crate) fn json_lines(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "{} ends in the middle of a line", path.display());
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}
