//! `plimsoll telemetry`: where records go, how far that is, and a try by hand.

use std::fmt::Write as _;

use anyhow::bail;
use serde_json::{Value as Json, json};
use state::config::{self, Trust};
use state::telemetry::{self, Standing};
use state::{Machine, Project};

use crate::exit;
use crate::ui::{Printer, Tone, human};

/// Where decisions and metrics are sent (`telemetry.endpoint`), and how far that is.
///
/// Sending is done in the background, at stops, at the end of a session and every few minutes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Send what waits now, and say what came of it
    #[arg(long)]
    send: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    if args.send {
        send(machine, &project, &loaded.config)?;
    }
    let standing = telemetry::standing(machine, &project, &loaded.config);
    let failed = standing.as_ref().is_some_and(|standing| standing.failed.is_some());
    if args.json {
        printer.json(&as_json(standing.as_ref()));
    } else {
        match &standing {
            None => printer.line("nothing is sent: no receiver is named; set telemetry.endpoint"),
            Some(standing) => {
                let (tone, text) = line(machine, standing);
                printer.toned(tone, &text);
            }
        }
    }
    Ok(if args.send && failed { exit::FAILED } else { exit::OK })
}

#[cfg(feature = "telemetry")]
fn send(machine: &Machine, project: &Project, config: &model::Config) -> anyhow::Result<()> {
    // What fails is in what is said next, too.
    let Err(why) = telemetry::send(machine, project, config) else { return Ok(()) };
    if telemetry::standing(machine, project, config).is_none_or(|standing| standing.failed.is_none()) {
        bail!("{why}");
    }
    Ok(())
}

#[cfg(not(feature = "telemetry"))]
fn send(_: &Machine, _: &Project, _: &model::Config) -> anyhow::Result<()> {
    bail!("this executable was built without telemetry")
}

/// One line, for `status` too.
pub(crate) fn line(machine: &Machine, standing: &Standing) -> (Tone, String) {
    // Writing to a string cannot fail.
    let mut text = match &standing.last {
        None if standing.to.is_empty() => "nothing is sent".to_owned(),
        None => format!("{}: nothing sent yet", standing.to),
        Some(last) => {
            let ago = match machine.now().saturating_sub(*last) {
                0 => "just now".to_owned(),
                seconds => format!("{} ago", human::duration(seconds.saturating_mul(1_000_000))),
            };
            format!("{}: {} records sent, the last {ago}", standing.to, human::count(standing.sent))
        }
    };
    if standing.waiting > 0 {
        let more = if standing.waiting == telemetry::MOST_COUNTED { " or more" } else { "" };
        let _ = write!(text, "; {}{more} wait", human::count(standing.waiting as u64));
    }
    if standing.lost > 0 {
        text.push_str("; some were removed from the log before they could be sent");
    }
    if standing.rejected > 0 {
        let _ = write!(text, "; the receiver rejected {}", human::count(standing.rejected));
    }
    match &standing.failed {
        Some(why) => (Tone::Bad, format!("{text}; {why}")),
        None => (Tone::Good, text),
    }
}

pub(crate) fn as_json(standing: Option<&Standing>) -> Json {
    standing.map_or(Json::Null, |standing| {
        json!({
            "to": standing.to, "sent": standing.sent, "waiting": standing.waiting, "last": standing.last,
            "lost": standing.lost, "rejected": standing.rejected, "failed": standing.failed,
        })
    })
}
