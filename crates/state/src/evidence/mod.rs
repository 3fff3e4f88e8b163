//! What test runs have really given, and for which code. Evidence belongs to a tree: the runs of a repository are kept together, each with
//! the hash of the source that it tested, so that the same code needs no second run in another work tree or after a merge. The status
//! file in `.claude` mirrors the last run for other tools; it is never believed by itself.

mod begun;
mod judged;
mod stored;
mod tree;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::state_files::{TestResult, TestStatus};
use model::{LastRun, Tested, Tree};
use serde_json::{Value as Json, json};

pub use begun::{begin, end};
pub use tree::tree_hash;

use crate::{Lock, Machine, Project, atomic, files, git, written};

/// Runs of one repository; the oldest go.
const MOST: usize = 200;
const WAIT: Duration = Duration::from_secs(5);

/// A test run that has come to an end.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub status: TestStatus,
    /// The hash of what it tested; `None` where the code changed while it ran.
    pub tree: Option<String>,
    pub runner: String,
    /// What was run, where that was not all of the tests.
    pub part: Option<String>,
    /// There was nothing that could be run.
    pub nothing: bool,
    /// Of a project whose tests lie in several folders: those whose tests were all run, and all that there were.
    pub covers: Vec<String>,
    pub of: Vec<String>,
    /// It failed, and no runner has said so: perhaps there was none.
    pub unsure: bool,
}

impl Run {
    fn json(&self) -> Json {
        json!({
            "status": self.status.to_string(),
            "tree": self.tree,
            "runner": self.runner,
            "part": self.part,
            "nothing": self.nothing,
            "covers": self.covers,
            "of": self.of,
            "unsure": self.unsure,
        })
    }

    fn parse(json: &Json) -> Option<Self> {
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let texts = |key: &str| -> Vec<String> {
            json[key]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect()
        };
        Some(Self {
            status: TestStatus::parse(json["status"].as_str()?)?,
            tree: text("tree"),
            runner: text("runner").unwrap_or_default(),
            part: text("part"),
            nothing: json["nothing"] == true,
            covers: texts("covers"),
            of: texts("of"),
            unsure: json["unsure"] == true,
        })
    }

    /// It shows that there are tests.
    fn is_result(&self) -> bool {
        self.status.result != TestResult::None && !self.unsure
    }
}

fn records_of(machine: &Machine, root: &Path) -> PathBuf {
    Project::at(machine, files::resolve(root)).records
}

/// The records that all work trees of a repository share.
fn shared_records(machine: &Machine, root: &Path) -> PathBuf {
    let main = git::Repository::find(root).map(|repository| repository.main_root());
    records_of(machine, main.as_deref().unwrap_or(root))
}

fn list_file(machine: &Machine, root: &Path) -> PathBuf {
    shared_records(machine, root).join("tests.json")
}

fn last_file(machine: &Machine, root: &Path) -> PathBuf {
    records_of(machine, root).join("tests-last.json")
}

fn proofs_file(machine: &Machine, root: &Path) -> PathBuf {
    shared_records(machine, root).join("proofs.json")
}

fn status_file(root: &Path) -> PathBuf {
    root.join(".claude").join(TestStatus::FILE)
}

/// Adds to a list of which only the last entries are kept.
fn push(file: &Path, entry: Json) -> io::Result<()> {
    // Not the lock of the same name, which a run holds while it goes on.
    let _lock = Lock::take(&file.with_extension("list-lock"), WAIT)?;
    let mut all = list(file);
    all.push(entry);
    let old = all.len().saturating_sub(MOST);
    atomic::write(file, format!("{:#}\n", json!({"list": &all[old..]})).as_bytes())
}

fn list(file: &Path) -> Vec<Json> {
    let json = files::read_json(file).unwrap_or_default();
    json["list"].as_array().cloned().unwrap_or_default()
}

fn runs(machine: &Machine, root: &Path) -> Vec<Run> {
    list(&list_file(machine, root)).iter().filter_map(Run::parse).collect()
}

/// Records a run. The status file follows it where `mirrored`, unless it would say more than is true: that a part has passed.
pub fn record(machine: &Machine, root: &Path, run: &Run, mirrored: bool) -> io::Result<()> {
    // Ours first: a status without its record would count as another tool's.
    if run.tree.is_some() {
        push(&list_file(machine, root), run.json())?;
    }
    // Without a runner there is no status either.
    if run.runner.is_empty() {
        return Ok(());
    }
    atomic::write(&last_file(machine, root), format!("{:#}\n", run.json()).as_bytes())?;
    if !mirrored || run.part.is_some() && run.status.result != TestResult::Fail {
        return Ok(());
    }
    mirror(machine, root, run)
}

/// Writes the status file, which other tools read: it has no word for a part.
pub fn mirror(machine: &Machine, root: &Path, run: &Run) -> io::Result<()> {
    written::write(machine, &status_file(root), &format!("{}\n", run.status))
}

