//! `plimsoll update`: the checkout that the hooks come from.

use anyhow::bail;
use state::config::{self, Trust};
use state::update::{self, Outcome, Way};
use state::{Machine, Project};

use crate::exit;
use crate::tasks::update::{named, said, short};
use crate::ui::{Printer, Tone};

/// Update the git checkout that your hooks come from. Plimsoll itself is updated the way it was installed.
///
/// It is the one that `update.checkout` names; else `~/.claude/hooks`, or a file in it, must be a link into a git checkout. It is
/// fast-forwarded, and only when it has no changes of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only say whether there is one
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let config = config::load(machine, &project, checks::role, Trust::Recorded).config;
    let named = named(machine, &project, &config);
    let Some(root) = update::checkout(machine, named.as_deref()) else {
        match named {
            Some(named) => bail!("update.checkout: {} is not a git repository", named.display()),
            None => bail!(
                "there is nothing to update: ~/.claude/hooks is not a link into a git checkout. For Plimsoll itself, {}",
                newer(machine)
            ),
        }
    };
    let way = if args.check { Way::Look } else { Way::Any };
    let Some(found) = update::run(machine, &root, way) else {
        bail!("another process is updating {} at this moment", root.display());
    };
    let here = root.display();
    match &found.outcome {
        Outcome::UpToDate => printer.toned(Tone::Good, &format!("{here} is up to date")),
        Outcome::LocalAhead => printer.line(&format!("{here} has commits that its remote does not")),
        Outcome::CheckFailed(why) => bail!("the remote of {here} could not be asked: {why}"),
        Outcome::Newer => {
            let (from, to) = (short(&found.sides.from), short(&found.sides.to));
            printer.toned(Tone::Warning, &format!("{here} can go from {from} to {to}"));
        }
        Outcome::Updated { settings_changed } => {
            printer.toned(Tone::Good, &said(&found));
            if *settings_changed {
                printer.toned(Tone::Warning, "settings.json changed: start the client anew");
            }
        }
        Outcome::FetchFailed(why) => bail!("nothing was updated: {why}"),
        Outcome::Conflict(why) => bail!("nothing was updated: {}", why.text(&root)),
        Outcome::Breaking => bail!("nothing was updated: it is another major version"),
    }
    Ok(exit::OK)
}

/// How this program gets a newer version of itself: as it was installed.
fn newer(machine: &Machine) -> String {
    let path = machine.executable().map(|path| path.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    let ways = [
        ("/node_modules/", "`npm install --global plimsoll@latest`"),
        ("/pipx/", "`pipx upgrade plimsoll-hooks`"),
        ("/uv/tools/", "`uv tool upgrade plimsoll-hooks`"),
        ("/site-packages/", "`pip install --upgrade plimsoll-hooks`"),
        ("/.cargo/bin/", "`cargo binstall plimsoll`"),
        ("/Cellar/", "`brew upgrade plimsoll`"),
        ("/mise/installs/", "`mise upgrade plimsoll`"),
        ("/nix/store/", "`nix profile upgrade plimsoll`"),
    ];
    let known =
        ways.iter().find(|(part, _)| path.contains(part)).map(|(_, command)| format!("run {command}"));
    known.unwrap_or_else(|| "install the new release over it: same package, same command".into())
}
