//! What a runner's output says: passed, failed and how often, or nothing at all.

use model::state_files::TestResult;

use super::{Runner, closing};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub result: TestResult,
    pub failures: u64,
}

/// The exit code decides between passed and failed; the text says how many failed, and whether there was anything to run. `code` is
/// `None` when a signal ended the runner.
pub fn read(runner: Runner, output: &str, code: Option<i32>) -> Outcome {
    let text = without_escapes(output);
    let none = Outcome { result: TestResult::None, failures: 0 };
    let Some(code) = code else { return none };
    let counted = failures(runner, &text);
    // Started wrongly, or broken in itself: that says nothing about the code.
    if runner == Runner::Pytest && matches!(code, 3 | 4) && counted.is_none() {
        return none;
    }
    if found_none(runner, &text, code) && counted.unwrap_or(0) == 0 {
        return none;
    }
    match code {
        0 => Outcome { result: TestResult::Pass, failures: 0 },
        // A runner that fails without a count has failed at least once: a build that broke, say.
        _ => Outcome { result: TestResult::Fail, failures: counted.unwrap_or(1).max(1) },
    }
}

/// There was no test to run.
fn found_none(runner: Runner, text: &str, code: i32) -> bool {
    match runner {
        Runner::Pytest => code == 5,
        Runner::Unittest => text.contains("Ran 0 tests"),
        Runner::Vitest => text.contains("No test files found"),
        Runner::Jest => text.contains("No tests found"),
        Runner::Bun => text.contains("Ran 0 tests") || text.contains("No tests found"),
        Runner::Nextest => text.contains("no tests to run"),
        Runner::Cargo => {
            let runs: Vec<u64> = text
                .lines()
                .filter_map(|line| number_before(line.strip_prefix("running ")?, "test"))
                .collect();
            code == 0 && !runs.is_empty() && runs.iter().all(|count| *count == 0)
        }
        Runner::Go => {
            let mut packages = text.lines().filter(|line| !line.trim().is_empty()).peekable();
            code == 0 && packages.peek().is_some() && packages.all(|line| line.contains("[no test files]"))
        }
        Runner::Script | Runner::Own => false,
    }
}

fn failures(runner: Runner, text: &str) -> Option<u64> {
    match runner {
        Runner::Pytest => pytest(text),
        Runner::Unittest => unittest(text),
        Runner::Vitest => vitest(text),
        Runner::Jest => jest(text),
        Runner::Bun => bun(text),
        Runner::Cargo => cargo(text),
        Runner::Nextest => nextest(text),
        Runner::Go => go(text),
        Runner::Script | Runner::Own => [pytest, unittest, vitest, jest, bun, nextest, cargo, go, tap]
            .iter()
            .find_map(|reader| reader(text)),
    }
}

/// What a runner says about itself: how many tests failed, and how many passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) failures: u64,
    pub(crate) passed: u64,
}

/// The summary of whichever runner wrote this; `None` where there is none. Some write one for each of several parts: where an output
/// is cut, their passes say nothing.
pub(crate) fn said(output: &str, cut: bool) -> Option<Said> {
    let text = without_escapes(output);
    let Some(failures) = failures(Runner::Script, &text) else { return closing::read(&text) };
    let lines = || text.lines().rev().map(str::trim);
    let after = |start: &'static str, word: &'static str| {
        lines().find_map(|line| line.strip_prefix(start)).and_then(|rest| number_before(rest, word))
    };
    let unittest = || {
        lines().find(|line| line.starts_with("OK"))?;
        number_before(lines().find_map(|line| line.strip_prefix("Ran "))?, "test")
    };
    let bun = || lines().find_map(|line| line.strip_suffix(" pass")?.trim().parse().ok());
    let tap = || {
        lines().find_map(|line| line.trim_start_matches(['#', 'ℹ', ' ']).strip_prefix("pass ")?.parse().ok())
    };
    let whole = pytest_passed(&text)
        .or_else(unittest)
        .or_else(|| {
            after("Tests:", "passed").filter(|_| !cut || lines().any(|line| line.starts_with("Test Suites:")))
        })
        .or_else(|| after("Tests ", "passed"))
        .or_else(|| nextest_passed(&text))
        .or_else(bun)
        .or_else(tap);
    let cargo = || {
        text.lines()
            .filter_map(|line| number_before(line.trim().strip_prefix("test result: ok.")?, "passed"))
            .sum()
    };
    let go = || text.lines().filter(|line| line.starts_with("ok  \t")).count() as u64;
    let passed = whole.unwrap_or_else(|| if cut { 0 } else { u64::max(cargo(), go()) });
    Some(Said { failures, passed })
}

/// The same of lines that somebody has picked: what passed counts only where the line that says it would also say what failed.
pub(crate) fn in_one_line(output: &str, said: Said) -> Said {
    let text = without_escapes(output);
    let passed = pytest_passed(&text).or_else(|| nextest_passed(&text)).unwrap_or(0);
    Said { passed, ..said }
}

