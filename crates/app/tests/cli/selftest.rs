//! `plimsoll selftest`: the specification's cases, its records and its reports.

use serde_json::Value as Json;

use crate::world::{World, json_lines, program};

const RESULTS: &str = ".claude/tests/hooks/results";

/// The specification's fields, in its order.
const FIELDS: [&str; 14] = [
    "hook",
    "test_name",
    "category",
    "input_summary",
    "expected_decision",
    "expected_exit",
    "actual_decision",
    "actual_exit",
    "actual_output",
    "actual_stderr",
    "pass",
    "note",
    "timestamp",
    "duration_ms",
];

fn scratch_folders(world: &World) -> Vec<String> {
    let names = std::fs::read_dir(world.base().join("tmp")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("plimsoll-selftest")).collect()
}

#[test]
fn package_managers_pass_at_the_old_address_and_natively() {
    let world = World::new();
    for args in
        [&["selftest", "--only", "P", "--json"][..], &["selftest", "--only", "P", "--native", "--json"]]
    {
        let json = world.run(args).succeeds().json();
        let records = json["records"].as_array().unwrap();
        assert_eq!((records.len(), &json["failed"]), (32, &Json::from(0)), "{json:#}");
        for record in records {
            assert!(record.as_object().unwrap().keys().eq(FIELDS), "{record}");
        }
    }
    assert_eq!(scratch_folders(&world), [] as [&str; 0], "what passed leaves nothing behind");
    assert!(!world.has(RESULTS), "a part of the cases is not a run to compare with");
}

/// Without any tool the engines answer. Biome's cases fail without Biome, as the specification says.
#[cfg(feature = "engines")]
#[test]
fn the_linters_cases_pass_with_no_tool_at_all() {
    let world = World::new().with_variable("PATH", "/usr/bin:/bin");
    let json = world.run(&["selftest", "--only", "M", "--json", "--strict"]).json();
    for record in json["records"].as_array().unwrap() {
        let (name, note) = (record["test_name"].as_str().unwrap(), record["note"].as_str().unwrap());
        match name {
            "live_trigger" => assert!(note.starts_with("absent: no client"), "{record:#}"),
            _ => assert!(record["pass"] == true || note == "BIOME_ABSENT", "{record:#}"),
        }
    }
    assert_eq!(
        (json["records"].as_array().unwrap().len(), &json["skipped"]),
        (42, &Json::from(1)),
        "{json:#}"
    );
}

/// Real tools are slow and not everywhere; what is built in finds the same.
fn world() -> World {
    World::new().without_stand_ins()
}

#[track_caller]
fn pass(world: &World, only: &str, count: usize) {
    for more in [&[][..], &["--native"]] {
        let json = world.run(&[&["selftest", "--json", "--only", only], more].concat()).succeeds().json();
        let records = json["records"].as_array().unwrap();
        assert_eq!((records.len(), &json["failed"]), (count, &Json::from(0)), "{json:#}");
        for record in records {
            assert!(record.as_object().unwrap().keys().eq(FIELDS), "{record}");
        }
    }
}

