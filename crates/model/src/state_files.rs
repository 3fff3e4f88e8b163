//! The small files in `<project>/.claude` by which gates, runners and summaries speak to each other, as text and as values. Other
//! tools read them too, so their form does not change.

use std::fmt;

/// How a test run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestResult {
    Pass,
    Fail,
    /// There was nothing to tell by: no test was found, or the runner did not come to an end.
    #[default]
    None,
}

impl TestResult {
    pub fn as_str(self) -> &'static str {
        match self {
            TestResult::Pass => "pass",
            TestResult::Fail => "fail",
            TestResult::None => "none",
        }
    }
}

/// `.test-status`: `result|fail_count|timestamp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestStatus {
    pub result: TestResult,
    pub failures: u64,
    pub at: u64,
}

impl TestStatus {
    pub const FILE: &'static str = ".test-status";
    /// A failure younger than this is what the agent is working on.
    pub const RECENT: u64 = 600;
    /// A result older than this says nothing about the present work.
    pub const STALE: u64 = 1800;

    /// `None` for anything that is not whole: a status that cannot be read is not evidence.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.trim().split('|');
        let result = match fields.next()? {
            "pass" => TestResult::Pass,
            "fail" => TestResult::Fail,
            "none" => TestResult::None,
            _ => return None,
        };
        Some(Self { result, failures: fields.next()?.parse().ok()?, at: fields.next()?.parse().ok()? })
    }

    pub fn age(&self, now: u64) -> u64 {
        now.saturating_sub(self.at)
    }
}

impl fmt::Display for TestStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}|{}", self.result.as_str(), self.failures, self.at)
    }
}

/// `.proof-status`: `status|timestamp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The user has seen it work; else something has changed since.
    pub verified: bool,
    pub at: u64,
}

impl Proof {
    pub const FILE: &'static str = ".proof-status";

    pub fn parse(text: &str) -> Option<Self> {
        let (status, at) = text.trim().split_once('|').unwrap_or((text.trim(), "0"));
        let verified = match status {
            "verified" => true,
            "pending" => false,
            _ => return None,
        };
        Some(Self { verified, at: at.parse().unwrap_or(0) })
    }

    pub fn word(&self) -> &'static str {
        if self.verified { "verified" } else { "pending" }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}", self.word(), self.at)
    }
}

/// `.test-gate-strikes`, `.mock-gate-strikes`: `count|timestamp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strikes {
    pub count: u64,
    pub at: u64,
}

impl Strikes {
    pub const TESTS: &'static str = ".test-gate-strikes";
    pub const MOCKS: &'static str = ".mock-gate-strikes";

    pub fn parse(text: &str) -> Self {
        let (count, at) = text.trim().split_once('|').unwrap_or((text.trim(), "0"));
        Self { count: count.parse().unwrap_or(0), at: at.parse().unwrap_or(0) }
    }
}

impl fmt::Display for Strikes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}", self.count, self.at)
    }
}

/// `.plan-drift`: what the last audit of decisions found, one `key=value` per line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    pub audited_at: u64,
    /// In the code and not in the plan.
    pub unplanned: u64,
    /// In the plan and not in the code.
    pub unimplemented: u64,
    /// Changed files that should have a decision and have none.
    pub missing: u64,
    pub total: u64,
    pub source_files_changed: u64,
    pub unaddressed_p0s: u64,
    pub nogo_count: u64,
}

impl Drift {
    pub const FILE: &'static str = ".plan-drift";

    pub fn parse(text: &str) -> Self {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        Self {
            audited_at: value("audit_epoch"),
            unplanned: value("unplanned_count"),
            unimplemented: value("unimplemented_count"),
            missing: value("missing_decisions"),
            total: value("total_decisions"),
            source_files_changed: value("source_files_changed"),
            unaddressed_p0s: value("unaddressed_p0s"),
            nogo_count: value("nogo_count"),
        }
    }

    /// Decisions on which plan and code do not agree.
    pub fn ids(&self) -> u64 {
        self.unplanned + self.unimplemented
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in [
            ("audit_epoch", self.audited_at),
            ("unplanned_count", self.unplanned),
            ("unimplemented_count", self.unimplemented),
            ("missing_decisions", self.missing),
            ("total_decisions", self.total),
            ("source_files_changed", self.source_files_changed),
            ("unaddressed_p0s", self.unaddressed_p0s),
            ("nogo_count", self.nogo_count),
        ] {
            writeln!(f, "{key}={value}")?;
        }
        Ok(())
    }
}

