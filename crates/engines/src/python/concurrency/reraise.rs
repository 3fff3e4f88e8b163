//! `ASYNC103` and `ASYNC104`: a handler that catches cancellation and lets it end there.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    ExceptHandlerExceptHandler, Expr, ModModule, Pattern, Stmt, StmtIf, StmtMatch, StmtTry,
};
use ruff_text_size::{Ranged, TextSize};

use super::Report;
use super::functions::{is_endless, runs_once};
use super::names::Names;

/// What makes a handler one that catches cancellation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caught {
    Cancellation,
    Everything,
}

/// And where that is written.
pub(super) fn caught(handler: &ExceptHandlerExceptHandler, names: &Names) -> Option<(Caught, TextSize)> {
    let one = |expression: &Expr| {
        let full = match expression {
            Expr::Call(call) if call.arguments.is_empty() => {
                let full = names.full(&call.func)?;
                return matches!(&*full, "anyio.get_cancelled_exc_class" | "get_cancelled_exc_class")
                    .then_some((Caught::Cancellation, expression.start()));
            }
            _ => names.full(expression)?,
        };
        match &*full {
            "BaseException" => Some((Caught::Everything, expression.start())),
            "trio.Cancelled"
            | "asyncio.CancelledError"
            | "asyncio.exceptions.CancelledError"
            | "exceptions.CancelledError"
            | "CancelledError" => Some((Caught::Cancellation, expression.start())),
            _ => None,
        }
    };
    match handler.type_.as_deref() {
        None => Some((Caught::Everything, handler.start())),
        Some(Expr::Tuple(tuple)) => tuple.elts.iter().find_map(one),
        Some(expression) => one(expression),
    }
}

pub(super) fn lint(module: &ModModule, report: &mut Report<'_>) {
    let mut walk =
        Walk { report, names: Names::default(), depth: 0, caught_before: false, handler: Handler::default() };
    walk.visit_body(&module.body);
}

/// The innermost handler that catches cancellation.
#[derive(Clone, Default)]
struct Handler {
    name: Option<String>,
    /// There is a path to here on which nothing was raised.
    unraised: bool,
    unraised_break: bool,
    unraised_continue: bool,
    loops: usize,
}

struct Walk<'r, 'a> {
    report: &'r mut Report<'a>,
    names: Names,
    depth: usize,
    /// By an earlier handler of the same `try`.
    caught_before: bool,
    handler: Handler,
}

impl Walk<'_, '_> {
    fn lost(&mut self, at: TextSize) {
        let text = "Cancelled (and therefore BaseException) must be re-raised.";
        self.report.add(at, "ASYNC104", text.to_owned());
    }

    fn handler(&mut self, handler: &ExceptHandlerExceptHandler) {
        let caught = caught(handler, &self.names);
        let caught = caught.filter(|(what, _)| *what == Caught::Cancellation || !self.caught_before);
        let Some((_, at)) = caught else {
            self.visit_body(&handler.body);
            return;
        };
        self.caught_before = true;
        let inner = Handler {
            name: handler.name.as_ref().map(ToString::to_string),
            unraised: true,
            loops: 0,
            ..self.handler.clone()
        };
        let outer = std::mem::replace(&mut self.handler, inner);
        self.visit_body(&handler.body);
        if self.handler.unraised {
            let what = match handler.type_.as_deref() {
                Some(_) => "cancellation is caught here:",
                None => "bare except",
            };
            let text = format!("{what} block with a code path that doesn't re-raise the error.");
            self.report.add(at, "ASYNC103", text);
        }
        self.handler = outer;
    }

    fn attempt(&mut self, attempt: &StmtTry) {
        let outer = std::mem::take(&mut self.caught_before);
        let watched = self.handler.unraised;
        let next = |walk: &mut Self| walk.handler.unraised |= watched;
        for statement in &attempt.body {
            self.visit_stmt(statement);
            next(self);
        }
        for handler in attempt.handlers.iter().filter_map(|handler| handler.as_except_handler()) {
            self.handler(handler);
            next(self);
        }
        for statement in &attempt.orelse {
            self.visit_stmt(statement);
            next(self);
        }
        self.visit_body(&attempt.finalbody);
        self.caught_before = outer;
    }

    fn branch(&mut self, branch: &StmtIf) {
        let mut all_raise = true;
        let mut has_else = false;
        let bodies =
            std::iter::once(&branch.body).chain(branch.elif_else_clauses.iter().map(|clause| &clause.body));
        for body in bodies {
            self.handler.unraised = true;
            self.visit_body(body);
            all_raise &= !self.handler.unraised;
        }
        has_else |= branch.elif_else_clauses.iter().any(|clause| clause.test.is_none());
        self.handler.unraised = !(all_raise && has_else);
    }

    fn choice(&mut self, choice: &StmtMatch) {
        let mut all_raise = true;
        let mut covers_all = false;
        for case in &choice.cases {
            covers_all |=
                case.guard.is_none() && matches!(&case.pattern, Pattern::MatchAs(it) if it.pattern.is_none());
            self.handler.unraised = true;
            self.visit_body(&case.body);
            all_raise &= !self.handler.unraised;
        }
        self.handler.unraised = !(all_raise && covers_all);
    }

    fn repeat(&mut self, endless: bool, once: bool, body: &[Stmt], orelse: &[Stmt]) {
        let outer = (self.handler.unraised_break, self.handler.unraised_continue);
        self.handler.unraised_break = false;
        self.handler.unraised_continue = false;
        self.handler.loops += 1;
        self.visit_body(body);
        self.handler.loops -= 1;
        if !(endless || once && !self.handler.unraised_continue) {
            self.handler.unraised = true;
        }
        self.visit_body(orelse);
        self.handler.unraised |= self.handler.unraised_break;
        (self.handler.unraised_break, self.handler.unraised_continue) = outer;
    }

    fn deeper(&mut self, statement: &Stmt) {
        self.depth += 1;
        walk_stmt(self, statement);
        self.depth -= 1;
    }
}

impl<'a> Visitor<'a> for Walk<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let watched = self.handler.unraised;
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.names.learn(statement, self.depth == 0),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => self.deeper(statement),
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::If(branch) if watched => self.branch(branch),
            Stmt::Match(choice) if watched => self.choice(choice),
            Stmt::While(repeat) if watched => {
                self.visit_expr(&repeat.test);
                let endless = is_endless(&repeat.test);
                self.repeat(endless, endless, &repeat.body, &repeat.orelse);
            }
            Stmt::For(repeat) if watched && !repeat.is_async => {
                self.visit_expr(&repeat.iter);
                self.repeat(false, runs_once(&repeat.iter), &repeat.body, &repeat.orelse);
            }
            Stmt::Raise(raise) => {
                if let (true, Some(raised)) = (watched, &raise.exc)
                    && !matches!(&**raised, Expr::Name(name) if Some(name.id.as_str()) == self.handler.name.as_deref())
                {
                    self.lost(raise.start());
                }
                self.handler.unraised = false;
                walk_stmt(self, statement);
            }
            Stmt::Return(_) => {
                if watched {
                    self.lost(statement.start());
                }
                walk_stmt(self, statement);
            }
            Stmt::Break(_) | Stmt::Continue(_) => {
                if watched && self.handler.loops == 0 {
                    self.lost(statement.start());
                }
                let way = if statement.is_break_stmt() {
                    &mut self.handler.unraised_break
                } else {
                    &mut self.handler.unraised_continue
                };
                *way |= watched;
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if matches!(expression, Expr::Yield(_)) && self.handler.unraised {
            self.lost(expression.start());
        }
        walk_expr(self, expression);
    }
}
