//! The kinds of change: how each is recognised in code, and what to test because of it.

use super::code::{Family, family};

pub(super) struct Type {
    pub(super) name: &'static str,
    /// Only in these files; in all code where empty.
    families: &'static [Family],
    /// Parts of a path that show it by themselves.
    paths: &'static [&'static str],
    /// Texts in a line of code, whatever their case. Where one begins or ends with a letter, no letter may go on there; `…` stands
    /// for anything in between.
    patterns: &'static [&'static str],
    pub(super) tests: &'static [&'static str],
}

impl Type {
    pub(super) fn is_in(&self, path: &str, added: &[&str]) -> bool {
        let Some(family) = family(path) else { return false };
        if added.is_empty() || !self.families.is_empty() && !self.families.contains(&family) {
            return false;
        }
        let name = format!("/{path}");
        self.paths.iter().any(|part| name.contains(part))
            || self.patterns.iter().any(|pattern| added.iter().any(|line| found(line, pattern)))
    }
}

/// Whether a line has a pattern in it.
pub(super) fn found(line: &str, pattern: &str) -> bool {
    let line = line.to_lowercase();
    let mut rest = line.as_str();
    for part in pattern.to_lowercase().split('…') {
        let Some(end) = place(rest, part) else { return false };
        rest = &rest[end..];
    }
    true
}

/// The end of `part` in `text`, as words of its own where it begins and ends with a letter.
fn place(text: &str, part: &str) -> Option<usize> {
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (first, last) = (part.chars().next(), part.chars().next_back());
    text.match_indices(part).map(|(at, _)| (at, at + part.len())).find_map(|(start, end)| {
        let goes_on = word(first) && word(text[..start].chars().next_back())
            || word(last) && last != Some('_') && word(text[end..].chars().next());
        (!goes_on).then_some(end)
    })
}

const PYTHON: &[Family] = &[Family::Python];
const SCRIPT: &[Family] = &[Family::Script];

