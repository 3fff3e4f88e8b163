//! Files that must not be lost: `shell/destroy-files`.

use model::{Event, Facts, Findings, Meta};
use shell::{Arg, Call, Direction};

use super::packed::packed_away;
use super::place::{Place, place};
use super::words::{has_flag, only_looks, operands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/destroy-files",
    "a command that deletes the system, a home, the project or its history",
    "\
Refuses to delete, overwrite or move away the root, system directories, home directories and what matters most in them, the
project as a whole, and the repository's `.git`, by whatever program: `rm`, `find -delete`, `shred`, `mv`, `truncate`, `rsync
--delete`, a library call in inline Python or Perl; and to remove packages without which the machine does not run. Variables that nobody has set count as empty, because then `$DIR/` is
the root. Deleting inside the project (`rm -rf node_modules`) and in temporary directories is nobody's business.
",
    include_str!("destroy_files.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        let mut fresh: Vec<String> = Vec::new();
        for call in &reading.calls {
            fresh.extend(made(call));
            if let Some(packages) = essential(call).filter(|_| !call.elsewhere) {
                out.deny(
                    META.id,
                    format!("This would remove {packages}, which the system needs."),
                    "Nothing could put it back.",
                )
                .instead = Some(
                    "Remove only what you have installed, and let the package manager say what depends on it."
                        .into(),
                );
                return;
            }
            if let Some((verb, arg, at)) = worst(call, &fresh, cx.facts) {
                report(verb, &arg, at, out);
                if at >= Place::GitDir {
                    return;
                }
            }
        }
    }
}

fn report(verb: &str, arg: &Arg, at: Place, out: &mut Findings) {
    let name = shell::text::show(&arg.text);
    let (what, instead) = match at {
        Place::Root => (
            format!("This would {verb} {name}, the root of the file system."),
            "Name the one directory that you mean.",
        ),
        Place::System => {
            (format!("This would {verb} {name}, which the system needs."), "Leave system files alone.")
        }
        Place::Home => (
            format!("This would {verb} {name}, a person's own files."),
            "Name the one directory that you mean.",
        ),
        Place::Project => (
            format!("This would {verb} {name}, the project as a whole."),
            "Name what you want to remove, such as `rm -rf ./build`.",
        ),
        Place::GitDir => (
            format!("This would {verb} {name}, the repository's history."),
            "Leave .git alone; `git gc` cleans it.",
        ),
        _ => return,
    };
    let finding = out.deny(META.id, what, "It cannot be undone.");
    finding.instead = Some(instead.into());
    finding.at.clone_from(&arg.span);
}

/// Packages without which a machine does not start, or cannot install anything any more.
const ESSENTIAL: &[&str] = &[
    "apt",
    "base-files",
    "bash",
    "busybox",
    "coreutils",
    "dash",
    "dbus",
    "dnf",
    "dpkg",
    "filesystem",
    "glibc",
    "grub-pc",
    "grub2",
    "init",
    "kernel",
    "libc-bin",
    "libc6",
    "libpam-runtime",
    "libssl3",
    "linux",
    "login",
    "musl",
    "network-manager",
    "openssh-server",
    "openssl",
    "pacman",
    "pam",
    "passwd",
    "rpm",
    "shadow",
    "sudo",
    "systemd",
    "udev",
    "util-linux",
    "yum",
];

/// What a package manager would take away although the system needs it, or against what the manager knows.
fn essential(call: &Call) -> Option<String> {
    const MANAGERS: &[&str] = &[
        "apk", "apt", "apt-get", "aptitude", "dnf", "dpkg", "microdnf", "nala", "pacman", "pkg", "rpm",
        "yum", "zypper",
    ];
    if !MANAGERS.contains(&call.program()) {
        return None;
    }
    let words: Vec<&str> = call.texts().collect();
    let says = |names: &[&str]| words.iter().any(|word| names.contains(word));
    // Letters of the options: `pacman -Rdd`, `rpm -e`, `dpkg -P`.
    let letters = |first: char| {
        words.iter().find_map(|word| word.strip_prefix('-').filter(|rest| rest.starts_with(first)))
    };
    let (removes, forced) = match call.program() {
        "dpkg" => (
            says(&["--purge", "--remove"]) || letters('P').is_some() || letters('r').is_some(),
            says(&["--force-all", "--force-depends", "--force-remove-essential"]),
        ),
        "rpm" => (says(&["--erase"]) || letters('e').is_some(), says(&["--nodeps"])),
        "pacman" => {
            let options = letters('R');
            (options.is_some(), options.is_some_and(|rest| rest.matches('d').count() > 1))
        }
        _ => (
            says(&["remove", "purge", "erase", "del", "delete", "rm", "autoremove"]),
            says(&["--allow-remove-essential"]),
        ),
    };
    if !removes || only_looks(call) || says(&["-s", "--simulate", "--just-print", "--test", "--assumeno"]) {
        return None;
    }
    let named = operands(call.args(), &["-o", "-c", "-t"]);
    let vital = named.iter().find(|arg| {
        let name = arg.text.split([':', '=']).next().unwrap_or_default();
        ESSENTIAL.contains(&name) || name.starts_with("linux-image-") || name == "*"
    });
    match vital {
        Some(arg) => Some(arg.text.clone()),
        None if forced => Some("packages, whatever needs them".to_owned()),
        None => None,
    }
}

/// What a call takes away: how, what, and whether with all that is below it.
pub(super) fn targets(call: &Call, facts: &dyn Facts) -> Vec<(&'static str, Arg, bool)> {
    let mut targets: Vec<(&'static str, Arg, bool)> = Vec::new();
    let args = call.args();
    match call.program() {
        "rm" | "grm" | "rimraf" | "trash" | "del" | "unlink" | "rmdir" | "srm" | "safe-rm"
        | "Remove-Item" | "del-cli" | "trash-put" | "deltree" | "rd" | "erase" => {
            let tree = has_flag(call, "rR", &["recursive"])
                || call.texts().any(|t| t.eq_ignore_ascii_case("/s") || t.eq_ignore_ascii_case("-recurse"))
                || matches!(call.program(), "rimraf" | "trash" | "srm" | "del-cli" | "trash-put");
            targets.extend(operands(args, &[]).into_iter().map(|arg| ("delete", arg.clone(), tree)));
        }
        "gio" if args.first().is_some_and(|a| matches!(a.text.as_str(), "trash" | "remove")) => {
            targets.extend(operands(&args[1..], &[]).into_iter().map(|arg| ("delete", arg.clone(), true)));
        }
        // A program that is not known, with the flags of one that is.
        program
            if program.contains(shell::text::is_hole)
                && has_flag(call, "rR", &["recursive"])
                && has_flag(call, "f", &["force"]) =>
        {
            targets.extend(operands(args, &[]).into_iter().map(|arg| ("delete", arg.clone(), true)));
        }
        "dd" => targets.extend(
            args.iter()
                .filter_map(|a| a.text.strip_prefix("of="))
                .map(|path| ("overwrite", Arg::new(path), false)),
        ),
        "shred" | "wipe" => targets.extend(
            operands(args, &["-n", "-s", "--iterations"]).into_iter().map(|a| ("overwrite", a.clone(), true)),
        ),
        "truncate" => targets.extend(
            operands(args, &["-s", "-r", "--size", "--reference"])
                .into_iter()
                .map(|a| ("empty", a.clone(), false)),
        ),
        "find" | "gfind" if args.iter().any(|a| a.text == "-delete") => {
            let roots =
                args.iter().take_while(|a| !a.text.starts_with('-') && a.text != "(" && a.text != "!");
            let narrowed = args.iter().any(|a| {
                matches!(
                    a.text.as_str(),
                    "-name"
                        | "-iname"
                        | "-path"
                        | "-empty"
                        | "-mtime"
                        | "-ipath"
                        | "-regex"
                        | "-iregex"
                        | "-newer"
                        | "-size"
                        | "-mmin"
                        | "-atime"
                        | "-ctime"
                        | "-user"
                        | "-perm"
                )
            });
            let roots: Vec<Arg> = roots.cloned().collect();
            let roots = if roots.is_empty() { vec![Arg::new(".")] } else { roots };
            // With a filter it is a clean-up, except of the whole machine.
            targets.extend(
                roots
                    .into_iter()
                    .map(|root| ("delete what is in", root, !narrowed))
                    .filter(|(_, root, whole)| *whole || place(root, call, facts) >= Place::Home),
            );
        }
        "mv" | "gmv" => {
            let mut paths = operands(args, &["-t", "-S", "--target-directory"]);
            paths.pop();
            targets.extend(paths.into_iter().map(|a| ("move away", a.clone(), true)));
        }
        "cp" | "install" | "gcp" if args.iter().any(|a| a.text == "/dev/null") => {
            targets.extend(
                operands(args, &["-m", "-o", "-g", "-t"])
                    .into_iter()
                    .next_back()
                    .map(|a| ("empty", a.clone(), false)),
            );
        }
        "rsync" if args.iter().any(|a| a.text.starts_with("--del")) && !has_flag(call, "n", &["dry-run"]) => {
            targets.extend(
                operands(args, &["-e", "--exclude", "--include", "--filter"])
                    .into_iter()
                    .next_back()
                    .map(|a| ("clear out", a.clone(), true)),
            );
        }
        "tar" | "bsdtar" | "unzip" | "cpio" if extracts(call) => {
            let into = super::words::value(call, &["-C", "--directory", "-d", "-D"]).map(Arg::new);
            targets.extend(
                into.map(|a| ("unpack over", a, true))
                    .filter(|(_, a, _)| place(a, call, facts) >= Place::System),
            );
        }
        "patch" => targets.extend(
            super::words::value(call, &["-d", "--directory"])
                .map(|dir| ("patch", Arg::new(dir), true))
                .filter(|(_, a, _)| place(a, call, facts) >= Place::System),
        ),
        // A script that leaves nothing.
        "sed" | "gsed"
            if call.texts().any(|t| matches!(t, "d" | "1,$d" | "$!d;d" | "/./d" | "/^/d" | "/.*/d")) =>
        {
            let emptied = super::written::written(call).into_iter();
            targets.extend(emptied.map(|path| ("empty", Arg::new(path), false)));
        }
        "ln" if has_flag(call, "f", &["force"]) => {
            targets.extend(
                operands(args, &["-t", "-S"]).into_iter().next_back().map(|a| ("replace", a.clone(), false)),
            );
        }
        "tee" if !has_flag(call, "a", &["append"]) => targets.extend(
            operands(args, &[])
                .into_iter()
                .filter(|a| is_vital(&a.text))
                .map(|a| ("overwrite", a.clone(), false)),
        ),
        "rename" | "prename" | "mmv" | "rename.ul" => {
            targets
                .extend(operands(args, &["-e"]).into_iter().skip(1).map(|a| ("move away", a.clone(), false)));
        }
        _ => {}
    }
    targets.extend(packed_away(call).into_iter().map(|(arg, tree)| ("pack and delete", arg, tree)));
    // Accounts are written by programs of their own. What a redirection puts there is a question elsewhere.
    let redirected = |path: &str| call.redirects.iter().any(|r| r.target.text == path);
    if !(call.program() == "tee" && has_flag(call, "a", &["append"])) {
        let accounts = super::written::written(call)
            .into_iter()
            .filter(|path| is_account_file(path) && !redirected(path));
        targets.extend(accounts.map(|path| ("overwrite", Arg::new(path), false)));
    }
    if only_looks(call) {
        targets.clear();
    }
    // Emptying by redirection: `> /etc/passwd`, `cat /dev/null > x`.
    let empties = call.argv.is_empty()
        || (matches!(call.program(), "cat" | "cp") && call.has("/dev/null"))
        || matches!(call.program(), ":" | "true" | "printf" | "echo")
            && call.texts().all(|t| t.is_empty() || t == "-n");
    if empties {
        let written = call.redirects.iter().filter(|r| r.fd == 1 && r.direction == Direction::Write);
        // What inline code writes is not nothing; only where no text of its own belongs, it counts.
        let by_code = call.argv.is_empty() && call.stdin.is_some();
        targets.extend(
            written
                .filter(|r| !by_code || is_vital(&r.target.text))
                .map(|r| ("overwrite", r.target.clone(), false)),
        );
    }
    targets
}

/// The copy of something that a call makes: its history is somebody else's, and still there.
fn made(call: &Call) -> Option<String> {
    const MAKERS: &[&str] =
        &["git", "gh", "glab", "cp", "degit", "tiged", "giget", "npx", "bunx", "pnpm", "yarn"];
    if !MAKERS.contains(&call.program()) {
        return None;
    }
    let words = operands(call.args(), &["-b", "--branch", "--depth", "-o", "--origin", "-t", "-m", "--mode"]);
    let path = match (call.program(), words.as_slice()) {
        ("git" | "gh" | "glab", [.., from, _]) if from.text == "clone" => {
            let name = shell::path::name(&words.last()?.text);
            name.rsplit(':').next()?.trim_end_matches(".git")
        }
        ("git" | "gh" | "glab", [.., into]) if words.iter().any(|word| word.text == "clone") => &into.text,
        ("cp", [_, .., into]) if has_flag(call, "rRa", &["recursive", "archive"]) => &into.text,
        ("degit" | "tiged" | "giget", [.., into]) => &into.text,
        ("npx" | "bunx" | "pnpm" | "yarn", [first, .., into])
            if words.iter().any(|word| matches!(word.text.as_str(), "degit" | "tiged" | "giget"))
                || first.text.starts_with("create-") =>
        {
            &into.text
        }
        _ => return None,
    };
    Some(shell::path::absolute(path, &call.cwd))
}

/// The worst thing that a call would lose.
fn worst(call: &Call, fresh: &[String], facts: &dyn Facts) -> Option<(&'static str, Arg, Place)> {
    let home = facts.home().map(|home| home.to_string_lossy().into_owned());
    targets(call, facts)
        .into_iter()
        .map(|(verb, arg, tree)| {
            let at = place(&arg, call, facts);
            let path = shell::path::absolute(&arg.text, &call.cwd);
            // A pattern takes every file of the place, directories or not; so does a search.
            let by_search = matches!(
                call.wrappers.last(),
                Some(&("find" | "node" | "parallel" | "perl" | "php" | "python" | "ruby" | "xargs"))
            );
            let searched = by_search && !shell::text::is_known(&arg.text);
            let tree = tree || arg.glob || searched;
            // A key that is gone is gone, without any recursion; so is what a person's shells start with.
            let own = |path: &str| {
                shell::is_secret_path(path, home.as_deref())
                    || verb != "move away" && verb != "replace" && crate::lasting::is_startup(path, facts)
            };
            let key = at == Place::Shared && !call.elsewhere && own(&path);
            let copied = at == Place::GitDir
                && fresh.iter().any(|copy| shell::path::is_below(&path, copy) && path != *copy);
            let at = if copied {
                Place::Ordinary
            } else if key {
                Place::Home
            } else {
                lost(at, tree || at == Place::GitDir && is_vital_to_git(&path))
            };
            (verb, arg, at)
        })
        .filter(|(_, _, at)| *at >= Place::GitDir)
        .max_by_key(|(_, _, at)| *at)
}

/// What is lost when only the path itself goes, not what is below it: a directory cannot go that way.
fn lost(at: Place, tree: bool) -> Place {
    match at {
        Place::Project | Place::Home | Place::GitDir if !tree => Place::Ordinary,
        other => other,
    }
}

/// Without these git no longer takes the folder for a repository, or has lost branches.
fn is_vital_to_git(path: &str) -> bool {
    path.split_once("/.git/").is_some_and(|(_, rest)| matches!(rest, "HEAD" | "config" | "packed-refs"))
}

/// Who may log in.
fn is_account_file(path: &str) -> bool {
    matches!(path, "/etc/passwd" | "/etc/shadow" | "/etc/group" | "/etc/gshadow" | "/etc/sudoers")
}

/// Files without which nobody can log in, or nothing starts.
fn is_vital(path: &str) -> bool {
    is_account_file(path)
        || path == "/etc/fstab"
        || ["/boot/", "/bin/", "/sbin/", "/usr/bin/", "/lib/", "/dev/sd", "/dev/nvme"]
            .iter()
            .any(|dir| path.starts_with(dir))
}

fn extracts(call: &Call) -> bool {
    matches!(call.program(), "unzip" | "cpio")
        || call.args().iter().enumerate().any(|(index, arg)| {
            let text = arg.text.trim_start_matches('-');
            (index == 0 || arg.text.starts_with('-'))
                && !arg.text.starts_with("--")
                && text.contains('x')
                && text.len() < 6
                || arg.text == "--extract"
        })
}
