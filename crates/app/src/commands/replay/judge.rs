//! A recorded call, judged by the whole pipeline as things were when it was made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use agents::recording::By;
use checks::{Context, Options};
use model::rule::{Book, Rule};
use model::{Decision, Event, Paths as _, Verdict, redact};
use serde_json::{Value as Json, json};
use state::config::{Loaded, Trust};
use state::past::{Moment, Past, Texts};
use state::{Approvals, DiskFacts, Machine, Project, files};

use super::source::Found;
use crate::fault::Fault;
use crate::hook;

/// What is kept of the files of a session; past that it is forgotten, and counts as not known.
const MOST_TEXT: usize = 64 << 20;

/// One decision about a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) decision: Decision,
    pub(super) rules: Vec<String>,
    /// A rewrite, context, a notice.
    pub(super) besides: Vec<String>,
}

impl Answer {
    fn of(verdict: &Verdict) -> Self {
        Self {
            decision: verdict.decision,
            rules: verdict.rules().into_iter().map(str::to_owned).collect(),
            besides: verdict.besides().into_iter().map(str::to_owned).collect(),
        }
    }

    fn json(&self) -> Json {
        json!({"verdict": self.decision.as_str(), "rules": self.rules, "besides": self.besides})
    }
}

/// A call and what is decided about it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) file: Rc<str>,
    pub(super) line: u64,
    pub(super) id: String,
    pub(super) session: String,
    pub(super) agent: &'static str,
    pub(super) at: Option<u64>,
    pub(super) tool: String,
    /// What it was about, secrets masked.
    pub(super) subject: String,
    /// What it is compared with: what was decided then, or what other settings decide. `None` where nobody knows.
    pub(super) base: Option<Answer>,
    pub(super) now: Answer,
    /// Facts that are gone, where the verdict hangs on them.
    pub(super) unknown: Vec<&'static str>,
    /// Somebody was asked in the client, and said yes.
    pub(super) approved: bool,
    /// The user had let it through for a while (`plimsoll allow`).
    pub(super) allowed: bool,
    /// Each program that the command starts, with its leading words; empty where it is not a command.
    pub(super) calls: Vec<Vec<String>>,
}

impl Row {
    /// Whether it is decided otherwise, as far as that is known. What the user had allowed was decided by the user.
    pub(super) fn is_changed(&self) -> bool {
        let changed = self.base.as_ref().is_some_and(|base| base.decision != self.now.decision);
        changed && self.unknown.is_empty() && !self.allowed
    }

    pub(super) fn json(&self) -> Json {
        json!({
            "file": &*self.file,
            "line": self.line,
            "id": self.id,
            "session": self.session,
            "agent": self.agent,
            "time": self.at.map(model::time::rfc3339),
            "tool": self.tool,
            "subject": self.subject,
            "then": self.base.as_ref().map(Answer::json),
            "now": self.now.json(),
            "changed": self.is_changed(),
            "unknown": self.unknown,
            "approved": self.approved,
            "allowed": self.allowed,
        })
    }
}

/// A project with its settings, looked up once.
struct Place {
    project: Project,
    loaded: Loaded,
    rules: Option<Book>,
    other: Option<Loaded>,
    executables: Vec<PathBuf>,
}

