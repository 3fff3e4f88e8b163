//! Scans that are about a session and not about one edit: duplicated code, and the project's own security rules. Each runs once in
//! a session, when enough files were edited. What they find is advice, unless the project wants it otherwise.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use linters::{Language, definition};
use model::{Config, Mail, Reader, SessionId, Violation};
use state::{append_line, files, mail};

use super::Service;

/// Files with security rules for them before semgrep runs.
const SEMGREP_FILES: usize = 3;
const LIMIT: Duration = Duration::from_mins(3);
const MOST_LINES: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    JscpdPython,
    JscpdTypeScript,
    Semgrep,
}

impl Scan {
    const ALL: [Scan; 3] = [Scan::JscpdPython, Scan::JscpdTypeScript, Scan::Semgrep];

    fn name(self) -> &'static str {
        match self {
            Scan::JscpdPython => "jscpd-python",
            Scan::JscpdTypeScript => "jscpd-typescript",
            Scan::Semgrep => "semgrep",
        }
    }

    fn concerns(self, file: &Path, language: Language, config: &Config) -> bool {
        let css = file.extension().is_some_and(|extension| extension == "css");
        match self {
            Scan::JscpdPython => language == Language::Python,
            Scan::JscpdTypeScript => language == Language::TypeScript,
            Scan::Semgrep => language == Language::TypeScript && !css && config.semgrep,
        }
    }

    fn threshold(self, config: &Config) -> usize {
        match self {
            Scan::Semgrep => SEMGREP_FILES,
            _ => usize::try_from(config.jscpd_threshold).unwrap_or(usize::MAX),
        }
    }
}

