//! The walk that all rules share which need only their surroundings: where in which function, class, `with`, `try` and loop
//! something is. What they say is in the files beside this one.

use std::collections::HashMap;

use ruff_python_ast::visitor::{Visitor, walk_arguments, walk_expr, walk_parameters, walk_stmt};
use ruff_python_ast::{
    Comprehension, Expr, ModModule, Stmt, StmtClassDef, StmtFunctionDef, StmtTry, StmtWith,
};
use ruff_text_size::{Ranged, TextSize};

use super::Report;
use super::cleanup::Cleanup;
use super::exception_groups::Groups;
use super::functions::has_decorator;
use super::managers::{Block, Manager, Startable};
use super::names::Names;

pub(super) fn lint(module: &ModModule, report: &mut Report<'_>) {
    let mut walk = Walk {
        report,
        names: Names::default(),
        variables: HashMap::new(),
        path_functions: Vec::new(),
        depth: 0,
        in_class: false,
        in_with_item: false,
        has_await: false,
        is_kept: false,
        awaited: None,
        wrapped: None,
        function: Function::default(),
        cleanup: Cleanup::default(),
        groups: Groups::default(),
    };
    walk.visit_body(&module.body);
}

/// What ends where the function does.
#[derive(Clone, Default)]
pub(super) struct Function {
    pub(super) is_async: bool,
    /// Of an async one in which a `yield` is not safe by a decorator, and has not been told yet.
    pub(super) generator: Option<TextSize>,
    pub(super) is_unsafe: bool,
    pub(super) has_safe_decorator: bool,
    pub(super) in_with: bool,
    pub(super) yield_is_error: bool,
    pub(super) managers: Vec<Manager>,
    /// The task group, by its place in `managers`, whose `start` this is inside of.
    pub(super) starting: Option<usize>,
    pub(super) blocks: Vec<Block>,
    pub(super) startable: Startable,
}

pub(super) struct Walk<'r, 'a> {
    pub(super) report: &'r mut Report<'a>,
    pub(super) names: Names,
    /// Variables and the names of their types.
    pub(super) variables: HashMap<String, String>,
    /// Imported from `os.path`.
    pub(super) path_functions: Vec<String>,
    depth: usize,
    pub(super) in_class: bool,
    pub(super) in_with_item: bool,
    pub(super) has_await: bool,
    /// What a call gives here is kept: assigned, returned or passed on.
    pub(super) is_kept: bool,
    /// The call that is awaited, and the one that is wrapped in an async file.
    pub(super) awaited: Option<TextSize>,
    pub(super) wrapped: Option<TextSize>,
    pub(super) function: Function,
    pub(super) cleanup: Cleanup,
    pub(super) groups: Groups,
}

impl Walk<'_, '_> {
    pub(super) fn add(&mut self, at: &impl Ranged, code: &'static str, message: impl Into<String>) {
        self.report.add(at.start(), code, message.into());
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        self.definition(function);
        let at = self.report.line_start(function.name.start());
        let is_async = function.is_async;
        let inner = Function {
            is_async,
            generator: (is_async
                && !has_decorator(function, &["asynccontextmanager", "fixture", "as_safe_channel"]))
            .then_some(at),
            is_unsafe: is_async && !has_decorator(function, &["asynccontextmanager", "fixture"]),
            has_safe_decorator: has_decorator(
                function,
                &["contextmanager", "asynccontextmanager", "fixture"],
            ),
            startable: Startable::of(function),
            ..Function::default()
        };
        let outer = std::mem::replace(&mut self.function, inner);
        let cleanup = std::mem::replace(&mut self.cleanup, Cleanup::of(function));
        let groups = self.groups.enter_function();
        let variables = self.variables.clone();
        self.learn_parameters(&function.parameters);
        self.depth += 1;
        // Defaults are evaluated outside, and an `await` in them belongs there.
        walk_parameters(self, &function.parameters);
        let has_await = std::mem::replace(&mut self.has_await, self.in_class);
        let in_class = std::mem::take(&mut self.in_class);
        self.visit_body(&function.body);
        self.could_be_sync(function);
        self.has_await = has_await;
        self.in_class = in_class;
        function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
        self.depth -= 1;
        self.variables = variables;
        self.groups = groups;
        self.cleanup = cleanup;
        self.function = outer;
    }

    fn class(&mut self, class: &StmtClassDef) {
        self.exception_class(class);
        let variables = self.variables.clone();
        let in_class = std::mem::replace(&mut self.in_class, true);
        self.depth += 1;
        class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
        if let Some(arguments) = &class.arguments {
            walk_arguments(self, arguments);
        }
        self.visit_body(&class.body);
        self.depth -= 1;
        self.in_class = in_class;
        self.variables = variables;
    }

    fn with(&mut self, with: &StmtWith) {
        self.learn_with(with);
        self.has_await |= with.is_async;
        self.single_start(with);
        let outer = self.function.clone();
        if with.is_async && self.is_cancel_point(with) {
            self.awaits(with.start());
        }
        let scopes = self.cleanup.enter_with(with, &self.names);
        self.enter_managers(with);
        for item in &with.items {
            if let Some(target) = &item.optional_vars {
                self.groups.forget_all(target);
            }
            let in_item = std::mem::replace(&mut self.in_with_item, true);
            self.visit_expr(&item.context_expr);
            if let Some(target) = &item.optional_vars {
                self.visit_expr(target);
            }
            self.in_with_item = in_item;
        }
        self.visit_body(&with.body);
        self.leave_managers(outer);
        self.cleanup.leave_with(scopes);
    }

