//! What happens after an edit.

mod code_review;
mod journal;
mod lint;
mod plan_validate;
mod proof;
mod test_runner;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[
    &journal::CHECK,
    &lint::CHECK,
    &proof::CHECK,
    &code_review::CHECK,
    &plan_validate::CHECK,
    &test_runner::CHECK,
];
