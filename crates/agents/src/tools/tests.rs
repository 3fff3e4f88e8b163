//! Calls as servers have them, and what they come to.

use model::{Change, Intent, Noun, Side, Tool};
use serde_json::{Value, json};

use super::tool;

fn foreign(name: &str, input: &Value) -> model::Foreign {
    match tool(None, name, input.as_object().unwrap()) {
        Tool::Foreign(foreign) => *foreign,
        other => panic!("{other:?}"),
    }
}

/// Every noun, edit and command of a call, in a line each.
fn shown(name: &str, input: &Value) -> Vec<String> {
    let foreign = foreign(name, input);
    let parts = foreign.parts.iter().map(|part| match &part.noun {
        Noun::Path { text, side: Side::Only, .. } => format!("path {text}"),
        Noun::Path { text, side, .. } => format!("path {text} {side:?}"),
        Noun::Address(text) => format!("address {text}"),
        Noun::Statement(text) => format!("statement {text}"),
        Noun::Code { language, text } => format!("{language} {text}"),
        Noun::Words(text) => format!("words {text}"),
        Noun::Thing { text, realm } => format!("{realm:?} {text}"),
    });
    let edits = foreign.edits.iter().map(|edit| {
        let what = match &edit.change {
            Change::Write { content } => format!("writes {content:?}"),
            Change::Replace(parts) => format!("replaces {}", parts.len()),
            Change::Removed => "removes".into(),
            _ => "changes".to_owned(),
        };
        format!("{what} {}", edit.path.display())
    });
    let commands = foreign.commands.iter().map(|command| {
        let guess = if command.guessed { "?" } else { "" };
        let cwd = command.cwd.as_ref().map(|cwd| format!(" in {}", cwd.display())).unwrap_or_default();
        format!("runs{guess} {}{cwd}", command.text)
    });
    parts.chain(edits).chain(commands).collect()
}

#[test]
fn files_of_a_server() {
    for (name, input, want) in [
        (
            "mcp__fs__write_file",
            json!({"path": ".ruff.toml", "content": "x"}),
            &["path .ruff.toml", "writes \"x\" .ruff.toml"][..],
        ),
        ("mcp__fs__read_text_file", json!({"path": "~/.ssh/id_rsa"}), &["path ~/.ssh/id_rsa"]),
        ("mcp__fs__read_multiple_files", json!({"paths": ["a.txt", "b.txt"]}), &["path a.txt", "path b.txt"]),
        (
            "mcp__fs__edit_file",
            json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": false}),
            &["path a", "replaces 1 a"],
        ),
        (
            "mcp__fs__move_file",
            json!({"source": ".ruff.toml", "destination": "/tmp/x"}),
            &["path .ruff.toml From", "path /tmp/x To", "removes .ruff.toml", "changes /tmp/x"],
        ),
        (
            "mcp__fs__copy",
            json!({"from": "~/.ssh/id_rsa", "to": "/p/x"}),
            &["path ~/.ssh/id_rsa From", "path /p/x To", "changes /p/x"],
        ),
        ("mcp__fs__delete_file", json!({"path": "/home/me"}), &["path /home/me", "removes /home/me"]),
        (
            "mcp__fs__write",
            json!({"directory": "/p/.claude", "filename": "settings.json", "data": "{}"}),
            &[
                "path /p/.claude Around",
                "path /p/.claude/settings.json",
                "writes \"{}\" /p/.claude/settings.json",
            ],
        ),
        (
            "mcp__ed__text_editor",
            json!({"command": "create", "path": "a", "file_text": "x"}),
            &["path a", "writes \"x\" a"],
        ),
        (
            "mcp__x__write_files",
            json!({"files": {".ruff.toml": "x"}}),
            &["path .ruff.toml", "writes \"x\" .ruff.toml"],
        ),
        (
            "mcp__x__batch",
            json!({"operations": [{"op": "delete", "target": {"file": "/etc/passwd"}}]}),
            &["path /etc/passwd", "removes /etc/passwd"],
        ),
        (
            "mcp__gate__call_tool",
            json!({"server": "fs", "tool": "write_file", "arguments": "{\"path\":\".ruff.toml\",\"content\":\"x\"}"}),
            &["path .ruff.toml", "writes \"x\" .ruff.toml"],
        ),
        (
            "mcp__x__apply",
            json!({"diff": "--- a/.ruff.toml\n+++ b/.ruff.toml\n@@ -1 +1 @@\n-a\n+b\n"}),
            &["replaces 1 .ruff.toml"],
        ),
        ("mcp__x__thing", json!({"deep": [{"q": ["~/.aws/credentials"]}]}), &["path ~/.aws/credentials"]),
    ] {
        assert_eq!(shown(name, &input), want, "{name} {input}");
    }
}

#[test]
fn files_of_somebody_else_are_not_ours() {
    let input = json!({"owner": "o", "repo": "r", "path": ".ruff.toml", "content": "x", "message": "m"});
    assert_eq!(shown("mcp__github__create_or_update_file", &input), [""; 0]);
    let input = json!({"path": "/home/me/.ssh/id_rsa"});
    assert_eq!(
        shown("mcp__drive__upload", &input),
        ["path /home/me/.ssh/id_rsa", "words /home/me/.ssh/id_rsa"]
    );
}

