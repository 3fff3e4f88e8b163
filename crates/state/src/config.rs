//! Settings from files: the person's, the project's, the project's local ones, in that order, over the defaults.
//!
//! A mistake costs only the key it is in, and becomes a `Problem`. What a project's files may not do without the person's
//! trust is left out until `plimsoll trust`.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use model::config::{Bound, Config, LevelMap, Profile, RETIRED, SETTINGS, Value as _, find, nearest};
use model::{Level, Problem};
use serde_json::{Map, Value as Json};

use crate::{Machine, Project, trust};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    Default,
    /// `~/.claude/hooks/config.json`
    User,
    /// `<project>/.claude/hooks/config.json`
    Project,
    /// `<project>/.claude/hooks/config.local.json`
    Local,
}

impl Layer {
    pub const FILES: [Layer; 3] = [Layer::User, Layer::Project, Layer::Local];

    pub fn as_str(self) -> &'static str {
        match self {
            Layer::Default => "default",
            Layer::User => "user",
            Layer::Project => "project",
            Layer::Local => "local",
        }
    }

    /// A clone brings these along.
    fn is_foreign(self) -> bool {
        matches!(self, Layer::Project | Layer::Local)
    }

    pub fn file(self, machine: &Machine, project: &Project) -> Option<PathBuf> {
        match self {
            Layer::Default => None,
            Layer::User => machine.home().map(|home| home.join(".claude/hooks/config.json")),
            Layer::Project => Some(project.root.join(".claude/hooks/config.json")),
            Layer::Local => Some(project.root.join(".claude/hooks/config.local.json")),
        }
    }
}

#[derive(Debug)]
pub struct Loaded {
    pub config: Config,
    /// Keys that a file set, the last one last.
    pub sources: Vec<(&'static str, Layer)>,
    pub problems: Vec<Problem>,
    /// The profile without what the project's files say.
    pub personal_profile: Profile,
    /// What waits for trust: key and value.
    pub untrusted: Map<String, Json>,
    /// Everything in the project's files that trust is about, trusted or not.
    pub bound: Map<String, Json>,
}

impl Loaded {
    pub fn source(&self, key: &str) -> Layer {
        self.sources.iter().rev().find(|(known, _)| *known == key).map_or(Layer::Default, |(_, layer)| *layer)
    }
}

/// How much of a project's word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// What the person has trusted.
    Recorded,
    /// Everything. `compat` answers as the original scripts, which knew no trust.
    Everything,
}

/// Reads and merges all layers. `is_guard` tells which checks a project may not weaken by itself.
pub fn load(machine: &Machine, project: &Project, is_guard: fn(&str) -> bool, trust: Trust) -> Loaded {
    let mut loaded = Loaded {
        config: Config::default(),
        sources: Vec::new(),
        problems: Vec::new(),
        personal_profile: Profile::default(),
        untrusted: Map::new(),
        bound: Map::new(),
    };
    let mut waiting: Vec<(&'static str, Layer, Json)> = Vec::new();
    for layer in Layer::FILES {
        let Some(file) = layer.file(machine, project) else { continue };
        // In a home directory that is itself the project both are one file: the person's.
        if layer == Layer::Project && Layer::User.file(machine, project).as_deref() == Some(&file) {
            continue;
        }
        let mut values = Vec::new();
        match read(&file) {
            Ok(None) => continue,
            Ok(Some(object)) => walk(&object, "", &mut values, &mut |text| loaded.problems.push(problem(&file, &text))),
            Err(error) => {
                loaded.problems.push(problem(&file, &format!("{error}; the file is left out until that is mended")));
                continue;
            }
        }
        for (key, value) in values {
            if layer.is_foreign() && trust == Trust::Recorded && needs_trust(&loaded.config, key, &value, is_guard) {
                loaded.bound.insert(key.to_owned(), value.clone());
                waiting.push((key, layer, value));
                continue;
            }
            set(&mut loaded, &file, key, layer, &value);
        }
        if layer == Layer::User {
            loaded.personal_profile = loaded.config.profile;
        }
    }
    settle_trust(machine, project, &mut loaded, waiting, is_guard);
    if loaded.config.protected_files.is_empty() {
        loaded.config.protected_files = Config::default().protected_files;
    }
    loaded
}

fn problem(file: &Path, text: &str) -> Problem {
    Problem { text: format!("{}: {text}", file.display()), untrusted: false }
}

/// A config file as JSON; comments and trailing commas are fine.
fn read(file: &Path) -> Result<Option<Map<String, Json>>, String> {
    let Some(text) = crate::files::read(file).map_err(|error| format!("cannot be read: {error}"))? else {
        return Ok(None);
    };
    parse(&text).map(Some)
}

/// The same from text, for `config check` and the set-up.
pub fn parse(text: &str) -> Result<Map<String, Json>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    // Plain JSON is the common case and the faster parser's.
    if let Ok(Json::Object(object)) = serde_json::from_str(text) {
        return Ok(object);
    }
    match jsonc_parser::parse_to_serde_value::<Json>(text, &ParseOptions::default()) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err("is not a JSON object".into()),
        Err(error) => Err(format!("is not JSON: {error}")),
    }
}

