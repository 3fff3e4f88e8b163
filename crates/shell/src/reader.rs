//! The walk through a script. Every branch is taken, every loop once or twice, every function where it is called; what a
//! command prints is worked out where that is easy, because the next command may run it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::parse::parse;
use crate::reading::{Arg, Call, Direction, Doubt, Reading, Redirect, Unseen, World};
use crate::state::{State, Variable};
use crate::syntax::{AssignValue, Assignment, Command, Index, Part, Script, Simple, Word};
use crate::text::{ANY, SECRET, holes, is_known};

/// Longer commands are not read to their end.
const LONGEST: usize = 1024 * 1024;
/// More programs than this are not followed.
const MOST_STEPS: usize = 20_000;
/// Deeper than this nothing is followed: functions, `eval`, shells in shells.
const DEEPEST: usize = 24;
/// Combinations of values that one command is tried with.
const MOST_CHOICES: usize = 12;

/// Where output goes when nobody needs it whole.
const LONGEST_OUTPUT: usize = 64 * 1024;

pub(crate) struct Reader<'w> {
    world: &'w dyn World,
    home: Option<String>,
    pub(crate) reading: Reading,
    steps: usize,
    depth: usize,
    /// How many texts we are inside of: the command itself is 0.
    nested: usize,
    /// Functions that are running.
    stack: Vec<String>,
    /// Which of several values a variable has now.
    pins: BTreeMap<String, usize>,
    pub(crate) wrappers: Vec<&'static str>,
    pub(crate) vars: Vec<(String, String)>,
    pub(crate) elsewhere: bool,
    pub(crate) script: Option<String>,
    /// The simple command that is being read, for its span and redirections.
    current: Frame,
    /// Inside a pipeline or a background command.
    forked: usize,
    processes: usize,
}

#[derive(Clone, Default)]
struct Frame {
    redirects: Vec<Redirect>,
    span: Option<std::ops::Range<usize>>,
}

