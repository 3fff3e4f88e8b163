//! The cases of a rule: what it promises. A text is a command; a table is whatever else happens, in the words of the case files of checks.

use model::rule::Then;
use model::{Config, Event};
use toml::Value;

use crate::imagined::{PROJECT, Table, from_table, shell_event};

/// One thing that happens, and what the rule says to it.
#[derive(Debug)]
pub struct Case {
    /// `None`: nothing.
    pub expect: Option<Then>,
    /// For people.
    pub title: String,
    pub event: Event,
    pub table: Table,
    pub config: Config,
    /// The command, where it is nothing but one.
    pub command: Option<String>,
}

/// `cases = { deny = ["…", { file = "…", content = "…" }], none = ["…"] }`
pub(super) fn parse(value: &Value) -> Result<Vec<Case>, String> {
    let table = value.as_table().ok_or("cases is a table: { deny = [\"…\"], none = [\"…\"] }")?;
    let mut found = Vec::new();
    for (key, value) in table {
        let expect = match key.as_str() {
            "none" => None,
            other => Some(Then::ALL.into_iter().find(|then| then.as_str() == other).ok_or_else(|| {
                format!("cases.{other} is not known: deny, ask, allow, warn, context, rewrite or none")
            })?),
        };
        let list = value.as_array().ok_or_else(|| format!("cases.{key} is a list"))?;
        for one in list {
            found.push(case(expect, one).map_err(|error| format!("cases.{key}: {error}"))?);
        }
    }
    Ok(found)
}

fn case(expect: Option<Then>, value: &Value) -> Result<Case, String> {
    match value {
        Value::String(command) => Ok(Case {
            expect,
            title: command.clone(),
            event: shell_event(command),
            table: Table::default(),
            config: Config::default(),
            command: Some(command.clone()),
        }),
        Value::Table(table) => {
            let mut table = table.clone();
            let cwd = table.remove("cwd");
            let (mut event, facts, config, title) = from_table(&table)?;
            if let Some(cwd) = &cwd {
                let cwd = cwd.as_str().ok_or("cwd is a text")?;
                event.cwd = Some(model::path::absolute(cwd.as_ref(), PROJECT.as_ref(), None));
            }
            let command = table.get("command").and_then(Value::as_str).map(str::to_owned);
            Ok(Case { expect, title, event, table: facts, config, command })
        }
        _ => Err("a case is a command or a table".to_owned()),
    }
}
