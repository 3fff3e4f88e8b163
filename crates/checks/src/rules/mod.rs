//! Rules that users write. `read` takes them from TOML, `scene` says whether one fits a call, `ground` whether any may, `own` is the check
//! that answers by them, `overrides` takes calls away from checks of ours, `cases` and `test` run what a rule promises, `import` reads the
//! rules of others.

mod added;
mod allow;
mod call;
pub mod cases;
mod ground;
pub mod import;
mod matching;
mod overrides;
mod own;
mod path;
mod read;
mod scene;
pub mod test;
pub mod wrappers;

use model::Level;

pub(crate) use matching::matched;
pub use matching::{Matched, found, found_by_trying_all, spans};
pub(crate) use overrides::Lifted;
pub use read::{Fault, Written, parse};

#[cfg(test)]
mod tests;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[&own::CHECK];

/// The check that answers by rules.
pub(crate) const OWN: &str = "rules/own";

/// Checks that no rule of anybody keeps from looking: they keep the guard itself.
const KEPT: &[&str] = &["file/agent-settings", "file/own-state", OWN];

/// Whether a user's rule may have this check not look at what it allows.
pub(crate) fn may_be_overridden(id: &str) -> Result<(), String> {
    let check = crate::find(id).ok_or_else(|| format!("overrides: unknown check {id}"))?;
    let meta = check.meta;
    if crate::is_kept(meta) || KEPT.contains(&id) {
        return Err(format!(
            "overrides: {id} stays in force; to switch it off, set \"checks\": {{\"{id}\": \"{}\"}}",
            Level::Off
        ));
    }
    Ok(())
}
