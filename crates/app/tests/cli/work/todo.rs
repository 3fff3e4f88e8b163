//! The user's list of work: told at the start, counted at a stop, claimed from and given back. Whatever program it is.

use std::path::PathBuf;

use serde_json::json;

use super::STRICT;
use crate::world::{World, program};

impl World {
    /// A list that writes down what it is asked.
    fn with_list(self) -> Self {
        let asked = self.asked();
        let script = self.home().join(".claude/scripts/todo.sh");
        let body = format!(
            "echo \"$*\" >> '{}'\ncase \"$1\" in hud) echo '3 open: #7 the login';; count) echo '3|1|0';; esac",
            asked.display()
        );
        program(&script, &body);
        self
    }

    fn asked(&self) -> PathBuf {
        self.base().join("asked")
    }

    /// Waits until the list has heard it: nobody else does.
    fn has_heard(&self, words: &str) {
        let heard = || std::fs::read_to_string(self.asked()).unwrap_or_default();
        while !heard().lines().any(|line| line == words) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

#[test]
fn the_list_is_told_claimed_from_counted_and_given_back() {
    let world = World::new().with_user_config(STRICT).with_list();
    let start = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(start.contains("3 open: #7 the login"), "{start}");
    let said = world.event("UserPromptSubmit", &json!({"prompt": "fix #42, the rest later"})).advises();
    assert!(said.contains("Issue #42 is claimed for this session."), "{said}");
    assert!(said.contains("put it on the list with /backlog"), "{said}");
    world.has_heard("claim 42 --auto");
    world.has_written("src/a.py", "# What it is for.\nx = 1\n");
    let summary =
        world.event("Stop", &json!({"stop_hook_active": false})).json()["systemMessage"].to_string();
    assert!(summary.contains("Todos: 3 pending here, 1 elsewhere."), "{summary}");
    world.event("SessionEnd", &json!({"reason": "other"})).is_silent();
    world.has_heard("unclaim --session=s1");
}

#[test]
fn the_issues_of_a_repository_are_a_list_too() {
    let world = World::new();
    let asked = world.asked();
    let tools = world.base().join("tools/gh");
    program(
        &tools,
        &format!("echo \"$*\" >> '{}'; case \"$2\" in list) echo 'OPEN 7 the login';; esac", asked.display()),
    );
    let world = world.with_user_config(r#"{"profile": "strict", "todo": {"command": "gh"}}"#);
    let start = world.event("SessionStart", &json!({"source": "startup"})).advises();
    assert!(start.contains("OPEN 7 the login"), "{start}");
    world.event("UserPromptSubmit", &json!({"prompt": "work on #42"}));
    world.has_heard("issue edit 42 --add-assignee @me");
    // It is noted after it was heard.
    let claims =
        || world.snapshot().into_iter().any(|(path, text)| path.ends_with("claims") && text == "42\n");
    while !claims() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    world.event("SessionEnd", &json!({"reason": "other"})).is_silent();
    world.has_heard("issue edit 42 --remove-assignee @me");
}

#[test]
fn without_a_list_or_with_one_that_fails_nothing_is_said_of_it() {
    for body in [None, Some("exit 1"), Some("echo oops >&2; exit 3")] {
        let world = World::new().with_user_config(STRICT);
        if let Some(body) = body {
            program(&world.home().join(".claude/scripts/todo.sh"), body);
        }
        let start = world.event("SessionStart", &json!({"source": "startup"})).advises();
        assert!(!start.contains("open:") && !start.contains("oops"), "{start}");
        world.has_written("src/a.py", "# What it is for.\nx = 1\n");
        let summary = world.event("Stop", &json!({"stop_hook_active": false})).stdout;
        assert!(!summary.contains("Todos"), "{summary}");
        world.event("SessionEnd", &json!({"reason": "other"})).is_silent();
    }
}
