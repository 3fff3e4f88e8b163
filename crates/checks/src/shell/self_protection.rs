//! The agent's way out of its own hooks: `shell/self-protection`.

use std::path::Path;

use model::{Effect, Event, Facts, Findings, Meta, PERSONAL, Personal, is_own_name, personal_verb};
use shell::Call;

use super::made::Made;
use super::words::{only_looks, program, subcommands, value};
use crate::{Check, Context, own};

static META: Meta = super::guard(
    "shell/self-protection",
    "a command that speaks for the person, or starts an agent without its hooks",
    "\
The verbs by which the user overrules Plimsoll (`approve`, `trust`, `init`, `uninstall`, …) or lets it throw something away
(`memory forget`, `worktree --force`) are a question to them when an agent runs them, in any wrapper, by a link or by a copy of the program. A yes is
for exactly that call: the verb itself refuses to run beneath an agent without it. Feeding a hook (`… | plimsoll hook`), installing another
version of Plimsoll, and giving an agent other settings, servers or plugins are a question too. Starting another agent without hooks (`claude --bare`, `disableAllHooks`, `--permission-mode
bypassPermissions`, another `HOME` or `CLAUDE_CONFIG_DIR`, `--dangerously-skip-permissions`), killing or uninstalling
Plimsoll, and stopping or erasing the machine's own records are refused. Agents of others that are told to ask nobody, plugins that
are switched off, and git's hooks that are taken away are a question to the person.
",
    include_str!("self_protection.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        let mut made = Made::default();
        for call in &reading.calls {
            if let Some((verb, asked)) = personal(call, &made, cx.facts) {
                let what = format!("`plimsoll {verb}` is the user's word.");
                out.ask(META.id, what, "They decide whether it is said.");
                // Their yes is for exactly this; where a part of it is not known, there is nothing to agree to.
                out.effects.extend(asked.map(Effect::Permit));
            } else if let Some(what) = evades(call, cx.facts).or_else(|| forgets(call)) {
                out.deny(META.id, what, "Work within the hooks that the user has set.").instead =
                    Some("Say what you need it for, and let the user do it.".into());
                return;
            } else if let Some(what) = loosens(call) {
                out.ask(META.id, what, "Nobody would be asked any more.");
            } else if let Some((what, why)) = unsettles(call, &made, cx.facts) {
                out.ask(META.id, what, why);
            }
            made.note(call);
        }
        if reading.inline.iter().any(|(_, code)| code_changes_us(code)) {
            let what = "This code names Plimsoll's own files, and changes files.".to_owned();
            out.ask(META.id, what, "Without them nothing here is guarded.");
        }
    }
}

/// Code that is not followed word by word: our places beside a call that takes something away or writes it.
fn code_changes_us(code: &str) -> bool {
    let ours = ["bin/plimsoll", "state/plimsoll", "'plimsoll'", "\"plimsoll\"", "managed-settings"];
    let calls = [
        "unlink(",
        "unlinkSync(",
        "remove(",
        "rmtree(",
        "rmSync(",
        "rename(",
        "renameSync(",
        "replace(",
        "truncate(",
        "write_text(",
        "write_bytes(",
        "writeFileSync(",
        "chmod(",
        "symlink",
        "copyfile(",
        "copy(",
        "move(",
        "unlink \"",
        "unlink '",
        "unlink $",
    ];
    ours.iter().any(|place| code.contains(place)) && calls.iter().any(|call| code.contains(call))
}

/// The verb, and the exact call that a yes would be for.
fn personal(call: &Call, made: &Made, facts: &dyn Facts) -> Option<(&'static str, Option<Personal>)> {
    let texts: Vec<&str> = call.texts().collect();
    let words: Vec<&str> = match call.program() {
        // The old address of the same verb.
        "approve_configs.sh" | "approve_configs" => {
            ["compat", "approve_configs"].into_iter().chain(texts).collect()
        }
        "cargo" if texts.first() == Some(&"run") => {
            texts[texts.iter().position(|word| PERSONAL.contains(word) || *word == "compat")?..].to_vec()
        }
        _ if !texts.iter().any(|word| is_ours_to_say(word)) => return None,
        _ if is_us(call, made, facts) => texts,
        _ => return None,
    };
    let verb = personal_verb(&words)?;
    let known = words.iter().all(|word| shell::text::is_known(word)) && shell::text::is_known(&call.cwd);
    let asked = known.then(|| Personal {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        cwd: call.cwd.clone().into(),
    });
    Some((verb, asked))
}

/// A first look that costs nothing: only these words of ours matter.
fn is_ours_to_say(word: &str) -> bool {
    PERSONAL.contains(&word) || matches!(word, "compat" | "hook" | "memory" | "worktree" | "check")
}

/// Whether a call starts this program: by its name, by a link, or by a copy that the command itself has made.
fn is_us(call: &Call, made: &Made, facts: &dyn Facts) -> bool {
    let ours = |path: &str| {
        let path = Path::new(path);
        let real = facts.resolve(path);
        path.file_name().is_some_and(|name| is_own_name(&name.to_string_lossy()))
            || [path, &real].iter().any(|path| own::is_executable(path, facts))
    };
    if is_own_name(call.program()) {
        return true;
    }
    let text = call.argv.first().map_or("", |arg| arg.text.as_str());
    if !text.contains('/') {
        return made.originals_named(text).any(ours);
    }
    let path = shell::path::absolute(text, &call.cwd);
    ours(&path)
        || made.original(&path).is_some_and(|original| ours(&original))
        || own::is_copy(Path::new(&path), facts)
        || own::twin(&facts.resolve(Path::new(&path)), facts)
            .is_some_and(|twin| own::is_executable(&twin, facts))
}

