//! A team's policy from a git checkout. What counts is the pinned commit, proven by its hash; its files are kept beside our records, so
//! that a hook reads two small files, and the last good policy stays where the checkout is gone or has moved.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::git::{self, Repository};
use crate::{Machine, atomic, files};

/// The policy that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub checkout: PathBuf,
    /// Which one decides: it is in every record.
    pub commit: String,
    /// Where its files lie as they are in that commit: `config.json`, `rules.toml`.
    pub dir: PathBuf,
}

/// What keeps a policy from being the one that is meant.
#[derive(Debug, Error)]
enum NoPolicy {
    #[error("policy.commit should be the whole hash of a commit, not {0}")]
    ShortPin(String),
    #[error("policy.checkout: {} is not a git checkout", .0.display())]
    NoCheckout(PathBuf),
    #[error("the policy {commit} could not be read from {}: {why}", .checkout.display())]
    Unread { commit: String, checkout: PathBuf, why: String },
    #[error("the policy {commit} could not be kept: {source}")]
    Unkept { commit: String, source: io::Error },
}

/// The files of a checkout that count.
const FILES: &[&str] = &["config.json", "rules.toml"];
/// Written last, so that a folder with it is complete.
const COMPLETE: &str = "complete";

impl Policy {
    pub fn file(&self) -> PathBuf {
        self.dir.join("config.json")
    }

    /// Where the rules of it lie, if it has any.
    pub fn rules(&self) -> PathBuf {
        self.dir.join("rules.toml")
    }

    /// The commit as people write it.
    pub fn short(&self) -> &str {
        self.commit.get(..12).unwrap_or(&self.commit)
    }
}

/// The policy that the settings name. `say` gets what keeps it from being the one that is meant.
pub(super) fn find(
    machine: &Machine,
    checkout: &str,
    pin: Option<&str>,
    say: &mut dyn FnMut(String),
) -> Option<Policy> {
    let base = machine.state_dir().join("policy");
    let checkout = PathBuf::from(checkout);
    let found = wanted(&checkout, pin, say).and_then(|commit| {
        let dir = base.join(&commit);
        let policy = Policy { checkout: checkout.clone(), commit, dir };
        if !files::is_file(&policy.dir.join(COMPLETE)) {
            copy(&base, &policy)?;
        }
        Ok(policy)
    });
    match found {
        Ok(policy) => Some(policy),
        Err(why) => {
            let last = last(&base, &checkout);
            let so = match &last {
                Some(policy) => format!("the last good policy ({}) stays in force", policy.short()),
                None => "no policy is in force".to_owned(),
            };
            say(format!("{why}; {so} until that is fixed"));
            last
        }
    }
}

/// The commit that is meant.
fn wanted(checkout: &Path, pin: Option<&str>, say: &mut dyn FnMut(String)) -> Result<String, NoPolicy> {
    let is_hash = |text: &str| matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if let Some(pin) = pin.filter(|pin| !is_hash(pin)) {
        return Err(NoPolicy::ShortPin(pin.to_owned()));
    }
    let there = checkout.is_absolute() && files::is_dir(checkout);
    let head = there.then(|| Repository::find(checkout)).flatten().and_then(|found| found.head().commit);
    match (pin, head) {
        (Some(pin), Some(head)) if head != pin => {
            let short = |hash: &str| hash.get(..12).unwrap_or(hash).to_owned();
            say(format!(
                "the policy is pinned to {}, but {} has {} checked out; the pinned one counts",
                short(pin),
                checkout.display(),
                short(&head)
            ));
            Ok(pin.to_owned())
        }
        (Some(pin), _) => Ok(pin.to_owned()),
        (None, Some(head)) => Ok(head),
        (None, None) => Err(NoPolicy::NoCheckout(checkout.to_owned())),
    }
}

/// Takes the files out of the commit, and forgets other policies.
fn copy(base: &Path, policy: &Policy) -> Result<(), NoPolicy> {
    let Policy { checkout, commit, dir } = policy;
    let there = checkout.is_absolute() && files::is_dir(checkout);
    let repository = there.then(|| Repository::find(checkout)).flatten();
    let repository = repository.ok_or_else(|| NoPolicy::NoCheckout(checkout.clone()))?;
    let commit_name = || policy.short().to_owned();
    let unkept = |source| NoPolicy::Unkept { commit: commit_name(), source };
    for name in FILES {
        let bytes = git::pinned(&repository, commit, name).map_err(|why| NoPolicy::Unread {
            commit: commit_name(),
            checkout: checkout.clone(),
            why: why.0,
        })?;
        match bytes {
            Some(bytes) => atomic::write(&dir.join(name), &bytes),
            None => files::remove(&dir.join(name)),
        }
        .map_err(unkept)?;
    }
    let checkout = checkout.to_string_lossy();
    atomic::write(&dir.join(COMPLETE), checkout.as_bytes()).map_err(unkept)?;
    for other in files::list(base).iter().filter(|other| *other != dir) {
        let _ = files::remove_dir(other);
    }
    Ok(())
}

/// What was in force before: it is the only one that is kept.
fn last(base: &Path, checkout: &Path) -> Option<Policy> {
    let from = |dir: &PathBuf| files::read(&dir.join(COMPLETE)).ok().flatten();
    let dir = files::list(base)
        .into_iter()
        .find(|dir| from(dir).is_some_and(|from| Path::new(&from) == checkout))?;
    let commit = dir.file_name()?.to_str()?.to_owned();
    Some(Policy { checkout: checkout.to_owned(), commit, dir })
}
