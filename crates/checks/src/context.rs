//! Everything a check may know besides the event.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::config::Profile;
use model::deed::{Deed, Verbs};
use model::{Command, Config, Event, Facts, FileEdit, Language, PermissionMode, Sight};
use shell::{Doubt, Reading, World};

use crate::arrivals::{self, Arrivals};

#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "facts are questions, not data")]
pub struct Context<'a> {
    pub config: &'a Config,
    pub facts: &'a dyn Facts,
    view: Option<&'a View>,
    /// On the clock of `Facts::micros`.
    deadline: u64,
    /// As commands name them.
    home: Option<&'a str>,
    project: &'a str,
}

/// What has been worked out about the event so far.
#[derive(Default)]
pub(crate) struct View {
    /// Something was taken out of the reading, because the user lets it through.
    lifted: bool,
    reading: OnceCell<Option<Reading>>,
    arrivals: OnceCell<Vec<Arrivals>>,
    deeds: OnceCell<Vec<Deed>>,
    edits: OnceCell<Vec<FileEdit>>,
    sights: OnceCell<Vec<Sight>>,
}

impl View {
    /// One whose commands come down to this.
    pub(crate) fn of(reading: Reading) -> Self {
        Self { lifted: true, reading: OnceCell::from(Some(reading)), ..Self::default() }
    }

    /// What was found out about the call, in a few words each. Works out nothing of its own: every call is logged, and most only look,
    /// which is not worth a word.
    pub(crate) fn in_short(&self) -> Vec<String> {
        const MOST: usize = 8;
        let mut short: Vec<String> = Vec::new();
        let calls = self.reading.get().and_then(Option::as_ref).map_or(&[][..], |reading| &reading.calls);
        let of_calls = calls.iter().flat_map(|call| call.deeds.iter());
        let deeds = self.deeds.get().into_iter().flatten().chain(of_calls);
        for deed in deeds.filter(|deed| !Verbs::LOOKING.has(deed.verb)) {
            let text = deed.in_short(shell::text::show);
            if !deed.object.text().is_empty() && !short.contains(&text) {
                short.push(text);
            }
            if short.len() == MOST {
                break;
            }
        }
        short
    }
}

impl<'a> Context<'a> {
    pub fn new(config: &'a Config, facts: &'a dyn Facts) -> Self {
        let home = facts.home().and_then(Path::to_str);
        // What is not text is nothing that a command names.
        let project = facts.project().to_str().unwrap_or("\0");
        Self { config, facts, view: None, deadline: u64::MAX, home, project }
    }

    pub(crate) fn viewing(&self, view: &'a View, deadline: u64) -> Self {
        Self { view: Some(view), deadline, ..*self }
    }

    pub(crate) fn home(&self) -> Option<&'a str> {
        self.home
    }

    pub(crate) fn project(&self) -> &'a str {
        self.project
    }

    /// The same about another event.
    pub(crate) fn about<'b>(&'b self, view: &'b View) -> Context<'b> {
        Context { view: Some(view), ..*self }
    }

    /// The user lets this file be edited for a while, and no policy has this check look at it all the same.
    pub(crate) fn may_edit(&self, check: &str, path: &Path) -> bool {
        self.facts.may_edit(path)
            && !crate::find(check).is_some_and(|check| self.config.floor.holds(check.meta))
    }

    /// Whether calls are missing here that the user lets through.
    pub(crate) fn is_lifted(&self) -> bool {
        self.view.is_some_and(|view| view.lifted)
    }

    /// What is left of the hook's time.
    pub(crate) fn remaining(&self) -> Duration {
        Duration::from_micros(self.deadline.saturating_sub(self.facts.micros()))
    }

    /// Whether a question serves better than a refusal, where the loss is here and a sensible person may well mean it: somebody is
    /// there to answer, and has not asked for strictness.
    pub(crate) fn may_ask(&self, event: &Event) -> bool {
        matches!(event.mode, PermissionMode::Default | PermissionMode::AcceptEdits | PermissionMode::Plan)
            && self.config.profile != Profile::Strict
            && !crate::autonomy::approves(event, self)
    }

    /// What the event's commands come down to, by whatever tool they run; `None` when it has none.
    pub(crate) fn reading(&self, event: &Event) -> Option<&'a Reading> {
        let read = || {
            let mut reading = read(event, self.facts)?;
            crate::runner::follow_own(event, self, &mut reading);
            Some(reading)
        };
        self.view?.reading.get_or_init(read).as_ref()
    }

    /// What the event's tool would do besides running commands.
    pub(crate) fn deeds(&self, event: &Event) -> &'a [Deed] {
        self.view.map_or(&[], |view| view.deeds.get_or_init(|| crate::deeds::deeds(event)))
    }

    /// What was found in the texts of the event's result, in their order.
    pub(crate) fn sights(&self, event: &Event) -> &'a [Sight] {
        self.view.map_or(&[], |view| view.sights.get_or_init(|| crate::result::sights(event, self)))
    }

    /// The files that the event's tool changes, with what goes along with a folder.
    pub(crate) fn edits(&self, event: &Event) -> &'a [FileEdit] {
        self.view.map_or(&[], |view| view.edits.get_or_init(|| crate::deeds::edits(event, self.facts)))
    }
}

