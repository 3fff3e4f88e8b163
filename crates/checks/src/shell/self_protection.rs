//! The agent's way out of its own hooks: `shell/self-protection`.

use model::{Event, Findings, Meta};
use shell::Call;

use super::words::subcommands;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/self-protection",
    "a command that speaks for the person, or starts an agent without its hooks",
    "\
The verbs by which a person overrules Plimsoll (`approve`, `trust`, `uninstall`, …) are a question to that person when an agent
runs them, in any wrapper. Starting another agent without hooks (`claude --bare`, `disableAllHooks`,
`--dangerously-skip-permissions`) and killing or removing Plimsoll are refused.
",
    include_str!("self_protection.toml"),
);

/// Verbs that are the person's alone.
const PERSONAL: &[&str] = &["approve", "trust", "uninstall", "update", "proof", "autonomy"];

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
            } else if let Some(what) = evades(call) {
                out.deny(META.id, what, "Work within the hooks that the person has set.");
                return;
            }
        }
    }
}

fn personal(call: &Call) -> Option<&'static str> {
    let words = subcommands(call, &[]);
    let verb = match call.program() {
        "plimsoll" => words.first()?,
        // The old address of the same verb.
        "approve_configs.sh" | "approve_configs" => return Some("approve"),
        "cargo" if words.first() == Some(&"run") => words.iter().find(|w| PERSONAL.contains(w))?,
        _ => return None,
    };
    if *verb == "compat" && words.get(1).is_some_and(|name| name.starts_with("approve_configs")) {
        return Some("approve");
    }
    // Reading what is trusted changes nothing.
    if *verb == "trust" && words.get(1) == Some(&"show") || words.contains(&"status") || call.has("--help") {
        return None;
    }
    PERSONAL.iter().find(|known| *known == verb).copied()
}

fn evades(call: &Call) -> Option<String> {
    match call.program() {
        "claude" | "codex" | "gemini" | "opencode" => {
            let bare = call.texts().any(|t| {
                matches!(
                    t,
                    "--bare"
                        | "--safe-mode"
                        | "--dangerously-skip-permissions"
                        | "--dangerously-bypass-approvals-and-sandbox"
                        | "--yolo"
                ) || t.contains("disableAllHooks")
            });
            bare.then(|| "This would start an agent without its hooks.".to_owned())
        }
        "pkill" | "killall" | "kill" => {
            call.texts().any(|t| t.contains("plimsoll")).then(|| "This would stop Plimsoll.".to_owned())
        }
        "rm" | "mv" | "chmod" | "truncate" | "ln" | "cp" | "install" | "unlink" | "shred" | "dd" | "tee" => {
            call.args()
                .iter()
                .any(|arg| shell::path::name(&arg.text) == "plimsoll" && arg.text.contains("bin/"))
                .then(|| "This would take Plimsoll itself away.".to_owned())
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
