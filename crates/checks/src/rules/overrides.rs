//! Rules of the user's own that keep a check of ours from looking at what they allow. Nothing is lowered: the calls are not in the reading
//! that this check sees. Looked up only after a refusal, as allowances are.

use std::collections::BTreeSet;

use model::Event;
use model::rule::{Author, Fit, Key};
use shell::{Call, Reading};

use super::matching::Matched;
use super::matching::matched;
use crate::Context;
use crate::context::View;

/// What each check does not see.
pub(crate) struct Lifted {
    /// By the check's id, with the reading that it gets; without one where it does not run at all.
    by_check: Vec<(String, Option<View>)>,
    used: Vec<(String, String)>,
}

impl Lifted {
    /// `None` where no rule keeps a check from looking. `allowed` is the reading without what the user lets through anyway.
    pub(crate) fn of(event: &Event, cx: &Context<'_>, allowed: Option<&Reading>) -> Option<Self> {
        let book = cx.facts.rules().filter(|book| book.has(Key::Overrides))?;
        let view = View::default();
        let cx = &cx.about(&view);
        let counts = |one: &Matched| {
            one.fit == Fit::Yes && one.rule.by != Author::Project && !one.rule.overrides.is_empty()
        };
        let found: Vec<Matched> = matched(event, cx, book).into_iter().filter(counts).collect();
        let checks: BTreeSet<&str> =
            found.iter().flat_map(|one| &one.rule.overrides).map(String::as_str).collect();
        let mut lifted = Self { by_check: Vec::new(), used: Vec::new() };
        for id in checks.into_iter().filter(|id| super::may_be_overridden(id).is_ok()) {
            let held = crate::find(id).is_some_and(|check| cx.config.floor.holds(check.meta));
            let names = |one: &&Matched| {
                (!held || one.rule.by == Author::Policy) && one.rule.overrides.iter().any(|known| known == id)
            };
            let for_it: Vec<&Matched> = found.iter().filter(names).collect();
            let Some(first) = for_it.first() else { continue };
            let view = match cx.reading(event) {
                Some(reading) => match without(allowed.unwrap_or(reading), reading, &for_it, cx) {
                    Some(reading) => Some(View::of(reading)),
                    None => continue,
                },
                // Of several files a rule may mean one.
                None if event.edits().len() > 1 => continue,
                None if !for_it.iter().any(|one| super::allow::covers(&one.rule, event, cx)) => continue,
                None => None,
            };
            lifted.used.push((first.rule.id.clone(), id.to_owned()));
            lifted.by_check.push((id.to_owned(), view));
        }
        (!lifted.by_check.is_empty()).then_some(lifted)
    }

    /// Whether this check does not look at all.
    pub(crate) fn spares(&self, id: &str) -> bool {
        self.by_check.iter().any(|(known, view)| known == id && view.is_none())
    }

    pub(crate) fn view(&self, id: &str) -> Option<&View> {
        self.by_check.iter().find(|(known, _)| known == id).and_then(|(_, view)| view.as_ref())
    }

    /// For the log.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.used.iter().map(|(rule, check)| format!("the user's rule {rule} overrides {check}"))
    }
}

/// The reading without the calls that the rules fit; those that are left keep their places. What is run by another user, elsewhere, or
/// writes beside what it does is not what a rule allows.
fn without(left: &Reading, whole: &Reading, rules: &[&Matched], cx: &Context<'_>) -> Option<Reading> {
    let plain = |at: &usize| super::allow::is_plain(&whole.calls[*at], cx);
    let places: BTreeSet<usize> = rules.iter().filter_map(|one| one.call).filter(plain).collect();
    if places.is_empty() {
        return None;
    }
    let mut left = left.clone();
    places.into_iter().for_each(|at| left.calls[at] = Call::default());
    Some(left)
}
