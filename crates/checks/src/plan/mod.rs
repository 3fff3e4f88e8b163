//! The plan (`MASTER_PLAN.md`) and the decisions in code that answer to it: one grammar for every gate, audit and command.
//!
//! Read line by line, with any line ends; what stands in a fenced block is an example and counts for nothing.

mod annotation;
mod audit;
mod ids;
mod validate;

pub use annotation::{Annotation, DECISIONS, annotations, from_digest, has_decision};
pub use audit::{Audit, Planned, audit};
pub use ids::{Id, ids};
pub use validate::{Validation, validate};

/// Where a phase stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Planned,
    InProgress,
    Completed,
}

impl Status {
    pub const NAMES: &'static str = "planned, in-progress or completed";

    pub fn as_str(self) -> &'static str {
        match self {
            Status::Planned => "planned",
            Status::InProgress => "in-progress",
            Status::Completed => "completed",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Status::Planned, Status::InProgress, Status::Completed].into_iter().find(|status| {
            text.len() >= status.as_str().len()
                && text.is_char_boundary(status.as_str().len())
                && text[..status.as_str().len()].eq_ignore_ascii_case(status.as_str())
        })
    }
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// As in its heading, without the marks: `Phase 2: Storage`.
    pub title: String,
    /// `Err` with what stands there when it is none of the three; `None` when there is no status line.
    pub status: Option<Result<Status, String>>,
    /// What stands under `### Decision Log`; `None` without that heading.
    pub log: Option<Vec<String>>,
    pub requirements: Vec<String>,
}

impl Phase {
    pub fn is(&self, status: Status) -> bool {
        self.status == Some(Ok(status))
    }
}

/// A plan that has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Every heading: its depth and its text.
    pub headings: Vec<(usize, String)>,
    pub phases: Vec<Phase>,
    /// Every line outside examples, without its end.
    pub lines: Vec<String>,
}

impl Plan {
    pub fn read(text: &str) -> Self {
        let mut plan = Self { lines: plain_lines(text), ..Self::default() };
        let mut in_log = false;
        for line in &plan.lines {
            if let Some((depth, title)) = heading(line) {
                plan.headings.push((depth, title.to_owned()));
                in_log = false;
                if depth == 2 && is_phase(title) {
                    let title = title.to_owned();
                    plan.phases.push(Phase { title, status: None, log: None, requirements: Vec::new() });
                } else if let Some(phase) = plan.phases.last_mut()
                    && title.eq_ignore_ascii_case("decision log")
                {
                    phase.log.get_or_insert_default();
                    in_log = true;
                }
                continue;
            }
            let Some(phase) = plan.phases.last_mut() else { continue };
            if phase.status.is_none()
                && let Some(value) = status_value(line)
            {
                phase.status = Some(Status::parse(value).ok_or_else(|| value.to_owned()));
            }
            phase.requirements.extend(ids("REQ-", line).into_iter().map(|id| id.text));
            if in_log && !line.trim().is_empty() {
                phase.log.get_or_insert_default().push(line.clone());
            }
        }
        plan
    }

    pub fn count(&self, status: Status) -> usize {
        self.phases.iter().filter(|phase| phase.is(status)).count()
    }

    /// The phase that is being worked on: the first in progress, else the first that is only planned, else the last.
    pub fn active(&self) -> Option<&Phase> {
        let first = |status| self.phases.iter().find(|phase| phase.is(status));
        first(Status::InProgress).or_else(|| first(Status::Planned)).or_else(|| self.phases.last())
    }

    /// Whether a heading says what the user asked for.
    pub fn has_intent(&self) -> bool {
        self.headings.iter().any(|(_, title)| {
            let title = title.to_lowercase();
            let request = title.find("user").is_some_and(|at| title[at..].contains("request"));
            request || ["intent", "vision", "original"].iter().any(|word| title.contains(word))
        })
    }

    pub fn has_heading(&self, mut fits: impl FnMut(usize, &str) -> bool) -> bool {
        self.headings.iter().any(|(depth, title)| fits(*depth, &title.to_lowercase()))
    }

