//! Settings from files: the user's, the project's, the project's local ones, in that order, over the defaults; and over all of them
//! what a team's policy and the machine's administrator say, which none of them can weaken (`managed`, `policy`).
//!
//! A mistake costs only the key it is in, and becomes a `Problem`. What a project's files may not do without the user's
//! trust is left out until `plimsoll trust`. `file` reads one file, `layer` names them.

mod file;
mod good;
mod layer;
mod managed;
mod policy;

use std::path::{Path, PathBuf};

use model::config::{Bound, Config, LevelMap, Profile, Value as _, find};
use model::{Level, Problem, Role, redact_all};
use serde_json::{Map, Value as Json};

use crate::{Machine, Project, trust};

pub use file::{Unparsed, parse};
pub use good::{keep as keep_good, news};
pub use layer::Layer;
pub use managed::doubt;
pub use policy::Policy;

#[derive(Debug, Default)]
pub struct Loaded {
    pub config: Config,
    /// Keys that a file set, the last one last.
    pub sources: Vec<(&'static str, Layer)>,
    pub problems: Vec<Problem>,
    /// The profile without what the project's files say.
    pub personal_profile: Profile,
    /// The same for the levels of single checks.
    pub personal_checks: LevelMap,
    /// What waits for trust: the name of each value, and the value.
    pub untrusted: Map<String, Json>,
    /// Everything in the project's files that trust is about, trusted or not.
    pub bound: Map<String, Json>,
    /// Files that cannot be read, whose last good form is in force instead: a sentence about each.
    pub stale: Vec<String>,
    /// No question of trust is asked.
    pub trusts_all: bool,
    /// The team's policy that is in force.
    pub policy: Option<Policy>,
    /// What lower layers say to no avail, because a policy decides it: a sentence about each.
    pub overruled: Vec<String>,
}

impl Loaded {
    pub fn source(&self, key: &str) -> Layer {
        self.sources.iter().rev().find(|(known, _)| *known == key).map_or(Layer::Default, |(_, layer)| *layer)
    }
}

/// How much of a project's word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// What the user has trusted.
    Recorded,
    /// Everything. `compat` answers as the original scripts, which knew no trust.
    Everything,
}

/// One value as a file sets it.
struct Said<'a> {
    layer: Layer,
    file: &'a Path,
    key: &'static str,
    value: Json,
    /// It needs the user's word.
    bound: bool,
}

impl Said<'_> {
    /// What the value is called in a question of trust. Both files of a project may set the same key, and both count, so the
    /// local one says where it stands.
    fn name(&self) -> String {
        match self.layer {
            Layer::Local => format!("{} in config.local.json", self.key),
            _ => self.key.to_owned(),
        }
    }
}

/// What a check is for, by its id.
pub type Roles = fn(&str) -> Option<Role>;

/// Reads and merges all layers. `role` tells which checks a project may not weaken, or switch on, by itself.
pub fn load(machine: &Machine, project: &Project, role: Roles, trust: Trust) -> Loaded {
    let mut loaded = Loaded { trusts_all: trust == Trust::Everything, ..Loaded::default() };
    let files = files(machine, project);
    let mut said = said(machine, project, &files, &mut loaded);
    let good = Good { machine, project, role };
    loaded.policy = managed::named_policy(machine, &mut said, &mut loaded);
    let policy_file = loaded.policy.as_ref().map(Policy::file);
    if let Some(file) = &policy_file {
        said.extend(managed::policy_values(file, &mut loaded));
    }
    // Nearly nobody has any.
    let has_rules = loaded.policy.as_ref().is_some_and(|policy| crate::files::is_file(&policy.rules()));
    let has_upper = has_rules || said.iter().any(|one| one.layer >= Layer::Policy);
    let upper = has_upper.then(|| managed::upper(&mut said, &good, has_rules));
    if let Some(upper) = &upper {
        managed::overrule(&mut said, upper, &mut loaded, role);
    }
    if trust == Trust::Recorded {
        mark_bound(&mut said, role);
        loaded.bound =
            said.iter().filter(|one| one.bound).map(|one| (one.name(), one.value.clone())).collect();
    }
    let trusted = !loaded.bound.is_empty() && trust::is_trusted(machine, project, &loaded.bound);
    // In the order of the layers, trusted or not, so that a later file wins over an earlier one.
    for one in said {
        if one.bound && !trusted {
            hold_back(&mut loaded, one, &good);
        } else {
            set(&mut loaded, &one, &one.value, &good);
            if one.layer == Layer::User {
                loaded.personal_profile = loaded.config.profile;
                loaded.personal_checks.clone_from(&loaded.config.checks);
            }
        }
    }
    if let Some(upper) = upper {
        managed::lay_over(&mut loaded, upper, role);
    }
    loaded
}

