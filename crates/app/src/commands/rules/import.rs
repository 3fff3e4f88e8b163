//! `plimsoll rules import`: rules of other tools, as ours.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use checks::rules::import::{From, Imported, import};
use state::files;

use crate::exit;
use crate::ui::{Printer, Tone};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Settings of Claude Code, `.rules` of Codex, a rulebook of cc-safety-net, or the configuration or allow list of dcg
    file: PathBuf,
    /// What the file is; by its looks, if not given
    #[arg(long, value_name = "TOOL")]
    from: Option<Tool>,
    /// The first word of the rules' names
    #[arg(long, value_name = "TEAM", default_value = "imported")]
    team: String,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tool {
    ClaudeCode,
    Codex,
    CcSafetyNet,
    Dcg,
}

pub(super) fn run(printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let text = files::read(&args.file)
        .with_context(|| format!("{} cannot be read", args.file.display()))?
        .with_context(|| format!("there is no file {}", args.file.display()))?;
    let from = args.from.map(|tool| match tool {
        Tool::ClaudeCode => From::ClaudeCode,
        Tool::Codex => From::Codex,
        Tool::CcSafetyNet => From::CcSafetyNet,
        Tool::Dcg => From::Dcg,
    });
    let Some(from) = from.or_else(|| From::guess(&args.file.to_string_lossy(), &text)) else {
        bail!("{} looks like none of the files that are known; say which with --from", args.file.display());
    };
    let Imported { toml, same, left_out, count } =
        import(from, &text, &args.team).map_err(|why| anyhow::anyhow!("{}: {why}", args.file.display()))?;
    printer.text(&toml);
    for line in &same {
        printer.note(line);
    }
    for line in &left_out {
        printer.note(&printer.paint(Tone::Warning, &format!("left out: {line}")));
    }
    let rules = if count == 1 { "rule" } else { "rules" };
    printer.note(&format!("{count} {rules}, {} left out", left_out.len()));
    if count > 0 && std::io::stdout().is_terminal() {
        printer.note(
            "plimsoll: nothing was written. Run this again with `>> ~/.claude/hooks/rules.toml`, read what it says, and then \
             `plimsoll rules check`",
        );
    }
    Ok(exit::OK)
}
