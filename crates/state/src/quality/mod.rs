//! What the project's own commands need of the machine: the files that name them, a shell, and how they ended before.
//!
//! `checks::quality` says which ones run, when, and what follows.

pub mod before;
pub mod cache;

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{GateCommand, GateRun, environment};
use serde_json::{Map, Value as Json};

use crate::process::{Program, SHELL, Stopped};
use crate::{Machine, Project, config, files, plugins};

/// What is kept of an output: colours are taken out of it later.
const KEPT: usize = 64 * 1024;

/// A file of settings: as JSON, or what is wrong with it.
pub type Parsed = Result<Map<String, Json>, String>;

/// Later files win, gate by gate and event by event: the plugin's, the user's, the project's.
fn places(machine: &Machine, project: &Project) -> Vec<PathBuf> {
    let plugin = machine.var(&environment::CLAUDE_PLUGIN_ROOT).map(PathBuf::from);
    let home = machine.home();
    let mut found = Vec::new();
    for name in ["quality-checks.json", "gates.json"] {
        found.extend(plugin.as_ref().map(|root| root.join("hooks").join(name)));
        found.extend(home.as_ref().map(|home| home.join(".claude/hooks").join(name)));
        // The project may be a plugin itself, which has them where a plugin has them.
        found.push(project.root.join("plugin/hooks").join(name));
        found.push(project.root.join(name));
        found.push(project.claude_dir().join(name));
        found.push(project.claude_dir().join("hooks").join(name));
    }
    found
}

/// The files that are there, in the order in which they count.
pub fn settings(machine: &Machine, project: &Project) -> Vec<(PathBuf, Parsed)> {
    let read = |file: PathBuf| match files::read(&file) {
        Ok(Some(text)) => Some((file, config::parse(&text).map_err(|error| error.to_string()))),
        Ok(None) => None,
        Err(error) => Some((file, Err(error.to_string()))),
    };
    places(machine, project).into_iter().filter_map(read).collect()
}

/// Where a plugin lies, and its `gates.json`.
pub fn plugin(machine: &Machine, project: &Project, name: &str) -> Option<(PathBuf, Option<Parsed>)> {
    let root = plugins::find(machine, project, name)?;
    let places = [root.join("hooks/gates.json"), root.join("gates.json")];
    let text = places.iter().find_map(|file| files::read(file).ok().flatten());
    let gates = text.map(|text| config::parse(&text).map_err(|error| error.to_string()));
    Some((root, gates))
}

/// The files of these names from `cwd` up to `root`, the nearest folder's first, in each folder in the order of the names.
pub fn upward(cwd: &Path, root: &Path, names: &[&str]) -> Vec<(PathBuf, String)> {
    let cwd = files::resolve(cwd);
    let inside = cwd.starts_with(root);
    let dirs = cwd.ancestors().take_while(|dir| inside && dir.starts_with(root));
    let dirs = dirs.chain([root].into_iter().filter(|_| !inside));
    let all = dirs.flat_map(|dir| names.iter().map(move |name| dir.join(name)));
    all.filter_map(|file| Some((files::read(&file).ok().flatten()?, file)).map(|(text, file)| (file, text)))
        .collect()
}

/// Runs a command as the user would in a terminal.
pub fn run(command: GateCommand<'_>, root: &Path, limit: Duration) -> GateRun {
    let done = Program::new(SHELL)
        .args(["-c", &format!("exec 2>&1\n{}", command.text)])
        .cwd(command.dir)
        .env("CLAUDE_PROJECT_DIR", root)
        .within(limit)
        .keeping_end(KEPT)
        .run();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match done {
        Ok(done) => GateRun { passed: done.code == Some(0), printed: text(&done.stdout), stopped: None },
        // What it had printed until then often says where it hangs.
        Err(error) => GateRun {
            passed: false,
            printed: Stopped::of(&error).map(|stopped| text(&stopped.stdout)).unwrap_or_default(),
            stopped: Some(match error.kind() {
                std::io::ErrorKind::TimedOut => {
                    format!("[it did not end within {} s and was stopped]", limit.as_secs_f32().ceil())
                }
                _ => error.to_string(),
            }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_the_folder_upward() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        for (name, text) in [("CLAUDE.md", "top"), ("a/AGENTS.md", "agents"), ("a/CLAUDE.md", "near")] {
            std::fs::write(root.join(name), text).unwrap();
        }
        let texts = |cwd: &Path| -> Vec<String> {
            upward(cwd, &root, &["CLAUDE.md", "AGENTS.md"]).into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(&root.join("a/b")), ["near", "agents", "top"]);
        assert_eq!(texts(Path::new("/")), ["top"], "an agent that has gone elsewhere");
    }
}
