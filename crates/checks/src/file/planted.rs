//! Code that runs by itself once it is written: `file/planted`.

use model::notebook::Cell;
use model::{
    Body, Change, Command, Decision, Event, EventName, Findings, Level, Levels, Meta, On, Role, Tool, ToolUse,
};

use super::persistence::brought;
use crate::context::View;
use crate::file::Target;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/planted",
    summary: "an edit that adds harmful code which runs automatically",
    docs: "\
Some files are run without anybody starting them: `preinstall` and the other scripts that a package manager runs, `.envrc`, hooks of
husky, `conftest.py`, `setup.py`, `sitecustomize.py`, tasks of an editor for when a folder is opened, cells of a notebook. What an edit adds to them is read as a command would be, and is a question
where that would be refused or asked about: code from the network, a deletion, a secret that is sent. So is a workflow that sends
secrets away, a lock file that takes packages from a bare number or over plain `http`, and another address for one of git's remotes.

Ordinary source, scripts and documents are not looked at here: they are read when they are run.
",
    cases: include_str!("planted.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// Whose answers count for code that starts by itself.
const JUDGES: &[&str] = &[
    "shell/destroy-files",
    "shell/destroy-disk",
    "shell/fork-bomb",
    "shell/halt",
    "shell/remote-code",
    "shell/reverse-shell",
    "shell/destroy-data",
    "shell/destroy-cloud",
    "shell/secret",
    "shell/persistence",
    "shell/self-protection",
];

/// What is longer is not looked through.
const LONGEST: usize = 256 * 1024;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(target) = Target::of(event, cx) else { return };
    let mut paths = target.paths().map(|path| path.to_string_lossy());
    let kind = paths.find_map(|path| Kind::of(&path, &target.edit.change, event));
    let Some(kind) = kind else { return };
    let added = brought(&target.edit.change);
    if added.is_empty() || added.len() > LONGEST || cx.may_edit(META.id, &target.real) {
        return;
    }
    let before = || cx.facts.read(&target.real).ok().flatten().unwrap_or_default();
    let name = target.name();
    match kind {
        Kind::Workflow => {
            if sends_secrets(&added) {
                let what = format!("{name} would send secrets of the repository away.");
                ask(out, what, "With them, anyone can do what the repository can do.");
            }
        }
        Kind::Lock => {
            let old = before();
            let odd = addresses(&added).find(|one| is_unchecked(one) && !old.contains(*one));
            if let Some(address) = odd {
                let what = format!("{name} would take a package from {address}.");
                ask(out, what, "No registry checks it, and everybody who installs the project gets it.");
            }
        }
        Kind::Remotes => {
            let old = before();
            let new = addresses(&added).find(|one| !old.contains(*one));
            if let Some(address) = new.filter(|_| !old.is_empty() || added.contains("url")) {
                let what = format!("This would make git fetch from, or push to, {address}.");
                ask(out, what, "Later pushes would go there.");
            }
        }
        Kind::Code(extract) => {
            let old = before();
            let found = extract(&added, &old).iter().find_map(|code| judged(code, event, cx));
            if let Some(what) = found {
                ask(out, format!("{name} would start this by itself. {what}"), "Nobody would be asked then.");
            }
        }
    }
}

fn ask(out: &mut Findings, what: String, why: &'static str) {
    out.ask(META.id, what, why).instead = Some("Tell the user what it is for, and let them add it.".into());
}

/// What a file is that matters as soon as it is written.
enum Kind {
    /// It holds commands, which this finds in what is added, given what was there.
    Code(fn(&str, &str) -> Vec<String>),
    Workflow,
    Lock,
    Remotes,
}

impl Kind {
    fn of(path: &str, change: &Change, event: &Event) -> Option<Self> {
        let name = shell::path::name(path);
        Some(match name {
            "package.json" => Kind::Code(lifecycle),
            ".envrc" => Kind::Code(|added, _| vec![added.to_owned()]),
            "tasks.json" if path.contains("/.vscode/") => Kind::Code(folder_tasks),
            "package-lock.json" | "npm-shrinkwrap.json" | "yarn.lock" | "pnpm-lock.yaml" => Kind::Lock,
            "config" if path.contains("/.git/") => Kind::Remotes,
            "conftest.py" | "setup.py" | "sitecustomize.py" | "usercustomize.py" => Kind::Code(python),
            _ if path.contains("/.husky/") && !path.contains("/.husky/_/") => {
                Kind::Code(|added, _| vec![added.to_owned()])
            }
            ".gitlab-ci.yml" => Kind::Workflow,
            _ if path.contains("/.github/workflows/") => Kind::Workflow,
            _ if matches!(change, Change::Cell { .. }) && !is_prose(event) => Kind::Code(cell),
            _ => return None,
        })
    }
}