impl<'w> Reader<'w> {
    pub(crate) fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            home: world.home(),
            reading: Reading::default(),
            steps: 0,
            depth: 0,
            nested: 0,
            stack: Vec::new(),
            pins: BTreeMap::new(),
            wrappers: Vec::new(),
            vars: Vec::new(),
            elsewhere: false,
            script: None,
            current: Frame::default(),
            forked: 0,
            processes: 0,
        }
    }

    pub(crate) fn read(mut self, command: &str) -> Reading {
        if command.len() > LONGEST {
            self.bound("a command of more than a megabyte");
            return self.reading;
        }
        let mut state =
            State { cwds: vec![self.world.cwd()], positional: vec!["bash".into()], ..State::default() };
        let (script, stopped) = parse(command);
        self.run_script(&script, &mut state);
        if let Some(stopped) = stopped {
            self.reading.doubts.push(Doubt::Syntax { what: stopped.what, at: stopped.at });
        }
        self.reading
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

    pub(crate) fn outermost(&self) -> bool {
        self.nested == 0
    }

    pub(crate) fn variable_of_world(&self, name: &str) -> Option<String> {
        self.world.var(name)
    }

    /// The value of several that counts now.
    pub(crate) fn pick(&self, name: &str, values: &[Vec<String>]) -> Vec<String> {
        let index = self.pins.get(name).copied().unwrap_or(values.len().saturating_sub(1));
        values.get(index).or(values.last()).cloned().unwrap_or_default()
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
        let saved = self.current.clone();
        self.nested += 1;
        let (script, stopped) = parse(text);
        let output = self.deeper(|reader| reader.run_script(&script, state)).unwrap_or_default();
        self.nested -= 1;
        self.current = saved;
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
        match command {
            Command::Simple(simple) => self.simple(simple, state),
            Command::List(list) => {
                let mut output = String::new();
                for command in list {
                    let more = self.run(command, state);
                    append(&mut output, &more);
                }
                output
            }
            Command::Pipeline(stages) => self.pipeline(stages, state),
            Command::Background(command) => {
                self.forked += 1;
                let output = self.run(command, &mut state.clone());
                self.forked -= 1;
                output
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
                String::new()
            }
            Command::Words(words) => {
                for word in words {
                    let _ = self.text(word, state);
                }
                String::new()
            }
            Command::Redirected { command, redirects } => self.redirected(command, redirects, state),
        }
    }

    fn pipeline(&mut self, stages: &[Command], state: &mut State) -> String {
        self.forked += 1;
        let mut input = state.stdin.clone();
        let mut output = String::new();
        for (index, stage) in stages.iter().enumerate() {
            let mut inner = state.clone();
            inner.stdin.clone_from(&input);
            if index > 0 && inner.stdin.is_none() {
                inner.stdin = Some(ANY.to_string());
            }
            output = self.run(stage, &mut inner);
            state.files.extend(inner.files);
            input = Some(output.clone());
        }
        self.forked -= 1;
        output
    }

    fn run_if(&mut self, arms: &[(Script, Script)], otherwise: Option<&Script>, state: &mut State) -> String {
        let mut output = String::new();
        let mut after: Option<State> = None;
        for (condition, body) in arms {
            self.run_script(condition, state);
            let mut inner = state.clone();
            let more = self.run_script(body, &mut inner);
            append(&mut output, &more);
            match &mut after {
                Some(joined) => joined.join(inner),
                None => after = Some(inner),
            }
        }
        if let Some(body) = otherwise {
            let more = self.run_script(body, state);
            append(&mut output, &more);
        }
        if let Some(after) = after {
            state.join(after);
        }
        output
    }

    fn run_for(&mut self, name: &str, words: Option<&[Word]>, body: &Script, state: &mut State) -> String {
        let values: Vec<String> = match words {
            Some(words) => {
                words.iter().flat_map(|word| self.fields(word, state)).map(|arg| arg.text).collect()
            }
            None => state.positional.get(1..).unwrap_or_default().to_vec(),
        };
        if values.is_empty() && words.is_some() {
            return String::new();
        }
        let values = if values.is_empty() { vec![ANY.to_string()] } else { values };
        let mut variable = Variable::text(values[0].clone());
        variable.values = values.into_iter().map(|value| vec![value]).collect();
        variable.values.dedup();
        if variable.values.len() > MOST_CHOICES {
            // Too many to try each: those that matter most first, the rest as an unknown one.
            variable.values.truncate(MOST_CHOICES - 1);
            variable.values.push(vec![ANY.to_string()]);
        }
        state.variables.insert(name.to_owned(), variable);
        self.run_script(body, state)
    }

    fn run_while(&mut self, condition: &Script, body: &Script, state: &mut State) -> String {
        let mut output = self.run_script(condition, state);
        let mut inner = state.clone();
        let more = self.run_script(body, &mut inner);
        append(&mut output, &more);
        // Once more with what the first round left, where that is new and we are not deep in loops already.
        if self.depth < 3 && inner.variables != state.variables {
            self.depth += 1;
            self.run_script(body, &mut inner);
            self.depth -= 1;
        }
        state.join(inner);
        output
    }

    fn run_case(&mut self, word: &Word, arms: &[(Vec<Word>, Script)], state: &mut State) -> String {
        let _ = self.text(word, state);
        let mut output = String::new();
        let before = state.clone();
        for (patterns, body) in arms {
            for pattern in patterns {
                let _ = self.text(pattern, state);
            }
            let mut inner = before.clone();
            let more = self.run_script(body, &mut inner);
            append(&mut output, &more);
            state.join(inner);
        }
        output
    }

    fn redirected(
        &mut self,
        command: &Command,
        redirects: &[crate::syntax::Redirect],
        state: &mut State,
    ) -> String {
        let saved = state.stdin.clone();
        let resolved = self.redirects(redirects, state);
        let output = self.run(command, state);
        state.stdin = saved;
        write_files(&resolved, &output, state);
        if resolved
            .iter()
            .any(|r| matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite))
        {
            let call = Call { redirects: resolved, cwd: state.cwd(), ..self.blank_call() };
            self.reading.calls.push(call);
        }
        output
    }

    /// Targets expanded; what comes in goes to `state.stdin`.
    fn redirects(&mut self, redirects: &[crate::syntax::Redirect], state: &mut State) -> Vec<Redirect> {
        let mut resolved = Vec::new();
        for redirect in redirects {
            if redirect.direction == Direction::Text {
                let text = self.text(&redirect.target, state);
                state.stdin = Some(text);
                continue;
            }
            let mut fields = self.fields(&redirect.target, state);
            let target = if fields.is_empty() { Arg::new(ANY) } else { fields.swap_remove(0) };
            if redirect.direction == Direction::Read {
                state.stdin = Some(self.file_text(&target.text, state));
            }
            let fd = redirect.fd.unwrap_or(1);
            resolved.push(Redirect { fd, direction: redirect.direction, target: target.clone() });
            if redirect.both && redirect.direction != Direction::Duplicate {
                resolved.push(Redirect { fd: 2, direction: redirect.direction, target });
            }
        }
        resolved
    }

    /// What a file holds: what this script wrote, what is secret, what lies there.
    pub(crate) fn file_text(&mut self, path: &str, state: &State) -> String {
        if !is_known(path) {
            return ANY.to_string();
        }
        let absolute = state.absolute(path);
        if let Some(text) = state.files.get(&absolute) {
            return text.clone();
        }
        if absolute.starts_with("/dev/tcp/") || absolute.starts_with("/dev/udp/") {
            return crate::text::NET.to_string();
        }
        if absolute == "/dev/stdin" || absolute == "/dev/fd/0" || absolute == "/proc/self/fd/0" {
            return state.stdin.clone().unwrap_or_else(|| ANY.to_string());
        }
        if crate::simulate::is_secret_path(&absolute, self.home.as_deref()) {
            return SECRET.to_string();
        }
        ANY.to_string()
    }

    /// The text of a script file that is about to run, if it can be had.
    pub(crate) fn script_text(&mut self, path: &str, state: &State) -> Option<String> {
        let absolute = state.absolute(path);
        if !is_known(&absolute) {
            return None;
        }
        match state.files.get(&absolute) {
            Some(text) => Some(text.clone()),
            None if absolute.starts_with("/dev/") || absolute.starts_with("/proc/") => {
                let text = self.file_text(&absolute, state);
                Some(text)
            }
            None => self.world.read(&absolute),
        }
    }

    fn blank_call(&self) -> Call {
        Call {
            wrappers: self.wrappers.clone(),
            elsewhere: self.elsewhere,
            script: self.script.clone(),
            span: self.current.span.clone(),
            ..Call::default()
        }
    }

    fn simple(&mut self, simple: &Simple, state: &mut State) -> String {
        let names = several_valued(simple, state);
        if names.is_empty() || self.steps > MOST_STEPS {
            return self.simple_once(simple, state);
        }
        // Each combination by itself, up to a bound; the last state is kept.
        let counts: Vec<usize> = names.iter().map(|name| count(name, state)).collect();
        let total: usize = counts.iter().product();
        let mut output = String::new();
        let cwds = state.cwds.clone();
        for number in 0..total.min(MOST_CHOICES) {
            let mut rest = number;
            for (name, count) in names.iter().zip(&counts) {
                self.pins.insert(name.clone(), rest % count);
                rest /= count;
            }
            if let Some(&pin) = self.pins.get("PWD") {
                state.cwds = vec![cwds[pin.min(cwds.len() - 1)].clone()];
            }
            let before = state.clone();
            let more = self.simple_once(simple, state);
            append(&mut output, &more);
            if number > 0 {
                state.join(before);
            }
            if names.iter().any(|name| name == "PWD")
                && state.cwds.len() == 1
                && cwds.contains(&state.cwds[0])
            {
                state.cwds.clone_from(&cwds);
            }
        }
        for name in &names {
            self.pins.remove(name);
        }
        if total > MOST_CHOICES {
            self.bound("too many possible values");
        }
        output
    }

    fn simple_once(&mut self, simple: &Simple, state: &mut State) -> String {
        let saved = (std::mem::take(&mut self.current), state.stdin.clone(), self.vars.len());
        self.current.span = (self.outermost() && !simple.span.is_empty()).then(|| simple.span.clone());
        let assignments: Vec<(String, Variable)> =
            simple.assignments.iter().map(|a| self.assignment(a, state)).collect();
        let argv: Vec<Arg> = simple.words.iter().flat_map(|word| self.fields(word, state)).collect();
        let redirects = self.redirects(&simple.redirects, state);
        self.current.redirects.clone_from(&redirects);
        let output = if argv.is_empty() {
            for (name, value) in assignments {
                if name == "PROMPT_COMMAND" || name == "BASH_ENV" {
                    self.code_variable(
                        &name,
                        &value.values.last().and_then(|v| v.first()).cloned().unwrap_or_default(),
                        state,
                    );
                }
                let exported = state.variables.get(&name).is_some_and(|old| old.exported);
                state.variables.insert(name, Variable { exported, ..value });
            }
            if !redirects.is_empty() {
                let call = Call { redirects: redirects.clone(), cwd: state.cwd(), ..self.blank_call() };
                self.reading.calls.push(call);
            }
            String::new()
        } else {
            for (name, value) in assignments {
                let text = value.values.last().map(|list| list.join(" ")).unwrap_or_default();
                self.code_variable(&name, &text, state);
                // Seen by the program, not by the words of its own command line.
                self.vars.push((name, text));
            }
            match self.expand_alias(&argv, simple, state) {
                Some(output) => output,
                None => self.dispatch(argv, state),
            }
        };
        self.vars.truncate(saved.2);
        write_files(&redirects, &output, state);
        (self.current, state.stdin) = (saved.0, saved.1);
        let silent = redirects
            .iter()
            .any(|r| r.fd == 1 && matches!(r.direction, Direction::Write | Direction::Append));
        if silent { String::new() } else { output }
    }

    /// An alias that this script has made: the text is read again with it.
    fn expand_alias(&mut self, argv: &[Arg], simple: &Simple, state: &mut State) -> Option<String> {
        let [Part::Bare(name)] = simple.words.first()?.parts.as_slice() else { return None };
        let text = state.aliases.remove(name)?;
        let rest: Vec<String> = argv[1..].iter().map(|arg| arg.text.clone()).collect();
        let line = format!("{text} {}", crate::join(rest.iter().map(String::as_str)));
        let name = name.clone();
        let output = self.run_text(&line, "alias", state);
        state.aliases.insert(name, text);
        Some(output)
    }

    fn assignment(&mut self, assignment: &Assignment, state: &mut State) -> (String, Variable) {
        let mut list = match &assignment.value {
            AssignValue::Text(word) => vec![self.text(word, state)],
            AssignValue::List(words) => {
                words.iter().flat_map(|word| self.fields(word, state)).map(|arg| arg.text).collect()
            }
        };
        if assignment.append
            && let Some(old) = self.lookup(&assignment.name, state)
        {
            list = match &assignment.value {
                AssignValue::List(_) => old.into_iter().chain(list).collect(),
                AssignValue::Text(_) => vec![old.join(" ") + &list.concat()],
            };
        }
        // An assignment through a name reference sets the other one.
        let name = match state.variables.get(&assignment.name) {
            Some(variable) if variable.reference => variable
                .values
                .last()
                .and_then(|v| v.first())
                .cloned()
                .unwrap_or_else(|| assignment.name.clone()),
            _ => assignment.name.clone(),
        };
        (name, Variable { values: vec![list], reference: false, exported: false })
    }

    pub(crate) fn substitute(&mut self, script: &Rc<Script>, state: &mut State) -> String {
        let mut inner = state.clone();
        let saved = std::mem::take(&mut self.current);
        let output =
            self.deeper(|reader| reader.run_script(script, &mut inner)).unwrap_or_else(|| ANY.to_string());
        self.current = saved;
        state.files = inner.files;
        output.trim_end_matches('\n').to_owned()
    }

    /// A process substitution: a file name that stands for what the command prints, or reads.
    pub(crate) fn process(&mut self, script: &Rc<Script>, input: bool, state: &mut State) -> String {
        let mut inner = state.clone();
        if !input {
            inner.stdin = Some(state.stdin.clone().unwrap_or_else(|| ANY.to_string()));
        }
        self.forked += 1;
        let saved = std::mem::take(&mut self.current);
        let output =
            self.deeper(|reader| reader.run_script(script, &mut inner)).unwrap_or_else(|| ANY.to_string());
        self.current = saved;
        self.forked -= 1;
        self.processes += 1;
        let path = format!("/dev/fd/6{}", self.processes);
        if input {
            state.files.insert(path.clone(), output);
        }
        path
    }

    /// One program with its arguments: a function, a builtin, a wrapper, a shell, or a call to note.
    pub(crate) fn dispatch(&mut self, argv: Vec<Arg>, state: &mut State) -> String {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.bound("too many commands");
            return String::new();
        }
        let Some(first) = argv.first() else { return String::new() };
        let word = match first.glob.then(|| by_pattern(&first.text)).flatten() {
            // `/bin/r?`: the shell finds the program by a pattern.
            Some(name) => {
                let mut argv = argv;
                argv[0] = Arg::new(name);
                return self.dispatch(argv, state);
            }
            None => first.text.clone(),
        };
        if is_only_holes(&word) && argv.len() == 1 {
            self.unseen("sh", &word);
            return ANY.to_string();
        }
        if !word.contains('/') {
            if let Some(body) = state.functions.get(&word).cloned() {
                return self.function(&word, &body, argv, state);
            }
            if let Some(path) = state.hashed.get(&word).cloned() {
                let mut argv = argv;
                argv[0].text = path;
                return self.dispatch(argv, state);
            }
        }
        let name = crate::path::name(&word).to_owned();
        if let Some(output) = self.builtin(&name, &argv, state) {
            return output;
        }
        if let Some(output) = self.wrapper(&name, &argv, state) {
            return output;
        }
        if let Some(output) = self.run_code(&name, &argv, state) {
            return output;
        }
        self.record(argv.clone(), state);
        self.tail(&name, &argv, state);
        self.simulate(&name, &argv, state)
    }

    /// Notes a program.
    pub(crate) fn record(&mut self, argv: Vec<Arg>, state: &State) {
        let mut vars: Vec<(String, String)> = state
            .variables
            .iter()
            .filter(|(_, variable)| variable.exported)
            .map(|(name, variable)| {
                (name.clone(), variable.values.last().map(|v| v.join(" ")).unwrap_or_default())
            })
            .collect();
        vars.extend(self.vars.iter().cloned());
        let call = Call {
            argv,
            vars,
            redirects: self.current.redirects.clone(),
            stdin: state.stdin.clone(),
            cwd: state.cwd(),
            ..self.blank_call()
        };
        self.reading.calls.push(call);
    }

    fn function(&mut self, name: &str, body: &Rc<Command>, argv: Vec<Arg>, state: &mut State) -> String {
        if self.stack.iter().any(|running| running == name) {
            // It starts itself. In a pipeline or in the background that never ends.
            if self.forked > 0 {
                self.reading.fork_bomb = true;
            }
            return String::new();
        }
        self.stack.push(name.to_owned());
        let saved = std::mem::replace(&mut state.positional, argv.into_iter().map(|arg| arg.text).collect());
        let output = self.deeper(|reader| reader.run(body, state)).unwrap_or_default();
        state.positional = saved;
        self.stack.pop();
        output
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

/// A program that a pattern may stand for, where that matters.
fn by_pattern(pattern: &str) -> Option<&'static str> {
    const NAMES: &[&str] = &[
        "rm", "dd", "sh", "bash", "git", "curl", "chmod", "mkfs", "shred", "find", "mv", "nc", "reboot",
        "shutdown", "halt", "eval",
    ];
    let base = crate::path::name(pattern);
    NAMES.iter().find(|name| crate::path::matches(base, name)).copied()
}

