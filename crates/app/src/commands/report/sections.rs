//! The parts of the page that count: overview, time, checks, durations, linters, sessions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use state::log::rollup::{Day, Summary};

use super::charts::{self, Bar};
use super::html::{self, Table, count, escape, section, time};
use crate::commands::stats::{self, DAY, Span};
use crate::ui::human;

/// What the page is about.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) summary: &'a Summary,
    /// All days of the span as one.
    pub(super) day: &'a Day,
    pub(super) span: Span,
    /// The project's folder; empty where it is about all of them.
    pub(super) root: &'a str,
    /// Counted from 1970.
    pub(super) first: u64,
    pub(super) today: u64,
}

const VERDICTS: [&str; 4] = ["none", "allow", "ask", "deny"];

pub(super) fn overview(scope: &Scope<'_>) -> String {
    let day = scope.day;
    let [none, allow, ask, deny] = day.verdicts();
    let found: u64 = day.findings.values().sum();
    let [passed, failed, unknown] = day.tests;
    let sessions = stats::sessions_since(scope.summary, scope.first);
    let mean = day.waited().checked_div(day.calls()).unwrap_or(0);
    let mut cards = vec![
        (
            "Hook calls",
            count("calls", day.calls()),
            format!("in {} sessions", count("sessions", sessions)),
            "",
        ),
        (
            "Calls refused",
            count("refused", day.refused()),
            format!("{} then allowed by hand", count("then.allowed", day.outcomes.allowed)),
            "deny",
        ),
        (
            "Sent back",
            count("back", deny.saturating_sub(day.refused())),
            "edits with findings, held stops".to_owned(),
            "back",
        ),
        (
            "Asked",
            count("verdict.ask", ask),
            format!(
                "{} approved, {} refused",
                count("then.approved", day.outcomes.approved),
                count("then.refused", day.outcomes.refused)
            ),
            "ask",
        ),
        (
            "Allowed",
            count("verdict.allow", allow),
            format!("{} without comment", count("verdict.none", none)),
            "allow",
        ),
        (
            "Waited for hooks",
            time("waited", day.waited()),
            format!("{} on average", escape(&human::duration(mean))),
            "",
        ),
        ("Findings fixed", count("fixed", day.fixed), format!("{} found", count("found", found)), ""),
        (
            "Test runs",
            count("tests", passed + failed + unknown),
            format!("{} passed, {} failed", count("tests.pass", passed), count("tests.fail", failed)),
            "",
        ),
    ];
    if day.fixer.runs > 0 {
        let tokens = day.fixer.tokens_in + day.fixer.tokens_out;
        let money = html::number(
            "fixer.microdollars",
            day.fixer.microdollars,
            &stats::dollars(day.fixer.microdollars),
        );
        let detail =
            format!("{} runs, {} tokens", count("fixer.runs", day.fixer.runs), count("fixer.tokens", tokens));
        cards.push(("Model fixes", money, detail, ""));
    }
    if day.failures > 0 {
        cards.push(("Faults", count("failures", day.failures), "in Plimsoll itself".into(), "ask"));
    }
    let mut body = "<ul class=\"cards\">".to_owned();
    for (name, value, detail, class) in cards {
        let _ = write!(
            body,
            "<li class=\"card {class}\"><span class=\"name\">{name}</span><span class=\"value\">{value}</span><span class=\"detail\">{detail}</span></li>"
        );
    }
    body.push_str("</ul>");
    section("overview", "Overview", "", &body)
}

