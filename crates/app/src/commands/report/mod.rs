//! `plimsoll report`: the log as a page. `sections` and `decisions` are its parts, `charts` draws, `watch` serves it on this machine.

mod charts;
mod decisions;
mod html;
mod on;
mod page;
mod sections;
mod watch;

use std::path::PathBuf;

use anyhow::Context;
use state::{Machine, atomic};

use self::page::Wanted;
use super::stats::{self, Span};
use crate::exit;
use crate::ui::Printer;

/// Write what was decided as one page for a browser.
///
/// The page is one file that asks nobody for anything: what was stopped and why, whether that was right, what is slow, what is on. With
/// `--watch` it is served on this machine only, with new decisions as they come, until you end it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which days
    #[arg(value_enum, default_value_t = Span::Month)]
    span: Span,
    /// The file to write, `-` for stdout; `report.html` among Plimsoll's own records if not said
    #[arg(short, long, value_name = "FILE", conflicts_with = "watch")]
    output: Option<PathBuf>,
    /// Of all projects, not only this one
    #[arg(long)]
    all: bool,
    /// Serve the page on this machine, with decisions as they come
    #[arg(long)]
    watch: bool,
    /// Only print the address, without opening a browser
    #[arg(long, requires = "watch")]
    no_open: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let wanted = Wanted { all: args.all, span: args.span, live: args.watch };
    if args.watch {
        return watch::run(machine, printer, wanted, !args.no_open);
    }
    let page = page::page(machine, &stats::summary(machine, args.all), wanted);
    match args.output.as_deref() {
        Some(file) if file.as_os_str() == "-" => printer.text(&page),
        output => {
            let file = output
                .map_or_else(|| machine.state_dir().join("report.html"), |file| machine.cwd().join(file));
            atomic::write(&file, page.as_bytes())
                .with_context(|| format!("{} could not be written", file.display()))?;
            printer.line(&file.display().to_string());
        }
    }
    Ok(exit::OK)
}
