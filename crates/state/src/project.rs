//! Where we are: the project's root and the places that belong to it.

use std::io;
use std::path::{Path, PathBuf};

use model::{SessionId, environment};

use crate::{Machine, files, git};

/// A project and our records of it.
#[derive(Clone, Debug)]
pub struct Project {
    pub root: PathBuf,
    /// Our records of it.
    pub records: PathBuf,
}

impl Project {
    /// The project of a hook: what the client says (`CLAUDE_PROJECT_DIR`, the folder that it was started in), else the one
    /// around `cwd`, else home.
    pub fn find(machine: &Machine, cwd: &Path) -> Self {
        let told =
            machine.var(&environment::CLAUDE_PROJECT_DIR).map(PathBuf::from).filter(|dir| dir.is_dir());
        Self::told_or_around(machine, told.as_deref(), cwd)
    }

    /// The same for a hook that was called some time ago, with what the client said then.
    pub fn told_or_around(machine: &Machine, told: Option<&Path>, cwd: &Path) -> Self {
        if let Some(root) = told {
            return Self::at(machine, files::resolve(root));
        }
        Self::around(machine, cwd).unwrap_or_else(|| {
            let root = machine.home().unwrap_or_else(|| cwd.to_owned());
            Self::at(machine, files::resolve(&root))
        })
    }

    /// The project of a user in a terminal, and of an agent's shell, which are not told: the one around them, else the
    /// folder itself.
    pub fn here(machine: &Machine) -> Self {
        Self::around(machine, &machine.cwd()).unwrap_or_else(|| Self::only_here(machine))
    }

    /// The folder itself, whatever is around it.
    pub fn only_here(machine: &Machine) -> Self {
        Self::at(machine, files::resolve(&machine.cwd()))
    }

    /// The one that a session runs in, as far as it is around the user; else the user's own.
    pub fn of_session(machine: &Machine, session: &SessionId) -> Self {
        let mut around = Self::candidates(machine, &machine.cwd()).into_iter();
        around.find(|project| project.session_dir(session).is_dir()).unwrap_or_else(|| Self::here(machine))
    }

    /// The nearest folder up to the repository's root in which an agent has settings or was started before, else that root.
    /// That is where the client looks for its settings, and what it tells a hook. Outside a repository only the folder
    /// itself is looked at.
    fn around(machine: &Machine, cwd: &Path) -> Option<Self> {
        let mut candidates = Self::candidates(machine, cwd);
        let known = |project: &Self| project.claude_dir().is_dir() || project.records.is_dir();
        match candidates.iter().position(known) {
            Some(nearest) => Some(candidates.swap_remove(nearest)),
            None => candidates.pop().filter(|outermost| git::Repository::find(&outermost.root).is_some()),
        }
    }

    /// Every folder from `cwd` up to the root of its repository; outside one, `cwd`.
    fn candidates(machine: &Machine, cwd: &Path) -> Vec<Self> {
        let cwd = files::resolve(cwd);
        let root = git::Repository::find(&cwd).map_or_else(|| cwd.clone(), |repository| repository.root);
        let dirs = cwd.ancestors().take_while(|dir| dir.starts_with(&root));
        dirs.map(|dir| Self::at(machine, dir.to_owned())).collect()
    }

    /// Remembers that an agent works here, so that a user in this folder is understood to mean this project.
    pub fn note(&self) -> io::Result<()> {
        if self.records.is_dir() { Ok(()) } else { files::create_dir(&self.records) }
    }

    pub fn at(machine: &Machine, root: PathBuf) -> Self {
        let records = machine.records_of(&root);
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

    #[test]
    fn people_and_hooks_agree_in_a_subfolder_of_a_repository() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let repo = base.join("repo");
        for path in
            [repo.join(".git"), repo.join("told/deep"), repo.join("settings/.claude"), repo.join("plain")]
        {
            std::fs::create_dir_all(path).unwrap();
        }
        std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let state = base.join("state").to_string_lossy().into_owned();
        let at = |cwd: &Path| Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], cwd);
        let here = |name: &str| Project::here(&at(&repo.join(name))).root;

        // The client says where it was started, and that is remembered.
        assert_eq!(here("told/deep"), repo);
        let told = repo.join("told").to_string_lossy().into_owned();
        let hook = Machine::with(&[("PLIMSOLL_STATE_DIR", &state), ("CLAUDE_PROJECT_DIR", &told)], &repo);
        Project::find(&hook, &repo).note().unwrap();
        assert_eq!(here("told/deep"), repo.join("told"));

        assert_eq!(here("settings"), repo.join("settings"));
        assert_eq!(here("plain"), repo);
        assert_eq!(Project::only_here(&at(&repo.join("plain"))).root, repo.join("plain"));
        assert_eq!(Project::here(&at(&base)).root, base, "outside a repository");

        // A session is known by its folder, wherever the agent has been before.
        let (machine, session) = (at(&repo.join("told")), SessionId::new("s1"));
        std::fs::create_dir_all(Project::at(&machine, repo.clone()).session_dir(&session)).unwrap();
        assert_eq!(Project::of_session(&machine, &session).root, repo);
    }
}
