//! Each form of an answer before the real client: a hook prints exactly the bytes that we would, also where none of our checks
//! says such a thing today. What the client makes of them is what the table in `agents` claims.

use agents::{Agent as _, ClaudeCode, Defaults, Reply};
use model::{Decision, Finding, Verdict};
use serde_json::{Value as Json, json};

use super::{bash, call, live, says};

/// Something that is decided, with its reason.
fn decided(decision: Decision, what: &str) -> Verdict {
    let finding =
        Finding { rule: "test/one", decision, what: what.into(), why: "".into(), instead: None, at: None };
    Verdict { decision, findings: vec![finding], ..Verdict::default() }
}

fn context(text: &str) -> Verdict {
    Verdict { context: vec![text.into()], ..Verdict::default() }
}

fn notice(text: &str) -> Verdict {
    Verdict { notices: vec![text.into()], ..Verdict::default() }
}

/// What we would print.
fn rendered(event: &str, more: &Json, verdict: &Verdict) -> Reply {
    let mut payload = json!({"hook_event_name": event, "session_id": "s"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let Json::Object(payload) = payload else { unreachable!() };
    ClaudeCode.render(&ClaudeCode.parse(payload, Defaults::default()), verdict).reply
}

/// A run in which a hook gives our answer the first time that its event comes, and is silent from then on.
struct Stage(Json);

impl Stage {
    fn new(turns: &[Json]) -> Self {
        Stage(json!({
            "prompt": "go",
            "args": ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
            "files": {"app.py": "x = 1\n"},
            "settings": {"hooks": {}},
            "turns": turns,
        }))
    }

    fn answers(self, event: &str, verdict: &Verdict) -> Self {
        self.answers_call(event, &json!({}), verdict)
    }

    /// The same about a call, which the answer may be made from.
    fn answers_call(mut self, event: &str, call: &Json, verdict: &Verdict) -> Self {
        let reply = rendered(event, call, verdict);
        let file = |end: &str| format!(".answers/{event}.{end}");
        self.0["files"][file("out")] = reply.stdout.into();
        self.0["files"][file("err")] = reply.stderr.into();
        let line = format!(
            "cat >/dev/null; cd \"$CLAUDE_PROJECT_DIR/.answers\"; mkdir {event}.said 2>/dev/null || exit 0; \
             cat {event}.out; cat {event}.err >&2; exit {}",
            reply.exit
        );
        self.0["settings"]["hooks"][event] = json!([{"hooks": [{"type": "command", "command": line}]}]);
        self
    }

    /// What a user would see beside the conversation is in the client's stream of events.
    fn streamed(mut self) -> Self {
        let args = self.0["args"].as_array_mut().unwrap();
        args.extend(["--output-format", "stream-json", "--verbose"].map(Json::from));
        self
    }

    fn with(mut self, key: &str, value: Json) -> Self {
        self.0[key] = value;
        self
    }
}

fn agent() -> Json {
    let input = json!({"description": "look", "prompt": "look", "subagent_type": "general-purpose", "run_in_background": false});
    call("Agent", &input)
}

fn shell_call(command: &str) -> Json {
    json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "d"}})
}

#[test]
pub(super) fn context_reaches_the_model_at_every_event_that_carries_it() {
    let turns = [bash("true"), bash("exit 3"), agent(), says("Done.")];
    let mut stage = Stage::new(&turns).with("subagent_turns", json!([says("Looked.")]));
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"];
    for event in events {
        stage = stage.answers(event, &context(&format!("word for {event}")));
    }
    stage = stage.answers("SubagentStart", &context("word for the subagent"));
    let Some(run) = live(&stage.0) else { return };
    let shown = run.shown_from(0);
    for event in events {
        assert!(shown.contains(&format!("hook additional context: word for {event}")), "{event}: {shown}");
    }
    let told = run.summary["subagent_view"].to_string();
    assert!(told.contains("SubagentStart hook additional context: word for the subagent"), "{told}");
}

