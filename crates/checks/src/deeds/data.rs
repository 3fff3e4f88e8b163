//! Statements for databases that a tool would run.

use model::deed::{Object, Verb};
use model::{Event, Findings, RuleId};

use crate::Context;
use crate::shell::destructive_sql;

/// Whether a statement only asks.
pub(super) fn verb(statement: &str) -> Verb {
    const ASKS: &[&str] =
        &["SELECT", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "PRAGMA", "MATCH", "VALUES", "LIST"];
    let first = statement.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let asks = ASKS.iter().any(|word| word.eq_ignore_ascii_case(first));
    // What asks may start something, or write a file, by a function.
    let only =
        || destructive_sql(statement).is_none() && starts(statement).is_none() && writes(statement).is_none();
    if asks && only() { Verb::Queries } else { Verb::Changes }
}

/// A program that a statement starts where the database runs.
fn starts(statement: &str) -> Option<String> {
    shell::sql::acts(statement).into_iter().find_map(|act| match act {
        shell::sql::Act::Runs(command) => Some(format!("run `{command}` where the database is")),
        _ => None,
    })
}

/// A file that it writes on the machine of the database, besides what lies there for a while.
fn writes(statement: &str) -> Option<String> {
    shell::sql::acts(statement).into_iter().find_map(|act| match act {
        shell::sql::Act::Writes(file) if file.starts_with('/') && !file.starts_with("/tmp/") => Some(file),
        _ => None,
    })
}

/// What `psql -c` gets, a statement in any argument gets.
pub(crate) fn data(rule: RuleId, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for deed in cx.deeds(event).iter().filter(|deed| deed.verb == Verb::Changes) {
        let what = match &deed.object {
            Object::Statement(text) => destructive_sql(text).or_else(|| starts(text)),
            Object::Thing(thing) => Some(format!("delete {thing}")),
            _ => None,
        };
        if let Some(what) = what {
            out.deny(rule, format!("This would {what}."), "The data would be gone for good.").instead =
                Some("Work on a copy, or write the migration and let the user run it.".into());
            return;
        }
        if let Object::Statement(text) = &deed.object
            && let Some(what) = crate::shell::grants(text)
        {
            out.ask(rule, format!("This would {what}."), "Whoever has that name can do anything there.");
        }
        if let Object::Statement(text) = &deed.object
            && let Some(file) = writes(text)
        {
            let what = format!("This would write {file} on the machine of the database.");
            out.ask(rule, what, "What runs or is served there may take it up.");
        }
    }
}
