//! Case files: tests, documentation and corpus at once. Each check has one beside its source, in TOML:
//!
//! ```toml
//! [[case]]
//! file = ".ruff.toml"        # or `command = "…"`, or `tool = "mcp__fs__write_file"` and `input = { path = "…" }`
//! expect = "deny"
//! why = "the rules are the user's"
//! show = true                # also on the docs page
//! given = { files = { "…" = "…" } }
//! ```
//!
//! `Table` answers `Facts` from what a case gives, so that no case touches the disk.

mod alone;
mod incoming;
mod own;
mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::config::{LevelMap, Profile};
use model::environment::Variable;
use model::rule::{Author, Book};
use model::{
    AgentId, Allowance, Autonomy, Body, Change, ChangeKind, Changed, Command, Conclusion, Config, Decision,
    Event, EventName, Facts, FileEdit, Held, Judgement, Linted, Mail, Notification, Outcome, PermissionMode,
    Problem, Prompt, Protected, Question, Reader as MailReader, Replacement, Repository, Restore, Review,
    Reviewer, SessionChange, SessionId, Stop, Subagent, Tool, ToolUse, Unknown, Violation, Watch,
};
use toml::{Table as Toml, Value};

/// Where cases happen.
pub const PROJECT: &str = "/home/me/project";
const HOME: &str = "/home/me";

#[derive(Debug)]
pub struct Case {
    pub event: Event,
    pub table: Table,
    pub config: Config,
    pub expect: Decision,
    /// Texts that the answer (reason, context or notice) must contain.
    pub contains: Vec<String>,
    pub why: String,
    pub show: bool,
    /// What the agent does, for people.
    pub title: String,
}

/// All cases of a file; the error names the case.
pub fn parse(text: &str) -> Result<Vec<Case>, String> {
    let toml: Toml = toml::from_str(text).map_err(|error| error.to_string())?;
    let Some(Value::Array(list)) = toml.get("case") else { return Err("no [[case]]".into()) };
    list.iter()
        .enumerate()
        .map(|(index, value)| {
            let table = value.as_table().ok_or("a case is a table")?;
            one(table).map_err(|error| format!("case {}: {error}", index + 1))
        })
        .collect()
}

fn one(toml: &Toml) -> Result<Case, String> {
    const KEYS: &[&str] = &[
        "event", "tool", "file", "content", "old", "new", "all", "command", "active", "source", "mode",
        "expect", "contains", "why", "show", "given", "prompt", "read", "search", "agent", "message", "kind",
        "input", "output", "error", "repeat",
    ];
    if let Some(key) = toml.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key {key}"));
    }
    let text = |key: &str| toml.get(key).and_then(Value::as_str);
    let flag = |key: &str| toml.get(key).and_then(Value::as_bool).unwrap_or(false);
    let expect = text("expect").ok_or("expect is missing")?;
    let expect = Decision::ALL
        .into_iter()
        .find(|d| d.as_str() == expect)
        .ok_or("expect is none, allow, ask or deny")?;
    let contains = match toml.get("contains") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(value) => value.as_str().map(str::to_owned).into_iter().collect(),
        None => Vec::new(),
    };
    let (event, table, config, title) = happening(toml)?;
    let why = text("why").ok_or("why is missing")?.to_owned();
    Ok(Case { event, table, config, expect, contains, why, show: flag("show"), title })
}

/// What happens, the world it happens in, its settings, and what to call it.
type Happening = (Event, Table, Config, String);

/// The same keys by themselves, without what is expected: for the cases of rules.
pub(crate) fn from_table(toml: &Toml) -> Result<Happening, String> {
    const KEYS: &[&str] = &[
        "event", "tool", "file", "content", "old", "new", "all", "command", "mode", "given", "prompt",
        "read", "search", "agent", "input",
    ];
    if let Some(key) = toml.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key {key}"));
    }
    let mut toml = toml.clone();
    if toml.contains_key("prompt") && !toml.contains_key("event") {
        toml.insert("event".into(), Value::String(EventName::UserPromptSubmit.as_str().into()));
    }
    happening(&toml)
}

