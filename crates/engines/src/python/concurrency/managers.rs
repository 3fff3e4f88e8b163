//! Rules about task groups, cancel scopes and what is inside of their `with`: `ASYNC101`, `111`, `112`, `113`, `119`, `121`.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ExprCall, ExprName, Stmt, StmtFunctionDef, StmtWith};
use ruff_text_size::{Ranged, TextSize};

use super::functions::has_decorator;
use super::names::{ANYIO, ASYNCIO_SCOPES, SCOPES, TRIO};
use super::scopes::bound;
use super::walk::{Function, Walk};

/// A `with … as name`.
#[derive(Clone)]
pub(super) struct Manager {
    name: String,
    line: u32,
    is_group: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Loop,
    Nursery,
    TaskGroup,
}

/// A context manager, in which what is only started soon may come too late.
#[derive(Clone, Default)]
pub(super) struct Startable {
    is_enter: bool,
    is_generator: bool,
    /// Told if there is a `yield` later.
    pending: Vec<TextSize>,
    /// A `with` that has no `yield` in it.
    muted: bool,
}

pub(super) static STARTABLE: &[&str] =
    &["serve", "run_process", "serve_ssl_over_tcp", "serve_tcp", "serve_listeners"];

static TASK_GROUPS: &[&str] = &["trio.open_nursery", "anyio.create_task_group", "asyncio.TaskGroup"];
/// Other packages' context managers that have a cancel scope or a task group inside.
static OTHERS: &[&str] = &[
    "trio_websocket.open_websocket",
    "trio_websocket.open_websocket_url",
    "trio_websocket.serve_websocket",
    "trio_asyncio.open_loop",
    "trio_parallel.open_worker_context",
    "trio_util.move_on_when",
    "trio_util.run_and_cancelling",
    "qtrio.open_emissions_nursery",
    "qtrio.enter_emissions_channel",
    "anyio.from_thread.BlockingPortal",
    "anyio.from_thread.start_blocking_portal",
    "asgi_lifespan.LifespanManager",
    "apscheduler.AsyncScheduler",
    "mcp.client.streamable_http.streamablehttp_client",
    "mcp.client.sse.sse_client",
];

impl Startable {
    pub(super) fn of(function: &StmtFunctionDef) -> Startable {
        Startable {
            is_enter: function.is_async && &function.name == "__aenter__",
            is_generator: function.is_async && has_decorator(function, &["asynccontextmanager"]),
            ..Startable::default()
        }
    }
}

