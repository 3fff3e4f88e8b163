//! Rules about exception groups: `ASYNC123`, `126`, `400`, `401`.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{
    ExceptHandlerExceptHandler, Expr, ExprAttribute, ExprCall, Stmt, StmtClassDef, StmtFor, StmtRaise,
};
use ruff_text_size::Ranged;

use super::walk::Walk;

/// The names of groups, and of what was taken out of them.
#[derive(Clone, Default)]
pub(super) struct Groups {
    names: Vec<String>,
    lists: Vec<String>,
    children: Vec<String>,
    /// A handler that has no group; what is in it is not looked at.
    muted: bool,
    /// Inside of any `except*`, and whether the innermost `try` is one.
    in_star: bool,
    is_star: bool,
    /// Names given by `except* … as name`, and not given anew.
    named: Vec<String>,
}

impl Groups {
    pub(super) fn enter_function(&mut self) -> Groups {
        let outer = self.clone();
        self.named.clear();
        outer
    }

    pub(super) fn enter_try(&mut self, is_star: bool) -> (bool, bool) {
        let outer = (self.in_star, self.is_star);
        self.in_star |= is_star;
        self.is_star = is_star;
        outer
    }

    pub(super) fn leave_try(&mut self, outer: (bool, bool)) {
        (self.in_star, self.is_star) = outer;
    }

    pub(super) fn enter_handler(&mut self, handler: &ExceptHandlerExceptHandler, text: &str) -> Groups {
        let outer = self.clone();
        let Some(name) = &handler.name else {
            self.muted = true;
            return outer;
        };
        let is_group = |caught: &Expr| {
            text.get(caught.range().to_std_range()).is_some_and(|it| it.contains("ExceptionGroup"))
        };
        if self.in_star || handler.type_.as_deref().is_some_and(is_group) {
            self.names = vec![name.to_string()];
        } else {
            self.muted = true;
        }
        if self.is_star {
            self.named.push(name.to_string());
        }
        outer
    }

    pub(super) fn leave_handler(&mut self, outer: Groups) {
        *self = outer;
    }

    pub(super) fn forget(&mut self, target: &Expr) {
        if let Expr::Name(name) = target {
            self.named.retain(|known| known != name.id.as_str());
        }
    }

    pub(super) fn forget_all(&mut self, target: &Expr) {
        struct Search<'g>(&'g mut Groups);
        impl<'a> Visitor<'a> for Search<'_> {
            fn visit_expr(&mut self, expression: &'a Expr) {
                self.0.forget(expression);
                walk_expr(self, expression);
            }
        }
        if !self.named.is_empty() {
            Search(self).visit_expr(target);
        }
    }

    fn is_group(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) if self.names.iter().any(|group| group == name.id.as_str()) => true,
            Expr::Call(call) => matches!(&*call.func, Expr::Attribute(method)
                if matches!(method.attr.as_str(), "subgroup" | "split") && self.is_group(&method.value)),
            _ => self.is_child(expression),
        }
    }

    fn is_list(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) => self.lists.iter().any(|list| list == name.id.as_str()),
            Expr::Attribute(attribute) => &attribute.attr == "exceptions" && self.is_group(&attribute.value),
            _ => false,
        }
    }

    fn is_child(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Name(name) => self.children.iter().any(|child| child == name.id.as_str()),
            Expr::Subscript(subscript) => self.is_list(&subscript.value),
            _ => false,
        }
    }

    pub(super) fn enter_for(&mut self, repeat: &StmtFor) {
        if let (false, true, Expr::Name(name)) = (self.muted, self.is_list(&repeat.iter), &*repeat.target) {
            self.children.push(name.id.to_string());
        }
    }

    pub(super) fn assign(&mut self, targets: &[Expr], value: &Expr) {
        if self.muted || self.names.is_empty() {
            return;
        }
        let only = match targets {
            [Expr::Name(name)] => Some(name.id.to_string()),
            _ => None,
        };
        if self.is_child(value) {
            self.children.extend(only);
        } else if self.is_list(value) {
            self.lists.extend(only);
        } else if self.is_group(value) {
            for target in targets {
                let names: &[Expr] = match target {
                    Expr::Tuple(tuple) => &tuple.elts,
                    other => std::slice::from_ref(other),
                };
                let names = names.iter().filter_map(|name| name.as_name_expr());
                self.names.extend(names.map(|name| name.id.to_string()));
            }
        }
    }
}

