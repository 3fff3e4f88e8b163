//! Protected files, by way of the shell: `shell/protected-write`.

use std::path::Path;

use model::deed::{Deed, Object, Verb, Verbs};
use model::{
    Body, Change, Decision, Event, EventName, Facts, FileEdit, Findings, Level, Meta, Tool, ToolUse,
};
use shell::programs::{landings, sed};
use shell::text::ANY;
use shell::{Call, Reading};

use super::made::Made;
use super::taken::{may_take, may_touch, taken};
use crate::arrivals::{self, Arrivals, Carrier};
use crate::file::{config_names, partial};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/protected-write",
    "a command that writes a protected file",
    "\
What an Edit of a file may not do, a shell command may not do either: `sed -i`, redirections, `tee`, `cp`, `mv`, `dd`, `rm`, `chmod`
and inline code that write, remove or unlock linter configs, hooks, settings or evidence get the answer that an edit of
that file would get; a check of files at level `warn` advises here too. Taking a change back (`git checkout -- FILE`, and whatever command a held stop has named for it) passes.

The same holds for what arrives in files. The names in a patch, an archive (tar, zip, cpio, also packed by gzip), a copied folder or another
version of a file are read before the command runs, and each is judged as an edit; a folder that was not there before may bring what it likes for
itself. Work that git has kept (`git stash pop`, `git cherry-pick`) is asked about where an edit would be refused. What cannot be read
(other formats, other machines) is a question where protected files lie in its reach. A whole other commit (`git switch`, `git merge`) is a question only where its
settings would leave Plimsoll out; the rest is compared when work stops.
",
    include_str!("protected_write.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
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
    let named = reading.calls.iter().flat_map(|call| configs(call, cx));
    let named: Vec<Event> = named.map(|path| as_edit(event, &path, Change::Removed)).collect();
    for edit in edits_of(event, reading, cx).into_iter().chain(named) {
        // What lasts has a check of its own for commands, which knows what they fetch.
        out.append(judge(&edit, |id| id != "file/persistence", cx));
    }
    for arrivals in cx.arrivals(event) {
        judge_arrivals(arrivals, event, reading, cx, out);
    }
}

/// What the checks of files say of an edit.
fn judge(edit: &Event, wanted: impl Fn(&str) -> bool, cx: &Context<'_>) -> Findings {
    let mut all = Findings::default();
    for check in crate::file::CHECKS.iter().filter(|check| wanted(check.meta.id)) {
        // Its own level counts, not that of this check: what an edit is only advised against, a command is too.
        let level = crate::level(check.meta, cx.config);
        if level == Level::Off {
            continue;
        }
        let mut found = Findings::default();
        (check.run)(edit, cx, &mut found);
        if level == Level::Warn {
            crate::pipeline::soften(check.meta, &mut found);
        }
        all.append(found);
    }
    all
}

/// Reasons that are said about the files of one command.
const MOST_FINDINGS: usize = 8;

/// What comes in a file is judged as an edit of each file that it brings, also where it would last.
fn judge_arrivals(
    arrivals: &Arrivals,
    event: &Event,
    reading: &Reading,
    cx: &Context<'_>,
    out: &mut Findings,
) {
    let program = reading.calls[arrivals.call].program();
    let judged = arrivals::judged(arrivals, cx);
    for file in &judged.files {
        // The first few say enough.
        if out.findings.len() >= MOST_FINDINGS {
            break;
        }
        let mut found = judge(&as_edit(event, &file.path, file.change.clone()), |_| true, cx);
        if judged.softly {
            let refused = found.findings.iter_mut().filter(|finding| finding.decision == Decision::Deny);
            refused.for_each(|finding| finding.decision = Decision::Ask);
        }
        // One command is one strike, however many files it writes.
        found.effects.retain(|effect| !out.effects.contains(effect));
        out.append(found);
    }
    let many = || (format!("`{program}` would change hundreds of settings."), "Not all were looked at.");
    let asked = arrivals::question(arrivals, program, cx).or_else(|| judged.cut.then(many));
    if let Some((what, why)) = asked {
        out.ask(META.id, what, why);
    }
}

/// Files that a patch changes, as edits: somebody wrote them line by line.
pub(super) fn patched(event: &Event, cx: &Context<'_>) -> Vec<Event> {
    let patches = cx.arrivals(event).iter().filter(|arrivals| arrivals.carrier == Carrier::Patch);
    let files = patches.flat_map(|patch| arrivals::judged(patch, cx).files);
    files.map(|file| as_edit(event, &file.path, file.change.clone())).collect()
}

