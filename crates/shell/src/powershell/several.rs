//! Which variables of a statement may have several values: it is walked with each of them.

use super::syntax::{Doing, Element, Expr, Statement, WordKind};
use crate::state::State;

/// More than these are not told apart.
const MOST_NAMES: usize = 6;

pub(super) fn several(statement: &Statement, state: &State) -> Vec<String> {
    if state.variables.values().all(|variable| variable.values.len() < 2) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |name: &str| {
        let key = name.strip_prefix("env:").map_or_else(|| format!("${name}"), str::to_owned);
        let many = state.variables.get(&key).is_some_and(|variable| variable.values.len() > 1);
        if many && found.len() < MOST_NAMES && !found.contains(&key) {
            found.push(key);
        }
    };
    of_statement(statement, &mut add);
    found
}

fn of_statement(statement: &Statement, add: &mut dyn FnMut(&str)) {
    match statement {
        Statement::Pipeline(elements) => elements.iter().for_each(|element| of_element(element, add)),
        Statement::Assign { value, target, add: adds } => {
            if *adds {
                of_expr(target, add);
            }
            of_statement(value, add);
        }
        Statement::Each { list, .. } => of_statement(list, add),
        _ => {}
    }
}

fn of_element(element: &Element, add: &mut dyn FnMut(&str)) {
    match &element.doing {
        Doing::Expression(expr) => of_expr(expr, add),
        Doing::Command(words) => {
            for word in words.iter().chain(element.redirects.iter().map(|redirect| &redirect.target)) {
                match &word.kind {
                    WordKind::Parameter(_, Some(expr)) | WordKind::Value(expr) => of_expr(expr, add),
                    WordKind::Splat(name) => add(name),
                    WordKind::Parameter(_, None) => {}
                }
            }
        }
    }
}

fn of_expr(expr: &Expr, add: &mut dyn FnMut(&str)) {
    match expr {
        Expr::Variable(name) => add(name),
        Expr::Text(parts) | Expr::List(parts) => parts.iter().for_each(|part| of_expr(part, add)),
        Expr::Sub(script) => script.statements.iter().for_each(|statement| of_statement(statement, add)),
        Expr::Member { of, args, .. } => {
            of_expr(of, add);
            args.iter().flatten().for_each(|arg| of_expr(arg, add));
        }
        Expr::Index(a, b) | Expr::Binary(_, a, b) => {
            of_expr(a, add);
            of_expr(b, add);
        }
        Expr::Cast(_, of) | Expr::Unary(_, of) => of_expr(of, add),
        Expr::Hash(pairs) => pairs.iter().for_each(|(_, value)| of_statement(value, add)),
        Expr::Literal(_) | Expr::Block(_) | Expr::Type(_) => {}
    }
}
