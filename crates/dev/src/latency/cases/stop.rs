//! The end of a turn.

use crate::latency::stage::stop;
use crate::latency::{Case, Stage};

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let project = stage.small()?;
    Ok(vec![stage.hook("a stop", "nothing changed", &project, "Stop", &stop())?.dear()])
}