fn happening(toml: &Toml) -> Result<Happening, String> {
    let text = |key: &str| toml.get(key).and_then(Value::as_str);
    let flag = |key: &str| toml.get(key).and_then(Value::as_bool).unwrap_or(false);
    let empty = Toml::new();
    let given = toml.get("given").and_then(Value::as_table).unwrap_or(&empty);
    let (table, config) = Table::given(given)?;
    let mut event = match toml.get("input") {
        Some(input) => {
            tool_event(&EventName::from(text("event").unwrap_or("PreToolUse")), text("tool"), json(input))
        }
        None => event(&text, &flag),
    };
    outcome(toml, &mut event);
    if let Some(kind) = text("agent") {
        event.subagent = Some(Subagent { id: "a1".into(), kind: kind.into() });
    }
    match text("mode") {
        None => {}
        Some("auto") => event.mode = PermissionMode::Auto,
        Some("plan") => event.mode = PermissionMode::Plan,
        Some("bypassPermissions") => event.mode = PermissionMode::BypassPermissions,
        Some(other) => return Err(format!("mode {other} is not known here")),
    }
    let name = event.tool_use().map_or("", |use_| &use_.name);
    let title = match (text("command"), text("file"), toml.get("input")) {
        (.., Some(input)) => format!("{name} {}", json(input)),
        (Some(command), ..) => command.to_owned(),
        (_, Some(file), _) => format!("{name} {file}"),
        _ => event.name.to_string(),
    };
    Ok((event, table, config, title))
}

fn event<'a>(text: &impl Fn(&str) -> Option<&'a str>, flag: &impl Fn(&str) -> bool) -> Event {
    let name = EventName::from(text("event").unwrap_or("PreToolUse"));
    let body = match (&name, text("command"), text("file")) {
        (_, Some(command), _) => Body::Tool(shell_use(command)),
        (_, _, Some(file)) => Body::Tool(edit_use(file, text, flag)),
        (EventName::Stop | EventName::SubagentStop, ..) => Body::Stop(Stop {
            active: flag("active"),
            last_message: text("message").unwrap_or_default().into(),
        }),
        (EventName::Notification, ..) => Body::Notification(Notification {
            kind: text("kind").unwrap_or_default().into(),
            message: text("message").unwrap_or_default().into(),
        }),
        (EventName::UserPromptSubmit, ..) => {
            Body::Prompt(Prompt { text: text("prompt").unwrap_or_default().into() })
        }
        _ if text("tool").or(text("read")).or(text("search")).is_some() => return other_event(&name, text),
        _ => Body::Session(SessionChange { cause: text("source").unwrap_or("startup").into() }),
    };
    with_body(name, body)
}

fn with_body(name: EventName, body: Body) -> Event {
    Event {
        agent: AgentId("claude-code"),
        name,
        session: SessionId::new("s1"),
        cwd: Some(PROJECT.into()),
        transcript: None,
        prompt: None,
        mode: PermissionMode::Default,
        subagent: None,
        body,
    }
}

/// `output = "…"` or in a tool's own shape, `error = "…"`: how the call went. `repeat` says how often the text comes.
fn outcome(toml: &Toml, event: &mut Event) {
    let Body::Tool(use_) = &mut event.body else { return };
    if let Some(output) = toml.get("output") {
        use_.outcome = Outcome::Done(match output {
            Value::String(text) => {
                let times = toml.get("repeat").and_then(Value::as_integer).unwrap_or(1);
                let text = text.repeat(usize::try_from(times).unwrap_or(1));
                if use_.name == "Bash" {
                    serde_json::json!({"stdout": text, "stderr": ""})
                } else {
                    text.into()
                }
            }
            other => json(other),
        });
        use_.replaceable = !matches!(use_.tool, Tool::Edit(_) | Tool::Patch(_));
    } else if let Some(error) = toml.get("error").and_then(Value::as_str) {
        use_.outcome = Outcome::Failed { error: error.to_owned() };
    }
}

/// A shell call, for tests.
pub fn shell_event(command: &str) -> Event {
    with_body(EventName::PreToolUse, Body::Tool(shell_use(command)))
}

fn shell_use(command: &str) -> ToolUse {
    ToolUse {
        id: None,
        name: "Bash".into(),
        known: true,
        tool: Tool::Shell(Command::new(command)),
        input: serde_json::Map::new(),
        outcome: Outcome::Pending,
        replaceable: false,
        odd: None,
    }
}

