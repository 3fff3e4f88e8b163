//! Two sessions at once: nothing of one changes because of the other, and from every state there is a way to a commit.

use serde_json::json;

use super::agent::{Agent, BAD, GOOD, SUITE};
use crate::world::World;

/// What a session would be told if it asked now: may it commit, may it write, is it approved what nobody knows?
#[derive(Debug, PartialEq)]
struct View {
    commit: Option<String>,
    strikes: Option<String>,
    approved: bool,
}

fn view(agent: &Agent<'_>) -> View {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "git commit --allow-empty -m x"}, "tool_use_id": "look"});
    let ran = agent.event("PreToolUse", &call);
    let reason = (!ran.stdout.is_empty())
        .then(|| ran.json()["hookSpecificOutput"]["permissionDecisionReason"].to_string());
    // Ages pass, the rest stays.
    let plain = |text: String| {
        let parts = text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("#")
    };
    let file = agent.world.state();
    let strikes = crate::world::files_below(&file)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(&format!("sessions/{}/strikes", agent.session)))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .find_map(|path| std::fs::read_to_string(path).ok());
    View { commit: reason.map(plain), strikes, approved: approves(agent) }
}

/// Whether something unknown is let through, as only autonomous work does.
fn approves(agent: &Agent<'_>) -> bool {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "frobnicate"}, "tool_use_id": "look"});
    agent.event("PreToolUse", &call).stdout.contains("\"allow\"")
}

/// A small generator: the same numbers in every run.
struct Lot(u64);

