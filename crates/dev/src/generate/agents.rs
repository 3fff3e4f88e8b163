//! `agents.md`: what each event of an agent can express, and which checks look at it.

use agents::{ANSWERS, Form};
use model::EventName;

use super::markdown::{Document, code, codes};

pub(super) fn page() -> String {
    let mut page = Document::new("Agents", "crates/agents/src");
    page.heading(2, "Claude Code");
    page.block("How each kind of answer is said at each event:");
    let rows = ANSWERS.iter().map(|row| {
        let rewrite = if row.rewrite { code("updatedInput") } else { form(Form::Silence) };
        let [deny, ask, allow, context, notice] =
            [row.deny, row.ask, row.allow, row.context, row.notice].map(form);
        [code(row.event.as_str()), deny, ask, allow, rewrite, context, notice]
    });
    page.table(["Event", "deny", "ask", "allow", "rewrite", "context", "notice"], rows);
    page.list(&FORMS.map(|form| format!("{}: {}.", self::form(form), meaning(form))));
    page.heading(2, &format!("The {} events", EventName::ALL.len()));
    page.block(
        "In the order of a session's life, with the checks that look at each. `plimsoll init` registers only events that a \
         check looks at. An event that is not on this list is answered with silence and logged.",
    );
    page.numbered(&EventName::ALL.iter().map(event).collect::<Vec<_>>());
    page.finish()
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
        Form::Notice => "at the top of the answer; the person reads it",
        Form::Silence => "nothing is said, because it would do harm or do nothing; the log has it",
    }
}

fn event(name: &EventName) -> String {
    let looks = |check: &&dyn checks::Check| check.meta().on.iter().any(|on| on.event == *name);
    let ids = codes(checks::all().filter(looks).map(|check| check.meta().id));
    let name = code(name.as_str());
    if ids.is_empty() { name } else { format!("{name}: {ids}") }
}
