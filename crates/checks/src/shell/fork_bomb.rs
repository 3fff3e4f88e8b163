//! Programs that start themselves without end: `shell/fork-bomb`.

use model::{Event, Findings, Meta};

use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/fork-bomb",
    "a command that starts itself endlessly",
    "\
Refuses a function that calls itself in a pipeline or in the background, under any name, and loops of `fork` in inline Perl,
Python or Ruby. The machine would stop answering before anybody could stop it.
",
    include_str!("fork_bomb.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    if cx.reading(event).is_some_and(|reading| reading.fork_bomb) {
        out.deny(
            META.id,
            "This starts itself again and again (a fork bomb).".into(),
            "The machine would stop answering.",
        )
        .instead = Some("Use a loop with an end.".into());
    }
}
