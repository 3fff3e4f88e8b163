//! The lint service behind `Facts::lint`: an edited file is formatted, linted, fixed by a model, and looked at again.
//!
//! What is run is `linters`' to plan and to run; what is said to the agent is `checks::edit::lint`'s. This is the order of
//! the three phases and what an edit has to do with what was found.

mod cause;
mod dead;
#[cfg(feature = "embedded")]
mod embedded;
mod explain;
pub(crate) mod later;
pub(crate) mod open;
mod own;
mod said;
mod same;
pub(crate) mod scan;
mod switched;
mod text;
mod timing;
mod versions;
pub(crate) mod waiting;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use linters::fix::{Choice, Fixer, prompt};
use linters::{Done, Engines, Language, Past, Places, Plan, Request, Run};
use model::config::{JsRuntime, Nursery, Pace, Profile, Unconfigured};
use model::{Config, Event, Linted, SessionId, Task, Unknown, Violation, environment};
use state::config::{Loaded, Trust};
use state::{Lints, Machine, Project, files};

pub(crate) use explain::{explained, waiting_for};
use own::Edited;
pub(crate) use same::once;
pub(crate) use switched::{is_embedded, is_on};
use text::{codes, is_deferred, line_of, text_of};
pub(crate) use timing::now;
use timing::{Timing, took};

use versions::{nursery, too_old};

/// The engines of this build, for files of this project.
#[cfg(feature = "embedded")]
pub(crate) fn engines(project: &Path, machine: Option<&Machine>, preview: bool) -> impl Engines {
    embedded::Embedded::new(project, machine, preview)
}

#[cfg(not(feature = "embedded"))]
pub(crate) fn engines(_: &Path, _: Option<&Machine>, _: bool) -> impl Engines {
    linters::NoEngines
}

/// Whether rules count that their linter calls a preview.
pub(crate) fn previews(config: &Config) -> bool {
    config.unconfigured == Unconfigured::All
}

/// Nobody waits longer for an explanation.
const EXPLAINING: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(crate) struct Service<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) project: &'a Project,
    pub(crate) loaded: &'a Loaded,
    pub(crate) cwd: &'a Path,
    /// On the clock of `Machine::micros`.
    pub(crate) deadline: u64,
    /// As the script that it takes the place of: docstrings are fixed before anything else, no tool is spared because its
    /// answer is remembered, and what the model's client says is passed on.
    pub(crate) as_script: bool,
}

impl Lints for Service<'_> {
    fn after_edit(&self, event: &Event) -> Result<Linted, Unknown> {
        let Some(edit) = event.edit() else { return Ok(Linted::default()) };
        let home = self.machine.home();
        let written = model::path::absolute(&edit.path, self.cwd, home.as_deref());
        let file = files::resolve(&written);
        if self.leads_out(&written, &file) {
            return Ok(Linted::default());
        }
        let Some(language) = Language::of(&file).filter(|language| is_on(*language, &self.loaded.config))
        else {
            return Ok(Linted::default());
        };
        if !files::is_file(&file) {
            return Ok(Linted::default());
        }
        let edited = Edited::new(event, &edit.change, &file);
        if edited.did_nothing() && !self.loaded.config.boy_scout {
            return Ok(Linted::default());
        }
        Ok(self.lint(event, &file, language, &edited))
    }

    fn at_stop(&self, event: &Event) -> Result<Linted, Unknown> {
        // Half of what is left: other checks of the stop come after this one.
        Ok(self.within(self.instant().saturating_duration_since(now()) / 2).settle(&event.session))
    }

    fn of_files(&self, files: &[PathBuf], limit: Duration) -> Linted {
        let config = &self.loaded.config;
        let hurried = self.within(limit);
        let engines = engines(&self.project.root, Some(self.machine), previews(config));
        let mut linted = Linted::default();
        let mut unseen: Vec<&Path> = Vec::new();
        for file in files {
            let Some(language) = Language::of(file).filter(|language| is_on(*language, config)) else {
                continue;
            };
            if hurried.instant() <= now() {
                unseen.push(file);
                continue;
            }
            let name = file.strip_prefix(&self.project.root).unwrap_or(file).display();
            let text = match files::read(file) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(error) => {
                    linted.said.push(format!(
                        "[hook:warning] {name} was not linted: {error}. `plimsoll check {name}` tries it again."
                    ));
                    continue;
                }
            };
            let plan = Plan::of(&hurried.request(file, language, config, &engines));
            let done = hurried.run(file, language, config, &engines, None).collect(&plan, &text);
            linted.violations.extend(done.violations);
            linted.said.extend(done.failed.iter().map(|failed| {
                format!(
                    "[hook:warning] {name} was not linted by {}: {}. `plimsoll check {name}` tries it again.",
                    failed.linter,
                    failed.why.trim_end_matches('.')
                )
            }));
        }
        if let Some(first) = unseen.first() {
            let name = first.strip_prefix(&self.project.root).unwrap_or(first).display();
            let others = match unseen.len() {
                1 => String::new(),
                many => format!(" and {} more", many - 1),
            };
            linted.said.push(format!(
                "[hook:warning] {name}{others}: not linted, the time was up. Run `plimsoll check --changed`."
            ));
        }
        linted
    }
}