fn pytest_passed(text: &str) -> Option<u64> {
    let mut lines = text.lines().rev().map(|line| line.trim().trim_matches(['=', ' ']));
    number_before(lines.find(|line| line.contains(" in "))?, "passed")
}

fn nextest_passed(text: &str) -> Option<u64> {
    let mut lines = text.lines().rev().map(str::trim);
    let line = lines.find(|line| line.starts_with("Summary [") && line.contains("tests run"))?;
    number_before(line.rsplit_once("run:")?.1, "passed")
}

/// `=== 2 failed, 1 error, 3 passed in 0.12s ===`, with or without the frame.
fn pytest(text: &str) -> Option<u64> {
    let last = text.lines().rev().map(|line| line.trim_matches([' ', '=', '\r'])).find(|line| {
        line.contains(" in ")
            && ["passed", "failed", "error", "skipped", "deselected"].iter().any(|word| line.contains(word))
    })?;
    Some(number_before(last, "failed").unwrap_or(0) + number_before(last, "error").unwrap_or(0))
}

/// `FAILED (failures=1, errors=2)`.
fn unittest(text: &str) -> Option<u64> {
    text.lines().rev().find(|line| line.starts_with("Ran "))?;
    let Some(line) = text.lines().rev().find_map(|line| line.strip_prefix("FAILED (")) else {
        return Some(0);
    };
    let parts = line.trim_end_matches([')', '\r']).split(", ");
    let counted = parts
        .filter_map(|part| part.split_once('='))
        .filter(|(name, _)| ["failures", "errors", "unexpected successes"].contains(name));
    Some(counted.filter_map(|(_, count)| count.parse::<u64>().ok()).sum())
}

/// `Tests  2 failed | 3 passed (5)`; when a file does not load, only `Test Files  1 failed`.
fn vitest(text: &str) -> Option<u64> {
    let line = |name: &str| {
        text.lines()
            .rev()
            .find_map(|line| line.trim().strip_prefix(name))
            .and_then(|rest| number_before(rest, "failed"))
    };
    let files = text.lines().any(|line| line.trim().starts_with("Test Files "));
    line("Tests ").or_else(|| line("Test Files ")).or(files.then_some(0))
}

/// `Tests:       2 failed, 3 passed, 5 total`.
fn jest(text: &str) -> Option<u64> {
    let line = |name: &str| text.lines().rev().find_map(|line| line.trim().strip_prefix(name));
    let tests = line("Tests:").filter(|rest| rest.contains(" total"))?;
    let failed = number_before(tests, "failed").unwrap_or(0);
    let suites = line("Test Suites:").and_then(|rest| number_before(rest, "failed")).unwrap_or(0);
    Some(if failed > 0 { failed } else { suites })
}

/// ` 2 fail`.
fn bun(text: &str) -> Option<u64> {
    text.lines().rev().find_map(|line| line.trim().strip_suffix(" fail")?.parse().ok())
}

/// `test result: FAILED. 3 passed; 2 failed; …`, one for each program of tests.
fn cargo(text: &str) -> Option<u64> {
    let results: Vec<u64> = text
        .lines()
        .filter_map(|line| number_before(line.trim().strip_prefix("test result: ")?, "failed"))
        .collect();
    (!results.is_empty()).then(|| results.iter().sum())
}

/// `Summary [   0.1s] 5 tests run: 3 passed, 2 failed, 1 timed out, 0 skipped`.
fn nextest(text: &str) -> Option<u64> {
    let line =
        text.lines().rev().find(|line| line.trim().starts_with("Summary [") && line.contains("tests run"))?;
    let rest = line.rsplit_once("run:").map_or(line, |(_, rest)| rest);
    Some(["failed", "timed out", "exec failed"].iter().filter_map(|word| number_before(rest, word)).sum())
}

/// `--- FAIL: TestX`; a package that does not build has only `FAIL\tpackage [build failed]`.
fn go(text: &str) -> Option<u64> {
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count() as u64;
    let ran = text.lines().any(|line| {
        line.starts_with("ok  \t")
            || line.starts_with("FAIL\t")
            || line.trim_end() == "FAIL"
            || line.starts_with("--- ")
    });
    ran.then(|| match count("--- FAIL:") {
        0 => count("FAIL\t"),
        tests => tests,
    })
}

/// `# fail 2`, as Node's own runner ends.
fn tap(text: &str) -> Option<u64> {
    text.lines().rev().find_map(|line| {
        line.trim().trim_start_matches(['#', 'ℹ', ' ']).strip_prefix("fail ")?.trim().parse().ok()
    })
}

