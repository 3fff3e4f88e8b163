//! The agent's way out of its own hooks: `shell/self-protection`.

use model::{Event, Findings, Meta, is_own_name};
use shell::Call;

use super::words::{only_looks, program, subcommands, value};
use super::written::written;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/self-protection",
    "a command that speaks for the person, or starts an agent without its hooks",
    "\
The verbs by which a person overrules Plimsoll (`approve`, `trust`, `init`, `uninstall`, …) or lets it throw something away
(`memory forget`, `worktree --force`) are a question to that person when an agent runs them, in any wrapper. Starting another agent without hooks (`claude --bare`, `disableAllHooks`, `--permission-mode
bypassPermissions`, another `HOME` or `CLAUDE_CONFIG_DIR`, `--dangerously-skip-permissions`), killing, overwriting or removing
Plimsoll, and stopping or erasing the machine's own records are refused. Agents of others that are told to ask nobody, plugins that
are switched off, and git's hooks that are taken away are a question to the person.
",
    include_str!("self_protection.toml"),
);

/// Verbs that are the person's alone. What `init` writes is trusted, because a person has answered it.
const PERSONAL: &[&str] = &["approve", "trust", "init", "uninstall", "update", "proof", "autonomy"];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in &reading.calls {
            if let Some(verb) = personal(call) {
                out.ask(
                    META.id,
                    format!("`plimsoll {verb}` is the person's word."),
                    "They decide whether it is said.",
                );
            } else if let Some(what) = evades(call).or_else(|| forgets(call)) {
                out.deny(META.id, what, "Work within the hooks that the person has set.").instead =
                    Some("Say what you need it for, and let the person do it.".into());
                return;
            } else if let Some(what) = loosens(call) {
                out.ask(META.id, what, "Nobody would be asked any more.");
            }
        }
    }
}

fn personal(call: &Call) -> Option<&'static str> {
    let words = subcommands(call, &[]);
    let at = match call.program() {
        program if is_own_name(program) => 0,
        // The old address of the same verb.
        "approve_configs.sh" | "approve_configs" => return Some("approve"),
        "cargo" if words.first() == Some(&"run") => words.iter().position(|w| PERSONAL.contains(w))?,
        _ => return None,
    };
    let verb = *words.get(at)?;
    if call.has("--help") {
        return None;
    }
    match (verb, words.get(at + 1).copied().unwrap_or_default()) {
        // Reading what is recorded changes nothing.
        ("trust", "show") | ("proof" | "autonomy", "status") => None,
        ("compat", name) if name.starts_with("approve_configs") => Some("approve"),
        ("memory", "forget") => Some("memory forget"),
        ("worktree", _) if call.has("--force") => Some("worktree --force"),
        _ => PERSONAL.iter().find(|known| **known == verb).copied(),
    }
}

fn evades(call: &Call) -> Option<String> {
    match program(call) {
        "claude" | "claude-code" | "codex" | "gemini" | "opencode" => {
            // Another home has other settings: none.
            let moved = program(call).starts_with("claude")
                && (call.var("CLAUDE_CONFIG_DIR").is_some() || call.var("HOME").is_some())
                && !only_looks(call);
            let words = subcommands(call, &[]);
            let set = words.first() == Some(&"config")
                && words.iter().any(|w| matches!(*w, "set" | "remove" | "add"))
                && words.iter().any(|w| w.starts_with("hooks") || *w == "disableAllHooks");
            let plugin = matches!(words.first(), Some(&("plugin" | "plugins")))
                && words.iter().any(|w| matches!(*w, "disable" | "uninstall" | "remove" | "rm"))
                && words.iter().any(|w| w.contains("plimsoll"));
            let bypass = ["--permission-mode", "--approval-mode", "--sandbox", "-s"].iter().any(|option| {
                value(call, &[option])
                    .is_some_and(|mode| matches!(mode, "bypassPermissions" | "yolo" | "danger-full-access"))
            });
            let bare = moved
                || value(call, &["--setting-sources"]) == Some("")
                || set
                || plugin
                || bypass
                || call.texts().any(|t| {
                    matches!(
                        t,
                        "--bare"
                            | "--safe-mode"
                            | "--allow-dangerously-skip-permissions"
                            | "--dangerously-skip-permissions"
                            | "--dangerously-bypass-approvals-and-sandbox"
                            | "--yolo"
                    ) || t.contains("disableAllHooks")
                        || t.contains("approval_policy=never")
                        || t.contains("approval_policy=\"never\"")
                        || t.contains("danger-full-access")
                });
            bare.then(|| "This would start an agent without its hooks.".to_owned())
        }
        "pkill" | "killall" | "kill" => {
            call.texts().any(|t| t.contains("plimsoll")).then(|| "This would stop Plimsoll.".to_owned())
        }
        "rm" | "mv" | "chmod" | "truncate" | "ln" | "cp" | "install" | "unlink" | "shred" | "dd" | "tee"
            if call.texts().any(is_ours) =>
        {
            Some("This would take Plimsoll itself away.".to_owned())
        }
        _ if written(call).iter().any(|path| is_ours(path)) => {
            Some("This would write over Plimsoll itself.".to_owned())
        }
        "cargo" | "npm" | "brew" | "pip" | "pipx" | "apt" | "apt-get" | "uv" | "pnpm" | "yarn" => {
            let words = subcommands(call, &[]);
            let removes = words.iter().any(|w| matches!(*w, "uninstall" | "remove" | "purge" | "rm"));
            (removes && words.contains(&"plimsoll"))
                .then(|| "This would take Plimsoll itself away.".to_owned())
        }
        _ => None,
    }
}