    /// Distinct ids that begin with `prefix`, in the order they appear.
    pub fn ids(&self, prefix: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for id in self.lines.iter().flat_map(|line| ids(prefix, line)) {
            if !found.contains(&id.text) {
                found.push(id.text);
            }
        }
        found
    }
}

/// Lines outside fenced blocks and HTML comments, without their ends.
fn plain_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut fence, mut comment): (Option<&str>, bool) = (None, false);
    for line in text.split(['\n']).map(|line| line.trim_end_matches('\r')) {
        let start = line.trim_start();
        if let Some(mark) = fence {
            fence = (!start.starts_with(mark)).then_some(mark);
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark)) {
            fence = Some(mark);
            continue;
        }
        lines.push(without_comments(line, &mut comment));
    }
    lines
}

/// A line without what is commented out; `open` says whether a comment goes on into the next line.
fn without_comments(line: &str, open: &mut bool) -> String {
    let mut kept = String::new();
    let mut rest = line;
    loop {
        if *open {
            let Some(end) = rest.find("-->") else { return kept };
            rest = &rest[end + 3..];
            *open = false;
        }
        match rest.find("<!--") {
            Some(start) => {
                kept.push_str(&rest[..start]);
                rest = &rest[start + 4..];
                *open = true;
            }
            None => {
                kept.push_str(rest);
                return kept;
            }
        }
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.bytes().take_while(|b| *b == b'#').count();
    let title = line[depth..].trim();
    ((1..=6).contains(&depth) && line[depth..].starts_with([' ', '\t']) && !title.is_empty())
        .then_some((depth, title))
}

/// `Phase 2`, `Phase 2: Storage`.
fn is_phase(title: &str) -> bool {
    title.strip_prefix("Phase").is_some_and(|rest| {
        rest.starts_with([' ', '\t']) && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
    })
}

/// What follows `**Status:**`.
fn status_value(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t', '-', '*']);
    let rest = ["Status:**", "Status**:", "Status:"].iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Plan
## Original Intent
Make it.

## Phase 1: Base
**Status:** completed
### Decision Log
<!-- what
was decided -->
- DEC-BASE-001: one file
**Requirements:** REQ-P0-001

```
## Phase 9: only an example
**Status:** nonsense
```
## Phase 2
**Status:** in-progress <!-- soon -->
## Phase 3: Later
**Status:** someday
";

    #[test]
    fn phases_with_their_status_and_log() {
        let plan = Plan::read(TEXT);
        let titles: Vec<_> = plan.phases.iter().map(|phase| phase.title.as_str()).collect();
        assert_eq!(titles, ["Phase 1: Base", "Phase 2", "Phase 3: Later"]);
        assert_eq!(
            plan.phases[0].log.as_deref(),
            Some(&["- DEC-BASE-001: one file".to_owned(), "**Requirements:** REQ-P0-001".to_owned()][..])
        );
        assert_eq!(plan.phases[0].requirements, ["REQ-P0-001"]);
        assert!(plan.phases[1].is(Status::InProgress));
        assert_eq!(plan.phases[2].status, Some(Err("someday".into())));
        assert_eq!(plan.active().map(|phase| phase.title.as_str()), Some("Phase 2"));
        assert!(plan.has_intent());
        assert_eq!((plan.count(Status::Completed), plan.ids("DEC-")), (1, vec!["DEC-BASE-001".to_owned()]));
    }

    #[test]
    fn line_ends_do_not_matter() {
        assert_eq!(Plan::read(&TEXT.replace('\n', "\r\n")), Plan::read(TEXT));
    }

    #[test]
    fn anything_can_be_read() {
        for text in
            ["", "#", "##", "## Phase", "## Phase x", "<!--", "```", "**Status:**", "\u{0}\u{feff}\r\r\n"]
        {
            assert!(Plan::read(text).phases.is_empty(), "{text:?}");
        }
    }
}
