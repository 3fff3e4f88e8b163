//! Which method of an async context manager may leave awaiting to the other.

use ruff_python_ast::{Stmt, StmtClassDef};

use super::functions::has_await;

/// The methods of an async context manager that a class has, and whether they await anything.
pub(super) struct Manager {
    enter: Option<bool>,
    exit: Option<bool>,
    has_bases: bool,
}

impl Manager {
    pub(super) fn of(class: &StmtClassDef) -> Manager {
        let method = |name: &str| {
            class.body.iter().rev().find_map(|statement| match statement {
                Stmt::FunctionDef(function) if function.is_async && &function.name == name => {
                    Some(has_await(function))
                }
                _ => None,
            })
        };
        let has_bases = class.arguments.as_deref().is_some_and(|arguments| !arguments.args.is_empty());
        Manager { enter: method("__aenter__"), exit: method("__aexit__"), has_bases }
    }

    /// One of the two methods may leave awaiting to the other; where the other is inherited, it is trusted to do so.
    pub(super) fn exempts(&self, name: &str) -> bool {
        let (own, partner) = match name {
            "__aenter__" => (self.enter, self.exit),
            "__aexit__" => (self.exit, self.enter),
            _ => return false,
        };
        match (own, partner) {
            (Some(false), Some(true)) => true,
            // One report for both is enough.
            (Some(false), Some(false)) => name == "__aexit__",
            (Some(false), None) => self.has_bases,
            _ => false,
        }
    }
}
