//! `ASYNC102` and `ASYNC120`: awaiting while an exception is on its way, where a cancellation would take its place.

use ruff_python_ast::{ExceptHandlerExceptHandler, Expr, ExprAwait, StmtAssign, StmtFunctionDef, StmtWith};
use ruff_text_size::TextSize;

use super::names::{GROUPS, Names, SCOPES};
use super::reraise::caught;
use super::scopes::bound;
use super::walk::Walk;

/// Where the innermost clean-up is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Exit,
    Finally,
    Cancelled,
    /// A handler that does not catch cancellation.
    Handler,
}

#[derive(Clone)]
struct Scope {
    name: Option<String>,
    is_shielded: bool,
}

#[derive(Clone, Default)]
pub(super) struct Cleanup {
    place: Option<Place>,
    scopes: Vec<Scope>,
    /// Told if the handler raises.
    pending: Vec<TextSize>,
    /// By an earlier handler of the same `try`.
    caught_before: bool,
}

impl Cleanup {
    pub(super) fn of(function: &StmtFunctionDef) -> Cleanup {
        Cleanup { place: (&function.name == "__aexit__").then_some(Place::Exit), ..Cleanup::default() }
    }

    /// How many scopes were open before this one.
    pub(super) fn enter_with(&mut self, with: &StmtWith, names: &Names) -> usize {
        let before = self.scopes.len();
        for item in &with.items {
            let Expr::Call(call) = &item.context_expr else { continue };
            let is_scope = names.calls(call, SCOPES).is_some();
            if !is_scope && names.calls(call, GROUPS).is_none() {
                continue;
            }
            let is_shielded = is_scope
                && call.arguments.keywords.iter().any(|keyword| {
                    keyword.arg.as_ref().is_some_and(|name| name == "shield") && is_true(&keyword.value)
                });
            self.scopes.push(Scope { name: bound(item).map(str::to_owned), is_shielded });
            break;
        }
        before
    }

    pub(super) fn leave_with(&mut self, scopes: usize) {
        self.scopes.truncate(scopes);
    }

    pub(super) fn enter_try(&mut self) -> Cleanup {
        let outer = self.clone();
        self.caught_before = false;
        outer
    }

    pub(super) fn enter_finally(&mut self) {
        self.scopes.clear();
        self.place = Some(Place::Finally);
    }

    pub(super) fn leave_try(&mut self, outer: Cleanup) {
        *self = Cleanup { pending: std::mem::take(&mut self.pending), ..outer };
    }

    /// What to go back to, if anything changes.
    pub(super) fn enter_handler(
        &mut self,
        handler: &ExceptHandlerExceptHandler,
        names: &Names,
    ) -> Option<Cleanup> {
        if !matches!(self.place, None | Some(Place::Handler)) {
            return None;
        }
        let outer = self.clone();
        self.scopes.clear();
        self.pending.clear();
        if self.caught_before || caught(handler, names).is_none() {
            self.place = Some(Place::Handler);
        } else {
            self.place = Some(Place::Cancelled);
            self.caught_before = true;
        }
        Some(outer)
    }

    pub(super) fn leave_handler(&mut self, outer: Option<Cleanup>) {
        if let Some(outer) = outer {
            *self = Cleanup { caught_before: self.caught_before, ..outer };
        }
    }

    /// `scope.shield = True` and `group.cancel_scope.shield = True`.
    pub(super) fn assign(&mut self, assign: &StmtAssign) {
        let [Expr::Attribute(target)] = &*assign.targets else { return };
        if &target.attr != "shield" || !assign.value.is_literal_expr() {
            return;
        }
        let on = match &*target.value {
            Expr::Attribute(inner) if &inner.attr == "cancel_scope" => &*inner.value,
            other => other,
        };
        let Expr::Name(on) = on else { return };
        for scope in self.scopes.iter_mut().filter(|scope| scope.name.as_deref() == Some(on.id.as_str())) {
            scope.is_shielded = is_true(&assign.value);
        }
    }
}

fn is_true(expression: &Expr) -> bool {
    super::functions::is_endless(expression)
}

impl Walk<'_, '_> {
    pub(super) fn awaits(&mut self, at: TextSize) {
        let Some(place) = self.cleanup.place else { return };
        if self.cleanup.scopes.iter().any(|scope| scope.is_shielded) {
            return;
        }
        let told = match place {
            Place::Handler => {
                self.cleanup.pending.push(at);
                return;
            }
            Place::Exit => "__aexit__",
            Place::Finally => "try/finally",
            Place::Cancelled => "a handler of cancellation",
        };
        // In asyncio a cancellation comes once and not again and again.
        if !self.names.only_asyncio() {
            let text = format!("await inside {told} must have shielded cancel scope with a timeout.");
            self.report.add(at, "ASYNC102", text);
        }
    }

    pub(super) fn awaits_expression(&mut self, awaited: &ExprAwait) {
        if let Expr::Call(call) = &*awaited.value {
            let bare = call.arguments.is_empty();
            let closes = matches!(&*call.func, Expr::Attribute(method) if bare && &method.attr == "aclose");
            let forced = ["trio.aclose_forcefully", "anyio.aclose_forcefully"];
            let shielded =
                ["trio.lowlevel.cancel_shielded_checkpoint", "anyio.lowlevel.cancel_shielded_checkpoint"];
            if closes
                || self.names.calls(call, &forced).is_some()
                || bare && self.names.calls(call, &shielded).is_some()
            {
                return;
            }
        }
        self.awaits(ruff_text_size::Ranged::start(awaited));
    }

    /// Opening a task group is none.
    pub(super) fn is_cancel_point(&self, with: &StmtWith) -> bool {
        let groups = ["trio.open_nursery", "anyio.create_task_group"];
        with.items.iter().any(|item| self.names.call_of(&item.context_expr, &groups).is_none())
    }

    pub(super) fn raises(&mut self) {
        for at in std::mem::take(&mut self.cleanup.pending) {
            let text = "checkpoint inside except will discard the active exception if cancelled.";
            self.report.add(at, "ASYNC120", text.to_owned());
        }
    }
}
