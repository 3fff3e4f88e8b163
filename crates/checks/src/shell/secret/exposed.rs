//! Secrets that are put where others see them: folders served to the network, repositories, containers.

use model::Facts;
use model::deed::{Object, Verb};
use shell::programs::Role;
use shell::text::show;
use shell::{Arg, Call};

use super::path::home;
use crate::shell::place::{Place, place};

/// A secret that a call puts where others see it: in words, and whether that is beyond question.
pub(super) fn exposed(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    served(call, facts).or_else(|| published(call, facts)).or_else(|| handed_over(call, facts))
}

fn is_secret(path: &str, call: &Call, facts: &dyn Facts) -> bool {
    call.secrets(home(facts)).names(path)
}

/// A home or a folder of keys, for whoever asks.
fn served(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    if call.elsewhere {
        return None;
    }
    call.paths(&[Verb::Admits]).find_map(|(folder, _)| {
        let path = shell::path::absolute(folder, &call.cwd);
        let private = match place(&Arg::new(path.clone()), call, facts) {
            Place::Home | Place::Root => true,
            Place::System => !path.starts_with("/usr/share/"),
            _ => is_secret(folder, call, facts),
        };
        private.then(|| (format!("This would show {} to the network.", show(&path)), true))
    })
}

/// Into a repository, or with one to somewhere else.
fn published(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    // Ignored for a reason.
    if call.concerns("what is ignored")
        && let Some((path, _)) = call.paths(&[Verb::Uses]).find(|(path, _)| is_secret(path, call, facts))
    {
        return Some((
            format!("This would put {}, which holds secrets, into the repository.", show(path)),
            true,
        ));
    }
    call.deeds.iter().filter(|deed| call.keeps_versions() && deed.verb == Verb::Publishes).find_map(|deed| {
        let Object::Address(to) = &deed.object else { return None };
        let here = ["file://", "://localhost", "://127.0.0.1"].iter().any(|part| to.contains(part));
        let what =
            format!("This would send the repository to {}, an address and none of its remotes.", show(to));
        (!here).then_some((what, false))
    })
}

/// A remote that this very command gives another address, and then is pushed to. The forges that everybody has, and hosts that the
/// repository knows already, are where its people moved it to.
pub(super) fn redirected(reading: &shell::Reading, facts: &dyn Facts) -> Option<String> {
    const FORGES: &[&str] =
        &["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "ssh.dev.azure.com", "dev.azure.com"];
    let host = |address: &str| {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
        rest.split(['/', ':']).next().unwrap_or(rest).to_ascii_lowercase()
    };
    let mut moved: Option<&str> = None;
    for call in reading.calls.iter().filter(|call| call.keeps_versions()) {
        if call.does(Verb::Publishes)
            && let Some(to) = moved
        {
            return Some(to.to_owned());
        }
        let verb = call.path().last().copied();
        let adds = verb == Some("add");
        let set = (adds || verb == Some("set-url")) && call.concerns("a remote");
        let address = call.deeds.iter().find_map(|deed| match &deed.object {
            Object::Address(address) => Some(address.as_str()),
            _ => None,
        });
        if let Some(address) = address.filter(|_| set) {
            let config = facts
                .repository(std::path::Path::new(&*call.cwd))
                .and_then(|repository| facts.read(&repository.main_root.join(".git/config")).ok().flatten());
            let config = config.unwrap_or_default();
            // The first remote of a repository is where it is meant to be.
            let first = adds && !config.contains("[remote ");
            let usual = first
                || config.contains(&host(address))
                || FORGES.contains(&host(address).as_str())
                || shell::address::is_here(address);
            moved = (!usual).then_some(address);
        }
    }
    None
}

/// Folders of keys, to whatever an image holds. What is read there by a program that is known is judged by that.
fn handed_over(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    const KEYS: &[&str] =
        &[".ssh", ".gnupg", ".aws", ".kube", ".config/gcloud", ".password-store", ".azure", ".config"];
    let home = home(facts)?;
    call.with_role(Role::Mount).filter_map(shell::programs::mount).find_map(|mount| {
        // Where the program inside looks for it, it is used for what it is.
        if shell::path::name(&mount.here) == shell::path::name(&mount.inside) {
            return None;
        }
        let absolute = shell::path::absolute(&mount.here, &call.cwd);
        let below = absolute.strip_prefix(home)?.trim_matches('/');
        // Named once more after it, the key itself is what is wanted.
        let read = |arg: &Arg| {
            let rest = arg.text.strip_prefix(mount.inside.as_str()).filter(|rest| rest.starts_with('/'));
            rest.is_some_and(|rest| is_secret(&format!("{absolute}{rest}"), call, facts))
        };
        (below.is_empty() || KEYS.contains(&below)).then(|| {
            (format!("This would give {} to a container.", show(&mount.here)), call.args().iter().any(read))
        })
    })
}
