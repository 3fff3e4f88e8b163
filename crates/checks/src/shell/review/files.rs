//! Programs that write: safe where they write inside the project or to a scratchpad.

use model::deed::Verb;
use shell::Call;

use super::Opinion;
use crate::Context;
use crate::arrivals::{Arrivals, Carrier, Rest};
use crate::shell::place::{Place, place};
use crate::shell::words::{has_flag, operands};

/// Whether something may be written there without a question. `only_scratch`: a redirection may write nothing of the project.
pub(super) fn may_write(path: &str, call: &Call, cx: &Context<'_>, only_scratch: bool) -> bool {
    if matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || path.starts_with("/dev/fd/")
    {
        // A process substitution runs something; that is judged by itself.
        return !path.starts_with("/dev/fd/6");
    }
    let absolute = shell::path::absolute(path, &call.cwd);
    let plain = absolute.strip_prefix("/private").unwrap_or(&absolute);
    if plain.starts_with("/tmp/claude-") {
        return true;
    }
    !only_scratch && shell::text::is_known(path) && is_inside(&absolute, cx)
}

/// Whether all that comes in a file is known, and lands where it may be written. Other commits are not looked through for that.
pub(super) fn may_arrive(arrivals: &Arrivals, call: &Call, cx: &Context<'_>) -> bool {
    arrivals.carrier == Carrier::Commit
        || arrivals.rest == Rest::Nothing
            && arrivals.files.iter().all(|file| may_write(&file.path, call, cx, false))
}

/// In the project, and not in what steers the agent, git or the shell.
fn is_inside(path: &str, cx: &Context<'_>) -> bool {
    let project = cx.facts.project().to_string_lossy();
    shell::path::is_below(path, &project)
        && !path.contains("/.git/")
        && !path.ends_with("/.git")
        && !path.contains("/.claude/")
        && !path.ends_with("/.envrc")
}

