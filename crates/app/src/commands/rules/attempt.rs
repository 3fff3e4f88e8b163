//! `plimsoll rules try` and `suggest`: replays, with more rules or for new ones.

use anyhow::bail;
use state::{Machine, files};

use super::super::replay;
use super::{here, of_file};
use crate::ui::Printer;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file of rules, or the id of one that is written here and does not count yet
    rule: String,
    /// Only calls of this last time, such as `12h` or `30d`
    #[arg(long, value_name = "TIME")]
    last: Option<String>,
    /// Sessions of all projects, not only of this one
    #[arg(long)]
    all: bool,
    /// Exit code 1 where a call would be refused that was let through
    #[arg(long)]
    fail_on_deny: bool,
    /// Recordings, or folders of them, instead of the sessions of this project
    #[arg(long, value_name = "FILE")]
    from: Vec<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SuggestArgs {
    /// Only calls of this last time, such as `12h` or `30d`
    #[arg(long, value_name = "TIME", default_value = "30d")]
    last: String,
    /// Sessions of all projects, not only of this one
    #[arg(long)]
    all: bool,
    /// Recordings, or folders of them, instead of the sessions of this project
    #[arg(long, value_name = "FILE")]
    from: Vec<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let path = std::path::Path::new(&args.rule);
    let made = if files::is_file(path) { of_file(path)? } else { here(machine) };
    let rules = made.rules.into_iter().map(|standing| standing.written.rule);
    let rules: Vec<_> = rules.filter(|rule| files::is_file(path) || rule.id == args.rule).collect();
    if rules.is_empty() {
        bail!("{} is neither a file of rules nor the id of one; `plimsoll rules list` shows them", args.rule);
    }
    replay::with_rules(
        machine,
        printer,
        rules,
        &replay::Args::of(args.from.clone(), args.all, args.last.clone(), args.json, args.fail_on_deny),
    )
}

pub(super) fn suggest(machine: &Machine, printer: &Printer, args: &SuggestArgs) -> anyhow::Result<u8> {
    let args = replay::Args::of(args.from.clone(), args.all, Some(args.last.clone()), args.json, false);
    replay::run(machine, printer, &args.suggesting())
}
