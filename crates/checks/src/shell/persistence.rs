//! What stays after the session: `shell/persistence`.

use model::{Event, Facts, Findings, Meta};
use shell::{Call, Direction};

use super::words::{only_looks, operands, subcommands};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/persistence",
    "a command that makes something run again later",
    "\
Start-up files of shells, cron tables, services, login items and authorized keys outlive the session. A write to them that
fetches or decodes code, an emptied cron table, and a service from a temporary place are refused; any other write to them is a
question to the person. Reading them passes.
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
    let program = call.program();
    if only_looks(call) {
        return None;
    }
    for path in written(call) {
        let absolute = shell::path::absolute(&path, &call.cwd);
        let content: String = call.texts().chain(call.stdin.as_deref()).collect::<Vec<_>>().join(" ");
        let fetched =
            content.contains([shell::text::NET, shell::text::DECODED]) || matches!(program, "curl" | "wget");
        let foul = fetched
            || [
                "curl ",
                "wget ",
                "/dev/tcp/",
                "base64 -d",
                "nc -e",
                "| sh",
                "| bash",
                "|sh",
                "|bash",
                "alias sudo=",
                "alias su=",
                "alias ssh=",
                "sh /tmp/",
                ". /tmp/",
                "source /tmp/",
                "NOPASSWD",
                "LD_PRELOAD",
                ":0:0:",
            ]
            .iter()
            .any(|word| content.contains(word));
        if is_startup(&absolute, facts) {
            let always = STARTED.iter().any(|place| absolute.contains(place))
                || absolute.ends_with("authorized_keys") && !content.is_empty() && program != "cp";
            return Some((format!("This would write to {}.", shell::text::show(&path)), foul || always));
        }
        // A hook of the repository that fetches code, a new root.
        if foul && (absolute.contains("/.git/hooks/") || absolute == "/etc/passwd") {
            return Some((format!("This would write to {}.", shell::text::show(&path)), true));
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
            let masks = words.iter().any(|w| matches!(*w, "mask" | "disable"));
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
        "update-rc.d" | "chkconfig" | "rc-update" => {
            Some(("This changes what starts with the machine.".into(), false))
        }
        _ => None,
    }
}

/// Places where whatever lies there is started by itself.
const STARTED: &[&str] = &[
    "cron",
    "/etc/systemd/",
    "/etc/init.d/",
    "/etc/rc",
    "/etc/ld.so.preload",
    "/etc/profile.d/",
    "/etc/pam.d/",
    "/lib/systemd/",
    "/.config/systemd/",
    "/.config/autostart/",
    "/.local/share/systemd/",
    "/Library/LaunchAgents/",
    "/Library/LaunchDaemons/",
    "/etc/xdg/autostart/",
];

