//! Managed settings and a team's policy: no lower layer weakens them, whatever it says.

use model::Levels;
use model::Meta;
use model::config::{Profile, stricter};
use serde_json::json;

use super::*;
use machine::testing::{commit, git};

const MANAGED: &str = "etc/config.json";

fn meta(id: &'static str, role: Role, levels: Levels) -> Meta {
    Meta { id, summary: "", docs: "", cases: "", on: &[], role, levels, since: "" }
}

fn metas() -> Vec<Meta> {
    vec![
        meta("file/always", Role::Guard, Levels::ALWAYS),
        meta("file/gate", Role::Guard, Levels::STRICT),
        meta("file/linter-config", Role::Guard, Levels::ALWAYS),
        meta("edit/help", Role::Advisory, Levels::ALWAYS),
        meta("autonomy/approve", Role::Grant, Levels::AUTONOMOUS),
        meta("autonomy/second", Role::Grant, Levels::STRICT),
    ]
}

/// What `checks::level` answers.
fn level(config: &Config, meta: &Meta) -> Level {
    let wanted = config.checks.get(meta.id).copied().unwrap_or_else(|| meta.levels.of(config.profile));
    config.floor.level(meta, wanted)
}

#[test]
fn a_managed_value_wins_and_says_where_it_comes_from() {
    let world = world(&[
        (
            MANAGED,
            r#"{"profile": "strict", "jscpd": {"session_threshold": 9}, "checks": {"file/always": "on"}}"#,
        ),
        (USER, r#"{"profile": "observe", "jscpd": {"session_threshold": 4}, "hook_enabled": false}"#),
        (
            PROJECT,
            r#"{"checks": {"file/always": "off", "edit/help": "off"}, "jscpd": {"session_threshold": 5}}"#,
        ),
    ]);
    let loaded = loaded(&world);
    assert_eq!((loaded.config.profile, loaded.config.jscpd_threshold), (Profile::Strict, 9));
    assert!(loaded.config.hook_enabled);
    assert_eq!(loaded.source("profile"), Layer::Managed);
    assert_eq!(loaded.config.checks.get("file/always"), Some(&Level::On));
    assert_eq!(level(&loaded.config, &metas()[3]), Level::On, "the profile is a floor for what it has on");
    assert_eq!(loaded.overruled.len(), 4, "{:?}", loaded.overruled);
}

#[test]
fn what_is_stricter_below_counts() {
    let world = world(&[
        (
            MANAGED,
            r#"{"profile": "standard", "checks": {"autonomy/approve": "on"}, "protected_files": ["a.toml"]}"#,
        ),
        (
            USER,
            r#"{"profile": "strict", "checks": {"autonomy/approve": "off"}, "protected_files": ["b.toml"]}"#,
        ),
    ]);
    let config = loaded(&world).config;
    assert_eq!(config.profile, Profile::Strict);
    assert_eq!(config.checks.get("autonomy/approve"), Some(&Level::Off));
    assert_eq!(config.protected_files, ["a.toml", "b.toml"]);
    let second = &metas()[5];
    assert_eq!(
        level(&config, second),
        Level::Off,
        "a stricter profile spares no question that the policy's asks"
    );
}

#[test]
fn what_is_not_named_stays_the_users() {
    let world = world(&[
        (MANAGED, r#"{"telemetry": {"endpoint": "http://127.0.0.1:1"}}"#),
        (USER, r#"{"profile": "observe", "checks": {"file/always": "off"}}"#),
    ]);
    let loaded = loaded(&world);
    assert_eq!((loaded.config.profile, level(&loaded.config, &metas()[0])), (Profile::Observe, Level::Off));
    assert!(loaded.overruled.is_empty() && loaded.config.telemetry_endpoint.is_some());
}

#[test]
fn a_broken_managed_file_stays_as_it_was() {
    let world = world(&[(MANAGED, r#"{"profile": "strict"}"#), (USER, r#"{"hook_enabled": false}"#)]);
    keep_good(&world.machine, &world.project).unwrap();
    let file = world.machine.managed_dir().unwrap().join("config.json");
    for broken in ["{", r#"{"profile": 7}"#, ""] {
        std::fs::write(&file, broken).unwrap();
        let loaded = loaded(&world);
        assert_eq!(loaded.config.profile, Profile::Strict, "{broken}");
        assert!(loaded.config.hook_enabled && !loaded.stale.is_empty(), "{broken}");
    }
}

#[cfg(unix)]
#[test]
fn a_managed_file_that_others_may_write_names_nothing_to_run() {
    use std::os::unix::fs::PermissionsExt;
    let world = world(&[(MANAGED, r#"{"profile": "strict", "tests": {"command": "./evil"}}"#)]);
    let file = world.machine.managed_dir().unwrap().join("config.json");
    assert_eq!(loaded(&world).config.tests_command.as_deref(), Some("./evil"));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let loaded = loaded(&world);
    assert_eq!((loaded.config.profile, loaded.config.tests_command.as_deref()), (Profile::Strict, None));
    assert!(texts(&loaded).contains("others than its owner may write to it"));
}

#[test]
fn a_policy_is_a_commit_and_the_last_good_one_stays() {
    let world = world(&[]);
    let team = world.project.root.parent().unwrap().join("team");
    std::fs::create_dir_all(&team).unwrap();
    git(&team, &["init", "-q", "-b", "main"]);
    commit(&team, "config.json", r#"{"profile": "strict", "policy": {"checkout": "/elsewhere"}}"#);
    let first = git(&team, &["rev-parse", "HEAD"]);
    let user = world.machine.home().unwrap().join(".claude/hooks/config.json");
    std::fs::create_dir_all(user.parent().unwrap()).unwrap();
    let name = |pin: Option<&str>| {
        let text = json!({"profile": "observe", "policy": {"checkout": &team, "commit": pin}});
        std::fs::write(&user, text.to_string()).unwrap();
        loaded(&world)
    };
    let now = name(None);
    assert_eq!(now.config.profile, Profile::Strict, "{}", texts(&now));
    assert_eq!(now.policy.as_ref().map(|policy| policy.commit.as_str()), Some(first.as_str()));
    assert!(now.problems.is_empty(), "{}", texts(&now));

    // What lies there does not count, only what is committed.
    std::fs::write(team.join("config.json"), r#"{"profile": "standard"}"#).unwrap();
    assert_eq!(name(Some(&first)).config.profile, Profile::Strict);
    // Nor does another commit, and that is said.
    commit(&team, "config.json", r#"{"profile": "standard"}"#);
    let moved = name(Some(&first));
    assert_eq!(moved.config.profile, Profile::Strict);
    assert!(texts(&moved).contains("the policy is pinned to"), "{}", texts(&moved));
    // A commit that is not there yet, a pin that is none, a checkout that is gone: the last good one stays.
    for pin in ["0".repeat(40), "main".to_owned()] {
        let loaded = name(Some(&pin));
        assert_eq!(loaded.policy.as_ref().unwrap().commit, first, "{pin}");
        assert_eq!(loaded.config.profile, Profile::Strict, "{pin}");
        assert!(texts(&loaded).contains("stays in force"), "{}", texts(&loaded));
    }
    std::fs::remove_dir_all(&team).unwrap();
    let gone = name(None);
    assert_eq!(gone.policy.unwrap().commit, first);
    assert_eq!(gone.config.profile, Profile::Strict);
}

#[test]
fn a_policy_holds_its_rules_and_what_its_settings_mean() {
    let world = world(&[
        (
            MANAGED,
            r#"{"package_managers": {"python": "uv"}, "telemetry": {"endpoint": "https://otel.example"}, "allow_by_hand": false}"#,
        ),
        (
            USER,
            r#"{"telemetry": {"headers": ["authorization=mine"]}, "allow_by_hand": true, "checks": {"rules/own": "off"}, "hook_enabled": false}"#,
        ),
    ]);
    let loaded = loaded(&world);
    assert!(loaded.config.hook_enabled && !loaded.config.floor.by_hand);
    assert!(loaded.config.telemetry_headers.is_empty(), "the user's headers are not for the team's receiver");
    assert_eq!(loaded.config.floor.checks.get("shell/package-manager"), Some(&Level::On));
    assert!(loaded.config.floor.silences(&model::environment::HOOK_SKIP_PM));
    assert!(loaded.config.floor.silences(&model::environment::OTEL_SDK_DISABLED));
    assert!(!loaded.config.floor.silences(&model::environment::PLAN_CHURN_DENY));

    // A policy that has rules and nothing else is one, too.
    let team = world.project.root.parent().unwrap().join("team");
    std::fs::create_dir_all(&team).unwrap();
    git(&team, &["init", "-q", "-b", "main"]);
    commit(&team, "rules.toml", "");
    std::fs::write(
        world.machine.managed_dir().unwrap().join("config.json"),
        json!({"policy": {"checkout": &team}}).to_string(),
    )
    .unwrap();
    let ruled = super::loaded(&world);
    assert_eq!(ruled.config.checks.get("rules/own"), Some(&Level::On), "{}", texts(&ruled));
    assert!(ruled.config.hook_enabled);
}

#[test]
fn a_project_names_no_policy() {
    let loaded = loaded(&world(&[(PROJECT, r#"{"policy": {"checkout": "/tmp", "commit": "x"}}"#)]));
    assert!(loaded.policy.is_none() && loaded.config.policy_checkout.is_none() && loaded.bound.is_empty());
    assert!(texts(&loaded).contains("counts only in your own settings"), "{}", texts(&loaded));
}

/// Numbers by lot, the same in every run.
struct Lot(u64);

impl Lot {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn of(&mut self, list: &[Json]) -> Json {
        list[self.below(list.len())].clone()
    }

    /// A file that says something about protection, sometimes nonsense.
    fn file(&mut self, nonsense: bool) -> Json {
        let mut object = Map::new();
        let (yes_no, odd) =
            ([json!(true), json!(false)], [json!(3), json!("loud"), json!("false"), Json::Null]);
        let profiles: Vec<Json> = Profile::NAMES.iter().map(|name| json!(name)).collect();
        let levels: Vec<Json> = Level::NAMES.iter().map(|name| json!(name)).collect();
        let lists = [json!([]), json!(["a.toml"]), json!(["b.toml", "c.toml"]), json!([".ruff.toml"])];
        let numbers = [json!(1), json!(2), json!(3)];
        for (key, values) in [
            ("hook_enabled", &yes_no[..]),
            ("profile", &profiles),
            ("protected_files", &lists),
            ("protect_siblings", &yes_no),
            ("web_smoke", &yes_no),
            (
                "telemetry",
                &[json!({"endpoint": "http://a"}), json!({"detail": true}), json!({"detail": false})],
            ),
            ("jscpd", &[json!({"session_threshold": 1}), json!({"session_threshold": 2})]),
            ("autonomy", &[json!({"ttl_hours": 1}), json!({"ttl_hours": 99})]),
        ] {
            match self.below(if nonsense { 6 } else { 3 }) {
                0 | 1 => drop(object.insert(key.into(), self.of(values))),
                2 if nonsense => drop(object.insert(key.into(), self.of(&odd))),
                _ => {}
            }
        }
        let mut checks = Map::new();
        for meta in metas() {
            match self.below(4) {
                0 | 1 => drop(checks.insert(meta.id.into(), self.of(&levels))),
                2 if nonsense => drop(checks.insert(meta.id.into(), self.of(&numbers))),
                _ => {}
            }
        }
        if self.below(3) > 0 {
            object.insert("checks".into(), checks.into());
        }
        Json::Object(object)
    }
}

/// Everything that the managed file names holds with any lower layers as it does without them, or more strictly.
#[test]
fn no_lower_layer_weakens_what_is_managed() {
    let mut lot = Lot(22);
    for round in 0..200 {
        let managed = lot.file(false);
        let lower = [lot.file(true), lot.file(true), lot.file(true)];
        let about = format!("round {round}: {managed} over {lower:?}");
        let text = managed.to_string();
        let alone = loaded(&world(&[(MANAGED, &text)]));
        let texts: Vec<String> = lower.iter().map(Json::to_string).collect();
        let world = world(&[(MANAGED, &text), (USER, &texts[0]), (PROJECT, &texts[1]), (LOCAL, &texts[2])]);
        // What users have trusted, or what a mistake has left of last time, changes nothing about it.
        if lot.below(2) == 0 {
            trust::add(&world.machine, &world.project, &loaded(&world).bound).unwrap();
        }
        if lot.below(2) == 0 {
            keep_good(&world.machine, &world.project).unwrap();
        }
        let how = if lot.below(4) == 0 { Trust::Everything } else { Trust::Recorded };
        let all = load(&world.machine, &world.project, role, how);
        let has = |key: &str| managed.get(key).is_some();

        for (key, layer) in &alone.sources {
            if *layer == Layer::Managed && !matches!(*key, "checks" | "profile" | "protected_files") {
                assert_eq!(all.config.get(key), alone.config.get(key), "{key}, {about}");
            }
        }
        let named = |meta: &Meta| has("profile") || managed["checks"].get(meta.id).is_some();
        let mut guarded = has("profile");
        for meta in metas().iter().filter(|meta| named(meta)) {
            let (with, without) = (level(&all.config, meta), level(&alone.config, meta));
            assert_eq!(stricter(meta.role, with, without), with, "{} {with} {without}, {about}", meta.id);
            guarded |=
                without != Level::Off && meta.role != Role::Grant && managed["checks"].get(meta.id).is_some();
            let wanted = all.personal_checks.get(meta.id).copied();
            let personal = wanted.unwrap_or_else(|| meta.levels.of(all.personal_profile));
            if meta.role == Role::Grant && managed["checks"].get(meta.id).is_some() {
                assert!(personal <= without, "{}, {about}", meta.id);
            }
        }
        if guarded && !has("hook_enabled") {
            assert!(all.config.hook_enabled, "{about}");
        }
        if guarded && alone.config.profile != Profile::Observe {
            assert_ne!(all.config.profile, Profile::Observe, "{about}");
        }
        if has("profile") {
            let (with, without) = (all.config.profile, alone.config.profile);
            assert!(with == without || (with, without) == (Profile::Strict, Profile::Standard), "{about}");
        }
        if has("protected_files") {
            let kept = |name: &String| all.config.protected_files.contains(name);
            assert!(alone.config.protected_files.iter().all(kept), "{about}");
            assert!(
                level(&all.config, &metas()[2]) == Level::On
                    || managed["checks"].get("file/linter-config").is_some()
            );
        }
    }
}
