//! What is to be run on a file, before anything is run: `tools list`, tests and the runner look at the same plan.

use std::path::{Path, PathBuf};

use model::Config;
use model::config::{EngineChoice, Formatting, Pace, Unconfigured};
use state::files;

use crate::Language;
use crate::choice::Choices;
use crate::definition::{self, LINTERS, Linter};
use crate::find::{Located, Place, Places, Waiting};
use crate::folders::Roots;
use crate::violation::{Engines, Violation};

/// A tool that is there.
#[derive(Clone, Debug)]
pub struct Task {
    pub linter: &'static Linter,
    pub place: Place,
    /// The nearest folder with its configuration, else the project.
    pub cwd: PathBuf,
}

#[derive(Debug, Default)]
pub struct Plan {
    /// In order, each on what the one before has made.
    pub format: Vec<Task>,
    /// Side by side.
    pub lint: Vec<Task>,
    /// Behind the agent's back.
    pub late: Vec<Task>,
    /// Once for all files of a session, when the agent stops.
    pub whole: Vec<Task>,
    /// Linters whose work the engine does.
    pub engine: Vec<&'static str>,
    /// The same, in the background.
    pub late_engine: Vec<&'static str>,
    /// The engine formats.
    pub engine_formats: bool,
    /// Every edited file is formatted, by whatever there is, and fixed as a whole.
    pub formats_all: bool,
    /// There, and not asked because their engines are.
    pub spared: Vec<Task>,
    /// Not on this machine, and nothing takes their place.
    pub missing: Vec<&'static Linter>,
    /// There, and of no use in this project, with the reason.
    pub unfit: Vec<(&'static Linter, &'static str)>,
    /// There, and not run before the user trusts the project.
    pub waiting: Vec<Waiting>,
    /// Only faults count of linters that the project has not chosen.
    gentle: bool,
    choices: Choices,
    pub flags: Flags,
}

/// What the arguments of a definition depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(Vec<&'static str>);

impl Flags {
    pub fn has(&self, flag: &str) -> bool {
        self.0.contains(&flag)
    }

    #[must_use]
    pub fn without(mut self, flag: &str) -> Self {
        self.0.retain(|known| *known != flag);
        self
    }

    fn set(&mut self, flag: &'static str, when: bool) {
        if when {
            self.0.push(flag);
        }
    }
}

/// What a plan is made from.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "engines are functions, not data")]
pub struct Request<'a> {
    pub file: &'a Path,
    pub language: Language,
    pub config: &'a Config,
    pub places: Places<'a>,
    pub engines: &'a dyn Engines,
    /// Where the hook was called. A file outside of the project that has no configuration of its own, and gets none from the
    /// project, is looked at with that of this folder, as tools do that are started there.
    pub called_in: Option<&'a Path>,
}

impl Plan {
    pub fn of(request: &Request<'_>) -> Self {
        let Request { file, language, config, places, engines, called_in } = *request;
        let near = file.parent().unwrap_or_else(|| Path::new("/"));
        let extension = file.extension().and_then(|text| text.to_str()).unwrap_or_default();
        // Biome takes its settings from the project alone, wherever the hook was called.
        let of_biome = matches!(language, Language::TypeScript | Language::Json);
        let called_in = called_in.filter(|_| !near.starts_with(places.project) && !of_biome);
        let roots = Roots { near, project: places.project, called_in };
        let choices = Choices::new(&roots);
        let formats = config.auto_format;
        let mut plan = Plan {
            flags: flags(request, &roots, &choices),
            gentle: config.unconfigured == Unconfigured::Faults,
            formats_all: formats && config.formatting == Formatting::All,
            choices,
            ..Plan::default()
        };
        let choice = config.engine.of(language.key());
        let embedded = engines.stands_for(language, file);
        let excluded = is_excluded(file, places.project, config);
        let search = places.near(near);
        for linter in LINTERS {
            let wanted = linter.covers(language, extension)
                && linter.when.iter().all(|flag| plan.flags.has(flag))
                && !(linter.security && excluded);
            if !wanted {
                continue;
            }
            let configured = roots.nearest(linter.configs);
            if (linter.only_configured && configured.is_none()) || !plan.concerns(linter, formats) {
                continue;
            }
            let by_engine = choice != EngineChoice::External && embedded.contains(&linter.name);
            if by_engine && choice == EngineChoice::Embedded {
                continue;
            }
            if plan.flags.has("fixes_itself") && plan.flags.has("leaves_out") && linter.fixes_what_it_lints()
            {
                plan.unfit.push((linter, "its settings have it write into what it looks at"));
                continue;
            }
            let Some(located) = search.locate(linter) else {
                // JSON is formatted by Biome where it is there, and nobody misses it where it is not.
                if !by_engine && (language != Language::Json || configured.is_some()) {
                    plan.missing.push(linter);
                }
                continue;
            };
            // The tool itself is spared only where its engine is quicker, and where nobody has chosen it unless the engine's word is its own.
            let own_word = linter.agrees || !plan.gentle || !plan.choices.lints(linter);
            let spared = by_engine && !engines.is_slow(linter.name) && own_word;
            let place = match located {
                Located::Ready(place) => place,
                Located::Waits(waiting) => {
                    let formatter = formats && plan.rewrites(linter);
                    if plan.lacks(linter, spared, formatter, config.pace) {
                        plan.waiting.push(waiting);
                    }
                    continue;
                }
            };
            let cwd = configured.unwrap_or(places.project).to_owned();
            plan.add(Task { linter, place, cwd }, spared, config.pace);
        }
        plan.take_engines(request, embedded, excluded);
        let fixes = |task: &Task| task.linter.lint.as_ref().is_some_and(|job| job.fixes);
        plan.format.retain(|task| formats && (plan.formats_all || plan.choices.rewrites(task.linter)));
        plan.engine_formats = formats
            && plan.format.is_empty()
            && (plan.engine_formats || !plan.engine.is_empty())
            && !plan.lint.iter().any(fixes)
            // The engine does not format in place of a tool that it does not stand for.
            && plan.waiting.iter().all(|one| !one.linter.formats() || embedded.contains(&one.linter.name));
        plan
    }

