//! The questions about the work in a project, answered from disk and by `git`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::practice::{Churn, TestResult, TestStatus};
use model::{Config, Digest, LastRun, SessionId, Tested, Tree, Unknown, Work};

use crate::process::{Program, SHELL};
use crate::reach::Fence;
use crate::written::{self, Belief};
use crate::{
    DiskFacts, Machine, Project, append_line, churn, evidence, files, git, source_words, strikes, turn,
};

/// A list of work that takes longer has nothing to say.
const TODO_LIMIT: Duration = Duration::from_secs(2);
/// Where nobody waits.
const TELL_LIMIT: Duration = Duration::from_secs(30);

/// Between two looks at tests that are running.
const TESTS_PAUSE: Duration = Duration::from_millis(100);

impl Work for DiskFacts<'_> {
    fn list(&self, dir: &Path) -> Vec<PathBuf> {
        files::list(dir)
    }

    fn modified(&self, path: &Path) -> Option<u64> {
        files::modified(path)
    }

    fn source_digests(&self, digest: &Digest) -> Vec<String> {
        let found = source_words::digests(self.machine, self.project, digest);
        found.into_iter().map(|(_, said)| said).collect()
    }

    fn uncommitted(&self, dir: &Path) -> Result<Vec<String>, Unknown> {
        let Some(repository) = git::Repository::find(dir) else { return Ok(Vec::new()) };
        let mut known = self.uncommitted.borrow_mut();
        let asked = known.entry(repository.root.clone()).or_insert_with(|| {
            let found =
                git::status(self.machine, &repository.root).map_err(|error| Unknown(error.to_string()))?;
            // Work trees lie where we advise to make them.
            let ours = |path: &String| model::changes::is_record(path) || path.starts_with(".worktrees/");
            Ok(found.keys().filter(|path| !ours(path)).cloned().collect())
        });
        asked.clone()
    }

    fn diff(&self, path: &Path) -> Result<String, Unknown> {
        let dir = path.parent().unwrap_or(path);
        let name = format!(":(literal){}", path.file_name().unwrap_or_default().to_string_lossy());
        let words = ["diff", "--no-ext-diff", "--no-color", "HEAD", "--", &name];
        git::text(dir, &words).map_err(|error| Unknown(error.to_string()))
    }

    fn churn(&self, plan: &Path) -> Result<Option<Churn>, Unknown> {
        churn::churn(self.machine, plan).map_err(|error| Unknown(error.to_string()))
    }

    fn source_written_since(&self, root: &Path, at: u64) -> bool {
        git::source_written_since(self.machine, root, at).unwrap_or(true)
    }

    fn known_churn(&self, plan: &Path) -> Option<Churn> {
        match self.belief {
            Belief::Everything => churn::churn(self.machine, plan).ok()?,
            Belief::Ours => churn::known(self.machine, plan),
        }
    }

    fn tested(&self, root: &Path, tree: &Tree) -> Tested {
        match self.belief {
            // The scripts knew no record: what the file says was enough.
            Belief::Everything => self.tested_by_file(root),
            Belief::Ours => evidence::tested(self.machine, root, tree),
        }
    }

    fn proved(&self, root: &Path, tree: &Tree) -> bool {
        self.belief == Belief::Ours && evidence::proved(self.machine, root, tree)
    }

    fn last_run(&self, root: &Path) -> Option<LastRun> {
        let by_file = || {
            let text = self.record(root, TestStatus::FILE).ok()??;
            Some(LastRun { status: TestStatus::parse(&text)?, part: None })
        };
        match self.belief {
            Belief::Everything => by_file(),
            Belief::Ours => evidence::last_run(self.machine, root).or_else(by_file),
        }
    }

    fn record(&self, root: &Path, name: &str) -> Result<Option<String>, Unknown> {
        let text = written::read(self.machine, &root.join(".claude").join(name), self.belief);
        text.map_err(|error| Unknown(error.to_string()))
    }

    fn believes_files(&self) -> bool {
        self.belief == Belief::Everything
    }

    fn strikes(&self, gate: &str, about: u64) -> u64 {
        let beside = |call: &str| self.transcript.is_some_and(|transcript| transcript.is_beside(call));
        strikes::count(self.machine, self.project, self.session, self.belief, gate, about, &beside)
    }

    fn tests_are_running(&self, root: &Path, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        loop {
            if !turn::is_running(self.machine, root) {
                return false;
            }
            if Instant::now() + TESTS_PAUSE > end {
                return true;
            }
            std::thread::sleep(TESTS_PAUSE);
        }
    }

    fn claim(&self, number: &str) -> bool {
        let words = ["claim", number, "--auto"].map(str::to_owned);
        tell(self.machine, self.project, self.session, &words, TODO_LIMIT).is_ok()
    }

    fn todo(&self, args: &[&str]) -> Option<String> {
        let done =
            ask_todo(self.machine, &self.loaded.config, &self.project.root, args, TODO_LIMIT).ok()??;
        Some(done.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl DiskFacts<'_> {
    fn tested_by_file(&self, root: &Path) -> Tested {
        let status = self.record(root, TestStatus::FILE).ok().flatten();
        match status.and_then(|text| TestStatus::parse(&text)) {
            Some(TestStatus { result: TestResult::Pass, .. }) => Tested::Same,
            Some(TestStatus { result: TestResult::Fail, .. }) => Tested::Failed,
            _ => Tested::Unrecorded,
        }
    }
}

/// Says something to the list of work. Not in a hook: the task `todo` does it.
pub fn tell_todo(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    words: &[String],
) -> io::Result<()> {
    tell(machine, project, session, words, TELL_LIMIT)
}

fn tell(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    words: &[String],
    limit: Duration,
) -> io::Result<()> {
    let config =
        crate::config::load(machine, project, |_| Some(model::Role::Guard), crate::config::Trust::Recorded)
            .config;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let tell = |words: &[&str]| ask_todo(machine, &config, &project.root, words, limit);
    if config.todo_command.as_deref() != Some("gh") {
        return tell(&words).map(drop);
    }
    // GitHub knows no sessions, so what this one has claimed is written down.
    let claims = project.session_dir(session).join("claims");
    match words.as_slice() {
        ["claim", number, ..] => {
            tell(&words)?;
            append_line(&claims, number)
        }
        ["unclaim", ..] => {
            for number in files::read(&claims)?.unwrap_or_default().lines() {
                tell(&["unclaim", number])?;
            }
            files::remove(&claims)
        }
        _ => tell(&words).map(drop),
    }
}

/// `None` where there is no list.
fn ask_todo(
    machine: &Machine,
    config: &Config,
    root: &Path,
    args: &[&str],
    limit: Duration,
) -> io::Result<Option<String>> {
    let script =
        || machine.home().map(|home| home.join(".claude/scripts/todo.sh")).filter(|file| file.is_file());
    let program = match &config.todo_command {
        Some(command) if command == "gh" => {
            let Some(words) = gh(args) else { return Ok(None) };
            let fence = Fence::around(machine, root);
            let Some(gh) = fence.program_outside(machine, "gh") else { return Ok(None) };
            Program::new(gh).args(words).apart_from(&fence)
        }
        Some(command) => Program::new(SHELL).args(["-c", &format!("{command} \"$@\""), "todo"]).args(args),
        None => match script() {
            Some(file) => Program::new(file).args(args),
            None => return Ok(None),
        },
    };
    let done = program.cwd(root).within(limit).run()?;
    if done.code == Some(0) {
        return Ok(Some(String::from_utf8_lossy(&done.stdout).into_owned()));
    }
    Err(io::Error::other(format!("the list of work failed on {}", args.join(" "))))
}

/// The same words for GitHub's own program.
fn gh(args: &[&str]) -> Option<Vec<String>> {
    let words: &[&str] = match args {
        ["hud"] => &["issue", "list", "--limit", "5"],
        ["count", ..] => &["issue", "list", "--json", "number", "--jq", "length"],
        ["claim", number, ..] => &["issue", "edit", number, "--add-assignee", "@me"],
        ["unclaim", number] => &["issue", "edit", number, "--remove-assignee", "@me"],
        _ => return None,
    };
    Some(words.iter().map(|&word| word.to_owned()).collect())
}
