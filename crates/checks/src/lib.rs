//! Every policy and every gate. Pure: the event and `Facts` come in, findings and effects go out.
//!
//! A check is one file with its cases beside it, and one line in its group's list. `pipeline` runs them in order and merges
//! what they say; `cases` reads case files, for tests and for the docs.

mod autonomy;
pub mod cases;
mod context;
mod edit;
mod file;
mod git_config;
mod lasting;
mod memory;
mod own;
mod pipeline;
pub mod plan;
mod practice;
mod prompt;
mod quality;
pub mod runner;
mod session;
mod shell;
mod stop;
mod subagent;

use model::{Config, Event, EventName, Findings, Level, Meta, Role, Tool, Tools};

pub use context::{Context, read};

/// What `plimsoll checkpoint new` writes, and where.
pub fn checkpoint_template() -> (&'static str, &'static str) {
    (stop::CHECKPOINT, stop::TEMPLATE)
}

pub use self::shell::{Deed, deeds};
pub use pipeline::{Options, Ran, Report, Trace, run};

/// One rule. Running it cannot fail: doubt is a finding.
pub trait Check: Sync {
    fn meta(&self) -> &'static Meta;
    /// Too dear to be asked each time: it runs after all others, and only when none of them has decided. Not in an explanation.
    fn is_last_resort(&self) -> bool {
        false
    }
    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings);
}

/// The list of a group, in the order its checks run: one line per check. It declares the module and registers it, so that a
/// check cannot be in one place and not in the other. (`cargo fmt` does not follow modules declared by a macro;
/// `cargo dev fmt` formats every file.)
macro_rules! group {
    ($($check:ident),* $(,)?) => {
        $(mod $check;)*
        pub(crate) static CHECKS: &[&dyn crate::Check] = &[$(&$check::Rule),*];
    };
}
pub(crate) use group;

/// All groups, in the order they run.
static GROUPS: &[&[&dyn Check]] = &[
    session::CHECKS,
    prompt::CHECKS,
    shell::CHECKS,
    file::CHECKS,
    edit::CHECKS,
    autonomy::CHECKS,
    memory::CHECKS,
    quality::CHECKS,
    subagent::CHECKS,
    stop::CHECKS,
];

/// All checks, in the order they run, but for last resorts.
pub fn all() -> impl Iterator<Item = &'static dyn Check> {
    GROUPS.iter().flat_map(|group| group.iter().copied())
}

pub fn find(id: &str) -> Option<&'static dyn Check> {
    all().find(|check| check.meta().id == id)
}

/// Whether a check stands between the agent and harm, so that a cloned project may not switch it off by itself.
pub fn role(id: &str) -> Option<Role> {
    find(id).map(|check| check.meta().role)
}

/// The level of a check under this configuration.
pub fn level(meta: &Meta, config: &Config) -> Level {
    config.checks.get(meta.id).copied().unwrap_or_else(|| meta.levels.of(config.profile))
}

/// Whether a check looks at this event at all.
fn concerns(meta: &Meta, event: &Event) -> bool {
    meta.on.iter().any(|on| {
        let mcp = || event.tool_use().is_some_and(|use_| use_.name.starts_with("mcp__"));
        on.event == event.name
            && match (on.tools, event.tool_use().map(|use_| &use_.tool)) {
                (Tools::Any, _)
                | (Tools::Edits, Some(Tool::Edit(_)))
                | (Tools::Shell, Some(Tool::Shell { .. })) => true,
                (Tools::Mcp, _) => mcp(),
                _ => false,
            }
    })
}

/// The events that any check of this configuration looks at, with the tools that matter: what `init` registers.
pub fn wiring(config: &Config) -> Vec<(EventName, Vec<Tools>)> {
    let mut events: Vec<(EventName, Vec<Tools>)> = Vec::new();
    for name in EventName::ALL {
        let mut tools = Vec::new();
        for check in all().filter(|check| level(check.meta(), config) != Level::Off) {
            for on in check.meta().on.iter().filter(|on| on.event == *name) {
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
        let ids: Vec<_> = all().map(|check| check.meta().id).collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{id} twice");
        }
        for (group, name) in [
            ("session", session::CHECKS),
            ("prompt", prompt::CHECKS),
            ("subagent", subagent::CHECKS),
            ("shell", shell::CHECKS),
            ("file", file::CHECKS),
            ("edit", edit::CHECKS),
            ("autonomy", autonomy::CHECKS),
            ("memory", memory::CHECKS),
            ("quality", quality::CHECKS),
            ("stop", stop::CHECKS),
        ] {
            for check in name {
                assert!(check.meta().id.starts_with(&format!("{group}/")), "{}", check.meta().id);
            }
        }
    }

    #[test]
    fn words_are_there() {
        for check in all() {
            let meta = check.meta();
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
