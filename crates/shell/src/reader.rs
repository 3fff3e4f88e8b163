//! The walk through a script. Every branch is taken, every loop once or twice, every function where it is called; what a
//! command prints is worked out where that is easy, because the next command may run it.

use std::collections::BTreeMap;
use std::rc::Rc;

mod assign;
mod choice;
mod control;
pub(crate) mod follow;
mod redirect;
mod settings;

use model::deed::Verb;

use crate::parse::parse;
use crate::programs::{Prints, by_pattern};
use crate::reading::{Arg, Call, Direction, Doubt, Output, Place, Reading, Redirect, Unseen, World};
use crate::several::{DIRECTORY, Several};
use crate::shared::Meter;
use crate::state::{State, Variable};
use crate::syntax::{Command, Part, Script, Simple};
use crate::text::{ANY, SECRET, has_hole, holes};

/// Longer commands are not read to their end.
const LONGEST: usize = 1024 * 1024;
/// Work that is done for any command, in the meter's measure, and what is added for each byte of it.
const MOST_WORK: usize = 50_000_000;
const WORK_PER_BYTE: usize = 100;
/// All texts of a command together, and what is added for each byte of it.
const MOST_TEXT: usize = 1024 * 1024;
const TEXT_PER_BYTE: usize = 16;
/// More programs than this are not followed.
const MOST_STEPS: usize = 20_000;
/// Deeper than this nothing is followed: functions, `eval`, shells in shells.
const DEEPEST: usize = 24;
/// Combinations of values that one command is tried with.
const MOST_CHOICES: usize = 64;
/// Rounds of a loop that are walked one by one.
const MOST_ROUNDS: usize = 12;

/// Where output goes when nobody needs it whole.
const LONGEST_OUTPUT: usize = 64 * 1024;

pub(crate) struct Reader<'w> {
    pub(crate) world: &'w dyn World,
    home: Option<String>,
    pub(crate) reading: Reading,
    /// Bytes of text that words were expanded to, and how many there may be.
    pub(crate) worked: usize,
    pub(crate) most_text: usize,
    /// What was copied and looked through.
    pub(crate) meter: Meter,
    most_work: usize,
    steps: usize,
    depth: usize,
    /// How many texts we are inside of: the command itself is 0.
    nested: usize,
    /// Functions that are running.
    stack: Vec<(String, Rc<Command>)>,
    /// Script files that are running, by their paths.
    pub(crate) running: Vec<String>,
    /// For each of them, what its local variables were outside.
    pub(crate) locals: Vec<Vec<(String, Option<Variable>)>>,
    /// Loops that are walked round by round.
    loops: usize,
    /// `break`, `continue`, `return` and `exit` so far.
    pub(crate) jumps: usize,
    /// Which of several values a variable has now.
    pins: BTreeMap<String, Pin>,
    pub(crate) wrappers: Vec<&'static str>,
    /// Names that this script has given to commands of git.
    pub(crate) aliased: Vec<(String, String)>,
    /// What `>(…)` runs, by the name that it has.
    outlets: Vec<(String, Rc<Script>)>,
    /// Descriptors that lead to one of them.
    descriptors: BTreeMap<u32, String>,
    /// An archive from the network was unpacked: a program that was not there before may be from it.
    pub(crate) from_network: bool,
    pub(crate) vars: Vec<(String, String)>,
    pub(crate) place: Place,
    pub(crate) mounts: Vec<(String, String)>,
    pub(crate) script: Option<String>,
    /// The simple command that is being read, for its span and redirections.
    current: Frame,
    /// Where what is printed now goes.
    output: Output,
    /// The call that was last looked at for what it starts, where that was nothing.
    followed: Option<Call>,
    /// Folders that were asked for, and whether they are there.
    folders: BTreeMap<Rc<str>, bool>,
    /// How many calls were looked at for folders that they may have made, and whether one may have.
    makes: (usize, bool),
    /// Inside a pipeline or a background command.
    forked: usize,
    processes: usize,
}

/// One of several values that a variable has, as long as it has these.
struct Pin {
    of: Vec<Vec<String>>,
    at: usize,
}

#[derive(Clone, Default)]
pub(crate) struct Frame {
    redirects: Vec<Redirect>,
    /// Assignments among the arguments of `declare`.
    declared: Vec<(String, Variable)>,
    span: Option<std::ops::Range<usize>>,
    /// What it is kept for is a text inside the command.
    inner: bool,
}

