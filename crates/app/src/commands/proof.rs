//! `plimsoll proof`: the user's word that the work does what it should. Run by an agent it is a question to the user.

use anyhow::Context;
use model::state_files::{Proof, Record, TestStatus};
use model::time;
use serde_json::json;
use state::written::{self, Belief};
use state::{Machine, Project, evidence, git, records};

use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Confirm that you have seen the work do what it should, or show whether you have.
///
/// A commit in the profile `strict` needs it. It is void when source changes afterwards.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// You have seen it work
    Verify {
        /// Agree, where there is no terminal to ask on
        #[arg(long)]
        yes: bool,
    },
    /// What is recorded
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take it back
    Reset,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    // In a linked work tree its own evidence counts.
    let project = Project::here(machine);
    let record = |change: Record| {
        records::change(machine, &project, Proof::FILE, &change).context("the proof could not be recorded")
    };
    match args.verb {
        Verb::Verify { yes } => {
            if !person::agrees(machine, printer, "Have you seen it work?", yes) {
                return Ok(exit::FAILED);
            }
            let at = machine.now();
            record(Record::Write(Proof { verified: true, at }.to_string()))?;
            evidence::prove(machine, &project.root, at).context("the proof could not be recorded")?;
            printer
                .toned(Tone::Good, &format!("verified: the work in {} as it is now", project.root.display()));
        }
        Verb::Reset => {
            record(Record::Remove)?;
            evidence::disprove(machine, &project.root).context("the proof could not be taken back")?;
            printer.line("there is no proof of work any more");
        }
        Verb::Status { json } => status(machine, printer, &project, json)?,
    }
    Ok(exit::OK)
}

fn status(machine: &Machine, printer: &Printer, project: &Project, json: bool) -> anyhow::Result<()> {
    let read = |name: &str| {
        written::read(machine, &project.claude_dir().join(name), Belief::Ours).map(Option::unwrap_or_default)
    };
    let proof = Proof::parse(&read(Proof::FILE)?);
    let tests = TestStatus::parse(&read(TestStatus::FILE)?);
    let branch = git::Repository::find(&project.root).and_then(|repository| repository.head().branch);
    if json {
        printer.json(&json!({
            "project": project.root,
            "branch": branch,
            "status": proof.map_or("missing", |proof| proof.word()),
            "at": proof.map(|proof| time::rfc3339(proof.at)),
            "tests": tests.map(|tests| tests.result.as_str()),
        }));
        return Ok(());
    }
    let (tone, text) = match proof {
        Some(proof) if proof.verified => (Tone::Good, format!("verified at {}", time::rfc3339(proof.at))),
        Some(proof) => {
            (Tone::Warning, format!("pending: source has changed since, at {}", time::rfc3339(proof.at)))
        }
        None => (
            Tone::Warning,
            "missing: the user has not confirmed that it works; they can with `plimsoll proof verify`"
                .to_owned(),
        ),
    };
    printer.toned(tone, &text);
    Ok(())
}
