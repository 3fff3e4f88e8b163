//! `plimsoll report`: the page in a real browser, its numbers counted again by `DuckDB`, and who gets to see it when it is served.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::Value as Json;

use crate::needs::missing;
use crate::world::{RUFF, World};

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report").join(name)
}

/// What a program printed.
fn said(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

struct Tools {
    browser: PathBuf,
    modules: PathBuf,
}

impl Tools {
    fn find() -> Option<Self> {
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.exists());
        let found = path("PLIMSOLL_TEST_BROWSER").zip(path("PLIMSOLL_TEST_PAGE"));
        if found.is_none() {
            missing("browser", "there is no chromium with playwright-core and axe-core");
        }
        found.map(|(browser, modules)| Self { browser, modules })
    }

    /// What the browser saw of a page.
    fn look(&self, address: &str) -> Json {
        let axe = self.modules.join("axe-core/axe.min.js");
        let mut node = Command::new("node");
        node.arg(own("drive.mjs")).arg(&self.browser).arg(axe).arg(address).env("NODE_PATH", &self.modules);
        // Pictures for the guide, where somebody wants new ones.
        node.args(std::env::var_os("PLIMSOLL_TEST_SHOTS"));
        serde_json::from_str(&said(&mut node)).unwrap()
    }
}

fn filled(records: u64) -> World {
    let world = World::new();
    std::fs::create_dir_all(world.state()).unwrap();
    let project = world.name("");
    let mut sample = Command::new("python3");
    sample.arg(own("sample.py")).arg(world.state().join("log.jsonl"));
    said(sample.arg(project.trim_end_matches('/')).arg(records.to_string()));
    world
}

fn numbers_of(seen: &Json) -> BTreeMap<String, i64> {
    let numbers = seen["numbers"].as_object().unwrap();
    numbers.iter().map(|(name, value)| (name.clone(), value.as_i64().unwrap())).collect()
}

#[test]
fn the_page_is_whole_and_asks_nobody_for_anything() {
    let Some(tools) = Tools::find() else { return };
    for records in [0, 1, 100_000] {
        let world = filled(records);
        let page = world.base().join("page.html");
        world.run(&["report", "--output", page.to_str().unwrap()]).succeeds();
        let seen = tools.look(&format!("file://{}", page.display()));
        for what in ["console", "requests", "reports", "axe"] {
            assert_eq!(seen[what], Json::Array(Vec::new()), "{records} records: {what}");
        }
        assert_eq!(seen["printed"], "none", "the menu is not printed");
        // Some are of work in the background.
        let calls = numbers_of(&seen)["calls"];
        assert!(
            calls <= i64::try_from(records).unwrap() && calls >= i64::try_from(records * 9 / 10).unwrap()
        );
        if records == 100_000 {
            chosen(&seen["filters"]);
            counted_again(&world, &seen);
        }
    }
}

/// By click and by keyboard.
fn chosen(steps: &Json) {
    let rows = |step: &str| steps[step]["rows"].as_u64().unwrap();
    assert_eq!(rows("all"), 250);
    let kinds = ["denied", "asked", "back"].map(rows);
    assert!(kinds.iter().all(|kind| *kind > 0) && kinds.iter().sum::<u64>() == 250, "{steps}");
    assert_eq!(steps["denied"]["verdicts"], serde_json::json!(["deny"]));
    assert_eq!(steps["asked"]["verdicts"], serde_json::json!(["ask"]));
    assert_eq!(steps["back"]["verdicts"], serde_json::json!(["back"]));
    assert_eq!(steps["focused"], "rule");
    assert!(steps["rule"]["value"] != "" && rows("rule") > 0 && rows("rule") < 250, "{steps}");
    assert_eq!((rows("none"), &steps["none"]["said"]), (0, &Json::from("0 of 250 shown")));
}

/// Every number on the page is the one that `DuckDB` counts.
fn counted_again(world: &World, seen: &Json) {
    let python = std::env::var_os("PLIMSOLL_TEST_DUCKDB").map(PathBuf::from).filter(|path| path.exists());
    let Some(python) = python else { return missing("duckdb", "there is no Python with duckdb") };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let first = model::time::rfc3339((now / 86_400 - 29) * 86_400);
    let project = world.name("");
    let mut count = Command::new(python);
    count.arg(own("count.py")).arg(project.trim_end_matches('/')).arg(&first[..10]);
    for file in std::fs::read_dir(world.state()).unwrap().flatten() {
        if file.file_name().to_string_lossy().starts_with("log") {
            count.arg(file.path());
        }
    }
    let counts: BTreeMap<String, i64> = serde_json::from_str(&said(&mut count)).unwrap();
    let numbers = numbers_of(seen);
    assert!(numbers.len() > 250, "{}", numbers.len());
    for (name, value) in numbers {
        assert_eq!(counts.get(&name).copied().unwrap_or(0), value, "{name}");
    }
}

