//! Permissions that protect the machine: `shell/open-permissions`.

use model::deed::{Object, Verb};
use model::{Event, Facts, Findings, Meta};
use shell::programs::Role;
use shell::{Arg, Call};

use super::place::{Place, place};
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

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for call in reading.calls.iter().filter(|call| !call.elsewhere) {
        if let Some(what) = harm(call, cx.facts) {
            out.deny(META.id, what, "Nothing on the machine would be protected as it was.").instead =
                Some("Change the mode of the one file that needs it.".into());
            return;
        }
    }
}

fn harm(call: &Call, facts: &dyn Facts) -> Option<String> {
    let mode = call.with_role(Role::Mode).next();
    for deed in &call.deeds {
        let (text, tree, pattern) = match (&deed.object, deed.verb) {
            (Object::Path { text, tree, pattern }, Verb::Permits) => (text, *tree, *pattern),
            (Object::Thing(thing), Verb::Permits) => return Some(format!("This would change {thing}.")),
            (Object::Path { text, .. }, Verb::Writes) if mode.is_some_and(sets_uid) => {
                return Some(format!(
                    "This would install {} with mode {}, which runs with its owner's rights.",
                    shell::text::show(text),
                    mode.unwrap_or_default()
                ));
            }
            _ => continue,
        };
        let path = Arg { text: text.clone(), span: None, glob: pattern };
        let at = place(&path, call, facts);
        let name = shell::text::show(text);
        if let Some(flags) = call.with_role(Role::Flags).next() {
            let locks = matches!(flags, "+i" | "+a" | "+ia" | "+ai" | "uchg" | "schg");
            if at >= Place::Home || locks && at >= Place::Shared {
                return Some(format!("This would change the attributes of {name}."));
            }
        } else if let Some(mode) = mode {
            if is_bad(mode, at, tree, &path, call, facts) {
                return Some(format!("This would change the permissions of {name} to {mode}."));
            }
        } else if at >= Place::Home
            && (tree || pattern && at >= Place::System || is_account_file(&path))
            && !text.starts_with("/var/www")
        {
            return Some(format!("This would change who may do what with {name} and everything in it."));
        }
    }
    None
}

/// Whether a mode is one that nobody wants there.
fn is_bad(mode: &str, at: Place, tree: bool, path: &Arg, call: &Call, facts: &dyn Facts) -> bool {
    let open = opens(mode);
    let bad = match at {
        Place::Root => open || tree || closes(mode),
        Place::System => open || closes(mode) || sets_uid(mode),
        // Keys that others can read, or replace.
        Place::Home | Place::Shared if open && format!("{}/", path.text).contains("/.ssh/") => true,
        Place::Home => (open || closes(mode)) && tree,
        _ => sets_uid(mode),
    };
    bad || at >= Place::Shared && shows(mode) && is_private(path, call, facts)
}

/// Whether the mode that a call gives takes the owner's own rights: `000`, `a-rwx`, `u-x`, `-w`.
pub(super) fn locks(call: &Call) -> bool {
    let Some(mode) = call.with_role(Role::Mode).next() else { return false };
    if !mode.is_empty() && mode.bytes().all(|b| b.is_ascii_digit()) {
        // A folder that cannot be entered, a file that cannot be read. `0` is short for `000`.
        let owner = mode.len().checked_sub(3).map_or(0, |at| mode.as_bytes()[at] - b'0');
        return owner & 5 != 5;
    }
    mode.split(',').any(|rule| {
        let Some((who, rights)) = rule.split_once(['-', '=']) else { return false };
        let owner = who.is_empty() || who.contains(['u', 'a']);
        let mode =
            who.bytes().all(|b| b"ugoa".contains(&b)) && rights.bytes().all(|b| b"rwxXst".contains(&b));
        mode && owner && (!rights.is_empty() && rule.contains('-') || rule.ends_with('='))
    })
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
