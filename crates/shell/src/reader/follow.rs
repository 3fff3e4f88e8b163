//! What the words of a call start: commands, texts of commands, code and scripts, as the tables of programs say.

use std::rc::Rc;

use model::deed::{Object, Verb};

use super::Reader;
use crate::programs::decode;
use crate::programs::decoded::{Decoded, Value};
use crate::programs::{Program, Role, Where};
use crate::reading::{Arg, Argv, Direction, HOMELESS, Place, Redirect};
use crate::state::State;
use crate::text::ANY;

/// A call that starts something, as far as what it starts depends on it.
#[derive(Clone, Copy)]
pub(crate) struct Starter<'a> {
    /// What the call is named by among the wrappers of what it starts.
    pub(crate) label: &'static str,
    pub(crate) entry: &'static Program,
    pub(crate) words: &'a Decoded,
    pub(crate) argv: &'a [Arg],
}

impl<'a> Starter<'a> {
    /// The first subcommand as the table has it; without one the first operand.
    pub(crate) fn argv_verb(self) -> Option<&'a str> {
        let verb = self.words.path.get(1).copied();
        verb.or_else(|| self.words.operands.first().map(|&at| self.argv[at].text.as_str()))
    }

    pub(crate) fn values(self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.words.values(name, self.argv)
    }
}

/// One thing that a call starts.
enum Start {
    /// A program with its words.
    Command(Vec<Arg>),
    /// The same by the name of its package, or a script by its file.
    Tool(Vec<Arg>),
    /// A program for each thing that comes in.
    Each(Vec<Arg>),
    Template(Vec<Arg>),
    /// A text that a shell reads, and the words behind it.
    Text(String, Vec<Arg>),
    /// Code of another language, likewise.
    Code(String, Vec<Arg>),
    /// A file with code: this word and all after it.
    Script(Vec<Arg>),
    /// Words that take the place of those before them.
    Words(Vec<Arg>),
    /// What comes in is code.
    Input(Rc<str>),
    /// A file with tests, or one that is loaded besides.
    Suite(String),
    /// A file that a program loads by itself.
    Beside(String),
    /// Tasks of the project that the words name.
    Tasks,
}

