//! M01–M42: what happens after an edit, by file type, setting and interaction, as the specification lists them. Each case has a
//! project of its own with the strict config set, and is run through the linter's old address, synchronously.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};
use state::process::Finished;

use super::{Bench, Case, Expected, Observed, Suite, live};

pub(super) const SCRIPT: &str = "multi_linter";

struct Row {
    id: &'static str,
    name: &'static str,
    category: &'static str,
    summary: &'static str,
    file: &'static str,
    text: &'static str,
    /// Over the settings that all cases have.
    config: &'static str,
    /// Besides the strict set, or in place of one of it.
    files: &'static [(&'static str, &'static str)],
    exit: i32,
    says: &'static [&'static str],
    gate: Gate,
    /// Texts that the file must have afterwards.
    becomes: &'static [&'static str],
    /// The tool must have looked, which a clean file does not show.
    ran: Option<&'static str>,
    basis: &'static str,
}

/// What a case needs.
#[derive(Clone, Copy)]
enum Gate {
    Nothing,
    /// Without this tool, and without an engine in its place, it is skipped.
    Tool(&'static str),
    /// Without it, it fails: the specification wants it tested.
    Biome,
}

const BY_TYPE: &str = "test specification D4, ml-agent inventory";
const TOGGLES: &str = "test specification, config-toggle tests";
const CONFLICTS: &str = "test specification, conflict and interaction tests";
const LANGUAGES: &str = "test specification, cross-language and edge cases";

const PY: &str = "\"\"\"A module.\"\"\"\n\n\ndef add(first: int, second: int) -> int:\n    \"\"\"Add two numbers.\"\"\"\n    return first + second\n";
pub(super) const PY_UNUSED: &str = "\"\"\"A module.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    unused = 1\n    return 42\n";
pub(super) const PY_TYPES: &str = "\"\"\"A module.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    unused = 1\n    return \"forty-two\"\n";
const PY_ASSERT: &str = "\"\"\"A module.\"\"\"\n\n\ndef answer(given: int) -> int:\n    \"\"\"Give the answer.\"\"\"\n    unused = 1\n    assert given > 0\n    return 42\n";
const PY_UGLY: &str = "\"\"\"Badly formatted, but clean.\"\"\"\ndef add(   first,second,   third   ):\n    \"\"\"Add three.\"\"\"\n    return first+second+third\n";
const SH: &str = "#!/usr/bin/env bash\nset -euo pipefail\n\nname=\"world\"\necho \"hello ${name}\"\n";
pub(super) const SH_UNQUOTED: &str = "#!/usr/bin/env bash\nset -euo pipefail\n\nname=\"$1\"\necho ${name}\n";
const MD: &str = "# Title\n\nSome text.\n";
pub(super) const MD_LONG: &str = "# Title\n\nThis line goes on and on, well beyond the eighty characters that the rule allows a line to have.\n";
const YAML: &str = "---\nname: demo\nlist:\n  - one\n  - two\n";
pub(super) const YAML_INDENT: &str = "---\nparent:\n   child: value\nlist:\n  - one\n";
const TOML: &str = "title = \"demo\"\n\n[owner]\nname = \"me\"\n";
const TOML_BROKEN: &str = "title = \n";
const JSON: &str = "{\n  \"name\": \"demo\"\n}\n";
const JSON_BROKEN: &str = "{\"name\": }\n";
const DOCKER: &str =
    "FROM ubuntu:22.04\n\nLABEL maintainer=\"me\" version=\"1.0\"\n\nRUN echo hello\n\nUSER 65534\n";
pub(super) const DOCKER_LATEST: &str =
    "FROM ubuntu:latest\n\nLABEL maintainer=\"me\" version=\"1.0\"\n\nRUN echo hello\n\nUSER 65534\n";
const TS: &str = "export const answer: number = 42;\n";
const TS_UNUSED: &str = "const unused = 1;\nexport const answer: number = 42;\n";
const TS_ANY: &str = "export function same(value: any): number {\n  return value;\n}\n";
const TS_NURSERY: &str = "export const double = (value: number) => value * 2;\n";
/// The unsafe fix of an unused variable is another name.
const TS_UNSAFE: &str = "export function answer(): number {\n  const given = 42;\n  return 42;\n}\n";

/// Biome with a rule that is still in its nursery.
const NURSERY: &[(&str, &str)] = &[(
    "biome.json",
    "{\n  \"linter\": { \"rules\": { \"nursery\": { \"useExplicitType\": \"error\" } } }\n}\n",
)];

const fn row(
    id: &'static str,
    name: &'static str,
    summary: &'static str,
    file: &'static str,
    text: &'static str,
) -> Row {
    Row {
        id,
        name,
        category: "clean",
        summary,
        file,
        text,
        config: "{}",
        files: &[],
        exit: 0,
        says: &[],
        gate: Gate::Nothing,
        becomes: &[],
        ran: None,
        basis: BY_TYPE,
    }
}

impl Row {
    const fn finds(mut self, says: &'static [&'static str]) -> Self {
        self.exit = 2;
        self.category = "violation";
        self.says = says;
        self
    }

