//! `ASYNC100` and `ASYNC910` to `ASYNC913`: paths through async code on which nothing is awaited.
//!
//! One walk in the order in which the code runs. `open` is what has happened on some path to here without a checkpoint after
//! it: the function was entered, something was yielded, a loop's body began, a cancel scope was opened. Branches are walked
//! with copies, and joined as the union of what is open. A loop's body is walked once, with `Since::Loop` for
//! whatever was open before; who is caught by that alone is blamed when the end of the body is known.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameters, walk_stmt};
use ruff_python_ast::{
    Comprehension, ElifElseClause, Expr, ExprBoolOp, ExprIf, ModModule, Pattern, Stmt, StmtClassDef,
    StmtFunctionDef, StmtIf, StmtMatch, StmtTry,
};
use ruff_text_size::{Ranged, TextSize};

use super::Report;
use super::context_manager::Manager;
use super::functions::{has_decorator, is_context_manager, is_endless, is_stub, runs_once};
use super::names::Names;
use super::paths::{Function, Loop, Open, Since, yields};

pub(super) fn lint(module: &ModModule, report: &mut Report<'_>) {
    let mut walk = Walk {
        report,
        names: Names::default(),
        function: Function::default(),
        manager: None,
        suppressors: vec!["contextlib.suppress".to_owned()],
        depth: 0,
        async_functions: 0,
    };
    walk.visit_body(&module.body);
}

pub(super) struct Walk<'r, 'a> {
    pub(super) report: &'r mut Report<'a>,
    pub(super) names: Names,
    pub(super) function: Function,
    /// Of the class whose body this is.
    manager: Option<Manager>,
    pub(super) suppressors: Vec<String>,
    depth: usize,
    async_functions: usize,
}

impl Walk<'_, '_> {
    fn cancel_point(&mut self) {
        self.function.items.iter_mut().for_each(|item| item.reached = true);
        self.function.groups.clear();
    }

    pub(super) fn schedule_point(&mut self) {
        self.function.open.retain(|since| since.is_mark());
    }

    pub(super) fn checkpoint(&mut self) {
        self.function.open.clear();
        self.cancel_point();
    }

    fn blame(&mut self, at: TextSize, what: &str, since: Since) {
        let (Since::Function(start) | Since::Yield(start)) = since else { return };
        if self.function.exempt {
            return;
        }
        let line = self.report.line(start);
        let begin = if matches!(since, Since::Yield(_)) { "yield" } else { "function definition" };
        let (code, from) = if self.function.has_yield {
            ("ASYNC911", "async iterable with no guaranteed checkpoint")
        } else {
            ("ASYNC910", "async function with no guaranteed checkpoint or exception")
        };
        self.report.add(at, code, format!("{what} from {from} since {begin} on line {line}."));
    }

    /// The function is left here, for good or for a while.
    fn leave(&mut self, at: TextSize, what: &'static str) {
        if self.function.open.contains(&Since::Loop) {
            self.function.repeat.blamed.push((at, what));
        }
        for since in self.function.open.clone() {
            self.blame(at, what, since);
        }
    }

    fn function(&mut self, function: &StmtFunctionDef) {
        walk_parameters(self, &function.parameters);
        self.async_functions += usize::from(function.is_async);
        if has_decorator(function, &["overload", "fixture"]) || is_stub(function) {
            return;
        }
        let start = function.name.start();
        let inner = Function {
            judged: function.is_async && !is_context_manager(function),
            exempt: self.manager.as_ref().is_some_and(|manager| manager.exempts(&function.name)),
            open: Open::from([Since::Function(start)]),
            ..Function::default()
        };
        let outer = std::mem::replace(&mut self.function, inner);
        let manager = self.manager.take();
        let suppressors = self.suppressors.len();
        let reported = self.report.len();
        let async_functions = self.async_functions;
        self.depth += 1;
        self.visit_body(&function.body);
        self.depth -= 1;
        if self.function.judged {
            let start = self.report.line_start(start);
            self.leave(start, "exit");
        }
        // The original does not look into sync functions that have no async ones.
        if !function.is_async && self.async_functions == async_functions {
            self.report.keep(reported);
        }
        self.suppressors.truncate(suppressors);
        self.manager = manager;
        self.function = outer;
    }

    fn branch(&mut self, branch: &StmtIf) {
        self.visit_expr(&branch.test);
        self.branches(&branch.body, &branch.elif_else_clauses);
    }

    /// `body`, or what comes after it; the condition is behind us.
    fn branches(&mut self, body: &[Stmt], rest: &[ElifElseClause]) {
        let after_test = self.function.open.clone();
        self.visit_body(body);
        let after_body = std::mem::replace(&mut self.function.open, after_test);
        if let Some((next, rest)) = rest.split_first() {
            match &next.test {
                Some(test) => {
                    self.visit_expr(test);
                    self.branches(&next.body, rest);
                }
                None => self.visit_body(&next.body),
            }
        }
        self.join(after_body);
    }

