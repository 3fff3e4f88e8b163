//! `plimsoll log`: what was decided, why, and what happened then.

mod choose;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use model::redact;
use serde_json::Value as Json;
use state::log::{self, Outcome, Outcomes, Record};
use state::{Machine, Project};

use crate::exit;
use crate::ui::{Printer, Tone, human};

pub(crate) use choose::Choice;

/// Show what was decided and why, newest last. Times are in UTC.
///
/// Calls about which nothing was said are left out. They are shown with `--every`, with `--follow`, and with any filter.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many entries
    #[arg(short = 'n', long, default_value_t = 20)]
    last: usize,
    #[command(flatten)]
    choice: Choice,
    /// Of all projects, not only this one
    #[arg(long)]
    all: bool,
    /// Also the calls about which nothing was said
    #[arg(long)]
    every: bool,
    /// Go on printing as entries come
    #[arg(short, long)]
    follow: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let mut chosen = args.choice.understood(machine)?;
    let project = Project::here(machine).root.to_string_lossy().into_owned();
    let of_project = |record: &Record| args.all || record.project == project || record.project.is_empty();
    let every = args.every || args.json || args.follow || !args.choice.is_empty();
    let mut outcomes = Outcomes::default();
    let mut told: HashMap<u64, Outcome> = HashMap::new();
    let mut last: VecDeque<(u64, Record, String)> = VecDeque::new();
    let mut number = 0_u64;
    // What happened then stands in later lines, so the older files say nothing about these.
    let skipped = log::before_last(machine, args.last, &mut |record| {
        of_project(record) && chosen.has(record) && (every || has_a_word(record))
    });
    let mut silent = 0_u64;
    let mut tail = log::each_from(machine, skipped, &mut |record, line| {
        number += 1;
        told.extend(outcomes.see(&record, &number));
        if of_project(&record) && chosen.has(&record) {
            if !every && !has_a_word(&record) {
                silent += 1;
                return;
            }
            last.push_back((number, record, line.to_owned()));
            if last.len() > args.last {
                let oldest = last.pop_front();
                oldest.map(|(number, ..)| told.remove(&number));
            }
        }
    });
    if last.is_empty() && !args.follow {
        chosen.refuse_unknown()?;
        if silent == 0 {
            printer.note(&format!("no entries; the log is {}", log::file(machine).display()));
        }
    }
    for (number, record, line) in &last {
        print(printer, record, line, told.get(number).copied(), args.json);
    }
    if silent > 0 {
        let calls = human::plural(silent, "call");
        printer.note(&printer.paint(
            Tone::Faint,
            &format!("besides, {calls} about which nothing was said; --every shows them, --verdict deny only refusals"),
        ));
    }
    // Until the user ends it, or whoever reads it has gone.
    while args.follow && !printer.is_cut_off() {
        std::thread::sleep(Duration::from_millis(200));
        for (record, line) in tail.more()? {
            if of_project(&record) && chosen.has(&record) {
                print(printer, &record, &line, None, args.json);
            }
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

fn print(printer: &Printer, record: &Record, line: &str, then: Option<Outcome>, json: bool) {
    if json {
        // The line as it is, so that fields of a newer version are not lost.
        let mut entry: Json = serde_json::from_str(line).unwrap_or_default();
        for key in ["subject", "reason", "deeds", "failures", "trace"] {
            if let Some(value) = entry.get_mut(key) {
                mask(value);
            }
        }
        if let (Some(then), Some(entry)) = (then, entry.as_object_mut()) {
            entry.insert("then".into(), then.as_str().into());
        }
        return printer.json_line(&entry);
    }
    for_people(printer, record, then);
}

/// What happened and why, for a screen of 80 columns.
fn for_people(printer: &Printer, record: &Record, then: Option<Outcome>) {
    const DEEPER: usize = 22;
    /// What takes less is not worth a word, but for those who ask.
    const LONG: u64 = 100_000;
    let tone = match record.verdict.as_str() {
        "deny" => Tone::Bad,
        "ask" => Tone::Warning,
        "allow" => Tone::Good,
        _ => Tone::Faint,
    };
    let mut words: Vec<String> = vec![record.rules.join(", ")];
    if !record.besides.is_empty() {
        words.push(format!("(with {})", record.besides.join(", ")));
    }
    if record.observed {
        words.push("(observed)".to_owned());
    }
    if record.micros >= LONG {
        words.push(human::duration(record.micros));
    }
    words.retain(|word| !word.is_empty());
    // Masked when it was written; a line of an older version, or of somebody else, perhaps not.
    let head = format!(
        "{}  {} {}  {}",
        human::moment(record.seconds()),
        printer.paint(tone, &format!("{:5}", record.verdict)),
        what(record),
        redact(&record.subject),
    );
    let words = printer.paint(Tone::Faint, &words.join(" "));
    // On one line where nobody looks on: that is easier to search.
    let reason = redact(&record.reason).split_whitespace().collect::<Vec<_>>().join(" ");
    if reason.is_empty() {
        printer.hanging(format!("{}  {words}", head.trim_end()).trim_end(), DEEPER);
    } else {
        printer.hanging(head.trim_end(), DEEPER);
        printer.hanging(&format!("    {words}"), 0);
        printer.hanging(&format!("    {reason}"), 0);
    }
    // What linters found by themselves, where no refusal lists it.
    if reason.is_empty()
        && let Some(lint) = record.lint.as_ref().filter(|lint| !lint.found.is_empty())
    {
        let one = |found: &log::Found| {
            let file = found.file.strip_prefix(&format!("{}/", record.project)).unwrap_or(&found.file);
            format!("{} {file}:{} ({})", found.rule, found.line, found.linter)
        };
        let shown: Vec<String> = lint.found.iter().take(3).map(one).collect();
        let more = lint.found.len().saturating_sub(shown.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        printer.hanging(&redact(&format!("    found: {}{more}", shown.join(", "))), 2);
    }
    // What passed and ran is what everybody expects.
    if let Some(then) = then.filter(|then| !matches!(then, Outcome::Ran | Outcome::Stopped)) {
        printer.toned(Tone::Faint, &format!("    then: {}", then.words()));
    }
    for failure in &record.failures {
        printer.toned(Tone::Warning, &format!("    {}", redact(failure)));
    }
}

/// The tool before its call; anything else by its event.
fn what(record: &Record) -> String {
    match (record.event.as_str(), record.tool.as_str()) {
        ("", _) => "(not readable)".to_owned(),
        ("PreToolUse", tool) if !tool.is_empty() => tool.to_owned(),
        ("PostToolUse", tool) if !tool.is_empty() => format!("after {tool}"),
        (event, "") => event.to_owned(),
        (event, tool) => format!("{event} {tool}"),
    }
}

/// Whether anything was said, found or let through: what passes in silence is most of the log.
fn has_a_word(record: &Record) -> bool {
    record.verdict != "none"
        || !record.failures.is_empty()
        || !record.besides.is_empty()
        || record.is_allowed_by_hand()
        || record.tests.as_ref().is_some_and(|tests| tests.result == "fail")
        || record.lint.as_ref().is_some_and(|lint| !lint.found.is_empty())
}