/// What a command prints goes into the files that its output is sent to.
fn write_files(redirects: &[Redirect], output: &str, state: &mut State) {
    for redirect in redirects {
        if redirect.fd != 1 {
            continue;
        }
        let path = state.absolute(&redirect.target.text);
        match redirect.direction {
            Direction::Write => {
                state.files.insert(path, output.to_owned());
            }
            Direction::Append => append(state.files.entry(path).or_default(), output),
            _ => {}
        }
    }
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

fn count(name: &str, state: &State) -> usize {
    if name == "PWD" { state.cwds.len() } else { state.variables.get(name).map_or(1, |v| v.values.len()) }
}

/// The variables in a command that may have several values.
fn several_valued(simple: &Simple, state: &State) -> Vec<String> {
    let mut names = Vec::new();
    if state.cwds.len() > 1 {
        names.push("PWD".to_owned());
    }
    if state.variables.values().all(|variable| variable.values.len() < 2) {
        return names;
    }
    let mut visit = |word: &Word| collect(&word.parts, state, &mut names);
    simple.words.iter().for_each(&mut visit);
    simple.redirects.iter().for_each(|redirect| visit(&redirect.target));
    for assignment in &simple.assignments {
        match &assignment.value {
            AssignValue::Text(word) => visit(word),
            AssignValue::List(words) => words.iter().for_each(&mut visit),
        }
    }
    names
}

fn collect(parts: &[Part], state: &State, names: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::Double(inner) => collect(inner, state, names),
            Part::Parameter(parameter) => {
                let several = state.variables.get(&parameter.name).is_some_and(|v| v.values.len() > 1);
                if several && !names.contains(&parameter.name) && names.len() < 3 {
                    names.push(parameter.name.clone());
                }
                if let Some((_, word)) = &parameter.operation {
                    collect(&word.parts, state, names);
                }
                if let Some(Index::At(word)) = &parameter.index {
                    collect(&word.parts, state, names);
                }
            }
            _ => {}
        }
    }
}
