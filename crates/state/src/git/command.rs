//! Starting `git`, about the repository of a directory and about no other.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::process::{Finished, Program};

const MOST: usize = 256 * 1024 * 1024;
/// Long for a large repository, short enough for a hook.
pub(super) const LIMIT: Duration = Duration::from_secs(20);

/// Runs git in `dir` to its end.
///
/// Git sets variables for its own hooks (`GIT_DIR`, `GIT_INDEX_FILE`, …), and people export some; followed by us, they lead
/// into another repository, or change how a path is read. So none of them reaches git, but those that say where it finds
/// itself and its configuration: `safe.directory` may be stated there.
pub fn run(dir: &Path, args: &[&str], limit: Duration) -> io::Result<Finished> {
    let mut git = Program::new("git").args(args).cwd(dir).within(limit).keeping(MOST);
    for (name, _) in std::env::vars_os() {
        if let Some(name) = name.to_str().filter(|name| leads_astray(name)) {
            git = git.without_env(name);
        }
    }
    let done = git.run()?;
    // Half a list of changes would pass for the whole.
    if done.cut {
        return Err(io::Error::other(format!("git {} said too much", args.join(" "))));
    }
    Ok(done)
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
