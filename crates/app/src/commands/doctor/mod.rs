//! `plimsoll doctor`: is everything in its place? One file per subject; each gives items, and this prints them.

mod agents;
mod canary;
mod client;
mod hooks;
mod linters;
mod settings;
mod tools;

use anyhow::Context;
use serde_json::json;
use state::config::{self, Loaded, Trust};
use state::{Machine, Project, files, native};

use crate::exit;
use crate::ui::{Printer, Tone};

/// Check the installation: program, hooks in all settings, a trial call, configuration, trust, linters, client.
///
/// Exits 1 when something is wrong, and names the command that fixes it. What is only absent is said, and is not a fault.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fix what can be fixed safely: register the hooks where they are missing or doubled, make plain JSON of settings with comments
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How it is with one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Good,
    /// Worth knowing, no fault.
    Note,
    Bad,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            State::Good => "good",
            State::Note => "note",
            State::Bad => "bad",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
struct Item {
    /// `DEP06`, where the specification has a number for it.
    id: Option<&'static str>,
    subject: &'static str,
    state: State,
    text: String,
    /// What to do.
    todo: String,
    /// `--fix` can do it.
    fixes: bool,
}

impl Item {
    fn new(subject: &'static str, state: State, text: impl Into<String>) -> Self {
        Self { id: None, subject, state, text: text.into(), todo: String::new(), fixes: false }
    }

    fn todo(mut self, text: impl Into<String>) -> Self {
        self.todo = text.into();
        self
    }

    fn fixes(mut self) -> Self {
        self.fixes = true;
        self
    }
}

/// What all subjects look at.
struct Visit<'a> {
    machine: &'a Machine,
    project: &'a Project,
    loaded: &'a Loaded,
    json: bool,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let loaded = config::load(machine, &project, checks::role, Trust::Recorded);
    let visit = Visit { machine, project: &project, loaded: &loaded, json: args.json };
    let mut items = look(&visit);
    if args.fix && items.iter().any(|item| item.fixes) {
        let beside = Printer::on_stderr();
        let printer = if args.json { &beside } else { printer };
        fix(&visit, printer).context("the hooks could not be registered")?;
        items = look(&visit);
    }
    let bad = items.iter().any(|item| item.state == State::Bad);
    if args.json {
        let list = items.iter().map(|item| {
            json!({
                "id": item.id, "subject": item.subject, "state": item.state.as_str(), "text": item.text, "todo": item.todo,
                "fixable": item.fixes,
            })
        });
        printer.json(&json!({"project": project.root, "good": !bad, "items": list.collect::<Vec<_>>()}));
    } else {
        print(printer, &items);
        conclude(printer, &items);
    }
    Ok(if bad { exit::FAILED } else { exit::OK })
}

fn look(visit: &Visit<'_>) -> Vec<Item> {
    let mut items = vec![program(visit)];
    items.extend(dynamic());
    items.extend(hooks::look(visit));
    items.extend(canary::look(visit));
    items.extend(agents::look(visit));
    items.extend(settings::look(visit));
    items.extend(linters::look(visit));
    if visit.json {
        items.extend(tools::look(visit));
    }
    items.extend(client::look(visit));
    items
}

fn program(visit: &Visit<'_>) -> Item {
    let version = crate::cli::VERSION;
    let own = visit.machine.executable();
    if own.as_ref().is_some_and(|path| native::is_npx_cache(path)) {
        return Item::new(
            "program",
            State::Note,
            format!("plimsoll {version} runs from a cache of npx, which npm clears"),
        )
        .todo("`npm install --global plimsoll`, then `plimsoll init`");
    }
    match visit.machine.find_program("plimsoll") {
        Some(path) if !native::is_program(&path) => {
            let text = format!(
                "plimsoll {version}: {} on PATH is a launcher, which takes a hundred times as long as the program; hooks name the program itself",
                path.display()
            );
            Item::new("program", State::Good, text)
        }
        Some(path) => {
            Item::new("program", State::Good, format!("plimsoll {version}, on PATH as {}", path.display()))
        }
        None => {
            let folder =
                own.as_deref().and_then(std::path::Path::parent).map(|dir| dir.display().to_string());
            Item::new(
                "program",
                State::Note,
                format!(
                    "plimsoll {version} is not on PATH; hooks that name it by its whole path work without"
                ),
            )
            .todo(format!("add {} to PATH", folder.unwrap_or_else(|| "its folder".into())))
        }
    }
}

