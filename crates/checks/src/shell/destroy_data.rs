//! Databases: `shell/destroy-data`.

use model::{Event, Findings, Meta};
use shell::Call;

use super::words::{only_looks, operands, value};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/destroy-data",
    "a command that drops or empties a database",
    "\
Refuses `DROP DATABASE|TABLE|SCHEMA`, `TRUNCATE` and a `DELETE` or `UPDATE` of whole tables that reach a database client (by argument, here-document or pipe),
the programs that do the same (`dropdb`, `mysqladmin drop`), the resets of frameworks (`prisma migrate reset`, `rails
db:drop`), and what empties other stores and queues. A database of tests (`RAILS_ENV=test`, `sqlite3 :memory:`) is nobody's business.
Comments and string literals inside SQL do not count, nor does SQL that reaches no client: `grep 'DROP TABLE'`, a
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
    "prisma",
    "cypher-shell",
    "ysqlsh",
    "sqlline",
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
    ("nodetool", &["clearsnapshot"]),
    // Frameworks: all tables gone and made again, or data given up for a schema.
    ("ace", &["db:wipe"]),
    ("ace", &["migration:fresh"]),
    ("ace", &["migration:refresh"]),
    ("ace", &["migration:reset"]),
    ("artisan", &["migrate:refresh"]),
    ("atlas", &["schema", "clean"]),
    ("aerich", &["downgrade", "-v", "0"]),
    ("console", &["doctrine:mongodb:schema:drop"]),
    ("dotnet", &["ef", "database", "drop"]),
    ("dotnet", &["ef", "database", "update", "0"]),
    ("dotnet-ef", &["database", "drop"]),
    ("dotnet-ef", &["database", "update", "0"]),
    ("drizzle-kit", &["push", "--force"]),
    ("drush", &["site-install"]),
    ("drush", &["site:install"]),
    ("drush", &["sql-drop"]),
    ("drush", &["sql:drop"]),
    ("gradle", &["flywayClean"]),
    ("gradle", &["dropAll"]),
    ("gradlew", &["flywayClean"]),
    ("gradlew", &["dropAll"]),
    ("magento", &["setup:uninstall"]),
    ("manage.py", &["migrate", "zero"]),
    ("django-admin", &["migrate", "zero"]),
    ("mikro-orm", &["migration:fresh"]),
    ("mikro-orm", &["schema:drop"]),
    ("mikro-orm", &["schema:fresh"]),
    ("mix", &["ecto.rollback", "--all"]),
    ("mvn", &["flyway:clean"]),
    ("mvn", &["liquibase:dropAll"]),
    ("mvnw", &["flyway:clean"]),
    ("mvnw", &["liquibase:dropAll"]),
    ("migrate", &["down", "-all"]),
    ("payload", &["migrate:fresh"]),
    ("payload", &["migrate:reset"]),
    ("phinx", &["rollback", "-t", "0"]),
    ("prisma", &["db", "push", "--accept-data-loss"]),
    ("rails", &["db:truncate_all"]),
    ("rails", &["db:seed:replant"]),
    ("rake", &["db:migrate:reset"]),
    ("rake", &["db:schema:load"]),
    ("rake", &["db:truncate_all"]),
    ("sea-orm-cli", &["migrate", "fresh"]),
    ("sea-orm-cli", &["migrate", "refresh"]),
    ("sea-orm-cli", &["migrate", "reset"]),
    ("sequelize", &["db:migrate:undo:all"]),
    ("sequelize-cli", &["db:migrate:undo:all"]),
    ("spark", &["migrate:refresh"]),
    ("sqitch", &["revert"]),
    ("typeorm-ts-node-commonjs", &["schema:drop"]),
    ("typeorm-ts-node-esm", &["schema:drop"]),
    ("wp", &["db", "clean"]),
    ("wp", &["db", "drop"]),
    ("wp", &["db", "reset"]),
    ("wp", &["site", "empty"]),
    ("yii", &["migrate/fresh"]),
    // Clients of other stores, and of queues.
    ("barman", &["delete"]),
    ("couchbase-cli", &["bucket-delete"]),
    ("couchbase-cli", &["bucket-flush"]),
    ("etcdctl", &["del", "--from-key"]),
    ("hadoop", &["-rm", "-r"]),
    ("hdfs", &["-rm", "-r"]),
    ("hdfs", &["-format"]),
    ("kafka-delete-records", &[]),
    ("kafka-delete-records.sh", &[]),
    ("nats", &["stream", "purge"]),
    ("nats", &["stream", "rm"]),
    ("neo4j-admin", &["database", "drop"]),
    ("pg_restore", &["-c"]),
    ("pgbackrest", &["stanza-delete"]),
    ("pg_resetwal", &["-f"]),
    ("pulsar-admin", &["delete"]),
    ("rabbitmqadmin", &["delete"]),
    ("rabbitmqadmin", &["purge"]),
    ("rabbitmqctl", &["delete_queue"]),
    ("rabbitmqctl", &["delete_vhost"]),
    ("rabbitmqctl", &["purge_queue"]),
    ("zkCli.sh", &["deleteall"]),
];

