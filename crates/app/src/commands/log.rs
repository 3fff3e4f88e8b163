//! `plimsoll log`: what was decided.

use std::time::Duration;

use model::redact;
use serde_json::Value as Json;
use state::{Machine, Project, log};

use crate::exit;
use crate::ui::{Printer, Tone};

/// What was decided, newest last.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many entries
    #[arg(short = 'n', long, default_value_t = 20)]
    last: usize,
    /// Only this verdict: deny, ask, allow, none
    #[arg(long)]
    verdict: Option<String>,
    /// Only entries in which this check spoke
    #[arg(long, value_name = "CHECK")]
    rule: Option<String>,
    /// Only this event, such as `PreToolUse`
    #[arg(long)]
    event: Option<String>,
    /// Only this session
    #[arg(long)]
    session: Option<String>,
    /// Of all projects, not only this one
    #[arg(long)]
    all: bool,
    /// Go on printing as entries come
    #[arg(short, long)]
    follow: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine).root.to_string_lossy().into_owned();
    let wanted = |entry: &Json| {
        let is = |key: &str, value: &Option<String>| value.as_deref().is_none_or(|value| entry[key] == value);
        is("verdict", &args.verdict)
            && is("event", &args.event)
            && is("session", &args.session)
            && args
                .rule
                .as_deref()
                .is_none_or(|rule| entry["rules"].as_array().is_some_and(|r| r.iter().any(|r| r == rule)))
            && (args.all || entry["project"] == project.as_str() || entry["project"].is_null())
    };
    let (mut entries, mut tail) = log::read_on(machine);
    entries.retain(wanted);
    if entries.is_empty() && !args.follow {
        printer.note(&format!("no entries; the log is {}", log::file(machine).display()));
    }
    for entry in &entries[entries.len().saturating_sub(args.last)..] {
        print(printer, entry, args.json);
    }
    // Until the user ends it, or whoever reads it has gone.
    while args.follow && !printer.is_cut_off() {
        std::thread::sleep(Duration::from_millis(200));
        for entry in tail.more()?.iter().filter(|entry| wanted(entry)) {
            print(printer, entry, args.json);
        }
    }
    Ok(exit::OK)
}

fn mask(value: &mut Json) {
    match value {
        Json::String(text) => *text = redact(text),
        Json::Array(items) => items.iter_mut().for_each(mask),
        _ => {}
    }
}

fn print(printer: &Printer, entry: &Json, json: bool) {
    if json {
        let mut entry = entry.clone();
        for key in ["subject", "failures", "trace"] {
            if let Some(value) = entry.get_mut(key) {
                mask(value);
            }
        }
        return printer.json_line(&entry);
    }
    // Masked when it was written; a line of an older version, or of somebody else, perhaps not.
    let text = |key: &str| redact(entry[key].as_str().unwrap_or_default());
    let verdict = text("verdict");
    let tone = match verdict.as_str() {
        "deny" => Tone::Bad,
        "ask" => Tone::Warning,
        "allow" => Tone::Good,
        _ => Tone::Faint,
    };
    let list = |key: &str| {
        let items = entry[key].as_array().into_iter().flatten().filter_map(Json::as_str);
        items.collect::<Vec<_>>().join(", ")
    };
    let besides = match list("besides") {
        words if words.is_empty() => words,
        words => format!(" (with {words})"),
    };
    let observed = if entry["observed"] == true { " (observed)" } else { "" };
    let line = format!(
        "{} {} {:12} {:12} {:6} µs  {}  {}{besides}{observed}",
        text("time"),
        printer.paint(tone, &format!("{verdict:5}")),
        text("event"),
        text("tool"),
        entry["micros"],
        text("subject"),
        printer.paint(Tone::Faint, &list("rules")),
    );
    printer.line(line.trim_end());
    for failure in entry["failures"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        printer.toned(Tone::Warning, &format!("    {}", redact(failure)));
    }
}
