//! The task `churn`: counts what has changed since the plan, so that no gate has to.

use std::path::Path;

use super::Work;

pub(super) fn run(work: &Work<'_>, args: &[String]) -> Result<(), String> {
    let [plan] = args else { return Err("churn: which plan?".into()) };
    state::churn::churn(work.machine, Path::new(plan)).map(|_| ()).map_err(|error| format!("churn: {error}"))
}
