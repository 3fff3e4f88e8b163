//! From event to value: what is decided, and what follows. Nothing is written here, and nothing is said.

use std::path::PathBuf;
use std::time::Duration;

use checks::{Context, Options, Report};
use model::Event;
use model::config::Profile;
use state::config::Loaded;
use state::{DiskFacts, Machine, Project};

use super::{Dialect, Terms};
use crate::{failure, gates, lint, rules};

/// An event judged, with what it was judged by.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) project: Project,
    pub(crate) loaded: Loaded,
    pub(crate) report: Report,
}

impl Judged {
    /// Whether nothing follows but a line in the log.
    pub(super) fn is_observed(&self) -> bool {
        self.loaded.config.profile == Profile::Observe
    }
}

/// How an event is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// Bytes of the input were replaced.
    pub(crate) damaged: bool,
    /// Every check runs, and nothing is touched.
    pub(crate) explain: bool,
}

impl Look {
    pub(crate) const EXPLAINING: Self = Self { damaged: false, explain: true };
}

pub(crate) fn judge(machine: &Machine, terms: &Terms, event: &Event, look: Look) -> Judged {
    let Look { damaged, explain } = look;
    let cwd: PathBuf = event.cwd.clone().unwrap_or_else(|| machine.cwd());
    let project = Project::find(machine, &cwd);
    let mut loaded = state::config::load(machine, &project, checks::role, terms.trust);
    (terms.adjust)(&mut loaded);
    if !loaded.config.hook_enabled && !explain {
        return Judged { project, loaded, report: Report::default() };
    }
    if !explain && state::once::is_repeat(&project, event) {
        return Judged { project, loaded, report: Report::default() };
    }
    let rules = rules::in_force(machine, &project, &mut loaded);
    let deadline = terms.time_for_checks();
    let as_script = terms.as_script;
    let linter =
        lint::Service { machine, project: &project, loaded: &loaded, cwd: &cwd, deadline, as_script };
    let trusted = loaded.trusts_all;
    let gates = gates::Service { machine, project: &project, cwd: cwd.clone(), trusted };
    let mut facts =
        DiskFacts::new(machine, &project, &loaded, &event.session, cwd.clone(), terms.approvals.clone());
    facts.belief = terms.belief;
    let transcript = Transcript(event);
    facts = facts.with_transcript(&transcript).with_rules(rules.as_ref()).with_gates(&gates);
    if !explain {
        facts = facts.with_linter(&linter);
    }
    let options = Options { explain, only: terms.only.as_deref(), deadline };
    // The older scripts let pass what they could not read, and whoever registers one asks for exactly that.
    let doubts = damaged || terms.dialect == Dialect::Native;
    let report = report(event, &Context::new(&loaded.config, &facts), &options, doubts.then_some(damaged));
    Judged { project, loaded, report }
}

/// The pipeline by itself, whoever answers its questions. `damaged` is set where doubts about the input count.
pub(crate) fn report(
    event: &Event,
    cx: &Context<'_>,
    options: &Options<'_>,
    damaged: Option<bool>,
) -> Report {
    let mut report = checks::run(event, cx, options);
    if let Some(damaged) = damaged {
        failure::doubt(event, damaged, &mut report.verdict);
    }
    report
}

/// The transcript of an event's client, looked at only by gates that are about to count.
#[derive(Debug)]
struct Transcript<'a>(&'a Event);

impl state::Transcript for Transcript<'_> {
    fn is_beside(&self, call: &str) -> bool {
        /// More than a message with many calls, so that it is found where others follow it.
        const END: u64 = 512 << 10;
        /// The client may start the hook a moment before it has written down the call. Only a gate that is about to refuse waits.
        const LOOKS: u32 = 20;
        const BETWEEN: Duration = Duration::from_millis(25);
        let Some(this) = self.0.tool_use().and_then(|use_| use_.id.as_deref()) else { return false };
        let Some(file) = self.0.transcript.as_deref() else { return false };
        for look in 0..LOOKS {
            if look > 0 {
                std::thread::sleep(BETWEEN);
            }
            let Ok(end) = state::files::read_end(file, END) else { return false };
            if let Some(message) = agents::message_of(&end, this) {
                return agents::message_of(&end, call).is_some_and(|other| other == message);
            }
        }
        false
    }
}
