//! Agents besides Claude Code: where each is registered, a trial call in its own format, and what it skips in silence.

mod codex;

use std::path::Path;
use std::time::Duration;

use agents::dialect::{self, Fate, Format};
use agents::{Dialect, Reply};
use state::files;
use state::process::Program;

use super::super::setup::{Scope, peers};
use super::{Item, State, Visit};

const SUBJECT: &str = "other agents";
const LIMIT: Duration = Duration::from_secs(10);

pub(super) fn look(visit: &Visit<'_>) -> Vec<Item> {
    let present: Vec<&str> = peers::present(visit.machine).iter().map(|dialect| dialect.id).collect();
    let mut items = Vec::new();
    for dialect in peers::all() {
        let files = peers::registered(visit.machine, visit.project, dialect);
        if files.is_empty() && present.contains(&dialect.id) {
            let text = format!("{} is used on this machine, and Plimsoll does not guard it", dialect.name);
            items.push(
                Item::new(SUBJECT, State::Note, text).todo(format!("plimsoll init --agent {}", dialect.id)),
            );
        }
        for (scope, file, text) in files {
            items.extend(one(visit, dialect, scope, &file, &text));
        }
    }
    items
}

fn one(visit: &Visit<'_>, dialect: &'static Dialect, scope: Scope, file: &Path, text: &str) -> Vec<Item> {
    let place = file.display();
    let mut items = Vec::new();
    match program_in(dialect, text) {
        Some(program) if scope == Scope::Project && !is_known(visit, &program) => {
            let text = format!(
                "{}: {place} starts {program}, which was not tried: a project may name anything",
                dialect.name
            );
            items.push(Item::new(SUBJECT, State::Note, text));
        }
        Some(program) => items.push(trial(visit, dialect, &program, file)),
        None => items.push(
            Item::new(SUBJECT, State::Bad, format!("{}: {place} names no program of ours", dialect.name))
                .todo(format!("plimsoll init --agent {}", dialect.id)),
        ),
    }
    if is_old(dialect, text) {
        items.push(
            Item::new(
                SUBJECT,
                State::Bad,
                format!("{}: the bridge in {place} is of another version", dialect.name),
            )
            .todo(format!("plimsoll init --agent {}", dialect.id)),
        );
    }
    items.extend(switched_off(dialect, file, text));
    items.extend(missing_beside(visit, dialect, scope));
    if dialect.id == "codex" {
        items.push(codex::trust(visit, file));
    } else {
        for step in dialect.wiring.steps {
            items.push(Item::new(SUBJECT, State::Note, format!("{}: {step}", dialect.name)));
        }
    }
    let runs = dialect.failure.all().into_iter().filter(|(_, fate)| *fate == Fate::Runs);
    let runs: Vec<&str> = runs.map(|(what, _)| what).collect();
    if !runs.is_empty() {
        let text = format!("{} lets a call run when its hook {}", dialect.name, runs.join(", or "));
        items.push(Item::new(SUBJECT, State::Note, text));
    }
    items
}

/// A switch in the same file that makes the agent skip all hooks.
fn switched_off(dialect: &Dialect, file: &Path, text: &str) -> Option<Item> {
    let (pointer, value) = dialect.wiring.off?;
    let settings = serde_json::Value::Object(state::config::parse(text).ok()?);
    if settings.pointer(pointer)?.as_bool()? != value {
        return None;
    }
    let key = pointer.trim_start_matches('/').replace('/', ".");
    let text =
        format!("{}: {key} is {value} in {}, so it silently skips every hook", dialect.name, file.display());
    Some(Item::new(SUBJECT, State::Bad, text).todo("take it out, unless you mean it"))
}

/// Files without which the agent does not load what names us.
fn missing_beside(visit: &Visit<'_>, dialect: &'static Dialect, scope: Scope) -> Vec<Item> {
    let files = peers::beside(visit.machine, dialect, scope);
    let lacking = files.filter(|(file, beside)| {
        let text = files::read(file).ok().flatten().unwrap_or_default();
        peers::put_beside(*beside, &text).map_or(true, |wanted| wanted != text)
    });
    lacking
        .map(|(file, _)| {
            let text = format!(
                "{}: {} does not name Plimsoll, so it silently loads no guard",
                dialect.name,
                file.display()
            );
            Item::new(SUBJECT, State::Bad, text).todo(format!("plimsoll init --agent {}", dialect.id))
        })
        .collect()
}

/// The program that a registration starts.
fn program_in(dialect: &Dialect, text: &str) -> Option<String> {
    if let Format::Bridge(_) = dialect.wiring.format {
        let rest = text.split_once("PROGRAM = ")?.1;
        return serde_json::from_str(rest.lines().next()?.trim_end_matches(';')).ok();
    }
    let at = text.find(" hook --agent ")?;
    let before = &text[..at];
    // Up to the quote that begins the line in its file; quoted inside where it has blanks.
    let program = match before.strip_suffix('\'') {
        Some(inner) => inner.rsplit('\'').next()?,
        None => before.rsplit(['"', ' ', '\t', '\n']).next()?,
    };
    Some(program.to_owned())
}

/// Whether it is this very program, or the one that PATH finds.
fn is_known(visit: &Visit<'_>, program: &str) -> bool {
    let own = visit.machine.executable().map(|path| path.to_string_lossy().into_owned());
    program == "plimsoll" || own.as_deref() == Some(program)
}

fn is_old(dialect: &Dialect, text: &str) -> bool {
    let version = format!("version {}.", env!("CARGO_PKG_VERSION"));
    matches!(dialect.wiring.format, Format::Bridge(_)) && !text.contains(&version)
}

/// A command that must be refused, as this agent would send it.
fn trial(visit: &Visit<'_>, dialect: &'static Dialect, program: &str, file: &Path) -> Item {
    let place = file.display();
    let payload = dialect.in_sample("rm -rf /", &visit.project.root.to_string_lossy());
    let begun = visit.machine.micros();
    let done = Program::new(program)
        .args(["hook", "--agent", dialect.id, "--event", dialect.before(), "--deadline", "10"])
        .cwd(&visit.project.root)
        .stdin(payload.as_bytes())
        .within(LIMIT)
        .run();
    let done = match done {
        Ok(done) => done,
        Err(error) => {
            return Item::new(
                SUBJECT,
                State::Bad,
                format!("{}: {program} in {place} cannot be started: {error}", dialect.name),
            )
            .todo(format!("calls run unguarded; plimsoll init --agent {}", dialect.id));
        }
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let reply = Reply {
        stdout: text(&done.stdout),
        stderr: text(&done.stderr),
        exit: if done.code == Some(2) { 2 } else { 0 },
        otherwise: None,
    };
    let took = f64::from(u32::try_from(visit.machine.micros() - begun).unwrap_or(u32::MAX)) / 1000.0;
    if dialect::refuses(&reply) {
        let text = format!("{}: `rm -rf /` is refused, in {took:.1} ms ({place})", dialect.name);
        return Item::new(SUBJECT, State::Good, text);
    }
    let text = format!("{}: `rm -rf /` is not refused ({place})", dialect.name);
    Item::new(SUBJECT, State::Bad, text).todo("run `plimsoll explain 'rm -rf /'` to see why")
}
