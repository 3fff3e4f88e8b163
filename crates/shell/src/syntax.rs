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
    /// `a | b`
    Pipeline(Vec<Command>),
    /// `! a`
    Negated(Box<Command>),
    /// `a && b || c`: all of them may run, in order. The flag says `&&`.
    List {
        first: Box<Command>,
        rest: Vec<(bool, Command)>,
    },
    Background(Box<Command>),
    /// Beside the shell, with descriptors to both its ends in a variable.
    Coprocess {
        name: String,
        script: Rc<Script>,
    },
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
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ … ]]`: only what is expanded in it matters.
    Words(Vec<Word>),
    /// `(( … ))` and the head of an arithmetic `for`.
    Arithmetic(Word),
    Redirected {
        command: Box<Command>,
        redirects: Vec<Redirect>,
    },
}

/// One arm of a `case`.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<Word>,
    pub(crate) body: Script,
    /// It ends with `;;`: no other arm runs after it.
    pub(crate) last: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    /// Arguments of `declare` and its kind that are assignments, with the number of words before them.
    pub(crate) declared: Vec<(usize, Assignment)>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    /// `name[index]=…`
    pub(crate) index: Option<Word>,
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

impl Direction {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "<",
            Self::Write => ">",
            Self::Append => ">>",
            Self::ReadWrite => "<>",
            Self::Duplicate => ">&",
            Self::Text => "<<",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    /// `None` for the operator's own; `&>` has both.
    pub(crate) fd: Option<u32>,
    /// `{name}<`: a number that the shell chooses, and the variable that gets it.
    pub(crate) named: Option<String>,
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
    /// `$name`: what braces put right behind it belongs to the name.
    pub(crate) open: bool,
    pub(crate) index: Option<Index>,
    /// `${!name}`
    pub(crate) indirect: bool,
    /// `${#name}`
    pub(crate) length: bool,
    pub(crate) operation: Option<Change>,
}

#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// `[@]`
    All,
    /// `[*]`: between double quotes, all of them as one.
    Joined,
    At(Box<Word>),
}

/// What `${name…}` does to the value.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) operation: Operation,
    pub(crate) word: Word,
    /// What a replacement puts in.
    pub(crate) other: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// These four with a colon, which counts an empty value as none.
    Default {
        empty: bool,
    },
    Assign {
        empty: bool,
    },
    Error,
    Alternative {
        empty: bool,
    },
    /// `#`, `##`, `%`, `%%`
    TrimStart {
        longest: bool,
    },
    TrimEnd {
        longest: bool,
    },
    /// `/old/new`
    Replace {
        all: bool,
    },
    /// `:offset:length`
    Slice,
    /// `^`, `^^`, `,`, `,,`
    Upper {
        all: bool,
    },
    Lower {
        all: bool,
    },
    /// `@Q` and friends.
    Transform,
    /// `${!prefix@}`
    Names,
}
