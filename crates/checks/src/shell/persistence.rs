//! What stays after the session: `shell/persistence`.

use model::{Event, Facts, Findings, Meta};
use shell::Call;

use super::words::{has_flag, only_looks, program, subcommands, value};
use super::written::written;
use crate::lasting::{Lasting, runs_temporary};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/persistence",
    "a command that makes something run again later",
    "\
Start-up files of shells and tools, cron tables, services, login items, hooks of git, authorized keys, modules of the kernel, the
places that packages come from, and programs in the folders of `PATH` outlive the session. A write to them that fetches or
decodes code or points to a temporary place, an emptied cron table, and another program in the place of `sudo` or `ssh` are
refused; any other write to them is a question to the person, and so is a setting of git that runs a command. Reading them passes.
",
    include_str!("persistence.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            let Some((what, foul)) = stays(call, cx.facts) else { continue };
            let why = "It would still run when this session is over.";
            let instead = "Tell the person what to add, and where.";
            if foul {
                out.deny(META.id, what, why).instead = Some(instead.into());
                return;
            }
            out.ask(META.id, what, why).instead = Some(instead.into());
        }
    }
}

fn stays(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let program = program(call);
    if only_looks(call) {
        return None;
    }
    for path in written(call) {
        let content: String = call.texts().chain(call.stdin.as_deref()).collect::<Vec<_>>().join(" ");
        let fetched =
            content.contains([shell::text::NET, shell::text::DECODED]) || matches!(program, "curl" | "wget");
        let absolute = shell::path::absolute(&path, &call.cwd);
        // A part of a settings file that stands in the command has the name of its section.
        let seen = content.contains('[') && !matches!(program, "mv" | "install" | "rsync" | "curl" | "wget");
        let file = Lasting { path: &absolute, content: &content, fetched, copied: program == "cp", seen };
        if let Some(found) = file.judge(&shell::text::show(&path), facts) {
            return Some(found);
        }
    }
    let words = subcommands(call, &[]);
    match program {
        "crontab" => {
            if call.has("-l") {
                return None;
            }
            Some((
                if call.has("-r") {
                    "This would remove every cron job.".into()
                } else {
                    "This would replace the cron table.".into()
                },
                true,
            ))
        }
        "systemctl" => {
            let enables = words.iter().any(|w| matches!(*w, "enable" | "link" | "reenable"));
            let path = call.texts().any(|t| t.starts_with('/') || t.starts_with("./") || t.starts_with('~'));
            let masks = words.iter().any(|w| matches!(*w, "mask" | "disable" | "edit" | "set-default"));
            (enables || masks).then(|| {
                (format!("`{}` changes what starts with the machine.", call.line()), enables && path)
            })
        }
        "git" => {
            let hooks = call.has("config")
                && words.iter().any(|w| w.eq_ignore_ascii_case("core.hookspath"))
                && !call.has("--unset")
                && !call.has("--get");
            // Settings that git runs: with a program from a place that anybody can write, or one that fetches.
            let runs = call.has("config")
                && !call.has("--unset")
                && !call.has("--get")
                && call.texts().any(|t| {
                    let key = t.to_ascii_lowercase();
                    matches!(
                        key.as_str(),
                        "core.fsmonitor"
                            | "core.sshcommand"
                            | "core.editor"
                            | "core.pager"
                            | "core.askpass"
                            | "credential.helper"
                            | "diff.external"
                            | "sequence.editor"
                            | "gpg.program"
                    ) || key.starts_with("filter.")
                })
                && call.texts().any(|t| {
                    t.contains("/tmp/")
                        || t.contains("curl ")
                        || t.contains("wget ")
                        || t.contains("/dev/tcp/")
                });
            if runs {
                return Some(("This would make git run a foreign program.".into(), true));
            }
            if let Some(found) = git_setting(call, facts) {
                return Some(found);
            }
            let everywhere =
                call.has("--global") || call.has("--system") || words.iter().any(|w| w.starts_with("/tmp/"));
            (hooks && everywhere).then(|| ("This would give every repository other hooks.".into(), true))
        }
        "systemd-run" => call
            .texts()
            .any(|t| t.starts_with("--on-"))
            .then(|| ("This would run something again later.".into(), true)),
        "launchctl" => words
            .iter()
            .any(|w| matches!(*w, "load" | "bootstrap" | "submit" | "enable"))
            .then(|| ("This would start something at every login.".into(), true)),
        "schtasks" | "sc" => words
            .iter()
            .any(|w| w.eq_ignore_ascii_case("/create") || w.eq_ignore_ascii_case("create"))
            .then(|| ("This would make a scheduled task.".into(), true)),
        "Register-ScheduledTask" | "New-Service" => Some(("This would make a scheduled task.".into(), true)),
        "reg" => (words.first().is_some_and(|w| w.eq_ignore_ascii_case("add"))
            && call.texts().any(|t| t.to_ascii_lowercase().contains("\\currentversion\\run")))
        .then(|| ("This would start something at every login.".into(), true)),
        "update-rc.d" | "chkconfig" | "rc-update" => {
            Some(("This changes what starts with the machine.".into(), false))
        }
        "at" | "batch" => {
            // What is waiting, what it will do, and taking it back.
            let asks = has_flag(call, "lcrdV", &[]) || program == "at" && call.args().is_empty();
            let file = value(call, &["-f"]).unwrap_or_default();
            let job = call.stdin.as_deref().unwrap_or_default();
            (!asks).then(|| {
                (
                    "This would run something later.".into(),
                    runs_temporary(file, facts) || runs_temporary(job, facts),
                )
            })
        }
        "osascript" => call
            .texts()
            .any(|t| t.contains("login item") && t.contains("make"))
            .then(|| ("This would start something at every login.".into(), true)),
        // A file of its own, with what it is told, wherever it may write.
        "redis-cli" | "valkey-cli" => (words.first().is_some_and(|w| w.eq_ignore_ascii_case("config"))
            && words.get(1).is_some_and(|w| w.eq_ignore_ascii_case("set"))
            && words.get(2).is_some_and(|w| matches!(w.to_ascii_lowercase().as_str(), "dir" | "dbfilename")))
        .then(|| {
            let place = words.get(3).copied().unwrap_or_default();
            let foul =
                [".ssh", "cron", "/etc", "/root", "authorized_keys"].iter().any(|part| place.contains(part));
            ("This would make the database write its file somewhere else.".into(), foul)
        }),
        "insmod" => Some((
            "This would put code into the kernel.".into(),
            call.texts().any(|t| runs_temporary(t, facts)),
        )),
        "sysctl" => call
            .texts()
            .any(|t| t.replace(' ', "").contains("core_pattern=|") || t.starts_with("kernel.modprobe="))
            .then(|| ("This would make the kernel run a program.".into(), true)),
        // To one's own account it is how one begins.
        "ssh-copy-id" => words
            .last()
            .is_some_and(|host| host.starts_with("root@"))
            .then(|| ("This would let a key in as root on another machine.".into(), false)),
        "loginctl" => words
            .contains(&"enable-linger")
            .then(|| ("This would go on after everybody has logged out.".into(), false)),
        "pm2" => (words.first() == Some(&"startup"))
            .then(|| ("This changes what starts with the machine.".into(), false)),
        "update-alternatives" | "alternatives" => (call.has("--install") || call.has("--set"))
            .then(|| call.texts().any(|t| runs_temporary(t, facts)))
            .filter(|foul| *foul)
            .map(|foul| ("This would put another program in the place of one of the system.".into(), foul)),
        _ => sources(call, &words, facts),
    }
}

