//! CP01–CP30: edits of linter configs, hooks and settings, which are refused, and of what only looks like them, which are not.

use serde_json::{Value as Json, json};

use super::{Bench, Case, Expected, Observed, Suite, answer};

const SCRIPT: &str = "protect_linter_configs";
const BASIS: &str = "old linter hooks, config protection; test specification, covered by the self-test";

const RULES: &str = "Fix the code, not the rules.";
const HOOKS: &str = "Hook scripts and settings are immutable.";

/// All that are protected anyway, and one more: a project may make it stricter without anybody's trust.
const LONGER: &str = r#"{"protected_files": [".markdownlint.jsonc", ".markdownlint-cli2.jsonc", ".shellcheckrc", ".yamllint",
".hadolint.yaml", ".jscpd.json", ".flake8", "taplo.toml", ".ruff.toml", "ty.toml", "biome.json", ".oxlintrc.json", ".semgrep.yml",
"knip.json", "mine.toml"]}"#;

struct Row {
    id: &'static str,
    name: &'static str,
    /// Under the project, unless it is empty: then the payload names none.
    file: &'static str,
    /// What the reason must hold; none where the edit goes through.
    says: Option<&'static str>,
    config: &'static str,
}

const fn block(id: &'static str, name: &'static str, file: &'static str, says: &'static str) -> Row {
    Row { id, name, file, says: Some(says), config: "{}" }
}

const fn approve(id: &'static str, name: &'static str, file: &'static str) -> Row {
    Row { id, name, file, says: None, config: "{}" }
}

impl Row {
    const fn with(mut self, config: &'static str) -> Self {
        self.config = config;
        self
    }
}

static ROWS: &[Row] = &[
    approve("CP01", "source_approved", "src/app.py"),
    block("CP02", "markdownlint_blocked", ".markdownlint.jsonc", RULES),
    block("CP03", "markdownlint_cli2_blocked", ".markdownlint-cli2.jsonc", RULES),
    block("CP04", "shellcheckrc_blocked", ".shellcheckrc", RULES),
    block("CP05", "yamllint_blocked", ".yamllint", RULES),
    block("CP06", "hadolint_blocked", ".hadolint.yaml", RULES),
    block("CP07", "jscpd_blocked", ".jscpd.json", RULES),
    block("CP08", "flake8_blocked", ".flake8", RULES),
    block("CP09", "taplo_blocked", "taplo.toml", RULES),
    block("CP10", "ruff_blocked", ".ruff.toml", "Protected linter config file (.ruff.toml)."),
    block("CP11", "ty_blocked", "ty.toml", RULES),
    block("CP12", "biome_blocked", "biome.json", RULES),
    block("CP13", "oxlint_blocked", ".oxlintrc.json", RULES),
    block("CP14", "semgrep_blocked", ".semgrep.yml", RULES),
    block("CP15", "knip_blocked", "knip.json", RULES),
    block("CP16", "nested_blocked", "packages/web/biome.json", RULES),
    block("CP17", "hook_script_blocked", ".claude/hooks/multi_linter.sh", HOOKS),
    block(
        "CP18",
        "settings_blocked",
        ".claude/settings.json",
        "Protected Claude Code config (settings.json).",
    ),
    block("CP19", "local_settings_blocked", ".claude/settings.local.json", HOOKS),
    block("CP20", "fixer_settings_blocked", ".claude/subprocess-settings.json", HOOKS),
    // Roads that were open in the scripts: a path is what it leads to, not how it is spelled.
    block("CP21", "dot_dot_blocked", ".claude/hooks/test/../multi_linter.sh", HOOKS),
    block("CP22", "dot_blocked", ".claude/./settings.json", HOOKS),
    block("CP23", "double_slash_blocked", ".claude//settings.json", HOOKS),
    block("CP24", "link_blocked", "link.toml", RULES),
    block("CP25", "notebook_blocked", ".claude/hooks/notes.ipynb", HOOKS),
    approve("CP26", "backup_approved", "biome.json.bak"),
    approve("CP27", "no_path_approved", ""),
    approve("CP28", "look_alike_approved", "src/.claude-hooks/x.sh"),
    block("CP29", "own_list_blocked", "mine.toml", RULES).with(LONGER),
    block("CP30", "bad_list_means_default", ".ruff.toml", RULES).with(r#"{"protected_files": 3}"#),
];

pub(super) fn suite() -> Suite {
    Suite::besides("protection-agent", "protect_linter_configs.sh", ROWS.iter().map(case).collect())
}

fn case(row: &'static Row) -> Case {
    Case {
        id: row.id,
        name: row.name,
        category: "protection",
        summary: if row.file.is_empty() { "a payload without a path".into() } else { row.file.into() },
        basis: BASIS,
        expected: Expected {
            decision: if row.says.is_some() { "block" } else { "approve" },
            exit: Some(0),
            says: row.says.into_iter().collect(),
        },
        required: false,
        run: Box::new(move |bench| {
            run(bench, row).unwrap_or_else(|error| Observed::failed(error.to_string()))
        }),
    }
}

fn run(bench: &Bench, row: &Row) -> std::io::Result<Observed> {
    let config: Json = serde_json::from_str(row.config)?;
    let rules = "line-length = 88\n";
    let mut files = vec![(".ruff.toml", rules)];
    // A project that has such a config: the first one of all is the user's to decide, and a question.
    if row.says == Some(RULES) && row.file != ".ruff.toml" && row.name != "link_blocked" {
        files.push((row.file, rules));
    }
    let project = bench.project(row.id, &config, &files)?;
    if row.name == "link_blocked" {
        state::files::link(".ruff.toml".as_ref(), &project.join(row.file))?;
    }
    // By text: joining would take the spelling out.
    let file = format!("{}/{}", project.display(), row.file);
    let (tool, input) = match row.file {
        "" => ("Edit", json!({})),
        name if name.ends_with(".ipynb") => {
            ("NotebookEdit", json!({"notebook_path": file, "new_source": "x"}))
        }
        _ => ("Edit", json!({"file_path": file, "old_string": "8", "new_string": "9"})),
    };
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": row.id, "cwd": project, "tool_name": tool, "tool_input": input,
    });
    Ok(bench
        .script(SCRIPT, &project, &payload, &[])
        .map_or_else(|failed| failed, |done| answer::observed(&done)))
}
