//! What the people who work on Plimsoll run, as `cargo dev <command>`. Nothing of it is shipped. One file per command.

#![expect(clippy::disallowed_methods, reason = "not shipped: it works on the checkout, not for an agent")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "not shipped: a user reads what it prints")]

mod agreement;
#[cfg_attr(not(feature = "engines"), path = "conformance/handed_on.rs")]
mod conformance;
#[cfg(test)]
mod docs;
mod generate;
mod latency;
#[cfg(test)]
mod layout;
mod link_order;
mod live;
mod new_check;
mod picture;
mod real_commits;
mod real_projects;
mod record;
mod secrets;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development commands of Plimsoll.
#[derive(Debug, Parser)]
#[command(name = "cargo dev", bin_name = "cargo dev", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// What a command is for stands at its `Args`.
#[derive(Debug, Subcommand)]
enum Command {
    Agreement(agreement::Args),
    Generate(generate::Args),
    NewCheck(new_check::Args),
    Latency(latency::Args),
    Conformance(conformance::Args),
    LinkOrder(link_order::Args),
    Live(live::Args),
    Picture(picture::Args),
    RealCommits(real_commits::Args),
    RealProjects(real_projects::Args),
    Record(record::Args),
    Secrets(secrets::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Agreement(args) => agreement::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::NewCheck(args) => new_check::run(&args),
        Command::Latency(args) => latency::run(&args),
        Command::Conformance(args) => conformance::run(&args),
        Command::LinkOrder(args) => link_order::run(&args),
        Command::Live(args) => live::run(&args),
        Command::Picture(args) => picture::run(&args),
        Command::RealCommits(args) => real_commits::run(&args),
        Command::RealProjects(args) => real_projects::run(&args),
        Command::Record(args) => record::run(&args),
        Command::Secrets(args) => secrets::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo dev: {error:#}");
            ExitCode::FAILURE
        }
    }
}
