//! The other parts of `Facts`: about the guard's own parts, about files that others bring, and about the work.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::practice::Churn;
use model::{
    Alone, Arriving, Asked, Digest, Entry, Event, Incoming, LastRun, Linted, Memory, Own, Owner, Piece,
    Quality, Registered, Seen, SessionChanges, ShownMemory, Tested, Tree, Unknown, Update, Work,
};

use super::{OVER, Past, Stands};

impl Own for Past<'_> {
    fn executable(&self) -> Option<&Path> {
        self.disk.executable()
    }

    fn executables(&self) -> &[PathBuf] {
        self.executables
    }

    fn cache_dir(&self) -> &Path {
        self.disk.cache_dir()
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        self.entry_then(path)
    }

    fn is_the_client(&self) -> bool {
        false
    }
}

impl Arriving for Past<'_> {
    fn read_piece(&self, path: &Path, from: u64, most: usize) -> Result<Option<Piece>, Unknown> {
        match self.stands(path) {
            Stands::Still => self.disk.read_piece(path, from, most),
            Stands::Told(None) => Ok(None),
            Stands::Told(Some(text)) => {
                let start = usize::try_from(from).unwrap_or(usize::MAX).min(text.len());
                let bytes = text.as_bytes()[start..].iter().copied().take(most).collect();
                Ok(Some(Piece { bytes, size: text.len() as u64 }))
            }
            Stands::Gone => {
                let now = self.disk.read_piece(path, from, most);
                self.either("what stood in a file", now, Err(Unknown(OVER.to_owned())))
            }
        }
    }

    fn tree(&self, folder: &Path, most: usize) -> Result<Option<Vec<Incoming>>, Unknown> {
        let now = self.disk.tree(folder, most);
        if !self.is_of_work(folder) {
            return now;
        }
        self.either("what lay in a folder", now, Err(Unknown(OVER.to_owned())))
    }

    fn version_changes(
        &self,
        dir: &Path,
        from: &str,
        to: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<Vec<Incoming>>, Unknown> {
        let now = self.disk.version_changes(dir, from, to, wanted);
        self.either("which commits there were", now, Err(Unknown(OVER.to_owned())))
    }
}

impl Work for Past<'_> {
    fn list(&self, dir: &Path) -> Vec<PathBuf> {
        self.disk.list(dir)
    }

    fn modified(&self, path: &Path) -> Option<u64> {
        self.disk.modified(path)
    }

    /// It is looked up with the help of a cache, which would be written.
    fn source_digests(&self, _: &Digest) -> Vec<String> {
        self.lost("what stood in the sources");
        Vec::new()
    }

    fn uncommitted(&self, _: &Path) -> Result<Vec<String>, Unknown> {
        self.open("what was not committed", Vec::new())
    }

    fn diff(&self, _: &Path) -> Result<String, Unknown> {
        self.open("what was not committed", String::new())
    }

    fn churn(&self, _: &Path) -> Result<Option<Churn>, Unknown> {
        self.open("what had changed since the plan", None)
    }

    fn source_written_since(&self, _: &Path, _: u64) -> bool {
        true
    }

    fn known_churn(&self, plan: &Path) -> Option<Churn> {
        self.churn(plan).ok()?
    }

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        let now = self.disk.record(root, name);
        self.either("what the project's records said", now, Err(Unknown(OVER.to_owned())))
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

    fn believes_files(&self) -> bool {
        self.disk.believes_files()
    }

    fn strikes(&self, _: &str, _: u64) -> u64 {
        const ENOUGH: u64 = 9;
        self.either("how often the agent was warned", 0, ENOUGH)
    }

    fn tests_are_running(&self, _: &Path, _: Duration) -> bool {
        false
    }

    fn claim(&self, _: &str) -> bool {
        false
    }

    fn todo(&self, _: &[&str]) -> Option<String> {
        None
    }
}

impl Alone for Past<'_> {
    fn session_changes(&self) -> Result<SessionChanges, Unknown> {
        self.open("what the session had changed", SessionChanges::default())
    }

    fn code_version(&self) -> String {
        "unknown".to_owned()
    }

    fn is_report_of_other_code(&self, _: &str) -> bool {
        false
    }

    fn seen_runs(&self) -> Vec<Seen> {
        self.disk.seen_runs()
    }

    fn changes_root(&self) -> PathBuf {
        self.disk.changes_root()
    }

    fn recall(&self, _: Asked, _: &[String]) -> Vec<Memory> {
        Vec::new()
    }

    fn assertions(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        Vec::new()
    }

    /// Nothing is run.
    fn quality(&self, _: &Event, _: Duration) -> Quality {
        Quality::default()
    }

    fn stale_autonomy(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn other_session(&self) -> Option<Owner> {
        None
    }

    fn registered_hooks(&self) -> Vec<Registered> {
        self.disk.registered_hooks()
    }

    fn unreadable_settings(&self) -> Vec<String> {
        self.disk.unreadable_settings()
    }

    fn update(&self) -> Update {
        Update::default()
    }

    fn lint_files(&self, _: &[PathBuf], _: Duration) -> Linted {
        Linted::default()
    }

    fn names_in(&self, dir: &Path) -> Vec<String> {
        self.disk.names_in(dir)
    }
}
