//! `plimsoll init`: the set-up wizard.

use anyhow::Context;
use linters::Language;
use model::Config;
use model::config::Profile;
use serde_json::{Value as Json, json};
use state::config::{self, Layer, Trust};
use state::{Machine, Project, exclude, files, trust};

use super::plan::Plan;
use super::registration::{self, Wanted};
use super::survey::{self, Survey};
use super::{Scope, edit, peers};
use crate::commands::own_tools;
use crate::ui::{Printer, Prompt, Tone};
use crate::{exit, person};

/// Set up this project: ask a few questions, write the config, register the hooks.
///
/// Run again it offers changes one section at a time and keeps everything it does not know. The settings file keeps its
/// comments and its other hooks; a copy of it is saved first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ask nothing, take the defaults
    #[arg(short, long)]
    yes: bool,
    /// Set up the folder that you are in, though it is a part of a larger repository: for an agent that is started there
    #[arg(long)]
    here: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Register with these agents instead of Claude Code, by name; `all` for every one that is used on this machine
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 1..)]
    agent: Vec<String>,
    /// Where the hooks are registered [default: project; user with --agent]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// How much is on [default: standard]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Profile::NAMES))]
    profile: Option<String>,
    /// Let tool calls pass when the hook cannot run, fails or takes too long. By default such a call is blocked, and a colleague
    /// without plimsoll is told to install it or to switch the hooks off
    #[arg(long)]
    fail_open: bool,
    /// Write the strict configuration of every linter of the project's languages, where there is none yet, and settings by which
    /// all that they say of an edited file counts and each is formatted
    #[arg(long)]
    strict_configs: bool,
}

impl Args {
    /// With the defaults, asking nothing.
    pub(crate) fn quiet(scope: Option<Scope>) -> Self {
        Self {
            yes: true,
            here: false,
            dry_run: false,
            agent: Vec::new(),
            scope,
            profile: None,
            fail_open: false,
            strict_configs: false,
        }
    }
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let prompt = Prompt::new(args.yes);
    let project = choose_project(machine, &prompt, args);
    if !args.agent.iter().all(|name| name == "claude" || name == "claude-code") {
        return init_agents(machine, printer, args, &project);
    }
    let before = config::load(machine, &project, checks::role, Trust::Recorded);
    let survey = survey::look(machine, &project.root, &before.config);
    report(printer, &project, &survey);

    let config_file = Layer::Project.file(machine, &project).context("a project has a config file")?;
    let text =
        files::read(&config_file).with_context(|| format!("{} cannot be read", config_file.display()))?;
    let answers =
        Interview { args, prompt: &prompt, survey: &survey, config: &before.config, rerun: text.is_some() }
            .hold();
    let scope = args.scope.unwrap_or_else(|| choose_scope(&prompt, machine, &project));

    let mut plan = Plan::default();
    plan.change(&config_file, |text| {
        let (root, object) = edit::parse(text)?;
        for (key, value) in &answers {
            edit::set(&object, key, value);
        }
        Ok(root.to_string())
    })?;
    let settings =
        scope.file(machine, &project).context("there is no home directory for the user's settings")?;
    let config = with(&before, &answers);
    let wanted = Wanted {
        config: &config,
        program: program(machine, scope)?,
        fail_open: args.fail_open,
        shared: scope == Scope::Project,
    };
    plan.put_in(&settings, |text| registration::register(text, &wanted), registration::unregister)?;
    if let Some(file) = exclude::file(&project) {
        plan.put_in(&file, |text| Ok(exclude::add(text)), |text| Ok(exclude::remove(text)))?;
    }

    let strict = strict_configs(&project, &survey);
    let question = format!("Write strict configurations for linters that have none ({})?", names_of(&strict));
    if args.strict_configs || (!strict.is_empty() && text_is_new(&before) && prompt.confirm(&question, false))
    {
        for (name, text) in &strict {
            plan.change(&project.root.join(name), |_| Ok((*text).to_owned()))?;
        }
    }

    if args.dry_run {
        plan.show(printer);
        if plan.is_empty() {
            printer.line("nothing would change");
        }
        return Ok(exit::OK);
    }
    if (args.fail_open || strength(config.profile) < strength(before.config.profile))
        && !person::agrees_to_less(machine, printer, "Guard less than before?", args.yes)?
    {
        return Ok(exit::FAILED);
    }
    let nothing_new = plan.is_empty();
    plan.write(machine, &project, printer)?;
    settle_trust(machine, printer, &project, before.untrusted.is_empty())?;
    offer_tools(machine, printer, &prompt, &project)?;
    warn(machine, printer, &project, scope);
    if !files::read(&settings).ok().flatten().is_none_or(|text| registration::is_read_by_client(&text)) {
        let text = format!(
            "{} has comments, or a comma after the last entry: the client reads neither, and runs no hook of this file until you take them out",
            settings.display()
        );
        printer.note(&printer.paint(Tone::Warning, &text));
    }
    let others: Vec<&str> = peers::present(machine)
        .into_iter()
        .filter(|dialect| peers::registered(machine, &project, dialect).is_empty())
        .map(|dialect| dialect.id)
        .collect();
    if !others.is_empty() {
        printer.note(&format!(
            "plimsoll: also on this machine: {}; `plimsoll init --agent all` registers with them",
            others.join(", ")
        ));
    }
    let word =
        if nothing_new { "everything is in place already" } else { "done; start the agent in this project" };
    printer.toned(Tone::Good, word);
    Ok(exit::OK)
}

