//! `cargo dev agreement`: how far the engines of an executable agree with their tools on files that nobody here wrote, out of the source
//! distributions that `real-projects` takes. The samples of `conformance` are our own; these are not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use linters::Language;
use serde_json::Value as Json;

use crate::real_projects::{fetch, projects};

/// Compare engines with their tools on files of source distributions.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The executable, with engines
    #[arg(long)]
    program: PathBuf,
    /// Files of each language
    #[arg(long, default_value_t = 150)]
    files: usize,
    /// Only this language
    #[arg(long)]
    only: Option<String>,
    /// Name what differs
    #[arg(long)]
    differences: bool,
}

/// Languages, and the tools that engines stand for at an edit.
const KINDS: &[(Language, &str)] = &[
    (Language::Python, "ruff"),
    (Language::Shell, "shellcheck"),
    (Language::Markdown, "markdownlint-cli2"),
    (Language::Yaml, "yamllint"),
    (Language::Toml, "taplo"),
    (Language::Dockerfile, "hadolint"),
];

/// One file with what was found in it, as line and rule.
type Found = BTreeMap<String, BTreeSet<(u64, String)>>;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    println!("| language | tool | files | alike | | findings in both | only the tool | only the engine |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let texts = collect(&scratch.path().join("unpacked"), args)?;
    for (language, tool) in KINDS {
        if args.only.as_deref().is_some_and(|only| only != language.key()) {
            continue;
        }
        let folder = scratch.path().join(language.key());
        let names = write(&folder, *language, texts.get(language).map_or(&[][..], Vec::as_slice))?;
        let engine = findings(args, &folder, tool, "embedded")?;
        let original = findings(args, &folder, tool, "external")?;
        report(*language, tool, &names, &engine, &original, args.differences);
    }
    Ok(())
}

/// Texts by language, a few of each project so that none outweighs the others.
fn collect(folder: &Path, args: &Args) -> anyhow::Result<BTreeMap<Language, Vec<(String, String)>>> {
    let mut texts: BTreeMap<Language, Vec<(String, String)>> = BTreeMap::new();
    let all = projects::pinned()?;
    let each = args.files.div_ceil(8).max(4);
    for project in &all {
        let Ok(archive) = fetch::fetch(project) else { continue };
        let root = fetch::unpack(&archive, &folder.join(&project.name))?;
        let mut taken: BTreeMap<Language, usize> = BTreeMap::new();
        for file in state::files::walk(&root, 20_000) {
            let Some(language) = Language::of(&file) else { continue };
            let count = taken.entry(language).or_insert(0);
            let list = texts.entry(language).or_default();
            if *count >= each || list.len() >= args.files {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if text.is_empty() || text.len() > 100_000 {
                continue;
            }
            *count += 1;
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            list.push((format!("{}/{}", project.name, name), text));
        }
    }
    Ok(texts)
}

/// Each in a folder of its own: two may have one name. Their projects' settings stay behind, so that both sides have the tool's own.
fn write(folder: &Path, language: Language, texts: &[(String, String)]) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for (number, (name, text)) in texts.iter().enumerate() {
        let file = format!("{number}/{}", name.rsplit('/').next().unwrap_or_default());
        let place = folder.join(&file);
        std::fs::create_dir_all(place.parent().context("it is in a folder")?)?;
        std::fs::write(&place, text)?;
        names.push(file);
    }
    if language == Language::Python {
        std::fs::write(folder.join("ruff.toml"), "lint.select = [\"E\", \"F\", \"W\", \"B\", \"UP\"]\n")?;
    }
    Ok(names)
}

fn findings(args: &Args, folder: &Path, tool: &str, engine: &str) -> anyhow::Result<Found> {
    let home = tempfile::tempdir()?;
    let config = home.path().join(".claude/hooks/config.json");
    std::fs::create_dir_all(config.parent().context("it is in a folder")?)?;
    // Also the rules that an engine is not believed about; of ruff this would switch those on that are a preview.
    let unconfigured = if tool == "ruff" { "faults" } else { "all" };
    let settings = format!(r#"{{"engine": "{engine}", "unconfigured": "{unconfigured}"}}"#);
    std::fs::write(&config, settings)?;
    // The tool counts as chosen by its own file, so that all that it says is heard, and nothing else.
    for (name, text) in [
        (".shellcheckrc", ""),
        (".markdownlint.jsonc", "{}\n"),
        (".yamllint", "extends: default\n"),
        ("taplo.toml", ""),
        (".hadolint.yaml", "{}\n"),
    ] {
        std::fs::write(folder.join(name), text)?;
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let mut command = Command::new(&args.program);
    command.args(["check", "--thorough", "--trust-project", "--format", "json"]).current_dir(folder);
    command.env("HOME", home.path()).env("PLIMSOLL_STATE_DIR", home.path().join("state"));
    if let Some(cache) = cache {
        command.env("XDG_CACHE_HOME", cache);
    }
    let done = command.output().with_context(|| format!("{} cannot be started", args.program.display()))?;
    let Ok(json) = serde_json::from_slice::<Json>(&done.stdout) else {
        bail!("{tool}: {}", String::from_utf8_lossy(&done.stderr));
    };
    for failure in json["failures"].as_array().into_iter().flatten() {
        eprintln!("{engine} {tool}: {failure}");
    }
    let mut found = Found::new();
    for one in json["violations"].as_array().into_iter().flatten().filter(|one| one["linter"] == tool) {
        let (Some(file), Some(line), Some(code)) =
            (one["file"].as_str(), one["line"].as_u64(), one["code"].as_str())
        else {
            continue;
        };
        found.entry(file.to_owned()).or_default().insert((line, code.to_owned()));
    }
    Ok(found)
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred files")]
fn report(language: Language, tool: &str, names: &[String], engine: &Found, original: &Found, aloud: bool) {
    let (mut alike, mut both, mut only_tool, mut only_engine) = (0_usize, 0, 0, 0);
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let nothing = BTreeSet::new();
    for name in names {
        let (ours, theirs) = (engine.get(name).unwrap_or(&nothing), original.get(name).unwrap_or(&nothing));
        alike += usize::from(ours == theirs);
        both += ours.intersection(theirs).count();
        only_tool += theirs.difference(ours).count();
        only_engine += ours.difference(theirs).count();
        for (sign, one) in
            theirs.difference(ours).map(|one| ('-', one)).chain(ours.difference(theirs).map(|one| ('+', one)))
        {
            *rules.entry(format!("{sign}{}", one.1)).or_insert(0) += 1;
        }
    }
    let share = 100.0 * (alike as f64) / (names.len().max(1) as f64);
    println!(
        "| {} | {tool} | {} | {alike} | {share:.1} % | {both} | {only_tool} | {only_engine} |",
        language.key(),
        names.len()
    );
    if aloud {
        let list: Vec<String> = rules.iter().map(|(rule, count)| format!("{rule} ×{count}")).collect();
        println!("  {}", list.join(", "));
    }
}
