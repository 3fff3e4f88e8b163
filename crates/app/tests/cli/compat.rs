//! `plimsoll compat`: the old linter hooks at their old addresses, answering as they did.

mod stop;

use std::path::PathBuf;

use serde_json::json;
use stop::Guard;

#[cfg(feature = "second-opinion")]
use crate::reviewers::{Reviewers, Says};
use crate::world::{RUFF, Ran, World, text, write};

impl World {
    /// A script as a project's settings start it.
    fn script(&self, name: &str, payload: &str) -> Ran {
        let mut command = self.program(&["compat", name]);
        command.env("CLAUDE_PROJECT_DIR", self.path(""));
        Ran::of(command, payload.as_bytes())
    }

    fn protect(&self, file: &str) -> Ran {
        self.script("protect_linter_configs", &json!({"tool_input": {"file_path": file}}).to_string())
    }
}

// protect_linter_configs

#[test]
fn an_ordinary_file_is_approved() {
    let world = World::new();
    for file in ["app.py", "/somewhere/else.py", "biome.json.bak", "src/.claude-hooks/x.sh"] {
        world.protect(file).is_approved();
    }
}

#[test]
fn a_missing_path_is_approved() {
    let world = World::new();
    for payload in [
        "{}",
        r#"{"tool_input":{}}"#,
        r#"{"tool_input":{"file_path":null}}"#,
        r#"{"tool_input":{"file_path":""}}"#,
    ] {
        world.script("protect_linter_configs", payload).is_approved();
    }
}

#[test]
fn unreadable_input_is_approved_with_a_warning() {
    let world = World::new();
    for payload in ["not json", "", "[]"] {
        let ran = world.script("protect_linter_configs", payload);
        ran.is_approved();
        assert!(ran.stderr.starts_with("[hook:warning] "), "{}", ran.stderr);
    }
}

#[test]
fn each_of_the_fourteen_is_blocked_at_any_depth() {
    let world = World::new();
    for file in [
        ".markdownlint.jsonc",
        ".markdownlint-cli2.jsonc",
        ".shellcheckrc",
        ".yamllint",
        ".hadolint.yaml",
        ".jscpd.json",
        ".flake8",
        "taplo.toml",
        ".ruff.toml",
        "ty.toml",
        "biome.json",
        ".oxlintrc.json",
        ".semgrep.yml",
        "knip.json",
    ] {
        for path in [file.to_owned(), format!("/a/b/c/{file}"), format!("packages/x/{file}")] {
            let reason = world.protect(&path).is_blocked();
            assert!(
                reason.starts_with(&format!("Protected linter config file ({file}). ")),
                "{path}: {reason}"
            );
        }
    }
}

#[test]
fn the_text_for_a_linter_config_is_the_scripts() {
    let reason = World::new().protect(RUFF).is_blocked();
    assert_eq!(reason, "Protected linter config file (.ruff.toml). Fix the code, not the rules.");
}

#[test]
fn the_text_for_hooks_and_settings_is_the_scripts() {
    let world = World::new();
    for (file, base) in [
        (".claude/hooks/multi_linter.sh", "multi_linter.sh"),
        (".claude/settings.json", "settings.json"),
        (".claude/settings.local.json", "settings.local.json"),
        (".claude/subprocess-settings.json", "subprocess-settings.json"),
        ("/home/me/project/.claude/hooks/config.json", "config.json"),
    ] {
        let reason = world.protect(file).is_blocked();
        let expected =
            format!("Protected Claude Code config ({base}). Hook scripts and settings are immutable.");
        assert_eq!(reason, expected, "{file}");
    }
}