/// Registers with agents other than Claude Code. Their config is the project's all the same; only the hooks are registered here.
fn init_agents(machine: &Machine, printer: &Printer, args: &Args, project: &Project) -> anyhow::Result<u8> {
    let mut chosen: Vec<&'static agents::Dialect> = Vec::new();
    for name in &args.agent {
        if name == "all" {
            chosen.extend(peers::present(machine));
            continue;
        }
        let names = || peers::all().map(|dialect| dialect.id).collect::<Vec<_>>().join(", ");
        chosen.push(
            peers::find(name).with_context(|| format!("there is no agent {name}; there are {}", names()))?,
        );
    }
    if chosen.is_empty() {
        printer.line("no agent was found on this machine besides Claude Code");
        return Ok(exit::OK);
    }
    let scope = args.scope.unwrap_or(Scope::User);
    let config = config::load(machine, project, checks::role, Trust::Recorded).config;
    let shared = scope == Scope::Project;
    let wanted =
        Wanted { config: &config, program: program(machine, scope)?, fail_open: args.fail_open, shared };
    let mut plan = Plan::default();
    let mut files = Vec::new();
    for dialect in &chosen {
        let file = peers::register(machine, project, &mut plan, (dialect, scope), &wanted)?;
        files.push((dialect.name, file));
    }
    if args.dry_run {
        plan.show(printer);
        return Ok(exit::OK);
    }
    plan.write(machine, project, printer)?;
    for (name, file) in files {
        printer.toned(Tone::Good, &format!("{name}: registered in {}", file.display()));
    }
    for dialect in &chosen {
        peers::say_steps(printer, dialect);
    }
    Ok(exit::OK)
}

/// How much a profile stops.
fn strength(profile: Profile) -> u8 {
    match profile {
        Profile::Observe => 0,
        Profile::Autonomous => 1,
        Profile::Standard => 2,
        Profile::Strict => 3,
    }
}

/// The settings as they are once the answers are written: the hooks of the chosen profile are to be registered, not those of
/// the one before. What the local file says stands above the answers.
fn with(before: &config::Loaded, answers: &[(String, Json)]) -> Config {
    let mut config = before.config.clone();
    for (key, value) in answers {
        if before.source(key) != Layer::Local {
            config.set(key, value);
        }
    }
    config
}

/// The strict set, as far as the project has these languages and no file of that name.
fn strict_configs(project: &Project, survey: &Survey) -> Vec<(&'static str, &'static str)> {
    let of_a_language = |name: &str| {
        let mut readers = linters::LINTERS.iter().filter(|linter| linter.configs.contains(&name));
        readers.any(|linter| linter.languages.iter().any(|language| survey.languages.contains(language)))
    };
    let files = linters::strict::FILES.iter().copied();
    files.filter(|(name, _)| of_a_language(name) && !files::exists(&project.root.join(name))).collect()
}

fn names_of(files: &[(&str, &str)]) -> String {
    files.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Only those who set up a project for the first time are asked; later there is the option.
fn text_is_new(before: &config::Loaded) -> bool {
    before.sources.iter().all(|(_, layer)| *layer != Layer::Project)
}

/// The client reads the settings of the folder that it is started in, which may be a part of a repository.
fn choose_project(machine: &Machine, prompt: &Prompt, args: &Args) -> Project {
    let (around, here) = (Project::here(machine), Project::only_here(machine));
    let question = format!("Set up {} alone, instead of {}?", here.root.display(), around.root.display());
    if args.here || (around.root != here.root && prompt.confirm(&question, false)) { here } else { around }
}

fn report(printer: &Printer, project: &Project, survey: &Survey) {
    printer.toned(Tone::Title, &project.root.display().to_string());
    let names =
        |tools: &[&linters::Linter]| tools.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ");
    let languages: Vec<_> = survey.languages.iter().map(|language| language.key()).collect();
    printer.line(&format!(
        "languages: {}",
        if languages.is_empty() { "none found".into() } else { languages.join(", ") }
    ));
    if !survey.installed.is_empty() {
        printer.line(&format!("installed: {}", names(&survey.installed)));
    }
    if !survey.missing.is_empty() {
        let text =
            format!("not installed: {} (`plimsoll tools install NAME` gets one)", names(&survey.missing));
        printer.toned(Tone::Faint, &text);
    }
}

/// The questions, section by section. The first time each has an answer; later only what the user wants changed.
struct Interview<'a> {
    args: &'a Args,
    prompt: &'a Prompt,
    survey: &'a Survey,
    config: &'a Config,
    rerun: bool,
}

