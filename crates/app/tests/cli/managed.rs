//! Managed settings and a team's policy, from the files to what is said.

use serde_json::json;

use crate::needs::missing;
use crate::world::{RUFF, World, write};

/// A world whose administrator has said this.
fn managed(text: &str) -> World {
    let world = World::new();
    write(&world.managed().join("config.json"), text);
    world
}

#[test]
fn nobody_switches_off_what_is_managed() {
    let world = managed(r#"{"profile": "standard", "checks": {"file/linter-config": "on"}}"#)
        .with_user_config(
            r#"{"hook_enabled": false, "profile": "observe", "checks": {"file/linter-config": "off"}}"#,
        )
        .with_config(r#"{"hook_enabled": false, "checks": {"file/linter-config": "warn"}}"#);
    world.run(&["trust", "--yes"]).succeeds();
    world.wants_to_edit(RUFF).is_denied();
    let shown = world.run(&["config", "show", "--json"]).succeeds().json();
    assert_eq!(shown["profile"], json!({"value": "standard", "from": "managed"}));
    assert_eq!(shown["checks"]["value"]["file/linter-config"], "on");
    let ran = world.run(&["config", "show"]).succeeds();
    assert!(ran.stderr.contains("profile is ignored: the team's policy decides it"), "{}", ran.stderr);
    world.run(&["status"]).succeeds().says(&["policy    2 managed settings in "]);
    world.run(&["doctor"]).says(&["policy: 2 managed settings in ", "hook_enabled is ignored"]);
}

#[test]
fn a_release_lets_nobody_choose_the_folder() {
    let Some(binary) = std::env::var_os("PLIMSOLL_RELEASE_BINARY") else {
        return missing("release", "there is no release binary");
    };
    let world = managed(r#"{"profile": "strict"}"#);
    let mut command = world.program(&["config", "show", "--json"]);
    let own = command.output().unwrap();
    assert!(String::from_utf8_lossy(&own.stdout).contains("strict"));
    let mut release = std::process::Command::new(binary);
    release
        .args(["config", "show", "--json"])
        .env_clear()
        .envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
    let out = release.current_dir(world.path("")).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("profile") && !text.contains("\"strict\""), "{text}");
}

#[test]
fn a_pinned_policy_decides_and_stands_in_the_record() {
    let world = World::new();
    let team = world.base().join("team");
    write(&team.join("config.json"), r#"{"checks": {"file/linter-config": "on"}}"#);
    let git = |args: &[&str]| {
        let mut all =
            vec!["-C", team.to_str().unwrap(), "-c", "user.name=t", "-c", "user.email=t@example.invalid"];
        all.extend(args);
        world.git(&all)
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "policy"]);
    let commit = git(&["rev-parse", "HEAD"]).trim().to_owned();
    let user =
        json!({"checks": {"file/linter-config": "off"}, "policy": {"checkout": team, "commit": commit}});
    write(&world.home().join(".claude/hooks/config.json"), &user.to_string());
    world.wants_to_edit(RUFF).is_denied();
    assert_eq!(world.last_logged()["policy"], commit.as_str());
    world.run(&["status"]).succeeds().says(&[&format!("policy    commit {} of ", &commit[..12])]);
    assert_eq!(world.run(&["status", "--json"]).json()["policy"]["commit"], commit.as_str());
    // Somebody commits a looser one: it is said, and does not count.
    write(&team.join("config.json"), "{}");
    git(&["commit", "-qam", "looser"]);
    world.wants_to_edit(RUFF).is_denied();
    world.run(&["doctor"]).says(&["the policy is pinned to"]);
    let told = world.event("SessionStart", &json!({"source": "startup"}));
    assert!(told.stdout.contains("the policy is pinned to"), "{}", told.stdout);
}

/// A team's checkout with these files, and its commit.
fn team(world: &World, files: &[(&str, &str)]) -> (std::path::PathBuf, String) {
    let dir = world.base().join("team");
    files.iter().for_each(|(name, text)| write(&dir.join(name), text));
    let at = dir.to_str().unwrap();
    let git = |args: &[&str]| {
        world.git(&[&["-C", at, "-c", "user.name=t", "-c", "user.email=t@example.invalid"], args].concat())
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "policy"]);
    let commit = git(&["rev-parse", "HEAD"]).trim().to_owned();
    (dir, commit)
}

/// Nothing keeps the call from happening.
#[track_caller]
fn goes(ran: &crate::world::Ran) {
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(
        ran.stdout.is_empty()
            || !["deny", "ask"].contains(
                &ran.json()["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default()
            ),
        "{ran:#?}"
    );
}

fn wants_to_run(world: &World, command: &str) -> crate::world::Ran {
    world.tool("PreToolUse", "Bash", &json!({"command": command}))
}

#[test]
fn no_variable_loosens_what_is_managed() {
    let text = r#"{"profile": "standard", "package_managers": {"python": "uv"}}"#;
    let commands = ["pip install requests", "git push --force origin main", "rm -rf ~/Documents"];
    // What the world itself stands on, and where the policy lies.
    let ours = ["CLAUDE_PROJECT_DIR", "HOME", "PATH", "PLIMSOLL_STATE_DIR", "PLIMSOLL_TEST_MANAGED"];
    for value in ["", "0", "1", "true", "false", "999999"] {
        let mut world = managed(text);
        for variable in model::environment::VARIABLES.iter().filter(|one| !ours.contains(&one.name)) {
            world = world.with_variable(variable.name, value);
        }
        for command in commands {
            wants_to_run(&world, command).is_denied();
        }
    }
    let free = World::new()
        .with_user_config(r#"{"package_managers": {"python": "uv"}}"#)
        .with_variable("HOOK_SKIP_PM", "1");
    goes(&wants_to_run(&free, commands[0]));
}

#[test]
fn rules_of_a_policy_count_and_nobody_lets_them_through() {
    let world = World::new();
    let rules = "[[rule]]\nid = \"acme/no-deploys\"\ncall = \"deployer go\"\nthen = \"deny\"\nsay = \"Deploys are the pipeline's.\"\n\
        cases = { deny = [\"deployer go\"], none = [\"deployer status\"] }\n";
    let (dir, commit) = team(&world, &[("rules.toml", rules)]);
    write(
        &world.managed().join("config.json"),
        &json!({"policy": {"checkout": dir, "commit": commit}, "checks": {"shell/force-push": "on"}})
            .to_string(),
    );
    let mine = "[[rule]]\nid = \"me/push\"\ncall = \"git push\"\nthen = \"allow\"\noverrides = [\"shell/force-push\"]\n\
        cases = { allow = [\"git push\"], none = [\"ls\"] }\n";
    write(&world.home().join(".claude/hooks/rules.toml"), mine);
    write(
        &world.home().join(".claude/hooks/config.json"),
        r#"{"hook_enabled": false, "allow_by_hand": true, "checks": {"rules/own": "off", "shell/force-push": "warn"}}"#,
    );
    let reason = wants_to_run(&world, "bash -c 'deployer go'").is_denied();
    assert!(reason.contains("a rule of the team's policy") && !reason.contains("plimsoll allow"), "{reason}");
    assert_eq!(world.last_logged()["policy"], commit.as_str());
    assert_eq!(world.last_logged()["rules"], json!(["acme/no-deploys"]));
    let push = "git push --force origin main";
    let reason = wants_to_run(&world, push).is_denied();
    assert!(!reason.contains("plimsoll allow"), "{reason}");
    for command in ["deployer go", push] {
        world.run(&["allow", command, "--yes"]).fails_saying(&["The team's policy decides that"]);
    }
    // What is not the policy's stays the user's.
    wants_to_run(&world, "git reset --hard HEAD~1").is_denied();
    world.run(&["allow", "git reset --hard HEAD~1", "--yes"]).succeeds();
    goes(&wants_to_run(&world, "git reset --hard HEAD~1"));
    wants_to_run(&world, "git reset --hard HEAD~1 && deployer go").is_denied();

    // A mistake in the next commit leaves the rules as they were.
    write(&dir.join("rules.toml"), "[[rule]]\nid = 7\n");
    let at = dir.to_str().unwrap();
    world.git(&[
        "-C",
        at,
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.invalid",
        "commit",
        "-qam",
        "broken",
    ]);
    let commit = world.git(&["-C", at, "rev-parse", "HEAD"]).trim().to_owned();
    write(
        &world.managed().join("config.json"),
        &json!({"policy": {"checkout": dir, "commit": commit}}).to_string(),
    );
    wants_to_run(&world, "deployer go").is_denied();
    let told = world.event("SessionStart", &json!({"source": "startup"}));
    assert!(told.stdout.contains("its last good rules stay in force"), "{}", told.stdout);
}

#[test]
fn a_policy_may_leave_the_last_word_to_its_users() {
    let world = managed(r#"{"checks": {"shell/force-push": "on", "file/linter-config": "on"}}"#);
    let push = "git push --force origin main";
    world.run(&["allow", push, "--yes"]).fails_saying(&["The team's policy decides that"]);
    let ran = world.run(&["allow", "--edit", &world.name(RUFF), "--yes"]).succeeds();
    assert!(ran.stderr.contains("protected files stay protected"), "{}", ran.stderr);
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    write(
        &world.managed().join("config.json"),
        r#"{"allow_by_hand": true, "checks": {"shell/force-push": "on", "file/linter-config": "on"}}"#,
    );
    wants_to_run(&world, push).is_denied();
    world.run(&["allow", push, "--yes"]).succeeds();
    goes(&wants_to_run(&world, push));
    world.run(&["allow", "--edit", &world.name(RUFF), "--yes"]).succeeds();
    goes(&world.wants_to_edit(&world.name(RUFF)));
}
