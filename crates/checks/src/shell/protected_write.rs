//! Protected files, by way of the shell: `shell/protected-write`.

use std::path::Path;

use model::{Body, Change, Event, EventName, Facts, FileEdit, Findings, Level, Meta, Tool, ToolUse};
use shell::{Call, Direction, Reading};

use super::made::Made;
use super::packed::packed_away;
use super::taken::{may_take, may_touch, taken};
use super::words::{Git, operands};
use super::written::written;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/protected-write",
    "a command that writes a protected file",
    "\
What an Edit of a file may not do, a shell command may not do either: `sed -i`, redirections, `tee`, `cp`, `mv`, `dd`, `rm`, `chmod`
and inline code that write, remove or unlock linter configs, hooks, settings or evidence get the answer that an edit of
that file would get; a check of files at level `warn` advises here too. Taking a change back (`git checkout -- FILE`, and whatever command a held stop has named for it) passes.
",
    include_str!("protected_write.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        if event.command().is_some_and(|command| cx.facts.is_named_restore(command)) {
            return;
        }
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            if let Some(part) = may_touch(call, cx.facts) {
                let what = format!("`{}` may change {}.", call.program(), part.display());
                out.ask(META.id, what, "It is one of Plimsoll's own files.");
            }
            if let Some(part) = may_take(call, cx.facts) {
                let what = format!("This may take {} along.", part.display());
                out.ask(META.id, what, "Plimsoll and the settings that start it must stay.");
            }
        }
        for edit in edits_of(event, reading, cx.facts) {
            // What lasts has a check of its own for commands, which knows what they fetch.
            for check in crate::file::CHECKS.iter().filter(|check| check.meta().id != "file/persistence") {
                // Its own level counts, not that of this check: what an edit is only advised against, a command is too.
                let found = match crate::level(check.meta(), cx.config) {
                    Level::Off => continue,
                    Level::On => run(*check, &edit, cx),
                    Level::Warn => {
                        let mut found = run(*check, &edit, cx);
                        crate::pipeline::soften(check.meta(), &mut found);
                        found
                    }
                };
                out.append(found);
            }
        }
    }
}

fn run(check: &dyn Check, edit: &Event, cx: &Context<'_>) -> Findings {
    let mut found = Findings::default();
    check.run(edit, cx, &mut found);
    found
}

/// What a command does to files, as edits, so that the checks of files can judge it.
pub(super) fn edits_of(event: &Event, reading: &Reading, facts: &dyn Facts) -> Vec<Event> {
    let mut edits = Edits { event, seen: std::collections::BTreeSet::new(), list: Vec::new() };
    let mut made = Made::default();
    for call in reading.calls.iter().filter(|call| !call.elsewhere || !call.mounts.is_empty()) {
        for (path, change) in touched(call, facts) {
            let Some(absolute) = on_this_machine(call, &path).filter(|path| shell::text::is_known(path))
            else {
                continue;
            };
            // By a name that the command itself has made. Taking the name away leaves the thing.
            let thing = match (&change, absolute.rsplit_once('/')) {
                _ if made.is_empty() => None,
                (Change::Removed, Some((folder, name))) => {
                    made.followed(folder).map(|folder| format!("{folder}/{name}"))
                }
                _ => made.followed(&absolute),
            };
            if let Some(thing) = thing {
                edits.add(&thing, change.clone());
            }
            edits.add(&absolute, change);
        }
        for part in taken(call, &made, facts) {
            edits.add(&part.to_string_lossy(), Change::Removed);
        }
        made.note(call);
    }
    edits.list
}

/// Where a path of a call lies here; of a container only what is mounted does. Patterns in what is mounted stay.
pub(super) fn on_this_machine(call: &Call, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let absolute = shell::path::absolute(path, &call.cwd);
    if !call.elsewhere {
        return Some(absolute);
    }
    call.mounts.iter().find_map(|(inside, here)| {
        let rest = absolute.strip_prefix(inside.trim_end_matches('/'))?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", here.trim_end_matches('/')))
    })
}

struct Edits<'a> {
    event: &'a Event,
    seen: std::collections::BTreeSet<String>,
    list: Vec<Event>,
}

impl Edits<'_> {
    fn add(&mut self, path: &str, change: Change) {
        if self.seen.insert(path.to_owned()) {
            self.list.push(as_edit(self.event, path, change));
        }
    }
}

