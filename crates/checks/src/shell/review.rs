//! Commands that need no question: `shell/review`.

use std::fmt::Write;

use model::deed::{Object, Verb};
use model::{Decision, Event, EventName, Finding, Findings, Levels, Meta, On, Role, Tool};
use shell::programs::{Program, Role as Part, Where};
use shell::text::{SECRET, has_hole};
use shell::{Call, Direction, Reading};

use crate::{Check, Context};

mod code;
mod deeds;
mod files;
mod foreign;
mod installed;
mod repository;

static META: Meta = Meta {
    id: "shell/review",
    summary: "a command that is safe enough to run without asking",
    docs: "\
Approves a command, so that nobody has to be asked, when every program in it is known, every word of it is understood, and all it
does is read, build, test or write inside the project. One thing that is not leaves the whole command to the user, and where it
is known to be risky the reason is said. `git commit`, `push` and `merge` are never approved here; nor is anything that another check
denies or asks about; nor anything while the client decides by itself (`permission_mode: auto`).
",
    cases: include_str!("review.toml"),
    on: &[On::shell(EventName::PreToolUse)],
    role: Role::Grant,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// What a reviewer says of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Opinion {
    Safe,
    /// Known, and worth a look: with the reason.
    Risky(String),
    /// Not known here.
    Unknown,
}

impl Opinion {
    fn risky(why: &str) -> Self {
        Opinion::Risky(why.to_owned())
    }

    fn safe_if(safe: bool, why: &str) -> Self {
        if safe { Opinion::Safe } else { Opinion::risky(why) }
    }
}

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    // What is not known is not approved, whatever it says that it runs.
    let Some(Tool::Shell(command)) = event.tool_use().filter(|use_| use_.known).map(|use_| &use_.tool) else {
        return;
    };
    let Some(reading) = cx.reading(event).filter(|_| command.at.is_some()) else { return };
    // Whatever is called `ls` then, it is not what is known here.
    if changes_path(&command.text) {
        return;
    }
    match review(reading, event, cx) {
        Opinion::Safe => out.findings.push(Finding {
            rule: META.id,
            decision: Decision::Allow,
            what: "Every part of this command is known to be safe.".into(),
            why: "".into(),
            instead: None,
            at: None,
        }),
        // Where it runs anyway, there is nobody to be told.
        Opinion::Risky(_) if crate::autonomy::approves(event, cx) => {}
        Opinion::Risky(why) => {
            let mut text = String::from("not auto-approved: ");
            let _ = write!(text, "{why}");
            out.context.push(text);
        }
        Opinion::Unknown => {}
    }
}

/// The name of the variable that programs are found by, other than to be read: assigned, read into, looped over.
pub(crate) fn changes_path(command: &str) -> bool {
    command.match_indices("PATH").any(|(at, _)| {
        let before = command[..at].chars().next_back();
        let after = command[at + 4..].chars().next();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        !before.is_some_and(|c| word(c) || matches!(c, '$' | '{' | '-' | '/' | '.'))
            && !after.is_some_and(word)
    })
}

/// The whole command: safe only if all of it is; otherwise the first reason.
fn review(reading: &Reading, event: &Event, cx: &Context<'_>) -> Opinion {
    if !reading.doubts.is_empty() || !reading.unseen.is_empty() || reading.fork_bomb {
        return Opinion::Unknown;
    }
    // What the project's own scripts do is the project's; the guards have looked at it.
    let mut calls = reading.calls.iter().enumerate().filter(|(_, call)| call.script.is_none()).peekable();
    if calls.peek().is_none() {
        return Opinion::Unknown;
    }
    let mut worst = Opinion::Safe;
    for (at, call) in calls {
        let arrivals = cx.arrivals(event).iter().find(|arrivals| arrivals.call == at);
        let seen = arrivals.map(|arrivals| files::may_arrive(arrivals, call, cx));
        if seen == Some(false) {
            worst = Opinion::Unknown;
        }
        match judge(call, seen == Some(true), cx) {
            Opinion::Safe => {}
            risky @ Opinion::Risky(_) => return risky,
            Opinion::Unknown => worst = Opinion::Unknown,
        }
    }
    if worst == Opinion::Safe && repository::runs_something(reading, cx) {
        return Opinion::risky("the repository's own settings make git run something");
    }
    worst
}

