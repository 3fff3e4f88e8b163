//! An old script as a narrowed hook run: what it reads, by what it judges, and in which form it answers.

use agents::{Agent, BadInput, Defaults, Reply};
use model::{Event, environment};
use state::config::Trust;
use state::written::Belief;
use state::{Machine, last_word};

use crate::failure::{self, Trouble};
use crate::hook::{self, Dialect, Settled, Terms};

/// A run of one event with terms of its own.
pub(super) struct Run<'a> {
    pub(super) machine: &'a Machine,
    pub(super) terms: Terms,
    /// What the payloads of its time do not say.
    pub(super) event: &'static str,
    /// The same for the session.
    pub(super) session: Option<String>,
}

/// What came of a run: everything is done, and nothing is said yet.
pub(super) enum Came {
    Settled(Box<Answered>),
    /// Hooks are switched off.
    Off(Box<Event>, &'static dyn Agent),
    /// We have failed, and what.
    Failed(Trouble),
    /// The input is no payload.
    Unreadable(BadInput, Vec<u8>),
}

pub(super) struct Answered {
    pub(super) agent: &'static dyn Agent,
    pub(super) event: Event,
    pub(super) settled: Settled,
}

/// The terms of a script whose projects knew no trust: the project's files count as they are.
pub(super) fn trusting(only: &[&str]) -> Terms {
    Terms { trust: Trust::Everything, belief: Belief::Everything, ..Terms::only(only) }
}

impl<'a> Run<'a> {
    pub(super) fn new(machine: &'a Machine, event: &'static str, terms: Terms) -> Self {
        Self { machine, terms, event, session: None }
    }

    /// With what is on stdin.
    pub(super) fn of_stdin(&self) -> Came {
        match state::files::read_stdin(agents::LARGEST) {
            Ok(bytes) => self.of(&bytes),
            Err(error) => Came::Failed(Trouble::Unread(error)),
        }
    }

    pub(super) fn of(&self, bytes: &[u8]) -> Came {
        failure::caught(|| self.try_of(bytes)).unwrap_or_else(Came::Failed)
    }

    fn try_of(&self, bytes: &[u8]) -> Came {
        let input = match agents::read(bytes) {
            Ok(input) => input,
            Err(bad) => return Came::Unreadable(bad, bytes.to_vec()),
        };
        let agent = agents::detect(&input.payload);
        let session = self.machine.var(&environment::CLAUDE_SESSION_ID).or_else(|| self.session.clone());
        let defaults = Defaults { event: Some(self.event), session: session.as_deref() };
        let event = agent.parse(input.payload, defaults);
        last_word::change(self.terms.dialect.last_word(agent, Some(&event.name)));
        match hook::settled(self.machine, &self.terms, agent, &event, input.damaged) {
            Some(settled) => Came::Settled(Box::new(Answered { agent, event, settled })),
            None => Came::Off(Box::new(event), agent),
        }
    }

    /// As a hook answers, in the dialect of the terms.
    pub(super) fn reply(&self, came: Came) -> Reply {
        match came {
            Came::Settled(answered) => self.rendered(&answered),
            other => self.unsettled(other),
        }
    }

    pub(super) fn rendered(&self, Answered { agent, event, settled }: &Answered) -> Reply {
        hook::rendered(self.machine, &self.terms, *agent, event, settled)
    }

    /// What is said where there is nothing to render.
    pub(super) fn unsettled(&self, came: Came) -> Reply {
        match came {
            Came::Settled(answered) => self.rendered(&answered),
            Came::Off(event, agent) => hook::silence(&self.terms, agent, &event),
            Came::Failed(why) => self.refused(&why),
            Came::Unreadable(bad, bytes) => {
                if failure::concerns_no_call(self.machine, &bad, &bytes) {
                    Reply::default()
                } else {
                    self.refused(&bad.into())
                }
            }
        }
    }

    fn refused(&self, why: &Trouble) -> Reply {
        let agent = agents::detect(&serde_json::Map::new());
        failure::refuse_in(self.terms.dialect, agent, self.machine, why)
    }
}

/// A script of the first protocol, whose projects knew no trust.
pub(super) fn legacy<'a>(machine: &'a Machine, event: &'static str, terms: Terms) -> Run<'a> {
    let terms =
        Terms { dialect: Dialect::Legacy, trust: Trust::Everything, belief: Belief::Everything, ..terms };
    Run::new(machine, event, terms)
}