    /// Two paths come together. Where paths are not judged, the last one counts.
    fn join(&mut self, other: Open) {
        if self.function.judged {
            self.function.open.extend(other);
        }
    }

    fn choice(&mut self, choice: &StmtMatch) {
        self.visit_expr(&choice.subject);
        let base = self.function.open.clone();
        let mut after = Open::new();
        let mut covers_all = false;
        for case in &choice.cases {
            self.function.open.clone_from(&base);
            self.visit_pattern(&case.pattern);
            if let Some(guard) = &case.guard {
                self.visit_expr(guard);
            }
            let any = matches!(&case.pattern, Pattern::MatchAs(it) if it.pattern.is_none());
            covers_all |= any && (case.guard.is_none() || self.function.open.is_empty());
            self.visit_body(&case.body);
            after.extend(&self.function.open);
        }
        self.function.open = after;
        if !covers_all {
            self.join(base);
        }
    }

    fn attempt(&mut self, attempt: &StmtTry) {
        // An exception may come at any point of the body, so after any `yield` in it.
        let mut anywhere = Open::new();
        if self.function.judged {
            anywhere.clone_from(&self.function.open);
            anywhere.extend(yields(&attempt.body));
        }
        self.visit_body(&attempt.body);
        let after_body = std::mem::take(&mut self.function.open);
        let mut after_handlers = Open::new();
        for handler in attempt.handlers.iter().filter_map(|handler| handler.as_except_handler()) {
            self.function.open.clone_from(&anywhere);
            if let Some(caught) = &handler.type_ {
                self.visit_expr(caught);
            }
            self.visit_body(&handler.body);
            after_handlers.extend(&self.function.open);
        }
        self.function.open = after_body;
        self.visit_body(&attempt.orelse);
        self.function.open.extend(after_handlers);
        if attempt.finalbody.is_empty() {
            return;
        }
        // What was added for an exception on its way is taken away again: it goes on after the block.
        let added: Open = anywhere.difference(&self.function.open).copied().collect();
        let catches_all =
            attempt.handlers.iter().filter_map(|handler| handler.as_except_handler()).any(|handler| {
                match handler.type_.as_deref() {
                    None => true,
                    Some(Expr::Name(name)) => name.id == "BaseException",
                    Some(_) => false,
                }
            });
        if !catches_all {
            self.function.open.extend(&added);
        }
        self.visit_body(&attempt.finalbody);
        self.function.open.retain(|since| !added.contains(since));
    }

    fn repeat(&mut self, repeat: &Loop<'_>) {
        if !self.function.judged {
            let outer = std::mem::take(&mut self.function.repeat);
            self.visit_body(repeat.body);
            self.visit_body(repeat.orelse);
            self.function.repeat = outer;
            return;
        }
        let outer = std::mem::take(&mut self.function.repeat);
        let before = std::mem::take(&mut self.function.open);
        if repeat.is_async {
            self.checkpoint();
        } else {
            self.function.open.insert(Since::Loop);
        }
        self.visit_body(repeat.body);
        let mut inner = std::mem::take(&mut self.function.repeat);
        let again: Open =
            before.iter().chain(&self.function.open).chain(&inner.before_continue).copied().collect();
        for (at, what) in std::mem::take(&mut inner.blamed) {
            again.iter().for_each(|since| self.blame(at, what, *since));
        }
        let never_ends = repeat.endless && !inner.has_break;
        if never_ends && self.function.open.contains(&Since::Loop) {
            let text = "Indefinite loop with no guaranteed cancel points.".to_owned();
            self.report.add(repeat.start, "ASYNC913", text);
        }
        for open in [&mut inner.before_continue, &mut inner.before_break, &mut self.function.open] {
            if open.remove(&Since::Loop) {
                open.extend(&before);
            }
        }
        if repeat.is_async {
            self.checkpoint();
        } else {
            if !repeat.once {
                self.function.open.extend(&before);
            }
            if !repeat.endless {
                self.function.open.extend(&inner.before_continue);
            }
        }
        // A `break` in the `else` leaves the loop around this one, but the original counts it here.
        self.function.repeat = inner;
        self.visit_body(repeat.orelse);
        let inner = std::mem::replace(&mut self.function.repeat, outer);
        if repeat.endless && !inner.has_break {
            self.function.open.clear();
        } else {
            self.function.open.extend(inner.before_break);
        }
    }

