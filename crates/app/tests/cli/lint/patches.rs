//! What a patch brings that no tool of the agent reports.

use serde_json::json;

use super::{ruff, world};

/// Codex takes a patch out of a shell command, applies it, and tells no hook: the stop looks at what it brought.
#[test]
fn a_patch_in_a_command_of_codex_is_linted_at_the_stop() {
    let found = r#"[{"code": "F821", "filename": "app.py", "location": {"row": 1, "column": 5}, "message": "Undefined name `y`"}]"#;
    let command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: app.py\n+x = y\n*** End Patch\nEOF\n";
    for (agent, denied) in [("codex", false), ("codex", true), ("claude-code", false)] {
        let world = world(&[("ruff", &ruff(&format!("echo '{found}'; exit 1")))]);
        let command = if denied { format!("{command}rm -rf ~") } else { command.to_owned() };
        let event = |name: &str, more: serde_json::Value| {
            let payload = world.payload(name, &more).to_string();
            world.hook(&["--agent", agent, "--event", name], payload)
        };
        event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
        world.write("app.py", "x = y\n");
        let stop = event("Stop", json!({}));
        assert_eq!(
            stop.stdout.contains("app.py:1:5 F821"),
            agent == "codex" && !denied,
            "{agent} {denied}: {stop:?}"
        );
        let journal = world.has(".claude/.session-changes-s1");
        assert_eq!(journal, agent == "codex" && !denied, "{agent} {denied}");
    }
}
