//! The syntax tree of a shell script: what the rest of the crate needs of it, and nothing else.

use std::ops::Range;
use std::rc::Rc;

/// Bytes of the text that was parsed.
pub(crate) type Span = Range<usize>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
}

#[derive(Clone, Debug)]
pub(crate) enum Command {
    Simple(Simple),
    /// `a | b`; a single one is `! a`.
    Pipeline(Vec<Command>),
    /// `a && b || c`: all of them may run, in order.
    List(Vec<Command>),
    Background(Box<Command>),
    Subshell(Script),
    Group(Script),
    If {
        arms: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: Script,
    },
    While {
        condition: Script,
        body: Script,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, Script)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ … ]]`, `(( … ))` and the head of an arithmetic `for`: only what is expanded in them matters.
    Words(Vec<Word>),
    Redirected {
        command: Box<Command>,
        redirects: Vec<Redirect>,
    },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) append: bool,
    pub(crate) value: AssignValue,
}

#[derive(Clone, Debug)]
pub(crate) enum AssignValue {
    Text(Word),
    List(Vec<Word>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
    Append,
    ReadWrite,
    /// `2>&1`, `<&3`.
    Duplicate,
    /// A here-document or a here-string: the text itself.
    Text,
}

#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    /// `None` for the operator's own; `&>` has both.
    pub(crate) fd: Option<u32>,
    pub(crate) both: bool,
    pub(crate) direction: Direction,
    pub(crate) target: Word,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Unquoted: globs, braces and tildes in it count.
    Bare(String),
    /// Quoted in any way, quotes and escapes removed.
    Quoted(String),
    /// Between double quotes.
    Double(Vec<Part>),
    Parameter(Box<Parameter>),
    Substitution(Rc<Script>),
    /// `$(( … ))`: what is expanded in it.
    Arithmetic(Box<Word>),
    /// `<( … )` and `>( … )`.
    Process {
        script: Rc<Script>,
        input: bool,
    },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) index: Option<Index>,
    /// `${!name}`
    pub(crate) indirect: bool,
    /// `${#name}`
    pub(crate) length: bool,
    pub(crate) operation: Option<(Operation, Word)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// `[@]`, `[*]`
    All,
    At(Box<Word>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Default,
    Assign,
    Error,
    Alternative,
    /// `#`, `##`, `%`, `%%`
    TrimStart {
        longest: bool,
    },
    TrimEnd {
        longest: bool,
    },
    /// `/old/new`; the word holds `old/new`.
    Replace {
        all: bool,
    },
    /// `:offset:length`
    Slice,
    Upper,
    Lower,
    /// `@Q` and friends.
    Transform,
}