/// Forgets the last run, not what is known of other code: with a new session it says nothing any more.
pub fn forget(machine: &Machine, root: &Path) -> io::Result<()> {
    {
        let file = status_file(root);
        let _lock = written::lock(machine, &file)?;
        written::remove(machine, &file)?;
    }
    files::remove(&last_file(machine, root))
}

/// The last run below `root` that nobody has forgotten.
pub fn last(machine: &Machine, root: &Path) -> Option<Run> {
    Run::parse(&files::read_json(&last_file(machine, root))?)
}

/// The same as far as checks ask for it.
pub(crate) fn last_run(machine: &Machine, root: &Path) -> Option<LastRun> {
    last(machine, root).map(|run| LastRun { status: run.status, part: run.part })
}

/// Which runner the last recorded run was by.
pub fn runner(machine: &Machine, root: &Path) -> Option<String> {
    last(machine, root).map(|run| run.runner)
}

/// What is known about this code of the work tree below `root`.
pub fn tested(machine: &Machine, root: &Path, tree: &Tree) -> Tested {
    let known = runs(machine, root);
    if known.is_empty() {
        return if is_void(machine, root) { Tested::Forged } else { Tested::Unrecorded };
    }
    match hash_of(machine, root, tree).map_or(Tested::Changed, |hash| judged::judge(&known, &hash)) {
        Tested::Changed if *tree == Tree::Present && is_void(machine, root) => Tested::Forged,
        tested => tested,
    }
}

/// The hash of this code; `None` where it cannot be told without making it.
fn hash_of(machine: &Machine, root: &Path, tree: &Tree) -> Option<String> {
    match tree {
        Tree::Present => tree_hash(machine, root).ok(),
        Tree::Merged(version) => merge_result(root, version),
        Tree::Version(version) => {
            let repository = git::Repository::find(root)?;
            tree::of_commit(&repository, version, &git::prefix(root)).map(|sources| tree::hash(&sources))
        }
    }
}

/// Whether a status lies there that we did not write.
fn is_void(machine: &Machine, root: &Path) -> bool {
    let file = status_file(root);
    files::exists(&file) && matches!(written::read(machine, &file, written::Belief::Ours), Ok(None))
}

/// The hash of the source after a merge of `version` into what is checked out; `None` where only the merge itself would tell.
fn merge_result(root: &Path, version: &str) -> Option<String> {
    let repository = git::Repository::find(root)?;
    let prefix = git::prefix(root);
    let of = |version: &str| tree::of_commit(&repository, version, &prefix);
    let theirs = of(version)?;
    let bases = git::text(&repository.root, &["merge-base", "--all", "HEAD", version]).ok()?;
    let mut bases = bases.lines();
    let (base, None) = (bases.next()?, bases.next()) else { return None };
    if repository.head().commit.as_deref() == Some(base) {
        return Some(tree::hash(&theirs));
    }
    Some(tree::hash(&tree::merged(&of(base)?, &of("HEAD")?, &theirs)?))
}

/// The user has seen the code below `root` work, as it is now.
pub fn prove(machine: &Machine, root: &Path, at: u64) -> io::Result<()> {
    let tree = tree_hash(machine, root)?;
    push(&proofs_file(machine, root), json!({"tree": tree, "at": at}))
}

/// The user takes back what they have said about it.
pub fn disprove(machine: &Machine, root: &Path) -> io::Result<()> {
    files::remove(&proofs_file(machine, root))
}

fn is_proved(machine: &Machine, root: &Path, tree: &str) -> bool {
    list(&proofs_file(machine, root)).iter().any(|proof| proof["tree"].as_str() == Some(tree))
}

