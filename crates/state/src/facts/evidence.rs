//! Runs of tests and linters, and what they say about the code as it is: answered from disk.

use std::path::Path;
use std::time::{Duration, Instant};

use model::state_files::{TestResult, TestStatus};
use model::{Evidence, LastRun, Seen, Tested, Tree, Unknown};

use super::DiskFacts;
use crate::written::Belief;
use crate::{checkpoint, evidence, runs, turn, written};

/// Between two looks at tests that are running.
const TESTS_PAUSE: Duration = Duration::from_millis(100);

impl Evidence for DiskFacts<'_> {
    fn seen_runs(&self) -> Vec<Seen> {
        runs::all(self.project, self.session)
    }

    fn tested(&self, root: &Path, tree: &Tree) -> Tested {
        match self.belief {
            // The scripts knew no record: what the file says was enough.
            Belief::Everything => self.tested_by_file(root),
            Belief::Ours => evidence::tested(self.machine, root, tree),
        }
    }

    fn proved(&self, root: &Path, tree: &Tree) -> bool {
        self.belief == Belief::Ours && evidence::proved(self.machine, root, tree)
    }

    fn last_run(&self, root: &Path) -> Option<LastRun> {
        let by_file = || {
            let text = self.record(root, TestStatus::FILE).ok()??;
            Some(LastRun { status: TestStatus::parse(&text)?, part: None })
        };
        match self.belief {
            Belief::Everything => by_file(),
            Belief::Ours => evidence::last_run(self.machine, root).or_else(by_file),
        }
    }

    fn tests_are_running(&self, root: &Path, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        loop {
            if !turn::is_running(self.machine, root) {
                return false;
            }
            if Instant::now() + TESTS_PAUSE > end {
                return true;
            }
            std::thread::sleep(TESTS_PAUSE);
        }
    }

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        let text = written::read(self.machine, &root.join(".claude").join(name), self.belief);
        text.map_err(|error| Unknown(error.to_string()))
    }

    fn believes_files(&self) -> bool {
        self.belief == Belief::Everything
    }

    fn is_report_of_other_code(&self, report: &str) -> bool {
        checkpoint::is_of_other_code(self.machine, self.project, self.session, report)
    }
}

impl DiskFacts<'_> {
    fn tested_by_file(&self, root: &Path) -> Tested {
        let status = self.record(root, TestStatus::FILE).ok().flatten();
        match status.and_then(|text| TestStatus::parse(&text)) {
            Some(TestStatus { result: TestResult::Pass, .. }) => Tested::Same,
            Some(TestStatus { result: TestResult::Fail, .. }) => Tested::Failed,
            _ => Tested::Unrecorded,
        }
    }
}