/// Flattens an object to known keys. `complain` gets a line about everything else.
fn walk(
    object: &Map<String, Json>,
    prefix: &str,
    values: &mut Vec<(&'static str, Json)>,
    complain: &mut dyn FnMut(String),
) {
    for (name, value) in object {
        // The linter system's way to write a comment.
        if name.starts_with('_') {
            continue;
        }
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        if let Some(setting) = find(&key) {
            values.push((setting.key, value.clone()));
        } else if let Some(retired) = RETIRED.iter().find(|retired| retired.key == key) {
            complain(format!("{key} is no longer supported and is ignored; {}", retired.instead));
        } else if let Some(setting) = find(&format!("{key}.enabled")).filter(|_| !value.is_object()) {
            values.push((setting.key, if value.is_null() { Json::Bool(false) } else { value.clone() }));
        } else if let Json::Object(inner) = value
            && SETTINGS.iter().any(|setting| setting.key.starts_with(&format!("{key}.")))
        {
            walk(inner, &key, values, complain);
            // A file that names languages and leaves this one out has it off; an object without `enabled` too.
            let left_out = match key.as_str() {
                "languages" => !inner.contains_key("typescript"),
                "languages.typescript" => !inner.contains_key("enabled"),
                _ => false,
            };
            if left_out {
                values.push(("languages.typescript.enabled", Json::Bool(false)));
            }
        } else if SETTINGS.iter().any(|setting| setting.key.starts_with(&format!("{key}."))) {
            complain(format!("{key} should be an object"));
        } else {
            let hint = nearest(&key, strsim::damerau_levenshtein)
                .map_or_else(|| "see `plimsoll config schema`".to_owned(), |near| format!("did you mean {near}?"));
            complain(format!("{key} is unknown and ignored; {hint}"));
        }
    }
}

fn set(loaded: &mut Loaded, file: &Path, key: &'static str, layer: Layer, value: &Json) {
    if key == "checks" {
        return set_checks(loaded, file, layer, value);
    }
    if loaded.config.set(key, value) {
        loaded.sources.push((key, layer));
    } else if let Some(setting) = find(key) {
        let expected = setting.kind.expected();
        loaded.problems.push(problem(file, &format!("{key} should be {expected}, not {value}; the key is left out")));
    }
}

/// Levels merge entry by entry, and one wrong entry does not cost the others.
fn set_checks(loaded: &mut Loaded, file: &Path, layer: Layer, value: &Json) {
    let Some(entries) = value.as_object() else {
        let kind = LevelMap::KIND.expected();
        loaded.problems.push(problem(file, &format!("checks should be {kind}, not {value}; the key is left out")));
        return;
    };
    for (id, level) in entries.iter().filter(|(id, _)| !id.starts_with('_')) {
        match level.as_str().and_then(Level::parse) {
            Some(level) => {
                loaded.config.checks.insert(id.clone(), level);
            }
            None => loaded
                .problems
                .push(problem(file, &format!("checks.{id} should be \"on\", \"warn\" or \"off\", not {level}; it is left out"))),
        }
    }
    loaded.sources.push(("checks", layer));
}

fn needs_trust(config: &Config, key: &str, value: &Json, is_guard: fn(&str) -> bool) -> bool {
    match find(key).map(|setting| setting.bound) {
        Some(Bound::Always) => *value != config.get(key),
        Some(Bound::WhenLooser(looser)) => looser(config, value),
        Some(Bound::Guards) => value.as_object().is_some_and(|entries| {
            entries.iter().any(|(id, level)| is_guard(id) && level.as_str() != Some(Level::On.as_str()))
        }),
        Some(Bound::Free) | None => false,
    }
}

/// Lets in what the person has trusted; the rest becomes one problem per key.
fn settle_trust(
    machine: &Machine,
    project: &Project,
    loaded: &mut Loaded,
    waiting: Vec<(&'static str, Layer, Json)>,
    is_guard: fn(&str) -> bool,
) {
    if waiting.is_empty() {
        return;
    }
    let trusted = trust::is_trusted(machine, project, &loaded.bound);
    for (key, layer, value) in waiting {
        let Some(file) = layer.file(machine, project) else { continue };
        if trusted {
            set(loaded, &file, key, layer, &value);
            continue;
        }
        let text = format!(
            "{}: {key} = {value} would weaken protection or run something, and is left out until the person runs `plimsoll trust`",
            file.display()
        );
        loaded.problems.push(Problem { text, untrusted: true });
        // Of a list of checks only the guards wait.
        if let (Bound::Guards, Json::Object(entries)) = (find(key).map_or(Bound::Free, |s| s.bound), &value) {
            let harmless: Map<_, _> = entries
                .iter()
                .filter(|(id, level)| !is_guard(id) || level.as_str() == Some(Level::On.as_str()))
                .map(|(id, level)| (id.clone(), level.clone()))
                .collect();
            set(loaded, &file, key, layer, &Json::Object(harmless));
        }
        loaded.untrusted.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        _dir: tempfile::TempDir,
        machine: Machine,
        project: Project,
    }

    fn world(files: &[(&str, &str)]) -> World {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for (name, text) in files {
            let path = base.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let machine = Machine::with(&[("HOME", base.join("home").to_str().unwrap())], &base);
        let project = Project::at(&machine, base.join("p"));
        World { _dir: dir, machine, project }
    }

    const USER: &str = "home/.claude/hooks/config.json";
    const PROJECT: &str = "p/.claude/hooks/config.json";
    const LOCAL: &str = "p/.claude/hooks/config.local.json";

    fn is_guard(id: &str) -> bool {
        id.starts_with("file/")
    }

    fn loaded(world: &World) -> Loaded {
        load(&world.machine, &world.project, is_guard, Trust::Recorded)
    }

    fn texts(loaded: &Loaded) -> String {
        loaded.problems.iter().map(|p| p.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn no_file_is_no_problem() {
        let loaded = loaded(&world(&[]));
        assert!(loaded.problems.is_empty() && loaded.config.hook_enabled && loaded.config.typescript);
    }

    #[test]
    fn later_layers_win_and_comments_are_fine() {
        let world = world(&[
            (USER, r#"{"jscpd": {"session_threshold": 4}, "languages": {"yaml": false, "typescript": true}}"#),
            (PROJECT, "{// why\n\"jscpd\": {\"session_threshold\": 5,},}"),
            (LOCAL, r#"{"_comment": "x", "jscpd": {"session_threshold": 6}}"#),
        ]);
        let loaded = loaded(&world);
        assert!(loaded.problems.is_empty(), "{}", texts(&loaded));
        assert_eq!(loaded.config.jscpd_threshold, 6);
        assert_eq!(loaded.source("jscpd.session_threshold"), Layer::Local);
        assert_eq!(loaded.source("languages.yaml"), Layer::User);
        assert_eq!(loaded.source("profile"), Layer::Default);
        assert!(!loaded.config.yaml && loaded.config.typescript);
    }

    #[test]
    fn a_mistake_costs_only_its_key() {
        let world = world(&[(
            PROJECT,
            r#"{"hook_enabeld": true, "jscpd": {"session_threshold": "many", "advisory_only": false},
                "subprocess": {"timeout": 5}, "phases": 3, "checks": {"edit/x": "loud", "edit/y": "off"}, "zzz": 1}"#,
        )]);
        let loaded = loaded(&world);
        let text = texts(&loaded);
        for part in [
            "hook_enabeld is unknown and ignored; did you mean hook_enabled?",
            "jscpd.session_threshold should be a whole number, not \"many\"",
            "subprocess.timeout is no longer supported and is ignored; set subprocess.tiers.",
            "phases should be an object",
            "checks.edit/x should be \"on\", \"warn\" or \"off\", not \"loud\"",
            "zzz is unknown and ignored; see `plimsoll config schema`",
        ] {
            assert!(text.contains(part), "«{part}» is not in\n{text}");
        }
        assert!(text.contains("p/.claude/hooks/config.json: "), "{text}");
        assert!(!loaded.config.jscpd_advisory);
        assert_eq!(loaded.config.checks.get("edit/y"), Some(&Level::Off));
    }

    #[test]
    fn a_broken_file_is_named_with_the_place() {
        let loaded = loaded(&world(&[(PROJECT, "{\"a\": }")]));
        assert!(texts(&loaded).contains("config.json: is not JSON:"), "{}", texts(&loaded));
        assert!(loaded.config.hook_enabled);
    }

    #[test]
    fn typescript_is_off_where_languages_leave_it_out() {
        for (text, on) in [
            (r#"{"languages": {"python": true}}"#, false),
            (r#"{"languages": {"typescript": {"knip": true}}}"#, false),
            (r#"{"languages": {"typescript": {"enabled": true}}}"#, true),
            (r#"{"languages": {"typescript": true}}"#, true),
            (r#"{"languages": {"typescript": null}}"#, false),
            (r#"{"phases": {}}"#, true),
        ] {
            assert_eq!(loaded(&world(&[(PROJECT, text)])).config.typescript, on, "{text}");
        }
    }

    #[test]
    fn a_project_loosens_nothing_without_trust() {
        let text = r#"{"hook_enabled": false, "profile": "observe", "protected_files": ["x"],
            "subprocess": {"settings_file": "evil.json"}, "checks": {"file/a": "off", "file/b": "on", "edit/c": "off"},
            "languages": {"python": false}}"#;
        let world = world(&[(PROJECT, text)]);
        let before = loaded(&world);
        assert!(before.config.hook_enabled && before.config.profile == Profile::Standard);
        assert_eq!(before.config.protected_files.len(), 14);
        assert_eq!(before.config.settings_file, None);
        assert_eq!(before.config.checks.get("file/a"), None);
        assert_eq!(before.config.checks.get("file/b"), Some(&Level::On));
        assert_eq!(before.config.checks.get("edit/c"), Some(&Level::Off), "only guards wait");
        assert!(!before.config.python, "languages are free");
        assert_eq!(before.problems.iter().filter(|p| p.untrusted).count(), 5, "{}", texts(&before));

        trust::add(&world.machine, &world.project, &before.bound).unwrap();
        let after = loaded(&world);
        assert!(!after.config.hook_enabled && after.config.profile == Profile::Observe);
        assert_eq!(after.config.checks.get("file/a"), Some(&Level::Off));
        assert!(after.problems.is_empty(), "{}", texts(&after));

        // Other contents are another question.
        std::fs::write(world.project.root.join(".claude/hooks/config.json"), r#"{"hook_enabled": false}"#).unwrap();
        assert!(loaded(&world).config.hook_enabled);
        trust::revoke(&world.machine, &world.project).unwrap();
        std::fs::write(world.project.root.join(".claude/hooks/config.json"), text).unwrap();
        assert!(loaded(&world).config.hook_enabled);
    }

    #[test]
    fn the_person_may_loosen_and_a_project_may_tighten() {
        let world = world(&[
            (USER, r#"{"hook_enabled": true, "profile": "observe"}"#),
            (PROJECT, r#"{"profile": "strict", "protected_files": []}"#),
        ]);
        let loaded = loaded(&world);
        assert!(loaded.problems.is_empty(), "{}", texts(&loaded));
        assert_eq!((loaded.config.profile, loaded.personal_profile), (Profile::Strict, Profile::Observe));
        assert_eq!(loaded.config.protected_files.len(), 14);
    }
}
