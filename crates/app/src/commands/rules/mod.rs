//! `plimsoll rules`: rules of the user's own, read, tested, shown, made and taken over from other tools.
//!
//! `check` runs what rules promise, `show` says what is there, `new` makes one from an example, `import` takes over others', `attempt`
//! judges recorded sessions with more rules.

mod attempt;
mod check;
mod import;
mod new;
mod show;

use std::path::PathBuf;

use model::rule::Author;
use state::config::{self, Trust};
use state::{Machine, Project, files};

use crate::fault::Fault;
use crate::rules::{Made, Standing};
use crate::ui::Printer;

/// Check, test, show, write and import rules of your own.
///
/// Rules stand in `~/.claude/hooks/rules.toml`, `<project>/.claude/hooks/rules.toml`, the files of `rules.d/` beside each, and what
/// `rules.shared` in your settings names. docs/guide/rules.md says how they are written.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Read all rules, run their cases, and name what is odd; exit code 1 if anything is wrong
    Check {
        /// Only this file, as if it were your own
        file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run the cases, and each that fires in all wrappers; exit code 1 if one fails
    Test {
        /// Only this rule
        rule: Option<String>,
        /// The rules of this file, as if it were your own
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the rules, where they stand and whether they count
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a rule, and mark in its cases, or in a command, what it is about
    Explain {
        rule: String,
        /// A command instead of the cases
        command: Option<String>,
    },
    /// Print a new rule, made from an example
    New {
        /// Its name, such as `acme/prod-apply`
        id: String,
        /// A command that it is about
        example: Option<String>,
        /// What follows: deny, ask, allow, warn, context or rewrite
        #[arg(long, default_value = "deny")]
        then: String,
    },
    /// Print the rules of another tool as rules of ours, and list what cannot be said
    Import(import::Args),
    /// Judge recorded sessions again with one rule more, or with all rules of a file
    Try(attempt::Args),
    /// Propose rules for what you approved by hand again and again
    Suggest(attempt::SuggestArgs),
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    match &args.verb {
        Verb::Check { file, json } => check::check(machine, printer, file.as_deref(), *json),
        Verb::Test { rule, file, json } => {
            check::test(machine, printer, rule.as_deref(), file.as_deref(), *json)
        }
        Verb::List { json } => {
            show::list(machine, printer, *json);
            Ok(crate::exit::OK)
        }
        Verb::Explain { rule, command } => show::explain(machine, printer, rule, command.as_deref()),
        Verb::New { id, example, then } => new::run(machine, printer, id, example.as_deref(), then),
        Verb::Import(args) => import::run(printer, args),
        Verb::Try(args) => attempt::run(machine, printer, args),
        Verb::Suggest(args) => attempt::suggest(machine, printer, args),
    }
}

/// All rules here.
fn here(machine: &Machine) -> Made {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    Made::here(machine, &project, &loaded)
}

/// The rules of one file, as if it were the user's own.
fn of_file(file: &std::path::Path) -> anyhow::Result<Made> {
    use anyhow::Context as _;
    let text = files::read(file)
        .with_context(|| format!("{} cannot be read", file.display()))?
        .with_context(|| format!("there is no file {}", file.display()))?;
    let name = file.display().to_string();
    let written = checks::rules::parse(&text, Author::User, &name);
    let written = written.map_err(|fault| Fault::Configuration(format!("{name}: {fault}")))?;
    let rules = written.into_iter().map(|written| Standing { written, waits: false }).collect();
    Ok(Made { rules, troubles: Vec::new() })
}

/// Where a rule stands.
fn place(rule: &model::rule::Rule) -> String {
    if rule.line == 0 { rule.file.clone() } else { format!("{}:{}", rule.file, rule.line) }
}
