//! Tests that replace the code they should test: `file/mock-gate`.

use model::state_files::Strikes;
use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role, source};

use crate::work::new_text;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "file/mock-gate",
    summary: "a test that mocks the project's own code",
    docs: "\
A test file that replaces the project's own code by a mock brings a warning the first time and is refused from the second on, until the session ends
(`.claude/.mock-gate-strikes`). Mocks of what lies outside are always allowed: the network, databases, processes, cloud services, and the
libraries made for that (`responses`, `nock`, `wiremock`, …). `@mock-exempt` in the text, with a reason, lets it through.

Known are the ways of Python, JavaScript and TypeScript, Go, Rust, Java and Kotlin, and Ruby.
",
    cases: include_str!("mock_gate.toml"),
    on: &[On::edits(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(edit) = event.edit() else { return };
    let language = Language::of(source::extension(&edit.path));
    let Some(language) = language else { return };
    let written = cx.facts.absolute(&edit.path);
    let path = written.strip_prefix(cx.facts.project()).unwrap_or(&written);
    if !source::is_test(path) {
        return;
    }
    let Some(text) = new_text(&edit.change).filter(|text| !text.contains("@mock-exempt")) else { return };
    let Some(found) = language.internal_mock(&text) else { return };
    let before = cx.facts.strikes(Strikes::MOCKS, 0);
    out.effects.push(Effect::Strike { gate: Strikes::MOCKS, rule: META.id, about: 0, before });
    let name = path.to_string_lossy();
    if before == 0 {
        out.context.push(format!(
            "{name} mocks the project's own code ({found}). Test the real thing, and mock only what lies outside (network, database, processes); \
             the next one is refused. `@mock-exempt: why` in the file marks an exception."
        ));
        return;
    }
    let what = format!("{name} mocks the project's own code again ({found}).");
    out.deny(META.id, what, "A test of a mock proves nothing about the code.").instead = Some(
        "Use the real implementation, a fixture, or a small fake; mock only what lies outside (network, database, processes). \
         `@mock-exempt: why` in the file marks an exception that you can give a reason for."
            .into(),
    );
}

#[derive(Clone, Copy)]
enum Language {
    Python,
    JavaScript,
    Go,
    Rust,
    Java,
    Ruby,
}

/// What lies outside, by the names that its language knows it by.
const PYTHON_OUTSIDE: &[&str] = &[
    "requests",
    "httpx",
    "redis",
    "psycopg",
    "psycopg2",
    "sqlalchemy",
    "urllib",
    "urllib3",
    "http.client",
    "smtplib",
    "socket",
    "subprocess",
    "os.environ",
    "os.getenv",
    "boto3",
    "botocore",
    "aiohttp",
    "httplib2",
    "pymongo",
    "mysql",
    "sqlite3",
    "psutil",
    "paramiko",
    "ftplib",
    "asyncpg",
    "grpc",
    "kafka",
    "pika",
    "openai",
    "anthropic",
    "stripe",
    "time.sleep",
    "time.time",
];
const JS_OUTSIDE: &[&str] = &[
    "axios",
    "node-fetch",
    "cross-fetch",
    "undici",
    "got",
    "ky",
    "superagent",
    "child_process",
    "nodemailer",
    "ioredis",
    "redis",
    "mysql",
    "mysql2",
    "mongodb",
    "mongoose",
    "pg",
    "sqlite3",
    "better-sqlite3",
    "@prisma/client",
    "aws-sdk",
    "@aws-sdk",
    "googleapis",
    "@google-cloud",
    "firebase",
    "firebase-admin",
    "stripe",
    "twilio",
    "openai",
    "@anthropic-ai/sdk",
    "http",
    "https",
    "http2",
    "fs",
    "fs-extra",
    "net",
    "dns",
    "tls",
    "dgram",
    "os",
    "ws",
];
const JAVA_OUTSIDE: &[&str] = &[
    "HttpClient",
    "HttpURLConnection",
    "RestTemplate",
    "WebClient",
    "OkHttpClient",
    "DataSource",
    "Connection",
    "PreparedStatement",
    "ResultSet",
    "JdbcTemplate",
    "EntityManager",
    "MongoClient",
    "RedisTemplate",
    "Jedis",
    "KafkaTemplate",
    "KafkaProducer",
    "S3Client",
    "AmazonS3",
    "JavaMailSender",
    "Socket",
    "Process",
    "Clock",
];
const RUBY_OUTSIDE: &[&str] = &[
    "Net::HTTP",
    "HTTParty",
    "Faraday",
    "RestClient",
    "Redis",
    "PG",
    "Mysql2",
    "Aws",
    "Stripe",
    "Open3",
    "IO",
    "File",
    "Dir",
    "Socket",
    "TCPSocket",
    "Kernel",
    "ENV",
    "Time",
    "Process",
];

impl Language {
    fn of(extension: &str) -> Option<Self> {
        Some(match extension {
            "py" => Language::Python,
            "ts" | "tsx" | "js" | "jsx" => Language::JavaScript,
            "go" => Language::Go,
            "rs" => Language::Rust,
            "java" | "kt" => Language::Java,
            "rb" => Language::Ruby,
            _ => return None,
        })
    }

    /// The first thing in `text` that mocks what it should test.
    fn internal_mock(self, text: &str) -> Option<String> {
        match self {
            Language::Python => python(text),
            Language::JavaScript => javascript(text),
            Language::Go => first_of(text, &["gomock.", "mockgen", "NewMockController", "EXPECT()."]),
            Language::Rust => {
                first_of(text, &["mockall", "#[automock]", "mock! {", "mock!{", "mockall::", "faux::"])
            }
            Language::Java => java(text),
            Language::Ruby => ruby(text),
        }
    }
}

fn first_of(text: &str, marks: &[&str]) -> Option<String> {
    marks
        .iter()
        .find(|mark| text.contains(**mark))
        .map(|mark| (*mark).trim_end_matches(['(', ' ', '{', '.']).to_owned())
}

/// Patches of named targets are judged by their targets; mocks without a target replace code of ours.
fn python(text: &str) -> Option<String> {
    let marks = ["unittest.mock", "MagicMock", "AsyncMock", "@patch", "mock.patch", "mocker.patch"];
    let used = first_of(text, &marks)?;
    let mut targets = arguments(text, "patch(");
    targets.extend(arguments(text, "patch.dict("));
    targets.extend(arguments(text, "patch.multiple("));
    targets.extend(arguments(text, "patch.object("));
    let outside = |target: &String| {
        let target = target.to_lowercase();
        PYTHON_OUTSIDE.iter().any(|name| {
            target.match_indices(name).any(|(at, _)| {
                let ends =
                    target[at + name.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
                ends && !target[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    };
    match targets.iter().find(|target| !outside(target)) {
        Some(target) => Some(format!("patch of {target}")),
        None if targets.is_empty() => Some(used),
        None => None,
    }
}

fn javascript(text: &str) -> Option<String> {
    let mut targets = Vec::new();
    for call in ["jest.mock(", "vi.mock(", "jest.doMock(", "vi.doMock(", "mock.module("] {
        targets.extend(arguments(text, call));
    }
    let outside = |target: &String| {
        let name = target.strip_prefix("node:").unwrap_or(target);
        JS_OUTSIDE
            .iter()
            .any(|known| name == *known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('/')))
    };
    if let Some(target) = targets.iter().find(|target| !outside(target)) {
        return Some(format!("mock of {target}"));
    }
    if targets.is_empty() {
        let marks = [
            ".mockImplementation",
            ".mockReturnValue",
            ".mockResolvedValue",
            ".mockRejectedValue",
            "sinon.stub(",
            "sinon.mock(",
        ];
        return first_of(text, &marks);
    }
    None
}

fn java(text: &str) -> Option<String> {
    let mut targets = Vec::new();
    for call in ["mock(", "spy(", "mockStatic("] {
        targets.extend(
            arguments(text, call)
                .into_iter()
                .map(|target| target.trim_end_matches(".class").trim_end_matches("::class").to_owned()),
        );
    }
    targets.extend(
        arguments(text, "mockk<").into_iter().filter_map(|target| Some(target.split('>').next()?.to_owned())),
    );
    // A field: `@Mock private Orders orders;`.
    for mark in ["@Mock", "@MockBean", "@Spy", "@MockK"] {
        let fields = text
            .match_indices(mark)
            .filter(|(at, _)| !text[at + mark.len()..].starts_with(|c: char| c.is_alphanumeric()));
        targets.extend(fields.filter_map(|(at, _)| field_type(&text[at + mark.len()..])));
    }
    let known = |target: &String| JAVA_OUTSIDE.iter().any(|name| target.rsplit('.').next() == Some(name));
    match targets.iter().find(|target| !target.is_empty() && !known(target)) {
        Some(target) => Some(format!("mock of {target}")),
        None if targets.is_empty() => first_of(text, &["PowerMock", "EasyMock.", ".thenReturn("]),
        None => None,
    }
}

/// The first word with a capital letter that is not an annotation.
fn field_type(text: &str) -> Option<String> {
    let end = text.find(';').unwrap_or(text.len());
    let declared = text[..end].split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ':' | '<'));
    declared
        .filter(|word| !word.starts_with('@'))
        .find(|word| word.starts_with(char::is_uppercase))
        .map(str::to_owned)
}

fn ruby(text: &str) -> Option<String> {
    let mut targets = Vec::new();
    for call in [
        "allow(",
        "allow_any_instance_of(",
        "expect_any_instance_of(",
        "instance_double(",
        "class_double(",
        "object_double(",
    ] {
        targets.extend(arguments(text, call));
    }
    let known = |target: &String| {
        RUBY_OUTSIDE.iter().any(|name| {
            target == name || target.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', '.']))
        })
    };
    // `allow(…)` is also a word of other libraries; with `receive` it is a mock.
    let targets: Vec<_> =
        targets.into_iter().filter(|_| text.contains("receive") || text.contains("_double(")).collect();
    match targets.iter().find(|target| !known(target)) {
        Some(target) => Some(format!("mock of {target}")),
        None if targets.is_empty() => first_of(text, &[".stubs(", ".any_instance", "double("]),
        None => None,
    }
}

/// The first argument of every `call` in the text: the inside of its quotes, or the word.
fn arguments(text: &str, call: &str) -> Vec<String> {
    let starts = text.match_indices(call).filter(|(at, _)| {
        // `mock(` is not the end of `unmock(`; `patch(` may follow a dot.
        !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    });
    starts
        .filter_map(|(at, _)| {
            let rest = text[at + call.len()..].trim_start();
            let argument = match rest.chars().next()? {
                quote @ ('\'' | '"' | '`') => rest[1..].split(quote).next()?,
                _ => rest.split([',', ')', '\n']).next()?,
            };
            Some(argument.trim().trim_start_matches("f\"").to_owned()).filter(|argument| !argument.is_empty())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn internal(extension: &str, text: &str) -> Option<String> {
        Language::of(extension).and_then(|language| language.internal_mock(text))
    }

    #[test]
    fn mocks_of_our_own_code_are_found() {
        for (extension, text, found) in [
            ("py", "from unittest.mock import MagicMock\nm = MagicMock()", "unittest.mock"),
            ("py", "@patch('app.orders.total')\ndef test(): ...", "patch of app.orders.total"),
            (
                "py",
                "with mock.patch(\"requests.get\"), mock.patch('app.db.save'): ...",
                "patch of app.db.save",
            ),
            ("py", "mocker.patch('app.requests_helper.load')", "patch of app.requests_helper.load"),
            ("py", "@patch.object(Orders, 'total')", "patch of Orders"),
            ("ts", "vi.mock('./orders', () => ({}))", "mock of ./orders"),
            ("ts", "jest.mock(\"../db\");\njest.mock('axios')", "mock of ../db"),
            ("js", "orders.total = fn().mockReturnValue(3)", ".mockReturnValue"),
            ("js", "sinon.stub(orders, 'total')", "sinon.stub"),
            ("go", "ctrl := gomock.NewController(t)", "gomock"),
            ("rs", "#[automock]\ntrait Store {}", "#[automock]"),
            ("rs", "use mockall::predicate;", "mockall"),
            ("java", "Orders o = mock(Orders.class);", "mock of Orders"),
            ("java", "@Mock private OrderService orders;", "mock of OrderService"),
            ("kt", "val o = mockk<Orders>()", "mock of Orders"),
            ("rb", "allow(Order).to receive(:total).and_return(3)", "mock of Order"),
            ("rb", "order = double('order')", "double"),
        ] {
            assert_eq!(internal(extension, text).as_deref(), Some(found), "{text}");
        }
    }

    #[test]
    fn mocks_of_what_lies_outside_are_fine() {
        for (extension, text) in [
            ("py", "@patch('app.client.requests.get')"),
            ("py", "from unittest.mock import patch\nwith patch('subprocess.run'): ..."),
            ("py", "mocker.patch.dict('os.environ', {})\nmocker.patch.dict('os.environ')"),
            ("py", "import responses\n@responses.activate\ndef test(): ..."),
            ("py", "from unittest.mock import patch\n@patch.object(requests, 'get')"),
            ("ts", "vi.mock('axios')\nvi.mock('node:fs')\nvi.mock('fs/promises')"),
            ("ts", "jest.mock('pg'); pool.query.mockResolvedValue(1)"),
            ("ts", "import nock from 'nock'; nock('http://x')"),
            ("go", "srv := httptest.NewServer(nil)"),
            ("rs", "let server = wiremock::MockServer::start().await;"),
            ("java", "HttpClient c = mock(HttpClient.class);"),
            ("java", "@Mock DataSource source;"),
            ("rb", "stub_request(:get, 'http://x')"),
            ("rb", "allow(Net::HTTP).to receive(:get)"),
        ] {
            assert_eq!(internal(extension, text), None, "{text}");
        }
    }
}
