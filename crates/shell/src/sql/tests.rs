//! What statements do, and what they do not.

use super::*;

fn destroyed(text: &str) -> Vec<String> {
    let what = |act| if let Act::Destroys { what, .. } = act { Some(what) } else { None };
    acts(text).into_iter().filter_map(what).collect()
}

#[test]
fn what_is_destroyed() {
    for (text, what) in [
        ("DROP TABLE users", "run DROP TABLE"),
        ("drop\n table if exists users cascade;", "run DROP TABLE"),
        ("/* x */ DROP /* y */ SCHEMA public", "run DROP SCHEMA"),
        ("BEGIN; DROP TABLE a; COMMIT", "run DROP TABLE"),
        ("TRUNCATE users", "run TRUNCATE"),
        ("SELECT 1; truncate table a, b", "run TRUNCATE"),
        ("DELETE FROM users", "delete every row of a table"),
        ("DELETE FROM users WHERE 1=1", "delete every row of a table"),
        ("delete from users where 'a'='a' -- x", "delete every row of a table"),
        ("DELETE FROM users WHERE id = 1 OR true", "delete every row of a table"),
        ("DELETE FROM users WHERE id > 0", "delete every row of a table"),
        ("DELETE FROM users WHERE name LIKE '%'", "delete every row of a table"),
        ("DELETE users", "delete every row of a table"),
        (
            "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone WHERE id = 1",
            "delete every row of a table",
        ),
        ("EXPLAIN ANALYZE DELETE FROM users", "delete every row of a table"),
        ("UPDATE users SET role='admin'", "change every row of a table"),
        ("ALTER TABLE users DROP COLUMN email", "drop a column"),
        ("ALTER TABLE users DROP email", "drop a column"),
        ("MATCH (n) DETACH DELETE n", "delete every node of a graph"),
        ("CREATE OR REPLACE TABLE t AS SELECT 1", "replace a table"),
        ("DO $$ BEGIN EXECUTE 'DR' || 'OP TABLE users'; END $$", "run DROP TABLE"),
        ("DO $x$ DECLARE s text := 'TRUNC'; BEGIN EXECUTE s || 'ATE users'; END $x$;", "run TRUNCATE"),
        (
            "DO $$ DECLARE r record; BEGIN FOR r IN SELECT tablename FROM pg_tables LOOP EXECUTE 'DROP TABLE ' || quote_ident(r.tablename); END LOOP; END $$",
            "run DROP TABLE",
        ),
        ("EXEC('DROP TABLE dbo.users')", "run DROP TABLE"),
        ("EXEC sp_executesql N'TRUNCATE TABLE users'", "run TRUNCATE"),
        ("DECLARE @s nvarchar(max) = 'DROP ' + 'TABLE users'; EXEC(@s)", "run DROP TABLE"),
        ("SET @s = CONCAT('DR', 'OP TABLE ', 'users'); PREPARE p FROM @s; EXECUTE p", "run DROP TABLE"),
        ("EXECUTE IMMEDIATE 'drop user app cascade'", "run DROP USER"),
        ("SELECT format('DROP TABLE %I', tablename) FROM pg_tables \\gexec", "run DROP TABLE"),
        ("EXECUTE chr(68)||'ROP TABLE x'", "run DROP TABLE"),
        ("EXECUTE reverse('x ELBAT PORD')", "run DROP TABLE"),
        (
            "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE users $$ LANGUAGE sql; SELECT f();",
            "run DROP TABLE",
        ),
        ("/*!50000 DROP TABLE users */", "run DROP TABLE"),
        ("DROP DATABASE app_test", "run DROP DATABASE"),
    ] {
        assert_eq!(destroyed(text), [what], "{text}");
    }
}

#[test]
fn what_is_not() {
    for text in [
        "SELECT * FROM orders WHERE note = 'DROP TABLE orders'",
        "EXPLAIN DELETE FROM users",
        "SELECT 1 -- DROP TABLE users",
        "DELETE FROM t WHERE id=1",
        "DELETE FROM t WHERE created_at < now() - interval '30 days'",
        "UPDATE t SET a = 1 WHERE id IN (1, 2)",
        "INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = 2",
        "SELECT * FROM t FOR UPDATE",
        "CREATE TABLE t (a int REFERENCES b ON DELETE CASCADE)",
        "CREATE TEMP TABLE x(a int); DROP TABLE x",
        "create table t(a); drop table t",
        "DROP INDEX i; DROP VIEW v; ALTER TABLE t DROP CONSTRAINT c; ALTER TABLE t ALTER a DROP DEFAULT",
        "GRANT DELETE ON t TO app",
        "BEGIN; DELETE FROM t; ROLLBACK;",
        "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE users $$ LANGUAGE sql",
        "CREATE TRIGGER t BEFORE DELETE ON x EXECUTE FUNCTION f()",
        "SELECT truncate(1.5, 1)",
        "DELETE FROM t LIMIT 10",
        "SELECT \"drop\" FROM t; SELECT dropped FROM t",
        "MATCH (n:Person {id: 1}) DETACH DELETE n",
        "\\dt",
        "PREPARE p AS SELECT * FROM t WHERE id = $1; EXECUTE p(1)",
        "COPY t FROM STDIN",
    ] {
        assert!(destroyed(text).is_empty(), "{text}: {:?}", acts(text));
    }
    assert_eq!(acts("SELECT 1"), [Act::Queries]);
    assert_eq!(acts("INSERT INTO t VALUES (1)"), [Act::Changes]);
    assert!(matches!(acts("DROP DATABASE app_test")[..], [Act::Destroys { for_tests: true, .. }]));
    assert!(matches!(acts("DROP DATABASE app")[..], [Act::Destroys { for_tests: false, .. }]));
}

#[test]
fn a_script_may_make_its_tables_anew() {
    let dump = "DROP TABLE IF EXISTS a; CREATE TABLE a (id int); DROP TABLE IF EXISTS public.b; CREATE TABLE public.b (id int);";
    assert_eq!(acts_of_script(dump), [Act::Changes]);
    assert!(!destroyed(dump).is_empty());
    let gone = acts_of_script("DROP TABLE a; CREATE TABLE b (id int)");
    assert!(gone.iter().any(|act| matches!(act, Act::Destroys { .. })), "{gone:?}");
}

#[test]
fn files_and_commands() {
    assert!(acts("COPY t TO PROGRAM 'curl x'").contains(&Act::Runs("curl x".into())));
    assert!(acts("\\! rm -rf ~").contains(&Act::Runs("rm -rf ~".into())));
    assert!(acts(".shell rm x\nSELECT 1").contains(&Act::Runs("rm x".into())));
    assert!(acts("SELECT writefile('/etc/x', 'y')").contains(&Act::Writes("/etc/x".into())));
    assert!(acts("SELECT 1 INTO OUTFILE '/tmp/x'").contains(&Act::Writes("/tmp/x".into())));
    assert!(acts("SELECT pg_read_file('/etc/passwd')").contains(&Act::Reads("/etc/passwd".into())));
    assert!(acts("EXEC xp_cmdshell 'whoami /x'").contains(&Act::Runs("whoami /x".into())));
    assert!(acts("\\o |sh").contains(&Act::Runs("sh".into())));
}

#[test]
fn hostile_texts_end() {
    acts(&"EXECUTE '".repeat(5000));
    acts(&"(".repeat(50_000));
    acts(&"$a$".repeat(5000));
    acts("DO $$ DO $x$ DO $y$ DO $z$ DO $w$ DROP TABLE t $w$ $z$ $y$ $x$ $$");
}
