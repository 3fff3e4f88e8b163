//! Commands that could not be read to their end: `shell/unreadable`.

use model::{Event, Findings, Meta, Tool};
use shell::Doubt;

use crate::{Check, Context};

static META: Meta = super::guard_on(
    super::BEFORE_ANY,
    "shell/unreadable",
    "a command that cannot be read completely",
    "\
Asks when a command is too long, nested too deeply or starts too many programs to be followed, or when its syntax breaks off
(an unclosed quote or parenthesis), and when a tool is given more files or commands than are looked at; also when it holds characters that turn
the direction of writing around or that no screen shows. Padding a command must not be a way past the other checks. The answer names the bound.
",
    include_str!("unreadable.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::unreadable(META.id, event, out);
    let Some(reading) = cx.reading(event) else { return };
    if let Some(Tool::Shell(command)) = event.tool_use().map(|use_| &use_.tool)
        && let Some(character) = model::disguise(&command.text)
    {
        let what = format!(
            "This command holds a character that hides what it says (U+{:04X}).",
            u32::from(character)
        );
        out.ask(META.id, what, "What is shown is not what would run.");
    }
    let Some(doubt) = reading.doubts.first() else { return };
    let what = match doubt {
        Doubt::Syntax { what, at } => {
            format!("This command cannot be read completely: {what} at byte {at}.")
        }
        Doubt::Bound(what) => format!("This command cannot be followed completely: {what}."),
    };
    out.ask(META.id, what, "Write it as a simpler command, or let the user decide.");
}
