//! A file of rules, from TOML. One mistake refuses the file: a rule that was misunderstood matches something else.

use model::rule::{Adds, Author, Call, Frame, Install, Mcp, Rule, Text, Then, When, pattern};
use toml::{Table as Toml, Value};

use super::cases::{self, Case};

/// A rule with its cases, as it stands in a file.
#[derive(Debug)]
pub struct Written {
    pub rule: Rule,
    pub cases: Vec<Case>,
    /// What trust is about: all of it but the cases, as JSON.
    pub text: String,
}

/// A mistake, and the line it is in (0 where that is not known).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: u32,
    pub text: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 { f.write_str(&self.text) } else { write!(f, "line {}: {}", self.line, self.text) }
    }
}

type Said<T> = Result<T, String>;

/// More rules than these are a mistake, or somebody's attempt to keep us busy.
const MOST_RULES: usize = 5000;

const KEYS: &[&str] = &[
    "id",
    "call",
    "write",
    "read",
    "delete",
    "adds",
    "fetch",
    "send",
    "mcp",
    "install",
    "sql",
    "ref",
    "prompt",
    "cwd",
    "branch",
    "profile",
    "mode",
    "agent",
    "tool",
    "then",
    "say",
    "instead",
    "rewrite",
    "overrides",
    "cases",
];

/// All rules of a file.
pub fn parse(text: &str, by: Author, file: &str) -> Result<Vec<Written>, Fault> {
    let toml: Toml = toml::from_str(text).map_err(|error| Fault {
        line: error.span().map_or(0, |span| line_of(text, span.start)),
        text: error.message().lines().next().unwrap_or_default().to_owned(),
    })?;
    let at_top = |text: String| Fault { line: 0, text };
    if let Some(key) = toml.keys().find(|key| *key != "rule") {
        return Err(at_top(format!("unknown key {key}; rules stand under [[rule]]")));
    }
    let list = match toml.get("rule") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(at_top("rule must be a list; write [[rule]]".to_owned())),
    };
    if list.len() > MOST_RULES {
        return Err(at_top(format!("a file has at most {MOST_RULES} rules")));
    }
    // The nth of them stands in the nth of these lines, unless somebody writes the list in one line.
    let mut lines = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("[[rule]]"));
    let mut found: Vec<Written> = Vec::with_capacity(list.len());
    for value in list {
        let line = lines.next().and_then(|(at, _)| u32::try_from(at + 1).ok()).unwrap_or(0);
        let fault = |text: String| Fault { line, text };
        let table = value.as_table().ok_or_else(|| fault("a rule is a table".to_owned()))?;
        let named = |text: String| match table.get("id").and_then(Value::as_str) {
            Some(id) => fault(format!("{id}: {text}")),
            None => fault(text),
        };
        let mut written = one(table, by).map_err(named)?;
        written.rule.line = line;
        file.clone_into(&mut written.rule.file);
        if found.iter().any(|other| other.rule.id == written.rule.id) {
            return Err(named("this id is taken by another rule of the file".to_owned()));
        }
        found.push(written);
    }
    Ok(found)
}

fn line_of(text: &str, at: usize) -> u32 {
    let before = text.get(..at).unwrap_or(text);
    u32::try_from(before.matches('\n').count() + 1).unwrap_or(0)
}