/// `arrived`: what it unpacks or applies has been looked at, and may lie where it lands.
fn judge(call: &Call, arrived: bool, cx: &Context<'_>) -> Opinion {
    if let Some(why) = wrapped_in_risk(call) {
        return Opinion::Risky(why);
    }
    if let Some(opinion) = foreign::judge(call, cx) {
        return opinion;
    }
    if call.elsewhere {
        return Opinion::Unknown;
    }
    for redirect in &call.redirects {
        let writes =
            matches!(redirect.direction, Direction::Write | Direction::Append | Direction::ReadWrite);
        if writes && !files::may_write(&redirect.target.text, call, cx, true) {
            return Opinion::Risky(format!("it writes to {}", shell::text::show(&redirect.target.text)));
        }
    }
    if reads_secret(call, cx) {
        return Opinion::risky("it names a file that holds secrets");
    }
    if reads_private(call, cx) {
        return Opinion::risky("it reads the user's own settings or records");
    }
    if call.argv.is_empty() {
        return Opinion::Safe;
    }
    if let Some(word) = forced(call) {
        return Opinion::Risky(format!("{word} overrides a safety check"));
    }
    let program = call.program();
    if !shell::text::is_known(program)
        || (call.argv[0].text.contains('/') && !is_system_path(&call.argv[0].text))
    {
        return Opinion::Unknown;
    }
    deeds::judge(call, arrived, cx)
}

/// A word that tells a program not to mind: it needs a look whatever the program is.
fn forced(call: &Call) -> Option<&str> {
    let long = call.texts().find(|text| ["--force", "--hard", "--no-verify"].contains(text));
    // In a cluster, too: `git fetch -pf`.
    let short = || {
        let cluster = |text: &&str| {
            text.strip_prefix('-').is_some_and(|rest| {
                !rest.starts_with('-') && rest.contains('f') && rest.bytes().all(|b| b.is_ascii_alphabetic())
            })
        };
        call.texts()
            .find(cluster)
            .filter(|_| call.keeps_versions() && (call.chose("f") || call.chose("force")))
    };
    long.or_else(short)
}

/// Whether one call of a command needs no question by itself.
pub(crate) fn needs_no_question(reading: &Reading, at: usize, event: &Event, cx: &Context<'_>) -> bool {
    let call = &reading.calls[at];
    let arrivals = cx.arrivals(event).iter().find(|arrivals| arrivals.call == at);
    let seen = arrivals.map(|arrivals| files::may_arrive(arrivals, call, cx));
    seen != Some(false)
        && judge(call, seen == Some(true), cx) == Opinion::Safe
        && !repository::runs_for(call, cx)
}

/// Whether a call is started as it is, by this user and here, and writes nothing beside what it does itself.
pub(crate) fn is_started_plainly(call: &Call, cx: &Context<'_>) -> bool {
    let writes = |direction: &Direction| {
        matches!(direction, Direction::Write | Direction::Append | Direction::ReadWrite)
    };
    let mut redirects = call.redirects.iter().filter(|redirect| writes(&redirect.direction));
    wrapped_in_risk(call).is_none()
        && redirects.all(|redirect| files::may_write(&redirect.target.text, call, cx, true))
}

/// Wrappers that change who runs a program, or hide it.
fn wrapped_in_risk(call: &Call) -> Option<String> {
    // A search is judged by what it starts.
    let searches = |program: &Program| {
        program.operands.unwrap_or_default().iter().any(|operand| operand.role == Part::Search)
    };
    let known = |wrapper: &str| shell::programs::find(wrapper);
    let harmless = |program: &Program| program.style.transparent || searches(program);
    let wrapper = call.wrappers.iter().find(|wrapper| !known(wrapper).is_some_and(harmless))?;
    Some(match known(wrapper).map(|program| program.place) {
        Some(Where::User) => format!("{wrapper} runs it with the rights of another user"),
        Some(Where::Host) => "it runs on another machine".into(),
        _ => format!("it is run through {wrapper}"),
    })
}

fn is_system_path(path: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"]
        .iter()
        .any(|dir| path.starts_with(dir))
}

/// A path that leads down from where it is used, and nowhere else.
pub(super) fn is_plain(path: &str) -> bool {
    !path.starts_with(['/', '~', '\\']) && !path.contains("..") && !path.contains(':')
}

