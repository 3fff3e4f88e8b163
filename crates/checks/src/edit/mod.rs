//! What happens after an edit.

crate::group! {
    journal,
    proof,
    code_review,
    plan_validate,
    test_runner,
}
