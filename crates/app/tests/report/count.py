"""Counts a log with DuckDB, by the names that numbers have on the page: `count.py PROJECT FIRST_DAY FILE...`. Prints JSON."""

import json
import sys

import duckdb

project, first, files = sys.argv[1], sys.argv[2], sys.argv[3:]
database = duckdb.connect()
columns = {
    "time": "TIMESTAMP", "id": "VARCHAR", "session": "VARCHAR", "agent": "VARCHAR", "event": "VARCHAR", "tool": "VARCHAR", "call": "VARCHAR",
    "verdict": "VARCHAR", "rules": "VARCHAR[]", "micros": "BIGINT", "subject": "VARCHAR", "project": "VARCHAR", "allowed": "VARCHAR[]",
    "failures": "VARCHAR[]",
    "lint": "STRUCT(files VARCHAR[], open BIGINT, found STRUCT(linter VARCHAR, rule VARCHAR, file VARCHAR, line BIGINT)[])",
    "tests": "STRUCT(result VARCHAR)", "fixer": "STRUCT(tokens_in BIGINT, tokens_out BIGINT, microdollars BIGINT)",
}
database.execute("SET TimeZone = 'UTC'")
database.execute(
    "CREATE TABLE whole AS SELECT * FROM read_json(?, format = 'newline_delimited', columns = ?) WHERE project = ?",
    [files, columns, project],
)
# Work in the background has records, but nobody waits for it.
database.execute("CREATE VIEW every AS SELECT * FROM whole WHERE time >= TIMESTAMP '" + first + "'")
database.execute("CREATE VIEW log AS SELECT * FROM every WHERE event NOT LIKE 'task %'")
counts = {}


def ask(query):
    return database.execute(query).fetchall()


def put(name, value):
    counts[name] = int(value or 0)


def one(name, query):
    put(name, ask(query)[0][0])


one("calls", "SELECT count(*) FROM log")
one("sessions", "SELECT count(DISTINCT session) FROM log WHERE session <> ''")
one("waited", "SELECT sum(micros) FROM log")
one("failures", "SELECT count(*) FROM every WHERE len(failures) > 0")
for verdict in ("deny", "ask", "allow", "none"):
    one(f"verdict.{verdict}", f"SELECT count(*) FROM log WHERE verdict = '{verdict}'")
one("refused", "SELECT count(*) FROM log WHERE verdict = 'deny' AND event = 'PreToolUse'")
one("back", "SELECT count(*) FROM log WHERE verdict = 'deny' AND event <> 'PreToolUse'")
for rule, verdict, number in ask("SELECT r, verdict, count(*) FROM (SELECT unnest(rules) AS r, verdict FROM log) GROUP BY ALL"):
    put(f"rule.{rule}.{verdict}", number)
    put(f"right.{rule}.{verdict}", number)
for day, verdict, number in ask("SELECT strftime(time, '%Y-%m-%d'), verdict, count(*) FROM log GROUP BY ALL"):
    put(f"day.{day}.{verdict}", number)