/// What a call does that changes files, brings them, or makes names for them.
pub(crate) const CHANGING: Verbs = Verbs::NONE
    .with(Verb::Writes)
    .with(Verb::Appends)
    .with(Verb::Edits)
    .with(Verb::Empties)
    .with(Verb::Deletes)
    .with(Verb::Moves)
    .with(Verb::Covers)
    .with(Verb::Links)
    .with(Verb::Permits)
    .with(Verb::Sends)
    .with(Verb::Keeps);

/// What a command does to files, as edits, so that the checks of files can judge it.
pub(super) fn edits_of(event: &Event, reading: &Reading, cx: &Context<'_>) -> Vec<Event> {
    let facts = cx.facts;
    let mut edits = Edits { event, seen: std::collections::BTreeSet::new(), list: Vec::new() };
    let mut made = Made::default();
    let calls = reading.calls.iter().enumerate();
    for (at, call) in calls.filter(|(_, call)| !call.elsewhere || !call.mounts.is_empty()) {
        let brought = cx.arrivals(event).iter().filter(|arrivals| arrivals.call == at);
        let brought = brought.flat_map(|arrivals| &arrivals.links);
        // Most calls change nothing.
        if call.verbs().has_any(CHANGING) {
            edits.of_call(call, &mut made, reading, facts);
        }
        brought.for_each(|(name, thing)| made.link(name, thing));
    }
    edits.list
}

/// Where a path of a call lies here; of a container only what is mounted does. Patterns in what is mounted stay.
pub(crate) fn on_this_machine(call: &Call, path: &str) -> Option<String> {
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
    fn of_call(&mut self, call: &Call, made: &mut Made, reading: &Reading, facts: &dyn Facts) {
        for (path, change) in touched(call, reading, facts) {
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
                self.add(&thing, change.clone());
            }
            self.add(&absolute, change);
        }
        for part in taken(call, made, facts) {
            self.add(&part.to_string_lossy(), Change::Removed);
        }
        made.note(call);
    }

    fn add(&mut self, path: &str, change: Change) {
        if self.seen.insert(path.to_owned()) {
            self.list.push(as_edit(self.event, path, change));
        }
    }
}

/// Files that a call writes, removes or unlocks, with their new text where that is known.
fn touched(call: &Call, reading: &Reading, facts: &dyn Facts) -> Vec<(String, Change)> {
    let mut paths: Vec<(String, Change)> = Vec::new();
    for deed in &call.deeds {
        let Object::Path { text, tree, .. } = &deed.object else { continue };
        let change = match deed.verb {
            // A folder that is made.
            Verb::Appends if *tree => continue,
            // A repository or a work tree brings what it likes.
            Verb::Keeps if *tree => Change::Unknown,
            // The last version takes a change back, which is nothing; an older one is a change like any other.
            Verb::Writes if call.keeps_versions() => Change::Removed,
            Verb::Writes | Verb::Appends | Verb::Edits | Verb::Empties => {
                changed(call, deed, text, reading, facts)
            }
            Verb::Deletes | Verb::Moves | Verb::Covers | Verb::Permits => Change::Removed,
            _ => continue,
        };
        // What a search finds by its name counts wherever it is.
        paths.push((text.replace(&format!("/{ANY}/"), "/"), change));
    }
    // What is in a folder goes with it, and a pattern may be for a file that is protected.
    let is_ours = |(path, _): &&(String, Change)| shell::path::name(path) == ".claude";
    let settings = |path: &str| (format!("{}/settings.json", path.trim_end_matches('/')), Change::Removed);
    let inside: Vec<_> = paths.iter().filter(is_ours).map(|(path, _)| settings(path)).collect();
    let meant: Vec<_> = paths.iter().flat_map(|(path, change)| meant(path, change)).collect();
    paths.extend(inside.into_iter().chain(meant));
    paths
}