impl Reader<'_> {
    /// The output of what a call starts; `None` when it starts nothing.
    pub(crate) fn follow(&mut self, argv: &[Arg], state: &mut State) -> Option<String> {
        let root = decode::program(crate::path::name(&argv.first()?.text))?;
        self.follow_as(root, &argv.to_vec().into(), state)
    }

    /// The same for a call of a program that is known already.
    pub(crate) fn follow_as(
        &mut self,
        root: &'static Program,
        argv: &Argv,
        state: &mut State,
    ) -> Option<String> {
        if !root.starts {
            return None;
        }
        let call = self.call(argv.clone(), state);
        let words = Rc::clone(call.shared_words());
        let mut starts = starts(&words, argv, state);
        if !root.loads.is_empty() && !words.rehearses {
            starts.extend(self.loads(root, &words, argv, state).into_iter().map(Start::Beside));
        }
        let set = self.settings(&call, state);
        starts.extend(set.into_iter().map(|code| Start::Text(code, Vec::new())));
        if starts.is_empty() || words.rehearses {
            self.followed = Some(call);
            return None;
        }
        let entry = words.entry?;
        // By the name that it was called by; an interpreter by that of its language's first.
        let called = crate::path::name(&argv[0].text);
        let named = root.names.iter().find(|name| matches!(root.language, "" | "sh") && **name == called);
        let label = named.copied().unwrap_or(words.path[0]);
        let (vars, cwds) = (self.vars.len(), state.cwds.clone());
        self.prepare(&words, argv, state);
        // A wrapper that does nothing else is not a call of its own: what it starts has it among its wrappers.
        let alone = matches!(starts.as_slice(), [Start::Command(_)])
            || entry.style.stdin
                && entry.operands.is_some_and(|o| o.iter().any(|o| o.role == Role::Run))
                && matches!(starts.as_slice(), [Start::Input(_)]);
        let module = call
            .words()
            .options
            .iter()
            .any(|chosen| chosen.option.is_some_and(|option| option.role == Role::Tool));
        let at = self.reading.calls.len();
        let noted = !alone || module || !call.deeds.is_empty() || !words.understood;
        if noted {
            self.push_made(call, state);
        }
        let mut output = None;
        let by = Starter { label, entry, words: &words, argv };
        let saved = self.enter(by, state);
        for start in starts {
            let printed = self.start_one(start, by, state);
            output = output.or(printed);
        }
        if let Some(saved) = saved {
            (self.place, self.mounts) = saved;
            output = Some(ANY.to_string());
        }
        self.vars.truncate(vars);
        state.cwds = cwds;
        if entry.place == Where::Host {
            // Whatever it is, another machine says it.
            return Some(crate::text::NET.to_string());
        }
        // What it prints itself is not what was started.
        if output.is_none() {
            let printed = self.simulate(Some(root), argv, noted.then_some(at), state);
            output = Some(if noted { self.note_printed(at, printed) } else { printed });
        }
        output
    }

    /// Goes where a call starts its commands, if that is a container; where it was before. What is mounted there is still ours.
    fn enter(&mut self, by: Starter<'_>, state: &State) -> Option<(Place, Vec<(String, String)>)> {
        let place = match by.entry.place {
            Where::Container => Place::Elsewhere,
            Where::Kept => Place::Kept,
            Where::Here | Where::Host | Where::User => return None,
        };
        let mounts = by.words.given(by.argv).filter(|(role, _)| *role == Role::Mount);
        let mounts = mounts.filter_map(|(_, text)| crate::programs::containers::mount(text));
        let mounts = mounts.map(|mount| (mount.inside, state.absolute(&mount.here))).collect();
        Some((std::mem::replace(&mut self.place, place), std::mem::replace(&mut self.mounts, mounts)))
    }

    /// Variables and the folder that a call sets for what it starts.
    fn prepare(&mut self, words: &Decoded, argv: &[Arg], state: &mut State) {
        let options =
            words.options.iter().filter_map(|chosen| Some((chosen.option?.role, chosen.value?.text(argv))));
        let operands = words.roles().iter().map(|&(at, role)| (role, argv[at].text.as_str()));
        // `env -i`, `env -u HOME`.
        let unset = words.values("u", argv).any(|name| name == "HOME");
        if words.has("ignore-environment") || unset {
            self.vars.push((HOMELESS.to_owned(), String::new()));
        }
        for (role, text) in options.chain(operands) {
            match role {
                Role::Assign => {
                    if let Some((name, value)) = text.split_once('=') {
                        self.code_variable(name, value, state);
                        self.vars.push((name.to_owned(), value.to_owned()));
                    }
                }
                Role::Dir => state.cwds.set(vec![state.absolute(text).into()]),
                _ => {}
            }
        }
    }

    fn start_one(&mut self, mut start: Start, by: Starter<'_>, state: &mut State) -> Option<String> {
        let Starter { label, entry, .. } = by;
        if let Start::Input(code) = &start
            && let Some(text) = self.text_of_input(code, state)
        {
            state.stdin = Some(text.clone());
            start = Start::Input(text);
        }
        match start {
            Start::Command(inner) => self.wrapped(label, |reader| reader.dispatch_program(inner, state)),
            Start::Tool(inner) => self.wrapped(label, |reader| reader.tool(entry, inner, state)),
            Start::Each(inner) => self.each(by, inner, state),
            Start::Template(inner) => self.template(by, &inner, state),
            Start::Words(inner) => Some(self.dispatch_program(inner, state)),
            Start::Text(code, given) if entry.style.plus => {
                Some(self.shell_code(label, &code, &given, state))
            }
            Start::Text(code, _) if entry.language == "sh" => {
                self.wrapped(label, |reader| reader.run_text(&code, label, state))
            }
            Start::Text(code, _) => {
                self.run_slot(label, &code, state);
                None
            }
            Start::Code(code, given) => {
                self.imports(entry.language, &code, state);
                self.code(by, &code, &given, state)
            }
            Start::Script(file) if entry.language == "sh" => Some(self.shell_file(label, &file, state)),
            Start::Script(file) => self.script(by, &file, state),
            Start::Suite(file) => {
                self.suite(&file, state);
                None
            }
            Start::Beside(file) => {
                self.beside(&file, state);
                None
            }
            Start::Tasks => self.tasks(by, state),
            Start::Input(_) if entry.style.plus => Some(self.shell_stdin(label, state)),
            Start::Input(code) if entry.language == "sh" => {
                self.wrapped(label, |reader| reader.run_text(&code, label, state))
            }
            Start::Input(code) => self.code(by, &code, &[], state),
        }
    }

    /// What comes in from a file of this machine, by `< file` or `cat file |`, is read as a script is that is named.
    pub(crate) fn text_of_input(&mut self, code: &str, state: &State) -> Option<Rc<str>> {
        if code.is_empty() || !code.trim().chars().all(|c| c == ANY) {
            return None;
        }
        let comes_in = |redirect: &&Redirect| redirect.direction == Direction::Read && redirect.fd <= 1;
        let named =
            self.current.redirects.iter().rfind(comes_in).map(|redirect| redirect.target.text.clone());
        let path = named.or_else(|| {
            let fed = self.reading.calls.get(state.fed_by.clone())?.last()?;
            let mut read = fed.deeds.iter().filter(|deed| deed.verb == Verb::Reads);
            let path = match &read.next()?.object {
                Object::Path { text, tree: false, .. } => crate::path::absolute(text, &fed.cwd),
                _ => return None,
            };
            read.next().is_none().then_some(path)
        })?;
        self.script_text(&path, state)
    }

    /// `uv run x.py` is `uv run python x.py`; `npx x@1` is `npx x`.
    fn tool(&mut self, entry: &'static Program, mut inner: Vec<Arg>, state: &mut State) -> String {
        let Some(first) = inner.first_mut() else { return String::new() };
        if crate::code::is_address(&first.text) {
            self.unseen(entry.name(), &crate::text::NET.to_string());
            return String::new();
        }
        let interpreter = crate::programs::interpreter(entry.language);
        if let Some(interpreter) = interpreter.filter(|_| first.text.ends_with(".py") || first.text == "-") {
            inner.insert(0, Arg::new(interpreter));
        } else if let Some((at, _)) = first.text.char_indices().skip(1).find(|(_, c)| *c == '@') {
            first.text.truncate(at);
        }
        self.dispatch_program(inner, state)
    }
}