impl<'a> Context<'a> {
    /// What the event's command brings in files.
    pub(crate) fn arrivals(&self, event: &Event) -> &'a [Arrivals] {
        let found =
            || self.reading(event).map(|reading| arrivals::read(reading, self.facts)).unwrap_or_default();
        self.view.map_or(&[], |view| view.arrivals.get_or_init(found))
    }
}

/// What the commands of an event come down to, all together; `None` when it has none.
pub fn read(event: &Event, facts: &dyn Facts) -> Option<Reading> {
    let mut reading = None::<Reading>;
    for command in event.commands() {
        let one = read_one(event, command, facts);
        match &mut reading {
            Some(reading) => reading.append(one),
            None => reading = Some(one),
        }
    }
    // Words that stand in no text that could be changed have no place in it.
    if event.command().is_none()
        && let Some(reading) = &mut reading
    {
        reading.forget_spans();
    }
    reading
}

/// A text as a shell would read it where the event happens.
pub(crate) fn read_text(event: &Event, text: &str, facts: &dyn Facts) -> Reading {
    let cwd = event.cwd.as_deref().unwrap_or_else(|| facts.project());
    shell::read(text, &Surroundings { facts, cwd })
}

/// The one place that decides who reads a command.
fn read_one(event: &Event, command: &Command, facts: &dyn Facts) -> Reading {
    let cwd = event.cwd.as_deref().unwrap_or_else(|| facts.project());
    let cwd = match &command.cwd {
        Some(own) => &model::path::absolute(own, cwd, facts.home()),
        None => cwd,
    };
    let surroundings = Surroundings { facts, cwd };
    let mut reading = match command.language {
        Language::Posix => shell::read(&command.text, &surroundings),
        Language::PowerShell => shell::read_powershell(&command.text, &surroundings),
        Language::Cmd => shell::read_cmd(&command.text, &surroundings),
    };
    // What may be no command at all need not have a shell's grammar.
    if command.guessed {
        reading.doubts.retain(|doubt| matches!(doubt, Doubt::Bound(_)));
    }
    reading
}

/// Files that other settings name, all together.
const MOST_INCLUDES: usize = 16;

/// Git's settings for a directory, as its files have them: the machine's, the user's, the repository's. Whatever condition another
/// file is named under, it may be read.
fn git_settings(facts: &dyn Facts, dir: &Path) -> Vec<(String, String)> {
    let mut open: Vec<PathBuf> = vec!["/etc/gitconfig".into()];
    if let Some(home) = facts.home() {
        open.extend([home.join(".config/git/config"), home.join(".gitconfig")]);
    }
    open.extend(of_repository(facts, dir));
    settings_in(open, facts, dir)
}

/// The same of the repository's own files alone.
pub(crate) fn repository_settings(facts: &dyn Facts, dir: &Path) -> Vec<(String, String)> {
    settings_in(of_repository(facts, dir), facts, dir)
}

fn of_repository(facts: &dyn Facts, dir: &Path) -> Vec<PathBuf> {
    let Some(repository) = facts.repository(dir) else { return Vec::new() };
    let main = repository.main_root.join(".git");
    vec![main.join("config"), main.join("config.worktree")]
}

fn settings_in(mut open: Vec<PathBuf>, facts: &dyn Facts, dir: &Path) -> Vec<(String, String)> {
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

    fn exists(&self, path: &str) -> bool {
        self.facts.entry(Path::new(path)).is_some()
    }

    fn is_directory(&self, path: &str) -> bool {
        self.facts.entry(Path::new(path)).is_some_and(|entry| entry.directory)
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