/// What speaks to the guard as only a client does, puts another program in our place, or gives an agent other settings. A user may
/// want it.
fn unsettles(call: &Call, made: &Made, facts: &dyn Facts) -> Option<(String, &'static str)> {
    // Most calls are of other programs, and have none of our words.
    let name = program(call);
    let spoken = || call.texts().any(|text| matches!(text, "hook" | "compat"));
    if !AGENTS.contains(&name) && !INSTALLERS.contains(&name) && !spoken() {
        return None;
    }
    if only_looks(call) {
        return None;
    }
    let words = subcommands(call, &[]);
    let first = words.first().copied().unwrap_or_default();
    if matches!(first, "hook" | "compat") && is_us(call, made, facts) {
        // These are programs for agents to run.
        let tool = first == "compat" && words.get(1).is_some_and(|name| name.starts_with("worktree-manager"));
        return (!tool).then(|| {
            (
                format!("This would speak to Plimsoll as the agent's client does (`plimsoll {first}`)."),
                "`plimsoll explain` shows what it would answer.",
            )
        });
    }
    let installs = INSTALLERS.contains(&name)
        && words.iter().any(|word| {
            matches!(*word, "install" | "add" | "upgrade" | "update" | "reinstall" | "i" | "binstall")
        })
        && words.iter().any(|word| is_own_name(word.split(['@', '=']).next().unwrap_or_default()));
    if installs {
        return Some((
            "This would put another version of Plimsoll in its place.".into(),
            "Which one guards the agent is for the user to decide.",
        ));
    }
    if !AGENTS.contains(&name) {
        return None;
    }
    let second = words.get(1).copied().unwrap_or_default();
    let manages = match first {
        "mcp" => matches!(
            second,
            "add" | "add-json" | "add-from-claude-desktop" | "remove" | "reset-project-choices" | "rm"
        ),
        "plugin" | "plugins" | "extensions" | "extension" => {
            !matches!(second, "" | "list" | "ls" | "show" | "info" | "validate" | "help")
        }
        "hooks" => !matches!(second, "" | "list" | "ls" | "show" | "help"),
        "config" => matches!(second, "set" | "add" | "remove" | "rm" | "unset"),
        _ => false,
    };
    let option = call.texts().find_map(|text| {
        let name = text.split('=').next().unwrap_or(text);
        matches!(
            name,
            "--settings"
                | "--mcp-config"
                | "--plugin-dir"
                | "--agents"
                | "--permission-prompt-tool"
                | "--hooks-dir"
                | "--config-dir"
        )
        .then_some(name)
    });
    // Codex takes single settings on the command line.
    let single = matches!(name, "codex")
        && call
            .args()
            .windows(2)
            .any(|pair| matches!(pair[0].text.as_str(), "-c" | "--config") && pair[1].text.contains("hooks"));
    if single {
        return Some(("This would start an agent with other hooks.".into(), "They are what guards it."));
    }
    if manages {
        return Some((
            format!("`{name} {first} {second}` changes what the agent runs."),
            "It holds for every later session.",
        ));
    }
    option.map(|option| {
        (
            format!("This would start an agent with settings of its own ({option})."),
            "They may run commands, or leave the hooks out.",
        )
    })
}

const INSTALLERS: &[&str] = &[
    "cargo", "npm", "brew", "pip", "pip3", "pipx", "apt", "apt-get", "uv", "pnpm", "yarn", "bun", "dnf",
    "yum", "winget",
];

/// Clients, by their programs.
const AGENTS: &[&str] = &[
    "claude",
    "claude-code",
    "codex",
    "gemini",
    "qwen",
    "copilot",
    "cursor-agent",
    "droid",
    "opencode",
    "kilo",
    "kilocode",
    "cline",
    "kimi",
    "pi",
    "hermes",
    "grok",
    "goose",
    "auggie",
    "qoder",
];

fn evades(call: &Call, facts: &dyn Facts) -> Option<String> {
    match program(call) {
        "claude" | "claude-code" | "codex" | "gemini" | "opencode" => {
            // Another home has other settings: none.
            let moved = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG_DIR", "HOME"]
                .iter()
                .any(|name| call.var(name).is_some())
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
            // Settings in a file are as good as on the command line.
            let blind = value(call, &["--settings"]).is_some_and(|file| {
                let path = shell::path::absolute(file, &call.cwd);
                let text = facts.read(Path::new(&path)).ok().flatten();
                text.is_some_and(|text| text.contains("disableAllHooks"))
            });
            let bare = moved
                || blind
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
        "cargo" | "npm" | "brew" | "pip" | "pipx" | "apt" | "apt-get" | "uv" | "pnpm" | "yarn" => {
            let words = subcommands(call, &[]);
            let removes = words.iter().any(|w| matches!(*w, "uninstall" | "remove" | "purge" | "rm"));
            (removes && words.contains(&"plimsoll"))
                .then(|| "This would take Plimsoll itself away.".to_owned())
        }
        _ => None,
    }
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
