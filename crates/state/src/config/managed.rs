//! The layers above the user's: the machine's managed settings, and a team's policy from a checkout. They are read like any other, and
//! then laid over what the lower ones have come to, which may be stricter but not looser.

use std::path::{Path, PathBuf};

use model::config::{Bound, Floor, Profile, find, stricter};
use model::{Level, Role};
use serde_json::Value as Json;

use super::policy::{self, Policy};
use super::{Good, Layer, Loaded, Roles, Said, file, problem, set};
use crate::Machine;

/// Settings that mean nothing without the checks that heed them.
const HEEDED: &[(&str, &[&str])] = &[
    ("package_managers.javascript", &["shell/package-manager"]),
    ("package_managers.python", &["shell/package-manager"]),
    ("rules.shared", &[OWN_RULES]),
    ("protected_files", &["file/linter-config", "shell/protected-write", "stop/config-guardian"]),
    ("protect_siblings", &["file/linter-config", "shell/protected-write", "stop/config-guardian"]),
];

/// The check by which rules of users, teams and policies count.
const OWN_RULES: &str = "rules/own";

/// Settings that count for nothing from below where another is named: the user's headers are not for the team's receiver.
const WITH: &[(&str, &str)] = &[("telemetry.headers", "telemetry.endpoint")];

/// The policy that the managed settings name, or the user's. A project's word does not count for it.
pub(super) fn named_policy(
    machine: &Machine,
    said: &mut Vec<Said<'_>>,
    loaded: &mut Loaded,
) -> Option<Policy> {
    said.retain(|one| {
        let kept = !(one.layer.is_foreign() && one.key.starts_with("policy."));
        if !kept {
            let text = format!("{} counts only in your own settings and in the managed ones", one.key);
            loaded.problems.push(problem(one.file, &text));
        }
        kept
    });
    let text = |key: &str| {
        // Not in a managed file that anybody may have written: a policy names things to run, too.
        let counts = |one: &&Said<'_>| one.layer != Layer::Managed || doubt(one.file).is_none();
        let last = said.iter().filter(|one| one.key == key).filter(counts).max_by_key(|one| one.layer)?;
        Some((last.file.to_owned(), last.value.as_str()?.to_owned()))
    };
    let (named_in, checkout) = text("policy.checkout")?;
    let pin = text("policy.commit").map(|(_, pin)| pin);
    let mut say =
        |text: String| super::stay(loaded, &named_in, &text, "run `plimsoll doctor` after fixing it");
    policy::find(machine, &checkout, pin.as_deref(), &mut say)
}

/// The values of the policy's own file.
pub(super) fn policy_values<'a>(file: &'a Path, loaded: &mut Loaded) -> Vec<Said<'a>> {
    let mut values = Vec::new();
    match file::read(file) {
        Ok(Some(object)) => {
            file::walk(&object, "", &mut values, &mut |text| loaded.problems.push(problem(file, &text)));
        }
        Ok(None) => {}
        Err(error) => loaded.problems.push(problem(file, &error.to_string())),
    }
    // It is named by others, and cannot name another in its place.
    values.retain(|(key, _)| !key.starts_with("policy."));
    let said = |(key, value)| Said { layer: Layer::Policy, file, key, value, bound: false };
    values.into_iter().map(said).collect()
}

/// The upper layers by themselves, the managed settings over the policy.
pub(super) fn upper(said: &mut Vec<Said<'_>>, good: &Good<'_>, has_rules: bool) -> Loaded {
    let mut upper = Loaded::default();
    let (mut above, below): (Vec<_>, Vec<_>) = said.drain(..).partition(|one| one.layer >= Layer::Policy);
    *said = below;
    above.sort_by_key(|one| one.layer);
    let doubted = above.iter().find(|one| one.layer == Layer::Managed).and_then(|one| doubt(one.file));
    for one in above {
        let names_something = matches!(find(one.key).map(|setting| setting.bound), Some(Bound::Always));
        match &doubted {
            Some(why) if one.layer == Layer::Managed && names_something => {
                upper.problems.push(problem(one.file, &format!("{} is ignored: {why}", one.key)));
            }
            _ => set(&mut upper, &one, &one.value, good),
        }
    }
    let keys: Vec<_> = upper.sources.iter().map(|(key, _)| *key).collect();
    let profile = keys.contains(&"profile").then_some(upper.config.profile);
    let mut floor = Floor { profile, ..Floor::default() };
    for (_, checks) in HEEDED.iter().filter(|(key, _)| keys.contains(key) && upper.config.get(key) != false) {
        floor.checks.extend(checks.iter().map(|id| ((*id).to_owned(), Level::On)));
    }
    if has_rules {
        floor.checks.insert(OWN_RULES.to_owned(), Level::On);
    }
    floor.checks.extend(upper.config.checks.clone());
    floor.by_hand = upper.config.allow_by_hand;
    floor.keys.extend(keys);
    upper.config.floor = floor;
    upper
}