/// Where packages come from, and what runs their scripts.
fn sources(call: &Call, words: &[&str], facts: &dyn Facts) -> Option<(String, bool)> {
    // The ones that everybody has.
    let usual = |text: &str| {
        let host = text.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        ["golang.org", "npmjs.org", "pypi.org", "yarnpkg.com"].iter().any(|domain| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    };
    let key = |names: &[&str]| {
        words.iter().any(|w| names.iter().any(|name| w.split('=').next().is_some_and(|w| w.ends_with(name))))
    };
    let sets = match (call.program(), words.first().copied().unwrap_or_default()) {
        ("npm" | "pnpm" | "yarn" | "bun", "config" | "set") => {
            words.contains(&"set")
                && key(&[
                    "registry",
                    "script-shell",
                    "npmRegistryServer",
                    "node-options",
                    "git",
                    "proxy",
                    "https-proxy",
                    "strict-ssl",
                ])
        }
        ("pip" | "pip3", "config") => {
            words.contains(&"set")
                && key(&["index-url", "extra-index-url", "trusted-host", "find-links", "proxy", "cert"])
        }
        ("poetry", "config") => words.iter().any(|w| w.starts_with("repositories.")),
        ("go", "env") => {
            call.has("-w")
                && key(&[
                    "GOPROXY",
                    "GOFLAGS",
                    "GONOSUMDB",
                    "GONOSUMCHECK",
                    "GOSUMDB",
                    "CC",
                    "CXX",
                    "GOTOOLCHAIN",
                ])
        }
        ("gem", "sources") => call.texts().any(|t| matches!(t, "-a" | "--add")),
        ("bundle", "config") => words.iter().any(|w| w.starts_with("mirror.")),
        ("composer", "config") => words.iter().any(|w| w.starts_with("repositories.")),
        _ => false,
    };
    (sets && !call.texts().any(|t| usual(t) || t.split_once('=').is_some_and(|(_, value)| usual(value))))
        .then(|| {
            (
                format!("`{}` changes where code comes from, for good.", call.line()),
                call.texts().any(|t| runs_temporary(t, facts)),
            )
        })
}

/// Settings of git that hold for every repository, or that send its traffic elsewhere.
fn git_setting(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let git = super::words::git(call).filter(|git| git.verb == "config")?;
    let words = git.operands(&["-f", "--file"]);
    let reads =
        ["--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--list", "-l", "--remove-section"]
            .iter()
            .any(|word| git.has(word))
            || words.first().is_some_and(|arg| matches!(arg.text.as_str(), "get" | "list" | "unset"));
    let at = words.iter().position(|arg| arg.text.contains('.'))?;
    let value = words.get(at + 1).map(|arg| arg.text.as_str()).filter(|_| !reads)?;
    let everywhere = git.has("--global") || git.has("--system");
    let key = words[at].text.to_ascii_lowercase();
    let steers = key.starts_with("url.") && key.ends_with("insteadof")
        || matches!(key.as_str(), "init.templatedir" | "include.path" | "http.proxy" | "https.proxy")
        || key.starts_with("includeif.")
        || key == "http.sslverify" && value == "false";
    if steers && everywhere {
        return Some((format!("This would set {key} for every repository."), runs_temporary(value, facts)));
    }
    crate::git_config::runs_something(&key, value)
        .then(|| (format!("This would make git run something ({key})."), runs_temporary(value, facts)))
}
