//! What a project is made of: its languages, and the tools that are installed for them.

use std::collections::BTreeSet;
use std::path::Path;

use linters::{LINTERS, Language, Linter, Places};
use model::config::JsRuntime;
use state::config::Trust;
use state::{Machine, files};

#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) languages: BTreeSet<Language>,
    /// Of the tools for those languages.
    pub(super) installed: Vec<&'static Linter>,
    pub(super) missing: Vec<&'static Linter>,
}

/// Enough files to know a project's languages; a giant is not read to its end for that.
const MOST_FILES: usize = 20_000;

pub(crate) fn look(machine: &Machine, root: &Path) -> Survey {
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
    Survey { languages, installed, missing }
}