    /// Which engines lint, now or later, and what follows for tools that are slow or missing.
    fn take_engines(&mut self, request: &Request<'_>, embedded: &[&'static str], excluded: bool) {
        let Request { file, language, config, engines, .. } = *request;
        let extension = file.extension().and_then(|text| text.to_str()).unwrap_or_default();
        let choice = config.engine.of(language.key());
        let plan = self;
        // Some engines have no tool beside them, so there is no choice.
        let wanted = |name: &&&'static str| match definition::find_or_plugin(name) {
            // Whoever lints scripts parses them too.
            None => **name != "syntax" || plan.lint.is_empty(),
            Some(linter) => {
                (choice != EngineChoice::External || plan.waits(name))
                    && linter.covers(language, extension)
                    && !(linter.security && excluded)
                    && !plan.runs(name)
                    && !plan.says_later(linter, name)
                    && (!plan.gentle || !linter.faults.is_empty() || plan.choices.hears(linter, name))
            }
        };
        let late = |name: &&'static str| config.pace == Pace::Fast && engines.is_slow(name);
        (plan.late_engine, plan.engine) = embedded.iter().filter(wanted).copied().partition(late);
        // A slow linter is better than none.
        if plan.lint.is_empty() && plan.engine.is_empty() {
            let (whole, one): (Vec<Task>, Vec<Task>) =
                plan.late.drain(..).partition(|task| task.linter.whole);
            (plan.late, plan.lint) = (whole, one);
        }
        // Who has not chosen a tool does not miss it, where something else looks for faults.
        if plan.gentle && !(plan.lint.is_empty() && plan.engine.is_empty()) {
            plan.missing.retain(|linter| plan.choices.lints(linter));
        }
    }

    /// Whether a linter has anything to do here: something that counts of what it finds, or a file to format.
    fn concerns(&self, linter: &Linter, formats: bool) -> bool {
        !self.gentle
            || !linter.faults.is_empty()
            || self.choices.lints(linter)
            || (formats && !linter.format.is_empty() && self.rewrites(linter))
    }

    /// Whether files may be rewritten by this tool.
    fn rewrites(&self, linter: &Linter) -> bool {
        self.formats_all || self.choices.rewrites(linter)
    }

    /// Whether the project wants its files to look as this formatter writes them.
    pub(crate) fn chose_format(&self, linter: &Linter) -> bool {
        self.formats_all || self.choices.formats(linter)
    }

    /// Whether the project wants what this linter fixes.
    pub(crate) fn chose_fixes(&self, linter: &Linter) -> bool {
        self.formats_all || self.choices.lints(linter)
    }

    /// Whether the engine does a tool's work, or all of it.
    fn spares(&self, linter: &Linter, by_engine: bool, pace: Pace) -> bool {
        // Schemas are the tool's alone: no engine reads them.
        by_engine && (pace == Pace::Fast || linter.linked) && !self.flags.has("schema")
    }

    /// Whether something is not done because this tool is not run. What its engine does instead is done.
    fn lacks(&mut self, linter: &Linter, by_engine: bool, formatter: bool, pace: Pace) -> bool {
        if by_engine && linter.linked {
            self.engine_formats = true;
        }
        let formats = formatter && !linter.format.is_empty();
        let lints = linter.lint.is_some() && !self.flags.has("json");
        !self.spares(linter, by_engine, pace) && (formats || lints)
    }

    fn add(&mut self, task: Task, by_engine: bool, pace: Pace) {
        let fast = pace == Pace::Fast;
        let spared = self.spares(task.linter, by_engine, pace);
        if by_engine && task.linter.linked {
            self.engine_formats = true;
        } else if !task.linter.format.is_empty() && !spared {
            self.format.push(task.clone());
        }
        if task.linter.lint.is_none() || self.flags.has("json") {
            return;
        }
        if task.linter.whole {
            self.whole.push(task);
        } else if fast && task.linter.slow {
            self.late.push(task);
        } else if spared {
            self.spared.push(task);
        } else {
            self.lint.push(task);
        }
    }

    /// What is asked of the engines in one go: those that share their work together, and each slow one for itself, because where
    /// one of a group fails the others have not been heard.
    pub fn engines(&self, engines: &dyn Engines) -> Vec<Vec<&'static str>> {
        let (slow, quick): (Vec<&'static str>, Vec<&'static str>) =
            self.engine.iter().partition(|name| engines.is_slow(name));
        let quick = (!quick.is_empty()).then_some(quick);
        quick.into_iter().chain(slow.into_iter().map(|name| vec![name])).collect()
    }

    /// Has slow tools asked at once, where nobody waits for an edit. Those whose engine answers already are spared, unless the project has chosen
    /// them.
    pub fn ask_late_tools(&mut self) {
        let spared = |task: &Task| !self.gentle && self.engine.iter().any(|name| task.linter.speaks_as(name));
        let (rest, now): (Vec<Task>, Vec<Task>) =
            std::mem::take(&mut self.late).into_iter().partition(spared);
        self.lint.extend(now);
        self.late = rest;
    }

    /// Takes tools out that have shown that they cannot be started.
    pub fn without(&mut self, is_dead: impl Fn(&Task) -> bool) {
        for tasks in [&mut self.format, &mut self.lint, &mut self.late, &mut self.whole] {
            tasks.retain(|task| !is_dead(task));
        }
    }

    /// Whether the project has chosen this linter, whatever counts of it here.
    pub fn is_chosen(&self, linter: &Linter) -> bool {
        self.choices.lints(linter)
    }

    /// Whether somebody is to look at the file after the edit.
    pub fn is_for_later(&self) -> bool {
        !self.late.is_empty() || !self.late_engine.is_empty() || !self.whole.is_empty()
    }

    /// Whether a violation is one for whoever set up the project.
    pub fn counts(&self, violation: &Violation) -> bool {
        if !self.gentle {
            return true;
        }
        let Some(linter) = definition::find_or_plugin(violation.linter) else { return true };
        let code = &violation.code;
        let by_engine_alone = violation.built_in
            && (linter.engine_errs(code) || (linter.settings_decide && !self.choices.configured(linter)));
        linter.is_fault(code)
            || (self.choices.hears(linter, violation.linter)
                && !by_engine_alone
                && !self.choices.has_a_word_on(linter, code))
    }

    /// Whether the project has chosen whoever found this.
    pub fn hears(&self, violation: &Violation) -> bool {
        definition::find_or_plugin(violation.linter)
            .is_none_or(|linter| self.choices.hears(linter, violation.linter))
    }

    /// The tool that alone formats here, lints too, and can do both at one look.
    pub(crate) fn glanced(&self) -> Option<&Task> {
        let [formatter] = &self.format[..] else { return None };
        formatter.linter.glance.as_ref()?;
        self.lint.iter().find(|task| task.linter.name == formatter.linter.name)
    }

    /// Whether the tool itself is there and waits for trust.
    fn waits(&self, linter: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting.linter.speaks_as(linter))
    }

    /// Whether the tool that the project has chosen speaks later, and the engine is not a match for it.
    fn says_later(&self, linter: &Linter, name: &str) -> bool {
        self.gentle
            && !linter.agrees
            && self.late.iter().any(|task| task.linter.speaks_as(name))
            && self.choices.hears(linter, name)
    }

    /// The tools of which plain faults count here, whatever rules the project has chosen.
    pub(crate) fn asked_for_faults(&self) -> impl Iterator<Item = &Task> {
        self.lint.iter().filter(|task| self.gentle && !task.linter.faults.is_empty())
    }

    /// Whether a linter's own word is had, so that the engine's word for it is not needed.
    pub fn runs(&self, linter: &str) -> bool {
        self.lint.iter().any(|task| task.linter.speaks_as(linter))
    }
}