    fn class(&mut self, class: &StmtClassDef) {
        let outer = self.manager.replace(Manager::of(class));
        self.depth += 1;
        self.visit_body(&class.body);
        self.depth -= 1;
        self.manager = outer;
    }

    /// Only what is sure to run counts: the first iterable, and further in while each loop runs at least once.
    fn comprehension(&mut self, generators: &[Comprehension], elements: &[&Expr]) {
        for generator in generators {
            if !self.function.judged || self.function.open.is_empty() {
                return;
            }
            if generator.is_async {
                self.checkpoint();
                return;
            }
            self.visit_expr(&generator.iter);
            if !runs_once(&generator.iter) {
                return;
            }
            if let Some(test) = generator.ifs.first() {
                self.visit_expr(test);
                return;
            }
        }
        if !self.function.open.is_empty() {
            elements.iter().for_each(|element| self.visit_expr(element));
        }
    }

    fn operands(&mut self, operation: &ExprBoolOp) {
        for (at, operand) in operation.values.iter().enumerate() {
            let before = self.function.open.clone();
            self.visit_expr(operand);
            if at > 0 {
                self.join(before);
            }
        }
    }

    fn conditional(&mut self, conditional: &ExprIf) {
        self.visit_expr(&conditional.test);
        let after_test = self.function.open.clone();
        self.visit_expr(&conditional.body);
        let after_body = std::mem::replace(&mut self.function.open, after_test);
        self.visit_expr(&conditional.orelse);
        self.join(after_body);
    }
}

impl<'a> Visitor<'a> for Walk<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.class(class);
            }
            Stmt::If(branch) => self.branch(branch),
            Stmt::Match(choice) => self.choice(choice),
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::With(with) => self.with(with),
            Stmt::For(repeat) => {
                self.visit_expr(&repeat.iter);
                self.repeat(&Loop {
                    start: repeat.start(),
                    is_async: repeat.is_async,
                    endless: false,
                    once: runs_once(&repeat.iter),
                    body: &repeat.body,
                    orelse: &repeat.orelse,
                });
            }
            Stmt::While(repeat) => {
                self.visit_expr(&repeat.test);
                let endless = is_endless(&repeat.test);
                self.repeat(&Loop {
                    start: repeat.start(),
                    is_async: false,
                    endless,
                    once: endless,
                    body: &repeat.body,
                    orelse: &repeat.orelse,
                });
            }
            Stmt::Continue(_) => {
                let open = self.function.open.clone();
                self.function.repeat.before_continue.extend(open);
            }
            Stmt::Break(_) => {
                let open = self.function.open.clone();
                self.function.repeat.has_break = true;
                self.function.repeat.before_break.extend(open);
            }
            Stmt::Return(_) => {
                walk_stmt(self, statement);
                if self.function.judged {
                    self.leave(statement.start(), "return");
                    self.schedule_point();
                }
            }
            Stmt::Raise(_) => {
                walk_stmt(self, statement);
                self.checkpoint();
            }
            Stmt::Import(_) => self.names.learn(statement, self.depth == 0),
            Stmt::ImportFrom(import) => {
                self.names.learn(statement, self.depth == 0);
                if import.module.as_ref().is_some_and(|module| module == "contextlib") {
                    let suppress = import.names.iter().find(|alias| matches!(&*alias.name, "suppress" | "*"));
                    let local = suppress.map(|alias| alias.asname.as_deref().unwrap_or("suppress"));
                    self.suppressors.extend(local.map(str::to_owned));
                }
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Await(_) => {
                walk_expr(self, expression);
                self.checkpoint();
            }
            Expr::Yield(_) => {
                walk_expr(self, expression);
                if self.function.judged {
                    self.function.has_yield = true;
                    self.cancel_point();
                    self.leave(expression.start(), "yield");
                    self.function.open = Open::from([Since::Yield(expression.start())]);
                }
            }
            Expr::BoolOp(operation) => self.operands(operation),
            Expr::If(conditional) => self.conditional(conditional),
            Expr::ListComp(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::SetComp(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::DictComp(it) => {
                let elements: Vec<&Expr> = it.key.as_deref().into_iter().chain([&*it.value]).collect();
                self.comprehension(&it.generators, &elements);
            }
            // Made here, and run elsewhere.
            Expr::Generator(it) => {
                if let Some(first) = it.generators.first() {
                    self.visit_expr(&first.iter);
                }
            }
            Expr::Call(call) => {
                if let Expr::Attribute(method) = &*call.func
                    && &method.attr == "start_soon"
                    && let Expr::Name(group) = &*method.value
                    && let Some(started) = self.function.groups.get_mut(group.id.as_str())
                {
                    *started = true;
                }
                walk_expr(self, expression);
            }
            _ => walk_expr(self, expression),
        }
    }
}
