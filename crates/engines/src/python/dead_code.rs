//! Dead code that is certain enough to report, as vulture's `--min-confidence 80` would: imports and arguments whose name
//! is nowhere used in the file, and statements that cannot be reached.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameter, walk_pattern_keyword, walk_stmt};
use ruff_python_ast::{
    Expr, ExprContext, Parameter, PatternKeyword, Stmt, StmtIf, StmtTry, StmtWhile, UnaryOp,
};
use ruff_python_ast::{ModModule, Number};
use ruff_text_size::{Ranged, TextSize};

use super::has_noqa;
use crate::lines::Lines;
use crate::problem::{Input, Problem};

const LINTER: &str = "vulture";
const CODE: &str = "VULTURE";

/// Names that vulture takes for used where a file imports the module: others call or set them. The module's own is among them.
static CALLED_BY_OTHERS: &[(&str, &[&str])] = &[
    ("argparse", &["ArgumentDefaultsHelpFormatter", "ArgumentParser", "argparse", "epilog"]),
    ("collections", &["collections", "default_factory", "defaultdict"]),
    ("ctypes", &["argtypes", "contents", "errcheck", "restype"]),
    ("enum", &["Enum", "enum"]),
    ("logging", &["Filter", "StreamHandler", "emit", "filter", "getLogger", "logging", "propagate"]),
    ("socketserver", &["TCPServer", "allow_reuse_address", "socketserver"]),
    (
        "ssl",
        &[
            "SSLContext",
            "check_hostname",
            "ctx",
            "hostname_checks_common_name",
            "keylog_filename",
            "maximum_version",
            "minimum_version",
            "options",
            "post_handshake_auth",
            "sni_callback",
            "ssl",
            "sslobject_class",
            "sslsocket_class",
            "verify_flags",
            "verify_mode",
        ],
    ),
    (
        "string",
        &[
            "Formatter",
            "check_unused_args",
            "convert_field",
            "format",
            "format_field",
            "get_field",
            "get_value",
            "parse",
            "string",
            "vformat",
        ],
    ),
    ("sys", &["excepthook", "stderr", "stdin", "stdout", "sys"]),
    ("threading", &["Thread", "daemon", "name", "run", "threading"]),
    (
        "unittest",
        &[
            "MagicMock",
            "Mock",
            "TestCase",
            "debug",
            "maxDiff",
            "mock",
            "return_value",
            "run",
            "side_effect",
            "subTest",
        ],
    ),
];

pub(crate) fn lint(module: &ModModule, input: &Input<'_>, lines: &Lines<'_>) -> Vec<Problem> {
    let mut names = Names::default();
    names.visit_body(&module.body);
    let imported: HashSet<&str> = names.imports.iter().map(|(name, _)| *name).collect();
    let called = CALLED_BY_OTHERS.iter().filter(|(module, _)| imported.contains(module));
    names.used.extend(called.flat_map(|(_, called)| called.iter().copied()));
    // A package's `__init__` imports for others.
    if input.path.file_name().is_some_and(|name| name == "__init__.py") {
        names.imports.clear();
    }
    let mut dead = Dead::default();
    dead.block(&module.body);

    let text: Vec<&str> = input.text.lines().collect();
    let mut problems = Vec::new();
    let mut report = |at: TextSize, codes: [&str; 2], message: String| {
        let (line, column) = lines.position(at.to_usize());
        let shown = text.get(line as usize - 1).copied().unwrap_or_default();
        if !codes.iter().any(|code| has_noqa(shown, code)) {
            problems.push(Problem { line, column, code: CODE.into(), message, linter: LINTER });
        }
    };
    let unused = |name: &str| !names.used.contains(name);
    for (name, at) in names.imports.iter().filter(|(name, _)| unused(name)) {
        report(*at, ["V104", "F401"], format!("unused import '{name}' (90% confidence)"));
    }
    for (name, at) in names.arguments.iter().filter(|(name, _)| unused(name)) {
        report(*at, ["V107", "F841"], format!("unused variable '{name}' (100% confidence)"));
    }
    for (at, message) in dead.found {
        report(at, ["V201", "V201"], format!("{message} (100% confidence)"));
    }
    problems
}

