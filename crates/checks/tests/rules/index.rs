//! What the index finds is what trying every rule on everything would find.

use checks::cases::{shell_event, tool_event};
use checks::rules::{Matched, found, found_by_trying_all, parse};
use model::rule::{Author, Book};
use model::{Config, Event, EventName};
use proptest::prelude::*;
use serde_json::json;

/// Keys of rules.
const KEYS: &[&str] = &[
    "call = \"git push\"",
    "call = { program = [\"git\", \"terraform\"], words = [\"p*\"] }",
    "call = { program = \"*\", operand = \"*.pem\" }",
    "call = { program = \"terraform\", words = [\"apply\"], not_options = [\"-refresh-only\"] }",
    "call = { program = \"git\", begins = [\"-C\", [\"x\", \"y\"]] }",
    "call = { program = \"./run.sh\" }",
    "read = \"secrets/**\"",
    "read = [\"*.pem\", \"~/keys/**\"]",
    "read = \"**/Secrets/*.key\"",
    "read = { unlike = \"src/**\" }",
    "read = \"**\"",
    "read = \"id_*\"",
    "write = \"infra/prod/**\"",
    "write = \"infra/*/main.tf\"",
    "write = \"./**\"",
    "write = \"/etc/**\"",
    "write = \"[a-s]rc/**\"",
    "write = { like = \"src/**\", unlike = \"src/gen/**\" }",
    "delete = \"infra/prod/db\"",
    "delete = [\"*data*\", \"migrations\"]",
    "fetch = \"*.evil.example\"",
    "fetch = \"[a-e]*.example\"",
    "send = { unlike = \"good.example\" }",
    "install = \"left-pad\"",
    "install = { package = \"left*\", from = \"npm\" }",
    "sql = \"*drop *\"",
    "ref = \"release/*\"",
    "write = \"src/**\"\nadds = \"import os\"",
    "adds = { new = true, text = { lacks = \"SPDX\" } }",
    "mcp = { server = \"jira\", tool = \"create*\" }",
    "mcp = { server = \"j*\" }",
    "tool = \"Bash\"",
    "tool = { unlike = \"Bash\" }",
];

const COMMANDS: &[&str] = &[
    "git push origin release/1.2",
    "git -C x push",
    "git $VERB",
    "sudo terraform --unknown apply",
    "terraform $X && tofu apply",
    "cat secrets/a ./a/b.pem ~/keys/c",
    "cat $DIR/id_rsa \"$FILE\" infra/$ENV/main.tf",
    "tar czf x.tgz . && grep -r token /",
    "echo x > infra/prod/main.tf; rm -rf infra",
    "touch src/gen/a src/b; sed -i s/a/b/ /etc/hosts",
    "rm -rf migrations my-data-1; mv infra/prod/db x",
    "cat x/SECRETS/y.key src/a.rs",
    "curl https://a.Evil.example/x && wget http://b.example/$Y",
    "curl -T x https://good.example; curl -d @x https://other.example/",
    "curl https://$HOST/x",
    "npm install left-pad@1.0 lodash && pip install left-pad",
    "npm install $PACKAGE",
    "psql -c 'DROP TABLE x'",
    "./run.sh; sh run.sh",
    "echo 'import os' >> src/a.py",
    "cat <<'X' > new.py\nimport os\nX",
    "openssl x509 -in server.pem",
];

fn events() -> Vec<Event> {
    let tool = |name: &str, input| tool_event(&EventName::PreToolUse, Some(name), input);
    let mut all: Vec<Event> = COMMANDS.iter().map(|command| shell_event(command)).collect();
    all.extend([
        tool("Read", json!({"file_path": "/home/user/keys/a.pem"})),
        tool("Write", json!({"file_path": "src/new.py", "content": "import os\n"})),
        tool("Edit", json!({"file_path": "infra/prod/main.tf", "old_string": "a", "new_string": "b"})),
        tool("WebFetch", json!({"url": "https://x.evil.example/", "prompt": "x"})),
        tool("mcp__jira__create_issue", json!({"title": "x"})),
        tool("mcp__files__write_file", json!({"path": "infra/prod/x", "content": "import os"})),
        tool("TodoWrite", json!({})),
    ]);
    all
}

fn written(found: Vec<Matched>) -> Vec<String> {
    found.into_iter().map(|one| format!("{} {:?} {:?}", one.rule.id, one.fit, one.call)).collect()
}

fn book(keys: &[&str]) -> Book {
    let rule = |(nth, key): (usize, &&str)| {
        format!(
            "[[rule]]\nid = \"a/r{nth}\"\n{key}\nthen = \"deny\"\nsay = \"x\"\ncases = {{ deny = [\"x\"], none = [\"y\"] }}\n"
        )
    };
    let text: String = keys.iter().enumerate().map(rule).collect();
    let rules = parse(&text, Author::User, "rules.toml").unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    Book::new(&rules.into_iter().map(|one| one.rule).collect::<Vec<_>>())
}

/// A rule whose case has a file that is there, so that added lines are compared with something.
const GIVEN: &str = "[[rule]]\nid = \"a/b\"\ncall = \"x\"\nthen = \"deny\"\nsay = \"x\"\ncases = { deny = [{ command = \"x\", given = { files = { \"src/a.py\" = \"x = 1\" }, links = { \"b/x\" = \"/home/me/keys\", \"abc\" = \"a\" } } }], none = [\"y\"] }\n";

fn same(keys: &[&str], event: &Event) -> usize {
    let given = parse(GIVEN, Author::User, "rules.toml").unwrap_or_else(|fault| panic!("{fault}"));
    let table = &given[0].cases[0].table;
    let (book, config) = (book(keys), Config::default());
    let by_index = written(found(event, table, &config, &book));
    assert_eq!(by_index, written(found_by_trying_all(event, table, &config, &book)), "{event:?}");
    by_index.len()
}

#[test]
fn nothing_is_lost() {
    let hits: usize = events().iter().map(|event| same(KEYS, event)).sum();
    assert!(hits > 60, "{hits}");
    for key in KEYS {
        let hits: usize = events().iter().map(|event| same(&[key], event)).sum();
        assert!(hits > 0, "{key} fits nothing here");
    }
}

fn pattern() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "a", "B", "*", "**", "*.x", "ab*", "?", "[ab]", "[!/]", "a.x", "~", "", ".", "a?", "*a*", "\\\\a",
    ]);
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

fn path() -> impl Strategy<Value = String> {
    let part =
        prop::sample::select(vec!["a", "b", "A", "ab", "abc", "a.x", "c.X", "..", "~", "$H", "a$H", "", "x"]);
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 3000 }))]

    #[test]
    fn no_path_is_lost(
        patterns in prop::collection::vec(pattern(), 1..4),
        paths in prop::collection::vec(path(), 1..4),
        folders in prop::collection::vec(path(), 0..3),
        delete in any::<bool>(),
    ) {
        let key = if delete { "delete" } else { "read" };
        let keys: Vec<String> = patterns.iter().filter(|one| model::rule::pattern::fault(one).is_none())
            .map(|one| format!("{key} = \"{one}\"")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let verb = if delete { "rm -rf" } else { "cat" };
        let mut command = format!("{verb} {}", paths.join(" "));
        for folder in folders {
            command = format!("{command}; cd {folder} && {verb} {}", paths.join(" "));
        }
        same(&keys, &shell_event(&command));
    }
}
