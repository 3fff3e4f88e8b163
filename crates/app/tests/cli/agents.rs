//! Agents besides Claude Code: registering and taking out, the trial of `doctor`, the program without a word, our own text that comes
//! back, and bridges whose hook fails. What each payload becomes is tested in `agents`; the real clients in `live_agents`.

mod bridges;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::world::{PROGRAM, World, write};

/// Each agent with its user's file, and something that was there before.
const FILES: &[(&str, &str, &str)] = &[
    (
        "codex",
        ".codex/hooks.json",
        "{\"hooks\": {\"PreToolUse\":   [{\"hooks\": [{\"type\": \"command\", \"command\": \"say hi\"}]}]}}",
    ),
    ("gemini", ".gemini/settings.json", "{\n  // mine\n  \"theme\": \"x\",   \"hooks\": {}\n}\n"),
    (
        "qwen",
        ".qwen/settings.json",
        "{\n\t\"a\": [1,2],\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n}",
    ),
    ("copilot", ".copilot/hooks/plimsoll.json", ""),
    (
        "kimi",
        ".kimi-code/config.toml",
        "# mine\ndefault_model = \"x\"\n[[hooks]]\nevent = \"Stop\"\ncommand = \"say done\"\n\n[models.x]\nname = \"y\"",
    ),
    (
        "droid",
        ".factory/hooks.json",
        "{ // mine\n  \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n",
    ),
    ("cline", ".cline/plugins/plimsoll.js", ""),
    ("opencode", ".config/opencode/plugins/plimsoll.js", ""),
    ("kilo", ".config/kilo/plugins/plimsoll.js", ""),
    ("pi", ".pi/agent/extensions/plimsoll.ts", ""),
    ("hermes", ".hermes/plugins/plimsoll/__init__.py", ""),
    ("grok", ".grok/hooks/plimsoll.json", ""),
    (
        "cursor",
        ".cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"stop\": [ {\"command\": \"say done\"} ]}}\n",
    ),
];

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn each_is_registered_and_taken_out_byte_for_byte() {
    for (agent, file, before) in FILES {
        let world = World::new();
        let place = world.home().join(file);
        if !before.is_empty() {
            write(&place, before);
        }
        world.run(&["init", "--agent", agent, "--yes"]).succeeds();
        let after = text(&place);
        assert!(after.contains("plimsoll") && after.contains("hook"), "{agent}:\n{after}");
        for foreign in ["say hi", "say done", "mine"].iter().filter(|word| before.contains(**word)) {
            assert!(after.contains(foreign), "{agent}:\n{after}");
        }
        world.run(&["init", "--agent", agent, "--yes"]).succeeds();
        assert_eq!(text(&place), after, "{agent}: once more changes nothing");
        world.run(&["uninstall", "--agent", agent, "--yes"]).succeeds();
        if before.is_empty() {
            assert!(!place.exists(), "{agent}: what was not there is gone");
        } else {
            assert_eq!(text(&place), *before, "{agent}");
        }
    }
}

/// What others may have put beside our files, and files that agents read besides them.
const NEIGHBOURS: &[(&str, &str)] = &[
    (
        ".claude/settings.json",
        "{\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n}\n",
    ),
    (".copilot/hooks/mine.json", "{\"version\": 1, \"hooks\": {}}"),
    (".cline/plugins/mine.js", "// mine\nexport default {}\n"),
    (".config/opencode/plugins/mine.js", "// mine\n"),
    (".config/kilo/plugins/mine.js", "// mine\n"),
    (".pi/agent/extensions/mine.ts", "// mine\n"),
    (".hermes/config.yaml", "model: x  # mine\nplugins:\n  enabled:\n    - mine # why\nterminal: {cwd: /}"),
    (".grok/hooks/mine.json", "{\"hooks\": {}}\n"),
];

