//! `with` on a path: cancel scopes (`ASYNC100`, `ASYNC912`), task groups, and scopes that swallow exceptions.

use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{Expr, StmtWith, WithItem};
use ruff_text_size::Ranged;

use super::checkpoints::Walk;
use super::names::{ASYNCIO_SCOPES, GROUPS, SCOPES, written};
use super::paths::{Item, Since};

impl Walk<'_, '_> {
    fn suppresses(&self, expression: &Expr) -> bool {
        let Expr::Call(call) = expression else { return false };
        let is_one = |name: Option<String>| name.is_some_and(|name| self.suppressors.contains(&name));
        is_one(written(&call.func)) || is_one(self.names.full(&call.func))
    }

    pub(super) fn with(&mut self, with: &StmtWith) {
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
}

/// The name that a `with` gives to this.
pub(super) fn bound(item: &WithItem) -> Option<&str> {
    match item.optional_vars.as_deref()? {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}
