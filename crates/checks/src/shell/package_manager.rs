//! Other package managers than the project's: `shell/package-manager`.
//!
//! `invocation` finds them in what the command comes down to, `translate` says them in the words of the preferred one, by the
//! tables in `python` and `javascript`, and `written` puts that in their place.

mod form;
mod invocation;
mod javascript;
mod locked;
mod project;
mod python;
#[cfg(test)]
mod tests;
mod translate;
mod written;

use std::ops::Range;

use model::config::PackageManager;
use model::environment::{HOOK_DEBUG_PM, HOOK_LOG_PM, HOOK_SKIP_PM, Variable};
use model::{Effect, Event, Findings, Meta};
use shell::Call;

use self::form::Ecosystem;
use self::invocation::Invocation;
use self::written::{Draft, Edit, Written};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/package-manager",
    "a package manager that the project does not use",
    "\
One project, one lock file. Where a project uses uv, `pip`, `python -m pip`, `python -m venv`, `poetry` and `pipenv` are refused; where it uses
bun, `npm`, `npx`, `yarn` and `pnpm`. The answer is the whole command in the words of the right one, ready to run. Registry
commands without an effect on dependencies (`npm audit`, `pip download`) and questions for a version or for help pass, and so does
everything behind `uv run` or `bunx`, in a container or on another machine, or in a script of the project.

In a project of npm, pnpm, yarn or poetry only what changes dependencies counts (`npm install x` where there is a `pnpm-lock.yaml`), because
that would leave a second lock file; running scripts and programs with another one passes.

`package_managers.python` and `package_managers.javascript` choose: `\"uv\"`, `\"poetry\"`, `\"bun\"`, `\"npm\"`, `\"pnpm\"` or `\"yarn\"` refuses the
others, `\"uv:warn\"` only says so, `false` is off, and `\"auto\"`, the default, refuses where there is a `uv.lock` or a `[tool.uv]` table, a
`poetry.lock`, a lock file of one of the others, or `\"packageManager\"` in `package.json`. Under `\"auto\"` nothing is demanded that is not
there: where the project's own manager is not installed, you are asked.
`package_managers.allowed_subcommands` lists what stays allowed. `HOOK_SKIP_PM=1` switches it off for a session.
",
    include_str!("package_manager.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let is_set = |variable: &Variable| cx.facts.env(variable).as_deref() == Some("1");
    let Some((reading, command)) = cx.reading(event).zip(event.command()) else { return };
    if is_set(&HOOK_SKIP_PM) {
        return;
    }
    let uses = find(&reading.calls, command, cx);
    let (blocked, asked, warned) = (uses.tools(Mode::Block), uses.tools(Mode::Ask), uses.tools(Mode::Warn));
    if !asked.is_empty() && blocked.is_empty() {
        let text = format!(
            "{} in a project of {}, which is not installed here: a second lock file would not fit the first. With it: {}",
            asked.join(", "),
            uses.wanted.join(", "),
            uses.suggestion()
        );
        out.ask(META.id, text, "").at.clone_from(&uses.first);
    }
    if !blocked.is_empty() {
        let text = format!("[hook:block] {} not allowed. Use: {}", blocked.join(", "), uses.suggestion());
        out.deny(META.id, text, "").at.clone_from(&uses.first);
        uses.missing_tools(cx, out);
    }
    if !warned.is_empty() {
        out.context.push(format!(
            "[hook:advisory] {} detected. Prefer: {}",
            warned.join(", "),
            uses.suggestion()
        ));
    }
    let (action, tools) = match (blocked.is_empty(), asked.is_empty(), warned.is_empty()) {
        (false, ..) => ("block_compound", blocked.join(", ")),
        (true, false, _) => ("ask_compound", asked.join(", ")),
        (true, true, false) => ("warn_compound", warned.join(", ")),
        (true, true, true) => ("approve", String::new()),
    };
    if is_set(&HOOK_DEBUG_PM) {
        let tools = if tools.is_empty() { String::new() } else { format!(", tools='{tools}'") };
        out.account
            .aloud
            .push(format!("[hook:debug] PM check: command='{command}', action='{action}'{tools}"));
    }
    if is_set(&HOOK_LOG_PM) {
        out.effects.push(Effect::PackageManagerLog { action, tools, command: command.to_owned() });
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Block,
    /// What the project uses is not installed.
    Ask,
    Warn,
}

/// What is wanted in the place of others, and how firmly; `None` where nothing is.
fn wanted(ecosystem: Ecosystem, cwd: &str, cx: &Context<'_>) -> Option<(&'static str, Mode)> {
    let set = match ecosystem {
        Ecosystem::Python => &cx.config.python_manager,
        Ecosystem::JavaScript => &cx.config.javascript_manager,
    };
    let tool = |name: &str| locked::named(name).unwrap_or(ecosystem.preferred());
    match set {
        PackageManager::Enforce(name) => Some((tool(name), Mode::Block)),
        PackageManager::Warn(name) => Some((tool(name), Mode::Warn)),
        PackageManager::Off => None,
        PackageManager::Auto => {
            let uses = project::uses(ecosystem, cx.facts).then(|| ecosystem.preferred());
            let tool = uses.or_else(|| locked::used(ecosystem, cwd, cx.facts))?;
            Some((tool, if cx.facts.has_program(tool) { Mode::Block } else { Mode::Ask }))
        }
    }
}

/// What was found in a command.
struct Uses<'a> {
    draft: Draft<'a>,
    /// Replacements of what does not stand in the command as words.
    alone: Vec<String>,
    /// Each tool once, in the order of the command.
    tools: Vec<(&'static str, Ecosystem, Mode)>,
    first: Option<Range<usize>>,
    /// What they are to give way to.
    wanted: Vec<&'static str>,
}

impl Uses<'_> {
    fn tools(&self, mode: Mode) -> Vec<&'static str> {
        self.tools.iter().filter(|(_, _, of)| *of == mode).map(|(name, ..)| *name).collect()
    }

    fn suggestion(&self) -> String {
        let alone = self.alone.join("; ");
        if self.draft.edits.is_empty() {
            return alone;
        }
        let whole = self.draft.text(0..self.draft.command.len());
        if alone.is_empty() { whole } else { format!("{whole} (and inside it: {alone})") }
    }

    /// Says once in a session that the replacement cannot be had.
    fn missing_tools(&self, cx: &Context<'_>, out: &mut Findings) {
        for ecosystem in Ecosystem::ALL {
            let tool = ecosystem.preferred();
            if !self.wanted.contains(&tool) {
                continue;
            }
            let blocked = self.tools.iter().any(|(_, of, mode)| *of == ecosystem && *mode == Mode::Block);
            let key = format!("{tool}-not-found");
            if blocked && !cx.facts.has_program(tool) && !cx.facts.was_said(&key) {
                let hint = ecosystem.install_hint();
                let text = format!(
                    "[hook:warning] {tool} not found — blocked but replacement unavailable. Install: {hint}"
                );
                out.context.push(text);
                out.effects.push(Effect::Said(key));
            }
        }
    }
}

