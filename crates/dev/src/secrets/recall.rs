//! Keys that the oracle finds, by its own rules, and whether we mask them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use model::{OwnValues, find_secrets, mask};
use serde_json::Value as Json;

use super::plant::{self, Dice};

/// Rules about names, places and public halves: they help the oracle to try a key, and give nothing away.
const NOT_SECRET: &[&str] = &[
    "-id",
    "-url",
    "-host",
    "domain",
    "public",
    "-name",
    "-pub-",
    "repository",
    "client-sdk",
    "project-api-key",
];

/// Rules about a whole document: what is made by them has everything but a key.
const DOCUMENTS: &[&str] = &["gcp-service-account", "gcp-application-default"];

/// One planted key.
struct Planted {
    rule: String,
    /// The rule wants a name beside the key.
    named: bool,
    text: String,
}

pub(super) fn run(oracle: &Path, each: usize, seed: u64, missed: bool) -> anyhow::Result<()> {
    let listed = Command::new(oracle).args(["rules", "list", "--format", "json"]).output()?;
    let rules: Vec<Json> = serde_json::from_slice(&listed.stdout).context("the list of rules")?;
    let folder = tempfile::tempdir()?;
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut planted = Vec::new();
    for rule in &rules {
        let (Some(id), Some(pattern)) = (rule["id"].as_str(), rule["pattern"].as_str()) else { continue };
        let bare = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if NOT_SECRET
            .iter()
            .any(|word| if word.starts_with("-i") { bare.ends_with(word) } else { bare.contains(word) })
        {
            continue;
        }
        if DOCUMENTS.iter().any(|name| id.contains(name)) {
            continue;
        }
        let named = pattern.contains("(?:=|>") || pattern.contains("[\\s\\S]") || pattern.contains("{0,32}?");
        // In the letters that the rule is written in: makers of keys do not mix them as `(?i)` would.
        let pattern = pattern.replace("(?i)", "").replace("(?i:", "(?:");
        let Ok(hir) = plant::parse(&pattern) else { continue };
        for _ in 0..each {
            let text = match plant::group(&hir, &mut dice).filter(|_| named) {
                Some(key) => format!("{} = \"{key}\"\n", name(bare)),
                None => format!("{}\n", plant::text(&hir, &mut dice)),
            };
            std::fs::write(folder.path().join(format!("{}.txt", planted.len())), &text)?;
            planted.push(Planted { rule: id.to_owned(), named, text });
        }
    }
    let found = confirmed(oracle, folder.path())?;
    let mut formats: BTreeMap<(bool, &str), (usize, usize)> = BTreeMap::new();
    for (number, one) in planted.iter().enumerate() {
        let Some(secrets) = found.get(&number) else { continue };
        let masked = mask(&one.text, &find_secrets(&one.text, &OwnValues::default()));
        let masked = masked.unwrap_or_else(|| one.text.clone());
        let is_gone = secrets.iter().any(|secret| !masked.contains(tail(secret)));
        let counts = formats.entry((one.named, &one.rule)).or_default();
        counts.0 += 1;
        counts.1 += usize::from(is_gone);
        if missed && !is_gone {
            println!("{}\t{:?}\t{:?}", one.rule, one.text.trim_end(), secrets);
        }
    }
    for (named, what) in [(false, "by shape"), (true, "by name")] {
        let of = || formats.iter().filter(|((by_name, _), _)| *by_name == named).map(|(_, counts)| counts);
        let (keys, masked) = of().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
        let whole = of().filter(|counts| counts.0 == counts.1).count();
        println!(
            "{what}: {} formats, {whole} of them whole; {keys} keys, {masked} masked ({:.1} %)",
            of().count(),
            percent(masked, keys)
        );
    }
    Ok(())
}

/// What a setting with such a key is called: the rule's own name for it.
fn name(rule: &str) -> String {
    rule.rsplit(['.', '/']).next().unwrap_or(rule).replace('-', "_")
}

#[expect(clippy::cast_precision_loss, reason = "a share, to one place")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The end of a secret's longest part, which is what has to be gone: its beginning may stay.
fn tail(secret: &str) -> &str {
    let parts = secret.split(|c: char| !c.is_ascii_alphanumeric());
    let longest = parts.max_by_key(|part| part.len()).unwrap_or(secret);
    &longest[longest.floor_char_boundary(longest.len().saturating_sub(10))..]
}

/// What the oracle finds in each of the files.
fn confirmed(oracle: &Path, folder: &Path) -> anyhow::Result<BTreeMap<usize, Vec<String>>> {
    let ran = Command::new(oracle)
        .args(["scan", "--no-validate", "--format", "json", "--confidence", "low", "--no-update-check"])
        .arg(folder)
        .output()?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let start = text.find('{').unwrap_or(0);
    let mut all: Vec<Json> = Vec::new();
    for value in serde_json::Deserializer::from_str(&text[start..]).into_iter::<Json>() {
        let Ok(value) = value else { break };
        all.push(value);
    }
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for finding in all.iter().flat_map(|value| value["findings"].as_array().into_iter().flatten()) {
        let finding = if finding["finding"].is_object() { &finding["finding"] } else { finding };
        let (Some(path), Some(snippet)) = (finding["path"].as_str(), finding["snippet"].as_str()) else {
            continue;
        };
        let number = Path::new(path).file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        let Some(number) = number else { continue };
        found.entry(number).or_default().push(snippet.to_owned());
    }
    if found.is_empty() {
        bail!("the oracle has found nothing: {}", String::from_utf8_lossy(&ran.stderr));
    }
    Ok(found)
}