impl Interview<'_> {
    /// Keys and values to write.
    fn hold(&self) -> Vec<(String, Json)> {
        let mut answers = Vec::new();
        if let Some(profile) = &self.args.profile {
            answers.push(("profile".to_owned(), profile.as_str().into()));
        } else if self.wants("the profile") {
            let question = "Profile: observe only logs, standard guards, strict adds the practice gates, autonomous is for agents alone";
            let profile = self.prompt.choose(question, Profile::NAMES, self.config.profile.as_str());
            // What is in force already need not be written: it would stand above the user's own choice.
            if profile != self.config.profile.as_str() {
                answers.push(("profile".to_owned(), profile.into()));
            }
        }
        if self.wants("the languages") {
            for language in Language::ALL {
                answers.extend(self.language(language));
            }
        }
        self.linters(&mut answers);
        if self.wants("package managers") {
            let found = [("python", "uv", self.survey.uses_uv), ("javascript", "bun", self.survey.uses_bun)];
            for (ecosystem, tool, used) in found {
                let key = format!("package_managers.{ecosystem}");
                let (warn, found) = (format!("{tool}:warn"), if used { " (used here)" } else { "" });
                let question = format!(
                    "Package manager for {ecosystem}{found}: auto enforces {tool} where the project uses it"
                );
                let now = match self.config.get(&key) {
                    Json::String(text) => text,
                    _ => "off".to_owned(),
                };
                let answer = self.prompt.choose(&question, &["auto", tool, &warn, "off"], &now);
                if answer != "auto" || self.rerun {
                    answers.push((key, if answer == "off" { false.into() } else { answer.into() }));
                }
            }
        }
        answers
    }

    /// Linters, duplicates, and the model that fixes. Only what differs from what is in force is written.
    fn linters(&self, answers: &mut Vec<(String, Json)>) {
        let mut set = |key: &str, value: Json| {
            if self.config.get(key) != value {
                answers.push((key.to_owned(), value));
            }
        };
        let now = |key: &str| self.config.get(key).as_str().unwrap_or_default().to_owned();
        if self.args.strict_configs || self.wants("the linters") {
            let question =
                "Linters: embedded in this program, external tools on the machine, auto takes what is there";
            set(
                "engine",
                self.prompt.choose(question, &["auto", "embedded", "external"], &now("engine")).into(),
            );
            let question = "Pace: fast lets slow linters report later, thorough has each edit wait for them";
            set("pace", self.prompt.choose(question, &["fast", "thorough"], &now("pace")).into());
            // Who wants the strict set wants what it stands for, too.
            let strict = self.args.strict_configs;
            let default = |key: &str| if strict { "all".to_owned() } else { now(key) };
            let question = "Linters that the project has not chosen: only faults count, or all that they say";
            let answer = self.prompt.choose(question, &["faults", "all"], &default("unconfigured"));
            set("unconfigured", answer.into());
            let question = "Format edited files: where the project has chosen a formatter and the file was formatted, or all of them";
            let answer = self.prompt.choose(question, &["chosen", "all", "off"], &default("formatting"));
            set("phases.auto_format", (answer != "off").into());
            if answer != "off" {
                set("formatting", answer.into());
            }
            let whole = self.args.strict_configs || self.config.boy_scout;
            let on = self.prompt.confirm("Count what was wrong with a file before the edit, too?", whole);
            set("boy_scout", on.into());
        }
        // Without its tool, or a folder to look at, no answer would have an effect.
        if self.survey.seeks_duplicates && self.wants("the search for duplicates") {
            let threshold = self.config.jscpd_threshold.to_string();
            let mut choices = vec!["2", "3", "5", "10"];
            if !choices.contains(&threshold.as_str()) {
                choices.push(&threshold);
            }
            let question = "Edited files before jscpd looks for duplicates";
            let answer = self.prompt.choose(question, &choices, &threshold);
            set(
                "jscpd.session_threshold",
                answer.parse::<u64>().unwrap_or(self.config.jscpd_threshold).into(),
            );
            let advisory = self.prompt.confirm("Are duplicates only advice?", self.config.jscpd_advisory);
            set("jscpd.advisory_only", advisory.into());
        }
        if self.wants("the fixer") {
            let question = "Let a second model fix what linters find? It starts `claude -p` after an edit, which costs money and edits the file";
            let on = self.prompt.confirm(question, self.config.subprocess_delegation);
            set("phases.subprocess_delegation", on.into());
            if on {
                let before = self.config.global_model_override.clone().unwrap_or_else(|| "by rule".into());
                let models = ["by rule", "haiku", "sonnet", "opus"];
                let answer = self.prompt.choose("Which model fixes", &models, &before);
                let value = if answer == "by rule" { Json::Null } else { answer.into() };
                set("subprocess.global_model_override", value);
            }
        }
    }

    fn wants(&self, section: &str) -> bool {
        if self.rerun { self.prompt.confirm(&format!("Change {section}?"), false) } else { true }
    }

    fn language(&self, language: Language) -> Option<(String, Json)> {
        let key = match language {
            Language::TypeScript => "languages.typescript.enabled".to_owned(),
            // These two have no switch: their tools run where they are found.
            Language::Rust | Language::Go => return None,
            other => format!("languages.{}", other.key()),
        };
        let found = self.survey.languages.contains(&language);
        // TypeScript's tools are many; it is on only where it is used. The others cost nothing where there are no files.
        let default = match (self.rerun, language) {
            (true, _) => self.config.get(&key) == Json::Bool(true),
            (false, Language::TypeScript) => found,
            (false, _) => true,
        };
        let on =
            if found { self.prompt.confirm(&format!("Lint {}?", language.key()), default) } else { default };
        Some((key, json!(on)))
    }
}

