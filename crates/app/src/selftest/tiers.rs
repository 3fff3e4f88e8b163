//! T01–T14: which model is asked to fix, by the rules that were broken. A stand-in for the client writes down how it was called,
//! and changes nothing.

use std::path::{Path, PathBuf};

use super::linting::{self, DOCKER_LATEST, MD_LONG, PY_TYPES, PY_UNUSED, SCRIPT, SH_UNQUOTED, YAML_INDENT};
use super::{Bench, Case, Expected, Observed, Suite};

const BASIS: &str = "old linter hooks, model selection and subprocess.tiers";

const PY_NO_DOCSTRING: &str = "def answer() -> int:\n    return 42\n";
/// Six rules broken, one more than the threshold.
const PY_MANY: &str = "\"\"\"A module.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    one = 1\n    two = 1\n    three = 1\n    four = 1\n    five = 1\n    six = 1\n    return 42\n";
const PY_TWO: &str = "\"\"\"A module.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    one = 1\n    two = 1\n    return 42\n";

struct Row {
    id: &'static str,
    name: &'static str,
    summary: &'static str,
    file: &'static str,
    text: &'static str,
    /// Without it, and without an engine in its place, the case is skipped.
    tool: &'static str,
    config: &'static str,
    model: &'static str,
    /// What the stand-in was given, or what was said beside it.
    says: &'static [&'static str],
}

const fn row(
    id: &'static str,
    name: &'static str,
    summary: &'static str,
    (file, text, tool): (&'static str, &'static str, &'static str),
    model: &'static str,
) -> Row {
    Row { id, name, summary, file, text, tool, config: "{}", model, says: &[] }
}

impl Row {
    const fn with(mut self, config: &'static str) -> Self {
        self.config = config;
        self
    }

    const fn says(mut self, says: &'static [&'static str]) -> Self {
        self.says = says;
        self
    }
}

type Given = (&'static str, &'static str, &'static str);

const UNUSED: Given = ("app.py", PY_UNUSED, "ruff");

static ROWS: &[Row] = &[
    row("T01", "tier_python_haiku", "F841", UNUSED, "haiku").says(&["--max-turns 10", "timeout=120"]),
    row("T02", "tier_shell_haiku", "SC2086", ("run.sh", SH_UNQUOTED, "shellcheck"), "haiku"),
    row("T03", "tier_docker_haiku", "DL3007", ("Dockerfile", DOCKER_LATEST, "hadolint"), "haiku"),
    row("T04", "tier_markdown_sonnet", "MD013", ("notes.md", MD_LONG, "markdownlint-cli2"), "sonnet")
        .says(&["timeout=300"]),
    row("T05", "tier_docstring_sonnet", "D100, D103", ("app.py", PY_NO_DOCSTRING, "ruff"), "sonnet"),
    row("T06", "tier_types_opus", "a type error", ("app.py", PY_TYPES, "ty"), "opus")
        // The name that this checker has for it; the pattern that is built in names older ones too.
        .with(r#"{"pace": "thorough", "subprocess.tiers.opus.patterns": "invalid-return-type|type-assertion|unresolved-attribute"}"#)
        .says(&["--max-turns 15", "timeout=600"]),
    row("T07", "tier_volume_opus", "six violations", ("app.py", PY_MANY, "ruff"), "opus"),
    row("T08", "tier_threshold_config", "two violations, threshold 1", ("app.py", PY_TWO, "ruff"), "opus")
        .with(r#"{"subprocess.volume_threshold": 1}"#),
    row("T09", "tier_pattern_config", "F841 as a pattern of opus", UNUSED, "opus")
        .with(r#"{"subprocess.tiers.opus.patterns": "F841"}"#),
    row("T10", "tier_global_override", "one model for everything", UNUSED, "opus")
        .with(r#"{"subprocess.global_model_override": "opus"}"#)
        .says(&["--max-turns 15"]),
    row("T11", "tier_unmatched_haiku", "a rule of no pattern", ("conf.yaml", YAML_INDENT, "yamllint"), "haiku")
        .says(&["[hook:warning] unmatched pattern 'indentation', defaulting to haiku"]),
    row("T12", "tier_turns_override", "max_turns_override", UNUSED, "haiku")
        .with(r#"{"subprocess.max_turns_override": 3}"#)
        .says(&["--max-turns 3"]),
    row("T13", "tier_timeout_override", "timeout_override", UNUSED, "haiku")
        .with(r#"{"subprocess.timeout_override": 77}"#)
        .says(&["timeout=77"]),
    row("T14", "tier_tools", "what a tier does not name is forbidden", UNUSED, "haiku")
        .says(&["--disallowedTools Write,Bash,Glob,Grep,WebFetch"]),
];

pub(super) fn suite() -> Suite {
    Suite::besides("tier-agent", "multi_linter.sh", ROWS.iter().map(case).collect())
}

fn case(row: &'static Row) -> Case {
    Case {
        id: row.id,
        name: row.name,
        category: "tier",
        summary: row.summary.into(),
        basis: BASIS,
        // Nothing is fixed, so what was found is left.
        expected: Expected { decision: row.model, exit: Some(2), says: row.says.to_vec() },
        required: false,
        run: Box::new(move |bench| {
            run(bench, row).unwrap_or_else(|error| Observed::failed(error.to_string()))
        }),
    }
}

/// How it was called, one word after the other, without the prompt, which has many lines.
const STAND_IN: &str = "#!/bin/sh\nshift 2\necho \"$*\" > \"$CLAUDE_PROJECT_DIR/called\"\n";

fn run(bench: &Bench, row: &Row) -> std::io::Result<Observed> {
    if !bench.has_tool(row.tool) && !bench.has_engine_for(row.tool, row.file) {
        return Ok(Observed::skipped("absent"));
    }
    let project = linting::strict_project(bench, row.id, row.config, &[])?;
    let file = project.join(row.file);
    state::atomic::write(&file, row.text.as_bytes())?;
    let bin = stand_in(&project, STAND_IN)?;
    let path = bench.path_with(&bin);
    let log = beside(&project, "trace");
    let payload = linting::edited(row.id, &project, &file, row.text);
    let variables = [("PATH", path.as_str()), ("PLIMSOLL_STATE_DIR", &*log.to_string_lossy())];
    let done = match bench.script(SCRIPT, &project, &payload, &variables) {
        Ok(done) => done,
        Err(failed) => return Ok(failed),
    };
    let mut seen = linting::ended(&done);
    let called = state::files::read(&project.join("called"))?.unwrap_or_default();
    let mut words = called.split_whitespace();
    seen.decision = match words.find(|word| *word == "--model").and_then(|_| words.next()) {
        Some(model) => model.to_owned(),
        None => "not called".into(),
    };
    seen.stdout.push_str(&called);
    // What the fixer was started with is in our log.
    let trace = state::files::read(&log.join("log.jsonl"))?.unwrap_or_default();
    seen.stdout.extend(trace.split('"').filter(|text| text.starts_with("[hook:subprocess] model=")));
    Ok(seen)
}

/// A folder beside a project, for what must not be a part of it.
pub(super) fn beside(project: &Path, what: &str) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    project.with_file_name(format!("{name}-{what}"))
}

/// A client of this text, in a folder of its own beside the project: nothing of a project is started.
pub(super) fn stand_in(project: &Path, text: &str) -> std::io::Result<PathBuf> {
    let bin = beside(project, "stand-in");
    let program = bin.join("claude");
    state::atomic::write(&program, text.as_bytes())?;
    state::files::make_executable(&program)?;
    Ok(bin)
}
