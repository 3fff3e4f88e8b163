//! Sending and reading secrets after hidden instructions were found: `shell/warned`.

use model::deed::{Deed, Object, Verb};
use model::{Event, EventName, Findings, Meta, On};

use crate::result::WARNED;
use crate::{Check, Context};

static META: Meta = super::guard_on(
    ON,
    "shell/warned",
    "sending or reading secrets after hidden instructions were found in the session",
    "\
Once a result had instructions hidden in it (`result/hidden`), the agent may be following them. What sends something away, opens an address or
reads a secret and would pass without a word is a question from then on, until you say `plimsoll clear-warning`. Everything else goes on
as ever.
",
    include_str!("warned.toml"),
);

static ON: &[On] =
    &[On::shell(EventName::PreToolUse), On::foreign(EventName::PreToolUse), On::reads(EventName::PreToolUse)];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(what) = risk(event, cx) else { return };
    // Only here, so that everything else pays nothing for it.
    let Some(place) = cx.facts.said_text(WARNED).filter(|place| !place.is_empty()) else { return };
    out.ask(
        META.id,
        format!("This would {what}, and hidden instructions were found in this session ({place})."),
        "The agent may be following them.",
    )
    .instead = Some("Once you trust the session again: `plimsoll clear-warning`.".into());
}

/// What of the call could serve somebody who speaks through a file or a page.
fn risk(event: &Event, cx: &Context<'_>) -> Option<String> {
    let home = cx.home();
    let one = |deed: &Deed, is_secret: &dyn Fn(&str) -> bool| match (&deed.verb, &deed.object) {
        (Verb::Sends | Verb::Publishes | Verb::Deploys, object) => Some(format!("send {}", shown(object))),
        (Verb::Fetches, object) => Some(format!("open {}", shown(object))),
        (Verb::Tells | Verb::Reveals, object) => Some(format!("show {}", shown(object))),
        (Verb::Reads | Verb::Uses, Object::Path { text, .. }) => {
            is_secret(text).then(|| format!("read {}", shown(&deed.object)))
        }
        _ => None,
    };
    let cwd = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project()).to_string_lossy();
    let by_tool = |text: &str| shell::is_secret_path(&shell::path::absolute(text, &cwd), home);
    if let Some(found) = cx.deeds(event).iter().find_map(|deed| one(deed, &by_tool)) {
        return Some(found);
    }
    let reading = cx.reading(event)?;
    reading.calls.iter().find_map(|call| {
        let secrets = call.secrets(home);
        call.deeds.iter().find_map(|deed| one(deed, &|text| secrets.names(text)))
    })
}

fn shown(object: &Object) -> String {
    let text: String = shell::text::show(object.text()).chars().take(80).collect();
    if text.is_empty() { "something".into() } else { text }
}
