//! What is printed: for people grouped by file with the lines in question, for programs as JSON; other formats have files of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use model::Violation;
use serde_json::{Value, json};
use state::files;

use super::{github, junit, sarif};
use crate::lint;
use crate::ui::{Printer, Tone, human};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[value(alias = "text")]
    Human,
    Json,
    /// For code scanning
    Sarif,
    /// For CI that shows test results
    Junit,
    /// Annotations in the log of a GitHub workflow
    Github,
}

impl Format {
    /// For programs that want it in a file.
    pub(super) fn is_a_file(self) -> bool {
        matches!(self, Self::Json | Self::Sarif | Self::Junit)
    }
}

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) found: Vec<Violation>,
    /// Files, linters and reasons.
    failures: BTreeSet<(PathBuf, &'static str, String)>,
    pub(super) fixed: usize,
    /// Languages that nothing looked at, how many files, and which tools would.
    unlinted: BTreeMap<&'static str, (usize, Vec<String>)>,
    /// Languages that only tools for whole projects look at, which were not asked.
    left_out: BTreeMap<&'static str, (usize, Vec<String>)>,
    /// Tools that were not run because nobody has trusted the project, and why it takes trust.
    waiting: BTreeMap<String, &'static str>,
    lacking: BTreeSet<&'static str>,
    /// Tools that are here and of no use in this project, and why.
    unfit: BTreeMap<&'static str, &'static str>,
}

impl Report {
    pub(super) fn merge(&mut self, other: Report) {
        self.found.extend(other.found);
        self.failures.extend(other.failures);
        self.fixed += other.fixed;
        self.waiting.extend(other.waiting);
        self.lacking.extend(other.lacking);
        self.unfit.extend(other.unfit);
        for (mine, its) in [(&mut self.unlinted, other.unlinted), (&mut self.left_out, other.left_out)] {
            for (language, (count, tools)) in its {
                mine.entry(language).or_insert_with(|| (0, tools)).0 += count;
            }
        }
    }

    pub(super) fn failed(&mut self, file: &Path, linter: &'static str, why: String) {
        self.failures.insert((file.to_path_buf(), linter, why));
    }

    pub(super) fn unlinted(&mut self, language: &'static str, tools: &[&str]) {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        self.unlinted.entry(language).or_insert((0, tools)).0 += 1;
    }

    pub(super) fn left_out(&mut self, language: &'static str, tools: &[&str]) {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        self.left_out.entry(language).or_insert((0, tools)).0 += 1;
    }

    pub(super) fn waits(&mut self, tool: String, why: &'static str) {
        self.waiting.insert(tool, why);
    }

