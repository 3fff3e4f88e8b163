//! The hot path: bytes in, one reply out. Read it top to bottom; it is the data flow of ARCHITECTURE.md.

mod judge;
mod line;
mod settle;
mod terms;

use std::ffi::OsString;
use std::io::Write as _;

use agents::{Agent, Defaults, Reply};
use model::{Event, environment};
use state::{Machine, Project, last_word, log};

pub(crate) use judge::{Judged, Look, judge, report};
pub(crate) use line::BadLine;
pub use line::Line;
pub(crate) use settle::{Settled, TRIAL};
pub use terms::{Dialect, Terms};

use crate::failure::Trouble;
use crate::{failure, peers};

/// `plimsoll hook`.
pub fn main(machine: &Machine, words: &[OsString]) -> u8 {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return crate::cli::main(machine);
    }
    failure::quiet_panics();
    model::brief::begin();
    state::Lock::in_a_hook();
    let reply = match Line::parse(words) {
        Ok(line) => {
            last_word::prepare(line.last_word(), line.limit(), &log::file(machine));
            match state::files::read_stdin(agents::LARGEST) {
                Ok(bytes) => answer(machine, &line, &bytes),
                Err(error) => failure::refuse(machine, &line, &Trouble::Unread(error)),
            }
        }
        Err(wrong) => failure::refuse(machine, &Line::default(), &Trouble::Line(wrong)),
    };
    write(&reply)
}

/// The program without a word: a payload on stdin is answered, everything else gets the start page.
pub fn bare(machine: &Machine) -> u8 {
    use std::io::IsTerminal;
    if std::io::stdin().is_terminal() {
        return crate::commands::start::run(machine);
    }
    failure::quiet_panics();
    state::Lock::in_a_hook();
    let line = Line::default();
    match state::files::read_stdin(agents::LARGEST) {
        Ok(bytes) if bytes.trim_ascii().is_empty() => crate::commands::start::run(machine),
        Ok(bytes) => {
            last_word::prepare(line.last_word(), line.limit(), &log::file(machine));
            write(&answer(machine, &line, &bytes))
        }
        Err(_) => crate::commands::start::run(machine),
    }
}

/// The one place where a hook's output is written.
pub(crate) fn write(reply: &Reply) -> u8 {
    last_word::answering();
    let written = state::files::write_stdout(reply.stdout.as_bytes());
    let mut exit = reply.exit;
    let mut stderr = std::io::stderr();
    // A client that has gone away reads neither. One that is there takes exit code 2 for a block, and half an answer for none.
    if let (Err(error), Some(reason)) = (&written, &reply.otherwise) {
        let reason = model::visible(reason);
        let _ = writeln!(stderr, "{reason}\n(plimsoll: the answer could not be written to stdout: {error})");
        exit = crate::exit::BLOCKED;
    }
    let _ = stderr.write_all(model::visible(&reply.stderr).as_bytes());
    last_word::answered(exit);
    exit
}

/// Any bytes give a reply. A fault of ours anywhere below becomes a question to the user.
pub fn answer(machine: &Machine, line: &Line, bytes: &[u8]) -> Reply {
    failure::caught(|| try_answer(machine, line, bytes))
        .unwrap_or_else(|why| failure::refuse(machine, line, &why))
}

fn try_answer(machine: &Machine, line: &Line, bytes: &[u8]) -> Reply {
    let input = match agents::read_from(bytes, line.agent.as_deref()) {
        Ok(input) => input,
        Err(bad) => return failure::unreadable(machine, line, bad, bytes),
    };
    let agent = line.agent(&input.payload);
    let session = machine.var(&environment::CLAUDE_SESSION_ID);
    let event =
        agent.parse(input.payload, Defaults { event: line.event.as_deref(), session: session.as_deref() });
    last_word::change(line.dialect.last_word(agent, Some(&event.name)));
    if line.plugin && is_settings_own(machine, &event) {
        return Reply::default();
    }
    // A held stop comes back as a prompt in some agents: that is nobody's word.
    if agent.echoes() && peers::is_own_text(machine, &event) {
        return Reply::default();
    }
    let terms = line.terms();
    match settled(machine, &terms, agent, &event, input.damaged) {
        Some(settled) => rendered(machine, &terms, agent, &event, &settled),
        None => silence(&terms, agent, &event),
    }
}

/// An event judged, with everything done that follows. `None` where hooks are switched off.
pub(crate) fn settled(
    machine: &Machine,
    terms: &Terms,
    agent: &dyn Agent,
    event: &Event,
    damaged: bool,
) -> Option<Settled> {
    let input_read = machine.micros();
    let judged = judge(machine, terms, event, Look { damaged, explain: false });
    if !judged.loaded.config.hook_enabled {
        return None;
    }
    let clock = settle::Clock { input_read, judged: machine.micros() };
    Some(settle::settle(machine, terms, agent, event, judged, clock))
}

/// What is said of it, as the agent reads it or in the old dialect.
pub(crate) fn rendered(
    machine: &Machine,
    terms: &Terms,
    agent: &dyn Agent,
    event: &Event,
    settled: &Settled,
) -> Reply {
    let said = match terms.dialect {
        Dialect::Native => agent.render(event, &settled.verdict),
        Dialect::Legacy => agents::render_legacy(event, &settled.verdict).into(),
    };
    peers::keep(machine, &settled.project, agent, event, &said);
    let mut reply = said.reply;
    for line in &settled.aloud {
        reply.stderr.push_str(line);
        reply.stderr.push('\n');
    }
    reply
}

/// The answer of hooks that are switched off: the old dialect wants a word all the same.
pub(crate) fn silence(terms: &Terms, agent: &dyn Agent, event: &Event) -> Reply {
    let nothing = model::Verdict::default();
    match terms.dialect {
        Dialect::Native => agent.render(event, &nothing).reply,
        Dialect::Legacy => agents::render_legacy(event, &nothing),
    }
}

/// Clients call the plugin's hooks and those of the settings both; one of them is enough.
fn is_settings_own(machine: &Machine, event: &Event) -> bool {
    let project = Project::find(machine, &event.cwd.clone().unwrap_or_else(|| machine.cwd()));
    let tool = event.tool_use().map(|use_| use_.name.as_str());
    crate::commands::setup::registration::is_registered(machine, &project, event.name.as_str(), tool)
}
