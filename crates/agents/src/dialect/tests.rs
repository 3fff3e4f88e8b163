//! Recorded payloads of every agent in, snapshots out: the event that each becomes, and what every answer of ours looks like on it.

#![expect(clippy::disallowed_methods, reason = "tests read their case files")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use model::{Decision, Event, EventName, Finding, Tool, Verdict};

use super::{Dialect, Rewrite, Say, refuses};
use crate::{Agent, ClaudeCode, DIALECTS, Defaults, Reply, Said, detect, named, read, read_from};

/// The folder of an agent's recorded payloads.
fn folder(dialect: &Dialect) -> &'static str {
    match dialect.name {
        "Copilot CLI (PascalCase)" => "copilot-pascal",
        "Cline (plugin)" => "cline-plugin",
        _ => dialect.id,
    }
}

fn payloads(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.sort();
    assert!(!files.is_empty(), "{}", folder.display());
    files
}

fn event(dialect: &Dialect, file: &Path) -> Event {
    let input = read(&std::fs::read(file).unwrap()).unwrap();
    dialect.parse(input.payload, Defaults::default())
}

/// What is passed over is read by nobody: the event is the same with it and without.
#[test]
fn fields_that_are_passed_over_change_no_event() {
    let mut passed = 0;
    for dialect in DIALECTS.iter().filter(|dialect| !dialect.unread.is_empty()) {
        for file in payloads(folder(dialect)) {
            let bytes = std::fs::read(&file).unwrap();
            let (whole, short) = (read(&bytes).unwrap(), read_from(&bytes, Some(dialect.id)).unwrap());
            passed += whole.payload.len() - short.payload.len();
            let parsed =
                |input: crate::Input| format!("{:?}", dialect.parse(input.payload, Defaults::default()));
            assert_eq!(parsed(short), parsed(whole), "{}", file.display());
        }
    }
    assert!(passed > 20, "{passed}");
}

/// The event that a file is named after, by its first part.
fn native(file: &Path) -> String {
    let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
    let tools = [".again"].iter().fold(stem, |name, end| name.trim_end_matches(end).to_owned());
    match tools.rsplit_once('.') {
        Some((event, _)) if DIALECTS.iter().any(|d| d.rows.iter().any(|row| row.native == event)) => {
            event.to_owned()
        }
        _ => tools,
    }
}

fn verdict(decision: Decision) -> Verdict {
    let mut verdict = Verdict::default();
    if decision != Decision::None {
        verdict.findings.push(Finding {
            rule: "test/rule",
            decision,
            what: format!("{decision} it."),
            why: "Because.".into(),
            instead: None,
            at: None,
        });
        verdict.decision = decision;
        verdict.way_out = (decision >= Decision::Ask).then(|| "WAY OUT".into());
    }
    verdict
}

/// The answers that are tried on every event.
fn answers() -> Vec<(&'static str, Verdict)> {
    let context = || vec!["Know this.".to_owned()];
    vec![
        ("deny", verdict(Decision::Deny)),
        ("ask", verdict(Decision::Ask)),
        ("allow", verdict(Decision::Allow)),
        ("rewrite", Verdict { command: Some("true".into()), context: context(), ..verdict(Decision::None) }),
        ("context", Verdict { context: context(), ..verdict(Decision::None) }),
        ("deny+context", Verdict { context: context(), ..verdict(Decision::Deny) }),
        ("notice", Verdict { notices: vec!["For you.".into()], ..verdict(Decision::None) }),
    ]
}

fn show(said: &Said) -> String {
    let mut text = format!("exit {}", said.reply.exit);
    let parts = [("stdout", &said.reply.stdout), ("stderr", &said.reply.stderr), ("later", &said.later)];
    for (name, stream) in parts.into_iter().filter(|(_, stream)| !stream.is_empty()) {
        write!(text, "\n    {name}: {}", stream.trim_end().replace('\n', "\n            ")).unwrap();
    }
    text
}

#[test]
fn payloads_become_events_and_answers() {
    for dialect in DIALECTS {
        let mut text = String::new();
        let mut seen: BTreeMap<String, Event> = BTreeMap::new();
        for file in payloads(folder(dialect)) {
            let event = event(dialect, &file);
            writeln!(text, "# {}\n{event:#?}\n", file.file_stem().unwrap().display()).unwrap();
            let shell = event.command().is_some();
            let known = seen.get(event.name.as_str());
            if known.is_none_or(|known| known.command().is_none() && shell) {
                seen.insert(event.name.as_str().to_owned(), event);
            }
        }
        for (name, event) in &seen {
            writeln!(text, "# answers to {name}").unwrap();
            for (label, verdict) in answers() {
                writeln!(text, "{label}: {}", show(&dialect.render(event, &verdict))).unwrap();
            }
            text.push('\n');
        }
        let place = format!("../../cases/{}", folder(dialect));
        insta::with_settings!({snapshot_path => place, prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!("read", text);
        });
    }
}

