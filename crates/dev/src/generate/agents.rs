//! `agents.md`: what each event of an agent can express, and which checks look at it.

use agents::dialect::{Say, Wiring};
use agents::{ANSWERS, Form};
use model::EventName;

use super::markdown::{Document, code, codes};

pub(super) fn page() -> String {
    let mut page = Document::new("Agents", "crates/agents/src");
    capabilities(&mut page);
    registration(&mut page);
    failures(&mut page);
    notes(&mut page);
    page.heading(2, "Claude Code");
    page.block("How each kind of answer is said at each event:");
    let rows = ANSWERS.iter().map(|row| {
        let rewrite = if row.rewrite { code("updatedInput") } else { form(Form::Silence) };
        let replace = if row.replace { code("updatedToolOutput") } else { form(Form::Silence) };
        let [deny, ask, allow, context, notice] =
            [row.deny, row.ask, row.allow, row.context, row.notice].map(form);
        [code(row.event.as_str()), deny, ask, allow, rewrite, replace, context, notice]
    });
    page.table(["Event", "deny", "ask", "allow", "rewrite", "replace", "context", "notice"], rows);
    page.list(&FORMS.map(|form| format!("{}: {}.", self::form(form), meaning(form))));
    page.heading(2, &format!("The {} events", EventName::ALL.len()));
    page.block(
        "In the order of a session's life, with the checks that look at each. `plimsoll init` registers only events that a \
         check looks at. An event that is not on this list is answered with silence and logged.",
    );
    page.numbered(&EventName::ALL.iter().map(event).collect::<Vec<_>>());
    page.finish()
}

/// Agent by capability, with what replaces what is missing.
fn capabilities(page: &mut Document) {
    page.block(
        "How each answer is said to each agent. What an agent has no words for is lowered, and never weakened: a question becomes a \
         denial that says how the user lets the call through, a safe command that cannot be put in becomes a denial that names it, \
         context waits for the next event that can carry it, and the reason of a stop that cannot be held goes to the user. Claude Code \
         can express everything; its table is below. *Proven* names the version that was driven in the real client against a \
         scripted model (`scripts/live-agents`); what a run without a terminal cannot show stands under *Worth knowing*.",
    );
    let rows = agents::DIALECTS.iter().map(|dialect| {
        let row = |event: EventName| dialect.rows.iter().find(|row| row.event == event);
        let shown = |form: Option<Say>| form.map_or_else(|| "no such event".into(), say);
        let before = row(EventName::PreToolUse);
        [
            format!("{} (`{}`)", dialect.name, dialect.id),
            dialect.proven.map_or_else(|| "read from its code, not driven".into(), str::to_owned),
            shown(before.map(|row| row.deny)),
            shown(before.map(|row| row.ask)),
            before.map_or_else(String::new, |row| row.rewrite.as_str().into()),
            shown(before.map(|row| row.context)),
            shown(row(EventName::PostToolUse).map(|row| row.deny)),
            if dialect.replaces {
                "`output`, by the bridge".into()
            } else {
                "no: the user is told what leaked".into()
            },
            shown(row(EventName::Stop).map(|row| row.deny)),
            shown(row(EventName::SessionStart).map(|row| row.context)),
            shown(row(EventName::UserPromptSubmit).map(|row| row.context)),
        ]
    });
    page.table(
        [
            "Agent",
            "Proven",
            "deny",
            "ask",
            "rewrite",
            "context before",
            "after an edit",
            "result replaced",
            "stop held",
            "at the start",
            "beside a prompt",
        ],
        rows,
    );
}

fn say(form: Say) -> String {
    match form {
        Say::Json(label, _) | Say::Call(label, _) => code(label),
        other => other.as_str().into(),
    }
}

fn registration(page: &mut Document) {
    page.heading(2, "Registration");
    page.block(
        "`plimsoll init --agent NAME` writes these; `--scope project` writes the second. What is in a file stays, and \
         `plimsoll uninstall` gives it back byte for byte. `plimsoll init --agent all` takes every agent whose folder or program is there.",
    );
    let mut seen: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for dialect in agents::DIALECTS {
        if seen.contains(&dialect.id) {
            continue;
        }
        seen.push(dialect.id);
        let wiring = &dialect.wiring;
        rows.push([
            code(dialect.id),
            user_files(wiring),
            wiring.project.map_or_else(|| "none".into(), code),
            if wiring.steps.is_empty() { "nothing".into() } else { wiring.steps.join(" ") },
        ]);
    }
    page.table(["Agent", "User", "Project", "What is left to do"], rows);
}

fn user_files(wiring: &Wiring) -> String {
    let files = std::iter::once(wiring.user).chain(wiring.beside.iter().map(|(file, _)| *file));
    files.map(|file| code(&format!("~/{file}"))).collect::<Vec<_>>().join(", ")
}

fn failures(page: &mut Document) {
    page.heading(2, "When the hook itself fails");
    page.block(
        "What becomes of a tool call when the program that is registered is killed, does not answer as long as the agent waits, is missing, \
         or prints what is not an answer. Measured in the clients by `scripts/live-agents --failures`, with a program in Plimsoll's place that \
         fails in that way. Where an agent would let the call run, the registered line or the bridge refuses it; \
         `plimsoll init --fail-open` leaves that out of the line, and a bridge always does it. Plimsoll itself answers when it is ended by a signal or runs out of time, so that *killed* \
         is left for SIGKILL, and *too slow* for a program that is stopped from outside. Where it says *runs*, the call runs unguarded; \
         `plimsoll doctor` tries each registered program and says so.",
    );
    let rows = agents::DIALECTS.iter().map(|dialect| {
        let [killed, slow, missing, garbage] = dialect.failure.all().map(|(_, fate)| fate.as_str());
        [dialect.name, killed, slow, missing, garbage].map(str::to_owned)
    });
    page.table(["Agent", "killed", "too slow", "not found", "no answer"], rows);
}

fn notes(page: &mut Document) {
    page.heading(2, "Worth knowing");
    let mut lines: Vec<String> = Vec::new();
    for dialect in agents::DIALECTS {
        for note in dialect.notes {
            let line = format!("{}: {note}", dialect.name);
            if !lines.iter().any(|known| known.ends_with(note)) {
                lines.push(line);
            }
        }
    }
    page.list(&lines);
}

/// In the order of the legend.
const FORMS: [Form; 7] =
    [Form::Permission, Form::Behavior, Form::Block, Form::Exit2, Form::Context, Form::Notice, Form::Silence];

fn form(form: Form) -> String {
    match form {
        Form::Silence => form.as_str().into(),
        _ => code(form.as_str()),
    }
}

fn meaning(form: Form) -> &'static str {
    match form {
        Form::Permission => "in `hookSpecificOutput`, with the reason",
        Form::Behavior => "in `hookSpecificOutput`",
        Form::Block => "at the top of the answer, with the reason",
        Form::Exit2 => "no JSON; the client takes what is on stderr",
        Form::Context => "in `hookSpecificOutput`; the model reads it",
        Form::Plain => "no JSON; the client takes what is on stdout into its instructions for the summary",
        Form::Notice => "at the top of the answer; the user reads it",
        Form::Silence => "nothing is said, because it would do harm or do nothing; the log has it",
    }
}

fn event(name: &EventName) -> String {
    let looks = |check: &&checks::Check| check.meta.on.iter().any(|on| on.event == *name);
    let ids = codes(checks::all().filter(looks).map(|check| check.meta.id));
    let name = code(name.as_str());
    if ids.is_empty() { name } else { format!("{name}: {ids}") }
}
