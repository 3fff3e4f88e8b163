//! `plimsoll rules new`: a rule made from an example, to be put into a file.

use std::fmt::Write as _;
use std::io::IsTerminal;

use anyhow::bail;
use model::Decision;
use model::rule::Then;
use serde_json::{Value as Json, json};
use state::Machine;

use super::super::explain::tool_event;
use crate::exit;
use crate::ui::Printer;

/// Stands for the reason until a user writes one; `plimsoll rules check` finds it.
pub(super) const PLACEHOLDER: &str =
    "TODO: say why, in one sentence that tells the agent what to do instead.";

pub(super) fn run(
    machine: &Machine,
    printer: &Printer,
    id: &str,
    example: Option<&str>,
    then: &str,
) -> anyhow::Result<u8> {
    let Some(then) = Then::ALL.into_iter().find(|known| known.as_str() == then) else {
        bail!("--then is deny, ask, allow, warn, context or rewrite");
    };
    let example = example.unwrap_or("terraform apply");
    let event = tool_event(&machine.cwd(), "Bash", &json!({"command": example}));
    // A rule about the words that were given, not about what the files of this project make of them.
    let reading = checks::read(&event, &checks::imagined::Table::default()).unwrap_or_default();
    let Some(call) = reading.calls.iter().rev().find(|call| !call.argv.is_empty()) else {
        bail!("`{example}` runs no program");
    };
    let plain = |text: &&str| {
        !text.starts_with('-') && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
    };
    let words: Vec<&str> = call.texts().take_while(plain).take(2).collect();
    let options: Vec<&str> = call.texts().filter(|text| text.starts_with('-')).collect();
    let mut table = format!("program = {}", Json::from(call.program()));
    for (key, list) in [("words", &words), ("options", &options)] {
        if !list.is_empty() {
            let _ = write!(table, ", {key} = {}", json!(list));
        }
    }
    let text = format!(
        "[[rule]]\nid = {}\ncall = {{ {table} }}\nthen = \"{}\"\nsay = \"{PLACEHOLDER}\"\n{}cases = {{ {} = [{}], none = [{}] }}\n",
        Json::from(id),
        then.as_str(),
        if then == Then::Rewrite { "rewrite = { \"old-word\" = \"new-word\" }\n" } else { "" },
        then.as_str(),
        Json::from(example),
        Json::from(format!("echo {}", shell::quote(example))),
    );
    // What is printed can be used as it is.
    if let Err(fault) = checks::rules::parse(&text, model::rule::Author::User, "") {
        bail!("{}", fault.text);
    }
    // Before it is printed: its file may be where the rules are read from.
    let judged =
        crate::hook::judge(machine, &crate::hook::Terms::default(), &event, crate::hook::Look::EXPLAINING);
    printer.text(&text);
    if std::io::stdout().is_terminal() {
        printer.note(
            "plimsoll: nothing was written. It counts once it stands in `.claude/hooks/rules.toml` of this project, or in \
             `~/.claude/hooks/rules.toml` for all of yours: run this again with `>> .claude/hooks/rules.toml`, say why, and then \
             `plimsoll rules check`",
        );
    }
    if judged.report.verdict.decision == Decision::Deny {
        printer.note(&format!("plimsoll: {} denies this already", judged.report.verdict.rules().join(", ")));
    }
    Ok(exit::OK)
}
