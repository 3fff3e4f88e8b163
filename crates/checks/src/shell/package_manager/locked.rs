//! Projects of npm, pnpm, yarn and poetry: what changes dependencies has to go through the one whose lock file is there. What only
//! runs something (`npm run`, `npx`) leaves no lock file behind and passes.

use std::path::{Path, PathBuf};

use model::Facts;

use super::form::Ecosystem;
use super::invocation::Invocation;
use super::project::package_json;

/// Each with its lock files, and how it says what changes dependencies.
struct Locked {
    tool: &'static str,
    ecosystem: Ecosystem,
    files: &'static [&'static str],
    /// In the order of `Change`: install, add, remove, update, install exactly what is locked.
    words: [&'static str; 5],
    /// The option by which a package is for development only.
    dev: &'static str,
}

static LOCKED: &[Locked] = &[
    Locked {
        tool: "pnpm",
        ecosystem: Ecosystem::JavaScript,
        files: &["pnpm-lock.yaml"],
        words: ["pnpm install", "pnpm add", "pnpm remove", "pnpm update", "pnpm install --frozen-lockfile"],
        dev: "--save-dev",
    },
    Locked {
        tool: "yarn",
        ecosystem: Ecosystem::JavaScript,
        files: &["yarn.lock"],
        words: ["yarn install", "yarn add", "yarn remove", "yarn upgrade", "yarn install --frozen-lockfile"],
        dev: "--dev",
    },
    Locked {
        tool: "npm",
        ecosystem: Ecosystem::JavaScript,
        files: &["package-lock.json", "npm-shrinkwrap.json"],
        words: ["npm install", "npm install", "npm uninstall", "npm update", "npm ci"],
        dev: "--save-dev",
    },
    Locked {
        tool: "poetry",
        ecosystem: Ecosystem::Python,
        files: &["poetry.lock"],
        words: ["poetry install", "poetry add", "poetry remove", "poetry update", "poetry install"],
        dev: "--group dev",
    },
];

/// What is done to the dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Install,
    Add,
    Remove,
    Update,
    Exact,
}

/// The tool of this name, if it is one of these.
pub(super) fn named(tool: &str) -> Option<&'static str> {
    LOCKED.iter().map(|locked| locked.tool).find(|name| *name == tool)
}

/// Whose lock file is there: the package's own in the folder of the call, else the project's. Two of them are no answer, unless
/// `packageManager` says which one counts.
pub(super) fn used(ecosystem: Ecosystem, cwd: &str, facts: &dyn Facts) -> Option<&'static str> {
    let project = facts.project();
    let folder = if shell::text::is_known(cwd) { PathBuf::from(cwd) } else { project.to_owned() };
    let places = [folder.as_path(), project];
    let places = if folder == project { &places[..1] } else { &places };
    places.iter().find_map(|place| used_in(ecosystem, place, facts))
}

fn used_in(ecosystem: Ecosystem, folder: &Path, facts: &dyn Facts) -> Option<&'static str> {
    let read = |name: &str| facts.read(&folder.join(name)).ok().flatten();
    let of_it = || LOCKED.iter().filter(|locked| locked.ecosystem == ecosystem);
    if ecosystem == Ecosystem::JavaScript
        && let Some(text) = read("package.json")
        && let Some(said) = package_json(&text)["packageManager"].as_str()
    {
        let name = said.split('@').next().unwrap_or_default();
        return of_it().map(|locked| locked.tool).find(|tool| *tool == name);
    }
    let mut found = of_it().filter(|locked| locked.files.iter().any(|name| read(name).is_some()));
    let first = found.next()?;
    found.next().is_none().then_some(first.tool)
}

/// The same in the words of `tool`; `None` where it changes no dependency of the project.
pub(super) fn replacement(tool: &str, invocation: &Invocation) -> Option<String> {
    let locked = LOCKED.iter().find(|locked| locked.tool == tool)?;
    let words: Vec<&str> = invocation.words.iter().map(|word| word.text.as_str()).collect();
    // The machine's packages and other folders are not the project's.
    let away = ["-g", "--global", "-C", "--prefix", "--dir", "--cwd", "--target", "-t", "--user", "global"];
    if words.iter().any(|word| away.contains(&word.split('=').next().unwrap_or_default())) {
        return None;
    }
    let verb = invocation.verb().unwrap_or_default();
    let after = words.iter().position(|word| *word == verb).map_or(0, |at| at + 1);
    let given = Given::of(&invocation.words[after.min(invocation.words.len())..]);
    let change = change(invocation.manager.key, verb, &given)?;
    let mut line = locked.words[change as usize].to_owned();
    if given.dev && change == Change::Add {
        line = format!("{line} {}", locked.dev);
    }
    if matches!(change, Change::Add | Change::Remove | Change::Update) {
        given.packages.iter().for_each(|package| line = format!("{line} {package}"));
    }
    Some(line)
}

fn change(manager: &str, verb: &str, given: &Given) -> Option<Change> {
    let named = !given.packages.is_empty();
    let install = if named { Change::Add } else { Change::Install };
    match (manager, verb) {
        ("npm" | "pnpm", "install" | "i" | "add") | ("yarn", "add") => Some(install),
        ("npm", "ci" | "clean-install") => Some(Change::Exact),
        ("yarn", "" | "install") => Some(Change::Install),
        ("npm" | "pnpm", "uninstall" | "remove" | "rm" | "un") | ("yarn", "remove") => Some(Change::Remove),
        ("npm" | "pnpm", "update" | "up" | "upgrade") | ("yarn", "upgrade" | "up") => Some(Change::Update),
        ("pip" | "pipenv", "install") | ("poetry", "install" | "add") => Some(install),
        ("pip" | "pipenv", "uninstall") | ("poetry", "remove") => Some(Change::Remove),
        ("poetry" | "pipenv", "update") => Some(Change::Update),
        _ => None,
    }
}

/// What a verb is given.
struct Given {
    /// As they are written.
    packages: Vec<String>,
    dev: bool,
}

impl Given {
    fn of(words: &[super::translate::Word]) -> Self {
        let mut given = Self { packages: Vec::new(), dev: false };
        let mut skip = false;
        for word in words {
            let text = word.text.as_str();
            if std::mem::take(&mut skip) {
                continue;
            }
            match text {
                "-D" | "--save-dev" | "--dev" | "-d" => given.dev = true,
                // The value is a file, an address or a folder, not a package to be named.
                "-r" | "--requirement" | "-c" | "--constraint" | "-e" | "--editable" | "-i"
                | "--index-url" | "--extra-index-url" | "-f" | "--find-links" | "--registry" | "--filter"
                | "-F" | "-w" | "--workspace" | "--group" | "-G" => skip = true,
                _ if text.starts_with('-') => {}
                // The project itself.
                "." | "./" => {}
                _ => given.packages.push(word.source.clone()),
            }
        }
        given
    }
}
