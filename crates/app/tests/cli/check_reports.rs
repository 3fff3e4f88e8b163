//! `plimsoll check` for CI: SARIF, `JUnit`, annotations, and the hooks of pre-commit that call it.

use std::process::Command;

use serde_json::Value as Json;

use crate::needs::missing;
use crate::world::{Ran, World, program, write};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// A name and a message with everything that means something in one of the formats.
const NAME: &str = "a b,ü#1.py";

/// A project with a linter that has something to say about one file.
fn world() -> World {
    let world = World::new().with_user_config(r#"{"engine": "external"}"#).with(NAME, "x = y\n");
    let found = format!(
        r#"[{{"code": "F821", "message": "Undefined <name> `y` & \"more\"\n100 %: ]]>", "filename": "{}", "location": {{"row": 1, "column": 5}}, "end_location": {{"row": 1, "column": 6}}, "fix": null, "url": ""}}]"#,
        world.name(NAME)
    );
    write(&world.base().join("found.json"), &found);
    let script = format!(
        "case \"$*\" in *--version*) echo 'ruff 0.14.0';; *output-format*) cat '{0}'; grep -q '^\\[\\]' '{0}' || exit 1;; *) cat;; esac",
        world.base().join("found.json").display()
    );
    program(&world.base().join("tools/ruff"), &script);
    world
}

fn check(world: &World, format: &str) -> Ran {
    let ran = world.run(&["check", "--format", format, NAME]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    ran
}

/// The main demands of the format's schema, and what code scanning asks for besides.
fn is_sarif(sarif: &Json) {
    assert_eq!(sarif["version"], "2.1.0");
    let runs = sarif["runs"].as_array().unwrap();
    assert!(!runs.is_empty(), "an upload has at least one run");
    for run in runs {
        let driver = &run["tool"]["driver"];
        assert!(driver["name"].as_str().is_some_and(|name| !name.is_empty()), "{run}");
        let rules = driver["rules"].as_array().unwrap();
        assert!(rules.iter().all(|rule| rule["id"].is_string()));
        for call in run["invocations"].as_array().into_iter().flatten() {
            assert!(call["executionSuccessful"].is_boolean());
            let notes = call["toolExecutionNotifications"].as_array().unwrap();
            assert!(notes.iter().all(|note| note["message"]["text"].is_string()), "{call}");
        }
        for result in run["results"].as_array().unwrap() {
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
            let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[rule]["id"], result["ruleId"]);
            for place in result["locations"].as_array().unwrap() {
                let place = &place["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().unwrap();
                assert!(uri.bytes().all(|b| b.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&b)), "{uri}");
                assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
                assert!(place["region"]["startColumn"].as_u64().unwrap() >= 1);
            }
        }
    }
}

#[test]
fn sarif_is_what_its_schema_wants() {
    let world = world();
    let sarif = check(&world, "sarif").json();
    is_sarif(&sarif);
    let result = &sarif["runs"][1]["results"][0];
    assert_eq!(
        (&result["ruleId"], &sarif["runs"][1]["tool"]["driver"]["name"]),
        (&"F821".into(), &"ruff".into())
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b%2C%C3%BC%231.py");
    // Nothing found is a report, too; and a linter that could not look is no success.
    write(&world.base().join("found.json"), "[]");
    world.write(NAME, "x = 1\n");
    is_sarif(&world.run(&["check", "--format", "sarif", NAME]).json());
    write(&world.base().join("found.json"), "out of order");
    world.write(NAME, "x = 2\n");
    let broken = check(&world, "sarif").json();
    is_sarif(&broken);
    assert_eq!(broken["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn junit_is_xml_with_a_failure_per_violation() {
    let world = world();
    let xml = check(&world, "junit").stdout;
    let read = "import sys, xml.etree.ElementTree as e\nr = e.fromstring(sys.argv[1].encode())\n\
        print(r.tag, r.get('tests'), r.get('failures'), len(list(r.iter('testcase'))), len(list(r.iter('failure'))), sep='|')\n\
        print([f.get('message') for f in r.iter('failure')][0]); print([s.get('name') for s in r.iter('testsuite')][1])";
    let done = Command::new("python3").args(["-c", read, &xml]).output().unwrap();
    assert!(done.status.success(), "{xml}\n{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "testsuites|2|1|2|1", "{xml}");
    assert_eq!(lines[1], "Undefined <name> `y` & \"more\"");
    assert_eq!(lines[lines.len() - 1], NAME);
}

#[test]
fn annotations_stay_on_their_line() {
    let said = check(&world(), "github").stdout;
    let line = said.lines().next().unwrap();
    assert!(line.starts_with("::error file=a b%2Cü#1.py,line=1,col=5,title=F821 (ruff)::"), "{said}");
    assert!(line.ends_with("100 %25: ]]>"), "{said}");
    let text = world().run(&["check", "--format", "text", NAME]);
    assert!(text.stdout.contains("1:5 F821"), "the name that most tools have for it: {}", text.stdout);
}

/// The real pre-commit, with our hooks from a repository that has nothing else in it.
#[test]
fn pre_commit_runs_our_hooks() {
    let Some(pre_commit) = std::env::var_os("PLIMSOLL_TEST_PRE_COMMIT") else {
        return missing("pre-commit", "PLIMSOLL_TEST_PRE_COMMIT names no file");
    };
    let world = world();
    let hooks = world.base().join("hooks");
    let text = std::fs::read_to_string(format!("{REPOSITORY}/.pre-commit-hooks.yaml")).unwrap();
    write(&hooks.join(".pre-commit-hooks.yaml"), &text);
    let dir = hooks.to_string_lossy().into_owned();
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "hooks"]] {
        world.git(&[&["-C", &dir], args].concat());
    }
    let commit = world.git(&["-C", &dir, "rev-parse", "HEAD"]);
    let config = format!(
        "repos:\n  - repo: {dir}\n    rev: {commit}\n    hooks: [{{id: plimsoll-check}}, {{id: plimsoll-fix}}]\n"
    );
    world.write(".pre-commit-config.yaml", &config);
    world.git(&["add", "-A"]);
    let home = world.base().join("pre-commit");
    let line = format!(
        "PRE_COMMIT_HOME='{}' '{}' run --all-files --color never || echo failed",
        home.display(),
        pre_commit.to_string_lossy()
    );
    let said = world.sh(&line).stdout;
    assert!(said.contains("plimsoll check") && said.contains("F821") && said.contains("failed"), "{said}");
    write(&world.base().join("found.json"), "[]");
    world.write(NAME, "x = 1\n");
    world.git(&["add", "-A"]);
    let said = world.sh(&line).stdout;
    assert!(said.matches("Passed").count() == 2 && !said.contains("failed"), "{said}");
}

/// What the action calls is there: every option, and every format that it names.
#[test]
fn the_action_uses_options_that_exist() {
    let action = std::fs::read_to_string(format!("{REPOSITORY}/action.yml")).unwrap();
    let help = World::new().run(&["check", "--help"]).stdout;
    for option in ["--format", "--thorough", "--trust-project"] {
        assert!(action.contains(option) && help.contains(option), "{option}");
    }
    for format in ["human", "json", "github", "sarif", "junit"] {
        assert!(help.contains(format), "{format}: {help}");
    }
    // An input reaches the shell as a variable, never as text of the script.
    let scripts: Vec<&str> =
        action.split("run: |").skip(1).map(|part| part.split("    - name:").next().unwrap()).collect();
    assert!(scripts.len() == 2 && scripts.iter().all(|script| !script.contains("${{")), "{scripts:?}");
}

/// What a program reads goes into the file, what people read stays on the screen.
#[test]
fn a_report_goes_into_a_file_on_demand() {
    let world = World::new().with("a.json", "{\n");
    let printed = world.run(&["check", "--format", "sarif"]);
    let ran = world.run(&["check", "--format", "sarif", "--output", "found.sarif"]);
    assert_eq!(ran.code, printed.code, "{ran:?}");
    assert_eq!(world.read("found.sarif"), printed.stdout);
    assert!(ran.stdout.contains("looked at"), "{ran:?}");
    world
        .run(&["check", "--output", "x"])
        .fails_saying(&["--output goes with --format json, sarif or junit"]);
}
