//! The rules that code is held to: `file/linter-config`.

use std::path::Path;

use model::config::Profile;
use model::{Change, Config, Event, EventName, Findings, Levels, Meta, On, PermissionMode, Role};

use super::agent_settings::instead;
use super::{PARTIAL, Target, partial, touched};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/linter-config",
    summary: "an edit of a linter's configuration",
    docs: "\
Refuses edits of the files named in `protected_files` (by default fourteen linter configs), at any depth, under any spelling
of the path, whether they exist or not. With `protect_siblings` also their other names (`ruff.toml`, `biome.jsonc`, every
`.markdownlint*` and `.yamllint*`, the configs of ESLint, Prettier and pre-commit), and the linter parts of
`pyproject.toml`, `setup.cfg`, `tox.ini` and `package.json`; other edits of those four pass. Of `tsconfig.json` only what makes
the compiler less strict is refused. Where there is no such config yet and somebody is there to answer, the first one is a question; in
the profile `strict` it is refused like any other.

An edit is one by whatever tool: the client's own, a patch, or a server's that says by its name that it writes, moves or deletes.

An agent under pressure to make a linter quiet will sooner change the rules than the code. The answer says what to do
instead: fix the code. A user who wants the rule changed edits the file, or allows it for a while:
`plimsoll approve --edit .ruff.toml --for 10m`.
",
    cases: include_str!("linter_config.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// Other names of the same configs, and configs of tools that the fourteen leave out.
const SIBLINGS: &[&str] = &[
    ".bandit",
    ".biome.json",
    ".biome.jsonc",
    ".eslintignore",
    ".eslintrc",
    ".hadolint.yml",
    ".knip.json",
    ".knip.jsonc",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    ".prettierignore",
    ".prettierrc",
    ".pylintrc",
    ".semgrep.yaml",
    ".semgrepignore",
    ".taplo.toml",
    "bandit.yaml",
    "biome.jsonc",
    "knip.jsonc",
    "oxlint.json",
    "pylintrc",
    "ruff.toml",
    "shellcheckrc",
    "vulture_whitelist.py",
];

/// Names that begin like this, such as `.eslintrc.cjs` and `.markdownlint-cli2.yaml`.
const SIBLING_PREFIXES: &[&str] = &[
    ".eslintrc.",
    ".markdownlint",
    ".prettierrc.",
    ".yamllint",
    "eslint.config.",
    "knip.config.",
    "prettier.config.",
];

/// A folder of rules.
const SIBLING_FOLDER: &str = ".semgrep";

/// What the stop guardian watches: globs in git's form, at any depth.
pub(crate) fn names(config: &Config) -> Vec<String> {
    let mut names: Vec<String> = config.protected_files.iter().map(|name| format!("**/{name}")).collect();
    if config.protect_siblings {
        names.extend(SIBLINGS.iter().map(|name| format!("**/{name}")));
        names.extend(SIBLING_PREFIXES.iter().map(|prefix| format!("**/{prefix}*")));
        names.push(format!("**/{SIBLING_FOLDER}/**"));
        names.extend(PARTIAL.iter().map(|name| format!("**/{name}")));
    }
    names
}

/// The names of configs, without those that are known by how they begin.
pub(crate) fn config_names(config: &Config) -> impl Iterator<Item = &str> {
    let siblings = if config.protect_siblings { SIBLINGS } else { &[] };
    config.protected_files.iter().map(String::as_str).chain(siblings.iter().copied())
}

/// Whether a file of this name could be one, or hold the settings of one.
pub(crate) fn is_config_name(name: &str, config: &Config) -> bool {
    config_names(config).any(|known| known.eq_ignore_ascii_case(name))
        || config.protect_siblings
            && (partial().any(|part| part == name)
                || SIBLING_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(target) = Target::of(event, cx) else { return };
    if is_protected(&target, cx) {
        if cx.may_edit(META.id, &target.real) {
        } else if matches!(cx.facts.read(&target.real), Ok(None))
            && is_first(event, &tool_of(&target.name()), &target, cx)
        {
            let what =
                format!("This would be the first config of a linter or formatter here ({}).", target.name());
            out.ask(META.id, what, "Only the user decides which rules the code must follow.");
        } else {
            let what = format!("Protected linter config file ({}).", target.name());
            out.deny(META.id, what, "Fix the code, not the rules.").instead = Some(instead(&target));
        }
    } else if cx.config.protect_siblings
        && let Some(part) = partial().find(|part| target.named(cx, |name| name == *part))
    {
        judge_parts(part, event, &target, cx, out);
    }
}

/// Whether somebody is there to ask about the first config of a tool, and none of this tool is there that it could loosen or overrule:
/// beside it, above it, or as a part of another file.
fn is_first(event: &Event, tool: &str, target: &Target<'_>, cx: &Context<'_>) -> bool {
    use PermissionMode::{AcceptEdits, Default, Plan};
    if !matches!(event.mode, Default | AcceptEdits | Plan)
        || cx.config.profile == Profile::Strict
        || target.edit.change == Change::Removed
    {
        return false;
    }
    // Whoever has put a name on the list has decided.
    let listed = cx.config.protected_files.iter().any(|name| target.named(cx, |own| own == name.as_str()));
    if listed
        && !Config::default().protected_files.iter().any(|name| target.named(cx, |own| own == name.as_str()))
    {
        return false;
    }
    let there = |file: &Path| !matches!(cx.facts.read(file), Ok(None));
    let endings =
        ["", ".json", ".js", ".cjs", ".mjs", ".ts", ".yaml", ".yml", ".toml", "-cli2.yaml", "-cli2.jsonc"];
    let prefixes = SIBLING_PREFIXES.iter().filter(|prefix| tool_of(prefix) == tool);
    let begun =
        prefixes.flat_map(|prefix| endings.map(|ending| format!("{}{ending}", prefix.trim_end_matches('.'))));
    let named = config_names(cx.config).filter(|name| tool_of(name) == tool).map(str::to_owned);
    let names: Vec<String> = named.chain(begun).collect();
    let folders = target.real.ancestors().skip(1).take_while(|folder| folder.starts_with(cx.facts.project()));
    !folders.into_iter().any(|folder| {
        let has_part = |file: &&str| {
            let text = cx.facts.read(&folder.join(file)).ok().flatten().unwrap_or_default();
            touched(file, &text, "").iter().any(|part| tool_of(part) == tool)
        };
        names.iter().any(|name| there(&folder.join(name))) || PARTIAL.iter().any(has_part)
    })
}

/// The tool that a config or a part of one is for: `eslint` of `.eslintrc.json` and `eslintConfig`, `ruff` of `[tool.ruff]`.
fn tool_of(name: &str) -> String {
    let name =
        name.trim_start_matches('[').trim_start_matches("tool.").trim_start_matches('.').to_lowercase();
    let stem = name.split(['.', '-', '_', ':', ']']).next().unwrap_or_default();
    let stem = ["rc", "config", "ignore"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    stem.to_owned()
}

fn is_protected(target: &Target<'_>, cx: &Context<'_>) -> bool {
    let listed = &cx.config.protected_files;
    if target.named(cx, |name| listed.iter().any(|file| file == name)) {
        return true;
    }
    cx.config.protect_siblings
        && (target.named(cx, |name| {
            SIBLINGS.contains(&name) || SIBLING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        }) || !target.below(cx, SIBLING_FOLDER).is_empty())
}

/// A file that holds linter settings among others: only an edit that touches them is refused.
fn judge_parts(name: &str, event: &Event, target: &Target<'_>, cx: &Context<'_>, out: &mut Findings) {
    let before = match cx.facts.read(&target.real) {
        Ok(text) => text.unwrap_or_default(),
        Err(unknown) => {
            let what = format!(
                "{name} cannot be read ({}), so it is unknown which settings this edit touches.",
                unknown.0
            );
            out.ask(META.id, what, "Only the user may change linter settings in it.");
            return;
        }
    };
    let parts = match target.edit.change.apply(&before) {
        Some(after) => touched(name, &before, &after),
        // The text to replace is not there as written. The client forgives some differences, so look at the words themselves.
        None => match &target.edit.change {
            Change::Replace(edits) => {
                edits.iter().flat_map(|edit| touched(name, &edit.old, &edit.new)).collect()
            }
            // A command whose new text nobody can tell.
            Change::Unknown => {
                let parts = touched(name, &before, "");
                if !parts.is_empty() && !cx.may_edit(META.id, &target.real) {
                    let what =
                        format!("This may change the linter settings in {name} ({}).", parts.join(", "));
                    out.ask(
                        META.id,
                        what,
                        "Only the user may change them. Edit the file directly, so that the change can be checked.",
                    );
                }
                return;
            }
            _ => Vec::new(),
        },
    };
    if parts.is_empty() || cx.may_edit(META.id, &target.real) {
    } else if (before.is_empty() || PARTIAL.contains(&name))
        && parts.iter().all(|part| is_first(event, &tool_of(part), target, cx))
    {
        let what =
            format!("This would be the first config of a linter here ({} in {name}).", parts.join(", "));
        out.ask(META.id, what, "Only the user decides which rules the code must follow.");
    } else {
        let what = format!("Protected linter settings in {name} ({}).", parts.join(", "));
        out.deny(META.id, what, "Fix the code, not the rules. Other parts of the file may be edited.")
            .instead = Some(instead(target));
    }
}
