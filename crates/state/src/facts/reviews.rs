//! A second opinion, over the network: answered from disk.

use std::time::Duration;

use model::{Conclusion, Question, Review, Reviewer, Reviews, Unknown};

use super::DiskFacts;
use crate::review;

impl Reviews for DiskFacts<'_> {
    fn reviewers(&self) -> Vec<Reviewer> {
        review::reviewers(self.machine, &self.loaded.config)
    }

    fn review(
        &self,
        reviewer: Reviewer,
        question: &Question,
        earlier: Option<&Review>,
        limit: Duration,
    ) -> Result<Review, Unknown> {
        let answer = review::ask(self.machine, &self.loaded.config, reviewer, question, earlier, limit);
        answer.map_err(|why| Unknown(why.to_string()))
    }

    fn remembered_review(&self, question: &Question) -> Option<Conclusion> {
        review::remembered(self.machine, self.project, self.session, question, self.belief)
    }
}