/// The settings of one file alone, as if they were all of the user's own: what present ones are compared with.
pub fn load_file(machine: &Machine, project: &Project, file: &Path, role: Roles) -> Result<Loaded, Unparsed> {
    let object = file::read(file)?.ok_or(Unparsed::Missing)?;
    let mut loaded = Loaded { trusts_all: true, ..Loaded::default() };
    let mut values = Vec::new();
    file::walk(&object, "", &mut values, &mut |text| loaded.problems.push(problem(file, &text)));
    let good = Good { machine, project, role };
    for (key, value) in values {
        let one = Said { layer: Layer::User, file, key, value, bound: false };
        set(&mut loaded, &one, &one.value, &good);
    }
    loaded.personal_profile = loaded.config.profile;
    loaded.personal_checks.clone_from(&loaded.config.checks);
    Ok(loaded)
}

fn files(machine: &Machine, project: &Project) -> Vec<(Layer, PathBuf)> {
    let mut files: Vec<(Layer, PathBuf)> = Vec::with_capacity(Layer::FILES.len());
    for layer in Layer::FILES {
        // In a home directory that is itself the project two layers are one file: the user's.
        if let Some(file) =
            layer.file(machine, project).filter(|file| files.iter().all(|(_, known)| known != file))
        {
            files.push((layer, file));
        }
    }
    files
}

/// Everything that the files set, in their order.
fn said<'a>(
    machine: &Machine,
    project: &Project,
    files: &'a [(Layer, PathBuf)],
    loaded: &mut Loaded,
) -> Vec<Said<'a>> {
    let mut said = Vec::new();
    for (layer, file) in files {
        let mut values = Vec::new();
        let object = match file::read(file) {
            // Emptied, not removed: that is what is left where writing it was cut short.
            Ok(Some(object)) if object.is_empty() && file::is_blank(file) => {
                let last = good::last(machine, project, *layer).filter(|last| !last.is_empty());
                if last.is_some() {
                    stay(
                        loaded,
                        file,
                        "is empty",
                        "its last good settings stay in force until it is fixed or removed",
                    );
                }
                last
            }
            Ok(object) => object,
            Err(error) => {
                let last = good::last(machine, project, *layer);
                let so = if last.is_some() {
                    "its last good settings stay in force until it is fixed"
                } else {
                    "the file is ignored until it is fixed"
                };
                stay(loaded, file, &error.to_string(), so);
                last
            }
        };
        if let Some(object) = object {
            file::walk(&object, "", &mut values, &mut |text| loaded.problems.push(problem(file, &text)));
        }
        said.extend(values.into_iter().map(|(key, value)| Said {
            layer: *layer,
            file,
            key,
            value,
            bound: false,
        }));
    }
    said
}

/// Says a mistake that also a running session must hear of.
fn stay(loaded: &mut Loaded, file: &Path, what: &str, so: &str) {
    let problem = problem(file, &format!("{what}; {so}"));
    loaded.stale.push(problem.text.clone());
    loaded.problems.push(problem);
}

fn problem(file: &Path, text: &str) -> Problem {
    Problem { text: format!("{}: {text}", file.display()), untrusted: false }
}

/// Finds the values that need the user's word. Each is judged against what is in force without all that do: what there is
/// to trust must not depend on what has been trusted.
fn mark_bound(said: &mut [Said<'_>], role: Roles) {
    if !said.iter().any(|one| one.layer.is_foreign()) {
        return;
    }
    let mut without = Config::default();
    for one in said {
        one.bound = one.layer.is_foreign() && needs_trust(&without, one.key, &one.value, role);
        if !one.bound {
            assign(&mut without, one.key, &one.value);
        }
    }
}

fn needs_trust(config: &Config, key: &str, value: &Json, role: Roles) -> bool {
    match find(key).map(|setting| setting.bound) {
        Some(Bound::Always) => *value != config.get(key),
        Some(Bound::WhenLooser(looser)) => looser(config, value),
        Some(Bound::Guards) => value
            .as_object()
            .is_some_and(|entries| entries.iter().any(|(id, level)| weakens(id, level, role))),
        Some(Bound::Free) | None => false,
    }
}

/// Whether an entry of `checks` takes something away from a guard, or lets anything through unasked.
fn weakens(id: &str, level: &Json, role: Roles) -> bool {
    // What is not a level is left out anyway.
    let Some(level) = level.as_str().and_then(Level::parse) else { return false };
    match role(id) {
        Some(Role::Guard) => level != Level::On,
        Some(Role::Grant) => level != Level::Off,
        Some(Role::Advisory) | None => false,
    }
}

/// Sets one key; `false` when the value is not of its type.
fn assign(config: &mut Config, key: &str, value: &Json) -> bool {
    let done = config.set(key, value);
    // An empty list means the built-in one, at once: the next file is measured against it.
    if config.protected_files.is_empty() {
        config.protected_files = Config::default().protected_files;
    }
    done
}

/// What a file said before a mistake was made in it.
struct Good<'a> {
    machine: &'a Machine,
    project: &'a Project,
    role: Roles,
}

