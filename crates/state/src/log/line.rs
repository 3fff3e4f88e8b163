//! One line of the log, written straight as text: every hook call makes one, and a map of values costs three times as much.

use model::{Event, Linted, MASK, TestsSeen, redact, time};

use super::schema::VERSION;

/// What is kept of a long list.
const MOST: usize = 50;

/// One run of a hook.
#[derive(Debug)]
pub struct Entry<'a> {
    pub event: &'a Event,
    pub project: &'a str,
    pub verdict: &'a str,
    pub rules: Vec<&'a str>,
    /// What the agent or the user was told, where something was stopped or asked about.
    pub reason: String,
    /// What the call would do, in short.
    pub deeds: Vec<String>,
    /// What was said besides: a rewrite, context, a notice.
    pub besides: Vec<&'static str>,
    pub micros: u64,
    /// Where the time went, in microseconds.
    pub parts: Vec<(&'static str, u64)>,
    /// The checks that took long.
    pub slow: Vec<(&'static str, u64)>,
    /// Allowances of the user that the call has used.
    pub allowed: Vec<&'a str>,
    /// What linters said.
    pub lint: Option<&'a Linted>,
    /// The agent has run tests.
    pub tests: Option<&'a TestsSeen>,
    /// What went wrong on our side, for `plimsoll log`.
    pub failures: Vec<String>,
    /// What was run, and how long it took.
    pub trace: Vec<String>,
    /// Only decided and logged, not said: `profile: observe`.
    pub observed: bool,
    /// The commit of the team's policy that decided.
    pub policy: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// Nothing but the event.
    pub fn new(event: &'a Event, project: &'a str) -> Self {
        Self {
            event,
            project,
            verdict: "none",
            rules: Vec::new(),
            reason: String::new(),
            deeds: Vec::new(),
            besides: Vec::new(),
            micros: 0,
            parts: Vec::new(),
            slow: Vec::new(),
            allowed: Vec::new(),
            lint: None,
            tests: None,
            failures: Vec::new(),
            trace: Vec::new(),
            observed: false,
            policy: None,
        }
    }

    /// The line, without its end.
    pub(super) fn line(&self, nanos: u128) -> String {
        let event = self.event;
        let mut line = Line::begin(nanos);
        line.text("agent", event.agent.0);
        line.text("session", event.session.as_str());
        line.maybe("prompt", event.prompt.as_deref());
        line.text("event", event.name.as_str());
        if let Some(use_) = event.tool_use() {
            line.text("tool", &use_.name);
            line.maybe("call", use_.id.as_deref());
        }
        line.text("verdict", self.verdict);
        line.texts("rules", &self.rules);
        let subject = event.subject();
        let shown = redact(&subject);
        // A single word does not show that it is a secret; the whole command does. What is shown of a long one may end before it.
        let doubtful = shown.contains(MASK) || !self.reason.is_empty() && shown.len() < subject.len();
        let secrets = if doubtful { model::secrets(&subject) } else { Vec::new() };
        let mask = |text: &String| {
            secrets.iter().fold(redact(text), |text, secret| text.replace(secret.as_str(), MASK))
        };
        if !self.reason.is_empty() {
            line.text("reason", &mask(&self.reason));
        }
        line.list("deeds", &self.deeds.iter().map(mask).collect::<Vec<_>>());
        if !self.besides.is_empty() {
            line.texts("besides", &self.besides);
        }
        line.number("micros", self.micros);
        line.numbers("parts", &self.parts);
        line.numbers("slow", &self.slow);
        line.text("subject", &shown);
        line.text("project", self.project);
        if !self.allowed.is_empty() {
            line.texts("allowed", &self.allowed);
        }
        if let Some(linted) = self.lint {
            line.lint(linted);
        }
        if let Some(tests) = self.tests {
            line.tests(tests);
        }
        line.masked("trace", &self.trace);
        if self.observed {
            line.key("observed");
            line.out.push_str("true");
        }
        line.maybe("policy", self.policy);
        line.masked("failures", &self.failures);
        line.end()
    }
}

/// A run whose input could not be read.
pub(super) fn unreadable(nanos: u128, micros: u64, reason: &str) -> String {
    let mut line = Line::begin(nanos);
    line.text("event", "");
    line.text("verdict", "ask");
    line.texts("rules", &[]);
    line.number("micros", micros);
    line.masked("failures", &[reason.to_owned()]);
    line.end()
}

/// A record's own name: the moment in nanoseconds and the process, so that ids sort by time.
pub(crate) fn write_id(out: &mut impl std::fmt::Write, nanos: u128, process: u32) -> std::fmt::Result {
    write!(out, "{nanos:016x}-{process:x}")
}

struct Line {
    out: String,
}

impl Line {
    fn begin(nanos: u128) -> Self {
        use std::fmt::Write as _;
        let mut out = String::with_capacity(768);
        let seconds = u64::try_from(nanos / 1_000_000_000).unwrap_or(0);
        // Writing to a string cannot fail.
        let _ = write!(out, "{{\"v\":{VERSION},\"time\":\"");
        let _ = time::write_rfc3339(&mut out, seconds);
        out.push_str("\",\"id\":\"");
        let _ = write_id(&mut out, nanos, std::process::id());
        out.push('"');
        Self { out }
    }

    fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }

    fn key(&mut self, key: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        quote(&mut self.out, value);
    }

    fn maybe(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.text(key, value);
        }
    }

    fn number(&mut self, key: &str, value: u64) {
        use std::fmt::Write as _;
        self.key(key);
        let _ = write!(self.out, "{value}");
    }

    /// Nothing where there are none.
    fn numbers(&mut self, key: &str, values: &[(&'static str, u64)]) {
        if values.is_empty() {
            return;
        }
        self.key(key);
        self.out.push('{');
        for (name, value) in values {
            self.number(name, *value);
        }
        self.out.push('}');
    }

    fn texts(&mut self, key: &str, values: &[&str]) {
        self.key(key);
        self.out.push('[');
        for (at, value) in values.iter().enumerate() {
            self.out.push_str(if at > 0 { "," } else { "" });
            quote(&mut self.out, value);
        }
        self.out.push(']');
    }

    fn list(&mut self, key: &str, values: &[String]) {
        if !values.is_empty() {
            self.texts(key, &values.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    fn masked(&mut self, key: &str, values: &[String]) {
        self.list(key, &values.iter().map(|text| redact(text)).collect::<Vec<_>>());
    }

    fn lint(&mut self, linted: &Linted) {
        self.key("lint");
        self.out.push('{');
        let files: Vec<String> =
            linted.looked.iter().take(MOST).map(|file| file.to_string_lossy().into_owned()).collect();
        self.texts("files", &files.iter().map(String::as_str).collect::<Vec<_>>());
        self.number("open", linted.violations.len() as u64);
        self.key("found");
        self.out.push('[');
        for (at, found) in linted.violations.iter().take(MOST).enumerate() {
            self.out.push_str(if at > 0 { ",{" } else { "{" });
            self.text("linter", found.linter);
            self.text("rule", &found.code);
            self.text("file", &found.file.to_string_lossy());
            self.number("line", u64::from(found.line));
            self.out.push('}');
        }
        self.out.push(']');
        self.key("rewritten");
        self.out.push_str(if linted.rewritten { "true" } else { "false" });
        self.out.push('}');
        if let Some(spent) = &linted.spent {
            self.key("fixer");
            self.out.push('{');
            self.text("model", &spent.model);
            self.number("micros", spent.micros);
            self.number("tokens_in", spent.tokens_in);
            self.number("tokens_out", spent.tokens_out);
            self.number("microdollars", spent.microdollars);
            self.out.push('}');
        }
    }

    fn tests(&mut self, tests: &TestsSeen) {
        self.key("tests");
        self.out.push('{');
        self.text("result", tests.result.as_str());
        self.number("failures", tests.failures);
        self.key("part");
        self.out.push_str(if tests.part { "true" } else { "false" });
        self.out.push('}');
    }
}

/// As JSON has it.
fn quote(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        if short.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(short);
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn text_is_quoted_as_json_wants_it() {
        for text in ["", "plain", "a \"b\" \\ c", "\u{0}\u{1f}\n\r\t", "ä€😀\u{2028}", "\"", "x\u{7f}"] {
            let mut out = String::new();
            quote(&mut out, text);
            assert_eq!(serde_json::from_str::<Json>(&out).unwrap(), text, "{out}");
        }
    }
}
