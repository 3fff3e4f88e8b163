//! Files that are something else than their names say: templates that become YAML or JSON later, and scripts for another shell. A parser
//! fails on them, and they are right.

use std::path::Path;

use state::files;

use crate::Language;

/// Whether nothing that linters of this language say about the text is about what it is.
pub(crate) fn is_posing(language: Language, path: &Path, text: &str, parses: bool) -> bool {
    match language {
        Language::Shell => is_for_another_shell(text, parses),
        Language::Yaml | Language::Json | Language::Toml | Language::Python | Language::Markdown => {
            !parses && is_template(language, path, text)
        }
        Language::TypeScript => {
            !parses && (is_flow(text) || is_markup(text) || is_template(language, path, text))
        }
        Language::Dockerfile | Language::Rust | Language::Go => !parses && is_template(language, path, text),
    }
}

/// By a mark that no document of the language has: a statement of the template at the beginning of a line, a placeholder in the path, or
/// a value that only the template's language has.
fn is_template(language: Language, path: &Path, text: &str) -> bool {
    if path.components().any(|part| part.as_os_str().to_string_lossy().contains("{{")) {
        return true;
    }
    if has_folder(path, "templates") && path.ancestors().any(|dir| files::is_file(&dir.join("Chart.yaml"))) {
        return true;
    }
    let marks =
        ["{%", "{#", "{{-", "{{ .", "{{.", "{{ cookiecutter", "{{cookiecutter", "<%", "{{#", "{{/", "{{>"];
    let line = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix('#').map_or(line, str::trim_start);
        line.starts_with("{{") || marks.iter().any(|mark| line.contains(mark))
    };
    // In JSON an unquoted placeholder is nobody's mistake.
    text.lines().any(line) || (language == Language::Json && text.contains("{{"))
}

fn has_folder(path: &Path, name: &str) -> bool {
    path.parent().is_some_and(|dir| dir.components().any(|part| part.as_os_str() == name))
}

/// Zsh and others have words of their own, and many of their files are called `.sh`.
fn is_for_another_shell(text: &str, parses: bool) -> bool {
    let first = text.lines().next().unwrap_or_default();
    if let Some(interpreter) = first.strip_prefix("#!") {
        return ["zsh", "fish", "csh", "tcsh", "elvish", "nu", "xonsh"]
            .iter()
            .any(|shell| interpreter.split(['/', ' ']).any(|word| word.trim() == *shell));
    }
    let marks = [
        "emulate ",
        "setopt ",
        "unsetopt ",
        "autoload -",
        "zstyle ",
        "zmodload ",
        "compdef ",
        "bindkey ",
        "${(",
        "print -P",
    ];
    let zsh = |line: &str| {
        let line = line.trim_start();
        line.starts_with("#compdef")
            || marks.iter().any(|mark| line.starts_with(mark))
            || line.contains("${(")
    };
    !parses && text.lines().any(zsh)
}

/// Translations of Qt's are called `.ts`, and are XML.
fn is_markup(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    ["<?xml", "<!DOCTYPE"].iter().any(|mark| start.starts_with(mark))
}

/// JavaScript with types of another kind.
fn is_flow(text: &str) -> bool {
    text.lines().take(40).any(|line| {
        line.contains("@flow") || line.contains("import type ") || line.contains("import typeof ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_known_by_their_marks() {
        for (language, path, text, posing) in [
            (Language::Yaml, "/p/a.yml", "{% if x %}\na: 1\n{% endif %}\n", true),
            (Language::Yaml, "/p/a.yml", "a: {{ .Values.x }}\n", true),
            (Language::Yaml, "/p/{{name}}/a.yml", "a: [\n", true),
            // Ansible's own mistake.
            (Language::Yaml, "/p/tasks/main.yml", "- name: {{ item }}\n", false),
            (Language::Yaml, "/p/a.yml", "a: [\n", false),
            (Language::Json, "/p/a.json", "{\"a\": {{ x }}}\n", true),
            (Language::Json, "/p/a.json", "{\"a\": }\n", false),
            (Language::Python, "/p/a.py", "{% if x %}\nimport os\n{% endif %}\n", true),
            (Language::Python, "/p/a.py", "def f(:\n", false),
            (Language::TypeScript, "/p/a.js", "// @flow\nconst a: number = 1;\n", true),
            (Language::TypeScript, "/p/app_de.ts", "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS/>\n", true),
            (Language::TypeScript, "/p/app.ts", "const a = <;\n", false),
        ] {
            assert_eq!(is_posing(language, Path::new(path), text, false), posing, "{path} {text}");
        }
        assert!(!is_posing(Language::Yaml, Path::new("/p/a.yml"), "a: \"{{ .b }}\"\n", true), "it parses");
    }

    #[test]
    fn another_shell_is_known_by_its_first_line_or_its_words() {
        let posing = |text: &str| is_posing(Language::Shell, Path::new("/p/a.sh"), text, false);
        assert!(posing("#!/usr/bin/env zsh\nprint -P x\n"));
        assert!(posing("setopt extended_glob\nfor f (*.txt) print $f\n"));
        assert!(!posing("#!/bin/bash\nif\n"));
        assert!(!posing("if true\n"));
    }
}
