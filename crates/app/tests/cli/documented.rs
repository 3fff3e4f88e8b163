//! What the document of the old linter hooks says, and was found open: each of these failed once.

use serde_json::{Value as Json, json};

use crate::world::{RUFF, Ran, World, program};

/// The agent has made a file, as the client tells it.
fn makes(world: &World, session: &str, name: &str, text: &str) -> Ran {
    world.write(name, text);
    world.event(
        "PostToolUse",
        &json!({
            "session_id": session, "tool_name": "Write",
            "tool_input": {"file_path": world.name(name), "content": text},
            "tool_response": {"type": "create", "filePath": world.name(name), "originalFile": null},
        }),
    )
}

#[test]
fn an_open_question_is_asked_again_in_the_next_session() {
    let world = World::new();
    let stop = |session: &str| world.session_stops(session);
    world.session_starts("a");
    world.write(RUFF, "line-length = 300\n");
    assert!(stop("a").is_blocked().contains(RUFF));
    // Nobody has decided.
    world.session_starts("b");
    let asked = stop("b").is_blocked();
    assert!(asked.contains(RUFF) && asked.contains("(modified)"), "{asked}");
    // Put back: that is not a change, in whatever session.
    world.git(&["checkout", "--", RUFF]);
    stop("b").is_let_go();
    world.session_starts("c");
    stop("c").is_let_go();
}

#[test]
fn a_question_that_was_answered_is_not_asked_again() {
    let world = World::new();
    world.session_starts("a");
    world.write(RUFF, "line-length = 300\n");
    world.session_stops("a").is_blocked();
    world.run(&["approve", "--yes", "--session", "a", RUFF]).succeeds();
    world.session_starts("b");
    world.session_stops("b").is_let_go();
    // Another change is another question.
    world.write(RUFF, "line-length = 400\n");
    world.session_stops("b").is_blocked();
    // What the user commits outside of a session is decided.
    world.commit("keep it");
    world.session_starts("c");
    world.session_stops("c").is_let_go();
}

