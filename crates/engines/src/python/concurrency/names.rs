//! What a name in a file stands for, as far as the imports above it tell.

use std::collections::HashMap;

use ruff_python_ast::{Expr, ExprCall, Stmt};

pub(super) const TRIO: &str = "trio";
pub(super) const ANYIO: &str = "anyio";
pub(super) const ASYNCIO: &str = "asyncio";

/// Filled while the file is walked: as for the original, an import counts for what comes after it.
#[derive(Default)]
pub(super) struct Names {
    /// `s` to `trio.sleep` after `from trio import sleep as s`. Imports inside of functions and classes are not here.
    imports: HashMap<String, String>,
    /// Those that are imported under their own name, anywhere.
    libraries: Vec<&'static str>,
}

impl Names {
    /// `outermost`: neither in a function nor in a class.
    pub(super) fn learn(&mut self, statement: &Stmt, outermost: bool) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.name.as_str();
                    let library = [TRIO, ANYIO, ASYNCIO].into_iter().find(|library| *library == name);
                    match (&alias.asname, library) {
                        (None, Some(library)) if !self.libraries.contains(&library) => {
                            self.libraries.push(library);
                        }
                        _ => {}
                    }
                    if let (Some(local), true) = (&alias.asname, outermost) {
                        self.imports.insert(local.to_string(), name.to_owned());
                    } else if outermost {
                        let top = name.split('.').next().unwrap_or(name);
                        self.imports.entry(top.to_owned()).or_insert_with(|| top.to_owned());
                    }
                }
            }
            Stmt::ImportFrom(import) if outermost && import.level == 0 => {
                let Some(module) = &import.module else { return };
                for alias in import.names.iter().filter(|alias| &alias.name != "*") {
                    let local = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.imports.insert(local.to_string(), format!("{module}.{}", alias.name));
                }
            }
            _ => {}
        }
    }

    /// The library that is assumed where none is imported.
    pub(super) fn uses(&self, library: &str) -> bool {
        if self.libraries.is_empty() { library == TRIO } else { self.libraries.contains(&library) }
    }

    pub(super) fn only_asyncio(&self) -> bool {
        self.libraries == [ASYNCIO]
    }

    pub(super) fn imports_any(&self, package: &str) -> bool {
        self.imports.values().any(|name| {
            name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// `trio.sleep` for `s` and for `t.sleep`, by the imports.
    pub(super) fn full(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Name(name) => {
                let name = name.id.as_str();
                Some(self.imports.get(name).map_or(name, String::as_str).to_owned())
            }
            Expr::Attribute(attribute) => {
                let mut full = self.full(&attribute.value)?;
                full.push('.');
                full.push_str(&attribute.attr);
                Some(full)
            }
            _ => None,
        }
    }

    /// A call of one of these, as it is written or by the imports: its name.
    pub(super) fn call_of<'n>(&self, expression: &Expr, wanted: &[&'n str]) -> Option<&'n str> {
        let Expr::Call(call) = expression else { return None };
        self.calls(call, wanted)
    }

    pub(super) fn calls<'n>(&self, call: &ExprCall, wanted: &[&'n str]) -> Option<&'n str> {
        let found = |name: Option<String>| {
            let name = name?;
            wanted.iter().copied().find(|wanted| *wanted == name)
        };
        found(written(&call.func)).or_else(|| found(self.full(&call.func)))
    }
}

/// `a.b.c` as it is written; nothing else has a name.
pub(super) fn written(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(format!("{}.{}", written(&attribute.value)?, attribute.attr)),
        _ => None,
    }
}

/// `c` of `c`, `a.c`, `c(…)` and `a.c(…)`.
pub(super) fn last(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        Expr::Call(call) if !matches!(&*call.func, Expr::Call(_)) => last(&call.func),
        _ => None,
    }
}

pub(super) static SCOPES: &[&str] = &[
    "trio.fail_after",
    "trio.fail_at",
    "trio.move_on_after",
    "trio.move_on_at",
    "trio.CancelScope",
    "anyio.fail_after",
    "anyio.fail_at",
    "anyio.move_on_after",
    "anyio.move_on_at",
    "anyio.CancelScope",
];
pub(super) static ASYNCIO_SCOPES: &[&str] = &["asyncio.timeout", "asyncio.timeout_at"];
/// As the original compares them: both libraries, both names.
pub(super) static GROUPS: &[&str] =
    &["trio.open_nursery", "anyio.create_task_group", "trio.create_task_group", "anyio.open_nursery"];
