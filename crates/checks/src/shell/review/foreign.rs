//! What makes a tool of the project run something that is not the project's: another folder, a config or a plugin from elsewhere, a
//! variable that it acts upon. Such a command may well be right; it is the person's to say so.

use shell::Call;
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

/// Options by which a tool runs what they name: programs, without a version, and words that begin such an option.
static FLAGS: &[(&[&str], &[&str])] = &[
    (&["docker", "podman"], &["-H", "--host"]),
    (&["kubectl", "oc"], &["--kubeconfig", "--output-directory"]),
    (&["terraform", "tofu"], &["-plugin-dir"]),
];

/// Targets of a build that leave the project.
pub(super) const TARGETS: &[&str] =
    &["deploy", "install", "prod", "production", "publish", "release", "uninstall"];

/// Whether a task by this name does more than build: it deploys, publishes, or throws data away.
pub(super) fn leaves(task: &str) -> bool {
    const PARTS: &[&str] =
        &["deploy", "publish", "release", "prod", "reset", "drop", "destroy", "wipe", "purge", "nuke"];
    TARGETS.contains(&task)
        || PARTS.iter().any(|part| task.contains(part))
        || task.split_once('=').is_some_and(|(name, _)| matches!(name, "CC" | "CXX" | "LD" | "SHELL"))
}

/// What is to be said of a call that is not only about the project; `None` for one that is.
pub(super) fn judge(call: &Call, cx: &Context<'_>) -> Option<Opinion> {
    if let Some(why) = loads(call) {
        return Some(Opinion::risky(why));
    }
    // It may well be right, so there is nothing to warn of.
    works_elsewhere(call, cx).then_some(Opinion::Unknown)
}

/// Why this call runs something else than it seems to.
fn loads(call: &Call) -> Option<&'static str> {
    if call.vars.iter().any(|(name, value)| is_loaded(name) && !is_harmless(name, value)) {
        return Some("it sets a variable that other programs act upon");
    }
    // `python -m pytest` is pytest.
    let module = call.args().windows(2).find(|pair| pair[0].text == "-m").map(|pair| pair[1].text.as_str());
    let program = module.filter(|_| call.program().starts_with("python")).unwrap_or(call.program());
    let flags =
        FLAGS.iter().filter(|(programs, _)| programs.contains(&program)).flat_map(|(_, flags)| *flags);
    if flags.into_iter().any(|flag| call.texts().any(|text| text.starts_with(flag))) {
        return Some("one of its options makes it run or write something else");
    }
    if matches!(program, "open" | "xdg-open")
        && !call.texts().all(|text| text.starts_with('-') || is_document(text))
    {
        return Some("it may start what it opens");
    }
    if matches!(program, "docker" | "podman") && call.texts().any(|text| text.contains("://")) {
        return Some("it builds from elsewhere");
    }
    None
}

/// Whether it is run in, or pointed at, a place that is not the project's, or with a variable that nobody here knows.
pub(super) fn works_elsewhere(call: &Call, cx: &Context<'_>) -> bool {
    if call.vars.iter().any(|(name, value)| !is_harmless(name, value)) {
        return true;
    }
    let program = call.program();
    let composes = matches!(program, "docker" | "podman") && call.has("compose");
    let builds = call.does(model::deed::Verb::Builds);
    let starts = match call.words().entry {
        Some(entry) => !entry.language.is_empty(),
        None => super::tools::is_tool(program),
    };
    if !builds && !starts && !composes && !call.keeps_versions() {
        return false;
    }
    let outside = |path: &str| {
        let home = cx.facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
        let path = path.strip_prefix('~').map_or_else(|| path.to_owned(), |rest| format!("{home}{rest}"));
        let path = shell::path::absolute(&path, &call.cwd);
        let project = cx.facts.project().to_string_lossy().into_owned();
        is_known(&path)
            && !path.starts_with("/dev/")
            && !shell::path::is_below(&path, &project)
            && !is_in_worktree(&path, cx)
    };
    outside(&call.cwd) || call.texts().flat_map(paths_in).any(outside)
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
        "GIT_PAGER" | "PAGER" => matches!(value, "cat" | ""),
        _ => {
            HARMLESS.contains(&name)
                || name.starts_with("LC_")
                || shell::programs::variable(name) == Some(shell::programs::Role::Text)
        }
    }
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

/// Something to look at: an address, or a file that no program is.
fn is_document(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    text.starts_with("http://")
        || text.starts_with("https://")
        || name.rsplit_once('.').is_some_and(|(_, ending)| {
            matches!(
                ending,
                "css"
                    | "gif"
                    | "htm"
                    | "html"
                    | "jpeg"
                    | "jpg"
                    | "json"
                    | "md"
                    | "pdf"
                    | "png"
                    | "svg"
                    | "txt"
                    | "webp"
            )
        })
}
