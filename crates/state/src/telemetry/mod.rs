//! Telemetry: the decisions of the log, and totals over them, sent to a team's OTLP receiver. Never by a hook: a task in the background
//! (`send`) takes records from a stored place, and moves it only after the server's word. The log itself is what waits, within
//! its own bounds. `otlp` and `totals` say what is sent; the feature `telemetry` is about the sending alone.

#[cfg(feature = "telemetry")]
mod otlp;
mod progress;
#[cfg(feature = "telemetry")]
mod protobuf;
#[cfg(feature = "telemetry")]
mod send;
#[cfg(feature = "telemetry")]
mod totals;

use std::path::Path;
use std::time::Duration;

use model::{Config, EventName, environment};
use thiserror::Error;

use crate::{Machine, Project, files, log};

use progress::Progress;
#[cfg(feature = "telemetry")]
pub use send::{Unsent, send};

/// Between two tasks that no stop has asked for.
const OFTEN: u64 = 300;
/// What one request may take, unless the user's variables say otherwise.
const LIMIT: Duration = Duration::from_secs(10);

/// Where to send what.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    pub logs: String,
    pub metrics: String,
    pub headers: Vec<(String, String)>,
    /// Also what commands, files and answers say.
    pub detail: bool,
    pub limit: Duration,
}

/// What is wrong with the receiver that is named.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadTarget {
    #[error(
        "a settings file of this project sets OTEL_EXPORTER_OTLP_…; name your receiver in telemetry.endpoint"
    )]
    OfAClone,
    #[error("telemetry.headers should be a list of name=value")]
    Header,
    #[error("telemetry.endpoint should be an address of http or https, not {0}")]
    Scheme(String),
    #[error("telemetry.headers would go over an unencrypted line; use https")]
    OpenLine,
}

/// The receiver that is named; `None` where none is.
pub fn target(machine: &Machine, project: &Project, config: &Config) -> Result<Option<Target>, BadTarget> {
    // Where a policy names the receiver, no variable keeps it from its records.
    let var = |variable| machine.var(variable).filter(|_| !config.floor.silences(variable));
    if var(&environment::OTEL_SDK_DISABLED).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let (base, from_settings) = match &config.telemetry_endpoint {
        Some(base) if base.is_empty() => return Ok(None),
        Some(base) => (Some(base.clone()), true),
        None => (machine.var(&environment::OTEL_EXPORTER_OTLP_ENDPOINT), false),
    };
    let below = |path: &str| base.as_ref().map(|base| format!("{}/v1/{path}", base.trim_end_matches('/')));
    // A variable for one kind of data has the whole address.
    let own = |variable| if from_settings { None } else { machine.var(variable) };
    let logs = own(&environment::OTEL_EXPORTER_OTLP_LOGS_ENDPOINT).or_else(|| below("logs"));
    let metrics = own(&environment::OTEL_EXPORTER_OTLP_METRICS_ENDPOINT).or_else(|| below("metrics"));
    let (Some(logs), Some(metrics)) = (logs, metrics) else { return Ok(None) };
    // A clone brings variables along, too.
    if !from_settings && names_variables(project) {
        return Err(BadTarget::OfAClone);
    }
    let mut headers = Vec::new();
    let from_variable = machine.var(&environment::OTEL_EXPORTER_OTLP_HEADERS).filter(|_| !from_settings);
    let named = config.telemetry_headers.iter().map(String::as_str);
    for header in named.chain(from_variable.iter().flat_map(|list| list.split(','))) {
        let (name, value) = header.split_once('=').ok_or(BadTarget::Header)?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    for url in [&logs, &metrics] {
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(BadTarget::Scheme(url.clone()));
        }
        let open = !url.starts_with("https://") && !is_here(url);
        if open && !headers.is_empty() {
            return Err(BadTarget::OpenLine);
        }
    }
    let limit = var(&environment::OTEL_EXPORTER_OTLP_TIMEOUT).and_then(|text| text.parse().ok());
    let limit = limit.map_or(LIMIT, |millis: u64| Duration::from_millis(millis.clamp(1, 60_000)));
    Ok(Some(Target { logs, metrics, headers, detail: config.telemetry_detail, limit }))
}

fn is_here(url: &str) -> bool {
    ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|here| {
        url.strip_prefix(here).is_some_and(|rest| rest.starts_with([':', '/']) && !rest.contains('@'))
    })
}

fn names_variables(project: &Project) -> bool {
    ["settings.json", "settings.local.json"].iter().any(|name| {
        let text = files::read(&project.claude_dir().join(name)).ok().flatten();
        text.is_some_and(|text| text.contains("OTEL_EXPORTER_OTLP"))
    })
}

/// Whether the background task should be started at this event. Before a tool call it costs one comparison; where no receiver is named,
/// two lookups.
pub fn is_due(machine: &Machine, config: &Config, event: &EventName) -> bool {
    let stops = matches!(event, EventName::Stop | EventName::SubagentStop | EventName::SessionEnd);
    let now_and_then =
        matches!(event, EventName::SessionStart | EventName::UserPromptSubmit | EventName::PostToolUse);
    if !cfg!(feature = "telemetry") || !(stops || now_and_then) || !is_named(machine, config) {
        return false;
    }
    let file = progress::file(machine);
    if !stops && files::modified(&file).is_some_and(|then| machine.now().saturating_sub(then) < OFTEN) {
        return false;
    }
    !Progress::read(machine).is_paused(machine.now())
}

fn is_named(machine: &Machine, config: &Config) -> bool {
    config.telemetry_endpoint.is_some()
        || machine.var(&environment::OTEL_EXPORTER_OTLP_ENDPOINT).is_some()
        || machine.var(&environment::OTEL_EXPORTER_OTLP_LOGS_ENDPOINT).is_some()
}

