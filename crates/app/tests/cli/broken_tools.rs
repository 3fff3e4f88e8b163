//! Formatters and fixers that fail in ways drawn by lot: killed at any point, with a part of their output, with another exit code, with lines
//! of a wrapper around the text, or with their hands in the file itself. Whatever they do, the file is the one that the agent wrote, or what
//! the tool makes of it when it does its work; never half of it, and never gone.
//!
//! The lot is drawn from a number, so that a failure can be had again: `PLIMSOLL_TOOL_FAULTS=1000 PLIMSOLL_FAULTS_SEED=7`.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use crate::faults::random::Lot;
use crate::world::{World, program};

/// In every run of the tests; `PLIMSOLL_TOOL_FAULTS` says how many else.
const FEW: u64 = 120;
const LINES: usize = 14;
/// How a formatter of these tests formats, and how a fixer fixes.
const FORMAT: (&str, &str) = (" = ", "  =  ");
const FIX: (&str, &str) = ("name_3", "title_3");

struct Tool {
    name: &'static str,
    /// In the project, else on the user's path.
    own: &'static str,
    config: (&'static str, &'static str),
    file: &'static str,
    settings: &'static str,
    fixes: bool,
}

const PACES: &[&str] = &["fast", "thorough"];
const CHOSEN: &str = r#"{"engine": "external", "languages": {"typescript": true}}"#;
const ALL: &str = r#"{"engine": "external", "languages": {"typescript": true}, "formatting": "all", "unconfigured": "all", "boy_scout": true}"#;

const fn formatter(
    name: &'static str,
    own: &'static str,
    config: (&'static str, &'static str),
    file: &'static str,
) -> Tool {
    Tool { name, own, config, file, settings: CHOSEN, fixes: false }
}

const TOOLS: &[Tool] = &[
    formatter("ruff", ".venv/bin/ruff", ("ruff.toml", "[format]\n"), "app.py"),
    formatter("black", ".venv/bin/black", ("pyproject.toml", "[tool.black]\n"), "app.py"),
    formatter("shfmt", "", (".pre-commit-config.yaml", "repos: [{id: shfmt}]\n"), "run.sh"),
    formatter("taplo", "", ("taplo.toml", ""), "data.toml"),
    formatter("biome", "node_modules/.bin/biome", ("biome.json", "{}\n"), "app.ts"),
    formatter("prettier", "node_modules/.bin/prettier", (".prettierrc", "{}\n"), "app.ts"),
    formatter("rustfmt", "", ("rustfmt.toml", ""), "lib.rs"),
    formatter("gofmt", "", ("Makefile", "fmt:\n\tgofmt -w .\n"), "main.go"),
    Tool {
        name: "ruff",
        own: ".venv/bin/ruff",
        config: ("ruff.toml", "[format]\n"),
        file: "app.py",
        settings: ALL,
        fixes: true,
    },
    Tool {
        name: "biome",
        own: "node_modules/.bin/biome",
        config: ("biome.json", "{}\n"),
        file: "app.ts",
        settings: ALL,
        fixes: true,
    },
    Tool {
        name: "markdownlint-cli2",
        own: "",
        config: (".markdownlint.jsonc", "{}\n"),
        file: "notes.md",
        settings: ALL,
        fixes: true,
    },
];