impl Walk<'_, '_> {
    pub(super) fn enter_managers(&mut self, with: &StmtWith) {
        let opens_scope = with.items.iter().any(|item| {
            let is_one = |wanted: &[&'static str]| self.names.call_of(&item.context_expr, wanted).is_some();
            is_one(TASK_GROUPS) || is_one(SCOPES) || is_one(ASYNCIO_SCOPES) || is_one(OTHERS)
        });
        self.function.in_with = true;
        self.function.yield_is_error =
            !self.function.has_safe_decorator && !self.function.yield_is_error && opens_scope;
        for item in &with.items {
            let group = self.names.call_of(&item.context_expr, TASK_GROUPS);
            if let Some(name) = bound(item) {
                self.function.managers.push(Manager {
                    name: name.to_owned(),
                    line: self.report.line(item.context_expr.start()),
                    is_group: group.is_some(),
                });
            }
            match group {
                Some("trio.open_nursery") if with.is_async => self.function.blocks.push(Block::Nursery),
                Some(_) if with.is_async => self.function.blocks.push(Block::TaskGroup),
                _ => {}
            }
        }
        if !has_yield(&with.body) {
            self.function.startable.muted = true;
        }
    }

    /// Back to what was before the `with`, but for what is told once.
    pub(super) fn leave_managers(&mut self, outer: Function) {
        let inner = std::mem::replace(&mut self.function, outer);
        self.function.generator = inner.generator;
        self.function.startable = Startable { muted: self.function.startable.muted, ..inner.startable };
    }

    /// `async with open_nursery() as n: n.start_soon(f)` and nothing else.
    pub(super) fn single_start(&mut self, with: &StmtWith) {
        let [Stmt::Expr(only)] = &*with.body else { return };
        let started = match &*only.value {
            Expr::Await(it) => &*it.value,
            other => other,
        };
        let Expr::Call(started) = started else { return };
        let Expr::Attribute(method) = &*started.func else { return };
        let Expr::Name(on) = &*method.value else { return };
        for item in &with.items {
            let Some(name) = bound(item).filter(|name| *name == on.id.as_str()) else { continue };
            let (what, methods): (_, &[&str]) = match self.names.call_of(&item.context_expr, TASK_GROUPS) {
                Some("trio.open_nursery") => ("nursery", &["start", "start_soon"]),
                Some("anyio.create_task_group") => ("task group", &["start", "start_soon"]),
                Some(_) => ("task group", &["create_task"]),
                None => continue,
            };
            if methods.contains(&method.attr.as_str()) && !names_it(started, name) {
                let text = format!(
                    "Redundant {what} {name}, consider replacing with directly awaiting the function call."
                );
                self.add(&item.context_expr, "ASYNC112", text);
            }
        }
    }

    pub(super) fn enter_call(&mut self, call: &ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        self.starts(call);
        let Expr::Name(on) = &*method.value else { return };
        if !matches!(method.attr.as_str(), "start" | "start_soon" | "create_task") {
            return;
        }
        let managers = self.function.managers.iter().enumerate();
        let last = managers.filter(|(_, manager)| manager.name == on.id.as_str()).last();
        self.function.starting = last.filter(|(_, manager)| manager.is_group).map(|(at, _)| at);
    }

    /// The argument of a `start` that is closed before the task group is.
    pub(super) fn uses_manager(&mut self, name: &ExprName) {
        let Some(group) = self.function.starting else { return };
        let lines: Vec<u32> = self
            .function
            .managers
            .iter()
            .skip(group + 1)
            .filter(|manager| manager.name == name.id.as_str())
            .map(|manager| manager.line)
            .collect();
        for line in lines {
            let text = format!(
                "variable {} is usable within the context manager on line {line}, but that will close before \
                 nursery/taskgroup opened on line {} - this is usually a bug. Nursery/TaskGroup should generally be the \
                 inner-most context manager.",
                name.id, self.function.managers[group].line
            );
            self.add(name, "ASYNC111", text);
        }
    }

    fn starts(&mut self, call: &ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        let startable = &self.function.startable;
        if startable.muted
            || !(startable.is_enter || startable.is_generator)
            || !matches!(method.attr.as_str(), "start_soon" | "create_task")
            || !call.arguments.args.first().is_some_and(is_startable)
        {
            return;
        }
        let name = super::names::written(&method.value);
        let known = name.and_then(|name| self.variables.get(&name)).map(String::as_str);
        let named = match &*method.value {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => "",
        };
        if (self.names.uses(TRIO) && named.ends_with("nursery"))
            || (self.names.uses(ANYIO) && named.ends_with("task_group"))
            || matches!(known, Some("trio.Nursery" | "anyio.TaskGroup" | "asyncio.TaskGroup"))
        {
            if self.function.startable.is_enter {
                self.too_late(call.start());
            } else {
                self.function.startable.pending.push(call.start());
            }
        }
    }

    fn too_late(&mut self, at: TextSize) {
        let text = "Dangerous `.start_soon()`, function might not be executed before `__aenter__` exits. Consider \
                    replacing with `.start()`.";
        self.report.add(at, "ASYNC113", text.to_owned());
    }

    pub(super) fn tell_startable(&mut self) {
        if self.function.startable.muted {
            return;
        }
        for at in std::mem::take(&mut self.function.startable.pending) {
            self.too_late(at);
        }
        self.function.startable.is_enter = false;
        self.function.startable.is_generator = false;
    }

    pub(super) fn leaves_block(&mut self, statement: &Stmt) {
        let told = |what: &str, block: Block| {
            let block = if block == Block::Nursery { "nursery" } else { "task group" };
            format!(
                "{what} in a {block} block behaves counterintuitively in several situations. Refactor to have the {what} \
                 outside."
            )
        };
        match statement {
            Stmt::Return(_) => {
                for block in [Block::Nursery, Block::TaskGroup] {
                    if self.function.blocks.contains(&block) {
                        self.add(statement, "ASYNC121", told("return", block));
                    }
                }
            }
            _ => {
                let what = if statement.is_break_stmt() { "break" } else { "continue" };
                if let Some(block) =
                    self.function.blocks.last().copied().filter(|block| *block != Block::Loop)
                {
                    self.add(statement, "ASYNC121", told(what, block));
                }
            }
        }
    }
}

fn is_startable(function: &Expr) -> bool {
    match function {
        Expr::Name(name) => STARTABLE.contains(&name.id.as_str()),
        // Those of trio are not meant where something else has one of that name.
        Expr::Attribute(attribute) => {
            STARTABLE.contains(&attribute.attr.as_str())
                && (&attribute.attr == "serve"
                    || !matches!(&*attribute.value, Expr::Name(name) if name.id != TRIO))
        }
        Expr::Call(call) => call.arguments.args.iter().any(is_startable),
        _ => false,
    }
}

fn names_it(call: &ExprCall, name: &str) -> bool {
    struct Search<'n>(&'n str, bool);
    impl<'a> Visitor<'a> for Search<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.1 |= matches!(expression, Expr::Name(name) if name.id == self.0);
            walk_expr(self, expression);
        }
    }
    let mut search = Search(name, false);
    search.visit_arguments(&call.arguments);
    search.1
}

fn has_yield(body: &[Stmt]) -> bool {
    struct Search(bool);
    impl<'a> Visitor<'a> for Search {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.0 |= matches!(expression, Expr::Yield(_));
            walk_expr(self, expression);
        }
    }
    let mut search = Search(false);
    search.visit_body(body);
    search.0
}
