//! The agent's own settings and hooks: `file/agent-settings`.

use std::path::Path;

use model::{Change, Decision, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::file::Target;
use crate::{Check, Context, own};

static META: Meta = Meta {
    id: "file/agent-settings",
    summary: "an edit of the agent's own hooks or settings",
    docs: "\
Refuses every edit of `.claude/hooks/**`, `.claude/settings.json`, `.claude/settings.local.json`,
`.claude/subprocess-settings.json`, the file that `subprocess.settings_file` names, and the lists of the project's own checks
(`quality-checks.json`, `gates.json`) and the rules that `rules.shared` names, wherever they are read from, under any spelling of the path (`..`, `.`, `//`, `~`, symlinks,
letter case where the file system ignores it).

The settings of every other agent that Plimsoll can serve, what is set for all users of the machine, `~/.claude.json`,
`.mcp.json`, and the hooks of plugins are a question to the user, or refused where they name Plimsoll. So are agents, skills
and commands that bring hooks of their own; without hooks they are the agent's to write.

An agent that can edit these can switch off whatever stands in its way. A user who wants such an edit makes it by hand, or
allows it for a while: `plimsoll approve --edit .claude/settings.json --for 10m`.
",
    cases: include_str!("agent_settings.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// What the stop guardian watches of these. `settings.local.json` is left out: the client itself writes permissions there.
pub(crate) const GLOBS: &[&str] = &[
    ".claude/hooks/**",
    ".claude/settings.json",
    ".claude/subprocess-settings.json",
    ".claude/quality-checks.json",
    ".claude/gates.json",
];

const FILES: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "subprocess-settings.json",
    "quality-checks.json",
    "gates.json",
];

/// Places in the project besides `.claude` that the project's own checks are read from.
const CHECK_LISTS: &[&str] =
    &["quality-checks.json", "gates.json", "plugin/hooks/quality-checks.json", "plugin/hooks/gates.json"];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(target) = Target::of(event, cx) else { return };
    let name = target.name();
    let protected = target
        .below(cx, ".claude")
        .iter()
        .any(|rest| rest.starts_with("hooks/") || rest == "hooks" || FILES.contains(&rest.as_str()));
    let (what, why) = if protected {
        (format!("Protected Claude Code config ({name})."), "Hook scripts and settings are immutable.")
    } else if is_fixer_settings(&target, cx) {
        (
            format!("Protected subprocess settings file ({name})."),
            "This file controls subprocess recursion safety.",
        )
    } else if is_shared_rules(&target, cx) {
        (format!("Protected rules ({name})."), "They say what agents may do.")
    } else if CHECK_LISTS.iter().any(|list| target.paths().any(|path| path == cx.facts.project().join(list)))
    {
        (format!("Protected list of checks ({name})."), "It says what work here is held to.")
    } else {
        return others(&target, cx, out);
    };
    if !cx.may_edit(META.id, &target.real) {
        out.deny(META.id, what, why).instead = Some(instead(&target));
    }
}

/// Settings that are not this project's alone, and hooks that come in other files.
fn others(target: &Target<'_>, cx: &Context<'_>, out: &mut Findings) {
    let folds = |path: &Path| cx.facts.folds_case(path.parent().unwrap_or(path));
    let found = target.paths().filter_map(|path| own::settings(path, cx.facts, || folds(path))).max();
    let name = target.name();
    match found {
        Some(_) if cx.may_edit(META.id, &target.real) => {}
        Some(answer) => {
            let names_us = || {
                // A path with blanks is quoted in the line, and lists have nothing but the name.
                cx.facts.read(&target.real).ok().flatten().is_some_and(|text| text.contains("limsoll"))
            };
            let why = "They decide what the agent runs, and who is asked.";
            if answer == Decision::Deny || names_us() {
                let what = format!("Protected settings of an agent ({name}).");
                out.deny(META.id, what, why).instead = Some(instead(target));
            } else {
                out.ask(META.id, format!("This would change an agent's settings ({name})."), why);
            }
        }
        None => {
            let carries = || {
                name.ends_with(".md")
                    && target.below(cx, ".claude").iter().any(|rest| is_definition(rest))
                    && brings_hooks(target, cx)
            };
            if carries() && !cx.may_edit(META.id, &target.real) {
                let what = format!("{name} would bring hooks of its own.");
                out.ask(META.id, what, "They run commands whenever it is used.");
            }
        }
    }
}

/// An agent, a skill or a command, by its place below `.claude`.
fn is_definition(rest: &str) -> bool {
    let folder = rest.split('/').next().unwrap_or_default();
    matches!(folder, "agents" | "skills" | "commands") && rest.ends_with(".md")
}

/// Whether the first lines of the file, as it was or as it would be, name hooks.
fn brings_hooks(target: &Target<'_>, cx: &Context<'_>) -> bool {
    let before = || cx.facts.read(&target.real).ok().flatten().is_some_and(|text| names_hooks(&text));
    match &target.edit.change {
        Change::Write { content } => names_hooks(content),
        // A part of the first lines has no marks around it.
        Change::Replace(parts) => {
            parts
                .iter()
                .any(|part| part.new.lines().any(is_hooks_line) && !part.old.lines().any(is_hooks_line))
                || before()
        }
        Change::Cell { .. } | Change::Unknown | Change::Removed => before(),
    }
}

fn names_hooks(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.next().is_some_and(|first| first.trim_end() == "---")
        && lines.take_while(|line| line.trim_end() != "---").any(is_hooks_line)
}

fn is_hooks_line(line: &str) -> bool {
    let line = line.trim_start_matches(['"', '\'', '{', ' ']);
    let rest = line.strip_prefix("hooks").map(|rest| rest.trim_start_matches(['"', '\'', ' ']));
    rest.is_some_and(|rest| rest.starts_with(':'))
}

/// What the agent should do, and what the user can.
pub(super) fn instead(target: &Target<'_>) -> String {
    let file = target.written.to_string_lossy();
    format!(
        "Leave it as it is. If the user wants this change, they can allow it for a while with: plimsoll approve --edit {}",
        shell::quote(&file)
    )
}

fn is_fixer_settings(target: &Target<'_>, cx: &Context<'_>) -> bool {
    cx.config.settings_file.as_ref().is_some_and(|file| {
        // Relative to the project, as the fixer resolves it, not to wherever the agent is.
        let file = cx.facts.project().join(expand(file, cx));
        let real = cx.facts.resolve(&file);
        target.paths().any(|path| path == file || path == real)
    })
}

/// Rules that the user's settings name, wherever they lie.
fn is_shared_rules(target: &Target<'_>, cx: &Context<'_>) -> bool {
    cx.config.rules_shared.iter().any(|named| {
        // From the home, as they are read.
        let base = cx.facts.home().unwrap_or_else(|| cx.facts.project());
        let place = model::path::absolute(Path::new(named), base, cx.facts.home());
        let real = cx.facts.resolve(&place);
        target.paths().any(|path| path.starts_with(&place) || path.starts_with(&real))
    })
}

fn expand(file: &str, cx: &Context<'_>) -> std::path::PathBuf {
    model::path::absolute(Path::new(file), cx.facts.project(), cx.facts.home())
}