fn edit_use<'a>(
    file: &str,
    text: &impl Fn(&str) -> Option<&'a str>,
    flag: &impl Fn(&str) -> bool,
) -> ToolUse {
    let change = match (text("content"), text("old"), text("new")) {
        (Some(content), ..) => Change::Write { content: content.into() },
        (_, Some(old), Some(new)) => {
            Change::Replace(vec![Replacement { old: old.into(), new: new.into(), all: flag("all") }])
        }
        _ => Change::Unknown,
    };
    let name = text("tool").unwrap_or(if matches!(change, Change::Write { .. }) { "Write" } else { "Edit" });
    ToolUse {
        id: None,
        name: name.into(),
        known: true,
        tool: Tool::Edit(FileEdit { path: file.into(), change }),
        input: serde_json::Map::new(),
        outcome: Outcome::Pending,
        replaceable: false,
        odd: None,
    }
}

/// A call that neither edits nor runs anything.
fn other_event<'a>(name: &EventName, text: &impl Fn(&str) -> Option<&'a str>) -> Event {
    let (tool, input) = match (text("read"), text("search")) {
        (Some(path), _) => ("Read", serde_json::json!({"file_path": path})),
        (_, Some(pattern)) => ("Grep", serde_json::json!({"pattern": pattern})),
        _ => ("", serde_json::json!({})),
    };
    tool_event(name, Some(text("tool").unwrap_or(tool)), input)
}

/// A call of any tool, read as the agent would send it.
pub fn tool_event(name: &EventName, tool: Option<&str>, input: serde_json::Value) -> Event {
    let mut payload = serde_json::Map::new();
    payload.insert("hook_event_name".into(), name.as_str().into());
    payload.insert("tool_name".into(), tool.unwrap_or_default().into());
    payload.insert("tool_input".into(), input);
    let event = agents::detect(&payload).parse(payload, agents::Defaults::default());
    with_body(name.clone(), event.body)
}

/// A small world: `given` of a case.
#[derive(Debug)]
pub struct Table {
    project: PathBuf,
    files: BTreeMap<PathBuf, String>,
    unreadable: Vec<PathBuf>,
    links: BTreeMap<PathBuf, PathBuf>,
    folds: bool,
    may_edit: Vec<PathBuf>,
    allowed: Vec<String>,
    changes: Result<Vec<Changed>, Unknown>,
    problems: Vec<Problem>,
    personal: Profile,
    branch: Option<String>,
    variables: BTreeMap<String, String>,
    missing_programs: Vec<String>,
    said: Vec<String>,
    staged: Vec<String>,
    restores: Vec<String>,
    worktrees: Vec<PathBuf>,
    merging: bool,
    unborn: bool,
    autonomy: Option<Autonomy>,
    alone: alone::Given,
    incoming: incoming::Given,
    own: own::Given,
    reviewers: Vec<Answer>,
    remembered: Option<Conclusion>,
    linted: Result<Linted, Unknown>,
    personal_checks: LevelMap,
    work: work::Given,
    mail: Vec<Mail>,
    held: Option<Held>,
    rules: Option<Book>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            project: PROJECT.into(),
            files: BTreeMap::new(),
            unreadable: Vec::new(),
            links: BTreeMap::new(),
            folds: false,
            may_edit: Vec::new(),
            allowed: Vec::new(),
            changes: Ok(Vec::new()),
            problems: Vec::new(),
            personal: Profile::Standard,
            branch: Some("feature".into()),
            variables: BTreeMap::new(),
            missing_programs: Vec::new(),
            said: Vec::new(),
            staged: Vec::new(),
            restores: Vec::new(),
            worktrees: Vec::new(),
            merging: false,
            unborn: false,
            autonomy: None,
            alone: alone::Given::default(),
            incoming: incoming::Given::default(),
            own: own::Given::default(),
            reviewers: Vec::new(),
            remembered: None,
            linted: Ok(Linted::default()),
            personal_checks: LevelMap::new(),
            work: work::Given::default(),
            mail: Vec::new(),
            held: Some(Held::default()),
            rules: None,
        }
    }
}

impl Table {
    /// A world whose project has these files.
    pub fn with_files(files: &[(&str, &str)]) -> Self {
        let files =
            files.iter().map(|(name, text)| (Path::new(PROJECT).join(name), (*text).to_owned())).collect();
        Self { files, ..Self::default() }
    }

