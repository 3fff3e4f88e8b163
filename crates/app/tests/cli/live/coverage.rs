//! Which scenario shows which answer: every event that a check of ours looks at, and every form that its answers can have there,
//! by the table in `agents`. Whoever adds one adds a scenario, or the reason why the client cannot be made to show it here.

use std::collections::BTreeSet;

use agents::{Answers, Form};
use model::{Decision, EventName};
use serde_json::json;

use super::{after, answers, autonomy, events, lint, screen, shell, work};

/// That the event comes at all, and is logged.
const HEARD: &str = "heard";
const REWRITE: &str = "updatedInput";
const REPLACE: &str = "updatedToolOutput";

enum Proof {
    Live(&'static [(&'static str, fn())]),
    Never(&'static str),
}

/// By name, so that a scenario that is gone does not compile.
macro_rules! by {
    ($($scenario:path),+ $(,)?) => { Proof::Live(&[$((stringify!($scenario), $scenario as fn())),+]) };
}

/// Event, answer, proof. In the order of a session's life.
static TABLE: &[(&str, &str, Proof)] = &[
    ("SessionStart", HEARD, by!(super::the_hooks_that_init_registers_are_called)),
    (
        "SessionStart",
        "additionalContext",
        by!(
            super::the_hooks_that_init_registers_are_called,
            answers::context_reaches_the_model_at_every_event_that_carries_it,
            answers::what_cannot_be_refused_at_a_start_is_said_as_context,
        ),
    ),
    (
        "SessionStart",
        "systemMessage",
        by!(
            events::what_is_wrong_with_the_config_is_told_to_the_user_at_the_start,
            answers::a_notice_is_the_users_and_never_the_models,
        ),
    ),
    ("UserPromptSubmit", HEARD, by!(super::the_hooks_that_init_registers_are_called)),
    (
        "UserPromptSubmit",
        "decision: block",
        by!(
            events::a_prompt_that_a_gate_of_the_project_refuses_is_not_sent,
            answers::a_refused_prompt_never_reaches_the_model,
        ),
    ),
    (
        "UserPromptSubmit",
        "additionalContext",
        by!(
            work::the_gates_answer_and_tests_run_beside_the_agent,
            answers::context_reaches_the_model_at_every_event_that_carries_it,
        ),
    ),
    ("UserPromptSubmit", "systemMessage", by!(answers::a_notice_is_the_users_and_never_the_models)),
    ("PreToolUse", HEARD, by!(super::the_hooks_that_init_registers_are_called)),
    (
        "PreToolUse",
        "permissionDecision: deny",
        by!(
            super::an_edit_of_the_rules_is_refused_and_the_model_told_why,
            shell::dangerous_commands_are_refused_with_the_reason,
        ),
    ),
    (
        "PreToolUse",
        "permissionDecision: ask",
        by!(
            super::an_approval_is_the_users_to_give_and_holds_for_the_session,
            answers::a_question_before_a_call_is_refused_where_nobody_can_answer,
        ),
    ),
    ("PreToolUse", "permissionDecision: allow", by!(shell::a_safe_command_runs_without_a_question)),
    (
        "PreToolUse",
        REWRITE,
        by!(
            shell::a_forced_push_runs_with_a_lease,
            answers::a_rewritten_call_runs_in_its_new_form_and_needs_the_same_permission,
        ),
    ),
    (
        "PreToolUse",
        "additionalContext",
        by!(
            super::a_warning_reaches_the_model_and_does_not_stop_it,
            answers::context_reaches_the_model_at_every_event_that_carries_it,
        ),
    ),
    ("PreToolUse", "systemMessage", by!(answers::a_notice_is_the_users_and_never_the_models)),
    (
        "PermissionRequest",
        HEARD,
        by!(events::a_request_for_permission_is_granted_while_autonomous_work_is_active),
    ),
    (
        "PermissionRequest",
        "decision.behavior: allow",
        by!(
            events::a_request_for_permission_is_granted_while_autonomous_work_is_active,
            answers::a_request_for_permission_is_granted_refused_and_changed,
        ),
    ),
    (
        "PermissionRequest",
        "decision.behavior: deny",
        by!(answers::a_request_for_permission_is_granted_refused_and_changed),
    ),
    ("PermissionRequest", REWRITE, by!(answers::a_request_for_permission_is_granted_refused_and_changed)),
    (
        "PermissionRequest",
        "systemMessage",
        by!(answers::a_notice_with_a_request_for_permission_decides_nothing),
    ),
    ("PostToolUse", HEARD, by!(super::the_hooks_that_init_registers_are_called)),
    (
        "PostToolUse",
        "exit 2, stderr",
        by!(
            lint::what_was_found_is_in_the_models_next_request,
            answers::feedback_on_a_call_that_has_run_reaches_the_model,
        ),
    ),
    (
        "PostToolUse",
        "additionalContext",
        by!(answers::context_reaches_the_model_at_every_event_that_carries_it),
    ),
    ("PostToolUse", REPLACE, by!(after::secrets_are_masked_for_the_model_and_in_the_transcript)),
    ("PostToolUse", "systemMessage", by!(answers::a_notice_is_the_users_and_never_the_models)),
    ("PostToolUseFailure", HEARD, by!(events::a_test_run_that_failed_is_remembered_as_failed)),
    ("PostToolUseFailure", "exit 2, stderr", by!(answers::feedback_on_a_call_that_failed_reaches_the_model)),
    (
        "PostToolUseFailure",
        "additionalContext",
        by!(answers::context_reaches_the_model_at_every_event_that_carries_it),
    ),
    ("PostToolUseFailure", "systemMessage", by!(answers::a_notice_is_the_users_and_never_the_models)),
    ("Notification", HEARD, by!(screen::a_client_that_waits_calls_the_user)),
    (
        "Notification",
        "systemMessage",
        Proof::Never("tried: the client shows it nowhere; no check of ours gives a notice there"),
    ),
    ("SubagentStart", HEARD, by!(work::a_subagent_is_told_where_the_work_stands)),
    (
        "SubagentStart",
        "additionalContext",
        by!(
            work::a_subagent_is_told_where_the_work_stands,
            answers::context_reaches_the_model_at_every_event_that_carries_it,
            answers::what_cannot_be_refused_at_a_start_is_said_as_context,
        ),
    ),
    ("SubagentStart", "systemMessage", by!(answers::a_notice_is_the_users_and_never_the_models)),
    ("SubagentStop", HEARD, by!(autonomy::a_failing_command_of_the_project_holds_a_subagent)),
    (
        "SubagentStop",
        "decision: block",
        by!(
            autonomy::a_failing_command_of_the_project_holds_a_subagent,
            answers::a_stop_and_a_subagents_stop_are_held_with_the_reason,
        ),
    ),
    (
        "SubagentStop",
        "systemMessage",
        by!(
            events::what_a_planner_leaves_open_is_told_to_the_user,
            answers::a_notice_is_the_users_and_never_the_models,
        ),
    ),
    ("Stop", HEARD, by!(super::the_hooks_that_init_registers_are_called)),
    (
        "Stop",
        "decision: block",
        by!(
            super::a_stop_after_the_rules_were_changed_is_held_once,
            answers::a_stop_and_a_subagents_stop_are_held_with_the_reason,
        ),
    ),
    (
        "Stop",
        "systemMessage",
        by!(
            events::what_the_session_changed_is_told_to_the_user_at_the_stop,
            answers::a_notice_is_the_users_and_never_the_models,
        ),
    ),
    ("PreCompact", HEARD, by!(work::what_is_kept_survives_a_compaction)),
    ("PreCompact", "decision: block", by!(answers::a_refused_compaction_does_not_happen)),
    (
        "PreCompact",
        "plain stdout",
        by!(
            work::what_is_kept_survives_a_compaction,
            answers::text_before_a_compaction_is_in_the_instructions_for_the_summary,
        ),
    ),
    ("SessionEnd", HEARD, by!(events::the_end_of_a_session_clears_what_was_its_own)),
];

