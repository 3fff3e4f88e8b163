//! The task `telemetry`: sends to a team's receiver what the log has and the receiver has not.

use super::Work;

#[cfg(feature = "telemetry")]
pub(super) fn run(work: &Work<'_>, _: &[String]) -> anyhow::Result<()> {
    use anyhow::Context;
    use state::config::{self, Trust};
    let config = config::load(work.machine, &work.project, checks::role, Trust::Recorded).config;
    state::telemetry::send(work.machine, &work.project, &config).context("telemetry")
}

#[cfg(not(feature = "telemetry"))]
pub(super) fn run(_: &Work<'_>, _: &[String]) -> anyhow::Result<()> {
    anyhow::bail!("telemetry: this executable was built without it")
}
