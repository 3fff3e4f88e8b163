//! Disks and their file systems: `shell/destroy-disk`.

use model::{Event, Findings, Meta};
use shell::{Call, Direction};

use super::place::is_disk;
use super::words::{has_flag, only_looks, operands, program, subcommands, value};
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

/// Programs that write to whatever device they are given.
const WRITERS: &[&str] = &[
    "wipefs",
    "sgdisk",
    "gdisk",
    "cgdisk",
    "sfdisk",
    "cfdisk",
    "fdisk",
    "parted",
    "blkdiscard",
    "shred",
    "badblocks",
    "hdparm",
    "nvme",
    "cryptsetup",
    "tee",
    "cp",
    "mv",
    "ddrescue",
    "dcfldd",
    "mkswap",
    "sg_format",
    "partprobe",
    "format",
    "fstrim",
    "tune2fs",
    "resize2fs",
    "debugfs",
    "wipe",
    "scrub",
    "nwipe",
    "srm",
    "bmaptool",
    "grub-install",
    "grub2-install",
    "hdiutil",
    "ntfsclone",
    "partclone",
    "qemu-img",
    "xfs_repair",
];

/// A program and the words that make it destroy: `zfs destroy`.
const VERBS: &[(&str, &[&str])] = &[
    ("zfs", &["destroy", "rollback"]),
    ("zpool", &["destroy", "labelclear"]),
    ("lvremove", &[]),
    ("vgremove", &[]),
    ("pvremove", &[]),
    ("btrfs", &["delete"]),
    ("lvreduce", &[]),
    ("vgreduce", &[]),
    (
        "diskutil",
        &[
            "deleteContainer",
            "deleteVolume",
            "eraseDisk",
            "eraseVolume",
            "partitionDisk",
            "randomDisk",
            "reformat",
            "secureErase",
            "zeroDisk",
        ],
    ),
    // What the machine starts with.
    ("flashrom", &["-w", "--write", "-E", "--erase"]),
    ("efibootmgr", &["-B", "--delete-bootnum", "-O", "--delete-bootorder"]),
    ("bootctl", &["remove"]),
    ("nvram", &["-c"]),
    ("bcdedit", &["/delete", "/deletevalue", "/import"]),
    ("diskpart", &[]),
    // Copies that a disk is brought back from.
    ("tmutil", &["delete", "disable", "deletelocalsnapshots"]),
    ("vssadmin", &["delete"]),
    ("wbadmin", &["delete"]),
    ("mdadm", &["--zero-superblock", "--stop", "--remove", "--fail"]),
    ("dmsetup", &["remove", "remove_all", "wipe_table"]),
    ("nvme", &["format", "sanitize"]),
    ("cryptsetup", &["luksFormat", "luksErase", "erase", "luksKillSlot"]),
];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in &reading.calls {
            if let Some(what) = harm(call) {
                out.deny(
                    META.id,
                    format!("This would {what}."),
                    "What is on a disk cannot be brought back.",
                )
                .instead = Some("Work on an image file, and let the person handle disks.".into());
                return;
            }
        }
    }
}

