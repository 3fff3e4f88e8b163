//! `plimsoll init`: the set-up wizard. One screen of what it will do (`screen`), at most three questions (`questions`), one
//! confirmation, and only then the first byte is written. What is in the config file is `settings_file`'s.

mod questions;
mod screen;
mod settings_file;

use anyhow::Context;
use model::Config;
use model::config::Profile;
use state::config::{self, Layer, Loaded, Trust};
use state::{Machine, Project, exclude, files, native, trust};

use self::questions::{Answers, Chosen};
use super::plan::Plan;
use super::registration::{self, Wanted};
use super::survey::{self, Survey};
use super::{Scope, edit, peers};
use crate::commands::own_tools::{self, Tools};
use crate::fault::Fault;
use crate::ui::{Printer, Prompt, Tone};
use crate::{exit, person};

/// Set up this project: show what it will do, ask three questions, write the config, register the hooks.
///
/// Nothing is written before your yes; Ctrl-C and Ctrl-D are a no. Run again it shows the differences and keeps everything that it
/// does not know. A settings file keeps its other hooks, and a copy of it is saved first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ask nothing, take the safe defaults: profile `standard`, no model that fixes, Claude Code, no trust in the project's own tools
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
    /// Called by a repair: only what is written is told.
    #[arg(skip)]
    repairs: bool,
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
            repairs: true,
        }
    }
}

/// Everything that is known before the first question.
struct Visit<'a> {
    machine: &'a Machine,
    printer: &'a Printer,
    args: &'a Args,
    project: &'a Project,
    before: Loaded,
    survey: Survey,
    scope: Scope,
    /// Our hooks are in some settings already.
    rerun: bool,
    tools: Tools,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = if args.here { Project::only_here(machine) } else { Project::here(machine) };
    let before = config::load(machine, &project, checks::role, Trust::Recorded);
    let survey = survey::look(machine, &project.root);
    let rerun = !registration::registered(machine, &project).is_empty();
    let tools = own_tools::look(machine, &project, &before);
    let mut visit = Visit {
        machine,
        printer,
        args,
        project: &project,
        before,
        survey,
        scope: Scope::Project,
        rerun,
        tools,
    };
    let told = questions::named(machine, &args.agent)?;
    let claude = told.as_ref().is_none_or(|chosen| chosen.claude);
    visit.scope = args.scope.unwrap_or_else(|| if claude { visit.present_scope() } else { Scope::User });
    if told.as_ref().is_some_and(Chosen::is_nobody) {
        printer.line("no agent was found on this machine besides Claude Code");
        return Ok(exit::OK);
    }
    let asks = !args.yes && !args.dry_run;
    if asks && told.is_none() && !Prompt::has_terminal() {
        return Ok(nobody_to_ask(printer));
    }
    let prompt = Prompt::new(!asks);
    if claude && !args.repairs {
        visit.introduce();
    }
    let Some(answers) = visit.interview(&prompt, told) else { return Ok(stopped(printer)) };
    let (plan, settings) = visit.plan(&answers)?;
    if args.dry_run {
        plan.show(printer);
        if plan.is_empty() {
            printer.line("nothing would change");
        }
        return Ok(exit::OK);
    }
    let config = visit.after(&answers);
    // Where nobody is guarded yet, whatever the user chooses is more than before.
    let guarded = rerun || person::is_beneath_an_agent(machine);
    let less =
        args.fail_open || (guarded && strength(config.profile) < strength(visit.before.config.profile));
    let mut trusts = false;
    if less {
        visit.show_plan(&plan);
        if !person::agrees_to_less(machine, printer, "Guard less than before?", args.yes)? {
            return Ok(exit::FAILED);
        }
    } else if asks && !(plan.is_empty() && visit.tools.waiting.is_empty()) {
        if !Prompt::has_terminal() {
            return Ok(nobody_to_ask(printer));
        }
        visit.show_plan(&plan);
        match visit.confirm(&prompt) {
            Some(Consent::Yes) => {}
            Some(Consent::AndTools) => trusts = true,
            None => return Ok(stopped(printer)),
        }
    }
    let nothing_new = plan.is_empty();
    plan.write(machine, &project, printer)?;
    if answers.chosen.claude {
        settle_trust(machine, printer, &project, visit.before.untrusted.is_empty())?;
    }
    if args.repairs {
        return Ok(exit::OK);
    }
    visit.settle_tools(trusts)?;
    visit.finish(&answers.chosen, settings.as_deref(), nothing_new);
    Ok(exit::OK)
}

/// Without a terminal there is no clear answer, and without one nothing is written.
fn nobody_to_ask(printer: &Printer) -> u8 {
    printer.line("nothing was written");
    printer.note(
        "plimsoll: there is no terminal to ask on; `plimsoll init --yes` takes the safe defaults, `plimsoll init --dry-run` shows them",
    );
    exit::FAILED
}

