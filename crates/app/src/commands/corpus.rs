//! `plimsoll explain --corpus`: a file of commands and tool calls with the answers they should get, scored.
//!
//! Each row names a context; contexts are scratch repositories, made here and removed again. Nothing in the file is run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use model::state_files::{Proof, TestResult, TestStatus};
use model::{Decision, Verdict};
use serde_json::{Value as Json, json};
use state::{Machine, atomic, files};

use crate::ui::{Printer, Tone};
use crate::{exit, hook};

/// One line of the file.
struct Row {
    id: String,
    tool: String,
    input: Json,
    expected: String,
    category: String,
    context: String,
    /// A row that must hold to the letter, not only in spirit.
    strict: bool,
}

impl Row {
    /// The command, or the call.
    fn shown(&self) -> String {
        match self.input["command"].as_str().filter(|_| self.tool == "Bash") {
            Some(command) => command.to_owned(),
            None => format!("{} {}", self.tool, self.input),
        }
    }
}

struct Miss {
    row: Row,
    got: String,
}

pub(super) fn run(printer: &Printer, file: &Path, json: bool) -> anyhow::Result<u8> {
    let text = files::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let text = text.with_context(|| format!("{} is not there", file.display()))?;
    let rows: Vec<Row> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| row(line).with_context(|| format!("{}, line {}", file.display(), number + 1)))
        .collect::<anyhow::Result<_>>()?;
    // Rows with a context are about the gates, which are part of `strict`.
    let gates = rows.iter().any(|row| !row.context.is_empty());
    let work = files::scratch_dir("plimsoll-corpus").context("no scratch folder could be made")?;
    let scored = score(&work, rows, gates);
    files::remove_dir(&work)?;
    let (table, misses) = scored?;
    report(printer, &table, &misses, json);
    Ok(if misses.is_empty() { exit::OK } else { exit::FAILED })
}

fn row(line: &str) -> anyhow::Result<Row> {
    let json: Json = serde_json::from_str(line).context("is not JSON")?;
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let (tool, input) = match (json["command"].as_str(), json["tool"].as_str()) {
        (Some(command), None) => ("Bash", json!({"command": command})),
        (None, Some(tool)) if json["input"].is_object() => (tool, json["input"].clone()),
        _ => bail!("has no command, and no tool with an input"),
    };
    if json["expected"].as_str().is_none() {
        bail!("has no expected answer");
    }
    Ok(Row {
        id: text("id"),
        tool: tool.to_owned(),
        input,
        expected: text("expected"),
        category: text("category"),
        context: text("context"),
        strict: json["basis"] == "seed",
    })
}

/// Expected answer to answer that was given, with how often.
type Table = BTreeMap<(String, String), usize>;

fn score(work: &Path, rows: Vec<Row>, gates: bool) -> anyhow::Result<(Table, Vec<Miss>)> {
    let stage = Stage::build(work, gates)?;
    let (mut table, mut misses) = (Table::new(), Vec::new());
    for row in rows {
        let verdict = stage.judge(&row);
        let got = answer(&verdict);
        *table.entry((row.expected.clone(), got.to_owned())).or_default() += 1;
        if !holds(&row, &verdict, gates) {
            misses.push(Miss { got: format!("{got} {}", verdict.rules().join(" ")), row });
        }
    }
    Ok((table, misses))
}

fn answer(verdict: &Verdict) -> &'static str {
    if verdict.command.is_some() && verdict.decision < Decision::Ask {
        "rewrite"
    } else {
        verdict.decision.as_str()
    }
}

fn holds(row: &Row, verdict: &Verdict, gates: bool) -> bool {
    match row.expected.as_str() {
        "deny" => verdict.decision == Decision::Deny,
        // Not approved; what is promised not to be denied must not be.
        "ask" => verdict.decision != Decision::Allow && !(row.strict && verdict.decision == Decision::Deny),
        "allow" if gates => verdict.decision == Decision::Allow && verdict.command.is_none(),
        "allow" => verdict.decision < Decision::Ask && verdict.command.is_none(),
        "rewrite" => verdict.command.is_some() && verdict.decision == Decision::None,
        _ => false,
    }
}

/// The scratch repositories.
struct Stage {
    work: PathBuf,
}

/// The evidence never grows old.
const FAR: u64 = 4_102_444_800;

const LIMIT: Duration = Duration::from_mins(1);

