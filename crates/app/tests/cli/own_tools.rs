//! No code of a project runs before the user trusts it, whatever its files say: tools that lie in it, tools elsewhere that would run
//! its code, its tests, what its git config names. Each stand-in leaves a mark when it is run.

mod trusted;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, program};

/// Whatever a linter says counts, also where nobody has chosen it.
const ALL: &str = r#"{"unconfigured": "all"}"#;

const VENV: &[&str] = &[
    "ruff", "ty", "flake8", "bandit", "vulture", "yamllint", "black", "semgrep", "pytest", "python",
    "python3", "uv", "git", "claude",
];
const MODULES: &[&str] = &[
    "biome",
    "eslint",
    "prettier",
    "markdownlint-cli2",
    "knip",
    "jscpd",
    "oxlint",
    "tsgo",
    "tsc",
    "vitest",
    "jest",
    "npm",
    "node",
    "git",
    "sh",
    "gh",
    "claude",
    "notify-send",
];
/// Tools of the user's, outside of the project, that would run its code.
const ELSEWHERE: &[&str] = &[
    "eslint",
    "prettier",
    "markdownlint-cli2",
    "knip",
    "jscpd",
    "oxlint",
    "biome",
    "flake8",
    "cargo",
    "rustfmt",
    "go",
    "golangci-lint",
    "semgrep",
    "npx",
    "uv",
    "pnpm",
    "bunx",
    "npm",
    "pytest",
    "make",
    "vitest",
    "jest",
    "node",
    "bun",
];

/// One file of each language, and settings that have each tool run.
const FILES: &[(&str, &str)] = &[
    ("app.py", "def f():\n    return 1\n"),
    ("app.ts", "export const a = 1;\n"),
    ("app.js", "const a = 1;\n"),
    ("style.css", "a { color: red }\n"),
    ("data.json", "{}\n"),
    ("data.yaml", "a: 1\n"),
    ("notes.md", "# Notes\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("main.go", "package main\n"),
    ("run.sh", "true\n"),
    ("Dockerfile", "FROM debian:12\n"),
    (
        "pyproject.toml",
        "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.black]\n[tool.bandit]\n[tool.vulture]\n",
    ),
    ("conftest.py", "open('mark-conftest', 'w')\n"),
    ("tests/test_app.py", "def test(): pass\n"),
    (
        "package.json",
        r#"{"scripts": {"test": "touch mark-npm"}, "devDependencies": {"eslint": "9", "prettier": "3", "@biomejs/biome": "2", "oxlint": "1", "knip": "5", "vitest": "1", "jest": "1"}}"#,
    ),
    ("uv.lock", "name = \"flake8\"\nname = \"ruff\"\nname = \"ty\"\n"),
    ("tsconfig.json", "{}\n"),
    ("knip.json", "{}\n"),
    (".jscpd.json", "{}\n"),
    (".oxlintrc.json", "{}\n"),
    (".semgrep.yml", "rules: []\n"),
    (".flake8", "[flake8]\n[flake8:local-plugins]\nextension = X = evil:X\n"),
    (".yamllint", "extends: default\n"),
    ("eslint.config.js", "require('fs').writeFileSync('mark-eslint-config', '')\n"),
    (".prettierrc.js", "require('fs').writeFileSync('mark-prettier-config', '')\n"),
    (".markdownlint-cli2.cjs", "require('fs').writeFileSync('mark-markdownlint-config', '')\n"),
    ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("build.rs", "fn main() { std::fs::write(\"mark-build\", \"\").unwrap() }\n"),
    ("rust-toolchain.toml", "[toolchain]\npath = \"./toolchain\"\n"),
    ("go.mod", "module x\n"),
    (".golangci.yml", "version: \"2\"\n"),
    ("Makefile", "test lint:\n\ttouch mark-make\n"),
    (".mcp.json", r#"{"mcpServers": {"x": {"command": "touch", "args": ["mark-mcp"]}}}"#),
    (
        ".claude/subprocess-settings.json",
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch mark-settings"}]}]}}"#,
    ),
    (
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "./plimsoll hook"},
        {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/plimsoll", "args": ["hook"]},
        {"type": "command", "command": "plimsoll hook; touch mark-hook-line"}]}]}}"#,
    ),
];

