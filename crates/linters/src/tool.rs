//! External tools by language: what `init` looks for on the person's PATH.

use crate::Language;

#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The program's name on PATH.
    pub program: &'static str,
    pub language: Language,
    /// What it is for, in a few words.
    pub role: &'static str,
}

/// Sorted by language, formatter first.
pub static TOOLS: &[Tool] = &[
    Tool { program: "ruff", language: Language::Python, role: "format and lint" },
    Tool { program: "ty", language: Language::Python, role: "types" },
    Tool { program: "flake8", language: Language::Python, role: "pydantic and async rules" },
    Tool { program: "vulture", language: Language::Python, role: "dead code" },
    Tool { program: "bandit", language: Language::Python, role: "security" },
    Tool { program: "uv", language: Language::Python, role: "runs the project's tools" },
    Tool { program: "shfmt", language: Language::Shell, role: "format" },
    Tool { program: "shellcheck", language: Language::Shell, role: "lint" },
    Tool { program: "yamllint", language: Language::Yaml, role: "lint" },
    Tool { program: "taplo", language: Language::Toml, role: "format and lint" },
    Tool { program: "markdownlint-cli2", language: Language::Markdown, role: "format and lint" },
    Tool { program: "biome", language: Language::TypeScript, role: "format and lint" },
    Tool { program: "oxlint", language: Language::TypeScript, role: "lint" },
    Tool { program: "semgrep", language: Language::TypeScript, role: "security" },
    Tool { program: "hadolint", language: Language::Dockerfile, role: "lint" },
    Tool { program: "rustfmt", language: Language::Rust, role: "format" },
    Tool { program: "gofmt", language: Language::Go, role: "format" },
];