fn stopped(printer: &Printer) -> u8 {
    printer.line("nothing was written");
    exit::FAILED
}

/// A yes to what was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Consent {
    Yes,
    /// And the project's own tools may run.
    AndTools,
}

impl Visit<'_> {
    /// Where the hooks are is where they stay, unless the user says otherwise.
    fn present_scope(&self) -> Scope {
        let files = registration::registered(self.machine, self.project);
        let has_ours = |scope: &Scope| {
            let file = scope.file(self.machine, self.project);
            file.is_some_and(|file| files.iter().any(|(known, _)| *known == file))
        };
        Scope::ALL.into_iter().find(has_ours).unwrap_or(Scope::Project)
    }

    /// Whose settings the answers are: with `--scope user` they are to hold where the hooks do, in all projects.
    fn layer(&self) -> Layer {
        if self.args.scope == Some(Scope::User) { Layer::User } else { Layer::Project }
    }

    /// The settings as they are once the answers are written: the hooks of the chosen profile are to be registered, not those of
    /// the one before. What the local file says stands above the answers, and what the project says above a user's.
    fn after(&self, answers: &Answers) -> Config {
        let mut config = self.before.config.clone();
        for (key, value) in &answers.settings {
            let stronger = match self.before.source(key) {
                Layer::Local => true,
                Layer::Project => self.layer() == Layer::User,
                _ => false,
            };
            if !stronger {
                config.set(key, value);
            }
        }
        config
    }

    /// What would be written, and the client's settings file.
    fn plan(&self, answers: &Answers) -> anyhow::Result<(Plan, Option<std::path::PathBuf>)> {
        let (machine, project) = (self.machine, self.project);
        let mut plan = Plan::default();
        let config = self.after(answers);
        let wanted = |scope: Scope| -> anyhow::Result<Wanted<'_>> {
            let (config, fail_open, shared) = (&config, self.args.fail_open, scope == Scope::Project);
            Ok(Wanted { config, program: program(machine, scope)?, fail_open, shared })
        };
        let mut settings = None;
        if answers.chosen.claude {
            let file = self.layer().file(machine, project);
            let file = file.context("there is no home directory for the user's settings")?;
            plan.make(&file, |text| settings_file::with(text, &answers.settings, self.layer()))?;
            let file = self.scope.file(machine, project);
            let file = file.with_context(|| {
                Fault::Environment("there is no home directory for the user's settings".into())
            })?;
            let plain =
                |text: &str| if answers.plain { edit::without_comments(text) } else { text.to_owned() };
            let wanted = wanted(self.scope)?;
            plan.put_in(
                &file,
                |text| registration::register(&plain(text), &wanted),
                registration::unregister,
            )?;
            settings = Some(file);
            if let Some(file) = exclude::file(project) {
                plan.put_in(&file, |text| Ok(exclude::add(text)), |text| Ok(exclude::remove(text)))?;
            }
            if self.args.strict_configs {
                for (name, text) in strict_configs(project, &self.survey) {
                    plan.change(&project.root.join(name), |_| Ok(text.to_owned()))?;
                }
            }
        }
        // Other agents are told for all projects, unless the user names a place.
        let scope = self.args.scope.unwrap_or(Scope::User);
        for dialect in &answers.chosen.peers {
            peers::register(machine, project, &mut plan, (dialect, scope), &wanted(scope)?)?;
        }
        Ok((plan, settings))
    }

    /// A project's own tools are its code: they run by the user's word alone.
    fn settle_tools(&self, trusts: bool) -> anyhow::Result<()> {
        if trusts {
            return trust::allow_tools(self.machine, self.project).context("the trust could not be recorded");
        }
        if !self.tools.waiting.is_empty() && self.args.agent.is_empty() {
            self.tools.show_programs(self.printer);
            self.printer.note("plimsoll: they do not run until you say so with `plimsoll trust`");
        }
        Ok(())
    }
}

/// How much a profile stops.
fn strength(profile: Profile) -> u8 {
    match profile {
        Profile::Observe => 0,
        Profile::Autonomous => 1,
        Profile::Guards => 2,
        Profile::Standard => 3,
        Profile::Strict => 4,
    }
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

/// In a shared file the name that every colleague's PATH knows; in one's own the full path, which needs no PATH. Always the native
/// program: a launcher in between would cost more than everything that we do.
fn program(machine: &Machine, scope: Scope) -> anyhow::Result<String> {
    let known = machine.find_program("plimsoll");
    if scope == Scope::Project && known.is_some_and(|path| native::is_program(&path)) {
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
            &printer.paint(Tone::Warning, &format!("{key} needs your consent: see `plimsoll trust show`")),
        );
    }
    Ok(())
}