/// Files that a call writes, removes or unlocks, with their new text where that is known.
fn touched(call: &Call, facts: &dyn Facts) -> Vec<(String, Change)> {
    let mut paths: Vec<(String, Change)> =
        written(call).into_iter().map(|path| (path, Change::Unknown)).collect();
    paths.extend(put_into(call, facts).into_iter().map(|path| (path, Change::Unknown)));
    let removed = |path: String| (path, Change::Removed);
    if call.program() == "cat"
        && call.args().is_empty()
        && let (Some(text), Some(redirect)) =
            (&call.stdin, call.redirects.iter().find(|r| r.direction == Direction::Write))
    {
        paths.retain(|(path, _)| *path != redirect.target.text);
        let known = shell::text::is_known(text);
        let change = if known { Change::Write { content: text.to_string() } } else { Change::Unknown };
        paths.push((redirect.target.text.clone(), change));
    }
    for (path, change) in &mut paths {
        if *change == Change::Unknown && is_definition(path) {
            *change = brought(call, facts);
        }
    }
    match call.program() {
        "rm" | "unlink" | "chmod" | "chown" | "chattr" | "shred" | "trash" | "trash-put" | "rmdir"
        | "srm" | "wipe" | "setfacl" | "chflags" | "chgrp" => {
            // `chmod -x` has its mode among the options.
            let by_option = call.texts().any(|t| {
                t.starts_with('-') && t.bytes().skip(1).all(|b| b"rwxXst".contains(&b)) && t.len() > 1
            });
            let skip = usize::from(
                matches!(call.program(), "chmod" | "chown" | "chgrp" | "chflags")
                    && !(call.program() == "chmod" && by_option),
            );
            let values: &[&str] = if call.program() == "setfacl" { &["-m", "-x", "-M", "-X"] } else { &[] };
            let operands = operands(call.args(), values).into_iter().skip(skip);
            paths.extend(operands.map(|arg| removed(arg.text.clone())));
        }
        "git" => {
            if let Some(git) = super::words::git(call) {
                // In the folder that it was told to go to first.
                let dirs = git.dirs.join("/");
                let from =
                    |path: String| if dirs.is_empty() { path } else { shell::path::absolute(&path, &dirs) };
                paths.extend(changed_by_git(&git).into_iter().map(from).map(removed));
            }
        }
        "mv" => {
            let mut from = operands(call.args(), &["-t", "-S"]);
            from.pop();
            paths.extend(from.into_iter().map(|arg| removed(arg.text.clone())));
        }
        // What is mounted over something hides it.
        "mount" => {
            let at = operands(call.args(), &["-t", "-o", "-L", "-U"]).into_iter().next_back();
            paths.extend(at.map(|arg| removed(arg.text.clone())));
        }
        "find" | "gfind" => paths.extend(found_and_changed(call).into_iter().map(removed)),
        _ => {}
    }
    paths.extend(packed_away(call).into_iter().map(|(arg, _)| removed(arg.text)));
    // What is in a directory goes with it.
    let inside: Vec<_> = paths
        .iter()
        .filter(|(path, _)| shell::path::name(path) == ".claude")
        .map(|(path, _)| removed(format!("{}/settings.json", path.trim_end_matches('/'))))
        .collect();
    if call.program() != "mkdir" {
        paths.extend(inside);
    }
    // A pattern may be for a file that is protected.
    let meant: Vec<_> = paths.iter().flat_map(|(path, change)| meant(path, change)).collect();
    paths.extend(meant);
    paths
}

/// An agent, a skill or a command of the client: what it says decides what it is.
fn is_definition(path: &str) -> bool {
    path.ends_with(".md") && path.contains("agents/") | path.contains("skills/") | path.contains("commands/")
}

/// What a call writes, as far as its own words or the file that it copies say it.
fn brought(call: &Call, facts: &dyn Facts) -> Change {
    let copied = matches!(call.program(), "cp" | "mv" | "install" | "ln" | "cat").then(|| {
        let source =
            operands(call.args(), &["-m", "-o", "-g", "-S", "-t"]).first().map(|arg| arg.text.clone())?;
        facts.read(Path::new(&shell::path::absolute(&source, &call.cwd))).ok().flatten()
    });
    if let Some(content) = copied.flatten() {
        return Change::Write { content };
    }
    let said = matches!(call.program(), "echo" | "printf" | "tee").then(|| {
        let words: Vec<&str> =
            call.texts().chain(call.stdin.as_deref()).filter(|word| *word != "--").collect();
        words.join("\n").replace("\\n", "\n")
    });
    said.map_or(Change::Unknown, |content| Change::Write { content })
}

/// What lands in a folder under its own name, where the folder is named without a slash.
fn put_into(call: &Call, facts: &dyn Facts) -> Vec<String> {
    if !matches!(call.program(), "cp" | "mv" | "install" | "ln" | "rsync") {
        return Vec::new();
    }
    let words = operands(call.args(), &["-m", "-o", "-g", "-S", "-e", "-t"]);
    let target = super::words::value(call, &["-t", "--target-directory"]);
    let (folder, sources) = match (target, words.split_last()) {
        (Some(folder), _) => (folder, words.as_slice()),
        (None, Some((folder, sources))) => (folder.text.as_str(), sources),
        (None, None) => return Vec::new(),
    };
    let place = shell::path::absolute(folder, &call.cwd);
    let is_folder = folder.ends_with('/')
        || target.is_some()
        || facts.entry(Path::new(&place)).is_some_and(|entry| entry.directory);
    if !is_folder || call.has("-T") {
        return Vec::new();
    }
    sources.iter().map(|source| format!("{place}/{}", shell::path::name(&source.text))).collect()
}

