//! PowerShell's grammar, as far as it matters to what a script does.

use std::ops::Range;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) statements: Vec<Statement>,
}

#[derive(Debug)]
pub(crate) enum Statement {
    Pipeline(Vec<Element>),
    /// `$x = …`, `$x += …`, `$x.y = …`
    Assign {
        target: Expr,
        add: bool,
        value: Box<Statement>,
    },
    If {
        arms: Vec<(Statement, Rc<Script>)>,
        otherwise: Option<Rc<Script>>,
    },
    /// `while`, `do`, `for`: what is done before, and what again and again.
    Loop {
        heads: Vec<Statement>,
        body: Rc<Script>,
    },
    Each {
        name: String,
        list: Box<Statement>,
        body: Rc<Script>,
    },
    Switch {
        value: Box<Statement>,
        arms: Vec<Rc<Script>>,
    },
    /// Bodies that are run one after the other: `try`, `catch`, `finally`, `begin`, `process`, `end`.
    Blocks(Vec<Rc<Script>>),
    Function {
        name: String,
        /// Its block as it was written.
        source: Rc<str>,
    },
    Parameters(Vec<(String, Option<Expr>)>),
}

/// One command, or one expression, of a pipeline.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) doing: Doing,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Doing {
    Expression(Expr),
    Command(Vec<Word>),
}

#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) append: bool,
    pub(crate) errors: bool,
    pub(crate) target: Word,
}

#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) kind: WordKind,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum WordKind {
    /// `-Name`, and the value of `-Name:value`.
    Parameter(String, Option<Expr>),
    /// `@name`
    Splat(String),
    Value(Expr),
}

#[derive(Debug)]
pub(crate) enum Expr {
    /// Text with what is filled in.
    Text(Vec<Expr>),
    Literal(String),
    Variable(String),
    /// `( … )`, `$( … )`, `@( … )`
    Sub(Rc<Script>),
    /// `{ … }` as it was written.
    Block(Rc<str>),
    Hash(Vec<(Expr, Statement)>),
    List(Vec<Expr>),
    /// `a.b`, `a.b(…)`, `[a]::b(…)`
    Member {
        of: Box<Expr>,
        name: Box<Expr>,
        fixed: bool,
        args: Option<Vec<Expr>>,
    },
    Index(Box<Expr>, Box<Expr>),
    Type(String),
    Cast(String, Box<Expr>),
    Unary(String, Box<Expr>),
    Binary(String, Box<Expr>, Box<Expr>),
}
