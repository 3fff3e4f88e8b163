//! What a case gives of an agent that works alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{
    Alone, Asked, Event, GateOutcome, GateVerdict, Linted, Memory, Owner, Proof, Quality, Registered, Seen,
    SessionChanges, ShownMemory, Touched, Unknown, Update, Violation,
};
use toml::Value;

use super::{PROJECT, Table};

#[derive(Debug, Default)]
pub(super) struct Given {
    changes: Option<Result<SessionChanges, Unknown>>,
    version: Option<String>,
    seen: Vec<Seen>,
    names: Vec<(PathBuf, Vec<String>)>,
    memories: Vec<Memory>,
    assertions: Vec<(String, String)>,
    shown: Vec<ShownMemory>,
    quality: Quality,
    stale: Vec<PathBuf>,
    other: Option<Owner>,
    registered: Vec<Registered>,
    unreadable: Vec<String>,
    update: Update,
    violations: Vec<Violation>,
    unlinted: Vec<String>,
}

impl Given {
    /// Takes a fact, if it is one of these.
    pub(super) fn take(&mut self, key: &str, value: &Value) -> Result<bool, String> {
        match key {
            // `touched = { "src/a.py" = "all of it is new" }`, or a list of names.
            "touched" => self.changes = Some(Ok(touched(value))),
            "touched_unknown" => {
                self.changes = Some(Err(Unknown(value.as_str().unwrap_or_default().to_owned())));
            }
            "version" => self.version = value.as_str().map(str::to_owned),
            // `seen = ["test pass cargo test"]`.
            "seen" => {
                for text in texts(value) {
                    let mut words = text.splitn(3, ' ');
                    let mut word = || words.next().ok_or("a run is `test pass command`");
                    let proof = Proof::parse(word()?).ok_or("a run is of test or lint")?;
                    let passed = word()? == "pass";
                    self.seen.push(Seen { proof, passed, command: word()?.to_owned(), at: 1_000_000 });
                }
            }
            // `names = { ".claude/web-smoke/screenshots" = ["a.png"] }`.
            "names" => {
                for (dir, list) in value.as_table().into_iter().flatten() {
                    self.names.push((Path::new(PROJECT).join(dir), texts(list)));
                }
            }
            // `memories = ["0.9 cors LESSON: …"]`: score, entity, content.
            "memories" => {
                for (number, text) in texts(value).into_iter().enumerate() {
                    let mut words = text.splitn(3, ' ');
                    let mut word = || words.next().ok_or("a memory is `0.9 entity content`");
                    self.memories.push(Memory {
                        id: format!("evt_{}", number + 1),
                        score: word()?.parse().map_err(|_| "a score is a number")?,
                        entities: vec![word()?.to_owned()],
                        content: word()?.to_owned(),
                        category: "bugfix".into(),
                        problem: String::new(),
                        age: 3600,
                    });
                }
            }
            "assertions" => {
                let pairs = texts(value).into_iter().filter_map(|text| {
                    text.split_once(": ").map(|(topic, text)| (topic.to_owned(), text.to_owned()))
                });
                self.assertions = pairs.collect();
            }
            // `shown = ["evt_1 tool 1000000"]`: id, occasion, time.
            "shown" => {
                for text in texts(value) {
                    let words: Vec<&str> = text.split(' ').collect();
                    let [id, by, at] = words.as_slice() else { return Err("shown is `id tool time`".into()) };
                    self.shown.push(ShownMemory {
                        id: (*id).to_owned(),
                        reference: String::new(),
                        by: Asked::parse(by).ok_or("no such occasion")?,
                        at: at.parse().map_err(|_| "a time is a number")?,
                    });
                }
            }
            _ => return self.take_work(key, value),
        }
        Ok(true)
    }

