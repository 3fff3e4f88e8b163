//! The task `update`: the checkout that the hooks come from, brought forward while nobody waits.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use model::{Config, Mail, Reader};
use state::config::{self, Trust};
use state::update::{self, Found, Outcome, Way};
use state::{Machine, Project};

use super::Work;

/// What the setting `update.checkout` names.
pub(crate) fn named(machine: &Machine, project: &Project, config: &Config) -> Option<PathBuf> {
    let text = config.update_checkout.as_ref()?;
    Some(model::path::absolute(Path::new(text), &project.root, machine.home().as_deref()))
}

pub(super) fn run(work: &Work<'_>, _: &[String]) -> anyhow::Result<()> {
    let machine = work.machine;
    let config = config::load(machine, &work.project, checks::role, Trust::Recorded).config;
    let named = named(machine, &work.project, &config);
    let Some(root) = update::checkout(machine, named.as_deref()) else {
        return match named {
            Some(named) => bail!("update.checkout: {} is not a git repository", named.display()),
            None => Ok(()),
        };
    };
    if update::is_off(machine, Some(&root)) {
        return Ok(());
    }
    let found = update::write_status(machine, &work.project, &root, Way::Safe).context("update")?;
    let Some(text) = found.map_or(Ok(None), |found| news(&root, &found))? else { return Ok(()) };
    let mail = Mail { key: "update".into(), text, to: Reader::Person };
    Ok(state::mail::post(machine, &work.project, &work.session, &mail)?)
}

/// What the user is told with the next answer.
fn news(root: &Path, found: &Found) -> anyhow::Result<Option<String>> {
    let advice = |why: &str| {
        Ok(Some(format!("[hook:advisory] there is a newer version for {}: {why}", root.display())))
    };
    match &found.outcome {
        Outcome::UpToDate | Outcome::LocalAhead | Outcome::Newer => Ok(None),
        Outcome::CheckFailed(why) | Outcome::FetchFailed(why) => bail!("{why}"),
        Outcome::Updated { settings_changed: true } => Ok(Some(update::restart_notice())),
        Outcome::Updated { .. } => Ok(Some(format!("[hook:advisory] {}: {}", root.display(), said(found)))),
        Outcome::Breaking => {
            advice("it is another major version; read its notes, then run `plimsoll update`")
        }
        Outcome::Conflict(why) => advice(&why.text(root)),
    }
}

pub(crate) fn said(found: &Found) -> String {
    format!("updated from {} to {}", short(&found.sides.from), short(&found.sides.to))
}

pub(crate) fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
