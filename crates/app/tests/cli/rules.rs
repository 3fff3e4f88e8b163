//! `plimsoll rules`, and what rules of users do in a hook. How they match is in `checks::rules`.

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, write};

const APPLY: &str = r#"
[[rule]]
id = "acme/apply"
call = "terraform apply"
then = "deny"
say = "Production is applied by the pipeline."
instead = "terraform plan"
cases = { deny = ["terraform apply"], none = ["terraform plan"] }
"#;

const BUILD: &str = r#"
[[rule]]
id = "acme/build"
call = "acme-build"
then = "allow"
cases = { allow = ["acme-build all"], none = ["acme-deploy"] }
"#;

const PROJECT: &str = ".claude/hooks/rules.toml";

fn runs(world: &World, command: &str) -> Ran {
    world.tool("PreToolUse", "Bash", &json!({"command": command}))
}

/// It runs without a question.
fn is_allowed(ran: &Ran) {
    assert_eq!(ran.json()["hookSpecificOutput"]["permissionDecision"], "allow", "{ran:?}");
}

fn own(world: &World, text: &str) {
    write(&world.home().join(PROJECT), text);
}

#[test]
fn a_rule_holds_in_every_wrapper_from_the_moment_it_is_written() {
    let world = World::new();
    runs(&world, "terraform apply").is_an_answer();
    own(&world, APPLY);
    let reason = runs(&world, "sudo env X=1 bash -c 'terraform apply'").is_denied();
    assert!(
        reason.contains("Production is applied by the pipeline.") && reason.contains("terraform plan"),
        "{reason}"
    );
    assert!(reason.contains("plimsoll allow"), "the user can let it through: {reason}");
    runs(&world, "terraform $VERB").is_asked();
    assert!(!runs(&world, "terraform plan").stdout.contains("deny"));
    assert_eq!(world.log().iter().filter(|entry| entry["rules"] == json!(["acme/apply"])).count(), 2);
    // The cache is made anew.
    own(&world, &APPLY.replace("terraform apply\"\n", "terraform destroy\"\n"));
    runs(&world, "terraform destroy").is_denied();
    assert!(!runs(&world, "terraform apply").stdout.contains("deny"));
}