/// What the file defines and what it mentions. One set of names for the whole file: a name that is used anywhere counts.
#[derive(Default)]
struct Names<'a> {
    used: HashSet<&'a str>,
    imports: Vec<(&'a str, TextSize)>,
    arguments: Vec<(&'a str, TextSize)>,
}

impl<'a> Visitor<'a> for Names<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    // `import a.b` brings `a`.
                    let name = alias.name.as_str().split('.').next().unwrap_or_default();
                    self.import(name, alias.asname.as_deref(), alias.name.as_str(), import.start());
                }
            }
            Stmt::ImportFrom(import) if import.module.as_deref() != Some("__future__") => {
                for alias in import.names.iter().filter(|alias| alias.name.as_str() != "*") {
                    let name = alias.name.as_str();
                    self.import(name, alias.asname.as_deref(), name, import.start());
                }
            }
            Stmt::Assign(assign) if assign.targets.iter().any(|target| is_name(target, "__all__")) => {
                let elements: &[Expr] = match &*assign.value {
                    Expr::List(list) => &list.elts,
                    Expr::Tuple(tuple) => &tuple.elts,
                    _ => &[],
                };
                self.used.extend(elements.iter().filter_map(text_of));
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if matches!(name.ctx, ExprContext::Load | ExprContext::Del) => {
                self.used.insert(name.id.as_str());
            }
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                self.used.insert(attribute.attr.as_str());
            }
            Expr::Call(call) if is_name(&call.func, "getattr") || is_name(&call.func, "hasattr") => {
                self.used.extend(call.arguments.args.get(1).and_then(text_of));
            }
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        let name = parameter.name.as_str();
        let special = name.starts_with("__") && name.ends_with("__");
        let private = name.starts_with('_') && !name.starts_with("__");
        if !(special || private || matches!(name, "self" | "object")) {
            self.arguments.push((name, parameter.start()));
        }
        walk_parameter(self, parameter);
    }

    fn visit_pattern_keyword(&mut self, keyword: &'a PatternKeyword) {
        self.used.insert(keyword.attr.as_str());
        walk_pattern_keyword(self, keyword);
    }
}

impl<'a> Names<'a> {
    fn import(&mut self, name: &'a str, asname: Option<&'a str>, full: &'a str, at: TextSize) {
        self.imports.push((asname.unwrap_or(name), at));
        if asname.is_some() {
            // Under its other name, so this one is taken to be used.
            self.used.insert(full);
        }
    }
}

/// Finds what cannot be reached. Each method answers whether control can come out at the end.
#[derive(Default)]
struct Dead {
    found: Vec<(TextSize, String)>,
}

impl Dead {
    fn block(&mut self, body: &[Stmt]) -> bool {
        let mut open = true;
        for (at, statement) in body.iter().enumerate() {
            let goes_on = self.statement(statement);
            if open && !goes_on {
                open = false;
                if let Some(next) = body.get(at + 1) {
                    let message = format!("unreachable code after '{}'", keyword(statement));
                    self.found.push((next.start(), message));
                }
            }
        }
        open
    }

    fn statement(&mut self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_) => false,
            Stmt::If(branch) => self.branch(branch),
            Stmt::While(repeat) => self.repeat(repeat),
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::For(each) => {
                self.block(&each.body);
                self.block(&each.orelse);
                true
            }
            Stmt::With(with) => {
                self.block(&with.body);
                true
            }
            Stmt::FunctionDef(function) => {
                self.block(&function.body);
                true
            }
            Stmt::ClassDef(class) => {
                class.body.iter().for_each(|statement| {
                    self.statement(statement);
                });
                true
            }
            _ => true,
        }
    }

    fn branch(&mut self, branch: &StmtIf) -> bool {
        let mut open = false;
        let mut decided = false;
        let first = (branch.start(), Some(&*branch.test), &*branch.body);
        let clauses = branch
            .elif_else_clauses
            .iter()
            .map(|clause| (clause.start(), clause.test.as_ref(), &*clause.body));
        let clauses: Vec<_> = std::iter::once(first).chain(clauses).collect();
        for (at, (start, test, body)) in clauses.iter().enumerate() {
            let goes_on = self.block(body);
            match test.and_then(truth) {
                Some(false) => self.found.push((*start, "unsatisfiable 'if' condition".to_owned())),
                Some(true) => {
                    match clauses.get(at + 1) {
                        // An `elif` is its own statement there; an `else` is what is in it.
                        Some((next, Some(_), _)) => {
                            self.found.push((*next, "unreachable 'else' block".to_owned()));
                        }
                        Some((_, None, body)) => self.found.extend(unreachable_else(body)),
                        None => self.found.push((*start, "redundant if-condition".to_owned())),
                    }
                    open |= goes_on;
                    decided = true;
                    break;
                }
                None => open |= goes_on,
            }
            decided |= test.is_none();
        }
        open || !decided
    }

    fn repeat(&mut self, repeat: &StmtWhile) -> bool {
        self.block(&repeat.body);
        self.block(&repeat.orelse);
        match truth(&repeat.test) {
            Some(false) => {
                self.found.push((repeat.start(), "unsatisfiable 'while' condition".to_owned()));
                true
            }
            Some(true) => {
                self.found.extend(unreachable_else(&repeat.orelse));
                has_break(&repeat.body)
            }
            None => true,
        }
    }

    fn attempt(&mut self, attempt: &StmtTry) -> bool {
        let mut open = self.block(&attempt.body);
        if !open {
            self.found.extend(unreachable_else(&attempt.orelse));
        }
        self.block(&attempt.orelse);
        for handler in &attempt.handlers {
            let handler = handler.as_except_handler();
            open |= handler.is_some_and(|handler| self.block(&handler.body));
        }
        self.block(&attempt.finalbody);
        open
    }
}

