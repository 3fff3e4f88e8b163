//! DEP01–DEP29: what has to be there before anything else is worth running: tools, registrations, settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value as Json;
use state::process::Program;
use state::{Project, files, git, trust};

use super::{Bench, Case, Expected, Observed, Suite};

const BASIS: &str = "test specification D6, dep-agent inventory";

/// How much the absence of a tool matters.
#[derive(Clone, Copy, PartialEq)]
enum Weight {
    /// Nothing works without it: the run ends here.
    Required,
    /// The run goes on, and this counts as failed.
    Wanted,
    /// Its cases are skipped.
    Optional,
    /// Only for information.
    Advisory,
}

enum Look {
    /// A linter that is known here.
    Tool(&'static str),
    /// A linter of at least this version.
    Version(&'static str, [u32; 3]),
    /// A helper of the scripts that this program does without.
    Replaced(&'static str),
    Client,
    /// The settings that the fixer's client gets.
    NoHooks,
    /// An event of the settings, with what its matcher must cover.
    Registered(&'static str, &'static str),
    ConfigFile,
    /// A key of the effective configuration.
    ConfigKey(&'static str),
}

struct Row {
    id: &'static str,
    name: &'static str,
    summary: &'static str,
    weight: Weight,
    look: Look,
}

const fn row(id: &'static str, name: &'static str, summary: &'static str, weight: Weight, look: Look) -> Row {
    Row { id, name, summary, weight, look }
}

use Weight::{Advisory, Optional, Required, Wanted};

static ROWS: &[Row] = &[
    row(
        "DEP01",
        "jaq_present",
        "command -v jaq",
        Required,
        Look::Replaced("JSON is read by plimsoll itself"),
    ),
    row("DEP02", "ruff_present", "command -v ruff", Required, Look::Tool("ruff")),
    row("DEP03", "uv_present", "command -v uv", Required, Look::Tool("uv")),
    row("DEP04", "claude_present", "PATH search", Required, Look::Client),
    row("DEP05", "shfmt_opt", "command -v shfmt", Optional, Look::Tool("shfmt")),
    row("DEP06", "shellcheck_opt", "command -v shellcheck", Optional, Look::Tool("shellcheck")),
    row("DEP07", "yamllint_opt", "command -v yamllint", Optional, Look::Tool("yamllint")),
    row("DEP08", "hadolint_opt", "command -v hadolint", Optional, Look::Tool("hadolint")),
    row("DEP09", "hadolint_ver", "hadolint --version", Optional, Look::Version("hadolint", [2, 12, 0])),
    row("DEP10", "taplo_opt", "command -v taplo", Optional, Look::Tool("taplo")),
    row("DEP11", "biome_opt", "detect_biome() chain", Wanted, Look::Tool("biome")),
    row("DEP12", "semgrep_opt", "command -v semgrep", Optional, Look::Tool("semgrep")),
    row("DEP13", "mdlint_opt", "command -v markdownlint-cli2", Optional, Look::Tool("markdownlint-cli2")),
    row("DEP14", "no_hooks", "subprocess-settings.json", Wanted, Look::NoHooks),
    row(
        "DEP15",
        "set_pre_edit",
        "settings.json, PreToolUse Edit|Write",
        Wanted,
        Look::Registered("PreToolUse", "Edit|Write"),
    ),
    row(
        "DEP16",
        "set_pre_bash",
        "settings.json, PreToolUse Bash",
        Wanted,
        Look::Registered("PreToolUse", "Bash"),
    ),
    row(
        "DEP17",
        "set_post",
        "settings.json, PostToolUse Edit|Write",
        Wanted,
        Look::Registered("PostToolUse", "Edit|Write"),
    ),
    row("DEP18", "set_stop", "settings.json, Stop", Wanted, Look::Registered("Stop", "")),
    row("DEP19", "cfg_json", "hooks/config.json", Wanted, Look::ConfigFile),
    row(
        "DEP20",
        "cfg_py_key",
        "config.json package_managers.python",
        Wanted,
        Look::ConfigKey("package_managers.python"),
    ),
    row(
        "DEP21",
        "cfg_js_key",
        "config.json package_managers.javascript",
        Wanted,
        Look::ConfigKey("package_managers.javascript"),
    ),
    row(
        "DEP22",
        "timeout_present",
        "command -v timeout",
        Required,
        Look::Replaced("time limits are plimsoll's own"),
    ),
    row("DEP23", "oxlint_advisory", "oxlint", Advisory, Look::Tool("oxlint")),
    row("DEP24", "bandit_opt", "bandit --version", Optional, Look::Tool("bandit")),
    row("DEP25", "ty_advisory", "ty --version", Advisory, Look::Tool("ty")),
    row("DEP26", "vulture_advisory", "vulture --version", Advisory, Look::Tool("vulture")),
    row("DEP27", "flake8_pydantic_advisory", "flake8 --version", Advisory, Look::Tool("flake8")),
    row("DEP28", "flake8_async_advisory", "flake8 --version", Advisory, Look::Tool("flake8")),
    row("DEP29", "bandit_advisory", "bandit --version", Advisory, Look::Tool("bandit")),
];

pub(super) fn suite() -> Suite {
    let cases = ROWS.iter().map(case).collect();
    Suite { agent: "dep-agent", hook: "infrastructure", required: true, expected: 29, cases }
}

fn case(row: &'static Row) -> Case {
    Case {
        id: row.id,
        name: row.name,
        category: "dependency",
        summary: row.summary.into(),
        basis: BASIS,
        expected: Expected { decision: "present", exit: Some(0), says: vec![] },
        required: row.weight == Required,
        run: Box::new(move |bench| look(bench, row)),
    }
}

fn look(bench: &Bench, row: &Row) -> Observed {
    let found = match &row.look {
        Look::Tool(name) => tool(bench, name),
        Look::Version(name, least) => version(bench, name, *least),
        Look::Replaced(by) => {
            Found::Here { output: bench.program().display().to_string(), note: format!("replaced: {by}") }
        }
        Look::Client => match &bench.client {
            Some(path) => Found::here(path.display()),
            None => Found::absent(
                "no client on PATH, in ~/.local/bin, ~/.npm-global/bin, /usr/local/bin or the cache",
            ),
        },
        Look::NoHooks => no_hooks(bench),
        Look::Registered(event, tools) => registered(bench, event, tools),
        Look::ConfigFile => config_file(bench),
        Look::ConfigKey(key) => config_key(bench, key),
    };
    match found {
        Found::Here { output, note } => Observed {
            decision: "present".into(),
            exit: Some(0),
            stdout: output,
            note,
            ..Observed::default()
        },
        Found::Wrong(note) => Observed { exit: Some(1), ..Observed::failed(note) },
        Found::Absent(note) if !bench.strict || matches!(row.weight, Optional | Advisory) => {
            Observed::skipped(if note.is_empty() { "absent".to_owned() } else { format!("absent: {note}") })
        }
        Found::Absent(note) => {
            Observed { decision: "absent".into(), exit: Some(1), note, ..Observed::default() }
        }
    }
}

enum Found {
    Here {
        output: String,
        note: String,
    },
    /// There, but not as it must be.
    Wrong(String),
    Absent(String),
}

impl Found {
    fn here(output: impl std::fmt::Display) -> Self {
        Found::Here { output: output.to_string(), note: String::new() }
    }

    fn absent(why: &str) -> Self {
        Found::Absent(why.into())
    }
}

fn tool(bench: &Bench, name: &str) -> Found {
    // It installs and runs tools, and is none of the linters.
    if name == "uv" {
        return bench.find_uv().map_or_else(
            || Found::absent("uv: https://docs.astral.sh/uv"),
            |path| Found::here(path.display()),
        );
    }
    match bench.find_tool(name) {
        Some(place) => {
            let version = linters::definition::find(name)
                .and_then(|linter| linters::known_version(bench.machine(), linter, &place))
                .map(|version| format!("{version}, "))
                .unwrap_or_default();
            Found::here(format!("{version}{} ({})", place.program.display(), place.origin.as_str()))
        }
        None => Found::Absent(format!("{name}: {}", super::how_to_get(name))),
    }
}

fn version(bench: &Bench, name: &str, least: [u32; 3]) -> Found {
    let Some(place) = bench.find_tool(name) else { return Found::absent("") };
    let limit = Duration::from_secs(10);
    let said = match place.start(bench.machine()).arg("--version").within(limit).run() {
        Ok(done) => String::from_utf8_lossy(&done.stdout).trim().to_owned(),
        Err(error) => return Found::Wrong(error.to_string()),
    };
    let mut numbers = said.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| word.contains('.'));
    let parts: Vec<u32> =
        numbers.next().unwrap_or_default().split('.').filter_map(|part| part.parse().ok()).collect();
    if parts.as_slice() >= least.as_slice() {
        return Found::here(said);
    }
    let [major, minor, patch] = least;
    Found::Wrong(format!("{said}: older than {major}.{minor}.{patch}"))
}

/// The project's settings as `init` would write them, where the project has none: the suite is about this program, not about
/// whether this very project is set up, so a scratch project is set up for it.
fn settings(bench: &Bench) -> Result<(Json, &'static str), String> {
    for name in ["settings.json", "settings.local.json"] {
        let own = bench.project_root().join(".claude").join(name);
        if let Some(settings) = read(&own).filter(|settings| !settings["hooks"].is_null()) {
            return Ok((settings, "looked at this project's own hooks"));
        }
    }
    let scratch = set_up(bench)?;
    let settings = read(&scratch.join(".claude/settings.json")).ok_or("plimsoll init registered nothing")?;
    Ok((settings, "this project has no hooks; looked at a scratch project after `plimsoll init`"))
}

/// A JSON file with comments, if it is there and whole.
fn read(path: &Path) -> Option<Json> {
    files::read(path).ok().flatten().and_then(|text| state::config::parse(&text).ok()).map(Json::Object)
}

/// A scratch project after `plimsoll init --yes`.
fn set_up(bench: &Bench) -> Result<PathBuf, String> {
    let root = bench.scratch.join("DEP");
    let text = |error: std::io::Error| error.to_string();
    // Cases run side by side, and one of them comes first.
    let _lock = state::Lock::take(&bench.scratch.join("DEP.lock"), Duration::from_secs(30))
        .map_err(|e| e.to_string())?;
    if files::exists(&root.join(".claude/settings.json")) {
        return Ok(root);
    }
    files::create_dir(&root).map_err(text)?;
    git::run(&root, &["init", "-q", "-b", "main"], Duration::from_secs(30)).map_err(text)?;
    let done = Program::new(bench.program())
        .args(["init", "--yes"])
        .cwd(&root)
        .env("HOME", &bench.scratch)
        .env("PLIMSOLL_STATE_DIR", bench.scratch.join("state"))
        .within(Duration::from_secs(30))
        .run()
        .map_err(text)?;
    if done.code == Some(0) { Ok(root) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

fn registered(bench: &Bench, event: &str, tools: &str) -> Found {
    let (settings, note) = match settings(bench) {
        Ok(found) => found,
        Err(error) => return Found::Wrong(error),
    };
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    let covers = |group: &&Json| {
        let matcher = group["matcher"].as_str().unwrap_or_default();
        matcher.is_empty() || tools.split('|').all(|tool| matcher.split('|').any(|word| word == tool))
    };
    match groups.iter().find(covers) {
        Some(group) => Found::Here { output: group["hooks"][0].to_string(), note: note.into() },
        None => Found::absent("run `plimsoll init`"),
    }
}

fn no_hooks(bench: &Bench) -> Found {
    let project = Project::at(bench.machine(), bench.project_root().to_owned());
    let loaded = state::config::load(bench.machine(), &project, checks::role, state::config::Trust::Recorded);
    let named = loaded.config.settings_file.as_deref().map(|name| {
        model::path::absolute(Path::new(name), bench.project_root(), bench.machine().home().as_deref())
    });
    let path = named.unwrap_or_else(|| bench.project_root().join(".claude/subprocess-settings.json"));
    let content = files::read_bytes(&path).unwrap_or_default();
    let trusted = trust::is_trusted_file(bench.machine(), bench.project_root(), &path, &content);
    match read(&path) {
        Some(settings) if settings["disableAllHooks"] == true => Found::here(path.display()),
        Some(_) if trusted => {
            Found::Wrong(format!("{} does not switch the hooks off: remove it", path.display()))
        }
        Some(_) => Found::Here {
            output: r#"{"disableAllHooks": true}"#.into(),
            note: format!("{} is not trusted, so that ours is used", path.display()),
        },
        None => Found::Here {
            output: r#"{"disableAllHooks": true}"#.into(),
            note: "replaced: it is made when the fixer first needs it".into(),
        },
    }
}

fn config_file(bench: &Bench) -> Found {
    let path = bench.project_root().join(".claude/hooks/config.json");
    if files::exists(&path) {
        return Found::here(path.display());
    }
    match set_up(bench) {
        Ok(root) if files::exists(&root.join(".claude/hooks/config.json")) => Found::Here {
            output: root.join(".claude/hooks/config.json").display().to_string(),
            note: "this project has none; looked at a scratch project after `plimsoll init`".into(),
        },
        Ok(_) => Found::absent("run `plimsoll init`"),
        Err(error) => Found::Wrong(error),
    }
}

fn config_key(bench: &Bench, key: &str) -> Found {
    let path = bench.project_root().join(".claude/hooks/config.json");
    let value = key.split('.').fold(read(&path).unwrap_or_default(), |place, part| place[part].clone());
    if !value.is_null() {
        return Found::here(value);
    }
    Found::Here {
        output: model::Config::default().get(key).to_string(),
        note: "replaced: the built-in value is in force".into(),
    }
}
