//! Secrets, read aloud or sent away: `shell/secret`.

use model::{Event, EventName, Findings, Meta, On};

use crate::{Check, Context};

mod aloud;
mod code;
mod exposed;
mod path;
mod sent;

use exposed::exposed;
pub(crate) use path::glob_hits;
use sent::sent;

static META: Meta = super::guard_on(
    ON,
    "shell/secret",
    "a command or a tool that reads secrets or sends them away",
    "\
Refuses to print private keys, credentials of cloud and package tools, password databases and process environments, and to send
secrets or system files over the network, through pipes, files, substitutions and variables. Reading a project's `.env` is a
question to the user. Samples (`.env.example`), public keys, and programs that use a secret without showing it (`ssh -i`,
`source .env`, `docker --env-file`) pass.

Every other tool is held to the same: reading a key by `Read`, `Grep` or a server's tool, uploading one, an address with a key in it, and the
addresses where clouds give a machine's credentials away. Addresses of vaults and engines, and a password among words for others, are
questions; data for a place that keeps whatever it is sent is refused. A search that shows what it finds in a whole home is a question.
",
    include_str!("secret.toml"),
);

static ON: &[On] =
    &[On::shell(EventName::PreToolUse), On::foreign(EventName::PreToolUse), On::reads(EventName::PreToolUse)];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::secret(META.id, event, cx, out);
    let Some(reading) = cx.reading(event) else { return };
    if let Some(what) = sent(reading, cx.facts) {
        out.deny(
            META.id,
            format!("This would send {what} over the network."),
            "A secret that has left the machine is no longer secret.",
        )
        .instead = Some("Leave it where it is; ask the user how the other side gets its own.".into());
        return;
    }
    if let Some(what) = sent::doubtful(reading, cx.facts) {
        out.ask(
            META.id,
            format!("This would send {what} to another machine."),
            "It cannot be taken back from there.",
        )
        .instead = Some("Name the one file that is meant.".into());
    }
    if sent::copies_home(reading, cx.facts) {
        let what = "This would copy a whole home, or more, to another machine.".to_owned();
        out.ask(META.id, what, "What signs one in is among it.").instead =
            Some("Name the one folder that is meant.".into());
    }
    if reading.inline.iter().any(|(_, text)| code::prints_settings(text, reading)) {
        out.ask(
            META.id,
            "This would print what an environment file holds.".into(),
            "A secret that others have seen is no longer secret.",
        )
        .instead = Some("Names without values: `cut -d= -f1 .env`.".into());
    }
    if let Some(name) = reading.inline.iter().find_map(|(_, text)| code::prints_variable(text, reading)) {
        out.ask(
            META.id,
            format!("This would print {}, a secret that a variable holds.", shell::text::show(name)),
            "What is printed ends up in the conversation.",
        )
        .instead = Some("Test whether it is set: `test -n \"$NAME\" && echo set`.".into());
    }
    if let Some(to) = exposed::redirected(reading, cx.facts) {
        let what = format!(
            "This would send the repository to {}, which was none of its remotes.",
            shell::text::show(&to)
        );
        out.ask(META.id, what, "Its owner gets everything, including the history.");
    }
    for (at, call) in reading.calls.iter().enumerate() {
        if let Some((what, hard)) = exposed(call, cx.facts) {
            let why = "A secret that others have seen is no longer secret.";
            let instead = "Leave secrets where they are, and name only what is needed.";
            if hard {
                out.deny(META.id, what, why).instead = Some(instead.into());
                return;
            }
            out.ask(META.id, what, why).instead = Some(instead.into());
        }
        let Some(found) = aloud::aloud(reading, at, cx.facts) else { continue };
        let (why, instead) = found.reasons();
        let finding =
            if found.hard { out.deny(META.id, found.what, why) } else { out.ask(META.id, found.what, why) };
        finding.instead = Some(instead.into());
        if found.hard {
            return;
        }
    }
}
