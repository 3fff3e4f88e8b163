//! F01–F09: the model that fixes. In the first cases it is the real client with a scripted model behind it, in the others a
//! stand-in that fails in the ways in which a client can.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::linting::{self, PY_UNUSED, SCRIPT};
use super::scripted::ScriptedModel;
use super::tiers::{beside, stand_in};
use super::{Bench, Case, Expected, Observed, Suite};

const BASIS: &str = "old linter hooks, phase 3: delegation, verification, hook prevention";
const LIMIT: Duration = Duration::from_mins(2);

const MENDED: &str =
    "\"\"\"A module.\"\"\"\n\n\ndef answer() -> int:\n    \"\"\"Give the answer.\"\"\"\n    return 42\n";

/// Who answers when the fixer is called.
#[derive(Clone, Copy)]
enum Who {
    /// The real client; the model behind it does this.
    Client(fn(&Path) -> Vec<Json>),
    /// A shell script in its place.
    Script(&'static str),
}

struct Row {
    id: &'static str,
    name: &'static str,
    summary: &'static str,
    who: Who,
    config: &'static str,
    variables: &'static [(&'static str, &'static str)],
    exit: i32,
    says: &'static [&'static str],
}

const fn row(id: &'static str, name: &'static str, summary: &'static str, who: Who) -> Row {
    Row { id, name, summary, who, config: "{}", variables: &[], exit: 2, says: &["F841"] }
}

impl Row {
    const fn fixes(mut self) -> Self {
        self.exit = 0;
        self.says = &["fixed"];
        self
    }

    const fn says(mut self, says: &'static [&'static str]) -> Self {
        self.says = says;
        self
    }

    const fn with(mut self, config: &'static str) -> Self {
        self.config = config;
        self
    }

    const fn under(mut self, variables: &'static [(&'static str, &'static str)]) -> Self {
        self.variables = variables;
        self
    }
}

/// Notes that it was called.
const CALLED: &str = "#!/bin/sh\ntouch \"$CLAUDE_PROJECT_DIR/called\"\n";