pub(super) fn timeline(scope: &Scope<'_>) -> String {
    let (bars, names) = if scope.span == Span::Today { by_hour(scope) } else { by_day(scope) };
    if bars.iter().all(|[none, allow, ask, deny]| none + allow + ask + deny == 0) {
        return section("timeline", "Over time", "", &html::nothing("Nothing happened in this time."));
    }
    let chart = |title: &str, keep: &[usize], height: u64| {
        let bars: Vec<Bar> = bars
            .iter()
            .zip(&names)
            .map(|(counts, (name, _))| Bar {
                label: name.clone(),
                parts: keep.iter().map(|at| (VERDICTS[*at], counts[*at])).collect(),
            })
            .collect();
        let most =
            bars.iter().map(|bar| bar.parts.iter().map(|(_, value)| value).sum::<u64>()).max().unwrap_or(0);
        let ends = (names.first(), names.last());
        let (first, last) = (ends.0.map_or("", |n| &n.0), ends.1.map_or("", |n| &n.0));
        format!(
            "<figure><figcaption><span>{title}</span><span class=\"faint\">at most {}</span></figcaption>{}<div class=\"ends\" aria-hidden=\"true\"><span>{first}</span><span>{last}</span></div></figure>",
            human::count(most),
            charts::bars(title, &bars, height)
        )
    };
    let mut body = chart("Denied and asked", &[3, 2], 120);
    body.push_str(&chart("All hook calls", &[0, 1, 2, 3], 56));
    let mut table =
        Table::new("days", "Hook calls over time", &["When", ">Denied", ">Asked", ">Allowed", ">No word"]);
    for (counts, (name, key)) in bars.iter().zip(&names).rev() {
        if counts.iter().sum::<u64>() == 0 {
            continue;
        }
        let cell = |at: usize| count(&format!("{key}.{}", VERDICTS[at]), counts[at]);
        table.row(&[escape(name), cell(3), cell(2), cell(1), cell(0)]);
    }
    let _ = write!(body, "<details><summary>The same as a table</summary>{}</details>", table.finish());
    let legend = "<span class=\"key deny\">denied</span> <span class=\"key ask\">asked</span> <span class=\"key allow\">allowed</span> <span class=\"key none\">no word</span> <span class=\"apart\">Denied are refused calls and what was sent back. Days are those of UTC.</span>";
    section("timeline", "Over time", legend, &body)
}

type Bars = (Vec<[u64; 4]>, Vec<(String, String)>);

fn by_day(scope: &Scope<'_>) -> Bars {
    // Not more than a screen has room for.
    let first = match scope.span {
        Span::Ever => scope.summary.days.keys().next().copied().unwrap_or(scope.today),
        _ => scope.first,
    };
    let first = first.max(scope.today.saturating_sub(119));
    let days = first..=scope.today.max(first);
    let counts = |day: u64| scope.summary.days.get(&day).map_or([0; 4], Day::verdicts);
    days.map(|day| (counts(day), (html::day(day), format!("day.{}", html::date(day))))).unzip()
}

fn by_hour(scope: &Scope<'_>) -> Bars {
    let today = scope.summary.days.get(&scope.today);
    let counts = |hour: u64| today.and_then(|day| day.hours.get(&hour)).copied().unwrap_or([0; 4]);
    (0..24).map(|hour| (counts(hour), (format!("{hour:02}:00"), format!("hour.{hour}")))).unzip()
}

pub(super) fn rules(scope: &Scope<'_>) -> String {
    const MOST: usize = 40;
    let ranked = stats::ranked(scope.day);
    if ranked.is_empty() {
        return section("checks", "Checks", "", &html::nothing("No check had anything to say."));
    }
    let most = ranked.iter().map(|(_, rule)| rule.verdicts[3] + rule.verdicts[2]).max().unwrap_or(0);
    let mut table = Table::new(
        "rules",
        "Checks by how often they spoke",
        &["Check", ">Denied", ">Asked", ">Allowed", "Share", "Latest"],
    );
    for (id, rule) in ranked.iter().take(MOST) {
        let cell = |at: usize| html::count_or_dot(&format!("rule.{id}.{}", VERDICTS[at]), rule.verdicts[at]);
        let latest = scope.summary.examples.get(*id).and_then(|list| list.last());
        let latest = latest.map_or(String::new(), |one| {
            let reason = if one.reason.is_empty() {
                String::new()
            } else {
                format!("<span class=\"reason\">{}</span>", html::sentence(&one.reason))
            };
            format!("<code>{}</code>{reason}", html::subject(one))
        });
        let share = charts::share(&[("deny", rule.verdicts[3]), ("ask", rule.verdicts[2])], most);
        table.row(&[format!("<code>{}</code>", escape(id)), cell(3), cell(2), cell(1), share, latest]);
    }
    let mut body = table.finish();
    if ranked.len() > MOST {
        let _ = write!(body, "<p class=\"faint\">And {} more.</p>", ranked.len() - MOST);
    }
    section("checks", "Checks", "What each is for: <code>plimsoll explain CHECK</code>.", &body)
}

