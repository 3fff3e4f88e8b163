//! What of a project, and of the machine around it, may be started before the user trusts the project.

#![expect(clippy::disallowed_methods, reason = "tests make the files that they are about")]

use std::os::unix::fs::{PermissionsExt, symlink};

use state::Project;

use super::*;
use crate::definition;

fn executable(file: &Path) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "").unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_environment_of_windows_has_its_programs_elsewhere() {
    let first = |windows| in_environment(Path::new("p/.venv"), "ruff", windows).next().unwrap();
    assert_eq!(first(false), Path::new("p/.venv/bin/ruff"));
    assert_eq!(first(true), Path::new("p/.venv/Scripts/ruff.exe"));
}

/// A tool's name, where it lies, and what is said of it before and after trust.
#[test]
fn what_is_or_runs_code_of_the_project_waits() {
    for (name, file, waits) in [
        ("ruff", "project/.venv/bin/ruff", Some(Reason::InProject)),
        ("biome", "project/node_modules/.bin/biome", Some(Reason::InProject)),
        ("ruff", "bin/ruff", None),
        ("shellcheck", "bin/shellcheck", None),
        ("eslint", "bin/eslint", Some(Reason::RunsCode(ProjectCode::Settings))),
        ("clippy", "bin/cargo", Some(Reason::RunsCode(ProjectCode::Build))),
        ("rustfmt", "bin/rustfmt", Some(Reason::RunsCode(ProjectCode::Toolchain))),
        ("flake8", "bin/uv", Some(Reason::Runner)),
        ("yamllint", ".asdf/shims/yamllint", Some(Reason::StandIn)),
        ("yamllint", "home/.cache/plimsoll/tools/python/bin/yamllint", None),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        executable(&base.join(file));
        let project = base.join("project");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join("uv.lock"), "name = \"flake8\"\n").unwrap();
        let path = format!("{0}/bin:{0}/.asdf/shims", base.display());
        let (home, state) = (base.join("home"), base.join("state"));
        let machine = Machine::with(
            &[
                ("PATH", &path),
                ("HOME", home.to_str().unwrap()),
                ("PLIMSOLL_STATE_DIR", state.to_str().unwrap()),
            ],
            &project,
        );
        let linter = definition::find(name).unwrap();
        let places =
            Places { machine: &machine, project: &project, runtime: JsRuntime::Auto, trust: Trust::Recorded };
        let reason = match places.near(&project).locate(linter) {
            Some(Located::Waits(waiting)) => Some(waiting.why),
            Some(Located::Ready(_)) => None,
            None => panic!("{name} was not found"),
        };
        assert_eq!(reason, waits, "{name} in {file}");
        let all = Places { trust: Trust::Everything, ..places };
        assert!(all.find(linter, &project).is_some(), "{name}");
        trust::allow_tools(&machine, &Project::at(&machine, project.clone())).unwrap();
        assert!(places.find(linter, &project).is_some(), "{name} after trust");
    }
}

#[test]
fn a_name_cannot_play_with_a_terminal() {
    assert_eq!(plain("a\u{1b}[2Jb\u{202e}c\n"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}");
    assert_eq!(plain(".venv/bin/ruff ä 漢"), ".venv/bin/ruff ä 漢");
}

#[test]
fn what_may_run_elsewhere_is_preferred_to_what_waits() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let project = base.join("project");
    executable(&project.join(".venv/bin/ruff"));
    executable(&base.join("bin/ruff"));
    std::fs::create_dir_all(base.join("linked")).unwrap();
    symlink(project.join(".venv/bin/ruff"), base.join("linked/ruff")).unwrap();
    let path = format!("{0}/linked:{0}/bin", base.display());
    let state = base.join("state").to_string_lossy().into_owned();
    let machine = Machine::with(&[("PATH", &path), ("PLIMSOLL_STATE_DIR", &state)], &project);
    let places =
        Places { machine: &machine, project: &project, runtime: JsRuntime::Auto, trust: Trust::Recorded };
    let ruff = definition::find("ruff").unwrap();
    assert_eq!(places.find(ruff, &project).unwrap().program, base.join("bin/ruff"));
    trust::allow_tools(&machine, &Project::at(&machine, project.clone())).unwrap();
    assert_eq!(places.find(ruff, &project).unwrap().program, project.join(".venv/bin/ruff"));
}
