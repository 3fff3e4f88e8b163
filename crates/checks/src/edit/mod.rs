//! What happens after an edit.

crate::group! {
    journal,
    lint,
    proof,
    code_review,
    plan_validate,
    test_runner,
}
