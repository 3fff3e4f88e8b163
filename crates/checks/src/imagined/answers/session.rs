//! What has happened in the session of a made-up world.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::state_files::{Strikes, TestResult, TestStatus};
use model::{
    Autonomy, Client, Commands, Conclusion, Event, Evidence, Files as _, Guarded, Held, LastRun, Linted,
    Linting, Mail, Memories, Memory, Owner, Protected, Quality, Question, Registered, Review, Reviewer,
    Reviews, Seen, Session, SessionChanges, ShownMemory, Tested, Tree, Unknown, Update, Watch,
};

use crate::imagined::{PROJECT, Table};

impl Session for Table {
    fn was_said(&self, what: &str) -> bool {
        self.said.iter().any(|said| said == what)
    }

    fn said_text(&self, what: &str) -> Option<String> {
        self.said.iter().find_map(|said| said.strip_prefix(what)?.strip_prefix('=').map(str::to_owned))
    }

    fn mail(&self) -> Vec<Mail> {
        self.mail.clone()
    }

    fn held(&self, _: &str) -> Option<Held> {
        self.held.clone()
    }

    fn strikes(&self, gate: &str, about: u64) -> u64 {
        let text = self.record(Path::new(PROJECT), gate).ok().flatten();
        let strikes = text.map(|text| Strikes::parse(&text)).unwrap_or_default();
        if strikes.at < about { 0 } else { strikes.count }
    }

    fn session_changes(&self) -> Result<SessionChanges, Unknown> {
        self.session.changes.clone().unwrap_or_else(|| Ok(SessionChanges::default()))
    }

    fn code_version(&self) -> String {
        self.session.version.clone().unwrap_or_else(|| "abc1234-dirty".into())
    }

    fn is_the_client(&self) -> bool {
        self.own.is_the_client
    }

    fn autonomy(&self) -> Option<Autonomy> {
        self.autonomy.clone()
    }

    fn stale_autonomy(&self) -> Vec<PathBuf> {
        self.session.stale.clone()
    }

    fn other_session(&self) -> Option<Owner> {
        self.session.other.clone()
    }
}

impl Guarded for Table {
    fn protected_changes(&self, _: &Watch) -> Result<Protected, Unknown> {
        self.changes.clone().map(|changes| Protected { changes, unseen: Vec::new() })
    }

    fn is_named_restore(&self, command: &str) -> bool {
        self.restores.iter().any(|named| named == command)
    }

    fn approve_command(&self, files: &[&str]) -> String {
        shell::join(["plimsoll", "approve", "--session", "s1", "--"].into_iter().chain(files.iter().copied()))
    }
}

impl Evidence for Table {
    fn seen_runs(&self) -> Vec<Seen> {
        self.session.seen.clone()
    }

    fn tested(&self, root: &Path, tree: &Tree) -> Tested {
        match tree {
            _ if self.work.is_tested(tree) => return Tested::Same,
            // What is said about the code that lies there says nothing about it.
            Tree::Version(_) => return Tested::Changed,
            _ => {}
        }
        let by_file = || {
            let status = self.record(root, TestStatus::FILE).ok().flatten();
            match status.and_then(|text| TestStatus::parse(&text))?.result {
                TestResult::Pass => Some(Tested::Same),
                TestResult::Fail => Some(Tested::Failed),
                TestResult::None => None,
            }
        };
        self.work.tested.clone().or_else(by_file).unwrap_or_default()
    }

    fn proved(&self, _: &Path, tree: &Tree) -> bool {
        self.work.is_tested(tree)
    }

    fn last_run(&self, root: &Path) -> Option<LastRun> {
        let text = self.record(root, TestStatus::FILE).ok()??;
        Some(LastRun { status: TestStatus::parse(&text)?, part: None })
    }

    fn tests_are_running(&self, _: &Path, _: Duration) -> bool {
        self.work.testing
    }

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        if self.work.foreign.iter().any(|known| known == name) {
            return Ok(None);
        }
        self.read(&root.join(".claude").join(name))
    }

    fn is_report_of_other_code(&self, _: &str) -> bool {
        false
    }
}

impl Memories for Table {
    fn memories(&self, _: usize, _: &[String]) -> Vec<Memory> {
        self.session.memories.clone()
    }

    fn files_at_hand(&self) -> Vec<String> {
        Vec::new()
    }

    fn assertions(&self) -> Vec<(String, String)> {
        self.session.assertions.clone()
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        self.session.shown.clone()
    }
}

impl Linting for Table {
    fn lint(&self, _: &Event) -> Result<Linted, Unknown> {
        self.linted.clone()
    }

    fn lint_open(&self, _: &Event) -> Result<Linted, Unknown> {
        self.linted.clone()
    }

    fn lint_files(&self, _: &[PathBuf], _: Duration) -> Linted {
        Linted {
            violations: self.session.violations.clone(),
            said: self.session.unlinted.clone(),
            ..Linted::default()
        }
    }
}

impl Reviews for Table {
    fn reviewers(&self) -> Vec<Reviewer> {
        self.reviewers.iter().map(|(reviewer, _)| *reviewer).collect()
    }

    fn review(
        &self,
        reviewer: Reviewer,
        _: &Question,
        _: Option<&Review>,
        _: Duration,
    ) -> Result<Review, Unknown> {
        let known = self.reviewers.iter().find(|(known, _)| *known == reviewer);
        known.map_or_else(|| Err(Unknown("there is no such reviewer".into())), |(_, answer)| answer.clone())
    }

    fn remembered_review(&self, _: &Question) -> Option<Conclusion> {
        self.remembered.clone()
    }
}

impl Client for Table {
    fn registered_hooks(&self) -> Vec<Registered> {
        self.session.registered.clone()
    }

    fn unreadable_settings(&self) -> Vec<String> {
        self.session.unreadable.clone()
    }

    fn update(&self) -> Update {
        self.session.update.clone()
    }
}

impl Commands for Table {
    fn quality(&self, _: &Event, _: Duration) -> Quality {
        self.session.quality.clone()
    }

    fn claim(&self, _: &str) -> bool {
        self.work.todo.contains_key("claim")
    }

    fn todo(&self, args: &[&str]) -> Option<String> {
        self.work.todo.get(args.first().copied()?).cloned()
    }
}
