//! Hooks that run twice or not at all: `session/settings-overlap`.

use std::collections::BTreeMap;

use model::{
    Bookkeeping, Effect, Event, EventName, Findings, Levels, Meta, On, Registered, Role, is_own_name,
};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/settings-overlap",
    summary: "hooks that are registered twice, or that name a file that is not there",
    docs: "\
The client runs the hooks of all its settings files, and takes two for the same only when they are written alike. At the start of
a session this check compares them by event and by the program that they come down to, over the user's, the project's and the
local settings and all enabled plugins, and says which are repeated. Where Plimsoll itself is registered twice, the second process
after a tool call is silent. Hooks that name a script that is not there or not executable are said too, and settings that cannot be
read: the client runs none of their hooks, without a word.
",
    cases: include_str!("settings_overlap.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// So many names are enough to go and look.
const MOST: usize = 5;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(_: &Event, cx: &Context<'_>, out: &mut Findings) {
    let all = cx.facts.registered_hooks();
    let mut repeated: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (at, one) in all.iter().enumerate() {
        let before = all[..at].iter().any(|known| is_same(known, one) && known.scope != one.scope);
        if before {
            let list = repeated.entry(&one.scope).or_default();
            let name = name(one);
            if !list.contains(&name) {
                list.push(name);
            }
        }
    }
    for (scope, names) in &repeated {
        // What a plugin brings cannot be taken out of it.
        let cure = if scope.starts_with("the plugin") {
            "Remove them from the settings, or disable the plugin,"
        } else {
            "Remove from project settings"
        };
        out.notices.push(format!(
            "[session-init] Warning: {scope} duplicates {} global hook(s): {}. {cure} to prevent double execution.",
            names.len(),
            names.join(", ")
        ));
    }
    if all.iter().filter(|one| is_own_name(&name(one)) && one.event == "PreToolUse").count() > 1 {
        out.effects.push(Effect::Bookkeeping(Bookkeeping::ExpectRepeats));
    }
    for why in ["not there", "not executable"] {
        let broken: Vec<String> = all
            .iter()
            .filter(|one| one.broken == Some(why))
            .map(|one| format!("{} ({} in {})", one.program.display(), one.event, one.scope))
            .collect();
        if !broken.is_empty() {
            let more = match broken.len().saturating_sub(MOST) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let some = broken.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
            out.notices.push(format!("[hook:warning] hooks that name a file that is {why}: {some}{more}"));
        }
    }
    for text in cx.facts.unreadable_settings() {
        out.notices
            .push(format!("[hook:warning] {text}; the client runs no hook of this file until that is fixed"));
    }
}

fn is_same(one: &Registered, other: &Registered) -> bool {
    // A name that is looked for on PATH is the program that a path names in full.
    let bare = |program: &Registered| program.program.components().count() == 1;
    one.event == other.event
        && (one.program == other.program || (bare(one) || bare(other)) && name(one) == name(other))
}

fn name(one: &Registered) -> String {
    one.program.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