#[test]
fn a_file_with_a_mistake_leaves_the_last_good_rules_in_force() {
    let world = World::new().with(PROJECT, APPLY);
    runs(&world, "terraform apply").is_denied();
    world.write(PROJECT, &APPLY.replace("call =", "cal ="));
    runs(&world, "terraform apply").is_denied();
    let ran = world.run(&["rules", "check"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let _ = ran.says(&[
        "rules.toml: line 2: acme/apply: unknown key cal of a rule; did you mean call?",
        "last good rules stay in force",
    ]);
    let said = world.event("SessionStart", &json!({"source": "startup"}));
    assert!(said.stdout.contains("unknown key cal"), "{said:?}");
    // Without one there is nothing to fall back to.
    let fresh = World::new().with(PROJECT, "[[rule]]\nid = 1\n");
    assert!(!runs(&fresh, "terraform apply").stdout.contains("deny"));
    let _ = fresh.run(&["rules", "check"]).says(&["ignored until it is fixed"]);
}

#[test]
fn what_a_project_allows_waits_for_trust() {
    let world = World::new().with(PROJECT, &format!("{APPLY}{BUILD}"));
    runs(&world, "terraform apply").is_denied();
    runs(&world, "acme-build all").is_silent();
    let _ = world.run(&["rules", "list"]).succeeds().says(&["acme/build", "waits for `plimsoll trust`"]);
    let _ = world.run(&["trust", "--yes"]).succeeds().says(&["+ rule acme/build", "trusted"]);
    is_allowed(&runs(&world, "acme-build all"));
    // Another rule of that name is another rule.
    world.write(
        PROJECT,
        &BUILD.replace("\"acme-build\"", "\"acme-deploy\"").replace("[\"acme-deploy\"]", "[\"ls\"]"),
    );
    runs(&world, "acme-deploy").is_silent();
    world.run(&["trust", "revoke"]).succeeds();
    world.write(PROJECT, BUILD);
    runs(&world, "acme-build all").is_silent();
}

#[test]
fn the_users_own_rule_overrides_a_check_and_is_logged() {
    let world = World::new();
    let rule = |id: &str| {
        format!(
            "[[rule]]\nid = \"me/reset\"\ncall = {{ program = \"git\", words = [\"reset\"], options = [\"--hard\"], operand = \"HEAD~1\" }}\nthen = \"allow\"\noverrides = \"{id}\"\ncases = {{ allow = [\"git reset --hard HEAD~1\"], none = [\"git reset\"] }}\n"
        )
    };
    runs(&world, "git reset --hard HEAD~1").is_denied();
    own(&world, &rule("shell/discard-work"));
    assert!(!runs(&world, "git reset --hard HEAD~1").stdout.contains("deny"));
    runs(&world, "git reset --hard HEAD~1 && git reset --hard HEAD~9").is_denied();
    runs(&world, "sudo git reset --hard HEAD~1").is_denied();
    let logged =
        world.log().iter().filter(|entry| entry.to_string().contains("overrides shell/discard-work")).count();
    assert!(logged >= 1);
    // Not in a project, and not for the guard's own parts.
    own(&world, "");
    world.write(PROJECT, &rule("shell/discard-work"));
    runs(&world, "git reset --hard HEAD~1").is_denied();
    let _ = world.run(&["rules", "check"]).says(&["overrides counts only in your own rules"]);
    world.remove(PROJECT);
    own(&world, &rule("shell/self-protection"));
    let _ = world.run(&["rules", "check"]).says(&["shell/self-protection stays in force"]);
}

#[test]
fn rules_are_shared_by_a_folder_and_by_a_path() {
    let world = World::new();
    let shared = world.base().join("team");
    write(&shared.join("apply.toml"), APPLY);
    write(&shared.join("README.md"), "not a rule");
    let config = json!({"rules": {"shared": [shared]}}).to_string();
    let world = world.with_user_config(&config);
    runs(&world, "terraform apply").is_denied();
    write(
        &shared.join("more.toml"),
        &APPLY.replace("acme/apply", "acme/destroy").replace("terraform apply", "terraform destroy"),
    );
    runs(&world, "terraform destroy").is_denied();
    world.write(
        ".claude/hooks/rules.d/a.toml",
        &APPLY.replace("acme/apply", "acme/taint").replace("terraform apply", "terraform taint"),
    );
    runs(&world, "terraform taint x").is_denied();
    let file = shared.join("apply.toml");
    world.tool("PreToolUse", "Write", &json!({"file_path": file, "content": ""})).is_denied();
    runs(&world, &format!("echo > {}", file.display())).is_denied();
    let listed = world.run(&["rules", "list", "--json"]).succeeds().json();
    let by: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|rule| rule["by"].as_str()).collect();
    assert_eq!(by, ["project", "shared", "shared"]);
}

#[test]
fn every_tool_is_held_to_a_rule_about_paths() {
    let world = World::new();
    own(
        &world,
        "[[rule]]\nid = \"me/gen\"\nwrite = \"gen/**\"\nthen = \"deny\"\nsay = \"Generated.\"\ncases = { deny = [\"touch gen/a\"], none = [\"ls\"] }\n",
    );
    for (tool, input) in [
        ("Write", json!({"file_path": world.name("gen/a.py"), "content": "x"})),
        ("Edit", json!({"file_path": world.name("gen/a.py"), "old_string": "a", "new_string": "b"})),
        ("Bash", json!({"command": "echo x > gen/a.py"})),
        ("Bash", json!({"command": "cp README.md gen/"})),
        ("Bash", json!({"command": "rm -rf gen"})),
        ("mcp__fs__write_file", json!({"path": world.name("gen/a.py"), "content": "x"})),
    ] {
        let reason = world.tool("PreToolUse", tool, &input).is_denied();
        assert!(reason.contains("Generated."), "{tool}: {reason}");
    }
    assert!(
        !world
            .tool("PreToolUse", "Write", &json!({"file_path": world.name("src/a.py"), "content": "x"}))
            .stdout
            .contains("deny")
    );
    world.link("alias", world.path("gen"));
    world.tool("PreToolUse", "Bash", &json!({"command": "echo x > alias/a.py"})).is_denied();
}

#[test]
fn the_agent_cannot_write_its_own_rules() {
    let world = World::new();
    for file in [PROJECT, ".claude/hooks/rules.d/a.toml"] {
        world
            .tool("PreToolUse", "Write", &json!({"file_path": world.name(file), "content": BUILD}))
            .is_denied();
        runs(&world, &format!("echo x >> {file}")).is_denied();
    }
    own(&world, APPLY);
    runs(&world, "rm ~/.claude/hooks/rules.toml").is_denied();
}

#[test]
fn words_are_written_otherwise_and_prompts_are_answered() {
    let world = World::new();
    own(
        &world,
        "[[rule]]\nid = \"me/pnpm\"\ncall = { program = \"yarn\" }\nthen = \"rewrite\"\nrewrite = { yarn = \"pnpm\" }\ncases = { rewrite = [\"yarn add x\"], none = [\"ls\"] }\n\n[[rule]]\nid = \"me/deploys\"\nprompt = \"*deploy*\"\nthen = \"context\"\nsay = \"Deploys are made by the pipeline.\"\ncases = { context = [{ prompt = \"please deploy it\" }], none = [{ prompt = \"hello\" }] }\n",
    );
    let ran = runs(&world, "cd . && yarn why left-pad");
    assert_eq!(
        ran.json()["hookSpecificOutput"]["updatedInput"]["command"],
        "cd . && pnpm why left-pad",
        "{ran:?}"
    );
    runs(&world, "bash -c \"$(printf 'yarn why x')\"").is_asked();
    let said = world.event("UserPromptSubmit", &json!({"prompt": "now deploy it"}));
    assert!(said.stdout.contains("Deploys are made by the pipeline."), "{said:?}");
    world.run(&["rules", "check"]).succeeds();
}

#[test]
fn rules_are_tested_shown_and_made() {
    let world = World::new();
    own(&world, APPLY);
    let _ = world.run(&["rules", "check"]).succeeds().says(&["1 rule, 2 cases: nothing is wrong"]);
    let tested = world.run(&["rules", "test", "--json"]).succeeds().json();
    assert!(tested[0]["run"].as_u64().unwrap() > 50, "{tested}");
    let ran = world.run(&["rules", "explain", "acme/apply", "cd x && terraform apply"]).succeeds();
    assert!(
        ran.stdout.contains("  deny     cd x && terraform apply\n                   ^^^^^^^^^^^^^^^"),
        "{}",
        ran.stdout
    );
    world.run(&["rules", "explain", "acme/none"]).fails_saying(&["unknown rule acme/none"]);
    let made = world.run(&["rules", "new", "me/prune", "docker system prune --all"]).succeeds();
    own(&world, &made.stdout);
    runs(&world, "docker system prune -a").is_an_answer();
    world.run(&["rules", "test", "me/prune"]).succeeds();

    own(
        &world,
        &APPLY.replace("instead = \"terraform plan\"", "instead = \"terraform apply -auto-approve\""),
    );
    let _ = world.run(&["rules", "check"]).says(&["it stops its own `instead`"]);
    own(&world, &APPLY.replace("deny = [\"terraform apply\"]", "deny = [\"terraform plan\"]"));
    let _ = world
        .run(&["rules", "check"])
        .says(&["expected deny, got none: terraform plan", "fires in none of its cases"]);
    own(&world, &APPLY.replace("terraform apply", "rm -rf /"));
    let _ = world.run(&["rules", "check"]).says(&["shell/destroy-files denies all of its cases already"]);
}

#[test]
fn rules_of_others_are_taken_over_and_what_cannot_be_said_is_listed() {
    let world = World::new()
        .with("settings.json", &json!({"permissions": {
            "allow": ["Bash(acme-build:*)", "Bash(ls * | wc)", "mcp__github__get_issue"],
            "ask": ["Bash(git push:*)"],
            "deny": ["Read(./secrets/**)", "WebFetch(domain:evil.example)", "Bash(curl:*)"],
            "defaultMode": "plan",
        }}).to_string())
        .with("default.rules", "prefix_rule(pattern = [\"acme\", [\"up\", \"down\"]], decision = \"forbidden\", justification = \"By hand.\", match = [\"acme up now\", [\"acme\", \"down\"]], not_match = [\"acme status\"])\nhost_executable(name = \"git\", paths = [\"/usr/bin/git\"])\n")
        .with("rulebook.json", &json!({"rulebook_version": 2, "name": "x", "version": "1", "allowed_commands": ["terraform"], "rules": [
            {"name": "destroy", "command": "terraform", "match": {"command_path": ["apply"], "any_args": ["-destroy", "--destroy"]}, "reason": "Review it first."}
        ], "tests": [{"command": "terraform apply -destroy", "expect": "blocked", "rule": "destroy"}, {"command": "terraform apply", "expect": "allowed"}]}).to_string());
    let take = |file: &str| world.run(&["rules", "import", file]).succeeds();
    let ran = take("settings.json");
    assert!(
        ran.stderr.contains("6 rules, 2 left out")
            && ran.stderr.contains("defaultMode")
            && ran.stderr.contains("ls * | wc"),
        "{}",
        ran.stderr
    );
    own(&world, &ran.stdout);
    is_allowed(&runs(&world, "acme-build x"));
    runs(&world, "cat secrets/a").is_denied();
    runs(&world, "bash -c 'curl https://example.com'").is_denied();

    let ran = take("default.rules");
    assert!(
        ran.stderr.contains("1 rule, 1 left out") && ran.stderr.contains("host_executable"),
        "{}",
        ran.stderr
    );
    own(&world, &ran.stdout);
    world.run(&["rules", "test"]).succeeds();
    assert!(runs(&world, "sudo acme down").is_denied().contains("By hand."));

    let ran = take("rulebook.json");
    own(&world, &ran.stdout);
    let _ = world.run(&["rules", "check"]).says(&["shell/destroy-cloud denies all of its cases already"]);
    world.run(&["rules", "test"]).succeeds();
    runs(&world, "terraform -chdir=x apply -destroy").is_denied();
    world.run(&["rules", "import", "README.md"]).fails_saying(&["there is no file"]);
}

#[test]
fn packs_of_dcg_have_equals_and_its_allow_list_becomes_rules() {
    let world = World::new()
        .with("config.toml", "[packs]\nenabled = [\"database.postgresql\", \"kubernetes\", \"payment.stripe\"]\ndisabled = [\"containers.docker\"]\n\n[policy.rules]\n\"core.git:push-force-long\" = \"warn\"\n")
        .with("allowlist.toml", "[[allow]]\nexact_command = \"git reset --hard HEAD~1\"\nreason = \"x\"\n\n[[allow]]\ncommand_prefix = \"acme-build all\"\nreason = \"x\"\n\n[[allow]]\nrule = \"core.git:reset-hard\"\nreason = \"x\"\n\n[[allow]]\npattern = \"rm -rf .*/build\"\nreason = \"x\"\n\n[[allow]]\nexact_command = \"ls && pwd\"\nreason = \"x\"\n");
    let ran = world.run(&["rules", "import", "config.toml"]).succeeds();
    for part in [
        "database.postgresql is on: so are shell/destroy-data, without a rule",
        "kubernetes is on: so are shell/destroy-cloud",
        "left out: payment.stripe: no check of ours",
        "left out: containers.docker (disabled): shell/destroy-cloud would be off for more than this",
        "left out: core.git:push-force-long (warn)",
        "0 rules, 3 left out",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let ran = world.run(&["rules", "import", "allowlist.toml"]).succeeds();
    assert!(ran.stderr.contains("2 rules, 3 left out"), "{}", ran.stderr);
    runs(&world, "git reset --hard HEAD~1").is_denied();
    own(&world, &ran.stdout);
    world.run(&["rules", "test"]).succeeds();
    assert!(!runs(&world, "git reset --hard HEAD~1").stdout.contains("deny"));
    runs(&world, "git reset --hard HEAD~2").is_denied();
    is_allowed(&runs(&world, "acme-build all --fast"));
    assert!(!runs(&world, "acme-build none").stdout.contains("allow"));
}

#[test]
fn a_rule_is_tried_on_recorded_sessions() {
    let world = World::new();
    let record = |kind: &str, rest: &Json| {
        let mut record = json!({"type": kind, "sessionId": "rec", "cwd": world.name("").trim_end_matches('/'), "gitBranch": "main",
            "permissionMode": "default", "timestamp": "2026-01-02T03:04:05.678Z"});
        record.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let mut text = String::new();
    for (id, command) in [("t1", "terraform apply"), ("t2", "terraform plan")] {
        let part = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        text += &record("assistant", &json!({"message": {"id": id, "content": [part]}}));
        text += &record(
            "user",
            &json!({"message": {"content": [{"type": "tool_result", "tool_use_id": id}]},
            "permissionDecision": {"decision": "accept", "source": "config"}}),
        );
    }
    world.write("rec.jsonl", &text);
    world.write("try.toml", APPLY);
    let ran = world.run(&["rules", "try", "try.toml", "--from", "rec.jsonl"]).succeeds();
    let _ = ran.says(&["acme/apply", "terraform apply"]);
    let ran = world.run(&["rules", "try", "try.toml", "--from", "rec.jsonl", "--fail-on-deny"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    world.run(&["rules", "try", "acme/none"]).fails_saying(&["neither a file of rules nor the id of one"]);
    world.run(&["rules", "suggest", "--from", "rec.jsonl"]).succeeds();
    assert!(!runs(&world, "terraform apply").stdout.contains("deny"), "it was only tried");
}

/// Into the file that it is read from, as the guide has it.
#[test]
fn a_new_rule_is_about_the_words_that_were_given() {
    let world = World::new().with("Makefile", "deploy:\n\techo deployed\n");
    let ran = world.run(&["rules", "new", "team/no-deploy", "sudo sh -c 'make deploy'"]).succeeds();
    assert!(ran.stdout.contains(r#"call = { program = "make", words = ["deploy"] }"#), "{}", ran.stdout);
}

#[test]
fn a_new_rule_does_not_find_itself() {
    let world = World::new();
    let folder = world.path(".claude/hooks");
    std::fs::create_dir_all(&folder).unwrap();
    let file = std::fs::File::create(folder.join("rules.toml")).unwrap();
    let ran =
        world.program(&["rules", "new", "acme/no-deploy", "make deploy"]).stdout(file).output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
    world.run(&["rules", "list"]).succeeds().says(&["acme/no-deploy"]);
}

/// A rule that nobody has finished is not called good.
#[test]
fn a_new_rule_wants_a_reason() {
    let world = World::new();
    let made = world.run(&["rules", "new", "team/no-deploy", "make deploy"]).succeeds().stdout;
    world.write(".claude/hooks/rules.toml", &made);
    let ran = world.run(&["rules", "check"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("say why"), "{ran:?}");
    let reason = made.replace(
        "TODO: say why, in one sentence that tells the agent what to do instead.",
        "Releases go by CI.",
    );
    assert_ne!(reason, made);
    world.write(".claude/hooks/rules.toml", &reason);
    world.run(&["rules", "check"]).succeeds().says(&["1 rule, 2 cases: nothing is wrong"]);
    world
        .run(&["rules", "explain", "team/no-deploy"])
        .succeeds()
        .says(&["matches   call = { program = \"make\", words = [\"deploy\"] }"]);
}

/// Where no agent has recorded anything, our own log is the history.
#[test]
fn a_rule_is_tried_on_the_log_where_there_are_no_recordings() {
    let world = World::new();
    let rules = "[[rule]]\nid = \"team/x\"\ncall = \"make deploy\"\nthen = \"deny\"\nsay = \"No.\"\ncases = { deny = [\"make deploy\"], none = [\"make\"] }\n";
    world.write("new.toml", rules);
    let none = world.run(&["rules", "try", "new.toml", "--last", "30d"]);
    none.fails_saying(&["there are no sessions of this project, and no commands in Plimsoll's log"]);
    world.tool("PreToolUse", "Bash", &serde_json::json!({"command": "make deploy"}));
    let ran = world.run(&["rules", "try", "new.toml", "--last", "30d"]).succeeds();
    assert!(ran.stderr.contains("this is from Plimsoll's own log"), "{ran:?}");
    assert!(ran.stdout.contains("team/x"), "{ran:?}");
}
