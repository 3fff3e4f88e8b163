//! `ASYNC100` and `ASYNC910` to `ASYNC913`: paths through async code on which nothing is awaited.
//!
//! One walk in the order in which the code runs. `open` is what has happened on some path to here without a checkpoint after
//! it: the function was entered, something was yielded, a loop's body began, a cancel scope was opened. Branches are walked
//! with copies, and joined as the union of what is open. A loop's body is walked once, with `Since::Loop` for
//! whatever was open before; who is caught by that alone is blamed when the end of the body is known.

use std::collections::{BTreeSet, HashMap};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameters, walk_stmt};
use ruff_python_ast::{
    Comprehension, ElifElseClause, Expr, ExprBoolOp, ExprIf, ModModule, Pattern, Stmt, StmtClassDef,
    StmtFunctionDef, StmtIf, StmtMatch, StmtTry, StmtWith, WithItem,
};
use ruff_text_size::{Ranged, TextSize};

use super::Report;
use super::functions::{has_await, has_decorator, is_context_manager, is_endless, is_stub, runs_once};
use super::names::{ASYNCIO_SCOPES, GROUPS, Names, SCOPES, written};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Since {
    Function(TextSize),
    Yield(TextSize),
    Loop,
    Scope(TextSize),
}

impl Since {
    /// Marks wait for a point at which the task can be cancelled; being rescheduled is not enough.
    fn is_mark(self) -> bool {
        matches!(self, Since::Loop | Since::Scope(_))
    }
}

type Open = BTreeSet<Since>;

/// The innermost loop.
#[derive(Default)]
struct Repeat {
    has_break: bool,
    before_continue: Open,
    before_break: Open,
    /// What leaves the function in it, reached from the beginning of the body.
    blamed: Vec<(TextSize, &'static str)>,
}

/// One item of a `with`.
struct Item {
    /// The call, where it opens a cancel scope.
    scope: Option<TextSize>,
    reached: bool,
}

/// The methods of an async context manager that a class has, and whether they await anything.
struct Manager {
    enter: Option<bool>,
    exit: Option<bool>,
    has_bases: bool,
}

/// What belongs to the innermost function.
#[derive(Default)]
struct Function {
    /// Paths are judged in it. Not so in sync functions and in those that a decorator exempts.
    judged: bool,
    exempt: bool,
    has_yield: bool,
    open: Open,
    repeat: Repeat,
    items: Vec<Item>,
    /// Task groups by name, and whether something was started in them.
    groups: HashMap<String, bool>,
}

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

struct Walk<'r, 'a> {
    report: &'r mut Report<'a>,
    names: Names,
    function: Function,
    /// Of the class whose body this is.
    manager: Option<Manager>,
    suppressors: Vec<String>,
    depth: usize,
    async_functions: usize,
}

impl Walk<'_, '_> {
    fn cancel_point(&mut self) {
        self.function.items.iter_mut().for_each(|item| item.reached = true);
        self.function.groups.clear();
    }

    fn schedule_point(&mut self) {
        self.function.open.retain(|since| since.is_mark());
    }

    fn checkpoint(&mut self) {
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

    fn suppresses(&self, expression: &Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        let is_one = |name: Option<String>| name.is_some_and(|name| self.suppressors.contains(&name));
        is_one(written(&call.func)) || is_one(self.names.full(&call.func))
    }

    fn with(&mut self, with: &StmtWith) {
        with.items.iter().for_each(|item| self.visit_with_item(item));
        // A scope that swallows exceptions may be left without what is awaited in it.
        let suppresses = with.items.iter().any(|item| self.suppresses(&item.context_expr));
        let mut before = suppresses.then(|| self.function.open.clone());
        let mut met = false;
        for item in &with.items {
            self.function.items.push(Item { scope: None, reached: true });
            if self.names.call_of(&item.context_expr, GROUPS).is_some() {
                if let Some(name) = bound(item) {
                    self.function.groups.insert(name.to_owned(), false);
                }
                self.schedule_point();
                continue;
            }
            if with.is_async {
                self.checkpoint();
            }
            if self.suppresses(&item.context_expr) {
                if !met {
                    before = Some(self.function.open.clone());
                }
                met = true;
            } else if self
                .names
                .call_of(&item.context_expr, SCOPES)
                .or_else(|| self.names.call_of(&item.context_expr, ASYNCIO_SCOPES))
                .is_some()
            {
                let at = item.context_expr.start();
                self.function.open.insert(Since::Scope(at));
                self.function.items.pop();
                self.function.items.push(Item { scope: Some(at), reached: false });
            }
        }
        self.visit_body(&with.body);
        for item in with.items.iter().rev() {
            let Some(Item { scope: Some(at), reached }) = self.function.items.pop() else { continue };
            if !reached {
                let name = match &item.context_expr {
                    Expr::Call(call) => written(&call.func).unwrap_or_default(),
                    _ => String::new(),
                };
                let text =
                    format!("{name} context contains no checkpoints, remove the context or await something.");
                self.report.add(at, "ASYNC100", text);
            } else if self.function.open.remove(&Since::Scope(at)) {
                let text = "CancelScope with no guaranteed cancel point. This makes it potentially impossible to \
                            cancel.";
                self.report.add(at, "ASYNC912", text.to_owned());
            }
        }
        if let Some(before) = before {
            self.function.open.extend(before);
        }
        if with.is_async {
            self.leave_with(with);
        }
    }

    /// Leaving a task group waits for its tasks, so it is a cancel point only if something was started in it.
    fn leave_with(&mut self, with: &StmtWith) {
        for item in &with.items {
            let group = match &item.context_expr {
                Expr::Call(call) => self.names.full(&call.func),
                _ => None,
            };
            if !matches!(group.as_deref(), Some("trio.open_nursery" | "anyio.create_task_group")) {
                self.checkpoint();
                return;
            }
            if bound(item).and_then(|name| self.function.groups.remove(name)) == Some(true) {
                self.checkpoint();
                return;
            }
        }
        self.schedule_point();
    }

    fn class(&mut self, class: &StmtClassDef) {
        let method = |name: &str| {
            class.body.iter().rev().find_map(|statement| match statement {
                Stmt::FunctionDef(function) if function.is_async && &function.name == name => {
                    Some(has_await(function))
                }
                _ => None,
            })
        };
        let has_bases = class.arguments.as_deref().is_some_and(|arguments| !arguments.args.is_empty());
        let manager = Manager { enter: method("__aenter__"), exit: method("__aexit__"), has_bases };
        let outer = self.manager.replace(manager);
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

struct Loop<'s> {
    start: TextSize,
    is_async: bool,
    endless: bool,
    once: bool,
    body: &'s [Stmt],
    orelse: &'s [Stmt],
}

impl Manager {
    /// One of the two methods may leave awaiting to the other; where the other is inherited, it is trusted to do so.
    fn exempts(&self, name: &str) -> bool {
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

/// The name that a `with` gives to this.
pub(super) fn bound(item: &WithItem) -> Option<&str> {
    match item.optional_vars.as_deref()? {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

fn yields(body: &[Stmt]) -> Vec<Since> {
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
