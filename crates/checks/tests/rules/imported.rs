//! Rules of other tools that were taken over, beside the tools themselves: the same answers, except for what only we see through.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use checks::cases::{Table, shell_event};
use checks::rules::import::{From, import};
use checks::rules::test::answer;
use checks::rules::wrappers::{TEXTS, wrapped};
use checks::rules::{Written, parse};
use model::rule::{Author, Then};
use serde_json::{Value as Json, json};

use crate::needs::missing;

const TEAM: &str = include_str!("imported/team.json");
const CLOUD: &str = include_str!("imported/cloud.json");
const RULES: &str = include_str!("imported/team.rules");

/// The rules that are made of a file, each keeping its own cases.
fn taken_over(from: From, text: &str) -> Vec<Written> {
    let imported = import(from, text, "team").unwrap_or_else(|why| panic!("{why}"));
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    parse(&imported.toml, Author::User, "").unwrap_or_else(|fault| panic!("{fault}\n{}", imported.toml))
}

/// A folder of this test alone.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What our rules say, the strongest of them.
fn ours(rules: &[Written], command: &str) -> Option<Then> {
    let event = shell_event(command);
    let said = |one: &Written| answer(&one.rule, &event, &Table::default(), &model::Config::default());
    rules.iter().filter_map(said).min()
}

fn word(then: Option<Then>) -> &'static str {
    then.map_or("none", Then::as_str)
}

/// Rows that are answered otherwise, which must be known, and by us more strictly.
#[derive(Default)]
struct Beside {
    same: usize,
    differ: Vec<String>,
}

impl Beside {
    fn row(&mut self, command: &str, theirs: Option<Then>, ours: Option<Then>, how: &str) {
        // Of an approval only what was written is sure; whoever wraps it is asked.
        let is_stricter = match (theirs, ours) {
            (Some(Then::Allow), None) => true,
            (theirs, Some(ours)) => ours != Then::Allow && theirs.is_none_or(|theirs| ours < theirs),
            _ => false,
        };
        if theirs == ours {
            self.same += 1;
            return;
        }
        assert!(is_stricter, "{command}: they say {}, we {}", word(theirs), word(ours));
        self.differ.push(format!("{how}: {} (they: {}) {command}", word(ours), word(theirs)));
    }

    /// Holds them against those that are known, in a file beside this one.
    fn are(&self, known: &str, file: &str) {
        let found: String = self.differ.iter().map(|line| format!("{}\n", line.replace('\n', "⏎"))).collect();
        if std::env::var_os("PLIMSOLL_WRITE_ROWS").is_some() {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/imported").join(file);
            std::fs::write(file, &found).unwrap();
            return;
        }
        assert_eq!(found, known, "{file}; PLIMSOLL_WRITE_ROWS=1 writes it anew");
    }
}

/// Spellings of the rules' calls beside those of the books.
const SPELLINGS: &[&str] = &[
    "/usr/bin/docker system prune",
    "docker system 'prune'",
    "docker sys''tem prune",
    "docker system $WHAT",
    "git add --al",
    "npm i -g typescript",
    "terraform apply -auto-approve=true",
    "tofu apply -auto-approve",
    "acmectl config apply -vf x.yaml",
    "acmectl config apply -f x.yaml --chec",
    "aws s3 sync a s3://b --dry",
];