#[test]
fn every_recorded_call_is_understood() {
    for dialect in DIALECTS {
        for file in payloads(folder(dialect)) {
            let event = event(dialect, &file);
            let name = native(&file);
            let row = dialect.rows.iter().find(|row| row.native == name);
            let Some(use_) = event.tool_use() else { continue };
            assert_eq!(use_.odd, None, "{}", file.display());
            assert!(use_.known, "{}: {use_:?}", file.display());
            assert!(event.session.is_known() && event.cwd.is_some(), "{}", file.display());
            match &use_.tool {
                Tool::Shell(command) => assert!(!command.text.is_empty()),
                Tool::Edit(edit) => {
                    assert_ne!(edit.change, model::Change::Unknown, "{}", file.display());
                }
                Tool::Patch(edits) => assert!(!edits.is_empty()),
                Tool::Read { .. } => {}
                other => panic!("{}: {other:?}", file.display()),
            }
            if let Some(row) = row {
                assert_eq!(event.name, row.event, "{}", file.display());
            }
        }
    }
}

/// Agents that borrow what is registered for Claude Code are known by what they send.
#[test]
fn a_payload_is_known_by_its_shape() {
    let bridged = ["opencode", "kilo", "pi"];
    for dialect in DIALECTS.iter().filter(|dialect| !bridged.contains(&dialect.id)) {
        for file in payloads(folder(dialect)) {
            let input = read(&std::fs::read(&file).unwrap()).unwrap();
            assert_eq!(detect(&input.payload).id().0, dialect.id, "{}", file.display());
            let by_name = named(dialect.id, &input.payload).unwrap();
            let by_shape = detect(&input.payload);
            assert_eq!(
                by_name.parse(input.payload.clone(), Defaults::default()),
                by_shape.parse(input.payload, Defaults::default()),
                "{}",
                file.display()
            );
        }
    }
    for folder in ["claude_code/recorded", "claude_code/documented", "claude_code/spellings"] {
        for file in payloads(folder) {
            let input = read(&std::fs::read(&file).unwrap()).unwrap();
            assert_eq!(detect(&input.payload).id(), ClaudeCode.id(), "{}", file.display());
        }
    }
}

/// Lowering never weakens: before a call a refusal and a question keep it from happening, and what cannot be rewritten is refused.
#[test]
fn lowering_never_weakens() {
    for dialect in DIALECTS {
        for file in payloads(folder(dialect)) {
            let event = event(dialect, &file);
            if event.name != EventName::PreToolUse {
                continue;
            }
            for decision in [Decision::Deny, Decision::Ask] {
                let said = dialect.render(&event, &verdict(decision));
                assert!(refuses(&said.reply), "{} {decision}: {said:?}", file.display());
                let asks = said.reply.stdout.contains("\"ask\"");
                assert!(asks || format!("{said:?}").contains("WAY OUT"), "{}: {said:?}", file.display());
                assert!(decision == Decision::Ask || !asks);
            }
            assert!(!refuses(&dialect.render(&event, &verdict(Decision::Allow)).reply));
            if event.command().is_some() {
                let rewritten = Verdict { command: Some("safe it".into()), ..verdict(Decision::None) };
                let said = dialect.render(&event, &rewritten);
                assert!(
                    said.reply.stdout.contains("safe it") || said.reply.stderr.contains("safe it"),
                    "{said:?}"
                );
                let row = dialect.row(&EventName::PreToolUse).unwrap();
                assert_eq!(refuses(&said.reply), matches!(row.rewrite, Rewrite::Deny), "{}", file.display());
            }
            // What is denied while nothing is known yet, and while the input cannot be read, is denied in the same form.
            let last = dialect.last_word(None);
            let last = Reply {
                stdout: last.stdout.into(),
                stderr: last.stderr.into(),
                exit: last.exit,
                otherwise: None,
            };
            assert!(refuses(&last), "{}: {last:?}", dialect.name);
        }
    }
}

/// What a tool of each kind reads or fetches is known, in each agent's own words.
#[test]
fn lines_that_are_shown_and_addresses_in_words_are_known() {
    let of = |agent: &str, event: &str, tool: &str, input: serde_json::Value| {
        let payload = serde_json::json!({"hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": input});
        let payload = read(payload.to_string().as_bytes()).unwrap().payload;
        named(agent, &payload).unwrap().parse(payload, Defaults::default()).tool_use().unwrap().tool.clone()
    };
    for (agent, event, tool) in [
        ("gemini", "BeforeTool", "search_file_content"),
        ("qwen", "PreToolUse", "grep_search"),
        ("opencode", "tool.execute.before", "grep"),
        ("kilo", "tool.execute.before", "grep"),
        ("pi", "tool_call", "grep"),
        ("hermes", "pre_tool_call", "search_files"),
        ("grok", "PreToolUse", "grep"),
        ("cursor", "preToolUse", "Grep"),
    ] {
        let shows = |input| match of(agent, event, tool, input) {
            Tool::Search(search) => search.shows,
            other => panic!("{agent} {other:?}"),
        };
        assert!(shows(serde_json::json!({"pattern": "x", "path": "/k"})), "{agent}");
        let names = serde_json::json!({"pattern": "x", "path": "/k", "output_mode": "files_with_matches"});
        assert!(!shows(names), "{agent}");
    }
    let fetch = serde_json::json!({"prompt": "sum up <http://a.example/x>, and https://b.example."});
    let seen = format!("{:?}", of("gemini", "BeforeTool", "web_fetch", fetch));
    assert!(seen.contains("http://a.example/x\"") && seen.contains("https://b.example\""), "{seen}");
    let many =
        of("gemini", "BeforeTool", "read_many_files", serde_json::json!({"include": ["a.txt", "/k/id_rsa"]}));
    assert!(format!("{many:?}").contains("/k/id_rsa"), "{many:?}");
}

