//! The linters that a stop runs before it believes `linters_pass`: what they find, and what they could not look at.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::checkpoint::{FILE, starts, valid};
use crate::world::{Ran, World, program};

#[cfg(feature = "engines")]
const UNUSED: &str = "import os\n\n\ndef work() -> None:\n    left = 1\n";

/// A world where only these tools lint.
fn with_tools(tools: &[(&str, &str)]) -> World {
    let world = World::new()
        .with_user_config(r#"{"profile": "autonomous", "engine": "external", "unconfigured": "all"}"#)
        .trusting_tools();
    for (name, script) in tools {
        program(&world.path(&format!(".venv/bin/{name}")), script);
    }
    world.write(".git/info/exclude", ".venv\n");
    starts(&world, "s1", "startup");
    world.write(FILE, &valid().to_string());
    world
}

fn stops_within(world: &World, seconds: &str) -> Ran {
    let payload = world.payload("Stop", &json!({"stop_hook_active": false}));
    world.hook(&["--deadline", seconds], payload.to_string())
}

#[test]
fn linters_that_are_said_to_fail_hold_the_stop_also_where_the_code_is_clean() {
    let world = with_tools(&[]);
    world.write("app.py", "x = 2\n");
    let mut report = valid();
    report["self_report"]["linters_pass"] = false.into();
    world.write(FILE, &report.to_string());
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("  * self_report.linters_pass is false"), "{reason}");
}

#[cfg(feature = "engines")]
#[test]
fn what_the_linters_find_in_the_lines_of_the_session_holds_whatever_the_report_says() {
    let world = World::new()
        .with_user_config(r#"{"profile": "autonomous", "engine": "embedded", "unconfigured": "all"}"#)
        .with_committed("old.py", "import sys\n");
    starts(&world, "s1", "startup");
    world.write("app.py", UNUSED);
    world.write("old.py", "import sys\nx = 1\n");
    world.write(FILE, &valid().to_string());
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("self_report.linters_pass does not hold: "), "{reason}");
    for line in ["      app.py:1:8 F401 ", "      app.py:5:5 F841 "] {
        assert!(reason.contains(line), "«{line}» is not in\n{reason}");
    }
    assert!(!reason.contains("old.py"), "what was there before is not the session's:\n{reason}");
    world.write("app.py", "\"\"\"Nothing.\"\"\"\n\nX = 1\n");
    world.write("old.py", "import sys\n");
    // The report was written for the code as it was before.
    world.write(FILE, &valid().to_string());
    world.session_stops("s1").is_let_go();
}

#[test]
fn a_linter_that_hangs_is_named_and_leaves_time_for_the_others() {
    let world = with_tools(&[("ruff", "exec sleep 60")]);
    world.write("app.py", "x = 2\n");
    world.write("other.py", "x = 2\n");
    let begin = Instant::now();
    let ran = stops_within(&world, "4");
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    ran.is_let_go();
    let said = ran.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains("[hook:warning] app.py was not linted by ruff: "), "{ran:#?}");
    assert!(said.contains("did not end within"), "{ran:#?}");
    assert!(said.contains("[hook:warning] other.py: not linted, the time was up"), "{ran:#?}");
    // Every other check of the stop has looked.
    assert!(!said.contains("ran out of time"), "{ran:#?}");
    assert_eq!(world.last_logged().get("failed"), None, "{:#}", world.last_logged());
}

#[test]
fn a_linter_that_crashes_is_named_and_what_others_find_still_holds() {
    for script in ["kill -9 $$", "echo oops", "exit 7"] {
        let world = with_tools(&[("ruff", script)]);
        world.write("app.py", "x = 2\n");
        let ran = world.session_stops("s1");
        ran.is_let_go();
        let said = ran.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(said.contains("[hook:warning] app.py was not linted by ruff: "), "{script}: {ran:#?}");
    }
}

#[test]
fn every_file_is_looked_at() {
    // What was found in one of many files is found, wherever it stands.
    let script = r#"case "$*" in
*f60.py*) echo '[{"code": "F841", "filename": "f60.py", "location": {"row": 1, "column": 1}, "message": "late"}]'; exit 1;;
*output-format*) echo '[]';;
*) cat;;
esac"#;
    let world = with_tools(&[("ruff", script)]);
    for n in 10..=60 {
        world.write(&format!("f{n}.py"), "x = 1\n");
    }
    // On a busy machine that may have taken longer than the report is young.
    world.write(FILE, &valid().to_string());
    let reason = world.session_stops("s1").is_blocked();
    assert!(reason.contains("f60.py:1:1 F841 late (ruff)"), "{reason}");
}