impl<'w> Reader<'w> {
    pub(crate) fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            home: world.home(),
            reading: Reading::default(),
            worked: 0,
            most_text: MOST_TEXT,
            meter: Meter::default(),
            most_work: MOST_WORK,
            steps: 0,
            depth: 0,
            nested: 0,
            stack: Vec::new(),
            running: Vec::new(),
            locals: Vec::new(),
            loops: 0,
            jumps: 0,
            pins: BTreeMap::new(),
            wrappers: Vec::new(),
            aliased: Vec::new(),
            outlets: Vec::new(),
            descriptors: BTreeMap::new(),
            from_network: false,
            vars: Vec::new(),
            place: Place::Here,
            mounts: Vec::new(),
            script: None,
            current: Frame::default(),
            output: Output::default(),
            followed: None,
            folders: BTreeMap::new(),
            makes: (0, false),
            forked: 0,
            processes: 0,
        }
    }

    /// Whether a command is short enough to be read, and how much work that may be.
    pub(crate) fn begin(&mut self, command: &str) -> bool {
        if command.len() > LONGEST {
            self.bound("a command of more than a megabyte");
            return false;
        }
        self.most_work = MOST_WORK + command.len() * WORK_PER_BYTE;
        self.most_text = MOST_TEXT + command.len() * TEXT_PER_BYTE;
        true
    }

    /// What was read, with the files as the script has left them.
    pub(crate) fn finish(mut self, state: &State) -> Reading {
        self.reading.files.extend(state.files.iter().map(|(path, text)| (path.clone(), Rc::clone(text))));
        self.reading
    }

    /// Whether more may be done; where not, that is noted.
    pub(crate) fn goes_on(&mut self) -> bool {
        let goes = self.meter.get() <= self.most_work;
        if !goes {
            self.bound("too much to keep in mind");
        }
        goes
    }

    /// Whether one more program may be followed.
    pub(crate) fn steps_on(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.bound("too many commands");
        }
        self.steps <= MOST_STEPS
    }

    /// Begins with a text inside the command; `come_back` ends that.
    pub(crate) fn leave(&mut self) -> Frame {
        self.nested += 1;
        Frame { inner: true, ..self.current.clone() }
    }

    /// Begins with a part of the command, and what its output goes to.
    pub(crate) fn at_span(&mut self, span: &std::ops::Range<usize>, redirects: Vec<Redirect>) -> Frame {
        let span = (self.outermost() && !span.is_empty())
            .then(|| span.clone())
            .or_else(|| self.current.span.clone());
        std::mem::replace(&mut self.current, Frame { redirects, span, ..Frame::default() })
    }

    pub(crate) fn come_back(&mut self, saved: Frame) {
        self.nested -= usize::from(saved.inner);
        self.current = Frame { inner: false, ..saved };
    }

    pub(crate) fn read(mut self, command: &str) -> Reading {
        if !self.begin(command) {
            return self.reading;
        }
        let mut state = State::new(self.world.cwd(), &self.meter);
        let (script, stopped) = parse(command);
        self.run_script(&script, &mut state);
        model::brief::spare(script);
        if let Some(stopped) = stopped {
            self.reading.doubts.push(Doubt::Syntax { what: stopped.what, at: stopped.at });
        }
        let reading = self.finish(&state);
        model::brief::spare(state);
        reading
    }

    pub(crate) fn bound(&mut self, what: &'static str) {
        let doubt = Doubt::Bound(what);
        if !self.reading.doubts.contains(&doubt) {
            self.reading.doubts.push(doubt);
        }
    }

    pub(crate) fn home(&self) -> Option<String> {
        self.home.clone()
    }

    /// Whether the command that is being read has a file on its stdin.
    pub(crate) fn reads_file(&self) -> bool {
        self.current.redirects.iter().any(|r| r.direction == Direction::Read)
    }

    /// Inside a pipeline or a background command.
    pub(crate) fn forked(&self) -> bool {
        self.forked > 0
    }

    pub(crate) fn home_ref(&self) -> Option<&str> {
        self.home.as_deref()
    }

    pub(crate) fn outermost(&self) -> bool {
        self.nested == 0
    }

    pub(crate) fn variable_of_world(&self, name: &str) -> Option<String> {
        self.world.var(name)
    }

    /// Code in a string: parsed and walked, its spans meaning nothing to the outside.
    pub(crate) fn run_text(&mut self, text: &str, by: &str, state: &mut State) -> String {
        if text.trim().is_empty() {
            return String::new();
        }
        if is_only_holes(text) {
            self.unseen(by, text);
            return ANY.to_string();
        }
        let saved = self.leave();
        self.meter.add(20 * text.len());
        let (script, stopped) = parse(text);
        let output = self.deeper(|reader| reader.run_script(&script, state)).unwrap_or_default();
        self.come_back(saved);
        if let Some(stopped) = stopped {
            self.reading.doubts.push(Doubt::Syntax { what: stopped.what, at: 0 });
        }
        output
    }

    pub(crate) fn unseen(&mut self, by: &str, code: &str) {
        let span = self.current.span.clone();
        self.reading.unseen.push(Unseen { by: by.to_owned(), code: holes(code), span });
    }

    /// One level down; `None` past the bound, which is noted.
    pub(crate) fn deeper<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            self.bound("commands nested too deeply");
            return None;
        }
        self.depth += 1;
        let result = walk(self);
        self.depth -= 1;
        Some(result)
    }

    pub(crate) fn run_script(&mut self, script: &Script, state: &mut State) -> String {
        let mut output = String::new();
        for command in &script.commands {
            let more = self.run(command, state);
            append(&mut output, &more);
        }
        output
    }

    fn run(&mut self, command: &Command, state: &mut State) -> String {
        if !self.goes_on() {
            return String::new();
        }
        match command {
            Command::Simple(simple) => self.simple(simple, state),
            Command::List { first, rest } => self.run_list(first, rest, state),
            Command::Negated(command) => self.run(command, state),
            Command::Pipeline(stages) => self.pipeline(stages, state),
            Command::Background(command) => {
                self.forked += 1;
                let mut inner = state.clone();
                let output = self.run(command, &mut inner);
                state.files = inner.files;
                self.forked -= 1;
                output
            }
            Command::Coprocess { name, script } => {
                self.coprocess(name, script, state);
                String::new()
            }
            Command::Subshell(script) => {
                let mut inner = state.clone();
                let output = self.run_script(script, &mut inner);
                // What it wrote is on disk, whoever wrote it.
                state.files = inner.files;
                output
            }
            Command::Group(script) => self.run_script(script, state),
            Command::If { arms, otherwise } => self.run_if(arms, otherwise.as_ref(), state),
            Command::For { name, words, body } => self.run_for(name, words.as_deref(), body, state),
            Command::While { condition, body } => self.run_while(condition, body, state),
            Command::Case { word, arms } => self.run_case(word, arms, state),
            Command::Function { name, body } => {
                state.functions.insert(name.clone(), Rc::clone(body));
                // The shell itself calls this one.
                if name == "command_not_found_handle" || name == "command_not_found_handler" {
                    self.run(body, &mut state.clone());
                }
                String::new()
            }
            Command::Words(words) => {
                let texts: Vec<String> = words.iter().map(|word| self.text(word, state)).collect();
                // Beside these, a text is an expression, and a command in its index runs.
                if texts.iter().any(|t| matches!(t.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")) {
                    for text in texts.iter().filter(|text| text.contains("[$(") || text.contains("[`")) {
                        self.expanded(text, &mut state.clone());
                    }
                }
                String::new()
            }
            Command::Arithmetic(word) => {
                let _ = self.arithmetic(word, state);
                String::new()
            }
            Command::Redirected { command, redirects } => self.redirected(command, redirects, state),
        }
    }

    fn pipeline(&mut self, stages: &[Command], state: &mut State) -> String {
        let mut several = Several::new(state);
        if !several.is_idle() {
            stages.iter().for_each(|stage| several.command(stage));
        }
        let names = several.names;
        self.each_choice(names, state, |reader, state| reader.pipeline_once(stages, state))
    }

    fn pipeline_once(&mut self, stages: &[Command], state: &mut State) -> String {
        self.forked += 1;
        let mut input = state.stdin.clone();
        let mut output = String::new();
        let mut fed_by = state.fed_by.clone();
        for (index, stage) in stages.iter().enumerate() {
            let mut inner = state.clone();
            inner.stdin.clone_from(&input);
            if index > 0 && inner.stdin.is_none() {
                inner.stdin = Some(ANY.to_string().into());
            }
            inner.fed_by = fed_by;
            let begin = self.reading.calls.len();
            let goes = if index + 1 < stages.len() { Output::Piped } else { self.output };
            output = self.printing(goes, |reader| reader.run(stage, &mut inner));
            fed_by = begin..self.reading.calls.len();
            state.files = inner.files;
            input = Some(output.as_str().into());
        }
        self.forked -= 1;
        output
    }

    pub(crate) fn blank_call(&self) -> Call {
        Call {
            wrappers: self.wrappers.clone(),
            elsewhere: self.place != Place::Here,
            kept: self.place == Place::Kept,
            mounts: self.mounts.clone(),
            script: self.script.clone(),
            span: self.current.span.clone(),
            output: if goes_to_file(&self.current.redirects) { Output::Kept } else { self.output },
            ..Call::default()
        }
    }

    /// Walks something whose output goes there.
    fn printing<T>(&mut self, goes: Output, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.output, goes);
        let result = walk(self);
        self.output = outer;
        result
    }

    fn simple(&mut self, simple: &Simple, state: &mut State) -> String {
        // Every variable is looked at, here and where the call is noted.
        self.meter.add(100 + 4 * state.variables.len());
        let mut several = Several::new(state);
        if state.cwds.len() > 1 {
            several.add(DIRECTORY);
        }
        if !several.is_idle() {
            several.simple(simple);
        }
        let names = several.names;
        self.each_choice(names, state, |reader, state| reader.simple_once(simple, state))
    }

    fn simple_once(&mut self, simple: &Simple, state: &mut State) -> String {
        let saved = (std::mem::take(&mut self.current), state.stdin.clone(), self.vars.len());
        let fed_by = state.fed_by.clone();
        self.current.span = (self.outermost() && !simple.span.is_empty()).then(|| simple.span.clone());
        let plain = simple.words.is_empty() && simple.declared.is_empty();
        let mut set = Vec::new();
        for assignment in &simple.assignments {
            let (name, variable) = self.assignment(assignment, state);
            if plain {
                // Each sees the one before.
                self.set_variable(name, variable, state);
            } else {
                set.push((name, variable));
            }
        }
        let mut argv: Vec<Arg> = Vec::with_capacity(simple.words.len());
        let mut declared = simple.declared.iter().peekable();
        for (at, word) in simple.words.iter().enumerate() {
            while declared.peek().is_some_and(|(place, _)| *place <= at) {
                argv.extend(declared.next().map(|(_, assignment)| self.declaration(assignment, state)));
            }
            self.fields_into(word, state, &mut argv);
        }
        argv.extend(declared.map(|(_, assignment)| self.declaration(assignment, state)));
        let redirects = self.redirects(&simple.redirects, state);
        self.current.redirects.clone_from(&redirects);
        let output = if argv.is_empty() {
            for (name, variable) in set {
                self.set_variable(name, variable, state);
            }
            if !redirects.is_empty() {
                let call = Call { redirects: redirects.clone(), cwd: state.cwd(), ..self.blank_call() };
                self.push(call);
            }
            // `$(< file)` prints it.
            let reads = simple.redirects.iter().any(|r| r.direction == Direction::Read)
                && simple.assignments.is_empty();
            if reads { state.piped().to_string() } else { String::new() }
        } else {
            for (name, variable) in set {
                let text = variable.values.last().map(|list| list.join(" ")).unwrap_or_default();
                self.code_variable(&name, &text, state);
                // Seen by the program, not by the words of its own command line.
                self.vars.push((name, text));
            }
            self.run_alias(&argv, simple, state);
            self.dispatch(argv, state)
        };
        self.current.declared.clear();
        self.vars.truncate(saved.2);
        self.write_files(&redirects, &output, state);
        (self.current, state.stdin, state.fed_by) = (saved.0, saved.1, fed_by);
        if is_silent(&redirects) { String::new() } else { output }
    }

    /// An alias that this script has made: the text is read again with it. Whether the shell looks at aliases depends on how it
    /// was started, so the command without it counts too.
    fn run_alias(&mut self, argv: &[Arg], simple: &Simple, state: &mut State) {
        let Some([Part::Bare(name)]) = simple.words.first().map(|word| word.parts.as_slice()) else { return };
        let Some(text) = state.aliases.remove(name) else { return };
        let rest: Vec<String> = argv[1..].iter().map(|arg| arg.text.clone()).collect();
        let line = format!("{text} {}", crate::join(rest.iter().map(String::as_str)));
        let mut inner = state.clone();
        self.run_text(&line, "alias", &mut inner);
        state.join(&inner);
        state.aliases.insert(name.clone(), text);
    }

    pub(crate) fn substitute(&mut self, script: &Rc<Script>, state: &mut State) -> String {
        let mut inner = state.clone();
        let saved = std::mem::take(&mut self.current);
        let output = self
            .printing(Output::Kept, |reader| reader.deeper(|reader| reader.run_script(script, &mut inner)))
            .unwrap_or_else(|| ANY.to_string());
        self.current = saved;
        state.files = inner.files;
        output.trim_end_matches('\n').to_owned()
    }

    /// A process substitution: a file name that stands for what the command prints, or reads.
    pub(crate) fn process(&mut self, script: &Rc<Script>, input: bool, state: &mut State) -> String {
        let mut inner = state.clone();
        if !input {
            inner.stdin = Some(state.input());
        }
        self.forked += 1;
        let saved = std::mem::take(&mut self.current);
        let goes = if input { Output::Kept } else { self.output };
        let output = self
            .printing(goes, |reader| reader.deeper(|reader| reader.run_script(script, &mut inner)))
            .unwrap_or_else(|| ANY.to_string());
        // What is not shared any more is changed without being copied.
        drop(inner);
        self.current = saved;
        self.forked -= 1;
        self.processes += 1;
        let path = format!("/dev/fd/6{}", self.processes);
        if input {
            state.write(path.clone(), output);
        } else {
            self.outlets.push((path.clone(), Rc::clone(script)));
        }
        path
    }

    /// One program with its arguments: a function, a builtin, a wrapper, a shell, or a call to note.
    pub(crate) fn dispatch(&mut self, argv: Vec<Arg>, state: &mut State) -> String {
        if let Some(word) = argv.first().map(|arg| arg.text.clone()).filter(|word| !word.contains('/'))
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
        let name = crate::path::name(&first.text).to_owned();
        if let Some(output) = self.builtin(&name, &argv, state) {
            return output;
        }
        let program = crate::programs::decode::program(&name);
        if let Some(output) = program.and_then(|program| self.wrapper(program, &argv, state)) {
            return output;
        }
        let noted = (self.followed.take(), self.reading.calls.len());
        if let Some(output) = self.run_code(&name, &argv, state) {
            return output;
        }
        let at = self.reading.calls.len();
        match noted {
            // Nothing has happened since it was looked at.
            (Some(call), calls) if calls == at => self.push_made(call, state),
            _ => self.record(argv.clone(), state),
        }
        if program.is_none() {
            self.tail(&name, &argv, state);
        }
        let output = self.simulate(program, &argv, Some(at), state);
        self.note_printed(at, output)
    }

    /// Notes where what a call prints comes from. What shows nothing of a secret takes it out.
    pub(crate) fn note_printed(&mut self, at: usize, mut output: String) -> String {
        if let Some(call) = self.reading.calls.get_mut(at) {
            if has_hole(&output, SECRET) && call.words().prints(&call.argv) == Some(Prints::Nothing) {
                output = output.replace(SECRET, &ANY.to_string());
            }
            if (call.does(Verb::Tells) || call.does(Verb::Reveals)) && !output.contains(SECRET) {
                output.push(SECRET);
            }
            call.printed = holes(&output);
        }
        output
    }

    /// Notes a program.
    pub(crate) fn record(&mut self, argv: Vec<Arg>, state: &State) {
        let call = self.call(argv, state);
        self.push_made(call, state);
    }

    /// Notes a call whose deeds are known already.
    pub(crate) fn push_made(&mut self, call: Call, state: &State) {
        self.hooked(&call, state);
        self.reading.calls.push(call);
    }

    /// A program as it would be noted here and now, with what it would do.
    pub(crate) fn call(&mut self, mut argv: Vec<Arg>, state: &State) -> Call {
        let mut vars: Vec<(String, String)> = state
            .variables
            .iter()
            // Some are handed on whether one says so or not.
            .filter(|(name, variable)| variable.exported || *name == "PATH")
            .map(|(name, variable)| {
                (name.clone(), variable.values.last().map(|v| v.join(" ")).unwrap_or_default())
            })
            .collect();
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
        for arg in argv.iter_mut().skip(1) {
            if let Some(path) = state
                .resolved(&arg.text)
                .filter(|_| arg.text.ends_with('/') || !state.links.contains_key(&state.absolute(&arg.text)))
            {
                arg.text = path;
                arg.span = None;
            }
        }
        let call = Call {
            argv,
            vars,
            redirects: self.current.redirects.clone(),
            stdin,
            fed_by: state.fed_by.clone(),
            files,
            cwd: state.cwd(),
            secrets,
            ..self.blank_call()
        };
        self.judged(call)
    }

    /// A call with what it would do.
    fn judged(&self, mut call: Call) -> Call {
        call.deeds = crate::programs::deeds::deeds(&call, self.world);
        call
    }

    /// Notes a call, with what it would do.
    pub(crate) fn push(&mut self, call: Call) {
        let call = self.judged(call);
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

    /// Variables set for one command are variables of the code that it runs.
    pub(crate) fn inheriting<T>(
        &mut self,
        state: &mut State,
        walk: impl FnOnce(&mut Self, &mut State) -> T,
    ) -> T {
        let vars = std::mem::take(&mut self.vars);
        let set = |(name, value): &(String, String)| {
            (
                name.clone(),
                state.variables.insert(name.clone(), Variable { exported: true, ..Variable::text(value) }),
            )
        };
        let hidden = vars.iter().map(set).collect();
        let result = walk(self, state);
        restore(hidden, state);
        self.vars = vars;
        result
    }

    /// Text in which parameters and commands are expanded, as in a here-document.
    pub(crate) fn expanded(&mut self, text: &str, state: &mut State) -> String {
        if !text.contains(['$', '`', '\\']) {
            return text.to_owned();
        }
        let end = format!("\u{1}{}", self.depth);
        self.run_text(&format!("cat <<{end}\n{text}\n{end}\n"), "text", state)
            .trim_end_matches('\n')
            .to_owned()
    }

    /// The declarations of the command that is being read.
    pub(crate) fn take_declared(&mut self) -> Vec<(String, Variable)> {
        std::mem::take(&mut self.current.declared)
    }

    /// Runs `walk` as something wrapped in `wrapper`.
    pub(crate) fn wrapped<T>(
        &mut self,
        wrapper: &'static str,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        self.wrappers.push(wrapper);
        let result = self.deeper(walk);
        self.wrappers.pop();
        result
    }
}