fn tree(folder: &Path, into: &mut std::collections::BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Our records, and copies of what was changed.
        if [".local", ".cache"].iter().any(|own| path.ends_with(own)) {
            continue;
        }
        if path.is_dir() {
            tree(&path, into);
        } else {
            into.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}

/// All fourteen, each with a config of the user's that has comments and entries of others.
#[test]
fn all_at_once_and_out_again_leaves_the_home_as_it_was() {
    let world = World::new();
    for (file, before) in
        FILES.iter().map(|(_, file, before)| (file, before)).chain(NEIGHBOURS.iter().map(|(a, b)| (a, b)))
    {
        if !before.is_empty() {
            write(&world.home().join(file), before);
        }
    }
    let files = |world: &World| {
        let mut files = std::collections::BTreeMap::new();
        tree(&world.home(), &mut files);
        files
    };
    let before = files(&world);
    let names: Vec<&str> = FILES.iter().map(|(agent, ..)| *agent).collect();
    world.run(&["init", "--scope", "user", "--yes"]).succeeds();
    world.run(&["init", "--agent", &names.join(","), "--yes"]).succeeds();
    let during = files(&world);
    for (agent, file, _) in FILES {
        let now = &during[&world.home().join(file)];
        assert!(String::from_utf8_lossy(now).contains(PROGRAM), "{agent}");
    }
    let enabled = String::from_utf8_lossy(&during[&world.home().join(".hermes/config.yaml")]).into_owned();
    assert!(enabled.contains("- plimsoll"), "{enabled}");
    world.run(&["uninstall", "--yes"]).succeeds();
    let mut after = files(&world);
    // `init` for Claude Code writes a config file of the user's, which stays on purpose.
    after.retain(|path, _| before.contains_key(path) || !path.ends_with(".claude/hooks/config.json"));
    for (path, bytes) in &before {
        assert_eq!(
            after.get(path).map(|now| String::from_utf8_lossy(now).into_owned()),
            Some(String::from_utf8_lossy(bytes).into_owned()),
            "{}",
            path.display()
        );
    }
    let left: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!world.home().join(".hermes/plugins/plimsoll").exists());
}

#[test]
fn several_at_once_and_all_that_are_there() {
    let world = World::new();
    for folder in [".codex", ".gemini"] {
        fs::create_dir_all(world.home().join(folder)).unwrap();
    }
    let said = world.run(&["init", "--agent", "all", "--yes"]).succeeds();
    for name in ["Codex: registered", "Gemini CLI: registered"] {
        assert!(said.stdout.contains(name), "{said:?}");
    }
    assert!(said.stderr.contains("/hooks"), "what is left to do in Codex: {said:?}");
    assert!(!world.home().join(".qwen").exists(), "nobody uses it here");
    world
        .run(&["init", "--agent", "kimi", "--scope", "project"])
        .fails_saying(&["reads no hooks of a project"]);
    world.run(&["init", "--agent", "nobody"]).fails_saying(&["unknown agent nobody"]);
    world.run(&["init", "--agent", "codex,pi", "--scope", "project", "--yes"]).succeeds();
    assert!(world.has(".codex/hooks.json") && world.has(".pi/extensions/plimsoll.ts"));
    world.run(&["uninstall", "--yes"]).succeeds();
    assert!(!world.has(".codex/hooks.json") && !world.has(".pi/extensions/plimsoll.ts"));
    assert!(!world.home().join(".codex/hooks.json").exists());
}

#[test]
fn gemini_counts_in_milliseconds() {
    let world = World::new();
    world.run(&["init", "--agent", "gemini", "--yes"]).succeeds();
    let json: Json = serde_json::from_str(&text(&world.home().join(".gemini/settings.json"))).unwrap();
    let hook = &json["hooks"]["BeforeTool"][0];
    assert_eq!(hook["hooks"][0]["timeout"], 30_000);
    assert_eq!(hook.get("matcher"), None, "matchers differ between agents");
}

#[test]
fn doctor_tries_each_in_its_own_format() {
    for (agent, file, _) in FILES {
        let world = World::new();
        world.run(&["init", "--agent", agent, "--yes"]).succeeds();
        let items = doctor(&world);
        let good =
            items.iter().any(|item| item["state"] == "good" && shown(item).contains("`rm -rf /` is refused"));
        assert!(good, "{agent}: {items:?}");
        // The program is gone.
        let place = world.home().join(file);
        let broken = text(&place).replace(PROGRAM, "/nowhere/plimsoll");
        write(&place, &broken);
        let items = doctor(&world);
        assert!(
            items.iter().any(|item| item["state"] == "bad" && shown(item).contains("cannot be started")),
            "{agent}: {items:?}"
        );
    }
}

#[test]
fn doctor_names_what_is_not_guarded_and_what_is_skipped_in_silence() {
    let world = World::new();
    fs::create_dir_all(world.home().join(".codex")).unwrap();
    let items = doctor(&world);
    assert!(items.iter().any(|item| shown(item).contains("does not guard it")), "{items:?}");
    world.run(&["init", "--agent", "codex", "--yes"]).succeeds();
    let items = doctor(&world);
    assert!(items.iter().any(|item| shown(item).contains("silently skips")), "{items:?}");
    assert!(
        items.iter().any(|item| shown(item).contains("lets a tool call run unguarded when")),
        "{items:?}"
    );
}