#[test]
fn protection_passes_and_fails_where_nothing_protects() {
    pass(&world(), "CP", 30);
    let off = world().with_user_config(r#"{"checks": {"file/linter-config": "off"}}"#);
    let ran = off.run(&["selftest", "--only", "CP10,CP18"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("FAIL CP10") && ran.stdout.contains("ok   CP18"), "{}", ran.stdout);
}

#[test]
fn the_guardian_passes_and_fails_where_nobody_holds_a_stop() {
    pass(&world(), "SG", 10);
    let off = world().with_user_config(r#"{"checks": {"stop/config-guardian": "off"}}"#);
    let ran = off.run(&["selftest", "--only", "SG01,SG02"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("ok   SG01") && ran.stdout.contains("FAIL SG02"), "{}", ran.stdout);
}

#[test]
fn tiers_pass_and_fail_where_another_model_is_called() {
    pass(&world(), "T", 14);
    if cfg!(feature = "engines") {
        let other = world().with_user_config(r#"{"subprocess": {"global_model_override": "opus"}}"#);
        let json = other.run(&["selftest", "--json", "--only", "T01"]).json();
        let record = &json["records"][0];
        assert_eq!(
            (&record["pass"], &record["actual_decision"]),
            (&false.into(), &"opus".into()),
            "{json:#}"
        );
    }
}

#[test]
fn the_fixer_passes_with_the_real_client_where_there_is_one() {
    let mut world = world();
    if let Some(client) = std::env::var_os("PLIMSOLL_TEST_CLIENT") {
        let dir = std::path::Path::new(&client).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap();
        let dirs = [dir].into_iter().chain(std::env::split_paths(&path));
        world = world.with_variable("PATH", std::env::join_paths(dirs).unwrap());
    }
    pass(&world, "F", 9);
    if cfg!(feature = "engines") {
        // A client that does nothing fixes nothing.
        let idle = self::world().with_program_on_path();
        program(&idle.base().join("bin/claude"), "exit 0");
        let ran = idle.run(&["selftest", "--only", "F01,F02"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        assert!(ran.stdout.contains("FAIL F01") && ran.stdout.contains("ok   F02"), "{}", ran.stdout);
    }
}

/// The stand-in formats nothing and finds nothing, so the file stays ugly, and that is not a pass.
#[cfg(not(feature = "engines"))]
#[test]
fn formatting_that_does_nothing_fails_its_case() {
    let world = World::new();
    let ran = world.run(&["selftest", "--only", "M25"]);
    assert!(ran.stdout.contains("FAIL M25") && ran.stdout.contains("is not in the file"), "{}", ran.stdout);
}

/// A fresh machine: an empty home, no linter, no client.
#[test]
fn where_no_tool_is_installed_the_rest_passes_and_nothing_is_left() {
    let world =
        World::new().with_variable("PATH", "/usr/bin:/bin").with_variable("XDG_CACHE_HOME", "/nowhere");
    let before = world.snapshot();
    let ran = world.run(&["selftest"]).succeeds();
    assert!(
        ran.stdout.contains("Skipped for want of: ") && ran.stdout.contains("plimsoll tools install"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains(", 0 failed, "), "{}", ran.stdout);
    assert!(ran.stdout.contains("ok   P01"), "{}", ran.stdout);
    assert_eq!(scratch_folders(&world), [] as [&str; 0]);
    assert_eq!(world.snapshot(), before);
}

#[test]
fn without_what_everything_needs_the_rest_is_not_run() {
    let world = World::new().with_variable("PATH", "/usr/bin:/bin");
    let ran = world.run(&["selftest", "--strict"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("FAIL DEP02 ruff_present") && !ran.stdout.contains(" P01 "),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("is kept in"), "{}", ran.stderr);
    assert_eq!(scratch_folders(&world).len(), 1);

    // The next run moves the last one aside and compares; whatever else was left behind is gone.
    let before = log_of(&world);
    assert_eq!(json_lines(&before).len(), 29);
    world.run(&["selftest", "--strict"]);
    assert_eq!(scratch_folders(&world).len(), 1);
    let archived = std::fs::read_dir(world.path(RESULTS).join("archive")).unwrap().count();
    assert_eq!(archived, 1);
    let comparison = world.read(&format!("{RESULTS}/COMPARISON.md"));
    assert!(comparison.contains("## Results delta"), "{comparison}");
    let stamp = before.file_stem().unwrap().to_str().unwrap().rsplit('-').next().unwrap().to_owned();
    assert!(comparison.contains(&format!("The run before: {stamp}.")), "{comparison}");
    let results = world.read(&format!("{RESULTS}/RESULTS.md"));
    assert!(
        results.contains("DEP02 `ruff_present`") && results.contains("## Environment snapshot"),
        "{results}"
    );
    assert_eq!(world.read(&format!("{RESULTS}/.gitignore")), "*.jsonl\narchive/\n");
}

fn log_of(world: &World) -> std::path::PathBuf {
    let entries = std::fs::read_dir(world.path(RESULTS)).unwrap();
    let mut logs = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
    logs.next().unwrap()
}
