//! What came back from the program, and what a test says of it.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(mut command: Command, stdin: &[u8]) -> Self {
        if !stdin.is_empty() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let pipe = child.stdin.take();
        let done = std::thread::scope(|scope| {
            // A program that ends before it has read everything breaks the pipe, which is its right.
            scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(stdin)));
            child.wait_with_output().unwrap()
        });
        let utf8 = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: done.status.code(), stdout: utf8(done.stdout), stderr: utf8(done.stderr) }
    }

    #[track_caller]
    pub(super) fn succeeds_as(self, what: &str) -> Self {
        assert_eq!(self.code, Some(0), "{what}\n{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.succeeds_as("")
    }

    /// Exit code 1 or that of a kind of fault, nothing on stdout, and one line on stderr with all of `parts` in it.
    #[track_caller]
    pub(crate) fn fails_saying(&self, parts: &[&str]) {
        assert!(matches!(self.code, Some(1 | 2 | 69 | 78)) && self.stdout.is_empty(), "{self:#?}");
        assert_eq!(self.stderr.lines().count(), 1, "one line says why:\n{}", self.stderr);
        assert!(self.stderr.starts_with("plimsoll: "), "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "«{part}» is not in\n{}", self.stderr);
        }
    }

    /// Wrong arguments: exit code 2, and the usage.
    #[track_caller]
    pub(crate) fn is_misused(&self) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(2), ""), "{self:#?}");
        assert!(self.stderr.contains("--help"), "{}", self.stderr);
    }

    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part), "«{part}» is not in\n{}\n{}", self.stdout, self.stderr);
        }
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self:#?}"))
    }

    /// Not a byte, and exit code 0.
    #[track_caller]
    pub(crate) fn is_silent(&self) {
        assert_eq!((self.code, self.stdout.as_str(), self.stderr.as_str()), (Some(0), "", ""), "{self:#?}");
    }

    /// Nothing but who has formatted the file.
    #[track_caller]
    pub(crate) fn formatted(&self, file: &str, by: &str) {
        let line =
            format!("[hook:formatted] {file} was rewritten by {by}. Read it again before you edit it.");
        let told = self.json();
        let context = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        assert_eq!((self.code, context, self.stderr.as_str()), (Some(0), line.as_str(), ""), "{self:#?}");
    }

    /// Exit code 0 or 2, and nothing or one JSON object on stdout: what every answer of a hook must be.
    #[track_caller]
    pub(crate) fn is_an_answer(&self) {
        assert!(matches!(self.code, Some(0 | 2)), "{self:#?}");
        assert!(self.stdout.is_empty() || self.json().is_object(), "{self:#?}");
    }

    #[track_caller]
    fn decides(&self, decision: &str) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        let answer = &self.json()["hookSpecificOutput"];
        assert_eq!(answer["hookEventName"], "PreToolUse", "{self:#?}");
        assert_eq!(answer["permissionDecision"], decision, "{self:#?}");
        answer["permissionDecisionReason"].as_str().expect("there is a reason").to_owned()
    }

    /// A tool call was refused; the reason.
    #[track_caller]
    pub(crate) fn is_denied(&self) -> String {
        self.decides("deny")
    }

    /// A tool call was put to the user; the reason.
    #[track_caller]
    pub(crate) fn is_asked(&self) -> String {
        self.decides("ask")
    }

    /// A stop was held, or a call refused in the legacy dialect; the reason.
    #[track_caller]
    pub(crate) fn is_blocked(&self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert_eq!(self.json()["decision"], "block", "{self:#?}");
        self.json()["reason"].as_str().expect("there is a reason").to_owned()
    }

    /// A stop that goes through, whatever the user is shown with it.
    #[track_caller]
    pub(crate) fn is_let_go(&self) {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert!(self.stdout.is_empty() || self.json().get("decision").is_none(), "{self:#?}");
    }

    /// The legacy dialect's word for "no objection", and no other.
    #[track_caller]
    pub(crate) fn is_approved(&self) {
        assert_eq!(self.code, Some(0), "{self:#?}");
        assert_eq!(self.json(), json!({"decision": "approve"}), "{self:#?}");
    }
}
