//! The machine itself: `shell/halt`.

use model::deed::{Deed, Object, Place, Verb};
use model::{Event, Findings, Meta};

use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/halt",
    "a command that stops the machine or everything on it",
    "\
Refuses `shutdown`, `reboot`, `halt`, `poweroff`, `init 0`, their `systemctl` and `loginctl` forms, magic SysRq, killing every
process or every one of a user, and cutting the machine off the network. Reading about it (`last reboot`, `systemctl status`) passes.
",
    include_str!("halt.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for call in &reading.calls {
        if call.deeds.iter().any(halts) {
            let what = format!("`{}` stops the machine or everything on it.", call.line());
            out.deny(META.id, what, "All work on it would be lost.").instead =
                Some("Restart only the service that you mean.".into());
            return;
        }
    }
}

pub(super) fn halts(deed: &Deed) -> bool {
    let writes = matches!(deed.verb, Verb::Writes | Verb::Appends | Verb::Edits);
    // Files of the kernel that put the machine to sleep, or worse.
    let power = |path: &str| matches!(path, "/proc/sysrq-trigger" | "/sys/power/state" | "/sys/power/disk");
    deed.place != Place::Container
        && match &deed.object {
            Object::Path { text, .. } => writes && power(text),
            _ => deed.verb == Verb::Halts,
        }
}
