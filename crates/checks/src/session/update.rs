//! Something newer for the harness: `session/update`.

use model::{Body, Bookkeeping, Effect, Event, EventName, Findings, Levels, Meta, On, Role, Task};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/update",
    summary: "a newer version of the checkout that the hooks come from",
    docs: "\
Where `update.checkout` names a git checkout, or `~/.claude/hooks` is a link into one, the start of a session has its remote asked
once in 24 hours, detached, so that nobody waits. A checkout without changes of its own is fast-forwarded within its major version.
What came of it is said to the user with the next answer and to the agent at the next start of a session in the project
(`.claude/.update-status`); `~/.claude/toolkit-update-state.json` has the history. Where the update changed `settings.json`, the notice says so until
the client has been started anew. `plimsoll update` does the same by hand, over major versions too. `CLAUDE_TOOLKIT_AUTO_UPDATE=false`
or a file `.disable-auto-update` in `~/.claude` or in the checkout switches it off.
",
    cases: include_str!("update.toml"),
    on: &[On::event(EventName::SessionStart)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Session(change) = &event.body else { return };
    let update = cx.facts.update();
    if let Some(reason) = update.restart {
        // A client that starts has read its settings; one that goes on has not.
        if change.cause == "startup" {
            out.effects.push(Effect::Bookkeeping(Bookkeeping::Restarted));
        } else {
            out.notices.push(format!(
                "⚠️ TOOLKIT UPDATED - RESTART REQUIRED ⚠️\nCRITICAL: {reason}.\nHooks are captured at session startup and require \
                 restart to reload.\nACTION REQUIRED: Exit this session and start a new one."
            ));
        }
    }
    if update.due && matches!(change.cause.as_str(), "startup" | "") {
        out.effects.push(Effect::Start(Task { name: "update", args: Vec::new() }));
    }
}
