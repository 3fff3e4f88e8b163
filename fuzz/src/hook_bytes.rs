//! Whatever arrives on a hook's stdin, the agent gets an answer that it understands.
//!
//! The promises: no panic, caught or not; exit code 0 or 2; stdout empty or exactly one JSON object; nothing written outside
//! the project's and our own folders. Time is measured by whoever runs this.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use plimsoll::hook::{Dialect, Line, answer};
use serde_json::{Map, Value};
use state::Machine;
use tempfile::TempDir;

use crate::panics;

/// Records of sessions pile up, as they do for a user, and are thrown away after this many inputs.
const STAGE_LASTS: u32 = 500;

/// The project's folder in the recorded payloads. It stands for the one on the stage, so that files are found there.
const RECORDED: &[u8] = b"/home/user/project";

/// Files that the checks about files look into.
const FILES: &[(&str, &str)] = &[
    (".claude/settings.json", "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}}\n"),
    ("README.md", "# A project\n"),
    ("package.json", "{\"name\": \"a\", \"eslintConfig\": {\"rules\": {}}}\n"),
    ("pyproject.toml", "[project]\nname = \"a\"\n\n[tool.ruff]\nline-length = 100\n"),
    ("src/app.py", "x = 1\n"),
];

thread_local! {
    static STAGE: RefCell<Option<Stage>> = const { RefCell::new(None) };
}

/// Panics if a promise is broken.
pub fn hook_bytes(bytes: &[u8]) {
    panics::watch();
    STAGE.with_borrow_mut(|place| {
        let stage = match place {
            Some(stage) if stage.used < STAGE_LASTS => stage,
            worn => worn.insert(Stage::new()),
        };
        stage.used += 1;
        let bytes = replace(bytes, RECORDED, &stage.project);
        for dialect in [Dialect::Native, Dialect::Legacy] {
            stage.check(dialect, &bytes);
        }
    });
}

/// A home, a project without git, and a place for our records, in a temporary folder.
struct Stage {
    machine: Machine,
    project: Vec<u8>,
    before: BTreeSet<String>,
    used: u32,
    root: TempDir,
}

impl Stage {
    fn new() -> Self {
        let root = tempfile::Builder::new()
            .prefix("plimsoll-fuzz-")
            .tempdir()
            .expect("a temporary folder can be made");
        let path = |name: &str| {
            root.path().join(name).to_str().expect("a temporary folder's name is UTF-8").to_owned()
        };
        let (home, project, state) = (path("home"), path("project"), path("state"));
        for dir in [&home, &state] {
            std::fs::create_dir(dir).expect("a folder can be made");
        }
        for (name, text) in FILES {
            let file = Path::new(&project).join(name);
            std::fs::create_dir_all(file.parent().expect("it is in the project"))
                .expect("a folder can be made");
            std::fs::write(file, text).expect("a file can be written");
        }
        let variables = [
            ("HOME", home.as_str()),
            // Told, not found by the payload's directory: that may be any folder of this machine, and records go into it.
            ("CLAUDE_PROJECT_DIR", project.as_str()),
            ("PLIMSOLL_STATE_DIR", state.as_str()),
        ];
        let machine = Machine::with(&variables, Path::new(&project));
        let before = seen(root.path());
        Self { machine, project: project.into_bytes(), before, used: 0, root }
    }

    fn check(&self, dialect: Dialect, bytes: &[u8]) {
        let line = Line { dialect, ..Line::default() };
        let reply = answer(&self.machine, &line, bytes);
        if let Some(fault) = panics::take() {
            panic!("{dialect:?}: the program panicked, and caught it: {fault}");
        }
        assert!(matches!(reply.exit, 0 | 2), "{dialect:?}: exit code {}", reply.exit);
        // Before a compaction the answer is plain text: the client puts whatever it is into the summary's instructions.
        let plain = bytes.windows(10).any(|window| window == b"PreCompact");
        if !reply.stdout.is_empty() && !plain {
            let read: Result<Map<String, Value>, _> = serde_json::from_str(&reply.stdout);
            assert!(read.is_ok(), "{dialect:?}: stdout is not one JSON object: {:?}", reply.stdout);
        }
        let after = seen(self.root.path());
        assert_eq!(after, self.before, "{dialect:?}: something was written where nothing belongs");
    }
}

/// The names on the stage, in the home and in the project. Inside of `.claude` and our own folder anything may appear.
fn seen(root: &Path) -> BTreeSet<String> {
    ["", "home", "project"]
        .iter()
        .flat_map(|dir| std::fs::read_dir(root.join(dir)).into_iter().flatten())
        .filter_map(|entry| Some(entry.ok()?.path().strip_prefix(root).ok()?.to_string_lossy().into_owned()))
        .collect()
}

fn replace<'a>(bytes: &'a [u8], from: &[u8], to: &[u8]) -> Cow<'a, [u8]> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    if out.is_empty() && rest.len() == bytes.len() {
        return Cow::Borrowed(bytes);
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}
