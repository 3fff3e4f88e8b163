//! Disks and their file systems: `shell/destroy-disk`.

use model::deed::{Object, Verb};
use model::{Event, Findings, Meta};
use shell::Call;

use super::place::is_disk;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/destroy-disk",
    "a command that overwrites or formats a disk",
    "\
Refuses writes to disk devices (`dd of=/dev/sda`, `> /dev/sda`, `cp image /dev/sdb`), formatting and partitioning of them, and
the destruction of volumes, pools and snapshots. Images in files (`mkfs.ext4 disk.img`) and looking (`lsblk`, `fdisk -l`) pass.
",
    include_str!("destroy_disk.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for call in reading.calls.iter().filter(|call| !call.only_looks()) {
        if let Some(what) = harm(call) {
            out.deny(META.id, format!("This would {what}."), "What is on a disk cannot be brought back.")
                .instead = Some("Work on an image file, and let the user handle disks.".into());
            return;
        }
    }
}

fn harm(call: &Call) -> Option<String> {
    call.deeds.iter().find_map(|deed| {
        let path = match (&deed.object, deed.verb) {
            (Object::Path { text, .. }, _) => text.as_str(),
            // Volumes, pools and what the machine starts with have no paths.
            (Object::Thing(thing), Verb::Erases) => return Some(format!("erase {thing} ({})", call.line())),
            (Object::Thing(thing), Verb::Covers) => return Some(format!("take {thing} away")),
            _ => return None,
        };
        let shown = shell::text::show(path);
        match deed.verb {
            Verb::Writes | Verb::Appends | Verb::Edits | Verb::Empties | Verb::Deletes if is_disk(path) => {
                Some(format!("write to {shown}"))
            }
            Verb::Writes if path.starts_with("/sys/block/") && path.ends_with("/delete") => {
                Some("take a disk away from the system".into())
            }
            // An image is a file like any other.
            Verb::Erases if path.starts_with("/dev/") || path.len() == 2 && path.ends_with(':') => {
                Some(format!("format or overwrite {shown}"))
            }
            Verb::Covers if is_needed(path) => Some(format!("hide, lock or take away {shown}")),
            _ => None,
        }
    })
}

/// What the machine runs from: the root, a folder right below it, a home.
fn is_needed(path: &str) -> bool {
    const TOP: &[&str] = &[
        "bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "run", "sbin", "sys",
        "usr", "var", "Users", "System", "Library",
    ];
    let parts: Vec<&str> = path.split('/').skip(1).filter(|part| !part.is_empty()).collect();
    path.starts_with('/')
        && match parts.as_slice() {
            [] | ["home" | "Users", _] => true,
            [top] => TOP.contains(top),
            _ => false,
        }
}
