//! Databases: `shell/destroy-data`.

use model::{Event, Findings, Meta};
use shell::Call;

use super::words::only_looks;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/destroy-data",
    "a command that drops or empties a database",
    "\
Refuses `DROP DATABASE|TABLE|SCHEMA`, `TRUNCATE` and a `DELETE` or `UPDATE` of whole tables that reach a database client (by argument, here-document or pipe),
the programs that do the same (`dropdb`, `mysqladmin drop`), and the resets of frameworks (`prisma migrate reset`, `rails
db:drop`). Comments and string literals inside SQL do not count, nor does SQL that reaches no client: `grep 'DROP TABLE'`, a
migration file, a commit message.
",
    include_str!("destroy_data.toml"),
);

/// Programs that run the SQL they are given.
pub(super) const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "mycli",
    "pgcli",
    "litecli",
    "sqlcmd",
    "usql",
    "duckdb",
    "clickhouse-client",
    "clickhouse",
    "cockroach",
    "cqlsh",
    "snowsql",
    "bq",
    "isql",
    "osql",
    "sqlplus",
    "tsql",
    "vsql",
    "impala-shell",
    "hive",
    "beeline",
    "presto",
    "trino",
    "spark-sql",
    "athena",
    "turso",
    "wrangler",
    "mssql-cli",
    "influx",
    "tidb",
];

/// A program and the words that empty a database. All of them must be there.
const RESETS: &[(&str, &[&str])] = &[
    ("dropdb", &[]),
    ("dropuser", &[]),
    ("mysqladmin", &["drop"]),
    ("pg_dropcluster", &[]),
    ("prisma", &["migrate", "reset"]),
    ("prisma", &["db", "push", "--force-reset"]),
    ("rails", &["db:drop"]),
    ("rails", &["db:reset"]),
    ("rails", &["db:purge"]),
    ("rails", &["db:migrate:reset"]),
    ("rails", &["db:schema:load"]),
    ("rake", &["db:drop"]),
    ("rake", &["db:reset"]),
    ("rake", &["db:purge"]),
    ("artisan", &["migrate:fresh"]),
    ("artisan", &["migrate:reset"]),
    ("artisan", &["db:wipe"]),
    ("manage.py", &["flush"]),
    ("manage.py", &["reset_db"]),
    ("django-admin", &["flush"]),
    ("sequelize", &["db:drop"]),
    ("sequelize-cli", &["db:drop"]),
    ("typeorm", &["schema:drop"]),
    ("knex", &["migrate:rollback", "--all"]),
    ("alembic", &["downgrade", "base"]),
    ("flask", &["db", "downgrade", "base"]),
    ("mix", &["ecto.drop"]),
    ("mix", &["ecto.reset"]),
    ("supabase", &["db", "reset"]),
    ("diesel", &["database", "reset"]),
    ("diesel", &["database", "drop"]),
    ("sqlx", &["database", "drop"]),
    ("sqlx", &["database", "reset"]),
    ("dbmate", &["drop"]),
    ("goose", &["down-to", "0"]),
    ("goose", &["reset"]),
    ("neonctl", &["delete"]),
    ("turso", &["db", "destroy"]),
    ("migrate", &["drop"]),
    ("flyway", &["clean"]),
    ("liquibase", &["dropAll"]),
    ("liquibase", &["drop-all"]),
    ("hasura", &["metadata", "clear"]),
    ("drizzle-kit", &["drop"]),
    ("influx", &["delete"]),
    ("bq", &["rm"]),
    ("console", &["doctrine:database:drop"]),
    ("console", &["doctrine:schema:drop"]),
    ("cockroach", &["node", "decommission"]),
    ("curator_cli", &["delete_indices"]),
    ("kafka-topics", &["--delete"]),
    ("kafka-topics.sh", &["--delete"]),
    ("rabbitmqctl", &["reset"]),
    ("rabbitmqctl", &["force_reset"]),
    ("etcdctl", &["del", "--prefix"]),
    ("mongorestore", &["--drop"]),
    ("pg_restore", &["--clean"]),
    ("nodetool", &["decommission"]),
];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in &reading.calls {
            if let Some(what) = harm(call) {
                out.deny(META.id, format!("This would {what}."), "The data would be gone for good.")
                    .instead =
                    Some("Work on a copy, or write the migration and let the person run it.".into());
                return;
            }
        }
        // Inline code that talks to a database by itself.
        for (_, code) in &reading.inline {
            let bare = shell::without_texts(code);
            let talks = [
                "execute(",
                "query(",
                "cursor",
                ".exec(",
                "executescript",
                "->exec(",
                "->query(",
                "exec_driver_sql",
                "drop_all(",
                "dropDatabase",
                "deleteMany({})",
            ]
            .iter()
            .any(|word| bare.contains(word));
            let drops = literals(code).iter().find_map(|text| destructive_sql(text));
            let what = if bare.contains("dropDatabase(") || bare.contains("drop_all(") {
                Some("drop a database".to_owned())
            } else {
                drops
            };
            if let Some(what) = what.filter(|_| talks) {
                out.deny(META.id, format!("This would {what}."), "The data would be gone for good.")
                    .instead =
                    Some("Work on a copy, or write the migration and let the person run it.".into());
                return;
            }
        }
    }
}