    /// The facts of gates, hooks, updates and linters.
    fn take_work(&mut self, key: &str, value: &Value) -> Result<bool, String> {
        match key {
            // `gates = ["block test cargo test / its output"]`: what follows, name, command, output.
            "gates" => {
                for text in texts(value) {
                    let (start, output) =
                        text.split_once(" / ").ok_or("a gate is `block name command / output`")?;
                    let mut words = start.splitn(3, ' ');
                    let mut word = || words.next().ok_or("a gate is `block name command / output`");
                    let verdict = match word()? {
                        "pass" => GateVerdict::Passed,
                        "warn" => GateVerdict::Warn,
                        "stop" => GateVerdict::Stop,
                        _ => GateVerdict::Block,
                    };
                    let (name, command) = (word()?.to_owned(), word()?.to_owned());
                    self.quality.outcomes.push(GateOutcome {
                        before: false,
                        name,
                        command,
                        verdict,
                        passed: matches!(verdict, GateVerdict::Passed),
                        output: output.to_owned(),
                    });
                }
            }
            "gate_problems" => self.quality.problems = texts(value),
            "stale_autonomy" => {
                self.stale = texts(value).iter().map(|name| Path::new(PROJECT).join(name)).collect();
            }
            "other_session" => {
                let words: Vec<&str> = value.as_str().unwrap_or_default().split(' ').collect();
                let [session, pid, since] = words.as_slice() else {
                    return Err("a session is `id pid time`".into());
                };
                let pid = pid.parse().map_err(|_| "a process is a number")?;
                self.other = Some(Owner { session: (*session).to_owned(), pid, since: (*since).to_owned() });
            }
            // `registered = ["settings.json Stop /h/a.py missing"]`.
            "registered" => {
                for text in texts(value) {
                    let words: Vec<&str> = text.split(' ').collect();
                    let [scope, event, program, rest @ ..] = words.as_slice() else {
                        return Err("a hook is `file event program`".into());
                    };
                    self.registered.push(Registered {
                        scope: (*scope).to_owned(),
                        event: (*event).to_owned(),
                        program: program.into(),
                        broken: match rest {
                            ["missing"] => Some("not there"),
                            ["plain"] => Some("not executable"),
                            _ => None,
                        },
                    });
                }
            }
            "unreadable_settings" => self.unreadable = texts(value),
            "update_due" => self.update.due = value.as_bool().unwrap_or(false),
            "update_restart" => self.update.restart = value.as_str().map(str::to_owned),
            // `violations = ["src/a.py:2 F841 unused"]`.
            "violations" => {
                for text in texts(value) {
                    let mut words = text.splitn(3, ' ');
                    let mut word = || words.next().ok_or("a violation is `file:line code message`");
                    let (file, line) = word()?.split_once(':').ok_or("a place is `file:line`")?;
                    self.violations.push(Violation {
                        file: Path::new(PROJECT).join(file),
                        line: line.parse().map_err(|_| "a line is a number")?,
                        column: 1,
                        code: word()?.to_owned(),
                        message: word()?.to_owned(),
                        linter: "ruff",
                        built_in: false,
                    });
                }
            }
            // What linters could not look at, in lines.
            "unlinted" => self.unlinted = texts(value),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn touched(value: &Value) -> SessionChanges {
    let file = |path: &str, lines: usize| Touched {
        path: path.to_owned(),
        added: std::iter::once(1..lines + 1).collect(),
        uncommitted: true,
        written_at: Some(999_999),
    };
    let files = match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(|path| file(path, 0)).collect(),
        Value::Table(table) => table
            .iter()
            .map(|(path, text)| file(path, text.as_str().unwrap_or_default().lines().count()))
            .collect(),
        _ => Vec::new(),
    };
    SessionChanges { files }
}

impl Alone for Table {
    fn session_changes(&self) -> Result<SessionChanges, Unknown> {
        self.alone.changes.clone().unwrap_or_else(|| Ok(SessionChanges::default()))
    }

    fn code_version(&self) -> String {
        self.alone.version.clone().unwrap_or_else(|| "abc1234-dirty".into())
    }

    fn is_report_of_other_code(&self, _: &str) -> bool {
        false
    }

    fn seen_runs(&self) -> Vec<Seen> {
        self.alone.seen.clone()
    }

    fn changes_root(&self) -> PathBuf {
        PROJECT.into()
    }

    fn recall(&self, _: Asked, _: &[String]) -> Vec<Memory> {
        self.alone.memories.clone()
    }

    fn assertions(&self) -> Vec<(String, String)> {
        self.alone.assertions.clone()
    }

    fn shown_memories(&self) -> Vec<ShownMemory> {
        self.alone.shown.clone()
    }

    fn quality(&self, _: &Event, _: Duration) -> Quality {
        self.alone.quality.clone()
    }

    fn stale_autonomy(&self) -> Vec<PathBuf> {
        self.alone.stale.clone()
    }

    fn other_session(&self) -> Option<Owner> {
        self.alone.other.clone()
    }

    fn registered_hooks(&self) -> Vec<Registered> {
        self.alone.registered.clone()
    }

    fn unreadable_settings(&self) -> Vec<String> {
        self.alone.unreadable.clone()
    }

    fn update(&self) -> Update {
        self.alone.update.clone()
    }

    fn lint_files(&self, _: &[PathBuf], _: Duration) -> Linted {
        Linted {
            violations: self.alone.violations.clone(),
            said: self.alone.unlinted.clone(),
            ..Linted::default()
        }
    }

    fn names_in(&self, dir: &Path) -> Vec<String> {
        self.alone
            .names
            .iter()
            .find(|(known, _)| known == dir)
            .map_or_else(Vec::new, |(_, names)| names.clone())
    }
}
