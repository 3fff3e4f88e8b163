//! The rules of flake8-pydantic, on ruff's tree.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Decorator, Expr, ExprCall, ModModule, Stmt, StmtAnnAssign, StmtClassDef};
use ruff_text_size::Ranged;

use crate::lines::Lines;
use crate::problem::Problem;

const LINTER: &str = "flake8-pydantic";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Model,
    Dataclass,
    Other,
}

pub(crate) fn lint(module: &ModModule, lines: &Lines<'_>) -> Vec<Problem> {
    let mut walk = Walk { lines, class: None, problems: Vec::new() };
    walk.visit_body(&module.body);
    walk.problems
}

struct Walk<'a> {
    lines: &'a Lines<'a>,
    /// Of the innermost class. A function in it changes nothing about that.
    class: Option<Class>,
    problems: Vec<Problem>,
}

impl Walk<'_> {
    fn report(&mut self, at: &impl Ranged, code: &'static str, message: &str) {
        let (line, column) = self.lines.position(at.start().to_usize());
        self.problems.push(Problem {
            line,
            column,
            code: code.into(),
            message: message.to_owned(),
            linter: LINTER,
        });
    }

    fn class(&mut self, class: &StmtClassDef) {
        match self.class {
            Some(Class::Other) | None => {
                for statement in &class.body {
                    if assigned(statement).any(|name| name == "__pydantic_config__") {
                        self.report(
                            statement,
                            "PYD010",
                            "`__pydantic_config__` is for type checkers; use `model_config`",
                        );
                    }
                }
                return;
            }
            Some(Class::Model) => {
                for statement in &class.body {
                    if let Stmt::Assign(assign) = statement
                        && let Some(Expr::Name(name)) = assign.targets.first()
                        && !name.id.starts_with('_')
                        && name.id != "model_config"
                    {
                        self.report(statement, "PYD002", "Non-annotated attribute inside Pydantic model");
                    }
                }
            }
            Some(Class::Dataclass) => {}
        }
        let mut names: HashSet<&str> = HashSet::new();
        for statement in &class.body {
            let Stmt::AnnAssign(field) = statement else { continue };
            let Expr::Name(name) = &*field.target else { continue };
            if !names.insert(name.id.as_str()) {
                self.report(statement, "PYD006", "Duplicate field name");
            }
            if annotated(&field.annotation).iter().any(|name| names.contains(name)) {
                self.report(statement, "PYD005", "Field name overrides annotation");
            }
        }
    }

    fn field(&mut self, field: &StmtAnnAssign) {
        if !matches!(self.class, Some(Class::Model | Class::Dataclass)) {
            return;
        }
        if let Some(call) = field.value.as_deref().and_then(field_call) {
            if !call.arguments.args.is_empty() {
                self.report(field, "PYD001", "Positional argument for Field default argument");
            }
            if let [only] = &*call.arguments.keywords
                && only.arg.as_ref().is_some_and(|name| name.as_str() == "default")
            {
                self.report(field, "PYD003", "Unnecessary Field call to specify a default value");
            }
        }
        if let Expr::Subscript(subscript) = &*field.annotation
            && last_name(&subscript.value) == Some("Annotated")
            && let Expr::Tuple(parts) = &*subscript.slice
            && parts.elts.iter().filter_map(field_call).any(|call| {
                call.arguments
                    .keywords
                    .iter()
                    .any(|key| key.arg.as_ref().is_some_and(|name| name.as_str() == "default"))
            })
        {
            self.report(field, "PYD004", "Default argument specified in annotated");
        }
    }
}

impl<'a> Visitor<'a> for Walk<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::ClassDef(class) => {
                let outer = self.class.replace(kind(class));
                self.class(class);
                walk_stmt(self, statement);
                self.class = outer;
            }
            Stmt::AnnAssign(field) => {
                self.field(field);
                walk_stmt(self, statement);
            }
            _ => walk_stmt(self, statement),
        }
    }
}

fn kind(class: &StmtClassDef) -> Class {
    let bases = class.arguments.as_deref().map_or(&[][..], |arguments| &arguments.args);
    if !bases.is_empty() && (bases.iter().any(is_model_base) || class.body.iter().any(speaks_of_pydantic)) {
        return Class::Model;
    }
    let dataclass = |name: &str| matches!(name, "dataclass" | "pydantic_dataclass");
    if class.decorator_list.iter().any(|decorator| decorator_name(decorator).is_some_and(dataclass)) {
        return Class::Dataclass;
    }
    Class::Other
}

fn is_model_base(base: &Expr) -> bool {
    matches!(last_name(base), Some("BaseModel" | "RootModel"))
}

