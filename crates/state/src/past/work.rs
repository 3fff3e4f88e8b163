//! What the session had done and was told, as far as it is known.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{
    Autonomy, Client, Commands, Conclusion, Event, Evidence, Guarded, Held, LastRun, Linted, Linting, Mail,
    Memories, Memory, Owner, Protected, Quality, Question, Registered, Review, Reviewer, Reviews, Seen,
    Session, SessionChanges, ShownMemory, Tested, Tree, Unknown, Update, Watch,
};

use super::{OVER, Past};

impl Session for Past<'_> {
    fn was_said(&self, _: &str) -> bool {
        false
    }

    fn said_text(&self, _: &str) -> Option<String> {
        None
    }

    fn mail(&self) -> Vec<Mail> {
        Vec::new()
    }

    fn held(&self, _: &str) -> Option<Held> {
        None
    }

    fn strikes(&self, _: &str, _: u64) -> u64 {
        const ENOUGH: u64 = 9;
        self.either("how often the agent was warned", 0, ENOUGH)
    }

    fn session_changes(&self) -> Result<SessionChanges, Unknown> {
        self.open("what the session had changed", SessionChanges::default())
    }

    fn code_version(&self) -> String {
        "unknown".to_owned()
    }

    fn is_the_client(&self) -> bool {
        false
    }

    fn autonomy(&self) -> Option<Autonomy> {
        match self.disk.autonomy() {
            Some(active) => self.either("whether the agent worked alone", Some(active), None),
            None => None,
        }
    }

    fn stale_autonomy(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn other_session(&self) -> Option<Owner> {
        None
    }
}

impl Guarded for Past<'_> {
    fn protected_changes(&self, _: &Watch) -> Result<Protected, Unknown> {
        self.open("what the session had changed", Protected::default())
    }

    fn is_named_restore(&self, command: &str) -> bool {
        self.disk.is_named_restore(command)
    }

    fn approve_command(&self, files: &[&str]) -> String {
        self.disk.approve_command(files)
    }
}

impl Evidence for Past<'_> {
    fn seen_runs(&self) -> Vec<Seen> {
        self.disk.seen_runs()
    }

    fn tested(&self, _: &Path, _: &Tree) -> Tested {
        self.either("whether the code was tested", Tested::Same, Tested::Changed)
    }

    fn proved(&self, _: &Path, _: &Tree) -> bool {
        self.either("whether the user had seen it work", true, false)
    }

    fn last_run(&self, _: &Path) -> Option<LastRun> {
        self.lost("how the last tests went");
        None
    }

    fn tests_are_running(&self, _: &Path, _: Duration) -> bool {
        false
    }

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        let now = self.disk.record(root, name);
        self.either("what the project's records said", now, Err(Unknown(OVER.to_owned())))
    }

    fn believes_files(&self) -> bool {
        self.disk.believes_files()
    }

    fn is_report_of_other_code(&self, _: &str) -> bool {
        false
    }
}

impl Memories for Past<'_> {
    fn memories(&self, _: usize, _: &[String]) -> Vec<Memory> {
        Vec::new()
    }

    fn files_at_hand(&self) -> Vec<String> {
        Vec::new()
    }

    fn assertions(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        Vec::new()
    }
}

impl Linting for Past<'_> {
    fn lint(&self, _: &Event) -> Result<Linted, Unknown> {
        Ok(Linted::default())
    }

    fn lint_open(&self, _: &Event) -> Result<Linted, Unknown> {
        Ok(Linted::default())
    }

    fn lint_files(&self, _: &[PathBuf], _: Duration) -> Linted {
        Linted::default()
    }
}

impl Reviews for Past<'_> {
    /// Nobody is asked over the network.
    fn reviewers(&self) -> Vec<Reviewer> {
        if !self.disk.reviewers().is_empty() {
            self.lost("what a reviewer would have said");
        }
        Vec::new()
    }

    fn review(&self, _: Reviewer, _: &Question, _: Option<&Review>, _: Duration) -> Result<Review, Unknown> {
        Err(Unknown("nobody is asked in a replay".to_owned()))
    }

    fn remembered_review(&self, question: &Question) -> Option<Conclusion> {
        self.disk.remembered_review(question)
    }
}

impl Client for Past<'_> {
    fn registered_hooks(&self) -> Vec<Registered> {
        self.disk.registered_hooks()
    }

    fn unreadable_settings(&self) -> Vec<String> {
        self.disk.unreadable_settings()
    }

    fn update(&self) -> Update {
        Update::default()
    }
}

impl Commands for Past<'_> {
    /// Nothing is run.
    fn quality(&self, _: &Event, _: Duration) -> Quality {
        Quality::default()
    }

    fn claim(&self, _: &str) -> bool {
        false
    }

    fn todo(&self, _: &[&str]) -> Option<String> {
        None
    }
}
