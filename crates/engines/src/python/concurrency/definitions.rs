//! Rules about functions, imports and names: `ASYNC106`, `109`, `114`, `118`, `124`, `127`, `128`, `900`.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, ParameterWithDefault, Parameters, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextSize};

use super::functions::{has_decorator, is_context_manager, is_stub};
use super::managers::STARTABLE;
use super::names::{ANYIO, ASYNCIO, TRIO, written};
use super::walk::Walk;

static CANCELLED: &str = "Don't assign the value of `anyio.get_cancelled_exc_class()` to a variable, since that breaks \
                          linter checks and multi-backend programs.";

impl Walk<'_, '_> {
    pub(super) fn import(&mut self, statement: &Stmt) {
        let libraries = [TRIO, ANYIO, ASYNCIO];
        let by_name =
            |library: &str| format!("{library} should be imported with `import {library}` for consistency.");
        let is_httpx = |module: &str| module == "httpx" || module.starts_with("httpx.");
        let old = "Use `httpx2` instead of `httpx`, which is no longer maintained, to get security updates.";
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    if alias.asname.is_some() && libraries.contains(&alias.name.as_str()) {
                        self.add(import, "ASYNC106", by_name(&alias.name));
                    }
                }
                if import.names.iter().any(|alias| is_httpx(&alias.name)) {
                    self.add(import, "ASYNC127", old);
                }
            }
            Stmt::ImportFrom(import) => {
                let Some(module) = import.module.as_deref() else { return };
                if libraries.contains(&module) {
                    self.add(import, "ASYNC106", by_name(module));
                }
                if import.level == 0 && is_httpx(module) {
                    self.add(import, "ASYNC127", old);
                }
                if module == ANYIO
                    && import
                        .names
                        .iter()
                        .any(|alias| &alias.name == "get_cancelled_exc_class" && alias.asname.is_some())
                {
                    self.add(import, "ASYNC118", CANCELLED);
                }
                if module == "os.path" {
                    let local = |alias: &ruff_python_ast::Alias| {
                        alias.asname.as_ref().unwrap_or(&alias.name).to_string()
                    };
                    self.path_functions.extend(import.names.iter().map(local));
                }
            }
            _ => {}
        }
    }

    pub(super) fn keeps_cancelled(&mut self, value: &Expr) {
        let named = match value {
            Expr::Call(call) => &*call.func,
            other => other,
        };
        let full = self.names.full(named);
        let plain = match value {
            Expr::Call(call) if !call.arguments.is_empty() => None,
            _ => written(named),
        };
        if full.as_deref() == Some("anyio.get_cancelled_exc_class")
            || matches!(plain.as_deref(), Some("get_cancelled_exc_class" | "anyio.get_cancelled_exc_class"))
        {
            self.add(value, "ASYNC118", CANCELLED);
        }
    }

    pub(super) fn definition(&mut self, function: &StmtFunctionDef) {
        if !function.is_async {
            return;
        }
        let at = self.report.line_start(function.name.start());
        let parameters = &*function.parameters;
        if function.decorator_list.is_empty() {
            for parameter in parameters.iter_non_variadic_params().filter(|it| it.name() == "timeout") {
                let text = "Async function definition with a `timeout` parameter - use a cancel scope with a timeout \
                            instead.";
                self.add(parameter, "ASYNC109", text);
            }
        }
        let name = function.name.as_str();
        let by_keyword = parameters.args.iter().chain(&parameters.kwonlyargs);
        if by_keyword.clone().any(|it| it.name() == "task_status") && !STARTABLE.contains(&name) {
            let text = format!(
                "Startable function {name} not in --startable-in-context-manager parameter list, please add it so \
                 ASYNC113 can catch errors using it."
            );
            self.report.add(at, "ASYNC114", text);
        }
        self.never_started(function, at);
    }

    fn never_started(&mut self, function: &StmtFunctionDef, at: TextSize) {
        let parameters = &*function.parameters;
        let is_status = |it: &&ParameterWithDefault| {
            let annotation = it.annotation().map(|annotation| match annotation {
                Expr::Subscript(subscript) => &*subscript.value,
                other => other,
            });
            let annotated = match annotation {
                Some(Expr::Name(name)) => name.id == "TaskStatus",
                Some(Expr::Attribute(attribute)) => &attribute.attr == "TaskStatus",
                _ => false,
            };
            let positional = parameters.posonlyargs.iter().any(|other| std::ptr::eq(other, *it));
            annotated || (it.name() == "task_status" && !positional)
        };
        let Some(status) = parameters.iter_non_variadic_params().find(is_status) else { return };
        let is_empty = |statement: &Stmt| match statement {
            Stmt::Pass(_) | Stmt::Raise(_) => true,
            Stmt::Expr(it) => it.value.is_literal_expr(),
            _ => false,
        };
        let status = status.name().as_str();
        if !function.body.iter().all(is_empty) && !calls_started(&function.body, status) {
            let text = format!(
                "Startable function {} never calls `{status}.started()`, so `.start()` calls on it will fail, or block \
                 forever.",
                function.name
            );
            self.report.add(at, "ASYNC128", text);
        }
    }

    /// The body is behind us.
    pub(super) fn could_be_sync(&mut self, function: &StmtFunctionDef) {
        if function.is_async
            && !self.has_await
            && !is_stub(function)
            && !has_decorator(function, &["overload"])
            // A fixture with parameters may need others that are async.
            && (function.parameters.args.is_empty() || !has_decorator(function, &["fixture"]))
            && !is_context_manager(function)
        {
            let text =
                "Async function with no `await` could be sync. Async functions are more expensive to call.";
            let at = self.report.line_start(function.name.start());
            self.report.add(at, "ASYNC124", text.to_owned());
        }
    }

    pub(super) fn yields(&mut self, at: TextSize) {
        if let Some(function) = self.function.generator.take() {
            let text = "Async generator not allowed, unless transformed by a known decorator (one of: \
                        trio.as_safe_channel, contextlib.asynccontextmanager, pytest.fixture).";
            self.report.add(function, "ASYNC900", text.to_owned());
        }
        if self.function.is_unsafe && self.function.in_with {
            let text = "Yield in contextmanager in async generator might not trigger cleanup. Use \
                        `@asynccontextmanager` or refactor.";
            self.report.add(at, "ASYNC119", text.to_owned());
        }
        if self.function.yield_is_error {
            let text = "`yield` inside a nursery or cancel scope is only safe when implementing a context manager - \
                        otherwise, it breaks exception handling.";
            self.report.add(at, "ASYNC101", text.to_owned());
        }
        self.tell_startable();
    }
}