fn harm(call: &Call) -> Option<String> {
    for redirect in call
        .redirects
        .iter()
        .filter(|r| matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite))
    {
        if is_disk(&redirect.target.text) {
            return Some(format!("write to {}", redirect.target.text));
        }
        if redirect.target.text.starts_with("/sys/block/") && redirect.target.text.ends_with("/delete") {
            return Some("take a disk away from the system".into());
        }
    }
    if only_looks(call) {
        return None;
    }
    let program = program(call);
    let looks = call
        .texts()
        .any(|t| matches!(t, "-l" | "--list" | "-p" | "--print" | "print" | "list" | "-n" | "--no-act"));
    if matches!(program, "dd" | "dcfldd" | "ddrescue") {
        // `ddrescue FROM TO` has no `of=`.
        let last = (program == "ddrescue")
            .then(|| operands(call.args(), &[]).into_iter().nth(1).map(|a| a.text.as_str()))
            .flatten();
        let target = call.texts().find_map(|t| t.strip_prefix("of=")).or(last);
        return target.filter(|path| is_disk(path)).map(|path| format!("write to {path}"));
    }
    if program == "mkfs"
        || program.starts_with("mkfs.")
        || program.starts_with("newfs")
        || matches!(program, "mke2fs" | "mkfs_msdos" | "mkntfs" | "mkdosfs")
    {
        let target = operands(call.args(), &["-t", "-L", "-b", "-m", "-N", "-U"]).into_iter().next_back();
        return match target {
            Some(arg) if !is_disk(&arg.text) && !arg.text.starts_with("/dev/") => None,
            Some(arg) => Some(format!("format {}", shell::text::show(&arg.text))),
            None => None,
        };
    }
    for (name, verbs) in VERBS {
        if program == *name
            && (verbs.is_empty()
                || call.texts().any(|t| verbs.contains(&t))
                || subcommands(call, &[]).iter().any(|t| verbs.contains(t)))
        {
            return Some(format!("destroy storage ({})", call.line()));
        }
    }
    if let Some(what) = mounts(call) {
        return Some(what);
    }
    if WRITERS.contains(&program) && !looks {
        let disk = match program {
            "cp" | "mv" | "qemu-img" => {
                operands(call.args(), &[]).into_iter().next_back().filter(|a| is_disk(&a.text))
            }
            _ => call.args().iter().find(|a| is_disk(&a.text)),
        };
        // `hdparm /dev/sda` and `nvme list` only ask.
        let asks = match program {
            "hdparm" | "nvme" | "debugfs" => !call.texts().any(|t| {
                t.contains("erase")
                    || t.contains("format")
                    || t == "-w"
                    || t == "--yes-i-know-what-i-am-doing"
            }),
            // A disk image is taken off again by its device.
            "hdiutil" => !call.has("create") && !call.has("convert"),
            "qemu-img" => !call.has("create") && !call.has("convert") && !call.has("dd"),
            "bmaptool" => !call.has("copy"),
            // Without it nothing is thrown away.
            "xfs_repair" => !call.has("-L"),
            _ => false,
        };
        if let Some(disk) = disk.filter(|_| !asks) {
            return Some(format!("overwrite {}", disk.text));
        }
    }
    None
}

/// Takes away, hides or locks what the machine runs from.
fn mounts(call: &Call) -> Option<String> {
    let needed = |path: &str| {
        let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
        let mut parts = path.split('/').skip(1);
        match (path.starts_with('/'), parts.next(), parts.next()) {
            (true, Some(""), None) => true,
            (true, Some(top), None) => matches!(
                top,
                "bin"
                    | "boot"
                    | "dev"
                    | "etc"
                    | "home"
                    | "lib"
                    | "lib64"
                    | "opt"
                    | "proc"
                    | "root"
                    | "run"
                    | "sbin"
                    | "sys"
                    | "usr"
                    | "var"
                    | "Users"
                    | "System"
                    | "Library"
            ),
            (true, Some("home" | "Users"), Some(_)) => path.split('/').count() == 3,
            _ => false,
        }
    };
    match call.program() {
        "umount" => {
            let all = has_flag(call, "a", &["all"]);
            let place = operands(call.args(), &["-t", "-O"]).into_iter().find(|arg| needed(&arg.text));
            (all || place.is_some()).then(|| match place {
                Some(arg) => format!("take {} away from everything that uses it", arg.text),
                None => "take every file system away".to_owned(),
            })
        }
        "mount" => {
            let words = operands(call.args(), &["-t", "-o", "--types", "--options", "-L", "-U"]);
            let target = words.last().filter(|arg| needed(&arg.text))?;
            let options = value(call, &["-o", "--options"]).unwrap_or_default();
            let locks = options.split(',').any(|word| word == "remount")
                && options.split(',').any(|word| matches!(word, "ro" | "noexec"));
            // `mount /home` puts back what belongs there; two words put something else in its place.
            let hides = words.len() > 1 && !options.split(',').any(|word| word == "remount");
            // What the kernel itself shows has its own places.
            let own = value(call, &["-t", "--types"])
                .is_some_and(|kind| matches!(kind, "proc" | "sysfs" | "devtmpfs" | "devpts"));
            (locks || hides && !own).then(|| format!("hide or lock {}", target.text))
        }
        _ => None,
    }
}
