//! DEP01 to DEP13 and DEP22 to DEP29: programs.

use linters::fix::Fixer;
use linters::{Language, Places, definition};

use super::{Item, Need, Patient};
use crate::lint;

/// The linters, by the ids that the linter system's test plan gave them.
static LINTERS: &[(&str, &str, Need)] = &[
    ("DEP02", "ruff", Need::Required),
    ("DEP05", "shfmt", Need::Optional),
    ("DEP06", "shellcheck", Need::Optional),
    ("DEP07", "yamllint", Need::Optional),
    ("DEP08", "hadolint", Need::Optional),
    ("DEP09", "hadolint", Need::Optional),
    ("DEP10", "taplo", Need::Optional),
    ("DEP11", "biome", Need::Required),
    ("DEP12", "semgrep", Need::Optional),
    ("DEP13", "markdownlint-cli2", Need::Optional),
    ("DEP23", "oxlint", Need::Advisory),
    ("DEP24", "bandit", Need::Optional),
    ("DEP25", "ty", Need::Advisory),
    ("DEP26", "vulture", Need::Advisory),
    ("DEP27", "flake8", Need::Advisory),
    ("DEP28", "flake8", Need::Advisory),
    ("DEP29", "bandit", Need::Advisory),
];

pub(super) fn examine(patient: &Patient<'_>) -> Vec<Item> {
    let mut items: Vec<Item> = std::thread::scope(|scope| {
        // Each asks a program for its version.
        let threads: Vec<_> = LINTERS
            .iter()
            .map(|&(id, name, need)| scope.spawn(move || linter(patient, id, name, need)))
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    items.push(built_in("DEP01", "jaq", "JSON is read by Plimsoll itself"));
    items.push(built_in("DEP22", "timeout", "Plimsoll ends what takes too long by itself"));
    items.push(uv(patient));
    items.push(claude(patient));
    items
}

fn built_in(id: &'static str, name: &'static str, why: &str) -> Item {
    Item { id, name, need: Need::Advisory, found: true, pass: true, note: format!("not needed: {why}") }
}

fn linter(patient: &Patient<'_>, id: &'static str, name: &'static str, need: Need) -> Item {
    let root = &patient.project.root;
    let config = &patient.loaded.config;
    let places = Places { machine: patient.machine, project: root, runtime: config.js_runtime };
    let Some(linter) = definition::find(name) else {
        return Item { id, name, need, found: false, pass: false, note: "there is no such linter".into() };
    };
    let language = linter.languages.first().copied().unwrap_or(Language::Python);
    let embedded = lint::is_embedded(language, name);
    let on = lint::is_on(language, config);
    let Some(place) = places.find(linter, root) else {
        let note = match (embedded, on) {
            (true, _) => "not installed; what is linked into Plimsoll does its work".to_owned(),
            (_, false) => format!("not installed; {} is switched off", language.key()),
            _ => format!("not installed: plimsoll tools install {name}"),
        };
        return Item { id, name, need, found: false, pass: need != Need::Required || embedded || !on, note };
    };
    let version = linters::version_of(linter, &place).unwrap_or_else(|| "unknown version".into());
    let mut note = format!("{version}, {} ({})", place.program.display(), place.origin.as_str());
    let mut pass = true;
    if let Some(wanted) = linter.at_least.filter(|_| id == "DEP09") {
        pass = lint::numbers(&version) >= lint::numbers(wanted);
        note = format!("{version}, wanted {wanted} or later");
    }
    Item { id, name, need, found: true, pass, note }
}

fn uv(patient: &Patient<'_>) -> Item {
    let place = patient.machine.find_program("uv");
    let note = match &place {
        Some(place) => place.display().to_string(),
        None => "not installed; tools are started directly, and installed with pip".into(),
    };
    Item { id: "DEP03", name: "uv", need: Need::Optional, found: place.is_some(), pass: true, note }
}

fn claude(patient: &Patient<'_>) -> Item {
    let config = &patient.loaded.config;
    let fixer = Fixer {
        machine: patient.machine,
        project: &patient.project.root,
        command: config.fixer_command.as_deref(),
        settings_file: config.settings_file.as_deref(),
        root: patient.machine.is_root(),
    };
    let place = fixer.find();
    let note = match &place {
        Some(place) => place.display().to_string(),
        None if config.subprocess_delegation => {
            "not found on PATH, in ~/.local/bin, ~/.npm-global/bin or /usr/local/bin; nothing mends what linters find".into()
        }
        None => "not found; phases.subprocess_delegation is off".into(),
    };
    let pass = place.is_some() || !config.subprocess_delegation;
    Item { id: "DEP04", name: "claude", need: Need::Required, found: place.is_some(), pass, note }
}
