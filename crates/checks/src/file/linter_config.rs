//! The rules that code is held to: `file/linter-config`.

use model::{Change, Config, Event, EventName, Findings, Levels, Meta, On, Role};

use super::agent_settings::instead;
use super::{PARTIAL, Target, touched};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/linter-config",
    summary: "an edit of a linter's configuration",
    docs: "\
Refuses edits of the files named in `protected_files` (by default fourteen linter configs), at any depth, under any spelling
of the path, whether they exist or not. With `protect_siblings` also their other names (`ruff.toml`, `biome.jsonc`, every
`.markdownlint*` and `.yamllint*`, the configs of ESLint, Prettier and pre-commit), and the linter parts of
`pyproject.toml`, `setup.cfg`, `tox.ini` and `package.json`; other edits of those four pass.

An agent under pressure to make a linter quiet will sooner change the rules than the code. The answer says what to do
instead: fix the code. A person who wants the rule changed edits the file, or allows it for a while:
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

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(target) = Target::of(event, cx) else { return };
        if is_protected(&target, cx) {
            if !cx.facts.may_edit(&target.real) {
                let what = format!("Protected linter config file ({}).", target.name());
                out.deny(META.id, what, "Fix the code, not the rules.").instead = Some(instead(&target));
            }
        } else if cx.config.protect_siblings
            && let Some(part) = PARTIAL.iter().find(|part| target.named(cx, |name| name == **part))
        {
            judge_parts(part, &target, cx, out);
        }
    }
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
fn judge_parts(name: &str, target: &Target<'_>, cx: &Context<'_>, out: &mut Findings) {
    let before = match cx.facts.read(&target.real) {
        Ok(text) => text.unwrap_or_default(),
        Err(unknown) => {
            let what = format!(
                "{name} cannot be read ({}), so it is unknown which settings this edit touches.",
                unknown.0
            );
            out.ask(META.id, what, "Linter settings in it are the person's.");
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
            _ => Vec::new(),
        },
    };
    if !parts.is_empty() && !cx.facts.may_edit(&target.real) {
        let what = format!("Protected linter settings in {name} ({}).", parts.join(", "));
        out.deny(META.id, what, "Fix the code, not the rules. Other parts of the file may be edited.")
            .instead = Some(instead(target));
    }
}
