//! `cargo dev generate`: the reference pages, the schema and the plugin's hooks, made from the code that they describe. One file per page;
//! `markdown.rs` holds what pages are built of.

mod agents;
mod checks;
mod commands;
mod compat;
mod environment;
mod exit_codes;
mod linters;
mod log;
mod markdown;
mod profiles;
mod schema;
mod settings;

use std::path::Path;

use anyhow::{Context, bail};

use crate::workspace;

/// Write `docs/reference/` and the plugin's hooks from the code
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a file is stale
    #[arg(long)]
    check: bool,
}

/// One generated file.
struct Page {
    /// From the root of the repository.
    file: &'static str,
    text: fn() -> String,
}

static PAGES: &[Page] = &[
    Page { file: "docs/reference/agents.md", text: agents::page },
    Page { file: "docs/reference/checks.md", text: checks::page },
    Page { file: "docs/reference/commands.md", text: commands::page },
    Page { file: "docs/reference/compat.md", text: compat::page },
    Page { file: "docs/reference/config.schema.json", text: schema::page },
    #[cfg(feature = "engines")]
    Page { file: "docs/reference/engines.md", text: crate::conformance::page },
    Page { file: "docs/reference/environment.md", text: environment::page },
    Page { file: "docs/reference/exit-codes.md", text: exit_codes::page },
    Page { file: "docs/reference/linters.md", text: linters::page },
    Page { file: "docs/reference/log.md", text: log::page },
    Page { file: "docs/reference/profiles.md", text: profiles::page },
    Page { file: "docs/reference/settings.md", text: settings::page },
    Page { file: "plugin/hooks/hooks.json", text: plimsoll::plugin_hooks },
];

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = workspace::root();
    let stale = stale(root)?;
    if args.check {
        return refuse(&stale);
    }
    for (file, text) in &stale {
        let path = root.join(file);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        println!("wrote {file}");
    }
    if !cfg!(feature = "engines") {
        println!(
            "left alone: docs/reference/engines.md, which `cargo run --package dev -- generate` writes with the engines built"
        );
    }
    if stale.is_empty() {
        println!("what is generated is up to date");
    }
    Ok(())
}

/// Files that are not what the code says, with what they should be.
fn stale(root: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let mut stale = Vec::new();
    for page in PAGES {
        let file = page.file.to_owned();
        let text = (page.text)();
        match std::fs::read_to_string(root.join(&file)) {
            Ok(present) if present == text => {}
            Ok(_) => stale.push((file, text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => stale.push((file, text)),
            Err(error) => return Err(error).with_context(|| format!("{file} cannot be read")),
        }
    }
    Ok(stale)
}

fn refuse(stale: &[(String, String)]) -> anyhow::Result<()> {
    if stale.is_empty() {
        return Ok(());
    }
    let files: Vec<_> = stale.iter().map(|(file, _)| file.as_str()).collect();
    bail!("not what the code says:\n  {}\nrun `cargo dev generate`", files.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_what_the_code_says() {
        if let Err(error) = refuse(&stale(workspace::root()).unwrap()) {
            panic!("{error}");
        }
    }

    #[test]
    fn stale_files_are_named_with_what_mends_them() {
        let empty = tempfile::tempdir().unwrap();
        let error = refuse(&stale(empty.path()).unwrap()).unwrap_err().to_string();
        assert!(
            error.contains("docs/reference/checks.md") && error.contains("cargo dev generate"),
            "{error}"
        );
        assert!(PAGES.iter().all(|page| error.contains(page.file)), "{error}");
    }

    #[test]
    fn pages_are_tidy() {
        for page in PAGES {
            let (file, text) = (page.file, (page.text)());
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{file}: one newline at the end");
            assert!(!text.contains("\n\n\n"), "{file}: one empty line between blocks");
            assert!(text.lines().all(|line| line == line.trim_end()), "{file}: spaces at the end of a line");
        }
    }

    /// Each page names the source to edit instead of it. JSON has no place for that.
    #[test]
    fn sources_are_there() {
        for page in PAGES.iter().filter(|page| !page.file.ends_with(".json")) {
            let text = (page.text)();
            let head = text.lines().next().unwrap();
            let source = head.split('`').nth(3).unwrap_or_else(|| panic!("{}: {head}", page.file));
            assert!(workspace::root().join(source).exists(), "{}: {source}", page.file);
        }
    }
}