/// What a call makes of a file, as far as its own words, its input or the file that it copies say it.
fn changed(call: &Call, deed: &Deed, text: &str, reading: &Reading, facts: &dyn Facts) -> Change {
    let path = shell::path::absolute(text, &call.cwd);
    let read = |path: &str| facts.read(Path::new(path)).ok().flatten();
    let written = reading.files.get(&path).filter(|content| shell::text::is_known(content));
    match deed.verb {
        Verb::Empties => return Change::Write { content: String::new() },
        Verb::Writes if written.is_some() => {
            return Change::Write { content: written.map(ToString::to_string).unwrap_or_default() };
        }
        _ => {}
    }
    // Of most files nobody asks more.
    let name = shell::path::name(&path);
    if !is_definition(&path) && !partial().any(|known| known == name) {
        return Change::Unknown;
    }
    let content = match deed.verb {
        Verb::Appends => written.map(|more| read(&path).unwrap_or_default() + more),
        Verb::Edits => read(&path).and_then(|before| sed::edited(call, &before)),
        _ => {
            let lands = |to: &str, from: &str| {
                let to = shell::path::absolute(to, &call.cwd);
                path == to || path == format!("{to}/{}", shell::path::name(from))
            };
            let copied = landings(call).into_iter().find(|landing| lands(&landing.to, &landing.from));
            copied.and_then(|landing| read(&shell::path::absolute(&landing.from, &call.cwd)))
        }
    };
    content.map_or(Change::Unknown, |content| Change::Write { content })
}

/// An agent, a skill or a command of the client: what it says decides what it is.
fn is_definition(path: &str) -> bool {
    path.ends_with(".md") && path.contains("agents/") | path.contains("skills/") | path.contains("commands/")
}

/// Configs of linters that a pattern or a search stands for: those that are there, and those that it almost names.
fn configs(call: &Call, cx: &Context<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for deed in &call.deeds {
        let (Object::Path { text, pattern, .. }, Verb::Deletes | Verb::Moves | Verb::Edits | Verb::Empties) =
            (&deed.object, deed.verb)
        else {
            continue;
        };
        let Some(path) = on_this_machine(call, &text.replace(&format!("/{ANY}/"), "/")) else { continue };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        // What is changed in its place is not a first config, whether it is there or not.
        if deed.verb == Verb::Edits && config_names(cx.config).any(|config| config == name) {
            found.push(path.clone());
        }
        // A name of which nothing is known says nothing about a config.
        let hollow = name.chars().all(shell::text::is_hole);
        if !pattern && (!name.contains(ANY) || hollow) || !shell::text::is_known(folder) {
            continue;
        }
        let wanted = name.replace(ANY, "*");
        let known = wanted.find(['*', '?', '[']).unwrap_or(wanted.len());
        let fits = |config: &&str| {
            let hidden = config.starts_with('.') && !wanted.starts_with('.');
            // A search finds hidden files too.
            (!hidden || name.contains(ANY)) && shell::path::matches(&wanted, config)
        };
        let there =
            |config: &&str| known >= 5 || cx.facts.entry(Path::new(&format!("{folder}/{config}"))).is_some();
        found.extend(
            config_names(cx.config).filter(fits).filter(there).map(|config| format!("{folder}/{config}")),
        );
    }
    found
}

/// Settings that a path with a pattern in it stands for: `.c*/settings.json`.
fn meant(path: &str, change: &Change) -> Vec<(String, Change)> {
    if !path.contains(['*', '?', '[']) {
        return Vec::new();
    }
    let parts: Vec<&str> = path.split('/').collect();
    // A star is for no hidden name.
    let fits = |wanted: &str, name: &str| {
        (wanted.starts_with('.') || !name.starts_with('.')) && shell::path::matches(wanted, name)
    };
    let found = ["settings.json", "settings.local.json"]
        .into_iter()
        .chain(crate::file::evidence())
        .filter_map(|name| {
            let (folder, file) = parts.split_at_checked(parts.len().checked_sub(1)?)?;
            let (last, before) = folder.split_last()?;
            let both = fits(last, ".claude") && fits(file.first()?, name);
            both.then(|| ([before, &[".claude", name]].concat().join("/"), change.clone()))
        });
    found.collect()
}

/// The same change as an edit. The command is not part of it: it may be long, and write many files.
fn as_edit(event: &Event, path: &str, change: Change) -> Event {
    let tool = Tool::Edit(FileEdit { path: path.into(), change });
    let body = match &event.body {
        Body::Tool(used) => Body::Tool(ToolUse {
            replaceable: used.replaceable,
            id: used.id.clone(),
            name: used.name.clone(),
            known: used.known,
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
        prompt: event.prompt.clone(),
        mode: event.mode.clone(),
        subagent: event.subagent.clone(),
        body,
    }
}
