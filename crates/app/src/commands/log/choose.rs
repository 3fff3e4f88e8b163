//! Which records are meant. A value that nothing could match is refused, with those that could.

use std::collections::BTreeSet;

use model::{Decision, EventName};
use state::Machine;
use state::log::Record;

use crate::fault::Fault;
use crate::ui::human;

/// The same for `log`, `stats` and `report`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Choice {
    /// Only since then: `2h`, `7d`, `today`, `2026-01-31`
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only this verdict: deny, ask, allow, none
    #[arg(long)]
    pub(crate) verdict: Option<String>,
    /// Only records in which this check spoke
    #[arg(long, value_name = "CHECK")]
    pub(crate) rule: Option<String>,
    /// Only this tool, such as `Bash`
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Only this agent, such as `claude-code`
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Only this session; the first letters of its name do
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only this event, such as `PreToolUse`
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// Only what the agent has waited for this long: `100ms` if not said
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "100ms")]
    pub(crate) slow: Option<String>,
}

/// A choice whose words were understood.
#[derive(Debug)]
pub(crate) struct Chosen {
    choice: Choice,
    since: String,
    slow: u64,
    /// All that was seen, chosen or not: what a value could have been.
    seen: [BTreeSet<String>; 5],
}

const TOOL: usize = 0;
const AGENT: usize = 1;
const SESSION: usize = 2;
const EVENT: usize = 3;
const RULE: usize = 4;

impl Choice {
    /// Whether nothing is chosen by.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { since, verdict, rule, tool, agent, session, event, slow } = self;
        [since, verdict, rule, tool, agent, session, event, slow].iter().all(|one| one.is_none())
    }

    pub(crate) fn understood(&self, machine: &Machine) -> anyhow::Result<Chosen> {
        let verdicts = Decision::ALL.map(Decision::as_str);
        if let Some(verdict) = &self.verdict
            && !verdicts.contains(&verdict.as_str())
        {
            return Err(Fault::Usage(human::unknown("verdict", verdict, &verdicts)).into());
        }
        let since = match &self.since {
            Some(text) => human::parse_moment(text, machine.now()).map_err(Fault::usage)?,
            None => 0,
        };
        let slow = match &self.slow {
            Some(text) => human::parse_duration(text).map_err(Fault::usage)?,
            None => 0,
        };
        let since = if since == 0 { String::new() } else { model::time::rfc3339(since) };
        Ok(Chosen { choice: self.clone(), since, slow, seen: Default::default() })
    }
}

impl Chosen {
    /// Whether a record is meant.
    pub(crate) fn has(&mut self, record: &Record) -> bool {
        let choice = &self.choice;
        let mut see = |at: usize, wanted: &Option<String>, value: &str| {
            if wanted.is_some() && !value.is_empty() && !self.seen[at].contains(value) {
                self.seen[at].insert(value.to_owned());
            }
        };
        see(TOOL, &choice.tool, &record.tool);
        see(AGENT, &choice.agent, &record.agent);
        see(SESSION, &choice.session, &record.session);
        see(EVENT, &choice.event, &record.event);
        record.rules.iter().for_each(|rule| see(RULE, &choice.rule, rule));
        let is =
            |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|wanted| wanted == value);
        is(&choice.verdict, &record.verdict)
            && is(&choice.tool, &record.tool)
            && is(&choice.agent, &record.agent)
            && is(&choice.event, &record.event)
            && choice.session.as_ref().is_none_or(|wanted| record.session.starts_with(wanted))
            && choice.rule.as_ref().is_none_or(|wanted| record.rules.contains(wanted))
            // Nobody waits for what is done in the background.
            && (self.slow == 0 || record.micros >= self.slow && !record.event.starts_with("task "))
            && record.time >= self.since
    }

    /// After all were seen and none was meant: whether that is because there is no such thing.
    pub(crate) fn refuse_unknown(&self) -> anyhow::Result<()> {
        let choice = &self.choice;
        let checks: Vec<&str> = checks::all().map(|check| check.meta.id).collect();
        let claude = agents::Agent::id(&agents::ClaudeCode).0;
        let agents: Vec<&str> =
            std::iter::once(claude).chain(agents::DIALECTS.iter().map(|dialect| dialect.id)).collect();
        let events: Vec<&str> = EventName::ALL.iter().map(EventName::as_str).collect();
        for (what, at, value, ours) in [
            ("tool", TOOL, &choice.tool, Vec::new()),
            ("agent", AGENT, &choice.agent, agents),
            ("session", SESSION, &choice.session, Vec::new()),
            ("event", EVENT, &choice.event, events),
            ("check", RULE, &choice.rule, checks),
        ] {
            let Some(value) = value else { continue };
            let mut known: Vec<&str> = self.seen[at].iter().map(String::as_str).collect();
            known.extend(ours.into_iter().filter(|ours| !self.seen[at].contains(*ours)));
            let fits = |known: &&str| *known == value || at == SESSION && known.starts_with(value.as_str());
            if !known.is_empty() && !known.iter().any(fits) {
                return Err(Fault::Usage(human::unknown(what, value, &known)).into());
            }
        }
        Ok(())
    }
}
