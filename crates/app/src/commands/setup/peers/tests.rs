//! Every format on a file with comments and entries of others: in, in again, out, and the old bytes are there.

use model::Config;

use super::super::plan::is_nothing;
use super::*;

fn foreign(dialect: &Dialect) -> &'static [&'static str] {
    match dialect.wiring.format {
        Format::Groups { key: Some(_), .. } => &[
            "",
            "{}\n",
            "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say hi\"}]}\n    ]\n  }\n}\n",
        ],
        Format::Groups { key: None, .. } => &[
            "",
            "{\n  // mine\n  \"PreToolUse\": [\n      {\"matcher\": \"Execute\", \"hooks\": [{\"type\": \"command\", \"command\": \"say hi\"}]}\n    ]\n}\n",
        ],
        Format::Cursor => &[
            "",
            "{\n  \"version\": 1, // mine\n  \"hooks\": {\n    \"preToolUse\": [\n      {\"command\": \"say hi\"}\n    ]\n  }\n}\n",
        ],
        Format::Toml => {
            &["", "a = 1", "# mine\na = 1\n[[hooks]]\nevent = \"Stop\"\ncommand = \"say done\"\n[b]\nc = 2\n"]
        }
        Format::OwnGroups | Format::OwnCopilot | Format::Bridge(_) => &[""],
    }
}

fn wanted<'a>(config: &'a Config, program: &str) -> Wanted<'a> {
    Wanted { config, program: program.into(), fail_open: false, shared: false }
}

#[test]
fn in_and_out_again_gives_the_old_text() {
    let config = Config::default();
    let wanted = wanted(&config, "/opt/my programs/plimsoll");
    for dialect in all() {
        for text in foreign(dialect) {
            let once = put_in(dialect, &wanted, text).unwrap();
            assert!(names_us(&once), "{}:\n{once}", dialect.id);
            if text.contains("mine") {
                assert!(once.contains("mine") && once.contains("say"), "{}:\n{once}", dialect.id);
            }
            let again = put_in(dialect, &wanted, &once).unwrap();
            assert_eq!(again, once, "{}", dialect.id);
            let out = take_out(dialect, &once).unwrap();
            // Where nothing was, nothing but an empty frame is left; `uninstall` removes the file.
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            if text.is_empty() {
                assert!(is_nothing(&out), "{}:\n{out}", dialect.id);
            } else if dialect.wiring.format == Format::Toml {
                assert_eq!(out, *text, "{}", dialect.id);
            } else {
                // The tree lays out what grows; the file itself is brought back from its copy.
                assert_eq!(bare(&out), bare(text), "{}", dialect.id);
            }
            assert_eq!(take_out(dialect, text).unwrap(), *text, "{}", dialect.id);
        }
    }
}

#[test]
fn what_is_registered_is_what_the_agent_can_parse() {
    let config = Config::default();
    for dialect in all() {
        let text = put_in(dialect, &wanted(&config, "plimsoll"), "").unwrap();
        match dialect.wiring.format {
            Format::Toml => assert!(text.parse::<toml::Table>().unwrap()["hooks"].is_array(), "{text}"),
            Format::Bridge(_) => assert!(!text.contains("@PROGRAM@") && !text.contains("@AGENT@")),
            _ => {
                let json: serde_json::Value = serde_json::from_str(&text).unwrap();
                let unit = if let Format::Groups { unit, .. } = dialect.wiring.format { unit } else { 1 };
                let text = json.to_string();
                assert!(text.contains(&format!("\"plimsoll hook --agent {}", dialect.id)), "{text}");
                assert_eq!(
                    text.contains(":30000"),
                    unit == 1000,
                    "milliseconds where the agent counts them: {text}"
                );
            }
        }
    }
}

#[test]
fn a_program_is_quoted_as_the_systems_shell_reads_it() {
    for (program, elsewhere, on_windows) in [
        ("/opt/plimsoll", "/opt/plimsoll", "/opt/plimsoll"),
        (r"C:\Users\me\plimsoll.exe", r"'C:\Users\me\plimsoll.exe'", r"C:\Users\me\plimsoll.exe"),
        ("/a b/plimsoll", "'/a b/plimsoll'", "\"/a b/plimsoll\""),
        (
            r"C:\Program Files\plimsoll.exe",
            r"'C:\Program Files\plimsoll.exe'",
            "\"C:\\Program Files\\plimsoll.exe\"",
        ),
        (r"C:\a&b\plimsoll.exe", r"'C:\a&b\plimsoll.exe'", "\"C:\\a&b\\plimsoll.exe\""),
    ] {
        assert_eq!((&*word(program, false), &*word(program, true)), (elsewhere, on_windows));
        let line = format!("{} hook --agent codex", word(program, true));
        assert!(super::super::registration::is_line_of_ours(&line), "{line}");
    }
}