impl Service<'_> {
    /// Whether a link of the project leads out of it. Nothing there is formatted because somebody put a link here.
    fn leads_out(&self, written: &Path, file: &Path) -> bool {
        let root = &self.project.root;
        let here = || written.starts_with(self.cwd) && files::resolve(self.cwd).starts_with(root);
        !file.starts_with(root) && (written.starts_with(root) || here())
    }

    /// The same with less time.
    fn within(&self, limit: Duration) -> Self {
        let end = self.machine.micros().saturating_add(u64::try_from(limit.as_micros()).unwrap_or(u64::MAX));
        Self { deadline: self.deadline.min(end), ..*self }
    }

    fn request<'r>(
        &'r self,
        file: &'r Path,
        language: Language,
        config: &'r Config,
        engines: &'r dyn Engines,
    ) -> Request<'r> {
        let places = self.places(config.js_runtime);
        Request { file, language, config, places, engines, called_in: Some(self.cwd) }
    }

    /// Where tools are looked for.
    fn places(&self, runtime: JsRuntime) -> Places<'_> {
        Places { machine: self.machine, project: &self.project.root, runtime, trust: self.trust() }
    }

    fn trust(&self) -> Trust {
        if self.loaded.trusts_all { Trust::Everything } else { Trust::Recorded }
    }

    fn run<'r>(
        &'r self,
        file: &'r Path,
        language: Language,
        config: &'r Config,
        engines: &'r dyn Engines,
        past: Option<&'r dyn Past>,
    ) -> Run<'r> {
        Run {
            machine: self.machine,
            file,
            language,
            project: &self.project.root,
            defer: &config.defer,
            engines,
            deadline: self.instant(),
            remembers: !self.as_script,
            past,
        }
    }

    /// The settings of one run: who only observes changes no file, and nothing waits where nothing comes later.
    fn settings(&self, session: &SessionId) -> Config {
        let mut config = self.loaded.config.clone();
        let observed = config.profile == Profile::Observe;
        if observed {
            config.auto_format = false;
        }
        if observed || !session.is_known() {
            config.pace = Pace::Thorough;
        }
        config
    }

    fn lint(&self, event: &Event, file: &Path, language: Language, edited: &Edited<'_>) -> Linted {
        let session = &event.session;
        let config = self.settings(session);
        let observed = config.profile == Profile::Observe;
        let engines = engines(&self.project.root, Some(self.machine), previews(&config));
        let request = self.request(file, language, &config, &engines);
        let mut plan = Plan::of(&request);
        dead::leave_out(self.project, session, &mut plan);
        let plan = plan;
        let run = self.run(file, language, &config, &engines, Some(edited));
        let mut linted = Linted { looked: vec![file.to_owned()], ..Linted::default() };
        self.missing(&plan, file, language, &config, &mut linted);
        if !observed {
            linted.notices.extend(waiting::news(self.project, session, &plan.waiting));
        }
        let foreign = !file.starts_with(&self.project.root);
        if foreign && plan.lint.iter().any(|task| task.linter.name == "biome") {
            linted
                .said
                .push("[hook:warning] file outside project root, biome project rules may not apply".into());
        }
        for line in too_old(self.machine, &plan) {
            if self.as_script || dead::is_news(self.project, session, &line) {
                linted.said.push(line);
            }
        }
        nursery(&plan, file, &self.project.root, &config, &mut linted);
        let mut round = self.take(run.all(&plan), edited, &config, &run, &plan, &mut linted);
        let skip = self.machine.var(&environment::HOOK_SKIP_SUBPROCESS).as_deref() == Some("1");
        if !round.violations.is_empty() && config.subprocess_delegation && !observed {
            let aim = self.aim(language, &round.violations);
            if skip {
                self.say_model(&self.choose(&aim, &config), &mut linted);
            } else {
                let tool = event.tool_use().map_or("", |used| used.name.as_str());
                let timing = Timing { machine: self.machine, file, language, tool, aloud: self.as_script };
                self.delegate(&timing, &aim, &run, &config, &mut linted);
                // What could not be read is looked at again below; the script told only of that.
                if !self.as_script {
                    linted.said.append(&mut round.failed);
                }
                let begin = now();
                timing.note("verify_start", "", &mut linted);
                let plan = Plan::of(&request);
                let done = run.all(&plan);
                let (formatting, linting) = (done.formatting, done.linting);
                round = self.take(done, edited, &config, &run, &plan, &mut linted);
                let left = format!(
                    "remaining_count={} remaining_codes={}",
                    round.violations.len(),
                    codes(&round.violations)
                );
                timing.again(formatting, linting, &left, &mut linted);
                timing.note("verify_end", &format!("{} {left}", took(begin.elapsed())), &mut linted);
                let end = if round.violations.is_empty() { "resolved" } else { "feedback_loop" };
                timing.note(end, &left, &mut linted);
            }
        }
        linted.said.append(&mut round.failed);
        if !self.as_script {
            said::complete(&mut linted, file, &self.project.root, !round.violations.is_empty());
        }
        let text = text_of(file, &round.violations);
        // Elsewhere only what is new with the edit is left, on whichever line it shows.
        let older = |found: &&Violation| config.boy_scout && edited.left_alone(line_of(&text, found));
        linted.already_there = round.violations.iter().filter(older).count();
        linted.since = edited.causes(file, &round.violations);
        linted.violations = round.violations;
        if session.is_known() && !observed {
            if !config.boy_scout && (round.deferred || plan.is_for_later() || !linted.violations.is_empty()) {
                self.remember(session, edited);
            }
            self.leave_for_later(session, file, language, &plan, round.deferred, &mut linted);
        }
        linted
    }

    fn leave_for_later(
        &self,
        session: &SessionId,
        file: &Path,
        language: Language,
        plan: &Plan,
        deferred: bool,
        linted: &mut Linted,
    ) {
        match self.mark(session, file, plan, deferred, &linted.violations) {
            Ok(true) => {
                linted
                    .later
                    .push(Task { name: "lint-late", args: vec![file.to_string_lossy().into_owned()] });
            }
            Ok(false) => {}
            Err(why) => linted.said.push(format!("[hook:warning] {why}")),
        }
        for scan in self.scans_due(session, file, language) {
            if self.loaded.config.pace == Pace::Fast {
                linted.later.push(Task { name: "lint-scan", args: vec![scan::name(scan)] });
            } else {
                match self.clones(scan).filter(|_| !self.loaded.config.jscpd_advisory) {
                    Some(clones) => linted.violations.extend(clones),
                    None => linted.said.extend(self.scan(session, scan)),
                }
            }
        }
    }

    /// What counts of what was found.
    fn take(
        &self,
        done: Done,
        edited: &Edited<'_>,
        config: &Config,
        run: &Run<'_>,
        plan: &Plan,
        linted: &mut Linted,
    ) -> Round {
        linted.rewritten |= done.rewritten;
        linted.rewriters.extend(done.rewriters);
        dead::note(self.project, &edited.event.session, plan, &done.failed);
        let is_news =
            |line: &String| self.as_script || dead::is_news(self.project, &edited.event.session, line);
        let failed = done.failed.iter().map(linters::Failed::line).filter(is_news).collect();
        linted.trace.extend(done.trace);
        let (mut advisory, mut deferred) = (0, false);
        let mut violations = self.own(run, plan, edited, done.violations);
        let text = text_of(run.file, &violations);
        // Two linters that know one fault; the script told both.
        if !self.as_script {
            violations = once(violations);
        }
        violations.retain(|found| {
            if found.code.starts_with("lint/nursery/") && config.biome_nursery != Nursery::Error {
                advisory += 1;
                return false;
            }
            let waits = is_deferred(found, config) && edited.brought(line_of(&text, found));
            deferred |= waits;
            !waits
        });
        if advisory > 0 && config.biome_nursery == Nursery::Warn {
            linted.said.push(format!("[hook:advisory] Biome nursery: {advisory} diagnostic(s)"));
        }
        Round { violations, deferred, failed }
    }

    /// What the model is asked to fix. The script left everything but docstrings for another round.
    fn aim(&self, language: Language, violations: &[Violation]) -> Vec<Violation> {
        let docstrings = violations.iter().filter(|found| linters::fix::is_docstring(&found.code));
        let narrow = self.as_script && language == Language::Python && docstrings.clone().next().is_some();
        if narrow { docstrings.cloned().collect() } else { violations.to_vec() }
    }

    fn choose(&self, aim: &[Violation], config: &Config) -> Choice {
        let seconds =
            self.machine.var(&environment::HOOK_SUBPROCESS_TIMEOUT).and_then(|text| text.parse().ok());
        Choice::of(aim, config, seconds)
    }

    fn say_model(&self, choice: &Choice, linted: &mut Linted) {
        if self.machine.var(&environment::HOOK_DEBUG_MODEL).as_deref() == Some("1") {
            linted.said.push(format!("[hook:model] {} {}", choice.model, choice.why));
        }
    }

    fn delegate(
        &self,
        timing: &Timing<'_>,
        aim: &[Violation],
        run: &Run<'_>,
        config: &Config,
        linted: &mut Linted,
    ) {
        let begin = now();
        let Timing { file, language, .. } = *timing;
        let what = format!("count={} codes={}", aim.len(), codes(aim));
        timing.note("delegate_plan", &what, linted);
        let choice = self.choose(aim, config);
        linted.said.extend(choice.said.iter().cloned());
        self.say_model(&choice, linted);
        timing.note("delegate_start", &format!("{what} model={}", choice.model), linted);
        let fixer = Fixer {
            machine: self.machine,
            project: &self.project.root,
            command: config.fixer_command.as_deref(),
            settings_file: config.settings_file.as_deref(),
            trust: self.trust(),
            root: self.machine.is_root(),
        };
        let words = prompt(file, language, aim, &choice.tools, None);
        // Looking again afterwards needs time too.
        let left = self.instant().saturating_duration_since(now()).saturating_sub(Duration::from_secs(5));
        let lines: Vec<u32> = aim.iter().map(|found| found.line).collect();
        let fixed = fixer.run((file, &lines), &words, &choice, left, &|text| run.parses(text));
        linted.said.extend(fixed.said);
        let heard = if self.as_script { &mut linted.said } else { &mut linted.trace };
        heard.extend(fixed.trace);
        linted.delegated = true;
        linted.spent = fixed.spent;
        linted.rewritten |= fixed.changed;
        if fixed.changed {
            linted.rewriters.push("a model".to_owned());
        }
        let changed = if fixed.changed { "yes" } else { "no" };
        timing.note("delegate_end", &format!("changed={changed} {}", took(begin.elapsed())), linted);
    }

    /// A file that nothing looks at does not pass in silence. That is for the user: the agent cannot install anything. Single
    /// tools that are missing beside others are `plimsoll doctor`'s to name.
    fn missing(&self, plan: &Plan, file: &Path, language: Language, config: &Config, linted: &mut Linted) {
        let extension = file.extension().and_then(|text| text.to_str()).unwrap_or_default();
        if matches!(extension, "vue" | "svelte" | "astro") {
            // They have nothing but semgrep, and that needs rules.
            let places = self.places(JsRuntime::Auto);
            let search = places.near(&self.project.root);
            let semgrep = linters::definition::find("semgrep");
            let there = semgrep.and_then(|linter| search.locate(linter)).is_some();
            let rules = semgrep.is_some_and(|linter| {
                linter.configs.iter().any(|name| files::is_file(&self.project.root.join(name)))
            });
            let how = match (there, rules && config.semgrep) {
                (true, true) => return,
                (true, false) if rules => "languages.typescript.semgrep is off",
                (true, false) => "semgrep looks at them where the project has a .semgrep.yml",
                (false, _) => "Install semgrep for security scanning: plimsoll tools install semgrep",
            };
            linted.notices.push(format!("[hook:warning] No linter available for .{extension} files. {how}"));
        } else if plan.missing.iter().any(|linter| linter.name == "biome") {
            linted.notices.push("[hook:warning] biome not found. Install: npm i -D @biomejs/biome".into());
        } else if plan.lint.is_empty()
            && plan.engine.is_empty()
            && plan.whole.is_empty()
            && plan.waiting.is_empty()
            && !plan.missing.is_empty()
        {
            let names: Vec<&str> = plan
                .missing
                .iter()
                .filter(|linter| linter.install.is_some())
                .map(|linter| linter.name)
                .collect();
            let how = if names.is_empty() {
                String::new()
            } else {
                format!(" Install: plimsoll tools install {}", names.join(" "))
            };
            linted.notices.push(format!(
                "[hook:warning] {} files are not linted: no linter is installed.{how}",
                language.key()
            ));
        }
    }

    fn instant(&self) -> Instant {
        now() + Duration::from_micros(self.deadline.saturating_sub(self.machine.micros()))
    }
}

/// What came of phases 1 and 2.
struct Round {
    violations: Vec<Violation>,
    /// Something was found that waits for a later edit.
    deferred: bool,
    /// What is said of linters that could not be heard.
    failed: Vec<String>,
}
