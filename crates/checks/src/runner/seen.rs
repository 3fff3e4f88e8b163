//! How tests ended that somebody else has run: by the status that the command had, as far as it is theirs, and by what the runner itself
//! says at its end.

use model::practice::TestResult;

use super::summary::{self, Outcome};

/// What is known about the end of a command that ran tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended<'a> {
    pub(crate) output: &'a str,
    /// Whether it passed, where its status is the tests' own.
    pub(crate) passed: Option<bool>,
    /// A runner is known to print a summary. What a project calls its tests may print anything.
    pub(crate) prints_summary: bool,
    /// Only the end of the output is there, or others have printed too: a summary of one part of several says nothing.
    pub(crate) cut: bool,
}

/// `None` where nobody can tell.
pub(crate) fn read(ended: &Ended<'_>) -> Option<Outcome> {
    let said = summary::said(ended.output, ended.cut);
    let fail = |failures: u64| Outcome { result: TestResult::Fail, failures: failures.max(1) };
    let pass = Outcome { result: TestResult::Pass, failures: 0 };
    match (ended.passed, said) {
        // A failure that the runner names is one, whatever a wrapper makes of its status.
        (_, Some(said)) if said.failures > 0 => Some(fail(said.failures)),
        (Some(false), _) => Some(fail(1)).filter(|_| !never_began(ended.output)),
        (_, Some(said)) if said.passed > 0 => Some(pass),
        (Some(true), None) if !ended.prints_summary => Some(pass),
        _ => None,
    }
}

/// The shell did not find or could not start the runner: that says nothing about the code.
fn never_began(output: &str) -> bool {
    let first = output.lines().next().unwrap_or_default();
    ["Exit code 126", "Exit code 127"].contains(&first.trim())
        || output.lines().any(|line| line.trim_end().ends_with(": command not found"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(output: &str, passed: Option<bool>, cut: bool) -> Option<(&'static str, u64)> {
        let ended = Ended { output, passed, prints_summary: true, cut };
        read(&ended).map(|found| (found.result.as_str(), found.failures))
    }

    #[test]
    fn the_runners_own_word_counts_where_the_status_is_hidden() {
        let cargo = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored;\n";
        for (output, passed, cut, expected) in [
            ("3 passed in 0.01s\n", None, true, Some(("pass", 0))),
            ("1 failed, 3 passed in 0.01s\n", None, true, Some(("fail", 1))),
            ("1 failed, 3 passed in 0.01s\n", Some(true), false, Some(("fail", 1))),
            ("Ran 3 tests in 0.1s\n\nOK\n", None, true, Some(("pass", 0))),
            ("Ran 3 tests in 0.1s\n\nFAILED (errors=2)\n", None, true, Some(("fail", 2))),
            (" Test Files  1 passed (1)\n      Tests  2 passed (2)\n", None, true, Some(("pass", 0))),
            ("Tests:       3 passed, 3 total\n", None, true, Some(("pass", 0))),
            ("# pass 3\n# fail 0\n", None, true, Some(("pass", 0))),
            (" 3 pass\n 0 fail\nRan 3 tests across 1 files.\n", None, true, Some(("pass", 0))),
            (cargo, None, false, Some(("pass", 0))),
            (cargo, None, true, None),
            ("ok  \texample.com/a\t0.1s\n", None, true, None),
            ("ok  \texample.com/a\t0.1s\n", None, false, Some(("pass", 0))),
            ("ok  \ta\t0.1s\nFAIL\tb [build failed]\nFAIL\n", None, true, Some(("fail", 1))),
            ("", None, false, None),
            ("", Some(true), false, None),
            ("done\n", Some(true), false, None),
            ("no tests ran in 0.00s\n", None, false, None),
            ("5 deselected in 0.01s\n", None, false, None),
            ("error[E0308]: mismatched types\n", Some(false), false, Some(("fail", 1))),
            ("Exit code 127\nbash: pytest: command not found\n", Some(false), false, None),
        ] {
            assert_eq!(outcome(output, passed, cut), expected, "{output}");
        }
        let own = Ended { output: "fine\n", passed: Some(true), prints_summary: false, cut: false };
        assert_eq!(read(&own).map(|found| found.result), Some(TestResult::Pass));
    }
}