#[test]
pub(super) fn a_notice_is_the_users_and_never_the_models() {
    let turns = [bash("true"), bash("exit 3"), agent(), says("Done.")];
    let mut stage = Stage::new(&turns).with("subagent_turns", json!([says("Looked.")])).streamed();
    let events = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "SubagentStart",
        "SubagentStop",
        "Stop",
    ];
    for event in events {
        stage = stage.answers(event, &notice(&format!("notice at {event}")));
    }
    let Some(run) = live(&stage.0) else { return };
    let told = run.told_the_user();
    let shown = format!("{}{}", run.shown_from(0), run.summary["subagent_view"]);
    for event in events {
        assert!(told.contains(&format!("notice at {event}")), "{event} is not in\n{told}");
        assert!(!shown.contains(&format!("notice at {event}")), "{event}: {shown}");
    }
    assert!(told.contains("\"subtype\":\"success\""), "a notice ends nothing: {told}");
}

#[test]
pub(super) fn a_refused_prompt_never_reaches_the_model() {
    let stage = Stage::new(&[says("Hello.")])
        .answers("UserPromptSubmit", &decided(Decision::Deny, "Not with this in it."));
    let Some(run) = live(&stage.0) else { return };
    assert_eq!(run.summary["requests"]["main"], Json::Null, "{}", run.summary["requests"]);
    let result = run.summary["result"]["result"].as_str().unwrap();
    assert!(result.contains("blocked by hook") && result.contains("Not with this in it."), "{result}");
}

#[test]
pub(super) fn a_question_before_a_call_is_refused_where_nobody_can_answer() {
    let stage = Stage::new(&[bash("touch made"), says("Well then.")]).answers_call(
        "PreToolUse",
        &shell_call("touch made"),
        &decided(Decision::Ask, "Are you sure?"),
    );
    let Some(run) = live(&stage.0) else { return };
    run.shows_the_model("Are you sure?");
    assert!(!run.has("made"));
    assert_eq!(run.summary["result"]["permission_denials"][0]["tool_name"], "Bash");
}

#[test]
pub(super) fn a_rewritten_call_runs_in_its_new_form_and_needs_the_same_permission() {
    let verdict = Verdict { command: Some("touch after".into()), ..context("in its safe form") };
    let stage = Stage::new(&[bash("touch before"), says("Done.")]).answers_call(
        "PreToolUse",
        &shell_call("touch before"),
        &verdict,
    );
    let Some(run) = live(&stage.0) else { return };
    assert!(run.has("after") && !run.has("before"));
    run.shows_the_model("PreToolUse:Bash hook additional context: in its safe form");

    let mut stage = Stage::new(&[bash("touch before"), says("No.")]).answers_call(
        "PreToolUse",
        &shell_call("touch before"),
        &verdict,
    );
    stage.0["args"] = json!([]);
    let Some(run) = live(&stage.0) else { return };
    assert!(!run.has("after") && !run.has("before"), "a rewrite approves nothing");
}

/// Without a tool that was allowed beforehand, so that the client asks.
fn asked(verdict: &Verdict) -> Stage {
    let mut stage = Stage::new(&[bash("touch before"), says("Done.")]).answers_call(
        "PermissionRequest",
        &shell_call("touch before"),
        verdict,
    );
    stage.0["args"] = json!([]);
    stage
}

#[test]
pub(super) fn a_request_for_permission_is_granted_refused_and_changed() {
    let Some(run) = live(&asked(&decided(Decision::Allow, "")).0) else { return };
    assert!(run.has("before"), "{}", run.model());

    let Some(run) = live(&asked(&decided(Decision::Deny, "Not today.")).0) else { return };
    assert!(!run.has("before"));
    run.shows_the_model("Not today.");

    let verdict = Verdict { command: Some("touch after".into()), ..decided(Decision::Allow, "") };
    let Some(run) = live(&asked(&verdict).0) else { return };
    assert!(run.has("after") && !run.has("before"), "{}", run.model());
}