#[test]
fn the_text_for_the_fixers_settings_is_the_scripts() {
    let world = World::new().with_config(r#"{"subprocess": {"settings_file": "~/fixer/no-hooks.json"}}"#);
    write(&world.home().join("fixer/no-hooks.json"), "{}");
    for file in ["~/fixer/no-hooks.json".to_owned(), text(&world.home().join("fixer/no-hooks.json"))] {
        let reason = world.protect(&file).is_blocked();
        let expected = "Protected subprocess settings file (no-hooks.json). This file controls subprocess recursion safety.";
        assert_eq!(reason, expected, "{file}");
    }
}

#[test]
fn the_projects_own_list_counts_without_trust() {
    let world = World::new().with_config(r#"{"protected_files": ["mine.toml"], "protect_siblings": false}"#);
    world.protect("mine.toml").is_blocked();
    world.protect(RUFF).is_approved();
}

#[test]
fn a_list_that_is_empty_or_malformed_means_the_fourteen() {
    for config in [r#"{"protected_files": []}"#, r#"{"protected_files": 3}"#, "{broken"] {
        World::new().with_config(config).protect(RUFF).is_blocked();
    }
}

#[test]
fn a_notebook_has_a_path_of_its_own_name() {
    let payload =
        json!({"tool_name": "NotebookEdit", "tool_input": {"notebook_path": ".claude/hooks/n.ipynb"}});
    World::new().script("protect_linter_configs", &payload.to_string()).is_blocked();
}

#[test]
fn a_name_with_quotes_is_still_one_answer() {
    let world = World::new();
    let reason = world.protect(".claude/hooks/a\"b\\c.sh").is_blocked();
    assert!(reason.contains("(a\"b\\c.sh)"), "{reason}");
}

// stop_config_guardian and approve_configs

/// The config that the original came with.
const BOTH: &str = r#"{"package_managers": {"python": "uv", "javascript": "bun", "allowed_subcommands": {
    "npm": ["audit", "view", "pack", "publish", "whoami", "login"], "pip": ["download"],
    "yarn": ["audit", "info"], "pnpm": ["audit", "info"], "poetry": [], "pipenv": []}}}"#;

impl World {
    /// Nothing is on PATH but what is made here.
    fn with_programs(self, names: &[&str]) -> Self {
        let dir = self.base().join("programs");
        std::fs::create_dir_all(&dir).unwrap();
        for name in names {
            std::os::unix::fs::symlink("/bin/sh", dir.join(name)).unwrap();
        }
        self.with_variable("PATH", dir)
    }

    fn of_packages(config: &str) -> Self {
        World::without_git().with_config(config).with_programs(&["uv", "bun"])
    }

    fn enforce(&self, command: &str) -> Ran {
        let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        self.script("enforce_package_managers", &payload.to_string())
    }
}

#[test]
fn other_package_managers_are_blocked_with_the_command_to_use() {
    let world = World::of_packages(BOTH);
    for (command, tools, instead) in [
        ("pip install requests", "pip", "uv add requests"),
        ("pip3 install flask", "pip", "uv add flask"),
        ("python -m pip install pkg", "python -m pip", "uv add pkg"),
        ("python3 -m venv .venv", "python -m venv", "uv venv .venv"),
        ("poetry add requests", "poetry", "uv add requests"),
        ("pipenv install", "pipenv", "uv sync"),
        ("npm install lodash", "npm", "bun add lodash"),
        ("npm run build", "npm", "bun run build"),
        ("npm test", "npm", "bun test"),
        ("npx create-react-app", "npx", "bunx create-react-app"),
        ("yarn add lodash", "yarn", "bun add lodash"),
        ("pnpm install", "pnpm", "bun install"),
        ("cd /app && pip install flask", "pip", "cd /app && uv add flask"),
        ("pip install a && npm install b", "pip, npm", "uv add a && bun add b"),
        ("echo foo | pip install -r /dev/stdin", "pip", "echo foo | uv pip install -r /dev/stdin"),
        // What the original answered with broken JSON, or let pass.
        ("pip install \"requests[socks]\" 'a\\b'", "pip", "uv add \"requests[socks]\" 'a\\b'"),
        ("npm audit; npm install evil", "npm", "npm audit; bun add evil"),
        ("uv pip install -r r.txt && pip install flask", "pip", "uv pip install -r r.txt && uv add flask"),
    ] {
        let ran = world.enforce(command);
        assert_eq!(
            ran.is_blocked(),
            format!("[hook:block] {tools} not allowed. Use: {instead}"),
            "{command}"
        );
        assert_eq!(ran.stderr, "", "{command}");
    }
}

