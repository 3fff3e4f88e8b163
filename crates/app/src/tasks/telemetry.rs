//! The task `telemetry`: sends to a team's receiver what the log has and the receiver has not.

use super::Work;

#[cfg(feature = "telemetry")]
pub(super) fn run(work: &Work<'_>, _: &[String]) -> Result<(), String> {
    use state::config::{self, Trust};
    let config = config::load(work.machine, &work.project, checks::role, Trust::Recorded).config;
    state::telemetry::send(work.machine, &work.project, &config).map_err(|why| format!("telemetry: {why}"))
}

#[cfg(not(feature = "telemetry"))]
pub(super) fn run(_: &Work<'_>, _: &[String]) -> Result<(), String> {
    Err("telemetry: this executable was built without it".into())
}
