//! Where cases are run: a copy of the program, a home, and projects as people have them.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::Case;

#[derive(Debug)]
pub(super) struct Stage {
    work: TempDir,
    program: PathBuf,
    payloads: Cell<usize>,
}

impl Stage {
    pub(super) fn new(built: &Path) -> anyhow::Result<Self> {
        Self::within(tempfile::tempdir()?, built)
    }

    pub(super) fn within(work: TempDir, built: &Path) -> anyhow::Result<Self> {
        // A file that the linker has just written costs a third more to start than a copy of it.
        let program = work.path().join("plimsoll");
        std::fs::copy(built, &program).with_context(|| format!("{} cannot be copied", built.display()))?;
        std::fs::create_dir_all(work.path().join("home"))?;
        Ok(Self { work, program, payloads: Cell::new(0) })
    }

    pub(super) fn home(&self) -> PathBuf {
        self.work.path().join("home")
    }

    /// A place for a file of the measurement's own.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    /// A repository with these files and one commit. `config` is Plimsoll's own file.
    pub(super) fn project(
        &self,
        name: &str,
        config: &Json,
        files: &[(&str, &str)],
    ) -> anyhow::Result<PathBuf> {
        let project = self.work.path().join(name);
        let config = config.to_string();
        for (file, text) in files.iter().copied().chain([(".claude/hooks/config.json", config.as_str())]) {
            let path = project.join(file);
            std::fs::create_dir_all(path.parent().unwrap_or(&project))?;
            std::fs::write(path, text)?;
        }
        self.git(&project, &["init", "-q", "-b", "main"])?;
        self.git(&project, &["add", "-A"])?;
        self.git(&project, &["commit", "-qm", "start"])?;
        Ok(project)
    }

    /// As its user would.
    pub(super) fn trust_tools(&self, project: &Path) -> anyhow::Result<()> {
        let mut trust = Command::new(&self.program);
        trust.args(["trust", "--tools", "--yes"]).current_dir(project).env("HOME", self.home());
        if !trust.output()?.status.success() {
            bail!("the project's tools could not be trusted");
        }
        Ok(())
    }

    pub(super) fn git(&self, project: &Path, words: &[&str]) -> anyhow::Result<()> {
        let who = ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid"];
        let done = Command::new("git").args(who).args(words).current_dir(project).output()?;
        if !done.status.success() {
            bail!("git {} failed", words[0]);
        }
        Ok(())
    }

    /// An ordinary small project in the profile `standard`.
    pub(super) fn small(&self) -> anyhow::Result<PathBuf> {
        let project = self.work.path().join("small");
        if project.is_dir() {
            return Ok(project);
        }
        let config = json!({"languages": {"python": true}, "profile": "standard"});
        self.project("small", &config, &[("src/app.py", "x = 1\n")])
    }

    /// The same with this many rules, of every kind that there is.
    pub(super) fn with_rules(&self, name: &str, count: usize) -> anyhow::Result<PathBuf> {
        use std::fmt::Write as _;
        let project = self.work.path().join(name);
        if project.is_dir() {
            return Ok(project);
        }
        let mut rules = String::new();
        for nth in 0..count {
            let key = match nth % 10 {
                0 => format!("write = \"generated/part{nth}/**\""),
                1 => format!("read = \"secrets/part{nth}/**\""),
                2 => format!("delete = [\"data/part{nth}\", \"*.part{nth}\"]"),
                3 => format!("fetch = \"*.host{nth}.example\""),
                4 => format!("mcp = {{ server = \"server{nth}\" }}"),
                5 => format!("write = \"src/**\"\nadds = \"import part{nth}\""),
                6 => format!("call = {{ program = \"git\", words = [\"verb{nth}\"] }}"),
                _ => format!(
                    "call = {{ program = \"tool{nth}\", words = [\"apply\"], not_options = [\"--dry-run\"] }}"
                ),
            };
            let _ = writeln!(
                rules,
                "[[rule]]\nid = \"acme/rule{nth}\"\n{key}\nthen = \"deny\"\nsay = \"Not here.\"\ncases = {{ deny = [\"x\"], none = [\"y\"] }}\n"
            );
        }
        let config = json!({"languages": {"python": true}, "profile": "standard"});
        let mut files = vec![("src/app.py", "x = 1\n")];
        if count > 0 {
            files.push((".claude/hooks/rules.toml", rules.as_str()));
        }
        self.project(name, &config, &files)
    }

