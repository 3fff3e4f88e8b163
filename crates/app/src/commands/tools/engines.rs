//! What is linked in for each linter: the linter itself in some version, or another that does its work.

/// Without a row it is of our own making, and has our version.
static ENGINES: &[(&str, &str)] = &[
    ("ruff", "ruff 0.16.4"),
    ("bandit", "ruff 0.16.4"),
    ("shellcheck", "shuck 0.2.8"),
    ("shfmt", "shuck 0.2.8"),
    ("markdownlint-cli2", "rumdl 0.3.2"),
    ("yamllint", "ryl 0.22.0"),
    ("taplo", "taplo 0.14.0"),
    ("ty", "ty 0.0.10"),
];

/// The engine of a linter that has one, with its version.
pub(super) fn of(linter: &str) -> &'static str {
    let own = concat!("plimsoll ", env!("CARGO_PKG_VERSION"));
    ENGINES.iter().find(|(name, _)| *name == linter).map_or(own, |(_, engine)| engine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said is what is built.
    #[test]
    fn versions_are_those_that_are_linked() {
        let manifest = include_str!("../../../../../Cargo.toml");
        let crates = [
            ("ruff", "ruff_linter"),
            ("shuck", "shuck-linter"),
            ("rumdl", "rumdl"),
            ("ryl", "ryl"),
            ("taplo", "taplo"),
            ("ty", "ty_python_semantic"),
        ];
        for (_, engine) in ENGINES {
            let (name, version) = engine.split_once(' ').unwrap();
            let (_, package) = crates.iter().find(|(engine, _)| *engine == name).unwrap();
            let line = manifest.lines().find(|line| line.split(' ').next() == Some(package)).unwrap();
            assert!(line.contains(&format!("\"={version}\"")), "{engine}: {line}");
        }
    }
}