/// Variables as they were before something hid them.
fn restore(hidden: Vec<(String, Option<Variable>)>, state: &mut State) {
    for (name, variable) in hidden.into_iter().rev() {
        match variable {
            Some(variable) => state.variables.insert(name, variable),
            None => state.variables.remove(&name),
        };
    }
}

/// What is printed goes into a file.
fn goes_to_file(redirects: &[Redirect]) -> bool {
    redirects.iter().any(|r| {
        let writes = matches!(r.direction, Direction::Write | Direction::Append);
        r.fd == 1
            && writes
            && !matches!(r.target.text.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/tty")
            && !r.target.text.starts_with("/dev/fd/")
            && !r.target.text.starts_with("/proc/")
    })
}

/// What is printed goes into a file, or to stderr.
fn is_silent(redirects: &[Redirect]) -> bool {
    redirects.iter().any(|r| {
        r.fd == 1
            && match r.direction {
                Direction::Write | Direction::Append => {
                    !matches!(r.target.text.as_str(), "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1")
                }
                Direction::Duplicate => r.target.text == "2" || r.target.text == "-",
                _ => false,
            }
    })
}

fn append(output: &mut String, more: &str) {
    if output.len() + more.len() <= LONGEST_OUTPUT {
        output.push_str(more);
    } else {
        let rest = holes(more);
        if !output.ends_with(&rest) || rest.is_empty() {
            output.push_str(&rest);
            output.push(ANY);
        }
    }
}

/// Nothing but unknown text and blanks.
pub(crate) fn is_only_holes(text: &str) -> bool {
    let trimmed = text.trim();
    !trimmed.is_empty() && trimmed.chars().all(|c| crate::text::is_hole(c) || c.is_whitespace())
}
