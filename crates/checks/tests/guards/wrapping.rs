//! A command that is denied stays denied in every wrapper, and is nobody's business where it is only text.

use checks::rules::wrappers::{PREFIXES, TEXTS, WRAPPERS, is_simple};
use model::Decision;

use crate::judge::{denied, is_undisturbed, judge, none, said};

/// Unoptimised, each command goes through some of the wrappers, and its neighbours, which are alike, through others.
const STEP: usize = if cfg!(debug_assertions) { 4 } else { 1 };

#[test]
fn wrapping_never_weakens() {
    let mut failures = Vec::new();
    for (index, command) in denied().iter().enumerate() {
        for (name, wrap) in WRAPPERS.iter().skip(index % STEP).step_by(STEP) {
            // `find` puts a path for the braces, and a script's own name is another one in a file.
            if (*name == "find -exec" && command.contains("{}"))
                || (*name == "written and run" && command.contains("$0"))
            {
                continue;
            }
            let wrapped = wrap(command);
            let verdict = judge(&wrapped);
            if verdict.decision != Decision::Deny {
                failures.push(format!("{name}: {}: {wrapped:?}", said(&verdict)));
            }
        }
    }
    none(&failures);
}

#[test]
fn prefixes_never_weaken() {
    let mut failures = Vec::new();
    for (index, command) in denied().iter().filter(|command| is_simple(command)).enumerate() {
        for prefix in PREFIXES.iter().skip(index % STEP).step_by(STEP) {
            let wrapped = format!("{prefix} {command}");
            let verdict = judge(&wrapped);
            if verdict.decision != Decision::Deny {
                failures.push(format!("{}: {wrapped:?}", said(&verdict)));
            }
        }
    }
    none(&failures);
}

#[test]
fn text_is_nobodys_business() {
    let mut failures = Vec::new();
    for (index, command) in denied().iter().enumerate() {
        for (name, write) in TEXTS.iter().skip(index % STEP).step_by(STEP) {
            let written = write(command);
            let verdict = judge(&written);
            if !is_undisturbed(&verdict) {
                failures.push(format!("{name}: {}: {written:?}", said(&verdict)));
            }
        }
    }
    none(&failures);
}