def two_digits(micros):
    scale = 1
    while micros // scale >= 100:
        scale *= 10
    return (micros + scale // 2) // scale * scale


for event, number, micros, longest, *percentiles in ask(
    "SELECT event, count(*), sum(micros), max(micros), quantile_disc(micros, 0.50), quantile_disc(micros, 0.95), quantile_disc(micros, 0.99) FROM log GROUP BY event"
):
    for name, value in (("count", number), ("micros", micros), ("longest", longest)):
        put(f"event.{event}.{name}", value)
    for name, value in zip(("p50", "p95", "p99"), percentiles):
        put(f"event.{event}.{name}", min(two_digits(int(value)), int(longest)))
for session, number, deny, asked, micros in ask(
    "SELECT session, count(*), count(*) FILTER (verdict = 'deny'), count(*) FILTER (verdict = 'ask'), sum(micros) FROM whole WHERE event NOT LIKE 'task %' GROUP BY session"
):
    for name, value in (("calls", number), ("deny", deny), ("ask", asked), ("micros", micros)):
        put(f"session.{session}.{name}", value)
for name, result in (("tests.pass", "pass"), ("tests.fail", "fail")):
    one(name, f"SELECT count(*) FROM every WHERE tests.result = '{result}'")
one("tests", "SELECT count(*) FROM every WHERE tests IS NOT NULL")
one("fixer.runs", "SELECT count(*) FROM log WHERE fixer IS NOT NULL")
one("fixer.tokens", "SELECT sum(fixer.tokens_in + fixer.tokens_out) FROM log")
one("fixer.microdollars", "SELECT sum(fixer.microdollars) FROM log")

# What followed: by the call's name, and for a refusal by the same words in the same session.
asked = "(SELECT * FROM log WHERE event = 'PreToolUse' AND verdict = 'ask')"
ran = "(SELECT DISTINCT session, call FROM whole WHERE event IN ('PostToolUse', 'PostToolUseFailure'))"
ends = f"SELECT a.id AS id, min(w.id) AS stop FROM {asked} a JOIN whole w ON w.session = a.session AND w.id > a.id AND w.event IN ('UserPromptSubmit', 'Stop', 'SessionEnd') GROUP BY a.id"
tells = "SELECT agent, min(id) AS first FROM whole WHERE event IN ('PostToolUse', 'PostToolUseFailure') GROUP BY agent"
followed = {
    "approved": f"SELECT a.rules FROM {asked} a JOIN {ran} r USING (session, call)",
    # An agent that has never said that a call ran says nothing by its silence.
    "refused": f"SELECT a.rules FROM {asked} a JOIN ({ends}) e ON e.id = a.id JOIN ({tells}) t ON t.agent = a.agent AND t.first < e.stop"
    f" WHERE NOT EXISTS (SELECT 1 FROM {ran} r WHERE r.session = a.session AND r.call = a.call)",
    "allowed": "SELECT d.rules FROM log d WHERE d.event = 'PreToolUse' AND d.verdict = 'deny' AND EXISTS (SELECT 1 FROM whole w WHERE w.session = d.session"
    " AND w.tool = d.tool AND w.subject = d.subject AND w.id > d.id AND w.event = 'PreToolUse' AND len(w.allowed) > 0)",
}
for name, query in followed.items():
    one(f"then.{name}", f"SELECT count(*) FROM ({query})")
    for rule, number in ask(f"SELECT r, count(*) FROM (SELECT unnest(rules) AS r FROM ({query})) GROUP BY ALL"):
        put(f"right.{rule}.{name}", number)

# A finding counts as found at the first look that has it, and as fixed at the next look without it; edits and stops look by themselves.
looks = """
WITH looks AS (SELECT id, event, f AS file, lint.found AS found FROM (SELECT id, event, lint, unnest(lint.files) AS f FROM whole WHERE lint IS NOT NULL AND event NOT LIKE 'task %')),
pairs AS (SELECT id, file, found, lag(found) OVER (PARTITION BY event, file ORDER BY id) AS before FROM looks),
was AS (SELECT id, file, b.linter AS linter, b.rule AS rule, count(*) AS n FROM (SELECT id, file, unnest(before) AS b FROM pairs) WHERE b.file = file GROUP BY ALL),
now AS (SELECT id, file, b.linter AS linter, b.rule AS rule, count(*) AS n FROM (SELECT id, file, unnest(found) AS b FROM pairs) WHERE b.file = file GROUP BY ALL)
"""
one("fixed", looks + "SELECT sum(greatest(0, was.n - coalesce(now.n, 0))) FROM was LEFT JOIN now USING (id, file, linter, rule)")
new = "SELECT linter, rule, file, sum(greatest(0, now.n - coalesce(was.n, 0))) FROM now LEFT JOIN was USING (id, file, linter, rule) GROUP BY ALL"
counts["found"] = 0
for linter, rule, file, number in ask(looks + new):
    for name in (f"finding.{linter} {rule}", f"file.{file}", "found"):
        counts[name] = counts.get(name, 0) + int(number)
print(json.dumps(counts))
