//! What a test needs from outside, and what happens where that is missing.
//!
//! A test that did not run has not passed. `scripts/test` says in `PLIMSOLL_TEST_NEEDS` what it has installed: if one of those is
//! missing all the same, the test fails. Anything else is a skipped test, whose name and reason go to the file that
//! `PLIMSOLL_TEST_SKIPPED` names; the script counts them. Without the script both are unset, and the reason is printed.
//!
//! The words: `client` (`PLIMSOLL_TEST_CLIENT`), `pytest` (`PLIMSOLL_TEST_PYTEST`), `vitest` (`PLIMSOLL_TEST_VITEST`, a folder of modules), `safety-net` (`PLIMSOLL_TEST_SAFETY_NET`, a folder of modules with cc-safety-net), `go` (`PLIMSOLL_TEST_GO`), `linters` (what `plimsoll tools install --all`
//! installs), `otlp` (`PLIMSOLL_TEST_OTLP_PYTHON`, a Python with opentelemetry-proto), `rotel` (`PLIMSOLL_TEST_ROTEL`), `victoria-metrics`
//! (`PLIMSOLL_TEST_VICTORIA_METRICS`), `pre-commit` (`PLIMSOLL_TEST_PRE_COMMIT`), `agents` (`PLIMSOLL_TEST_AGENTS`, a folder with clients of other agents), `release` (`PLIMSOLL_RELEASE_BINARY`), `signer` (minisign or rsign), `browser` (`PLIMSOLL_TEST_BROWSER`, a chromium,
//! and `PLIMSOLL_TEST_PAGE`, a folder of modules with playwright-core and axe-core), `duckdb` (`PLIMSOLL_TEST_DUCKDB`, a Python that has it); and what no script can install: `tmux`, `npm`, `dpkg`, `python` with venv, `bash` run without rights, mount `namespaces`,
//! the rights of `root`, a PATH with `no-pytest`, `node`, `valgrind`.

use std::io::Write;

/// Says that the test which calls it cannot run here. Whoever calls it returns.
#[track_caller]
pub(crate) fn missing(need: &str, why: &str) {
    let promised = std::env::var("PLIMSOLL_TEST_NEEDS").unwrap_or_default();
    assert!(!promised.split_whitespace().any(|word| word == need), "this must be here, and is not: {why}");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{test}\t{}\t{}\n", need, why.replace('\n', " "));
    if let Some(file) = std::env::var_os("PLIMSOLL_TEST_SKIPPED") {
        // One write: tests run side by side.
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
    eprint!("not run: {line}");
}
