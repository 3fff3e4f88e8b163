//! Questions about a function that several rules ask.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Number, Stmt, StmtFunctionDef, UnaryOp};

use super::names::{last, written};

/// `@name`, `@a.name`, with or without a call.
pub(super) fn has_decorator(function: &StmtFunctionDef, names: &[&str]) -> bool {
    function
        .decorator_list
        .iter()
        .any(|decorator| last(&decorator.expression).is_some_and(|name| names.contains(&name)))
}

/// Only as it is written here: the original's default setting has this one word, and `contextlib.` before it is another.
pub(super) fn is_context_manager(function: &StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(|decorator| {
        let named = match &decorator.expression {
            Expr::Call(call) => &*call.func,
            other => other,
        };
        written(named).is_some_and(|name| name == "asynccontextmanager")
    })
}

/// Nothing but `pass`, `...` and texts: a stub.
pub(super) fn is_stub(function: &StmtFunctionDef) -> bool {
    function.body.iter().all(|statement| match statement {
        Stmt::Pass(_) => true,
        Stmt::Expr(it) => match &*it.value {
            Expr::EllipsisLiteral(_) => true,
            Expr::StringLiteral(text) => !text.value.is_implicit_concatenated(),
            Expr::BytesLiteral(text) => !text.value.is_implicit_concatenated(),
            _ => false,
        },
        _ => false,
    })
}

/// `await`, `async with` or `async for` anywhere in it, also in functions inside.
pub(super) fn has_await(function: &StmtFunctionDef) -> bool {
    struct Search(bool);
    impl<'a> Visitor<'a> for Search {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            self.0 |= match statement {
                Stmt::With(with) => with.is_async,
                Stmt::For(repeat) => repeat.is_async,
                _ => false,
            };
            if !self.0 {
                walk_stmt(self, statement);
            }
        }
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.0 |= matches!(expression, Expr::Await(_));
            if !self.0 {
                walk_expr(self, expression);
            }
        }
    }
    let mut search = Search(false);
    search.visit_body(&function.body);
    search.0
}

/// A loop over this runs at least once: a list that is written out, a text, a `range` of numbers.
pub(super) fn runs_once(iterable: &Expr) -> bool {
    let elements = |elements: &[Expr]| {
        elements.iter().any(|element| match element {
            Expr::Starred(starred) => runs_once(&starred.value),
            _ => true,
        })
    };
    match iterable {
        Expr::List(list) => elements(&list.elts),
        Expr::Tuple(tuple) => elements(&tuple.elts),
        Expr::Set(set) => elements(&set.elts),
        Expr::Dict(dict) => dict.items.iter().any(|item| item.key.is_some() || runs_once(&item.value)),
        Expr::StringLiteral(text) => !text.value.is_implicit_concatenated() && !text.value.is_empty(),
        Expr::BytesLiteral(text) => !text.value.is_implicit_concatenated() && !text.value.is_empty(),
        Expr::Call(call) if matches!(&*call.func, Expr::Name(name) if name.id == "range") => {
            let numbers: Option<Vec<i64>> = call.arguments.args.iter().map(whole_number).collect();
            match numbers.as_deref() {
                Some([stop]) => *stop > 0,
                Some([start, stop]) => start < stop,
                Some([start, stop, step]) => (*step > 0 && start < stop) || (*step < 0 && start > stop),
                _ => false,
            }
        }
        _ => false,
    }
}

fn whole_number(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(value) => Some(value.as_i64().unwrap_or(i64::MAX)),
            _ => None,
        },
        Expr::UnaryOp(unary) => {
            let Expr::NumberLiteral(_) = &*unary.operand else { return None };
            let value = whole_number(&unary.operand)?;
            Some(match unary.op {
                UnaryOp::USub => -value,
                UnaryOp::Invert => !value,
                UnaryOp::UAdd | UnaryOp::Not => value,
            })
        }
        _ => None,
    }
}

/// Of a `while`: a condition that is written as a constant that holds.
pub(super) fn is_endless(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(literal) => literal.value,
        Expr::StringLiteral(text) => !text.value.is_empty(),
        Expr::BytesLiteral(text) => !text.value.is_empty(),
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(value) => *value != 0,
            Number::Float(value) => *value != 0.0,
            Number::Complex { real, imag } => *real != 0.0 || *imag != 0.0,
        },
        _ => false,
    }
}