/// Variables that say which of its databases a framework works on.
const ENVIRONMENTS: &[&str] = &["RAILS_ENV", "RACK_ENV", "APP_ENV", "MIX_ENV", "NODE_ENV", "FLASK_ENV"];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        // What empties every table, printed, on its way to the database.
        let flushes = reading.calls.iter().any(|call| django(call, "sqlflush"));
        for call in &reading.calls {
            let flushed = (flushes && django(call, "dbshell") && call.stdin.is_some())
                .then(|| "empty every table".to_owned());
            if let Some(what) = flushed.or_else(|| harm(call)) {
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
                "drop_database(",
                "flushall(",
                "flushAll(",
                "flushdb(",
                "flushDb(",
            ]
            .iter()
            .any(|word| bare.contains(word));
            let drops = literals(code).iter().find_map(|text| destructive_sql(text));
            let empties = [
                "dropDatabase(",
                "drop_all(",
                "drop_database(",
                "flushall(",
                "flushAll(",
                "flushdb(",
                "flushDb(",
            ];
            let what = if empties.iter().any(|word| bare.contains(word)) {
                Some("drop a database".to_owned())
            } else {
                drops
            };
            if let Some(what) = what.filter(|_| talks && !code.contains(":memory:")) {
                out.deny(META.id, format!("This would {what}."), "The data would be gone for good.")
                    .instead =
                    Some("Work on a copy, or write the migration and let the person run it.".into());
                return;
            }
        }
    }
}

/// `python manage.py WORD`, `django-admin WORD`.
fn django(call: &Call, word: &str) -> bool {
    (matches!(call.program(), "manage.py" | "django-admin")
        || call.args().first().is_some_and(|arg| shell::path::name(&arg.text) == "manage.py"))
        && call.has(word)
}

/// A database that the tests make for themselves, or that is gone when the program ends.
fn is_throwaway(call: &Call) -> bool {
    let tests = |name: &str| matches!(name, "test" | "testing" | "tests");
    let said = call.texts().filter_map(|t| t.split_once('='));
    let set = call.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let environment = set.chain(said).filter(|(name, _)| ENVIRONMENTS.contains(name)).last();
    let settings = call.var("DJANGO_SETTINGS_MODULE").or_else(|| value(call, &["--settings"]));
    let address = call.var("DATABASE_URL").map(|url| url.split('?').next().unwrap_or(url));
    let file = |path: &str| path == ":memory:" || super::place::is_temporary(path);
    environment.is_some_and(|(_, value)| tests(value))
        || value(call, &["--env"]).is_some_and(tests)
        || settings.is_some_and(|name| name.rsplit(['.', '_']).next().is_some_and(tests))
        || address.is_some_and(|url| {
            let name = url.rsplit('/').next().unwrap_or(url);
            url.ends_with(":memory:") || name.split(['_', '-', '.']).any(tests)
        })
        || match call.program() {
            "sqlite" | "sqlite3" => {
                operands(call.args(), &["-cmd"]).first().is_some_and(|arg| file(&arg.text))
            }
            // Without a file it works in memory.
            "duckdb" => operands(call.args(), &["-c", "-s", "-cmd", "-init"])
                .first()
                .is_none_or(|arg| file(&arg.text)),
            "wrangler" => call.has("--local"),
            _ => false,
        }
}