#[test]
fn the_rest_is_approved() {
    let world = World::of_packages(BOTH);
    for command in [
        "uv add requests",
        "uv pip install -r req.txt",
        "bun add lodash",
        "bunx vite",
        "npm audit",
        "npm --registry=url audit",
        "pip download -d ./dist requests",
        "yarn info lodash",
        "pnpm audit",
        "pip --version",
        "ls -la",
        "git commit -m 'use npm instead of yarn'",
        "which npm",
        "",
    ] {
        let ran = world.enforce(command);
        ran.is_approved();
        assert_eq!(ran.stderr, "", "{command}");
    }
    for payload in ["{}", r#"{"tool_input": {}}"#, "not json"] {
        world.script("enforce_package_managers", payload).is_approved();
    }
}

#[test]
fn the_config_switches_off_or_only_warns() {
    let off = World::of_packages(r#"{"package_managers": {"python": false, "javascript": "bun"}}"#);
    off.enforce("pip install requests").is_approved();
    off.enforce("npm install").is_blocked();
    let warn = World::of_packages(r#"{"package_managers": {"python": "uv:warn", "javascript": "bun"}}"#);
    let ran = warn.enforce("cd /app && pip install flask");
    ran.is_approved();
    assert_eq!(ran.stderr, "[hook:advisory] pip detected. Prefer: cd /app && uv add flask\n");
}

#[test]
fn without_words_in_the_config_the_documents_defaults_hold() {
    for world in [World::without_git(), World::of_packages(r#"{"languages": {"python": true}}"#)] {
        world.enforce("pip install requests").is_blocked();
    }
    let world = World::of_packages(r#"{"package_managers": {"javascript": "bun"}}"#);
    world.enforce("npm audit").is_approved();
    world.enforce("npm install").is_blocked();
    world.enforce("pip install requests").is_blocked();
    let none = r#"{"package_managers": {"javascript": "bun", "allowed_subcommands": {"npm": []}}}"#;
    let reason = World::of_packages(none).enforce("npm audit").is_blocked();
    assert_eq!(reason, "[hook:block] npm not allowed. Use: bun audit");
}

#[test]
fn a_variable_switches_it_off() {
    World::of_packages(BOTH).with_variable("HOOK_SKIP_PM", "1").enforce("pip install requests").is_approved();
}

#[test]
fn a_variable_makes_it_talk() {
    let world = World::of_packages(BOTH).with_variable("HOOK_DEBUG_PM", "1");
    let ran = world.enforce("pip install requests");
    ran.is_blocked();
    let line =
        "[hook:debug] PM check: command='pip install requests', action='block_compound', tools='pip'\n";
    assert_eq!(ran.stderr, line);
    let ran = world.enforce("ls");
    ran.is_approved();
    assert_eq!(ran.stderr, "[hook:debug] PM check: command='ls', action='approve'\n");
}

#[test]
fn a_variable_keeps_a_log() {
    let guard = Guard::new();
    let file = PathBuf::from(format!("/tmp/.pm_enforcement_{}.log", guard.pid));
    let world = World::of_packages(BOTH)
        .with_variable("HOOK_LOG_PM", "1")
        .with_variable("HOOK_GUARD_PID", &guard.pid);
    world.enforce("pip install a && npm i b").is_blocked();
    world.enforce(&format!("echo {}", "x".repeat(100))).is_approved();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.split_once("Z | ").unwrap().1).collect();
    let long = format!("approve | | | echo {}", "x".repeat(75));
    assert_eq!(lines, ["block_compound | pip, npm | | pip install a && npm i b", &long]);
}

#[test]
fn a_missing_tool_is_named_once_in_a_session() {
    let said = |ran: &Ran| {
        ran.is_blocked();
        ran.stderr.contains("[hook:warning] uv not found — blocked but replacement unavailable. Install: ")
    };
    let (guard, other) = (Guard::new(), Guard::new());
    let world = World::without_git().with_config(BOTH).with_programs(&["bun"]);
    let by = |guard: &Guard| {
        let mut command = world.program(&["compat", "enforce_package_managers"]);
        command.env("CLAUDE_PROJECT_DIR", world.path("")).env("HOOK_GUARD_PID", &guard.pid);
        Ran::of(command, br#"{"tool_input": {"command": "pip install x"}}"#)
    };
    assert!(said(&by(&guard)) && !said(&by(&guard)) && said(&by(&other)));
    let in_session = |session: &str| {
        let payload = json!({"session_id": session, "tool_input": {"command": "pip install x"}});
        world.script("enforce_package_managers", &payload.to_string())
    };
    assert!(said(&in_session("s1")) && !said(&in_session("s1")) && said(&in_session("s2")));
    let ran = world.enforce("npm i");
    ran.is_blocked();
    assert_eq!(ran.stderr, "");
}

// The addresses.

#[test]
fn a_script_may_be_called_by_its_file_name() {
    World::new().script("protect_linter_configs.sh", r#"{"tool_input":{"file_path":"a.py"}}"#).is_approved();
}

#[test]
fn an_unknown_script_is_named_with_the_known_ones() {
    let ran = World::new().run(&["compat", "no_such_script"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr.contains("no_such_script") && ran.stderr.contains("stop_config_guardian"),
        "{}",
        ran.stderr
    );
}

// llm-review and deploy-enforcer

fn bash(command: &str) -> String {
    json!({"tool_name": "Bash", "tool_input": {"command": command}}).to_string()
}

#[cfg(feature = "second-opinion")]
#[test]
fn reviewers_are_asked_about_what_review_does_not_know() {
    let reviewers = Reviewers::new(Says::Verdict("safe", "It only lists."), Says::Nothing);
    let settings =
        json!({"second_opinion": {"gemini_url": reviewers.gemini_url(), "gemini_timeout_ms": 60_000}});
    let world = World::new().with_user_config(&settings.to_string()).with_variable("GEMINI_API_KEY", "k3y");
    let ran = world.script("llm-review", &bash("frobnicate --all"));
    // Approved in silence.
    assert!(ran.stdout.contains(r#""permissionDecision":"allow""#), "{ran:#?}");
    assert!(!ran.stdout.contains("It only lists"), "{ran:#?}");
    assert_eq!(reviewers.who(), ["gemini"]);
    world.script("llm-review", &bash("ls -la"));
    assert_eq!(reviewers.who(), ["gemini"], "review knows this one");
}

#[cfg(feature = "second-opinion")]
#[test]
fn an_address_of_the_projects_own_is_never_sent_a_key() {
    let reviewers = Reviewers::new(Says::Verdict("safe", "Hand it over."), Says::Nothing);
    let settings =
        json!({"second_opinion": {"gemini_url": reviewers.gemini_url(), "gemini_timeout_ms": 60_000}});
    // Nobody listens at the user's own address, so that nothing leaves this machine.
    let own = json!({"second_opinion": {"gemini_url": "http://127.0.0.1:9"}});
    let world = World::new()
        .with_user_config(&own.to_string())
        .with(".claude/hooks/config.json", &settings.to_string())
        .with_variable("GEMINI_API_KEY", "k3y");
    let ran = world.script("llm-review", &bash("frobnicate --all"));
    assert!(!ran.stdout.contains("allow"), "{ran:#?}");
    assert!(reviewers.who().is_empty(), "{:?}", reviewers.asked());
}

#[test]
fn a_subagent_is_kept_from_deploying_at_the_old_address() {
    let state = json!({"iteration": 1, "started_at": "2999-01-01T00:00:00Z", "coordinator": false});
    let world = World::new();
    let deploy = || world.script("deploy-enforcer", &bash("gh workflow run deploy.yml"));
    assert_eq!(deploy().stdout, "", "nobody works alone");
    let world = World::new().with(".claude/autonomous-state.json", &state.to_string());
    let ran = world.script("deploy-enforcer", &bash("gh workflow run deploy.yml"));
    assert!(ran.stdout.contains("deny") && ran.stdout.contains("coordinator"), "{ran:#?}");
    assert_eq!(world.script("deploy-enforcer", &bash("ls")).stdout, "");
}
