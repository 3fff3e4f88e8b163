//! Permissions that protect the machine: `shell/open-permissions`.

use model::{Event, Facts, Findings, Meta};
use shell::{Arg, Call};

use super::place::{Place, place};
use super::words::{has_flag, only_looks, operands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/open-permissions",
    "a command that takes away the machine's permissions",
    "\
Refuses to open (`chmod 777 /`), close (`chmod -R 000 ~`) or hand over (`chown -R`) the root, system directories and homes, to set
the setuid bit on a shell or on system files, to make system files immutable, and to add users to administrator groups.
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
    match call.program() {
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
                };
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
            let bad = words.iter().find(|path| place(path, call, facts) >= Place::Home)?;
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
        "setenforce" => call
            .texts()
            .any(|t| t == "0" || t.eq_ignore_ascii_case("permissive"))
            .then(|| "This would switch the kernel's protection off.".to_owned()),
        _ => None,
    }
}

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

/// Nobody may read any more.
fn closes(mode: &str) -> bool {
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
