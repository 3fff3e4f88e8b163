//! JavaScript and TypeScript: syntax errors, from oxc's parser, in regular expressions too, and constants that are assigned to, which always throws. Rules are the
//! external tools'.

use oxc::allocator::Allocator;
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::{Reference, Scoping, Semantic, SemanticBuilder, SymbolId};
use oxc::span::SourceType;

use crate::lines::Lines;
use crate::problem::{Input, Outcome, Problem};

pub(crate) const LINTER: &str = "oxc";
pub(crate) const CODE: &str = "JS_SYNTAX";
/// As the linters of this language call it.
const CONSTANT: &str = "no-const-assign";

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
    let options = ParseOptions { parse_regular_expression: true, ..ParseOptions::default() };
    let parsed = Parser::new(&memory, input.text, kind).with_options(options).parse();
    let lines = Lines::new(input.text);
    if !parsed.diagnostics.is_empty() || parsed.panicked {
        return parsed.diagnostics.iter().map(|error| problem(&lines, error)).collect();
    }
    let checked = SemanticBuilder::new().with_check_syntax_error(true).build(&parsed.program);
    if !checked.diagnostics.is_empty() {
        return checked.diagnostics.iter().map(|error| problem(&lines, error)).collect();
    }
    if !assigns_to_constants(&checked.semantic) {
        return Vec::new();
    }
    // Places are only known where the whole tree is kept, which is for this rare case.
    let whole = SemanticBuilder::new().with_build_nodes(true).build(&parsed.program);
    assigned_constants(&whole.semantic, &lines)
}

fn constants(names: &Scoping) -> impl Iterator<Item = SymbolId> + '_ {
    names.symbol_ids().filter(|name| names.symbol_flags(*name).is_const_variable())
}

fn assigns_to_constants(program: &Semantic<'_>) -> bool {
    let names = program.scoping();
    constants(names).any(|name| names.get_resolved_references(name).any(Reference::is_write))
}

fn assigned_constants(program: &Semantic<'_>, lines: &Lines<'_>) -> Vec<Problem> {
    let names = program.scoping();
    let mut found = Vec::new();
    for name in constants(names) {
        for reference in names.get_resolved_references(name).filter(|reference| reference.is_write()) {
            let (line, column) = lines.position(program.reference_span(reference).start as usize);
            let message = format!("`{}` is a constant, and assigning to it throws", names.symbol_name(name));
            found.push(Problem { line, column, code: CONSTANT.into(), message, linter: LINTER });
        }
    }
    found
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
    fn a_constant_that_is_assigned_to_is_found() {
        assert_eq!(lint_as("/a.js", "const a = 1;\na = 2;\n"), "2 ");
        assert_eq!(
            lint_as("/a.ts", "export const a: number = 1;\nexport function f() {\n  a += 2;\n}\n"),
            "3 "
        );
        let right =
            "const a = { b: 1 };\na.b = 2;\nfor (const c of [1]) { let a = c; a = 3; }\nlet d = 1;\nd = 2;\n";
        assert_eq!(lint_as("/a.ts", right), "");
        assert_eq!(lint_as("/a.ts", "declare const a: number;\nexport type B = typeof a;\n"), "");
    }

    #[test]
    fn a_pattern_that_is_none_is_found() {
        for text in [
            "const a = /(/;\n",
            "const a = /[b-a]/u;\n",
            "const a = /a{2,1}/;\n",
            "const a = /(?<n>a)(?<n>b)/;\n",
        ] {
            assert_eq!(lint_as("/a.js", text), "1 ", "{text}");
            assert_eq!(lint_as("/a.ts", text), "1 ", "{text}");
        }
        let right = [
            "const a = /]{}/;\n",
            "const b = /\\a\\_[\\d-x]{,2}/;\n",
            "const c = /(?i:a)(?<!b)\\k<n>(?<n>x)|(?<n>y)/;\n",
            "const d = /[\\p{L}--[a-z]]/v;\n",
            "const e = 1 / (2 / 3);\n",
        ];
        assert_eq!(lint_as("/a.js", &right.concat()), "");
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
