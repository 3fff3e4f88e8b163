//! One case: what it is called, what is expected, and how it is run.

use std::time::Duration;

use super::{Bench, Record};

/// A table of cases under the name that its log file has.
#[derive(Debug)]
pub(crate) struct Suite {
    /// The log file's name begins with it.
    pub(crate) agent: &'static str,
    /// The script that the specification names.
    pub(crate) hook: &'static str,
    /// It looks at what everything else needs, so it runs first.
    pub(crate) required: bool,
    pub(crate) expected: usize,
    pub(crate) cases: Vec<Case>,
}

impl Suite {
    /// One that is not in the specification: whatever it holds is expected.
    pub(crate) fn besides(agent: &'static str, hook: &'static str, cases: Vec<Case>) -> Self {
        Self { agent, hook, required: false, expected: cases.len(), cases }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) decision: &'static str,
    /// `None` where there is no exit code to speak of.
    pub(crate) exit: Option<i32>,
    /// Texts that the output must hold.
    pub(crate) says: Vec<&'static str>,
}

impl Expected {
    /// What a script says by its exit code.
    pub(crate) fn by_exit(code: i32, says: &[&'static str]) -> Self {
        let decision = if code == 2 { "exit_2" } else { "exit_0" };
        Self { decision, exit: Some(code), says: says.to_vec() }
    }
}

/// What happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    pub(crate) decision: String,
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `absent`, `version_skip: …`, `TIMEOUT_30s`: why a case counts as it does.
    pub(crate) note: String,
    /// The case could not be run here, and that is not a failure.
    pub(crate) skipped: bool,
}

impl Observed {
    pub(crate) fn skipped(note: impl Into<String>) -> Self {
        Self { note: note.into(), skipped: true, decision: "skipped".into(), ..Self::default() }
    }

    pub(crate) fn failed(note: impl Into<String>) -> Self {
        Self { note: note.into(), decision: "failed".into(), ..Self::default() }
    }

    /// A hook that had to be ended.
    pub(crate) fn timed_out(limit: Duration) -> Self {
        Self::failed(format!("TIMEOUT_{}s", limit.as_secs()))
    }
}

type Run = Box<dyn Fn(&Bench) -> Observed + Send + Sync>;

pub(crate) struct Case {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    pub(crate) summary: String,
    /// Where the specification asks for it.
    pub(crate) basis: &'static str,
    pub(crate) expected: Expected,
    /// Without it nothing else is worth running.
    pub(crate) required: bool,
    pub(crate) run: Run,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Case {
    /// What came instead of what was expected.
    fn difference(&self, seen: &Observed) -> String {
        let exit =
            |code: Option<i32>| code.map_or_else(|| "no exit code".to_owned(), |code| format!("exit {code}"));
        let said = if seen.stderr.trim().is_empty() { seen.stdout.trim() } else { seen.stderr.trim() };
        let said: String = said.lines().next().unwrap_or_default().chars().take(120).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        format!(
            "expected {} ({}), got {} ({}){said}",
            self.expected.decision,
            exit(self.expected.exit),
            seen.decision,
            exit(seen.exit)
        )
    }

    pub(super) fn run(&self, bench: &Bench, hook: &str) -> Record {
        let begun = bench.micros();
        let seen = (self.run)(bench);
        let said = format!("{}\n{}", seen.stdout, seen.stderr);
        let lacking = self.expected.says.iter().find(|text| !said.contains(**text));
        let right =
            seen.exit == self.expected.exit && seen.decision == self.expected.decision && lacking.is_none();
        let mut note = seen.note.clone();
        if !seen.skipped
            && note.is_empty()
            && let Some(text) = lacking
        {
            note = format!("«{text}» is not in the output");
        }
        if !seen.skipped && !right && note.is_empty() {
            note = self.difference(&seen);
        }
        Record {
            id: self.id,
            hook: hook.to_owned(),
            test_name: self.name.to_owned(),
            category: self.category.to_owned(),
            input_summary: self.summary.clone(),
            expected_decision: self.expected.decision.to_owned(),
            expected_exit: self.expected.exit,
            actual_decision: seen.decision,
            actual_exit: seen.exit,
            actual_output: seen.stdout,
            actual_stderr: seen.stderr,
            pass: seen.skipped || right,
            note,
            timestamp: bench.timestamp(),
            duration_ms: (bench.micros() - begun) / 1000,
            basis: self.basis,
            required: self.required,
        }
    }
}
