//! The rules of flake8-async, on ruff's tree.
//!
//! All that its own selection `ASYNC` turns on, also those that it leaves off by default, because that is how it is run
//! here. Rules that need a setting of the project to say anything (`ASYNC200`) are not there.

mod calls;
mod checkpoints;
mod cleanup;
mod context_manager;
mod definitions;
mod exception_groups;
mod functions;
mod managers;
mod names;
mod paths;
mod reraise;
mod scopes;
mod types;
mod walk;

use ruff_python_ast::ModModule;
use ruff_text_size::TextSize;

use crate::lines::Lines;
use crate::problem::Problem;

const LINTER: &str = "flake8-async";

pub(crate) fn lint(module: &ModModule, text: &str, lines: &Lines<'_>) -> Vec<Problem> {
    let mut report = Report { text, lines, problems: Vec::new() };
    walk::lint(module, &mut report);
    // A path cannot be wrong where there is neither an async function nor a cancel scope, nor can a handler be where there
    // is none; that is most files.
    if ["async ", "trio", "anyio"].iter().any(|word| text.contains(word)) {
        checkpoints::lint(module, &mut report);
    }
    if text.contains("except") {
        reraise::lint(module, &mut report);
    }
    report.problems
}

/// What has been found, and the text that it is in.
struct Report<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    problems: Vec<Problem>,
}

impl Report<'_> {
    fn add(&mut self, at: TextSize, code: &'static str, message: String) {
        let (line, column) = self.lines.position(at.to_usize());
        self.problems.push(Problem { line, column, code: code.into(), message, linter: LINTER });
    }

    fn line(&self, at: TextSize) -> u32 {
        self.lines.line(at.to_usize())
    }

    /// Where the first word of the line is. Of the name of a function: `async`, and not the decorators above it.
    fn line_start(&self, at: TextSize) -> TextSize {
        let before = &self.text[..at.to_usize()];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let blank = before[start..].len() - before[start..].trim_start().len();
        TextSize::try_from(start + blank).unwrap_or(at)
    }

    fn len(&self) -> usize {
        self.problems.len()
    }

    /// Forgets all but the first `count`.
    fn keep(&mut self, count: usize) {
        self.problems.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(u32, String)> {
        let parsed = ruff_python_parser::parse_module(text).unwrap();
        let found = lint(parsed.syntax(), text, &Lines::new(text));
        let mut codes: Vec<(u32, String)> = found
            .into_iter()
            .map(|problem| (problem.line, problem.code.trim_start_matches("ASYNC").to_owned()))
            .collect();
        codes.sort();
        codes.dedup();
        codes
    }

    /// The numbers behind a line are what flake8-async 26.8.1 says about it.
    #[test]
    fn every_line_of_the_sample_is_judged_as_the_original_does() {
        let text = include_str!("sample.py");
        let expected: Vec<(u32, String)> = text
            .lines()
            .enumerate()
            .filter_map(|(at, line)| Some((at, line.split_once("  # ")?.1)))
            .flat_map(|(at, codes)| {
                codes.split(' ').map(move |code| (crate::lines::number(at + 1), code.to_owned()))
            })
            .collect();
        assert!(expected.len() > 120, "{}", expected.len());
        assert_eq!(codes(text), expected);
    }

    #[test]
    fn imports_count_from_where_they_are() {
        let body = "async def f():\n    with move_on_after(3):\n        pass\n    await g()\n";
        let found = |text: &str| codes(text).iter().any(|(_, code)| code == "100");
        assert!(found(&format!("from trio import move_on_after\n{body}")));
        assert!(!found(&format!("{body}from trio import move_on_after\n")));
        assert!(!found(body));
    }

    #[test]
    fn a_file_without_async_code_is_clean() {
        assert_eq!(
            codes("def f(x):\n    try:\n        return open(x)\n    except OSError:\n        return None\n"),
            []
        );
    }
}
