//! The second opinion, with reviewers on this machine. What is concluded from which answers is in the cases of the check; here
//! is what goes out, when, and for how long.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::reviewers::{Reviewers, Says};
use crate::world::{Ran, SESSION, World};

/// A command that no check knows anything about.
const UNKNOWN: &str = "frobnicate --all";
const UNKNOWN_SHA256: &str = "755599b1395baa3a0a1626b303bfa604b4c4fae89c220a8f62df7a49eb0b20f0";

const SAFE: Says = Says::Verdict("safe", "It only lists.");
const UNSAFE: Says = Says::Verdict("unsafe", "It wipes the disk.");
const MISALIGNED: Says = Says::Verdict("misaligned", "The phase is testing.");

/// The user works strictly, and these are their reviewers.
fn world(reviewers: &Reviewers) -> World {
    impatient(reviewers, LONG)
}

/// Enough for any machine.
const LONG: u64 = 60_000;

/// The same, with less time for Gemini.
fn impatient(reviewers: &Reviewers, milliseconds: u64) -> World {
    let config = json!({"profile": "strict", "second_opinion": settings(reviewers, milliseconds)});
    World::new()
        .with_user_config(&config.to_string())
        .with_variable("GEMINI_API_KEY", "gemini-k3y")
        .with_variable("OPENAI_API_KEY", "openai-k3y")
}

fn settings(reviewers: &Reviewers, milliseconds: u64) -> Json {
    json!({
        "gemini_url": reviewers.gemini_url(),
        "openai_url": reviewers.openai_url(),
        "gemini_timeout_ms": milliseconds,
        "openai_timeout_ms": LONG,
    })
}

fn wants_to_run(world: &World, command: &str) -> Ran {
    world.tool("PreToolUse", "Bash", &json!({"command": command}))
}

/// The decision, if there is one, and the context.
#[track_caller]
fn answer(ran: &Ran) -> (String, String) {
    ran.is_an_answer();
    let answer = &ran.json()["hookSpecificOutput"];
    let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    (text("permissionDecision"), text("additionalContext"))
}

#[track_caller]
fn is_allowed(ran: &Ran) {
    assert_eq!(answer(ran).0, "allow", "{ran:#?}");
}

/// Nothing is decided, and the agent is told all of `parts`.
#[track_caller]
fn is_told(ran: &Ran, parts: &[&str]) {
    let (decision, context) = answer(ran);
    assert_eq!(decision, "", "{ran:#?}");
    for part in parts {
        assert!(context.contains(part), "«{part}» is not in «{context}»");
    }
}

#[track_caller]
fn failures(world: &World) -> String {
    world.last_logged()["failures"].to_string()
}

// What is answered.

#[test]
fn what_both_call_unsafe_is_refused_with_both_views() {
    let reviewers = Reviewers::new(UNSAFE, Says::Verdict("unsafe", "So it does."));
    let reason = wants_to_run(&world(&reviewers), UNKNOWN).is_denied();
    assert!(reason.contains("Gemini: unsafe, It wipes the disk / OpenAI: unsafe, So it does"), "{reason}");
    assert_eq!(reviewers.who(), ["gemini", "openai"]);
    assert_eq!(reviewers.asked()[0].question()["earlier_review"], Json::Null);
    assert_eq!(
        reviewers.asked()[1].question()["earlier_review"],
        json!({"verdict": "unsafe", "reason": "It wipes the disk"})
    );
}

#[test]
fn a_disagreement_is_told_with_both_views() {
    let reviewers = Reviewers::new(UNSAFE, SAFE);
    let ran = wants_to_run(&world(&reviewers), UNKNOWN);
    is_told(&ran, &["Gemini: unsafe, It wipes the disk", "OpenAI: safe, It only lists"]);
}

#[test]
fn what_the_first_calls_safe_is_approved_and_the_other_is_not_asked() {
    let reviewers = Reviewers::new(SAFE, UNSAFE);
    let world = world(&reviewers);
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!(reviewers.who(), ["gemini"]);
    assert_eq!(world.last_logged()["rules"], json!(["shell/second-opinion"]));
}

#[test]
fn what_does_not_fit_the_plan_is_told() {
    let reviewers = Reviewers::new(MISALIGNED, UNSAFE);
    is_told(&wants_to_run(&world(&reviewers), UNKNOWN), &["Gemini: misaligned, The phase is testing"]);
    assert_eq!(reviewers.who(), ["gemini"]);
}

#[test]
fn an_answer_in_fences_over_several_lines_is_read() {
    let text = "Sure:\n```json\n{\n  \"verdict\": \"safe\",\n  \"confidence\": 1,\n  \"reason\": \"It\\nlists.\"\n}\n```\n";
    let reviewers = Reviewers::new(Says::Text(text.into()), UNSAFE);
    is_allowed(&wants_to_run(&world(&reviewers), UNKNOWN));
}