/// Also in functions inside, unless they have a parameter of that name.
fn calls_started(body: &[Stmt], status: &str) -> bool {
    struct Search<'n> {
        status: &'n str,
        found: bool,
    }
    impl Search<'_> {
        fn is_hidden(&self, parameters: &Parameters) -> bool {
            parameters.iter().any(|parameter| parameter.name() == self.status)
        }
        fn is_it(&self, call: &ExprCall) -> bool {
            matches!(&*call.func, Expr::Attribute(method) if &method.attr == "started"
                && matches!(&*method.value, Expr::Name(name) if name.id == self.status))
        }
    }
    impl<'a> Visitor<'a> for Search<'_> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::FunctionDef(function) if self.is_hidden(&function.parameters) => {}
                Stmt::FunctionDef(function) => self.visit_body(&function.body),
                _ => walk_stmt(self, statement),
            }
        }
        fn visit_expr(&mut self, expression: &'a Expr) {
            match expression {
                Expr::Lambda(lambda)
                    if lambda.parameters.as_deref().is_some_and(|parameters| self.is_hidden(parameters)) => {}
                Expr::Call(call) if self.is_it(call) => self.found = true,
                _ => walk_expr(self, expression),
            }
        }
    }
    let mut search = Search { status, found: false };
    search.visit_body(body);
    search.found
}
