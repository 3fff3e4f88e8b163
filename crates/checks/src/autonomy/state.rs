//! A state of autonomous work that the agent has written with the user's leave: `autonomy/state`.

use model::config::Profile;
use model::{AUTONOMY_STATES, Change, Effect, Event, EventName, Findings, Meta, On, Role};

use super::AUTONOMOUS;
use crate::file::Target;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "autonomy/state",
    summary: "a skill that switches autonomous work on or off",
    docs: "\
A state of autonomous work (`.claude/autonomous-state.json`, or an older name of it) counts only where `plimsoll autonomy` has written it, or
an agent for whom the user's own settings say `\"profile\": \"autonomous\"`: then a skill that writes the file, with an edit or a
command, switches autonomous work on, and this check remembers the text. A file that a clone brought along counts for nothing, and so
does one that was changed by another road.
",
    cases: include_str!("state.toml"),
    on: &[On::edits(EventName::PostToolUse), On::shell(EventName::PostToolUse)],
    role: Role::Grant,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if cx.facts.personal_profile() != Profile::Autonomous || !names_a_state(event) {
        return;
    }
    for edit in crate::shell::edits(event, cx).iter() {
        let Some(target) = Target::of(edit, cx).filter(|target| target.edit.change != Change::Removed) else {
            continue;
        };
        let file = &target.real;
        let is_state =
            file.file_name().is_some_and(|name| AUTONOMY_STATES.iter().any(|state| name == *state));
        let inside = file.parent().and_then(|dir| dir.file_name()).is_some_and(|dir| dir == ".claude");
        let effect = Effect::Adopt(file.clone());
        if is_state && inside && !out.effects.contains(&effect) {
            out.effects.push(effect);
        }
    }
}

/// Most calls do not, and then nothing is looked up.
fn names_a_state(event: &Event) -> bool {
    let named = |text: &str| text.contains("-state.json");
    match (event.edit(), event.command()) {
        (Some(edit), _) => edit.path.to_str().is_some_and(named),
        (_, Some(command)) => named(command),
        _ => false,
    }
}
