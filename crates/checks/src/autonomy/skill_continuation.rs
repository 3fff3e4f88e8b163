//! An agent that comes back from a skill goes on with what it was doing: `autonomy/skill-continuation`.

use model::{Event, EventName, Findings, Meta, On, Role};

use super::AUTONOMOUS;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "autonomy/skill-continuation",
    summary: "a skill that ends inside autonomous work",
    docs: "\
An agent that hands a part of its work to a skill comes back without knowing that it is still in a loop of its own. After each use
of the `Skill` tool while autonomous work is active, it is told to go on.
",
    cases: include_str!("skill_continuation.toml"),
    on: &[On::event(EventName::PostToolUse)],
    role: Role::Advisory,
    levels: AUTONOMOUS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if event.tool_use().is_none_or(|use_| use_.name != "Skill") {
        return;
    }
    let Some(autonomy) = cx.facts.autonomy() else { return };
    let mode = match autonomy.mode.as_str() {
        "" => String::new(),
        // The older name of the same loop.
        "appfix" => "REPAIR ".into(),
        mode => format!("{} ", mode.to_uppercase()),
    };
    out.context.push(format!(
        "You are in autonomous {mode}mode. The skill completed. Continue your current task. If a sub-problem needs a \
         different approach, adapt inline — you may use techniques from any skill without switching modes."
    ));
}
