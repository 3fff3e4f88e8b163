//! What a project is made of: its languages, the tools that are installed for them, the package managers it uses.

use std::collections::BTreeSet;
use std::path::Path;

use linters::{LINTERS, Language, Linter, Places};
use model::Config;
use model::config::JsRuntime;
use state::config::Trust;
use state::{Machine, files};

#[derive(Debug)]
pub(super) struct Survey {
    pub(super) languages: BTreeSet<Language>,
    /// Of the tools for those languages.
    pub(super) installed: Vec<&'static Linter>,
    pub(super) missing: Vec<&'static Linter>,
    /// The project has a lock file or settings of this tool.
    pub(super) uses_uv: bool,
    pub(super) uses_bun: bool,
    /// A search for duplicates would find something to search with, and a folder to search in.
    pub(super) seeks_duplicates: bool,
}

/// Enough files to know a project's languages; a giant is not read to its end for that.
const MOST_FILES: usize = 20_000;

pub(super) fn look(machine: &Machine, root: &Path, config: &Config) -> Survey {
    let languages: BTreeSet<Language> =
        files::walk(root, MOST_FILES).iter().filter_map(|file| Language::of(file)).collect();
    let places = Places { machine, project: root, runtime: JsRuntime::Auto, trust: Trust::Recorded };
    let search = places.near(root);
    let (installed, missing) = LINTERS
        .iter()
        .filter(|linter| {
            linter.is_usual() && linter.languages.iter().any(|language| languages.contains(language))
        })
        .partition(|linter| search.locate(linter).is_some());
    let jscpd = linters::definition::find("jscpd").is_some_and(|linter| search.locate(linter).is_some());
    let folders = config.jscpd_dirs.iter().any(|dir| files::is_dir(&root.join(dir)));
    let has = |name: &str| files::is_file(&root.join(name));
    let mentions = |name: &str, text: &str| {
        files::read(&root.join(name)).ok().flatten().is_some_and(|t| t.contains(text))
    };
    Survey {
        languages,
        installed,
        missing,
        uses_uv: has("uv.lock") || mentions("pyproject.toml", "[tool.uv"),
        uses_bun: has("bun.lock")
            || has("bun.lockb")
            || mentions("package.json", "\"packageManager\": \"bun"),
        seeks_duplicates: jscpd && folders,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without its tool, or a folder to look at, no answer about duplicates would have an effect, so nothing is asked.
    #[test]
    fn duplicates_are_sought_where_there_is_something_to_seek_with_and_in() {
        let dir = tempfile::tempdir().unwrap();
        let (tools, project) = (dir.path().join("tools"), dir.path().join("project"));
        files::create_dir(&tools).unwrap();
        files::create_dir(&project).unwrap();
        let path = tools.to_string_lossy().into_owned();
        let home = dir.path().to_string_lossy().into_owned();
        let machine = Machine::with(&[("PATH", path.as_str()), ("HOME", home.as_str())], &project);
        let seeks = || look(&machine, &project, &Config::default()).seeks_duplicates;
        assert!(!seeks(), "there is no jscpd");
        state::atomic::write(&tools.join("jscpd"), b"#!/bin/sh\n").unwrap();
        files::make_executable(&tools.join("jscpd")).unwrap();
        assert!(!seeks(), "there is nothing to look at");
        files::create_dir(&project.join("src")).unwrap();
        assert!(seeks());
    }
}