fn harm(call: &Call) -> Option<String> {
    if only_looks(call) || is_throwaway(call) {
        return None;
    }
    let program = call.program();
    if CLIENTS.contains(&program)
        || (program == "heroku" && call.has("pg:psql"))
        || (program == "wp" && call.has("query"))
        || (program == "drush"
            && call.texts().any(|t| matches!(t, "sql-query" | "sql:query" | "sqlq" | "sql-cli" | "sql:cli")))
        || django(call, "dbshell")
        || (matches!(program, "rails" | "console")
            && call.texts().any(|t| matches!(t, "dbconsole" | "db" | "dbal:run-sql" | "doctrine:query:sql")))
    {
        // `--command='…'` and `-Atc'…'` as well as `-c '…'`; the last of the letters is the one with a value.
        let said = |text: &str| {
            let long = || text.strip_prefix("--").and_then(|t| t.split_once('=')).map(|(_, value)| value);
            let glued = || {
                let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
                let end = letters.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(letters.len());
                let at =
                    letters[..end.min(4)].rfind(['e', 'c', 'q']).or_else(|| letters.find(['e', 'c', 'Q']));
                at.filter(|&at| at < 4).map(|at| &letters[at + 1..])
            };
            long().or_else(glued).unwrap_or(text).to_owned()
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
    let flushes = |text: &str| {
        let text = text.to_ascii_uppercase();
        text.contains("FLUSHALL") || text.contains("FLUSHDB")
    };
    // The first word is what is done; what comes after is data, unless it is a script.
    let command = || {
        let mut words =
            operands(call.args(), &["-h", "-p", "-a", "-n", "-u", "-s", "--user", "--pass"]).into_iter();
        let first = words.next().map(|arg| arg.text.as_str()).unwrap_or_default();
        let script = first.eq_ignore_ascii_case("eval") || call.has("--eval");
        flushes(first) || script && call.texts().any(flushes)
    };
    if redis && (command() || call.stdin.as_deref().is_some_and(flushes)) {
        return Some("empty a Redis database".into());
    }
    if matches!(program, "curl" | "http" | "xh" | "https")
        && (value(call, &["-X", "--request"]).is_some_and(|m| m.eq_ignore_ascii_case("DELETE"))
            || call.texts().any(|t| t.eq_ignore_ascii_case("-XDELETE"))
            || program != "curl" && call.has("DELETE"))
        && call.texts().any(is_store)
    {
        return Some("delete data of a database by its address".into());
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

/// An address of a store or a queue that is spoken to over HTTP, by its port.
fn is_store(address: &str) -> bool {
    const PORTS: &[&str] = &[":9200", ":5984", ":8086", ":6333", ":7700", ":8983", ":15672"];
    PORTS.iter().any(|port| {
        address.split_once(port).is_some_and(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
    })
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
                ] if *kind != "VIEW" && *kind != "MATERIALIZED" && !is_temporary_table(&plain, &words) => {
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
        // Cypher: every node, or every one of a kind.
        if words.contains(&"MATCH") && words.contains(&"DELETE") && !narrowed {
            return Some("delete every node of a graph".into());
        }
        if first == "FLUSHALL" || first == "FLUSHDB" {
            return Some("empty a database".into());
        }
    }
    None
}

/// `DROP TABLE x` of what the same text has made for itself.
fn is_temporary_table(sql: &str, statement: &[&str]) -> bool {
    let Some(name) = statement.last().filter(|_| statement.contains(&"TABLE")) else { return false };
    ["CREATE TEMP TABLE", "CREATE TEMPORARY TABLE"].iter().any(|made| {
        sql.match_indices(made).any(|(at, _)| {
            let rest = sql[at + made.len()..].trim_start();
            let rest = rest.strip_prefix("IF NOT EXISTS").unwrap_or(rest).trim_start();
            rest.split(|c: char| c.is_whitespace() || matches!(c, '(' | ';')).next() == Some(name)
        })
    })
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
