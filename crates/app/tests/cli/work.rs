//! Work in progress, from outside: gates, evidence, the life of a session, on real repositories.

mod agent;
mod bash_only;
mod beside;
mod evidence;
mod forging;
mod gates;
mod languages;
mod life;
mod places;
mod rows;
mod runners;
mod sessions;
mod shapes;
mod smoke;
mod todo;
mod together;
mod update;

use serde_json::{Value as Json, json};

use crate::world::{Ran, World};

/// Every gate is on.
const STRICT: &str = r#"{"profile": "strict"}"#;

impl World {
    /// A strict project on a branch of its own.
    fn strict() -> Self {
        let world = World::new().with_user_config(STRICT).trusting_tools();
        world.git(&["checkout", "-qb", "feature"]);
        world
    }

    /// The agent is about to write a whole file.
    fn wants_to_write(&self, file: &str, content: &str) -> Ran {
        self.tool("PreToolUse", "Write", &json!({"file_path": self.name(file), "content": content}))
    }

    /// The agent has written it.
    fn has_written(&self, file: &str, content: &str) -> Ran {
        self.write(file, content);
        self.tool("PostToolUse", "Write", &json!({"file_path": self.name(file), "content": content}))
    }

    fn wants_to_run(&self, command: &str) -> Ran {
        self.tool("PreToolUse", "Bash", &json!({"command": command}))
    }

    fn has_record(&self, name: &str) -> bool {
        self.has(&format!(".claude/{name}"))
    }

    #[track_caller]
    fn record(&self, name: &str) -> String {
        self.read(&format!(".claude/{name}"))
    }

    /// The first fields of a record: all but its time.
    #[track_caller]
    fn record_without_time(&self, name: &str) -> String {
        self.record(name).trim().rsplit_once('|').unwrap().0.to_owned()
    }

    fn sets_record(&self, name: &str, text: &str) {
        self.write_ours(name, text);
    }

    fn practice_script(&self, name: &str, payload: &Json) -> Ran {
        let mut command = self.program(&["compat", name]);
        command.env("CLAUDE_PROJECT_DIR", self.path(""));
        Ran::of(command, payload.to_string().as_bytes())
    }
}

impl Ran {
    /// Context for the model, without any decision.
    #[track_caller]
    fn advises(&self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        let json = self.json();
        let answer = &json["hookSpecificOutput"];
        assert_eq!(answer.get("permissionDecision"), None, "{self:#?}");
        answer["additionalContext"].as_str().expect("there is context").to_owned()
    }
}

impl Ran {
    /// What the user is shown.
    #[track_caller]
    fn notifies(&self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.json()["systemMessage"].as_str().expect("there is a notice").to_owned()
    }
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// A Python file with a header and a decision, of so many lines.
fn python(lines: usize) -> String {
    let head = "\"\"\"What it is for.\n\n@decision DEC-APP-001\n@rationale Because.\n\"\"\"\n";
    let body: String = (0..lines.saturating_sub(5)).map(|number| format!("x{number} = {number}\n")).collect();
    format!("{head}{body}")
}
