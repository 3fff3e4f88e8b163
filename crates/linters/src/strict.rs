//! The strict config set: what each linter is told where a project wants everything found. `init` offers it and never overwrites;
//! `selftest` runs with it.

/// By the name that the tool looks for.
pub static FILES: &[(&str, &str)] = &[
    (".ruff.toml", include_str!("../strict/ruff.toml")),
    ("ty.toml", include_str!("../strict/ty.toml")),
    (".flake8", include_str!("../strict/flake8")),
    (".shellcheckrc", include_str!("../strict/shellcheckrc")),
    (".yamllint", include_str!("../strict/yamllint")),
    (".hadolint.yaml", include_str!("../strict/hadolint.yaml")),
    ("taplo.toml", include_str!("../strict/taplo.toml")),
    (".markdownlint.jsonc", include_str!("../strict/markdownlint.jsonc")),
    (".markdownlint-cli2.jsonc", include_str!("../strict/markdownlint-cli2.jsonc")),
    (".jscpd.json", include_str!("../strict/jscpd.json")),
    ("biome.json", include_str!("../strict/biome.json")),
    (".semgrep.yml", include_str!("../strict/semgrep.yml")),
    ("vulture_whitelist.py", include_str!("../strict/vulture_whitelist.py")),
];