/// What the words start, in their order.
fn starts(words: &Decoded, argv: &[Arg], state: &State) -> Vec<Start> {
    let (mut all, complete) = started_by_options(words, argv);
    if complete {
        return all;
    }
    if [Role::Suite, Role::Module, Role::Config].into_iter().any(|role| words.has_role(role)) {
        all.extend(super::suite::of(words, argv).into_iter().map(Start::Suite));
    }
    let roles = words.roles();
    let rest = |at: usize| argv[at..].to_vec();
    let named = || words.given(argv).find(|(role, _)| *role == Role::Program);
    let program = words.has_role(Role::Program).then(named).flatten().map(|(_, text)| Arg::new(text));
    let mut given_to_program = Vec::new();
    for &(at, role) in roles {
        match role {
            Role::Run | Role::Start if program.is_none() => all.push(command(role, rest(at))),
            Role::Run => given_to_program = rest(at),
            Role::Tool | Role::Fetched => all.push(Start::Tool(rest(at))),
            Role::Each => all.push(Start::Each(rest(at))),
            Role::Template => all.push(Start::Template(rest(at))),
            Role::Shell => {
                // To what is not a shell itself, `!` says that a shell reads it.
                let other = words.entry.is_some_and(|entry| entry.language.is_empty());
                let code = argv[at].text.trim_start_matches(|c| c == '!' && other).to_owned();
                all.push(Start::Text(code, rest(at + 1)));
            }
            Role::Sql if !crate::sql::is_statement(&argv[at].text) => {}
            Role::Code | Role::Sql => all.push(Start::Code(argv[at].text.clone(), Vec::new())),
            Role::Script => all.push(Start::Script(
                words.operands.iter().filter(|o| **o >= at).map(|&o| argv[o].clone()).collect(),
            )),
            Role::Line => all.push(Start::Text(joined(argv[at..].iter()), Vec::new())),
            Role::From | Role::Pull | Role::To => all.extend(address(&argv[at].text)),
            // An image that comes in with the commands that make it.
            Role::Context if argv[at].text == "-" => {
                let code = state.stdin.clone().filter(|text| super::is_only_holes(text));
                all.extend(code.map(Start::Input));
            }
            Role::Relay => all.extend(
                crate::programs::relayed(&argv[at].text).map(|code| Start::Text(code.to_owned(), Vec::new())),
            ),
            _ => {}
        }
    }
    if let Some(program) = program {
        all.push(Start::Command(std::iter::once(program).chain(given_to_program).collect()));
    }
    if is_task_language(words) {
        all.push(Start::Tasks);
    }
    let keys: Vec<&Arg> =
        roles.iter().filter(|(_, role)| *role == Role::Keys).map(|(at, _)| &argv[*at]).collect();
    if !keys.is_empty() {
        let typed = keys.into_iter().filter(|arg| !is_key(&arg.text));
        all.push(Start::Text(crate::simulate::unescape(&joined(typed)), Vec::new()));
    }
    // Commands for each thing that comes in need none to be named.
    if all.is_empty() {
        let spec = words.operand_spec().unwrap_or_default();
        match spec.first().map(|operand| operand.role) {
            Some(Role::Each) => all.push(Start::Each(Vec::new())),
            Some(Role::Template) => all.push(Start::Template(Vec::new())),
            _ => {}
        }
    }
    // What is only loaded first is not what runs: `node --require x`.
    let preloads = words.operands.is_empty()
        && all.iter().all(|start| matches!(start, Start::Script(_) | Start::Suite(_)));
    if let Some(code) = state.stdin.clone().filter(|_| (all.is_empty() || preloads) && reads_code(words)) {
        all.push(Start::Input(code));
    }
    all
}