    /// A world in which an agent works alone.
    pub fn working_alone() -> Self {
        Self { autonomy: Some(Autonomy::default()), personal: Profile::Autonomous, ..Self::default() }
    }

    /// One in which the user has allowed these commands.
    pub fn allowing(commands: &[&str]) -> Self {
        Self { allowed: commands.iter().map(|&text| text.to_owned()).collect(), ..Self::default() }
    }

    /// One with these rules.
    #[must_use]
    pub fn with_rules(self, rules: Book) -> Self {
        Self { rules: Some(rules), ..self }
    }

    #[cfg(test)]
    pub(crate) fn set_held(&mut self, held: Held) {
        self.held = Some(held);
    }

    #[cfg(test)]
    pub(crate) fn forget_held(&mut self) {
        self.held = None;
    }

    fn given(toml: &Toml) -> Result<(Self, Config), String> {
        let mut table = Self::default();
        let mut config = Config::default();
        let place =
            |text: &str| model::path::absolute(Path::new(text), Path::new(PROJECT), Some(Path::new(HOME)));
        for (key, value) in toml {
            let text = || value.as_str().unwrap_or_default().to_owned();
            let texts = || value.as_array().into_iter().flatten().filter_map(Value::as_str);
            let pairs = || {
                value
                    .as_table()
                    .into_iter()
                    .flatten()
                    .map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned()))
            };
            match key.as_str() {
                "files" => table.files.extend(pairs().map(|(k, v)| (place(&k), v))),
                "unreadable" => table.unreadable = texts().map(place).collect(),
                "links" => table.links = pairs().map(|(k, v)| (place(&k), place(&v))).collect(),
                "folds_case" => table.folds = value.as_bool().unwrap_or(false),
                "may_edit" => table.may_edit = texts().map(place).collect(),
                "allowed" => table.allowed = texts().map(str::to_owned).collect(),
                "problems" => {
                    table.problems =
                        texts().map(|text| Problem { text: text.into(), untrusted: false }).collect();
                }
                "personal_profile" => table.personal = Profile::parse(&text()).ok_or("no such profile")?,
                "branch" => table.branch = Some(text()).filter(|name| !name.is_empty()),
                "variables" => table.variables = pairs().collect(),
                "missing_programs" => table.missing_programs = texts().map(str::to_owned).collect(),
                "said" => table.said = texts().map(str::to_owned).collect(),
                "staged" => table.staged = texts().map(str::to_owned).collect(),
                "restores" => table.restores = texts().map(str::to_owned).collect(),
                "worktrees" => table.worktrees = texts().map(place).collect(),
                "merging" => table.merging = value.as_bool().unwrap_or(false),
                "unborn" => table.unborn = value.as_bool().unwrap_or(false),
                "autonomy" => table.autonomy = Some(autonomy(value)?),
                "reviewers" => table.reviewers = reviewers(value)?,
                "remembered" => {
                    let (judgement, reason) = opinion(&text())?;
                    table.remembered = Some(Conclusion { judgement, reason });
                }
                "linted" => table.linted = linted(value, place),
                "mail" => {
                    let mail = |(key, text)| Mail { key, text, to: MailReader::Model };
                    table.mail = pairs().map(mail).collect();
                }
                "rules" => {
                    let written = crate::rules::parse(&text(), Author::User, "rules.toml");
                    let written = written.map_err(|fault| fault.to_string())?;
                    let rules: Vec<_> = written.into_iter().map(|one| one.rule).collect();
                    table.rules = Some(Book::new(&rules));
                }
                "held" => table.held = Some(held(value)?),
                "changed" => table.changes = Ok(changed(value)?),
                "changes_unknown" => table.changes = Err(Unknown(text())),
                "config" => {
                    for (key, value) in value.as_table().into_iter().flatten() {
                        if !config.set(key, &json(value)) {
                            return Err(format!("config {key} is not accepted"));
                        }
                    }
                }
                other if table.work.set(other, value)? => {}
                other if table.own.set(other, value) => {}
                "versions" => table.incoming.versions(value),
                "archives" => {
                    // Who asks for its text gets none.
                    let made = table.incoming.archives(value, place);
                    table.files.extend(made.into_iter().map(|path| (path, String::new())));
                }
                other => {
                    if !table.alone.take(other, value)? {
                        return Err(format!("unknown fact {other}"));
                    }
                    // What was touched is also there to be read.
                    if other == "touched" && value.is_table() {
                        table.files.extend(pairs().map(|(k, v)| (place(&k), v)));
                    }
                }
            }
        }
        Ok((table, config))
    }
}

