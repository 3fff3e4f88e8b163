//! `cargo dev secrets`: how well masking does on what others know. `recall` makes keys from the rules of kingfisher, which then has to
//! find them itself, and counts those that we mask; `files` counts what is masked in trees that hold no secrets, `cost` what looking takes.

mod cost;
mod files;
mod hiding;
mod kinds;
mod plant;
mod recall;

use std::path::PathBuf;

/// Measure how secrets and hidden instructions are found.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Plant keys by the rules of kingfisher, and count those that are masked.
    Recall {
        /// The executable of kingfisher (`kingfisher-bin` of PyPI)
        #[arg(long)]
        oracle: PathBuf,
        /// Keys of each format
        #[arg(long, default_value_t = 5)]
        each: usize,
        /// Where the random numbers begin
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Name what was not masked
        #[arg(long)]
        missed: bool,
    },
    /// Hide the payloads of a file (a JSON list of texts) in every way, and count those that are shown.
    Hidden {
        payloads: PathBuf,
        /// Name what was not shown
        #[arg(long)]
        missed: bool,
    },
    /// Count the instructions that a byte takes, for each kind of text. Fails above a limit.
    Cost {
        /// These files, too
        files: Vec<PathBuf>,
    },
    /// Look through installed trees, and name what would be masked or warned about.
    Files {
        #[arg(required = true)]
        folders: Vec<PathBuf>,
        /// At most so many files
        #[arg(long, default_value_t = usize::MAX)]
        most: usize,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.verb {
        Verb::Recall { oracle, each, seed, missed } => recall::run(oracle, *each, *seed, *missed),
        Verb::Hidden { payloads, missed } => hiding::run(payloads, *missed),
        Verb::Cost { files } => cost::run(files),
        Verb::Files { folders, most } => files::run(folders, *most),
    }
}
