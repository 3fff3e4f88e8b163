//! The tools that an engine stands for.

/// What may be done to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite<'a> {
    /// Only how it looks.
    Layout,
    /// Fixes besides, but for these rules.
    Fixes { keep: &'a [&'a str] },
}

/// Named as the original, because that is what a report and a setting say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tool {
    Shellcheck,
    Shfmt,
    Markdownlint,
    Yamllint,
    Taplo,
    Json,
    Hadolint,
    Ruff,
    Bandit,
    FlakeAsync,
    FlakePydantic,
    Vulture,
    Ty,
    /// Syntax errors only: no original.
    Oxc,
    /// The same.
    Syn,
}

impl Tool {
    /// All that this build has.
    pub const ALL: &'static [Tool] = &[
        #[cfg(feature = "shell")]
        Tool::Shellcheck,
        #[cfg(feature = "shell")]
        Tool::Shfmt,
        #[cfg(feature = "markdown")]
        Tool::Markdownlint,
        #[cfg(feature = "yaml")]
        Tool::Yamllint,
        #[cfg(feature = "toml")]
        Tool::Taplo,
        #[cfg(feature = "json")]
        Tool::Json,
        #[cfg(feature = "dockerfile")]
        Tool::Hadolint,
        #[cfg(feature = "python")]
        Tool::Ruff,
        #[cfg(feature = "python")]
        Tool::Bandit,
        #[cfg(feature = "python")]
        Tool::FlakeAsync,
        #[cfg(feature = "python")]
        Tool::FlakePydantic,
        #[cfg(feature = "python")]
        Tool::Vulture,
        #[cfg(feature = "types")]
        Tool::Ty,
        #[cfg(feature = "javascript")]
        Tool::Oxc,
        #[cfg(feature = "rust")]
        Tool::Syn,
    ];

    /// Costs more than an edit may wait for: it works out the types of what a file imports too.
    pub fn is_slow(self) -> bool {
        self == Tool::Ty
    }

    /// Looks at a Python file; all of them work on one parse, except for the checker of types, which is not a part of ruff.
    pub fn is_python(self) -> bool {
        matches!(self, Tool::Ruff | Tool::Bandit | Tool::FlakeAsync | Tool::FlakePydantic | Tool::Vulture)
    }

    /// What does its work here, with the version: `ruff 0.16.4`.
    pub fn engine(self) -> &'static str {
        match self {
            Tool::Shellcheck | Tool::Shfmt => "shuck 0.2.8",
            Tool::Markdownlint => "rumdl 0.3.2",
            Tool::Yamllint => "ryl 0.22.0",
            Tool::Taplo => "taplo 0.14.0",
            Tool::Json => "serde_json",
            Tool::Hadolint => "plimsoll",
            Tool::Ruff | Tool::Bandit => "ruff 0.16.4",
            Tool::FlakeAsync | Tool::FlakePydantic | Tool::Vulture => "plimsoll, on ruff 0.16.4's tree",
            Tool::Ty => "ty_python_semantic 0.0.10",
            Tool::Oxc => "oxc 0.137.0",
            Tool::Syn => "syn 2.0.119",
        }
    }
}