fn flags(request: &Request<'_>, roots: &Roots<'_>, choices: &Choices) -> Flags {
    let Request { language, config, .. } = *request;
    let mut flags = Flags::default();
    let whole = config.auto_format && config.formatting == Formatting::All;
    // What a tool writes into the file itself cannot be held to the lines of the edit.
    flags.set("format", whole);
    match language {
        Language::Python => {
            flags.set("preview", config.unconfigured == Unconfigured::All);
            flags.set("defer", config.defer.iter().any(|code| !code.contains('/')));
            flags.set("whitelist", roots.nearest(&["vulture_whitelist.py"]).is_some());
            flags.set("ty_excludes", roots.mentions(&["ty.toml", "pyproject.toml"], "exclude"));
            flags.set("bandit", roots.mentions(&["pyproject.toml"], "[tool.bandit"));
            let chosen = |name: &str| definition::find(name).is_some_and(|linter| choices.formats(linter));
            let ruff = roots.nearest(&["ruff.toml", ".ruff.toml"]).is_some()
                || roots.mentions(&["pyproject.toml"], "[tool.ruff");
            let ruff = if whole { ruff } else { chosen("ruff") };
            flags.set("black", !ruff && chosen("black"));
        }
        Language::TypeScript | Language::Json => {
            let biome =
                roots.nearest(&["biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc"]).is_some();
            let code = language == Language::TypeScript;
            let named = |name: &str| {
                let linter = definition::find(name);
                let own: Vec<&str> = linter
                    .into_iter()
                    .flat_map(|l| l.configs.iter().copied())
                    .filter(|file| *file != "package.json")
                    .collect();
                roots.nearest(&own).is_some() || roots.mentions(&["package.json"], &format!("\"{name}\":"))
            };
            let eslint = code && !biome && named("eslint");
            let prettier = code && !biome && named("prettier");
            flags.set(if code { "code" } else { "json" }, true);
            let of_json = !code && config.typescript && (biome || whole);
            flags.set("biome", (code && !eslint && !prettier) || of_json);
            flags.set("eslint", eslint);
            flags.set("prettier", prettier);
            flags.set("whole", code && whole);
            flags.set("own_lines", code && !whole);
            flags.set("unsafe", code && whole && config.biome_unsafe_autofix);
            flags.set("tsgolint", config.oxlint_tsgolint);
            flags.set("tsgo", config.tsgo);
            flags.set("knip", config.knip);
            flags.set(
                "skip_imports",
                code && whole && config.defer.iter().any(|code| code == "lint/correctness/noUnusedImports"),
            );
        }
        Language::Markdown => {
            let own = definition::find("markdownlint-cli2").map_or(&[][..], |linter| linter.configs);
            let fixes = !whole && roots.sets(own, "fix");
            // A text on stdin is not written, but no list of files that are left out is looked at either.
            flags.set("fixes_itself", fixes);
            flags.set(
                "leaves_out",
                fixes && (roots.mentions(own, "ignores") || roots.mentions(own, "gitignore")),
            );
        }
        Language::Shell => flags.set("own_style", !roots.styles_scripts()),
        Language::Toml => {
            let named =
                files::read(request.file).ok().flatten().is_some_and(|text| text.contains("#:schema"));
            flags.set("schema", named || roots.mentions(&["taplo.toml", ".taplo.toml"], "schema"));
        }
        Language::Go => {
            let own = definition::find("golangci-lint").map_or(&[][..], |linter| linter.configs);
            flags.set("plain_go", roots.nearest(own).is_none());
        }
        _ => {}
    }
    flags
}

/// Whether the security linters leave this file out.
fn is_excluded(file: &Path, project: &Path, config: &Config) -> bool {
    let Ok(relative) = file.strip_prefix(project) else { return false };
    let relative = relative.to_string_lossy();
    // The older name counts where only it was set.
    let default = Config::default();
    let list = if config.security_linter_exclusions == default.security_linter_exclusions {
        &config.exclusions
    } else {
        &config.security_linter_exclusions
    };
    list.iter().any(|entry| {
        let entry = entry.trim_end_matches('*');
        !entry.is_empty() && relative.starts_with(entry)
    })
}
