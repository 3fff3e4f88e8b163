//! The parts of the page that show single decisions: the list with its filters, and whether they were right.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use model::Decision;
use state::log::rollup::Example;

use super::html::{self, Table, badge, escape, section};
use super::sections::Scope;
use crate::commands::stats;
use crate::ui::human;

/// What was stopped and why, newest first.
pub(super) fn list(scope: &Scope<'_>, live: bool) -> String {
    let from = scope.first * stats::DAY;
    let recent: Vec<&Example> = scope.summary.recent.iter().rev().filter(|one| one.seconds >= from).collect();
    if recent.is_empty() && !live {
        return section(
            "decisions",
            "What was stopped",
            "",
            &html::nothing("Nothing was stopped or asked about."),
        );
    }
    let rules: BTreeSet<&str> = recent.iter().flat_map(|one| one.rules.iter().map(String::as_str)).collect();
    let mut body = "<form class=\"filters\" role=\"search\" aria-label=\"Choose decisions\">\
        <fieldset><legend class=\"unseen\">Verdict</legend>"
        .to_owned();
    for (value, name) in [("", "All"), ("deny", "Refused"), ("ask", "Asked"), ("back", "Sent back")] {
        let checked = if value.is_empty() { " checked" } else { "" };
        let _ = write!(
            body,
            "<label><input type=\"radio\" name=\"verdict\" value=\"{value}\"{checked}> {name}</label>"
        );
    }
    body.push_str("</fieldset><label>Check <select name=\"rule\"><option value=\"\">any</option>");
    for rule in rules {
        let _ = write!(body, "<option>{}</option>", escape(rule));
    }
    body.push_str(
        "</select></label><label>Words <input type=\"search\" name=\"words\" autocomplete=\"off\" spellcheck=\"false\"></label>\
        <output name=\"shown\" aria-live=\"polite\"></output></form>",
    );
    let mut table = Table::new(
        "decision-list",
        "Decisions, latest first",
        &["When", "Verdict", "What and why", "Check", "Then"],
    );
    for one in &recent {
        let attributes = format!(
            " data-verdict=\"{}\" data-rules=\"{}\"",
            html::kind(&one.verdict, &one.event),
            escape(&one.rules.join(" "))
        );
        table.row_with(&attributes, &row(one));
    }
    body.push_str(&table.finish());
    let lead = if scope.summary.recent.len() >= state::log::rollup::Summary::MOST_RECENT {
        format!("The latest {}; <code>plimsoll log</code> has all.", state::log::rollup::Summary::MOST_RECENT)
    } else {
        String::new()
    };
    section("decisions", "What was stopped, and why", &lead, &body)
}

fn row(one: &Example) -> [String; 5] {
    let what = if one.tool.is_empty() { &one.event } else { &one.tool };
    let observed = if one.observed { " <span class=\"faint\">(only observed)</span>" } else { "" };
    let mut text =
        format!("<span class=\"tool\">{}</span> <code>{}</code>{observed}", escape(what), html::subject(one));
    for words in [&one.reason, &one.failure] {
        if !words.is_empty() {
            let _ = write!(text, "<span class=\"reason\">{}</span>", html::sentence(words));
        }
    }
    let rules: Vec<String> = one.rules.iter().map(|rule| format!("<code>{}</code>", escape(rule))).collect();
    [
        html::moment(one.seconds),
        badge(html::kind(&one.verdict, &one.event)),
        text,
        rules.join(" "),
        escape(&one.then),
    ]
}

/// By check: what the user did after a refusal or a question, and what would be decided now.
pub(super) fn right(scope: &Scope<'_>, again: &mut dyn FnMut(&Example) -> Option<Decision>) -> String {
    let mut now: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let from = scope.first * stats::DAY;
    for one in scope.summary.recent.iter().filter(|one| one.seconds >= from) {
        let Some(decision) = again(one) else { continue };
        for rule in &one.rules {
            let counts = now.entry(rule).or_default();
            counts.0 += 1;
            counts.1 += u64::from(decision < Decision::Ask);
        }
    }
    let mut rules: Vec<_> = stats::ranked(scope.day);
    rules.retain(|(id, rule)| {
        let then = rule.outcomes;
        then.allowed + then.approved + then.refused > 0 || now.get(id).is_some_and(|counts| counts.1 > 0)
    });
    let lead = "A refusal that you have let through by hand (<code>plimsoll allow</code>) is perhaps noise; a question that you nearly always \
                approve, too. “Now free” are commands of the list above that the present rules and settings would let through.";
    if rules.is_empty() {
        let text = "Nobody has overruled a refusal, and no question was answered.";
        return section("right", "Was it right?", lead, &html::nothing(text));
    }
    let overruled = |rule: &state::log::rollup::Rule| rule.outcomes.allowed + rule.outcomes.approved;
    rules.sort_by(|a, b| overruled(b.1).cmp(&overruled(a.1)).then(a.0.cmp(b.0)));
    let mut table = Table::new(
        "right-list",
        "What the user did afterwards",
        &["Check", ">Denied", ">Allowed by hand", ">Asked", ">Approved", ">Refused", ">Now free"],
    );
    for (id, rule) in rules {
        let cell = |what: &str, value: u64| html::count_or_dot(&format!("right.{id}.{what}"), value);
        let free = now.get(id).map_or(String::new(), |(judged, free)| {
            format!("{} of {}", human::count(*free), human::count(*judged))
        });
        table.row(&[
            format!("<code>{}</code>", escape(id)),
            cell("deny", rule.verdicts[3]),
            cell("allowed", rule.outcomes.allowed),
            cell("ask", rule.verdicts[2]),
            cell("approved", rule.outcomes.approved),
            cell("refused", rule.outcomes.refused),
            free,
        ]);
    }
    section("right", "Was it right?", lead, &table.finish())
}
