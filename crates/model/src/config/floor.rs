//! What a team's policy holds the levels of checks to. Lower layers may be stricter, never looser.

use std::collections::BTreeSet;

use super::{LevelMap, Profile};
use crate::environment::{self as env, Variable};
use crate::meta::{Level, Meta, Role};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Floor {
    /// Every check has at least its level in this profile.
    pub profile: Option<Profile>,
    /// Single checks, over the profile.
    pub checks: LevelMap,
    /// The settings that it names.
    pub keys: BTreeSet<&'static str>,
    /// What the user lets through by hand, and rules of theirs that override, count against it all the same.
    pub by_hand: bool,
}

/// Variables that loosen what these checks and settings are for.
const LOOSENING: &[(&Variable, &[&str])] = &[
    (
        &env::HOOK_SKIP_PM,
        &["shell/package-manager", "package_managers.python", "package_managers.javascript"],
    ),
    (&env::PLAN_CHURN_WARN, &["file/plan-check"]),
    (&env::PLAN_CHURN_DENY, &["file/plan-check"]),
    (&env::GODO_ACTIVE, &["autonomy.ttl_hours"]),
    (&env::APPFIX_ACTIVE, &["autonomy.ttl_hours"]),
    (&env::OTEL_SDK_DISABLED, &["telemetry.endpoint"]),
    (&env::OTEL_EXPORTER_OTLP_TIMEOUT, &["telemetry.endpoint"]),
];

impl Floor {
    /// The level of a check where everything else wants `wanted`.
    pub fn level(&self, meta: &Meta, wanted: Level) -> Level {
        let own = self.checks.get(meta.id).copied();
        match own.or_else(|| self.profile.map(|profile| meta.levels.of(profile))) {
            Some(floor) => stricter(meta.role, wanted, floor),
            None => wanted,
        }
    }

    /// Whether this check looks at everything, whatever the user lets through by hand.
    pub fn holds(&self, meta: &Meta) -> bool {
        meta.role == Role::Guard && !self.by_hand && self.level(meta, Level::Off) > Level::Off
    }

    /// Whether a variable counts for nothing, because it would loosen what is held.
    pub fn silences(&self, variable: &Variable) -> bool {
        // Nearly nobody has any.
        if self.profile.is_none() && self.checks.is_empty() && self.keys.is_empty() {
            return false;
        }
        let held = |name: &&str| match self.checks.get(*name) {
            Some(level) => *level > Level::Off,
            // Which levels a profile has, only the checks know; too much held does no harm.
            None => self.keys.contains(*name) || name.contains('/') && self.profile.is_some(),
        };
        LOOSENING.iter().any(|(known, names)| known.name == variable.name && names.iter().any(held))
    }

    /// The profile where everything else wants `wanted`. Only the gates come on top of everything else.
    pub fn profile(&self, wanted: Profile) -> Profile {
        match self.profile {
            Some(Profile::Standard) if wanted == Profile::Strict => wanted,
            Some(floor) => floor,
            None => wanted,
        }
    }
}

/// Of two levels the one that lets less through. What spares the user a question is strict when it is off.
pub fn stricter(role: Role, one: Level, other: Level) -> Level {
    match role {
        Role::Grant => one.min(other),
        Role::Guard | Role::Advisory => one.max(other),
    }
}
