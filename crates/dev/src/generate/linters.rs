//! `linters.md`.

use linters::definition::Registry;
use linters::{LINTERS, Language, Linter};
use model::config;

use super::markdown::{Document, code};

pub(super) fn page() -> String {
    let mut page = Document::new("Languages and their tools", "crates/linters/src");
    page.block(
        "After an edit the file is formatted and linted by the tools of its language. A tool is looked for in the project \
         (`.venv`, `node_modules`), on PATH, and in the folder that `plimsoll tools install` fills; one that is not there is \
         left out.",
    );
    page.table(
        ["Language", "Switch", "Tools"],
        Language::ALL.map(|language| [name(language), switch(language), tools(language)]),
    );
    page.block("Each of them, with the version that `plimsoll tools install` installs:");
    page.table(
        ["Tool", "Languages", "What it does", "Configured by", "Installed from"],
        LINTERS.iter().map(row),
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
    let tools = LINTERS.iter().filter(|linter| linter.languages.contains(&language));
    let tools: Vec<String> = tools.map(|linter| code(linter.name)).collect();
    if tools.is_empty() { "none".into() } else { tools.join(", ") }
}

fn row(linter: &Linter) -> [String; 5] {
    let languages: Vec<&str> = linter.languages.iter().map(|language| language.key()).collect();
    let configs: Vec<String> = linter.configs.iter().take(3).map(|name| code(name)).collect();
    let install = linter.install.map_or_else(String::new, |install| {
        let registry = match install.from {
            Registry::PyPi => "PyPI",
            Registry::Npm => "npm",
        };
        format!("{} {} ({registry})", code(install.package), install.version)
    });
    [
        format!("[{}]({})", linter.name, linter.docs),
        languages.join(", "),
        linter.about.to_owned(),
        configs.join(", "),
        install,
    ]
}
