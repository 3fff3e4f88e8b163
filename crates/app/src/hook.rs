//! The hot path: bytes in, one reply out. Read it top to bottom; it is the data flow of ARCHITECTURE.md.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use agents::{Agent, Defaults, Reply, Said};
use checks::{Context, Options, Ran, Report};
use model::config::Profile;
use model::{Decision, Effect, Event, EventName, LastWord, Task, Verdict, environment};
use serde_json::Map;
use state::config::{Loaded, Trust};
use state::written::Belief;
use state::{Approvals, DiskFacts, Machine, Project, last_word, log};

use crate::{failure, lint, peers, rules};

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// As the agent of the payload expects it.
    #[default]
    Native,
    /// `{"decision": "block" | "approve"}`.
    Legacy,
}

/// What the command line says. The registered one must keep its meaning: agents pin it.
#[derive(Clone, Debug)]
pub struct Args {
    /// Only these checks.
    pub only: Option<Vec<String>>,
    pub dialect: Dialect,
    /// Seconds that the agent gives us, as registered.
    pub deadline: u64,
    /// Called by the plugin: where the settings register us too, they have the word.
    pub plugin: bool,
    /// The agent that calls, as registered; by the shape of its payload where it is not said.
    pub agent: Option<String>,
    /// For payloads that do not say.
    pub event: Option<Cow<'static, str>>,
    pub session: Option<String>,
    pub trust: Trust,
    /// Whose word counts in a project's state files.
    pub belief: Belief,
    pub approvals: Approvals,
    /// What the settings come to besides their files.
    pub adjust: fn(&mut Loaded),
    /// The linter works as the script that it takes the place of, and this gives the answer its form.
    pub as_script: Option<AsScript>,
}

/// From an answer in the old dialect to a script's own.
pub type AsScript = fn(&Machine, &Event, &[Effect], &Verdict, Reply) -> Reply;

impl Default for Args {
    fn default() -> Self {
        Self {
            only: None,
            dialect: Dialect::Native,
            deadline: 60,
            plugin: false,
            agent: None,
            event: None,
            session: None,
            trust: Trust::Recorded,
            belief: Belief::Ours,
            approvals: Approvals::Session,
            adjust: |_| {},
            as_script: None,
        }
    }
}

impl Args {
    /// When it is said that the time was up: late enough for the pipeline to say so itself, early enough to be heard.
    fn limit(&self) -> Duration {
        Duration::from_millis(self.deadline.saturating_mul(950))
    }

    /// What checks and the programs that they start may take, in microseconds. The rest is for saying so: a tenth, and two seconds
    /// where there are four, because a busy machine needs that long to end a program and to answer.
    fn time_for_checks(&self) -> u64 {
        let all = self.deadline.saturating_mul(1_000_000);
        let for_saying_so = (all / 10).max((all / 2).min(2_000_000));
        // Of a second nothing can be spared twice.
        if self.deadline < 2 { all / 10 * 9 } else { all - for_saying_so }
    }

    fn parse(words: &[OsString]) -> Result<Self, String> {
        let mut args = Self::default();
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
                    .ok_or_else(|| format!("{name} needs a value"))
            };
            match name.as_str() {
                "--plugin" => args.plugin = true,
                // For whoever reads it where plimsoll is missing.
                "--note" => drop(value()?),
                "--only" => {
                    let list: Vec<String> = value()?.split(',').map(|id| id.trim().to_owned()).collect();
                    if let Some(id) = list.iter().find(|id| checks::find(id).is_none()) {
                        return Err(format!("there is no check {id}"));
                    }
                    args.only = Some(list);
                }
                "--agent" => {
                    let name = value()?;
                    if agents::named(&name, &Map::new()).is_none() {
                        return Err(format!("there is no agent {name}"));
                    }
                    args.agent = Some(name);
                }
                "--event" => args.event = Some(Cow::Owned(value()?)),
                "--dialect" => {
                    args.dialect = match value()?.as_str() {
                        "claude" => Dialect::Native,
                        "legacy" => Dialect::Legacy,
                        other => return Err(format!("there is no dialect {other}")),
                    };
                }
                "--deadline" => {
                    args.deadline = value()?.parse().map_err(|_| "--deadline takes seconds".to_owned())?;
                }
                other => return Err(format!("unknown option {other} of `plimsoll hook`")),
            }
        }
        Ok(args)
    }
}