#[test]
fn what_cannot_be_edited_safely_is_said() {
    let config = Config::default();
    let kimi = find("kimi").unwrap();
    assert!(put_in(kimi, &wanted(&config, "plimsoll"), "hooks = []\n").is_err());
    for text in ["plugins: {}\n", "{\"model\": {}}", "plugins:\n  enabled: all\n"] {
        assert!(lines::with_word(text, "plugins", "enabled", "plimsoll").is_err(), "{text}");
    }
}

#[test]
fn a_word_goes_into_a_list_and_out_again() {
    for text in [
        "",
        "model: x",
        "# mine\nmodel: x\nhooks:\n  pre_tool_call:\n    - command: say hi\n",
        "plugins: # mine\n  disabled: [x]\nmodel: x\n",
        "plugins:\n    enabled:\n    - mine # why\n    - other\nmodel: x\n",
        "plugins:\n  # first\n\n  enabled:\n      - mine",
        "plugins:\n  enabled: [mine, other] # two\n",
        "plugins:\n  enabled: []",
        "plugins:\n  enabled:\nmodel: x\n",
        "plugins:",
    ] {
        let word = |text: &str| lines::with_word(text, "plugins", "enabled", "plimsoll").unwrap();
        let once = word(text);
        assert!(once.contains("plimsoll"), "{once}");
        assert_eq!(word(&once), once);
        assert_eq!(lines::without_word(&once, "plugins", "enabled", "plimsoll"), text, "{once}");
        assert_eq!(lines::without_word(text, "plugins", "enabled", "plimsoll"), text);
    }
    // As the agent writes it, without our marks.
    let plain = "plugins:\n  enabled:\n  - mine\n  - plimsoll\n";
    assert_eq!(
        lines::without_word(plain, "plugins", "enabled", "plimsoll"),
        "plugins:\n  enabled:\n  - mine\n"
    );
}

/// What a shell makes of the line before a tool call when the program is missing, killed or gives an answer.
#[test]
#[cfg(unix)]
fn the_line_before_a_call_refuses_where_we_cannot() {
    let config = Config::default();
    let scratch = tempfile::tempdir().unwrap();
    let program = scratch.path().join("plimsoll");
    let run = |line: &str| {
        let done = state::process::run(
            state::process::SHELL,
            &["-c", line],
            scratch.path(),
            std::time::Duration::from_secs(20),
        );
        let done = done.unwrap();
        agents::Reply {
            stdout: String::from_utf8(done.stdout).unwrap(),
            stderr: String::from_utf8(done.stderr).unwrap(),
            exit: u8::try_from(done.code.unwrap()).unwrap(),
            otherwise: None,
        }
    };
    let before = |dialect: &Dialect, fail_open: bool| {
        let wanted = Wanted { fail_open, ..wanted(&config, &program.to_string_lossy()) };
        entries(dialect, &wanted).into_iter().find(|entry| entry.event == dialect.before()).unwrap().line
    };
    let bridged = |dialect: &&Dialect| !matches!(dialect.wiring.format, Format::Bridge(_) | Format::Cursor);
    for dialect in all().filter(bridged) {
        let line = before(dialect, false);
        let _ = files::remove(&program);
        let missing = run(&line);
        assert!(agents::dialect::refuses(&missing), "{}: {missing:?}", dialect.id);
        assert!(format!("{missing:?}").contains("plimsoll doctor"), "{missing:?}");
        let open = run(&before(dialect, true));
        assert!(open.exit == 0 && open.stdout.is_empty(), "{open:?}");
        for (script, refused) in [
            ("#!/bin/sh\nkill -9 $$\n", true),
            ("#!/bin/sh\nexit 101\n", true),
            ("#!/bin/sh\necho no >&2; exit 2\n", true),
            ("#!/bin/sh\nexit 0\n", false),
        ] {
            state::atomic::write(&program, script.as_bytes()).unwrap();
            files::make_executable(&program).unwrap();
            let said = run(&line);
            assert_eq!(agents::dialect::refuses(&said), refused, "{} {script}: {said:?}", dialect.id);
            assert_eq!(
                said.stderr.contains("could not judge"),
                refused && said.exit == 2 && !script.contains("exit 2")
            );
        }
    }
}