#[test]
fn a_page_without_a_place_lies_among_our_records_for_its_user_only() {
    let world = World::new();
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    let file = world.state().join("report.html");
    assert_eq!(world.run(&["report"]).succeeds().stdout, format!("{}\n", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains("default-src 'none'") || page.contains("default-src &#39;none&#39;"), "no policy");
    assert!(page.contains("file/linter-config") && !page.contains("http://") && !page.contains("https://"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let ran = world.run(&["report", "-o", "-"]).succeeds();
    assert!(ran.stdout.starts_with("<!doctype html>"), "{}", ran.stdout);
}

/// `report --watch`; it ends with the test.
struct Watched {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watched {
    fn start(world: &World) -> Self {
        let mut child = world.program(&["report", "--watch", "--no-open"]).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let rest = address.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{address}"));
        let (port, token) = rest.split_once("/enter?token=").unwrap();
        Self { child, port: port.parse().unwrap(), token: token.to_owned() }
    }

    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn ask(&self, method: &str, target: &str, headers: &[&str]) -> String {
        let mut answer = String::new();
        let mut stream =
            self.send(&format!("{method} {target} HTTP/1.1\r\n{}\r\n\r\n", headers.join("\r\n")));
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    /// The cookie for the token.
    fn enter(&self) -> String {
        let answer = self.ask("GET", &format!("/enter?token={}", self.token), &[&self.host()]);
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        let line = answer.lines().find(|line| line.starts_with("Set-Cookie: ")).unwrap();
        assert!(line.contains("; HttpOnly; SameSite=Strict"), "{line}");
        format!("Cookie: {}", line["Set-Cookie: ".len()..].split(';').next().unwrap())
    }
}

#[test]
fn only_whoever_has_the_token_gets_in_once_and_only_to_read() {
    let world = World::new();
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    let before = std::fs::read(world.state().join("log.jsonl")).unwrap();
    let watched = Watched::start(&world);
    let host = watched.host();
    let refused = |answer: String| assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    refused(watched.ask("GET", "/", &[&host]));
    refused(watched.ask("GET", "/enter?token=", &[&host]));
    // A name that somebody has pointed to this machine does not get the token used up.
    refused(watched.ask("GET", &format!("/enter?token={}", watched.token), &["Host: rebound.example"]));
    let cookie = watched.enter();
    refused(watched.ask("GET", &format!("/enter?token={}", watched.token), &[&host]));
    let page = watched.ask("GET", "/", &[&host, &cookie]);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("file/linter-config"), "{page}");
    for part in [
        "Content-Security-Policy: default-src 'none'",
        "frame-ancestors 'none'",
        "Cache-Control: no-store",
        "nosniff",
    ] {
        assert!(page.contains(part), "«{part}» is missing");
    }
    for (target, headers) in [
        ("/", vec!["Host: rebound.example", &cookie]),
        ("/", vec![&*host, "Origin: http://evil.example", &cookie]),
        ("/events", vec![&*host, "Origin: null", &cookie]),
        ("/events", vec![&*host, "Sec-Fetch-Site: cross-site", &cookie]),
        ("/../../etc/passwd", vec![&*host, &cookie]),
        ("/%2e%2e/log.jsonl", vec![&*host, &cookie]),
        ("/log.jsonl", vec![&*host, &cookie]),
        ("//etc/passwd", vec![&*host, &cookie]),
        ("http://127.0.0.1/", vec![&*host, &cookie]),
        ("/", vec![&*host, "Cookie: plimsoll_1=x"]),
    ] {
        refused(watched.ask("GET", target, &headers));
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        refused(watched.ask(method, "/", &[&host, &cookie]));
    }
    let answer = watched.ask("GET", "/", &[&host, &cookie, &format!("X-Long: {}", "x".repeat(100_000))]);
    assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    assert_eq!(std::fs::read(world.state().join("log.jsonl")).unwrap(), before, "nothing was written");
}

#[test]
fn decisions_are_shown_as_they_come() {
    let world = World::new();
    world.wants_to_edit(&world.name("old.py")).is_silent();
    let watched = Watched::start(&world);
    let cookie = watched.enter();
    let stream = watched.send(&format!("GET /events HTTP/1.1\r\n{}\r\n{cookie}\r\n\r\n", watched.host()));
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("HTTP/1.1 200 OK"));
    assert!(lines.any(|line| line.starts_with("retry: ")), "the stream begins");
    world.wants_to_edit(&world.name(RUFF)).is_denied();
    let told =
        lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("a decision comes");
    let told: Json = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["verdict"], &told["stopped"]), (&Json::from("deny"), &Json::from(true)));
    assert!(told["subject"].as_str().unwrap().ends_with(RUFF), "{told}");
}