/// Settings that a path with a pattern in it stands for: `.c*/settings.json`.
fn meant(path: &str, change: &Change) -> Vec<(String, Change)> {
    if !path.contains(['*', '?', '[']) {
        return Vec::new();
    }
    let parts: Vec<&str> = path.split('/').collect();
    let names = ["settings.json", "settings.local.json"];
    let found = names.iter().filter_map(|name| {
        let (folder, file) = parts.split_at_checked(parts.len().checked_sub(1)?)?;
        let (last, before) = folder.split_last()?;
        let fits = shell::path::matches(last, ".claude") && shell::path::matches(file.first()?, name);
        fits.then(|| ([before, &[".claude", name]].concat().join("/"), change.clone()))
    });
    found.collect()
}

/// The agent's settings, where a search that removes or changes what it finds may find them.
fn found_and_changed(call: &Call) -> Vec<String> {
    const CHANGES: &[&str] = &["rm", "unlink", "shred", "mv", "truncate", "chmod", "sed", "tee", "cp"];
    let deletes = call.has("-delete")
        || call.args().windows(2).any(|pair| {
            matches!(pair[0].text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
                && CHANGES.contains(&shell::path::name(&pair[1].text))
        });
    let folder = |text: &str| {
        let at = text.find(".claude")?;
        let rest = &text[at + ".claude".len()..];
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}.claude/settings.json", &text[..at]))
    };
    // `! -path './.claude/*'` spares it.
    let words: Vec<&str> = call.texts().collect();
    let spared = |at: usize| at >= 2 && matches!(words[at - 2], "!" | "-not");
    let wanted = words.iter().enumerate().filter(|(at, text)| !text.starts_with('!') && !spared(*at));
    let mut names = wanted.filter_map(|(_, text)| folder(text));
    if deletes { names.next().into_iter().collect() } else { Vec::new() }
}

/// Files that git removes, moves or takes from another version. The last version takes a change back, an older one is a change
/// like any other.
fn changed_by_git(git: &Git<'_>) -> Vec<String> {
    let is_other = |text: &str| !matches!(text, "HEAD" | "@" | "--");
    let texts =
        |values: &[&str]| git.operands(values).into_iter().map(|arg| arg.text.clone()).collect::<Vec<_>>();
    match git.verb {
        "rm" | "mv" if !git.has("--cached") => texts(&[]),
        // What it puts aside may be the wiring itself, which no commit has.
        "stash" if !git.has("pop") && !git.has("apply") => texts(&["-m", "--message"]),
        "checkout" if git.has("--") => match git.args.first().map(|arg| arg.text.as_str()) {
            Some(version) if !version.starts_with('-') && is_other(version) => texts(&[]).split_off(1),
            _ => Vec::new(),
        },
        // Without the dashes the first word is a version only where others follow.
        "checkout" => match git.operands(&["-b", "-B", "--orphan", "--conflict"]).as_slice() {
            [version, files @ ..] if is_other(&version.text) => {
                files.iter().map(|arg| arg.text.clone()).collect()
            }
            _ => Vec::new(),
        },
        // A patch that is told what to touch.
        "apply" => {
            let named = git.args.iter().filter_map(|arg| arg.text.strip_prefix("--include="));
            let next = git
                .args
                .windows(2)
                .filter(|pair| pair[0].text == "--include")
                .map(|pair| pair[1].text.as_str());
            named.chain(next).map(str::to_owned).collect()
        }
        "restore" => {
            let source = git.args.iter().enumerate().find_map(|(at, arg)| match arg.text.as_str() {
                "-s" | "--source" => git.args.get(at + 1).map(|next| next.text.as_str()),
                text => text.strip_prefix("--source="),
            });
            if source.is_some_and(is_other) { texts(&["-s", "--source"]) } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}

/// The same change as an edit. The command is not part of it: it may be long, and write many files.
fn as_edit(event: &Event, path: &str, change: Change) -> Event {
    let tool = Tool::Edit(FileEdit { path: path.into(), change });
    let body = match &event.body {
        Body::Tool(used) => Body::Tool(ToolUse {
            id: used.id.clone(),
            name: used.name.clone(),
            tool,
            input: serde_json::Map::default(),
            outcome: used.outcome.clone(),
            odd: None,
        }),
        other => other.clone(),
    };
    Event {
        agent: event.agent,
        name: EventName::PreToolUse,
        session: event.session.clone(),
        cwd: event.cwd.clone(),
        transcript: event.transcript.clone(),
        mode: event.mode.clone(),
        subagent: event.subagent.clone(),
        body,
    }
}