fn find<'a>(calls: &[Call], command: &'a str, cx: &Context<'_>) -> Uses<'a> {
    let mut uses = Uses {
        draft: Draft { command, edits: Vec::new() },
        alone: Vec::new(),
        tools: Vec::new(),
        first: None,
        wanted: Vec::new(),
    };
    // What is started by a call that has been replaced, or by the preferred tool, is part of it.
    let mut cover: Option<usize> = None;
    for call in calls {
        let starter = cover.and_then(|depth| call.wrappers.get(depth));
        if starter.is_some_and(|wrapper| RUNNERS.contains(wrapper)) {
            continue;
        }
        cover = (call.program() == "bun").then_some(call.wrappers.len());
        if !Invocation::is_possible(call) || is_elsewhere(call) {
            continue;
        }
        let written = Written::of(call, &uses.draft);
        let Some(invocation) = Invocation::of(&written.words) else { continue };
        let ecosystem = invocation.manager.ecosystem;
        if invocation.is_diagnostic() || is_allowed(&invocation, cx) {
            continue;
        }
        let Some((wanted, mode)) = wanted(ecosystem, &call.cwd, cx) else { continue };
        let replacement = if wanted == ecosystem.preferred() {
            Some(invocation.replacement(&|name| project::has_script(name, &call.cwd, cx.facts)))
        } else if wanted == invocation.manager.key {
            None
        } else {
            locked::replacement(wanted, &invocation)
        };
        let Some(mut text) = replacement else { continue };
        cover = Some(call.wrappers.len());
        if !uses.wanted.contains(&wanted) {
            uses.wanted.push(wanted);
        }
        match &written.span {
            Some(span) => {
                written.asides.iter().for_each(|aside| text = format!("{text} {aside}"));
                uses.draft.put(Edit { span: span.clone(), text });
                uses.first.get_or_insert_with(|| span.clone());
            }
            None if uses.alone.contains(&text) => {}
            None => uses.alone.push(text),
        }
        let name = invocation.manager.name;
        if !uses.tools.iter().any(|(known, ..)| *known == name) {
            uses.tools.push((name, ecosystem, mode));
        }
    }
    uses
}

const RUNNERS: &[&str] = &["npm", "npx", "pipenv", "pnpm", "poetry", "python", "yarn"];

/// Code that the agent did not write, another machine, and what the preferred tool itself starts.
fn is_elsewhere(call: &Call) -> bool {
    call.script.is_some()
        || call.elsewhere
        || call.wrappers.iter().any(|wrapper| matches!(*wrapper, "uv" | "uvx" | "bun" | "bunx" | "ssh"))
}

fn is_allowed(invocation: &Invocation, cx: &Context<'_>) -> bool {
    let list = cx.config.allowed_subcommands.get(invocation.manager.key);
    invocation.verb().is_some_and(|verb| list.is_some_and(|list| list.iter().any(|allowed| allowed == verb)))
}
