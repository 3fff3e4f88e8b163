//! Every format on a file with comments and entries of others: in, in again, out, and the old bytes are there.

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
        Format::Yaml => &[
            "",
            "model: x",
            "# mine\nmodel: x\nhooks:\n  pre_tool_call:\n    - command: say hi\n      timeout: 3\n  on_x:\n    - command: y\nterminal:\n  cwd: /\n",
            "hooks: # mine\n    pre_tool_call:\n    - command: say hi\n",
        ],
        Format::OwnGroups | Format::OwnCopilot | Format::Bridge(_) => &[""],
    }
}

#[test]
fn in_and_out_again_gives_the_old_text() {
    let config = Config::default();
    for dialect in all() {
        for text in foreign(dialect) {
            let once = put_in(dialect, &config, "/opt/my programs/plimsoll", text).unwrap();
            assert!(names_us(&once), "{}:\n{once}", dialect.id);
            if text.contains("mine") {
                assert!(once.contains("mine") && once.contains("say"), "{}:\n{once}", dialect.id);
            }
            let again = put_in(dialect, &config, "/opt/my programs/plimsoll", &once).unwrap();
            assert_eq!(again, once, "{}", dialect.id);
            let out = take_out(dialect, &once).unwrap();
            // Where nothing was, nothing but an empty frame is left; `uninstall` removes the file.
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            if text.is_empty() {
                assert!(is_nothing(&out), "{}:\n{out}", dialect.id);
            } else if matches!(dialect.wiring.format, Format::Toml | Format::Yaml) {
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
        let text = put_in(dialect, &config, "plimsoll", "").unwrap();
        match dialect.wiring.format {
            Format::Toml => assert!(text.parse::<toml::Table>().unwrap()["hooks"].is_array(), "{text}"),
            Format::Bridge(_) => assert!(!text.contains("@PROGRAM@") && !text.contains("@AGENT@")),
            Format::Yaml => assert!(text.contains("pre_tool_call:")),
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
fn what_cannot_be_edited_safely_is_said() {
    let config = Config::default();
    let kimi = find("kimi").unwrap();
    assert!(put_in(kimi, &config, "plimsoll", "hooks = []\n").is_err());
    let hermes = find("hermes").unwrap();
    assert!(put_in(hermes, &config, "plimsoll", "hooks: {}\n").is_err());
    assert!(put_in(hermes, &config, "plimsoll", "{\"model\": {}}").is_err());
}
