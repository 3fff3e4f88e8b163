//! JavaScript and TypeScript: syntax errors only, from oxc's parser. Rules are the external tools'.

use oxc::allocator::Allocator;
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::Parser;
use oxc::semantic::SemanticBuilder;
use oxc::span::SourceType;

use crate::lines::Lines;
use crate::problem::{Input, Outcome, Problem};

pub(crate) const LINTER: &str = "oxc";
pub(crate) const CODE: &str = "JS_SYNTAX";

pub(crate) fn lint(input: &Input<'_>) -> Outcome<Vec<Problem>> {
    // Styles and single-file components are not for this parser.
    let Ok(kind) = SourceType::from_path(input.path) else { return Ok(Vec::new()) };
    // Elements stand in files of any name.
    let kind = if kind.is_typescript() { kind } else { kind.with_jsx(true) };
    let found = parse(input, kind);
    // A script may have what a module may not, a file of Node is the body of a function, and nothing in the file's name says which it is.
    let others = [kind.with_script(true), kind.with_commonjs(true)];
    if !found.is_empty()
        && !kind.is_typescript()
        && others.into_iter().any(|other| parse(input, other).is_empty())
    {
        return Ok(Vec::new());
    }
    Ok(found)
}

fn parse(input: &Input<'_>, kind: SourceType) -> Vec<Problem> {
    let memory = Allocator::default();
    let parsed = Parser::new(&memory, input.text, kind).parse();
    let lines = Lines::new(input.text);
    if !parsed.diagnostics.is_empty() || parsed.panicked {
        return parsed.diagnostics.iter().map(|error| problem(&lines, error)).collect();
    }
    let checked = SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program);
    checked.diagnostics.iter().map(|error| problem(&lines, error)).collect()
}

fn problem(lines: &Lines<'_>, error: &OxcDiagnostic) -> Problem {
    let at = error.labels.first().map_or(0, |label| label.offset() as usize);
    let (line, column) = lines.position(at);
    Problem { line, column, code: CODE.into(), message: error.message.to_string(), linter: LINTER }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn lint_as(name: &str, text: &str) -> String {
        let found = lint(&Input::new(Path::new(name), text)).unwrap();
        found.into_iter().map(|problem| format!("{} ", problem.line)).collect()
    }

    #[test]
    fn syntax_errors_are_found_by_language() {
        assert_eq!(lint_as("/a.ts", "const a: number = 1;\n"), "");
        assert_eq!(lint_as("/a.js", "const a: number = 1;\n"), "1 1 ");
        assert_eq!(lint_as("/a.js", "let a = 1;\nlet a = 2;\n"), "1 ");
        assert_eq!(lint_as("/a.tsx", "const a = <p>x</p>;\nfunction (\n"), "2 3 ");
        assert_eq!(lint_as("/a.css", "a {"), "");
        assert_eq!(lint_as("/a.js", "const a = <p>x</p>;\n"), "");
        assert_eq!(lint_as("/a.js", "with (a) { b = 010; }\n"), "", "a script");
        assert_eq!(lint_as("/a.js", "const a = require('a');\nif (!a) {\n  return;\n}\n"), "", "of Node");
        assert_eq!(lint_as("/a.js", "import a from 'a';\nreturn a;\n"), "2 ", "a module");
    }
}
