//! `linters.md`.

use linters::{Language, TOOLS};
use model::config;

use super::markdown::{Document, code};

pub(super) fn page() -> String {
    let mut page = Document::new("Languages and their tools", "crates/linters/src");
    page.block(
        "In this version only `plimsoll init` uses these: it names the languages that it finds in a project and says which \
         of their tools are on your PATH, and it writes the switches. No edit is formatted or linted yet.",
    );
    page.table(
        ["Language", "Switch", "Tools"],
        Language::ALL.map(|language| [name(language), switch(language), tools(language)]),
    );
    page.finish()
}

fn name(language: Language) -> String {
    code(language.key())
}

/// The setting of a language. One with several has its switch in `enabled`.
fn switch(language: Language) -> String {
    let keys = [format!("languages.{}", language.key()), format!("languages.{}.enabled", language.key())];
    let key = keys.iter().find(|key| config::find(key).is_some());
    key.map_or_else(|| "none".into(), |key| code(key))
}

fn tools(language: Language) -> String {
    let tools = TOOLS.iter().filter(|tool| tool.language == language);
    let tools: Vec<String> = tools.map(|tool| format!("{} ({})", code(tool.program), tool.role)).collect();
    if tools.is_empty() { "none".into() } else { tools.join(", ") }
}
