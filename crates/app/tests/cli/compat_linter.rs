//! `compat multi_linter`: the forms of the script's answers, which its own tests read, and where it works otherwise than the hook.

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, program};

const F841: &str = r#"[{"code": "F841", "filename": "app.py", "location": {"row": 2, "column": 5}, "message": "`x` is never used"}]"#;
const D103_F841: &str = r#"[{"code": "D103", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "Missing docstring"},
 {"code": "F841", "filename": "app.py", "location": {"row": 2, "column": 5}, "message": "`x` is never used"}]"#;

/// A project whose ruff says what it is told to, and whose client only writes down what it was asked.
fn world(report: &str) -> World {
    let world = World::new().with_user_config(r#"{"engine": "external"}"#);
    let ruff = format!(
        "case \"$1 $2\" in 'check --preview') {report};; --version*) echo 'ruff 9.9.9';; *) cat;; esac"
    );
    program(&world.path(".venv/bin/ruff"), &ruff);
    program(
        &world.home().join(".local/bin/claude"),
        "printf '%s\\n' \"$@\" > \"$HOME/asked\"; echo 'words of the client' >&2",
    );
    let project = world.name("");
    world.with_variable("CLAUDE_PROJECT_DIR", project)
}

fn finds(list: &str) -> String {
    format!("echo '{list}'; exit 1")
}

fn edited(world: &World, name: &str, more: &Json) -> Ran {
    world.write(name, "def f():\n    x = 1\n");
    let mut payload = json!({"tool_input": {"file_path": world.name(name)}});
    for (key, value) in more.as_object().unwrap() {
        payload[key] = value.clone();
    }
    world.run_with(&["compat", "multi_linter"], payload.to_string().as_bytes())
}

#[test]
fn nothing_to_say_is_a_word_for_programs() {
    let world = world("echo '[]'");
    let file = |name: &str| json!({"tool_input": {"file_path": world.name(name)}}).to_string();
    world.write("app.py", "x = 1\n");
    world.write("notes.xyz", "text\n");
    for payload in [file("app.py"), file("notes.xyz"), file("gone.py"), "{}".to_owned(), "{broken".to_owned()]
    {
        let ran = world.run_with(&["compat", "multi_linter"], payload.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "{\"continue\":true}\n"), "{payload}");
    }
    let world = world.with_config(r#"{"hook_enabled": false}"#);
    let ran = world.run_with(&["compat", "multi_linter"], file_of(&world).as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "{\"continue\":true}\n"));
}

fn file_of(world: &World) -> String {
    json!({"tool_input": {"file_path": world.name("app.py")}}).to_string()
}

#[test]
fn where_no_model_is_asked_all_violations_are_json_at_the_end_of_stderr() {
    let world =
        world(&finds(F841)).with_variable("HOOK_SKIP_SUBPROCESS", "1").with_variable("HOOK_DEBUG_MODEL", "1");
    let ran = edited(&world, "app.py", &json!({}));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let (before, list) = ran.stderr.split_once("[hook] ").unwrap();
    assert_eq!(before, "[hook:model] haiku (count=1, opus_codes=false, sonnet_codes=false)\n");
    let list: Json = serde_json::from_str(list).unwrap();
    assert_eq!(
        list,
        json!([{"line": 2, "column": 5, "code": "F841", "message": "`x` is never used", "linter": "ruff"}])
    );
}