/// What the clone's own config asks for.
const CONFIGS: &[&str] = &[
    "{}",
    r#"{"engine": "external", "pace": "thorough", "unconfigured": "all", "formatting": "all", "boy_scout": true, "phases": {"subprocess_delegation": true}}"#,
    r#"{"profile": "strict", "engine": "external"}"#,
    r#"{"checks": {"edit/test-runner": "on"}, "pace": "thorough", "unconfigured": "all", "languages": {"typescript": {"enabled": true, "tsgo": true, "knip": true, "semgrep": true}}, "jscpd": {"session_threshold": 1, "scan_dirs": ["./"], "advisory_only": false}}"#,
    r#"{"unconfigured": "faults", "languages": {"typescript": {"js_runtime": "bun"}}, "tests": {"command": "touch mark-tests-command"}, "todo": {"command": "touch mark-todo"}, "subprocess": {"command": "./plimsoll", "settings_file": ".claude/subprocess-settings.json"}}"#,
];

/// What `.git/config` says besides.
const GIT: &str = "[core]\n\tfsmonitor = MARK\n\thooksPath = .hooks\n\tsshCommand = MARK\n\tpager = MARK\n\tattributesFile = .attributes\n\
    [filter \"x\"]\n\tclean = MARK\n\tsmudge = MARK\n\tprocess = MARK\n[diff]\n\texternal = MARK\n[diff \"x\"]\n\ttextconv = MARK\n\tcommand = MARK\n\
    [merge \"x\"]\n\tdriver = MARK\n[gpg]\n\tprogram = MARK\n[log]\n\tshowSignature = true\n[include]\n\tpath = ../more.cfg\n[alias]\n\tstatus = !MARK\n";

/// A hostile clone in a world of its own: every tool is there, inside and outside.
fn clone(config: &str) -> World {
    let world = World::new();
    let mut world =
        FILES.iter().fold(world, |world, (name, text)| world.with(name, text)).with_config(config);
    for (folder, names) in [(".venv/bin", VENV), ("node_modules/.bin", MODULES)] {
        for name in names {
            program(&world.path(&format!("{folder}/{name}")), &leaves(&world, &format!("{folder}/{name}")));
        }
    }
    for name in ELSEWHERE {
        let script = leaves(&world, &format!("elsewhere/{name}"));
        program(&world.base().join("tools").join(name), &script);
    }
    program(&world.path("plimsoll"), &leaves(&world, "plimsoll"));
    program(&world.path("toolchain/bin/rustfmt"), &leaves(&world, "toolchain"));
    program(&world.path(".hooks/post-index-change"), &leaves(&world, "git-hook"));
    world.commit("everything");
    let mark = world.path(".git/mark");
    program(&mark, &format!("{}\ncat", leaves(&world, "git-config")));
    world.write(
        ".git/config",
        &format!("{}{}", world.read(".git/config"), GIT.replace("MARK", mark.to_str().unwrap())),
    );
    world.write(".git/info/attributes", "* filter=x diff=x merge=x\n");
    world.write("more.cfg", &format!("[filter \"y\"]\n\tclean = {}\n", mark.display()));
    world = world.with_user_config("{}");
    world
}

/// A script that leaves a mark of this name, where all of them are looked for.
fn leaves(world: &World, name: &str) -> String {
    let mark = marks(world).join(name.replace('/', "-"));
    format!("mkdir -p '{}'; touch '{}'", marks(world).display(), mark.display())
}

fn marks(world: &World) -> PathBuf {
    world.base().join("marks")
}

