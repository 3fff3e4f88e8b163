//! What is known about the types of variables: of files, HTTP clients and task groups. For `ASYNC212`, `ASYNC232` and those
//! that ask for a task group.

use ruff_python_ast::{Expr, ExprCall, Operator, Parameters, Stmt, StmtWith};

use super::names::written;
use super::scopes::bound;
use super::walk::Walk;

/// The call that makes one, and what that is.
static MADE_BY: &[(&str, &str)] = &[
    ("open", "io.TextIOWrapper"),
    ("trio.open_nursery", "trio.Nursery"),
    ("anyio.create_task_group", "anyio.TaskGroup"),
    ("asyncio.TaskGroup", "asyncio.TaskGroup"),
];
static FILES: &[&str] = &["io.TextIOWrapper", "io.BufferedReader", "io.BufferedWriter", "io.BufferedRandom"];
static CLIENTS: &[&str] = &["httpx.Client", "httpx2.Client"];
static POOLS: &[&str] = &[
    "urllib3.HTTPConnectionPool",
    "urllib3.HTTPSConnectionPool",
    "urllib3.PoolManager",
    "urllib3.ProxyManager",
    "urllib3.connectionpool.ConnectionPool",
    "urllib3.connectionpool.HTTPConnectionPool",
    "urllib3.connectionpool.HTTPSConnectionPool",
    "urllib3.poolmanager.PoolManager",
    "urllib3.poolmanager.ProxyManager",
    "urllib3.request.RequestMethods",
];
/// Of a client. All methods of a pool block.
static BLOCKING: &[&str] =
    &["close", "delete", "get", "head", "options", "patch", "post", "put", "request", "send", "stream"];

fn made(expression: &Expr) -> Option<&'static str> {
    let Expr::Call(call) = expression else { return None };
    let name = written(&call.func)?;
    let known = MADE_BY.iter().find(|(maker, _)| *maker == name).map(|(_, made)| *made);
    known.or_else(|| CLIENTS.iter().chain(POOLS).copied().find(|class| *class == name))
}

/// `X` of `X | None`, `None | X` and `Optional[X]`.
fn without_none(annotation: &Expr) -> &Expr {
    match annotation {
        Expr::Subscript(it) if matches!(&*it.value, Expr::Name(name) if name.id == "Optional") => &it.slice,
        Expr::BinOp(it) if it.op == Operator::BitOr && it.left.is_none_literal_expr() => &it.right,
        Expr::BinOp(it) if it.op == Operator::BitOr && it.right.is_none_literal_expr() => &it.left,
        _ => annotation,
    }
}

impl Walk<'_, '_> {
    pub(super) fn learn_parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            let annotated = parameter.annotation().and_then(|annotation| written(without_none(annotation)));
            let kind = annotated.unwrap_or_else(|| "Any".to_owned());
            self.variables.insert(parameter.name().to_string(), kind);
        }
    }

    pub(super) fn learn_type(&mut self, statement: &Stmt) {
        match statement {
            Stmt::AnnAssign(assign) => {
                if let Some(target) = written(&assign.target) {
                    self.variables.insert(target, written(&assign.annotation).unwrap_or_default());
                }
            }
            Stmt::Assign(assign) => {
                let [Expr::Name(target)] = &*assign.targets else { return };
                let known = match &*assign.value {
                    Expr::Name(name) => self.variables.get(name.id.as_str()).cloned(),
                    value => made(value).map(str::to_owned),
                };
                if let Some(known) = known.filter(|known| !known.is_empty()) {
                    self.variables.insert(target.id.to_string(), known);
                }
            }
            _ => {}
        }
    }

    pub(super) fn learn_with(&mut self, with: &StmtWith) {
        if let [item] = &*with.items
            && let (Some(name), Some(made)) = (bound(item), made(&item.context_expr))
        {
            self.variables.insert(name.to_owned(), made.to_owned());
        }
    }

    /// A method of a variable that is known to be a file or a client that blocks.
    pub(super) fn blocking_method(&mut self, call: &ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        let Expr::Name(variable) = &*method.value else { return };
        let Some(kind) = self.variables.get(variable.id.as_str()) else { return };
        let kind = kind.as_str();
        let (name, variable) = (method.attr.as_str(), variable.id.as_str());
        if FILES.iter().any(|file| *file == kind || file.strip_prefix("io.") == Some(kind)) {
            let text = format!(
                "Blocking sync call {name} on file object {variable}, wrap it for an async file object."
            );
            self.add(call, "ASYNC232", text);
        } else if POOLS.contains(&kind) || CLIENTS.contains(&kind) && BLOCKING.contains(&name) {
            let text = format!("Blocking sync HTTP call {name} on object {variable}, use an async client.");
            self.add(call, "ASYNC212", text);
        }
    }
}