pub(super) static TYPES: &[Type] = &[
    Type {
        name: "env_var",
        families: &[],
        paths: &[],
        patterns: &[
            "NEXT_PUBLIC_",
            "process.env.",
            "process.env[",
            "import.meta.env",
            "os.environ",
            "os.getenv",
            "getenv(",
            "env::var",
        ],
        tests: &[
            "Check for localhost fallbacks",
            "Run with the production configuration",
            "Look at the network tab: which hosts are called?",
        ],
    },
    Type {
        name: "auth",
        families: &[],
        paths: &[],
        patterns: &[
            "clearToken",
            "removeToken",
            "deleteToken",
            "logout",
            "log_out",
            "signOut",
            "sign_out",
            "useAuth",
            "AuthContext",
            "token…clear",
            "clear…token",
            "session…destroy",
        ],
        tests: &[
            "Trace all paths to token clearing functions",
            "Test auth cascade: what happens on 401 response?",
            "Verify network failures don't incorrectly clear auth state",
            "Log in and out from end to end",
        ],
    },
    Type {
        name: "link",
        families: SCRIPT,
        paths: &[],
        patterns: &[
            "<Link",
            "href=\"/",
            "href='/",
            "href={\"/",
            "href={`/",
            "router.push",
            "router.replace",
            "navigate(",
            "useNavigate",
        ],
        tests: &[
            "Validate route targets exist",
            "Click through every link that changed",
            "Run a link checker",
        ],
    },
    Type {
        name: "api_route",
        families: &[],
        paths: &["/app/api/", "/pages/api/"],
        patterns: &[
            "@app.get",
            "@app.post",
            "@app.put",
            "@app.delete",
            "@app.patch",
            "@app.route",
            "@router.get",
            "@router.post",
            "@router.put",
            "@router.delete",
            "@router.patch",
            "APIRouter",
            "FastAPI",
        ],
        tests: &[
            "Test through proxy, check 307 redirects",
            "Check that the auth header survives the way",
            "Call the real endpoint with curl",
        ],
    },
    Type {
        name: "websocket",
        families: SCRIPT,
        paths: &[],
        patterns: &["WebSocket", "ws://", "wss://", "useWebSocket", "socket.on", "socket.emit"],
        tests: &[
            "Test with production WS URL",
            "Check fallback URLs",
            "Cut the connection and watch it come back",
            "Look for errors in the console",
        ],
    },
    Type {
        name: "database",
        families: &[],
        paths: &[".sql", "/migrations/", "/alembic/"],
        patterns: &["CREATE TABLE", "ALTER TABLE", "DROP TABLE", "migration", "alembic", "prisma migrate"],
        tests: &[
            "Run migrations, verify rollback",
            "Check that existing rows stay valid",
            "Try it with as much data as production has",
        ],
    },
    Type {
        name: "proxy",
        families: &[],
        paths: &["/next.config.", "/nginx"],
        patterns: &[
            "proxy",
            "proxy_pass",
            "rewrites",
            "CORS",
            "CORSMiddleware",
            "Access-Control",
            "Access-Control-Allow-Origin",
        ],
        tests: &[
            "Test full request flow",
            "Check that headers are kept",
            "Look for redirect loops",
            "Try it from a browser, not only with curl",
        ],
    },
    Type {
        name: "datetime_boundary",
        families: PYTHON,
        paths: &[],
        patterns: &[
            "datetime",
            "timezone",
            "tzinfo",
            "openpyxl",
            "xlsxwriter",
            "pandas…to_excel",
            ".xls",
            ".xlsx",
        ],
        tests: &[
            "Test with tz-aware datetimes",
            "Use objects as they come from the database",
            "Settle tzinfo before anything is written to Excel",
            "Test naive and aware values",
        ],
    },
    Type {
        name: "serialization_boundary",
        families: PYTHON,
        paths: &[],
        patterns: &[
            ".to_dict",
            ".model_dump",
            "json.dumps",
            "jsonify",
            "StreamingResponse",
            "FileResponse",
            "BytesIO",
        ],
        tests: &[
            "Test with UUID, Decimal types",
            "Check what becomes of datetimes",
            "Look at custom encoders",
            "Parse the real output",
        ],
    },
    Type {
        name: "orm_boundary",
        families: PYTHON,
        paths: &[],
        patterns: &[
            ".query(",
            ".filter(",
            ".all()",
            ".first()",
            "session.add",
            "session.execute",
            "session.commit",
            "session.get",
            "session.scalars",
            "db_session",
            "AsyncSession",
        ],
        tests: &[
            "Integration test with real DB",
            "Check column types",
            "Use tz-aware values and UUID objects",
        ],
    },
    Type {
        name: "file_export",
        families: &[],
        paths: &[],
        patterns: &[
            "build_excel",
            "to_csv",
            "to_excel",
            "write…xlsx",
            "Workbook(",
            "csv.writer",
            "csv.DictWriter",
        ],
        tests: &[
            "Parse actual output in tests",
            "Export data like that of production",
            "Read the file back and compare",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::super::code::lines;
    use super::*;

    fn kinds(path: &str, text: &str) -> Vec<&'static str> {
        let code = lines(path, text);
        let added: Vec<&str> =
            code.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).collect();
        TYPES.iter().filter(|kind| kind.is_in(path, &added)).map(|kind| kind.name).collect()
    }

    /// Every pattern of the documentation's table, in a line of code.
    #[test]
    fn every_row_is_recognised() {
        for (path, line, kind) in [
            ("web/a.ts", "const url = process.env.NEXT_PUBLIC_API;", "env_var"),
            ("web/a.ts", "export const base = NEXT_PUBLIC_BASE", "env_var"),
            ("a.py", "host = os.environ['HOST']", "env_var"),
            ("web/a.ts", "clearToken();", "auth"),
            ("web/a.tsx", "const { user } = useAuth();", "auth"),
            ("a.py", "logout(request)", "auth"),
            ("web/a.tsx", "<Link to='/x'>x</Link>", "link"),
            ("web/a.tsx", "router.push('/home')", "link"),
            ("web/a.tsx", "<a href=\"/about\">", "link"),
            ("api.py", "@app.get('/items')", "api_route"),
            ("api.py", "router = APIRouter()", "api_route"),
            ("api.py", "app = FastAPI()", "api_route"),
            ("web/app/api/items/route.ts", "export async function GET() {}", "api_route"),
            ("web/a.ts", "const s = new WebSocket(url);", "websocket"),
            ("web/a.ts", "connect('wss://example.invalid')", "websocket"),
            ("web/a.ts", "socket.on('x', f)", "websocket"),
            ("a.py", "cursor.execute('CREATE TABLE t (id int)')", "database"),
            ("a.py", "run_migration()  or migration(1)", "database"),
            ("a.py", "alembic.command.upgrade(c, 'head')", "database"),
            ("db/001.sql", "select 1;", "database"),
            ("web/next.config.js", "module.exports = {}", "proxy"),
            ("a.py", "app.add_middleware(CORSMiddleware)", "proxy"),
            ("web/a.ts", "async rewrites() { return [] }", "proxy"),
            ("web/a.ts", "const proxy = make()", "proxy"),
            ("a.py", "now = datetime.now(timezone.utc)", "datetime_boundary"),
            ("a.py", "wb = openpyxl.load_workbook(f)", "datetime_boundary"),
            ("a.py", "x = item.model_dump()", "serialization_boundary"),
            ("a.py", "text = json.dumps(x)", "serialization_boundary"),
            ("a.py", "buf = BytesIO()", "serialization_boundary"),
            ("a.py", "db.query(User)", "orm_boundary"),
            ("a.py", "q.filter(User.id == 1)", "orm_boundary"),
            ("a.py", "async def f(s: AsyncSession): ...", "orm_boundary"),
            ("a.py", "df.to_excel('x')", "file_export"),
            ("a.py", "w = csv.writer(f)", "file_export"),
            ("a.py", "wb = Workbook()", "file_export"),
        ] {
            let found = kinds(path, line);
            assert!(found.contains(&kind), "{path}: {line}: {found:?} without {kind}");
        }
    }

    #[test]
    fn prose_comments_and_imports_are_no_code() {
        for (path, text) in [
            ("README.md", "Set process.env.X, run the migration, mind CORS and the proxy.\n"),
            ("a.py", "# the migration uses json.dumps and a proxy\n"),
            (
                "a.py",
                "import datetime\nfrom io import BytesIO\nfrom x import (\n    AsyncSession,\n    timezone,\n)\n",
            ),
            (
                "a.py",
                "def f():\n    \"\"\"Calls logout through the proxy.\n\n    Uses CORS.\n    \"\"\"\n    return 1\n",
            ),
            ("a.ts", "// logout through the proxy\n/* CORS\n * WebSocket\n */\nlet x = 1;\n"),
            (
                "a.ts",
                "import { useAuth,\n  AuthContext,\n} from './auth';\nexport { useNavigate } from 'x';\nconst w = require('websocket');\n",
            ),
            ("a.rs", "use std::env::var;\n/// The proxy.\nfn f() {}\n"),
            ("notes.txt", "logout"),
        ] {
            assert_eq!(kinds(path, text), Vec::<&str>::new(), "{path}: {text}");
        }
    }

    #[test]
    fn parts_of_other_words_do_not_count() {
        for (path, line) in [
            ("a.py", "proxying = immigration(1)"),
            ("a.py", "mydatetimes = catalogout"),
            ("a.ts", "const obsession = { filtered: true }"),
            ("a.py", "sessions = 3"),
        ] {
            assert_eq!(kinds(path, line), Vec::<&str>::new(), "{line}");
        }
        // Other languages have these words too, without the boundary.
        assert_eq!(kinds("a.go", "t := datetime.Parse(x)"), Vec::<&str>::new());
    }
}
