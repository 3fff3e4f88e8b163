//! Versions of tools: which are too old, and rules that a newer one has on trial.

use std::path::{Path, PathBuf};

use model::{Config, Linted};

use linters::Plan;
use state::{Machine, files};

/// A tool that is older than what its findings are understood by still runs; that is said, also where an engine answers first.
pub(super) fn too_old(machine: &Machine, plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    for task in plan.lint.iter().chain(&plan.late).chain(&plan.spared) {
        let Some(wanted) = task.linter.at_least else { continue };
        let Some(version) = linters::known_version(machine, task.linter, &task.place) else { continue };
        if numbers(&version) < numbers(wanted) {
            let version = version.split(['-', '+']).next().unwrap_or_default();
            lines.push(format!(
                "[hook:warning] {} {version} < {wanted} (some features may not work)",
                task.linter.name
            ));
        }
    }
    lines
}

fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

/// Our setting and Biome's own are about different things: which rules run, and what becomes of what they find.
pub(super) fn nursery(plan: &Plan, file: &Path, project: &Path, config: &Config, linted: &mut Linted) {
    if !plan.lint.iter().any(|task| task.linter.name == "biome") {
        return;
    }
    let dirs = file.ancestors().skip(1).take_while(|dir| dir.starts_with(project));
    let names = ["biome.json", "biome.jsonc"];
    let found: Option<PathBuf> =
        dirs.flat_map(|dir| names.map(|name| dir.join(name))).find(|file| files::is_file(file));
    let Some(text) = found.and_then(|file| files::read(&file).ok().flatten()) else { return };
    let Ok(json) = state::config::parse(&text) else { return };
    let theirs = json
        .get("linter")
        .and_then(|v| v.get("rules"))
        .and_then(|v| v.get("nursery"))
        .and_then(|v| v.as_str());
    let ours = model::config::Value::show(&config.biome_nursery);
    let ours = ours.as_str().unwrap_or_default();
    let theirs = theirs.unwrap_or(ours);
    if theirs != ours {
        linted.notices.push(format!(
            "[hook:warning] config.json biome_nursery='{ours}' but biome.json nursery='{theirs}': biome.json decides which nursery rules run, and biome_nursery whether they count ('{ours}'). Give both the same value."
        ));
    }
}
