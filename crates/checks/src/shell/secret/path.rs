//! Which paths of a call are secrets, and whether that is beyond question.

use std::path::Path;

use model::Facts;
use model::deed::{Deed, Object};
use shell::text::{ANY, has_hole};
use shell::{Call, is_secret_path};

/// A secret by its path: a project's own, and an environment file, may be meant to be looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secret {
    Project,
    Person,
}

pub(super) fn home(facts: &dyn Facts) -> Option<&str> {
    facts.home().and_then(Path::to_str)
}

/// What the object of a deed is, if it is a secret's path.
pub(super) fn secret(deed: &Deed, call: &Call, facts: &dyn Facts) -> Option<Secret> {
    let Object::Path { text, pattern, .. } = &deed.object else { return None };
    if text.is_empty() || text.contains('\n') {
        return None;
    }
    // What this very command has filled with one.
    if call.secrets.iter().any(|named| named.ends_with(text.as_str())) {
        return Some(Secret::Person);
    }
    let home = home(facts);
    // Most are nothing of the kind by their looks.
    let is_seen = |text: &str| !has_hole(text, ANY);
    let plain = !call.elsewhere && !pattern && is_seen(text) && is_seen(&call.cwd);
    if plain && !call.secrets(home).names(text) {
        return None;
    }
    let path = outside(&shell::path::absolute(text, &call.cwd), call)?;
    // A search finds keys by the beginning of their names, wherever they are.
    let searched = has_hole(&path, ANY)
        && KEYS
            .iter()
            .any(|key| shell::path::name(&path).trim_matches(shell::text::is_hole).starts_with(key));
    // It may lie in the folder itself.
    let near = || path.replace(&format!("/{ANY}/"), "/").trim_end_matches(shell::text::is_hole).to_owned();
    let hit = searched
        || is_secret_path(&path, home)
        || path.contains(ANY) && is_secret_path(&near(), home)
        || *pattern && glob_hits(&path, home);
    let own = shell::path::name(&path).starts_with(".env")
        || shell::path::is_below(&path, &facts.project().to_string_lossy());
    hit.then_some(if own { Secret::Project } else { Secret::Person })
}

/// Private keys, by how their names begin.
const KEYS: &[&str] = &["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"];

/// The path on this machine; `None` for one that only a container has.
fn outside(path: &str, call: &Call) -> Option<String> {
    if !call.elsewhere {
        return Some(path.to_owned());
    }
    call.mounts.iter().find_map(|(inside, here)| {
        let rest = path.strip_prefix(inside.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", here.trim_end_matches('/')))
    })
}

/// A pattern that would match a secret: `~/.ssh/id_*`, `~/.s*h/id_r?a`, `~/.aws/*`.
pub(crate) fn glob_hits(pattern: &str, home: Option<&str>) -> bool {
    const USUAL: &[&str] = &[
        ".ssh/id_rsa",
        ".ssh/id_ed25519",
        ".ssh/id_ecdsa",
        ".aws/credentials",
        ".netrc",
        ".pgpass",
        ".git-credentials",
        ".kube/config",
        ".gnupg/secring.gpg",
    ];
    let parts: Vec<&str> = pattern.split('/').collect();
    let fits = |path: &str| {
        let other: Vec<&str> = path.split('/').collect();
        // Any folders in between, hidden ones too.
        if let Some(at) = parts.iter().position(|part| *part == "**") {
            let (before, after) = (&parts[..at], &parts[at + 1..]);
            let same = |(p, o): (&&str, &&str)| shell::path::matches(p, o);
            return other.len() >= before.len() + after.len()
                && before.iter().zip(&other).all(same)
                && after.iter().rev().zip(other.iter().rev()).all(same);
        }
        // A pattern does not find hidden files by a leading star.
        parts.len() == other.len()
            && parts
                .iter()
                .zip(&other)
                .all(|(p, o)| shell::path::matches(p, o) && (!o.starts_with('.') || p.starts_with('.')))
    };
    // `.e?v`, `.en*`; every hidden file at once is looked at where that is read.
    let name = shell::path::name(pattern);
    let environment = name.starts_with('.')
        && name.len() > 2
        && name.contains(['*', '?', '['])
        && [".env", ".env.local", ".env.production", ".env1"]
            .iter()
            .any(|file| shell::path::matches(name, file));
    if environment {
        return true;
    }
    let homes = [home.unwrap_or("/root"), "/root", "/home/x"];
    homes.iter().any(|home| USUAL.iter().any(|name| fits(&format!("{home}/{name}")))) || fits("/etc/shadow")
}