/// A shell line that does something else than the tool's work. `$right` is a file with what the tool would print, `$file` the user's.
fn fault(lot: &mut Lot, length: u64) -> (String, String) {
    let some = lot.below(length);
    let part = format!("head -c {some} \"$right\"");
    let code = *lot.one(&[1, 2, 3, 70, 101, 124, 126, 127, 137]);
    let signal = *lot.one(&["KILL", "TERM", "SEGV", "ABRT", "PIPE"]);
    let (name, line) = match lot.below(13) {
        0 => (format!("{some} bytes and success"), part),
        1 => (format!("{some} bytes and exit {code}"), format!("{part}; exit {code}")),
        2 | 3 => (format!("{some} bytes, then SIG{signal}"), format!("{part}; kill -{signal} $$; sleep 1")),
        4 => (format!("all of it and exit {code}"), format!("cat \"$right\"; exit {code}")),
        5 => ("a line before".into(), "echo 'mise ready, 3 tools'; cat \"$right\"".into()),
        6 => ("a line below".into(), "cat \"$right\"; echo 'npm notice: a new version'".into()),
        7 => ("only a wrapper's line".into(), format!("echo 'installing'; exit $(({code} % 2))")),
        8 => ("the file emptied".into(), format!(": > \"$file\"; exit {code}")),
        11 => (format!("garbage and exit {code}"), format!("echo garbage; exit {code}")),
        9 => ("the file removed".into(), format!("rm -f \"$file\"; {part}; exit {code}")),
        10 => {
            let into = format!("head -c {some} \"$right\" > \"$file\"; kill -{signal} $$; sleep 1");
            (format!("{some} bytes into the file, then SIG{signal}"), into)
        }
        _ => ("a part twice".into(), format!("{part}; {part}")),
    };
    (name, line)
}

fn text() -> String {
    (1..=LINES).map(|n| format!("name_{n} = [{n}]\n")).collect()
}

fn formatted(text: &str) -> String {
    text.replace(FORMAT.0, FORMAT.1)
}

fn fixed(text: &str) -> String {
    text.replace(FIX.0, FIX.1)
}

fn rounds() -> u64 {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    number("PLIMSOLL_TOOL_FAULTS").unwrap_or(FEW)
}

fn lot() -> Lot {
    let number = std::env::var("PLIMSOLL_FAULTS_SEED").ok().and_then(|text| text.parse().ok());
    Lot::new(number.unwrap_or(1))
}

fn writes(world: &World, file: &str, round: u64) {
    world.write(file, &text());
    std::fs::set_permissions(world.path(file), std::fs::Permissions::from_mode(0o640)).unwrap();
    let input = json!({"file_path": world.name(file), "content": text()});
    let ran = world.event(
        "PostToolUse",
        &json!({
            "session_id": format!("s{round}"), "tool_name": "Write", "tool_input": input,
            "tool_response": {"type": "create", "filePath": world.name(file), "originalFile": null},
        }),
    );
    assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
}

/// The file is one of these texts, has its mode unless it was removed, and nothing lies beside it that was not there.
#[track_caller]
fn is_whole(world: &World, file: &str, texts: &[String], beside: &[PathBuf], was_removed: bool, what: &str) {
    let now = std::fs::read_to_string(world.path(file)).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(texts.contains(&now), "{what}: the file is now\n{now}");
    let mode = std::fs::metadata(world.path(file)).unwrap().permissions().mode() & 0o777;
    assert!(mode == 0o640 || was_removed, "{what}: mode {mode:o}");
    assert_eq!(listed(world), beside, "{what}");
}

fn listed(world: &World) -> Vec<PathBuf> {
    let all = std::fs::read_dir(world.path(".")).unwrap().flatten();
    let mut names: Vec<PathBuf> = all.map(|entry| entry.path()).collect();
    // What the session notes about itself lies there.
    names.retain(|name| !name.ends_with(".claude"));
    names.sort();
    names
}

