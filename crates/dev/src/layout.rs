//! A file that no `mod` line names is not compiled: its checks never run, and its tests pass for ever.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace;

/// Every Rust file below a folder, but not what was built there.
fn files_below(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") {
                files_below(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Files that cargo finds by their place or that a manifest names.
fn is_root(file: &Path, manifest: &str) -> bool {
    let text = file.to_string_lossy();
    let by_place = ["/src/lib.rs", "/src/main.rs", "/build.rs"].iter().any(|end| text.ends_with(end));
    let dir = file.parent().unwrap();
    // `tests/x.rs`, and `tests/x/main.rs`.
    let test =
        dir.ends_with("tests") || (dir.parent().unwrap().ends_with("tests") && file.ends_with("main.rs"));
    let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
    by_place || test || named.into_iter().any(|path| file.ends_with(path))
}

/// Whether one of the files that may declare this one does: the file of its folder's name, or the folder's `mod.rs`, `lib.rs`, `main.rs`.
fn is_declared(file: &Path) -> bool {
    let dir = file.parent().unwrap();
    let name = file.file_stem().unwrap().to_string_lossy();
    let (dir, name) = match &*name {
        "mod" => (dir.parent().unwrap(), dir.file_name().unwrap().to_string_lossy()),
        _ => (dir, name),
    };
    let line = format!("mod {name};");
    let parents = [dir.with_extension("rs"), dir.join("mod.rs"), dir.join("lib.rs"), dir.join("main.rs")];
    parents.iter().filter_map(|parent| fs::read_to_string(parent).ok()).any(|text| {
        text.lines().any(|present| {
            let present = present.trim();
            present == line || (present.starts_with("pub") && present.ends_with(&format!(" {line}")))
        })
    })
}

#[test]
fn every_file_is_compiled() {
    let mut forgotten = Vec::new();
    for dir in fs::read_dir(workspace::root().join("crates")).unwrap() {
        let dir = dir.unwrap().path();
        let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap();
        let mut files = Vec::new();
        files_below(&dir, &mut files);
        let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        for file in &files {
            // `#[path = "…"]` names it from anywhere.
            let end = format!("{}\"", file.file_name().unwrap().to_string_lossy());
            let by_path = || {
                texts
                    .iter()
                    .flat_map(|text| text.lines())
                    .any(|line| line.contains("path = \"") && line.contains(&end))
            };
            if !is_root(file, &manifest) && !is_declared(file) && !by_path() {
                forgotten.push(file.strip_prefix(workspace::root()).unwrap().to_owned());
            }
        }
    }
    assert!(forgotten.is_empty(), "no `mod` line names {forgotten:#?}");
}
