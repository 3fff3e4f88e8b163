//! The linter's cases M01 to M42: a file is edited in a project with the strict configuration, and the answer is looked at.
//! M19 is about the client itself; the live tests have it.

/// What the hook is started with besides the payload: no model, so that the answer depends on the file alone.
pub static PAYLOAD_VARIABLES: &[(&str, &str)] = &[("HOOK_SKIP_SUBPROCESS", "1")];

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct LintCase {
    pub id: &'static str,
    pub name: &'static str,
    /// The edited file, relative to the project; an absolute name lies outside.
    pub file: &'static str,
    pub text: &'static str,
    /// `.claude/hooks/config.json`.
    pub config: &'static str,
    /// Other files of the project, over the strict configuration.
    pub with: &'static [(&'static str, &'static str)],
    /// Without this tool the case proves nothing, or cannot pass.
    pub needs: Option<&'static str>,
    pub exit: u8,
    /// What stderr must contain.
    pub says: &'static [&'static str],
}

const CASE: LintCase = LintCase {
    id: "",
    name: "",
    file: "",
    text: "",
    config: THOROUGH,
    with: &[],
    needs: None,
    exit: 0,
    says: &[],
};

const THOROUGH: &str = r#"{"pace": "thorough"}"#;
const TS: &str = r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true}}}"#;

const CLEAN_PYTHON: &str = "\"\"\"Adds.\"\"\"\n\n\ndef add(first: int, second: int) -> int:\n    \"\"\"Add two numbers.\"\"\"\n    return first + second\n";
const UNUSED_PYTHON: &str = "\"\"\"Answers.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    unused = 1\n    return 42\n";
const UNQUOTED_SHELL: &str = "#!/bin/bash\nname=\"$1\"\necho $name\n";
const LONG_MARKDOWN: &str =
    "# Title\n\nThis line goes on and on, well past the eighty characters that the rule allows it to have.\n";
const WRONG_YAML: &str = "---\nkey:\n     value: 1\n";
const WRONG_TOML: &str = "[table\nkey = 1\n";
const WRONG_JSON: &str = "{\"key\": }\n";
const LATEST: &str = "FROM ubuntu:latest\nLABEL maintainer=\"me\" version=\"1.0.0\"\n";
const UNUSED_TS: &str = "const unused = 1;\n";
const CLEAN_TS: &str = "export const answer: number = 42;\n";
const NURSERY: &str = r#"{"linter": {"rules": {"nursery": "error"}}}"#;

