//! What no hook can be quicker than: a static program of the C library that does nothing, compiled at the time of measuring.
//! `/bin/true` is dynamic, and most of its time is its loader's; ours has none, so this is the harder comparison.

use std::process::Command;

use super::{Case, Stage};

pub(super) const NAME: &str = "a static C program";

const SOURCE: &str = "int main(void)\n{\n    return 0;\n}\n";

/// None where there is no C compiler, or none that links statically.
pub(super) fn static_noop(stage: &Stage) -> anyhow::Result<Option<Case>> {
    let (source, program) = (stage.file("noop.c"), stage.file("noop"));
    std::fs::write(&source, SOURCE)?;
    let compiled = Command::new("cc").args(["-static", "-O2", "-o"]).arg(&program).arg(&source).output();
    if !compiled.is_ok_and(|done| done.status.success()) {
        return Ok(None);
    }
    Ok(Some(stage.program("the floor", NAME, &program.to_string_lossy(), &[])))
}