/// A home and a project with both rulebooks, and what the tool says there to each command. It is asked through its own module, all at
/// once.
fn safety_net(modules: &Path, commands: &[String]) -> Vec<Option<Then>> {
    let folder = Folder::new("safety-net");
    for (name, text) in [("team", TEAM), ("cloud", CLOUD)] {
        folder.write(&format!(".cc-safety-net/rules/{name}/rulebook.json"), text);
    }
    let rules = json!({"version": 1, "rules": ["team", "cloud"]}).to_string();
    folder.write(".cc-safety-net/rules/rule.json", &rules);
    let dir = &folder.0;
    let ask = "const [api, cwd] = process.argv.slice(1); const { checkCommand } = await import(api);
        let text = ''; for await (const part of process.stdin) text += part;
        console.log(JSON.stringify(JSON.parse(text).map(command => checkCommand({ command, cwd }))));";
    let mut child = Command::new("node")
        .args(["--input-type=module", "-e", ask])
        .arg(modules.join("cc-safety-net/dist/api.js"))
        .arg(dir)
        .env("HOME", dir)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(json!(commands).to_string().as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let said: Vec<Json> = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(said.len(), commands.len());
    let of_rules = |said: &Json| said["ruleId"].as_str().is_some_and(|id| id.starts_with("custom."));
    said.iter().map(|said| of_rules(said).then_some(Then::Deny)).collect()
}

#[test]
fn rulebooks_of_cc_safety_net() {
    let Some(modules) = std::env::var_os("PLIMSOLL_TEST_SAFETY_NET").map(PathBuf::from) else {
        return missing(
            "safety-net",
            "PLIMSOLL_TEST_SAFETY_NET names no folder with the module cc-safety-net",
        );
    };
    let mut rules = taken_over(From::CcSafetyNet, TEAM);
    rules.extend(taken_over(From::CcSafetyNet, CLOUD));
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut fixtures: Vec<Json> = Vec::new();
    for book in [TEAM, CLOUD] {
        let book: Json = serde_json::from_str(book).unwrap();
        fixtures.extend(book["tests"].as_array().unwrap().iter().cloned());
    }
    let text = |fixture: &Json| fixture["command"].as_str().unwrap().to_owned();
    commands.extend(fixtures.iter().map(|fixture| (text(fixture), "as it is".to_owned())));
    commands.extend(SPELLINGS.iter().map(|&command| (command.to_owned(), "spelling".to_owned())));
    for fired in ["acme release 1.2", "terraform apply -auto-approve"] {
        commands.extend(wrapped(fired).into_iter().map(|(how, text)| (text, how)));
        commands.extend(TEXTS.iter().map(|(how, wrap)| (wrap(fired), (*how).to_owned())));
    }
    let texts: Vec<String> = commands.iter().map(|(text, _)| text.clone()).collect();
    let theirs = safety_net(&modules, &texts);
    let mut beside = Beside::default();
    for ((command, how), theirs) in commands.iter().zip(theirs) {
        beside.row(command, theirs, ours(&rules, command), how);
    }
    for fixture in &fixtures {
        let expected = (fixture["expect"] == "blocked").then_some(Then::Deny);
        assert_eq!(ours(&rules, &text(fixture)), expected, "{fixture}");
    }
    assert!(beside.same > fixtures.len() + 40, "{} are the same", beside.same);
    beside.are(include_str!("imported/safety-net.txt"), "safety-net.txt");
}

/// What Codex says to the words of a command.
fn codex(program: &Path, dir: &Path, words: &[&str]) -> Option<Then> {
    let mut command = Command::new(program);
    command.args(["execpolicy", "check", "--rules"]).arg(dir.join("team.rules")).arg("--").args(words);
    let done = command.env("HOME", dir).env("CODEX_HOME", dir).current_dir(dir).output().unwrap();
    let said: Json = serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&done.stderr)));
    match said["decision"].as_str() {
        None => None,
        Some("forbidden") => Some(Then::Deny),
        Some("prompt") => Some(Then::Ask),
        Some("allow") => Some(Then::Allow),
        Some(other) => panic!("the decision {other} is new"),
    }
}

#[test]
fn rules_of_codex() {
    let Some(base) = std::env::var_os("PLIMSOLL_TEST_AGENTS").map(PathBuf::from) else {
        return missing("agents", "PLIMSOLL_TEST_AGENTS names no folder with clients of other agents");
    };
    let program = base.join("codex/node_modules/.bin/codex");
    if !program.exists() {
        return missing("agents", "codex is not installed");
    }
    let folder = Folder::new("codex");
    folder.write("team.rules", RULES);
    let rules = taken_over(From::Codex, RULES);
    let mut beside = Beside::default();
    // What the rules themselves promise, which Codex looks at when it reads them, and more in other spellings.
    let plain = [
        "gh pr view 7",
        "gh pr list --json title",
        "gh pr --repo acme/x view 7",
        "gh pr merge 7",
        "gh issue view 7",
        "gh pr",
        "acme up",
        "acme-beta up now",
        "acme status up",
        "acme -v up",
        "up acme",
        "git -C x status",
        "git status",
        "git status -C x",
        "acme status --all",
        "acme status",
        "acme stat",
        "acme upgrade",
        "/usr/bin/gh pr view 7",
        "ls",
    ];
    for command in plain {
        let words: Vec<&str> = command.split(' ').collect();
        beside.row(command, codex(&program, &folder.0, &words), ours(&rules, command), "as it is");
    }
    let as_it_is = beside.differ.len();
    assert!(as_it_is <= 1, "{:?}", beside.differ);
    // A script is one word to its rules, so a few are enough: each is a process.
    for (how, text) in wrapped("acme up").into_iter().chain(wrapped("gh pr view 7")).step_by(8) {
        let theirs = codex(&program, &folder.0, &["bash", "-c", &text]);
        beside.row(&text, theirs, ours(&rules, &text), &how);
    }
    for (how, wrap) in TEXTS.iter().step_by(4) {
        let text = wrap("acme up");
        let theirs = codex(&program, &folder.0, &["bash", "-c", &text]);
        beside.row(&text, theirs, ours(&rules, &text), how);
    }
    beside.are(include_str!("imported/codex.txt"), "codex.txt");
}
