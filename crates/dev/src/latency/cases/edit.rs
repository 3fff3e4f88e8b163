//! An edit, before it happens.

use crate::latency::stage::edit;
use crate::latency::{Case, Stage};

const SUBJECT: &str = "before an edit";

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let project = stage.small()?;
    let case = |name, file| stage.hook(SUBJECT, name, &project, "PreToolUse", &edit(&project, file));
    Ok(vec![
        case("an ordinary file", "src/app.py")?.at_most(1.3),
        case("a protected file", ".ruff.toml")?.at_most(1.3),
    ])
}
