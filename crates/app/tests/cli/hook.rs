//! `plimsoll hook`: whatever comes in, an answer the client can use goes out. Stops have a file of their own, `stop.rs`.

mod settings;

use serde_json::json;

use crate::world::{RUFF, Ran, World, files_below, text, write};

/// One byte more than a hook's input may have.
fn too_large(head: &str) -> Vec<u8> {
    let mut bytes = head.as_bytes().to_vec();
    bytes.resize(16 * 1024 * 1024 + 1, b'x');
    bytes
}

// Input that is not a payload.

#[test]
fn input_that_cannot_be_read_is_put_to_the_user() {
    let world = World::new();
    let nested = format!(r#"{{"hook_event_name":"PreToolUse","tool_input":{}"#, "[".repeat(100_000));
    let too_large =
        too_large(r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"content":""#);
    for (what, bytes, why) in [
        ("nothing", &b""[..], "no input on stdin"),
        ("blanks", b" \n\t", "no input on stdin"),
        ("only a byte order mark", b"\xef\xbb\xbf", "no input on stdin"),
        ("half an object", br#"{"hook_event_name":"PreToolUse","tool_na"#, "not JSON"),
        ("words", b"hello", "not JSON"),
        ("a list", br#"[{"hook_event_name":"PreToolUse"}]"#, "not an object"),
        ("a number", b"12", "not an object"),
        ("two objects", br#"{"hook_event_name":"PreToolUse"}{"hook_event_name":"PreToolUse"}"#, "not JSON"),
        ("zero bytes", &[0; 64], "not JSON"),
        ("UTF-16", b"\xff\xfe{\0\"\0a\0\"\0:\x001\0}\0", "not JSON"),
        ("deep nesting", nested.as_bytes(), "not JSON"),
        ("more than 16 MiB", &too_large, "larger than 16 MiB"),
    ] {
        let ran = world.hook(&[], bytes);
        ran.is_an_answer();
        let reason = ran.is_asked();
        assert!(reason.contains(why), "{what}: «{why}» is not in «{reason}»");
        let logged = world.last_logged();
        assert!(logged["failures"][0].as_str().unwrap().contains(why), "{what}: {logged}");
    }
}

#[test]
fn an_input_that_cannot_be_read_at_all_is_put_to_the_user() {
    let world = World::new();
    let mut hook = world.hook_program(&[]);
    hook.stdin(std::fs::File::open("/").unwrap());
    let reason = Ran::of(hook, b"").is_asked();
    assert!(reason.contains("the hook's input could not be read"), "{reason}");
}

#[test]
fn deep_nesting_in_whole_json_is_put_to_the_user() {
    let world = World::new();
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let head =
        r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":".ruff.toml","x":"#;
    world.hook(&[], format!("{head}{deep}}}}}")).is_asked();
}

#[test]
fn invalid_utf8_before_a_tool_call_is_put_to_the_user() {
    let world = World::new();
    let reason = world.hook(&[], damaged("PreToolUse", "a")).is_asked();
    assert!(reason.contains("not valid UTF-8"), "{reason}");
}

#[test]
fn invalid_utf8_does_not_soften_a_refusal() {
    World::new().hook(&[], damaged("PreToolUse", "a/.ruff.toml\",\"x\":\"")).is_denied();
}

#[test]
fn invalid_utf8_after_a_tool_call_is_answered_as_read() {
    World::new().hook(&[], damaged("PostToolUse", "a")).is_silent();
}

/// An edit of a path that ends in a byte that is not UTF-8.
fn damaged(event: &str, path: &str) -> Vec<u8> {
    let head = format!(
        r#"{{"session_id":"s1","hook_event_name":"{event}","tool_name":"Write","tool_input":{{"file_path":"{path}"#
    );
    [head.as_bytes(), b"\xff", br#"","content":"x"}}"#].concat()
}

#[test]
fn a_byte_order_mark_is_read_over() {
    let world = World::new();
    let payload = world.payload(
        "PreToolUse",
        &json!({"tool_name": "Write", "tool_input": {"file_path": RUFF, "content": ""}}),
    );
    world.hook(&[], format!("\u{feff}{payload}")).is_denied();
}

#[test]
fn unreadable_input_of_other_events_is_logged_and_nothing_said() {
    let world = World::new();
    let too_large =
        too_large(r#"{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"content":""#);
    for (bytes, why) in [
        (&too_large[..], "larger than 16 MiB on PostToolUse"),
        (br#"{"hook_event_name": "PostToolUse", "tool_na"#, "on PostToolUse"),
        (br#"{"session_id":"s1","hook_event_name":"Stop""#, "on Stop"),
    ] {
        world.hook(&[], bytes).is_silent();
        let logged = world.last_logged();
        assert!(logged["failures"][0].as_str().unwrap().contains(why), "{logged}");
    }
}

#[test]
fn an_event_name_inside_the_content_does_not_hide_a_tool_call() {
    let broken =
        br#"{"hook_event_name":"PreToolUse","tool_input":{"content":"{\"hook_event_name\":\"Stop\"}","#;
    World::new().hook(&[], broken).is_asked();
}

#[test]
fn an_event_of_a_later_client_is_logged_and_nothing_said() {
    let world = World::new();
    world.event("SomethingNew", &json!({"x": [1, 2]})).is_silent();
    assert_eq!(world.last_logged()["event"], "SomethingNew");
}

// The command line.

#[test]
fn a_wrong_registration_is_put_to_the_user() {
    let world = World::new();
    for (args, why) in [
        (&["--frobnicate"][..], "unknown option --frobnicate"),
        (&["extra"], "unknown option extra"),
        (&["--only", "file/no-such"], "unknown check file/no-such"),
        (&["--only=file/own-state,nonsense"], "unknown check nonsense"),
        (&["--only"], "--only needs a value"),
        (&["--dialect", "klingon"], "unknown dialect klingon"),
        (&["--deadline", "soon"], "--deadline takes seconds"),
    ] {
        let payload =
            world.payload("PreToolUse", &json!({"tool_name": "Edit", "tool_input": {"file_path": "app.py"}}));
        let reason = world.hook(args, payload.to_string()).is_asked();
        assert!(reason.contains(why), "{args:?}: {reason}");
        assert!(world.last_logged()["failures"][0].as_str().unwrap().contains(why), "{args:?}");
    }
}

#[test]
fn only_the_named_checks_run() {
    let world = World::new();
    let edit =
        json!({"tool_name": "Edit", "tool_input": {"file_path": RUFF, "old_string": "8", "new_string": "9"}});
    let payload = world.payload("PreToolUse", &edit).to_string();
    world.hook(&["--only", "file/own-state,file/agent-settings"], &payload).is_silent();
    world.hook(&["--only=file/own-state, file/linter-config"], &payload).is_denied();
}

#[test]
fn a_guard_without_time_to_look_is_put_to_the_user() {
    let world = World::new();
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": "app.py", "old_string": "1", "new_string": "2"}});
    let reason = world.hook(&["--deadline", "0"], world.payload("PreToolUse", &edit).to_string()).is_asked();
    assert!(reason.contains("file/linter-config ran out of time before it could look"), "{reason}");
    let stop = world.payload("Stop", &json!({"stop_hook_active": false}));
    world.hook(&["--deadline", "0"], stop.to_string()).is_blocked();
    // What only advises is silent, and the log knows.
    world.hook(&["--deadline", "0"], world.payload("PostToolUse", &edit).to_string()).is_silent();
    let logged = world.last_logged();
    assert!(logged["failures"].to_string().contains("edit/journal ran out of time"), "{logged}");
}

#[test]
fn the_legacy_dialect_always_has_a_word() {
    let world = World::new();
    let payload =
        |file: &str| world.payload("PreToolUse", &json!({"tool_input": {"file_path": file}})).to_string();
    world.hook(&["--dialect", "legacy"], payload("app.py")).is_approved();
    let reason = world.hook(&["--dialect", "legacy"], payload(RUFF)).is_blocked();
    assert!(
        reason.starts_with("Protected linter config file (.ruff.toml). Fix the code, not the rules."),
        "{reason}"
    );
}

#[test]
fn the_legacy_dialect_lets_unreadable_input_pass_and_says_so() {
    let ran = World::new().hook(&["--dialect", "legacy"], "nonsense");
    ran.is_approved();
    assert!(ran.stderr.contains("[hook:warning] Plimsoll could not judge this"), "{}", ran.stderr);
}

#[test]
fn help_is_for_people() {
    World::new().run(&["hook", "--help"]).succeeds().says(&["--only", "--dialect", "--deadline"]);
}

// Edits.

#[test]
fn an_ordinary_edit_gives_not_a_byte() {
    let world = World::new();
    for file in ["app.py", "new/file.rs", "README.md", ".claude/commands/deploy.md", "docs/ruff.toml.md"] {
        world.wants_to_edit(&world.name(file)).is_silent();
        world.has_edited(&world.name(file)).is_silent();
    }
}

#[test]
fn the_refusal_says_what_to_do_instead() {
    let world = World::new();
    let ran = world.wants_to_edit(&world.name(RUFF));
    let answer = ran.json();
    assert_eq!(answer.as_object().unwrap().len(), 1, "{answer}");
    assert_eq!(answer["hookSpecificOutput"].as_object().unwrap().len(), 3, "{answer}");
    let _plain = world.plain();
    insta::assert_snapshot!(ran.is_denied(), @"Protected linter config file (.ruff.toml). Fix the code, not the rules. Leave it as it is. If the user wants this change, they can allow it for a while with: plimsoll approve --edit [WORLD]/project/.ruff.toml");
}

#[test]
fn a_protected_file_is_known_under_every_spelling() {
    let world = World::new().with("src/a.py", "");
    write(&world.home().join(".claude/settings.json"), "{}");
    world.write(".claude/settings.json", "{}");
    world.link("notes.txt", RUFF);
    world.link("deep/notes.txt", "../.claude/settings.json");
    world.link("cfg", ".claude");
    world.link("twice.txt", "notes.txt");
    world.link("not-there-yet.txt", ".claude/hooks/evil.sh");
    world.link("home", world.home());
    world.link("inner", "src");
    let base = text(world.base());
    for file in [
        ".ruff.toml",
        "./.ruff.toml",
        "src/../.ruff.toml",
        "no/such/folder/../../../.ruff.toml",
        ".claude//settings.json",
        ".claude/./settings.json",
        ".claude/commands/../settings.json",
        "~/.claude/settings.json",
        "~//.claude/../.claude/settings.json",
        "notes.txt",
        "twice.txt",
        "deep/notes.txt",
        "cfg/settings.json",
        "cfg/hooks/config.json",
        "not-there-yet.txt",
        "home/.claude/settings.json",
        "inner/../.ruff.toml",
        &format!("{base}/project/.ruff.toml"),
        &format!("{base}//project///.claude/settings.json"),
        &format!("{base}/project/src/../../project/notes.txt"),
        "/proc/self/cwd/notes.txt",
    ] {
        let ran = world.wants_to_edit(file);
        assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{file}: {ran:?}");
    }
    for file in ["inner/a.py", "home/.claude/CLAUDE.md", "cfg/agents/x.md", ".RUFF.TOML.md"] {
        world.wants_to_edit(file).is_silent();
    }
}

#[test]
fn a_relative_path_is_relative_to_where_the_agent_is() {
    let world = World::new().with(".claude/settings.json", "{}").with("src/a.py", "");
    let edit = json!({
        "cwd": world.path("src"),
        "tool_name": "Write",
        "tool_input": {"file_path": "../.claude/settings.json", "content": "{}"},
    });
    world.event("PreToolUse", &edit).is_denied();
}

#[test]
fn every_tool_that_edits_is_judged() {
    let world = World::new();
    let file = world.name(".claude/hooks/n.ipynb");
    for (tool, input) in [
        ("Write", json!({"file_path": file, "content": "x"})),
        ("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"})),
        ("MultiEdit", json!({"file_path": file, "edits": [{"old_string": "a", "new_string": "b"}]})),
        ("NotebookEdit", json!({"notebook_path": file, "cell_id": "c1", "new_source": "x"})),
        ("WriteOfALaterClient", json!({"file_path": file, "content": "x"})),
    ] {
        let ran = world.tool("PreToolUse", tool, &input);
        assert!(ran.stdout.contains("\"deny\""), "{tool}: {ran:?}");
    }
    world.tool("PreToolUse", "Read", &json!({"file_path": file})).is_silent();
}

#[test]
fn only_the_linter_parts_of_a_shared_file_are_protected() {
    let text = "[project]\nname = \"a\"\n\n[tool.ruff]\nline-length = 88\n";
    let world = World::new().with_committed("pyproject.toml", text);
    let edit = |old: &str, new: &str| {
        let input = json!({"file_path": world.name("pyproject.toml"), "old_string": old, "new_string": new});
        world.tool("PreToolUse", "Edit", &input)
    };
    edit("name = \"a\"", "name = \"b\"").is_silent();
    let reason = edit("line-length = 88", "line-length = 300").is_denied();
    assert!(reason.starts_with("Protected linter settings in pyproject.toml ([tool.ruff])."), "{reason}");
}

#[test]
fn our_own_records_are_out_of_reach() {
    let world = World::new();
    for path in [
        world.state().join("trust.json"),
        world.state().join("log.jsonl"),
        world.path(".claude/.test-status"),
    ] {
        world.wants_to_edit(&text(&path)).is_denied();
    }
}

#[test]
fn our_own_records_are_out_of_reach_where_the_state_folder_is_behind_a_link() {
    let world = World::new();
    let real = world.base().join("disk/state");
    std::fs::create_dir_all(&real).unwrap();
    let link = world.base().join("linked-state");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let world = world.with_variable("PLIMSOLL_STATE_DIR", &link);
    world.wants_to_edit(&text(&link.join("trust.json"))).is_denied();
    world.wants_to_edit(&text(&real.join("trust.json"))).is_denied();
}

// The journal.

#[test]
fn edits_are_journaled_by_session() {
    let world = World::new();
    world.has_edited(&world.name("app.py")).is_silent();
    world.has_edited("src/../lib.py").is_silent();
    world
        .event(
            "PostToolUse",
            &json!({
                "session_id": "other",
                "tool_name": "Write",
                "tool_input": {"file_path": "b.py", "content": ""},
                "tool_response": {"type": "create"},
            }),
        )
        .is_silent();
    let first = format!("{}\n{}\n", world.name("app.py"), world.name("lib.py"));
    assert_eq!(world.read(".claude/.session-changes-s1"), first);
    assert_eq!(world.read(".claude/.session-changes-other"), format!("{}\n", world.name("b.py")));
}

#[test]
fn what_is_no_edit_of_code_is_not_journaled() {
    let world = World::new();
    world.has_edited(&world.name(".claude/MEMORIES.md")).is_silent();
    world.tool("PostToolUse", "Read", &json!({"file_path": world.name("app.py")})).is_silent();
    world.tool("PostToolUse", "Bash", &json!({"command": "touch x.py"})).is_silent();
    world
        .event(
            "PostToolUse",
            &json!({"session_id": "", "tool_name": "Edit", "tool_input": {"file_path": "a.py"}}),
        )
        .is_silent();
    assert!(!world.has(".claude"), "{:?}", files_below(&world.path(".claude")));
}

#[test]
fn the_agents_folder_is_left_out_of_the_journal_behind_a_link_too() {
    let world = World::new();
    let link = world.base().join("link-to-project");
    std::os::unix::fs::symlink(world.path(""), &link).unwrap();
    let world = world.moved_to(link);
    world.has_edited(&world.name(".claude/MEMORIES.md")).is_silent();
    assert!(!world.has(".claude/.session-changes-s1"), "{}", world.read(".claude/.session-changes-s1"));
}

#[test]
fn a_session_id_cannot_leave_its_folder() {
    let world = World::new();
    world
        .event(
            "PostToolUse",
            &json!({
                "session_id": "../../../escape",
                "tool_name": "Edit",
                "tool_input": {"file_path": "app.py", "old_string": "a", "new_string": "b"},
            }),
        )
        .is_silent();
    assert!(world.has(".claude/.session-changes-.._.._.._escape"));
    world.session_starts("..");
    let records: Vec<_> =
        files_below(&world.state()).into_iter().filter(|path| path.ends_with("baseline.json")).collect();
    assert_eq!(records.len(), 1);
    assert!(records[0].parent().unwrap().parent().unwrap().ends_with("sessions"), "{records:?}");
}

// Configuration.