/// `.agent-findings`: `agent_type|issue1;issue2`, one line per subagent that ended with something open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFindings;

impl AgentFindings {
    pub const FILE: &'static str = ".agent-findings";

    pub fn line(agent: &str, issues: &[String]) -> String {
        let plain = |text: &String| text.replace(['\n', '\r'], " ").replace(';', ",");
        format!("{agent}|{}", issues.iter().map(plain).collect::<Vec<_>>().join(";"))
    }

    /// For people and models: `agent: issues`.
    pub fn show(text: &str) -> Vec<String> {
        text.lines()
            .filter_map(|line| line.split_once('|'))
            .map(|(agent, issues)| format!("{agent}: {}", issues.replace(';', "; ")))
            .collect()
    }
}

/// How much of the code has changed since the plan was last brought up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Churn {
    /// Source files that commits since then have touched.
    pub changed: u64,
    /// All source files.
    pub total: u64,
    /// Those commits.
    pub commits: u64,
}

impl Churn {
    pub fn percent(&self) -> u64 {
        (self.changed.min(self.total) * 100).checked_div(self.total).unwrap_or(0)
    }
}

/// What happens to a file in `<project>/.claude`. Changes of one file by parallel processes come one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The whole text.
    Write(String),
    /// One more line.
    Append(String),
    /// One more strike.
    Strike,
    /// This text has been delivered: it goes, and what came after it stays.
    Delivered(String),
    /// Only the last lines stay.
    Keep(usize),
    Remove,
}

/// Files that are only added to, by us and by other tools: each line of theirs stands for itself.
pub fn is_journal(name: &str) -> bool {
    matches!(name, ".audit-log" | ".agent-findings" | ".llm-review-cache")
        || name.starts_with(".session-changes-")
}

/// Files that gates believe, that approve, or that are told to the agent: what a clone would bring along to be believed.
pub const BELIEVED: &[&str] = &[
    TestStatus::FILE,
    Proof::FILE,
    AgentFindings::FILE,
    ".preserved-context",
    ".update-status",
    ".llm-review-cache",
    crate::AUTONOMY_STATES[0],
    crate::AUTONOMY_STATES[1],
    crate::AUTONOMY_STATES[2],
];

/// The plan of a project, in its root.
pub const PLAN: &str = "MASTER_PLAN.md";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read_as_it_was_written() {
        for text in ["pass|0|1700000000", "fail|12|1700000000", "none|0|1"] {
            assert_eq!(TestStatus::parse(text).map(|status| status.to_string()).as_deref(), Some(text));
        }
        for text in ["", "pass", "pass|0", "passed|0|1", "pass|x|1", "pass|0|now"] {
            assert_eq!(TestStatus::parse(text), None, "{text}");
        }
        for text in ["verified|1700000000", "pending|5"] {
            assert_eq!(Proof::parse(text).map(|proof| proof.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Proof::parse("verified\n").map(|proof| proof.verified), Some(true));
        assert_eq!(Proof::parse("maybe|1"), None);
        assert_eq!(Strikes::parse("2|1700000000").to_string(), "2|1700000000");
        assert_eq!(Strikes::parse("junk"), Strikes::default());
        let drift =
            Drift { audited_at: 9, unplanned: 1, unimplemented: 2, nogo_count: 3, ..Drift::default() };
        assert_eq!(Drift::parse(&drift.to_string()), drift);
        assert_eq!(Drift::parse("unplanned_count=4\r\nunimplemented_count=1\r\n").ids(), 5);
    }

    #[test]
    fn a_finding_is_one_line() {
        let line = AgentFindings::line("planner", &["no\nplan".into(), "a;b".into()]);
        assert_eq!(line, "planner|no plan;a,b");
        assert_eq!(AgentFindings::show(&line), ["planner: no plan; a,b"]);
    }

    #[test]
    fn churn_is_a_share() {
        assert_eq!(Churn { changed: 7, total: 20, commits: 3 }.percent(), 35);
        assert_eq!(Churn { changed: 7, total: 0, commits: 3 }.percent(), 0);
        assert_eq!(Churn { changed: 30, total: 20, commits: 3 }.percent(), 100);
    }
}