pub(super) struct Judge<'a> {
    machine: &'a Machine,
    against: Option<&'a Path>,
    /// Rules besides those that are in force.
    pub(super) more: Vec<Rule>,
    places: BTreeMap<(bool, PathBuf), Rc<Place>>,
    /// Of the session that is being read.
    session: String,
    written: Texts,
    kept: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn new(machine: &'a Machine, against: Option<&'a Path>) -> anyhow::Result<Self> {
        if let Some(file) = against {
            let project = Project::here(machine);
            let loaded = state::config::load_file(machine, &project, file, checks::role);
            let loaded = loaded.map_err(|why| Fault::Configuration(format!("{} {why}", file.display())))?;
            if let Some(problem) = loaded.problems.first() {
                return Err(Fault::Configuration(problem.text.clone()).into());
            }
        }
        Ok(Self {
            machine,
            against,
            more: Vec::new(),
            places: BTreeMap::new(),
            session: String::new(),
            written: Texts::new(),
            kept: 0,
        })
    }

    /// What is wrong with the settings of the projects that calls were made in.
    pub(super) fn problems(&self) -> Vec<&str> {
        let all = self.places.values().flat_map(|place| &place.loaded.problems);
        let mut texts: Vec<&str> = all.map(|problem| problem.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    pub(super) fn judge(&mut self, found: &Found) -> Row {
        let call = &found.call;
        let event = &call.event;
        if event.session.as_str() != self.session {
            event.session.as_str().clone_into(&mut self.session);
            self.forget();
        }
        let cwd = event.cwd.clone().or_else(|| call.started.clone()).unwrap_or_else(|| self.machine.cwd());
        // Only Claude Code tells its hooks where it was started.
        let told = call.started.as_deref().filter(|_| event.agent.0 == "claude-code");
        let place = self.place(told, &cwd);
        let before = call.before.iter().map(|(file, text)| (files::resolve(file), text.clone())).collect();
        let moment = Moment { at: call.at.unwrap_or(0), branch: call.branch.clone(), before };
        let past = |loaded| {
            let disk = DiskFacts::new(
                self.machine,
                &place.project,
                loaded,
                &event.session,
                cwd.clone(),
                Approvals::Session,
            );
            let disk = disk.with_rules(place.rules.as_ref());
            Past::new(disk, &moment, &self.written, &place.executables)
        };
        let (now, unknown) = answer(event, &place.loaded, past);
        let base = match (&self.against, &place.other) {
            (Some(_), Some(other)) => Some(answer(event, other, past).0),
            _ => then(found),
        };
        let calls = leading_words(event, &past(&place.loaded));
        if call.then.client.is_none_or(|(accepted, _)| accepted) {
            self.note_edits(event, &moment, &cwd);
        }
        Row {
            file: Rc::clone(&found.file),
            line: found.line,
            id: call.id.clone(),
            session: event.session.as_str().to_owned(),
            agent: event.agent.0,
            at: call.at,
            tool: event.tool_use().map(|use_| use_.name.clone()).unwrap_or_default(),
            subject: redact(&event.subject()),
            base,
            now,
            unknown,
            approved: call.then.client == Some((true, By::User)),
            allowed: found.logged.as_ref().is_some_and(|logged| logged.allowed),
            calls,
        }
    }

    fn place(&mut self, told: Option<&Path>, cwd: &Path) -> Rc<Place> {
        let key = (told.is_some(), told.unwrap_or(cwd).to_owned());
        if let Some(place) = self.places.get(&key) {
            return Rc::clone(place);
        }
        let machine = self.machine;
        let project = Project::told_or_around(machine, told, cwd);
        let loaded = state::config::load(machine, &project, checks::role, Trust::Recorded);
        // Made anew and not kept: a replay writes nothing.
        let rules = crate::rules::with(machine, &project, &loaded, &self.more);
        // It could be read before, and would be said if it could not.
        let other = self
            .against
            .and_then(|file| state::config::load_file(machine, &project, file, checks::role).ok());
        let session = model::SessionId::default();
        let disk = DiskFacts::new(machine, &project, &loaded, &session, cwd.to_owned(), Approvals::Session);
        let executables = disk.executables().to_vec();
        drop(disk);
        let place = Rc::new(Place { project, loaded, rules, other, executables });
        self.places.insert(key, Rc::clone(&place));
        place
    }

    /// What a file holds after an edit, for the calls that follow.
    fn note_edits(&mut self, event: &Event, moment: &Moment, cwd: &Path) {
        for edit in event.edits() {
            let path = files::resolve(&model::path::absolute(&edit.path, cwd, None));
            let before = moment.before.get(&path).or_else(|| self.written.get(&path));
            let before = before.cloned().flatten().unwrap_or_default();
            let after = match &edit.change {
                model::Change::Removed => Some(None),
                change => change.apply(&before).map(Some),
            };
            if let Some(after) = after {
                self.kept += after.as_ref().map_or(0, String::len);
                self.written.insert(path, after);
            }
        }
        if self.kept > MOST_TEXT {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.written.clear();
        self.kept = 0;
    }
}

/// The verdict, and what is gone of what it hangs on.
fn answer<'a>(
    event: &Event,
    loaded: &'a Loaded,
    past: impl Fn(&'a Loaded) -> Past<'a>,
) -> (Answer, Vec<&'static str>) {
    if !loaded.config.hook_enabled {
        return (Answer::default(), Vec::new());
    }
    let options = Options::default();
    let judge = |facts: &Past<'_>| {
        let cx = Context::new(&loaded.config, facts);
        Answer::of(&hook::report(event, &cx, &options, Some(false)).verdict)
    };
    let first = past(loaded);
    let answer = judge(&first);
    let gone = first.gone();
    if gone.is_empty() {
        return (answer, gone);
    }
    let hangs = first.is_lost() || judge(&past(loaded).contrary()).decision != answer.decision;
    (answer, if hangs { gone } else { Vec::new() })
}

/// What was decided when it happened: by our log, by what the client kept of our answer, or by what became of the call.
fn then(found: &Found) -> Option<Answer> {
    if let Some(logged) = &found.logged {
        return Some(Answer {
            decision: logged.decision,
            rules: logged.rules.clone(),
            besides: logged.besides.clone(),
        });
    }
    let then = &found.call.then;
    let decision = match (then.hook, then.client) {
        (Some(decision), _) => decision,
        (None, Some((false, By::Hook))) => Decision::Deny,
        (None, Some((true, By::Hook))) => Decision::Allow,
        (None, Some((true, _))) => Decision::None,
        // Somebody else has refused it, so nobody knows what we would have done.
        (None, Some((false, _)) | None) => return None,
    };
    Some(Answer { decision, ..Answer::default() })
}

/// Words that are taken for a subcommand, at most.
const MOST_WORDS: usize = 3;

fn leading_words(event: &Event, facts: &Past<'_>) -> Vec<Vec<String>> {
    if event.command().is_none() {
        return Vec::new();
    }
    let Some(reading) = checks::read(event, facts) else { return Vec::new() };
    let plain =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c));
    let words = |call: &shell::Call| {
        let mut words = vec![call.program().to_owned()];
        let args = call.texts().take_while(|text| !text.starts_with('-') && plain(text));
        words.extend(args.take(MOST_WORDS - 1).map(str::to_owned));
        words
    };
    reading.calls.iter().filter(|call| !call.argv.is_empty()).map(words).collect()
}