/// The executable, where it is installed.
fn is_ours(path: &str) -> bool {
    is_own_name(shell::path::name(path)) && path.contains("bin/")
}

/// Other agents, and the words by which they ask nobody.
const UNASKED: &[(&str, &[&str])] = &[
    ("aider", &["--yes-always", "--yes"]),
    ("amp", &["--dangerously-allow-all"]),
    ("auggie", &["--allow-all"]),
    ("cline", &["--yolo", "-y"]),
    ("codex", &["--full-auto"]),
    ("copilot", &["--allow-all-tools", "--allow-all-paths", "--yolo"]),
    ("crush", &["--yolo", "-y"]),
    ("cursor-agent", &["-f", "--force", "--yolo"]),
    ("droid", &["--skip-permissions-unsafe"]),
    ("gemini", &["-y"]),
    ("kilocode", &["--auto"]),
    ("q", &["--trust-all-tools", "-a"]),
    ("qwen", &["--yolo", "-y"]),
];

/// What takes questions away from the person, and may be wanted.
fn loosens(call: &Call) -> Option<String> {
    if only_looks(call) {
        return None;
    }
    let name = program(call);
    if UNASKED.iter().any(|(agent, words)| name == *agent && call.texts().any(|t| words.contains(&t))) {
        return Some("This would start an agent that asks nobody.".to_owned());
    }
    match name {
        "claude" | "claude-code" => {
            let words = subcommands(call, &[]);
            let plugin = matches!(words.first(), Some(&("plugin" | "plugins")))
                && words.iter().any(|w| matches!(*w, "disable" | "uninstall" | "remove" | "rm"));
            (plugin || call.texts().any(|t| t.starts_with("--setting-sources")))
                .then(|| "This would start or leave an agent without some of its settings.".to_owned())
        }
        "rm" | "unlink" | "trash" | "mv" | "chmod" => {
            let hooks = |t: &str| {
                let path = t.trim_end_matches('/');
                let parts: Vec<&str> = path.split('/').collect();
                match parts.as_slice() {
                    [.., ".husky"] | [.., ".git", "hooks"] => true,
                    // Its own helpers are made again by itself.
                    [.., ".husky", hook] => *hook != "_",
                    [.., ".git", "hooks", hook] => !hook.ends_with(".sample"),
                    [.., file] => matches!(
                        *file,
                        ".pre-commit-config.yaml" | "lefthook.yml" | ".lefthook.yml" | ".huskyrc"
                    ),
                    [] => false,
                }
            };
            // Making a hook executable is how it begins to work.
            let paths = call.texts().filter(|t| !t.starts_with('-'));
            let unlocks =
                name == "chmod" && !call.texts().any(|t| t == "-x" || t == "a-x" || t.starts_with("000"));
            (!unlocks && paths.take(if name == "mv" { 1 } else { usize::MAX }).any(hooks))
                .then(|| "This would take away what git runs before a commit.".to_owned())
        }
        "git" => {
            let git = super::words::git(call).filter(|git| git.verb == "config")?;
            let words = git.operands(&["-f", "--file"]);
            let at = words.iter().position(|arg| arg.text.eq_ignore_ascii_case("core.hookspath"))?;
            words
                .get(at + 1)
                .is_some_and(|arg| matches!(arg.text.as_str(), "" | "/dev/null" | "/" | "/tmp"))
                .then(|| "This would take away what git runs before a commit.".to_owned())
        }
        "husky" | "lefthook" | "pre-commit" => subcommands(call, &[])
            .first()
            .is_some_and(|w| *w == "uninstall")
            .then(|| "This would take away what git runs before a commit.".to_owned()),
        _ => None,
    }
}

/// Services that keep records, or look for harm.
const RECORDERS: &[&str] = &[
    "auditd",
    "rsyslog",
    "syslog",
    "syslog-ng",
    "systemd-journald",
    "falco",
    "osqueryd",
    "wazuh-agent",
    "falcon-sensor",
    "apparmor",
    "fail2ban",
];

/// Records of what was done on the machine.
fn forgets(call: &Call) -> Option<String> {
    if !matches!(program(call), "systemctl" | "service" | "journalctl" | "wevtutil") || only_looks(call) {
        return None;
    }
    let words = subcommands(call, &[]);
    let erases = match program(call) {
        "systemctl" => {
            words.iter().any(|w| matches!(*w, "stop" | "kill" | "mask" | "disable"))
                && words.iter().any(|w| RECORDERS.contains(&w.trim_end_matches(".service")))
        }
        "service" => words.contains(&"stop") && words.iter().any(|w| RECORDERS.contains(w)),
        // Days are house-keeping, seconds are not.
        "journalctl" => {
            value(call, &["--vacuum-time"]).is_some_and(|age| {
                let unit = age.trim_start_matches(|c: char| c.is_ascii_digit());
                matches!(unit, "" | "s" | "sec" | "ms" | "us" | "seconds" | "m" | "min")
            }) || value(call, &["--vacuum-size", "--vacuum-files"])
                .is_some_and(|size| matches!(size, "0" | "1" | "1B" | "1K"))
        }
        "wevtutil" => matches!(words.first(), Some(&("cl" | "clear-log"))),
        _ => false,
    };
    erases.then(|| "This would stop or erase the machine's own records.".to_owned())
}
