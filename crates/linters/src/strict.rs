//! The strict configuration of every linter, as files that `init` offers and that the self-test works with.

/// One file: its name in a project, and its text.
#[derive(Clone, Copy, Debug)]
pub struct ConfigFile {
    pub name: &'static str,
    pub text: &'static str,
    /// The linters that read it.
    pub of: &'static [&'static str],
}

macro_rules! files {
    ($($name:literal of [$($linter:literal),+]),* $(,)?) => {
        &[$(ConfigFile {
            name: $name,
            text: include_str!(concat!("../strict/", $name)),
            of: &[$($linter),+],
        }),*]
    };
}

pub static STRICT: &[ConfigFile] = files![
    ".ruff.toml" of ["ruff"],
    "ty.toml" of ["ty"],
    ".flake8" of ["flake8"],
    "vulture_whitelist.py" of ["vulture"],
    ".shellcheckrc" of ["shellcheck"],
    ".yamllint" of ["yamllint"],
    ".hadolint.yaml" of ["hadolint"],
    "taplo.toml" of ["taplo"],
    ".markdownlint.jsonc" of ["markdownlint-cli2"],
    ".markdownlint-cli2.jsonc" of ["markdownlint-cli2"],
    "biome.json" of ["biome"],
    ".semgrep.yml" of ["semgrep"],
    ".jscpd.json" of ["jscpd"],
];
