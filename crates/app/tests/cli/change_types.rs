//! What a held stop says about the kinds of change: every row of the documentation's table, on real repositories.

use crate::checkpoint::autonomous;

/// Kind, file, an added line for each pattern that the documentation names, the heading, and the test that it asks for first.
const ROWS: &[(&str, &[&str], &str, &str)] = &[
    (
        "web/base.ts",
        &["export const base = NEXT_PUBLIC_BASE;", "export const url = process.env.API;"],
        "ENV VAR",
        "Check for localhost fallbacks",
    ),
    ("conf.py", &["HOST = os.environ['HOST']"], "ENV VAR", "Check for localhost fallbacks"),
    (
        "web/session.ts",
        &["clearToken();", "logout();", "const { user } = useAuth();"],
        "AUTH",
        "Trace all paths to token clearing functions",
    ),
    (
        "web/page.tsx",
        &["const a = <Link to='x' />;", "router.push('/home');", "const b = <a href=\"/about\">x</a>;"],
        "LINK",
        "Validate route targets exist",
    ),
    (
        "api.py",
        &["@app.get('/items')", "router = APIRouter()", "app = FastAPI()"],
        "API ROUTE",
        "Test through proxy, check 307 redirects",
    ),
    (
        "web/live.ts",
        &["const s = new WebSocket(url);", "connect('wss://example.invalid');", "socket.on('x', f);"],
        "WEBSOCKET",
        "Test with production WS URL",
    ),
    (
        "schema.py",
        &["cursor.execute('CREATE TABLE t (id int)')", "migration(1)", "alembic.upgrade(c)"],
        "DATABASE",
        "Run migrations, verify rollback",
    ),
    (
        "web/server.ts",
        &["const p = proxy(target);", "async function rewrites() {}", "const h = { name: CORS };"],
        "PROXY",
        "Test full request flow",
    ),
    ("mid.py", &["app.add_middleware(CORSMiddleware)"], "PROXY", "Test full request flow"),
    (
        "clock.py",
        &["now = datetime.now()", "zone = timezone.utc", "book = openpyxl.load_workbook(f)"],
        "DATETIME BOUNDARY",
        "Test with tz-aware datetimes",
    ),
    (
        "wire.py",
        &["x = item.model_dump()", "text = json.dumps(x)", "buf = BytesIO()"],
        "SERIALIZATION BOUNDARY",
        "Test with UUID, Decimal types",
    ),
    (
        "rows.py",
        &["q = db.query(User)", "q = q.filter(User.id == 1)", "def f(s: AsyncSession): ..."],
        "ORM BOUNDARY",
        "Integration test with real DB",
    ),
    (
        "out.py",
        &["df.to_excel('x')", "w = csv.writer(f)", "wb = Workbook()"],
        "FILE EXPORT",
        "Parse actual output in tests",
    ),
];

#[test]
fn every_kind_is_recognised_by_an_added_line_and_says_what_to_test() {
    let world = autonomous();
    for (file, lines, heading, test) in ROWS {
        for line in *lines {
            world.write(file, &format!("{line}\n"));
            let reason = world.session_stops("s1").is_blocked();
            let section = format!("\n   ⚠️  {heading} CHANGES DETECTED:\n      - {test}\n");
            assert!(
                format!("{reason}\n").contains(&section),
                "{file}: {line}: «{section}» is not in\n{reason}"
            );
            world.remove(file);
        }
    }
}

#[test]
fn kinds_stand_in_the_order_of_the_table() {
    let world = autonomous();
    for (file, lines, ..) in ROWS.iter().rev() {
        world.write(file, &format!("{}\n", lines.join("\n")));
    }
    let reason = world.session_stops("s1").is_blocked();
    let mut headings: Vec<&str> = ROWS.iter().map(|(_, _, heading, _)| *heading).collect();
    headings.dedup();
    let said: Vec<&str> = reason
        .lines()
        .filter_map(|line| line.strip_prefix("   ⚠️  ")?.strip_suffix(" CHANGES DETECTED:"))
        .collect();
    assert_eq!(headings.len(), 11);
    assert_eq!(said, headings);
}

#[test]
fn the_checklist_is_said_whole() {
    let world = autonomous();
    world.write("a.py", "buf = BytesIO()\n");
    let reason = world.session_stops("s1").is_blocked();
    let checklist = "\
COMPLIANCE CHECKLIST

1. PHILOSOPHY: boring over clever | local over abstract | small composable units | stateless with side effects at edges | fail loud never silent | tests are truth

2. STYLE: type hints everywhere | snake_case files | absolute imports | Pydantic for contracts

3. LIMITS: files < 400 lines | functions < 60 lines

4. CHANGE-SPECIFIC TESTING REQUIRED:

   ⚠️  SERIALIZATION BOUNDARY CHANGES DETECTED:
";
    assert!(reason.contains(checklist), "{reason}");
}
