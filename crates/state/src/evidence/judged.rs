//! What the runs that were recorded say about one tree.

use std::collections::BTreeSet;

use model::Tested;
use model::state_files::TestResult;

use super::Run;

/// What is known after some of the runs of a tree.
#[derive(Default)]
struct Known<'a> {
    /// All tests have passed, or there were none.
    whole: Option<Tested>,
    /// A failure that no pass of a folder takes back.
    failed: bool,
    /// Folders whose tests have failed, and those whose tests have passed since.
    failing: BTreeSet<&'a str>,
    passing: BTreeSet<&'a str>,
    /// The last part that passed.
    part: Option<Tested>,
}

/// What the runs say about one tree. The last of all tests counts, and every failure after it. Folders whose tests have all passed add up
/// to the whole.
pub(super) fn judge(runs: &[Run], tree: &str) -> Tested {
    let mut known = Known::default();
    for run in runs.iter().filter(|run| run.tree.as_deref() == Some(tree)) {
        known.add(run);
    }
    let found = known.says();
    // Where tests have been seen, there are some, and their absence is a change like any other.
    if found == Tested::NoTests && runs.iter().any(Run::is_result) { Tested::Changed } else { found }
}

impl<'a> Known<'a> {
    fn add(&mut self, run: &'a Run) {
        let covered = || run.covers.iter().map(String::as_str);
        let covers = |folder: &str| covered().any(|covered| covered == folder);
        match (run.status.result, &run.part) {
            (TestResult::Pass, None) => *self = Self { whole: Some(Tested::Same), ..Self::default() },
            (TestResult::Fail, _) if run.covers.is_empty() => {
                *self = Self { failed: true, ..Self::default() };
            }
            (TestResult::Fail, _) => {
                self.failing.extend(covered());
                self.passing.retain(|folder| !covers(folder));
                self.part = None;
            }
            (TestResult::Pass, Some(part)) => {
                self.passing.extend(covered());
                self.failing.retain(|folder| !covers(folder));
                let all =
                    !run.of.is_empty() && run.of.iter().all(|folder| self.passing.contains(folder.as_str()));
                if all && !self.failed {
                    self.whole = Some(Tested::Same);
                }
                self.failed = false;
                self.part = Some(Tested::Part(part.clone()));
            }
            (TestResult::None, _) if run.nothing => {
                *self = Self { whole: Some(Tested::NoTests), ..Self::default() };
            }
            (TestResult::None, _) => {}
        }
    }

    fn says(self) -> Tested {
        if self.failed || !self.failing.is_empty() {
            return Tested::Failed;
        }
        // What has passed as a whole is not less known because a part of it passed again.
        match self.whole {
            Some(Tested::Same) => Tested::Same,
            whole => self.part.or(whole).unwrap_or(Tested::Changed),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::state_files::TestStatus;

    use super::*;

    fn run(result: TestResult, covers: &[&str], part: bool) -> Run {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Run {
            status: TestStatus { result, failures: 0, at: 1 },
            tree: Some("t".into()),
            runner: "x".into(),
            part: part.then(|| "x".to_owned()),
            covers: texts(covers),
            of: texts(&["api", "web"]),
            ..Run::default()
        }
    }

    #[test]
    fn folders_add_up_and_do_not_stand_in_for_each_other() {
        let (pass, fail) = (TestResult::Pass, TestResult::Fail);
        let part = Tested::Part("x".into());
        for (runs, expected) in [
            (vec![(pass, "api")], part.clone()),
            (vec![(pass, "api"), (pass, "web")], Tested::Same),
            (vec![(fail, "api"), (pass, "web")], Tested::Failed),
            (vec![(fail, "api"), (pass, "web"), (pass, "api")], Tested::Same),
            (vec![(pass, "api"), (pass, "web"), (fail, "web")], Tested::Failed),
            (vec![(pass, ""), (fail, "web"), (pass, "web")], Tested::Same),
            (vec![(pass, "api"), (fail, ""), (pass, "web")], part.clone()),
        ] {
            let runs: Vec<Run> = runs
                .into_iter()
                .map(|(result, folder)| match folder {
                    "" => run(result, &[], false),
                    folder => run(result, &[folder], true),
                })
                .collect();
            assert_eq!(judge(&runs, "t"), expected, "{runs:#?}");
        }
    }
}
