//! What the command line of `plimsoll hook` says. The registered one must keep its meaning: agents pin it.

use std::ffi::OsString;
use std::time::Duration;

use agents::{Agent, Defaults};
use model::{EventName, LastWord};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Dialect, Terms};

#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Only these checks.
    pub only: Option<Vec<String>>,
    pub dialect: Dialect,
    /// Seconds that the agent gives us, as registered.
    pub deadline: Option<u64>,
    /// Called by the plugin: where the settings register us too, they have the word.
    pub plugin: bool,
    /// The agent that calls, as registered; by the shape of its payload where it is not said.
    pub agent: Option<String>,
    /// For payloads that do not say.
    pub event: Option<String>,
}

/// What is wrong with a command line.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum BadLine {
    #[error("{0} needs a value")]
    NoValue(String),
    #[error("unknown check {0}")]
    Check(String),
    #[error("unknown agent {0}")]
    Agent(String),
    #[error("unknown dialect {0}")]
    Dialect(String),
    #[error("--deadline takes seconds")]
    Deadline,
    #[error("unknown option {0} of `plimsoll hook`")]
    Option(String),
}

impl Line {
    pub(super) fn parse(words: &[OsString]) -> Result<Self, BadLine> {
        let mut line = Self::default();
        let mut words = words.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word.into_owned(), None),
            };
            let mut value = || {
                inline
                    .clone()
                    .or_else(|| words.next().map(Into::into))
                    .ok_or_else(|| BadLine::NoValue(name.clone()))
            };
            match name.as_str() {
                "--plugin" => line.plugin = true,
                // For whoever reads it where plimsoll is missing.
                "--note" => drop(value()?),
                "--only" => {
                    let list: Vec<String> = value()?.split(',').map(|id| id.trim().to_owned()).collect();
                    if let Some(id) = list.iter().find(|id| checks::find(id).is_none()) {
                        return Err(BadLine::Check(id.clone()));
                    }
                    line.only = Some(list);
                }
                "--agent" => {
                    let name = value()?;
                    if agents::named(&name, &Map::new()).is_none() {
                        return Err(BadLine::Agent(name));
                    }
                    line.agent = Some(name);
                }
                "--event" => line.event = Some(value()?),
                "--dialect" => {
                    line.dialect = match value()?.as_str() {
                        "claude" => Dialect::Native,
                        "legacy" => Dialect::Legacy,
                        other => return Err(BadLine::Dialect(other.to_owned())),
                    };
                }
                "--deadline" => {
                    let seconds = value()?.parse().map_err(|_| BadLine::Deadline)?;
                    line.deadline = Some(seconds);
                }
                other => return Err(BadLine::Option(other.to_owned())),
            }
        }
        Ok(line)
    }

    /// By what an event is judged that comes by this line.
    pub(super) fn terms(&self) -> Terms {
        let terms = Terms { only: self.only.clone(), dialect: self.dialect, ..Terms::default() };
        Terms { deadline: self.deadline.unwrap_or(terms.deadline), ..terms }
    }

    /// When it is said that the time was up: late enough for the pipeline to say so itself, early enough to be heard.
    pub(super) fn limit(&self) -> Duration {
        Duration::from_millis(self.terms().deadline.saturating_mul(950))
    }

    /// Who speaks: whoever the line names, else whoever the payload looks like.
    pub(crate) fn agent(&self, payload: &Map<String, Value>) -> &'static dyn Agent {
        let named = self.agent.as_ref().and_then(|name| agents::named(name, payload));
        named.unwrap_or_else(|| agents::detect(payload))
    }

    /// What is said when we are ended before there is an answer, and before anything was read.
    pub(super) fn last_word(&self) -> LastWord {
        let agent = self.agent(&Map::new());
        // Where the line says which event it is for, that is known before anything is read.
        let told = self.agent.as_ref().and(self.event.as_deref());
        let told =
            told.map(|event| agent.parse(Map::new(), Defaults { event: Some(event), session: None }).name);
        self.dialect.last_word(agent, told.as_ref())
    }
}

impl Dialect {
    /// What is said when we are ended before there is an answer.
    pub(crate) fn last_word(self, agent: &dyn Agent, event: Option<&EventName>) -> LastWord {
        match self {
            Self::Native => agent.last_word(event),
            Self::Legacy => agents::last_word_legacy(event),
        }
    }
}