    /// One call of our hook. `body` holds what the event says besides the fields that all have.
    pub(super) fn hook(
        &self,
        subject: &'static str,
        name: &str,
        project: &Path,
        event: &str,
        body: &Json,
    ) -> anyhow::Result<Case> {
        let mut payload = json!({
            "session_id": "latency", "transcript_path": project.join("t.jsonl"), "cwd": project,
            "permission_mode": "default", "hook_event_name": event, "tool_use_id": "toolu_01",
        });
        if let (Some(into), Some(from)) = (payload.as_object_mut(), body.as_object()) {
            into.extend(from.clone());
        }
        self.call(subject, name, project, &payload.to_string(), &["hook", "--deadline", "30"])
    }

    /// One call of our hook before a command, as Claude Code was recorded to make it.
    pub(super) fn hook_recorded(
        &self,
        subject: &'static str,
        name: &str,
        project: &Path,
        command: &str,
    ) -> anyhow::Result<Case> {
        let recorded = include_str!("../../../agents/cases/claude_code/recorded/PreToolUse-Bash.json");
        let mut payload: Json = serde_json::from_str(recorded)?;
        payload["cwd"] = project.to_string_lossy().into();
        payload["tool_input"]["command"] = command.into();
        self.call(subject, name, project, &payload.to_string(), &["hook", "--deadline", "30"])
    }

    /// The same as another agent makes it.
    pub(super) fn hook_of(
        &self,
        subject: &'static str,
        name: &str,
        project: &Path,
        dialect: &agents::Dialect,
        command: &str,
    ) -> anyhow::Result<Case> {
        let payload = dialect.in_sample(command, &project.to_string_lossy());
        let payload = serde_json::from_str::<Json>(&payload)?.to_string();
        let args = ["hook", "--agent", dialect.id, "--event", dialect.before(), "--deadline", "30"];
        self.call(subject, name, project, &payload, &args)
    }

    fn call(
        &self,
        subject: &'static str,
        name: &str,
        project: &Path,
        payload: &str,
        args: &[&str],
    ) -> anyhow::Result<Case> {
        let number = self.payloads.get();
        self.payloads.set(number + 1);
        let stdin = self.work.path().join(format!("payload-{number}.json"));
        std::fs::write(&stdin, payload)?;
        Ok(Case {
            stdin,
            project: project.to_owned(),
            ..self.program(subject, name, &self.program.to_string_lossy(), args)
        })
    }

    /// Another program, for comparison.
    pub(super) fn program(&self, subject: &'static str, name: &str, program: &str, args: &[&str]) -> Case {
        Case {
            subject,
            name: name.into(),
            program: program.into(),
            args: args.iter().map(|&word| word.to_owned()).collect(),
            stdin: "/dev/null".into(),
            project: self.work.path().to_owned(),
            variables: Vec::new(),
            limit: None,
            dear: false,
            beside: None,
        }
    }
}

/// What the client sends for a command.
pub(super) fn shell(command: &str) -> Json {
    json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "d"}})
}

/// What it sends for an edit of a file in the project.
pub(super) fn edit(project: &Path, file: &str) -> Json {
    let input = json!({"file_path": project.join(file), "old_string": "x = 1", "new_string": "x = 2", "replace_all": false});
    json!({"tool_name": "Edit", "tool_input": input})
}

/// And for a stop.
pub(super) fn stop() -> Json {
    json!({"stop_hook_active": false, "last_assistant_message": "Done."})
}