/// A class with a base that is unknown here is a model if it does what only models do.
fn speaks_of_pydantic(statement: &Stmt) -> bool {
    match statement {
        Stmt::Assign(assign) => {
            assigned(statement).any(|name| name == "model_config") || is_field(&assign.value)
        }
        Stmt::AnnAssign(field) => {
            assigned(statement).any(|name| name == "model_config")
                || field.value.as_deref().is_some_and(is_field)
                || matches!(&*field.annotation, Expr::Subscript(it) if last_name(&it.value) == Some("Annotated"))
        }
        Stmt::FunctionDef(function) if !function.is_async => {
            let name = function.name.as_str();
            let marks = [
                "computed_field",
                "field_serializer",
                "model_serializer",
                "field_validator",
                "model_validator",
            ];
            name.starts_with("__pydantic_")
                || name.starts_with("__get_pydantic_")
                || MODEL_METHODS.contains(&name)
                || function.decorator_list.iter().filter_map(decorator_name).any(|name| marks.contains(&name))
        }
        _ => false,
    }
}

static MODEL_METHODS: &[&str] = &[
    "model_construct",
    "model_copy",
    "model_dump",
    "model_dump_json",
    "model_json_schema",
    "model_parametrized_name",
    "model_rebuild",
    "model_validate",
    "model_validate_json",
    "model_validate_strings",
];

/// `Field` exists elsewhere too; keywords that pydantic's does not take tell them apart.
fn is_field(value: &Expr) -> bool {
    let known = |name: &str| FIELD_ARGUMENTS.contains(&name);
    field_call(value).is_some_and(|call| {
        call.arguments.keywords.iter().all(|key| key.arg.as_ref().is_none_or(|name| known(name.as_str())))
    })
}

static FIELD_ARGUMENTS: &[&str] = &[
    "alias",
    "alias_priority",
    "allow_inf_nan",
    "decimal_places",
    "default",
    "default_factory",
    "description",
    "discriminator",
    "examples",
    "exclude",
    "frozen",
    "ge",
    "gt",
    "init",
    "init_var",
    "json_schema_extra",
    "kw_only",
    "le",
    "lt",
    "max_digits",
    "max_length",
    "min_length",
    "multiple_of",
    "pattern",
    "repr",
    "strict",
    "title",
    "union_mode",
    "validate_default",
    "validation_alias",
];

fn field_call(expression: &Expr) -> Option<&ExprCall> {
    match expression {
        Expr::Call(call) if last_name(&call.func) == Some("Field") => Some(call),
        _ => None,
    }
}

/// `b` of `b` and of `a.b`.
fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

fn decorator_name(decorator: &Decorator) -> Option<&str> {
    match &decorator.expression {
        Expr::Call(call) => last_name(&call.func),
        other => last_name(other),
    }
}

/// Plain names that a statement assigns to.
fn assigned(statement: &Stmt) -> impl Iterator<Item = &str> {
    let targets: &[Expr] = match statement {
        Stmt::Assign(assign) => &assign.targets,
        Stmt::AnnAssign(assign) => std::slice::from_ref(&assign.target),
        _ => &[],
    };
    targets.iter().filter_map(|target| match target {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    })
}

/// Names that an annotation is made of, as far as a field of the same name could hide them.
fn annotated(annotation: &Expr) -> Vec<&str> {
    match annotation {
        Expr::Name(name) => vec![name.id.as_str()],
        Expr::BinOp(either) => {
            let mut names = annotated(&either.left);
            names.extend(annotated(&either.right));
            names
        }
        Expr::Subscript(subscript) => match &*subscript.slice {
            Expr::Tuple(parts) => parts.elts.iter().flat_map(annotated).collect(),
            Expr::Name(name) => vec![name.id.as_str()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(u32, String)> {
        let parsed = ruff_python_parser::parse_module(text).unwrap();
        let found = lint(parsed.syntax(), &Lines::new(text));
        found.into_iter().map(|problem| (problem.line, problem.code.into_owned())).collect()
    }

    #[test]
    fn every_rule_speaks_and_is_silent() {
        let text = "\
class A(BaseModel):
    a: int = Field(1)
    b = 2
    c: int = Field(default=3)
    d: Annotated[int, Field(default=4)]
    date: date
    a: str = ''
    _private = 1
    model_config = {}
    ok: int = Field(default=1, gt=0)

class B:
    __pydantic_config__ = {}
    a: int = Field(1)

@dataclass
class C:
    a: int = Field(1)

class D(Base):
    @field_validator('a')
    def check(cls, v): ...
    b = 1
";
        let expected = [
            (2, "PYD001"),
            (3, "PYD002"),
            (4, "PYD003"),
            (5, "PYD004"),
            (6, "PYD005"),
            (7, "PYD006"),
            (13, "PYD010"),
            (18, "PYD001"),
            (23, "PYD002"),
        ];
        let mut found = found(text);
        found.sort();
        assert_eq!(found, expected.map(|(line, code)| (line, code.to_owned())));
    }
}
