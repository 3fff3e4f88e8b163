//! Work trees for agents that work side by side: each has a folder and a branch of its own.
//!
//! `registry` says which there are. A name belongs to a repository: two may have an agent of the same name. Nothing is removed that a
//! process stands in, or that holds work which its repository does not have, unless the caller insists.

mod registry;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{is_noise, time};
use thiserror::Error;

use crate::git::{self, Repository};
use crate::{Machine, files, sha256};

pub use registry::{all, put_aside};

/// What git gets for one step.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    /// Whose it is; unique in its repository.
    pub agent: String,
    pub path: PathBuf,
    pub branch: String,
    pub main_repo: PathBuf,
    pub base_commit: String,
    pub created_at: String,
}

/// Why something was not done: a refusal is a decision, anything else a failure.
#[derive(Debug, Error)]
pub enum Failed {
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

type Done<T> = Result<T, Failed>;

fn refused<T>(why: impl Into<String>) -> Done<T> {
    Err(Failed::Refused(why.into()))
}

/// Where the folders are.
pub fn base() -> PathBuf {
    files::resolve(&std::env::temp_dir()).join("claude-worktrees")
}

fn git_in(dir: &Path, args: &[&str]) -> io::Result<(bool, String)> {
    let done = git::run(dir, args, LIMIT)?;
    let text =
        [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).join("\n");
    Ok((done.code == Some(0), text.trim().to_owned()))
}

/// What must work; the error has git's words.
fn must(dir: &Path, args: &[&str]) -> io::Result<String> {
    match git_in(dir, args)? {
        (true, text) => Ok(text),
        (false, text) => {
            let words = text.lines().next().unwrap_or("no words");
            Err(io::Error::other(format!("git {} failed: {words}", args.first().unwrap_or(&""))))
        }
    }
}

fn branch_of(id: &str) -> String {
    format!("{}{id}", model::AGENT_BRANCH)
}

fn check_id(id: &str) -> Done<()> {
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if id.is_empty() || !plain || id.starts_with(['.', '-']) || id.ends_with(".lock") || id.contains("..") {
        return refused(format!("{id:?} is not a name for an agent: letters, digits, - _ ."));
    }
    Ok(())
}

/// The repository around a folder, by its first work tree.
fn repository_of(dir: &Path) -> Option<(Repository, PathBuf)> {
    let repository = Repository::find(&files::resolve(dir))?;
    let main = files::resolve(&repository.main_root());
    Some((repository, main))
}

/// The work tree of this agent in the repository around `dir`. Outside of any repository a name that only one has is enough.
pub fn find(machine: &Machine, dir: &Path, id: &str) -> Done<(String, Worktree)> {
    let mut known: Vec<(String, Worktree)> =
        all(machine)?.into_iter().filter(|(_, one)| one.agent == id).collect();
    let here = repository_of(dir).map(|(_, main)| main);
    let places = known.iter().map(|(_, one)| one.main_repo.display().to_string()).collect::<Vec<_>>();
    if let Some(at) = known.iter().position(|(_, one)| Some(&one.main_repo) == here.as_ref()) {
        return Ok(known.swap_remove(at));
    }
    match (known.pop(), here) {
        (None, _) => refused(format!("no work tree of {id} is known")),
        (Some(only), None) if places.len() == 1 => Ok(only),
        (Some(_), here) => refused(format!(
            "no work tree of {id} is known for {}; there is one of {}: run this there",
            here.map_or_else(
                || "a folder without a repository".to_owned(),
                |main| main.display().to_string()
            ),
            places.join(" and one of ")
        )),
    }
}

/// Makes a work tree for an agent, from the last commit of the repository around `dir`.
pub fn create(machine: &Machine, dir: &Path, id: &str, force: bool) -> Done<Worktree> {
    check_id(id)?;
    let Some((repository, main_repo)) = repository_of(dir) else {
        return refused(format!("{} is in no git repository", dir.display()));
    };
    let Some(base_commit) = git::head_commit(&repository) else {
        return refused("there is no commit yet to start from");
    };
    let branch = branch_of(id);
    let known = all(machine)?.into_iter().find(|(_, one)| one.agent == id && one.main_repo == main_repo);
    if let Some((key, known)) = known {
        remove(machine, &key, &known, force, &[])?;
    } else if has_branch(&main_repo, &branch)? {
        if !force && !is_merged(&main_repo, &branch)? {
            return refused(format!(
                "branch {branch} has work that {} does not; --force drops it",
                main_repo.display()
            ));
        }
        must(&main_repo, &["worktree", "prune"])?;
        must(&main_repo, &["branch", "-D", &branch])?;
    }
    let path = free_place(machine, id, &main_repo)?;
    if !crate::private::own_dir(&base())? {
        return refused(format!(
            "{} is a link or belongs to somebody else, who could read and change the work; name another folder in TMPDIR",
            base().display()
        ));
    }
    let place = path.to_string_lossy();
    must(&repository.root, &["worktree", "add", "-q", "-b", &branch, &place, &base_commit])?;
    let worktree = Worktree {
        agent: id.to_owned(),
        path,
        branch,
        main_repo,
        base_commit,
        created_at: time::rfc3339(machine.now()),
    };
    registry::add(machine, &worktree)?;
    Ok(worktree)
}

/// Tells one repository from another in a name.
fn mark(main_repo: &Path) -> String {
    let hash = sha256(main_repo.to_string_lossy().as_bytes());
    hash.first(8).to_owned()
}

/// The agent's name, unless another repository has it there already.
fn free_place(machine: &Machine, id: &str, main_repo: &Path) -> Done<PathBuf> {
    let known = all(machine)?;
    let places = [base().join(id), base().join(format!("{id}-{}", mark(main_repo)))];
    let is_free = |place: &&PathBuf| !place.exists() && known.values().all(|one| one.path != **place);
    match places.iter().find(is_free) {
        Some(place) => Ok(place.clone()),
        None => refused(format!("{} is there, and not one of ours", places[1].display())),
    }
}

/// Takes a work tree away, with its branch.
pub fn cleanup(machine: &Machine, dir: &Path, id: &str, force: bool) -> Done<()> {
    let (key, known) = find(machine, dir, id)?;
    remove(machine, &key, &known, force, &[])
}

/// The same for a client that has left it and asks through a hook: the hook is started in there, by a client that may still stand
/// in it too. Anybody else keeps it, and so does work that is nowhere else.
pub fn give_back(machine: &Machine, key: &str, known: &Worktree) -> Done<()> {
    remove(machine, key, known, false, &ancestry())
}

/// `asking` are processes that may stand in it.
fn remove(machine: &Machine, key: &str, known: &Worktree, force: bool, asking: &[u32]) -> Done<()> {
    if !force && let Some(why) = in_use(known, asking)? {
        return refused(format!("the work tree of {} {why}; --force removes it all the same", known.agent));
    }
    if known.main_repo.is_dir() {
        let place = known.path.to_string_lossy();
        // A folder that is gone already is only forgotten.
        if known.path.exists() {
            must(&known.main_repo, &["worktree", "remove", "--force", &place])?;
        }
        must(&known.main_repo, &["worktree", "prune"])?;
        if has_branch(&known.main_repo, &known.branch)? {
            must(&known.main_repo, &["branch", "-D", &known.branch])?;
        }
    }
    files::remove_dir(&known.path)?;
    registry::remove(machine, key)?;
    Ok(())
}

/// Why it should stay.
fn in_use(known: &Worktree, asking: &[u32]) -> io::Result<Option<String>> {
    if let Some(pid) = process_in(&known.path, asking) {
        return Ok(Some(format!("is in use by process {pid}")));
    }
    if !known.main_repo.is_dir() {
        return Ok(None);
    }
    if known.path.exists() && Repository::find(&known.path).is_some_and(|found| found.root == known.path) {
        let dirty = git::dirty(&known.path, &[])?;
        if let Some(name) = dirty.keys().find(|name| !is_noise(name)) {
            return Ok(Some(format!("has uncommitted work ({name})")));
        }
    }
    if has_branch(&known.main_repo, &known.branch)? && !is_merged(&known.main_repo, &known.branch)? {
        return Ok(Some(format!("has commits on {} that are merged nowhere", known.branch)));
    }
    Ok(None)
}

/// A process that stands in a folder, where the system tells.
fn process_in(dir: &Path, but: &[u32]) -> Option<u32> {
    let dir = files::resolve(dir);
    files::list(Path::new("/proc")).into_iter().find_map(|entry| {
        let pid: u32 = entry.file_name()?.to_str()?.parse().ok()?;
        let cwd = std::fs::read_link(entry.join("cwd")).ok()?;
        // Git itself tidies up for a moment after a commit.
        let is_git = || std::fs::read_to_string(entry.join("comm")).is_ok_and(|name| name.starts_with("git"));
        (cwd.starts_with(&dir) && !but.contains(&pid) && !is_git()).then_some(pid)
    })
}

/// This process and those that it was started by, where the system tells.
fn ancestry() -> Vec<u32> {
    let mut all = vec![std::process::id()];
    while let Some(parent) = all.last().and_then(|pid| parent(*pid)).filter(|pid| !all.contains(pid)) {
        all.push(parent);
    }
    all
}

fn parent(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|parent| *parent != 0)
}

