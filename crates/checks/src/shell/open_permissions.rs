//! Permissions that protect the machine: `shell/open-permissions`.

use model::{Event, Facts, Findings, Meta};
use shell::{Arg, Call};

use super::place::{Place, place};
use super::words::{has_flag, only_looks, operands, program, subcommands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/open-permissions",
    "a command that takes away the machine's permissions",
    "\
Refuses to open (`chmod 777 /`), close (`chmod -R 000 ~`) or hand over (`chown -R`) the root, system directories and homes, to set
the setuid bit on a shell or on system files, to let others read keys and password files, to make system files immutable, to add
users to administrator groups, to delete users, and to switch off what protects the machine (`setenforce 0`, `csrutil disable`).
Ordinary modes on files of the project pass.
",
    include_str!("open_permissions.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            if let Some(what) = harm(call, cx.facts) {
                out.deny(META.id, what, "Nothing on the machine would be protected as it was.").instead =
                    Some("Change the mode of the one file that needs it.".into());
                return;
            }
        }
    }
}

fn harm(call: &Call, facts: &dyn Facts) -> Option<String> {
    if only_looks(call) {
        return None;
    }
    let recursive = has_flag(call, "R", &["recursive"]);
    let words = operands(call.args(), &["-m", "-M", "-x", "-g", "-G", "-o", "--reference"]);
    match program(call) {
        // The mode of another file: whatever that is, it is not theirs.
        "chmod" if call.texts().any(|t| t.starts_with("--reference")) => words
            .iter()
            .find(|path| recursive && place(path, call, facts) >= Place::Home)
            .map(|path| format!("This would change the permissions of {}.", shell::text::show(&path.text))),
        "chmod" => {
            // `-x` and `-rw` are modes, `-R` and `-v` are not.
            let taken = |text: &str| {
                text.strip_prefix('-').is_some_and(|rest| {
                    !rest.is_empty() && rest.bytes().all(|b| b"rwxXstugo,+=-".contains(&b))
                })
            };
            let mode = call.texts().find(|t| !t.starts_with('-') || taken(t))?.to_owned();
            let paths = operands(call.args(), &[]);
            let paths = if mode.starts_with('-') { paths } else { paths[1..].to_vec() };
            for path in paths {
                let at = place(path, call, facts);
                let open = opens(&mode);
                let bad = match at {
                    Place::Root => open || recursive || closes(&mode),
                    Place::System => open || closes(&mode) || sets_uid(&mode),
                    // Keys that others can read, or replace.
                    Place::Home | Place::Shared if open && format!("{}/", path.text).contains("/.ssh/") => {
                        true
                    }
                    Place::Home => (open || closes(&mode)) && recursive,
                    _ => sets_uid(&mode),
                } || at >= Place::Shared && shows(&mode) && is_private(path, call, facts);
                if bad {
                    return Some(format!(
                        "This would change the permissions of {} to {mode}.",
                        shell::text::show(&path.text)
                    ));
                }
            }
            None
        }
        "chown" | "chgrp" => words
            .get(1..)?
            .iter()
            .find(|path| {
                matches!(place(path, call, facts), Place::Root | Place::System | Place::Home)
                    && (recursive || is_account_file(path))
                    && !path.text.starts_with("/var/www")
            })
            .map(|path| {
                format!(
                    "This would give {} and everything in it to somebody else.",
                    shell::text::show(&path.text)
                )
            }),
        "setfacl" => {
            let paths = operands(call.args(), &["-m", "-M", "-x", "-X", "--modify", "--set"]);
            let bad = paths.into_iter().find(|path| place(path, call, facts) >= Place::Home)?;
            Some(format!("This would change the access rights of {}.", bad.text))
        }
        "chattr" | "chflags" => {
            let locks = call.texts().any(|t| matches!(t, "+i" | "+a" | "+ia" | "+ai" | "uchg" | "schg"));
            let bad = words.iter().find(|path| {
                let at = place(path, call, facts);
                at >= Place::Home || locks && at >= Place::Shared
            })?;
            Some(format!("This would change the attributes of {}.", bad.text))
        }
        "install" => {
            let mode = super::words::value(call, &["-m", "--mode"])?;
            sets_uid(mode).then(|| {
                format!("This would install a program with mode {mode}, which runs with its owner's rights.")
            })
        }
        "usermod" | "gpasswd" | "adduser" | "useradd" | "dseditgroup" => {
            let root = call.args().windows(2).any(|pair| {
                (matches!(pair[0].text.as_str(), "--uid")
                    || pair[0].text.starts_with('-')
                        && !pair[0].text.starts_with("--")
                        && pair[0].text.ends_with('u'))
                    && pair[1].text == "0"
            });
            let admin = root
                || call.texts().any(|t| {
                    t.split(',').any(|g| matches!(g, "sudo" | "wheel" | "root" | "admin" | "docker"))
                });
            admin.then(|| "This would make a user an administrator.".to_owned())
        }
        "setcap" => Some("This would give a program rights that belong to root.".to_owned()),
        "visudo" | "passwd" | "chpasswd" => {
            let said = call.stdin.as_deref().unwrap_or_default();
            let named = call.args().iter().any(|a| a.text == "root" || a.text.starts_with("-d"));
            (named || said.contains("root:") || said.contains("NOPASSWD"))
                .then(|| "This would change who may be root.".to_owned())
        }
        "userdel" | "deluser" | "delgroup" | "groupdel" => {
            // `deluser NAME GROUP` only takes somebody out of a group.
            let names = operands(call.args(), &[]).len();
            (names == 1).then(|| "This would delete a user or a group.".to_owned())
        }
        "dscl" | "sysadminctl" | "net" => {
            let said: Vec<String> = call.texts().map(str::to_ascii_lowercase).collect();
            let says = |word: &str| said.iter().any(|t| t == word);
            let deletes = says("-delete") && said.iter().any(|t| t.starts_with("/users/"))
                || says("-deleteuser")
                || says("user") && says("/delete");
            let admin = (says("-append") || says("-merge")) && said.iter().any(|t| t == "/groups/admin")
                || says("-adduser") && says("-admin")
                || says("localgroup") && says("administrators") && says("/add");
            (deletes || admin).then(|| "This would change who may use the machine, and as what.".to_owned())
        }
        "xattr" | "chcon" | "restorecon" => {
            let path = operands(call.args(), &["-t", "-u", "-r", "-d", "-w"]);
            path.into_iter()
                .find(|path| {
                    has_flag(call, "rR", &["recursive"])
                        && program(call) != "restorecon"
                        && place(path, call, facts) >= Place::Home
                })
                .map(|path| format!("This would change what protects {}.", shell::text::show(&path.text)))
        }
        "icacls" | "takeown" | "cacls" => {
            let root = call.texts().any(|t| {
                let drive = t.trim_end_matches(['\\', '/', '*']);
                drive.len() == 2 && drive.ends_with(':')
                    || t.to_ascii_lowercase().replace('\\', "/").contains(":/windows")
            });
            let everyone = call.texts().any(|t| t.to_ascii_lowercase().starts_with("everyone:"));
            (root || everyone && call.texts().any(|t| t.eq_ignore_ascii_case("/t")))
                .then(|| "This would change who may read and write a whole disk.".to_owned())
        }
        name if GUARDS.iter().any(|(guard, _)| *guard == name) => {
            let verbs = subcommands(call, &[]);
            let off = GUARDS.iter().any(|(wanted, words)| {
                name == *wanted && words.iter().all(|word| verbs.contains(word) || call.has(word))
            });
            off.then(|| format!("`{}` switches off what protects the machine.", call.line()))
        }
        _ => None,
    }
}