/// A cell that is not run.
fn is_prose(event: &Event) -> bool {
    let kind = event.tool_use().and_then(|use_| use_.input.get("cell_type"));
    kind.and_then(|kind| kind.as_str()).is_some_and(|kind| kind != "code")
}

/// What a judge says of a command, where it would not let it pass.
fn judged(code: &str, event: &Event, cx: &Context<'_>) -> Option<String> {
    let body = Body::Tool(ToolUse {
        replaceable: false,
        id: None,
        name: "Bash".into(),
        known: true,
        tool: Tool::Shell(Command::new(code)),
        input: serde_json::Map::new(),
        outcome: model::Outcome::Pending,
        odd: None,
    });
    let started = Event { body, ..event.clone() };
    let view = View::default();
    let cx = cx.about(&view);
    let judges = crate::shell::CHECKS.iter().filter(|check| {
        let meta = check.meta;
        JUDGES.contains(&meta.id) && crate::level(meta, cx.config) != Level::Off
    });
    for judge in judges {
        let mut found = Findings::default();
        (judge.run)(&started, &cx, &mut found);
        if let Some(finding) = found.findings.into_iter().find(|one| one.decision >= Decision::Ask) {
            return Some(finding.what);
        }
    }
    None
}

/// Scripts that a package manager runs by itself, as far as they are new.
fn lifecycle(added: &str, old: &str) -> Vec<String> {
    const SCRIPTS: &[&str] = &[
        "preinstall",
        "install",
        "postinstall",
        "preprepare",
        "prepare",
        "postprepare",
        "prepublish",
        "prepublishOnly",
        "prepack",
        "postpack",
        "dependencies",
        "preuninstall",
        "postuninstall",
    ];
    let found = SCRIPTS.iter().flat_map(|name| values(added, name));
    found.filter(|command| !values(old, "").any(|known| known == *command)).collect()
}

/// Commands of tasks that start when the folder is opened.
fn folder_tasks(added: &str, old: &str) -> Vec<String> {
    if !added.contains("folderOpen") && !old.contains("folderOpen") {
        return Vec::new();
    }
    values(added, "command").collect()
}

/// Python that a test runner, an installer or every Python reads before anything else.
fn python(added: &str, _: &str) -> Vec<String> {
    vec![format!("python3 -c {}", shell::quote(added))]
}

fn cell(added: &str, _: &str) -> Vec<String> {
    let cell = Cell::read(added);
    let mut found = Vec::new();
    if !cell.commands.is_empty() {
        found.push(cell.commands.join("\n"));
    }
    if !cell.code.trim().is_empty() {
        found.push(format!("python3 -c {}", shell::quote(&cell.code)));
    }
    found.extend(cell.statements.iter().map(|statement| format!("psql -c {}", shell::quote(statement))));
    found
}

/// The texts that stand under a name in JSON, which may be only a part of a document; every text, for no name.
fn values<'a>(json: &'a str, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let key = format!("\"{name}\"");
    let starts: Vec<usize> = if name.is_empty() {
        json.match_indices(':').map(|(at, _)| at).collect()
    } else {
        json.match_indices(&key).map(|(at, key)| at + key.len()).collect()
    };
    starts.into_iter().filter_map(move |at| {
        let rest = json[at..].trim_start().trim_start_matches(':').trim_start();
        let literal = rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = literal.find(|c: char| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        })?;
        serde_json::from_str(&rest[..end + 2]).ok()
    })
}

/// Whether a line of a workflow hands secrets to an address: all of them at once, or one in what the address asks.
fn sends_secrets(text: &str) -> bool {
    text.lines().any(|line| {
        let bare: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let asked = bare.split("://").skip(1).any(|rest| {
            let address = rest.split(['"', '\'']).next().unwrap_or(rest);
            address.split_once('?').is_some_and(|(_, query)| query.contains("${{secrets."))
        });
        bare.contains("://") && (bare.contains("toJSON(secrets)") || asked)
    })
}

/// The addresses in a text, `git@host:path` among them.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '<' | '>' | ')');
    text.split(ends).filter(|word| {
        word.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
            || word.split_once('@').is_some_and(|(user, host)| {
                let plain = |text: &str| {
                    text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'))
                };
                !user.is_empty()
                    && plain(user)
                    && host.split_once(':').is_some_and(|(host, path)| plain(host) && !path.is_empty())
            })
    })
}

/// An address that nobody answers for: a bare number, or what anybody on the way can change.
fn is_unchecked(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or(rest);
    let number = host.split('.').count() == 4 && host.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    !shell::address::is_here(address) && (scheme == "http" || number && scheme.starts_with("http"))
}
