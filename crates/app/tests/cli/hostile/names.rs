//! Names that are commands, options, formats, or that no terminal shows as they are.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::checkout::Checkout;

/// Each would leave a file `canary` where it is run.
const COMMANDS: &[&str] = &[
    "$(touch canary).py",
    "`touch canary`.py",
    "; touch canary;.py",
    "a|touch canary.py",
    "x' touch canary '.py",
    "x\" & touch canary & \".py",
];

pub(super) fn commands(clone: &mut Checkout) {
    for name in COMMANDS {
        clone.file(name, "x = 1\n");
    }
    clone.git(&["add", "-A"]);
    for name in COMMANDS {
        clone.file(name, "x = 2\n");
    }
    clone.edited = COMMANDS.iter().map(|&name| name.to_owned()).collect();
}

pub(super) fn strange(clone: &mut Checkout) {
    let long = "n".repeat(250) + ".py";
    let names = [
        "a\nb.py",
        "--output=canary.py",
        "-rf",
        "\u{202e}yp.exe",
        "%s%n%x.py",
        "a b\tc.py",
        "\u{1b}[2J.md",
        ".\u{200b}py",
        "\\.sh",
        "CON.py",
        long.as_str(),
    ];
    for name in names {
        clone.file(name, "x = 1\n");
    }
    fs::write(clone.project.join(OsStr::from_bytes(b"bad-\xff\xfe.py")), "x = 1\n").unwrap();
    fs::create_dir(clone.project.join(OsStr::from_bytes(b"folder-\xc3"))).unwrap();
    fs::write(clone.project.join(OsStr::from_bytes(b"folder-\xc3/x.md")), "x\n").unwrap();
    clone.git(&["add", "-A"]);
    for name in names {
        clone.file(name, "x = 2\n");
    }
    clone.edited = names.map(str::to_owned).to_vec();
    clone.edited.push("nul\0byte.py".into());
}

pub(super) fn of_the_project(clone: &mut Checkout) {
    clone.rename("-rf $(touch canary) `touch canary` ; touch canary %s\n\u{202e}'\"x");
}
