//! What happens after an edit: format, lint, fix, and what the agent is told. Here with stand-ins for the tools, which do what a
//! test tells them; `tools.rs` has the real ones.

mod fixer;
mod patches;

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::world::{Ran, World, program};

/// As the document of the old linter hooks has it: all of a file counts, by every linter, and each file is formatted. Without the engines, which
/// have tests of their own.
const DOCUMENT: &str =
    r#"{"engine": "external", "unconfigured": "all", "formatting": "all", "boy_scout": true}"#;

/// The same linters, with a model that fixes.
const WITH_A_MODEL: &str = r#"{"unconfigured": "all", "formatting": "all", "boy_scout": true, "phases": {"subprocess_delegation": true}}"#;

/// A world whose tools are scripts of ours, in the project's environment.
fn world(tools: &[(&str, &str)]) -> World {
    let world = World::new();
    for (name, script) in tools {
        program(&world.path(&format!(".venv/bin/{name}")), script);
    }
    world.with_user_config(DOCUMENT).with_variable("HOOK_SKIP_SUBPROCESS", "1").trusting_tools()
}

/// ruff as far as we call it: `format -`, `check --fix -` and `check --preview`.
fn ruff(report: &str) -> String {
    format!("case \"$1 $2\" in 'check --preview') {report};; --version*) echo 'ruff 9.9.9';; *) cat;; esac")
}

const F841: &str = r#"[{"code": "F841", "filename": "app.py", "location": {"row": 2, "column": 5}, "message": "`x` is never used"}]"#;

fn edited(world: &World, name: &str, text: &str) -> Ran {
    world.write(name, text);
    world.tool("PostToolUse", "Write", &json!({"file_path": world.name(name), "content": text}))
}

#[test]
fn what_a_linter_finds_is_told_with_place_and_rule() {
    let world = world(&[("ruff", &ruff(&format!("echo '{F841}'; exit 1")))]);
    let ran = edited(&world, "app.py", "def f():\n    x = 1\n");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "1 problem in this file:\n\
         app.py:2:5 F841 `x` is never used (ruff)\n\
         Fix each at its place with a small edit; do not disable rules or change their configuration.\n"
    );
}

#[test]
fn a_clean_file_is_passed_in_silence() {
    let world = world(&[
        ("ruff", &ruff("echo '[]'")),
        ("ty", "echo '[]'"),
        ("vulture", ":"),
        ("bandit", "echo '{\"results\": []}'"),
        ("flake8", ":"),
    ]);
    edited(&world, "app.py", "x = 1\n").is_silent();
}

#[test]
fn what_is_missing_is_said_to_the_user_once() {
    let world = world(&[]);
    let first = edited(&world, "run.sh", "true\n");
    let line = "[hook:warning] shell files are not linted: no linter is installed. Install: plimsoll tools install shellcheck shfmt";
    assert_eq!(first.json(), json!({"systemMessage": line}));
    edited(&world, "run.sh", "false\n").is_silent();
}

#[test]
fn a_formatter_that_cannot_work_is_named_unless_the_file_is_at_fault() {
    for (words, told) in [
        ("[error] Invalid configuration for file", true),
        ("[error] app.ts: SyntaxError: Unexpected token (1:11)", false),
    ] {
        let world = world(&[]).with(".prettierrc", "{\n");
        program(&world.path("node_modules/.bin/prettier"), &format!("echo '{words}' >&2; exit 2"));
        let ran = edited(&world, "app.ts", "let a = 1;\n");
        let all = format!("{}{}", ran.stdout, ran.stderr);
        let line = "prettier: it could not format, exit code 2: [error] Invalid configuration for file";
        assert_eq!(all.contains(line), told, "{all}");
    }
}