fn harm(call: &Call) -> Option<String> {
    if only_looks(call) {
        return None;
    }
    let program = call.program();
    if CLIENTS.contains(&program) || (program == "heroku" && call.has("pg:psql")) {
        // `--command='…'` as well as `-c '…'`.
        let said = |text: &str| {
            text.strip_prefix("--")
                .and_then(|t| t.split_once('='))
                .map_or(text, |(_, value)| value)
                .to_owned()
        };
        let texts = call.texts().map(said).chain(call.stdin.as_deref().map(str::to_owned));
        if let Some(what) = texts
            .filter(|text| text.contains(' ') || text.contains('\n'))
            .find_map(|text| destructive_sql(&text))
        {
            return Some(what);
        }
    }
    if matches!(program, "mongo" | "mongosh") {
        let code: String = call.texts().chain(call.stdin.as_deref()).collect::<Vec<_>>().join("\n");
        if ["dropDatabase(", ".drop(", "deleteMany({})", "remove({})"].iter().any(|word| code.contains(word))
        {
            return Some("drop a database".into());
        }
    }
    let redis = matches!(program, "redis-cli" | "valkey-cli" | "keydb-cli");
    if redis
        && call.wrappers.contains(&"xargs")
        && call.texts().any(|t| matches!(t.to_ascii_uppercase().as_str(), "DEL" | "UNLINK"))
    {
        return Some("delete whatever keys are found".into());
    }
    // Code for the application's own console.
    let console = matches!(program, "rails" | "rake") && call.texts().any(|t| matches!(t, "runner" | "r"))
        || call.texts().any(|t| shell::path::name(t) == "manage.py") && call.has("shell")
        || call.has("tinker");
    if console
        && call.texts().any(|t| {
            [".delete_all", ".destroy_all", ".all().delete()", "::truncate()", ".truncate"]
                .iter()
                .any(|word| t.contains(word))
                || literals(t).iter().any(|text| destructive_sql(text).is_some())
        })
    {
        return Some("delete every row of a table".into());
    }
    if redis
        && call.texts().chain(call.stdin.as_deref()).any(|t| {
            t.to_ascii_uppercase().contains("FLUSHALL") || t.to_ascii_uppercase().contains("FLUSHDB")
        })
    {
        return Some("empty a Redis database".into());
    }
    if program == "curl"
        && super::words::value(call, &["-X", "--request"]).is_some_and(|m| m.eq_ignore_ascii_case("DELETE"))
        && call.texts().any(|t| t.contains(":9200"))
    {
        return Some("delete an index of Elasticsearch".into());
    }
    // `php artisan …`, `python manage.py …`, `bundle exec rails …`: the script is the program that counts.
    let words: Vec<&str> = call.texts().collect();
    let names = std::iter::once(program).chain(words.first().map(|w| shell::path::name(w)));
    for name in names {
        for (wanted, verbs) in RESETS {
            let says = |verb: &str| {
                words.iter().any(|w| {
                    w.strip_prefix(verb).is_some_and(|rest| {
                        rest.is_empty()
                            || rest.starts_with('[')
                            || (verb.contains(':') && rest.starts_with(':'))
                    })
                })
            };
            if name == *wanted && verbs.iter().all(|verb| says(verb)) {
                return Some(format!("empty a database ({})", call.line()));
            }
        }
    }
    None
}

/// The string literals of code in whatever language.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        found.extend(code.split(quote).skip(1).step_by(2).map(str::to_owned));
    }
    found
}

/// What SQL would destroy; comments and literals taken out first.
fn destructive_sql(sql: &str) -> Option<String> {
    let plain = without_literals(sql).to_ascii_uppercase();
    for statement in plain.split(';') {
        let words: Vec<&str> = statement
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"' | '`' | '\''))
            .filter(|w| !w.is_empty())
            .collect();
        for pair in words.windows(2) {
            match pair {
                [
                    "DROP",
                    kind @ ("DATABASE" | "TABLE" | "SCHEMA" | "TABLESPACE" | "KEYSPACE" | "COLLECTION"
                    | "USER" | "ROLE" | "OWNED" | "MATERIALIZED" | "VIEW" | "WAREHOUSE"),
                ] if *kind != "VIEW" && *kind != "MATERIALIZED" => {
                    return Some(format!("run DROP {kind}"));
                }
                ["TRUNCATE", _]
                    if words.first() == Some(&"TRUNCATE") || statement.contains("TRUNCATE TABLE") =>
                {
                    return Some("run TRUNCATE".into());
                }
                _ => {}
            }
        }
        let first = words.first().copied().unwrap_or_default();
        let narrowed =
            words.iter().position(|w| *w == "WHERE").is_some_and(|at| !is_always_true(&words[at + 1..]));
        if first == "ALTER"
            && words.windows(2).any(|pair| pair == ["DROP", "COLUMN"] || pair == ["DROP", "PARTITION"])
        {
            return Some("drop a column".into());
        }
        if first == "DELETE" && words.get(1) == Some(&"FROM") && !narrowed && words.len() >= 3 {
            return Some("delete every row of a table".into());
        }
        if first == "UPDATE" && words.contains(&"SET") && !narrowed {
            return Some("change every row of a table".into());
        }
        if first == "FLUSHALL" || first == "FLUSHDB" {
            return Some("empty a database".into());
        }
    }
    None
}

/// `WHERE true`, `WHERE 1=1`.
fn is_always_true(condition: &[&str]) -> bool {
    let text = condition.concat();
    matches!(text.as_str(), "TRUE" | "1=1" | "1" | "=")
}

fn without_literals(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut chars = sql.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                for c in chars.by_ref() {
                    if c == '\'' {
                        break;
                    }
                }
                out.push(' ');
            }
            '-' if chars.peek() == Some(&'-') => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
                out.push(' ');
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                out.push(' ');
            }
            c => out.push(c),
        }
    }
    out
}