/// `plimsoll hook`.
pub fn main(machine: &Machine, words: &[OsString]) -> u8 {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return crate::cli::main(machine);
    }
    failure::quiet_panics();
    model::brief::begin();
    state::Lock::in_a_hook();
    let reply = match Args::parse(words) {
        Ok(args) => {
            last_word::prepare(last_word(&args, None), args.limit(), &log::file(machine));
            match state::files::read_stdin(agents::LARGEST) {
                Ok(bytes) => answer(machine, &args, &bytes),
                Err(error) => {
                    failure::refuse(machine, &args, &format!("the hook's input could not be read: {error}"))
                }
            }
        }
        Err(wrong) => {
            failure::refuse(machine, &Args::default(), &format!("the hook is registered wrongly: {wrong}"))
        }
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
    let args = Args::default();
    match state::files::read_stdin(agents::LARGEST) {
        Ok(bytes) if bytes.trim_ascii().is_empty() => crate::commands::start::run(machine),
        Ok(bytes) => {
            last_word::prepare(last_word(&args, None), args.limit(), &log::file(machine));
            write(&answer(machine, &args, &bytes))
        }
        Err(_) => crate::commands::start::run(machine),
    }
}

/// What is said when we are ended before there is an answer.
fn last_word(args: &Args, event: Option<&EventName>) -> LastWord {
    match args.dialect {
        Dialect::Native => {
            let agent = agent(args, &Map::new());
            // Where the line says which event it is for, that is known before anything is read.
            let told = args.agent.as_ref().and(args.event.as_deref());
            let told = told
                .map(|event| agent.parse(Map::new(), Defaults { event: Some(event), session: None }).name);
            agent.last_word(event.or(told.as_ref()))
        }
        Dialect::Legacy => agents::last_word_legacy(event),
    }
}

/// Who speaks: whoever the command line names, else whoever the payload looks like.
pub(crate) fn agent(args: &Args, payload: &Map<String, serde_json::Value>) -> &'static dyn Agent {
    let named = args.agent.as_ref().and_then(|name| agents::named(name, payload));
    named.unwrap_or_else(|| agents::detect(payload))
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
pub fn answer(machine: &Machine, args: &Args, bytes: &[u8]) -> Reply {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| try_answer(machine, args, bytes))) {
        Ok(reply) => reply,
        Err(_) => failure::refuse(machine, args, &format!("an internal error: {}", failure::last_panic())),
    }
}

