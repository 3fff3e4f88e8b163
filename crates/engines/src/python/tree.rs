//! Whether two texts are the same program: what a formatter may change is how it is written.

use ruff_python_ast::comparable::ComparableModModule;
use ruff_python_ast::visitor::transformer::{Transformer, walk_stmt};
use ruff_python_ast::{Expr, ModModule, Stmt, StringLiteral};
use ruff_python_parser::parse_module;

/// `None` where one of them is not Python.
pub(crate) fn same(old: &str, new: &str) -> Option<bool> {
    let (old, new) = (normal(old)?, normal(new)?);
    Some(ComparableModModule::from(&old) == ComparableModModule::from(&new))
}

fn normal(text: &str) -> Option<ModModule> {
    let mut module = parse_module(text).ok()?.into_syntax();
    module.body.iter_mut().for_each(|stmt| Normal.visit_stmt(stmt));
    Some(module)
}

struct Normal;

impl Transformer for Normal {
    fn visit_stmt(&self, stmt: &mut Stmt) {
        // `del (a, b)` is `del a, b`.
        if let Stmt::Delete(delete) = stmt
            && let [Expr::Tuple(tuple)] = delete.targets.as_mut_slice()
        {
            delete.targets = std::mem::take(&mut tuple.elts);
        }
        walk_stmt(self, stmt);
    }

    /// Docstrings are indented anew.
    fn visit_string_literal(&self, literal: &mut StringLiteral) {
        literal.value = literal.value.split_whitespace().collect::<String>().into();
    }
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn another_form_is_the_same_program() {
        let old = "x = ('a' 'b')\ndel (x, y)\ndef f( a,b ):\n  '''One.\n\n    Two.'''\n  return (a)\n";
        let new = "x = \"ab\"\ndel x, y\n\n\ndef f(a, b):\n    \"\"\"One.\n\n    Two.\"\"\"\n    return a\n";
        assert_eq!(same(old, new), Some(true));
    }

    #[test]
    fn another_program_is_not() {
        let (inside, outside) = ("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n");
        assert_eq!(same(inside, outside), Some(false), "moved out of its block");
        assert_eq!(same("a - b\n", "a + b\n"), Some(false), "another sign");
        assert_eq!(same("a = 1\n", "a = (\n"), None);
    }
}
