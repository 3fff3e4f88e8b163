//! The closing lines of runners that are not started by us, but by agents: `RSpec`, `PHPUnit`, `CTest`, `dotnet test`, Mocha, minitest, `ExUnit`,
//! Deno, gotestsum, Surefire, and the plain lines of TAP.

use super::summary::{Said, number_before};

/// What the last line of one of them says.
pub(super) fn read(text: &str) -> Option<Said> {
    [counted, phpunit, ctest, dotnet, surefire, mocha, bars, done, lines]
        .iter()
        .find_map(|reader| reader(text))
}

fn last(text: &str, is_it: impl Fn(&str) -> bool) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| is_it(line))
}

fn number_after(text: &str, word: &str) -> Option<u64> {
    let rest = text.split_once(word)?.1.trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn said(all: u64, failures: u64) -> Said {
    Said { failures, passed: all.saturating_sub(failures) }
}

/// `5 examples, 1 failure`, `5 runs, 9 assertions, 0 failures, 1 errors, 0 skips`, `5 tests, 0 failures`.
fn counted(text: &str) -> Option<Said> {
    let line =
        last(text, |line| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" failure"))?;
    let all =
        ["example", "run", "test"].iter().find_map(|word| number_before(line.split(',').next()?, word))?;
    Some(said(all, number_before(line, "failure")? + number_before(line, "error").unwrap_or(0)))
}

/// `OK (5 tests, 9 assertions)`; `Tests: 5, Assertions: 9, Failures: 1, Errors: 1.`
fn phpunit(text: &str) -> Option<Said> {
    if let Some(line) = last(text, |line| line.starts_with("OK (") && line.contains("assertion")) {
        return Some(said(number_before(line, "test")?, 0));
    }
    let line = last(text, |line| line.starts_with("Tests: ") && line.contains("Assertions: "))?;
    let count = |word: &str| number_after(line, word).unwrap_or(0);
    Some(said(count("Tests:"), count("Failures:") + count("Errors:")))
}

/// `67% tests passed, 1 tests failed out of 3`.
fn ctest(text: &str) -> Option<Said> {
    let line = last(text, |line| line.contains("% tests passed, "))?;
    Some(said(number_after(line, "out of")?, number_before(line, "tests failed")?))
}

/// `Failed!  - Failed:     2, Passed:     5, …`, one for each assembly.
fn dotnet(text: &str) -> Option<Said> {
    let mut sums = text.lines().filter(|line| line.contains("! ") && line.contains("- Failed:")).peekable();
    sums.peek()?;
    let mut all = Said { failures: 0, passed: 0 };
    for line in sums {
        all.failures += number_after(line, "Failed:")?;
        all.passed += number_after(line, "Passed:")?;
    }
    Some(all)
}

/// `Tests run: 5, Failures: 0, Errors: 0, Skipped: 0`, the last of which sums up.
fn surefire(text: &str) -> Option<Said> {
    let line = last(text, |line| line.contains("Tests run: ") && line.contains("Failures: "))?;
    let count = |word: &str| number_after(line, word).unwrap_or(0);
    Some(said(count("Tests run:"), count("Failures:") + count("Errors:")))
}

/// `5 passing (12ms)`, and below it `1 failing`.
fn mocha(text: &str) -> Option<Said> {
    let passing = number_before(last(text, |line| line.contains(" passing ("))?, "passing")?;
    let failing =
        last(text, |line| line.ends_with(" failing")).and_then(|line| number_before(line, "failing"));
    Some(Said { failures: failing.unwrap_or(0), passed: passing })
}

/// `ok | 5 passed | 0 failed (12ms)`.
fn bars(text: &str) -> Option<Said> {
    let line = last(text, |line| line.contains("| ") && line.contains(" passed | "))?;
    Some(Said { failures: number_before(line, "failed")?, passed: number_before(line, "passed")? })
}

/// `DONE 5 tests, 1 failure in 0.1s`.
fn done(text: &str) -> Option<Said> {
    let line = last(text, |line| line.starts_with("DONE ") && line.contains(" test"))?;
    Some(said(number_before(line, "test")?, number_before(line, "failure").unwrap_or(0)))
}

/// `1..2`, and a line for each: `ok 1 adds`, `not ok 2 doubles`. One that is missing was not run.
fn lines(text: &str) -> Option<Said> {
    let all: u64 = last(text, |line| line.starts_with("1.."))?.get(3..)?.split(' ').next()?.parse().ok()?;
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count() as u64;
    let (failures, passed) = (count("not ok "), count("ok "));
    (failures > 0 || passed == all).then_some(Said { failures, passed })
}
