//! Layers, mistakes and trust, on a world in a temporary folder.

mod managed;

use super::*;

struct World {
    _dir: tempfile::TempDir,
    machine: Machine,
    project: Project,
}

fn world(files: &[(&str, &str)]) -> World {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    for (name, text) in files {
        let path = base.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (home, managed) = (base.join("home"), base.join("etc"));
    let variables = [("HOME", home.to_str().unwrap()), ("PLIMSOLL_TEST_MANAGED", managed.to_str().unwrap())];
    let machine = Machine::with(&variables, &base);
    let project = Project::at(&machine, base.join("p"));
    World { _dir: dir, machine, project }
}

const USER: &str = "home/.claude/hooks/config.json";
const PROJECT: &str = "p/.claude/hooks/config.json";
const LOCAL: &str = "p/.claude/hooks/config.local.json";

fn role(id: &str) -> Option<Role> {
    match id.split_once('/')? {
        ("file", _) => Some(Role::Guard),
        ("autonomy", _) => Some(Role::Grant),
        _ => Some(Role::Advisory),
    }
}

fn loaded(world: &World) -> Loaded {
    load(&world.machine, &world.project, role, Trust::Recorded)
}

fn texts(loaded: &Loaded) -> String {
    loaded.problems.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_file_is_no_problem() {
    let loaded = loaded(&world(&[]));
    assert!(loaded.problems.is_empty() && loaded.config.hook_enabled && loaded.config.typescript);
}

#[test]
fn a_project_cannot_let_itself_approve_anything() {
    let bold =
        r#"{"profile": "autonomous", "checks": {"autonomy/auto-approve": "on", "stop/summary": "on"}}"#;
    let foreign = loaded(&world(&[(PROJECT, bold)]));
    assert_eq!(foreign.config.profile, Profile::Standard);
    assert_eq!(foreign.config.checks.keys().collect::<Vec<_>>(), ["stop/summary"]);
    assert_eq!(foreign.untrusted.len(), 2, "{}", texts(&foreign));
    // The same in the user's own file is their word.
    let own = loaded(&world(&[(USER, bold)]));
    assert!(own.untrusted.is_empty() && own.config.profile == Profile::Autonomous);
    // Less approval needs no word.
    let timid = loaded(&world(&[(USER, bold), (PROJECT, r#"{"checks": {"autonomy/auto-approve": "off"}}"#)]));
    assert!(timid.untrusted.is_empty(), "{}", texts(&timid));
}

#[test]
fn later_layers_win_and_comments_are_fine() {
    let world = world(&[
        (USER, r#"{"jscpd": {"session_threshold": 4}, "languages": {"yaml": false, "typescript": true}}"#),
        (PROJECT, "{// why\n\"jscpd\": {\"session_threshold\": 5,},}"),
        (LOCAL, r#"{"_comment": "x", "jscpd": {"session_threshold": 6}}"#),
    ]);
    let loaded = loaded(&world);
    assert!(loaded.problems.is_empty(), "{}", texts(&loaded));
    assert_eq!(loaded.config.jscpd_threshold, 6);
    assert_eq!(loaded.source("jscpd.session_threshold"), Layer::Local);
    assert_eq!(loaded.source("languages.yaml"), Layer::User);
    assert_eq!(loaded.source("profile"), Layer::Default);
    assert!(!loaded.config.yaml && loaded.config.typescript);
}

#[test]
fn a_mistake_costs_only_its_key() {
    let world = world(&[(
        PROJECT,
        r#"{"hook_enabeld": true, "jscpd": {"session_threshold": "many", "advisory_only": false},
            "subprocess": {"timeout": 5}, "phases": 3, "checks": {"edit/x": "loud", "edit/y": "off"}, "zzz": 1}"#,
    )]);
    let loaded = loaded(&world);
    let text = texts(&loaded);
    for part in [
        "hook_enabeld is unknown and ignored; did you mean hook_enabled?",
        "jscpd.session_threshold should be a whole number, not \"many\"",
        "subprocess.timeout is no longer supported and is ignored; set subprocess.tiers.",
        "phases should be an object",
        "checks.edit/x should be \"on\", \"warn\" or \"off\", not \"loud\"",
        "zzz is unknown and ignored; see `plimsoll config schema`",
    ] {
        assert!(text.contains(part), "«{part}» is not in\n{text}");
    }
    assert!(text.contains("p/.claude/hooks/config.json: "), "{text}");
    assert!(!loaded.config.jscpd_advisory);
    assert_eq!(loaded.config.checks.get("edit/y"), Some(&Level::Off));
}

#[test]
fn an_emptied_file_leaves_its_last_good_form_in_force() {
    let world = world(&[(USER, r#"{"profile": "strict"}"#)]);
    keep_good(&world.machine, &world.project).unwrap();
    let file = world.machine.home().unwrap().join(".claude/hooks/config.json");
    for (text, profile) in [
        ("", Profile::Strict),
        (" \n", Profile::Strict),
        ("{", Profile::Strict),
        (r#"{"profile": "stricter"}"#, Profile::Strict),
        (r#"{"profile": 1, "checks": {"file/a": "onn"}}"#, Profile::Strict),
        ("{}", Profile::Standard),
    ] {
        std::fs::write(&file, text).unwrap();
        let loaded = loaded(&world);
        assert_eq!(loaded.config.profile, profile, "«{text}»");
        assert_eq!(loaded.problems.is_empty(), profile == Profile::Standard, "«{text}»");
        if profile == Profile::Strict {
            keep_good(&world.machine, &world.project).unwrap();
        }
    }
}

#[test]
fn a_broken_file_is_named_with_the_place() {
    let loaded = loaded(&world(&[(PROJECT, "{\"a\": }")]));
    assert!(texts(&loaded).contains("config.json: is not JSON:"), "{}", texts(&loaded));
    assert!(loaded.config.hook_enabled);
}

#[test]
fn typescript_is_off_where_languages_leave_it_out() {
    for (text, on) in [
        (r#"{"languages": {"python": true}}"#, false),
        (r#"{"languages": {"typescript": {"knip": true}}}"#, false),
        (r#"{"languages": {"typescript": {"enabled": true}}}"#, true),
        (r#"{"languages": {"typescript": true}}"#, true),
        (r#"{"languages": {"typescript": null}}"#, false),
        (r#"{"phases": {}}"#, true),
    ] {
        assert_eq!(loaded(&world(&[(PROJECT, text)])).config.typescript, on, "{text}");
    }
}

#[test]
fn a_project_loosens_nothing_without_trust() {
    let text = r#"{"hook_enabled": false, "profile": "observe", "protected_files": ["x"],
        "subprocess": {"settings_file": "evil.json"}, "checks": {"file/a": "off", "file/b": "on", "edit/c": "off"},
        "languages": {"python": false}}"#;
    let world = world(&[(PROJECT, text)]);
    let before = loaded(&world);
    assert!(before.config.hook_enabled && before.config.profile == Profile::Standard);
    assert_eq!(before.config.protected_files.len(), 15, "what it adds counts, what it leaves out waits");
    assert!(before.config.protected_files.contains(&"x".to_owned()));
    assert_eq!(before.config.settings_file, None);
    assert_eq!(before.config.checks.get("file/a"), None);
    assert_eq!(before.config.checks.get("file/b"), Some(&Level::On));
    assert_eq!(before.config.checks.get("edit/c"), Some(&Level::Off), "only guards wait");
    assert!(!before.config.python, "languages are free");
    assert_eq!(before.problems.iter().filter(|p| p.untrusted).count(), 5, "{}", texts(&before));

    trust::add(&world.machine, &world.project, &before.bound).unwrap();
    let after = loaded(&world);
    assert!(!after.config.hook_enabled && after.config.profile == Profile::Observe);
    assert_eq!(after.config.checks.get("file/a"), Some(&Level::Off));
    assert!(after.problems.is_empty(), "{}", texts(&after));

    // Other contents are another question.
    std::fs::write(world.project.root.join(".claude/hooks/config.json"), r#"{"hook_enabled": false}"#)
        .unwrap();
    assert!(loaded(&world).config.hook_enabled);
    trust::revoke(&world.machine, &world.project).unwrap();
    std::fs::write(world.project.root.join(".claude/hooks/config.json"), text).unwrap();
    assert!(loaded(&world).config.hook_enabled);
}

#[test]
fn the_user_may_loosen_and_a_project_may_tighten() {
    let world = world(&[
        (USER, r#"{"hook_enabled": true, "profile": "standard"}"#),
        (PROJECT, r#"{"profile": "strict", "protected_files": []}"#),
    ]);
    let loaded = loaded(&world);
    assert!(loaded.problems.is_empty(), "{}", texts(&loaded));
    assert_eq!((loaded.config.profile, loaded.personal_profile), (Profile::Strict, Profile::Standard));
    assert_eq!(loaded.config.protected_files.len(), 14);
}

#[test]
fn a_project_takes_nothing_away_by_a_default() {
    let own = r#"{"protected_files": ["mine.toml"], "subagents": {"implementer_blocks": true}}"#;
    let clone = r#"{"protected_files": [], "subagents": {"implementer_blocks": false}, "second_opinion": {"gemini_timeout_ms": 1}}"#;
    let loaded = loaded(&world(&[(USER, own), (PROJECT, clone)]));
    assert_eq!(loaded.config.protected_files, ["mine.toml"]);
    assert!(loaded.config.implementer_blocks && loaded.config.gemini_timeout_ms > 1);
    assert_eq!(loaded.untrusted.len(), 3);
}

#[test]
fn both_files_of_a_project_are_trusted_and_neither_hides_the_other() {
    let world = world(&[
        (PROJECT, r#"{"checks": {"file/a": "off"}, "hook_enabled": false}"#),
        (LOCAL, r#"{"checks": {"file/b": "warn"}, "hook_enabled": true}"#),
    ]);
    let before = loaded(&world);
    assert!(before.config.checks.is_empty() && before.config.hook_enabled);
    let names: Vec<_> = before.bound.keys().map(String::as_str).collect();
    assert_eq!(names, ["checks", "hook_enabled", "checks in config.local.json"]);

    trust::add(&world.machine, &world.project, &before.bound).unwrap();
    let after = loaded(&world);
    assert_eq!(after.config.checks.get("file/a"), Some(&Level::Off));
    assert_eq!(after.config.checks.get("file/b"), Some(&Level::Warn));
    assert!(after.config.hook_enabled, "the local file is the later one");
    assert_eq!(after.bound, before.bound, "what there is to trust does not depend on what is trusted");

    std::fs::write(world.project.root.join(".claude/hooks/config.json"), r#"{"checks": {"file/c": "off"}}"#)
        .unwrap();
    assert!(loaded(&world).config.checks.is_empty(), "another shared file is another question");
}

#[test]
fn no_spelling_of_a_looser_value_gets_in_without_trust() {
    for (project, local) in [
        (r#"{"protect_siblings": "false"}"#, "{}"),
        (r#"{"hook_enabled": "false"}"#, "{}"),
        // An empty list means the built-in one, which the next file may not narrow either.
        (r#"{"protected_files": []}"#, r#"{"protected_files": ["x"]}"#),
    ] {
        let config = loaded(&world(&[(PROJECT, project), (LOCAL, local)])).config;
        assert!(config.protect_siblings && config.hook_enabled, "{project}");
        assert!(config.protected_files.len() >= 14, "{project} {local}");
    }
    let world = world(&[(USER, r#"{"protected_files": []}"#), (PROJECT, r#"{"protected_files": ["x"]}"#)]);
    assert_eq!(loaded(&world).config.protected_files.len(), 15);
}