fn left(world: &World) -> BTreeSet<String> {
    let all = std::fs::read_dir(marks(world)).into_iter().flatten().flatten();
    let mut names: BTreeSet<String> =
        all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let project = std::fs::read_dir(world.path(".")).unwrap().flatten();
    let of_code = project.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.extend(of_code.filter(|name| name.starts_with("mark-")));
    names
}

/// Waits until no task of ours is at work any more: they run in the background.
fn settled(world: &World) {
    for _ in 0..100 {
        let running =
            std::process::Command::new("pgrep").args(["-f", world.state().to_str().unwrap()]).output();
        let ours = format!(" task .*{}", world.base().display());
        let tasks = std::process::Command::new("pgrep").args(["-f", &ours]).output();
        let none = |out: std::io::Result<std::process::Output>| out.map_or(true, |out| out.stdout.is_empty());
        if none(running) && none(tasks) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// Everything that an agent and its user do in the first minute.
fn a_session(world: &World) -> Vec<Ran> {
    let number = std::cell::Cell::new(0);
    // Each call has a name of its own: what comes twice is answered once.
    let call = |event: &str, tool: &str, input: &Json| {
        number.set(number.get() + 1);
        let id = format!("toolu_{}", number.get());
        world.event(event, &json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}))
    };
    let mut all = vec![
        world.event("SessionStart", &json!({"source": "startup"})),
        world.event("UserPromptSubmit", &json!({"prompt": "do it"})),
    ];
    for (name, text) in FILES.iter().filter(|(name, _)| !name.starts_with(".claude")) {
        let edit = json!({"file_path": world.name(name), "content": text});
        all.push(call("PreToolUse", "Write", &edit));
        world.write(name, &format!("{text}\n"));
        all.push(call("PostToolUse", "Write", &edit));
    }
    let replace = json!({"file_path": world.name("app.py"), "old_string": "1", "new_string": "2"});
    all.push(call("PreToolUse", "Edit", &replace));
    world.write("app.py", "import os\n\n\ndef f():\n    x = 2\n    return 2\n");
    all.push(call("PostToolUse", "Edit", &replace));
    all.push(call("PreToolUse", "Bash", &json!({"command": "git status"})));
    all.push(call("PostToolUse", "Bash", &json!({"command": "git commit -m x"})));
    all.push(world.event("SubagentStop", &json!({"agent_type": "implementer", "stop_hook_active": false})));
    all.push(world.event("Stop", &json!({"stop_hook_active": false})));
    settled(world);
    all.push(world.event("PreCompact", &json!({"trigger": "manual"})));
    all.push(world.event("SessionEnd", &json!({"reason": "other"})));
    all
}

#[test]
fn nothing_of_a_clone_runs_before_trust() {
    for config in CONFIGS {
        let world = clone(config);
        for ran in a_session(&world) {
            assert!(matches!(ran.code, Some(0 | 2)), "{config}: {ran:?}");
        }
        for words in [
            &["check"][..],
            &["check", "--thorough"],
            &["check", "--fix", "app.py"],
            &["doctor"],
            &["status"],
            &["tools", "list"],
            &["trust", "show"],
            &["explain", "--edit", "app.ts"],
            &["init", "--yes"],
        ] {
            world.run(words);
        }
        settled(&world);
        assert_eq!(left(&world), BTreeSet::new(), "{config}");
    }
}