fn one(toml: &Toml, by: Author) -> Said<Written> {
    known(toml, KEYS, "a rule")?;
    let id = word(toml, "id")?.ok_or("id is missing")?;
    check_id(&id)?;
    let then = word(toml, "then")?.ok_or("then is missing: deny, ask, allow, warn, context or rewrite")?;
    let then = Then::ALL
        .into_iter()
        .find(|known| known.as_str() == then)
        .ok_or_else(|| format!("then is deny, ask, allow, warn, context or rewrite, not {then}"))?;
    let rule = Rule {
        id,
        by,
        when: when(toml)?,
        then,
        say: word(toml, "say")?.unwrap_or_default(),
        instead: word(toml, "instead")?.unwrap_or_default(),
        rewrite: pairs(toml, "rewrite")?,
        overrides: words(toml, "overrides")?,
        ..Rule::default()
    };
    check(&rule)?;
    let cases =
        cases::parse(toml.get("cases").ok_or("cases are missing: one in which it fires, one in which not")?)?;
    let fires = |case: &&Case| case.expect == Some(rule.then);
    if !cases.iter().any(|case| fires(&case)) {
        return Err(format!(
            "no case in which it fires: cases = {{ {} = [\"…\"], none = [\"…\"] }}",
            rule.then.as_str()
        ));
    }
    if !cases.iter().any(|case| case.expect.is_none()) {
        return Err("no case in which it does not fire: cases.none is missing".to_owned());
    }
    let mut said = toml.clone();
    said.remove("cases");
    Ok(Written { rule, cases, text: crate::imagined::json(&Value::Table(said)).to_string() })
}

/// `acme/prod-apply`; the groups of our own checks are not for others.
fn check_id(id: &str) -> Said<()> {
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.'))
    };
    let parts: Vec<&str> = id.split('/').collect();
    if parts.len() < 2 || id.len() > 80 || !parts.iter().all(|part| plain(part)) {
        return Err("id must look like team/name, in small letters".to_owned());
    }
    if crate::all().any(|check| check.meta.id.split('/').next() == Some(parts[0])) {
        return Err(format!("{}/… are Plimsoll's own checks; take another first word", parts[0]));
    }
    Ok(())
}

fn check(rule: &Rule) -> Said<()> {
    let when = &rule.when;
    let of_tools = when.call.is_some()
        || [&when.write, &when.read, &when.delete, &when.fetch, &when.send, &when.sql, &when.refs]
            .iter()
            .any(|one| one.is_some())
        || when.adds.is_some()
        || when.mcp.is_some()
        || when.install.is_some();
    if !of_tools && when.prompt.is_none() && when.frame.tool.is_none() {
        return Err("it says nothing about a call: give call, write, read, delete, adds, fetch, send, mcp, install, sql, ref, prompt or tool".to_owned());
    }
    if of_tools && when.prompt.is_some() {
        return Err("prompt stands alone: a prompt calls nothing".to_owned());
    }
    if rule.say.trim().is_empty() && !matches!(rule.then, Then::Allow | Then::Rewrite) {
        return Err("say is missing: what the agent is told".to_owned());
    }
    if (rule.then == Then::Rewrite) == rule.rewrite.is_empty() {
        return Err("then = \"rewrite\" goes with rewrite = { \"word\" = \"other\" }".to_owned());
    }
    if rule.then == Then::Rewrite && when.call.is_none() {
        return Err("only calls can be rewritten: call is missing".to_owned());
    }
    if !rule.overrides.is_empty() {
        if rule.then != Then::Allow {
            return Err("overrides goes with then = \"allow\"".to_owned());
        }
        if rule.by == Author::Project {
            return Err(
                "overrides counts only in your own rules (~/.claude/hooks/rules.toml), not in a project's"
                    .to_owned(),
            );
        }
        for id in &rule.overrides {
            super::may_be_overridden(id)?;
        }
    }
    Ok(())
}

fn when(toml: &Toml) -> Said<When> {
    let of = |key: &str| toml.get(key).map(|value| text(key, value)).transpose();
    Ok(When {
        call: toml.get("call").map(call).transpose()?,
        write: of("write")?,
        read: of("read")?,
        delete: of("delete")?,
        adds: toml.get("adds").map(adds).transpose()?,
        fetch: of("fetch")?,
        send: of("send")?,
        mcp: toml.get("mcp").map(mcp).transpose()?,
        install: toml.get("install").map(install).transpose()?,
        sql: of("sql")?,
        refs: of("ref")?,
        prompt: of("prompt")?,
        frame: Frame {
            cwd: of("cwd")?,
            branch: of("branch")?,
            profile: of("profile")?,
            mode: of("mode")?,
            agent: of("agent")?,
            tool: of("tool")?,
        },
    })
}