// With one key.

#[test]
fn a_single_reviewer_may_approve_but_not_refuse() {
    for (unused, name) in [("OPENAI_API_KEY", "Gemini"), ("GEMINI_API_KEY", "OpenAI")] {
        let reviewers = Reviewers::new(UNSAFE, UNSAFE);
        let ran = wants_to_run(&world(&reviewers).with_variable(unused, ""), UNKNOWN);
        is_told(&ran, &[&format!("{name}: unsafe")]);
        assert_eq!(reviewers.asked().len(), 1);
        let reviewers = Reviewers::new(SAFE, SAFE);
        is_allowed(&wants_to_run(&world(&reviewers).with_variable(unused, ""), UNKNOWN));
    }
}

#[test]
fn keys_are_read_from_the_users_file() {
    let reviewers = Reviewers::new(SAFE, UNSAFE);
    let world = world(&reviewers).with_variable("GEMINI_API_KEY", "").with_variable("OPENAI_API_KEY", "");
    crate::world::write(
        &world.home().join(".claude/.env"),
        "# mine\nexport GEMINI_API_KEY='k3y-from-file'\n",
    );
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!(reviewers.asked()[0].header("x-goog-api-key"), Some("k3y-from-file"));
}

// When reviewers fail.

#[test]
fn a_reviewer_that_never_answers_is_waited_for_no_longer_than_set() {
    let reviewers = Reviewers::new(Says::Nothing, SAFE);
    let world = impatient(&reviewers, 150);
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!(reviewers.who(), ["gemini", "openai"]);
    assert!(failures(&world).contains("Gemini did not answer within 0.15 s"), "{}", failures(&world));
}

#[test]
fn when_both_fail_nothing_is_said_and_the_log_says_why() {
    let reviewers = Reviewers::new(Says::Nothing, Says::Status(429, "retry-after: 60".into()));
    let world = impatient(&reviewers, 150);
    wants_to_run(&world, UNKNOWN).is_silent();
    let failures = failures(&world);
    assert!(
        failures.contains("Gemini did not answer")
            && failures.contains("OpenAI answered with status 429: Quota exceeded"),
        "{failures}"
    );
    assert!(!world.has(".claude/.llm-review-cache"));
}

#[test]
fn a_reviewer_that_cannot_be_reached_is_in_the_log() {
    let reviewers = Reviewers::new(SAFE, SAFE);
    let world = world(&reviewers);
    // A port that nobody listens on: one that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("http://127.0.0.1:{port}");
    let config = json!({"profile": "strict", "second_opinion": {"gemini_url": nobody, "openai_url": nobody}});
    let world = world.with_user_config(&config.to_string());
    wants_to_run(&world, UNKNOWN).is_silent();
    assert!(failures(&world).contains("Gemini could not be asked"), "{}", failures(&world));
}

#[test]
fn an_objection_that_nobody_confirms_is_told() {
    let reviewers = Reviewers::new(UNSAFE, Says::Text("I would rather not say.".into()));
    let world = world(&reviewers);
    is_told(&wants_to_run(&world, UNKNOWN), &["Gemini: unsafe"]);
    assert!(failures(&world).contains("OpenAI gave an answer that cannot be read"), "{}", failures(&world));
    // Another time the other one may answer.
    wants_to_run(&world, UNKNOWN);
    assert_eq!(reviewers.asked().len(), 4);
}

#[test]
fn all_of_it_is_over_before_the_hooks_own_time() {
    let reviewers = Reviewers::new(Says::Nothing, Says::Nothing);
    let world = world(&reviewers);
    let payload =
        world.payload("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": UNKNOWN}}));
    let started = Instant::now();
    // On a busy machine a second is over before the process has begun, and then there is another answer.
    world.hook(&["--deadline", "5"], payload.to_string()).is_silent();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert!(failures(&world).contains("OpenAI was not asked: no time left"), "{}", failures(&world));
}

#[test]
fn a_redirection_is_not_followed_with_the_key() {
    let elsewhere = Reviewers::new(SAFE, SAFE);
    let reviewers =
        Reviewers::new(Says::Status(302, format!("location: {}/x", elsewhere.gemini_url())), SAFE);
    let world = world(&reviewers);
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!((elsewhere.connections(), reviewers.who()), (0, vec!["gemini", "openai"]));
    assert!(failures(&world).contains("Gemini answered with status 302"), "{}", failures(&world));
}

// What is kept.