/// The stand-ins of the tests above are real ones: with trust they run. What git's config names does not, and neither does what has our
/// name.
#[test]
fn the_same_clone_runs_its_tools_once_it_is_trusted() {
    let world = clone(r#"{"profile": "strict", "engine": "external", "pace": "thorough"}"#).trusting_tools();
    a_session(&world);
    settled(&world);
    let left = left(&world);
    for name in [
        ".venv-bin-ruff",
        ".venv-bin-pytest",
        "node_modules-.bin-eslint",
        "node_modules-.bin-prettier",
        "elsewhere-cargo",
    ] {
        assert!(left.contains(name), "{name} is not in {left:?}");
    }
    for name in ["git-config", "git-hook", "plimsoll", "mark-settings", "mark-mcp"] {
        assert!(!left.contains(name), "{left:?}");
    }
}

#[test]
fn also_where_the_projects_folders_are_on_the_users_paths() {
    let world = clone(r#"{"profile": "strict", "engine": "external", "pace": "thorough"}"#);
    let path = world.path(".");
    let folders = [
        PathBuf::from("."),
        PathBuf::from("node_modules/.bin"),
        path.join("node_modules/.bin"),
        path.join(".venv/bin"),
        world.base().join("linked"),
        world.base().join("tools"),
        PathBuf::from("/usr/bin"),
        PathBuf::from("/bin"),
    ];
    std::os::unix::fs::symlink(world.path("node_modules/.bin"), world.base().join("linked")).unwrap();
    let all = std::env::join_paths(folders).unwrap();
    let world = world
        .with_variable("PATH", all)
        .with_variable("PYTHONPATH", path.as_os_str().to_owned())
        .with_variable("NODE_PATH", path.join("node_modules").into_os_string())
        .with_variable("NODE_OPTIONS", "--require ./evil.js")
        .with_variable("VIRTUAL_ENV", path.join(".venv").into_os_string());
    for ran in a_session(&world) {
        assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
    }
    for words in
        [&["check", "--thorough"][..], &["doctor"], &["status"], &["tools", "list"], &["trust", "show"]]
    {
        world.run(words);
    }
    settled(&world);
    assert_eq!(left(&world), BTreeSet::new());
}

#[test]
fn what_waits_is_named_once_in_a_session() {
    let world = World::new().without_stand_ins().with("app.ts", "let a = 1;\n").with("eslint.config.js", "");
    program(&world.path("node_modules/.bin/eslint"), "echo '[]'");
    let edit = json!({"file_path": world.name("app.ts"), "content": "let a = 1;\n"});
    let first = world.tool("PostToolUse", "Write", &edit);
    let told = first.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        told,
        "[hook:warning] 1 linter of this project was not run: node_modules/.bin/eslint. Run `plimsoll trust` to let this project's own tools run."
    );
    world.tool("PostToolUse", "Write", &edit).is_silent();
    let other =
        world.event("PostToolUse", &json!({"session_id": "s2", "tool_name": "Write", "tool_input": edit}));
    assert!(other.stdout.contains("was not run"), "{}", other.stdout);
    let explained = world.run(&["explain", "--edit", "app.ts"]).succeeds();
    assert!(explained.stdout.contains("node_modules/.bin/eslint"), "{}", explained.stdout);
    world
        .run(&["doctor"])
        .says(&["node_modules/.bin/eslint waits for your trust: it is part of the project"]);
    let checked = world.run(&["check", "app.ts"]);
    checked.says(&["node_modules/.bin/eslint was not run: it is part of the project", "--trust-project"]);
}

#[test]
fn tests_that_wait_are_named_once_in_a_session() {
    let world =
        World::new().without_stand_ins().with("conftest.py", "").with_user_config(r#"{"profile": "strict"}"#);
    program(&world.path(".venv/bin/pytest"), &leaves(&world, "pytest"));
    let mut told = Vec::new();
    for number in 0..2 {
        world.write("app.py", &format!("x = {number}\n"));
        let edit = json!({"file_path": world.name("app.py"), "content": "x = 1\n"});
        let first = world.event(
            "PostToolUse",
            &json!({"tool_name": "Write", "tool_input": edit, "tool_use_id": number.to_string()}),
        );
        settled(&world);
        let next = world.event("UserPromptSubmit", &json!({"prompt": "go on"}));
        told.extend([first.stdout, next.stdout]);
    }
    let told = told.concat();
    assert_eq!(
        told.matches("The tests of this project were not run: .venv/bin/pytest -q").count(),
        1,
        "{told}"
    );
    assert_eq!(left(&world), BTreeSet::new());
    world.run(&["trust", "show"]).succeeds().says(&["+ .venv/bin/pytest -q", "(runs the project's tests)"]);
}
