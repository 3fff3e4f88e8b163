//! Whose exit status a command's own is.

use std::ops::Range;

use crate::parse::parse;
use crate::syntax::{Command, Script};

/// What the end of a command says about one of the programs in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The command passes or fails as it does.
    Own,
    /// Where the command passes, it has run and passed; a failure may be another's.
    Passes,
    /// Nothing: a pipe, `|| true`, `;`, `&` or a condition stands between them.
    Hidden,
}

/// What the end of `command` says about the simple command at `span`.
pub fn ends(command: &str, span: &Range<usize>) -> Ends {
    match parse(command) {
        (script, None) => of_script(&script, span),
        _ => Ends::Hidden,
    }
}

fn of_script(script: &Script, span: &Range<usize>) -> Ends {
    script.commands.last().map_or(Ends::Hidden, |last| of_command(last, span))
}

fn of_command(command: &Command, span: &Range<usize>) -> Ends {
    match command {
        Command::Simple(simple) if simple.span.start == span.start => Ends::Own,
        Command::Redirected { command, .. } => of_command(command, span),
        Command::Subshell(script) | Command::Group(script) => of_script(script, span),
        Command::List { first, rest } if rest.iter().all(|(and, _)| *and) => {
            let parts = std::iter::once(&**first).chain(rest.iter().map(|(_, command)| command));
            let found = parts.map(|part| of_command(part, span)).find(|ends| *ends != Ends::Hidden);
            found.map_or(Ends::Hidden, |_| Ends::Passes)
        }
        _ => Ends::Hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_or_hidden() {
        for (command, expected) in [
            ("pytest", Ends::Own),
            ("pytest > out 2>&1", Ends::Own),
            ("(pytest)", Ends::Own),
            ("cd x; pytest", Ends::Own),
            ("cd x && pytest", Ends::Passes),
            ("pytest && echo fine", Ends::Passes),
            ("cd x && (a && pytest)", Ends::Passes),
            ("pytest || true", Ends::Hidden),
            ("true || pytest", Ends::Hidden),
            ("a && pytest || true", Ends::Hidden),
            ("pytest | tail", Ends::Hidden),
            ("pytest; echo $?", Ends::Hidden),
            ("pytest\necho", Ends::Hidden),
            ("pytest &", Ends::Hidden),
            ("! pytest", Ends::Hidden),
            ("if pytest; then echo; fi", Ends::Hidden),
            ("for x in 1 2; do pytest; done", Ends::Hidden),
            ("f() { pytest; }; f", Ends::Hidden),
            ("echo $(pytest)", Ends::Hidden),
            ("pytest 'a", Ends::Hidden),
        ] {
            let at = command.find("pytest").unwrap();
            assert_eq!(ends(command, &(at..at + "pytest".len())), expected, "{command}");
        }
    }
}
