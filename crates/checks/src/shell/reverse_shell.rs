//! A shell for somebody else: `shell/reverse-shell`.

use model::deed::{Object, Verb};
use model::{Event, Findings, Meta};
use shell::text::{NET, show};
use shell::{Call, Reading};

use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/reverse-shell",
    "a shell that is handed to the network",
    "\
Refuses shells whose input and output go to the network: `bash -i >& /dev/tcp/…`, `nc -e`, `socat exec:`, a fifo between `nc` and a
shell, sockets joined to a shell in Python, Perl, PHP, Ruby or Node, terminals as web pages, and tunnels that lead to this machine's
own login. Any other way from outside to this machine (`ssh -R`) is a question to the user. `ssh -L`, a local server shown
by `ngrok http`, and `nc -z` to see whether a port is open pass. Programs that earn money with the machine's processor are a question.
",
    include_str!("reverse_shell.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    let joined = reading.unseen.iter().any(|unseen| unseen.by == "reverse shell");
    if joined || reading.calls.iter().any(|call| admits(call, "a shell") || is_told(call)) || by_fifo(reading)
    {
        out.deny(
            META.id,
            "This gives a shell on this machine to the network.".into(),
            "Whoever is there could do anything.",
        )
        .instead = Some("Use ssh with keys that the user has set up.".into());
        return;
    }
    if let Some(call) = reading.calls.iter().find(|call| admits(call, "this machine")) {
        out.ask(
            META.id,
            format!("`{}` opens a way from outside to this machine.", show(&call.line())),
            "Whoever knows the address could use it.",
        )
        .instead = Some("Reach out instead of letting in: `ssh -L 8080:localhost:80 <host>`.".into());
    }
    let mines = |call: &&Call| {
        !call.only_looks()
            && (admits(call, "the processor")
                || call.texts().any(|text| text.starts_with("stratum+") || is_miner(text)))
    };
    if let Some(call) = reading.calls.iter().find(mines) {
        let what =
            format!("`{}` mines cryptocurrency on this machine for somebody else.", show(&call.line()));
        out.ask(META.id, what, "It takes the whole processor, and others pay for it.");
    }
}

/// An image that is called after a program that earns money with a processor: `someone/name:tag`.
fn is_miner(image: &str) -> bool {
    let Some((_, last)) = image.rsplit_once('/') else { return false };
    let name = last.split(':').next().unwrap_or(last);
    let admits = Some((Verb::Admits, "the processor"));
    shell::programs::find(name).is_some_and(|program| program.rules.iter().any(|rule| rule.does == admits))
}

/// Whether others can use this through the call.
fn admits(call: &Call, what: &str) -> bool {
    let is = |object: &Object| matches!(object, Object::Thing(thing) if thing == what);
    call.does(Verb::Admits) && call.deeds.iter().any(|deed| deed.verb == Verb::Admits && is(&deed.object))
}

fn is_shell(call: &Call) -> bool {
    call.words().entry.is_some_and(|entry| entry.style.plus)
}

/// A shell that somebody on the network talks to.
fn is_told(call: &Call) -> bool {
    is_shell(call) && call.chose("i") && call.stdin.as_deref().is_some_and(|text| text.contains(NET))
}

/// `mkfifo f; cat f | sh -i | nc host port > f`: the pieces are harmless, the ring is not.
fn by_fifo(reading: &Reading) -> bool {
    let any = |fits: &dyn Fn(&Call) -> bool| reading.calls.iter().any(fits);
    let speaks = |call: &Call| {
        let network = call.words().program.is_some_and(|program| program.style.network);
        network && call.stdin.is_some()
    };
    any(&|call| call.does(Verb::Keeps) && call.concerns("a pipe")) && any(&speaks) && any(&is_shell)
}