pub(super) fn judge(call: &Call, cx: &Context<'_>) -> Option<Opinion> {
    let args = call.args();
    let inside = |paths: Vec<&shell::Arg>| paths.iter().all(|arg| may_write(&arg.text, call, cx, false));
    Some(match call.program() {
        "mkdir" | "touch" => Opinion::safe_if(
            inside(operands(args, &["-m", "-d", "-r", "-t"])),
            "it writes outside the project",
        ),
        "mktemp" => Opinion::Safe,
        "cp" | "ln" | "mv" => {
            let mut paths = operands(args, &["-S", "-t", "--suffix"]);
            let target = paths.pop();
            let from_here =
                call.program() != "mv" || paths.iter().all(|arg| may_write(&arg.text, call, cx, false));
            let safe = target.is_some_and(|arg| may_write(&arg.text, call, cx, false))
                && !call.deeds.iter().any(|deed| deed.verb == Verb::Deletes)
                && from_here
                && !args.iter().any(|a| a.text == "-t");
            Opinion::safe_if(safe, "it writes outside the project")
        }
        "tee" => {
            let paths = operands(args, &[]);
            Opinion::safe_if(
                paths.iter().all(|arg| may_write(&arg.text, call, cx, true)),
                "tee writes to a file",
            )
        }
        "chmod" => {
            let words = operands(args, &["--reference"]);
            let mode = words.first().map_or("", |arg| arg.text.as_str());
            // Four digits: the first lets it run with its owner's rights.
            let special =
                mode.len() == 4 && mode.bytes().all(|b| b.is_ascii_digit()) && !mode.starts_with('0');
            let open = special
                || crate::shell::open_permissions::closes(mode)
                || args.iter().any(|arg| {
                    arg.text.starts_with('-') && crate::shell::open_permissions::closes(&arg.text)
                })
                || mode.contains("777")
                || mode.contains("666")
                || mode.contains("o+w")
                || mode.contains("a+w")
                || mode.contains("+s")
                || mode.contains("a+rwx");
            let here = words.iter().skip(1).all(|arg| {
                may_write(&arg.text, call, cx, false) && place(arg, call, cx.facts) == Place::Ordinary
            });
            Opinion::safe_if(
                !open && here && words.len() > 1,
                "it changes permissions beyond a file of the project",
            )
        }
        "tar" | "gzip" | "gunzip" | "zip" | "unzip" | "bzip2" | "xz" | "zstd" => {
            let runs = args.iter().any(|a| {
                a.text.starts_with("--checkpoint-action")
                    || a.text.starts_with("--to-command")
                    || a.text.starts_with("--use-compress-program")
                    || a.text == "-TT"
                    || a.text.starts_with("-I")
                    || a.text == "--absolute-names"
                    || a.text == "-P"
                    || call.program() == "tar"
                        && a.text.contains('P')
                        && a.text.trim_start_matches('-').bytes().all(|b| b.is_ascii_alphabetic())
                        && (a.text.starts_with('-') || a.text == args[0].text)
            });
            let away = crate::shell::words::value(call, &["-C", "--directory", "-d"])
                .is_some_and(|dir| !may_write(dir, call, cx, false));
            let gone = call.deeds.iter().filter(|deed| deed.verb == Verb::Deletes).any(|deed| {
                let what = shell::Arg::new(deed.object.text());
                !matches!(call.program(), "gzip" | "bzip2" | "xz")
                    || call.chose("recursive")
                    || place(&what, call, cx.facts) != Place::Ordinary
            });
            if gone {
                return Some(Opinion::risky("it deletes what it packs"));
            }
            Opinion::safe_if(!runs && !away, "it unpacks outside the project, or runs a program")
        }
        "rm" | "rmdir" | "unlink" | "shred" => Opinion::risky("it deletes files"),
        "dd" | "mkfs" | "mount" | "umount" => Opinion::risky("it works on devices"),
        "kill" | "killall" | "pkill" => Opinion::risky("it ends processes"),
        "systemctl" | "launchctl" | "service" => {
            let reads = call.texts().any(|t| {
                matches!(t, "status" | "is-active" | "is-enabled" | "list-units" | "show" | "list" | "cat")
            });
            Opinion::safe_if(reads, "it changes services")
        }
        "crontab" => Opinion::safe_if(call.has("-l") && args.len() == 1, "it changes what runs later"),
        "apt" | "apt-get" | "yum" | "dnf" | "pacman" | "apk" | "zypper" => {
            let reads = call.texts().any(|t| matches!(t, "list" | "show" | "search" | "policy" | "info"));
            Opinion::safe_if(reads, "it changes installed packages")
        }
        "chown" | "chgrp" => Opinion::risky("it changes who owns files"),
        "sudo" | "su" | "doas" => Opinion::risky("it runs with the rights of another user"),
        "eval" | "exec" | "source" | "." | "trap" => Opinion::risky("it runs text as a command"),
        "nohup" => Opinion::risky("it goes on after the command"),
        "bash" | "sh" | "zsh" | "dash" | "fish" | "ksh" => shell_program(call),
        "truncate" | "patch" | "install" => Opinion::risky("it changes files"),
        "alias" | "unalias" | "hash" | "enable" | "bind" | "complete" => {
            Opinion::risky("it changes what later words mean")
        }
        _ => return None,
    })
}

/// A script of the project, or a look at the shell itself; never inline code.
fn shell_program(call: &Call) -> Opinion {
    let first = call.args().first().map_or("", |arg| arg.text.as_str());
    // Whatever it is handed.
    if call.wrappers.contains(&"xargs") {
        return Opinion::risky("it runs text as a command");
    }
    if matches!(first, "--version" | "--help" | "-n") {
        return Opinion::Safe;
    }
    if call.texts().any(|t| t.starts_with('-') && !t.starts_with("--") && t.contains('c'))
        || has_flag(call, "is", &["login"])
        || call.args().is_empty()
    {
        return Opinion::risky("it runs text as a command");
    }
    let script = operands(call.args(), &["-o", "-O"]);
    match script.first() {
        Some(script)
            if shell::text::is_known(&script.text)
                && !script.text.starts_with('/')
                && !script.text.starts_with("..") =>
        {
            Opinion::Safe
        }
        _ => Opinion::risky("it runs a script from elsewhere"),
    }
}