/// Whether the user has seen exactly this code work, wherever it lay then.
pub fn proved(machine: &Machine, root: &Path, tree: &Tree) -> bool {
    files::exists(&proofs_file(machine, root))
        && hash_of(machine, root, tree).is_some_and(|hash| is_proved(machine, root, &hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::testing::{commit, git, repo};

    fn world() -> (tempfile::TempDir, PathBuf, Machine) {
        let (guard, root) = repo();
        let state = root.join(".git/state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &root);
        commit(&root, "a.py", "1");
        commit(&root, ".gitignore", "made.py\n");
        (guard, root, machine)
    }

    fn merge(version: &str) -> Tree {
        Tree::Merged(version.into())
    }

    fn run(machine: &Machine, root: &Path, result: TestResult, part: Option<&str>, at: u64) {
        let status = TestStatus { result, failures: u64::from(result == TestResult::Fail), at };
        let tree = Some(tree_hash(machine, root).unwrap());
        let run =
            Run { status, tree, runner: "pytest".into(), part: part.map(str::to_owned), ..Run::default() };
        record(machine, root, &run, true).unwrap();
    }

    #[test]
    fn evidence_holds_for_the_code_that_was_tested() {
        let (_guard, root, machine) = world();
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Unrecorded);
        run(&machine, &root, TestResult::Pass, None, 5);
        assert_eq!(std::fs::read_to_string(root.join(".claude/.test-status")).unwrap(), "pass|0|5\n");
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Same);
        // What is not a source, ignored or ours changes nothing; neither does committing.
        for name in ["README.md", "made.py", ".claude/x.py"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Same);
        std::fs::write(root.join("b.py"), "new").unwrap();
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Changed);
        std::fs::remove_file(root.join("b.py")).unwrap();
        commit(&root, "notes.txt", "x");
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Same);
        git(&root, &["checkout", "-qb", "feature"]);
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Same);
        std::fs::write(root.join("a.py"), "2").unwrap();
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Changed);
        std::fs::write(root.join(".claude/.test-status"), "pass|0|6\n").unwrap();
        assert_eq!(
            tested(&machine, &root, &Tree::Present),
            Tested::Forged,
            "somebody else's word counts for nothing"
        );
        std::fs::write(root.join("a.py"), "1").unwrap();
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Same, "and takes nothing away");
        forget(&machine, &root).unwrap();
        assert_eq!(
            tested(&machine, &root, &Tree::Present),
            Tested::Same,
            "the same code needs no second run"
        );
        assert!(last(&machine, &root).is_none() && !root.join(".claude/.test-status").exists());
    }

    #[test]
    fn parts_and_failures_say_what_they_say() {
        let (_guard, root, machine) = world();
        run(&machine, &root, TestResult::Pass, Some("pytest -k a"), 1);
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Part("pytest -k a".into()));
        assert!(!root.join(".claude/.test-status").exists(), "the file cannot say that it was a part");
        run(&machine, &root, TestResult::Pass, None, 2);
        run(&machine, &root, TestResult::Pass, Some("pytest -k a"), 3);
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Same);
        run(&machine, &root, TestResult::Fail, Some("pytest -k b"), 4);
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Failed);
        assert_eq!(std::fs::read_to_string(root.join(".claude/.test-status")).unwrap(), "fail|1|4\n");
        run(&machine, &root, TestResult::None, None, 5);
        assert_eq!(
            tested(&machine, &root, &Tree::Present),
            Tested::Failed,
            "a run without an end takes nothing back"
        );
    }

    #[test]
    fn a_project_without_tests_says_so_until_it_has_some() {
        let (_guard, root, machine) = world();
        let none = Run {
            status: TestStatus { result: TestResult::None, failures: 0, at: 1 },
            tree: Some(tree_hash(&machine, &root).unwrap()),
            nothing: true,
            ..Run::default()
        };
        record(&machine, &root, &none, true).unwrap();
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::NoTests);
        assert!(!root.join(".claude/.test-status").exists());
        std::fs::write(root.join("test_a.py"), "1").unwrap();
        run(&machine, &root, TestResult::Fail, None, 2);
        std::fs::remove_file(root.join("test_a.py")).unwrap();
        record(&machine, &root, &none, true).unwrap();
        assert_eq!(
            tested(&machine, &root, &Tree::Present),
            Tested::Changed,
            "tests that are gone are not a pass"
        );
    }

    #[test]
    fn a_tested_tree_is_known_in_every_work_tree_and_after_a_merge() {
        let (_guard, root, machine) = world();
        let tree = root.join("wt");
        git(&root, &["worktree", "add", "-q", "-b", "feature", "wt"]);
        std::fs::write(tree.join("a.py"), "2").unwrap();
        run(&machine, &tree, TestResult::Pass, None, 1);
        prove(&machine, &tree, 1).unwrap();
        assert_eq!(tested(&machine, &root, &Tree::Present), Tested::Changed);
        assert_eq!(tested(&machine, &root, &merge("feature")), Tested::Changed, "nothing is committed yet");
        commit(&tree, "a.py", "2");
        assert_eq!(tested(&machine, &root, &merge("feature")), Tested::Same, "it would be a fast-forward");
        assert!(proved(&machine, &root, &merge("feature")) && !proved(&machine, &root, &Tree::Present));
        commit(&root, "README.md", "main went on, without code");
        assert_eq!(tested(&machine, &root, &merge("feature")), Tested::Same);
        commit(&root, "b.py", "main went on");
        assert_eq!(tested(&machine, &root, &merge("feature")), Tested::Changed);
        assert!(!proved(&machine, &root, &merge("feature")));
        let version = |name: &str| Tree::Version(name.into());
        assert_eq!(tested(&machine, &root, &version("feature")), Tested::Same, "by itself it is what it was");
        assert_eq!(tested(&machine, &root, &version("HEAD")), Tested::Changed);
        assert_eq!(tested(&machine, &root, &merge("nowhere")), Tested::Changed);
    }
}