#[test]
fn what_a_model_left_is_told_in_words_and_counted_on_stdout() {
    let world = world(&finds(F841));
    let ran = edited(&world, "app.py", &json!({"tool_name": "Edit"}));
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.json(),
        json!({"continue": true, "systemMessage": "1 violation(s) in app.py: F841. Fix them."})
    );
    assert!(ran.stderr.starts_with("[hook] 1 violation(s) remain after delegation\napp.py:2:5 F841"));
    for part in [
        "[hook:subprocess] model=haiku tools=Edit,Read max_turns=10 timeout=120\n",
        "words of the client\n",
        "[hook:subprocess] file unchanged\n",
    ] {
        assert!(ran.stderr.contains(part), "«{part}» is not in {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("was rewritten"), "nobody has changed it: {}", ran.stderr);
    let last = format!("[hook:feedback-loop] delivered 1 for {}\n", world.name("app.py"));
    assert!(ran.stderr.ends_with(&last), "{}", ran.stderr);
}

#[test]
fn every_phase_is_timed_on_stderr_and_in_the_log() {
    let world = world(&finds(F841));
    let log = world.base().join("logs/timing.log");
    let world = world.with_variable("HOOK_TIMING_LOG_FILE", &log);
    let ran = edited(&world, "app.py", &json!({"tool_name": "Edit"}));
    let aloud: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("[hook:timing] ")).collect();
    let kept = std::fs::read_to_string(&log).unwrap();
    assert_eq!(aloud, kept.lines().collect::<Vec<_>>());
    let phases: Vec<&str> = aloud.iter().map(|line| word(line, "phase")).collect();
    assert_eq!(
        phases,
        [
            "delegate_plan",
            "delegate_start",
            "delegate_end",
            "verify_start",
            "rerun_phase1_start",
            "rerun_phase1_end",
            "rerun_phase2_start",
            "rerun_phase2_end",
            "verify_end",
            "feedback_loop"
        ]
    );
    let of = |phase: &str| *aloud.iter().find(|line| word(line, "phase") == phase).unwrap();
    assert_eq!((word(of("delegate_start"), "count"), word(of("delegate_start"), "model")), ("1", "haiku"));
    assert_eq!((word(of("delegate_end"), "changed"), word(of("delegate_end"), "tool")), ("no", "Edit"));
    assert_eq!(word(of("rerun_phase2_end"), "remaining_count"), "1");
    assert_eq!(word(of("feedback_loop"), "remaining_codes"), "F841");
    assert!(word(of("verify_end"), "duration_s").parse::<f64>().is_ok());
    assert_eq!(word(of("delegate_plan"), "ftype"), "python");
    // A payload that does not name its tool.
    let ran = edited(&world, "app.py", &json!({}));
    assert!(ran.stderr.contains("phase=delegate_plan tool=unknown "), "{}", ran.stderr);
    // A log that cannot be written stops nothing.
    let world = world.with_variable("HOOK_TIMING_LOG_FILE", log.join("below-a-file/timing.log"));
    assert_eq!(edited(&world, "app.py", &json!({})).code, Some(2));
}

/// The value of one field of a timing line.
fn word<'l>(line: &'l str, key: &str) -> &'l str {
    line.split(' ').find_map(|word| word.strip_prefix(key)?.strip_prefix('=')).unwrap_or_default()
}

#[test]
fn what_was_mended_is_asked_of_the_tool_and_not_remembered() {
    let world = world(&format!(
        "echo ran >> \"$HOME/ran\"; if [ $(wc -l < \"$HOME/ran\") -gt 1 ]; then echo '[]'; else {}; fi",
        finds(F841)
    ));
    let ran = edited(&world, "app.py", &json!({}));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "{\"continue\":true}\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("phase=resolved "), "{}", ran.stderr);
}

#[test]
fn docstrings_come_first() {
    let world = world(&finds(D103_F841)).with_variable("HOOK_DEBUG_MODEL", "1");
    let ran = edited(&world, "app.py", &json!({}));
    assert!(ran.stderr.contains("[hook:model] sonnet (count=1, "), "{}", ran.stderr);
    let asked = std::fs::read_to_string(world.home().join("asked")).unwrap();
    assert!(
        asked.contains("docstring fixer") && asked.contains("D103") && !asked.contains("F841"),
        "{asked}"
    );
    // What was left for another round is not forgotten.
    assert!(ran.stdout.contains("2 violation(s) in app.py: D103, F841."), "{}", ran.stdout);
}

#[test]
fn a_finding_in_a_file_that_is_nowhere_is_about_the_one_that_was_asked_about() {
    let report = F841.replace("app.py", "nowhere.py");
    let world = world(&finds(&report)).with_variable("HOOK_SKIP_SUBPROCESS", "1");
    let ran = edited(&world, "app.py", &json!({}));
    assert!(ran.stderr.contains("\"F841\""), "{}", ran.stderr);
    // One that is there is meant.
    world.write("nowhere.py", "x = 1\n");
    let ran = edited(&world, "app.py", &json!({}));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn a_file_outside_is_looked_at_with_the_configuration_of_the_folder_that_the_hook_was_called_in() {
    let world = world("pwd > \"$HOME/where\"; echo '[]'");
    let (outside, called_in) = (world.base().join("outside"), world.base().join("called"));
    crate::world::write(&outside.join("app.py"), "x = 1\n");
    crate::world::write(&called_in.join(".ruff.toml"), "line-length = 100\n");
    let linted_in = |file: &std::path::Path| {
        let payload = json!({"tool_input": {"file_path": file}}).to_string();
        let mut program = world.program(&["compat", "multi_linter"]);
        program.current_dir(&called_in);
        assert_eq!(Ran::of(program, payload.as_bytes()).code, Some(0));
        std::fs::read_to_string(world.home().join("where")).unwrap().trim().to_owned()
    };
    let project = world.path("app.py").parent().unwrap().to_owned();
    assert_eq!(linted_in(&outside.join("app.py")), project.to_string_lossy(), "the project's is nearer");
    world.remove(".ruff.toml");
    assert_eq!(linted_in(&outside.join("app.py")), called_in.to_string_lossy());
    assert_eq!(linted_in(&world.path("app.py")), project.to_string_lossy(), "that is not a file outside");
}
