//! Whatever a linter prints, it is read or said to be unreadable.
//!
//! The promises: no panic; an exit code that says "found something" is never taken for clean; no line is beyond what a text can have.

use std::path::Path;

use linters::LINTERS;
use linters::output::{Printed, Subject, read};

use crate::panics;

/// Panics if a promise is broken. The first byte chooses the linter.
pub fn linter_output(bytes: &[u8]) {
    panics::watch();
    let Some((first, rest)) = bytes.split_first() else { return };
    let jobs: Vec<_> = LINTERS.iter().filter_map(|linter| Some((linter, linter.lint.as_ref()?))).collect();
    let (linter, job) = jobs[usize::from(*first) % jobs.len()];
    let text = String::from_utf8_lossy(rest);
    let about = Subject { file: Path::new("/sample/bad.py"), cwd: Path::new("/sample"), text: &text };
    for code in job.clean.iter().chain(job.found).copied().chain([99]) {
        let printed = Printed { stdout: &text, stderr: &text, code: Some(code), cut: false };
        let found = read(linter, job, &about, &printed);
        if !job.clean.contains(&code) {
            let clean = found.as_ref().is_ok_and(|found| found.here.is_empty() && found.elsewhere.is_empty());
            assert!(!clean, "{} with exit code {code} was taken for clean", linter.name);
        }
        assert!(code != 99 || found.is_err(), "an unknown exit code is a failure");
    }
}