#[test]
fn a_formatter_or_fixer_that_fails_never_costs_a_file() {
    let mut lot = lot();
    // Each at every pace.
    let all: Vec<(&Tool, &str)> =
        TOOLS.iter().flat_map(|tool| PACES.iter().map(move |pace| (tool, *pace))).collect();
    let worlds: Vec<(World, PathBuf, Vec<PathBuf>)> =
        all.iter().map(|(tool, pace)| prepared(tool, pace)).collect();
    let right = [formatted(&text()), fixed(&text()), fixed(&formatted(&text()))];
    for round in 0..rounds() {
        let at = usize::try_from(lot.below(all.len() as u64)).unwrap();
        let ((tool, pace), (world, place, beside)) = (all[at], &worlds[at]);
        let (name, line) = fault(&mut lot, right[0].len() as u64);
        let edit = if tool.fixes { FIX } else { FORMAT };
        let script = format!(
            "case \"$*\" in *--version*) echo 9.9.9; exit;; esac\nfile='{}'\nright=$(mktemp)\ntrap 'rm -f \"$right\"' EXIT\ncat > \"$right\"\n[ -s \"$right\" ] || cat \"$file\" > \"$right\"\nsed -i 's/{}/{}/' \"$right\"\n{line}",
            world.name(tool.file),
            edit.0,
            edit.1
        );
        program(place, &script);
        writes(world, tool.file, round);
        let may_be = if tool.fixes { [text(), right[1].clone()] } else { [text(), right[0].clone()] };
        let what = format!("round {round}, {} at pace {pace}: {name}", tool.name);
        is_whole(world, tool.file, &may_be, beside, line.contains("rm -f"), &what);
    }
    // The same stand-ins, in order, are listened to.
    for ((tool, pace), (world, place, _)) in all.iter().zip(&worlds).filter(|((tool, _), _)| !tool.fixes) {
        program(
            place,
            &format!("case \"$*\" in *--version*) echo 9.9.9;; *) sed 's/{}/{}/';; esac", FORMAT.0, FORMAT.1),
        );
        writes(world, tool.file, u64::MAX);
        assert_eq!(world.read(tool.file), right[0], "{} at pace {pace}", tool.name);
    }
}

fn prepared(tool: &Tool, pace: &str) -> (World, PathBuf, Vec<PathBuf>) {
    let settings = tool.settings.replacen('{', &format!("{{\"pace\": \"{pace}\", "), 1);
    let world = World::without_git()
        .with_user_config(&settings)
        .with(tool.config.0, tool.config.1)
        .with(tool.file, &text())
        .trusting_tools();
    let place =
        if tool.own.is_empty() { world.base().join("tools").join(tool.name) } else { world.path(tool.own) };
    program(&place, "cat");
    let beside = listed(&world);
    (world, place, beside)
}

/// A model that was let at the file, and wrote into it itself.
#[test]
fn a_model_that_fails_never_costs_a_file() {
    let mut lot = lot();
    let settings =
        r#"{"unconfigured": "all", "engine": "external", "phases": {"subprocess_delegation": true}}"#;
    let world = World::without_git().with_user_config(settings).with("app.py", &text()).trusting_tools();
    let found =
        r#"[{"code": "F841", "filename": "app.py", "location": {"row": 3, "column": 1}, "message": "m"}]"#;
    let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
    program(&world.path(".venv/bin/ruff"), &ruff);
    let beside = listed(&world);
    for round in 0..rounds() / 2 {
        let right = fixed(&text());
        let some = lot.below(right.len() as u64);
        let code = *lot.one(&[1, 2, 124, 137]);
        let signal = *lot.one(&["KILL", "TERM", "SEGV"]);
        let part = format!("head -c {some} right > app.py");
        let line = match lot.below(7) {
            0 => format!("{part}; kill -{signal} $$; sleep 1"),
            1 => format!("{part}; exit {code}"),
            2 => part,
            3 => format!("cat right > app.py; exit {code}"),
            4 => format!("echo garbage > app.py; exit {code}"),
            5 => format!("rm app.py; kill -{signal} $$; sleep 1"),
            _ => format!("{part}; rm app.py; cat right > app.py"),
        };
        let make = format!("sed 's/{}/{}/' app.py > \"$HOME/right\"\n", FIX.0, FIX.1);
        program(
            &world.home().join(".local/bin/claude"),
            &format!("{make}{}", line.replace("right", "\"$HOME/right\"")),
        );
        writes(&world, "app.py", round);
        let what = format!("round {round}: {line}");
        is_whole(&world, "app.py", &[text(), right], &beside, line.contains("rm "), &what);
    }
}
