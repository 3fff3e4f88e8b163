//! The machine itself: `shell/halt`.

use model::{Event, Findings, Meta};
use shell::Call;

use super::words::{only_looks, subcommands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/halt",
    "a command that stops the machine or everything on it",
    "\
Refuses `shutdown`, `reboot`, `halt`, `poweroff`, `init 0`, their `systemctl` and `loginctl` forms, magic SysRq, and killing every
process. Reading about it (`last reboot`, `systemctl status`) passes.
",
    include_str!("halt.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            if halts(call) {
                let what = format!("`{}` stops the machine or everything on it.", call.line());
                out.deny(META.id, what, "All work on it would be lost.").instead =
                    Some("Restart only the service that you mean.".into());
                return;
            }
        }
    }
}

/// Services without which nobody reaches the machine any more.
const LIFELINES: &[&str] = &[
    "ssh",
    "sshd",
    "networking",
    "network",
    "NetworkManager",
    "systemd-networkd",
    "systemd-logind",
    "dbus",
    "firewalld",
];

pub(super) fn halts(call: &Call) -> bool {
    if only_looks(call) {
        return false;
    }
    let has = |words: &[&str]| {
        subcommands(call, &["-t", "--type", "-p", "-n", "-H", "-M", "--signal", "-s"])
            .iter()
            .any(|t| words.contains(t))
    };
    let sysrq = call.redirects.iter().any(|r| r.target.text == "/proc/sysrq-trigger")
        || (call.program() == "tee" && call.has("/proc/sysrq-trigger"));
    if sysrq {
        return true;
    }
    match call.program() {
        "shutdown" => !call.has("-c"),
        "reboot" | "halt" | "poweroff" => true,
        "init" | "telinit" => has(&["0", "6", "1", "S", "s"]),
        "systemctl" => {
            has(&[
                "poweroff",
                "reboot",
                "halt",
                "kexec",
                "soft-reboot",
                "suspend",
                "hibernate",
                "hybrid-sleep",
                "emergency",
                "rescue",
                "default",
                "exit",
            ]) || (has(&["isolate"]) || has(&["start"]))
                && call.texts().any(|t| {
                    matches!(
                        t,
                        "rescue.target"
                            | "emergency.target"
                            | "poweroff.target"
                            | "reboot.target"
                            | "halt.target"
                            | "multi-user.target"
                            | "shutdown.target"
                    ) && (t != "multi-user.target" || has(&["isolate"]))
                })
                || has(&["stop", "kill"])
                    && call.texts().any(|t| LIFELINES.contains(&t.trim_end_matches(".service")))
        }
        "service" => has(&["stop"]) && call.texts().any(|t| LIFELINES.contains(&t)),
        "nmcli" => has(&["networking"]) && has(&["off"]),
        "ifdown" => true,
        "ip" => has(&["link"]) && has(&["down"]) && !call.has("lo"),
        "iptables" | "ip6tables" => call.has("-F") || call.has("--flush"),
        "nft" => has(&["flush"]) && has(&["ruleset"]),
        "ufw" => has(&["disable"]) || has(&["reset"]),
        "setenforce" => call.has("0"),
        "loginctl" => {
            has(&["poweroff", "reboot", "halt", "suspend", "terminate-user", "kill-user", "terminate-seat"])
        }
        "kill" => {
            // Everybody who may be signalled. Process 1 by itself ignores most signals and is left to the person.
            kills_all(&call.texts().collect::<Vec<_>>())
        }
        "killall5" => true,
        "pkill" | "killall" => {
            call.texts().any(|t| matches!(t, "-u" | "--uid" | "--euid")) && call.has("root")
                || call.texts().any(|t| matches!(t, "systemd" | "init" | "launchd" | "sshd" | "." | ".*"))
        }
        "kexec" => call.has("-e"),
        "rtcwake" => super::words::value(call, &["-m", "--mode"])
            .is_some_and(|mode| matches!(mode, "off" | "mem" | "disk" | "standby")),
        "dbus-send" | "busctl" | "gdbus" => {
            let said = |words: &[&str]| call.texts().any(|t| words.iter().any(|word| t.contains(word)));
            said(&["login1", "ConsoleKit", "systemd1"])
                && said(&["PowerOff", "Reboot", "Halt", "Suspend", "Hibernate", "KExec"])
        }
        "Stop-Computer" | "Restart-Computer" => true,
        "xe" | "virsh" => has(&["destroy", "shutdown", "reset", "undefine"]),
        "sysctl" => call.texts().any(|t| t.starts_with("kernel.panic") || t.starts_with("kernel.sysrq")),
        "osascript" => call
            .texts()
            .any(|t| t.contains("shut down") || t.contains("restart") && t.contains("System Events")),
        _ => false,
    }
}

/// `kill -9 -1`, `kill -- -1`, `kill -s KILL -1`: the last word is "everybody", not a signal number.
fn kills_all(words: &[&str]) -> bool {
    words.len() >= 2 && words.last() == Some(&"-1")
}
