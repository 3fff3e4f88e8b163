//! What is noted of a program: a call, with what it would do.

use std::rc::Rc;

use model::deed::Verb;

use super::Reader;
use crate::programs::Prints;
use crate::reading::{Arg, Argv, Call, Direction, HOMELESS, Redirect};
use crate::state::State;
use crate::text::{ANY, SECRET, has_hole, holes};

impl Reader<'_> {
    /// Notes where what a call prints comes from. What shows nothing of a secret takes it out.
    pub(crate) fn note_printed(&mut self, at: usize, mut output: String) -> String {
        if let Some(call) = self.reading.calls.get_mut(at) {
            if has_hole(&output, SECRET) && call.words().prints(&call.argv) == Some(Prints::Nothing) {
                output = output.replace(SECRET, &ANY.to_string());
            }
            if (call.does(Verb::Tells) || call.does(Verb::Reveals)) && !has_hole(&output, SECRET) {
                output.push(SECRET);
            }
            call.printed = holes(&output);
        }
        output
    }

    /// Notes a program.
    pub(crate) fn record(&mut self, argv: impl Into<Argv>, state: &State) {
        let call = self.call(argv, state);
        self.push_made(call, state);
    }

    /// Notes a call whose deeds are known already.
    pub(crate) fn push_made(&mut self, call: Call, state: &State) {
        self.hooked(&call, state);
        self.reading.calls.push(call);
    }

    /// A program as it would be noted here and now, with what it would do.
    pub(crate) fn call(&mut self, argv: impl Into<Argv>, state: &State) -> Call {
        let mut argv = argv.into();
        let mut vars: Vec<(String, String)> = state
            .variables
            .iter()
            // Some are handed on whether one says so or not.
            .filter(|(name, variable)| variable.exported || *name == "PATH")
            .map(|(name, variable)| {
                (name.clone(), variable.values.last().map(|v| v.join(" ")).unwrap_or_default())
            })
            .collect();
        // `unset HOME`: what is started does not find the user's settings.
        if state.variables.get("HOME").is_some_and(|variable| variable.values.is_empty()) {
            vars.push((HOMELESS.to_owned(), String::new()));
        }
        vars.extend(self.vars.iter().cloned());
        let mut stdin = state.stdin.clone();
        let mut secrets = Vec::new();
        let mut files = Vec::new();
        if !state.files.is_empty() {
            // By its last part, because the word may be the value of an option.
            let named = |path: &str| argv.iter().any(|arg| arg.text.ends_with(crate::path::name(path)));
            let written = state.files.iter().filter(|(path, _)| named(path));
            files.extend(written.map(|(path, text)| (path.clone(), Rc::clone(text))));
            self.meter.add(10 * argv.len() * state.files.len());
            for (index, arg) in argv.iter().enumerate().skip(1) {
                if self.is_secret_word(&arg.text, state) {
                    secrets.push(arg.text.clone());
                }
                // `psql -f file`: a script that was written here.
                let script = matches!(argv[index - 1].text.as_str(), "-f" | "--file")
                    .then(|| state.files.get(&state.absolute(&arg.text)))
                    .flatten();
                if let Some(text) = script {
                    stdin = Some(text.clone());
                }
            }
        }
        // A link goes where it points, except for whoever removes the link itself.
        let words: &mut [Arg] = if state.links.is_empty() { &mut [] } else { argv.change() };
        for arg in words.iter_mut().skip(1) {
            if let Some(path) = state
                .resolved(&arg.text)
                .filter(|_| arg.text.ends_with('/') || !state.links.contains_key(&state.absolute(&arg.text)))
            {
                arg.text = path;
                arg.span = None;
            }
        }
        let mut call = self.blank_call(state.cwd());
        call.argv = argv;
        call.vars = vars;
        call.redirects.clone_from(&self.current.redirects);
        call.stdin = stdin;
        call.fed_by = state.fed_by.clone();
        call.files = files;
        call.secrets = secrets;
        call.deeds = crate::programs::deeds::deeds(&call, self.world);
        call
    }

    /// Notes a call, with what it would do.
    pub(crate) fn push(&mut self, call: Call) {
        let mut call = call;
        call.deeds = crate::programs::deeds::deeds(&call, self.world);
        self.reading.calls.push(call);
    }

    /// A file that is written by something other than a redirection of the shell.
    pub(crate) fn note_written(&mut self, by: &'static str, path: &str, content: &str, state: &State) {
        let redirect = Redirect { fd: 1, direction: Direction::Write, target: Arg::new(path) };
        let wrappers = self.wrappers.iter().copied().chain([by]).collect();
        self.push(Call {
            redirects: vec![redirect],
            cwd: state.cwd(),
            wrappers,
            script: self.script.clone(),
            stdin: Some(content.into()),
            ..Call::default()
        });
    }
}
