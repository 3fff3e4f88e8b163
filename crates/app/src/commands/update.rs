//! `plimsoll update`: the checkout that the hooks come from.

use anyhow::{anyhow, bail};
use state::Machine;
use state::update::{self, Looked, Taken};

use crate::exit;
use crate::tasks::Work;
use crate::ui::{Printer, Tone};

/// Take in a newer version of the checkout that your hooks come from.
///
/// `~/.claude/hooks`, or a file in it, must be a link into a git checkout. It is fast-forwarded, and only when it has no changes
/// of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only say whether there is one
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let Some(root) = update::checkout(machine) else {
        bail!("~/.claude/hooks is no link into a git checkout, so there is nothing to update");
    };
    match update::look(machine, &root)? {
        Looked::UpToDate => printer.toned(Tone::Good, &format!("{} is up to date", root.display())),
        Looked::LocalAhead => {
            printer.line(&format!("{} has commits that its remote does not", root.display()));
        }
        Looked::Failed(why) => bail!("the remote of {} could not be asked: {why}", root.display()),
        Looked::Newer(from, to) if args.check => {
            printer.toned(
                Tone::Warning,
                &format!("{} can go from {} to {}", root.display(), short(&from), short(&to)),
            );
        }
        Looked::Newer(..) => {
            let taken =
                update::take(machine, &root, true).map_err(|why| anyhow!("nothing was updated: {why}"))?;
            printer.toned(Tone::Good, &said(&taken));
            if taken.settings_changed {
                printer.toned(Tone::Warning, "settings.json changed: start the client anew");
            }
        }
    }
    Ok(exit::OK)
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

fn said(taken: &Taken) -> String {
    format!("updated from {} to {}", short(&taken.from), short(&taken.to))
}

/// The same without anybody waiting: the task `toolkit-update`.
pub(crate) fn in_the_background(work: &Work<'_>, _: &[String]) -> Result<(), String> {
    let machine = work.machine;
    if update::is_off(machine) {
        return Ok(());
    }
    let Some(root) = update::checkout(machine) else { return Ok(()) };
    let text = match update::look(machine, &root).map_err(|error| error.to_string())? {
        Looked::UpToDate | Looked::LocalAhead => return Ok(()),
        Looked::Failed(why) => return Err(why),
        Looked::Newer(..) => match update::take(machine, &root, false) {
            Ok(taken) if taken.settings_changed => {
                update::restart_notice("settings.json changed in this update")
            }
            Ok(taken) => format!("[hook:advisory] {}: {}", root.display(), said(&taken)),
            Err(why) => format!("[hook:advisory] there is a newer version for {}: {why}", root.display()),
        },
    };
    let mail = model::Mail { key: "update".into(), text, to: model::Reader::Person };
    state::mail::post(machine, &work.project, &work.session, &mail).map_err(|error| error.to_string())
}
