//! Which files the agent may change.

mod agent_settings;
mod branch_guard;
mod doc_gate;
mod linter_config;
mod mock_gate;
mod own_state;
mod persistence;
mod plan_check;
mod planted;
mod secret;
mod sections;
mod target;
mod test_gate;

pub(crate) use sections::{PARTIAL, partial, touched};
pub(crate) use target::Target;

/// In the order they run.
pub(crate) static CHECKS: &[&crate::Check] = &[
    &own_state::CHECK,
    &agent_settings::CHECK,
    &linter_config::CHECK,
    &persistence::CHECK,
    &planted::CHECK,
    &secret::CHECK,
    &test_gate::CHECK,
    &mock_gate::CHECK,
    &branch_guard::CHECK,
    &doc_gate::CHECK,
    &plan_check::CHECK,
];

pub(crate) use agent_settings::GLOBS as SETTINGS_GLOBS;
pub(crate) use linter_config::{config_names, is_config_name, names as linter_config_names};
pub(crate) use own_state::evidence;
