//! Databases: `shell/destroy-data`.

use model::deed::{Object, Place, Verb};
use model::{Event, Findings, Meta};
use shell::Call;
use shell::sql::{Act, acts};

use super::words::value;
use crate::{Check, Context};

static META: Meta = super::guard_on(
    super::BEFORE_ANY,
    "shell/destroy-data",
    "a command or a statement that drops or empties a database",
    "\
Refuses `DROP DATABASE|TABLE|SCHEMA`, `TRUNCATE` and a `DELETE` or `UPDATE` of whole tables that reach a database client (by argument, here-document or pipe),
the programs that do the same (`dropdb`, `mysqladmin drop`), the resets of frameworks (`prisma migrate reset`, `rails
db:drop`), and what empties other stores and queues. Where it is on this machine beyond doubt (`-h localhost`, a socket, a file), or has a
name that ends in `_test` or `_dev`, it is a question to the user, if somebody is there to answer. A database of tests (`RAILS_ENV=test`,
`sqlite3 :memory:`) is nobody's business. Text that a statement puts together from constants and runs is read as far as they go.
Comments and string literals inside SQL do not count, nor does SQL that reaches no client: `grep 'DROP TABLE'`, a
migration file, a commit message. A statement in any argument of a server's tool is judged as one that reaches a client.
",
    include_str!("destroy_data.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::data(META.id, event, cx, out);
    let Some(reading) = cx.reading(event) else { return };
    for call in reading.calls.iter().filter(|call| !call.only_looks()) {
        if let Some((what, local)) = harm(call) {
            let (what, why) = (format!("This would {what}."), "The data would be gone for good.");
            let asks = local && cx.may_ask(event);
            if asks { out.ask(META.id, what, why) } else { out.deny(META.id, what, why) }.instead =
                Some("Work on a copy, or write the migration and let the user run it.".into());
        }
    }
    let granted = reading.calls.iter().flat_map(|call| &call.deeds).find(|deed| {
        deed.verb == Verb::Permits && deed.place != Place::Here && matches!(deed.object, Object::Statement(_))
    });
    if let Some(what) = granted.and_then(|deed| grants(deed.object.text())) {
        out.ask(META.id, format!("This would {what}."), "Whoever has that name can do anything there.");
    }
    // Inline code that talks to a database by itself.
    for (_, code) in &reading.inline {
        if let Some(what) = empties(code).filter(|_| !code.contains(":memory:")) {
            out.deny(META.id, format!("This would {what}."), "The data would be gone for good.").instead =
                Some("Work on a copy, or write the migration and let the user run it.".into());
            return;
        }
    }
}

/// What a call would do to a database, and whether that is on this machine or made for tests.
fn harm(call: &Call) -> Option<(String, bool)> {
    if deletes_by_address(call) {
        return Some(("delete data of a database by its address".into(), false));
    }
    let lost = call.deeds.iter().filter_map(|deed| {
        let local = deed.place == Place::Here;
        match (deed.verb, &deed.object) {
            (Verb::Destroys, Object::Statement(text)) => Some((destructive_sql(text)?, local)),
            (Verb::Empties, Object::Thing(_)) => Some((format!("empty a database ({})", call.line()), local)),
            _ => None,
        }
    });
    // What is not local counts.
    lost.min_by_key(|(_, local)| *local)
}

/// The rights that statements give away, in words.
pub(crate) fn grants(sql: &str) -> Option<String> {
    acts(sql).into_iter().find_map(|act| if let Act::Grants(what) = act { Some(what) } else { None })
}

/// What statements would destroy, in words.
pub(crate) fn destructive_sql(sql: &str) -> Option<String> {
    acts(sql).into_iter().find_map(|act| if let Act::Destroys { what, .. } = act { Some(what) } else { None })
}

/// A store or a queue that is spoken to over HTTP, by its port, and told to delete.
fn deletes_by_address(call: &Call) -> bool {
    const PORTS: &[&str] = &[":9200", ":5984", ":8086", ":6333", ":7700", ":8983", ":15672"];
    let is_store = |address: &str| {
        PORTS.iter().any(|port| {
            address.split_once(port).is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    let method =
        value(call, &["-X", "--request", "--method"]).or(call.args().first().map(|arg| arg.text.as_str()));
    let deletes = method.is_some_and(|method| method.eq_ignore_ascii_case("DELETE"));
    let all = |text: &str| text.contains("/_delete_by_query");
    // Words for a store, sent to it as they are.
    let told = |text: &str| {
        text.lines().any(|line| matches!(line.trim().to_ascii_uppercase().as_str(), "FLUSHALL" | "FLUSHDB"))
    };
    let speaks = call.words().entry.is_some_and(|entry| entry.style.network) && call.words().stake.is_none();
    (deletes || call.texts().any(all)) && call.texts().any(is_store)
        || speaks && call.stdin.as_deref().is_some_and(told)
}

/// Code that empties a database, by the calls that libraries have for it or by statements that it sends.
fn empties(code: &str) -> Option<String> {
    const EMPTY: &[&str] = &[
        "dropDatabase(",
        "drop_all(",
        "drop_database(",
        "flushall(",
        "flushAll(",
        "flushdb(",
        "flushDb(",
        "deleteMany({})",
        "deleteMany()",
        "remove({})",
        "delete_many({})",
    ];
    const TALK: &[&str] = &[
        "execute(",
        "query(",
        "cursor",
        ".exec(",
        "executescript",
        "->exec(",
        "->query(",
        "exec_driver_sql",
        "prepare(",
    ];
    let bare: String = shell::without_texts(code).split_whitespace().collect();
    let drops = bare.contains("db.") && bare.contains(".drop(");
    if drops || EMPTY.iter().any(|word| bare.contains(word)) {
        return Some("drop a database".into());
    }
    if !TALK.iter().any(|word| bare.contains(word)) {
        return None;
    }
    literals(code).iter().find_map(|text| destructive_sql(text))
}

/// The string literals of code in whatever language.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        found.extend(code.split(quote).skip(1).step_by(2).map(str::to_owned));
    }
    found
}
