//! `commands.md`: the command line, walked as clap knows it, so that the page does not depend on a terminal's width.

use clap::builder::PossibleValue;
use clap::{Arg, Command};

use super::markdown::{Document, code, codes, one_line, plain};

pub(super) fn page() -> String {
    let mut page = Document::new("Commands", "crates/app/src/cli.rs");
    page.block("Every command also takes `--help`.");
    let mut root = plimsoll::cli::command();
    // Gives the subcommands their full names.
    root.build();
    section(&mut page, root, 2);
    page.finish()
}

fn section(page: &mut Document, mut command: Command, level: usize) {
    page.heading(level, &code(command.get_bin_name().unwrap_or_else(|| command.get_name())));
    if let Some(about) = command.get_long_about().or_else(|| command.get_about()) {
        for paragraph in about.to_string().split("\n\n") {
            page.block(&plain(&one_line(paragraph)));
        }
    }
    let usage = command.render_usage().to_string();
    page.fence("", usage.trim_start_matches("Usage: "));
    let arguments = command.get_arguments().filter(|arg| arg.get_id() != "help" && !arg.is_hide_set());
    let items: Vec<String> = arguments.map(argument).collect();
    if !items.is_empty() {
        page.list(&items);
    }
    // What stands below the program itself is a command in its own right.
    let below = level.max(2) + usize::from(page_is_nested(&command));
    for subcommand in command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set()) {
        section(page, subcommand.clone(), below);
    }
}