/// A build that was not given this project's flags: `cargo install` does not read them.
fn dynamic() -> Option<Item> {
    let applies = cfg!(all(target_os = "linux", target_env = "gnu")) && !cfg!(target_feature = "crt-static");
    applies.then(|| {
        Item::new(
            "program",
            State::Note,
            "it is linked dynamically, so each call takes about twice as long to start",
        )
        .todo("`scripts/packages/cargo`, or a release archive, brings the static one")
    })
}

/// The last line: how many problems there are, and what takes them away.
fn conclude(printer: &Printer, items: &[Item]) {
    let bad: Vec<&Item> = items.iter().filter(|item| item.state == State::Bad).collect();
    if bad.is_empty() {
        printer.toned(Tone::Good, "\nNothing is wrong.");
        return;
    }
    let count = if bad.len() == 1 { "1 problem".to_owned() } else { format!("{} problems", bad.len()) };
    printer.toned(Tone::Bad, &format!("\nSomething is wrong: {count}, marked with ✗."));
    if bad.iter().any(|item| item.fixes) {
        printer.line("`plimsoll doctor --fix` fixes what can be fixed safely.");
    }
}

fn print(printer: &Printer, items: &[Item]) {
    let mut subject = "";
    for item in items {
        if item.subject != subject {
            subject = item.subject;
            printer.line("");
            printer.toned(Tone::Title, subject);
        }
        let (mark, tone) = match item.state {
            State::Good => ("✓", Tone::Good),
            State::Note => ("·", Tone::Warning),
            State::Bad => ("✗", Tone::Bad),
        };
        let id = item.id.map(|id| format!("{id} ")).unwrap_or_default();
        printer.hanging(&format!("  {} {id}{}", printer.paint(tone, mark), item.text), 2);
        if !item.todo.is_empty() {
            printer.toned(Tone::Faint, &format!("      → {}", item.todo));
        }
    }
}

/// What `--fix` does: our hooks stay in one settings file, and `init` registers there what this profile wants. Both leave the
/// rest of a file alone and keep a copy of it.
fn fix(visit: &Visit<'_>, printer: &Printer) -> anyhow::Result<()> {
    use super::setup::{Scope, init, registration, uninstall};
    for scope in Scope::ALL {
        make_plain(visit, printer, scope)?;
    }
    let there = registration::registered(visit.machine, visit.project);
    let has_ours = |scope: &Scope| {
        scope
            .file(visit.machine, visit.project)
            .is_some_and(|file| there.iter().any(|(known, _)| *known == file))
    };
    let mut scopes = Scope::ALL.into_iter().filter(has_ours);
    let stays = scopes.next();
    for doubled in scopes {
        uninstall::run(visit.machine, printer, &uninstall::Args::quiet(doubled))?;
    }
    // A file of somebody else's that had comments is plain now; whether hooks are missing is another question.
    if !hooks::look(visit).iter().any(|item| item.fixes) {
        return Ok(());
    }
    init::run(visit.machine, printer, &init::Args::quiet(stays)).map(drop)
}

/// Takes comments out of a settings file: the client runs no hook of a file that has any, ours or another's.
fn make_plain(visit: &Visit<'_>, printer: &Printer, scope: super::setup::Scope) -> anyhow::Result<()> {
    use super::setup::{edit, plan::Plan, registration};
    let unread = |text: &String| !registration::is_read_by_client(text);
    let Some(file) = scope.file(visit.machine, visit.project) else { return Ok(()) };
    let text = files::read(&file).ok().flatten();
    if !text.is_some_and(|text| unread(&text)) {
        return Ok(());
    }
    let mut plan = Plan::default();
    plan.put_in(&file, |text| Ok(edit::without_comments(text)), registration::unregister)?;
    plan.write(visit.machine, visit.project, printer)
}