    /// Linters that the project has chosen, and that are not here.
    pub(super) fn lacks(&mut self, tools: &[&'static str]) {
        self.lacking.extend(tools);
    }

    pub(super) fn is_unfit(&mut self, tool: &'static str, why: &'static str) {
        self.unfit.insert(tool, why);
    }

    pub(super) fn finish(&mut self) {
        self.found.sort();
        self.found.dedup();
        self.found = lint::once(std::mem::take(&mut self.found));
    }

    /// What was not looked at although it should have been: a sentence about each.
    pub(super) fn left(&self, relative: &dyn Fn(&Path) -> String) -> Vec<String> {
        let mut left: Vec<String> = Vec::new();
        for (file, linter, why) in &self.failures {
            left.push(format!("{}: {linter} could not look: {why}", relative(file)));
        }
        for (tool, why) in &self.waiting {
            left.push(format!(
                "{tool} was not run: it {why}, and nobody has trusted this project (use --trust-project)"
            ));
        }
        for tool in &self.lacking {
            left.push(format!("{tool} was not run: this project has chosen it, and it is not installed"));
        }
        left.extend(self.unfit.iter().map(|(tool, why)| format!("{tool} was not run: {why}")));
        left
    }

    pub(super) fn is_clean(&self) -> bool {
        self.found.is_empty()
            && self.failures.is_empty()
            && self.waiting.is_empty()
            && self.lacking.is_empty()
            && self.unfit.is_empty()
    }
}

/// The whole of it, for a file; nothing in the formats that are for a screen.
pub(super) fn text(format: Format, report: &Report, root: &Path, looked_at: usize) -> String {
    let relative = |file: &Path| file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
    match format {
        Format::Json => format!("{:#}\n", as_json(report, &relative, looked_at)),
        Format::Sarif => format!("{:#}\n", sarif::sarif(report, &relative)),
        Format::Junit => format!("{}\n", junit::junit(report, &relative, looked_at)),
        Format::Human | Format::Github => String::new(),
    }
}

pub(super) fn print(printer: &Printer, format: Format, report: &Report, root: &Path, looked_at: usize) {
    let relative = |file: &Path| file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
    match format {
        Format::Human => for_people(printer, report, &relative, looked_at),
        Format::Json => printer.json(&as_json(report, &relative, looked_at)),
        Format::Sarif => printer.json(&sarif::sarif(report, &relative)),
        Format::Junit => printer.line(&junit::junit(report, &relative, looked_at)),
        Format::Github => github::github(printer, report, &relative),
    }
}

/// The problems of a file, each below the line that it is about.
fn one_file(printer: &Printer, file: &Path, found: &[&Violation], relative: &dyn Fn(&Path) -> String) {
    printer.toned(Tone::Title, &relative(file));
    let text = files::read(file).ok().flatten().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut last = 0;
    for violation in found {
        let code = printer.paint(Tone::Bad, &violation.code);
        let by = printer.paint(Tone::Faint, &format!("({})", violation.by()));
        printer.line(&format!("  {}:{} {code} {} {by}", violation.line, violation.column, violation.message));
        let line = lines.get((violation.line as usize).wrapping_sub(1));
        if let Some(line) = line.filter(|line| violation.line != last && !line.trim().is_empty()) {
            let shown: String = line.trim_end().chars().take(160).collect();
            printer.line(&printer.paint(Tone::Faint, &format!("{:>6} | {shown}", violation.line)));
        }
        last = violation.line;
    }
    printer.line("");
}

fn for_people(printer: &Printer, report: &Report, relative: &dyn Fn(&Path) -> String, looked_at: usize) {
    let mut by_file: BTreeMap<&Path, Vec<&Violation>> = BTreeMap::new();
    for violation in &report.found {
        by_file.entry(&violation.file).or_default().push(violation);
    }
    by_file.iter().for_each(|(file, found)| one_file(printer, file, found, relative));
    for (file, linter, why) in &report.failures {
        printer.toned(Tone::Warning, &format!("{}: {linter} could not look: {why}", relative(file)));
    }
    for (language, (count, tools)) in &report.unlinted {
        let how = if tools.is_empty() { String::new() } else { format!("; would be: {}", tools.join(", ")) };
        printer.toned(
            Tone::Warning,
            &format!(
                "{} {} not linted: no linter for {} is installed{how}",
                human::plural(*count as u64, &format!("{language} file")),
                if *count == 1 { "was" } else { "were" },
                if *count == 1 { "it" } else { "them" },
            ),
        );
    }
    for (language, (count, tools)) in &report.left_out {
        printer.toned(
            Tone::Warning,
            &format!(
                "{} {} not linted: {} looks at whole projects, and runs with --thorough",
                human::plural(*count as u64, &format!("{language} file")),
                if *count == 1 { "was" } else { "were" },
                tools.join(", ")
            ),
        );
    }
    for (tool, why) in &report.waiting {
        printer.toned(
            Tone::Warning,
            &format!("{tool} was not run: it {why}, and you have not trusted this project"),
        );
    }
    if !report.waiting.is_empty() {
        let how = "`plimsoll trust` lets this project's own tools run; `plimsoll check --trust-project` does so once";
        printer.toned(Tone::Warning, how);
    }
    for tool in &report.lacking {
        printer.toned(
            Tone::Warning,
            &format!("{tool} was not run: this project has chosen it, and it is not installed"),
        );
    }
    for (tool, why) in &report.unfit {
        printer.toned(Tone::Warning, &format!("{tool} was not run: {why}"));
    }
    if report.fixed > 0 {
        printer.line(&format!("{} rewritten", human::plural(report.fixed as u64, "file")));
    }
    let unseen: usize =
        report.unlinted.values().chain(report.left_out.values()).map(|(count, _)| count).sum();
    let all = format!("{} looked at", human::plural(looked_at.saturating_sub(unseen) as u64, "file"));
    if report.is_clean() {
        printer.toned(Tone::Good, &format!("{all}, nothing found"));
    } else {
        let end = match (report.found.len(), report.failures.is_empty()) {
            (0, true) => "nothing found, but not every linter was run".to_owned(),
            (0, false) => "nothing found, but not every linter could look".to_owned(),
            (found, _) => format!("{} in {} of them", human::plural(found as u64, "problem"), by_file.len()),
        };
        printer.toned(Tone::Bad, &format!("{all}, {end}"));
    }
}

fn as_json(report: &Report, relative: &dyn Fn(&Path) -> String, looked_at: usize) -> Value {
    json!({
        "files": looked_at,
        "fixed": report.fixed,
        "violations": report.found.iter().map(|found| json!({
            "file": relative(&found.file),
            "line": found.line,
            "column": found.column,
            "code": found.code,
            "message": found.message,
            "linter": found.linter,
            "built_in": found.built_in,
        })).collect::<Vec<_>>(),
        "failures": report.failures.iter().map(|(file, linter, why)| json!({
            "file": relative(file), "linter": linter, "why": why,
        })).collect::<Vec<_>>(),
        "unlinted": report.unlinted.iter().chain(&report.left_out).map(|(language, (count, tools))| json!({
            "language": language, "files": count, "tools": tools,
        })).collect::<Vec<_>>(),
        "waits_for_trust": report.waiting.iter().map(|(tool, why)| json!({
            "tool": tool, "why": why,
        })).collect::<Vec<_>>(),
        "not_installed": report.lacking,
        "unfit": report.unfit.iter().map(|(tool, why)| json!({"tool": tool, "why": why})).collect::<Vec<_>>(),
    })
}
