//! `cargo dev conformance`: how far the embedded engines agree with their originals.
//!
//! The files are made from snippets (`corpus.rs`); what the originals say about them is kept (`recorded/`), so that neither
//! the measurement nor the test needs them. `--record` asks them anew.

mod corpus;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use engines::{Engines, Input, Place, Tool};

use self::corpus::{FILES, Kind};
use crate::workspace;

/// Compare the embedded engines with their originals
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ask the originals (on PATH) and keep what they say
    #[arg(long)]
    record: bool,
    /// Print what differs
    #[arg(long)]
    differences: bool,
    /// Write the files of every type to this folder and end
    #[arg(long, value_name = "FOLDER")]
    write: Option<std::path::PathBuf>,
    /// Only this type
    #[arg(long)]
    only: Option<String>,
}

/// One finding as it is compared: by rule and line, since wording and columns are each tool's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    file: String,
    line: u32,
    code: String,
}

#[derive(Debug)]
pub(crate) struct Recorded {
    version: String,
    findings: Vec<Finding>,
}

/// What came of one type.
struct Measured {
    version: String,
    both: usize,
    /// Found by the original only, and by the engine only.
    missing: Vec<Finding>,
    extra: Vec<Finding>,
    same_files: usize,
}

impl Measured {
    /// Of all that either found.
    #[expect(clippy::cast_precision_loss, reason = "a few thousand findings")]
    fn agreement(&self) -> f64 {
        let all = self.both + self.missing.len() + self.extra.len();
        if all == 0 { 100.0 } else { 100.0 * self.both as f64 / all as f64 }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| args.only.as_deref().is_none_or(|only| only == kind.name()))
        .collect();
    if let Some(folder) = &args.write {
        for kind in kinds {
            write(kind, &folder.join(kind.name()))?;
        }
        return Ok(());
    }
    for kind in kinds {
        if args.record {
            let recorded = record::record(kind)?;
            let path = workspace::root()
                .join("crates/dev/src/conformance/recorded")
                .join(format!("{}.tsv", kind.name()));
            std::fs::write(&path, to_text(&recorded))
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        let measured = measure(kind)?;
        println!(
            "{:10} {:5.1} %  {} both, {} only {}, {} only here, {} of {FILES} files alike",
            kind.title(),
            measured.agreement(),
            measured.both,
            measured.missing.len(),
            kind.original(),
            measured.extra.len(),
            measured.same_files
        );
        if args.differences {
            for (sign, findings) in [("-", &measured.missing), ("+", &measured.extra)] {
                for finding in findings {
                    println!("  {sign} {}:{} {}", finding.file, finding.line, finding.code);
                }
            }
        }
    }
    Ok(())
}

fn write(kind: Kind, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    for sample in kind.samples() {
        std::fs::write(folder.join(sample.name), sample.text)?;
    }
    if let Some((name, text)) = kind.config() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}

fn to_text(recorded: &Recorded) -> String {
    let mut text = format!("{}\n", recorded.version);
    for finding in &recorded.findings {
        let _ = writeln!(text, "{}\t{}\t{}", finding.file, finding.line, finding.code);
    }
    text
}

fn recorded(kind: Kind) -> Recorded {
    let text = match kind {
        Kind::Shell => include_str!("recorded/shell.tsv"),
        Kind::Markdown => include_str!("recorded/markdown.tsv"),
        Kind::Yaml => include_str!("recorded/yaml.tsv"),
        Kind::Toml => include_str!("recorded/toml.tsv"),
        Kind::Python => include_str!("recorded/python.tsv"),
        Kind::Dockerfile => include_str!("recorded/dockerfile.tsv"),
        Kind::Security => include_str!("recorded/security.tsv"),
        Kind::Async => include_str!("recorded/async.tsv"),
        Kind::Pydantic => include_str!("recorded/pydantic.tsv"),
        Kind::DeadCode => include_str!("recorded/dead-code.tsv"),
        Kind::Types => include_str!("recorded/types.tsv"),
    };
    let mut lines = text.lines();
    let version = lines.next().unwrap_or_default().to_owned();
    let finding = |line: &str| {
        let mut parts = line.split('\t').map(str::to_owned);
        Some(Finding { file: parts.next()?, line: parts.next()?.parse().ok()?, code: parts.next()? })
    };
    Recorded { version, findings: lines.filter_map(finding).collect() }
}

fn tool(kind: Kind) -> Tool {
    match kind {
        Kind::Shell => Tool::Shellcheck,
        Kind::Markdown => Tool::Markdownlint,
        Kind::Yaml => Tool::Yamllint,
        Kind::Toml => Tool::Taplo,
        Kind::Python => Tool::Ruff,
        Kind::Dockerfile => Tool::Hadolint,
        Kind::Security => Tool::Bandit,
        Kind::Async => Tool::FlakeAsync,
        Kind::Pydantic => Tool::FlakePydantic,
        Kind::DeadCode => Tool::Vulture,
        Kind::Types => Tool::Ty,
    }
}

fn measure(kind: Kind) -> anyhow::Result<Measured> {
    let folder = tempfile::tempdir()?;
    write(kind, folder.path())?;
    let engines =
        Engines::new(Place { project: Some(folder.path().to_path_buf()), preview: true, ..Place::default() });
    let mut ours = BTreeSet::new();
    for sample in kind.samples() {
        let path = folder.path().join(&sample.name);
        let found = engines.lint(&[tool(kind)], &Input::new(&path, &sample.text));
        for problem in found.with_context(|| sample.name.clone())? {
            ours.insert(Finding {
                file: sample.name.clone(),
                line: problem.line,
                code: problem.code.into_owned(),
            });
        }
    }
    let recorded = recorded(kind);
    let theirs: BTreeSet<Finding> = recorded.findings.into_iter().collect();
    let missing: Vec<Finding> = theirs.difference(&ours).cloned().collect();
    let extra: Vec<Finding> = ours.difference(&theirs).cloned().collect();
    let differing: BTreeSet<&str> = missing.iter().chain(&extra).map(|finding| &*finding.file).collect();
    Ok(Measured {
        version: recorded.version,
        both: theirs.intersection(&ours).count(),
        same_files: FILES - differing.len(),
        missing,
        extra,
    })
}

/// The page in `docs/reference`.
pub(crate) fn page() -> String {
    let mut page = String::from(
        "<!-- Generated by `cargo dev generate` from `crates/dev/src/conformance`; edit there. -->\n\n# Embedded engines and their originals\n\nHow far each embedded engine agrees with the tool that it stands for, on the \
         same files and with the same settings. A\nfinding is the same when file, line and rule are. The files are made from \
         snippets, a hundred and twenty per type, one in eight\nof them (of TOML, every second) ending in something that does not parse. Agreement is the \
         share of findings that both have, of all that either has.\n\n\
         | type | engine | original | agreement | in both | only original | only engine | files alike |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut differences = String::new();
    for kind in Kind::ALL {
        let Ok(measured) = measure(kind) else { continue };
        let _ = writeln!(
            page,
            "| {} | {} | {} {} | {:.1} % | {} | {} | {} | {} of {FILES} |",
            kind.title(),
            tool(kind).engine(),
            kind.original(),
            measured.version,
            measured.agreement(),
            measured.both,
            measured.missing.len(),
            measured.extra.len(),
            measured.same_files,
        );
        let _ = writeln!(
            differences,
            "| {} | {} | {} |",
            kind.title(),
            counts(&measured.missing),
            counts(&measured.extra)
        );
    }
    page.push_str(
        "\nMade by `cargo dev generate`; `cargo dev conformance --differences` names each finding. A test holds 95 % for \
         all but types, and 90 % for those.\n\n## What differs\n\n| type | only the original | only the engine |\n| --- | --- | --- |\n",
    );
    page.push_str(&differences);
    page.push_str(include_str!("notes.md"));
    page
}

/// `SC2086 ×3, SC2148`.
fn counts(findings: &[Finding]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry(&finding.code).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
    let shown: Vec<String> = counts
        .iter()
        .map(|(code, count)| if *count == 1 { (*code).to_owned() } else { format!("{code} ×{count}") })
        .collect();
    if shown.is_empty() { "–".to_owned() } else { shown.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Per cent. The original of the checker of types is newer, and has rules that the engine has not.
    fn promised(kind: Kind) -> f64 {
        if kind == Kind::Types { 90.0 } else { 95.0 }
    }

    #[test]
    fn engines_agree_with_their_originals() {
        for kind in Kind::ALL {
            let measured = measure(kind).unwrap();
            assert!(
                measured.agreement() >= promised(kind),
                "{}: {:.1} %; `cargo dev conformance --differences` says where",
                kind.title(),
                measured.agreement()
            );
        }
    }

    #[test]
    fn the_corpus_is_large_and_not_clean() {
        for kind in Kind::ALL {
            assert!(kind.samples().len() >= 100);
            assert!(recorded(kind).findings.len() > 50, "{}", kind.title());
        }
    }
}
