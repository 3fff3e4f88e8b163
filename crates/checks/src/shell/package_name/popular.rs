//! The popular packages of each registry: sorted lists, one name a line. A star marks those that are also known with words around them
//! that do not belong there.

use shell::programs::Registry;

use super::near::{Name, is_near};

pub(super) fn list(registry: Registry) -> &'static str {
    match registry {
        Registry::Pypi => include_str!("popular/pypi.txt"),
        Registry::Npm => include_str!("popular/npm.txt"),
        Registry::Crates => include_str!("popular/crates.txt"),
        Registry::Go => include_str!("popular/go.txt"),
        Registry::RubyGems => include_str!("popular/rubygems.txt"),
    }
}

pub(super) fn title(registry: Registry) -> &'static str {
    match registry {
        Registry::Pypi => "PyPI",
        Registry::Npm => "npm",
        Registry::Crates => "crates.io",
        Registry::Go => "Go's module index",
        Registry::RubyGems => "RubyGems",
    }
}

/// Files that say what a project needs.
pub(super) fn manifests(registry: Registry) -> &'static [&'static str] {
    match registry {
        Registry::Pypi => &[
            "pyproject.toml",
            "requirements.txt",
            "requirements-dev.txt",
            "requirements.in",
            "uv.lock",
            "poetry.lock",
            "pdm.lock",
            "Pipfile",
            "Pipfile.lock",
            "setup.cfg",
            "setup.py",
            "environment.yml",
        ],
        Registry::Npm => &[
            "package.json",
            "package-lock.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
            "npm-shrinkwrap.json",
        ],
        Registry::Crates => &["Cargo.toml", "Cargo.lock"],
        Registry::Go => &["go.mod", "go.sum"],
        Registry::RubyGems => &["Gemfile", "Gemfile.lock", "gems.rb"],
    }
}

/// The popular package that a name is taken for; `None` where it is popular itself, or like none.
pub(super) fn neighbour(registry: Registry, name: &Name) -> Option<&'static str> {
    let mut found = None;
    for line in list(registry).lines() {
        let (popular, known_around) = line.strip_suffix('*').map_or((line, false), |popular| (popular, true));
        if Name::normal(registry, popular) == name.normal {
            return None;
        }
        if found.is_none() && is_near(registry, &name.normal, &Name::normal(registry, popular), known_around)
        {
            found = Some(popular);
        }
    }
    found
}
