//! `commands.md`: the command line, walked as clap knows it, so that the page does not depend on a terminal's width.

use clap::builder::PossibleValue;
use clap::{Arg, Command};

use super::markdown::{Document, code, codes, plain, sentence};

pub(super) fn page() -> String {
    let mut page = Document::new("Commands", "crates/app/src");
    page.block("Every command also takes `--help`.");
    let mut root = plimsoll::cli::command();
    // Gives the subcommands their full names.
    root.build();
    section(&mut page, root);
    page.finish()
}

/// A command and those below it.
fn section(page: &mut Document, mut command: Command) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    // `plimsoll` and `plimsoll config` are equals on the page, `plimsoll config show` is a part of the latter.
    page.heading(name.split(' ').count().max(2), &code(&name));
    if let Some(about) = command.get_long_about().or_else(|| command.get_about()) {
        for paragraph in about.to_string().split("\n\n") {
            page.block(&sentence(paragraph));
        }
    }
    let usage = command.render_usage().to_string();
    page.fence(usage.trim_start_matches("Usage: "));
    let shown = |arg: &&Arg| arg.get_id() != "help" && !arg.is_hide_set();
    let arguments: Vec<String> = command.get_arguments().filter(shown).map(argument).collect();
    if !arguments.is_empty() {
        page.list(&arguments);
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set())
    {
        section(page, below.clone());
    }
}

fn argument(arg: &Arg) -> String {
    // As clap shows it: `<NAME>`, `[FILES]...`, `--for <TIME>`.
    let long = arg.to_string();
    let name = match arg.get_short() {
        Some(short) if arg.get_long().is_some() => format!("-{short}, {long}"),
        _ => long,
    };
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut parts = vec![format!("{}: {}", code(&name), sentence(&help))];
    if arg.get_action().takes_values() {
        let values: Vec<PossibleValue> =
            arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
        if !values.is_empty() {
            parts.push(format!("One of {}.", values.iter().map(choice).collect::<Vec<_>>().join(", ")));
        }
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            parts.push(format!("Default: {}.", codes(defaults.iter().map(AsRef::as_ref))));
        }
    }
    parts.join(" ")
}

fn choice(value: &PossibleValue) -> String {
    let name = code(value.get_name());
    value.get_help().map_or_else(|| name.clone(), |help| format!("{name} ({})", plain(&help.to_string())))
}
