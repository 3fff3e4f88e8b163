//! `plimsoll check`: the linters over many files.

use serde_json::json;

use crate::world::{World, program};

/// Whatever a linter says counts, also where nobody has chosen it.
const ALL: &str = r#"{"unconfigured": "all", "formatting": "all"}"#;

/// Files of which one is clean, one is ignored by git and two are not right.
fn world() -> World {
    World::new()
        .with_user_config(ALL)
        .with_committed(".gitignore", "build\n")
        .with_committed("ok.sh", "#!/bin/bash\necho \"$1\"\n")
        .with_committed("bad.sh", "#!/bin/bash\necho $1\n")
        .with("build/made.sh", "#!/bin/bash\necho $1\n")
        .with("new.json", "{\"a\":}\n")
}

#[test]
fn a_tree_is_looked_at_without_what_git_ignores() {
    let ran = world().run(&["check"]);
    assert_eq!(ran.code, Some(1));
    for part in
        ["bad.sh", "  2:6 SC2086", "     2 | echo $1", "new.json", "JSON_SYNTAX", "2 problems in 2 of them"]
    {
        assert!(ran.stdout.contains(part), "{part} is not in {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("made.sh") && !ran.stdout.contains("ok.sh"), "{}", ran.stdout);
}

#[test]
fn changed_and_staged_files_alone() {
    let world = world();
    let files = |args: &[&str]| {
        let ran = world.run(&[&["check", "--format", "json"], args].concat());
        let found = ran.json()["violations"].as_array().unwrap().clone();
        found.iter().map(|found| found["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files(&["--changed"]), ["new.json"]);
    assert_eq!(files(&["--staged"]), [""; 0]);
    world.git(&["add", "new.json"]);
    assert_eq!(files(&["--staged"]), ["new.json"]);
    assert_eq!(files(&["bad.sh"]), ["bad.sh"]);
    assert_eq!(files(&["build"]), ["build/made.sh"], "what is named is looked at");
}

#[test]
fn a_clean_tree_succeeds_and_a_path_that_is_not_there_fails() {
    let world = world();
    world.run(&["check", "ok.sh"]).succeeds().says(&["1 file looked at, nothing found"]);
    world.run(&["check", "nope"]).fails_saying(&["nope is not there"]);
}

#[test]
fn fixes_are_applied() {
    let world = World::new().with_user_config(ALL).with("a.py", "import os\nx=1\n").with("b.toml", "a=1\n");
    world.run(&["check", "--fix"]).succeeds().says(&["2 files rewritten"]);
    assert_eq!(world.read("a.py"), "x = 1\n");
    assert_eq!(world.read("b.toml"), "a = 1\n");
}

#[test]
fn reports_for_programs() {
    let world = world();
    let github = world.run(&["check", "--format", "github", "bad.sh"]).stdout;
    // By the tool, or by what stands for it and says so.
    let by = ["shellcheck", "shellcheck (built in)"];
    let titled =
        |by: &&str| github.starts_with(&format!("::error file=bad.sh,line=2,col=6,title=SC2086 ({by})::"));
    assert!(by.iter().any(titled), "{github}");
    let sarif = world.run(&["check", "--format", "sarif", "bad.sh"]).json();
    assert_eq!(sarif["version"], "2.1.0");
    let driver = &sarif["runs"][1]["tool"]["driver"]["name"];
    assert!(by.iter().any(|by| driver == by), "{driver}");
    let region = &sarif["runs"][1]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, json!({"startLine": 2, "startColumn": 6}));
}

#[test]
fn markdown_has_its_own_scope() {
    let world = World::new()
        .with_user_config(ALL)
        .with(".markdownlintignore", "old/\n")
        .with("README.md", "# A\ntext\n")
        .with("docs/a.md", "# A\ntext\n")
        .with("old/a.md", "# A\ntext\n")
        .with("tmp/a.md", "# A\ntext\n")
        .with("crates/x/a.md", "# A\ntext\n");
    let files = |args: &[&str]| {
        let ran = world.run(&[&["check", "--format", "json"], args].concat());
        let found = ran.json()["violations"].as_array().unwrap().clone();
        found.iter().map(|found| found["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(files(&[]), ["README.md", "crates/x/a.md", "docs/a.md"]);
    assert_eq!(files(&["--ci"]), ["README.md", "docs/a.md"]);
    assert_eq!(files(&["tmp/a.md"]), ["tmp/a.md"], "what is named is looked at");
}

#[test]
fn what_a_tool_says_of_several_files_stays_with_each() {
    let world = World::new()
        .with("package.json", "{\"devDependencies\": {\"eslint\": \"*\"}}\n")
        .with("eslint.config.js", "export default [];\n")
        .with("a.js", "let a = 1;\n")
        .with("b.js", "let b = 2;\n")
        .trusting_tools();
    let entry = r#"\"ruleId\": \"eqeqeq\", \"line\": 1, \"column\": 5, \"message\": \"Expected\""#;
    let eslint = format!(
        "for f; do case $f in */b.js) echo \"[{{\\\"filePath\\\": \\\"$f\\\", \\\"messages\\\": [{{{entry}}}]}}]\";; esac; done; exit 1"
    );
    program(&world.path("node_modules/.bin/eslint"), &eslint);
    let found = world.run(&["check", "--thorough", "--format", "json", "a.js", "b.js"]).json();
    assert_eq!(found["violations"][0]["file"], "b.js", "{found}");
    assert_eq!(found["violations"][0]["code"], "eqeqeq", "{found}");
}

#[test]
fn tools_for_whole_projects_run_when_all_are_asked() {
    let world = World::new()
        .with("go.mod", "module a\n")
        .with("main.go", "package main\n")
        .with("other.go", "package main\n")
        .trusting_tools();
    // Once for both files.
    let runs = world.path("runs");
    let go = format!("echo x >> {}; echo './main.go:1:1: wrong' >&2; exit 1", runs.display());
    program(&world.path("bin/go"), &go);
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    let world = world.with_variable("PATH", path);
    let files = ["main.go", "other.go"];
    world
        .run(&[&["check"][..], &files].concat())
        .succeeds()
        .says(&["2 go files were not linted: go-vet looks at whole projects, and runs with --thorough"]);
    let ran = world.run(&[&["check", "--thorough"][..], &files].concat());
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("main.go\n  1:1 vet wrong (go-vet)"), "{}", ran.stdout);
    assert_eq!(world.read("runs"), "x\n");
}
