//! Starting `git`, about the repository of a directory and about no other.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{endless, harmless};
use crate::Machine;
use crate::process::{Finished, Program};
use crate::reach::Fence;

const MOST: usize = 256 * 1024 * 1024;
/// Long for a large repository, short enough for a hook.
pub(super) const LIMIT: Duration = Duration::from_secs(20);

/// Runs git in `dir` to its end. Nothing that the repository names is run: see `harmless`.
///
/// Git sets variables for its own hooks (`GIT_DIR`, `GIT_INDEX_FILE`, …), and people export some; followed by us, they lead
/// into another repository, or change how a path is read. So none of them reaches git, but those that say where it finds
/// itself and its configuration: `safe.directory` may be stated there.
pub fn run(dir: &Path, args: &[&str], limit: Duration) -> io::Result<Finished> {
    run_with(dir, args, limit, &Given::default())
}

/// What a call is given besides its words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given<'a> {
    pub(super) input: &'a [u8],
}

pub(super) fn run_with(
    dir: &Path,
    args: &[&str],
    limit: Duration,
    given: &Given<'_>,
) -> io::Result<Finished> {
    let begin = Instant::now();
    if let Some(file) = endless::find(dir) {
        return Err(io::Error::other(format!("{} is not a regular file", file.display())));
    }
    let named = harmless::named(dir, |words| start(dir, words, limit)?.run())?;
    let mut words: Vec<String> = named.words;
    words.extend(harmless::with_options(args));
    let left = limit.saturating_sub(begin.elapsed());
    let git = named
        .variables
        .into_iter()
        .fold(start(dir, &words, left)?, |git, (name, value)| git.env(&name, value));
    let done = git.stdin(given.input).run()?;
    // Half a list of changes would pass for the whole.
    if done.cut {
        return Err(io::Error::other(format!("git {} said too much", args.join(" "))));
    }
    Ok(done)
}

/// The one place where git is started: the first on PATH that is not the repository's own.
fn start(dir: &Path, words: &[String], limit: Duration) -> io::Result<Program> {
    let machine = Machine::real();
    let fence = Fence::around(&machine, dir);
    let program = fence.program_outside(&machine, "git");
    let program = program.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "git is not installed"))?;
    let mut git =
        Program::new(program).args(harmless::ALWAYS).args(words).cwd(dir).within(limit).keeping(MOST);
    for (name, _) in std::env::vars_os() {
        if let Some(name) = name.to_str().filter(|name| leads_astray(name)) {
            git = git.without_env(name);
        }
    }
    git = git.apart_from(&fence);
    Ok(harmless::VARIABLES.iter().fold(git, |git, (name, value)| git.env(name, value)))
}

/// Whether variables say what git reads besides its usual files.
pub(super) fn has_settings_elsewhere() -> bool {
    let named = |(name, _): (std::ffi::OsString, _)| {
        name.to_str().is_some_and(|name| name.starts_with("GIT_CONFIG") || name == "XDG_CONFIG_HOME")
    };
    std::env::vars_os().any(named)
}

fn leads_astray(variable: &str) -> bool {
    variable.starts_with("GIT_") && !variable.starts_with("GIT_CONFIG_") && variable != "GIT_EXEC_PATH"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_configuration_is_handed_on() {
        for name in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_LITERAL_PATHSPECS", "GIT_CEILING_DIRECTORIES"]
        {
            assert!(leads_astray(name), "{name}");
        }
        for name in [
            "GIT_CONFIG_GLOBAL",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_KEY_0",
            "GIT_EXEC_PATH",
            "PATH",
            "GITHUB_TOKEN",
        ] {
            assert!(!leads_astray(name), "{name}");
        }
    }
}
