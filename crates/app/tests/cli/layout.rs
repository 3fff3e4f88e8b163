//! A file of tests that no `mod` line names is not compiled, and its tests pass for ever.

use std::path::Path;

use crate::world::files_below;

#[test]
fn every_file_of_tests_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut forgotten = Vec::new();
    for file in files_below(&root) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let is_code = file.extension().is_some_and(|end| end == "rs");
        if !is_code || name == "main" {
            continue;
        }
        // `a.rs` is named by `main.rs`, `a/b.rs` by `a.rs`.
        let dir = file.parent().unwrap();
        let parent = if dir == root { root.join("main.rs") } else { dir.with_extension("rs") };
        let text = std::fs::read_to_string(&parent).unwrap_or_default();
        let line = format!("mod {name};");
        if !text.lines().any(|present| present.trim_start_matches("pub(crate) ").trim() == line) {
            forgotten.push(format!("{} has no line `{line}`", parent.display()));
        }
    }
    assert!(forgotten.is_empty(), "{forgotten:#?}");
}
