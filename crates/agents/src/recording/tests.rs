use model::{Decision, PermissionMode};

use super::*;

fn read(lines: &[Value]) -> (Vec<Recorded>, Reader) {
    let mut reader = Reader::default();
    let mut calls: Vec<Recorded> = Vec::new();
    for line in lines {
        calls.extend(reader.record(line.as_object().unwrap()));
    }
    calls.extend(reader.end());
    (calls, reader)
}

fn common(kind: &str, rest: &Value) -> Value {
    let mut record = json!({"type": kind, "sessionId": "s", "cwd": "/p", "gitBranch": "topic", "timestamp": "2026-11-18T08:38:12.131Z"});
    record.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    record
}

fn says(message: &str, id: &str, tool: &str, input: &Value) -> Value {
    let part = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
    common("assistant", &json!({"message": {"id": message, "content": [part]}}))
}

fn gives(id: &str, rest: &Value) -> Value {
    let mut record =
        common("user", &json!({"message": {"content": [{"type": "tool_result", "tool_use_id": id}]}}));
    record.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    record
}

#[test]
fn a_transcript_gives_calls_with_what_was_around_them() {
    let printed = json!({"hookSpecificOutput": {"permissionDecision": "ask"}}).to_string();
    let (calls, reader) = read(&[
        common("user", &json!({"message": {"content": "go"}, "permissionMode": "acceptEdits"})),
        says("m1", "t1", "Edit", &json!({"file_path": "/p/a", "old_string": "1", "new_string": "2"})),
        gives(
            "t1",
            &json!({"toolUseResult": {"filePath": "/p/a", "originalFile": "1\n"},
            "permissionDecision": {"decision": "accept", "source": "config", "reasonType": "mode"}}),
        ),
        says("m2", "t2", "Bash", &json!({"command": "ls"})),
        says("m2", "t3", "Bash", &json!({"command": "make"})),
        gives("t3", &json!({"permissionDecision": {"decision": "accept", "source": "user_temporary"}})),
        gives("t2", &json!({"toolDenialKind": "hook-denied"})),
        common(
            "attachment",
            &json!({"attachment": {"type": "hook_success", "hookEvent": "PreToolUse",
            "toolUseID": "t2", "stdout": printed, "command": "/bin/plimsoll hook"}}),
        ),
        common(
            "attachment",
            &json!({"attachment": {"type": "hook_success", "hookEvent": "PreToolUse",
            "toolUseID": "t3", "stdout": printed, "command": "/bin/other"}}),
        ),
        json!({"type": "queue-operation"}),
        json!({"type": "brand-new"}),
        json!({}),
        says("m3", "t4", "Bash", &json!({"command": "cut off"})),
    ]);
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["t1", "t2", "t3", "t4"]);
    assert_eq!(calls[0].before, [(PathBuf::from("/p/a"), Some("1\n".to_owned()))]);
    assert_eq!(calls[0].event.mode, PermissionMode::AcceptEdits);
    assert_eq!(calls[0].branch.as_deref(), Some("topic"));
    assert_eq!(calls[0].at, time::parse_rfc3339("2026-11-18T08:38:12Z"));
    assert_eq!(calls[1].then, Then { hook: Some(Decision::Ask), client: Some((false, By::Hook)) });
    assert_eq!(calls[2].then, Then { hook: None, client: Some((true, By::User)) }, "not our hook");
    assert_eq!(calls[3].event.command(), Some("cut off"));
    let unknown: Vec<_> = reader.unknown.into_iter().collect();
    assert_eq!(unknown, [("brand-new".to_owned(), 1), ("without a type".to_owned(), 1)]);
}

#[test]
fn a_rollout_gives_commands_and_patches() {
    let line = |kind: &str, payload: &Value| json!({"timestamp": "2026-11-18T08:39:36Z", "type": kind, "payload": payload});
    let call = |id: &str, name: &str, arguments: &Value| {
        line(
            "response_item",
            &json!({"type": "function_call", "name": name, "call_id": id, "arguments": arguments.to_string()}),
        )
    };
    let (calls, reader) = read(&[
        line("session_meta", &json!({"id": "s", "cwd": "/p", "git": {"branch": "main"}})),
        line("turn_context", &json!({"turn_id": "t", "cwd": "/p", "approval_policy": "never", "model": "m"})),
        call("c1", "exec_command", &json!({"cmd": "ls", "workdir": "sub"})),
        line(
            "event_msg",
            &json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "c1", "status": "completed"}}),
        ),
        line("response_item", &json!({"type": "function_call_output", "call_id": "c1", "output": "x"})),
        call("c2", "shell", &json!({"command": ["bash", "-lc", "git status"]})),
        call("c3", "shell", &json!({"command": ["echo", "a b"]})),
        call("c4", "write_stdin", &json!({"chars": "y"})),
        line(
            "response_item",
            &json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c5",
            "input": "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\n"}),
        ),
        line(
            "event_msg",
            &json!({"item": {"type": "FileChange", "id": "c5", "changes": {"/p/b": {"type": "add"}}}}),
        ),
        line("brand_new", &json!({})),
    ]);
    let words: Vec<_> = calls.iter().map(|call| (call.id.as_str(), call.event.subject())).collect();
    let expected = [("c1", "ls"), ("c2", "git status"), ("c3", "echo 'a b'"), ("c5", "b")];
    assert_eq!(words, expected.map(|(id, text)| (id, text.to_owned())));
    assert_eq!(calls[0].event.cwd.as_deref(), Some(std::path::Path::new("/p/sub")));
    assert_eq!(calls[0].event.mode, PermissionMode::BypassPermissions);
    assert_eq!(calls[0].then.client, Some((true, By::Settings)));
    assert_eq!(calls[3].before, [(PathBuf::from("/p/b"), None)]);
    assert_eq!(calls[3].branch.as_deref(), Some("main"));
    assert_eq!(reader.unknown.get("brand_new"), Some(&1));
}
