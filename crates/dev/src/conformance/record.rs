//! Asks the originals, which must be on PATH, and keeps what they say.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::corpus::{Kind, Sample};
use super::{Finding, Recorded};

pub(crate) fn record(kind: Kind) -> anyhow::Result<Recorded> {
    let folder = tempfile::tempdir()?;
    let samples = kind.samples();
    for sample in &samples {
        std::fs::write(folder.path().join(&sample.name), &sample.text)?;
    }
    if let Some((name, text)) = kind.config() {
        std::fs::write(folder.path().join(name), text)?;
    }
    // What one file uses, vulture takes for used in all that it is given; the hook gives it one.
    let at_once = if kind == Kind::DeadCode { 1 } else { samples.len() };
    let mut findings = Vec::new();
    for some in samples.chunks(at_once) {
        findings.extend(ask(kind, folder.path(), some)?);
    }
    findings.sort();
    findings.dedup();
    Ok(Recorded { version: version(kind)?, findings })
}

fn version(kind: Kind) -> anyhow::Result<String> {
    let output = Command::new(kind.original()).arg("--version").output()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let number = text
        .split([' ', '\n', 'v'])
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'));
    Ok(number.with_context(|| format!("no version in `{text}`"))?.to_owned())
}

fn ask(kind: Kind, folder: &Path, samples: &[Sample]) -> anyhow::Result<Vec<Finding>> {
    let arguments: &[&str] = match kind {
        Kind::Shell => &["-f", "json"],
        Kind::Markdown => &["--no-globs"],
        Kind::Yaml => &["-f", "parsable"],
        Kind::Toml => &["check"],
        Kind::Python => &["check", "--preview", "--no-cache", "--output-format=json"],
        Kind::Dockerfile => &["-f", "json"],
        Kind::Security => &["-f", "json", "-q"],
        Kind::Async => &["--isolated", "--select=ASYNC"],
        Kind::Pydantic => &["--isolated", "--select=PYD"],
        Kind::DeadCode => &["--min-confidence", "80"],
        Kind::Types => &["check", "--output-format", "gitlab"],
    };
    let output = Command::new(kind.original())
        .args(arguments)
        .args(samples.iter().map(|sample| &sample.name))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .with_context(|| format!("{} cannot be started", kind.original()))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let found = |file: &str, line: &Value, code: String| {
        let line = line.as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
        Finding { file: name(file), line, code }
    };
    Ok(match kind {
        Kind::Shell => list(&stdout)?
            .iter()
            .map(|item| found(text(item, "file"), &item["line"], format!("SC{}", item["code"])))
            .collect(),
        Kind::Dockerfile => list(&stdout)?
            .iter()
            .map(|item| found(text(item, "file"), &item["line"], text(item, "code").to_owned()))
            .collect(),
        Kind::Python => list(&stdout)?
            .iter()
            .map(|item| {
                let code = item["code"].as_str().unwrap_or("invalid-syntax").to_owned();
                found(text(item, "filename"), &item["location"]["row"], code)
            })
            .collect(),
        Kind::Security => {
            let report: Value = serde_json::from_str(stdout.trim()).context("the report is not JSON")?;
            let results = report["results"].as_array().cloned().unwrap_or_default();
            let item = |item: &Value| {
                found(text(item, "filename"), &item["line_number"], text(item, "test_id").to_owned())
            };
            results.iter().map(item).collect()
        }
        // `file:line:column: RULE message`
        Kind::Async | Kind::Pydantic => stdout
            .lines()
            .filter_map(|line| placed(line, |rest| Some(rest.split(' ').nth(1)?.to_owned())))
            .collect(),
        Kind::Types => list(&stdout)?
            .iter()
            .map(|item| {
                let place = &item["location"];
                let line = &place["positions"]["begin"]["line"];
                found(text(place, "path"), line, text(item, "check_name").to_owned())
            })
            .collect(),
        // `file:line: what (90% confidence)`
        Kind::DeadCode => {
            stdout.lines().filter_map(|line| placed(line, |_| Some("VULTURE".to_owned()))).collect()
        }
        // `file:line:column: [level] message (rule)`
        Kind::Yaml => stdout
            .lines()
            .filter_map(|line| {
                placed(line, |rest| Some(rest.rsplit_once('(')?.1.trim_end_matches(')').to_owned()))
            })
            .collect(),
        // `file:line[:column] [level] RULE/alias …`
        Kind::Markdown => stderr
            .lines()
            .filter_map(|line| {
                placed(line, |rest| {
                    let start = rest.find("MD")?;
                    Some(rest[start..].split('/').next()?.to_owned())
                })
            })
            .collect(),
        // `  ┌─ file:line:column`
        Kind::Toml => stderr
            .lines()
            .filter_map(|line| line.split_once("┌─ "))
            .filter_map(|(_, place)| placed(place, |_| Some("TOML_SYNTAX".to_owned())))
            .collect(),
    })
}

fn list(text: &str) -> anyhow::Result<Vec<Value>> {
    let value: Value = serde_json::from_str(text.trim()).context("the report is not JSON")?;
    Ok(value.as_array().cloned().unwrap_or_default())
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap_or_default()
}

fn placed(line: &str, code: impl Fn(&str) -> Option<String>) -> Option<Finding> {
    let (file, rest) = line.split_once(':')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let file = file.rsplit('/').next().unwrap_or(file).trim().to_owned();
    Some(Finding { file, line: number, code: code(&rest[digits..])? })
}
