//! Which files are looked at.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use linters::Language;
use model::Config;
use state::{Machine, files, git};

use super::Args;
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
        walk(&starts)
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

/// Everything that git does not ignore. Names that begin with a dot count, git's own folder does not.
fn walk(starts: &[PathBuf]) -> Vec<PathBuf> {
    let Some((first, rest)) = starts.split_first() else { return Vec::new() };
    let mut walk = WalkBuilder::new(first);
    rest.iter().for_each(|start| {
        walk.add(start);
    });
    walk.hidden(false).require_git(false).filter_entry(|entry| entry.file_name() != ".git");
    walk.build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect()
}

/// What is left out of a walk although git knows it.
struct Rules {
    markdown: Gitignore,
}

impl Rules {
    fn read(root: &Path) -> Self {
        let mut markdown = GitignoreBuilder::new(root);
        // A file that is not there ignores nothing; a pattern that cannot be read neither.
        let _ = markdown.add(root.join(".markdownlintignore"));
        Rules { markdown: markdown.build().unwrap_or_else(|_| Gitignore::empty()) }
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
