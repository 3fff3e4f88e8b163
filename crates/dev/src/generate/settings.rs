//! `settings.md`: one section per key, in the order of the registry, then the keys that are no longer read.

use model::config::{Bound, RETIRED, SETTINGS, Setting};
use serde_json::Value as Json;

use super::markdown::{Document, code, one_line, plain};

/// A default longer than this gets a block of its own.
const SHORT: usize = 60;

/// A single string longer than this is cut.
const LONGEST: usize = 100;

pub(super) fn page() -> String {
    let mut page = Document::new("Settings", "crates/model/src/config/settings.rs");
    page.block("Settings are JSON, in up to three files, each over the one before:");
    page.numbered(&[
        "`~/.claude/hooks/config.json`: yours, for all projects.".into(),
        "`<project>/.claude/hooks/config.json`: the project's.".into(),
        "`<project>/.claude/hooks/config.local.json`: the project's, for what is not committed.".into(),
    ]);
    page.block(
        "A key with dots is nested: `jscpd.scan_dirs` is `{\"jscpd\": {\"scan_dirs\": …}}`. Comments and trailing commas are \
         fine, and names that begin with `_` are skipped. A mistake costs only the key it is in; `plimsoll config check` names \
         it. `plimsoll config show` says what is in force and from which file. Editors can use \
         [config.schema.json](config.schema.json).",
    );
    page.block(
        "A clone brings the last two along, so what they say counts at once only where it can do no harm. The rest waits until \
         you have seen it and run `plimsoll trust`.",
    );
    for setting in SETTINGS {
        section(&mut page, setting);
    }
    page.heading(2, "Retired keys");
    page.block("Keys of the first format that moved. They are ignored, and `plimsoll config check` says so.");
    page.table(["Key", "Instead"], RETIRED.iter().map(|retired| [code(retired.key), plain(retired.instead)]));
    page.finish()
}

fn section(page: &mut Document, setting: &Setting) {
    page.heading(2, &code(setting.key));
    page.block(&one_line(setting.doc));
    let default = (setting.default)();
    let (value, below) = match inline(&default) {
        short if short.len() <= SHORT => (code(&short), None),
        _ => match shortened(&default) {
            Some(start) => {
                ("begins as below; `plimsoll config show --all` has all of it".into(), Some(start))
            }
            None => ("below".into(), Some(spread(&default))),
        },
    };
    page.list(&[
        format!("Accepts {}.", setting.kind.expected()),
        format!("Default: {value}."),
        format!("From a project's own file: {}.", bound(setting.bound)),
    ]);
    if let Some(below) = below {
        page.fence(&below);
    }
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Free => "counts at once",
        Bound::Always => "needs trust, whatever it says",
        Bound::WhenLooser(_) => {
            "needs trust if it protects less, or approves more, than what is in force without it"
        }
        Bound::Guards => "needs trust if it weakens a guard or lets something through unasked",
    }
}

/// In one line, with a space after each comma.
fn inline(value: &Json) -> String {
    match value {
        Json::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The beginning of a very long string. The long ones are patterns of many alternatives, so it ends after one of them.
fn shortened(default: &Json) -> Option<String> {
    let text = default.as_str().filter(|text| text.chars().count() > LONGEST)?;
    let start: String = text.chars().take(LONGEST).collect();
    let end = start.rfind('|').map_or(start.len(), |bar| bar + 1);
    Some(format!("{}…", &start[..end]))
}

/// One entry of a list or an object per line.
fn spread(default: &Json) -> String {
    let (open, lines, close) = match default {
        Json::Array(list) => ('[', list.iter().map(inline).collect::<Vec<_>>(), ']'),
        Json::Object(map) => {
            ('{', map.iter().map(|(key, value)| format!("\"{key}\": {}", inline(value))).collect(), '}')
        }
        other => return inline(other),
    };
    format!("{open}\n  {}\n{close}", lines.join(",\n  "))
}