/// What switches the hooks off in an agent's own file, and what it does not load.
#[test]
fn doctor_names_the_switch_that_skips_hooks() {
    for (agent, file, key) in [
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}\n"),
        ("qwen", ".qwen/settings.json", "{\"disableAllHooks\": true}\n"),
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"disabled\": [\"/opt/plimsoll hook\"]}}\n"),
        ("droid", ".factory/hooks.json", "{\"hooksDisabled\": true}\n"),
        ("droid", ".factory/settings.json", "{\"hooks\": {\"hooksDisabled\": true}}\n"),
        ("copilot", ".copilot/settings.json", "{\"disableAllHooks\": true}\n"),
        (
            "cline",
            ".cline/data/settings/global-settings.json",
            "{\"disabledPlugins\": [\"/x/plimsoll.js\"]}\n",
        ),
        ("grok", ".grok/disabled-hooks", "global/plimsoll:pre_tool_use:0\n"),
    ] {
        let world = World::new();
        write(&world.home().join(file), key);
        world.run(&["init", "--agent", agent, "--yes"]).succeeds();
        let items = doctor(&world);
        let bad = |item: &Json| item["state"] == "bad" && shown(item).contains("silently skips");
        assert!(items.iter().any(bad), "{agent}: {items:?}");
    }
    let world = World::new();
    world.run(&["init", "--agent", "hermes", "--yes"]).succeeds();
    let fine = doctor(&world);
    assert!(!fine.iter().any(|item| item["state"] == "bad"), "{fine:?}");
    write(&world.home().join(".hermes/config.yaml"), "model: x\n");
    let items = doctor(&world);
    assert!(
        items.iter().any(|item| item["state"] == "bad" && shown(item).contains("loads no guard")),
        "{items:?}"
    );
}

/// A stand-in for Codex that lists hooks as its server does.
#[test]
fn doctor_asks_codex_which_hooks_are_trusted() {
    for (status, state, text) in [
        ("untrusted", "bad", "not trusted, and silently skipped: preToolUse"),
        ("modified", "bad", "not trusted, and silently skipped: preToolUse"),
        ("trusted", "good", "are trusted"),
    ] {
        let world = World::new();
        world.run(&["init", "--agent", "codex", "--yes"]).succeeds();
        let place = world.home().join(".codex/hooks.json");
        let hook = json!({
            "eventName": "preToolUse", "command": format!("{PROGRAM} hook --agent codex"), "enabled": true,
            "sourcePath": place, "trustStatus": status,
        });
        let answer = json!({"id": 2, "result": {"data": [{"hooks": [hook]}]}});
        // It ends with its input, as the real one does.
        let script =
            format!("#!/bin/sh\nread a; read b; read c\necho '{{\"id\":1}}'\necho '{answer}'\ncat\n");
        let folder = world.base().join("tmp/bin");
        crate::world::program(&folder.join("codex"), &script);
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
        let items = doctor(&world.with_variable("PATH", path));
        let said = |item: &Json| item["state"] == state && shown(item).contains(text);
        assert!(items.iter().any(said), "{status}: {items:?}");
    }
}

fn doctor(world: &World) -> Vec<Json> {
    let said = world.run(&["doctor", "--json"]).json();
    let items = said["items"].as_array().cloned().unwrap_or_default();
    items.into_iter().filter(|item| item["subject"] == "other agents").collect()
}

fn shown(item: &Json) -> String {
    item["text"].as_str().unwrap_or_default().to_owned()
}

/// What Grok and Copilot run of an entry for Claude Code: the program alone, with their own payload.
#[test]
fn the_program_without_a_word_answers_a_payload() {
    let world = World::new();
    let grok = json!({
        "hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse", "sessionId": "s", "session_id": "s",
        "cwd": world.name(""), "toolName": "run_terminal_command", "tool_name": "run_terminal_command",
        "tool_input": {"command": "git reset --hard"}, "permission_mode": "bypassPermissions",
    });
    let said = world.run_with(&[], grok.to_string().as_bytes());
    assert_eq!((said.code, said.json()["decision"].as_str()), (Some(0), Some("deny")), "{said:?}");
    let copilot = |command: &str| json!({"sessionId": "s", "timestamp": 1, "cwd": world.name(""), "toolName": "bash", "toolArgs": {"command": command}});
    let said = world.run_with(&[], copilot("git reset --hard").to_string().as_bytes());
    assert_eq!((said.code, said.json()["permissionDecision"].as_str()), (Some(0), Some("deny")), "{said:?}");
    let said = world.run_with(&[], copilot("ls").to_string().as_bytes());
    assert_eq!(said.code, Some(0), "any other code blocks every call in Copilot: {said:?}");
    let broken = world.run_with(&[], b"{\"sessionId\": ");
    assert!(matches!(broken.code, Some(0 | 2)), "{broken:?}");
}

