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
            let mode = words.first()?.text.clone();
            for path in &words[1..] {
                let at = place(path, call, facts);
                let open = opens(&mode);
                let bad = match at {
                    Place::Root => open || recursive || closes(&mode),
                    Place::System => open || (recursive && closes(&mode)) || sets_uid(&mode),
                    Place::Home => (open || closes(&mode)) && recursive,
                    _ => sets_uid(&mode) && is_shell(path),
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
                recursive && matches!(place(path, call, facts), Place::Root | Place::System | Place::Home)
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
            let admin = call
                .texts()
                .any(|t| t.split(',').any(|g| matches!(g, "sudo" | "wheel" | "root" | "admin" | "docker")));
            admin.then(|| "This would make a user an administrator.".to_owned())
        }
        "setcap" => Some("This would give a program rights that belong to root.".to_owned()),
        "visudo" | "passwd" | "chpasswd" => call
            .args()
            .iter()
            .any(|a| a.text == "root" || a.text.starts_with("-d"))
            .then(|| "This would change who may be root.".to_owned()),
        _ => None,
    }
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
        || mode.starts_with("a-r")
        || mode.starts_with("u-r")
        || mode.starts_with("-r")
}

fn sets_uid(mode: &str) -> bool {
    mode.contains("+s")
        || mode.contains("=s")
        || (mode.len() == 4
            && matches!(mode.as_bytes()[0], b'2' | b'4' | b'6' | b'7')
            && mode.bytes().all(|b| b.is_ascii_digit()))
}

fn is_shell(path: &Arg) -> bool {
    matches!(
        shell::path::name(&path.text),
        "sh" | "bash" | "zsh" | "dash" | "python" | "python3" | "perl" | "find" | "vim"
    )
}
