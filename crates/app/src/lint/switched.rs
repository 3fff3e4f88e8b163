//! What of linting is there and on.

use std::path::Path;

use linters::{Engines as _, Language};
use model::Config;

use super::engines;

/// Whether an engine of this build does that linter's work.
pub(crate) fn is_embedded(language: Language, linter: &str) -> bool {
    engines(Path::new("/"), None, false).stands_for(language, Path::new("")).contains(&linter)
}

/// Whether this language's linting is switched on.
pub(crate) fn is_on(language: Language, config: &Config) -> bool {
    match language {
        Language::Python => config.python,
        Language::Shell => config.shell,
        Language::Yaml => config.yaml,
        Language::Json => config.json,
        Language::Toml => config.toml,
        Language::Markdown => config.markdown,
        Language::TypeScript => config.typescript,
        Language::Dockerfile => config.dockerfile,
        Language::Rust => config.rust,
        Language::Go => config.go,
    }
}
