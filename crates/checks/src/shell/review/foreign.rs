//! What makes a tool of the project run something that is not the project's: another folder, a config or a plugin from elsewhere, a
//! variable that it acts upon. Such a command may well be right; it is the user's to say so.

use shell::Call;
use shell::programs::{Output, Role};
use shell::text::is_known;

use super::Opinion;
use crate::Context;

/// Variables that change how a program talks, or which of the project's own settings it takes, and not what it runs.
const HARMLESS: &[&str] = &[
    "APP_ENV",
    "CARGO_INCREMENTAL",
    "CARGO_TERM_COLOR",
    "CGO_ENABLED",
    "CI",
    "COLUMNS",
    "DEBUG",
    "DJANGO_SETTINGS_MODULE",
    "FLASK_ENV",
    "FORCE_COLOR",
    "GOARCH",
    "GOMAXPROCS",
    "GOOS",
    "HOST",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOG_LEVEL",
    "MIX_ENV",
    "NODE_ENV",
    "NO_COLOR",
    "PORT",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "RACK_ENV",
    "RAILS_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TESTING",
    "TZ",
    "VERBOSE",
];

/// How variables begin that make a program load or run something else.
const LOADED: &[&str] = &[
    "BASH_",
    "BROWSER",
    "CARGO_",
    "DYLD_",
    "EDITOR",
    "ENV",
    "GIT_",
    "HIST",
    "HOME",
    "IFS",
    "JAVA_TOOL",
    "LD_",
    "LESSOPEN",
    "MANPAGER",
    "NODE_OPTIONS",
    "NPM_CONFIG",
    "PAGER",
    "PATH",
    "PERL5",
    "PROMPT_COMMAND",
    "PYTHON",
    "RUBY",
    "RUSTC",
    "SHELLOPTS",
    "VISUAL",
    "npm_config",
];

/// Targets of a build that leave the project.
pub(super) const TARGETS: &[&str] =
    &["deploy", "install", "prod", "production", "publish", "release", "uninstall"];

/// Whether a task by this name does more than build: it deploys, publishes, or throws data away.
pub(super) fn leaves(task: &str) -> bool {
    const PARTS: &[&str] = &[
        "deploy",
        "publish",
        "release",
        "prod",
        "reset",
        "drop",
        "destroy",
        "wipe",
        "purge",
        "nuke",
        "migrat",
        "flash",
        "upload",
        "rollback",
        "teardown",
        "provision",
    ];
    TARGETS.contains(&task)
        || PARTS.iter().any(|part| task.contains(part))
        || task.split_once('=').is_some_and(|(name, _)| matches!(name, "CC" | "CXX" | "LD" | "SHELL"))
}

/// What is to be said of a call that is not only about the project; `None` for one that is.
pub(super) fn judge(call: &Call, cx: &Context<'_>) -> Option<Opinion> {
    if call.vars.iter().any(|(name, value)| is_loaded(name) && !is_harmless(name, value)) {
        return Some(Opinion::risky("it sets a variable that other programs act upon"));
    }
    // It may well be right, so there is nothing to warn of.
    works_elsewhere(call, cx).then_some(Opinion::Unknown)
}

/// Whether it is run in, or pointed at, a place that is not the project's, or with a variable that nobody here knows.
fn works_elsewhere(call: &Call, cx: &Context<'_>) -> bool {
    if call.vars.iter().any(|(name, value)| !is_harmless(name, value)) {
        return true;
    }
    let builds = call.does(model::deed::Verb::Builds);
    let acts = call.words().entry.is_some_and(|entry| entry.acts);
    if !builds && !acts && !call.keeps_versions() {
        return false;
    }
    let outside = |path: &str| {
        let home = || cx.facts.home().map(|home| home.to_string_lossy()).unwrap_or_default();
        let path = match path.strip_prefix('~') {
            Some(rest) => shell::path::absolute(&format!("{}{rest}", home()), &call.cwd),
            None => shell::path::absolute(path, &call.cwd),
        };
        is_outside(&path, cx)
    };
    is_outside(&call.cwd, cx) || call.texts().filter(|text| leads(text)).flat_map(paths_in).any(outside)
}

/// Whether an absolute path is neither the project's nor one that every program has.
fn is_outside(path: &str, cx: &Context<'_>) -> bool {
    is_known(path)
        && !path.starts_with("/dev/")
        && !shell::path::is_below(path, cx.project())
        && !is_in_worktree(path, cx)
}

/// The project's other work trees are the project's.
fn is_in_worktree(path: &str, cx: &Context<'_>) -> bool {
    let Some(repository) = cx.facts.repository(cx.facts.project()) else { return false };
    let trees = repository.worktrees.iter().chain([&repository.root, &repository.main_root]);
    trees.into_iter().any(|tree| shell::path::is_below(path, &tree.to_string_lossy()))
}

/// Whether other programs act upon a variable.
pub(super) fn is_loaded(name: &str) -> bool {
    LOADED.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a variable may stand before an approved command.
pub(super) fn is_harmless(name: &str, value: &str) -> bool {
    match name {
        "PYTHONPATH" => value
            .split(':')
            .all(|path| is_known(path) && !path.starts_with(['/', '~']) && !path.contains("..")),
        "GIT_PAGER" | "PAGER" => value.is_empty() || is_plain_pager(value),
        _ => {
            HARMLESS.contains(&name)
                || name.starts_with("LC_")
                || shell::programs::variable(name) == Some(Role::Text)
        }
    }
}

/// What prints everything at once, and nothing else.
fn is_plain_pager(name: &str) -> bool {
    shell::programs::find(name)
        .is_some_and(|program| program.output == Some(Output::Same) && program.language.is_empty())
}

/// Whether a word has something of a path that leads out; most have not.
fn leads(word: &str) -> bool {
    let mut before = 0;
    word.bytes().any(|byte| {
        let leads = matches!(byte, b'/' | b'~') || byte == b'.' && before == b'.';
        before = byte;
        leads
    })
}

/// The paths that a word may hold: itself, what follows `=` or `:`, what follows a short option.
fn paths_in(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let last = word.rsplit_once(['=', ':']).map(|(_, value)| value);
    let short = word.get(2..).filter(|_| word.starts_with('-') && !word.starts_with("--"));
    let is_path = |text: &&str| {
        (text.starts_with('/') || text.starts_with("~/") || *text == "~" || text.starts_with(".."))
            && !text.contains(char::is_whitespace)
            // The rest of an address, or a target of a build.
            && !text.starts_with("//")
    };
    [Some(word), value, last, short].into_iter().flatten().filter(is_path)
}
