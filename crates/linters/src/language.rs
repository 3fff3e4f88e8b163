//! A file's language, by its name and, of what only looks like YAML, by its place.

use std::path::Path;

use state::files;

/// The languages that the old linter hooks have a switch for, and two more that its users ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Python,
    Shell,
    Yaml,
    Json,
    Toml,
    Markdown,
    TypeScript,
    Dockerfile,
    Rust,
    Go,
}

impl Language {
    pub const ALL: [Language; 10] = [
        Language::Python,
        Language::Shell,
        Language::Yaml,
        Language::Json,
        Language::Toml,
        Language::Markdown,
        Language::TypeScript,
        Language::Dockerfile,
        Language::Rust,
        Language::Go,
    ];

    /// The name in the config file's `languages`.
    pub fn key(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Shell => "shell",
            Language::Yaml => "yaml",
            Language::Json => "json",
            Language::Toml => "toml",
            Language::Markdown => "markdown",
            Language::TypeScript => "typescript",
            Language::Dockerfile => "dockerfile",
            Language::Rust => "rust",
            Language::Go => "go",
        }
    }

    /// By extension first, so that `Dockerfile.md` is Markdown; then by the names a Dockerfile may have.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        if let Some((stem, extension)) = name.rsplit_once('.')
            && !stem.is_empty()
            && let Some(language) = Self::of_extension(extension)
        {
            return Some(language).filter(|language| *language != Language::Yaml || !is_chart_template(path));
        }
        let docker = name == "Dockerfile" || name == "Containerfile" || name.starts_with("Dockerfile.");
        docker.then_some(Language::Dockerfile)
    }

    fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "py" | "pyi" => Language::Python,
            "sh" | "bash" => Language::Shell,
            "yml" | "yaml" => Language::Yaml,
            "json" => Language::Json,
            "toml" => Language::Toml,
            "md" | "mdx" => Language::Markdown,
            "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" | "css" | "vue" | "svelte"
            | "astro" => Language::TypeScript,
            "dockerfile" | "Dockerfile" => Language::Dockerfile,
            "rs" => Language::Rust,
            "go" => Language::Go,
            _ => return None,
        })
    }
}

/// A template of a Helm chart is not YAML until it has been filled in.
fn is_chart_template(path: &Path) -> bool {
    let templates = path.ancestors().filter(|dir| dir.file_name().is_some_and(|name| name == "templates"));
    templates.map(|dir| dir.with_file_name("Chart.yaml")).any(|chart| files::is_file(&chart))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_of_charts_have_none() {
        let dir = tempfile::tempdir().unwrap();
        let template = dir.path().join("templates/sub/a.yaml");
        assert_eq!(Language::of(&template), Some(Language::Yaml));
        state::atomic::write(&dir.path().join("Chart.yaml"), b"name: a\n").unwrap();
        assert_eq!(Language::of(&template), None);
        assert_eq!(Language::of(&dir.path().join("values.yaml")), Some(Language::Yaml));
        assert_eq!(Language::of(&dir.path().join("templates/notes.md")), Some(Language::Markdown));
    }

    #[test]
    fn names_tell_the_language() {
        for (name, language) in [
            ("a.py", Some(Language::Python)),
            ("x/Dockerfile", Some(Language::Dockerfile)),
            ("Dockerfile.nginx", Some(Language::Dockerfile)),
            ("Dockerfile.md", Some(Language::Markdown)),
            ("web.dockerfile", Some(Language::Dockerfile)),
            ("a.b.mts", Some(Language::TypeScript)),
            (".json", None),
            ("Makefile", None),
        ] {
            assert_eq!(Language::of(Path::new(name)), language, "{name}");
        }
    }
}