impl Stage {
    fn build(work: &Path, gates: bool) -> anyhow::Result<Self> {
        let stage = Self { work: work.to_owned() };
        for (name, branch, evidence) in [
            ("main", "main", true),
            ("main-plan", "main", true),
            ("feature", "feature", true),
            ("nogates", "feature", false),
        ] {
            let root = stage.root(name);
            let write = |name: &str, text: &str| atomic::write(&root.join(name), text.as_bytes());
            write("src/a.ts", "export const a = 1;\n")?;
            write("MASTER_PLAN.md", "# Plan\n")?;
            git(&root, &["init", "-q", "-b", "main"])?;
            git(&root, &["add", "-A"])?;
            git(&root, &["commit", "-qm", "start"])?;
            if branch != "main" {
                git(&root, &["checkout", "-qb", branch])?;
            }
            write("src/a.ts", "export const a = 2;\n")?;
            match name {
                "main" => git(&root, &["add", "src/a.ts"])?,
                "main-plan" => {
                    write("MASTER_PLAN.md", "# Plan\n\nMore.\n")?;
                    git(&root, &["add", "MASTER_PLAN.md"])?;
                }
                _ => git(&root, &["checkout", "-q", "--", "src/a.ts"])?,
            }
            if evidence {
                // As a run of the tests and the user's word would have left them.
                let machine = stage.machine(&root, &root);
                let status = TestStatus { result: TestResult::Pass, failures: 0, at: FAR };
                let tree = Some(state::evidence::tree_hash(&machine, &root)?);
                let run =
                    state::evidence::Run { status, tree, runner: "corpus".into(), ..Default::default() };
                state::evidence::record(&machine, &root, &run, true)?;
                let proof = Proof { verified: true, at: FAR };
                let file = root.join(".claude").join(Proof::FILE);
                state::written::write(&machine, &file, &format!("{proof}\n"))?;
            }
        }
        let profile = if gates { "strict" } else { "standard" };
        atomic::write(
            &work.join("home/.claude/hooks/config.json"),
            json!({"profile": profile}).to_string().as_bytes(),
        )?;
        Ok(stage)
    }

    fn root(&self, context: &str) -> PathBuf {
        let name = match context {
            "" | "feature-subdir" => "feature",
            other => other,
        };
        self.work.join("home").join(name)
    }

    fn machine(&self, project: &Path, cwd: &Path) -> Machine {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (home, state) = (text(&self.work.join("home")), text(&self.work.join("state")));
        let project = text(project);
        Machine::with(
            &[("HOME", &home), ("PLIMSOLL_STATE_DIR", &state), ("CLAUDE_PROJECT_DIR", &project)],
            cwd,
        )
    }

    fn judge(&self, row: &Row) -> Verdict {
        let root = self.root(&row.context);
        let cwd = if row.context == "feature-subdir" { root.join("src") } else { root.clone() };
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let machine = self.machine(&root, &cwd);
        let mut input = row.input.clone();
        for (mark, name) in [("{MAIN}", "main"), ("{FEATURE}", "feature"), ("{NOGATES}", "nogates")] {
            replace(&mut input, mark, &text(self.root(name)));
        }
        let event = super::explain::tool_event(&machine.cwd(), &row.tool, &input);
        hook::judge(&machine, &hook::Terms::default(), &event, hook::Look::EXPLAINING).report.verdict
    }
}

fn replace(value: &mut Json, mark: &str, text: &str) {
    match value {
        Json::String(string) => *string = string.replace(mark, text),
        Json::Array(list) => list.iter_mut().for_each(|value| replace(value, mark, text)),
        Json::Object(object) => object.values_mut().for_each(|value| replace(value, mark, text)),
        _ => {}
    }
}

fn git(root: &Path, words: &[&str]) -> anyhow::Result<()> {
    let who = ["-c", "user.name=corpus", "-c", "user.email=corpus@example.invalid"];
    let args: Vec<&str> = who.iter().chain(words).copied().collect();
    let done = state::git::run(root, &args, LIMIT)?;
    if done.code != Some(0) {
        bail!("git {} failed: {}", words[0], String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}

fn report(printer: &Printer, table: &Table, misses: &[Miss], json: bool) {
    let total: usize = table.values().sum();
    if json {
        let list: Vec<Json> = misses
            .iter()
            .map(|miss| json!({"id": miss.row.id, "command": miss.row.shown(), "expected": miss.row.expected, "got": miss.got, "category": miss.row.category}))
            .collect();
        let counts: Vec<Json> = table
            .iter()
            .map(|((expected, got), count)| json!({"expected": expected, "got": got, "count": count}))
            .collect();
        printer.json(&json!({"rows": total, "misses": list, "table": counts}));
        return;
    }
    for miss in misses {
        printer.line(&format!(
            "{} {}: expected {}, got {}",
            miss.row.id, miss.row.category, miss.row.expected, miss.got
        ));
        printer.toned(Tone::Faint, &format!("    {}", miss.row.shown().replace('\n', "\n    ")));
    }
    let answers = ["deny", "ask", "none", "allow", "rewrite"];
    let mut rows = vec![
        std::iter::once("expected".to_owned())
            .chain(answers.iter().map(|a| (*a).to_owned()))
            .collect::<Vec<_>>(),
    ];
    for expected in ["deny", "ask", "allow", "rewrite"] {
        let counts = answers.iter().map(|got| {
            table.get(&(expected.to_owned(), (*got).to_owned())).copied().unwrap_or(0).to_string()
        });
        rows.push(std::iter::once(expected.to_owned()).chain(counts).collect());
    }
    printer.table(&rows);
    let tone = if misses.is_empty() { Tone::Good } else { Tone::Bad };
    printer.toned(tone, &format!("{total} rows, {} misses", misses.len()));
}
