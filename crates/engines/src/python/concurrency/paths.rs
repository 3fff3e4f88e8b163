//! What is kept while paths through a function are followed; `checkpoints.rs` follows them.

use std::collections::{BTreeSet, HashMap};

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Since {
    Function(TextSize),
    Yield(TextSize),
    Loop,
    Scope(TextSize),
}

impl Since {
    /// Marks wait for a point at which the task can be cancelled; being rescheduled is not enough.
    pub(super) fn is_mark(self) -> bool {
        matches!(self, Since::Loop | Since::Scope(_))
    }
}

pub(super) type Open = BTreeSet<Since>;

/// The innermost loop.
#[derive(Default)]
pub(super) struct Repeat {
    pub(super) has_break: bool,
    pub(super) before_continue: Open,
    pub(super) before_break: Open,
    /// What leaves the function in it, reached from the beginning of the body.
    pub(super) blamed: Vec<(TextSize, &'static str)>,
}

/// One item of a `with`.
pub(super) struct Item {
    /// The call, where it opens a cancel scope.
    pub(super) scope: Option<TextSize>,
    pub(super) reached: bool,
}

/// What belongs to the innermost function.
#[derive(Default)]
pub(super) struct Function {
    /// Paths are judged in it. Not so in sync functions and in those that a decorator exempts.
    pub(super) judged: bool,
    pub(super) exempt: bool,
    pub(super) has_yield: bool,
    pub(super) open: Open,
    pub(super) repeat: Repeat,
    pub(super) items: Vec<Item>,
    /// Task groups by name, and whether something was started in them.
    pub(super) groups: HashMap<String, bool>,
}

pub(super) struct Loop<'s> {
    pub(super) start: TextSize,
    pub(super) is_async: bool,
    pub(super) endless: bool,
    pub(super) once: bool,
    pub(super) body: &'s [Stmt],
    pub(super) orelse: &'s [Stmt],
}

/// Every `yield` in there.
pub(super) fn yields(body: &[Stmt]) -> Vec<Since> {
    struct Search(Vec<Since>);
    impl<'a> Visitor<'a> for Search {
        fn visit_expr(&mut self, expression: &'a Expr) {
            if matches!(expression, Expr::Yield(_)) {
                self.0.push(Since::Yield(expression.start()));
            }
            walk_expr(self, expression);
        }
    }
    let mut search = Search(Vec::new());
    search.visit_body(body);
    search.0
}