/// What protects a machine, and the words that switch it off.
const GUARDS: &[(&str, &[&str])] = &[
    ("aa-complain", &[]),
    ("aa-disable", &[]),
    ("aa-teardown", &[]),
    ("apparmor_parser", &["-R"]),
    ("auditctl", &["-D"]),
    ("auditctl", &["-e", "0"]),
    ("csrutil", &["disable"]),
    ("fdesetup", &["disable"]),
    ("mokutil", &["--disable-validation"]),
    ("semanage", &["permissive", "-a"]),
    ("setenforce", &["0"]),
    ("setenforce", &["Permissive"]),
    ("setenforce", &["permissive"]),
    ("spctl", &["--global-disable"]),
    ("spctl", &["--master-disable"]),
    ("systemsetup", &["-setremotelogin"]),
    ("Set-MpPreference", &[]),
];

/// Who may log in, and as whom.
fn is_account_file(path: &Arg) -> bool {
    matches!(
        path.text.as_str(),
        "/etc/passwd" | "/etc/shadow" | "/etc/group" | "/etc/gshadow" | "/etc/sudoers"
    )
}

/// Everybody may write.
fn opens(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    if mode.bytes().all(|b| b.is_ascii_digit()) && !mode.is_empty() {
        return digits.bytes().next_back().is_some_and(|b| matches!(b, b'2' | b'3' | b'6' | b'7'));
    }
    mode.split(',').any(|part| {
        let (who, rights) = part.split_once(['+', '=']).unwrap_or(("", ""));
        (who.is_empty() || who.contains('a') || who.contains('o') || who.contains("ugo"))
            && rights.contains('w')
            && !part.is_empty()
    })
}

/// Others may read.
fn shows(mode: &str) -> bool {
    if mode.bytes().all(|b| b.is_ascii_digit()) && !mode.is_empty() {
        return mode.bytes().next_back().is_some_and(|b| b >= b'4');
    }
    mode.split(',').any(|part| {
        let (who, rights) = part.split_once(['+', '=']).unwrap_or(("", ""));
        (who.is_empty() || who.contains('a') || who.contains('o')) && rights.contains('r')
    })
}

/// A key or a password file, not the folder that it lies in.
fn is_private(path: &Arg, call: &Call, facts: &dyn Facts) -> bool {
    let home = facts.home().map(|home| home.to_string_lossy().into_owned());
    let absolute = shell::path::absolute(&path.text, &call.cwd);
    let folder = matches!(shell::path::name(&absolute), ".ssh" | ".gnupg" | ".aws" | "private");
    !folder && shell::is_secret_path(&absolute, home.as_deref())
}

/// Nobody may read any more.
pub(super) fn closes(mode: &str) -> bool {
    matches!(mode, "000" | "0" | "00" | "0000" | "a-rwx" | "a=" | "ugo-rwx")
        || ["a-", "u-", "ugo-", "-"].iter().any(|who| {
            mode.strip_prefix(who).is_some_and(|rest| rest.starts_with(['r', 'x']) || rest.starts_with("wx"))
        })
}

fn sets_uid(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    let number = digits.len() == 4
        && matches!(digits.as_bytes()[0], b'4' | b'6' | b'7')
        && digits.bytes().all(|b| b.is_ascii_digit());
    number
        || mode.split(',').any(|part| {
            part.split_once(['+', '='])
                .is_some_and(|(who, rights)| rights.contains('s') && !matches!(who, "g" | "o"))
        })
}
