//! What the model is told: one file, its violations as JSON, small edits. Steps that it has no tool for are left out.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use crate::violation::to_json;
use crate::{Language, Violation};

/// `format` is the command that formats the file, where the model has a shell to run it in.
pub fn prompt(
    file: &Path,
    language: Language,
    violations: &[Violation],
    tools: &[String],
    format: Option<&str>,
) -> String {
    let list: Vec<_> = violations.iter().map(to_json).collect();
    let docstrings = language == Language::Python && violations.iter().all(|v| is_docstring(&v.code));
    let role = match language {
        Language::Markdown => "markdown fixer",
        _ if docstrings => "docstring fixer",
        _ => "code quality fixer",
    };
    let shell = tools.iter().any(|tool| tool == "Bash");
    let mut rules = vec![
        "Use targeted Edit operations only - never rewrite the entire file".to_owned(),
        "Fix each violation at its reported line/column".to_owned(),
    ];
    match format.filter(|_| shell) {
        Some(command) => {
            rules.push(format!("After fixing, run the formatter: {command}"));
            rules.push("Verify by re-running the linter".to_owned());
        }
        None => rules.push("The file is formatted and linted again when you are done".to_owned()),
    }
    rules.extend(advice(language, violations, docstrings, file));
    rules.push("If a violation cannot be fixed, explain why".to_owned());
    let mut text = format!(
        "You are a {role}. Fix ALL violations listed below in {}.\n\nVIOLATIONS:\n{:#}\n\nRULES:\n",
        file.display(),
        json!(list)
    );
    for (index, rule) in rules.iter().enumerate() {
        let _ = writeln!(text, "{}. {rule}", index + 1);
    }
    text.push_str(
        "\nDo not add comments explaining fixes. Do not refactor beyond what's needed. Edit no other file.\n",
    );
    text
}

/// `D` and a number: a rule about docstrings.
pub fn is_docstring(code: &str) -> bool {
    code.strip_prefix('D').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// What a rule asks for, where its message does not say enough.
fn advice(language: Language, violations: &[Violation], docstrings: bool, file: &Path) -> Vec<String> {
    let has = |code: &str| violations.iter().any(|v| v.code == code);
    let mut all: Vec<(&str, &str)> = Vec::new();
    if language == Language::Markdown {
        all.extend([
            ("MD013", "MD013: say the same in fewer words before you break a line"),
            ("MD060", "MD060: one space on each side of every pipe; edit whole rows of a table"),
        ]);
    }
    if docstrings {
        all.extend([
            ("D401", "D401: begin with the verb alone (\"Return\", not \"Returns\")"),
            ("D417", "D417: add an Args section with every parameter of the signature"),
            ("D205", "D205: one blank line between summary and description"),
            ("D400", "D400: end the first line with a full stop"),
            ("D415", "D415: end the first line with a full stop, question mark or exclamation mark"),
            ("D301", "D301: a docstring with backslashes is a raw one, r\"\"\"...\"\"\""),
            ("D104", "D104: say in one line what the package holds"),
            ("D107", "D107: say what __init__ sets up"),
        ]);
        let package = file.file_name().is_some_and(|name| name == "__init__.py");
        all.push(if package {
            ("D100", "D100: one line, \"Package for ...\"")
        } else {
            ("D100", "D100: say in one line what the module is for")
        });
    }
    let mut rules: Vec<String> =
        all.into_iter().filter(|(code, _)| has(code)).map(|(_, text)| text.to_owned()).collect();
    if docstrings {
        rules.push("Google style, and nothing but docstrings changes".to_owned());
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violation(code: &str) -> Violation {
        Violation {
            file: "a.py".into(),
            line: 15,
            column: 5,
            code: code.into(),
            message: "m".into(),
            linter: "ruff",
            built_in: false,
        }
    }

    fn told(code: &str, language: Language, tools: &str) -> String {
        let tools: Vec<String> = tools.split(',').map(str::to_owned).collect();
        prompt(Path::new("./a.py"), language, &[violation(code)], &tools, Some("ruff format './a.py'"))
    }

    #[test]
    fn one_file_its_violations_and_the_rules() {
        let text = told("F841", Language::Python, "Edit,Read");
        assert!(text.starts_with(
            "You are a code quality fixer. Fix ALL violations listed below in ./a.py.\n\nVIOLATIONS:\n["
        ));
        let start = text.find('[').unwrap();
        let list: serde_json::Value =
            serde_json::from_str(&text[start..text.find("\n\nRULES").unwrap()]).unwrap();
        assert_eq!(
            list,
            json!([{"line": 15, "column": 5, "code": "F841", "message": "m", "linter": "ruff"}])
        );
        assert!(text.contains("1. Use targeted Edit operations only - never rewrite the entire file\n"));
        assert!(text.contains("5. ") || text.contains("4. If a violation cannot be fixed, explain why\n"));
    }

    #[test]
    fn steps_without_a_tool_are_left_out() {
        assert!(!told("F841", Language::Python, "Edit,Read").contains("ruff format"));
        let with_shell = told("F841", Language::Python, "Edit,Read,Bash");
        assert!(
            with_shell.contains(
                "3. After fixing, run the formatter: ruff format './a.py'\n4. Verify by re-running"
            )
        );
    }

    #[test]
    fn prose_has_its_own_words() {
        assert!(told("MD013", Language::Markdown, "Edit").contains("You are a markdown fixer."));
        let docs = told("D417", Language::Python, "Edit");
        assert!(
            docs.contains("docstring fixer")
                && docs.contains("D417: add an Args section")
                && !docs.contains("D401")
        );
    }
}
