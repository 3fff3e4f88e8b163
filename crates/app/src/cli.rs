//! The commands for people. Doc comments here are the help texts and the reference page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::{CommandFactory, Parser, Subcommand};
use state::Machine;

use crate::commands::{
    allow, approve, autonomy, check, checkpoint, clear_warning, completions, config, decisions, doctor,
    explain, log, man, memory, proof, quality, replay, report, rules, selftest, setup, stats, status,
    telemetry, test, trust, r#try, update, worktree,
};
use crate::ui::Printer;
use crate::{commands, exit};

/// The version, and what it was built from.
pub(crate) const VERSION: &str = env!("PLIMSOLL_VERSION");

/// Answers every hook of a coding agent: stops what would do harm, keeps the rules out of its reach, asks when in doubt.
///
/// Start with `plimsoll try` to see it work, then `plimsoll init` in a project.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version = VERSION, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What each does is said by its `Args`.
#[derive(Debug, Subcommand)]
enum Command {
    Try(r#try::Args),
    Init(setup::init::Args),
    Uninstall(setup::uninstall::Args),
    Explain(explain::Args),
    Check(check::Args),
    Allow(allow::Args),
    ClearWarning(clear_warning::Args),
    Approve(approve::Args),
    Trust(trust::Args),
    Autonomy(autonomy::Args),
    Checkpoint(checkpoint::Args),
    Memory(memory::Args),
    Quality(quality::Args),
    Worktree(worktree::Args),
    Update(update::Args),
    Config(config::Args),
    Status(status::Args),
    Telemetry(telemetry::Args),
    Decisions(decisions::Args),
    Proof(proof::Args),
    Test(test::Args),
    Doctor(doctor::Args),
    Log(log::Args),
    Stats(stats::Args),
    Report(report::Args),
    Replay(replay::Args),
    Rules(rules::Args),
    Selftest(selftest::Args),
    /// Answer a hook: payload on stdin, answer on stdout (agents call this)
    Hook(HookArgs),
    /// Answer as one of the scripts that Plimsoll replaces
    Compat(CompatArgs),
    Tools(commands::tools::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// For the help text; `hook.rs` reads these by hand, because clap costs a fifth of the whole run.
#[derive(Debug, clap::Args)]
struct HookArgs {
    /// The agent that calls, as registered; known by the shape of its payload, if not given
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The agent's own name of the event, for payloads that do not say
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Run only these checks, separated by commas
    #[arg(long, value_name = "CHECK,…")]
    only: Option<String>,
    /// How to answer: `claude`, or `legacy` for {"decision": "block" | "approve"}
    #[arg(long, default_value = "claude")]
    dialect: String,
    /// Seconds that the agent gives the hook, as registered
    #[arg(long, default_value_t = 60)]
    deadline: u64,
    /// Ignored: words for whoever sees in the client that plimsoll could not be started
    #[arg(long)]
    note: Option<String>,
    /// Called by the plugin: say nothing where the settings register Plimsoll too
    #[arg(long)]
    plugin: bool,
}

#[derive(Debug, clap::Args)]
struct CompatArgs {
    /// The script's name, without `.sh`
    name: String,
    /// The script's own arguments
    args: Vec<String>,
}

/// The command line as data, for completions and the reference page.
pub fn command() -> clap::Command {
    Cli::command()
}

/// A command by other words: what an older program was called with.
pub(crate) fn forward(machine: &Machine, command: &str, words: &[String]) -> u8 {
    let words = ["plimsoll", command].into_iter().chain(words.iter().map(String::as_str));
    run(machine, Cli::parse_from(words))
}

pub(crate) fn main(machine: &Machine) -> u8 {
    match Cli::try_parse() {
        Ok(cli) => run(machine, cli),
        Err(error) => {
            let code = error.exit_code();
            // Where nothing can be printed there is nobody to tell.
            let _ = error.print();
            if is_command_in_pieces(&error, &machine.arguments()) {
                Printer::new(machine).note("A command is one word here: put it in quotes.");
            }
            u8::try_from(code).unwrap_or(exit::FAILED)
        }
    }
}

/// Whether somebody wrote `plimsoll explain git push` for `plimsoll explain 'git push'`.
fn is_command_in_pieces(error: &clap::Error, words: &[String]) -> bool {
    let takes_one = words.first().is_some_and(|verb| ["allow", "explain", "try"].contains(&verb.as_str()));
    let plain = words.get(1).is_some_and(|word| !word.starts_with('-'));
    takes_one && plain && words.len() > 2 && error.kind() == clap::error::ErrorKind::UnknownArgument
}

fn run(machine: &Machine, cli: Cli) -> u8 {
    let printer = Printer::new(machine);
    let done = catch_unwind(AssertUnwindSafe(|| {
        crate::person::permitted(machine)?;
        dispatch(machine, &printer, cli.command)
    }));
    match done {
        Ok(Ok(code)) => match printer.finish() {
            Ok(()) => code,
            Err(error) => {
                printer.note(&format!("plimsoll: the output could not be written: {error}"));
                exit::FAILED
            }
        },
        Ok(Err(error)) => {
            printer.note(&format!("plimsoll: {error:#}"));
            crate::fault::code(&error)
        }
        // The panic itself has been printed, with its place.
        Err(_) => {
            printer
                .note("plimsoll: this is a fault in Plimsoll itself; please report it with the lines above");
            exit::BUG
        }
    }
}

fn dispatch(machine: &Machine, printer: &Printer, command: Command) -> anyhow::Result<u8> {
    match command {
        Command::Try(args) => r#try::run(machine, printer, &args),
        Command::Init(args) => setup::init::run(machine, printer, &args),
        Command::Uninstall(args) => setup::uninstall::run(machine, printer, &args),
        Command::Explain(args) => explain::run(machine, printer, &args),
        Command::Check(args) => check::run(machine, printer, &args),
        Command::Allow(args) => allow::run(machine, printer, &args),
        Command::ClearWarning(args) => clear_warning::run(machine, printer, &args),
        Command::Approve(args) => approve::run(machine, printer, &args),
        Command::Checkpoint(args) => checkpoint::run(machine, printer, &args),
        Command::Memory(args) => memory::run(machine, printer, &args),
        Command::Quality(args) => quality::run(machine, printer, &args),
        Command::Worktree(args) => worktree::run(machine, printer, &args),
        Command::Update(args) => update::run(machine, printer, &args),
        Command::Autonomy(args) => autonomy::run(machine, printer, &args),
        Command::Trust(args) => trust::run(machine, printer, &args),
        Command::Config(args) => config::run(machine, printer, &args),
        Command::Decisions(args) => decisions::run(machine, printer, &args),
        Command::Proof(args) => proof::run(machine, printer, &args),
        Command::Test(args) => test::run(machine, printer, &args),
        Command::Doctor(args) => doctor::run(machine, printer, &args),
        Command::Status(args) => status::run(machine, printer, &args),
        Command::Telemetry(args) => telemetry::run(machine, printer, &args),
        Command::Log(args) => log::run(machine, printer, &args),
        Command::Stats(args) => stats::run(machine, printer, &args),
        Command::Report(args) => report::run(machine, printer, &args),
        Command::Replay(args) => replay::run(machine, printer, &args),
        Command::Rules(args) => rules::run(machine, printer, &args),
        Command::Selftest(args) => selftest::run(machine, printer, &args),
        Command::Tools(args) => commands::tools::run(machine, printer, &args),
        Command::Completions(args) => completions::run(printer, &args),
        Command::Man(args) => man::run(printer, &args),
        // Only reached for their help, which clap has printed by now.
        Command::Hook(_) | Command::Compat(_) => Ok(exit::OK),
    }
}
