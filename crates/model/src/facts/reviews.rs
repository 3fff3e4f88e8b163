//! A second opinion, over the network. A part of `Facts`.

use std::time::Duration;

use crate::{Conclusion, Question, Review, Reviewer, Unknown};

pub trait Reviews {
    /// Who can be asked for a second opinion, in the order to ask them.
    fn reviewers(&self) -> Vec<Reviewer>;

    /// Asks one of them, over the network, and waits no longer than `limit`. `earlier` is what another has said.
    fn review(
        &self,
        reviewer: Reviewer,
        question: &Question,
        earlier: Option<&Review>,
        limit: Duration,
    ) -> Result<Review, Unknown>;

    /// What came of the same question earlier in this session.
    fn remembered_review(&self, question: &Question) -> Option<Conclusion>;
}