fn choose_scope(prompt: &Prompt, machine: &Machine, project: &Project) -> Scope {
    // Where the hooks are is where they stay, unless the user says otherwise.
    let files = registration::registered(machine, project);
    let present = Scope::ALL.into_iter().find(|scope| {
        scope.file(machine, project).is_some_and(|file| files.iter().any(|(known, _)| *known == file))
    });
    if let Some(scope) = present {
        return scope;
    }
    let names = Scope::ALL.map(Scope::name);
    let answer = prompt.choose("Register the hooks in the settings of", &names, Scope::Project.name());
    Scope::ALL.into_iter().find(|scope| scope.name() == answer).unwrap_or(Scope::Project)
}

/// In a shared file the name that every colleague's PATH knows; in one's own the full path, which needs no PATH.
fn program(machine: &Machine, scope: Scope) -> anyhow::Result<String> {
    if scope == Scope::Project && machine.find_program("plimsoll").is_some() {
        return Ok("plimsoll".into());
    }
    let path = machine.executable().context("it is not known where this program lies")?;
    Ok(path.to_string_lossy().into_owned())
}

/// What the user has just answered is trusted. What was there before and waited still waits.
fn settle_trust(machine: &Machine, printer: &Printer, project: &Project, clean: bool) -> anyhow::Result<()> {
    let after = config::load(machine, project, checks::role, Trust::Recorded);
    if after.untrusted.is_empty() {
        return Ok(());
    }
    if clean {
        return trust::add(machine, project, &after.bound).context("the trust could not be recorded");
    }
    for key in after.untrusted.keys() {
        printer.note(
            &printer.paint(Tone::Warning, &format!("{key} waits for your word: see `plimsoll trust show`")),
        );
    }
    Ok(())
}

/// A project's own tools are its code. `--yes` takes the default, which is no.
fn offer_tools(
    machine: &Machine,
    printer: &Printer,
    prompt: &Prompt,
    project: &Project,
) -> anyhow::Result<()> {
    let loaded = config::load(machine, project, checks::role, Trust::Recorded);
    let tools = own_tools::look(machine, project, &loaded);
    if tools.waiting.is_empty() {
        return Ok(());
    }
    tools.show_programs(printer);
    if prompt.confirm(own_tools::QUESTION, false) {
        return trust::allow_tools(machine, project).context("the trust could not be recorded");
    }
    printer.note("plimsoll: they do not run until you say so with `plimsoll trust`");
    Ok(())
}

fn warn(machine: &Machine, printer: &Printer, project: &Project, scope: Scope) {
    if scope == Scope::Project && machine.find_program("plimsoll").is_none() {
        let text = "plimsoll is not on your PATH, so the shared settings name it by its full path on this machine; \
                    put it on PATH and run `plimsoll init` again before you commit them";
        printer.note(&printer.paint(Tone::Warning, text));
    }
    for scope in Scope::ALL {
        let Some(file) = scope.file(machine, project) else { continue };
        let settings = files::read(&file).ok().flatten().and_then(|text| config::parse(&text).ok());
        if settings.is_some_and(|settings| settings.get("disableAllHooks") == Some(&Json::Bool(true))) {
            let text = format!("{} has disableAllHooks: no hook will run", file.display());
            printer.note(&printer.paint(Tone::Warning, &text));
        }
    }
}