/// Codex cannot ask, so a question is a denial that names the way out, and the user's word lets the call through.
#[test]
fn a_question_that_cannot_be_put_names_the_way_out() {
    let world = World::new();
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "turn_id": "t", "model": "m", "cwd": world.name(""),
        "tool_name": "Bash", "tool_input": {"command": "psql -h localhost -c 'DROP TABLE users'"},
    });
    let hook = |world: &World| world.hook(&["--agent", "codex"], payload.to_string());
    let reason =
        hook(&world).json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
    assert!(reason.contains("Codex cannot put this question to the user"), "{reason}");
    let named = reason.rsplit_once("with: ").expect("a command is named").1.to_owned();
    world.sh(&named).succeeds();
    assert!(!hook(&world).stdout.contains("deny"));
}

/// Grok asks its own hook and one of Claude Code's settings about one call; what is allowed once is allowed in both answers.
#[test]
fn what_is_allowed_once_is_allowed_for_every_hook_of_that_call() {
    let world = World::new();
    let payload = |call: &str| {
        json!({
            "hookEventName": "pre_tool_use", "hook_event_name": "PreToolUse", "sessionId": "s", "session_id": "s",
            "cwd": world.name(""), "tool_name": "run_terminal_command", "tool_use_id": call,
            "tool_input": {"command": "git reset --hard"}, "permission_mode": "bypassPermissions",
        })
        .to_string()
    };
    world.run(&["allow", "git reset --hard", "--once", "--yes"]).succeeds();
    let own = world.hook(&["--agent", "grok"], payload("one"));
    assert!(!own.stdout.contains("deny"), "{own:?}");
    let borrowed = world.run_with(&[], payload("one").as_bytes());
    assert!(!borrowed.stdout.contains("deny"), "{borrowed:?}");
    assert!(!world.run(&["allow", "--list"]).stdout.contains("git reset"), "it is used up");
    let other = world.hook(&["--agent", "grok"], payload("two"));
    assert!(other.stdout.contains("deny"), "{other:?}");
}

/// Gemini gives a held stop back as a prompt.
#[test]
fn our_own_text_is_no_prompt() {
    let world = World::new().with(".ruff.toml", "line-length = 80\n");
    let payload = |event: &str, more: &Json| {
        let mut json =
            json!({"hook_event_name": event, "session_id": "s", "cwd": world.name(""), "timestamp": "now"});
        json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json.to_string()
    };
    let hook = |event: &str, more: Json| world.hook(&["--agent", "gemini"], payload(event, &more));
    hook("SessionStart", json!({"source": "startup"}));
    world.write(".ruff.toml", "line-length = 200\n");
    let held = hook("AfterAgent", json!({"prompt_response": "finished", "stop_hook_active": false})).json();
    assert_eq!(held["decision"], "block", "{held}");
    let before = world.log().len();
    hook("BeforeAgent", json!({"prompt": held["reason"]})).is_silent();
    assert_eq!(world.log().len(), before, "nobody has said anything");
    hook("BeforeAgent", json!({"prompt": "please commit"}));
    assert_eq!(world.log().len(), before + 1);
}

/// Context that an event cannot carry comes with the next one that can.
#[test]
fn what_an_event_cannot_say_waits() {
    let world = World::new().with_config(r#"{"profile": "strict"}"#);
    let payload = |event: &str, more: &Json| {
        let mut json = json!({"hook_event_name": event, "session_id": "s", "cwd": world.name("")});
        json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json.to_string()
    };
    let hook = |event: &str, more: Json| world.hook(&["--agent", "gemini"], payload(event, &more));
    let call = json!({"tool_name": "run_shell_command", "tool_input": {"command": "echo x > /tmp/plimsoll-later.txt"}});
    let rewritten = hook("BeforeTool", call.clone()).json();
    let command = rewritten["hookSpecificOutput"]["tool_input"]["command"].as_str().unwrap();
    assert!(command.contains(&world.name("tmp")), "{rewritten}");
    let mut after = call;
    after["tool_response"] = json!({"llmContent": ""});
    let said = hook("AfterTool", after).json();
    let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("Plimsoll moved what this writes"), "{said}");
}

// ---- Bridges ------------------------------------------------------------------------------------------------------------
