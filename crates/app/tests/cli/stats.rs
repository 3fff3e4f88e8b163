//! `plimsoll stats`: the log counted.

use serde_json::{Value as Json, json};

use crate::world::{RUFF, World};

fn counted(world: &World, args: &[&str]) -> Json {
    let ran = world.run(&[&["stats", "--json"], args].concat()).succeeds();
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn an_empty_log_counts_nothing() {
    let world = World::new();
    let counts = counted(&world, &[]);
    assert_eq!((&counts["calls"], &counts["sessions"]), (&json!(0), &json!(0)));
    world.run(&["stats"]).succeeds().says(&["hook calls  0 in 0 sessions"]);
}

#[test]
fn what_hooks_did_is_counted() {
    let world = World::new();
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    world.wants_to_edit(&world.name("app.py")).is_silent();
    for span in ["today", "week", "month", "ever"] {
        let counts = counted(&world, &[span]);
        assert_eq!((&counts["calls"], &counts["sessions"]), (&json!(2), &json!(1)), "{span}");
        assert_eq!(counts["verdicts"], json!({"none": 1, "allow": 0, "ask": 0, "deny": 1}));
        assert_eq!(counts["rules"]["file/linter-config"]["verdicts"]["deny"], 1);
        assert_eq!(counts["events"]["PreToolUse"]["count"], 2);
    }
    let said = world.run(&["stats"]).succeeds();
    for line in said.stdout.lines().skip(1) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    said.says(&["file/linter-config", "1 denied", "the last 30 days"]);
}

#[test]
fn a_refusal_that_the_user_lets_through_is_perhaps_noise() {
    let world = World::new();
    let push = |id: &str| {
        world.event("PreToolUse", &json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": "git push --force origin main"}}))
    };
    push("t1").is_denied();
    let line = r#"{"v":2,"time":"2026-01-01T00:00:00Z","id":"0-0","session":"s1","event":"PreToolUse","tool":"Bash","call":"t2","verdict":"none","rules":[],"micros":1,"subject":"git push --force origin main","project":"PROJECT","allowed":["abc"]}"#;
    let file = world.state().join("log.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text + &line.replace("PROJECT", world.name("").trim_end_matches('/')) + "\n")
        .unwrap();
    assert_eq!(counted(&world, &[])["rules"]["shell/force-push"]["then"]["allowed"], 1);
    world.run(&["stats"]).succeeds().says(&["perhaps noise", "shell/force-push: 1 of 1 refusals"]);
}

#[test]
fn a_fixer_s_tokens_and_money_are_counted() {
    let world = World::new();
    let line = json!({"v": 2, "time": model::time::rfc3339(now()), "id": "0-0", "session": "s1", "event": "PostToolUse", "tool": "Edit", "verdict": "none",
        "rules": [], "micros": 9, "subject": "a.py", "project": world.name("").trim_end_matches('/'),
        "lint": {"files": ["a.py"], "open": 0, "found": [], "rewritten": true},
        "fixer": {"model": "haiku", "micros": 1, "tokens_in": 1200, "tokens_out": 30, "microdollars": 12_000}});
    std::fs::create_dir_all(world.state()).unwrap();
    std::fs::write(world.state().join("log.jsonl"), format!("{line}\n")).unwrap();
    world.run(&["stats"]).succeeds().says(&["fixer       1 run, 1,200 tokens in, 30 out, $0.01"]);
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}