/// `linted = { violations = ["app.py:3:1 F841 message (ruff)"], said = […], notices = […], already_there = 0 }`, or a text: why
/// it was not done.
fn linted(value: &Value, place: impl Fn(&str) -> PathBuf) -> Result<Linted, Unknown> {
    let Some(table) = value.as_table() else {
        return Err(Unknown(value.as_str().unwrap_or_default().to_owned()));
    };
    let texts =
        |key: &str| table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let violation = |text: &str| {
        let (at, rest) = text.split_once(' ')?;
        let (code, message) = rest.split_once(' ')?;
        let mut at = at.split(':');
        let file = place(at.next()?);
        let mut number = || at.next()?.parse().ok();
        let (line, column) = (number()?, number()?);
        let message = message.trim_end_matches(" (ruff)").to_owned();
        Some(Violation { file, line, column, code: code.into(), message, linter: "ruff", built_in: false })
    };
    let many = table.get("many").and_then(Value::as_integer).unwrap_or(1);
    let count = |key: &str| table.get(key).and_then(Value::as_integer).and_then(|n| n.try_into().ok());
    let rewriters: Vec<String> = texts("rewriters").map(str::to_owned).collect();
    let violations: Vec<_> = texts("violations").filter_map(violation).collect();
    Ok(Linted {
        violations: (0..many).flat_map(|_| violations.iter().cloned()).collect(),
        already_there: count("already_there").unwrap_or(0),
        elsewhere: count("elsewhere").unwrap_or(0),
        rewritten: !rewriters.is_empty(),
        rewriters,
        delegated: table.get("delegated").and_then(Value::as_bool).unwrap_or(false),
        said: texts("said").map(str::to_owned).collect(),
        notices: texts("notices").map(str::to_owned).collect(),
        ..Linted::default()
    })
}

/// `changed = [{ path, kind, restore | copy, before, after }]`.
fn changed(value: &Value) -> Result<Vec<Changed>, String> {
    let kinds = [
        ChangeKind::Modified,
        ChangeKind::Staged,
        ChangeKind::Deleted,
        ChangeKind::New,
        ChangeKind::Committed,
    ];
    let mut list = Vec::new();
    for entry in value.as_array().into_iter().flatten().filter_map(Value::as_table) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text("kind").unwrap_or_else(|| "modified".into());
        list.push(Changed {
            path: text("path").ok_or("path is missing")?,
            kind: kinds.into_iter().find(|k| k.as_str() == kind).ok_or("no such kind of change")?,
            restore: match text("copy") {
                Some(copy) => Restore::Copy(copy.into()),
                None => Restore::Command(text("restore").unwrap_or_default()),
            },
            texts: text("before").zip(text("after")),
        });
    }
    Ok(list)
}

/// `held = { times, same, reasons }`.
fn held(value: &Value) -> Result<Held, String> {
    let number = |key: &str| value.get(key).and_then(Value::as_integer).and_then(|n| u32::try_from(n).ok());
    Ok(Held {
        times: number("times").ok_or("held.times is missing")?,
        same: number("same").unwrap_or(0),
        reasons: value.get("reasons").and_then(Value::as_str).unwrap_or_default().to_owned(),
    })
}

