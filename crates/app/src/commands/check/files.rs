//! Which files are looked at.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ignore::gitignore::Gitignore;
use linters::Language;
use model::Config;
use state::{Machine, files, git};

use super::{Args, walk};
use crate::lint;

/// Markdown that nobody keeps tidy: notes of agents, data, and what tools make.
static UNTIDY: &[&str] = &[".claude/.tmp", ".claude/plans", "data", "tmp", ".venv", "node_modules"];
/// Markdown that `--ci` looks at, besides what lies in the root.
static TIDY: &[&str] = &["docs", ".claude"];

pub(super) fn collect(
    machine: &Machine,
    root: &Path,
    args: &Args,
    config: &Config,
) -> anyhow::Result<Vec<PathBuf>> {
    let here = machine.cwd();
    let named: Vec<PathBuf> = args.paths.iter().map(|path| files::resolve(&here.join(path))).collect();
    for (path, given) in named.iter().zip(&args.paths) {
        if !files::exists(path) {
            bail!("{} is not there", given.display());
        }
    }
    let below = |file: &Path| named.is_empty() || named.iter().any(|path| file.starts_with(path));
    let found: Vec<PathBuf> = if args.changed || args.staged {
        let names: Vec<String> = if args.staged {
            git::staged(root).context("git did not say what is staged")?
        } else {
            git::status(machine, root).context("git did not say what changed")?.keys().cloned().collect()
        };
        names.iter().map(|name| root.join(name)).filter(|file| files::is_file(file) && below(file)).collect()
    } else {
        let starts = if named.is_empty() { vec![root.to_path_buf()] } else { named.clone() };
        walk::walk(&starts)
    };
    let rules = Rules::read(root);
    let wanted = |file: &PathBuf| {
        let Some(language) = Language::of(file) else { return false };
        lint::is_on(language, config) && (named.contains(file) || rules.want(root, file, language, args.ci))
    };
    let mut found: Vec<PathBuf> = found.into_iter().filter(wanted).collect();
    found.sort();
    found.dedup();
    Ok(found)
}

/// What is left out of a walk although git knows it.
struct Rules {
    markdown: Gitignore,
}

impl Rules {
    fn read(root: &Path) -> Self {
        let markdown = walk::patterns(root, &root.join(".markdownlintignore"));
        Rules { markdown: markdown.unwrap_or_else(Gitignore::empty) }
    }

    fn want(&self, root: &Path, file: &Path, language: Language, ci: bool) -> bool {
        if language != Language::Markdown {
            return true;
        }
        let Ok(relative) = file.strip_prefix(root) else { return true };
        if self.markdown.matched_path_or_any_parents(relative, false).is_ignore() || is_untidy(relative) {
            return false;
        }
        !ci || relative.components().count() == 1 || TIDY.iter().any(|folder| relative.starts_with(folder))
    }
}

fn is_untidy(relative: &Path) -> bool {
    let report = relative.starts_with(".claude/skills")
        && relative.iter().nth(3).is_some_and(|part| part == "reports");
    report || UNTIDY.iter().any(|folder| relative.starts_with(folder))
}
