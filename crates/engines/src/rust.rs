//! Rust: syntax errors only, from syn's parser. What does not compile is Clippy's to say, when the agent stops.

use crate::lines::number;
use crate::problem::{Input, Outcome, Problem};

pub(crate) const LINTER: &str = "syn";
pub(crate) const CODE: &str = "RUST_SYNTAX";

pub(crate) fn lint(input: &Input<'_>) -> Outcome<Vec<Problem>> {
    let Err(error) = syn::parse_file(input.text) else { return Ok(Vec::new()) };
    let problem = |error: syn::Error| {
        let place = error.span().start();
        Problem {
            line: number(place.line.max(1)),
            column: number(place.column + 1),
            code: CODE.into(),
            message: error.to_string(),
            linter: LINTER,
        }
    };
    Ok(error.into_iter().map(problem).collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn lint_as(text: &str) -> String {
        let found = lint(&Input::new(Path::new("/a.rs"), text)).unwrap();
        found.into_iter().map(|problem| format!("{}:{} ", problem.line, problem.column)).collect()
    }

    #[test]
    fn syntax_errors_are_found_with_their_places() {
        assert_eq!(lint_as("fn a() {}\n"), "");
        assert_eq!(lint_as("#!/usr/bin/env run\n//! Text.\nfn a() -> impl Fn() {\n    || ()\n}\n"), "");
        assert_eq!(lint_as("fn a() {\n    let b = ;\n}\n"), "2:13 ");
        assert_eq!(lint_as("fn a() {\n    let b = 1\n    let c = 2;\n}\n"), "3:5 ");
        assert!(!lint_as("fn a() {\n").is_empty(), "an open brace");
        assert!(!lint_as("fn a() { \"open\n}\n").is_empty(), "an open text");
        assert_eq!(lint_as("fn a() {}\nfn b( {}\n").chars().next(), Some('2'));
    }

    #[test]
    fn what_newer_compilers_take_is_no_error() {
        for text in [
            "fn a(b: Option<u8>) -> u8 {\n    let Some(b) = b else { return 0 };\n    b\n}\n",
            "fn a(b: Option<u8>) -> bool {\n    if let Some(c) = b && c > 1 { true } else { false }\n}\n",
            "unsafe extern \"C\" {\n    safe fn a();\n}\n",
            "fn a() -> impl Iterator<Item = u8> + use<> {\n    [1].into_iter()\n}\n",
            "fn a() {\n    let _ = c\"text\";\n    let _ = async || 1;\n    let _ = &raw const B;\n}\nstatic B: u8 = 1;\n",
            "trait A {\n    type B<'a> where Self: 'a;\n    async fn c(&self);\n}\n",
        ] {
            assert_eq!(lint_as(text), "", "{text}");
        }
    }
}
