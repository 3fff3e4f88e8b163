//! Hooks that the client has registered, over all its settings files and enabled plugins: what runs twice, and what cannot run.

use std::path::{Path, PathBuf};

use model::Registered;
use serde_json::{Map, Value as Json};

use crate::{Machine, Project, files, plugins};

/// Every settings file that the client reads hooks from, with the name that people know it by.
fn settings(machine: &Machine, project: &Project) -> Vec<(String, PathBuf)> {
    let own = [".claude/settings.json", ".claude/settings.local.json"];
    let own = own.map(|name| (name.to_owned(), project.root.join(name)));
    let users =
        machine.home().map(|home| ("~/.claude/settings.json".to_owned(), home.join(".claude/settings.json")));
    // A project in the home directory has the user's own file, and a link to it is the same one.
    let mut known = Vec::new();
    let mut is_new = |file: &Path| {
        let real = files::resolve(file);
        let is_new = !known.contains(&real);
        known.push(real);
        is_new
    };
    users.into_iter().chain(own).filter(|(_, file)| file.symlink_metadata().is_ok() && is_new(file)).collect()
}

/// The same of plugins, which have a folder of their own.
struct Source {
    scope: String,
    hooks: Map<String, Json>,
    plugin: Option<PathBuf>,
}

fn sources(machine: &Machine, project: &Project) -> Vec<Source> {
    let mut all = Vec::new();
    for (scope, file) in settings(machine, project) {
        let Some(text) = files::read(&file).ok().flatten() else { continue };
        let Ok(json) = crate::config::parse(&text) else { continue };
        let hooks = json.get("hooks").and_then(Json::as_object).cloned().unwrap_or_default();
        all.push(Source { scope, hooks, plugin: None });
    }
    for plugin in plugins::enabled(machine, project) {
        for hooks in plugins::hooks(&plugin) {
            let scope = format!("the plugin {}", plugin.id);
            all.push(Source { scope, hooks, plugin: Some(plugin.root.clone()) });
        }
    }
    all
}

pub(crate) fn all(machine: &Machine, project: &Project) -> Vec<Registered> {
    let mut found = Vec::new();
    for Source { scope, hooks, plugin } in sources(machine, project) {
        for (event, groups) in &hooks {
            let handlers = groups
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|group| group["hooks"].as_array().into_iter().flatten());
            for handler in handlers.filter(|handler| handler["type"] == "command") {
                let command = handler["command"].as_str().unwrap_or_default();
                let places = Places { machine, project, plugin: plugin.as_deref() };
                let Some(program) = program(&places, command, handler["args"].as_array()) else { continue };
                let broken = broken(&program, command);
                found.push(Registered { scope: scope.clone(), event: event.clone(), program, broken });
            }
        }
    }
    found
}

/// Settings files that cannot be read: the client runs no hook of such a file, and says nothing.
pub(crate) fn unreadable(machine: &Machine, project: &Project) -> Vec<String> {
    let mut found = Vec::new();
    for (scope, file) in settings(machine, project) {
        match files::read(&file) {
            Ok(Some(text)) if !text.trim().is_empty() => {
                if let Err(error) = crate::config::parse(&text) {
                    found.push(format!("{scope}: {error}"));
                }
            }
            Ok(_) => {}
            Err(error) => found.push(format!("{scope}: {error}")),
        }
    }
    found
}

/// Why a hook cannot run, as far as a look at its file tells. What an interpreter is given need not be executable.
fn broken(program: &Path, command: &str) -> Option<&'static str> {
    if !program.is_absolute() {
        return None;
    }
    if !program.exists() {
        return Some("not there");
    }
    let first = split(command).into_iter().find(|word| !word.contains('=')).unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    (!INTERPRETERS.contains(&name) && !files::is_executable(program)).then_some("not executable")
}

/// What the variables in a command stand for.
struct Places<'a> {
    machine: &'a Machine,
    project: &'a Project,
    plugin: Option<&'a Path>,
}

const INTERPRETERS: &[&str] = &["python", "python3", "bash", "sh", "zsh", "node", "uv", "env", "exec"];

/// What a command comes down to: the script of an interpreter, else the program, as an absolute path where it has one.
fn program(places: &Places<'_>, command: &str, args: Option<&Vec<Json>>) -> Option<PathBuf> {
    let home = places.machine.home().unwrap_or_default().to_string_lossy().into_owned();
    let root = places.project.root.to_string_lossy().into_owned();
    let plugin = places.plugin.unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let mut text = command.to_owned();
    for (name, value) in [("HOME", &home), ("CLAUDE_PROJECT_DIR", &root), ("CLAUDE_PLUGIN_ROOT", &plugin)] {
        text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
    }
    let words: Vec<String> = match args {
        // Given apart, nothing is split.
        Some(args) => {
            [text].into_iter().chain(args.iter().filter_map(Json::as_str).map(str::to_owned)).collect()
        }
        None => split(&text),
    };
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let script =
        words.iter().skip(1).find(|word| [".py", ".sh", ".js", ".ts"].iter().any(|end| word.ends_with(end)));
    let first = words.iter().find(|word| !word.contains('='))?;
    let meant = if INTERPRETERS.contains(&name(first).as_str()) { script.unwrap_or(first) } else { first };
    let meant = match meant.strip_prefix("~/") {
        Some(rest) => Path::new(&home).join(rest),
        None => PathBuf::from(meant),
    };
    Some(if meant.is_absolute() { files::resolve(&meant) } else { meant })
}

/// Words as a shell has them, as far as quotes go.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                open = true;
            }
            (None, c) if c.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, c) => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_write_one_program_are_one() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let machine = Machine::with(&[("HOME", home.to_str().unwrap())], &home);
        let project = Project::at(&machine, home.join("p"));
        let expected = home.join(".claude/hooks/a.py");
        let places = Places { machine: &machine, project: &project, plugin: Some(&home) };
        for command in [
            "python3 ~/.claude/hooks/a.py",
            "\"$HOME/.claude/hooks/a.py\"",
            "python3 \"$HOME/.claude/hooks/a.py\" --x",
            "${HOME}/.claude/hooks/a.py",
            "FOO=1 python3 ~/.claude/hooks/a.py",
            &format!("{}/.claude/hooks/a.py", home.display()),
            "\"${CLAUDE_PLUGIN_ROOT}\"/.claude/hooks/a.py",
        ] {
            assert_eq!(program(&places, command, None), Some(expected.clone()), "{command}");
        }
        assert_eq!(program(&places, "echo hi", None), Some("echo".into()));
        assert_eq!(program(&places, "", None), None);
    }
}