/// Files in a home, outside the project, that only their person knows to be harmless.
fn reads_private(call: &Call, cx: &Context<'_>) -> bool {
    const FILES: &[&str] = &[
        ".bash_profile",
        ".bashrc",
        ".editorconfig",
        ".gitconfig",
        ".gitignore",
        ".inputrc",
        ".profile",
        ".tmux.conf",
        ".vimrc",
        ".zprofile",
        ".zshrc",
    ];
    const FOLDERS: &[&str] = &[
        ".cache/",
        ".cargo/registry/",
        ".claude/",
        ".local/bin/",
        ".local/lib/",
        ".npm/_logs/",
        ".nvm/",
        ".pyenv/",
        ".rustup/",
    ];
    let Some(home) = cx.home() else { return false };
    let project = cx.project();
    let mut read =
        call.deeds.iter().filter(|deed| deed.verb == Verb::Reads).filter_map(|deed| match &deed.object {
            Object::Path { text, tree, .. } => Some((text.as_str(), *tree)),
            _ => None,
        });
    read.any(|(path, tree)| {
        // Below the project, and not out of it again.
        if is_plain(path) && shell::path::is_below(&call.cwd, project) {
            return false;
        }
        let absolute = shell::path::absolute(path, &call.cwd);
        // Everything, a home among it: `grep -R password /`.
        if tree && shell::path::is_below(home, &absolute) {
            return true;
        }
        if shell::path::is_below(&absolute, project) || !shell::path::is_below(&absolute, home) {
            return false;
        }
        let rest = absolute[home.len()..].trim_start_matches('/');
        // What a search finds there has any name.
        let found = rest == "*" || rest.starts_with(shell::text::is_hole);
        let hidden = rest.is_empty() || found || rest.starts_with('.') || rest.starts_with("Library/");
        hidden
            && !FILES.contains(&rest)
            && !FOLDERS.iter().any(|folder| rest.starts_with(folder))
            && !rest.ends_with(".pub")
    })
}

/// Files that hold secrets in some projects and none in others: nobody is stopped, and nobody is waved through.
fn may_hold_secrets(name: &str) -> bool {
    // All of them have one.
    if !name.as_bytes().contains(&b'.') {
        return false;
    }
    matches!(
        name,
        ".envrc"
            | ".htpasswd"
            | ".npmrc"
            | ".pypirc"
            | ".netrc"
            | ".yarnrc.yml"
            | "wp-config.php"
            | "auth.json"
            | "database.yml"
    ) || name.ends_with(".tfvars")
        || name.ends_with(".ovpn")
        || name.ends_with(".key")
        // All hidden files at once.
        || name.starts_with(".*")
}

/// `-rn`, `--color`: options that carry nothing.
fn is_bare_option(text: &str) -> bool {
    text.starts_with('-') && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn reads_secret(call: &Call, cx: &Context<'_>) -> bool {
    let secrets = call.secrets(cx.home());
    let secret = |text: &str| {
        let value = text.bytes().position(|b| b == b'=').map_or(text, |at| &text[at + 1..]);
        let path = value.trim_start_matches('@');
        let name = shell::path::name(path);
        // `--include='.env*'`: a pattern that a search is given.
        let pattern = || name.contains('*') && name.contains(".env") && shell::path::matches(name, ".env");
        secrets.names(path) || may_hold_secrets(name) || pattern()
    };
    // `cat .*`
    let found = |arg: &shell::Arg| {
        let name = shell::path::name(&arg.text);
        arg.glob && name.starts_with('.') && shell::path::matches(name, ".env")
    };
    // What is read and stands among the words is looked at there.
    let among = |path: &str| call.texts().any(|text| text == path);
    call.args().iter().any(found)
        || call.paths(&[Verb::Reads]).any(|(path, _)| !among(path) && secret(path))
        || call.texts().any(|text| {
            !is_bare_option(text)
                && !secrets.passes(text)
                && (has_hole(text, SECRET) || !text.as_bytes().contains(&b' ') && secret(text))
        })
        || call.redirects.iter().any(|r| secret(&r.target.text))
        || call.stdin.as_deref().is_some_and(|text| has_hole(text, SECRET))
}
