//! Agents besides Claude Code: where each is registered, a trial call in its own format, and what it skips in silence.

mod codex;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::dialect::{self, Fate, Format, Off, Switch};
use agents::{Dialect, Reply};
use state::files;
use state::process::Program;

use super::super::setup::{Scope, peers};
use super::{Item, State, Visit};
use crate::hook::TRIAL;

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
    items.extend(switched_off(visit, dialect));
    items.extend(missing_beside(visit, dialect, scope));
    if dialect.id == "codex" {
        items.push(codex::trust(visit, file));
    } else {
        for step in dialect.wiring.steps {
            items.push(Item::new(SUBJECT, State::Note, format!("{}: {step}", dialect.name)));
        }
    }
    items.extend(unguarded(dialect, text));
    items
}

/// When this agent lets a call run although its hook failed, as it was measured in the client; `text` is what is registered.
fn unguarded(dialect: &Dialect, text: &str) -> Option<Item> {
    // Registered with `--fail-open`, the line does not refuse in our place.
    let lets_pass = peers::refuses_in_our_place(dialect) && !text.contains(peers::COULD_NOT_JUDGE);
    let runs = |(what, fate): (&'static str, Fate)| (fate == Fate::Runs || lets_pass).then_some(what);
    let runs: Vec<&str> = dialect.failure.all().into_iter().filter_map(runs).collect();
    let (last, before) = runs.split_last()?;
    let list =
        if before.is_empty() { (*last).to_owned() } else { format!("{} or {last}", before.join(", ")) };
    let text = format!("{} lets a tool call run unguarded when the hook program {list}", dialect.name);
    let todo = if lets_pass {
        format!(
            "`plimsoll init --agent {}` without --fail-open has the line refuse such a call where it can",
            dialect.id
        )
    } else {
        format!(
            "{} offers no setting against that; Plimsoll itself answers within the time limit",
            dialect.name
        )
    };
    Some(Item::new(SUBJECT, State::Note, text).todo(todo))
}

/// Switches of the agent by which it skips hooks, in the user's settings and in the project's.
fn switched_off(visit: &Visit<'_>, dialect: &Dialect) -> Vec<Item> {
    let roots = [Some(visit.project.root.clone()), visit.machine.told_home()];
    let roots: BTreeSet<PathBuf> = roots.into_iter().flatten().collect();
    let places = dialect
        .wiring
        .off
        .iter()
        .flat_map(|switch| roots.iter().map(move |root| (switch, root.join(switch.file))));
    places.filter_map(|(switch, file)| skips(dialect, switch, &file)).collect()
}

fn skips(dialect: &Dialect, switch: &Switch, file: &Path) -> Option<Item> {
    let text = files::read(file).ok().flatten()?;
    let settings = match switch.off {
        Off::Lines => serde_json::Value::from(text),
        _ => serde_json::Value::Object(state::config::parse(&text).ok()?),
    };
    let there = settings.pointer(switch.at)?;
    let key = switch.at.trim_start_matches('/').replace('/', ".");
    let (name, file) = (dialect.name, file.display());
    let text = match switch.off {
        Off::Lines if names_us(there) => format!("{name}: {file} names Plimsoll, so it silently skips it"),
        Off::When(value) if there.as_bool() == Some(value) => {
            format!("{name}: {key} is {value} in {file}, so it silently skips every hook")
        }
        Off::Named if names_us(there) => {
            format!("{name}: {key} in {file} names Plimsoll, so it silently skips it")
        }
        _ => return None,
    };
    Some(Item::new(SUBJECT, State::Bad, text).todo("take it out, unless you mean it"))
}

/// Whether one of a list is ours: by its file, its name, or the line that starts it.
fn names_us(list: &serde_json::Value) -> bool {
    let ours = |text: &str| text.to_lowercase().contains("plimsoll");
    match list {
        serde_json::Value::Array(list) => list.iter().any(names_us),
        serde_json::Value::Object(map) => map.iter().any(|(key, value)| {
            ours(key) && !matches!(value, serde_json::Value::Bool(false) | serde_json::Value::Null)
                || names_us(value)
        }),
        serde_json::Value::String(text) => ours(text),
        _ => false,
    }
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
    // Up to the quote that begins the line in its file; quoted inside where it has blanks, on Windows by double ones.
    let program = match (before.strip_suffix('\''), before.strip_suffix("\\\"")) {
        (Some(inner), _) => inner.rsplit('\'').next()?,
        (_, Some(inner)) => inner.rsplit("\\\"").next()?,
        _ => before.rsplit(['"', ' ', '\t', '\n']).next()?,
    };
    // As JSON and TOML write a backslash.
    Some(program.replace("\\\\", "\\"))
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
    let payload = dialect.in_sample(TRIAL, &visit.project.root.to_string_lossy());
    let begun = visit.machine.micros();
    let done = Program::new(program)
        .args(["hook", "--agent", dialect.id, "--event", dialect.before(), "--deadline", "10"])
        .cwd(&visit.project.root)
        .env(model::environment::PLIMSOLL_TRIAL.name, "1")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_line_is_found_in_every_quoting() {
        let dialect = peers::find("codex").unwrap();
        for program in
            ["plimsoll", "/a b/plimsoll", r"C:\Users\me\plimsoll.exe", r"C:\Program Files\plimsoll.exe"]
        {
            for quoted in [format!("'{program}'"), format!("\"{program}\""), program.to_owned()] {
                if quoted == program && program.contains(' ') {
                    continue;
                }
                let line = format!("{quoted} hook --agent codex --event PreToolUse");
                let text = serde_json::json!({"hooks": [{"command": line}]}).to_string();
                assert_eq!(program_in(dialect, &text).as_deref(), Some(program), "{text}");
            }
        }
    }
}