/// What a group has itself.
static OWN: &[&str] = &[
    "message",
    "exceptions",
    "subgroup",
    "split",
    "derive",
    "args",
    "with_traceback",
    "add_note",
    "_is_protocol",
];

static CLASSES: &[&str] = &[
    "ExceptionGroup",
    "BaseExceptionGroup",
    "builtins.ExceptionGroup",
    "builtins.BaseExceptionGroup",
    "exceptiongroup.ExceptionGroup",
    "exceptiongroup.BaseExceptionGroup",
];

impl Walk<'_, '_> {
    pub(super) fn raises_child(&mut self, raise: &StmtRaise) {
        if !self.groups.muted && raise.exc.as_deref().is_some_and(|raised| self.groups.is_child(raised)) {
            let text = "Raising a child exception of an exception group loses context, cause, and/or traceback of the \
                        exception inside the group.";
            self.add(raise, "ASYNC123", text);
        }
    }

    pub(super) fn group_attribute(&mut self, attribute: &ExprAttribute) {
        let Expr::Name(on) = &*attribute.value else { return };
        let name = attribute.attr.as_str();
        if self.groups.named.iter().any(|group| group == on.id.as_str())
            && !OWN.contains(&name)
            && !(name.starts_with("__") && name.ends_with("__"))
        {
            let text = format!("Accessing attribute {name} on ExceptionGroup as if it was a bare Exception.");
            self.add(attribute, "ASYNC400", text);
        }
    }

    pub(super) fn exception_class(&mut self, class: &StmtClassDef) {
        let is_group = |base: &Expr| {
            let base = match base {
                Expr::Subscript(subscript) => &*subscript.value,
                other => other,
            };
            let full = self.names.full(base).unwrap_or_default();
            matches!(full.rsplit('.').next(), Some("ExceptionGroup" | "BaseExceptionGroup"))
        };
        let derives = class
            .body
            .iter()
            .any(|statement| matches!(statement, Stmt::FunctionDef(method) if &method.name == "derive"));
        if !derives && class.arguments.as_deref().is_some_and(|arguments| arguments.args.iter().any(is_group))
        {
            let text = format!(
                "ExceptionGroup subclass {0} should override `derive`, otherwise `split`/`subgroup` (used by e.g. \
                 nursery/TaskGroup implementations) will silently produce plain `ExceptionGroup` instances instead of \
                 `{0}`.",
                class.name
            );
            let at = self.report.line_start(class.name.start());
            self.report.add(at, "ASYNC126", text);
        }
    }

    pub(super) fn expects_group(&mut self, call: &ExprCall) {
        fn names_group(walk: &Walk<'_, '_>, expression: &Expr) -> bool {
            match expression {
                Expr::Tuple(tuple) => tuple.elts.iter().any(|element| names_group(walk, element)),
                Expr::Call(call) => names_group(walk, &call.func),
                _ => walk.names.full(expression).is_some_and(|name| CLASSES.contains(&name.as_str())),
            }
        }
        let by_keyword = || {
            let keyword = |it: &&ruff_python_ast::Keyword| {
                it.arg.as_ref().is_some_and(|name| name == "expected_exception")
            };
            call.arguments.keywords.iter().find(keyword).map(|keyword| &keyword.value)
        };
        let expected = call.arguments.args.first().or_else(by_keyword);
        if self.names.calls(call, &["pytest.raises"]).is_some()
            && expected.is_some_and(|expected| names_group(self, expected))
        {
            let text = "Use `pytest.RaisesGroup` instead of `pytest.raises` when expecting exception groups.";
            self.add(call, "ASYNC401", text);
        }
    }
}