/// Several commands are judged as one, and one takes their place.
#[test]
fn a_rewrite_of_several_commands_takes_the_place_of_all() {
    let several = DIALECTS.iter().filter(|dialect| dialect.sample.contains("\"commands\""));
    let mut tried = 0;
    for dialect in several {
        let text = dialect.sample.replace("\"echo hi > made.txt\"", "\"ls\", \"echo hi > made.txt\"");
        let event = dialect.parse(read(text.as_bytes()).unwrap().payload, Defaults::default());
        assert_eq!(event.command(), Some("ls\necho hi > made.txt"), "{}", dialect.name);
        let rewritten = Verdict { command: Some("ls\nsafe it".into()), ..verdict(Decision::None) };
        let said = dialect.render(&event, &rewritten);
        assert!(said.reply.stdout.contains(r#""commands":["ls\nsafe it"]"#), "{}: {said:?}", dialect.name);
        tried += 1;
    }
    assert_eq!(tried, 2, "Cline, both ways");
}

/// Nothing that is for the model gets lost: it is said, or it waits.
#[test]
fn context_is_said_or_waits() {
    for dialect in DIALECTS {
        for row in dialect.rows {
            let file = &payloads(folder(dialect))[0];
            let mut event = event(dialect, file);
            event.name = row.event.clone();
            let said =
                dialect.render(&event, &Verdict { context: vec!["KNOW".into()], ..Verdict::default() });
            let all = format!("{}{}{}", said.reply.stdout, said.reply.stderr, said.later);
            assert!(all.contains("KNOW"), "{} {}", dialect.name, row.native);
            assert!(!matches!(row.context, Say::Nothing), "{} {}", dialect.name, row.native);
        }
    }
}

/// A new agent takes what it does not say from `Dialect::COMMAND` or `Dialect::BRIDGED`; these have no sense there.
#[test]
fn each_says_who_it_is() {
    for dialect in DIALECTS {
        let said = [dialect.id, dialect.name, dialect.sample, dialect.before()];
        let place = [dialect.wiring.user, dialect.wiring.folder, dialect.wiring.program];
        assert!(said.iter().chain(&place).all(|text| !text.is_empty()), "{dialect:?}");
        assert!(!dialect.tools.is_empty() && !dialect.notes.is_empty(), "{}", dialect.name);
    }
}

/// Cursor blocks a call when a hook that must not fail says nothing.
#[test]
fn no_opinion_is_said_where_silence_blocks() {
    let cursor = DIALECTS.iter().find(|dialect| dialect.id == "cursor").unwrap();
    let input = read(cursor.sample.as_bytes()).unwrap();
    let event = cursor.parse(input.payload, Defaults::default());
    for verdict in [verdict(Decision::None), verdict(Decision::Allow)] {
        assert_eq!(cursor.render(&event, &verdict).reply.stdout, "{}");
    }
}

#[test]
fn a_command_starts_where_its_tool_says() {
    for (agent, file, key) in [
        ("cursor", "cursor/preToolUse.Shell.json", "cwd"),
        ("gemini", "gemini/BeforeTool.run_shell_command.json", "dir_path"),
        ("hermes", "hermes/pre_tool_call.terminal.json", "workdir"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(file);
        let mut payload = read(&std::fs::read(path).unwrap()).unwrap().payload;
        payload["tool_input"][key] = "/elsewhere".into();
        let event = named(agent, &payload).unwrap().parse(payload.clone(), Defaults::default());
        let Some(Tool::Shell(command)) = event.tool_use().map(|used| &used.tool) else { panic!("{event:?}") };
        assert_eq!(command.cwd.as_deref(), Some(Path::new("/elsewhere")), "{agent}");
    }
}

#[test]
fn the_smallest_agent_is_shown_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("../../CONTRIBUTING.md")).unwrap();
    let file = std::fs::read_to_string(root.join("src/peers/pi.rs")).unwrap();
    let (_, code) = file.split_once("\n\n").unwrap();
    assert!(guide.contains(code), "CONTRIBUTING.md shows another text than src/peers/pi.rs");
}

#[test]
fn nobody_has_a_name_that_is_not_listed() {
    assert!(named("nobody", &serde_json::Map::new()).is_none());
    assert_eq!(named("claude", &serde_json::Map::new()).unwrap().id(), ClaudeCode.id());
}