/// In the order of their numbers.
pub static LINT_CASES: &[LintCase] = &[
    LintCase { id: "M01", name: "python_clean", file: "app.py", text: CLEAN_PYTHON, ..CASE },
    LintCase {
        id: "M02",
        name: "python_f841",
        file: "app.py",
        text: UNUSED_PYTHON,
        needs: Some("ruff"),
        exit: 2,
        says: &["[hook]", "F841"],
        ..CASE
    },
    LintCase {
        id: "M03",
        name: "shell_clean",
        file: "run.sh",
        text: "#!/bin/bash\nname=\"$1\"\necho \"${name}\"\n",
        ..CASE
    },
    LintCase {
        id: "M04",
        name: "shell_sc2086",
        file: "run.sh",
        text: UNQUOTED_SHELL,
        needs: Some("shellcheck"),
        exit: 2,
        says: &["[hook]", "SC2086"],
        ..CASE
    },
    LintCase {
        id: "M05",
        name: "markdown_clean",
        file: "notes.md",
        text: "# Title\n\nA short line.\n",
        ..CASE
    },
    LintCase {
        id: "M06",
        name: "markdown_md013",
        file: "notes.md",
        text: LONG_MARKDOWN,
        needs: Some("markdownlint-cli2"),
        exit: 2,
        says: &["[hook]", "MD013"],
        ..CASE
    },
    LintCase { id: "M07", name: "yaml_clean", file: "data.yaml", text: "---\nkey:\n  value: 1\n", ..CASE },
    LintCase {
        id: "M08",
        name: "yaml_indent",
        file: "data.yaml",
        text: WRONG_YAML,
        needs: Some("yamllint"),
        exit: 2,
        says: &["[hook]", "indentation"],
        ..CASE
    },
    LintCase { id: "M09", name: "toml_clean", file: "data.toml", text: "[table]\nkey = 1\n", ..CASE },
    LintCase {
        id: "M10",
        name: "toml_invalid",
        file: "data.toml",
        text: WRONG_TOML,
        needs: Some("taplo"),
        exit: 2,
        says: &["[hook]", "TOML_SYNTAX"],
        ..CASE
    },
    LintCase { id: "M11", name: "json_clean", file: "data.json", text: "{\n  \"key\": 1\n}\n", ..CASE },
    LintCase {
        id: "M12",
        name: "json_invalid",
        file: "data.json",
        text: WRONG_JSON,
        exit: 2,
        says: &["[hook]", "JSON_SYNTAX"],
        ..CASE
    },
    LintCase {
        id: "M13",
        name: "dockerfile_clean",
        file: "Dockerfile",
        text: "FROM docker.io/library/ubuntu:24.04\nLABEL maintainer=\"me\" version=\"1.0.0\"\nCOPY app /app\n",
        ..CASE
    },
    LintCase {
        id: "M14",
        name: "dockerfile_dl3007",
        file: "Dockerfile",
        text: LATEST,
        needs: Some("hadolint"),
        exit: 2,
        says: &["[hook]", "DL3007"],
        ..CASE
    },
    LintCase {
        id: "M15",
        name: "ts_clean",
        file: "app.ts",
        text: CLEAN_TS,
        config: TS,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M16",
        name: "ts_unused_var",
        file: "app.ts",
        text: UNUSED_TS,
        config: TS,
        needs: Some("biome"),
        exit: 2,
        says: &["[hook]", "lint/correctness/noUnusedVariables"],
        ..CASE
    },
    LintCase {
        id: "M17",
        name: "js_clean",
        file: "app.js",
        text: "export const answer = 42;\n",
        config: TS,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M18",
        name: "css_clean",
        file: "app.css",
        text: "a {\n  color: red;\n}\n",
        config: TS,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M20",
        name: "biome_unsafe_on",
        file: "app.ts",
        text: CLEAN_TS,
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "biome_unsafe_autofix": true}}}"#,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M21",
        name: "oxlint_skip_rules",
        file: "app.ts",
        text: CLEAN_TS,
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "oxlint_tsgolint": true}}}"#,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M22",
        name: "tsgo_safe",
        file: "app.ts",
        text: CLEAN_TS,
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "tsgo": true}}}"#,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M23",
        name: "knip_safe",
        file: "app.ts",
        text: CLEAN_TS,
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "knip": true}}}"#,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M24",
        name: "py_multi_violation",
        file: "app.py",
        text: "\"\"\"Answers.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    unused = 1\n    return \"42\"\n",
        needs: Some("ty"),
        exit: 2,
        says: &["[hook]", "F841", "invalid-return-type"],
        ..CASE
    },
    LintCase {
        id: "M25",
        name: "py_format_stable",
        file: "app.py",
        text: "\"\"\"Adds.\"\"\"\ndef foo(   x: int,y: int,   z: int   )  ->int:\n    \"\"\"Add three numbers.\"\"\"\n    return x+y+z\n",
        needs: Some("ruff"),
        ..CASE
    },
    LintCase {
        id: "M26",
        name: "ts_combined_config",
        file: "app.ts",
        text: "export function f(value: any): any {\n  return value == 1;\n}\n",
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "biome_unsafe_autofix": true, "oxlint_tsgolint": true}}}"#,
        needs: Some("biome"),
        exit: 2,
        says: &["[hook]", "lint/suspicious/noExplicitAny"],
        ..CASE
    },
    LintCase {
        id: "M27",
        name: "py_no_autoformat",
        file: "app.py",
        text: UNUSED_PYTHON,
        config: r#"{"pace": "thorough", "phases": {"auto_format": false}}"#,
        needs: Some("ruff"),
        exit: 2,
        says: &["[hook]", "F841"],
        ..CASE
    },
    LintCase {
        id: "M28",
        name: "ts_nursery_error",
        file: "app.ts",
        text: "export const size = (\"hello\" as unknown as string[]).length;\n",
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "biome_nursery": "error"}}}"#,
        with: &[("biome.json", NURSERY)],
        needs: Some("biome"),
        exit: 2,
        says: &["[hook]", "lint/nursery/"],
    },
    LintCase {
        id: "M29",
        name: "py_no_subprocess",
        file: "app.py",
        text: UNUSED_PYTHON,
        config: r#"{"pace": "thorough", "phases": {"subprocess_delegation": false}}"#,
        needs: Some("ruff"),
        exit: 2,
        says: &["[hook]", "F841"],
        ..CASE
    },
    LintCase {
        id: "M30",
        name: "ts_unsafe_resolves",
        file: "app.ts",
        text: "export function f(value: number): string {\n  return \"value \" + value;\n}\n",
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": true, "biome_unsafe_autofix": true}}}"#,
        needs: Some("biome"),
        ..CASE
    },
    LintCase {
        id: "M31",
        name: "py_multi_tool",
        file: "app.py",
        text: "\"\"\"Answers.\"\"\"\n\n\ndef answer(value: int) -> int:\n    \"\"\"Give the answer.\"\"\"\n    assert value\n    unused = 1\n    return 42\n",
        needs: Some("bandit"),
        exit: 2,
        says: &["[hook]", "F841", "B101"],
        ..CASE
    },
    LintCase {
        id: "M32",
        name: "lang_py_disabled",
        file: "app.py",
        text: UNUSED_PYTHON,
        config: r#"{"pace": "thorough", "languages": {"python": false}}"#,
        ..CASE
    },
    LintCase {
        id: "M33",
        name: "lang_ts_disabled",
        file: "app.ts",
        text: UNUSED_TS,
        config: r#"{"pace": "thorough", "languages": {"typescript": {"enabled": false}}}"#,
        ..CASE
    },
    LintCase {
        id: "M34",
        name: "lang_shell_disabled",
        file: "run.sh",
        text: UNQUOTED_SHELL,
        config: r#"{"pace": "thorough", "languages": {"shell": false}}"#,
        ..CASE
    },
    LintCase {
        id: "M35",
        name: "lang_md_disabled",
        file: "notes.md",
        text: LONG_MARKDOWN,
        config: r#"{"pace": "thorough", "languages": {"markdown": false}}"#,
        ..CASE
    },
    LintCase {
        id: "M36",
        name: "lang_yaml_disabled",
        file: "data.yaml",
        text: WRONG_YAML,
        config: r#"{"pace": "thorough", "languages": {"yaml": false}}"#,
        ..CASE
    },
    LintCase {
        id: "M37",
        name: "lang_json_disabled",
        file: "data.json",
        text: WRONG_JSON,
        config: r#"{"pace": "thorough", "languages": {"json": false}}"#,
        ..CASE
    },
    LintCase { id: "M38", name: "unknown_ext_passthrough", file: "notes.xyz", text: "anything\n", ..CASE },
    LintCase {
        id: "M39",
        name: "lang_toml_disabled",
        file: "data.toml",
        text: WRONG_TOML,
        config: r#"{"pace": "thorough", "languages": {"toml": false}}"#,
        ..CASE
    },
    LintCase {
        id: "M40",
        name: "lang_dockerfile_disabled",
        file: "Dockerfile",
        text: LATEST,
        config: r#"{"pace": "thorough", "languages": {"dockerfile": false}}"#,
        ..CASE
    },
    LintCase {
        id: "M41",
        name: "empty_py_file",
        file: "app.py",
        text: "",
        needs: Some("ruff"),
        exit: 2,
        says: &["[hook]", "D100"],
        ..CASE
    },
    LintCase { id: "M42", name: "toml_tmp_path_ignored", file: "../outside.toml", text: WRONG_TOML, ..CASE },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_there_but_the_live_one() {
        let ids: Vec<_> = LINT_CASES.iter().map(|case| case.id.to_owned()).collect();
        let wanted: Vec<_> =
            (1..=42).filter(|number| *number != 19).map(|number| format!("M{number:02}")).collect();
        assert_eq!(ids, wanted);
    }
}
