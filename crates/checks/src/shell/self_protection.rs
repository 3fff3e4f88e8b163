//! The agent's way out of its own hooks: `shell/self-protection`.

use std::path::Path;

use model::deed::{Deed, Object, Verb};
use model::{Effect, Event, Facts, Findings, Meta, PERSONAL, Personal, is_own_name, personal_verb};
use shell::Call;

use super::made::Made;
use crate::{Check, Context, own};

static META: Meta = super::guard_on(
    super::BEFORE_ANY,
    "shell/self-protection",
    "a command that only the user may run, or that starts an agent without its hooks",
    "\
The verbs by which the user overrules Plimsoll (`approve`, `trust`, `init`, `uninstall`, …) or lets it throw something away
(`memory forget`, `worktree --force`) are a question to them when an agent runs them, in any wrapper, by a link or by a copy of the program. A yes is
for exactly that call: the verb itself refuses to run beneath an agent without it. Feeding a hook (`… | plimsoll hook`), installing another
version of Plimsoll, and giving an agent other settings, servers or plugins are a question too. Starting another agent without hooks (`claude --bare`, `disableAllHooks`, `--permission-mode
bypassPermissions`, another `HOME` or `CLAUDE_CONFIG_DIR`, `--dangerously-skip-permissions`), killing or uninstalling
Plimsoll, and stopping or erasing the machine's own records are refused. Agents of others that are told to ask nobody, plugins that
are switched off, git's hooks that are taken away, switches of the kernel that protect the machine, and erasing what was typed or the records
of earlier sessions are a question to the user. So is a tool of the client that changes its settings.
",
    include_str!("self_protection.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::rules(META.id, event, cx, out);
    let Some(reading) = cx.reading(event) else { return };
    let mut made = Made::default();
    for call in &reading.calls {
        let looks = call.only_looks();
        if let Some((verb, asked)) = personal(call, &made, cx.facts) {
            let what = format!("Only the user may run `plimsoll {verb}`.");
            out.ask(META.id, what, "They decide whether it is said.");
            // Their yes is for exactly this; where a part of it is not known, there is nothing to agree to.
            out.effects.extend(asked.map(Effect::Permit));
        } else if !looks && let Some(what) = evades(call, cx.facts).or_else(|| forgets(call)) {
            out.deny(META.id, what, "Work within the hooks that the user has set.").instead =
                Some("Say what you need it for, and let the user do it.".into());
            return;
        } else if let Some((what, why)) =
            (!looks).then(|| loosens(call)).flatten().or_else(|| unsettles(call, &made, cx.facts))
        {
            out.ask(META.id, what, why);
        }
        made.note(call);
    }
    if let Some(what) = reaches_the_client(event, reading) {
        out.ask(META.id, what, "It starts the hooks, so a change to it changes them.");
    }
    if reading.inline.iter().any(|(_, code)| code_changes_us(code)) {
        let what = "This code names Plimsoll's own files, and changes files.".to_owned();
        out.ask(META.id, what, "Without them nothing here is guarded.");
    }
}

/// A process of which only is known that it is the one above: the client itself, or a shell of it.
fn reaches_the_client(event: &Event, reading: &shell::Reading) -> Option<String> {
    let text = event.command()?;
    // Hardly any command has one of these.
    if !["PID", "pid", "/exe"].iter().any(|part| text.contains(part)) {
        return None;
    }
    // Its program by its process, with words for an agent.
    let words = ["--bare", "--print", " -p ", "--settings", "--dangerously", "--safe-mode"];
    if text.contains("/proc/") && text.contains("/exe") && words.iter().any(|word| text.contains(word)) {
        return Some("This would start the program of a process that runs.".into());
    }
    // Seldom, and then most of the time to be shown.
    let named = ["$PPID", "${PPID", "ppid", "CLAUDE_PID"].iter().any(|name| text.contains(name));
    let call = reading.calls.iter().filter(|_| named).find(|call| {
        let unknown = || call.texts().any(|word| !shell::text::is_known(word));
        does(call, Verb::Changes, "a process that runs") || call.does(Verb::Stops) && unknown()
    })?;
    Some(format!(
        "`{}` would stop or change the process that started this one: the agent's client.",
        call.program()
    ))
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
    // The old address of the same verb.
    let old = matches!(call.program(), "approve_configs.sh" | "approve_configs");
    // Most calls are of other programs, and have none of our words.
    if !old && !call.texts().any(is_ours_to_say) {
        return None;
    }
    let texts: Vec<&str> = call.texts().collect();
    let words: Vec<&str> = if old {
        ["compat", "approve_configs"].into_iter().chain(texts).collect()
    } else if is_us(call, made, facts) {
        texts
    } else if let Some(at) = handed_on(call, facts) {
        texts[at..].to_vec()
    } else if looks_like_us(call, &texts) {
        texts
    } else {
        return None;
    };
    let verb = personal_verb(&words)?;
    let known = words.iter().all(|word| shell::text::is_known(word)) && shell::text::is_known(&call.cwd);
    let asked = known.then(|| Personal {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        cwd: Path::new(&*call.cwd).to_owned(),
    });
    Some((verb, asked))
}

/// Where our own words begin among those of a program that starts another one, or that nobody knows: `bwrap … plimsoll trust`,
/// `cargo run --bin plimsoll -- trust`.
fn handed_on(call: &Call, facts: &dyn Facts) -> Option<usize> {
    let named = |word: &str| {
        let name = word.rsplit(['/', '#', ':', '=']).next().unwrap_or_default();
        is_own_name(name)
    };
    let starts = call.words().entry.is_none()
        || [Verb::Runs, Verb::Fetches, Verb::Installs].iter().any(|verb| call.does(*verb));
    if starts && let Some(at) = call.texts().position(named) {
        let rest = call.args()[at + 1..].iter().position(|arg| is_ours_to_say(&arg.text))?;
        return Some(at + 1 + rest);
    }
    // Built and run where we are built.
    let ours = || {
        let manifest = facts.read(&facts.project().join("Cargo.toml")).ok().flatten();
        manifest.is_some_and(|text| text.contains("plimsoll"))
    };
    (does(call, Verb::Runs, "the project's own program") && ours())
        .then(|| call.texts().position(is_ours_to_say))?
}

/// Words that only we have, of a program by its path of which nothing is known but that it is no script: a copy of us that was changed or
/// packed on its way.
fn looks_like_us(call: &Call, texts: &[&str]) -> bool {
    let by_path = call.argv.first().is_some_and(|arg| arg.text.contains('/'));
    let unread = call.words().entry.is_none() && call.script.is_none();
    let personal = match texts {
        ["trust" | "approve" | "uninstall", rest @ ..] => {
            rest.iter().any(|word| matches!(*word, "--yes" | "--edit" | "--session"))
        }
        ["proof", "verify", ..] | ["autonomy", "start", ..] | ["clear-warning", ..] => true,
        ["allow", rest @ ..] => rest.iter().any(|word| matches!(*word, "--for" | "--edit")),
        _ => false,
    };
    by_path && unread && personal
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

/// What speaks to the guard as only a client does, or puts another program in our place. A user may want it.
fn unsettles(call: &Call, made: &Made, facts: &dyn Facts) -> Option<(String, &'static str)> {
    // Most calls are of other programs, and have none of our words.
    let first = call.texts().find(|text| !text.starts_with('-')).unwrap_or_default();
    if matches!(first, "hook" | "compat") && !call.words().rehearses && is_us(call, made, facts) {
        // These are programs for agents to run.
        let tool = first == "compat" && call.texts().any(|name| name.starts_with("worktree-manager"));
        return (!tool).then(|| {
            (
                format!("This would speak to Plimsoll as the agent's client does (`plimsoll {first}`)."),
                "`plimsoll explain` shows what it would answer.",
            )
        });
    }
    // Whoever holds it in hand can have it do anything.
    let held = || call.operands().any(|arg| is_own_name(shell::path::name(&arg.text)));
    if does(call, Verb::Runs, "a debugger") && held() {
        return Some((
            "This would run Plimsoll in a debugger.".into(),
            "Its answers could be changed there.",
        ));
    }
    let ours = |deed: &&Deed| {
        let name = deed.object.text().split(['@', '=']).next().unwrap_or_default();
        deed.verb == Verb::Installs && is_own_name(name)
    };
    call.deeds.iter().find(ours).map(|_| {
        (
            "This would put another version of Plimsoll in its place.".into(),
            "Which one guards the agent is for the user to decide.",
        )
    })
}

/// What the tables say of an agent whose hooks are left out.
const HOOKS: &str = "its hooks";
/// What they say of any agent that is started.
const AGENT: &str = "an agent";

/// Whether a call does this to something that is named in words.
fn does(call: &Call, verb: Verb, thing: &str) -> bool {
    call.deeds
        .iter()
        .any(|deed| deed.verb == verb && matches!(&deed.object, Object::Thing(known) if known == thing))
}

fn evades(call: &Call, facts: &dyn Facts) -> Option<String> {
    // Another home has other settings: none.
    let homes = [
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "GEMINI_CLI_HOME",
        "HERMES_HOME",
        "OPENCODE_CONFIG_DIR",
        "PI_CODING_AGENT_DIR",
        "XDG_CONFIG_HOME",
        "HOME",
    ];
    let moved = || call.has_no_home() || homes.iter().any(|name| call.var(name).is_some());
    // Settings in a file are as good as on the command line.
    let blind = || {
        let file = call.value("settings").map(|file| shell::path::absolute(file, &call.cwd));
        let text = file.and_then(|file| facts.read(Path::new(&file)).ok().flatten());
        text.is_some_and(|text| text.contains("disableAllHooks"))
    };
    let agent = does(call, Verb::Runs, AGENT);
    if does(call, Verb::Overrules, HOOKS)
        || agent && moved()
        || blind()
        || call.value("setting-sources") == Some("")
        || agent && call.texts().any(|text| text.contains("disableAllHooks"))
    {
        return Some("This would start an agent without its hooks.".to_owned());
    }
    call.deeds.iter().find_map(|deed| match (&deed.object, deed.verb) {
        (Object::Thing(name), Verb::Stops) if name.contains("plimsoll") => {
            Some("This would stop Plimsoll.".to_owned())
        }
        (Object::Package(name), Verb::Uninstalls) if is_own_name(name) => {
            Some("This would take Plimsoll itself away.".to_owned())
        }
        _ => None,
    })
}

/// What takes questions away from the user, or gives an agent other settings, and may be wanted.
fn loosens(call: &Call) -> Option<(String, &'static str)> {
    let user = |name: &&str| {
        shell::programs::find(name).is_some_and(|program| program.place == shell::programs::Where::User)
    };
    if does(call, Verb::Runs, AGENT) && call.wrappers.iter().any(user) {
        let what = "This would start an agent as another user, whose settings may have no hooks.";
        return Some((what.into(), "Nobody would be asked from then on."));
    }
    call.deeds.iter().find_map(|deed| {
        let (what, why) = match (&deed.object, deed.verb) {
            (Object::Thing(thing), Verb::Overrules) => match thing.as_str() {
                "its questions" => (
                    "This would start an agent that asks nobody for permission.",
                    "Nobody would be asked from then on.",
                ),
                "its settings" => (
                    "This would start or leave an agent with settings of its own.",
                    "They may run commands, or leave the hooks out.",
                ),
                "what it runs" => {
                    ("This would change what the agent runs.", "It holds for every later session.")
                }
                "what git runs before a commit" => UNHOOKED,
                "what is remembered of what was typed" => (
                    "This would erase the record of what was typed.",
                    "Nobody could see afterwards what was done.",
                ),
                "what protects the machine" => UNPROTECTED,
                _ => return None,
            },
            (Object::Setting { name, value }, _)
                if name == "core.hookspath" && matches!(value.as_str(), "" | "/dev/null" | "/" | "/tmp") =>
            {
                UNHOOKED
            }
            (Object::Path { text, .. }, Verb::Deletes | Verb::Empties) if is_transcript(text) => (
                "This would erase the records of earlier sessions.",
                "Nobody could see afterwards what was done.",
            ),
            (Object::Path { text, .. }, Verb::Writes | Verb::Edits | Verb::Appends) if is_safeguard(text) => {
                UNPROTECTED
            }
            // Making a hook executable is how it begins to work.
            (Object::Path { .. }, Verb::Permits) if !super::open_permissions::locks(call) => return None,
            (Object::Path { text, .. }, Verb::Deletes | Verb::Moves | Verb::Permits) if is_hook(text) => {
                UNHOOKED
            }
            _ => return None,
        };
        Some((what.to_owned(), why))
    })
}

const UNHOOKED: (&str, &str) =
    ("This would take away what git runs before a commit.", "It may be all that looks at a commit.");

const UNPROTECTED: (&str, &str) =
    ("This would change what protects the machine.", "Programs could then do what they could not before.");

/// What a client keeps of its sessions.
fn is_transcript(path: &str) -> bool {
    let path = path.trim_end_matches(['/', '*']);
    ["/.claude/projects", "/.codex/sessions", "/.gemini/tmp"]
        .iter()
        .any(|folder| path.ends_with(folder) || path.contains(&format!("{folder}/")))
}

/// Switches of the kernel that keep programs from each other.
fn is_safeguard(path: &str) -> bool {
    const SWITCHES: &[&str] = &[
        "kernel/dmesg_restrict",
        "kernel/kexec_load_disabled",
        "kernel/kptr_restrict",
        "kernel/perf_event_paranoid",
        "kernel/randomize_va_space",
        "kernel/unprivileged_bpf_disabled",
        "kernel/yama/ptrace_scope",
        "fs/protected_hardlinks",
        "fs/protected_symlinks",
        "fs/suid_dumpable",
        "net/ipv4/tcp_syncookies",
        "vm/mmap_min_addr",
    ];
    const KEYS: &[&str] = &[
        "/control/lsa",
        "/policies/microsoft/windows defender",
        "/microsoft/windows defender",
        "/securityproviders/wdigest",
        "/currentversion/policies/system",
    ];
    if path.starts_with(['H', 'h', 'R', 'r']) || path.starts_with("/Registry/") {
        let lower = path.to_ascii_lowercase().replace('\\', "/");
        return KEYS.iter().any(|key| lower.contains(key));
    }
    let selinux = matches!(path, "/sys/fs/selinux/enforce" | "/selinux/enforce");
    selinux || path.strip_prefix("/proc/sys/").is_some_and(|rest| SWITCHES.contains(&rest))
}

/// What git runs before a commit, or says what that is.
fn is_hook(path: &str) -> bool {
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    match parts.as_slice() {
        [.., ".husky"] | [.., ".git", "hooks"] => true,
        // Its own helpers are made again by itself.
        [.., ".husky", hook] => *hook != "_",
        [.., ".git", "hooks", hook] => !hook.ends_with(".sample"),
        [.., file] => {
            matches!(*file, ".pre-commit-config.yaml" | "lefthook.yml" | ".lefthook.yml" | ".huskyrc")
        }
        [] => false,
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
    "eventlog",
    "mpssvc",
    "securityhealthservice",
    "sense",
    "wdnissvc",
    "windefend",
    "wscsvc",
];

/// Who came and went, and what they did.
fn is_record(path: &str) -> bool {
    const RECORDS: &[&str] = &[
        "auth.log", "secure", "syslog", "messages", "audit", "wtmp", "btmp", "lastlog", "faillog", "sudo.log",
    ];
    path.strip_prefix("/var/log/").is_some_and(|rest| RECORDS.iter().any(|name| rest.starts_with(name)))
}

/// Records of what was done on the machine.
fn forgets(call: &Call) -> Option<String> {
    let erases = call.deeds.iter().any(|deed| match (&deed.object, deed.verb) {
        (Object::Thing(service), Verb::Stops) => {
            let service = service.to_ascii_lowercase();
            RECORDERS.contains(&service.trim_end_matches(".service"))
        }
        (Object::Thing(thing), Verb::Empties) => thing == "the machine's own records",
        // A record that is changed is worse than none.
        (Object::Path { text, .. }, Verb::Edits) => is_record(text),
        _ => false,
    });
    erases.then(|| "This would stop or erase the machine's own records.".to_owned())
}
