//! What other agents need besides a reply: texts that an event could not carry wait, and our own text that comes back as a prompt is
//! known again.

use agents::{Agent, Said};
use model::{Body, Event, EventName, Mail, Reader};
use state::{Machine, Project, mail, session};

/// Keeps what the reply could not say.
pub(crate) fn keep(machine: &Machine, project: &Project, agent: &dyn Agent, event: &Event, said: &Said) {
    if !said.later.is_empty() && event.name != EventName::SessionEnd {
        let key = format!("later-{}", state::sha256(said.later.as_bytes()).short());
        let mail = Mail { key, text: said.later.clone(), to: Reader::Model };
        // Not worth stopping for; the log has what was decided.
        let _ = mail::post(machine, project, &event.session, &mail);
    }
    if let Some(text) = said.held.as_ref().filter(|_| agent.echoes()) {
        let _ = session::note_own_text(project, &event.session, text);
    }
}

/// Whether a prompt is what a held stop said.
pub(crate) fn is_own_text(machine: &Machine, event: &Event) -> bool {
    let Body::Prompt(prompt) = &event.body else { return false };
    if event.name != EventName::UserPromptSubmit {
        return false;
    }
    let project = Project::find(machine, &event.cwd.clone().unwrap_or_else(|| machine.cwd()));
    session::is_own_text(&project, &event.session, &prompt.text)
}