#[test]
fn the_guardian_script_goes_by_git_diff_where_no_session_was_begun() {
    let world = World::new().with(".flake8", "[flake8]\n");
    let stops = || world.run_with(&["compat", "stop_config_guardian"], br#"{"stop_hook_active": false}"#);
    assert_eq!(stops().json()["decision"], "approve", "a file that git does not know");
    world.write(RUFF, "line-length = 300\n");
    let held = stops().json();
    assert_eq!(held["decision"], "block");
    let reason = held["reason"].as_str().unwrap();
    assert!(reason.contains(RUFF) && !reason.contains(".flake8"), "{reason}");
}

#[test]
fn a_component_is_named_also_where_semgrep_has_no_rules() {
    let world = World::without_git().with_config(r#"{"languages": {"typescript": true}}"#);
    program(&world.base().join("tools/semgrep"), "true");
    let world = world.trusting_tools();
    let told = makes(&world, "s1", "App.vue", "<template/>\n");
    let line =
        "No linter available for .vue files. semgrep looks at them where the project has a .semgrep.yml";
    assert!(told.stdout.contains(line), "{told:?}");
    makes(&world, "s1", "Other.vue", "<template/>\n").is_silent();
    world.write(".semgrep.yml", "rules: []\n");
    makes(&world, "s2", "App.vue", "<template/>\n").is_silent();
}

#[test]
fn json_is_formatted_by_biome_where_it_is_there() {
    let settings = r#"{"engine": "external", "formatting": "all", "unconfigured": "all", "languages": {"typescript": true}}"#;
    let world = World::without_git().with_user_config(settings).trusting_tools();
    // Without Biome by what is built in, where anything is.
    let otherwise = |ran: Ran, name: &str| {
        if cfg!(feature = "engines") { ran.formatted(name, "json (built in)") } else { ran.is_silent() }
    };
    otherwise(makes(&world, "s1", "a.json", "{\"a\":1}\n"), "a.json");
    program(
        &world.base().join("tools/biome"),
        "case \"$1\" in format) sed 's/: */: /';; *) echo 9.9.9;; esac",
    );
    makes(&world, "s2", "a.json", "{\"a\":1}\n").formatted("a.json", "biome");
    assert_eq!(world.read("a.json"), "{\"a\": 1}\n");
    // Without TypeScript it is none of Biome's business.
    let world = world.with_user_config(&settings.replace("true}", "false}"));
    otherwise(makes(&world, "s3", "b.json", "{\"b\":1}\n"), "b.json");
    assert_ne!(world.read("b.json"), "{\"b\": 1}\n");
}

/// Biome's own file says which nursery rules run, ours whether they count; the notice says just that, and it is what happens.
#[test]
fn the_word_on_nursery_rules_is_true() {
    let report = r#"{"summary":{"changed":0,"unchanged":1,"errors":1},"diagnostics":[{"category":"lint/nursery/useExplicitType","severity":"error","message":"Missing type.","advices":[],"location":{"path":"a.ts","start":{"line":1,"column":1},"end":{"line":1,"column":4}}}],"command":"lint"}"#;
    for (ours, counts) in [("warn", false), ("error", true)] {
        let settings = format!(
            r#"{{"engine": "external", "languages": {{"typescript": {{"enabled": true, "biome_nursery": "{ours}"}}}}}}"#
        );
        let world = World::without_git()
            .with_user_config(&settings)
            .with("biome.json", r#"{"linter": {"rules": {"nursery": "error"}}}"#)
            .trusting_tools();
        let script = format!(
            "case \"$1\" in lint) echo '{report}'; exit 1;; format|check) cat;; *) echo 9.9.9;; esac"
        );
        program(&world.base().join("tools/biome"), &script);
        let ran = makes(&world, "s1", "a.ts", "let a = 1;\n");
        let all = format!("{}{}", ran.stdout, ran.stderr);
        let notice = "biome.json decides which nursery rules run, and biome_nursery whether they count";
        assert_eq!(all.contains(notice), !counts, "{ours}: {all}");
        assert_eq!(ran.code == Some(2), counts, "{ours}: {all}");
    }
}

#[test]
fn package_managers_are_enforced_without_a_config() {
    let world = World::without_git();
    let runs = |command: &str| {
        let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}}).to_string();
        world.run_with(&["compat", "enforce_package_managers"], payload.as_bytes()).json()["decision"].clone()
    };
    for (command, decision) in [
        ("pip install requests", "block"),
        ("npm install left-pad", "block"),
        ("npm audit", "approve"),
        ("uv add requests", "approve"),
        ("ls", "approve"),
    ] {
        assert_eq!(runs(command), decision, "{command}");
    }
    let world = World::without_git().with_config(r#"{"package_managers": {"python": false}}"#);
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": "pip install x"}}).to_string();
    let ran = world.run_with(&["compat", "enforce_package_managers"], payload.as_bytes());
    assert_eq!(ran.json()["decision"], "approve");
}

#[test]
fn a_file_can_be_tried_by_hand() {
    let world = World::new().with_user_config(r#"{"engine": "external"}"#);
    let found =
        r#"[{"code": "F841", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
    let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
    program(&world.path(".venv/bin/ruff"), &ruff);
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project).with_variable("HOOK_SKIP_SUBPROCESS", "1");
    let ran = world.run(&["compat", "test_hook", "app.py"]).succeeds();
    for part in ["input: {", "F841", "exit code: 2", "status: BLOCKING"] {
        assert!(ran.stdout.contains(part), "«{part}» is not in {}", ran.stdout);
    }
    assert_eq!(world.run(&["compat", "test_hook"]).code, Some(1));
    assert_eq!(world.run(&["compat", "test_hook", "gone.py"]).code, Some(1));
}

#[test]
fn explain_says_what_linters_say() {
    let world = World::new().with_user_config(r#"{"engine": "external"}"#).trusting_tools();
    let found = r#"[{"code": "F821", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "Undefined name"}]"#;
    let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
    program(&world.path(".venv/bin/ruff"), &ruff);
    let before = world.read("app.py");
    let ran = world.run(&["explain", "--edit", "app.py"]).succeeds();
    for part in
        ["linters", "lints:    ruff", "1 found in the file as it is", "1:1 F821 Undefined name (ruff)"]
    {
        assert!(ran.stdout.contains(part), "«{part}» is not in {}", ran.stdout);
    }
    assert_eq!(world.read("app.py"), before, "nothing is written");
    let world = world.with("notes.xyz", "text\n");
    world.run(&["explain", "--edit", "notes.xyz"]).succeeds().says(&["no linter knows this kind of file"]);
}

#[test]
fn an_old_hadolint_is_said_once_at_the_default_pace() {
    let world = World::without_git().with(".hadolint.yaml", "{}\n");
    program(
        &world.base().join("tools/hadolint"),
        "case \"$*\" in *--version*) echo 'Haskell Dockerfile Linter 2.10.0';; *) echo '[]';; esac",
    );
    let line = "[hook:warning] hadolint 2.10.0 < 2.12.0 (some features may not work)";
    let told = makes(&world, "s1", "Dockerfile", "FROM debian:12\n");
    assert!(told.stdout.contains(line), "{told:?}");
    makes(&world, "s1", "Dockerfile.two", "FROM debian:12\n").is_silent();
}

#[test]
fn the_linters_old_address_says_nothing_to_a_client_that_has_nothing_to_hear() {
    let world = World::new().with_user_config(r#"{"engine": "external"}"#);
    program(&world.path(".venv/bin/ruff"), "case \"$*\" in *output-format*) echo '[]';; *) cat;; esac");
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project);
    let runs = |file: &str| {
        let payload = world.payload(
            "PostToolUse",
            &json!({"tool_name": "Write", "tool_input": {"file_path": world.name(file)}}),
        );
        world.run_with(&["compat", "multi_linter"], payload.to_string().as_bytes())
    };
    for file in ["app.py", "gone.py", "notes.xyz"] {
        let ran = runs(file);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{file}");
    }
    let found =
        r#"[{"code": "F841", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
    let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
    program(&world.path(".venv/bin/ruff"), &ruff);
    program(&world.home().join(".local/bin/claude"), "true");
    let ran = runs("app.py");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("[hook] 1 violation(s) remain after delegation"), "{ran:?}");
}

#[test]
fn biome_takes_its_settings_from_the_project_wherever_it_is_called() {
    let world = World::without_git()
        .with_config(r#"{"engine": "external", "languages": {"typescript": true}}"#)
        .trusting_tools();
    program(
        &world.path("node_modules/.bin/biome"),
        "case \"$*\" in *--version*) echo 9.9.9; exit;; esac; pwd >> \"$HOME/where\"; cat",
    );
    let (outside, called_in) = (world.base().join("outside"), world.base().join("called"));
    crate::world::write(&outside.join("a.ts"), "let a = 1;\n");
    crate::world::write(&called_in.join("biome.json"), "{}\n");
    let project = world.name("");
    let world = world.with_variable("CLAUDE_PROJECT_DIR", project);
    let payload = json!({"tool_input": {"file_path": outside.join("a.ts")}}).to_string();
    let mut command = world.program(&["compat", "multi_linter"]);
    command.current_dir(&called_in);
    Ran::of(command, payload.as_bytes());
    let places = std::fs::read_to_string(world.home().join("where")).unwrap();
    assert!(!places.is_empty() && !places.contains("called"), "{places}");
}

#[test]
fn protected_files_that_a_project_adds_count_at_once() {
    let world =
        World::new().with_config(r#"{"protected_files": ["mine.toml"]}"#).with("mine.toml", "a = 8\n");
    world.wants_to_edit(&world.name("mine.toml")).is_denied();
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    // What it leaves out is left out once the user has agreed.
    world.run(&["trust", "--yes"]).succeeds();
    world.wants_to_edit(&world.name("mine.toml")).is_denied();
    world.wants_to_edit(&world.name(".yamllint")).is_asked();
}

#[test]
fn a_tool_that_cannot_be_started_is_asked_once_in_a_session() {
    let world = World::without_git()
        .with_user_config(r#"{"engine": "external"}"#)
        .with("ruff.toml", "")
        .trusting_tools();
    program(&world.path(".venv/bin/ruff"), "echo x >> \"$HOME/runs\"; echo 'no such module' >&2; exit 127");
    let runs = || std::fs::read_to_string(world.home().join("runs")).unwrap_or_default().lines().count();
    let first = makes(&world, "s1", "a.py", "x = 1\n");
    assert!(first.stdout.contains("could not read the output of ruff"), "{first:?}");
    let before = runs();
    makes(&world, "s1", "b.py", "x = 1\n");
    assert_eq!(runs(), before, "it is not asked again");
    // Somebody has installed it.
    program(
        &world.path(".venv/bin/ruff"),
        "case \"$*\" in *output-format*) echo '[]' | tee -a \"$HOME/runs\";; *) cat;; esac",
    );
    makes(&world, "s1", "c.py", "x = 1\n").is_silent();
    assert!(runs() > before);
}

#[test]
fn check_does_not_call_a_project_clean_whose_linter_it_did_not_run() {
    let world = World::new()
        .with("package.json", "{\"devDependencies\": {\"eslint\": \"*\"}}\n")
        .with("eslint.config.js", "export default [];\n")
        .with("a.js", "let a = 1;\n");
    let missing = world.run(&["check", "a.js"]);
    assert_eq!(missing.code, Some(1), "{}", missing.stdout);
    assert!(missing.stdout.contains("eslint was not run"), "{}", missing.stdout);
    assert!(!missing.stdout.contains("nothing found\n"), "{}", missing.stdout);
    program(&world.path("node_modules/.bin/eslint"), "echo '[]'");
    let waits = world.run(&["check", "a.js"]);
    assert_eq!(waits.code, Some(1), "{}", waits.stdout);
    assert!(waits.stdout.contains("eslint was not run"), "{}", waits.stdout);
    let world = world.trusting_tools();
    let ran: Json = world.run(&["check", "--format", "json", "a.js"]).succeeds().json();
    assert_eq!(ran["violations"], json!([]));
}