impl Good<'_> {
    /// The last good value of a key, unless it would need trust.
    fn value(&self, loaded: &Loaded, layer: Layer, key: &'static str) -> Option<Json> {
        let object = good::last(self.machine, self.project, layer)?;
        let mut values = Vec::new();
        file::walk(&object, "", &mut values, &mut |_| {});
        let (_, value) = values.into_iter().find(|(known, _)| *known == key)?;
        let waits = layer.is_foreign() && needs_trust(&loaded.config, key, &value, self.role);
        (!waits).then_some(value)
    }
}

fn set(loaded: &mut Loaded, one: &Said<'_>, value: &Json, good: &Good<'_>) {
    let Said { layer, file, key, .. } = *one;
    if key == "checks" {
        return set_checks(loaded, one, value, good);
    }
    if assign(&mut loaded.config, key, value) {
        loaded.sources.push((key, layer));
    } else if let Some(setting) = find(key) {
        let what = format!("{key} should be {}, not {value}", setting.kind.expected());
        match good.value(loaded, layer, key) {
            Some(last) if assign(&mut loaded.config, key, &last) => {
                loaded.sources.push((key, layer));
                stay(loaded, file, &what, "its last good value stays in force until it is fixed");
            }
            _ => loaded.problems.push(problem(file, &format!("{what}; the key is ignored"))),
        }
    }
}

/// Levels merge entry by entry, and one wrong entry does not cost the others.
fn set_checks(loaded: &mut Loaded, one: &Said<'_>, value: &Json, good: &Good<'_>) {
    let Said { layer, file, .. } = *one;
    let level = |entries: &Json, id: &str| entries.get(id).and_then(Json::as_str).and_then(Level::parse);
    let Some(entries) = value.as_object() else {
        let what = format!("checks should be {}, not {value}", LevelMap::KIND.expected());
        return match good.value(loaded, layer, "checks").filter(Json::is_object) {
            Some(last) => {
                stay(loaded, file, &what, "its last good value stays in force until it is fixed");
                set_checks(loaded, one, &last, good);
            }
            None => loaded.problems.push(problem(file, &format!("{what}; the key is ignored"))),
        };
    };
    for id in entries.keys().filter(|id| !id.starts_with('_')) {
        if let Some(level) = level(value, id) {
            loaded.config.checks.insert(id.clone(), level);
            continue;
        }
        let what = format!("checks.{id} should be \"on\", \"warn\" or \"off\", not {}", value[id]);
        match good.value(loaded, layer, "checks").and_then(|last| level(&last, id)) {
            Some(last) => {
                loaded.config.checks.insert(id.clone(), last);
                stay(loaded, file, &what, "its last good value stays in force until it is fixed");
            }
            None => loaded.problems.push(problem(file, &format!("{what}; it is ignored"))),
        }
    }
    loaded.sources.push(("checks", layer));
}

/// A value without trust: a problem that says so. Of a list of checks only the guards wait.
fn hold_back(loaded: &mut Loaded, one: Said<'_>, good: &Good<'_>) {
    let (key, value) = (one.key, &one.value);
    let mut waits = redact_all(&value.to_string());
    let mut harmless = None;
    if let (Some(Bound::Guards), Json::Object(entries)) = (find(key).map(|setting| setting.bound), value) {
        let (held, free): (Map<_, _>, Map<_, _>) = entries
            .iter()
            .map(|(id, level)| (id.clone(), level.clone()))
            .partition(|(id, level)| weakens(id, level, good.role));
        waits = redact_all(&Json::Object(held).to_string());
        harmless = Some(Json::Object(free));
    }
    let text = format!(
        "{}: {key} = {waits} would weaken protection, approve or run something, and is ignored until you run `plimsoll trust`",
        one.file.display(),
    );
    loaded.problems.push(Problem { text, untrusted: true });
    if let Some(harmless) = &harmless {
        set(loaded, &one, harmless, good);
    }
    // What a list of protected files adds counts at once; what it leaves out waits.
    if key == "protected_files"
        && let Json::Array(names) = value
    {
        let mut all: Vec<Json> =
            loaded.config.protected_files.iter().map(|name| name.as_str().into()).collect();
        all.extend(
            names.iter().filter(|name| name.is_string() && !all.contains(name)).cloned().collect::<Vec<_>>(),
        );
        set(loaded, &one, &Json::Array(all), good);
    }
    loaded.untrusted.insert(one.name(), one.value);
}

#[cfg(test)]
mod tests;