    const fn needs(mut self, tool: &'static str) -> Self {
        self.gate = Gate::Tool(tool);
        self
    }

    const fn biome(mut self) -> Self {
        self.gate = Gate::Biome;
        self
    }

    const fn with(mut self, category: &'static str, basis: &'static str, config: &'static str) -> Self {
        self.category = category;
        self.basis = basis;
        self.config = config;
        self
    }

    const fn becomes(mut self, texts: &'static [&'static str]) -> Self {
        self.becomes = texts;
        self
    }

    /// The tool without which nothing can be found in the file, or done to it.
    fn takes_for_granted(&self) -> Option<&'static str> {
        let looks = self.exit == 2 || !self.becomes.is_empty();
        let tool = if self.file.ends_with(".py") { "ruff" } else { "biome" };
        looks.then_some(tool)
    }

    const fn ran(mut self, tool: &'static str) -> Self {
        self.ran = Some(tool);
        self
    }

    const fn files(mut self, files: &'static [(&'static str, &'static str)]) -> Self {
        self.files = files;
        self
    }
}

static ROWS: &[Row] = &[
    row("M01", "python_clean", "Clean .py", "app.py", PY),
    row("M02", "python_f841", "F841 unused var in .py file", "app.py", PY_UNUSED).finds(&["[hook]", "F841"]),
    row("M03", "shell_clean", "Clean .sh", "run.sh", SH),
    row("M04", "shell_sc2086", "Unquoted variable", "run.sh", SH_UNQUOTED).finds(&["[hook]", "SC2086"]).needs("shellcheck"),
    row("M05", "markdown_clean", "Clean .md", "notes.md", MD),
    row("M06", "markdown_md013", "Line over 80 characters", "notes.md", MD_LONG)
        .finds(&["[hook]", "MD013"])
        .needs("markdownlint-cli2"),
    row("M07", "yaml_clean", "Clean .yaml", "conf.yaml", YAML),
    row("M08", "yaml_indent", "Wrong indentation", "conf.yaml", YAML_INDENT).finds(&["[hook]", "indentation"]).needs("yamllint"),
    row("M09", "toml_clean", "Clean .toml", "conf.toml", TOML),
    row("M10", "toml_invalid", "Syntax error", "conf.toml", TOML_BROKEN).finds(&["[hook]"]).needs("taplo"),
    row("M11", "json_clean", "Valid .json", "data.json", JSON),
    row("M12", "json_invalid", "Malformed JSON", "data.json", JSON_BROKEN).finds(&["[hook]"]),
    row("M13", "dockerfile_clean", "Clean Dockerfile", "Dockerfile", DOCKER),
    row("M14", "dockerfile_dl3007", "FROM ubuntu:latest", "Dockerfile", DOCKER_LATEST)
        .finds(&["[hook]", "DL3007"])
        .needs("hadolint"),
    row("M15", "ts_clean", "Clean .ts", "app.ts", TS).biome().ran("biome"),
    row("M16", "ts_unused_var", "Unused variable", "app.ts", TS_UNUSED).finds(&["[hook]", "noUnusedVariables"]).biome(),
    row("M17", "js_clean", "Clean .js", "app.js", "export const answer = 42;\n").biome().ran("biome"),
    row("M18", "css_clean", "Clean .css", "app.css", "body {\n  margin: 0;\n}\n").biome().ran("biome"),
    row("M20", "biome_unsafe_on", ".ts with biome_unsafe_autofix", "app.ts", TS)
        .with("config", TOGGLES, r#"{"languages.typescript.biome_unsafe_autofix": true}"#)
        .biome(),
    row("M21", "oxlint_skip_rules", ".ts with oxlint_tsgolint", "app.ts", TS)
        .with("config", TOGGLES, r#"{"languages.typescript.oxlint_tsgolint": true}"#)
        .biome(),
    row("M22", "tsgo_safe", "Clean .ts with tsgo", "app.ts", TS)
        .with("config", TOGGLES, r#"{"languages.typescript.tsgo": true}"#)
        .biome(),
    row("M23", "knip_safe", "Clean .ts with knip", "app.ts", TS)
        .with("config", TOGGLES, r#"{"languages.typescript.knip": true}"#)
        .biome(),
    row("M24", "py_multi_violation", "F841 and a type error", "app.py", PY_TYPES)
        .finds(&["[hook]", "F841", "return-type"])
        .with("conflict", CONFLICTS, "{}")
        .needs("ty"),
    row("M25", "py_format_stable", "Badly formatted, clean after phase 1", "app.py", PY_UGLY)
        .with("conflict", CONFLICTS, "{}")
        .becomes(&["def add(first, second, third):", "return first + second + third"]),
    row("M26", "ts_combined_config", ".ts with unsafe and oxlint", "app.ts", TS_ANY)
        .finds(&["[hook]", "noExplicitAny"])
        .with("conflict", CONFLICTS, r#"{"languages.typescript.biome_unsafe_autofix": true, "languages.typescript.oxlint_tsgolint": true}"#)
        .biome(),
    row("M27", "py_no_autoformat", "F841 with auto_format off", "app.py", PY_UNUSED)
        .finds(&["[hook]", "F841"])
        .with("conflict", CONFLICTS, r#"{"phases.auto_format": false}"#),
    row("M28", "ts_nursery_error", "Nursery rule that counts as an error", "app.ts", TS_NURSERY)
        .finds(&["[hook]", "useExplicitType"])
        .with("conflict", CONFLICTS, r#"{"languages.typescript.biome_nursery": "error"}"#)
        .files(NURSERY)
        .biome(),
    row("M29", "py_no_subprocess", "F841 with delegation off", "app.py", PY_UNUSED)
        .finds(&["[hook]", "F841"])
        .with("conflict", CONFLICTS, r#"{"phases.subprocess_delegation": false}"#),
    row("M30", "ts_unsafe_resolves", "Fixed in phase 1", "app.ts", TS_UNSAFE)
        .with("conflict", CONFLICTS, r#"{"languages.typescript.biome_unsafe_autofix": true}"#)
        .biome(),
    row("M31", "py_multi_tool", "B101 and F841", "app.py", PY_ASSERT)
        .finds(&["[hook]", "B101", "F841"])
        .with("conflict", CONFLICTS, "{}")
        .needs("bandit"),
    row("M32", "lang_py_disabled", "F841, Python off", "app.py", PY_UNUSED).with("language", LANGUAGES, r#"{"languages.python": false}"#),
    row("M33", "lang_ts_disabled", "Unused variable, TypeScript off", "app.ts", TS_UNUSED)
        .with("language", LANGUAGES, r#"{"languages.typescript.enabled": false}"#),
    row("M34", "lang_shell_disabled", "SC2086, shell off", "run.sh", SH_UNQUOTED)
        .with("language", LANGUAGES, r#"{"languages.shell": false}"#),
    row("M35", "lang_md_disabled", "MD013, Markdown off", "notes.md", MD_LONG)
        .with("language", LANGUAGES, r#"{"languages.markdown": false}"#),
    row("M36", "lang_yaml_disabled", "Indentation, YAML off", "conf.yaml", YAML_INDENT)
        .with("language", LANGUAGES, r#"{"languages.yaml": false}"#),
    row("M37", "lang_json_disabled", "Malformed, JSON off", "data.json", JSON_BROKEN)
        .with("language", LANGUAGES, r#"{"languages.json": false}"#),
    row("M38", "unknown_ext_passthrough", ".xyz file", "data.xyz", "whatever {\n").with("language", LANGUAGES, "{}"),
    row("M39", "lang_toml_disabled", "Syntax error, TOML off", "conf.toml", TOML_BROKEN)
        .with("language", LANGUAGES, r#"{"languages.toml": false}"#),
    row("M40", "lang_dockerfile_disabled", "ubuntu:latest, Dockerfile off", "Dockerfile", DOCKER_LATEST)
        .with("language", LANGUAGES, r#"{"languages.dockerfile": false}"#),
    row("M41", "empty_py_file", "Empty .py", "app.py", "").finds(&["[hook]", "D100"]).with("language", LANGUAGES, "{}"),
    row("M42", "toml_tmp_path_ignored", "TOML error outside the project", "../M42-outside/conf.toml", TOML_BROKEN)
        .with("language", LANGUAGES, "{}"),
];

pub(super) fn suite() -> Suite {
    let mut cases: Vec<Case> = ROWS.iter().map(case).collect();
    cases.insert(18, live::fired_on_edit());
    Suite { agent: "ml-agent", hook: "multi_linter.sh", required: false, expected: 42, cases }
}

fn case(row: &'static Row) -> Case {
    Case {
        id: row.id,
        name: row.name,
        category: row.category,
        summary: row.summary.into(),
        basis: row.basis,
        expected: Expected::by_exit(row.exit, row.says),
        required: false,
        run: Box::new(move |bench| {
            run(bench, row).unwrap_or_else(|error| Observed::failed(error.to_string()))
        }),
    }
}

fn absent(tool: &str) -> Observed {
    Observed::skipped(format!("absent: {tool}: {}", super::how_to_get(tool)))
}

fn run(bench: &Bench, row: &Row) -> std::io::Result<Observed> {
    match row.gate {
        Gate::Biome if !bench.has_tool("biome") && bench.strict => {
            return Ok(Observed::failed("BIOME_ABSENT"));
        }
        Gate::Biome if !bench.has_tool("biome") => return Ok(absent("biome")),
        Gate::Tool(tool) if !bench.has_tool(tool) && !bench.has_engine_for(tool, row.file) => {
            return Ok(absent(tool));
        }
        // The specification takes these for granted, and ends where they are missing.
        Gate::Nothing if !bench.strict => {
            if let Some(tool) = row.takes_for_granted()
                && !bench.has_tool(tool)
                && !bench.has_engine(row.file)
            {
                return Ok(absent(tool));
            }
        }
        _ => {}
    }
    let project = prepare(bench, row)?;
    let file = state::files::resolve(&project.join(row.file));
    state::atomic::write(&file, row.text.as_bytes())?;
    let payload = edited(row.id, &project, &file, row.text);
    // With a model at work the outcome would depend on it.
    let state = bench.scratch.join("states").join(row.id).to_string_lossy().into_owned();
    let variables = [("HOOK_SKIP_SUBPROCESS", "1"), ("PLIMSOLL_STATE_DIR", state.as_str())];
    let done = match bench.script(SCRIPT, &project, &payload, &variables) {
        Ok(done) => done,
        Err(failed) => return Ok(failed),
    };
    let mut seen = ended(&done);
    if row.id == "M28" && seen.stderr.contains("unknown key") {
        return Ok(Observed::skipped("version_skip: this Biome does not have the nursery rule"));
    }
    let text = state::files::read(&file).ok().flatten().unwrap_or_default();
    if let Some(lacking) = row.becomes.iter().find(|part| !text.contains(**part)) {
        return Ok(Observed {
            exit: seen.exit,
            ..Observed::failed(format!("«{lacking}» is not in the file"))
        });
    }
    if let Some(tool) = row.ran.filter(|tool| !has_run(Path::new(&state), tool)) {
        return Ok(Observed {
            exit: seen.exit,
            ..Observed::failed(format!("{tool} did not look at the file"))
        });
    }
    if bench.native && seen.exit == Some(0) {
        seen = later(bench, row, &project, &variables, seen)?;
    }
    Ok(seen)
}

/// Whether the log of a case's own records names the tool among what was run.
fn has_run(state: &Path, tool: &str) -> bool {
    let log = state::files::read(&state.join("log.jsonl")).ok().flatten().unwrap_or_default();
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    entries.into_iter().any(|entry| {
        let trace = entry["trace"].as_array().cloned().unwrap_or_default();
        trace
            .iter()
            .filter_map(Json::as_str)
            .any(|line| line.starts_with(&format!("{tool} ")) && line.contains(" exit "))
    })
}

/// At the default pace slow linters are not waited for: what they find is said by a later hook, at the latest by the stop.
fn later(
    bench: &Bench,
    row: &Row,
    project: &Path,
    variables: &[(&str, &str)],
    at_edit: Observed,
) -> std::io::Result<Observed> {
    let payload = json!({
        "hook_event_name": "Stop", "session_id": row.id, "cwd": project, "stop_hook_active": false,
    });
    let done = match bench.script(SCRIPT, project, &payload, variables) {
        Ok(done) => done,
        Err(failed) => return Ok(failed),
    };
    let stop = ended(&done);
    let answer: Json = serde_json::from_str(&stop.stdout).unwrap_or_default();
    let reason = answer["reason"].as_str().unwrap_or_default();
    if answer["decision"] != "block" || !reason.contains("stop/lint") && !reason.contains("[hook]") {
        return Ok(at_edit);
    }
    Ok(Observed { decision: "exit_2".into(), exit: Some(2), note: "told at the stop".into(), ..stop })
}

/// What the client says after a file was written.
pub(super) fn edited(session: &str, project: &Path, file: &Path, text: &str) -> Json {
    json!({
        "hook_event_name": "PostToolUse", "session_id": session, "cwd": project,
        "tool_name": "Write", "tool_input": {"file_path": file, "content": text},
        "tool_response": {"type": "create", "filePath": file},
    })
}

/// An answer by exit code.
pub(super) fn ended(done: &Finished) -> Observed {
    Observed {
        decision: done.code.map_or_else(|| "killed".into(), |code| format!("exit_{code}")),
        exit: done.code,
        stdout: String::from_utf8_lossy(&done.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
        ..Observed::default()
    }
}

/// The strict set, the case's own files, and settings under which everything is done before the hook answers.
fn prepare(bench: &Bench, row: &Row) -> std::io::Result<PathBuf> {
    strict_project(bench, row.id, row.config, row.files)
}

pub(super) fn strict_project(
    bench: &Bench,
    id: &str,
    own: &str,
    own_files: &[(&'static str, &'static str)],
) -> std::io::Result<PathBuf> {
    // Natively each case runs at the pace that everybody has.
    let pace = if bench.native { "fast" } else { "thorough" };
    let mut config = json!({"pace": pace, "languages": {"typescript": {"enabled": true}}});
    let own: Map<String, Json> = serde_json::from_str(own)?;
    for (key, value) in own {
        let mut place = &mut config;
        for part in key.split('.') {
            place = &mut place[part];
        }
        *place = value;
    }
    let mut files: Vec<(&str, &str)> = linters::strict::FILES.to_vec();
    files.retain(|(name, _)| !own_files.iter().any(|(own, _)| own == name));
    files.extend(own_files);
    bench.project(id, &config, &files)
}
