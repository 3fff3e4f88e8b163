//! The machine itself: `shell/halt`.

use model::{Event, Findings, Meta};
use shell::{Call, Direction};

use super::words::{has_flag, only_looks, operands, program, subcommands};
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
    // Files of the kernel that put the machine to sleep, or worse.
    let power = |path: &str| matches!(path, "/proc/sysrq-trigger" | "/sys/power/state" | "/sys/power/disk");
    let writes = |r: &shell::Redirect| {
        matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite)
            && power(&r.target.text)
    };
    if call.redirects.iter().any(writes) || (call.program() == "tee" && call.texts().any(power)) {
        return true;
    }
    let names = |words: &[&str]| call.texts().any(|t| words.contains(&t));
    match program(call) {
        "shutdown" => !call.has("-c") && !call.has("/a"),
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
                || has(&["stop", "kill", "disable", "mask"])
                    && call.texts().any(|t| LIFELINES.contains(&t.trim_end_matches(".service")))
        }
        "service" => has(&["stop"]) && call.texts().any(|t| LIFELINES.contains(&t)),
        "nmcli" => (has(&["networking"]) || has(&["radio"])) && has(&["off"]),
        "networksetup" => has(&["off"]) && names(&["-setairportpower", "-setnetworkserviceenabled"]),
        "rfkill" => has(&["block"]) && has(&["all", "wifi", "wlan"]),
        "ifdown" => true,
        "ifconfig" => has(&["down"]) && !call.has("lo") && !call.has("lo0"),
        "ip" => {
            has(&["link"]) && has(&["down"]) && !call.has("lo")
                || has(&["route", "r"])
                    && has(&["del", "delete", "flush"])
                    && has(&["default", "table", "all"])
                || has(&["addr", "address", "a"]) && has(&["flush"]) && !call.has("lo")
        }
        "route" => has(&["del", "delete", "flush"]) && (has(&["default"]) || has(&["flush"])),
        "iptables" | "ip6tables" => {
            call.has("-F")
                || call.has("--flush")
                || (names(&["-P", "--policy"]) && names(&["INPUT", "OUTPUT"]) && call.has("DROP"))
        }
        "nft" => has(&["flush"]) && has(&["ruleset"]),
        "ufw" => has(&["disable"]) || has(&["reset"]),
        "setenforce" => call.has("0"),
        "loginctl" => has(&[
            "poweroff",
            "reboot",
            "halt",
            "suspend",
            "hibernate",
            "terminate-user",
            "kill-user",
            "terminate-seat",
            "terminate-session",
            "kill-session",
        ]),
        "kill" => {
            // Everybody who may be signalled. Process 1 by itself ignores most signals and is left to the person.
            kills_all(&call.texts().collect::<Vec<_>>())
        }
        "killall5" | "slay" => true,
        "pkill" | "killall" | "skill" => {
            let whose = ["-u", "-U", "--user", "--uid", "--euid"];
            let of_user = call.texts().any(|t| {
                whose.iter().any(|flag| t == *flag || t.starts_with(&format!("{flag}=")))
                    || t.strip_prefix("-u").or(t.strip_prefix("-U")).is_some_and(|name| !name.is_empty())
            });
            // By a user alone it is all that they run; with a name it is what is named.
            let values = ["-u", "-U", "--user", "--uid", "--euid", "-s", "--signal", "-g", "-P", "-t", "-G"];
            of_user && (operands(call.args(), &values).is_empty() || call.has("root"))
                // Every name has nothing in it.
                || program(call) == "pkill" && call.has("")
                || call.texts().any(|t| {
                    matches!(
                        t,
                        "systemd"
                            | "init"
                            | "launchd"
                            | "sshd"
                            | "."
                            | ".*"
                            | "WindowServer"
                            | "loginwindow"
                            | "Xorg"
                            | "gnome-shell"
                            | "plasmashell"
                    )
                })
        }
        "pmset" => has(&["sleepnow", "displaysleepnow", "restoredefaults"]),
        "ipmitool" => has(&["power"]) && has(&["off", "cycle", "reset", "soft"]),
        "wsl" => names(&["--shutdown", "--terminate", "-t", "--unregister"]),
        "logoff" | "tsdiscon" => true,
        // By force, whoever uses it; or what disks and networks are read with.
        "rmmod" => {
            has_flag(call, "f", &["force"])
                || has(&["ext4", "xfs", "btrfs", "nvme", "dm_mod", "e1000e", "virtio_net", "usbhid"])
        }
        "kexec" => call.has("-e"),
        "rtcwake" => super::words::value(call, &["-m", "--mode"])
            .is_some_and(|mode| matches!(mode, "off" | "mem" | "disk" | "standby")),
        "dbus-send" | "busctl" | "gdbus" => {
            let said = |words: &[&str]| call.texts().any(|t| words.iter().any(|word| t.contains(word)));
            said(&["login1", "ConsoleKit", "systemd1"])
                && said(&["PowerOff", "Reboot", "Halt", "Suspend", "Hibernate", "KExec"])
        }
        "Stop-Computer" | "Restart-Computer" | "gnome-session-quit" => true,
        "launchctl" => has(&["reboot", "shutdown"]),
        "xe" | "virsh" => has(&["destroy", "shutdown", "reset", "undefine"]),
        "sysctl" => call.texts().any(|t| t.starts_with("kernel.panic") || t.starts_with("kernel.sysrq")),
        "osascript" => call.texts().any(|t| {
            t.contains("shut down")
                || (t.contains("restart") || t.contains("log out") || t.contains("to sleep"))
                    && (t.contains("System Events") || t.contains("loginwindow") || t.contains("Finder"))
        }),
        _ => false,
    }
}

/// `kill -9 -1`, `kill -- -1`, `kill -s KILL -1`: the last word is "everybody", not a signal number.
fn kills_all(words: &[&str]) -> bool {
    words.len() >= 2 && words.last() == Some(&"-1")
}