fn try_answer(machine: &Machine, args: &Args, bytes: &[u8]) -> Reply {
    let input = match agents::read(bytes) {
        Ok(input) => input,
        Err(bad) => return failure::unreadable(machine, args, &bad, bytes),
    };
    let agent = agent(args, &input.payload);
    let input_read = machine.micros();
    let session = machine.var(&environment::CLAUDE_SESSION_ID).or_else(|| args.session.clone());
    let event =
        agent.parse(input.payload, Defaults { event: args.event.as_deref(), session: session.as_deref() });
    last_word::change(match args.dialect {
        Dialect::Native => agent.last_word(Some(&event.name)),
        Dialect::Legacy => agents::last_word_legacy(Some(&event.name)),
    });
    if args.plugin && is_settings_own(machine, &event) {
        return render(agent, args, &event, &Verdict::default()).reply;
    }
    // A held stop comes back as a prompt in some agents: that is nobody's word.
    if agent.echoes() && peers::is_own_text(machine, &event) {
        return Reply::default();
    }
    let mut judged = judge(machine, args, &event, input.damaged, false);
    let checked = machine.micros();
    if !judged.loaded.config.hook_enabled {
        return render(agent, args, &event, &Verdict::default()).reply;
    }
    let observed = judged.loaded.config.profile == Profile::Observe;
    if !observed {
        note_who_speaks(machine, args, &judged.project, &event);
    }
    // A permit is the user's answer to a question, so there has to be one.
    if judged.report.verdict.decision != Decision::Ask {
        judged.report.effects.retain(|effect| !matches!(effect, Effect::Permit(_)));
    }
    // Observing changes nothing but the log.
    let effects = if observed { &[][..] } else { &judged.report.effects };
    let mut failures = state::apply(machine, &judged.project, &event, effects);
    // Where this cannot be written, the log beside it cannot either, and says so.
    let _ = judged.project.note();
    if event.name == EventName::SessionStart {
        let limits = log::Limits::of(&judged.loaded.config);
        failures.extend(state::upkeep::at_session_start(machine, &judged.project, &event.session, limits));
    }
    let mut stderr = String::new();
    for effect in effects {
        if let Effect::Stderr(line) = effect {
            let _ = writeln!(stderr, "{}", model::redact_all(line));
        }
    }
    failures.extend(judged.report.trace.iter().filter_map(|trace| match &trace.ran {
        Ran::Failed(why) => Some(format!("{} {why}", trace.check.id)),
        _ => None,
    }));
    let clock = Clock { input_read, checked, now: machine.micros() };
    if let Err(error) = note(machine, &event, &judged, failures, clock) {
        // Not worth stopping the agent for, and the client shows stderr only to those who look for it.
        let _ = writeln!(stderr, "plimsoll: the log could not be written: {error}");
    }
    // After the line, so that it goes along. Also while observing: it is how a team finds out what would be said.
    if state::telemetry::is_due(machine, &judged.loaded.config, &event.name) {
        let task = Task { name: "telemetry", args: Vec::new() };
        // Where it cannot be started, the next one sends.
        let _ = state::task::start(machine, &judged.project, &event.session, &task);
    }
    let mut said = if observed { Verdict::default() } else { std::mem::take(&mut judged.report.verdict) };
    // A full or read-only disk is for the user to fix, so this is also said while only observing.
    if let Some(unwritable) = state::unwritable::news(machine, &judged.project, &event.session) {
        let text = unwritable.text(machine);
        if args.dialect == Dialect::Legacy || agent.tells_the_user(&event) {
            said.notices.push(text);
        } else {
            let _ = writeln!(stderr, "{text}");
        }
    }
    if args.dialect == Dialect::Native
        && agent.tells_the_user(&event)
        && let Some(text) = state::config::news(machine, &judged.project, &event.session, &judged.loaded)
        && !said.notices.iter().any(|notice| judged.loaded.stale.iter().all(|stale| notice.contains(stale)))
    {
        said.notices.push(text);
    }
    said.make_presentable();
    let rendered = render(agent, args, &event, &said);
    peers::keep(machine, &judged.project, agent, &event, &rendered);
    let mut reply = rendered.reply;
    if let Some(as_script) = args.as_script {
        reply = as_script(machine, &event, &judged.report.effects, &said, reply);
        // What programs read of a script's stderr is at its end.
        reply.stderr.insert_str(0, &stderr);
    } else {
        reply.stderr.push_str(&stderr);
    }
    reply
}

/// Where a run was when.
#[derive(Clone, Copy, Debug)]
struct Clock {
    input_read: u64,
    checked: u64,
    now: u64,
}

