//! `plimsoll config`: what is in force, what may be set, what is wrong.

use model::config::{SETTINGS, json_schema};
use serde_json::{Map, Value as Json, json};
use state::config::{self, Layer, Trust};
use state::{Machine, Project};

use crate::exit;
use crate::ui::{Printer, Tone};

/// Show, describe or check the configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// The merged result, and where each value comes from
    Show {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Also what has its default
        #[arg(long)]
        all: bool,
    },
    /// The JSON Schema, for editors
    Schema,
    /// Look for mistakes; exit code 1 if there are any
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    if let Verb::Schema = args.verb {
        printer.json(&json_schema());
        return Ok(exit::OK);
    }
    let project = Project::here(machine);
    let mut loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    for id in loaded.config.checks.keys().filter(|id| checks::find(id).is_none()) {
        let text = format!("unknown check {id}; see `plimsoll status --checks`");
        loaded.problems.push(model::Problem { text, untrusted: false });
    }
    match args.verb {
        Verb::Show { json: true, .. } => {
            let values: Map<String, Json> = SETTINGS
                .iter()
                .map(|s| {
                    (
                        s.key.to_owned(),
                        json!({"value": shown(&loaded, s.key), "from": loaded.source(s.key).as_str()}),
                    )
                })
                .collect();
            printer.json(&Json::Object(values));
        }
        Verb::Show { all, .. } => {
            for layer in Layer::FILES {
                if let Some(file) = layer.file(machine, &project) {
                    let is_there = state::files::is_file(&file);
                    // Nearly nobody has one, and nobody who reads this could make it.
                    if layer == Layer::Managed && !is_there {
                        continue;
                    }
                    let there = if is_there { "" } else { " (not there)" };
                    printer.toned(Tone::Faint, &format!("{:8} {}{there}", layer.as_str(), file.display()));
                }
            }
            if let Some(policy) = &loaded.policy {
                let text = format!("policy   {} of {}", policy.short(), policy.checkout.display());
                printer.toned(Tone::Faint, &text);
            }
            let rows: Vec<Vec<String>> = SETTINGS
                .iter()
                .filter(|s| all || loaded.source(s.key) != Layer::Default)
                .map(|s| {
                    vec![
                        s.key.to_owned(),
                        loaded.source(s.key).as_str().to_owned(),
                        shown(&loaded, s.key).to_string(),
                    ]
                })
                .collect();
            if rows.is_empty() {
                printer.line("everything has its default; `plimsoll config show --all` lists it");
            }
            printer.table(&rows);
        }
        Verb::Check { json: true } => {
            let list: Vec<_> =
                loaded.problems.iter().map(|p| json!({"text": p.text, "untrusted": p.untrusted})).collect();
            printer.json(&Json::Array(list));
        }
        Verb::Check { .. } if loaded.problems.is_empty() => {
            printer.toned(Tone::Good, "the configuration is in order");
        }
        Verb::Check { .. } | Verb::Schema => {}
    }
    if let Verb::Show { json: false, .. } = args.verb {
        for text in loaded.overruled.iter().cloned().chain(held(&loaded)) {
            printer.note(&printer.paint(Tone::Faint, &text));
        }
    }
    if !matches!(args.verb, Verb::Check { json: true }) {
        for problem in &loaded.problems {
            printer.note(&printer.paint(Tone::Warning, &problem.text));
        }
    }
    let failed = matches!(args.verb, Verb::Check { .. }) && !loaded.problems.is_empty();
    Ok(if failed { exit::FAILED } else { exit::OK })
}

/// A value as it may be seen: headers are keys, more often than not.
fn shown(loaded: &config::Loaded, key: &str) -> Json {
    let value = loaded.config.get(key);
    match (key, &value) {
        ("telemetry.headers", Json::Array(headers)) => {
            let name = |header: &Json| Some(format!("{}=…", header.as_str()?.split('=').next()?));
            headers.iter().filter_map(name).collect()
        }
        _ => value,
    }
}

/// Levels that a policy holds, though a file of a lower layer says otherwise: a sentence about each.
pub(crate) fn held(loaded: &config::Loaded) -> impl Iterator<Item = String> + '_ {
    loaded.config.checks.iter().filter_map(|(id, wanted)| {
        let level = checks::level(checks::find(id)?.meta, &loaded.config);
        (level != *wanted)
            .then(|| format!("checks.{id} = \"{wanted}\" is ignored: the team's policy has it \"{level}\""))
    })
}
