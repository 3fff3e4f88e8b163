//! A word on the desktop when the agent waits: `session/notify`.

use model::{Body, Effect, Event, EventName, Findings, Levels, Meta, On, Role, Urgency};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "session/notify",
    summary: "a desktop notification when the agent waits for the user",
    docs: "\
Shows a notification when the client waits for a permission or for the next prompt: by `notify-send` on Linux, `terminal-notifier` or `osascript` on
macOS (with the sound `Ping` for permissions and `Glass` when idle), a toast on Windows, and by the terminal itself where it understands such
a sequence. The text is always handed over as an argument, never as a part of a script.
",
    cases: include_str!("notify.toml"),
    on: &[On::event(EventName::Notification)],
    role: Role::Advisory,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Notification(notification) = &event.body else { return };
    let urgency = match notification.kind.as_str() {
        "permission_prompt" => Urgency::Asks,
        "idle_prompt" => Urgency::Waits,
        _ => return,
    };
    let project = cx.facts.project().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let title = plain(&format!("Claude Code: {project}"));
    let default = if urgency == Urgency::Asks { "A permission is needed" } else { "Waiting for you" };
    let text =
        Some(plain(&notification.message)).filter(|text| !text.is_empty()).unwrap_or_else(|| default.into());
    out.signal = Some(format!("\u{1b}]777;notify;{};{}\u{7}", field(&title), field(&text)));
    out.effects.push(Effect::Notify { title, text, urgency });
}

/// One line without control characters, and not endless.
fn plain(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
    clean.trim().to_owned()
}

/// A field of the sequence ends with a semicolon.
fn field(text: &str) -> String {
    text.replace(';', ",")
}
