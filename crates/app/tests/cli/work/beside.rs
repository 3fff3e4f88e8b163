//! What goes on beside the hooks: runs of tests that overtake each other, and notifications.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::world::{World, write};

/// Waits for a file to say this. The bound only turns a hang into a failure with words.
#[track_caller]
fn until(file: &std::path::Path, says: impl Fn(&str) -> bool) -> String {
    let since = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if says(&text) {
            return text;
        }
        assert!(since.elapsed() < Duration::from_mins(5), "{} is «{text}»", file.display());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_newer_change_ends_the_run_before_it_with_everything_it_started() {
    let world = World::strict();
    let log = world.base().join("log");
    // The first run would go on for ever, with a child of its own; later ones end at once.
    let command = format!(
        "n=$(cat '{0}' 2>/dev/null | wc -l); echo start >> '{0}'; [ $n -gt 0 ] && exit 0; sh -c 'echo $$ > \"{0}.pid\"; sleep 600' & wait; echo end >> '{0}'",
        log.display()
    );
    let config = json!({"profile": "strict", "tests": {"command": command}}).to_string();
    let world = world.with_user_config(&config);
    world.has_written("src/a.py", "# What.\n");
    let pid = until(&world.base().join("log.pid"), |text| text.ends_with('\n'));
    assert!(world.has_record(".test-runner.lock"));
    world.has_written("src/a.py", "# What else.\n");
    until(&log, |text| text.lines().count() == 2);
    until(&world.path(".claude/.test-status"), |text| text.starts_with("pass|0|"));
    assert_eq!(
        std::fs::read_to_string(&log).unwrap(),
        "start\nstart\n",
        "the first run did not come to its end"
    );
    let since = Instant::now();
    // Killed, it is gone or waits for somebody to take note of it.
    while std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.contains(") Z "))
    {
        assert!(since.elapsed() < Duration::from_mins(5), "what the first run started is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn many_changes_are_one_run() {
    let world = World::strict();
    let log = world.base().join("log");
    let config =
        json!({"profile": "strict", "tests": {"command": format!("echo run >> '{}'", log.display())}})
            .to_string();
    let world = world.with_user_config(&config);
    for number in 0..5 {
        world.has_written("src/a.py", &format!("# What {number}.\n"));
    }
    until(&world.path(".claude/.test-runner.last-run"), |text| !text.is_empty());
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "run\n");
}

#[test]
fn the_user_is_called_by_their_desktop_and_their_terminal() {
    let world = World::strict();
    let (dir, said) = (world.base().join("desktop"), world.base().join("said"));
    let program = dir.join("notify-send");
    write(
        &program,
        &format!("#!/bin/sh\nprintf '%s|' \"$@\" > '{0}.new'; mv '{0}.new' '{0}'\n", said.display()),
    );
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let world = world.with_variable("PATH", path);
    let message = "May I run \"$(reboot)\"; please?";
    let ran =
        world.event("Notification", &json!({"notification_type": "permission_prompt", "message": message}));
    assert_eq!(
        ran.json(),
        json!({"terminalSequence": "\u{1b}]777;notify;Claude Code: project;May I run \"$(reboot)\", please?\u{7}"})
    );
    let text = until(&said, |text| !text.is_empty());
    assert_eq!(text, format!("--app-name=plimsoll|--urgency|critical|--|Claude Code: project|{message}|"));
    world.event("Notification", &json!({"notification_type": "auth_success", "message": "x"})).is_silent();
}