fn unreachable_else(body: &[Stmt]) -> Option<(TextSize, String)> {
    Some((body.first()?.start(), "unreachable 'else' block".to_owned()))
}

/// What the original calls the kind of statement that ends a block.
fn keyword(statement: &Stmt) -> &'static str {
    match statement {
        Stmt::Return(_) => "return",
        Stmt::Raise(_) => "raise",
        Stmt::Break(_) => "break",
        Stmt::Continue(_) => "continue",
        Stmt::While(_) => "while",
        Stmt::Try(_) => "try",
        _ => "if",
    }
}

/// Of a condition that is always the same.
fn truth(test: &Expr) -> Option<bool> {
    match test {
        Expr::BooleanLiteral(literal) => Some(literal.value),
        Expr::NoneLiteral(_) => Some(false),
        Expr::StringLiteral(literal) => Some(!literal.value.is_empty()),
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(value) => Some(*value != 0),
            Number::Float(value) => Some(*value != 0.0),
            Number::Complex { .. } => None,
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => truth(&unary.operand).map(|value| !value),
        _ => None,
    }
}

/// A `break` that leaves this loop, not one inside of it.
fn has_break(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Break(_) => true,
        Stmt::If(branch) => {
            has_break(&branch.body) || branch.elif_else_clauses.iter().any(|clause| has_break(&clause.body))
        }
        Stmt::With(with) => has_break(&with.body),
        Stmt::Match(choice) => choice.cases.iter().any(|case| has_break(&case.body)),
        Stmt::Try(attempt) => {
            let handlers = attempt.handlers.iter().filter_map(|handler| handler.as_except_handler());
            has_break(&attempt.body)
                || has_break(&attempt.orelse)
                || has_break(&attempt.finalbody)
                || handlers.into_iter().any(|handler| has_break(&handler.body))
        }
        _ => false,
    })
}

fn is_name(expression: &Expr, wanted: &str) -> bool {
    matches!(expression, Expr::Name(name) if name.id == wanted)
}

fn text_of(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::StringLiteral(literal) => Some(literal.value.to_str()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        let parsed = ruff_python_parser::parse_module(text).unwrap();
        let input = Input::new(Path::new("/p/a.py"), text);
        let mut found = lint(parsed.syntax(), &input, &Lines::new(text));
        found.sort();
        found.into_iter().map(|problem| format!("{}: {}", problem.line, problem.message)).collect()
    }

    #[test]
    fn names_that_others_use() {
        let text = "import sys\nimport unittest\nimport threading\nfrom a import mock, other\n\n\
                    def f(name, stdout, unused):\n    return 1\n";
        insta::assert_snapshot!(found(text).join("\n"), @r"
        2: unused import 'unittest' (90% confidence)
        4: unused import 'other' (90% confidence)
        6: unused variable 'unused' (100% confidence)
        ");
    }

    #[test]
    fn names_that_nobody_uses() {
        let text = "import os\nimport sys as system\nfrom a import b, c\nimport x.y  # noqa: F401\n\n\
                    def f(used, unused, _private):\n    return c(used)\n";
        insta::assert_snapshot!(found(text).join("\n"), @r"
        1: unused import 'os' (90% confidence)
        2: unused import 'system' (90% confidence)
        3: unused import 'b' (90% confidence)
        6: unused variable 'unused' (100% confidence)
        ");
        assert_eq!(found("import a\n__all__ = ['a']\n"), [""; 0]);
        assert_eq!(found("import a\ngetattr(o, 'a')\n"), [""; 0]);
    }

    #[test]
    fn code_that_nobody_reaches() {
        let text = "def f(x):\n    if x:\n        return 1\n    else:\n        raise x\n    print(x)\n\n\
                    def g(x):\n    while True:\n        x()\n    x()\n\n\
                    def h(x):\n    while True:\n        if x:\n            break\n    x()\n    if False:\n        x()\n\n\
                    def i(x):\n    for y in x:\n        continue\n        y()\n";
        insta::assert_snapshot!(found(text).join("\n"), @r"
        6: unreachable code after 'if' (100% confidence)
        11: unreachable code after 'while' (100% confidence)
        18: unsatisfiable 'if' condition (100% confidence)
        24: unreachable code after 'continue' (100% confidence)
        ");
    }
}
