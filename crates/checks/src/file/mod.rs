//! Which files the agent may change.

mod sections;
mod target;

pub(crate) use sections::{PARTIAL, partial, touched};
pub(crate) use target::Target;

crate::group! {
    own_state,
    agent_settings,
    linter_config,
    persistence,
    planted,
    test_gate,
    mock_gate,
    branch_guard,
    doc_gate,
    plan_check,
}

pub(crate) use agent_settings::GLOBS as SETTINGS_GLOBS;
pub(crate) use linter_config::{config_names, is_config_name, names as linter_config_names};
