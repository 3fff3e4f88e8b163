//! P01–P32: package managers, as the specification lists them.

use serde_json::{Value as Json, json};

use super::{Bench, Case, Expected, Observed, Suite, answer, live};

const SCRIPT: &str = "enforce_package_managers";
const BASIS: &str = "test specification D5, pm-agent inventory";

enum Says {
    /// Refused, with this in the reason.
    Block(&'static str),
    Approve,
    /// Approved, with a word of advice on stderr.
    Advice,
}

struct Row {
    id: &'static str,
    name: &'static str,
    category: &'static str,
    command: &'static str,
    /// In place of uv and bun.
    config: Option<&'static str>,
    says: Says,
}

const fn block(id: &'static str, name: &'static str, command: &'static str, tool: &'static str) -> Row {
    Row { id, name, category: "block", command, config: None, says: Says::Block(tool) }
}

const fn compound(id: &'static str, name: &'static str, command: &'static str, tool: &'static str) -> Row {
    Row { id, name, category: "compound", command, config: None, says: Says::Block(tool) }
}

const fn approve(id: &'static str, name: &'static str, command: &'static str) -> Row {
    Row { id, name, category: "approve", command, config: None, says: Says::Approve }
}

const fn config(
    id: &'static str,
    name: &'static str,
    command: &'static str,
    config: &'static str,
    says: Says,
) -> Row {
    Row { id, name, category: "config", command, config: Some(config), says }
}

static ROWS: &[Row] = &[
    block("P01", "pip_blocked", "pip install requests", "pip"),
    block("P02", "pip3_blocked", "pip3 install flask", "pip"),
    block("P03", "python_m_pip", "python -m pip install pkg", "python -m pip"),
    block("P04", "python_m_venv", "python -m venv .venv", "python -m venv"),
    block("P05", "poetry_blocked", "poetry add requests", "poetry"),
    block("P06", "pipenv_blocked", "pipenv install", "pipenv"),
    block("P07", "npm_blocked", "npm install lodash", "npm"),
    block("P08", "npx_blocked", "npx create-react-app", "npx"),
    block("P09", "yarn_blocked", "yarn add lodash", "yarn"),
    block("P10", "pnpm_blocked", "pnpm install", "pnpm"),
    approve("P11", "uv_approve", "uv add requests"),
    approve("P12", "uv_pip_approve", "uv pip install -r req.txt"),
    approve("P13", "bun_approve", "bun add lodash"),
    approve("P14", "bunx_approve", "bunx vite"),
    approve("P15", "npm_audit_allowed", "npm audit"),
    approve("P16", "pip_download_allowed", "pip download requests"),
    approve("P17", "yarn_audit_allowed", "yarn audit"),
    approve("P18", "ls_passthrough", "ls -la"),
    compound("P19", "compound_pip_cd", "cd /app && pip install flask", "pip"),
    compound("P20", "cpd_pip_poetry", "pip --version && poetry add req", "poetry"),
    compound("P21", "cpd_pipenv_diag", "pipenv --version && pipenv install", "pipenv"),
    compound("P22", "cpd_pip_pipenv", "pip --version && pipenv install", "pipenv"),
    compound("P23", "cpd_poet_diag", "poetry --help && poetry add req", "poetry"),
    compound("P24", "cpd_npm_yarn", "npm audit && yarn add pkg", "yarn"),
    config(
        "P25",
        "cfg_py_off",
        "pip install requests",
        r#"{"python": false, "javascript": "bun"}"#,
        Says::Approve,
    ),
    config(
        "P26",
        "cfg_py_warn",
        "pip install requests",
        r#"{"python": "uv:warn", "javascript": "bun"}"#,
        Says::Advice,
    ),
    config("P27", "cfg_js_off", "npm install", r#"{"python": "uv", "javascript": false}"#, Says::Approve),
    compound("P29", "semicolon_compound", "ls ; pip install flask", "pip"),
    compound("P30", "python3_m_pip", "python3 -m pip install pkg", "-m pip"),
    approve("P31", "pnpm_audit_allowed", "pnpm audit"),
    compound("P32", "pipe_compound", "echo foo | pip install -r /dev/stdin", "pip"),
];

pub(super) fn suite() -> Suite {
    let mut cases: Vec<Case> = ROWS.iter().map(case).collect();
    cases.insert(27, live::refused_install());
    Suite { agent: "pm-agent", hook: "enforce_package_managers.sh", required: false, expected: 32, cases }
}

fn case(row: &'static Row) -> Case {
    let (decision, says) = match row.says {
        // The specification's prefix; the tool is named behind it, in whichever words.
        Says::Block(tool) => ("block", vec!["[hook:block]", tool]),
        Says::Approve => ("approve", vec![]),
        Says::Advice => ("approve", vec!["[hook:advisory]"]),
    };
    Case {
        id: row.id,
        name: row.name,
        category: row.category,
        summary: row.command.into(),
        basis: BASIS,
        expected: Expected { decision, exit: Some(0), says },
        required: false,
        run: Box::new(move |bench| run(bench, row)),
    }
}

fn run(bench: &Bench, row: &Row) -> Observed {
    let managers = row.config.unwrap_or(r#"{"python": "uv", "javascript": "bun"}"#);
    let mut managers: Json = serde_json::from_str(managers).unwrap_or_default();
    // As in the specification's own config file: a file that has none allows none.
    managers["allowed_subcommands"] = json!({
        "npm": ["audit", "view", "pack", "publish", "whoami", "login"], "pip": ["download"],
        "yarn": ["audit", "info"], "pnpm": ["audit", "info"],
    });
    let project = match bench.project(row.id, &json!({"package_managers": managers}), &[]) {
        Ok(project) => project,
        Err(error) => return Observed::failed(error.to_string()),
    };
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": row.id, "cwd": project,
        "tool_name": "Bash", "tool_input": {"command": row.command},
    });
    match bench.script(SCRIPT, &project, &payload, &[]) {
        Ok(done) => answer::observed(&done),
        Err(failed) => failed,
    }
}
