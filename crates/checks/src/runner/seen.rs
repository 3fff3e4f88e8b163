//! How tests ended that somebody else has run: by the status that the command had, as far as it is theirs, and by what the runner itself
//! says at its end.

use model::state_files::TestResult;

use super::summary::{self, Outcome};

/// What is known about the end of a command that ran tests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended<'a> {
    pub(crate) output: &'a str,
    /// Whether it passed, where its status is the tests' own.
    pub(crate) passed: Option<bool>,
    /// A runner is known to print a summary. What a project calls its tests may print anything, and so may a runner that is not known.
    pub(crate) prints_summary: bool,
    /// Only the end of the output is there, or others have printed too: a summary of one part of several says nothing.
    pub(crate) cut: bool,
    /// Only those lines are there that somebody has picked.
    pub(crate) picked: bool,
}

/// How they ended, and whether the runner itself has said so; `None` where nobody can tell.
pub(crate) fn read(ended: &Ended<'_>) -> Option<(Outcome, bool)> {
    let said = summary::said(ended.output, ended.cut || ended.picked);
    // What failed may stand in a line that was not picked, unless one line says it all.
    let said = said.map(|said| if ended.picked { summary::in_one_line(ended.output, said) } else { said });
    Some((outcome(ended, said)?, said.is_some_and(|said| said.failures + said.passed > 0)))
}