fn has_branch(repo: &Path, branch: &str) -> io::Result<bool> {
    Ok(git_in(repo, &["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")])?.0)
}

/// Whether another branch, or a remote, has all of it.
fn is_merged(repo: &Path, branch: &str) -> io::Result<bool> {
    // Of `--branches`, so without the folder that they are in.
    let own = format!("--exclude={branch}");
    let text =
        must(repo, &["rev-list", "--max-count=1", branch, "--not", &own, "--branches", "--remotes", "HEAD"])?;
    Ok(text.is_empty())
}

/// Brings an agent's work into the branch that its repository is on. Says how. `objection` is asked when there is something to merge:
/// why this branch may not be merged into that repository.
pub fn merge(
    machine: &Machine,
    dir: &Path,
    id: &str,
    objection: impl FnOnce(&Worktree) -> Option<String>,
) -> Done<String> {
    let (_, known) = find(machine, dir, id)?;
    // Of a folder that is gone the branch is left.
    let dirty = if known.path.exists() { git::dirty(&known.path, &[])? } else { BTreeMap::new() };
    if let Some(name) = dirty.keys().find(|name| !is_noise(name)) {
        return refused(format!(
            "the work tree of {id} has uncommitted work ({name}); commit it there first"
        ));
    }
    // What is not tracked does not stop a merge, unless git says so itself.
    let dirty = git::dirty(&known.main_repo, &[])?;
    if let Some((name, _)) = dirty.iter().find(|(name, dirty)| !dirty.untracked && !is_noise(name)) {
        return refused(format!(
            "{} has uncommitted changes ({name}); commit or stash them first",
            known.main_repo.display()
        ));
    }
    if git_in(&known.main_repo, &["merge-base", "--is-ancestor", &known.branch, "HEAD"])?.0 {
        return Ok(format!("{} has everything of {} already", known.main_repo.display(), known.branch));
    }
    if let Some(why) = objection(&known) {
        return refused(why);
    }
    if git_in(&known.main_repo, &["merge", "--ff-only", "-q", &known.branch])?.0 {
        return Ok(format!("{} fast-forwarded to {}", known.main_repo.display(), known.branch));
    }
    let (done, words) = git_in(&known.main_repo, &["merge", "--no-edit", "-q", &known.branch])?;
    if done {
        return Ok(format!("{} merged into {}", known.branch, known.main_repo.display()));
    }
    let merging =
        Repository::find(&known.main_repo).is_some_and(|found| found.git_dir.join("MERGE_HEAD").exists());
    let aborted = !merging || git_in(&known.main_repo, &["merge", "--abort"])?.0;
    let reason = words
        .lines()
        .find(|line| line.contains("CONFLICT"))
        .or_else(|| words.lines().next())
        .unwrap_or("no words");
    let state =
        if aborted { "nothing was changed" } else { "git merge --abort failed too, look at it by hand" };
    refused(format!("{} does not merge: {reason}; {state}", known.branch))
}

