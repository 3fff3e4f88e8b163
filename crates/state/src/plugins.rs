//! Plugins that the client has installed and the settings enable, as observed in version 2.1.325: `enabledPlugins` in the settings
//! says which (`name@marketplace`), `~/.claude/plugins/installed_plugins.json` where they lie.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::environment;
use serde_json::{Map, Value as Json};

use crate::{Machine, Project, files};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plugin {
    /// `name@marketplace`; without a marketplace for the one that a hook was called by.
    pub(crate) id: String,
    pub(crate) root: PathBuf,
}

impl Plugin {
    pub(crate) fn name(&self) -> &str {
        self.id.split('@').next().unwrap_or_default()
    }
}

/// Every plugin whose hooks the client runs here: the enabled ones, and the one that calls us.
pub(crate) fn enabled(machine: &Machine, project: &Project) -> Vec<Plugin> {
    let mut wanted: BTreeMap<String, bool> = BTreeMap::new();
    let home = machine.home().map(|home| home.join(".claude/settings.json"));
    let own = ["settings.json", "settings.local.json"].map(|name| project.claude_dir().join(name));
    // The nearer file wins.
    for file in home.iter().chain(&own) {
        for (id, on) in object(&json(file), "enabledPlugins") {
            wanted.insert(id, on != Json::Bool(false));
        }
    }
    let ids = wanted.into_iter().filter(|(_, on)| *on).map(|(id, _)| id);
    let installed =
        machine.home().map_or(Json::Null, |home| json(&home.join(PLUGINS).join("installed_plugins.json")));
    let mut all: Vec<Plugin> = ids
        .filter_map(|id| place(machine, project, &installed, &id).map(|root| Plugin { id, root }))
        .collect();
    if let Some(root) = calling(machine)
        && !all.iter().any(|known| files::resolve(&known.root) == files::resolve(&root))
    {
        let manifest = json(&root.join(".claude-plugin/plugin.json"));
        let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let id = manifest["name"].as_str().map_or_else(folder, str::to_owned);
        all.push(Plugin { id, root });
    }
    all
}

const PLUGINS: &str = ".claude/plugins";

/// The one that a hook was called by.
fn calling(machine: &Machine) -> Option<PathBuf> {
    machine.var(&environment::CLAUDE_PLUGIN_ROOT).map(PathBuf::from)
}

/// Where a plugin of this name lies: beside the one that calls us, or enabled.
pub(crate) fn find(machine: &Machine, project: &Project, name: &str) -> Option<PathBuf> {
    // A name is no way to somewhere else.
    if name.is_empty() || name.contains(['/', '\\']) || name.contains("..") {
        return None;
    }
    let beside = calling(machine).and_then(|root| Some(root.parent()?.join(name))).filter(|dir| dir.is_dir());
    beside.or_else(|| {
        enabled(machine, project).into_iter().find(|plugin| plugin.name() == name).map(|plugin| plugin.root)
    })
}

/// A plugin may be installed for one project only; then it says for which.
fn place(machine: &Machine, project: &Project, installed: &Json, id: &str) -> Option<PathBuf> {
    let entries = installed["plugins"][id].as_array().into_iter().flatten();
    let here = |entry: &&Json| {
        entry["projectPath"].as_str().is_none_or(|path| files::resolve(Path::new(path)) == project.root)
    };
    let mut noted = entries.filter(here).filter_map(|entry| entry["installPath"].as_str()).map(PathBuf::from);
    noted.rfind(|root| root.is_dir()).or_else(|| {
        let (name, market) = id.split_once('@')?;
        if [name, market].iter().any(|part| part.contains(['/', '\\']) || part.contains("..")) {
            return None;
        }
        let versions = files::list(&machine.home()?.join(PLUGINS).join("cache").join(market).join(name));
        versions.into_iter().filter(|dir| dir.is_dir()).max_by_key(|dir| files::modified(dir))
    })
}

/// The hooks of a plugin: those of its manifest, and of the file that has its place.
pub(crate) fn hooks(plugin: &Plugin) -> Vec<Map<String, Json>> {
    let manifest = json(&plugin.root.join(".claude-plugin/plugin.json"));
    let mut found = vec![object(&json(&plugin.root.join("hooks/hooks.json")), "hooks")];
    match &manifest["hooks"] {
        Json::String(file) => found.push(object(&json(&plugin.root.join(file)), "hooks")),
        Json::Object(_) => {
            // Both forms are seen: the events themselves, or below another `hooks`.
            let inner = object(&manifest["hooks"], "hooks");
            found.push(if inner.is_empty() { object(&manifest, "hooks") } else { inner });
        }
        _ => {}
    }
    found
}

fn json(file: &Path) -> Json {
    let text = files::read(file).ok().flatten().unwrap_or_default();
    crate::config::parse(&text).map_or(Json::Null, Json::Object)
}

fn object(json: &Json, key: &str) -> Map<String, Json> {
    json[key].as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn enabled_plugins_are_found_where_the_client_keeps_them() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (home, root) = (base.join("home"), base.join("p"));
        let cache = home.join(PLUGINS).join("cache/market");
        for plugin in ["one/1.2.3", "two/0.1.0", "off/1.0.0"] {
            std::fs::create_dir_all(cache.join(plugin)).unwrap();
        }
        write(
            &home.join(".claude/settings.json"),
            r#"{"enabledPlugins": {"one@market": true, "two@market": true, "off@market": true, "gone@market": true}}"#,
        );
        write(&root.join(".claude/settings.json"), r#"{"enabledPlugins": {"off@market": false}}"#);
        let entry = serde_json::json!([{"scope": "user", "installPath": cache.join("one/1.2.3")}]);
        let list = serde_json::json!({"version": 2, "plugins": {"one@market": entry}});
        write(&home.join(PLUGINS).join("installed_plugins.json"), &list.to_string());
        let machine = Machine::with(&[("HOME", home.to_str().unwrap())], &root);
        let project = Project::at(&machine, root.clone());
        let names: Vec<String> =
            enabled(&machine, &project).iter().map(|plugin| plugin.name().to_owned()).collect();
        assert_eq!(names, ["one", "two"]);
        assert_eq!(find(&machine, &project, "two"), Some(cache.join("two/0.1.0")));
        for name in ["off", "gone", "", "../one", "a/b"] {
            assert_eq!(find(&machine, &project, name), None, "{name}");
        }
        // Beside the one that calls.
        let caller = base.join("plugins/caller");
        write(&base.join("plugins/friend/x"), "");
        write(&caller.join(".claude-plugin/plugin.json"), r#"{"name": "calls"}"#);
        let variables = [("HOME", home.to_str().unwrap()), ("CLAUDE_PLUGIN_ROOT", caller.to_str().unwrap())];
        let machine = Machine::with(&variables, &root);
        assert_eq!(find(&machine, &project, "friend"), Some(base.join("plugins/friend")));
        assert_eq!(enabled(&machine, &project).last().unwrap().id, "calls");
    }
}
