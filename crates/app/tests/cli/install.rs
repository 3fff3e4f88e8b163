//! `scripts/package` and `scripts/install`: an archive is made, checked, tried and put in place.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::world::{PROGRAM, Ran};

fn script(name: &str, home: &Path, words: &[&str]) -> Ran {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(name);
    let mut command = Command::new(path);
    command.args(words).env("HOME", home).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of(command, b"")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn what_is_packed_can_be_installed() {
    let home = tempfile::tempdir().unwrap();
    let dist = text(&home.path().join("dist"));
    let packed = script("package", home.path(), &["--bin", PROGRAM, "--to", &dist]);
    assert_eq!(packed.code, Some(0), "{}", packed.stderr);
    let archive = packed.stdout.trim();

    let installed = script("install", home.path(), &["--archive", archive]);
    assert_eq!(installed.code, Some(0), "{}", installed.stderr);
    assert!(installed.stdout.contains("is installed in") && installed.stdout.contains("not on your PATH"));
    let program = home.path().join(".local/bin/plimsoll");
    assert_eq!(std::fs::read(&program).unwrap(), std::fs::read(PROGRAM).unwrap());
    let listed = Command::new("tar").args(["-tzf", archive]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for part in ["/plimsoll\n", "/plugin/hooks/hooks.json", "/LICENSE-MIT"] {
        assert!(listed.contains(part), "{listed}");
    }

    // A damaged archive changes nothing.
    let mut bytes = std::fs::read(archive).unwrap();
    bytes.push(0);
    std::fs::write(archive, bytes).unwrap();
    let damaged = script("install", home.path(), &["--archive", archive]);
    assert_eq!(damaged.code, Some(2));
    assert!(damaged.stderr.contains("the checksum of"), "{}", damaged.stderr);
}

#[test]
fn a_program_that_does_not_guard_is_not_installed() {
    let home = tempfile::tempdir().unwrap();
    let fake = home.path().join("fake");
    std::fs::write(&fake, "#!/bin/sh\necho plimsoll 9.9.9\n").unwrap();
    let dist = text(&home.path().join("dist"));
    let packed = script("package", home.path(), &["--bin", &text(&fake), "--to", &dist]);
    let refused = script("install", home.path(), &["--archive", packed.stdout.trim()]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("does not refuse what it must"), "{}", refused.stderr);
    assert!(!home.path().join(".local/bin/plimsoll").exists());
}
