//! Commands that could not be read to their end: `shell/unreadable`.

use model::{Event, Findings, Meta};
use shell::Doubt;

use crate::{Check, Context};

static META: Meta = super::guard_on(
    super::BEFORE_ANY,
    "shell/unreadable",
    "a command that cannot be read to its end",
    "\
Asks when a command is too long, nested too deeply or starts too many programs to be followed, or when its syntax breaks off
(an unclosed quote or parenthesis), and when a tool is given more files or commands than are looked at. Padding a command must not be a way past the other checks. The answer names the bound.
",
    include_str!("unreadable.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        crate::deeds::unreadable(META.id, event, out);
        let Some(reading) = cx.reading(event) else { return };
        let Some(doubt) = reading.doubts.first() else { return };
        let what = match doubt {
            Doubt::Syntax { what, at } => {
                format!("This command cannot be read to its end: {what} at byte {at}.")
            }
            Doubt::Bound(what) => format!("This command cannot be followed to its end: {what}."),
        };
        out.ask(META.id, what, "Write it as a simpler command, or let the person decide.");
    }
}
