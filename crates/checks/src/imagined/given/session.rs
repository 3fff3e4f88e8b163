//! What a case gives of an agent that works alone.

use std::path::{Path, PathBuf};

use model::{
    Asked, GateOutcome, GateVerdict, Memory, Owner, Proof, Quality, Registered, Seen, SessionChanges,
    SessionId, ShownMemory, Touched, Unknown, Update, Utility, Violation,
};

use crate::imagined::PROJECT;
use toml::Value;

#[derive(Debug, Default)]
pub(in crate::imagined) struct Given {
    pub(in crate::imagined) changes: Option<Result<SessionChanges, Unknown>>,
    pub(in crate::imagined) version: Option<String>,
    pub(in crate::imagined) seen: Vec<Seen>,
    pub(in crate::imagined) names: Vec<(PathBuf, Vec<String>)>,
    pub(in crate::imagined) memories: Vec<Memory>,
    pub(in crate::imagined) assertions: Vec<(String, String)>,
    pub(in crate::imagined) shown: Vec<ShownMemory>,
    pub(in crate::imagined) quality: Quality,
    pub(in crate::imagined) stale: Vec<PathBuf>,
    pub(in crate::imagined) other: Option<Owner>,
    pub(in crate::imagined) registered: Vec<Registered>,
    pub(in crate::imagined) unreadable: Vec<String>,
    pub(in crate::imagined) update: Update,
    pub(in crate::imagined) violations: Vec<Violation>,
    pub(in crate::imagined) unlinted: Vec<String>,
}

impl Given {
    /// Takes a fact, if it is one of these.
    pub(in crate::imagined) fn take(&mut self, key: &str, value: &Value) -> Result<bool, String> {
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
            // `memories = ["1h cors LESSON: …"]`: age, entity, content.
            "memories" => {
                for (number, text) in texts(value).into_iter().enumerate() {
                    let mut words = text.splitn(3, ' ');
                    let mut word = || words.next().ok_or("a memory is `1h entity content`");
                    self.memories.push(Memory {
                        id: format!("evt_{}", number + 1),
                        age: model::time::parse_span(word()?).ok_or("an age is `1h`")?,
                        entities: vec![word()?.to_owned()],
                        content: word()?.to_owned(),
                        category: "bugfix".into(),
                        problem: String::new(),
                        used: Utility::default(),
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
                self.other =
                    Some(Owner { session: SessionId::new(session), pid, since: (*since).to_owned() });
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
