//! Code that nobody has seen: `shell/remote-code`.

use model::deed::{Deed, Object, Verb};
use model::{Event, Facts, Findings, Meta};
use shell::programs::{Brings, Role};
use shell::text::{DECODED, NET, PAST, has_hole, show};
use shell::{Call, Reading, Unseen};

use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/remote-code",
    "code from the network, or decoded from something unknown, that is run unseen",
    "\
Refuses to run what was just downloaded: `curl … | sh` in every form (through `tee`, `sed`, a substitution, a process substitution,
a file that is then run, `eval`, an interpreter that fetches and evaluates), and text that is decoded on its way to a shell.
Downloading and reading pass, and so does piping into programs that do not run their input (`jq`, `less`, `json.tool`).
A package from an address instead of a registry (`npm i https://…`, `pip install git+https://…`, an index over plain `http`), a package
that was just downloaded, a script of a repository that was just cloned, and a build of what was just patched from the network are
questions.
",
    include_str!("remote_code.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for unseen in reading.unseen.iter().filter(|unseen| unseen.by != "reverse shell") {
        if let Some(what) = origin(unseen) {
            let finding = out.deny(
                META.id,
                format!("This runs {what} that nobody has looked at."),
                "Whatever it says would happen.",
            );
            finding.instead = Some(
                "Download it, read it, then run the file: `curl -fsSLo install.sh <url>`, `cat install.sh`."
                    .into(),
            );
            finding.at.clone_from(&unseen.span);
            return;
        }
    }
    if let Some(call) = reading.calls.iter().find(|call| runs_download(call)) {
        let what = format!("`{}` runs code straight from the network.", call.line());
        out.deny(META.id, what, "Whatever it says would happen.").instead = Some(
            "Download it, read it, then run the file: `curl -fsSLo install.sh <url>`, `cat install.sh`."
                .into(),
        );
        return;
    }
    let posing = reading.calls.iter().flat_map(|call| &call.deeds).find_map(|deed| match &deed.object {
        Object::Address(text) if shell::address::pretends(text) => Some(show(text)),
        _ => None,
    });
    if let Some(address) = posing {
        let what = format!("`{address}` looks like the address of another host than it is.");
        out.ask(META.id, what, "Whoever made it wants it to be taken for the other one.");
    }
    if let Some((name, value)) =
        reading.calls.iter().find_map(|call| preloaded(call, cx.facts).or_else(|| set_to_temporary(call)))
    {
        let what = format!("`{name}={}` loads code from elsewhere into what is started.", show(&value));
        out.ask(META.id, what, "Nobody has looked at it, and it can do whatever the program can.");
    }
    if let Some(what) = brought(reading) {
        out.ask(META.id, what, "Nobody has looked at it, and it runs as it is installed or started.")
            .instead = Some("Get it first and read it, or take the package of a registry.".into());
    }
}

/// What the tables say of packages that come from where nobody checks them.
const FROM_ADDRESS: &str = "from an address";

/// Code from elsewhere that is installed, or that this very command has brought and then starts.
fn brought(reading: &Reading) -> Option<String> {
    let mut cloned: Vec<String> = Vec::new();
    let mut patched = false;
    for call in reading.calls.iter().filter(|call| !call.words().rehearses) {
        let line = || show(&call.line());
        let foreign = |deed: &Deed| match &deed.object {
            Object::Address(_) => true,
            object => object.text() == FROM_ADDRESS,
        };
        let mut installs = call.deeds.iter().filter(|deed| deed.verb == Verb::Installs).peekable();
        let downloaded = || call.files.iter().any(|(_, text)| text.contains(NET));
        if installs.peek().is_some() && (installs.any(foreign) || downloaded()) {
            return Some(format!("`{}` installs code from an address, not from a registry.", line()));
        }
        if call.concerns("what it downloads") {
            return Some(format!("`{}` runs what it downloads.", line()));
        }
        // What a program in a container has fetched comes out as its own words.
        let afar = |text: &str| text.contains("://") && !shell::address::is_here(text);
        let fetched =
            |at: usize| reading.calls.get(at).is_some_and(|fed| fed.elsewhere && fed.texts().any(afar));
        let reads_code = call.words().entry.is_some_and(|entry| entry.style.stdin && entry.style.plus);
        if reads_code && !reading.unseen.is_empty() && call.fed_by.clone().any(fetched) {
            return Some(format!("`{}` runs what a container has fetched.", line()));
        }
        let below = |path: &str| {
            let path = shell::path::absolute(path, &call.cwd);
            cloned.iter().any(|copy| path != *copy && shell::path::is_below(&path, copy))
        };
        let program = call.argv.first().map(|arg| arg.text.as_str()).filter(|text| text.contains('/'));
        if program.into_iter().chain(call.with_role(Role::Script)).any(below) {
            return Some(format!("`{}` runs code of a repository that was just cloned.", line()));
        }
        if patched && (call.does(Verb::Builds) || call.does(Verb::Runs)) {
            return Some(format!("`{}` runs what was just patched from the network.", line()));
        }
        cloned.extend(copies(call));
        let patches = |brings: Brings| matches!(brings, Brings::Patch | Brings::Apply | Brings::Mailbox);
        let patches = call.words().entry.and_then(|entry| entry.brings).is_some_and(patches);
        patched |= patches && call.stdin.as_deref().is_some_and(|text| text.contains(NET));
    }
    None
}

