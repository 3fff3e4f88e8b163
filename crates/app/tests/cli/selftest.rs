//! `plimsoll selftest`: the specification's cases, its records and its reports.

use serde_json::Value as Json;

use crate::world::{World, json_lines};

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

/// Without any tool the engines answer. Types are nobody's, and Biome's cases fail without Biome, as the specification says.
#[cfg(feature = "engines")]
#[test]
fn the_linters_cases_pass_with_no_tool_at_all() {
    let world = World::new().with_variable("PATH", "/usr/bin:/bin");
    let json = world.run(&["selftest", "--only", "M", "--json"]).json();
    for record in json["records"].as_array().unwrap() {
        let (name, note) = (record["test_name"].as_str().unwrap(), record["note"].as_str().unwrap());
        match name {
            "py_multi_violation" => {
                assert_eq!(note, "absent: ty, and no engine does its work", "{record:#}");
            }
            "live_trigger" => assert!(note.starts_with("absent: no client"), "{record:#}"),
            _ => assert!(record["pass"] == true || note == "BIOME_ABSENT", "{record:#}"),
        }
    }
    assert_eq!(
        (json["records"].as_array().unwrap().len(), &json["skipped"]),
        (42, &Json::from(2)),
        "{json:#}"
    );
}

#[test]
fn without_what_everything_needs_the_rest_is_not_run() {
    let world = World::new().with_variable("PATH", "/usr/bin:/bin");
    let ran = world.run(&["selftest"]);
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
    world.run(&["selftest"]);
    assert_eq!(scratch_folders(&world).len(), 1);
    let archived = std::fs::read_dir(world.path(RESULTS).join("archive")).unwrap().count();
    assert_eq!(archived, 1);
    assert!(world.read(&format!("{RESULTS}/COMPARISON.md")).contains("## Results delta"));
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
