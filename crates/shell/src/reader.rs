//! The walk through a script. Every branch is taken, every loop once or twice, every function where it is called; what a
//! command prints is worked out where that is easy, because the next command may run it.

use std::collections::BTreeMap;
use std::rc::Rc;

mod assign;
mod bounds;
mod choice;
mod control;
mod dispatch;
pub(crate) mod follow;
mod imports;
mod record;
mod redirect;
mod scope;
mod settings;
mod substitute;
mod suite;

use crate::cached::Cached;
use crate::parse::parse;
use crate::reading::{Arg, Argv, Call, Direction, Doubt, Output, Place, Reading, Redirect, Unseen, World};
use crate::several::{DIRECTORY, Several};
use crate::shared::Meter;
use crate::state::{State, Variable};
use crate::syntax::{Command, Script, Simple};
use crate::text::{ANY, holes};
use bounds::{MOST_TEXT, MOST_WORK};

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
    pub(crate) output: Output,
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

    /// What was read, with the files as the script has left them.
    pub(crate) fn finish(mut self, state: &State) -> Reading {
        self.reading.files.extend(state.files.iter().map(|(path, text)| (path.clone(), Rc::clone(text))));
        self.reading
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
                state.left_by(inner);
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
                state.left_by(inner);
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
            state.left_by(inner);
            input = Some(output.as_str().into());
        }
        self.forked -= 1;
        output
    }

    /// A call that stands here, without words.
    pub(crate) fn blank_call(&self, cwd: Rc<str>) -> Call {
        // All fields are named: what is taken from another call has to be made first.
        Call {
            argv: Argv::default(),
            vars: Vec::new(),
            redirects: Vec::new(),
            stdin: None,
            fed_by: 0..0,
            printed: String::new(),
            files: Vec::new(),
            cwd,
            secrets: Vec::new(),
            deeds: Vec::new(),
            decoded: Cached::default(),
            done: Cached::default(),
            placed: Cached::default(),
            wrappers: self.wrappers.clone(),
            elsewhere: self.place != Place::Here,
            kept: self.place == Place::Kept,
            mounts: self.mounts.clone(),
            script: self.script.clone(),
            span: self.current.span.clone(),
            output: if goes_to_file(&self.current.redirects) { Output::Kept } else { self.output },
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
                let call = Call { redirects: redirects.clone(), ..self.blank_call(state.cwd()) };
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

    /// The declarations of the command that is being read.
    pub(crate) fn take_declared(&mut self) -> Vec<(String, Variable)> {
        std::mem::take(&mut self.current.declared)
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