fn outcome(ended: &Ended<'_>, said: Option<summary::Said>) -> Option<Outcome> {
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

/// The runner was not found or could not be started, or there was nothing for it here: that says nothing about the code.
fn never_began(output: &str) -> bool {
    let first = output.lines().next().unwrap_or_default();
    // The shell's two, and a container's or a time limit's own failure.
    ["Exit code 125", "Exit code 126", "Exit code 127"].contains(&first.trim())
        || output.lines().any(|line| {
            let line = line.trim();
            line.ends_with(": command not found") || NOT_HERE.iter().any(|words| line.contains(words))
        })
}

/// What starters say where there is no such runner, or no project for it.
const NOT_HERE: &[&str] = &[
    // `/usr/bin/python3: No module named pytest`: an import that fails in a test stands behind the name of its error.
    "python: No module named ",
    "python3: No module named ",
    "Missing script: ",
    "Command \"test\" not found",
    "ERR_PNPM_NO_SCRIPT",
    "npm error canceled",
    "npm error could not determine executable to run",
    "npm error npx canceled due to missing packages",
    "Could not read package.json",
    "No rule to make target",
    "could not find `Cargo.toml`",
    "error: no such command: ",
    "rustup could not choose a version of",
    "cannot find main module",
    "go.mod file not found",
    "No module named unittest.__main__",
    "Failed to spawn: ",
    "Justfile does not contain recipe",
    "No justfile found",
    "No test files found, exiting",
    "No tests found, exiting",
    "Cannot connect to the Docker daemon",
    "no configuration file provided: not found",
    "no such service: ",
    "Command not found: ",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(output: &str, passed: Option<bool>, cut: bool) -> Option<(&'static str, u64)> {
        let ended = Ended { output, passed, prints_summary: true, cut, picked: false };
        read(&ended).map(|(found, _)| (found.result.as_str(), found.failures))
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
            (
                "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n",
                None,
                true,
                Some(("pass", 0)),
            ),
            ("Tests:       3 passed, 3 total\n", None, false, Some(("pass", 0))),
            // A file that did not load stands in the other line only.
            ("Tests:       3 passed, 3 total\n", None, true, None),
            ("Ran 3 tests in 0.1s\n", None, true, None),
            (" 3 pass\n", None, true, None),
            ("Exit code 125\ndocker: unknown command\n", Some(false), false, None),
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
            ("Exit code 1\n/usr/bin/python3: No module named pytest\n", Some(false), false, None),
            (
                "Exit code 1\nModuleNotFoundError: No module named 'double'\n",
                Some(false),
                false,
                Some(("fail", 1)),
            ),
            ("Exit code 1\nnpm error Missing script: \"test\"\n", Some(false), false, None),
            ("Exit code 2\nmake: *** No rule to make target 'test'.  Stop.\n", Some(false), false, None),
            ("5 examples, 0 failures\n", None, false, Some(("pass", 0))),
            (
                "5 examples, 2 failures, 1 error occurred outside of examples\n",
                Some(false),
                false,
                Some(("fail", 3)),
            ),
            ("OK (5 tests, 9 assertions)\n", None, false, Some(("pass", 0))),
            (
                "FAILURES!\nTests: 5, Assertions: 9, Failures: 1, Errors: 1.\n",
                Some(false),
                false,
                Some(("fail", 2)),
            ),
            ("100% tests passed, 0 tests failed out of 3\n", None, false, Some(("pass", 0))),
            ("67% tests passed, 1 tests failed out of 3\n", None, false, Some(("fail", 1))),
            (
                "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5\n",
                None,
                false,
                Some(("pass", 0)),
            ),
            (
                "Failed!  - Failed:     2, Passed:     5, Skipped:     0, Total:     7\n",
                None,
                false,
                Some(("fail", 2)),
            ),
            ("  5 passing (12ms)\n", None, false, Some(("pass", 0))),
            ("  5 passing (12ms)\n  1 failing\n", None, false, Some(("fail", 1))),
            ("5 runs, 9 assertions, 0 failures, 0 errors, 0 skips\n", None, false, Some(("pass", 0))),
            ("5 runs, 9 assertions, 1 failures, 1 errors, 0 skips\n", None, false, Some(("fail", 2))),
            ("5 tests, 0 failures\n", None, false, Some(("pass", 0))),
            ("1..2\nok 1 adds\nnot ok 2 doubles\n", None, false, Some(("fail", 1))),
            ("1..2\nok 1 adds\nok 2 doubles\n", None, false, Some(("pass", 0))),
            ("1..2\nok 1 adds\n", None, false, None),
            ("ok | 5 passed | 0 failed (12ms)\n", None, false, Some(("pass", 0))),
            ("FAILED | 4 passed | 1 failed (12ms)\n", None, false, Some(("fail", 1))),
            ("DONE 5 tests in 0.1s\n", None, false, Some(("pass", 0))),
            ("DONE 5 tests, 1 failure in 0.1s\n", None, false, Some(("fail", 1))),
            (
                "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\nBUILD SUCCESS\n",
                None,
                false,
                Some(("pass", 0)),
            ),
            (
                "Tests run: 5, Failures: 1, Errors: 1, Skipped: 0\nBUILD FAILURE\n",
                None,
                false,
                Some(("fail", 2)),
            ),
        ] {
            assert_eq!(outcome(output, passed, cut), expected, "{output}");
        }
        let own =
            Ended { output: "fine\n", passed: Some(true), prints_summary: false, cut: false, picked: false };
        assert_eq!(read(&own).map(|(found, sure)| (found.result, sure)), Some((TestResult::Pass, false)));
    }

    #[test]
    fn of_lines_that_were_picked_only_one_that_says_it_all_counts() {
        for (output, expected) in [
            ("3 passed in 0.01s\n", Some(TestResult::Pass)),
            ("=== 3 passed, 1 skipped in 0.01s ===\n", Some(TestResult::Pass)),
            ("1 failed, 3 passed in 0.01s\n", Some(TestResult::Fail)),
            ("FAILED tests/a.py::test_x\n1 failed in 0.01s\n", Some(TestResult::Fail)),
            ("     Summary [   0.1s] 3 tests run: 3 passed, 0 skipped\n", Some(TestResult::Pass)),
            // The next line would say how many failed.
            ("  5 passing (12ms)\n", None),
            ("Tests:       3 passed, 3 total\n", None),
            ("Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n", None),
            ("test result: ok. 2 passed; 0 failed; 0 ignored;\n", None),
            ("test result: FAILED. 2 passed; 1 failed; 0 ignored;\n", Some(TestResult::Fail)),
            ("ok  \texample.com/a\t0.1s\n", None),
            ("Ran 3 tests in 0.1s\nOK\n", None),
            ("# pass 3\n# fail 0\n", None),
            ("", None),
        ] {
            let ended = Ended { output, passed: None, prints_summary: true, cut: false, picked: true };
            assert_eq!(read(&ended).map(|(found, _)| found.result), expected, "{output}");
        }
    }
}