/// Takes away what lower layers say to no avail, with a word about each.
pub(super) fn overrule(said: &mut Vec<Said<'_>>, upper: &Loaded, loaded: &mut Loaded, role: Roles) {
    let guards = guards(&upper.config.floor, role);
    said.retain(|one| {
        let is_named = |wanted: &str| upper.sources.iter().any(|(key, _)| *key == wanted);
        let named = is_named(one.key) || WITH.iter().any(|(key, with)| *key == one.key && is_named(with));
        let settled = match one.key {
            // Merged with what is above.
            "checks" | "protected_files" => false,
            "profile" => {
                let floor = &upper.config.floor;
                match one.value.as_str().and_then(Profile::parse) {
                    Some(Profile::Observe) if guards && !named => true,
                    Some(wanted) => floor.profile(wanted) != wanted,
                    // Its last good value could be anything.
                    None => guards,
                }
            }
            // A list of checks that must be on is no use where nothing is.
            "hook_enabled" => named || (guards && one.value != Json::Bool(true)),
            _ => named,
        };
        if settled {
            let text =
                format!("{}: {} is ignored: the team's policy decides it", one.file.display(), one.key);
            loaded.overruled.push(text);
        }
        !settled
    });
}

/// Whether a policy asks for any check, besides those that spare questions.
fn guards(floor: &Floor, role: Roles) -> bool {
    let asks = |(id, level): (&String, &Level)| *level != Level::Off && role(id) != Some(Role::Grant);
    floor.profile.is_some() || floor.checks.iter().any(asks)
}

/// Lays the upper layers over what the lower ones have come to.
pub(super) fn lay_over(loaded: &mut Loaded, upper: Loaded, role: Roles) {
    let floor = upper.config.floor.clone();
    for (key, layer) in upper.sources {
        match key {
            "checks" => {}
            "profile" => loaded.config.profile = floor.profile(loaded.config.profile),
            "protected_files" => {
                let mut all = upper.config.protected_files.clone();
                let lower = std::mem::take(&mut loaded.config.protected_files);
                // The built-in list is nobody's addition.
                let added = loaded.sources.iter().any(|(known, _)| *known == key);
                let more: Vec<String> =
                    lower.into_iter().filter(|name| added && !all.contains(name)).collect();
                all.extend(more);
                loaded.config.protected_files = all;
            }
            key => {
                loaded.config.set(key, &upper.config.get(key));
            }
        }
        loaded.sources.push((key, layer));
    }
    loaded.personal_profile = floor.profile(loaded.personal_profile);
    for (id, level) in &floor.checks {
        let role = role(id).unwrap_or(Role::Advisory);
        for checks in [&mut loaded.config.checks, &mut loaded.personal_checks] {
            let held = checks.get(id).map_or(*level, |lower| stricter(role, *lower, *level));
            checks.insert(id.clone(), held);
        }
    }
    loaded.problems.extend(upper.problems);
    loaded.stale.extend(upper.stale);
    loaded.config.floor = floor;
}

/// Why others than the administrator may have written a managed file. What it asks for counts all the same, because it can only make
/// things stricter; what it names to run or to send to does not.
#[cfg(unix)]
pub fn doubt(file: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let us = nix::unistd::geteuid().as_raw();
    let folder: PathBuf = file.parent()?.to_owned();
    [file.to_owned(), folder].into_iter().find_map(|path| {
        let meta = path.metadata().ok()?;
        let why = if meta.mode() & 0o022 != 0 {
            "others than its owner may write to it"
        } else if meta.uid() != 0 && meta.uid() != us {
            "it belongs neither to root nor to you"
        } else {
            return None;
        };
        Some(format!("{}: {why}", path.display()))
    })
}

#[cfg(not(unix))]
pub fn doubt(_: &Path) -> Option<String> {
    None
}
