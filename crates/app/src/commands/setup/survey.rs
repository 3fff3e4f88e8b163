//! What a project is made of: its languages, the tools that are installed for them, the package managers it uses.

use std::collections::BTreeSet;
use std::path::Path;

use linters::{LINTERS, Language, Linter, Places};
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
}

/// Enough files to know a project's languages; a giant is not read to its end for that.
const MOST_FILES: usize = 20_000;

pub(super) fn look(machine: &Machine, root: &Path) -> Survey {
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
    }
}
