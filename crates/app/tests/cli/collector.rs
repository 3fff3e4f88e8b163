//! What is sent, read by others: the official messages in Python, a collector, and a store that answers queries.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::needs::missing;
use crate::receiver::Receiver;
use crate::world::{World, write};

const DECODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/otlp/decode.py");

/// A file that `scripts/test` has put there.
fn tool(need: &str, variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file());
    if path.is_none() {
        missing(need, &format!("{variable} names no file"));
    }
    path
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

fn sends_to(base: &str) -> World {
    let world = World::new().with_user_config(&format!(r#"{{"telemetry": {{"endpoint": "{base}"}}}}"#));
    world.run(&["telemetry", "--send"]).succeeds();
    world
}

/// Records of every kind, as hooks would write them.
fn records(world: &World, count: u64) {
    let mut lines = String::new();
    for number in 0..count {
        let (verdict, rules) = match number % 4 {
            0 => ("deny", json!(["shell/destroy-files", "acme/ünïcode"])),
            1 => ("ask", json!(["shell/package-manager"])),
            2 => ("allow", json!(["autonomy/auto-approve"])),
            _ => ("none", json!([])),
        };
        let mut line = json!({
            "v": 2, "time": "2026-01-04T19:48:11Z", "id": format!("{:016x}-1", 1_767_556_091_000_000_000 + number),
            "agent": "claude-code", "session": "s1", "prompt": "p1", "event": "PreToolUse", "tool": "Bash", "call": format!("t{number}"),
            "verdict": verdict, "rules": rules, "micros": 100 * number, "subject": "hush", "project": "/p", "policy": "abc",
        });
        if number % 10 == 0 {
            line["fixer"] = json!({"model": "small", "tokens_in": 10, "tokens_out": 3, "microdollars": 1500});
            line["lint"] = json!({"open": 1, "found": [{"linter": "ruff", "rule": "F821", "file": "hush.py", "line": 1}]});
            line["tests"] = json!({"result": "pass", "failures": 0});
            line["failures"] = json!(["hush"]);
        }
        writeln!(lines, "{line}").unwrap();
    }
    let file = world.state().join("log.jsonl");
    let before = if file.is_file() { read(&file) } else { String::new() };
    write(&file, &(before + &lines));
}

fn decode(python: &Path, files: &[PathBuf]) -> Json {
    let done = Command::new(python).arg(DECODER).args(files).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn the_official_messages_read_every_request() {
    let Some(python) = tool("otlp", "PLIMSOLL_TEST_OTLP_PYTHON") else { return };
    let receiver = Receiver::new();
    let world = sends_to(&receiver.base);
    // More than one request holds.
    records(&world, 1200);
    world.run(&["telemetry", "--send"]).succeeds().says(&["1,200 records sent"]);
    world.tool("PreToolUse", "Bash", &json!({"command": "ls"}));
    world.run(&["telemetry", "--send"]).succeeds();
    let mut files = Vec::new();
    for (kind, path) in [("logs", "/v1/logs"), ("metrics", "/v1/metrics")] {
        for (number, body) in receiver.took(path).iter().enumerate() {
            let file = world.base().join(format!("{kind}{number}"));
            std::fs::write(&file, body).unwrap();
            assert!(!String::from_utf8_lossy(body).contains("hush"));
            files.push(file);
        }
    }
    assert_eq!(files.len(), 4 + 2, "{files:?}");
    let read = decode(&python, &files);
    let all = read["records"].as_array().unwrap();
    let ids: BTreeSet<&str> = all.iter().map(|one| one["plimsoll.record.id"].as_str().unwrap()).collect();
    assert_eq!((all.len(), ids.len()), (1201, 1201));
    for (key, value) in [
        ("gen_ai.tool.name", json!("Bash")),
        ("gen_ai.tool.call.id", json!("t4")),
        ("gen_ai.conversation.id", json!("s1")),
        ("session.id", json!("s1")),
        ("prompt.id", json!("p1")),
        ("plimsoll.rules", json!(["shell/destroy-files", "acme/ünïcode"])),
        ("plimsoll.duration_us", json!(400)),
        ("plimsoll.policy.commit", json!("abc")),
        ("severity", json!("WARN")),
    ] {
        assert_eq!(all[4][key], value, "{}", all[4]);
    }
    assert_eq!(read["resources"][0]["service.name"], "plimsoll");
    let last = |metric: &str, labels: &str| {
        read["metrics"][metric][labels].as_array().unwrap().last().unwrap()[1].clone()
    };
    let denied = "plimsoll.agent=claude-code,plimsoll.event=PreToolUse,gen_ai.tool.name=Bash,plimsoll.verdict=deny,plimsoll.observed=false";
    assert_eq!(last("plimsoll.decisions", denied), 300);
    assert_eq!(read["metrics"]["plimsoll.decisions"][denied][0][1], 0, "a series begins with a zero");
    assert_eq!(last("plimsoll.rule.decisions", "plimsoll.rule=acme/ünïcode,plimsoll.verdict=deny"), 300);
    assert_eq!(last("plimsoll.lint.findings", "plimsoll.linter=ruff,plimsoll.lint.rule=F821"), 120);
    assert_eq!(last("plimsoll.fixer.tokens", "gen_ai.request.model=small,gen_ai.token.type=input"), 1200);
    assert_eq!(last("plimsoll.fixer.cost", "gen_ai.request.model=small"), 0.18);
    assert_eq!(last("plimsoll.failures", ""), 120);
    assert_eq!(last("plimsoll.hook.duration", "plimsoll.event=PreToolUse")["count"], 1201);
}

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts one on a port that was free a moment ago, and waits until it answers or has ended.
    fn start(command: impl Fn(u16) -> Command) -> Self {
        // Somebody else may have taken it meanwhile.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut child = command(port).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            loop {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Self { child, port };
                }
                if child.try_wait().unwrap().is_some() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        panic!("it ends as soon as it is started: {:?}", command(0));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn rotel(program: &Path, world: &Path, exporters: &[&str], store: Option<u16>) -> Server {
    let seen = world.join("seen.txt");
    Server::start(|port| {
        let mut command = Command::new(program);
        command.args([
            "start",
            "--otlp-http-endpoint",
            &format!("127.0.0.1:{port}"),
            "--otlp-grpc-endpoint",
            "127.0.0.1:0",
        ]);
        command
            .args(["--debug-log", "logs", "--debug-log", "metrics", "--debug-log-verbosity", "detailed"])
            .args(exporters);
        command.arg("--pid-file").arg(world.join("rotel.pid"));
        if let Some(port) = store {
            command.env("ROTEL_EXPORTER_VM_PROTOCOL", "http");
            let to = format!("http://127.0.0.1:{port}/opentelemetry/v1/metrics");
            command.env("ROTEL_EXPORTER_VM_METRICS_ENDPOINT", to);
        }
        command.env("ROTEL_BATCH_TIMEOUT", "50ms").stdout(std::fs::File::create(&seen).unwrap());
        command
    })
}

#[test]
fn a_collector_takes_records_and_totals() {
    let Some(program) = tool("rotel", "PLIMSOLL_TEST_ROTEL") else { return };
    let dir = tempfile::tempdir().unwrap();
    let rotel = rotel(&program, dir.path(), &["--exporter", "blackhole"], None);
    let world = sends_to(&format!("http://127.0.0.1:{}", rotel.port));
    records(&world, 40);
    world.run(&["telemetry", "--send"]).succeeds().says(&["40 records sent"]);
    let seen = dir.path().join("seen.txt");
    // It prints when it gets to it.
    while read(&seen).matches("plimsoll.record.id").count() < 40
        || !read(&seen).contains("plimsoll.hook.duration")
    {
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_store_answers_with_the_numbers_that_were_sent() {
    let Some(program) = tool("rotel", "PLIMSOLL_TEST_ROTEL") else { return };
    let Some(store) = tool("victoria-metrics", "PLIMSOLL_TEST_VICTORIA_METRICS") else { return };
    let dir = tempfile::tempdir().unwrap();
    let store = Server::start(|port| {
        let mut command = Command::new(&store);
        command
            .arg(format!("-httpListenAddr=127.0.0.1:{port}"))
            .arg(format!("-storageDataPath={}", dir.path().join("vm").display()));
        command.args([
            "-retentionPeriod=1",
            "-opentelemetry.usePrometheusNaming",
            "-search.latencyOffset=0s",
        ]);
        command.stdout(Stdio::null());
        command
    });
    let exporters =
        ["--exporters", "vm:otlp,none:blackhole", "--exporters-metrics", "vm", "--exporters-logs", "none"];
    let rotel = rotel(&program, dir.path(), &exporters, Some(store.port));
    let world = sends_to(&format!("http://127.0.0.1:{}", rotel.port));
    let ask = |query: &str| {
        let base = format!("http://127.0.0.1:{}", store.port);
        get(&format!("{base}/internal/force_flush"));
        let answer: Json =
            serde_json::from_str(&get(&format!("{base}/api/v1/query?query={}", percent(query)))).unwrap();
        answer["data"]["result"][0]["value"][1].as_str().and_then(|number| number.parse::<f64>().ok())
    };
    for (round, count) in [(1.0, 400), (2.0, 400)] {
        records(&world, count);
        world.run(&["telemetry", "--send"]).succeeds();
        // They arrive when the collector and the store get to it.
        let denied = r#"sum(increase(plimsoll_decisions_total{plimsoll_verdict="deny"}[1h]))"#;
        while ask(denied) != Some(round * 100.0) {
            assert!(ask(denied).is_none_or(|number| number <= round * 100.0), "{:?}", ask(denied));
            std::thread::sleep(Duration::from_millis(100));
        }
        for (query, expected) in [
            ("sum(increase(plimsoll_decisions_total[1h]))", round * 400.0),
            (
                r#"sum(increase(plimsoll_rule_decisions_total{plimsoll_rule="shell/destroy-files"}[1h]))"#,
                round * 100.0,
            ),
            ("sum(increase(plimsoll_hook_duration_seconds_count[1h]))", round * 400.0),
        ] {
            assert_eq!(ask(query), Some(expected), "{query}");
        }
        // 0 to 39.9 ms, evenly: the quantile lies within the bucket that it falls into.
        let median =
            ask("histogram_quantile(0.5, sum by (le) (increase(plimsoll_hook_duration_seconds_bucket[1h])))")
                .unwrap();
        assert!((0.01..=0.025).contains(&median), "{median}");
    }
    for name in DASHBOARDS {
        for query in dashboard(name) {
            let plain =
                ["$__rate_interval", "$__range", "[5m]"].iter().fold(query.clone(), |query, window| {
                    query.replace(window, if window.starts_with('[') { "[1h]" } else { "1h" })
                });
            assert!(
                ask(&plain.replace("$instance", ".*")).is_some(),
                "{name}: {query} is answered with nothing"
            );
        }
    }
}

/// The queries of a dashboard, wherever in it they stand.
fn queries(dashboard: &Json, found: &mut Vec<String>) {
    match dashboard {
        Json::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("expr" | "query", Json::String(query)) if query.contains("plimsoll") => {
                        found.push(query.clone());
                    }
                    _ => queries(value, found),
                }
            }
        }
        Json::Array(list) => list.iter().for_each(|value| queries(value, found)),
        _ => {}
    }
}

fn dashboard(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib").join(name);
    let mut found = Vec::new();
    queries(&serde_json::from_str(&read(&path)).unwrap(), &mut found);
    found
}

const DASHBOARDS: [&str; 2] = ["grafana/plimsoll.json", "openobserve/plimsoll.json"];

/// The store is asked every one of them in a test above, where there is one.
#[test]
fn dashboards_ask_for_what_is_sent() {
    let metrics = read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../state/src/telemetry/totals.rs")));
    let known: BTreeSet<String> = metrics
        .lines()
        .filter_map(|line| {
            line.trim().split_once(" = \"plimsoll.").and_then(|(_, rest)| rest.split('"').next())
        })
        .map(|name| format!("plimsoll_{}", name.replace('.', "_")))
        .collect();
    assert!(known.len() >= 8, "{known:?}");
    for name in DASHBOARDS {
        let queries = dashboard(name);
        assert!(queries.len() >= 8, "{name}: {queries:?}");
        for query in queries {
            let word = query
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .find(|word| word.ends_with("_total") || word.ends_with("_bucket"));
            let word = word.unwrap();
            let ends = ["_bucket", "_total", "_seconds", "_USD"];
            let bare = ends.iter().fold(word, |name, end| name.strip_suffix(end).unwrap_or(name));
            assert!(known.contains(bare), "{name} asks for {word}");
        }
    }
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn get(url: &str) -> String {
    use std::io::{Read as _, Write as _};
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.0\r\nhost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
}