/// The forms that our answers can have at an event: of two decisions that are said alike, one is enough.
fn forms(event: &EventName) -> BTreeSet<String> {
    let row = Answers::of(event);
    let decisions = [Decision::Deny, Decision::Ask, Decision::Allow].into_iter();
    let mut forms: BTreeSet<String> = decisions
        .map(|decision| (row.form(decision), decision))
        .filter(|(form, _)| *form != Form::Silence)
        .map(|(form, decision)| match form {
            Form::Permission | Form::Behavior => format!("{}: {decision}", form.as_str()),
            form => form.as_str().to_owned(),
        })
        .collect();
    let rest = [row.context, row.notice].into_iter().filter(|form| *form != Form::Silence);
    forms.extend(rest.map(|form| form.as_str().to_owned()));
    if row.rewrite {
        forms.insert(REWRITE.to_owned());
    }
    if row.replace {
        forms.insert(REPLACE.to_owned());
    }
    forms.insert(HEARD.to_owned());
    forms
}

#[test]
fn every_event_that_we_answer_and_every_form_has_a_scenario() {
    let ours: Vec<&EventName> = EventName::ALL
        .iter()
        .filter(|event| checks::all().any(|check| looks_at(check.meta, event)))
        .collect();
    assert!(ours.len() >= 12, "{ours:?}");
    let wanted: BTreeSet<(String, String)> = ours
        .iter()
        .flat_map(|event| forms(event).into_iter().map(|form| (event.as_str().to_owned(), form)))
        .collect();
    let shown: BTreeSet<(String, String)> =
        TABLE.iter().map(|(event, form, _)| ((*event).to_owned(), (*form).to_owned())).collect();
    let lacking: Vec<_> = wanted.difference(&shown).collect();
    let idle: Vec<_> = shown.difference(&wanted).collect();
    assert!(lacking.is_empty(), "no scenario shows these: {lacking:?}");
    assert!(idle.is_empty(), "nothing answers so any more: {idle:?}");
    assert_eq!(shown.len(), TABLE.len(), "a row twice");
    note();
}

fn looks_at(meta: &model::Meta, event: &EventName) -> bool {
    meta.on.iter().any(|on| on.event == *event)
}

/// For the page that `cargo dev live` writes.
fn note() {
    let Some(folder) = std::env::var_os("PLIMSOLL_LIVE_NOTES") else { return };
    let rows: Vec<_> = TABLE
        .iter()
        .map(|(event, form, proof)| match proof {
            Proof::Live(list) => {
                let names: Vec<&str> =
                    list.iter().map(|(name, _)| name.trim_start_matches("super::")).collect();
                json!({"event": event, "form": form, "scenarios": names})
            }
            Proof::Never(why) => json!({"event": event, "form": form, "scenarios": [], "why": why}),
        })
        .collect();
    std::fs::write(std::path::Path::new(&folder).join("coverage.json"), json!(rows).to_string()).unwrap();
}