impl Lot {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// One thing that a session may do, whether it is let or not.
fn acts(agent: &Agent<'_>, what: u64) {
    match what {
        0 => drop(agent.write("src/double.py", BAD)),
        1 => drop(agent.write("src/double.py", GOOD)),
        2 => drop(agent.bash(SUITE)),
        3 => drop(agent.bash(&format!("{SUITE} || true"))),
        4 => drop(agent.prompts("verified")),
        5 => drop(agent.bash("git commit -qam work")),
        6 => drop(agent.stops()),
        7 => drop(agent.starts("resume")),
        8 => drop(agent.starts("compact")),
        9 => {
            agent.ends();
            agent.starts("startup");
        }
        10 => drop(agent.bash("plimsoll test")),
        // The user, for this session.
        11 => drop(agent.world.run(&["autonomy", "start", "--yes", "--session", agent.session])),
        _ => {
            let ran = agent.event("PreCompact", &json!({"trigger": "auto", "custom_instructions": ""}));
            assert_eq!(ran.code, Some(0));
        }
    }
}

/// How many things there are to do.
const ACTS: u64 = 13;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Whatever has happened: fix, run, show, commit.
#[track_caller]
fn reaches_a_commit(agent: &Agent<'_>) {
    for _ in 0..3 {
        if agent.write("src/double.py", &format!("{GOOD}# {}\n", agent.session)).is_ok() {
            break;
        }
        agent.runs(SUITE);
    }
    assert!(agent.runs(SUITE).0, "the tests pass");
    agent.prompts("verified").is_an_answer();
    assert!(agent.runs("git commit -qam work || git commit -q --allow-empty -m work").0);
}

/// Every gate, and autonomous work besides.
const BOTH: &str = r#"{"profile": "strict", "checks": {"edit/test-runner": "off", "shell/temp-write": "off", "autonomy/auto-approve": "on"}}"#;

/// In one checkout the code is both's, and so is what is known about it. Strikes and approvals are not.
#[test]
fn sessions_in_one_checkout_share_the_code_and_nothing_else() {
    let seed = number("PLIMSOLL_SESSIONS_SEED", 1);
    for round in 0..number("PLIMSOLL_SESSIONS", 3) {
        let world = World::tested_project().with_user_config(BOTH);
        world.git(&["checkout", "-qb", "work"]);
        let (one, two) = (world.agent("one"), world.agent("two"));
        one.starts("startup");
        two.starts("startup");
        let mut lot = Lot(seed * 1000 + 500 + round);
        let mut done = Vec::new();
        for _ in 0..16 {
            let (who, other) = if lot.next(2) == 0 { (&one, &two) } else { (&two, &one) };
            let what = lot.next(ACTS);
            done.push((who.session, what));
            let before = view(other);
            acts(who, what);
            let after = view(other);
            let own = |view: &View| (view.strikes.clone(), view.approved);
            assert_eq!(own(&after), own(&before), "{} was disturbed: {done:?}", other.session);
        }
        reaches_a_commit(&one);
        reaches_a_commit(&two);
    }
}

#[test]
fn sessions_in_two_work_trees_do_not_disturb_each_other() {
    let seed = number("PLIMSOLL_SESSIONS_SEED", 1);
    for round in 0..number("PLIMSOLL_SESSIONS", 3) {
        let world = World::tested_project().with_user_config(BOTH);
        for (name, tree) in [("one", ".worktrees/one"), ("two", ".worktrees/two")] {
            world.git(&["worktree", "add", "-q", tree, "-b", name]);
            // Not the same code, so that one's evidence is not the other's.
            world.write(&format!("{tree}/src/own.py"), &format!("\"\"\"{name}\"\"\"\n"));
            world.git(&["-C", tree, "add", "-A"]);
            world.git(&["-C", tree, "commit", "-qm", name]);
        }
        let (mut one, mut two) = (world.agent("one"), world.agent("two"));
        one.cwd = world.path(".worktrees/one");
        two.cwd = world.path(".worktrees/two");
        one.starts("startup");
        two.starts("startup");
        let mut lot = Lot(seed * 1000 + round);
        let mut done = Vec::new();
        for _ in 0..16 {
            let (who, other) = if lot.next(2) == 0 { (&one, &two) } else { (&two, &one) };
            let what = lot.next(ACTS);
            done.push((who.session, what));
            let before = view(other);
            acts(who, what);
            assert_eq!(view(other), before, "{} was disturbed: {done:?}", other.session);
        }
        reaches_a_commit(&one);
        reaches_a_commit(&two);
    }
}

#[test]
fn the_end_of_one_session_leaves_the_other_its_strikes_and_its_evidence() {
    let world = World::tested_project();
    world.git(&["checkout", "-qb", "work"]);
    let (one, two) = (world.agent("one"), world.agent("two"));
    one.starts("startup");
    one.writes("src/double.py", BAD);
    assert!(!one.runs(SUITE).0);
    one.writes("src/double.py", BAD);
    two.starts("startup");
    assert!(world.has(".claude/.test-status"), "another session's start takes nothing away");
    two.ends();
    assert!(world.has(".claude/.test-status") && world.has(".claude/.test-gate-strikes"));
    assert!(one.write("src/double.py", GOOD).unwrap_err().contains("still failing"));
    one.ends();
    assert!(!world.has(".claude/.test-gate-strikes"));
}

#[test]
fn a_session_that_only_reads_is_not_held_for_what_another_has_edited() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    let (one, two) = (world.agent("one"), world.agent("two"));
    one.starts("startup");
    two.starts("startup");
    one.writes("app.py", "x = 5\n");
    assert!(one.stops().stdout.contains("\"block\""), "whoever edits reports");
    assert!(!two.stops().stdout.contains("\"block\""), "whoever reads need not");
}

#[test]
fn autonomous_work_is_the_sessions_that_asked_for_it() {
    let world = World::new().with_user_config(r#"{"profile": "autonomous"}"#);
    world.run(&["autonomy", "start", "--yes", "--session", "one"]).succeeds();
    let approves = |session: &'static str| {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "frobnicate"}, "tool_use_id": "x"});
        world.agent(session).event("PreToolUse", &call).stdout.contains("\"allow\"")
    };
    assert!(approves("one") && !approves("two"));
}
