//! The task `churn`: counts what has changed since the plan, so that no gate has to.

use std::path::Path;

use anyhow::{Context, bail};

use super::Work;

pub(super) fn run(work: &Work<'_>, args: &[String]) -> anyhow::Result<()> {
    let [plan] = args else { bail!("churn: which plan?") };
    state::churn::churn(work.machine, Path::new(plan)).context("churn")?;
    Ok(())
}