/// What was collected, and what was left for a reason.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub removed: Vec<String>,
    pub kept: Vec<(String, String)>,
}

/// Takes away work trees that were left behind: older than `ttl_hours`, with nobody in them and nothing to lose. Folders that
/// nobody knows go too.
pub fn collect(machine: &Machine, ttl_hours: u64, dry_run: bool) -> io::Result<Collected> {
    let mut found = Collected::default();
    let known = all(machine)?;
    let oldest = machine.now().saturating_sub(ttl_hours.saturating_mul(3600));
    let is_old = |created: Option<u64>| created.is_some_and(|created| created <= oldest);
    for (id, one) in &known {
        // A time that cannot be read says nothing about age, and the folder may.
        let created = time::parse_rfc3339(&one.created_at).or_else(|| files_written(&one.path));
        if one.path.exists() && !is_old(created) {
            continue;
        }
        match in_use(one, &[])? {
            Some(why) => found.kept.push((id.clone(), why)),
            None => {
                if !dry_run && let Err(failed) = remove(machine, id, one, false, &[]) {
                    found.kept.push((id.clone(), failed.to_string()));
                    continue;
                }
                found.removed.push(id.clone());
            }
        }
    }
    for path in files::list(&base()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if known.values().any(|one| one.path == path) || !path.is_dir() || !is_old(files_written(&path)) {
            continue;
        }
        let owner = Repository::find(&path).filter(|found| found.root == path && found.is_linked_worktree());
        let orphan = Worktree {
            agent: name.clone(),
            branch: branch_of(&name),
            main_repo: owner.map(|found| found.main_root()).unwrap_or_default(),
            path: path.clone(),
            base_commit: String::new(),
            created_at: String::new(),
        };
        match in_use(&orphan, &[])? {
            Some(why) => found.kept.push((format!("orphan:{name}"), why)),
            None => {
                if !dry_run {
                    files::remove_dir(&path)?;
                    if orphan.main_repo.is_dir() {
                        must(&orphan.main_repo, &["worktree", "prune"])?;
                    }
                }
                found.removed.push(format!("orphan:{name}"));
            }
        }
    }
    Ok(found)
}

fn files_written(path: &Path) -> Option<u64> {
    let time = path.metadata().ok()?.modified().ok()?;
    Some(time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs())
}

/// Which agent's work tree a folder is in.
pub fn around(machine: &Machine, dir: &Path) -> Option<(String, Worktree)> {
    let dir = files::resolve(dir);
    // A list that cannot be read names nothing; whoever makes a work tree says so.
    let known = all(machine).unwrap_or_default();
    known.into_iter().find(|(_, one)| dir.starts_with(files::resolve(&one.path)))
}
