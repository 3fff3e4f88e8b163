//! The update check: a checkout behind its remote is brought forward where that is safe, and only told of elsewhere.

use std::path::Path;

use serde_json::json;

use super::STRICT;
use crate::world::{Ran, World, write};

impl World {
    fn git_in(&self, dir: &Path, args: &[&str]) {
        let who = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"];
        let mut git = std::process::Command::new("git");
        git.env_clear()
            .env("PATH", std::env::var("PATH").unwrap())
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let done = git.current_dir(dir).args(who).args(args).output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// A remote with a version, a checkout of it, and where both are.
    fn with_harness() -> (Self, std::path::PathBuf, std::path::PathBuf) {
        let world = World::new();
        let (remote, checkout) = (world.base().join("remote"), world.base().join("checkout"));
        std::fs::create_dir(&remote).unwrap();
        world.git_in(&remote, &["init", "-q", "-b", "main"]);
        world.releases(&remote, "1.0.0");
        world.git_in(world.base(), &["clone", "-q", remote.to_str().unwrap(), checkout.to_str().unwrap()]);
        let config = json!({"profile": "strict", "update": {"checkout": checkout}}).to_string();
        (world.with_user_config(&config), remote, checkout)
    }

    fn releases(&self, remote: &Path, version: &str) {
        write(&remote.join("VERSION"), &format!("{version}\n"));
        self.git_in(remote, &["add", "-A"]);
        self.git_in(remote, &["commit", "-qm", &format!("release {version}")]);
    }

    /// The check, as the original script was called, and the status it leaves without its time.
    fn checks_for_updates(&self) -> Option<String> {
        self.practice_script("update-check", &json!({})).is_silent();
        let text = std::fs::read_to_string(self.path(".claude/.update-status")).ok()?;
        let mut fields: Vec<&str> = text.trim().splitn(6, '|').collect();
        fields.remove(4).parse::<u64>().unwrap();
        Some(fields.join("|"))
    }

    fn starts_anew(&self) -> Ran {
        self.event("SessionStart", &json!({"source": "startup"}))
    }
}

#[test]
fn a_newer_version_of_the_same_major_is_taken_and_told_once() {
    let (world, remote, checkout) = World::with_harness();
    assert_eq!(world.checks_for_updates().as_deref(), Some("up-to-date|1.0.0|1.0.0|0|"));
    world.releases(&remote, "1.1.0");
    assert_eq!(world.checks_for_updates().as_deref(), Some("updated|1.0.0|1.1.0|1|release 1.1.0"));
    assert_eq!(std::fs::read_to_string(checkout.join("VERSION")).unwrap(), "1.1.0\n");
    assert!(
        world
            .starts_anew()
            .advises()
            .contains("Harness updated from 1.0.0 to 1.1.0 (1 commit): release 1.1.0")
    );
    assert!(!world.has_record(".update-status") && !world.has_record(".update-check.lock"));
}

/// One road: what the start of a session sets going leaves the project's line and the machine's history, and both readers hear of it.
#[test]
fn a_session_that_starts_leaves_both_records() {
    let (world, remote, checkout) = World::with_harness();
    world.releases(&remote, "1.1.0");
    world.run(&["task", "update", world.name("").trim_end_matches('/'), "s1"]).succeeds();
    assert_eq!(std::fs::read_to_string(checkout.join("VERSION")).unwrap(), "1.1.0\n");
    assert!(world.record(".update-status").starts_with("updated|1.0.0|1.1.0|1|"));
    let history = std::fs::read_to_string(world.home().join(".claude/toolkit-update-state.json")).unwrap();
    assert!(history.contains("\"last_check_result\": \"updated\""), "{history}");
    let ran = world.starts_anew();
    assert!(ran.advises().contains("Harness updated from 1.0.0 to 1.1.0"));
    assert!(ran.json()["systemMessage"].as_str().unwrap().contains("updated from"), "{ran:#?}");
    // It was today, so the next start asks nobody.
    world.releases(&remote, "1.2.0");
    world.starts_anew();
    world.run(&["update", "--check"]).succeeds().says(&["can go from"]);
    world.run(&["update"]).succeeds().says(&["updated from"]);
}

#[test]
fn a_checkout_that_is_none_is_named_in_the_log() {
    let world = World::new();
    let config =
        json!({"profile": "strict", "update": {"checkout": world.base().join("nowhere")}}).to_string();
    let world = world.with_user_config(&config);
    assert_eq!(world.run(&["task", "update", world.name("").trim_end_matches('/'), "s1"]).code, Some(1));
    assert!(world.last_logged()["failures"].to_string().contains("nowhere is not a git repository"));
    world.run(&["update"]).fails_saying(&["nowhere is not a git repository"]);
}

#[test]
fn another_major_is_only_told() {
    let (world, remote, checkout) = World::with_harness();
    world.releases(&remote, "2.0.0");
    assert!(world.checks_for_updates().unwrap().starts_with("breaking|1.0.0|2.0.0|1|"));
    assert_eq!(std::fs::read_to_string(checkout.join("VERSION")).unwrap(), "1.0.0\n");
    assert!(world.starts_anew().advises().contains("2.0.0 is a new major version (here: 1.0.0)"));
}

#[test]
fn changes_of_the_users_own_are_left_alone() {
    let (world, remote, checkout) = World::with_harness();
    world.releases(&remote, "1.1.0");
    write(&checkout.join("VERSION"), "1.0.0 mine\n");
    let status = world.checks_for_updates();
    assert_eq!(status.as_deref(), Some("conflict|1.0.0|1.1.0|1|there are uncommitted changes in it"));
    assert_eq!(std::fs::read_to_string(checkout.join("VERSION")).unwrap(), "1.0.0 mine\n");
    world.git_in(&checkout, &["checkout", "-q", "--", "VERSION"]);
    write(&checkout.join("own"), "x");
    world.git_in(&checkout, &["add", "own"]);
    world.git_in(&checkout, &["commit", "-qm", "own"]);
    assert_eq!(
        world.checks_for_updates().as_deref(),
        Some("conflict|1.0.0|1.1.0|1|it has commits of its own")
    );
    assert!(checkout.join("own").exists());
}

#[test]
fn it_can_be_switched_off_and_needs_a_repository() {
    let (world, remote, checkout) = World::with_harness();
    world.releases(&remote, "1.1.0");
    write(&checkout.join(".disable-auto-update"), "");
    assert_eq!(world.checks_for_updates(), None);
    let world = World::new().with_user_config(STRICT);
    assert_eq!(world.checks_for_updates(), None, "nothing is configured, and ~/.claude is not a repository");
}