    fn attempt(&mut self, attempt: &StmtTry) {
        let cleanup = self.cleanup.enter_try();
        let is_star = self.groups.enter_try(attempt.is_star);
        self.visit_body(&attempt.body);
        for handler in attempt.handlers.iter().filter_map(|handler| handler.as_except_handler()) {
            let inner_cleanup = self.cleanup.enter_handler(handler, &self.names);
            let groups = self.groups.enter_handler(handler, self.report.text);
            if let Some(caught) = &handler.type_ {
                self.visit_expr(caught);
            }
            self.visit_body(&handler.body);
            self.groups.leave_handler(groups);
            self.cleanup.leave_handler(inner_cleanup);
        }
        self.visit_body(&attempt.orelse);
        self.cleanup.enter_finally();
        self.visit_body(&attempt.finalbody);
        self.groups.leave_try(is_star);
        self.cleanup.leave_try(cleanup);
    }

    fn in_loop(&mut self, statement: &Stmt) {
        self.function.blocks.push(Block::Loop);
        walk_stmt(self, statement);
        self.function.blocks.pop();
    }

    /// All but the iterable.
    fn rest_of(&mut self, comprehension: &Comprehension) {
        self.visit_expr(&comprehension.target);
        self.keeping(false, |walk| comprehension.ifs.iter().for_each(|test| walk.visit_expr(test)));
    }

    /// What is in this statement or expression is kept, or not, whatever is around it.
    fn keeping(&mut self, kept: bool, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_kept, kept);
        inside(self);
        self.is_kept = outer;
    }
}

impl<'a> Visitor<'a> for Walk<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                self.import(statement);
                self.names.learn(statement, self.depth == 0);
            }
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::With(with) => self.with(with),
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::While(repeat) => {
                self.polls(repeat);
                self.in_loop(statement);
            }
            Stmt::For(repeat) => {
                if repeat.is_async {
                    self.has_await = true;
                    self.awaits(repeat.start());
                } else {
                    self.groups.enter_for(repeat);
                }
                self.in_loop(statement);
            }
            Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_) => {
                self.leaves_block(statement);
                let kept = self.is_kept || statement.is_return_stmt();
                self.keeping(kept, |walk| walk_stmt(walk, statement));
            }
            Stmt::Raise(raise) => {
                self.raises();
                self.raises_child(raise);
                walk_stmt(self, statement);
            }
            Stmt::Assign(assign) => {
                self.learn_type(statement);
                self.cleanup.assign(assign);
                self.keeps_cancelled(&assign.value);
                assign.targets.iter().for_each(|target| self.groups.forget_all(target));
                self.groups.assign(&assign.targets, &assign.value);
                self.keeping(true, |walk| walk_stmt(walk, statement));
            }
            Stmt::AnnAssign(assign) => {
                self.learn_type(statement);
                self.groups.forget(&assign.target);
                if let Some(value) = &assign.value {
                    self.keeps_cancelled(value);
                    self.groups.assign(std::slice::from_ref(&*assign.target), value);
                }
                walk_stmt(self, statement);
            }
            Stmt::AugAssign(_) => self.keeping(true, |walk| walk_stmt(walk, statement)),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Await(it) => {
                self.has_await = true;
                self.awaits_expression(it);
                if it.value.is_call_expr() {
                    self.awaited = Some(it.value.start());
                }
                walk_expr(self, expression);
            }
            Expr::Yield(_) => {
                self.yields(expression.start());
                walk_expr(self, expression);
            }
            Expr::Call(call) => {
                self.call(call);
                let starting = self.function.starting;
                self.enter_call(call);
                self.keeping(true, |walk| walk_expr(walk, expression));
                self.function.starting = starting;
            }
            Expr::Name(name) => self.uses_manager(name),
            Expr::Attribute(attribute) => {
                self.group_attribute(attribute);
                walk_expr(self, expression);
            }
            Expr::Lambda(_) => {
                let inner = Function {
                    is_async: false,
                    generator: None,
                    is_unsafe: false,
                    in_with: false,
                    managers: Vec::new(),
                    starting: None,
                    ..self.function.clone()
                };
                let outer = std::mem::replace(&mut self.function, inner);
                let groups = self.groups.enter_function();
                let variables = self.variables.clone();
                self.depth += 1;
                walk_expr(self, expression);
                self.depth -= 1;
                self.variables = variables;
                self.groups = groups;
                self.function = outer;
            }
            Expr::Named(_) => self.keeping(true, |walk| walk_expr(walk, expression)),
            Expr::If(it) => {
                self.keeping(false, |walk| walk.visit_expr(&it.test));
                self.visit_expr(&it.body);
                self.visit_expr(&it.orelse);
            }
            Expr::Generator(it) => {
                // Made here and run elsewhere: only the first iterable is evaluated, and what is awaited later is no
                // `await` of this function.
                if let Some(first) = it.generators.first() {
                    self.visit_expr(&first.iter);
                }
                let has_await = self.has_await;
                for (at, generator) in it.generators.iter().enumerate() {
                    if at > 0 {
                        self.visit_expr(&generator.iter);
                    }
                    self.rest_of(generator);
                }
                self.visit_expr(&it.elt);
                self.has_await = has_await;
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.has_await |= comprehension.is_async;
        self.visit_expr(&comprehension.iter);
        self.rest_of(comprehension);
    }
}
