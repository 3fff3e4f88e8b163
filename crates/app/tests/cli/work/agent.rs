//! An agent that really does what it is let do: each call goes through the hooks before and after it, as the client would send it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::world::{Ran, World};

pub(super) const TEST: &str = "\"\"\"Tests of double.\"\"\"\nimport sys\nimport unittest\n\nsys.path.insert(0, '.')\nfrom src.double import double\n\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n\n\nif __name__ == '__main__':\n    unittest.main()\n";
pub(super) const GOOD: &str = "\"\"\"Doubles.\"\"\"\n\n\ndef double(x):\n    return x + x\n";
pub(super) const BAD: &str = "\"\"\"Doubles.\"\"\"\n\n\ndef double(x):\n    return x + 1\n";
pub(super) const PLAN: &str =
    "# Plan\n\n## Original Intent\nTwice a number.\n\n## Phase 1: Double\n**Status:** in-progress\n";
/// The whole suite, as an agent would write it.
pub(super) const SUITE: &str = "python3 -m unittest discover -s tests";

/// One session of an agent.
pub(super) struct Agent<'a> {
    pub(super) world: &'a World,
    pub(super) session: &'static str,
    pub(super) cwd: PathBuf,
    calls: std::cell::Cell<u32>,
}

impl World {
    /// A strict project with a plan, code and a test, where nothing runs the tests by itself.
    pub(super) fn tested_project() -> Self {
        let config =
            r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off"}}"#;
        let world = World::new().with_user_config(config).with_program_on_path();
        world.write("tests/test_double.py", TEST);
        world.write("src/__init__.py", "");
        world.write("src/double.py", GOOD);
        world.write("MASTER_PLAN.md", PLAN);
        world.write(".gitignore", "__pycache__/\n");
        world.commit("a project");
        world
    }

    pub(super) fn agent(&self, session: &'static str) -> Agent<'_> {
        Agent { world: self, session, cwd: self.path(""), calls: std::cell::Cell::new(0) }
    }
}

impl Agent<'_> {
    pub(super) fn event(&self, name: &str, more: &Json) -> Ran {
        let mut all = json!({"session_id": self.session, "cwd": self.cwd});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.world.event(name, &all)
    }

    pub(super) fn starts(&self, source: &str) -> &Self {
        self.event("SessionStart", &json!({"source": source})).is_an_answer();
        self
    }

    pub(super) fn prompts(&self, text: &str) -> Ran {
        self.event("UserPromptSubmit", &json!({"prompt": text}))
    }

    pub(super) fn stops(&self) -> Ran {
        let more = json!({"stop_hook_active": false, "last_assistant_message": "What next?"});
        self.event("Stop", &more)
    }

    pub(super) fn ends(&self) {
        self.event("SessionEnd", &json!({"reason": "other"})).is_an_answer();
    }

    /// The reason, where a hook refuses.
    fn refusal(ran: &Ran) -> Option<String> {
        let json = if ran.stdout.is_empty() { Json::Null } else { ran.json() };
        let answer = &json["hookSpecificOutput"];
        (answer["permissionDecision"] == "deny")
            .then(|| answer["permissionDecisionReason"].as_str().unwrap_or_default().to_owned())
    }

    fn next_call(&self) -> String {
        self.calls.set(self.calls.get() + 1);
        format!("toolu_{}_{}", self.session, self.calls.get())
    }

    /// Runs a command, if it may: whether it passed and what it printed, or why it may not.
    pub(super) fn bash(&self, command: &str) -> Result<(bool, String), String> {
        let id = self.next_call();
        let call = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
        if let Some(reason) = Self::refusal(&self.event("PreToolUse", &call)) {
            return Err(reason);
        }
        let like: Command = self.world.program(&[]);
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(&self.cwd).stdin(Stdio::null());
        shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        shell.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env("HOME", self.world.home()).env("PLIMSOLL_STATE_DIR", self.world.state());
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "t"),
            ("GIT_AUTHOR_EMAIL", "t@example.invalid"),
            ("GIT_COMMITTER_NAME", "t"),
            ("GIT_COMMITTER_EMAIL", "t@example.invalid"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
        ] {
            shell.env(name, value);
        }
        let done = shell.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
        let printed = format!("{stdout}\n{stderr}");
        let mut after = call;
        let name = if done.status.success() {
            after["tool_response"] = json!({"stdout": stdout, "stderr": stderr, "interrupted": false});
            "PostToolUse"
        } else {
            after["error"] = format!("Exit code {}\n{printed}", done.status.code().unwrap_or(-1)).into();
            "PostToolUseFailure"
        };
        self.event(name, &after).is_an_answer();
        Ok((done.status.success(), printed))
    }

    #[track_caller]
    pub(super) fn runs(&self, command: &str) -> (bool, String) {
        self.bash(command).unwrap_or_else(|reason| panic!("{command}: {reason}"))
    }

    #[track_caller]
    pub(super) fn may_not_run(&self, command: &str) -> String {
        match self.bash(command) {
            Err(reason) => reason,
            Ok(ran) => panic!("{command} ran: {ran:?}"),
        }
    }

    /// Writes a file below its folder, if it may.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let file = self.cwd.join(name);
        let id = self.next_call();
        let call = json!({"tool_name": "Write", "tool_input": {"file_path": file, "content": text}, "tool_use_id": id});
        if let Some(reason) = Self::refusal(&self.event("PreToolUse", &call)) {
            return Err(reason);
        }
        crate::world::write(&file, text);
        self.event("PostToolUse", &call).is_an_answer();
        Ok(())
    }

    #[track_caller]
    pub(super) fn writes(&self, name: &str, text: &str) {
        self.write(name, text).unwrap_or_else(|reason| panic!("{name}: {reason}"));
    }
}