/// What the values of options start, and whether the operands belong to that.
fn started_by_options(words: &Decoded, argv: &[Arg]) -> (Vec<Start>, bool) {
    let mut all = Vec::new();
    let given = || words.operands.iter().map(|&at| argv[at].clone()).collect::<Vec<_>>();
    for chosen in &words.options {
        let (Some(option), Some(value)) = (chosen.option, chosen.value) else { continue };
        match option.role {
            Role::Shell => all.push(Start::Text(value.text(argv).to_owned(), Vec::new())),
            Role::Code => all.push(Start::Code(value.text(argv).to_owned(), given())),
            Role::Sql => all.push(Start::Code(value.text(argv).to_owned(), Vec::new())),
            Role::Script if !is_task_language(words) => {
                let file = value.text(argv);
                // `java -jar x-1.2.jar` is `x`, where that is known.
                let program = file.strip_suffix(".jar").map(crate::path::name);
                match program.and_then(crate::programs::find) {
                    Some(known) => {
                        let program = std::iter::once(Arg::new(known.name()));
                        all.push(Start::Command(program.chain(given()).collect()));
                    }
                    None => all.push(Start::Script(vec![Arg::new(file)])),
                }
            }
            Role::Words => {
                let Value { word, .. } = value;
                let mut inner = argv[..1].to_vec();
                inner.extend(crate::wrapper::split_string(value.text(argv)));
                inner.extend_from_slice(&argv[word + 1..]);
                return (vec![Start::Words(inner)], true);
            }
            // A module that is a program of its own.
            Role::Tool if crate::programs::find(value.text(argv)).is_none() => {
                all.extend(super::suite::named(Role::Suite, value.text(argv)).map(Start::Suite));
            }
            Role::Tool => {
                let module = std::iter::once(Arg::new(value.text(argv)));
                all.push(Start::Command(module.chain(given()).collect()));
            }
            Role::Run | Role::Start => {
                let program = std::iter::once(Arg::new(value.text(argv)));
                let given =
                    words.operands.iter().map(|&at| argv[at].clone()).skip_while(|arg| arg.text == "--");
                all.push(command(option.role, program.chain(given).collect()));
                return (all, true);
            }
            _ => {}
        }
    }
    (all, false)
}

/// Files with named tasks are read as such, not as code.
fn is_task_language(words: &Decoded) -> bool {
    words.entry.is_some_and(|entry| {
        matches!(entry.language, "make" | "just" | "npm" | "ini-tasks" | "yaml-tasks" | "yaml-hooks")
    })
}

/// Whether code comes in, where none is named: not where an option has made something else of the operands.
fn reads_code(words: &Decoded) -> bool {
    let Some(entry) = words.entry.filter(|entry| entry.style.stdin) else { return false };
    let spec = words.operand_spec();
    let starts = |role: Role| role.takes_rest() || matches!(role, Role::Script | Role::Code | Role::Shell);
    let usual = spec.map(<[_]>::as_ptr) == entry.operands.map(<[_]>::as_ptr);
    usual || words.has("s") || spec.unwrap_or_default().iter().any(|operand| starts(operand.role))
}

/// `ext::` is an address that is a command; `%` before a blank makes it part of a word.
fn address(text: &str) -> Option<Start> {
    let escaped = text.strip_prefix("ext::")?.replace("% ", "\u{1}");
    let words = escaped.split_whitespace().map(|word| Arg::new(word.replace('\u{1}', " ")));
    Some(Start::Command(words.collect()))
}

fn command(role: Role, words: Vec<Arg>) -> Start {
    match words.as_slice() {
        [only] if role == Role::Start => Start::Text(only.text.clone(), Vec::new()),
        _ => Start::Command(words),
    }
}

fn joined<'a>(words: impl Iterator<Item = &'a Arg>) -> String {
    words.map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The name of a key, as terminals' multiplexers have them.
fn is_key(text: &str) -> bool {
    matches!(text, "Enter" | "Space" | "Tab" | "Escape" | "BSpace")
        || text.starts_with("C-")
        || text.starts_with("M-")
}
