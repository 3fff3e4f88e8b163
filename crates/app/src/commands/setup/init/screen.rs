//! What the wizard shows: what it will do before the first question, what it will write before the last, and what to try at the end.

use std::path::Path;

use state::config::Layer;
use state::{files, native};

use super::{Chosen, Scope, Visit, exclude, peers, registration};
use crate::commands::setup::plan::Plan;
use crate::ui::{Tone, human};

/// More tools than this are counted, not named: the list is to fit on a screen.
const MOST_TOOLS: usize = 6;

impl Visit<'_> {
    /// A path as the user would write it.
    pub(super) fn shown(&self, path: &Path) -> String {
        if let Ok(below) = path.strip_prefix(&self.project.root) {
            return below.display().to_string();
        }
        match self.machine.told_home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
            Some(below) => format!("~/{}", below.display()),
            None => path.display().to_string(),
        }
    }

    fn row(&self, label: &str, text: &str) {
        self.printer.hanging(&format!("  {label:10} {text}"), 11);
    }

    /// One screen: files, hooks, agents, what is on, and what will not happen.
    pub(super) fn introduce(&self) {
        let printer = self.printer;
        printer.toned(Tone::Title, &format!("Plimsoll in {}", self.project.root.display()));
        let around = state::Project::only_here(self.machine);
        if !self.args.here && around.root != self.project.root {
            let text = format!(
                "You are in a folder of it; `plimsoll init --here` sets up {} alone.",
                around.root.display()
            );
            printer.toned(Tone::Faint, &text);
        }
        printer.toned(Tone::Title, "\nWhat it will do");
        if let Some(file) = self.scope.file(self.machine, self.project) {
            let events = checks::wiring(&self.before.config).len();
            let whose = match self.scope {
                Scope::Project => "for everyone who works on this project",
                Scope::Local => "for you, in this project",
                Scope::User => "for you, in all projects",
            };
            self.row("hooks", &format!("{}: {events} events, {whose}", self.shown(&file)));
        }
        if let Some(file) = self.layer().file(self.machine, self.project) {
            let whose = if self.layer() == Layer::User { " in all your projects" } else { "" };
            self.row("settings", &format!("{}: what is on{whose}, with comments", self.shown(&file)));
        }
        if let Some(file) = exclude::file(self.project) {
            self.row("git", &format!("{}: our session records are not committed", self.shown(&file)));
        }
        printer.toned(Tone::Title, "What is here");
        self.row("languages", &self.languages());
        let agents: Vec<&str> = ["Claude Code"]
            .into_iter()
            .chain(peers::present(self.machine).iter().map(|peer| peer.name))
            .collect();
        self.row("agents", &agents.join(", "));
        let profile = self.before.config.profile.as_str();
        let now = if self.rerun { "is on now" } else { "unless you choose another" };
        self.row("profile", &format!("{profile} {now}: guards, protected rules, records{}", self.linted()));
        printer.toned(Tone::Title, "What will not happen");
        printer.line(
            "  Files that the agent does not edit stay as they are. Nothing is sent anywhere, no model is started, and none of this \
             project's own tools runs, unless you say so below. `plimsoll uninstall` takes all of it back.",
        );
    }

    fn linted(&self) -> &'static str {
        let on = checks::find("edit/lint")
            .is_some_and(|check| checks::level(check.meta, &self.before.config) != model::Level::Off);
        if on { ", lint of edited files" } else { "" }
    }

    fn languages(&self) -> String {
        let names: Vec<&str> = self.survey.languages.iter().map(|language| language.key()).collect();
        if names.is_empty() {
            return "none found that is linted".into();
        }
        let (there, missing) = (self.survey.installed.len(), self.survey.missing.len());
        let built_in = |linter: &&&linters::Linter| {
            linter.languages.iter().any(|language| crate::lint::is_embedded(*language, linter.name))
        };
        let built_in = self.survey.missing.iter().filter(built_in).count();
        let linters = match (there, missing, built_in) {
            (there, 0, _) => format!("all {there} linters for them are installed"),
            (0, _, 0) => "no linter for them is installed (`plimsoll tools install`)".to_owned(),
            (0, _, _) => "what is built in lints them (`plimsoll tools list`)".to_owned(),
            (there, missing, built_in) => {
                let besides = if built_in == 0 { String::new() } else { format!(", {built_in} built in") };
                format!(
                    "{there} of {} linters for them are installed{besides} (`plimsoll tools list`)",
                    there + missing
                )
            }
        };
        format!("{}; {linters}", names.join(", "))
    }

    /// Before the confirmation: every file, and what changes in those that are there.
    pub(super) fn show_plan(&self, plan: &Plan) {
        self.printer.line("");
        if self.rerun && plan.has_again() {
            self.printer.toned(Tone::Title, "What changes");
            plan.show_again(self.printer);
        }
        for (number, (path, new, added, removed)) in plan.first().enumerate() {
            if number == 0 {
                self.printer.toned(Tone::Title, "It will write");
            }
            let what = if new {
                "new".to_owned()
            } else {
                let without = if removed == 0 {
                    String::new()
                } else {
                    format!(", without {}", human::plural(removed as u64, "line"))
                };
                format!("{} more{without}; a copy is kept", human::plural(added as u64, "line"))
            };
            self.printer.hanging(&format!("  {} ({what})", self.shown(path)), 2);
        }
    }

    pub(super) fn list_tools(&self) {
        let waiting = &self.tools.waiting;
        self.printer.toned(Tone::Title, "This project's own tools run only if you trust them:");
        for (tool, why) in waiting.iter().take(MOST_TOOLS) {
            self.printer.hanging(&format!("  {tool} ({why})"), 2);
        }
        if waiting.len() > MOST_TOOLS {
            self.printer
                .line(&format!("  and {} more; `plimsoll trust` lists them", waiting.len() - MOST_TOOLS));
        }
    }

    /// What stands in the way, and what to try.
    pub(super) fn finish(&self, chosen: &Chosen, settings: Option<&Path>, nothing_new: bool) {
        let printer = self.printer;
        for dialect in &chosen.peers {
            printer.toned(Tone::Good, &format!("{}: registered", dialect.name));
            peers::say_steps(printer, dialect);
        }
        if !chosen.claude {
            return;
        }
        self.warn_about_the_program();
        let off = self.switched_off();
        if chosen.peers.is_empty() {
            self.name_others();
        }
        let unread = settings.filter(|file| {
            files::read(file).ok().flatten().is_some_and(|text| !registration::is_read_by_client(&text))
        });
        if let Some(file) = unread {
            let text = format!(
                "not active: {} has comments, or a comma after the last entry, and the client then silently ignores every hook in it; `plimsoll doctor --fix` takes them out and keeps a copy",
                self.shown(file)
            );
            printer.note(&printer.paint(Tone::Warning, &text));
            return;
        }
        if off {
            return;
        }
        let word = if nothing_new {
            "everything is in place already"
        } else {
            "done; start the agent in this project"
        };
        printer.toned(Tone::Good, word);
        printer.line("Two commands to try:");
        for (command, what) in [
            ("plimsoll doctor", "sends `rm -rf /` through the hook, as text"),
            ("plimsoll explain 'git push -f'", "shows what would be said to a command, and why"),
        ] {
            printer.hanging(&format!("  {command:32}{what}"), 32);
        }
    }

    fn warn_about_the_program(&self) {
        let warn = |text: &str| self.printer.note(&self.printer.paint(Tone::Warning, text));
        let known = self.machine.find_program("plimsoll");
        let own = self.machine.executable();
        if own.as_ref().is_some_and(|path| native::is_npx_cache(path)) {
            warn(
                "this program lies in a cache of npx, which npm clears; install it (`npm install --global plimsoll`) and run `plimsoll init` again",
            );
        }
        if self.scope != Scope::Project {
            return;
        }
        match known {
            None => warn(
                "plimsoll is not on your PATH, so the shared settings name it by its full path on this machine; \
                 put it on PATH and run `plimsoll init` again before you commit them",
            ),
            Some(path) if !native::is_program(&path) => warn(&format!(
                "{} starts plimsoll through another program, which takes a hundred times as long; the shared settings name the program \
                 itself, by its full path on this machine. `plimsoll init --scope local` keeps that to yourself",
                path.display()
            )),
            Some(_) => {}
        }
    }

    /// Whether some settings switch all hooks off, which is said.
    fn switched_off(&self) -> bool {
        let off = registration::switched_off(self.machine, self.project);
        for file in &off {
            let text = format!("{} has disableAllHooks: no hook will run", file.display());
            self.printer.note(&self.printer.paint(Tone::Warning, &text));
        }
        !off.is_empty()
    }

    fn name_others(&self) {
        let others: Vec<&str> = peers::present(self.machine)
            .into_iter()
            .filter(|dialect| peers::registered(self.machine, self.project, dialect).is_empty())
            .map(|dialect| dialect.id)
            .collect();
        if !others.is_empty() && self.args.yes {
            self.printer.note(&format!(
                "plimsoll: also on this machine: {}; `plimsoll init --agent all` registers with them",
                others.join(", ")
            ));
        }
    }
}
