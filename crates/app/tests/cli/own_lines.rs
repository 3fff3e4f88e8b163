//! After an edit only what the edit did is spoken of, by what the project has chosen, and nothing else is changed.

mod models;

use serde_json::{Value as Json, json};

use crate::world::{Ran, World, program};

/// An edit as the client tells it, from one text of a file to another.
fn edits(world: &World, name: &str, before: &str, after: &str) -> Ran {
    world.write(name, after);
    world.event("PostToolUse", &edit(world, name, before, after))
}

fn edit(world: &World, name: &str, before: &str, after: &str) -> Json {
    json!({
        "tool_name": "Edit",
        "tool_input": {"file_path": world.name(name), "old_string": before, "new_string": after},
        "tool_response": {"filePath": world.name(name), "originalFile": before},
    })
}

fn writes(world: &World, name: &str, text: &str) -> Ran {
    world.write(name, text);
    world.event(
        "PostToolUse",
        &json!({
            "tool_name": "Write",
            "tool_input": {"file_path": world.name(name), "content": text},
            "tool_response": {"type": "create", "filePath": world.name(name), "originalFile": null},
        }),
    )
}

/// ruff, in the project and chosen by it: says F841 of every line with `unused`, formats by taking double spaces away.
fn with_ruff() -> World {
    let world = World::new()
        .with_user_config(r#"{"engine": "external"}"#)
        .with("ruff.toml", "[format]\nquote-style = \"double\"\n")
        .trusting_tools();
    let report = r#"awk 'BEGIN { printf "[" } /unused/ { printf "%s{\"code\": \"F841\", \"filename\": \"-\", \"location\": {\"row\": %d, \"column\": 1}, \"message\": \"m\"}", sep, NR; sep = "," } END { printf "]" }'"#;
    let script = format!(
        "for last; do :; done\ncase \"$1 $2\" in 'format '*) sed 's/  */ /g';; 'check --fix') cat;; 'check '*) {report} \"$last\";; esac"
    );
    program(&world.path(".venv/bin/ruff"), &script);
    world
}

#[test]
fn what_was_there_before_is_nobodys_business() {
    let world = with_ruff();
    let before = "a = unused\nb = 1\n";
    edits(&world, "app.py", before, before).is_silent();
    edits(&world, "app.py", before, "a = unused\nb = 2\n").is_silent();
    let told = edits(&world, "app.py", before, "a = unused\nb = 1\nc = unused\n");
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr.starts_with("1 problem in the lines you just changed:\n")
            && told.stderr.contains("app.py:3:1 F841"),
        "{told:?}"
    );
    // Moved by a line above it, it is the same.
    edits(&world, "app.py", before, "# note\na = unused\nb = 1\n").is_silent();
    let world = world.with_user_config(r#"{"engine": "external", "boy_scout": true}"#);
    let told = edits(&world, "app.py", before, "a = unused\nb = 2\n");
    assert!(told.code == Some(2) && told.stderr.contains("already there before this edit: 1"), "{told:?}");
}

#[test]
fn the_text_before_is_found_where_the_client_does_not_tell_it() {
    let before = "a = unused\nb = 1\n";
    // From the edit itself, also without git.
    for world in [with_ruff(), with_ruff().with_committed("app.py", before)] {
        world.write("app.py", "a = unused\nb = 2\n");
        let input = json!({"file_path": world.name("app.py"), "old_string": "b = 1", "new_string": "b = 2"});
        world.tool("PostToolUse", "Edit", &input).is_silent();
    }
    // From the last commit.
    let world = with_ruff().with_committed("app.py", before);
    world.write("app.py", "a = unused\nb = 2\n");
    let input = json!({"file_path": world.name("app.py"), "content": "a = unused\nb = 2\n"});
    world.tool("PostToolUse", "Write", &input).is_silent();
    // From nowhere: all of it counts.
    let world = with_ruff();
    world.write("app.py", "a = unused\nb = 2\n");
    assert_eq!(world.tool("PostToolUse", "Write", &input_of(&world)).code, Some(2));
}

fn input_of(world: &World) -> Json {
    json!({"file_path": world.name("app.py"), "content": "a = unused\nb = 2\n"})
}

#[test]
fn only_what_was_formatted_before_is_formatted() {
    let world = with_ruff();
    edits(&world, "app.py", "a = 1\n", "a =  2\n").formatted("app.py", "ruff");
    assert_eq!(world.read("app.py"), "a = 2\n");
    edits(&world, "app.py", "a =  1\nb = 1\n", "a =  1\nb =  2\n").is_silent();
    assert_eq!(world.read("app.py"), "a =  1\nb =  2\n", "it was not formatted before");
    edits(&world, "app.py", "a = 1\n", "a = 1\n#  a  note\n").is_silent();
    assert_eq!(world.read("app.py"), "a = 1\n#  a  note\n", "a comment is left as it is");
    writes(&world, "new.py", "a =  1\n").formatted("new.py", "ruff");
    assert_eq!(world.read("new.py"), "a = 1\n", "a new file counts as formatted");
    // Nobody has chosen it any more.
    world.remove("ruff.toml");
    edits(&world, "app.py", "a = 1\n", "a =  2\n").is_silent();
    assert_eq!(world.read("app.py"), "a =  2\n");
}

/// Formatters by what chooses them, with a file of theirs.
const FORMATTERS: &[(&str, &str, &str, &str, &str)] = &[
    ("ruff", ".venv/bin/ruff", "ruff.toml", "[format]\n", "app.py"),
    ("black", ".venv/bin/black", "pyproject.toml", "[tool.black]\n", "app.py"),
    ("shfmt", "", ".pre-commit-config.yaml", "repos: [{id: shfmt}]\n", "run.sh"),
    ("taplo", "", "taplo.toml", "", "data.toml"),
    ("biome", "node_modules/.bin/biome", "biome.json", "{}\n", "app.ts"),
    ("prettier", "node_modules/.bin/prettier", ".prettierrc", "{}\n", "app.ts"),
    ("rustfmt", "", "rustfmt.toml", "", "lib.rs"),
    ("gofmt", "", "Makefile", "fmt:\n\tgofmt -w .\n", "main.go"),
];

/// What a formatter may do instead of its work, and whether that is said.
const BROKEN: &[(&str, &str)] = &[
    ("a wrapper that greets", "echo 'mise: tools are ready'; cat"),
    ("a wrapper that greets below", "cat; echo 'a new version is there'"),
    ("garbage and an exit code", "echo garbage; exit 1"),
    ("garbage and success", "echo garbage"),
    ("nothing", "cat >/dev/null"),
    ("half of it", "head -c 9"),
    ("half of it, and killed", "head -c 9; kill -9 $$"),
    ("killed", "kill -9 $$"),
    ("its help", "echo usage: format FILE; exit 2"),
    ("a megabyte of zeros", "head -c 1000000 /dev/zero"),
    ("one word changed", "sed 's/one/two/'"),
];

#[test]
fn a_broken_formatter_never_gets_the_file() {
    for (name, own, config, content, file) in FORMATTERS {
        for pace in ["fast", "thorough"] {
            for formatting in ["chosen", "all"] {
                let settings = json!({"engine": "external", "pace": pace, "formatting": formatting, "languages": {"typescript": true}});
                let world = World::without_git()
                    .with_user_config(&settings.to_string())
                    .with(config, content)
                    .trusting_tools();
                let place =
                    if own.is_empty() { world.base().join("tools").join(name) } else { world.path(own) };
                let text = "one = 1\nthree = 3\nfour = 4\n";
                for (what, script) in BROKEN {
                    // These fix besides, where whole files are formatted, and then words are theirs to change.
                    if *what == "one word changed" && formatting == "all" && ["ruff", "biome"].contains(name)
                    {
                        continue;
                    }
                    program(&place, &format!("case \"$*\" in *--version*) echo 9.9.9;; *) {script};; esac"));
                    let ran = writes(&world, file, text);
                    assert!(matches!(ran.code, Some(0 | 2)), "{name} {pace} {what}: {ran:?}");
                    assert_eq!(world.read(file), text, "{name} {pace} {formatting} {what}");
                }
                // The same stand-in, in order, is listened to.
                program(&place, "case \"$*\" in *--version*) echo 9.9.9;; *) sed 's/ *= */  =  /';; esac");
                writes(&world, file, text);
                assert_eq!(world.read(file), text.replace(" = ", "  =  "), "{name} {pace} {formatting}");
            }
        }
    }
}

/// Some linters write into what they look at where the project's settings say so. Whoever edits a line has not asked for that.
#[test]
fn settings_that_fix_leave_the_rest_of_a_file_alone() {
    for pace in ["fast", "thorough"] {
        let settings = json!({"engine": "external", "pace": pace});
        let world = World::without_git()
            .with_user_config(&settings.to_string())
            .with("ruff.toml", "fix = true\n")
            .with(".markdownlint-cli2.jsonc", "{ \"fix\": true }\n")
            .trusting_tools();
        program(
            &world.path(".venv/bin/ruff"),
            "case \"$*\" in *--no-fix*) echo '[]';; *output-format*) echo '[]'; echo > app.py;; *) cat;; esac",
        );
        let told = "stdin:3 error MD012/no-multiple-blanks Multiple consecutive blank lines";
        program(
            &world.base().join("tools/markdownlint-cli2"),
            &format!(
                "case \"$*\" in --help) ;; *' -') echo '{told}' >&2; exit 1;; *) echo > notes.md;; esac"
            ),
        );
        edits(&world, "app.py", "a = 1\n", "a = 1\nb = 2\n").is_silent();
        assert_eq!(world.read("app.py"), "a = 1\nb = 2\n", "{pace}");
        let text = "# A\n\n\nb\n";
        let ran = writes(&world, "notes.md", text);
        assert!(ran.stderr.contains("notes.md:3:"), "{pace}: {ran:?}");
        assert_eq!(world.read("notes.md"), text, "{pace}");
        world.run(&["check"]);
        assert_eq!(world.read("notes.md"), text, "{pace}");
        assert_eq!(world.read("app.py"), "a = 1\nb = 2\n", "{pace}");
        // The texts are told to it without their names, so it cannot know which the project leaves out.
        world.write(".markdownlint-cli2.jsonc", "{ \"fix\": true, \"ignores\": [\"x.md\"] }\n");
        writes(&world, "notes.md", text).is_silent();
        assert_eq!(world.read("notes.md"), text, "{pace}");
        let checked = world.run(&["check"]);
        let why = "markdownlint-cli2 was not run: its settings have it write into what it looks at";
        assert!(checked.stdout.contains(why), "{checked:?}");
        assert_eq!(world.read("notes.md"), text, "{pace}");
    }
}

/// Also where it could fix besides: fewer lines are not a part of the file.
#[test]
fn a_formatter_may_join_lines() {
    let world = World::without_git()
        .with_user_config(r#"{"engine": "external", "formatting": "all", "languages": {"typescript": true}}"#)
        .with("biome.json", "{}\n")
        .trusting_tools();
    let joined = "{ \"a\": 1, \"b\": 2 }\n";
    program(
        &world.path("node_modules/.bin/biome"),
        &format!(
            "case \"$*\" in *--version*) echo 2.6.6;; *) cat >/dev/null; echo '{}';; esac",
            joined.trim_end()
        ),
    );
    writes(&world, "data.json", "{\"a\":1,\n\"b\":2}").formatted("data.json", "biome");
    assert_eq!(world.read("data.json"), joined);
}

/// What a tool says of the text before the edit it says of its stdin, for which it has a name of its own.
#[test]
fn what_was_found_on_stdin_is_known_by_any_name() {
    for name in ["-", "<stdin>", "/dev/stdin"] {
        let world = World::without_git()
            .with_user_config(r#"{"engine": "external"}"#)
            .with(".hadolint.yaml", "{}\n")
            .trusting_tools();
        let found = |file: &str| {
            format!(r#"[{{"file": "{file}", "line": 2, "column": 1, "code": "DL3003", "message": "m"}}]"#)
        };
        program(
            &world.base().join("tools/hadolint"),
            &format!(
                "case \"$*\" in *--version*) echo 2.14.0;; *' -') echo '{}'; exit 1;; *) echo '{}'; exit 1;; esac",
                found(name),
                found("Dockerfile")
            ),
        );
        edits(&world, "Dockerfile", "FROM a\nRUN b\n", "FROM d\nRUN b\n").is_silent();
        let told = edits(&world, "Dockerfile", "FROM a\nRUN b\n", "FROM a\nRUN c\n");
        assert!(told.stderr.contains("DL3003"), "{name}: {told:?}");
    }
}

/// A project that runs a linter without a settings file has its settings in words of a command line.
#[test]
fn what_a_command_line_says_of_a_rule_is_its_own_affair() {
    let world = |step: &str| {
        let world = World::without_git()
            .with_user_config(r#"{"engine": "external"}"#)
            .with(".github/workflows/ci.yml", &format!("jobs: {{a: {{steps: [{{run: {step}}}]}}}}\n"))
            .trusting_tools();
        let found = r#"[{"file": "-", "line": 1, "column": 1, "code": 2034, "message": "unused"}]"#;
        program(
            &world.base().join("tools/shellcheck"),
            &format!("case \"$*\" in *--version*) echo 0.11.0;; *) echo '{found}'; exit 1;; esac"),
        );
        world
    };
    let told = writes(&world("shellcheck run.sh"), "run.sh", "a=1\n");
    assert!(told.stderr.contains("SC2034"), "{told:?}");
    writes(&world("shellcheck -e SC2034 run.sh"), "run.sh", "a=1\n").is_silent();
    writes(&world("shellcheck --severity=error run.sh"), "run.sh", "a=1\n").is_silent();
}

/// One fault is enough: what else cannot read the file need not say so, too.
#[test]
fn a_file_that_does_not_parse_is_told_once() {
    let found = r#"[{"code": null, "name": "invalid-syntax", "filename": "app.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
    let world = World::without_git()
        .with_user_config(r#"{"engine": "external", "unconfigured": "all", "pace": "thorough"}"#)
        .trusting_tools();
    program(
        &world.path(".venv/bin/ruff"),
        &format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac"),
    );
    program(&world.path(".venv/bin/vulture"), "echo \"app.py:1: '(' was never closed\" >&2; exit 1");
    let ran = writes(&world, "app.py", "a = (\n");
    assert!(ran.stderr.contains("invalid-syntax"), "{ran:?}");
    assert!(!format!("{ran:?}").contains("could not read the output of vulture"), "{ran:?}");
}

#[test]
fn why_a_file_was_left_is_said() {
    let world = with_ruff();
    program(&world.path(".venv/bin/ruff"), "case \"$1\" in format) echo garbage;; *) echo '[]';; esac");
    let ran = writes(&world, "app.py", "a =  1\n");
    assert!(ran.stdout.contains("what it printed is not app.py in another form"), "{ran:?}");
}

#[cfg(feature = "engines")]
mod embedded {
    use super::*;

    fn world() -> World {
        World::without_git().without_stand_ins()
    }

    #[test]
    fn a_file_that_did_not_parse_before_is_left_alone() {
        let world = world();
        let broken = "def f(:\n    pass\n";
        edits(&world, "fixture.py", broken, &format!("{broken}x = 1\n")).is_silent();
        let told = edits(&world, "app.py", "def f():\n    pass\n", "def f():\n    pass\n\n\ndef g(:\n");
        assert_eq!(told.code, Some(2), "{told:?}");
    }

    #[test]
    fn names_that_somebody_else_puts_there_are_known_by_their_use() {
        let before = "title = _(\"one\")\n";
        edits(&world(), "app.py", before, &format!("{before}more = _(\"two\")\n")).is_silent();
        let told = edits(&world(), "app.py", before, &format!("{before}more = ngettext(\"two\")\n"));
        assert!(told.code == Some(2) && told.stderr.contains("ngettext"), "{told:?}");
        let world = world().with(".flake8", "[flake8]\nbuiltins = _, ngettext\n");
        writes(&world, "app.py", "title = ngettext(_(\"one\"))\n").is_silent();
    }

    /// Whose settings lie elsewhere, or whose rules it tells otherwise than its tool, the engine does not speak for.
    #[test]
    fn an_engine_is_silent_about_what_it_does_not_know() {
        let text = "# A\n\n### B\n";
        let named = world().with(".github/workflows/ci.yml", "run: markdownlint .\n");
        writes(&named, "a.md", text).is_silent();
        let world = world().with(".markdownlint.json", "{}\n");
        let told = writes(&world, "a.md", text);
        assert!(told.stderr.contains("MD001"), "{told:?}");
        let long = format!("# A\n\n{}\n", "long ".repeat(40).trim_end());
        writes(&world, "b.md", &long).is_silent();
        let world = World::without_git().without_stand_ins().with(".shellcheckrc", "external-sources=true\n");
        writes(&world, "run.sh", "#!/bin/bash\n. \"$HOME/lib/run.sh\"\n").is_silent();
        let told = writes(&world, "run.sh", "#!/bin/bash\nseeded = 1\n");
        assert!(told.stderr.contains("run.sh:2:8 SC2283"), "{told:?}");
    }

    #[test]
    fn a_fault_that_the_edit_makes_elsewhere_counts() {
        let before = "name = 1\n\n\ndef f():\n    return name\n";
        let told = edits(&world(), "app.py", before, "\n\ndef f():\n    return name\n");
        assert!(told.code == Some(2) && told.stderr.contains("F821"), "{told:?}");
        assert!(told.stderr.contains("made elsewhere in the file by the lines you just changed"), "{told:?}");
        assert!(told.stderr.contains("since what you removed at line 1: app.py:4:12 F821"), "{told:?}");
    }

    /// A project that looks for other rules has not said that an undefined name is right.
    #[test]
    fn faults_count_also_where_the_installed_linter_looks_for_other_rules() {
        let chosen = |settings: &str| {
            let world = World::without_git().with("ruff.toml", settings).trusting_tools();
            program(
                &world.path(".venv/bin/ruff"),
                "case \"$*\" in *output-format*) echo '[]';; *) cat;; esac",
            );
            world
        };
        let before = "a = gettext(1)\n";
        let after = format!("{before}b = nowhere\n");
        let told = edits(&chosen("lint.select = [\"E\"]\n"), "app.py", before, &after);
        assert!(told.stderr.contains("app.py:2:5 F821"), "{told:?}");
        assert!(!told.stderr.contains("gettext"), "{told:?}");
        edits(&chosen("lint.select = [\"E\"]\n"), "app.py", before, &format!("{before}# note\n")).is_silent();
        edits(&chosen("lint.select = [\"E\"]\nlint.ignore = [\"F821\"]\n"), "app.py", before, &after)
            .is_silent();
        edits(&chosen("lint.select = [\"F\"]\n"), "app.py", before, &after).is_silent();
    }

    #[test]
    fn rust_and_json_are_parsed() {
        let before = "fn a() {}\n";
        let told = edits(&world(), "lib.rs", before, "fn a() {}\nfn b() {\n    let c = ;\n}\n");
        assert!(told.stderr.contains("lib.rs:3:13 RUST_SYNTAX"), "{told:?}");
        edits(&world(), "lib.rs", "fn a( {}\n", "fn a( {}\nfn b() {}\n").is_silent();
        let told = edits(&world(), "a.json", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"a\": 2\n}\n");
        assert!(told.stderr.contains("a.json:3:3 JSON_DUPLICATE_KEY"), "{told:?}");
        let told = edits(&world(), "a.js", "const a = 1;\n", "const a = 1;\na = 2;\n");
        assert!(told.stderr.contains("a.js:2:1 no-const-assign"), "{told:?}");
    }

    /// What is right, and was called wrong.
    #[test]
    fn known_false_alarms_are_over() {
        let files = [
            ("a.py", "class C:\n    def __exit__(self, exc_type, exc, tb):\n        return False\n"),
            (
                "handler.py",
                "def handler(event, context):\n    return {}\n\n\ndef on_signal(signum, frame):\n    raise SystemExit\n",
            ),
            (
                "proto.py",
                "from typing import Protocol\n\n\nclass P(Protocol):\n    def f(self, x: int, *args: int) -> str: ...\n",
            ),
            ("pkg/__init__.py", "from .a import b\nfrom . import c\n"),
            (
                "types.py",
                "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from os import PathLike\n\n\ndef f(x: \"PathLike\") -> None: ...\n",
            ),
            ("view.js", "export const View = () => <p>hello</p>;\n"),
            ("flow.js", "// @flow\nconst a: number = 1;\n"),
            ("z.sh", "setopt extended_glob\nfor f (*.txt) print $f\n"),
            ("chart/Chart.yaml", "name: x\nversion: 1.0.0\n"),
            ("chart/templates/a.yaml", "{{- if .Values.on }}\na: {{ .Values.a }}\n{{- end }}\n"),
            ("{{cookiecutter.name}}/a.json", "{\"a\": {{ cookiecutter.a }}}\n"),
            ("site.md", "[there](#anchor-of-the-site)\n"),
            ("plain.yml", "a:   1\n"),
            ("b.py", "def f(x=[], y=dict()):\n    return x, y\n"),
            ("run.sh", "#!/bin/bash\nlocal_name=$(date)\nexport now=$(date)\necho $now $local_name\n"),
        ];
        for (name, text) in files {
            let world = world();
            writes(&world, name, text).is_silent();
            assert_eq!(world.read(name), text, "{name}");
            world.session_stops("s1").is_let_go();
        }
    }
}
