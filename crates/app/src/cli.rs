//! The commands for people. Doc comments here are the help texts and the reference page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use clap::{CommandFactory, Parser, Subcommand};
use state::Machine;

use crate::commands::{
    allow, approve, autonomy, check, checkpoint, completions, config, decisions, doctor, explain, log,
    memory, play, proof, quality, replay, selftest, setup, status, test, trust, update, worktree,
};
use crate::ui::Printer;
use crate::{commands, exit};

/// Answers every hook of a coding agent: stops what would do harm, keeps the rules out of its reach, asks when in doubt.
///
/// Start with `plimsoll try` to see it work, then `plimsoll init` in a project.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What each does is said by its `Args`.
#[derive(Debug, Subcommand)]
enum Command {
    Try(play::Args),
    Init(setup::init::Args),
    Uninstall(setup::uninstall::Args),
    Explain(explain::Args),
    Check(check::Args),
    Allow(allow::Args),
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
    Decisions(decisions::Args),
    Proof(proof::Args),
    Test(test::Args),
    Doctor(doctor::Args),
    Log(log::Args),
    Replay(replay::Args),
    Selftest(selftest::Args),
    /// Answer a hook: payload on stdin, answer on stdout (agents call this)
    Hook(HookArgs),
    /// Answer as one of the scripts that Plimsoll takes the place of
    Compat(CompatArgs),
    Tools(commands::tools::Args),
    Completions(completions::Args),
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
    run(machine, Cli::parse())
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
            exit::FAILED
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
        Command::Try(args) => play::run(machine, printer, &args),
        Command::Init(args) => setup::init::run(machine, printer, &args),
        Command::Uninstall(args) => setup::uninstall::run(machine, printer, &args),
        Command::Explain(args) => explain::run(machine, printer, &args),
        Command::Check(args) => check::run(machine, printer, &args),
        Command::Allow(args) => allow::run(machine, printer, &args),
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
        Command::Log(args) => log::run(machine, printer, &args),
        Command::Replay(args) => replay::run(machine, printer, &args),
        Command::Selftest(args) => selftest::run(machine, printer, &args),
        Command::Tools(args) => commands::tools::run(machine, printer, &args),
        Command::Completions(args) => completions::run(printer, &args),
        // Only reached for their help, which clap has printed by now.
        Command::Hook(_) | Command::Compat(_) => Ok(exit::OK),
    }
}
