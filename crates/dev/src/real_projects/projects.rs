//! The projects, pinned: libraries, web apps, Ansible, much documentation, much shell, TypeScript, Rust.

use anyhow::{Context, bail};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    pub(crate) from: Registry,
    pub(crate) name: String,
    pub(crate) version: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registry {
    Pip,
    Crate,
    Npm,
    /// A checkout on this machine, in place of a version: its last commit is taken.
    Git,
}

const PINNED: &str = include_str!("projects.txt");

pub(crate) fn pinned() -> anyhow::Result<Vec<Project>> {
    read(PINNED)
}

pub(crate) fn read(text: &str) -> anyhow::Result<Vec<Project>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(project).collect()
}

fn project(line: &str) -> anyhow::Result<Project> {
    let mut words = line.split_whitespace();
    let from = match words.next() {
        Some("pip") => Registry::Pip,
        Some("crate") => Registry::Crate,
        Some("npm") => Registry::Npm,
        Some("git") => Registry::Git,
        _ => bail!("«{line}» does not begin with pip, crate, npm or git"),
    };
    let mut next =
        || words.next().map(str::to_owned).with_context(|| format!("«{line}» lacks a name or a version"));
    Ok(Project { from, name: next()?, version: next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_long_enough_and_can_be_read() {
        let all = pinned().unwrap();
        assert!(all.len() >= 20, "{}", all.len());
        assert!(all.iter().any(|project| project.from == Registry::Crate));
        // What lies on one machine is on no other.
        assert!(all.iter().all(|project| project.from != Registry::Git));
        assert!(read("gem a 1").is_err() && read("pip a").is_err());
    }
}
