//! `plimsoll rules list` and `explain`.

use anyhow::Context as _;
use checks::rules::Matched;
use checks::rules::test::answer;
use model::rule::{Book, Fit, Rule, Then};
use model::{Event, SessionId};
use serde_json::{Value as Json, json};
use state::config::{self, Trust};
use state::{Approvals, DiskFacts, Machine, Project};

use super::super::explain::tool_event;
use super::{here, place};
use crate::exit;
use crate::fault::Fault;
use crate::ui::{Printer, Tone};

pub(super) fn list(machine: &Machine, printer: &Printer, as_json: bool) {
    let made = here(machine);
    if as_json {
        let rules: Vec<_> = made
            .rules
            .iter()
            .map(|standing| {
                let rule = &standing.written.rule;
                json!({"id": rule.id, "then": rule.then.as_str(), "by": rule.by.as_str(), "place": place(rule),
                    "say": rule.say, "counts": !standing.waits, "overrides": rule.overrides})
            })
            .collect();
        printer.json(&json!(rules));
        return;
    }
    let row = |standing: &crate::rules::Standing| {
        let rule = &standing.written.rule;
        let state = if standing.waits { "waits for `plimsoll trust`" } else { "" };
        vec![
            rule.id.clone(),
            rule.then.as_str().to_owned(),
            rule.by.as_str().to_owned(),
            place(rule),
            state.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = made.rules.iter().map(row).collect();
    if rows.is_empty() {
        printer.line("there are no rules here; `plimsoll rules new team/name 'a command'` makes one");
    }
    printer.table(&rows);
    for trouble in &made.troubles {
        printer.note(&format!("plimsoll: {}", trouble.text()));
    }
}

pub(super) fn explain(
    machine: &Machine,
    printer: &Printer,
    id: &str,
    command: Option<&str>,
) -> anyhow::Result<u8> {
    let made = here(machine);
    let standing = made.rules.iter().find(|standing| standing.written.rule.id == id);
    let standing = standing
        .with_context(|| Fault::Usage(format!("unknown rule {id}; `plimsoll rules list` shows them")))?;
    let rule = &standing.written.rule;
    printer.toned(Tone::Title, &format!("{}: {} ({})", rule.id, rule.then.as_str(), place(rule)));
    if standing.waits {
        printer.toned(Tone::Warning, "ignored until you run `plimsoll trust`");
    }
    for (name, text) in [("says", &rule.say), ("instead", &rule.instead)] {
        if !text.is_empty() {
            printer.line(&format!("{name:9} {text}"));
        }
    }
    if !rule.overrides.is_empty() {
        printer.line(&format!("overrides {}", rule.overrides.join(", ")));
    }
    printer.labelled(None, "matches", &matches(&standing.written.text));
    if let Some(command) = command {
        let event = tool_event(&machine.cwd(), "Bash", &json!({"command": command}));
        let project = Project::here(machine);
        let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
        let session = SessionId::default();
        let facts = DiskFacts::new(machine, &project, &loaded, &session, machine.cwd(), Approvals::Session);
        one(printer, rule, &event, &facts, &loaded.config, command);
        return Ok(exit::OK);
    }
    printer.toned(Tone::Title, "cases");
    for case in &standing.written.cases {
        one(printer, rule, &case.event, &case.table, &case.config, &case.title);
    }
    Ok(exit::OK)
}

/// What a rule looks at, as it is written in its file: what it says and is called stands beside it.
fn matches(text: &str) -> String {
    let Ok(Json::Object(keys)) = serde_json::from_str(text) else { return text.to_owned() };
    let apart = ["id", "say", "instead", "then", "overrides", "cases"];
    let lines = keys.iter().filter(|(key, _)| !apart.contains(&key.as_str()));
    lines.map(|(key, value)| checks::rules::import::line(key, value)).collect::<Vec<_>>().join("\n          ")
}

/// What the rule says to one thing, with the words that it is about underlined.
fn one(
    printer: &Printer,
    rule: &Rule,
    event: &Event,
    facts: &dyn model::Facts,
    config: &model::Config,
    title: &str,
) {
    let said = answer(rule, event, facts, config);
    let tone = match said {
        Some(Then::Deny) => Tone::Bad,
        Some(Then::Allow) => Tone::Good,
        Some(_) => Tone::Warning,
        None => Tone::Faint,
    };
    printer.line(&format!(
        "  {} {title}",
        printer.paint(tone, &format!("{:8}", said.map_or("none", Then::as_str)))
    ));
    let book = Book::new(std::slice::from_ref(rule));
    let found = checks::rules::spans(event, facts, config, &book);
    if !title.contains('\n') && event.command() == Some(title) && !found.is_empty() {
        let under =
            |(at, _): (usize, char)| if found.iter().any(|span| span.contains(&at)) { '^' } else { ' ' };
        let marks: String = title.char_indices().map(under).collect();
        printer.toned(tone, &format!("           {}", marks.trim_end()));
    }
    let open = |one: &Matched| one.fit == Fit::Perhaps;
    if checks::rules::found(event, facts, config, &book).iter().any(open) {
        printer.toned(Tone::Faint, "           a part that it looks at is not known");
    }
}
