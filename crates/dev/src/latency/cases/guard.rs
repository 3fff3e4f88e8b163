//! A command before it runs.

use crate::latency::stage::shell;
use crate::latency::{Case, Stage};

const SUBJECT: &str = "before a command";

pub(super) fn cases(stage: &Stage) -> anyhow::Result<Vec<Case>> {
    let project = stage.small()?;
    let mut cases = Vec::new();
    for command in ["ls -la", "git status", "rm -rf /", "git push --force origin main"] {
        cases.push(stage.hook(SUBJECT, command, &project, "PreToolUse", &shell(command))?.at_most(1.5));
    }
    for (name, times, limit) in
        [("0.5 KB compound", 5, None), ("2.2 KB compound", 21, Some(2.2)), ("10 KB compound", 95, None)]
    {
        let command = compound(times);
        let mut case = stage.hook(SUBJECT, name, &project, "PreToolUse", &shell(&command))?;
        case.limit = limit;
        cases.push(case);
    }
    Ok(cases)
}

/// A line as agents write them, this many times over.
pub(crate) fn compound(times: usize) -> String {
    let part = "cd src && grep -rn \"needle\" --include='*.py' . | head -20; python -m pytest -q tests/test_app.py && ";
    part.repeat(times) + "git status"
}