const CALL_KEYS: &[&str] = &[
    "program",
    "words",
    "begins",
    "options",
    "not_options",
    "option",
    "any_word",
    "no_word",
    "operand",
    "variable",
    "exact",
];

/// `"terraform apply"`, or a table.
fn call(value: &Value) -> Said<Call> {
    if let Some(line) = value.as_str() {
        let mut parts = line.split_whitespace().map(str::to_owned);
        let program = parts.next().ok_or("call is empty")?;
        let (options, words): (Vec<String>, Vec<String>) = parts.partition(|part| part.starts_with('-'));
        let options = options.into_iter().map(|one| vec![one]).collect();
        return Ok(Call { program: vec![program], words, options, ..Call::default() });
    }
    let table = value.as_table().ok_or("call is a text or a table")?;
    known(table, CALL_KEYS, "call")?;
    let program = words(table, "program")?;
    if program.is_empty() {
        return Err("call.program is missing".to_owned());
    }
    if let Some(fault) = program.iter().find_map(|name| pattern::fault(name)) {
        return Err(format!("call.program: {fault}"));
    }
    let texts = |key: &str| -> Said<Vec<(String, Text)>> {
        let Some(value) = table.get(key) else { return Ok(Vec::new()) };
        let inner = value.as_table().ok_or_else(|| format!("call.{key} is a table"))?;
        inner.iter().map(|(name, value)| Ok((name.clone(), text(key, value)?))).collect()
    };
    let option = texts("option")?.into_iter().map(|(names, text)| (spellings(&names), text)).collect();
    let patterns = words(table, "words")?;
    if let Some(fault) = patterns.iter().find_map(|one| pattern::fault(one)) {
        return Err(format!("call.words: {fault}"));
    }
    Ok(Call {
        program,
        words: patterns,
        begins: begins(table)?,
        options: words(table, "options")?.iter().map(|names| spellings(names)).collect(),
        not_options: words(table, "not_options")?.iter().map(|names| spellings(names)).collect(),
        option,
        any_word: words(table, "any_word")?,
        no_word: words(table, "no_word")?,
        operand: table.get("operand").map(|value| text("operand", value)).transpose()?,
        variable: texts("variable")?,
        exact: flag(table, "exact")?,
    })
}

/// `["pr", ["view", "list"]]`: words in their order.
fn begins(table: &Toml) -> Said<Vec<Vec<String>>> {
    let Some(value) = table.get("begins") else { return Ok(Vec::new()) };
    let all = value.as_array().ok_or("call.begins is a list of words")?;
    all.iter().map(|one| list("call.begins", one)).collect()
}