/// How far it is, for `status`.
#[derive(Debug, Default)]
pub struct Standing {
    /// Where records go, without what may be secret in it.
    pub to: String,
    pub sent: u64,
    /// Records that wait, as far as they are counted.
    pub waiting: usize,
    /// Seconds since 1970.
    pub last: Option<u64>,
    /// What went wrong since.
    pub failed: Option<String>,
    /// Records that were removed from the log before they were sent: how often that was found.
    pub lost: u64,
    pub rejected: u64,
}

/// Records that are counted for `status`, at most.
pub const MOST_COUNTED: usize = 10_000;

/// `None` where no receiver is named.
pub fn standing(machine: &Machine, project: &Project, config: &Config) -> Option<Standing> {
    let target = match target(machine, project, config) {
        Ok(target) => target?,
        Err(why) => return Some(Standing { failed: Some(why.to_string()), ..Standing::default() }),
    };
    let progress = Progress::read(machine);
    let begun = files::exists(Path::new(&progress::file(machine)));
    let waiting = if begun { log::after(machine, &progress.logs, MOST_COUNTED).records.len() } else { 0 };
    let failed = if cfg!(feature = "telemetry") {
        progress.failed.map(|failed| failed.why)
    } else {
        Some("this executable was built without telemetry".into())
    };
    Some(Standing {
        to: target
            .logs
            .split('?')
            .next()
            .unwrap_or_default()
            .rsplit('@')
            .next()
            .unwrap_or_default()
            .to_owned(),
        sent: progress.sent,
        waiting,
        last: (progress.last > 0).then_some(progress.last),
        failed,
        lost: progress.lost,
        rejected: progress.rejected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(variables: &[(&str, &str)]) -> Machine {
        Machine::with(variables, Path::new("/p"))
    }

    fn config(endpoint: Option<&str>, headers: &[&str]) -> Config {
        Config {
            telemetry_endpoint: endpoint.map(str::to_owned),
            telemetry_headers: headers.iter().map(|text| (*text).to_owned()).collect(),
            ..Config::default()
        }
    }

    fn at(variables: &[(&str, &str)], config: &Config) -> Result<Option<Target>, BadTarget> {
        let machine = machine(variables);
        target(&machine, &Project::at(&machine, "/p".into()), config)
    }

    #[test]
    fn a_receiver_is_named_by_settings_or_by_variables() {
        assert_eq!(at(&[], &config(None, &[])), Ok(None));
        let own =
            at(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a")], &config(Some("https://b:1/x/"), &["K=v=w"]));
        let own = own.unwrap().unwrap();
        assert_eq!(
            (own.logs.as_str(), own.metrics.as_str()),
            ("https://b:1/x/v1/logs", "https://b:1/x/v1/metrics")
        );
        assert_eq!(own.headers, [("k".to_owned(), "v=w".to_owned())]);
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://a"),
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://m/write"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=1, b=2"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500"),
        ];
        let told = at(&variables, &config(None, &[])).unwrap().unwrap();
        assert_eq!((told.logs.as_str(), told.metrics.as_str()), ("https://a/v1/logs", "https://m/write"));
        assert_eq!((told.headers.len(), told.limit.as_millis()), (2, 1500));
        let off = [("OTEL_SDK_DISABLED", "true"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "1")];
        assert_eq!(at(&off, &config(Some("http://a"), &[])), Ok(None));
        let mut managed = config(Some("http://a"), &[]);
        managed.floor.keys.insert("telemetry.endpoint");
        assert_eq!(at(&off, &managed).unwrap().unwrap().limit, LIMIT, "a policy's receiver");
    }

    #[test]
    fn keys_go_over_no_open_line() {
        assert!(at(&[], &config(Some("http://collector:4318"), &["k=v"])).is_err());
        assert!(at(&[], &config(Some("http://127.0.0.1:4318@collector"), &["k=v"])).is_err());
        assert!(at(&[], &config(Some("http://127.0.0.1:4318"), &["k=v"])).is_ok());
        assert!(at(&[], &config(Some("http://collector:4318"), &[])).is_ok());
        assert!(at(&[], &config(Some("ftp://collector"), &[])).is_err());
        assert!(at(&[], &config(Some("https://collector"), &["no value"])).is_err());
    }

    #[test]
    fn a_clones_variables_name_nobody() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".claude")).unwrap();
        let machine = machine(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "https://a")]);
        let project = Project::at(&machine, dir.path().into());
        assert!(target(&machine, &project, &config(None, &[])).unwrap().is_some());
        let settings = r#"{"env": {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://a"}}"#;
        std::fs::write(dir.path().join(".claude/settings.json"), settings).unwrap();
        assert!(target(&machine, &project, &config(None, &[])).is_err());
        assert!(target(&machine, &project, &config(Some("https://b"), &[])).unwrap().is_some());
    }

    #[test]
    fn nothing_is_due_before_a_tool_call_or_without_a_receiver() {
        let dir = tempfile::tempdir().unwrap();
        let machine = machine(&[("PLIMSOLL_STATE_DIR", dir.path().to_str().unwrap())]);
        let named = config(Some("http://127.0.0.1:1"), &[]);
        assert!(!is_due(&machine, &named, &EventName::PreToolUse));
        assert!(!is_due(&machine, &config(None, &[]), &EventName::Stop));
        assert_eq!(is_due(&machine, &named, &EventName::Stop), cfg!(feature = "telemetry"));
        std::fs::write(dir.path().join("telemetry.json"), "{}").unwrap();
        assert!(!is_due(&machine, &named, &EventName::PostToolUse), "it was there a moment ago");
    }
}