#[test]
pub(super) fn a_notice_with_a_request_for_permission_decides_nothing() {
    let Some(run) = live(&asked(&notice("somebody asks")).streamed().0) else { return };
    assert!(!run.has("before"), "nobody has allowed it");
    let streamed = run.summary["stdout"].as_str().unwrap_or_default();
    assert!(!run.model().contains("somebody asks"), "{}", run.model());
    assert!(streamed.contains("permission_denials"), "{streamed}");
}

#[test]
pub(super) fn feedback_on_a_call_that_has_run_reaches_the_model() {
    let stage = Stage::new(&[bash("touch made"), says("I see.")])
        .answers("PostToolUse", &decided(Decision::Deny, "Look at this again."));
    let Some(run) = live(&stage.0) else { return };
    assert!(run.has("made"), "what has run has run");
    run.shows_the_model("PostToolUse:Bash hook blocking error");
    run.shows_the_model("Look at this again.");
}

#[test]
pub(super) fn feedback_on_a_call_that_failed_reaches_the_model() {
    let stage = Stage::new(&[bash("exit 3"), says("I see.")])
        .answers("PostToolUseFailure", &decided(Decision::Deny, "It failed for this reason."));
    let Some(run) = live(&stage.0) else { return };
    run.shows_the_model("It failed for this reason.");
    assert_eq!(run.summary["result"]["result"], "I see.");
}

#[test]
pub(super) fn what_cannot_be_refused_at_a_start_is_said_as_context() {
    let stage = Stage::new(&[agent(), says("Done.")])
        .with("subagent_turns", json!([says("Looked.")]))
        .answers("SessionStart", &decided(Decision::Deny, "Something is wrong here."))
        .answers("SubagentStart", &decided(Decision::Ask, "And here."));
    let Some(run) = live(&stage.0) else { return };
    let shown = run.shown_from(0);
    assert!(shown.contains("SessionStart hook additional context: Something is wrong here."), "{shown}");
    let told = run.summary["subagent_view"].to_string();
    assert!(told.contains("SubagentStart hook additional context: And here."), "{told}");
}

#[test]
pub(super) fn a_stop_and_a_subagents_stop_are_held_with_the_reason() {
    let stage = Stage::new(&[agent(), says("Done."), says("Now it is done.")])
        .with("subagent_turns", json!([says("Looked."), says("Looked again.")]))
        .answers("SubagentStop", &decided(Decision::Deny, "Look again."))
        .answers("Stop", &decided(Decision::Deny, "Something is open."));
    let Some(run) = live(&stage.0) else { return };
    run.shows_the_model("Stop hook feedback:\nSomething is open.");
    assert_eq!(run.summary["result"]["result"], "Now it is done.");
    let told = run.summary["subagent_view"].to_string();
    assert!(told.contains("Look again."), "{told}");
    assert_eq!(run.summary["turns"]["subagent"]["served"], 2);
}

/// A conversation that is long enough to be summarised.
fn compacted(verdict: &Verdict) -> Stage {
    Stage::new(&[bash("true"), says("One."), says("Two."), says("Three.")])
        .with("then", json!(["more", "/compact", "go on"]))
        .answers("PreCompact", verdict)
}

fn summaries_asked_for(run: &super::Live) -> Vec<String> {
    let requests = std::fs::read_to_string(run.work.join("requests.jsonl")).unwrap();
    let compact =
        |line: &&str| line.contains("\"kind\": \"compact\"") || line.contains("\"kind\":\"compact\"");
    requests.lines().filter(compact).map(str::to_owned).collect()
}

#[test]
pub(super) fn text_before_a_compaction_is_in_the_instructions_for_the_summary() {
    let Some(run) = live(&compacted(&context("Keep the word sextant.")).0) else { return };
    let asked = summaries_asked_for(&run);
    assert!(asked.len() == 1 && asked[0].contains("Keep the word sextant."), "{asked:?}");
}

#[test]
pub(super) fn a_refused_compaction_does_not_happen() {
    let Some(run) = live(&compacted(&decided(Decision::Deny, "Not now.")).0) else { return };
    assert_eq!(summaries_asked_for(&run), [] as [String; 0]);
}