/// `-m|--message`
fn spellings(names: &str) -> Vec<String> {
    names.split('|').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn adds(value: &Value) -> Said<Adds> {
    let Some(table) = value.as_table() else {
        // In a line, wherever it stands there.
        let Text { like, unlike } = text("adds", value)?;
        let like = like.into_iter().map(|one| format!("*{one}*")).collect();
        return Ok(Adds { line: Some(Text { like, unlike }), ..Adds::default() });
    };
    known(table, &["line", "text", "new"], "adds")?;
    let of = |key: &str| table.get(key).map(|value| text(key, value)).transpose();
    Ok(Adds { line: of("line")?, text: of("text")?, new: flag(table, "new")? })
}

fn mcp(value: &Value) -> Said<Mcp> {
    if let Some(server) = value.as_str() {
        return Ok(Mcp {
            server: Some(Text { like: vec![server.to_owned()], unlike: vec![] }),
            ..Mcp::default()
        });
    }
    let table = value.as_table().ok_or("mcp is a text or a table")?;
    known(table, &["server", "tool", "argument"], "mcp")?;
    let of = |key: &str| table.get(key).map(|value| text(key, value)).transpose();
    let arguments = match table.get("argument") {
        None => Vec::new(),
        Some(value) => {
            let inner = value.as_table().ok_or("mcp.argument is a table")?;
            let one = |(name, value): (&String, &Value)| Ok((name.clone(), text("argument", value)?));
            inner.iter().map(one).collect::<Said<_>>()?
        }
    };
    Ok(Mcp { server: of("server")?, tool: of("tool")?, argument: arguments })
}

fn install(value: &Value) -> Said<Install> {
    let Some(table) =
        value.as_table().filter(|table| !table.contains_key("like") && !table.contains_key("unlike"))
    else {
        return Ok(Install { package: Some(text("install", value)?), from: None });
    };
    known(table, &["package", "from"], "install")?;
    let of = |key: &str| table.get(key).map(|value| text(key, value)).transpose();
    Ok(Install { package: of("package")?, from: of("from")? })
}

/// A pattern, several, or a table of those that fit and those that must not.
fn text(key: &str, value: &Value) -> Said<Text> {
    let mut made = Text::default();
    match value {
        Value::Table(table) => {
            known(table, &["like", "unlike", "has", "lacks"], key)?;
            let around = |list: Vec<String>| list.into_iter().map(|one| format!("*{one}*"));
            made.like = words(table, "like")?;
            made.like.extend(around(words(table, "has")?));
            made.unlike = words(table, "unlike")?;
            made.unlike.extend(around(words(table, "lacks")?));
        }
        other => made.like = list(key, other)?,
    }
    if made.patterns().next().is_none() {
        return Err(format!("{key} is empty"));
    }
    let fault = made.patterns().find_map(pattern::fault);
    fault.map_or(Ok(made), |fault| Err(format!("{key}: {fault}")))
}

pub(super) fn known(table: &Toml, keys: &[&str], whose: &str) -> Said<()> {
    let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    let near = keys.iter().find(|known| is_near(key, known));
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    Err(format!("unknown key {key} of {whose}{near}"))
}

fn word(table: &Toml, key: &str) -> Said<Option<String>> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{key} is a text")),
    }
}

fn flag(table: &Toml, key: &str) -> Said<bool> {
    match table.get(key) {
        None => Ok(false),
        Some(Value::Boolean(flag)) => Ok(*flag),
        Some(_) => Err(format!("{key} is true or false")),
    }
}

fn words(table: &Toml, key: &str) -> Said<Vec<String>> {
    table.get(key).map_or_else(|| Ok(Vec::new()), |value| list(key, value))
}

fn list(key: &str, value: &Value) -> Said<Vec<String>> {
    let wrong = || format!("{key} is a text or a list of texts");
    match value {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(list) => {
            list.iter().map(|one| one.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        _ => Err(wrong()),
    }
}

fn pairs(table: &Toml, key: &str) -> Said<Vec<(String, String)>> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let wrong = || format!("{key} is a table of texts");
    let inner = value.as_table().ok_or_else(wrong)?;
    let one = |(from, to): (&String, &Value)| Ok((from.clone(), to.as_str().ok_or_else(wrong)?.to_owned()));
    inner.iter().map(one).collect()
}

/// One letter more, less or other, or two changed places.
fn is_near(given: &str, known: &str) -> bool {
    let (given, known): (Vec<char>, Vec<char>) = (given.chars().collect(), known.chars().collect());
    let same = given.iter().zip(&known).take_while(|(a, b)| a == b).count();
    let rest = |list: &[char], from: usize| list.get(from..).map(<[char]>::to_vec).unwrap_or_default();
    let (a, b) = (rest(&given, same), rest(&known, same));
    rest(&a, 1) == rest(&b, 1)
        || rest(&a, 1) == b
        || a == rest(&b, 1)
        || a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && a[2..] == b[2..]
}
