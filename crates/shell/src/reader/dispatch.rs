//! One program with its arguments: who runs it.

use std::rc::Rc;

use super::scope::restore;
use super::{Reader, is_only_holes};
use crate::programs::by_pattern;
use crate::reading::{Arg, Argv};
use crate::state::State;
use crate::syntax::{Command, Part, Simple};
use crate::text::ANY;

impl Reader<'_> {
    /// An alias that this script has made: the text is read again with it. Whether the shell looks at aliases depends on how it
    /// was started, so the command without it counts too.
    pub(super) fn run_alias(&mut self, argv: &[Arg], simple: &Simple, state: &mut State) {
        let Some([Part::Bare(name)]) = simple.words.first().map(|word| word.parts.as_slice()) else { return };
        let Some(text) = state.aliases.remove(name) else { return };
        let rest: Vec<String> = argv[1..].iter().map(|arg| arg.text.clone()).collect();
        let line = format!("{text} {}", crate::join(rest.iter().map(String::as_str)));
        let mut inner = state.clone();
        self.run_text(&line, "alias", &mut inner);
        state.join(&inner);
        state.aliases.insert(name.clone(), text);
    }

    /// One program with its arguments: a function, a builtin, a wrapper, a shell, or a call to note.
    pub(crate) fn dispatch(&mut self, argv: Vec<Arg>, state: &mut State) -> String {
        if !state.functions.is_empty()
            && let Some(word) = argv.first().map(|arg| arg.text.clone()).filter(|word| !word.contains('/'))
            && let Some(body) = state.functions.get(&word).cloned()
        {
            return self.function(&word, &body, argv, state);
        }
        self.dispatch_program(argv, state)
    }

    /// The same without the functions that this script has made: programs that start others do not know them.
    pub(crate) fn dispatch_program(&mut self, mut argv: Vec<Arg>, state: &mut State) -> String {
        if !self.steps_on() {
            return String::new();
        }
        let alone = argv.len() == 1;
        let Some(first) = argv.first_mut() else { return String::new() };
        if alone && is_only_holes(&first.text) {
            let code = first.text.clone();
            self.unseen("sh", &code);
            return ANY.to_string();
        }
        // `…/claude/versions/2.1.0`: a program that lies under the name of its version.
        if first.text.contains("/versions/")
            && let Some((folder, version)) = first.text.rsplit_once("/versions/")
            && version.starts_with(|c: char| c.is_ascii_digit())
            && !version.contains('/')
            && let Some(known) = crate::programs::find(crate::path::name(folder))
        {
            *first = Arg::new(known.name());
        }
        // zsh finds a program by `=name`.
        if first.text.len() > 1 && first.text.starts_with('=') {
            first.text.remove(0);
        }
        if let Some(name) = first.glob.then(|| by_pattern(crate::path::name(&first.text))).flatten() {
            // `/bin/r?`: the shell finds the program by a pattern.
            *first = Arg::new(name);
        } else if let Some(path) = state.hashed.get(&first.text) {
            *first = Arg::new(path);
        } else if first.text.contains('/')
            && let Some(path) = state.resolved(&first.text)
        {
            *first = Arg::new(path);
        } else if state.variables.contains_key("PATH")
            && let Some((_, path)) =
                state.links.iter().find(|(link, _)| crate::path::name(link) == first.text)
        {
            // A copy of a program in a folder that the shell now looks into.
            *first = Arg::new(path);
        }
        let argv = Argv::from(argv);
        let name = crate::path::name(&argv[0].text);
        if let Some(output) = self.builtin(name, &argv, state) {
            return output;
        }
        let program = crate::programs::decode::program(name);
        if let Some(output) = program.and_then(|program| self.wrapper(program, &argv, state)) {
            return output;
        }
        let noted = (self.followed.take(), self.reading.calls.len());
        if let Some(output) = self.run_code(name, &argv, state) {
            return output;
        }
        let at = self.reading.calls.len();
        match noted {
            // Nothing has happened since it was looked at.
            (Some(call), calls) if calls == at => self.push_made(call, state),
            _ => self.record(argv.clone(), state),
        }
        if program.is_none() {
            self.tail(name, &argv, state);
        }
        let output = self.simulate(program, &argv, Some(at), state);
        self.note_printed(at, output)
    }

    fn function(&mut self, name: &str, body: &Rc<Command>, argv: Vec<Arg>, state: &mut State) -> String {
        self.steps += 1;
        if self.stack.iter().any(|(running, code)| running == name && Rc::ptr_eq(code, body)) {
            // It starts itself. In a pipeline or in the background that never ends.
            if self.forked > 0 {
                self.reading.fork_bomb = true;
            }
            return String::new();
        }
        self.stack.push((name.to_owned(), Rc::clone(body)));
        self.locals.push(Vec::new());
        let (saved, others) = (state.positional.clone(), state.other_positional.clone());
        state.positional.set(argv.into_iter().map(|arg| arg.text).collect());
        state.other_positional.set(Vec::new());
        // `$0` stays what it was.
        if let (Some(first), Some(outer)) = (state.positional.first_mut(), saved.first()) {
            first.clone_from(outer);
        }
        let output = self
            .inheriting(state, |reader, state| reader.deeper(|reader| reader.run(body, state)))
            .unwrap_or_default();
        (state.positional, state.other_positional) = (saved, others);
        let locals = self.locals.pop().unwrap_or_default();
        restore(locals, state);
        self.stack.pop();
        output
    }
}