impl Service<'_> {
    fn seen(&self, session: &SessionId, scan: Scan) -> PathBuf {
        self.project.session_dir(session).join(format!("seen-{}", scan.name()))
    }

    /// Notes the file, and names the scans that are due now. Each is named once.
    pub(super) fn scans_due(&self, session: &SessionId, file: &Path, language: Language) -> Vec<Scan> {
        let config = &self.loaded.config;
        let due = |scan: &Scan| {
            if !scan.concerns(file, language, config) {
                return false;
            }
            let place = self.seen(session, *scan);
            let done = place.with_extension("done");
            if files::exists(&done) {
                return false;
            }
            let text = files::read(&place).ok().flatten().unwrap_or_default();
            let name = file.to_string_lossy();
            let mut seen: Vec<&str> = text.lines().collect();
            if !seen.contains(&name.as_ref()) {
                // Not noted, it comes a little later; that is all.
                let _ = append_line(&place, &name);
                seen.push(&name);
            }
            seen.len() >= scan.threshold(config) && append_line(&done, "").is_ok()
        };
        Scan::ALL.into_iter().filter(due).collect()
    }

    /// Runs it and gives the advice, if there is any.
    pub(super) fn scan(&self, session: &SessionId, scan: Scan) -> Option<String> {
        match scan {
            Scan::Semgrep => self.semgrep(session),
            Scan::JscpdPython | Scan::JscpdTypeScript => {
                let clones = self.clones(scan)?;
                if clones.is_empty() {
                    return None;
                }
                let which = if scan == Scan::JscpdTypeScript { " (TS/JS)" } else { "" };
                let mut lines = vec![
                    format!("[hook:advisory] Duplicate code detected{which}"),
                    format!("Clone pairs found: {}", clones.len()),
                ];
                lines.extend(clones.iter().take(MOST_LINES).map(|clone| {
                    let name = clone.file.strip_prefix(&self.project.root).unwrap_or(&clone.file).display();
                    format!("{name}:{} {}", clone.line, clone.message)
                }));
                lines.push("Run 'npx jscpd --config .jscpd.json' for details.".into());
                Some(lines.join("\n"))
            }
        }
    }

    /// Duplicated code in the directories that are set.
    pub(super) fn clones(&self, scan: Scan) -> Option<Vec<Violation>> {
        if scan == Scan::Semgrep {
            return None;
        }
        let (root, config) = (&self.project.root, &self.loaded.config);
        let dirs: Vec<&String> =
            config.jscpd_dirs.iter().filter(|dir| files::is_dir(&root.join(dir))).collect();
        if dirs.is_empty() {
            return None;
        }
        let place = self.places(config.js_runtime).find(definition::find("jscpd")?, root)?;
        let formats = if scan == Scan::JscpdPython { "python" } else { "typescript,javascript,tsx,jsx,css" };
        let scratch = files::scratch_dir("plimsoll-jscpd").ok()?;
        let mut program = place.start(self.machine);
        if files::is_file(&root.join(".jscpd.json")) {
            program = program.args(["--config", ".jscpd.json"]);
        }
        // Its report is a file; anywhere but in the project.
        let program = program
            .args(["--absolute", "--reporters", "json", "--silent", "--format", formats, "--output"])
            .arg(&scratch)
            .args(dirs)
            .cwd(root)
            .within(LIMIT);
        // Its exit code does not tell more clones than its settings allow from a failure.
        let ran = program.run();
        let report = files::read(&scratch.join("jscpd-report.json")).ok().flatten();
        let _ = files::remove_dir(&scratch);
        ran.ok()?;
        let json: serde_json::Value = serde_json::from_str(&report?).ok()?;
        if self.allows_clones(&json) {
            return Some(Vec::new());
        }
        let one = |pair: &serde_json::Value| {
            let (first, second) = (&pair["firstFile"], &pair["secondFile"]);
            let number =
                |value: &serde_json::Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
            let other = format!("{}:{}", second["name"].as_str()?, number(&second["start"]));
            Some(Violation {
                file: root.join(first["name"].as_str()?),
                line: number(&first["start"]),
                column: 1,
                code: "duplicate".into(),
                message: format!("{} lines are the same as those at {other}", number(&pair["lines"])),
                linter: "jscpd",
                built_in: false,
            })
        };
        Some(json["duplicates"].as_array()?.iter().filter_map(one).collect())
    }

    /// Whether there is no more duplicated code than the project's settings of the tool allow, in percent of its lines.
    fn allows_clones(&self, report: &serde_json::Value) -> bool {
        let settings = files::read(&self.project.root.join(".jscpd.json")).ok().flatten();
        let settings = settings.and_then(|text| state::config::parse(&text).ok());
        let allowed = settings.and_then(|json| json.get("threshold")?.as_f64());
        let found = report["statistics"]["total"]["percentage"].as_f64();
        allowed.zip(found).is_some_and(|(allowed, found)| found <= allowed)
    }

    /// Duplicated code that blocks, by setting, once the session has edited enough files.
    pub(super) fn settle_clones(&self, session: &SessionId) -> Vec<Violation> {
        let due = |scan: &Scan| {
            *scan != Scan::Semgrep
                && !self.loaded.config.jscpd_advisory
                && files::exists(&self.seen(session, *scan).with_extension("done"))
        };
        Scan::ALL.into_iter().filter(due).filter_map(|scan| self.clones(scan)).flatten().collect()
    }

    fn semgrep(&self, session: &SessionId) -> Option<String> {
        let root = &self.project.root;
        let linter = definition::find("semgrep")?;
        let rules = root.join(".semgrep.yml");
        if !files::is_file(&rules) {
            return None;
        }
        let place = self.places(self.loaded.config.js_runtime).find(linter, root)?;
        let text = files::read(&self.seen(session, Scan::Semgrep)).ok().flatten()?;
        let targets: Vec<&str> = text.lines().filter(|file| files::is_file(Path::new(file))).collect();
        let mut program = place.start(self.machine);
        for (name, value) in linter.env {
            program = program.env(name, value);
        }
        let program = program
            .args(["--sarif", "--quiet", "--config"])
            .arg(&rules)
            .args(&targets)
            .cwd(root)
            .within(LIMIT);
        let done = program.run().ok()?;
        let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        let printed =
            linters::output::Printed { stdout: &stdout, stderr: &stderr, code: done.code, cut: done.cut };
        let about = linters::output::Subject { file: &rules, cwd: root, text: "" };
        let found = linters::output::read(linter, linter.lint.as_ref()?, &about, &printed);
        let found = match found {
            Ok(found) => found.elsewhere,
            Err(why) => return Some(format!("[hook:warning] could not read the output of semgrep: {why}")),
        };
        if found.is_empty() {
            return None;
        }
        let mut lines = vec![format!("[hook:advisory] Semgrep: {} security finding(s)", found.len())];
        lines.extend(found.iter().take(MOST_LINES).map(|v| {
            let name = v.file.strip_prefix(root).unwrap_or(&v.file).display();
            format!("{name}:{}:{} {} {}", v.line, v.column, v.code, v.message)
        }));
        lines.push("Run 'semgrep --config .semgrep.yml' for details.".into());
        Some(lines.join("\n"))
    }
}

/// `plimsoll task lint-scan <scan>`.
pub(crate) fn task(work: &crate::tasks::Work<'_>, args: &[String]) -> anyhow::Result<()> {
    let [name] = args else { bail!("lint-scan takes one name") };
    let scan = Scan::ALL
        .into_iter()
        .find(|scan| scan.name() == name)
        .with_context(|| format!("unknown scan {name}"))?;
    let loaded =
        state::config::load(work.machine, &work.project, checks::role, state::config::Trust::Recorded);
    let service = Service {
        machine: work.machine,
        project: &work.project,
        loaded: &loaded,
        cwd: &work.project.root,
        deadline: u64::MAX,
        as_script: false,
    };
    let Some(text) = service.scan(&work.session, scan) else { return Ok(()) };
    let mail = Mail { key: format!("scan/{name}"), text, to: Reader::Model };
    Ok(mail::post(work.machine, &work.project, &work.session, &mail)?)
}

pub(super) fn name(scan: Scan) -> String {
    scan.name().to_owned()
}