static ROWS: &[Row] = &[
    row("F01", "fixer_mends", "the model takes the variable out", Who::Client(fixes)).fixes(),
    row("F02", "fixer_idle", "the model does nothing", Who::Client(|_| Vec::new()))
        .says(&["F841", "Fix each at its place"]),
    row("F03", "fixer_claims", "the model says that it has fixed it, and has not", Who::Client(claims))
        .says(&["F841", "Fix each at its place"]),
    row("F04", "fixer_tools", "the model wants a shell and another file", Who::Client(escapes)).says(&[
        "F841",
        "offered: Edit, Read",
        "nothing else was made",
    ]),
    row("F05", "fixer_no_hooks", "the fixer's client calls no hooks", Who::Client(fixes))
        .fixes()
        .says(&["disableAllHooks", "no hook of its own"]),
    row("F06", "fixer_fails", "exit code 3", Who::Script("#!/bin/sh\nexit 3\n"))
        .says(&["[hook:warning] subprocess failed (exit 3)", "F841"]),
    row("F07", "fixer_hangs", "no end within its time", Who::Script("#!/bin/sh\nexec sleep 600\n"))
        .under(&[("HOOK_SUBPROCESS_TIMEOUT", "1")])
        .says(&["[hook:warning] subprocess timed out (exit 124)", "F841"]),
    row("F08", "fixer_skipped", "HOOK_SKIP_SUBPROCESS=1", Who::Script(CALLED))
        .under(&[("HOOK_SKIP_SUBPROCESS", "1")])
        .says(&["F841", "not called"]),
    row("F09", "fixer_off", "phases.subprocess_delegation off", Who::Script(CALLED))
        .with(r#"{"phases.subprocess_delegation": false}"#)
        .says(&["F841", "not called"]),
];

fn call(tool: &str, input: &Json) -> Json {
    json!([{"type": "tool_use", "id": format!("toolu_{tool}"), "name": tool, "input": input}])
}

fn fixes(file: &Path) -> Vec<Json> {
    let edit = json!({"file_path": file, "old_string": "    unused = 1\n", "new_string": ""});
    vec![call("Read", &json!({"file_path": file})), call("Edit", &edit)]
}

fn claims(file: &Path) -> Vec<Json> {
    vec![
        call("Read", &json!({"file_path": file})),
        json!([{"type": "text", "text": "All violations are fixed."}]),
    ]
}

fn escapes(file: &Path) -> Vec<Json> {
    let other = file.with_file_name("escaped.py");
    vec![
        call("Bash", &json!({"command": "touch escaped.py", "description": "d"})),
        call("Write", &json!({"file_path": other, "content": "x = 1\n"})),
    ]
}

pub(super) fn suite() -> Suite {
    Suite::besides("fixer-agent", "multi_linter.sh", ROWS.iter().map(case).collect())
}

fn case(row: &'static Row) -> Case {
    Case {
        id: row.id,
        name: row.name,
        category: "fixer",
        summary: row.summary.into(),
        basis: BASIS,
        expected: Expected::by_exit(row.exit, row.says),
        required: false,
        run: Box::new(move |bench| {
            run(bench, row).unwrap_or_else(|error| Observed::failed(error.to_string()))
        }),
    }
}

fn run(bench: &Bench, row: &Row) -> std::io::Result<Observed> {
    if !bench.has_tool("ruff") && !bench.has_engine_for("ruff", "app.py") {
        return Ok(Observed::skipped("absent"));
    }
    let project = linting::strict_project(bench, row.id, row.config, &[])?;
    let file = project.join("app.py");
    state::atomic::write(&file, PY_UNUSED.as_bytes())?;
    let state = beside(&project, "records");
    let home = beside(&project, "home");
    state::files::create_dir(&home.join(".claude"))?;
    let mut variables: Vec<(&str, String)> = vec![
        ("PLIMSOLL_STATE_DIR", text(&state)),
        // A home of its own: the user's settings must not reach the client, nor its records them.
        ("HOME", text(&home)),
        ("XDG_CACHE_HOME", text(&bench.cache_home())),
    ];
    variables.extend(row.variables.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let model = match row.who {
        Who::Script(script) => {
            variables.push(("PATH", bench.path_with(&stand_in(&project, script)?)));
            None
        }
        Who::Client(turns) => {
            let Some(dir) = bench.client.as_deref().and_then(Path::parent) else {
                return Ok(Observed::skipped(
                    "absent: no client on PATH, in the usual folders or in the cache",
                ));
            };
            let model = ScriptedModel::start(turns(&file))?;
            variables.push(("PATH", bench.path_with(dir)));
            variables
                .extend(super::live::offline(&model.address()).map(|(name, value)| (name, value.to_owned())));
            Some(model)
        }
    };
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let payload = linting::edited(row.id, &project, &file, PY_UNUSED);
    let done = match bench.script_within(SCRIPT, &project, &payload, &variables, LIMIT) {
        Ok(done) => done,
        Err(failed) => return Ok(failed),
    };
    let mut seen = linting::ended(&done);
    seen.stdout.push_str(&afterwards(&project, &state, model.as_ref())?);
    Ok(seen)
}

/// What is to be seen when it is over, in words that a case can expect.
fn afterwards(project: &Path, state: &Path, model: Option<&ScriptedModel>) -> std::io::Result<String> {
    let read = |name: &str| state::files::read(&project.join(name)).map(Option::unwrap_or_default);
    let settings = state::files::read(&state.join("fixer/settings.json"))?.unwrap_or_default();
    let mut words = vec![settings];
    if read("app.py")? == MENDED {
        words.push("fixed".into());
    }
    if !state::files::exists(&project.join("escaped.py")) {
        words.push("nothing else was made".into());
    }
    if !state::files::exists(&project.join("called")) {
        words.push("not called".into());
    }
    // Its client would have called at the start of its session at the latest.
    let log = state::files::read(&state.join("log.jsonl"))?.unwrap_or_default();
    if log.lines().count() == 1 {
        words.push("no hook of its own".into());
    }
    if let Some(model) = model {
        words.push(format!("offered: {}", model.offered().join(", ")));
    }
    Ok(words.join("\n"))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
