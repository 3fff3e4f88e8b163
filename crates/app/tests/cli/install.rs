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

    let installed = script("install", home.path(), &["--unsigned", "--archive", archive]);
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
    let damaged = script("install", home.path(), &["--unsigned", "--archive", archive]);
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
    let refused = script("install", home.path(), &["--unsigned", "--archive", packed.stdout.trim()]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("does not refuse what it must"), "{}", refused.stderr);
    assert!(!home.path().join(".local/bin/plimsoll").exists());
}

/// Signs and checks with a key that is thrown away.
#[test]
fn an_archive_must_be_signed_by_the_key_that_is_given() {
    let signer = ["minisign", "rsign"].into_iter().find(|name| Command::new(name).arg("-h").output().is_ok());
    let Some(signer) = signer else {
        return crate::needs::missing("signer", "neither minisign nor rsign is installed");
    };
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&home.path().join(name));
    let key = |name: &str| {
        let mut command = Command::new(signer);
        let words = if signer == "minisign" { ["-G", "-W"] } else { ["generate", "-W"] };
        command.args(words).args(["-p", &at(&format!("{name}.pub")), "-s", &at(&format!("{name}.key"))]);
        let made = command.env("HOME", home.path()).stdin(Stdio::null()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    };
    key("ours");
    key("theirs");
    let packed = script("package", home.path(), &["--bin", PROGRAM, "--to", &at("dist")]);
    let archive = packed.stdout.trim().to_owned();
    let install = |key: &str| {
        script("install", home.path(), &["--archive", &archive, "--key", &at(&format!("{key}.pub"))])
    };
    let refused = |key: &str, why: &str| {
        let ran = install(key);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(!home.path().join(".local/bin/plimsoll").exists());
    };
    refused("ours", "the archive is not signed");
    refused("none", "there is no key");
    let sign = |key: &str, file: &str| {
        let ran = script("sign", home.path(), &["--key", &at(&format!("{key}.key")), file]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    };
    sign("theirs", &archive);
    refused("ours", "is not by the holder of");
    // An older archive under the name of a newer one.
    let older = at("dist/plimsoll-0.0.1-x.tar.gz");
    std::fs::copy(&archive, &older).unwrap();
    sign("ours", &older);
    std::fs::copy(format!("{older}.minisig"), format!("{archive}.minisig")).unwrap();
    refused("ours", "was signed under another name");
    // Signed, and then changed, with a checksum that fits.
    sign("ours", &archive);
    let good = std::fs::read(&archive).unwrap();
    std::fs::write(&archive, [&good[..], b"x"].concat()).unwrap();
    let sum = Command::new("sha256sum").arg(&archive).output().unwrap().stdout;
    let right = std::fs::read(format!("{archive}.sha256")).unwrap();
    std::fs::write(format!("{archive}.sha256"), sum).unwrap();
    refused("ours", "is not by the holder of");
    std::fs::write(&archive, good).unwrap();
    std::fs::write(format!("{archive}.sha256"), right).unwrap();
    let installed = install("ours");
    assert_eq!(installed.code, Some(0), "{}", installed.stderr);
    assert!(home.path().join(".local/bin/plimsoll").exists());
}

/// Without a program that can check, the checksum holds, and the gap is said.
#[test]
fn a_signature_that_is_not_checked_is_said() {
    const PROGRAMS: &[&str] = &[
        "bash",
        "cat",
        "chmod",
        "cp",
        "cut",
        "dirname",
        "env",
        "find",
        "grep",
        "gzip",
        "head",
        "mkdir",
        "mktemp",
        "mv",
        "rm",
        "sed",
        "sha256sum",
        "tar",
    ];
    let home = tempfile::tempdir().unwrap();
    let packed =
        script("package", home.path(), &["--bin", PROGRAM, "--to", &text(&home.path().join("dist"))]);
    let key = home.path().join("key.pub");
    std::fs::write(&key, "untrusted comment: x\n").unwrap();
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in PROGRAMS {
        let places = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(name));
        let place = places.iter().find(|place| place.exists()).unwrap();
        std::os::unix::fs::symlink(place, bin.join(name)).unwrap();
    }
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install"));
    command.args(["--archive", packed.stdout.trim(), "--key", &text(&key)]).env_clear();
    command.env("HOME", home.path()).env("PATH", &bin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let installed = Ran::of(command, b"");
    assert_eq!(installed.code, Some(0), "{}", installed.stderr);
    assert!(installed.stderr.contains("the signature was not checked"), "{}", installed.stderr);
}