pub(super) fn latency(scope: &Scope<'_>) -> String {
    let mut events: Vec<_> = scope.day.events.iter().collect();
    if events.is_empty() {
        return section("latency", "How long it took", "", &html::nothing("No hook was called."));
    }
    events.sort_by(|a, b| b.1.micros.cmp(&a.1.micros).then(a.0.cmp(b.0)));
    let mut table = Table::new(
        "events",
        "Durations by event",
        &["Event", ">Calls", ">In all", ">Median", ">95 %", ">99 %", ">Longest", "0.1 ms to 1 min"],
    );
    for (event, times) in events {
        let name = if event.is_empty() { "(not readable)" } else { event };
        let cell = |percent: u64| time(&format!("event.{event}.p{percent}"), times.percentile(percent));
        table.row(&[
            escape(name),
            count(&format!("event.{event}.count"), times.count),
            time(&format!("event.{event}.micros"), times.micros),
            cell(50),
            cell(95),
            cell(99),
            time(&format!("event.{event}.longest"), times.longest),
            charts::range(times.percentile(50), times.percentile(95), times.percentile(99)),
        ]);
    }
    let lead = "How long agents have waited for an answer; percentiles to two digits. <code>plimsoll log --slow</code> names the calls.";
    section("latency", "How long it took", lead, &table.finish())
}

pub(super) fn linters(scope: &Scope<'_>) -> String {
    let day = scope.day;
    if day.findings.is_empty() {
        return section("linters", "Linters", "", &html::nothing("Linters had nothing to say."));
    }
    let table = |id: &str, caption: &str, column: &'static str, key: &str, map: &BTreeMap<String, u64>| {
        const MOST: usize = 20;
        let mut list: Vec<(&String, u64)> = map.iter().map(|(name, count)| (name, *count)).collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let most = list.first().map_or(0, |(_, count)| *count);
        let mut table = Table::new(id, caption, &[column, ">Found", "Share"]);
        for (name, found) in list.iter().take(MOST) {
            let bar = charts::share(&[("body", *found)], most);
            table.row(&[
                format!("<code>{}</code>", escape(&html::below(name, scope.root))),
                count(&format!("{key}.{name}"), *found),
                bar,
            ]);
        }
        table.finish()
    };
    let body = format!(
        "<div class=\"two\">{}{}</div>",
        table("findings", "Findings by rule", "Linter and rule", "finding", &day.findings),
        table("files", "Findings by file", "File", "file", &day.files)
    );
    let lead = "What linters said of files that agents have edited. Fixed are findings that were gone at the next look.";
    section("linters", "Linters", lead, &body)
}

pub(super) fn sessions(scope: &Scope<'_>) -> String {
    const MOST: usize = 50;
    let mut sessions: Vec<_> =
        scope.summary.sessions.iter().filter(|(_, session)| session.last >= scope.first * DAY).collect();
    if sessions.is_empty() {
        return section("sessions", "Sessions", "", &html::nothing("No session was seen."));
    }
    sessions.sort_by(|a, b| b.1.last.cmp(&a.1.last).then(a.0.cmp(b.0)));
    let mut table = Table::new(
        "session-list",
        "Sessions, latest first",
        &["Session", "Agent", "From", "To", ">Calls", ">Denied", ">Asked", ">Waited"],
    );
    for (id, session) in sessions.iter().take(MOST) {
        let key = |what: &str| format!("session.{id}.{what}");
        table.row(&[
            format!(
                "<code title=\"{0}\">{1}</code>",
                escape(id),
                escape(&id.chars().take(8).collect::<String>())
            ),
            escape(&session.agent),
            html::moment(session.first),
            html::moment(session.last),
            count(&key("calls"), session.verdicts.iter().sum()),
            count(&key("deny"), session.verdicts[3]),
            count(&key("ask"), session.verdicts[2]),
            time(&key("micros"), session.micros),
        ]);
    }
    let mut body = table.finish();
    if sessions.len() > MOST {
        let _ = write!(
            body,
            "<p class=\"faint\">And {} earlier ones.</p>",
            human::count((sessions.len() - MOST) as u64)
        );
    }
    section("sessions", "Sessions", "", &body)
}
