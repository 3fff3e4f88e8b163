//! Every policy and every gate. Pure: the event and `Facts` come in, findings and effects go out.
//!
//! A check is one file with its cases beside it, and one line in its group's list. `pipeline` runs them in order and merges
//! what they say; `cases` reads case files, for tests and for the docs.

mod allowed;
pub mod arrivals;
mod autonomy;
#[cfg(any(test, feature = "cases"))]
pub mod cases;
mod context;
mod deeds;
mod edit;
mod file;
mod git_config;
pub mod imagined;
mod lasting;
pub mod memory;
mod own;
mod pipeline;
pub mod plan;
mod prompt;
pub mod quality;
mod result;
pub mod rules;
pub mod runner;
mod session;
mod shell;
mod stop;
mod subagent;
pub mod violations;
mod work;

use model::{Config, Event, EventName, Findings, Language, Level, Meta, Role, Tool, Tools};

pub use allowed::{is_held, is_kept, signature};
pub use context::{Context, read};
pub use deeds::deeds as tool_deeds;

/// What `plimsoll checkpoint new` writes, and where.
pub fn checkpoint_template() -> (&'static str, &'static str) {
    (stop::CHECKPOINT, stop::TEMPLATE)
}

pub use pipeline::{Options, Ran, Report, Trace, run};

/// What runs when a check looks at an event. It cannot fail: doubt is a finding.
pub type Run = fn(&Event, &Context<'_>, &mut Findings);

/// One rule, as a value: what is known about it, and what it does.
#[derive(Debug)]
pub struct Check {
    pub meta: &'static Meta,
    /// Too dear to be asked each time: it runs after all others, and only when none of them has decided. Not in an explanation.
    pub last_resort: bool,
    pub run: Run,
}

impl Check {
    pub const fn new(meta: &'static Meta, run: Run) -> Self {
        Self { meta, last_resort: false, run }
    }

    pub const fn last_resort(meta: &'static Meta, run: Run) -> Self {
        Self { meta, last_resort: true, run }
    }
}

/// All groups, in the order they run.
static GROUPS: &[&[&Check]] = &[
    session::CHECKS,
    prompt::CHECKS,
    rules::CHECKS,
    shell::CHECKS,
    file::CHECKS,
    edit::CHECKS,
    autonomy::CHECKS,
    memory::CHECKS,
    quality::CHECKS,
    result::CHECKS,
    subagent::CHECKS,
    stop::CHECKS,
];

/// All checks, in the order they run, but for last resorts.
pub fn all() -> impl Iterator<Item = &'static Check> {
    GROUPS.iter().flat_map(|group| group.iter().copied())
}

pub fn find(id: &str) -> Option<&'static Check> {
    all().find(|check| check.meta.id == id)
}

/// Whether a check stands between the agent and harm, so that a cloned project may not switch it off by itself.
pub fn role(id: &str) -> Option<Role> {
    find(id).map(|check| check.meta.role)
}

/// The level of a check under this configuration.
pub fn level(meta: &Meta, config: &Config) -> Level {
    let wanted = config.checks.get(meta.id).copied().unwrap_or_else(|| meta.levels.of(config.profile));
    config.floor.level(meta, wanted)
}

/// How a check looks at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Concern {
    /// Not at all.
    No,
    Whole,
    /// At each file that the call changes, as if that were all of it.
    EachEdit,
}

fn concern(meta: &Meta, event: &Event) -> Concern {
    let use_ = event.tool_use();
    // What a server's tool says about itself is enough for a question before, not for a record after.
    let before = matches!(event.name, EventName::PreToolUse | EventName::PermissionRequest);
    let mut found = Concern::No;
    for on in meta.on.iter().filter(|on| on.event == event.name) {
        match (on.tools, use_.map(|use_| &use_.tool)) {
            (Tools::Any, _) | (Tools::Edits, Some(Tool::Edit(_))) => return Concern::Whole,
            (Tools::Shell, Some(Tool::Shell(command))) if before || command.language == Language::Posix => {
                return Concern::Whole;
            }
            (Tools::Shell, Some(Tool::Foreign(foreign))) if before && !foreign.commands.is_empty() => {
                return Concern::Whole;
            }
            (Tools::Foreign, Some(Tool::Foreign(_)))
            | (
                Tools::Reads,
                Some(Tool::Read { .. } | Tool::Search(_) | Tool::Fetch { .. } | Tool::Ask { .. }),
            ) => return Concern::Whole,
            (Tools::Mcp, _) if use_.is_some_and(|use_| use_.name.starts_with("mcp__")) => {
                return Concern::Whole;
            }
            (Tools::Edits, Some(Tool::Patch(_))) => found = Concern::EachEdit,
            (Tools::Edits, Some(Tool::Foreign(foreign))) if before && !foreign.edits.is_empty() => {
                found = Concern::EachEdit;
            }
            _ => {}
        }
    }
    found
}

/// The events that any check of this configuration looks at, with the tools that matter: what `init` registers.
pub fn wiring(config: &Config) -> Vec<(EventName, Vec<Tools>)> {
    let mut events: Vec<(EventName, Vec<Tools>)> = Vec::new();
    for name in EventName::ALL {
        let mut tools = Vec::new();
        for check in all().filter(|check| level(check.meta, config) != Level::Off) {
            for on in check.meta.on.iter().filter(|on| on.event == *name) {
                if !tools.contains(&on.tools) {
                    tools.push(on.tools);
                }
            }
        }
        if !tools.is_empty() {
            events.push((name.clone(), tools));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_named_by_their_group() {
        let ids: Vec<_> = all().map(|check| check.meta.id).collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{id} twice");
        }
        for (group, name) in [
            ("session", session::CHECKS),
            ("prompt", prompt::CHECKS),
            ("subagent", subagent::CHECKS),
            ("rules", rules::CHECKS),
            ("shell", shell::CHECKS),
            ("file", file::CHECKS),
            ("edit", edit::CHECKS),
            ("autonomy", autonomy::CHECKS),
            ("memory", memory::CHECKS),
            ("quality", quality::CHECKS),
            ("result", result::CHECKS),
            ("stop", stop::CHECKS),
        ] {
            for check in name {
                assert!(check.meta.id.starts_with(&format!("{group}/")), "{}", check.meta.id);
            }
        }
    }

    #[test]
    fn words_are_there() {
        for check in all() {
            let meta = check.meta;
            assert!(meta.summary.len() > 10 && !meta.summary.ends_with('.'), "{}: summary", meta.id);
            assert!(meta.docs.trim().len() > 40, "{}: docs", meta.id);
            assert!(!meta.on.is_empty(), "{}: events", meta.id);
        }
    }

    #[test]
    fn only_events_with_checks_are_registered() {
        let events = wiring(&Config::default());
        let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "SessionStart",
                "UserPromptSubmit",
                "PreToolUse",
                "PostToolUse",
                "PostToolUseFailure",
                "SubagentStop",
                "Stop",
                "PreCompact",
                "SessionEnd"
            ]
        );
        for harmful in [EventName::WorktreeCreate, EventName::MessageDisplay] {
            assert!(!events.iter().any(|(name, _)| *name == harmful));
        }
    }
}