/// The line in the log.
fn note(
    machine: &Machine,
    event: &Event,
    judged: &Judged,
    failures: Vec<String>,
    clock: Clock,
) -> std::io::Result<()> {
    /// A check that takes less is no reason for anything.
    const SLOW: u64 = 1000;
    let report = &judged.report;
    let root = judged.project.root.to_string_lossy();
    let mut entry = log::Entry::new(event, &root);
    entry.verdict = report.verdict.decision.as_str();
    entry.rules = report.verdict.rules();
    if report.verdict.decision >= Decision::Ask {
        entry.reason = report.verdict.reason();
    }
    entry.deeds.clone_from(&report.deeds);
    entry.besides = report.verdict.besides();
    entry.micros = clock.now;
    entry.parts = vec![
        ("input", clock.input_read),
        ("checks", clock.checked - clock.input_read),
        ("records", clock.now - clock.checked),
    ];
    let slow = report.trace.iter().filter(|trace| trace.micros >= SLOW);
    entry.slow = slow.map(|trace| (trace.check.id, trace.micros)).collect();
    entry.observed = judged.loaded.config.profile == Profile::Observe;
    entry.policy = judged.loaded.policy.as_ref().map(|policy| policy.commit.as_str());
    entry.failures = failures;
    for effect in &report.effects {
        match effect {
            Effect::Trace(lines) => entry.trace.extend_from_slice(lines),
            Effect::Allowed(id) => entry.allowed.push(id),
            Effect::Linted(linted) => entry.lint = Some(linted),
            Effect::TestsEnd(seen) => entry.tests = Some(seen),
            _ => {}
        }
    }
    log::append(machine, &entry, Some(log::Limits::of(&judged.loaded.config)))
}

/// Where a session begins, who began it; at a tool call, that earlier questions are settled.
fn note_who_speaks(machine: &Machine, args: &Args, project: &Project, event: &Event) {
    match event.name {
        // Only a command could use what a question has left.
        EventName::PreToolUse if !event.commands().is_empty() => {
            state::person::settle(machine, project, event);
        }
        // Not worth stopping for: without it the user speaks in a terminal.
        EventName::SessionStart | EventName::UserPromptSubmit => {
            state::person::settle(machine, project, event);
            let _ = state::client::note(machine, project, &event.session, args.only.is_none());
        }
        EventName::Stop | EventName::SessionEnd => state::person::settle(machine, project, event),
        _ => {}
    }
}

/// Clients call the plugin's hooks and those of the settings both; one of them is enough.
fn is_settings_own(machine: &Machine, event: &Event) -> bool {
    let project = Project::find(machine, &event.cwd.clone().unwrap_or_else(|| machine.cwd()));
    let tool = event.tool_use().map(|use_| use_.name.as_str());
    crate::commands::setup::registration::is_registered(machine, &project, event.name.as_str(), tool)
}

/// An event judged, with what it was judged by.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) project: Project,
    pub(crate) loaded: Loaded,
    pub(crate) report: Report,
}

/// From event to report. `explain` runs every check and touches nothing.
pub(crate) fn judge(machine: &Machine, args: &Args, event: &Event, damaged: bool, explain: bool) -> Judged {
    let cwd: PathBuf = event.cwd.clone().unwrap_or_else(|| machine.cwd());
    let project = Project::find(machine, &cwd);
    let mut loaded = state::config::load(machine, &project, checks::role, args.trust);
    (args.adjust)(&mut loaded);
    if !loaded.config.hook_enabled && !explain {
        return Judged { project, loaded, report: Report::default() };
    }
    if !explain && state::once::is_repeat(&project, event) {
        return Judged { project, loaded, report: Report::default() };
    }
    let rules = rules::in_force(machine, &project, &mut loaded);
    let deadline = args.time_for_checks();
    let as_script = args.as_script.is_some();
    let linter =
        lint::Service { machine, project: &project, loaded: &loaded, cwd: &cwd, deadline, as_script };
    let mut facts =
        DiskFacts::new(machine, &project, &loaded, &event.session, cwd.clone(), args.approvals.clone());
    facts.belief = args.belief;
    let transcript = Transcript(event);
    facts = facts.with_transcript(&transcript).with_rules(rules.as_ref());
    if !explain {
        facts = facts.with_linter(&linter);
    }
    let options = Options { explain, only: args.only.as_deref(), deadline };
    // The older scripts let pass what they could not read, and whoever registers one asks for exactly that.
    let doubts = damaged || args.dialect == Dialect::Native;
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

fn render(agent: &dyn Agent, args: &Args, event: &Event, verdict: &Verdict) -> Said {
    match args.dialect {
        Dialect::Native => agent.render(event, verdict),
        Dialect::Legacy => agents::render_legacy(event, verdict).into(),
    }
}