/// `autonomy = { coordinator, allowed_prompts = [{ tool, prompt }], ahead }`.
fn autonomy(value: &Value) -> Result<Autonomy, String> {
    let table = value.as_table().ok_or("autonomy is a table")?;
    let entries = table.get("allowed_prompts").and_then(Value::as_array).into_iter().flatten();
    let text =
        |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| {
        let entries = table.get(key).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    Ok(Autonomy {
        mode: table.get("mode").and_then(Value::as_str).unwrap_or_default().to_owned(),
        directories: list("directories").into_iter().map(PathBuf::from).collect(),
        commands: list("commands"),
        coordinator: table.get("coordinator").and_then(Value::as_bool).unwrap_or(true),
        allowed_prompts: entries.map(|entry| (text(entry, "tool"), text(entry, "prompt"))).collect(),
        every_tool: table.get("every_tool").and_then(Value::as_bool).unwrap_or(false),
        is_ahead: table.get("ahead").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// What a reviewer says when asked.
type Answer = (Reviewer, Result<Review, Unknown>);

/// `reviewers = { gemini = "unsafe: why", openai = "fails: why" }`; who is not there has no key.
fn reviewers(value: &Value) -> Result<Vec<Answer>, String> {
    let table = value.as_table().ok_or("reviewers is a table")?;
    let mut list = Vec::new();
    for reviewer in Reviewer::ALL {
        let name = reviewer.to_string().to_ascii_lowercase();
        let Some(text) = table.get(&name).and_then(Value::as_str) else { continue };
        let answer = match text.strip_prefix("fails: ") {
            Some(why) => Err(Unknown(why.into())),
            None => opinion(text).map(|(judgement, reason)| Ok(Review { reviewer, judgement, reason }))?,
        };
        list.push((reviewer, answer));
    }
    Ok(list)
}

fn opinion(text: &str) -> Result<(Judgement, String), String> {
    let (word, reason) = text.split_once(": ").ok_or("an opinion is `safe: why`")?;
    Ok((Judgement::parse(word).ok_or("no such judgement")?, reason.to_owned()))
}

pub(crate) fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => text.clone().into(),
        Value::Boolean(flag) => (*flag).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Array(list) => serde_json::Value::Array(list.iter().map(json).collect()),
        Value::Table(table) => {
            serde_json::Value::Object(table.iter().map(|(k, v)| (k.clone(), json(v))).collect())
        }
        Value::Datetime(_) => serde_json::Value::Null,
    }
}

impl Facts for Table {
    fn project(&self) -> &Path {
        &self.project
    }

    fn home(&self) -> Option<&Path> {
        Some(Path::new(HOME))
    }

    fn state_dir(&self) -> &Path {
        Path::new("/home/me/.local/state/plimsoll")
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let path = self.absolute(path);
        for (link, target) in &self.links {
            if let Ok(rest) = path.strip_prefix(link) {
                return if rest.as_os_str().is_empty() { target.clone() } else { target.join(rest) };
            }
        }
        path
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        model::path::absolute(path, &self.project, self.home())
    }

    fn folds_case(&self, _: &Path) -> bool {
        self.folds
    }

    fn read(&self, path: &Path) -> Result<Option<String>, Unknown> {
        if self.unreadable.iter().any(|p| p == path) {
            return Err(Unknown("permission denied".into()));
        }
        Ok(self.files.get(path).cloned())
    }

    fn repository(&self, dir: &Path) -> Option<Repository> {
        if !self.work.has_repository(dir) {
            return None;
        }
        // One repository, the project; `given.worktree` is another work tree of it.
        let root = if dir.starts_with(&self.project) { self.project.clone() } else { dir.to_owned() };
        Some(Repository {
            root,
            main_root: self.project.clone(),
            worktrees: self.worktrees.clone(),
            branch: self.branch.clone(),
            unborn: self.unborn,
            merging: self.merging,
        })
    }

    fn staged(&self, _: &Path) -> Result<Vec<String>, Unknown> {
        Ok(self.staged.clone())
    }

    fn now(&self) -> u64 {
        1_000_000
    }

    fn env(&self, variable: &Variable) -> Option<String> {
        self.variables.get(variable.name).cloned()
    }

    fn has_program(&self, name: &str) -> bool {
        !self.missing_programs.iter().any(|missing| missing == name)
    }

    fn was_said(&self, what: &str) -> bool {
        self.said.iter().any(|said| said == what)
    }

    fn said_text(&self, what: &str) -> Option<String> {
        self.said.iter().find_map(|said| said.strip_prefix(what)?.strip_prefix('=').map(str::to_owned))
    }

    fn micros(&self) -> u64 {
        0
    }

    fn may_edit(&self, path: &Path) -> bool {
        self.may_edit.iter().any(|p| p == path)
    }

    fn allowances(&self) -> Vec<Allowance> {
        let allowance = |text: &String| {
            let reading = crate::read(&shell_event(text), self).unwrap_or_default();
            Allowance {
                id: text.clone(),
                text: text.clone(),
                signature: crate::signature(&reading),
                once: false,
                spent: None,
            }
        };
        self.allowed.iter().map(allowance).collect()
    }

    fn rules(&self) -> Option<&Book> {
        self.rules.as_ref()
    }

    fn protected_changes(&self, _: &Watch) -> Result<Protected, Unknown> {
        self.changes.clone().map(|changes| Protected { changes, unseen: Vec::new() })
    }

    fn is_named_restore(&self, command: &str) -> bool {
        self.restores.iter().any(|named| named == command)
    }

    fn approve_command(&self, files: &[&str]) -> String {
        shell::join(["plimsoll", "approve", "--session", "s1", "--"].into_iter().chain(files.iter().copied()))
    }

    fn config_problems(&self) -> &[Problem] {
        &self.problems
    }

    fn personal_profile(&self) -> Profile {
        self.personal
    }

    fn personal_checks(&self) -> &LevelMap {
        &self.personal_checks
    }

    fn autonomy(&self) -> Option<Autonomy> {
        self.autonomy.clone()
    }

    fn reviewers(&self) -> Vec<Reviewer> {
        self.reviewers.iter().map(|(reviewer, _)| *reviewer).collect()
    }

    fn review(
        &self,
        reviewer: Reviewer,
        _: &Question,
        _: Option<&Review>,
        _: Duration,
    ) -> Result<Review, Unknown> {
        let known = self.reviewers.iter().find(|(known, _)| *known == reviewer);
        known.map_or_else(|| Err(Unknown("there is no such reviewer".into())), |(_, answer)| answer.clone())
    }

    fn lint(&self, _: &Event) -> Result<Linted, Unknown> {
        self.linted.clone()
    }

    fn lint_open(&self, _: &Event) -> Result<Linted, Unknown> {
        self.linted.clone()
    }

    fn remembered_review(&self, _: &Question) -> Option<Conclusion> {
        self.remembered.clone()
    }

    fn mail(&self) -> Vec<Mail> {
        self.mail.clone()
    }

    fn held(&self, _: &str) -> Option<Held> {
        self.held.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Context, Options, all, run};

    /// The harness: every case of every check, through the real pipeline, with only that check.
    #[test]
    fn cases_hold() {
        let mut failures = Vec::new();
        for check in all() {
            let meta = check.meta;
            let cases = parse(meta.cases).unwrap_or_else(|error| panic!("{}: {error}", meta.id));
            assert!(
                cases.iter().any(|c| c.expect != Decision::None || !c.contains.is_empty()),
                "{}: no case in which it speaks",
                meta.id
            );
            assert!(
                cases.iter().any(|c| c.expect == Decision::None && c.contains.is_empty()),
                "{}: no case in which it is silent",
                meta.id
            );
            for case in cases {
                let only = [meta.id.to_owned()];
                let mut config = case.config.clone();
                // A case is about the check, not about the profile it is on in.
                config.checks.entry(meta.id.into()).or_insert(model::Level::On);
                let cx = Context::new(&config, &case.table);
                let report = run(&case.event, &cx, &Options { only: Some(&only), ..Options::default() });
                let verdict = report.verdict;
                let said = [
                    verdict.reason(),
                    verdict.context.join("\n"),
                    verdict.background.join("\n"),
                    verdict.notices.join("\n"),
                    format!("{:?}", report.effects),
                    report.account.aloud.join("\n"),
                    report.account.ran.join("\n"),
                    verdict.output.as_ref().map(ToString::to_string).unwrap_or_default(),
                ]
                .join("\n");
                if verdict.decision != case.expect {
                    failures.push(format!(
                        "{}: {}: expected {}, got {}: {}",
                        meta.id, case.title, case.expect, verdict.decision, said
                    ));
                }
                for part in &case.contains {
                    if !said.contains(part) {
                        failures.push(format!("{}: {}: «{part}» is not in: {said}", meta.id, case.title));
                    }
                }
                if case.expect == Decision::None && case.contains.is_empty() && !verdict.is_silent() {
                    failures.push(format!("{}: {}: should be silent, said {said}", meta.id, case.title));
                }
            }
        }
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }
}