#[test]
fn commands_and_code() {
    for (name, input, want) in [
        ("mcp__sh__run", json!({"command": "rm -rf ~"}), &["runs rm -rf ~"][..]),
        ("mcp__sh__run", json!({"command": ["rm", "-rf", "~"]}), &["runs rm -rf ~"]),
        ("mcp__sh__run", json!({"command": "rm", "args": ["-rf", "~"]}), &["runs rm -rf ~"]),
        ("mcp__sh__run", json!({"commands": ["ls", "rm -rf ~"]}), &["runs ls", "runs rm -rf ~"]),
        (
            "mcp__x__go",
            json!({"opts": {"script": "rm -rf ~"}}),
            &["runs? rm -rf ~", "runs? python3 -c 'rm -rf ~'"],
        ),
        ("mcp__x__go", json!({"command": "rm -rf *", "cwd": "~"}), &["runs? rm -rf * in ~"]),
        ("mcp__term__send_keys", json!({"keys": "rm -rf ~\n"}), &["runs? rm -rf ~\n"]),
        ("mcp__terminal__send", json!({"text": "rm -rf ~"}), &["runs? rm -rf ~"]),
        (
            "mcp__py__run_python",
            json!({"code": "import shutil; shutil.rmtree('/')"}),
            &[
                "python import shutil; shutil.rmtree('/')",
                "runs python3 -c 'import shutil; shutil.rmtree('\\''/'\\'')'",
            ],
        ),
        ("mcp__ssh__exec", json!({"host": "db", "command": "ls"}), &["runs ssh db 'ls'"]),
        (
            "mcp__git__git_push",
            json!({"repo_path": "/r", "force": true, "branch": "main"}),
            &["runs git push --force origin main in /r"],
        ),
        ("mcp__chrome__evaluate", json!({"script": "document.title"}), &["javascript document.title"]),
        ("mcp__x__do", json!({"thing": "sudo rm -rf /"}), &["runs? sudo rm -rf /"]),
        ("mcp__think__think", json!({"thought": "rm -rf / would be bad"}), &[]),
        (
            "mcp__slack__post_message",
            json!({"text": "do not run rm -rf / here"}),
            &["words do not run rm -rf / here"],
        ),
    ] {
        assert_eq!(shown(name, &input), want, "{name} {input}");
    }
}

#[test]
fn statements_and_things() {
    for (name, input, want) in [
        ("mcp__postgres__query", json!({"sql": "DROP TABLE x"}), &["statement DROP TABLE x"][..]),
        ("mcp__sqlite__read_query", json!({"query": "drop table x"}), &["statement drop table x"]),
        ("mcp__x__run", json!({"stmt": "TRUNCATE x"}), &["statement TRUNCATE x", "runs? TRUNCATE x"]),
        ("mcp__github__search_issues", json!({"query": "DROP TABLE"}), &[]),
        (
            "mcp__linear__create_issue",
            json!({"title": "DROP TABLE users", "description": "delete from x"}),
            &["words DROP TABLE users"],
        ),
        ("mcp__mongodb__drop-database", json!({"database": "prod"}), &["Data a part of a database"]),
        (
            "mcp__mongodb__delete-many",
            json!({"collection": "u", "filter": {}}),
            &["Data all that is in a database"],
        ),
        ("mcp__mongodb__delete-many", json!({"collection": "u", "filter": {"a": 1}}), &[]),
        ("mcp__redis__flushall", json!({}), &["Data all that is in a database"]),
        (
            "mcp__k8s__kubectl_delete",
            json!({"resourceType": "namespace", "name": "prod"}),
            &["Service a namespace", "runs? kubectl delete namespace prod"],
        ),
        ("mcp__aws__delete_bucket", json!({"name": "b"}), &["Service a bucket"]),
        ("mcp__github__delete_comment", json!({"id": 1}), &[]),
        ("mcp__memory__delete_entities", json!({"entityNames": ["a"]}), &[]),
    ] {
        assert_eq!(shown(name, &input), want, "{name} {input}");
    }
}

#[test]
fn addresses_and_requests() {
    assert_eq!(
        shown("mcp__web__fetch", &json!({"url": "http://169.254.169.254/latest"})),
        ["address http://169.254.169.254/latest", "words http://169.254.169.254/latest"]
    );
    assert_eq!(shown("mcp__web__open", &json!({"uri": "file:///etc/shadow"})), ["path file:///etc/shadow"]);
    assert_eq!(
        shown("mcp__http__call", &json!({"url": "http://h:9200/i", "method": "DELETE"})),
        ["address http://h:9200/i", "runs? curl -X 'DELETE' 'http://h:9200/i'"]
    );
}

#[test]
fn more_than_is_kept_is_said() {
    let many: Vec<String> = (0..300).map(|at| format!("/p/{at}")).collect();
    let foreign = foreign("mcp__fs__read_files", &json!({"paths": many}));
    assert!(foreign.clipped);
    assert_eq!((foreign.parts.len(), foreign.intent), (256, Intent::Read));
}
