//! Where we are: the project's root and the places that belong to it.

use std::path::{Path, PathBuf};

use model::{SessionId, environment};

use crate::{Machine, git, sha256};

/// A project and our records of it.
#[derive(Clone, Debug)]
pub struct Project {
    pub root: PathBuf,
    /// Our records: `<state>/projects/<name>-<hash>`.
    pub records: PathBuf,
}

impl Project {
    /// `CLAUDE_PROJECT_DIR`, else the git root of `cwd`, else home.
    pub fn find(machine: &Machine, cwd: &Path) -> Self {
        let told = machine.var(&environment::CLAUDE_PROJECT_DIR).map(PathBuf::from).filter(|dir| dir.is_dir());
        let root = told
            .or_else(|| git::Repository::find(cwd).map(|repository| repository.root))
            .or_else(|| machine.home())
            .unwrap_or_else(|| cwd.to_owned());
        Self::at(machine, crate::files::resolve(&root))
    }

    /// The project of a person in a terminal: where they are, if that is no repository.
    pub fn here(machine: &Machine) -> Self {
        let cwd = machine.cwd();
        let root = git::Repository::find(&cwd).map_or(cwd, |repository| repository.root);
        Self::at(machine, crate::files::resolve(&root))
    }

    pub fn at(machine: &Machine, root: PathBuf) -> Self {
        let name: String = root
            .file_name()
            .map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned())
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            .take(40)
            .collect();
        let hash = sha256(root.to_string_lossy().as_bytes());
        let records = machine.state_dir().join("projects").join(format!("{name}-{}", &hash[7..23]));
        Self { root, records }
    }

    /// The agent's folder in the project, which also holds the state files that older systems share.
    pub fn claude_dir(&self) -> PathBuf {
        self.root.join(".claude")
    }

    pub fn session_dir(&self, session: &SessionId) -> PathBuf {
        let name = if session.is_known() { session.as_str() } else { "unknown" };
        self.records.join("sessions").join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_told_or_found_or_home() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (repo, home, told) = (base.join("repo"), base.join("home"), base.join("told"));
        for path in [repo.join(".git"), repo.join("a/b"), home.clone(), told.clone()] {
            std::fs::create_dir_all(path).unwrap();
        }
        std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let machine = Machine::with(&[("HOME", &text(&home))], &base);
        assert_eq!(Project::find(&machine, &repo.join("a/b")).root, repo);
        assert_eq!(Project::find(&machine, &base).root, home);
        let machine = Machine::with(&[("HOME", &text(&home)), ("CLAUDE_PROJECT_DIR", &text(&told))], &base);
        assert_eq!(Project::find(&machine, &repo).root, told);
        let machine = Machine::with(&[("HOME", &text(&home)), ("CLAUDE_PROJECT_DIR", "/no/such")], &base);
        assert_eq!(Project::find(&machine, &repo).root, repo);
    }
}