#[test]
fn the_same_command_is_asked_about_once_in_a_session() {
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    let world = world(&reviewers);
    let first = wants_to_run(&world, UNKNOWN).is_denied();
    assert_eq!(wants_to_run(&world, UNKNOWN).is_denied(), first);
    assert_eq!(reviewers.connections(), 2);
    let line = world.read(".claude/.llm-review-cache");
    let fields: Vec<&str> = line.trim_end().split('|').collect();
    let [hash, verdict, reason, epoch] = fields[..] else { panic!("{line}") };
    // Of the command and nothing else, as whoever reads the file works it out.
    assert_eq!(hash, UNKNOWN_SHA256, "{line}");
    assert!(
        verdict == "unsafe" && reason.contains("It wipes the disk") && epoch.parse::<u64>().is_ok(),
        "{line}"
    );

    wants_to_run(&world, "frobnicate --some").is_denied();
    assert_eq!(reviewers.connections(), 4);
    world.git(&["checkout", "-q", "-b", "other"]);
    wants_to_run(&world, UNKNOWN).is_denied();
    assert_eq!(reviewers.connections(), 6, "another branch is another question");
}

#[test]
fn a_new_session_asks_again_and_a_compaction_is_none() {
    let reviewers = Reviewers::new(SAFE, UNSAFE);
    let world = world(&reviewers);
    is_allowed(&wants_to_run(&world, UNKNOWN));
    world.event("SessionStart", &json!({"source": "compact"}));
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!(reviewers.connections(), 1);
    world.event("SessionStart", &json!({"session_id": SESSION, "source": "startup"}));
    assert!(!world.has(".claude/.llm-review-cache"));
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!(reviewers.connections(), 2);
    world.event("SessionEnd", &json!({"reason": "other"}));
    assert!(!world.has(".claude/.llm-review-cache"), "it ends with the session");
    // Answers to another session do not count, cleared or not.
    let input = json!({"session_id": "s2", "tool_name": "Bash", "tool_input": {"command": UNKNOWN}});
    is_allowed(&world.event("PreToolUse", &input));
    assert_eq!(reviewers.connections(), 3);
}

// When nobody is asked.

#[track_caller]
fn asks_nobody(reviewers: &Reviewers, world: &World, command: &str) {
    wants_to_run(world, command).is_an_answer();
    assert_eq!(reviewers.connections(), 0, "«{command}» was shown to somebody");
}

#[test]
fn nobody_is_asked_when_it_is_off_or_there_is_no_key() {
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    asks_nobody(&reviewers, &world(&reviewers).with_variable("LLM_REVIEW_ENABLED", "0"), UNKNOWN);
    let without = world(&reviewers).with_variable("GEMINI_API_KEY", "").with_variable("OPENAI_API_KEY", "");
    wants_to_run(&without, UNKNOWN).is_silent();
    for profile in ["standard", "autonomous", "observe"] {
        let config = json!({"profile": profile, "second_opinion": settings(&reviewers, LONG)});
        asks_nobody(&reviewers, &world(&reviewers).with_user_config(&config.to_string()), UNKNOWN);
    }
    assert_eq!(reviewers.connections(), 0);
}

#[test]
fn nobody_is_asked_about_what_is_decided_already() {
    let reviewers = Reviewers::new(SAFE, SAFE);
    let world = world(&reviewers);
    for command in ["rm -rf /", "cat .env", "ls -la", "frobnicate \"unclosed"] {
        asks_nobody(&reviewers, &world, command);
    }
    wants_to_run(&world, "rm -rf /").is_denied();
}

#[test]
fn an_explanation_asks_nobody() {
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    let ran = world(&reviewers).run(&["explain", UNKNOWN]).succeeds().says(&["shell/second-opinion"]);
    assert_eq!(reviewers.connections(), 0, "{}", ran.stdout);
}

// Where a "safe" does not count.

#[test]
fn a_safe_changes_nothing_where_the_user_or_the_client_decides() {
    let reviewers = Reviewers::new(SAFE, UNSAFE);
    let world = world(&reviewers);
    assert_ne!(answer_or_nothing(&wants_to_run(&world, "git push origin feature && frobnicate")), "allow");
    let input = json!({"permission_mode": "auto", "tool_name": "Bash", "tool_input": {"command": UNKNOWN}});
    assert_ne!(answer_or_nothing(&world.event("PreToolUse", &input)), "allow");
    assert_eq!(reviewers.connections(), 2);
}

fn answer_or_nothing(ran: &Ran) -> String {
    if ran.stdout.is_empty() { String::new() } else { answer(ran).0 }
}