/// The number before a word: `2 failed` has 2 before `failed`.
pub(super) fn number_before(text: &str, word: &str) -> Option<u64> {
    text.match_indices(word).find_map(|(at, _)| {
        let digits = text[..at].trim_end();
        let start = digits.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |last| last + 1);
        digits.get(start..)?.parse().ok()
    })
}

/// Colours and cursor movements taken out.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        if chars.next() == Some('[') {
            // Until the letter that ends it.
            let _ = chars.by_ref().find(|c| ('@'..='~').contains(c));
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(runner: Runner, text: &str, code: i32) -> (&'static str, u64) {
        let found = read(runner, text, Some(code));
        (found.result.as_str(), found.failures)
    }

    #[test]
    fn failures_are_counted_as_each_runner_says_them() {
        for (runner, text, code, expected) in [
            (Runner::Pytest, "F.\n2 failed, 3 passed in 0.12s\n", 1, ("fail", 2)),
            (Runner::Pytest, "===== 1 failed, 2 errors in 0.12s (0:00:01) =====\n", 1, ("fail", 3)),
            (Runner::Pytest, "1 error in 0.05s\n", 2, ("fail", 1)),
            (Runner::Pytest, "3 passed in 0.01s\n", 0, ("pass", 0)),
            (Runner::Pytest, "no tests ran in 0.00s\n", 5, ("none", 0)),
            (Runner::Pytest, "ERROR: usage: pytest [options]\n", 4, ("none", 0)),
            (Runner::Unittest, "Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n", 1, ("fail", 2)),
            (Runner::Unittest, "Ran 3 tests in 0.001s\n\nOK\n", 0, ("pass", 0)),
            (Runner::Unittest, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", 5, ("none", 0)),
            (
                Runner::Vitest,
                " Test Files  1 failed (1)\n      Tests  2 failed | 3 passed (5)\n",
                1,
                ("fail", 2),
            ),
            (
                Runner::Vitest,
                "\u{1b}[2m Test Files \u{1b}[22m \u{1b}[1m\u{1b}[31m1 failed\u{1b}[39m (1)\n",
                1,
                ("fail", 1),
            ),
            (Runner::Vitest, "No test files found, exiting with code 1\n", 1, ("none", 0)),
            (
                Runner::Jest,
                "Test Suites: 1 failed, 1 total\nTests:       2 failed, 3 passed, 5 total\n",
                1,
                ("fail", 2),
            ),
            (Runner::Jest, "Test Suites: 1 failed, 1 total\nTests:       0 total\n", 1, ("fail", 1)),
            (Runner::Jest, "No tests found, exiting with code 1\n", 1, ("none", 0)),
            (Runner::Bun, " 3 pass\n 1 fail\nRan 4 tests across 1 files.\n", 1, ("fail", 1)),
            (
                Runner::Cargo,
                "running 2 tests\ntest result: FAILED. 1 passed; 1 failed; 0 ignored;\nrunning 3 tests\ntest result: FAILED. 0 passed; 3 failed; 0 ignored;\n",
                101,
                ("fail", 4),
            ),
            (Runner::Cargo, "error[E0308]: mismatched types\n", 101, ("fail", 1)),
            (
                Runner::Cargo,
                "running 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored;\n",
                0,
                ("none", 0),
            ),
            (
                Runner::Nextest,
                "     Summary [   0.1s] 6 tests run: 3 passed, 2 failed, 1 timed out, 0 skipped\n",
                100,
                ("fail", 3),
            ),
            (
                Runner::Go,
                "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s\n",
                1,
                ("fail", 1),
            ),
            (Runner::Go, "FAIL\texample.com/a [build failed]\nFAIL\n", 1, ("fail", 1)),
            (Runner::Go, "?   \texample.com/a\t[no test files]\n", 0, ("none", 0)),
            (Runner::Go, "ok  \texample.com/a\t0.1s\n", 0, ("pass", 0)),
            (Runner::Script, "# pass 3\n# fail 2\n", 1, ("fail", 2)),
            (Runner::Script, "Tests:       1 failed, 1 total\n", 1, ("fail", 1)),
            (Runner::Own, "oh no\n", 3, ("fail", 1)),
            (Runner::Own, "fine\n", 0, ("pass", 0)),
        ] {
            assert_eq!(outcome(runner, text, code), expected, "{runner:?}: {text}");
            assert_eq!(
                outcome(runner, &text.replace('\n', "\r\n"), code),
                expected,
                "{runner:?} with CRLF: {text}"
            );
        }
    }

    #[test]
    fn words_in_test_names_do_not_count() {
        let text = "tests/test_failed.py::test_10_failed PASSED\n5 passed in 0.1s\n";
        assert_eq!(outcome(Runner::Pytest, text, 0), ("pass", 0));
    }

    #[test]
    fn a_runner_that_was_ended_says_nothing() {
        assert_eq!(read(Runner::Pytest, "1 failed in 0.1s", None).result, TestResult::None);
    }
}
