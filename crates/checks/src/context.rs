//! Everything a check may know besides the event.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{Config, Event, Facts};
use shell::{Reading, World};

#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "facts are questions, not data")]
pub struct Context<'a> {
    pub config: &'a Config,
    pub facts: &'a dyn Facts,
    view: Option<&'a View>,
    /// On the clock of `Facts::micros`.
    deadline: u64,
}

/// What has been worked out about the event so far.
#[derive(Default)]
pub(crate) struct View {
    reading: OnceCell<Option<Reading>>,
}

impl<'a> Context<'a> {
    pub fn new(config: &'a Config, facts: &'a dyn Facts) -> Self {
        Self { config, facts, view: None, deadline: u64::MAX }
    }

    pub(crate) fn viewing(&self, view: &'a View, deadline: u64) -> Self {
        Self { view: Some(view), deadline, ..*self }
    }

    /// What is left of the hook's time.
    pub(crate) fn remaining(&self) -> Duration {
        Duration::from_micros(self.deadline.saturating_sub(self.facts.micros()))
    }

    /// What the event's command comes down to; `None` when it has none.
    pub(crate) fn reading(&self, event: &Event) -> Option<&'a Reading> {
        self.view?.reading.get_or_init(|| Some(read(event, event.command()?, self.facts))).as_ref()
    }
}

/// A command as it would be read for `event`.
pub fn read(event: &Event, command: &str, facts: &dyn Facts) -> Reading {
    let cwd = event.cwd.as_deref().unwrap_or_else(|| facts.project());
    shell::read(command, &Surroundings { facts, cwd })
}

/// Files that other settings name, all together.
const MOST_INCLUDES: usize = 16;

/// Git's settings for a directory, as its files have them: the machine's, the person's, the repository's. Whatever condition another
/// file is named under, it may be read.
fn git_settings(facts: &dyn Facts, dir: &Path) -> Vec<(String, String)> {
    let mut open: Vec<PathBuf> = vec!["/etc/gitconfig".into()];
    if let Some(home) = facts.home() {
        open.extend([home.join(".config/git/config"), home.join(".gitconfig")]);
    }
    if let Some(repository) = facts.repository(dir) {
        let main = repository.main_root.join(".git");
        open.extend([main.join("config"), main.join("config.worktree")]);
    }
    let mut found = Vec::new();
    let mut included = 0;
    open.reverse();
    while let Some(file) = open.pop() {
        let text = facts.read(&file).ok().flatten().unwrap_or_default();
        for (key, value) in shell::git_settings(&text) {
            let names_a_file =
                key == "include.path" || key.starts_with("includeif.") && key.ends_with(".path");
            if names_a_file && included < MOST_INCLUDES {
                included += 1;
                open.push(model::path::absolute(
                    Path::new(&value),
                    file.parent().unwrap_or(dir),
                    facts.home(),
                ));
            }
            found.push((key, value));
        }
    }
    found
}

/// The questions of the shell reader, asked of the facts.
struct Surroundings<'a> {
    facts: &'a dyn Facts,
    cwd: &'a Path,
}

impl World for Surroundings<'_> {
    fn home(&self) -> Option<String> {
        self.facts.home().map(|home| home.to_string_lossy().into_owned())
    }

    fn cwd(&self) -> String {
        self.cwd.to_string_lossy().into_owned()
    }

    /// Scripts of the project only: what the system installed is not ours to read.
    fn read(&self, path: &str) -> Option<String> {
        let project = self.facts.project().to_string_lossy();
        if !shell::path::is_below(path, &project) {
            return None;
        }
        self.facts.read(Path::new(path)).ok()?.filter(|text| text.len() <= 256 * 1024)
    }

    fn git_settings(&self, dir: &str) -> Vec<(String, String)> {
        git_settings(self.facts, Path::new(dir))
    }

    fn var(&self, name: &str) -> Option<String> {
        match name {
            "TMPDIR" => Some("/tmp".into()),
            "USER" | "LOGNAME" => {
                let home = self.facts.home()?;
                Some(home.file_name()?.to_string_lossy().into_owned())
            }
            "CLAUDE_PROJECT_DIR" => Some(self.facts.project().to_string_lossy().into_owned()),
            _ => None,
        }
    }
}