#[test]
fn a_project_that_asks_for_reviewers_by_itself_gets_no_approvals() {
    let set = |reviewers: &Reviewers| {
        let config = json!({"second_opinion": settings(reviewers, LONG)});
        world(reviewers).with_user_config(&config.to_string()).with_config(r#"{"profile": "strict"}"#)
    };
    let reviewers = Reviewers::new(SAFE, UNSAFE);
    wants_to_run(&set(&reviewers), UNKNOWN).is_silent();
    assert_eq!(reviewers.connections(), 1);
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    wants_to_run(&set(&reviewers), UNKNOWN).is_denied();
}

#[test]
fn a_project_cannot_send_commands_elsewhere_without_trust() {
    let (mine, theirs) = (Reviewers::new(SAFE, SAFE), Reviewers::new(SAFE, SAFE));
    let config =
        json!({"second_opinion": {"gemini_url": theirs.gemini_url(), "openai_url": theirs.openai_url()}});
    let world = world(&mine).with_config(&config.to_string());
    is_allowed(&wants_to_run(&world, UNKNOWN));
    assert_eq!((mine.connections(), theirs.connections()), (1, 0));
}

// What is sent.

#[test]
fn the_question_says_where_and_what_for() {
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    let plan = "# Shop\n\nSells things.\n\n## Phase 1: tests\n\n**Status:** in-progress\n";
    let world = world(&reviewers).with("MASTER_PLAN.md", plan);
    wants_to_run(&world, UNKNOWN).is_denied();
    let asked = reviewers.asked();
    assert_eq!(asked[0].path, "/v1beta/models/gemini-2.0-flash:generateContent");
    assert_eq!(asked[0].header("x-goog-api-key"), Some("gemini-k3y"));
    assert_eq!(asked[0].body["generationConfig"]["temperature"], 0);
    assert_eq!(asked[1].header("authorization"), Some("Bearer openai-k3y"));
    assert_eq!(asked[1].body["model"], "gpt-4o-mini");
    for asked in &asked {
        let question = asked.question();
        assert_eq!((&question["command"], &question["git_branch"]), (&json!(UNKNOWN), &json!("main")));
        assert_eq!(question["directory"], world.name("").trim_end_matches('/'));
        let intent = question["project_intent"].as_str().unwrap();
        assert!(intent.starts_with("# Shop") && intent.ends_with("## Phase 1: tests"), "{intent}");
    }
}

#[test]
fn other_models_are_asked_where_the_environment_names_them() {
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    let world = world(&reviewers)
        .with_variable("LLM_REVIEW_GEMINI_MODEL", "gemini-9")
        .with_variable("LLM_REVIEW_OPENAI_MODEL", "gpt-9");
    wants_to_run(&world, UNKNOWN).is_denied();
    assert_eq!(reviewers.asked()[0].path, "/v1beta/models/gemini-9:generateContent");
    assert_eq!(reviewers.asked()[1].body["model"], "gpt-9");
}

#[test]
fn secrets_are_not_sent_however_long_the_command_is() {
    let reviewers = Reviewers::new(UNSAFE, UNSAFE);
    let world = world(&reviewers).with("MASTER_PLAN.md", "# Shop\nSERVICE_TOKEN=hunter2value\n");
    let long = "frobnicate --name something-quite-ordinary &&\n".repeat(40);
    let command = format!("DB_PASSWORD=hunter2value {long}frobnicate --token=hunter2value --last");
    wants_to_run(&world, &command).is_denied();
    let asked = reviewers.asked();
    assert_eq!(asked.len(), 2);
    for asked in asked {
        assert!(!asked.body.to_string().contains("hunter2value"), "{}", asked.body);
        let shown = asked.question()["command"].as_str().unwrap().to_owned();
        assert_eq!(shown, command.replace("hunter2value", "***"));
    }
    assert!(!world.read(".claude/.llm-review-cache").contains("hunter2value"));
}

#[test]
fn what_was_not_seen_whole_is_not_approved() {
    let reviewers = Reviewers::new(SAFE, UNSAFE);
    let world = world(&reviewers);
    // Masked as a password, it is a program all the same.
    wants_to_run(&world, "API_TOKEN=\"x$(frobnicate)\" frobnicate").is_silent();
    assert_eq!(reviewers.connections(), 1);
}

#[test]
fn a_reviewer_that_fails_again_and_again_is_left_alone_for_a_while() {
    let reviewers = Reviewers::new(Says::Status(500, String::new()), SAFE);
    let world = world(&reviewers);
    for number in 1..=3 {
        is_allowed(&wants_to_run(&world, &format!("{UNKNOWN} {number}")));
    }
    assert!(failures(&world).contains("not asked for 10 minutes"), "{}", failures(&world));
    is_allowed(&wants_to_run(&world, &format!("{UNKNOWN} 4")));
    assert!(!failures(&world).contains("Gemini"), "it is said once: {}", failures(&world));
    let who = reviewers.who();
    assert_eq!(who.iter().filter(|name| **name == "gemini").count(), 3, "{who:?}");
}