/// Files that a call writes.
pub(super) fn written(call: &Call) -> Vec<String> {
    let mut paths: Vec<String> = call
        .redirects
        .iter()
        .filter(|r| matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite))
        .map(|r| r.target.text.clone())
        .collect();
    let last =
        |values: &[&str]| operands(call.args(), values).into_iter().next_back().map(|a| a.text.clone());
    match call.program() {
        "tee" | "sponge" => paths.extend(operands(call.args(), &[]).into_iter().map(|a| a.text.clone())),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => {
            let target = super::words::value(call, &["-t", "--target-directory"])
                .map(str::to_owned)
                .or_else(|| last(&["-m", "-o", "-g", "-S", "-e"]));
            if let Some(target) = target {
                // Into a directory, under its own name.
                let sources = operands(call.args(), &["-m", "-o", "-g", "-S", "-e", "-t"]);
                if target.ends_with('/') || target == "." || target == ".." {
                    for source in sources.iter().take(sources.len().saturating_sub(1)) {
                        paths.push(format!(
                            "{}/{}",
                            target.trim_end_matches('/'),
                            shell::path::name(&source.text)
                        ));
                    }
                }
                paths.push(target);
            }
        }
        "dd" => paths.extend(call.texts().find_map(|t| t.strip_prefix("of=")).map(str::to_owned)),
        "curl" => paths.extend(super::words::value(call, &["-o", "--output"]).map(str::to_owned)),
        "wget" => paths.extend(super::words::value(call, &["-O", "--output-document"]).map(str::to_owned)),
        "sed" | "gsed" if edits_in_place(call) => {
            let words = operands(call.args(), &["-e", "-f", "--expression", "--file"]);
            let scripted = call.texts().any(|t| {
                matches!(t, "-e" | "-f") || t.starts_with("--expression") || t.starts_with("--file")
            });
            paths.extend(words.into_iter().skip(usize::from(!scripted)).map(|a| a.text.clone()));
        }
        "perl" | "ruby"
            if call.texts().any(|t| {
                t.starts_with('-') && !t.starts_with("--") && t.contains('i') && !t.starts_with("-I")
            }) =>
        {
            paths
                .extend(operands(call.args(), &["-e", "-E", "-I", "-M"]).into_iter().map(|a| a.text.clone()));
        }
        "gawk" | "awk" if call.has("inplace") => paths.extend(
            operands(call.args(), &["-i", "-f", "-v", "-F"]).into_iter().skip(1).map(|a| a.text.clone()),
        ),
        "truncate" | "touch" | "shred" | "ed" | "ex" | "nano" | "vim" | "vi" => {
            paths.extend(
                operands(call.args(), &["-s", "-r", "-c", "-d", "-t", "--size"])
                    .into_iter()
                    .map(|a| a.text.clone()),
            );
        }
        "patch" => {
            paths
                .extend(operands(call.args(), &["-p", "-i", "-d", "-o"]).into_iter().map(|a| a.text.clone()));
        }
        "prettier" | "jq" | "yq" => {}
        _ => {}
    }
    paths
}

fn edits_in_place(call: &Call) -> bool {
    call.texts().any(|t| {
        t.starts_with("--in-place")
            || (t.starts_with('-')
                && !t.starts_with("--")
                && t[1..].chars().take_while(char::is_ascii_alphabetic).any(|c| c == 'i'))
    })
}

fn is_startup(path: &str, facts: &dyn Facts) -> bool {
    let home = facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let own = path
        .strip_prefix(home.as_str())
        .filter(|_| !home.is_empty())
        .map(|rest| rest.trim_start_matches('/'));
    let others = || {
        path.strip_prefix("/home/").or(path.strip_prefix("/Users/"))?.split_once('/').map(|(_, rest)| rest)
    };
    if let Some(rest) = own.or_else(others) {
        let file = matches!(
            rest,
            ".bashrc"
                | ".bash_profile"
                | ".bash_login"
                | ".bash_logout"
                | ".profile"
                | ".zshrc"
                | ".zprofile"
                | ".zshenv"
                | ".zlogin"
                | ".kshrc"
                | ".cshrc"
                | ".tcshrc"
                | ".config/fish/config.fish"
                | ".ssh/authorized_keys"
                | ".ssh/rc"
                | ".ssh/config"
                | ".xinitrc"
                | ".xprofile"
                | ".xsession"
                | ".pam_environment"
                | ".gitconfig"
                | ".inputrc"
                | ".vimrc"
                | ".pythonrc"
        );
        let folder = [
            ".config/systemd/",
            ".config/autostart/",
            "Library/LaunchAgents/",
            ".config/fish/conf.d/",
            ".local/share/systemd/",
        ]
        .iter()
        .any(|dir| rest.starts_with(dir));
        return file || folder;
    }
    [
        "/etc/cron",
        "/etc/systemd/",
        "/etc/init.d/",
        "/etc/rc",
        "/etc/profile",
        "/etc/bash.bashrc",
        "/etc/zsh",
        "/etc/ld.so.preload",
        "/etc/sudoers",
        "/var/spool/cron",
        "/Library/LaunchDaemons/",
        "/Library/LaunchAgents/",
        "/lib/systemd/",
        "/usr/lib/systemd/",
        "/etc/xdg/autostart/",
        "/etc/pam.d/",
        "/etc/ssh/",
        "/etc/hosts",
        "/etc/environment",
        "/root/.ssh/",
        "/root/.bashrc",
        "/root/.profile",
    ]
    .iter()
    .any(|prefix| path.starts_with(prefix))
}