#[test]
fn a_tool_that_cannot_be_understood_is_named_and_not_taken_for_clean() {
    for (script, why) in [
        ("echo oops", "its output has no JSON of this form: oops"),
        ("exit 1", "it ended with exit code 1 but named no violation"),
        ("echo broken >&2; exit 9", "it ended with exit code 9: broken"),
        ("kill -9 $$", "a signal ended it"),
        ("head -c 100000000 /dev/zero", "it printed more than can be read"),
    ] {
        let world = world(&[("ruff", &ruff(script))]);
        let ran = edited(&world, "app.py", "x = 1\n");
        let line = format!("[hook:warning] could not read the output of ruff 9.9.9: {why}");
        assert!(ran.stdout.contains(&line), "{script}: «{line}» is not in {}", ran.stdout);
    }
}

#[test]
fn a_tool_that_hangs_is_ended_and_named() {
    let world = world(&[("ruff", &ruff("sleep 600"))]);
    world.write("app.py", "x = 1\n");
    let payload = world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": {"file_path": world.name("app.py"), "content": "x = 1\n"}}));
    let ran = world.hook(&["--deadline", "5"], payload.to_string());
    assert!(
        // Asked for its version it may hang again, and there is no time left for that.
        ran.stdout.contains("could not read the output of ruff: ")
            && ran.stdout.contains("did not end within"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_old_tool_is_named_and_still_listened_to() {
    let world = world(&[]);
    let report = r#"[{"line":1,"code":"DL3006","message":"Always tag the version of an image explicitly","column":1,"file":"Dockerfile","level":"warning"}]"#;
    let hadolint = format!(
        "case \"$1\" in --version) echo 'Haskell Dockerfile Linter 2.10.0-0-g78d6eff';; *) echo '{report}'; exit 1;; esac"
    );
    program(&world.base().join("tools/hadolint"), &hadolint);
    let ran = edited(&world, "Dockerfile", "FROM debian\n");
    assert_eq!(ran.code, Some(2));
    for part in [
        "Dockerfile:1:1 DL3006 Always tag the version of an image explicitly (hadolint)\n",
        "[hook:warning] hadolint 2.10.0 < 2.12.0 (some features may not work). `plimsoll tools install` gets",
    ] {
        assert!(ran.stderr.contains(part), "«{part}» is not in {}", ran.stderr);
    }
    // One that is new enough, and one that does not say, are not spoken of.
    for answer in ["2.12.0", "unknown"] {
        let hadolint = hadolint.replace("2.10.0-0-g78d6eff", answer);
        program(&world.base().join("tools/hadolint"), &hadolint);
        let ran = edited(&world, "Dockerfile", "FROM debian\n");
        assert!(ran.code == Some(2) && !ran.stderr.contains("2.12.0 ("), "{answer}: {}", ran.stderr);
    }
}

const SC2086: &str =
    r#"[{"file": "run.sh", "line": 2, "column": 6, "code": 2086, "message": "Double quote"}]"#;

#[test]
fn a_formatter_that_is_broken_changes_nothing_and_hides_nothing() {
    for (shfmt, said) in [
        ("cat >/dev/null; kill -9 $$", None),
        ("cat >/dev/null; exit 7", None),
        ("exit 0", None),
        ("sleep 600", Some("did not end within")),
        ("head -c 100000000 /dev/zero", None),
    ] {
        let world = world(&[]);
        program(&world.base().join("tools/shellcheck"), &format!("echo '{SC2086}'; exit 1"));
        program(&world.base().join("tools/shfmt"), shfmt);
        let text = "#!/bin/bash\necho $1\n";
        world.write("run.sh", text);
        let payload = world.payload("PostToolUse", &json!({"tool_name": "Write", "tool_input": {"file_path": world.name("run.sh"), "content": text}}));
        let ran = world.hook(&["--deadline", "5"], payload.to_string());
        assert!(ran.code == Some(2) && ran.stderr.contains("run.sh:2:6 SC2086"), "{shfmt}: {}", ran.stderr);
        assert!(said.is_none_or(|said| ran.stderr.contains(said)), "{shfmt}: {}", ran.stderr);
        assert_eq!(world.read("run.sh"), text, "{shfmt}");
    }
}

#[test]
fn linters_of_what_is_no_more_are_ended() {
    let world = world(&[]);
    let shellcheck = "grep -q 'echo  ' run.sh && { echo $$ > \"$HOME/early\"; sleep 600; }; echo '[]'";
    program(&world.base().join("tools/shellcheck"), shellcheck);
    let shfmt = "while ! test -s \"$HOME/early\"; do sleep 0.01; done; sed 's/  / /'";
    program(&world.base().join("tools/shfmt"), shfmt);
    let ran = edited(&world, "run.sh", "echo  fine\n");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(world.read("run.sh"), "echo fine\n");
    let early = std::fs::read_to_string(world.home().join("early")).unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{}", early.trim())).exists());
}

#[test]
fn a_formatted_file_keeps_its_mode_and_its_line_ends() {
    let world = world(&[(
        "ruff",
        "case \"$1 $2\" in 'check --preview') echo '[]';; format*) tr -d '\\r' | sed 's/=1/ = 1/';; *) cat;; esac",
    )]);
    world.write("real.py", "x=1\r\ny = 2\r\n");
    std::fs::set_permissions(world.path("real.py"), std::fs::Permissions::from_mode(0o750)).unwrap();
    world.link("link.py", "real.py");
    world.has_edited(&world.name("link.py"));
    assert_eq!(world.read("real.py"), "x = 1\r\ny = 2\r\n");
    assert!(world.path("link.py").symlink_metadata().unwrap().is_symlink());
    assert_eq!(world.path("real.py").metadata().unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn an_unused_import_waits_for_the_edit_that_uses_it() {
    let report = r#"[{"code": "F401", "filename": "app.py", "location": {"row": 1, "column": 8}, "message": "`os` imported but unused"}]"#;
    let world = world(&[("ruff", &ruff(&format!("echo '{report}'; exit 1")))]);
    let ran = edited(&world, "app.py", "import os\n");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // One that was there before this edit counts.
    world.write("app.py", "import os\nx = 1\n");
    let ran = world.event("PostToolUse", &json!({
        "tool_name": "Edit", "tool_input": {"file_path": world.name("app.py"), "old_string": "x = 0", "new_string": "x = 1"},
        "tool_response": {"originalFile": "import os\nx = 0\n"},
    }));
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("F401") && ran.stderr.contains("already there before this edit: 1"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_language_that_is_off_and_a_file_of_none_are_left_alone() {
    let world = world(&[("ruff", &ruff(&format!("echo '{F841}'; exit 1")))])
        .with_config(r#"{"languages": {"python": false}}"#);
    edited(&world, "app.py", "def f():\n    x = 1\n").is_silent();
    edited(&world, "notes.xyz", "text\n").is_silent();
}

#[test]
fn observing_changes_no_file_and_says_nothing() {
    let world = world(&[("ruff", "case \"$1 $2\" in 'check --preview') echo '[]';; *) echo 'x = 9';; esac")])
        .with_user_config(r#"{"profile": "observe"}"#);
    edited(&world, "app.py", "x=1\n").is_silent();
    assert_eq!(world.read("app.py"), "x=1\n");
}

const F401: &str = r#"[{"code": "F401", "filename": "app.py", "location": {"row": 1, "column": 8}, "message": "`os` imported but unused"}]"#;

#[test]
fn an_import_that_stays_unused_holds_the_stop() {
    let script = format!("if grep -q 'import os' app.py; then echo '{F401}'; exit 1; else echo '[]'; fi");
    let world = world(&[("ruff", &ruff(&script))]);
    let ran = edited(&world, "app.py", "import os\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
    let held = world.session_stops("s1").json();
    assert_eq!(held["decision"], "block");
    let reason = held["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("1 problem is open in files of this session:\napp.py:1:8 F401 `os` imported"),
        "{reason}"
    );
    // Another session has nothing to do with it.
    world.session_stops("s2").is_silent();
    world.write("app.py", "x = 1\n");
    world.session_stops("s1").is_let_go();
    // Settled is settled: nobody looks again.
    world.write("app.py", "import os\n");
    world.session_stops("s1").is_let_go();
}

#[test]
fn a_slow_linter_reports_later_and_at_the_latest_at_the_stop() {
    let flake8 = "sleep 0.3; for f; do :; done; grep -q sleep \"$f\" && { echo \"$f:2:1: ASYNC251 blocking call\"; exit 1; }; exit 0";
    let world = world(&[("ruff", &ruff("echo '[]'")), ("flake8", flake8)]);
    let ran = edited(&world, "app.py", "async def f():\n    time.sleep(1)\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
    let held = world.session_stops("s1").json();
    let reason = held["reason"].as_str().unwrap();
    assert!(reason.contains("app.py:2:1 ASYNC251 blocking call (flake8-async)"), "{reason}");
    // The next hook that can carry it tells the model, too.
    let mail = loop {
        let ran = edited(&world, "other.py", "x = 1\n");
        if !ran.stdout.is_empty() {
            break ran.json();
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let text = mail["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("1 problem found by slower linters in app.py:\napp.py:2:1 ASYNC251"), "{text}");
    // It stands in the log when it is found, and is counted once all the same.
    let found = |event: &str| {
        let records = world.log();
        let of_event = records.iter().filter(|one| one["event"] == event);
        of_event.filter(|one| one["lint"]["found"][0]["rule"] == "ASYNC251").count()
    };
    assert_eq!((found("task lint-late"), found("Stop")), (1, 1), "{:?}", world.log());
    let counted = world.run(&["stats", "--json"]).succeeds().json();
    let counted = counted.to_string();
    assert!(counted.contains("ASYNC251\":1"), "{counted}");
    world.run(&["log"]).succeeds().says(&["found: ASYNC251 app.py:2 (flake8"]);
    world.write("app.py", "x = 1\n");
    world.session_stops("s1").is_let_go();
}

#[test]
fn thorough_waits_for_the_slow_ones() {
    let flake8 = "for f; do :; done; echo \"$f:2:1: ASYNC251 blocking call\"; exit 1";
    let world =
        world(&[("ruff", &ruff("echo '[]'")), ("flake8", flake8)]).with_config(r#"{"pace": "thorough"}"#);
    let ran = edited(&world, "app.py", "async def f():\n    time.sleep(1)\n");
    assert!(ran.stderr.contains("app.py:2:1 ASYNC251 blocking call (flake8-async)"), "{}", ran.stderr);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn a_rule_that_two_linters_know_is_told_once() {
    let report = r#"[{"code": "ASYNC251", "filename": "app.py", "location": {"row": 2, "column": 5}, "message": "a blocking call"}]"#;
    let flake8 = "for f; do :; done; echo \"$f:2:5: ASYNC251 blocking call\"; echo \"$f:2:5: ASYNC210 another\"; exit 1";
    let world = world(&[("ruff", &ruff(&format!("echo '{report}'; exit 1"))), ("flake8", flake8)])
        .with_config(r#"{"pace": "thorough"}"#);
    let ran = edited(&world, "app.py", "async def f():\n    time.sleep(1)\n");
    assert!(ran.stderr.starts_with("2 problems in this file:"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("ASYNC251").count(), 1, "{}", ran.stderr);
}

#[cfg(feature = "engines")]
#[test]
fn a_tool_whose_library_is_linked_in_is_started_for_schemas_alone() {
    for pace in ["fast", "thorough"] {
        let world = World::new().with_config(&json!({"pace": pace}).to_string());
        let asked = world.base().join("asked");
        let taplo = format!("[ \"$1\" = check ] && echo \"$1\" > '{}'; true", asked.display());
        program(&world.base().join("tools/taplo"), &taplo);
        edited(&world, "plain.toml", "key = 1\n").is_silent();
        assert!(!asked.exists(), "{pace}");
        edited(&world, "typed.toml", "#:schema ./schema.json\nkey = 1\n").is_silent();
        assert!(asked.exists(), "{pace}");
    }
}

/// biome as far as we call it: `check` of the file says everything that formatting would change or linting report, `check --write`
/// formats, `lint` lints. Notes what it was asked, and with how many threads.
fn biome(world: &World, look: &str) -> std::path::PathBuf {
    let asked = world.base().join("asked");
    let script = format!(
        "echo \"$1 $2 $RAYON_NUM_THREADS\" >> '{}'\n\
         case \"$1 $2\" in\n\
         'check --reporter=json') {look};;\n\
         'lint --reporter=json') echo '{{\"diagnostics\": []}}';;\n\
         *) sed 's/  / /';;\n\
         esac",
        asked.display()
    );
    program(&world.path("node_modules/.bin/biome"), &script);
    asked
}

#[test]
fn one_look_is_enough_where_there_is_nothing_to_do() {
    let world = world(&[]);
    let asked = biome(&world, r#"echo '{"diagnostics": []}'"#);
    // The second time it is remembered.
    for _ in 0..2 {
        edited(&world, "app.ts", "export const answer = 42;\n").is_silent();
        assert_eq!(std::fs::read_to_string(&asked).unwrap(), "check --reporter=json 1\n");
    }
}

#[test]
fn a_look_that_finds_anything_is_followed_by_formatting_and_linting() {
    let trifle = r#"echo '{"diagnostics": [{"severity": "information", "category": "lint/style/x", "message": "m", "location": {"path": "app.ts"}}]}'"#;
    for look in [trifle, "echo nonsense", "exit 3"] {
        let world = world(&[]);
        let asked = biome(&world, look);
        edited(&world, "app.ts", "export  const answer = 42;\n").formatted("app.ts", "biome");
        assert_eq!(world.read("app.ts"), "export const answer = 42;\n", "{look}");
        let asked = std::fs::read_to_string(&asked).unwrap();
        assert!(asked.contains("check --write 1\n") && asked.contains("lint --reporter=json 1\n"), "{asked}");
    }
}

#[test]
fn scripts_are_formatted_as_the_project_says() {
    for (config, options) in [
        ("", "-i 2 -ci -bn -filename"),
        ("[*.md]\nindent_size = 4\n", "-i 2 -ci -bn -filename"),
        ("[*]\ncharset = utf-8\n", "-i 2 -ci -bn -filename"),
        ("[*]\nindent_style = tab\n", "-filename"),
        ("root = true\n[*.py]\nindent_size = 4\n[*.{sh,bash}]\nindent_size = 4\n", "-filename"),
    ] {
        let world = world(&[]);
        let asked = world.base().join("asked");
        program(&world.base().join("tools/shfmt"), &format!("echo \"$*\" > '{}'; cat", asked.display()));
        program(&world.base().join("tools/shellcheck"), "echo '[]'");
        world.write(".editorconfig", config);
        edited(&world, "run.sh", "#!/bin/bash\ntrue\n").is_silent();
        let asked = std::fs::read_to_string(&asked).unwrap();
        assert!(asked.starts_with(options), "{config}: {asked}");
    }
}

#[cfg(feature = "engines")]
#[test]
fn where_only_faults_count_nobodys_taste_is_imposed() {
    let files = [
        ("ci.yml", "on: yes\njobs:   1\n", "on: yes\non: no\n", ".yamllint", "extends: default\n"),
        ("notes.md", "##  Title\n[text]()\n", "", ".markdownlint.json", "{}\n"),
        (
            "run.sh",
            "#!/bin/bash\nif true;then\n      now=`date`\n      echo \"$now\"\nfi\n",
            "#!/bin/bash\nif true; then\n",
            ".shellcheckrc",
            "\n",
        ),
        (
            "Dockerfile",
            "FROM debian\nRUN apt-get install -y git\n",
            "FROM a:1 AS x\nFROM b:1 AS x\n",
            ".hadolint.yaml",
            "{}\n",
        ),
        (
            "app.py",
            "import subprocess\nimport os\nprint( os, subprocess )\n",
            "x = undefined\n",
            "ruff.toml",
            "lint.select = [\"I\"]\n",
        ),
        ("a.pyi", "def f(x: int) -> str: ...\n", "x: undefined\n", "", ""),
        ("data.json", "{\"a\": [1,2]}\n", "{\"a\": [1,2}\n", "", ""),
        ("data.toml", "a=1\n", "a = \n", "taplo.toml", "\n"),
    ];
    for (name, taste, fault, config, set_up) in files {
        let world = World::without_git()
            .without_stand_ins()
            .with_config(r#"{"unconfigured": "faults"}"#)
            .with_variable("HOOK_SKIP_SUBPROCESS", "1");
        edited(&world, name, taste).is_silent();
        assert_eq!(world.read(name), taste, "{name} is left as it is");
        // No rule of Markdown is about a fault.
        if !fault.is_empty() {
            let told = edited(&world, name, fault);
            assert_eq!(told.code, Some(2), "{name}: {told:?}");
        }
        if config.is_empty() {
            continue;
        }
        // Whoever has set a linter up wants to hear it.
        let world = world.with(config, set_up);
        let told = edited(&world, name, taste);
        assert!(told.code == Some(2) || world.read(name) != taste, "{name}: {told:?}");
    }
}

#[test]
fn duplicated_code_is_advice_when_enough_files_were_edited() {
    let jscpd = r#"out=; while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done
cat > "$out/jscpd-report.json" <<END
{"duplicates": [{"lines": 12, "firstFile": {"name": "$PWD/src/a.py", "start": 3}, "secondFile": {"name": "$PWD/src/b.py", "start": 9}}]}
END
exit 1"#;
    let world = world(&[("ruff", &ruff("echo '[]'"))]).with_config(r#"{"pace": "thorough"}"#);
    program(&world.path("node_modules/.bin/jscpd"), jscpd);
    for name in ["src/a.py", "src/b.py", "src/a.py"] {
        assert_eq!(edited(&world, name, "x = 1\n").stdout, "", "two files, one of them twice");
    }
    let text = edited(&world, "src/c.py", "x = 1\n").json();
    let text = text["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
    assert_eq!(
        text,
        format!(
            "[hook:advisory] Duplicate code detected\nClone pairs found: 1\nsrc/a.py:3 12 lines are the same as those at {}:9\n\
             Run 'npx jscpd --config .jscpd.json' for details.",
            world.name("src/b.py")
        )
    );
    // Once in a session.
    assert_eq!(edited(&world, "src/d.py", "x = 1\n").stdout, "");
    assert!(!world.has("reports"));
}

#[test]
fn duplicated_code_is_advice_where_there_is_more_than_the_project_allows() {
    for (percentage, said) in [("4.9", false), ("5.1", true)] {
        let jscpd = format!(
            r#"out=; while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done
cat > "$out/jscpd-report.json" <<END
{{"statistics": {{"total": {{"percentage": {percentage}}}}},
"duplicates": [{{"lines": 12, "firstFile": {{"name": "$PWD/src/a.py", "start": 3}}, "secondFile": {{"name": "$PWD/src/b.py", "start": 9}}}}]}}
END"#
        );
        let world = world(&[("ruff", &ruff("echo '[]'"))])
            .with_config(r#"{"pace": "thorough"}"#)
            .with(".jscpd.json", r#"{"threshold": 5, "minTokens": 50}"#);
        program(&world.path("node_modules/.bin/jscpd"), &jscpd);
        let told: String =
            ["src/a.py", "src/b.py", "src/c.py"].map(|name| edited(&world, name, "x = 1\n").stdout).concat();
        assert_eq!(told.contains("Duplicate code detected"), said, "{percentage} %: {told}");
    }
}
