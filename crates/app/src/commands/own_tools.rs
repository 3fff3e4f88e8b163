//! What of a project is code that we would run: its linters, tools of the user's that run its code, its tests, and a settings file
//! that it has for the fixer. `trust`, `init` and `doctor` show the same list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use linters::fix::{Fixer, OwnSettings};
use linters::{Language, Places, Plan, Request};
use model::{Level, source};
use state::config::{Loaded, Trust};
use state::{Machine, Project, files, trust};

use crate::exit;
use crate::person;
use crate::tasks::run_tests;
use crate::ui::{Printer, Tone};

pub(crate) const QUESTION: &str = "Let this project's own tools run? They are programs and code of the project; this is for all that it has, now and later.";

/// Enough to know what a project has; a giant is not read to its end for that.
const MOST_FILES: usize = 20_000;

#[derive(Debug)]
pub(crate) struct Tools {
    /// The user has said yes before.
    pub(crate) trusted: bool,
    /// What would be run, and why that takes trust. Nothing where it is trusted.
    pub(crate) waiting: BTreeMap<String, &'static str>,
    /// A settings file for the fixer that is not trusted.
    pub(crate) settings: Option<OwnSettings>,
}

pub(crate) fn look(machine: &Machine, project: &Project, loaded: &Loaded) -> Tools {
    let root = &project.root;
    let config = &loaded.config;
    let trusted = trust::tools_may_run(machine, root);
    let fixer = Fixer {
        machine,
        project: root,
        command: None,
        settings_file: config.settings_file.as_deref(),
        trust: Trust::Recorded,
        root: false,
    };
    let settings =
        fixer.own_settings().filter(|own| !trust::is_trusted_file(machine, root, &own.file, &own.content));
    let mut waiting = BTreeMap::new();
    if !trusted {
        let all = files::walk(root, MOST_FILES);
        linters(machine, root, loaded, &all, &mut waiting);
        tests(machine, root, loaded, &all, &mut waiting);
    }
    Tools { trusted, waiting, settings }
}

/// The linters, as they are planned for a file of each kind in each folder that could have tools of its own.
fn linters(
    machine: &Machine,
    root: &Path,
    loaded: &Loaded,
    all: &[PathBuf],
    waiting: &mut BTreeMap<String, &'static str>,
) {
    let config = &loaded.config;
    let engines = crate::lint::engines(root, Some(machine), false);
    let places = Places { machine, project: root, runtime: config.js_runtime, trust: Trust::Recorded };
    let has_tools =
        |dir: &Path| [".venv", "venv", "node_modules"].iter().any(|name| files::is_dir(&dir.join(name)));
    let mut folders: BTreeMap<&Path, &Path> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for file in all {
        let Some(language) = Language::of(file).filter(|language| crate::lint::is_on(*language, config))
        else {
            continue;
        };
        let Some(folder) = file.parent() else { continue };
        let nearest = *folders.entry(folder).or_insert_with(|| {
            let mut up = folder.ancestors().take_while(|dir| dir.starts_with(root));
            up.find(|dir| has_tools(dir)).unwrap_or(root)
        });
        if !seen.insert((nearest, language, source::extension(file))) {
            continue;
        }
        let plan = Plan::of(&Request { file, language, config, places, engines: &engines, called_in: None });
        waiting.extend(plan.waiting.iter().map(|one| (one.shown(root), one.why.as_str())));
    }
}

/// The tests, where they are run after an edit.
fn tests(
    machine: &Machine,
    root: &Path,
    loaded: &Loaded,
    all: &[PathBuf],
    waiting: &mut BTreeMap<String, &'static str>,
) {
    let on = checks::find("edit/test-runner")
        .is_some_and(|check| checks::level(check.meta, &loaded.config) != Level::Off);
    // A command of the config is trusted by its text.
    if !on || loaded.config.tests_command.is_some() {
        return;
    }
    let mut kinds = BTreeSet::new();
    for file in all.iter().filter(|file| source::is_source(file)) {
        if !kinds.insert((file.parent(), source::extension(file))) {
            continue;
        }
        if let Some(plan) = run_tests::plan(machine, loaded, root, file) {
            waiting.insert(linters::plain(&run_tests::shown(&plan, root)), "runs the project's tests");
        }
    }
}

impl Tools {
    /// Asks, and records the yes.
    pub(crate) fn settle(
        &self,
        machine: &Machine,
        printer: &Printer,
        project: &Project,
        yes: bool,
    ) -> anyhow::Result<u8> {
        if self.trusted {
            return Ok(exit::OK);
        }
        if !person::agrees(machine, printer, QUESTION, yes) {
            return Ok(exit::FAILED);
        }
        trust::allow_tools(machine, project).context("the trust could not be recorded")?;
        printer.toned(Tone::Good, "trusted");
        Ok(exit::OK)
    }

    pub(crate) fn show_programs(&self, printer: &Printer) {
        if self.trusted {
            printer.toned(Tone::Faint, "  this project's own tools may run");
        }
        if !self.waiting.is_empty() {
            printer.line("these would run once you trust this project's own tools:");
            for (tool, why) in &self.waiting {
                printer.toned(Tone::Warning, &format!("+ {tool} ({why})"));
            }
        }
    }

    pub(crate) fn show(&self, printer: &Printer, project: &Project) {
        self.show_programs(printer);
        if let Some(own) = &self.settings {
            let name = own.file.strip_prefix(&project.root).unwrap_or(&own.file).display();
            printer
                .line(&linters::plain(&format!("the fixer would be started with the settings in {name}:")));
            let text = String::from_utf8_lossy(&own.content);
            for line in text.lines() {
                printer.toned(Tone::Warning, &format!("+ {}", linters::plain(line)));
            }
        }
    }
}