/// The folders that a call copies a repository of another machine to.
fn copies(call: &Call) -> Vec<String> {
    let afar = |deed: &Deed| match &deed.object {
        Object::Address(address) => deed.verb == Verb::Fetches && !shell::address::is_here(address),
        _ => false,
    };
    if !call.keeps_versions() || !call.deeds.iter().any(afar) {
        return Vec::new();
    }
    call.paths(&[Verb::Keeps]).map(|(path, _)| shell::path::absolute(path, &call.cwd)).collect()
}

fn origin(unseen: &Unseen) -> Option<&'static str> {
    if unseen.by == "BASH_ENV" {
        // Every shell runs it before anything else, and it is not of this project.
        Some("a script that cannot be read")
    } else if unseen.code.contains(NET) {
        Some("code from the network")
    } else if unseen.code.contains(DECODED) {
        Some("decoded text")
    } else if unseen.code.contains(PAST) {
        Some("commands of the past")
    } else {
        // Unknown, but nothing says that it is foreign: a variable of the user's own, a local file.
        None
    }
}

/// Options by which an interpreter loads a file before anything else.
const LOADING: &[&str] = &["--require", "--import", "--loader", "--experimental-loader"];

/// A variable by which other programs load code, from where anybody may have put it.
fn preloaded(call: &Call, facts: &dyn Facts) -> Option<(String, String)> {
    if call.vars.is_empty() {
        return None;
    }
    let project = facts.project().to_string_lossy().into_owned();
    let loads = |name: &str| matches!(shell::programs::variable(name), Some(Role::Script | Role::Code));
    // By itself, in a list, or behind the option that loads it: `--require /tmp/x.js`, `-M/tmp/x`, `@/tmp/x.lua`.
    let bare = |word: &'_ str| -> String {
        let option = word.split_once('=').filter(|(name, _)| LOADING.contains(name));
        let word = option.map_or(word, |(_, value)| value);
        let letters = ["-r", "-M", "-I", "@"].iter().find_map(|letter| word.strip_prefix(letter));
        letters.unwrap_or(word).to_owned()
    };
    let strange =
        |value: &str| value.split([':', ' ']).any(|word| shell::programs::kind::is_temporary(&bare(word)));
    // A library that every program starts with: those of the system, of the project and of one's own lie elsewhere.
    let foreign = |name: &str, value: &str| {
        const USUAL: &[&str] =
            &["/usr/", "/lib", "/opt/", "/nix/", "/snap/", "/home/", "/root/", "/app/", "/workspace/"];
        let first = ["_PRELOAD", "_AUDIT", "_INSERT_LIBRARIES"].iter().any(|end| name.ends_with(end));
        let own = |path: &str| shell::path::is_below(path, &project);
        first
            && value.split([':', ' ']).any(|path| {
                path.starts_with('/') && !USUAL.iter().any(|usual| path.starts_with(usual)) && !own(path)
            })
    };
    let found = |(name, value): &&(String, String)| loads(name) && (strange(value) || foreign(name, value));
    let (name, value) = call.vars.iter().find(found)?;
    Some((name.clone(), value.clone()))
}

/// A setting for this call alone by which it starts something from a temporary folder.
fn set_to_temporary(call: &Call) -> Option<(String, String)> {
    if !call.does(Verb::Sets) {
        return None;
    }
    call.deeds.iter().find_map(|deed| {
        let Object::Setting { name, value } = &deed.object else { return None };
        let first = value.trim_start_matches('!').split_whitespace().next().unwrap_or_default();
        let loads = name.starts_with("include") || crate::git_config::runs_something(name, value);
        let starts = deed.verb == Verb::Sets && call.keeps_versions() && loads;
        (starts && shell::programs::kind::is_temporary(first)).then(|| (name.clone(), value.clone()))
    })
}

/// A program, or a script for a shell, that is itself text from the network.
fn runs_download(call: &Call) -> bool {
    let foreign = |text: &str| has_hole(text, NET) || has_hole(text, DECODED);
    call.argv.first().is_some_and(|program| foreign(&program.text))
        || call.does(Verb::Runs) && call.texts().any(|text| has_hole(text, NET))
}
