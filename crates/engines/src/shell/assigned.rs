//! Assignments that the shell takes for commands: `a = 1`, `a += 1`, `a == 1`, `$a=1`. There is no such command, so the line fails whenever
//! it runs. And `local` outside of a function in a script for `sh`, which fails in every shell that has the word.
//!
//! The engine has no rule with the original's number for any of them. Silent where there may be such a command after all.

use shuck_ast::{Command, CompoundCommand, File, Position, SimpleCommand, Stmt, StmtSeq};

use crate::lines::number;
use crate::problem::Problem;

use super::LINTER;

/// Programs that may well be given a word that begins with `=`.
const TAKE_SIGNS: &[&str] = &[
    "alias", "awk", "banner", "cat", "cowsay", "cut", "dialog", "echo", "egrep", "expr", "fgrep", "figlet",
    "find", "grep", "help", "join", "jq", "let", "man", "paste", "print", "printf", "read", "rg", "say",
    "sed", "seq", "sort", "split", "sudo", "tee", "test", "tr", "which", "xargs", "yes",
];

/// What is found in a script that parses, but for rules that `is_silent` names.
pub(super) fn look(file: &File, text: &str, is_sh: bool, is_silent: impl Fn(u32) -> bool) -> Vec<Problem> {
    // Few scripts have a sign in such a place at all, and the others need no walk.
    if !(may_have_one(text) || is_sh && text.contains("local")) {
        return Vec::new();
    }
    let mut walk = Walk { text, is_sh, within: 0, functions: Vec::new(), found: Vec::new() };
    walk.all(&file.body);
    let Walk { functions, mut found, .. } = walk;
    found.retain(|one| !(is_silent(one.code) || functions.contains(&one.name) || is_alias(text, one.name)));
    found.into_iter().map(Found::problem).collect()
}

fn may_have_one(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match byte {
            b'=' => {
                let sign = if before == Some(b'+') { at.checked_sub(2).map(|at| bytes[at]) } else { before };
                matches!(sign, Some(b' ' | b'\t' | b'\n' | b'}'))
                    || text[..at].ends_with("\\\n")
                    || is_expanded(text, at)
            }
            _ => false,
        }
    })
}

/// Whether `$name` stands before a place.
fn is_expanded(text: &str, at: usize) -> bool {
    let name = text[..at].trim_end_matches(|c: char| c == '_' || c == '+' || c.is_ascii_alphanumeric());
    name.ends_with('$')
}

fn is_alias(text: &str, name: &str) -> bool {
    !name.is_empty() && text.contains("alias") && text.contains(&format!("{name}="))
}

struct Found<'t> {
    /// Of the command; empty where it is an expansion.
    name: &'t str,
    code: u32,
    at: Position,
}

impl Found<'_> {
    fn problem(self) -> Problem {
        let message = match self.code {
            2281 => "the shell runs this as a command: there is no `$` before the name in an assignment"
                .to_owned(),
            2168 => "`local` is only valid inside a function body".to_owned(),
            2272 => "the shell runs this as a command: to compare write `[ \"$name\" = … ]`".to_owned(),
            2284 => {
                format!("the shell runs `{0}` as a command: to compare write `[ \"${0}\" = … ]`", self.name)
            }
            code => format!(
                "the shell runs `{0}` as a command: write `{0}{1}…` without blanks to assign",
                self.name,
                if code == 2285 { "+=" } else { "=" }
            ),
        };
        Problem {
            line: number(self.at.line()),
            column: number(self.at.column()),
            code: format!("SC{}", self.code).into(),
            message,
            linter: LINTER,
        }
    }
}

struct Walk<'t> {
    text: &'t str,
    is_sh: bool,
    /// How many functions are around.
    within: usize,
    functions: Vec<&'t str>,
    found: Vec<Found<'t>>,
}

impl Walk<'_> {
    fn all(&mut self, statements: &StmtSeq) {
        for statement in statements.iter() {
            self.one(statement);
        }
    }

    fn one(&mut self, statement: &Stmt) {
        match &statement.command {
            Command::Simple(command) => self.found.extend(judged(command, self.text)),
            Command::Binary(both) => {
                self.one(&both.left);
                self.one(&both.right);
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                self.functions
                    .extend(function.header.entries.iter().map(|name| name.word.span.slice(self.text)));
                self.within += 1;
                self.one(&function.body);
                self.within -= 1;
            }
            Command::Decl(command)
                if self.is_sh && self.within == 0 && command.variant.as_str() == "local" =>
            {
                self.found.push(Found { name: "", code: 2168, at: command.variant_span.start });
            }
            Command::Builtin(_) | Command::Decl(_) | Command::AnonymousFunction(_) => {}
        }
    }

    fn compound(&mut self, command: &CompoundCommand) {
        match command {
            CompoundCommand::If(command) => {
                self.all(&command.condition);
                self.all(&command.then_branch);
                for (condition, branch) in &command.elif_branches {
                    self.all(condition);
                    self.all(branch);
                }
                command.else_branch.iter().for_each(|branch| self.all(branch));
            }
            CompoundCommand::For(command) => self.all(&command.body),
            CompoundCommand::ArithmeticFor(command) => self.all(&command.body),
            CompoundCommand::Select(command) => self.all(&command.body),
            CompoundCommand::While(command) => {
                self.all(&command.condition);
                self.all(&command.body);
            }
            CompoundCommand::Until(command) => {
                self.all(&command.condition);
                self.all(&command.body);
            }
            CompoundCommand::Case(command) => command.cases.iter().for_each(|case| self.all(&case.body)),
            CompoundCommand::Subshell(body) | CompoundCommand::BraceGroup(body) => self.all(body),
            CompoundCommand::Time(command) => command.command.iter().for_each(|timed| self.one(timed)),
            CompoundCommand::Coproc(command) => self.one(&command.body),
            // Of zsh, which the original does not read, or without commands.
            CompoundCommand::Repeat(_)
            | CompoundCommand::Foreach(_)
            | CompoundCommand::Always(_)
            | CompoundCommand::Arithmetic(_)
            | CompoundCommand::Conditional(_) => {}
        }
    }
}

fn judged<'t>(command: &SimpleCommand, text: &'t str) -> Option<Found<'t>> {
    let name = command.name.span.slice(text);
    let at = command.name.span.start;
    if let Some(rest) = name.strip_prefix('$') {
        let rest = after_name(rest).or_else(|| after_name(rest.strip_prefix('{')?)?.strip_prefix('}'))?;
        let rest = rest.strip_prefix('+').unwrap_or(rest).strip_prefix('=')?;
        let code = if rest.starts_with('=') { 2272 } else { 2281 };
        return Some(Found { name: "", code, at });
    }
    if after_name(name) != Some("") || TAKE_SIGNS.contains(&name) {
        return None;
    }
    let sign = command.args.first()?;
    let word = sign.span.slice(text);
    let (code, at) = match word {
        _ if word.starts_with("====") => return None,
        _ if word.starts_with("+=") => (2285, at),
        _ if word.starts_with("==") => (2284, at),
        _ if word.starts_with('=') => (2283, sign.span.start),
        _ => return None,
    };
    Some(Found { name, code, at })
}

/// What follows a variable's name.
fn after_name(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
    (rest.len() < text.len() && !text.starts_with(|c: char| c.is_ascii_digit())).then_some(rest)
}
