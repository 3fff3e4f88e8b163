//! What a user is told about the linting of a file before it happens.

use std::path::Path;

use linters::{Language, Plan, Waiting};
use state::config::Loaded;
use state::{Lints as _, Machine, Project};

use super::same::once;
use super::{EXPLAINING, Service, engines, is_on, previews};

/// What linters would say of a file as it is now, for `explain`. Nothing is written, and no slow linter is waited for.
pub(crate) fn explained(machine: &Machine, project: &Project, loaded: &Loaded, file: &Path) -> Vec<String> {
    let Some(language) = Language::of(file) else { return vec!["no linter knows this kind of file".into()] };
    if !is_on(language, &loaded.config) {
        return vec![format!("linting of {} is switched off", language.key())];
    }
    let cwd = machine.cwd();
    let service = Service { machine, project, loaded, cwd: &cwd, deadline: u64::MAX, as_script: false }
        .within(EXPLAINING);
    let engines = engines(&project.root, Some(machine), previews(&loaded.config));
    let plan = Plan::of(&service.request(file, language, &loaded.config, &engines));
    let names =
        |tasks: &[linters::Task]| tasks.iter().map(|task| task.linter.name).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    let mut line = |what: &str, who: String| {
        if !who.is_empty() {
            lines.push(format!("{what:9} {who}"));
        }
    };
    let built_in = |names: &[&str]| names.iter().map(|name| format!("{name} (built in)")).collect::<Vec<_>>();
    let now = [built_in(&plan.engine), plan.lint.iter().map(|task| task.linter.name.to_owned()).collect()];
    line("formats:", names(&plan.format));
    line("lints:", now.concat().join(", "));
    line(
        "later:",
        [built_in(&plan.late_engine), plan.late.iter().map(|task| task.linter.name.to_owned()).collect()]
            .concat()
            .join(", "),
    );
    line("at stops:", names(&plan.whole));
    line("missing:", plan.missing.iter().map(|linter| linter.name).collect::<Vec<_>>().join(", "));
    let linted = service.of_files(&[file.to_owned()], EXPLAINING);
    let found = once(linted.violations);
    lines.push(match found.len() {
        0 => "nothing found in the file as it is".to_owned(),
        many => {
            format!("{many} found in the file as it is; at an edit only those count that are the edit's:")
        }
    });
    lines.extend(found.iter().map(|one| format!("  {}", one.line_in(&project.root))));
    lines.extend(linted.said);
    lines
}

/// The linters of a file that wait for the user's trust.
pub(crate) fn waiting_for(
    machine: &Machine,
    project: &Project,
    loaded: &Loaded,
    file: &Path,
) -> Vec<Waiting> {
    let cwd = machine.cwd();
    let service = Service { machine, project, loaded, cwd: &cwd, deadline: u64::MAX, as_script: false };
    let Some(language) = Language::of(file).filter(|language| is_on(*language, &loaded.config)) else {
        return Vec::new();
    };
    let engines = engines(&project.root, Some(machine), previews(&loaded.config));
    Plan::of(&service.request(file, language, &loaded.config, &engines)).waiting
}
