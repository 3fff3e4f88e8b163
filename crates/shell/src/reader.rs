//! The walk through a script. Every branch is taken, every loop once or twice, every function where it is called; what a
//! command prints is worked out where that is easy, because the next command may run it.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::parse::parse;
use crate::reading::{Arg, Call, Direction, Doubt, Place, Reading, Redirect, Unseen, World};
use crate::several::{DIRECTORY, POSITIONAL, Several};
use crate::shared::Meter;
use crate::state::{State, Variable};
use crate::syntax::{Arm, AssignValue, Assignment, Command, Part, Script, Simple, Word};
use crate::text::{ANY, SECRET, holes, is_known};

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
    world: &'w dyn World,
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
    pub(crate) vars: Vec<(String, String)>,
    pub(crate) place: Place,
    pub(crate) mounts: Vec<(String, String)>,
    pub(crate) script: Option<String>,
    /// The simple command that is being read, for its span and redirections.
    current: Frame,
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
struct Frame {
    redirects: Vec<Redirect>,
    /// Assignments among the arguments of `declare`.
    declared: Vec<(String, Variable)>,
    span: Option<std::ops::Range<usize>>,
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
            vars: Vec::new(),
            place: Place::Here,
            mounts: Vec::new(),
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
        self.most_work = MOST_WORK + command.len() * WORK_PER_BYTE;
        self.most_text = MOST_TEXT + command.len() * TEXT_PER_BYTE;
        let mut state = State::new(self.world.cwd(), &self.meter);
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

    /// The value of several that counts now.
    pub(crate) fn pick(&self, name: &str, values: &[Vec<String>]) -> Vec<String> {
        match self.pins.get(name) {
            Some(pin) if pin.of == values => {
                values.get(pin.at).cloned().unwrap_or_else(|| vec![ANY.to_string()])
            }
            _ => values.last().cloned().unwrap_or_default(),
        }
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
        self.meter.add(20 * text.len());
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
        if self.meter.get() > self.most_work {
            self.bound("too much to keep in mind");
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
                for word in words {
                    let _ = self.text(word, state);
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
        for (index, stage) in stages.iter().enumerate() {
            let mut inner = state.clone();
            inner.stdin.clone_from(&input);
            if index > 0 && inner.stdin.is_none() {
                inner.stdin = Some(ANY.to_string().into());
            }
            output = self.run(stage, &mut inner);
            state.files = inner.files;
            input = Some(output.as_str().into());
        }
        self.forked -= 1;
        output
    }

    /// `a && b || c`: every command is walked. Where one is reached only perhaps, its variables are kept beside the others.
    fn run_list(&mut self, first: &Command, rest: &[(bool, Command)], state: &mut State) -> String {
        let mut output = self.run(first, state);
        let mut done = succeeds(first);
        let mut ways = Vec::new();
        for (and, command) in rest {
            match done {
                Some(done) if done != *and => {
                    // It cannot be reached, and nothing that it does counts, but nobody writes what must not run.
                    self.run(command, &mut state.clone());
                    continue;
                }
                Some(_) => {}
                None => ways.push(state.variables.clone()),
            }
            let more = self.run(command, state);
            append(&mut output, &more);
            done = if done.is_some() { succeeds(command) } else { None };
        }
        for way in ways {
            state.join_known(&way);
        }
        output
    }

    fn run_if(&mut self, arms: &[(Script, Script)], otherwise: Option<&Script>, state: &mut State) -> String {
        let mut output = String::new();
        let mut after: Option<State> = None;
        for (condition, body) in arms {
            let more = self.run_script(condition, state);
            append(&mut output, &more);
            let mut inner = state.clone();
            let more = self.run_script(body, &mut inner);
            append(&mut output, &more);
            match &mut after {
                Some(joined) => joined.join(&inner),
                None => after = Some(inner),
            }
        }
        if let Some(body) = otherwise {
            let more = self.run_script(body, state);
            append(&mut output, &more);
        }
        if let Some(after) = after {
            state.join(&after);
        }
        output
    }

    fn run_for(&mut self, name: &str, words: Option<&[Word]>, body: &Script, state: &mut State) -> String {
        let mut several = Several::new(state);
        if !several.is_idle() {
            several.list(words);
        }
        let names = several.names;
        let mut values: Vec<String> = Vec::new();
        let mut ways = 0;
        let mut never = false;
        self.each_choice(names, state, |reader, state| {
            let list: Vec<String> = match words {
                Some(words) => words.iter().flat_map(|word| reader.fields(word, state)).map(found).collect(),
                None => state.positional.get(1..).unwrap_or_default().to_vec(),
            };
            ways += 1;
            never |= list.iter().all(|value| is_only_holes(value));
            values.extend(list);
            String::new()
        });
        if ways > 1 {
            values.sort_unstable();
            values.dedup();
        }
        if values.is_empty() && (words.is_some() || !self.outermost()) {
            return String::new();
        }
        let mut values = if values.is_empty() { vec![ANY.to_string()] } else { values };
        if ways == 1 && values.len() <= MOST_ROUNDS && self.loops < 2 {
            return self.rounds(name, values, body, state);
        }
        if values.len() > MOST_CHOICES {
            // Too many to try each: names without a meaning of their own become one unknown one.
            values.retain(|value| !is_plain_name(value));
            if values.len() >= MOST_CHOICES {
                self.bound("too many possible values");
                values.truncate(MOST_CHOICES - 1);
            }
            values.push(ANY.to_string());
        }
        let mut variable =
            Variable { values: values.into_iter().map(|value| vec![value]).collect(), ..Variable::default() };
        variable.values.dedup();
        self.loops += 1;
        let unchanged = never.then(|| state.clone());
        state.variables.insert(name.to_owned(), variable);
        let before = state.clone();
        let mut output = self.run_script(body, state);
        // Once more with what a round leaves behind: which of them is the last is not known.
        if self.loops < 3 && before.variables != state.variables {
            state.join(&before);
            let more = self.run_script(body, state);
            append(&mut output, &more);
        }
        self.loops -= 1;
        if let Some(unchanged) = unchanged {
            state.join_known(&unchanged.variables);
        }
        output
    }

    /// A loop over few values, one after the other.
    fn rounds(&mut self, name: &str, values: Vec<String>, body: &Script, state: &mut State) -> String {
        let mut output = String::new();
        let jumps = self.jumps;
        let mut ways = Vec::new();
        self.loops += 1;
        for value in values {
            state.variables.insert(name.to_owned(), Variable::text(value));
            let more = self.run_script(body, state);
            append(&mut output, &more);
            if self.jumps > jumps {
                ways.push(state.clone());
            }
        }
        self.loops -= 1;
        ways.pop();
        for way in ways {
            state.join(&way);
        }
        output
    }

    fn run_while(&mut self, condition: &Script, body: &Script, state: &mut State) -> String {
        let mut output = self.run_script(condition, state);
        if is_endless(condition) && starts_more(body) {
            self.reading.fork_bomb = true;
        }
        let mut inner = state.clone();
        let more = self.run_script(body, &mut inner);
        append(&mut output, &more);
        // Once more with what the first round left, where that is new and we are not deep in loops already.
        if self.depth < 3 && inner.variables != state.variables {
            self.depth += 1;
            let first = inner.variables.clone();
            self.run_script(condition, &mut inner);
            self.run_script(body, &mut inner);
            // What changes in every round may become anything.
            for (name, variable) in inner.variables.iter_mut() {
                if first.get(name) != Some(variable) {
                    variable.values.push(vec![ANY.to_string()]);
                }
            }
            inner.join_variables(&first);
            self.depth -= 1;
        }
        state.join(&inner);
        // The `read` that ends the loop leaves nothing behind.
        for name in names_read(condition) {
            if let Some(variable) = state.variables.get_mut(&name).filter(|v| v.values.len() < MOST_CHOICES) {
                variable.values.push(vec![String::new()]);
            }
        }
        output
    }

    fn run_case(&mut self, word: &Word, arms: &[Arm], state: &mut State) -> String {
        let mut several = Several::new(state);
        several.parts(&word.parts);
        let sure = several.names.iter().all(|name| self.is_pinned(name, state));
        let subject = Some(self.text(word, state)).filter(|text| sure && is_known(text));
        let mut output = String::new();
        let before = state.clone();
        // The arm before did not end the `case`.
        let mut falls = false;
        let mut after: Option<State> = None;
        // Some arm runs in any case.
        let mut decided = arms.iter().any(|arm| {
            arm.patterns.iter().any(|p| matches!(p.parts.as_slice(), [Part::Bare(text)] if text == "*"))
        });
        for arm in arms {
            let mut matches = falls;
            let mut certain = false;
            for pattern in &arm.patterns {
                let pattern = self.pattern(pattern, state);
                match subject.as_deref().filter(|_| is_known(&pattern.0) && !pattern.0.contains('(')) {
                    Some(text) => certain |= pattern.matches(text),
                    None => matches = true,
                }
            }
            if !matches && !certain {
                continue;
            }
            let mut inner = match &after {
                Some(joined) if falls => joined.clone(),
                _ => before.clone(),
            };
            let more = self.run_script(&arm.body, &mut inner);
            append(&mut output, &more);
            falls = !arm.last;
            match &mut after {
                Some(joined) => joined.join(&inner),
                None => after = Some(inner),
            }
            if certain && !falls && !matches {
                decided = true;
                break;
            }
        }
        match after {
            Some(after) if decided => *state = after,
            Some(after) => state.join(&after),
            None => {}
        }
        output
    }

    fn redirected(
        &mut self,
        command: &Command,
        redirects: &[crate::syntax::Redirect],
        state: &mut State,
    ) -> String {
        let mut several = Several::new(state);
        if !several.is_idle() {
            several.redirects(redirects);
        }
        let names = several.names;
        self.each_choice(names, state, |reader, state| reader.redirected_once(command, redirects, state))
    }

    fn redirected_once(
        &mut self,
        command: &Command,
        redirects: &[crate::syntax::Redirect],
        state: &mut State,
    ) -> String {
        let saved = state.stdin.clone();
        let resolved = self.redirects(redirects, state);
        let output = self.run(command, state);
        state.stdin = saved;
        self.write_files(&resolved, &output, state);
        let silent = is_silent(&resolved);
        if resolved.iter().any(|r| r.direction != Direction::Duplicate) {
            let call = Call { redirects: resolved, cwd: state.cwd(), ..self.blank_call() };
            self.reading.calls.push(call);
        }
        if silent { String::new() } else { output }
    }

    /// Targets expanded; what comes in goes to `state.stdin`.
    fn redirects(&mut self, redirects: &[crate::syntax::Redirect], state: &mut State) -> Vec<Redirect> {
        let mut resolved = Vec::new();
        for redirect in redirects {
            if redirect.direction == Direction::Text {
                let text = self.text(&redirect.target, state);
                self.feed(redirect.fd, text.into(), state);
                continue;
            }
            let mut fields = self.fields(&redirect.target, state);
            let target = if fields.is_empty() { Arg::new(ANY) } else { fields.swap_remove(0) };
            match redirect.direction {
                Direction::Read | Direction::ReadWrite => {
                    let text = self.file_text(&target.text, state);
                    if redirect.direction == Direction::Read || text.contains(crate::text::NET) {
                        self.feed(redirect.fd, text, state);
                    }
                }
                // `<&3`
                Direction::Duplicate if redirect.fd == Some(0) => {
                    if let Some(text) = state.files.get(&format!("/dev/fd/{}", target.text)).cloned() {
                        state.stdin = Some(text);
                    }
                }
                _ => {}
            }
            let fd = redirect.fd.unwrap_or(1);
            resolved.push(Redirect { fd, direction: redirect.direction, target: target.clone() });
            if redirect.both && redirect.direction != Direction::Duplicate {
                resolved.push(Redirect { fd: 2, direction: redirect.direction, target });
            }
        }
        resolved
    }

    /// What a descriptor will give: stdin, or another one under its name.
    fn feed(&mut self, fd: Option<u32>, text: Rc<str>, state: &mut State) {
        match fd {
            None | Some(0) => state.stdin = Some(text),
            Some(fd) => {
                state.write(format!("/dev/fd/{fd}"), text);
            }
        }
    }

    fn write_files(&mut self, redirects: &[Redirect], output: &str, state: &mut State) {
        for redirect in redirects {
            if redirect.fd != 1 {
                continue;
            }
            let path = state.absolute(&redirect.target.text);
            if path.starts_with("/dev/") || path.starts_with("/proc/") {
                continue;
            }
            match redirect.direction {
                Direction::Write => {
                    state.write(path, output);
                }
                Direction::Append => {
                    let mut text = state.files.get(&path).map(ToString::to_string).unwrap_or_default();
                    append(&mut text, output);
                    self.meter.add(text.len() / 8);
                    state.write(path, text);
                }
                _ => {}
            }
        }
    }

    /// What a file holds: what this script wrote, what is secret, what lies there.
    pub(crate) fn file_text(&mut self, path: &str, state: &State) -> Rc<str> {
        let hole = |hole: char| hole.to_string().into();
        if !is_known(path) {
            return hole(ANY);
        }
        let absolute = state.absolute(path);
        if let Some(text) = state.files.get(&absolute) {
            return Rc::clone(text);
        }
        if absolute.starts_with("/dev/tcp/") || absolute.starts_with("/dev/udp/") {
            return hole(crate::text::NET);
        }
        if absolute == "/dev/stdin" || absolute == "/dev/fd/0" || absolute == "/proc/self/fd/0" {
            return state.input();
        }
        // The list of accounts is nobody's secret here, but it is elsewhere.
        if crate::secret::is_secret_path(&absolute, self.home.as_deref()) || absolute == "/etc/passwd" {
            return hole(SECRET);
        }
        hole(ANY)
    }

    /// The text of a script file that is about to run, if it can be had.
    pub(crate) fn script_text(&mut self, path: &str, state: &State) -> Option<Rc<str>> {
        let absolute = state.absolute(path);
        if !is_known(&absolute) {
            return None;
        }
        match state.files.get(&absolute) {
            Some(text) => Some(Rc::clone(text)),
            None if absolute.starts_with("/dev/") || absolute.starts_with("/proc/") => {
                Some(self.file_text(&absolute, state))
            }
            None => self.world.read(&absolute).map(Into::into),
        }
    }

    fn blank_call(&self) -> Call {
        Call {
            wrappers: self.wrappers.clone(),
            elsewhere: self.place != Place::Here,
            kept: self.place == Place::Kept,
            mounts: self.mounts.clone(),
            script: self.script.clone(),
            span: self.current.span.clone(),
            ..Call::default()
        }
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

    /// Whether it is settled which value counts.
    fn is_pinned(&self, name: &str, state: &State) -> bool {
        self.pins.get(name).is_some_and(|pin| match name {
            DIRECTORY => state.cwds.len() < 2,
            POSITIONAL => state.other_positional.is_empty(),
            name => state.variables.get(name).is_some_and(|variable| variable.values == pin.of),
        })
    }

    /// Walks a command with each combination of values that its variables may have. The ways that it may go are joined again.
    fn each_choice(
        &mut self,
        mut names: Vec<String>,
        state: &mut State,
        mut walk: impl FnMut(&mut Self, &mut State) -> String,
    ) -> String {
        names.retain(|name| !self.is_pinned(name, state));
        if names.is_empty() || self.steps > MOST_STEPS {
            return walk(self, state);
        }
        let counts: Vec<usize> = names.iter().map(|name| count(name, state)).collect();
        let total = counts.iter().try_fold(1_usize, |total, count| total.checked_mul(*count));
        // Each with each, or too many for that: every value at least once, and then whatever else there is.
        let each = total.filter(|total| *total <= MOST_CHOICES);
        let rounds = each.unwrap_or_else(|| counts.iter().copied().max().unwrap_or(1).min(MOST_CHOICES) + 1);
        let mut output = String::new();
        let mut after: Option<State> = None;
        let saved: Vec<Option<Pin>> = names.iter().map(|name| self.pins.remove(name)).collect();
        for number in 0..rounds {
            self.meter.add(1000 * names.len());
            let mut inner = state.clone();
            let mut rest = number;
            for (name, count) in names.iter().zip(&counts) {
                let pin = match each {
                    Some(_) => rest % count,
                    None if number + 1 == rounds => usize::MAX,
                    None => number % count,
                };
                rest /= count;
                let of = state.variables.get(name).map(|v| v.values.clone()).unwrap_or_default();
                self.pins.insert(name.clone(), Pin { of, at: pin });
                match name.as_str() {
                    DIRECTORY => inner.cwds.set(vec![state.cwds[pin.min(count - 1)].clone()]),
                    POSITIONAL if pin > 0 => {
                        let unknown = || vec![state.positional[0].clone(), ANY.to_string()];
                        let way = state.other_positional.get(pin - 1);
                        inner.positional.set(way.cloned().unwrap_or_else(unknown));
                        inner.other_positional.set(Vec::new());
                    }
                    POSITIONAL => inner.other_positional.set(Vec::new()),
                    _ => {}
                }
            }
            let more = walk(self, &mut inner);
            append(&mut output, &more);
            match &mut after {
                Some(joined) => joined.join(&inner),
                None => after = Some(inner),
            }
        }
        for (name, pin) in names.into_iter().zip(saved) {
            match pin {
                Some(pin) => self.pins.insert(name, pin),
                None => self.pins.remove(&name),
            };
        }
        if let Some(after) = after {
            *state = after;
        }
        output
    }

    fn simple_once(&mut self, simple: &Simple, state: &mut State) -> String {
        let saved = (std::mem::take(&mut self.current), state.stdin.clone(), self.vars.len());
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
            argv.extend(self.fields(word, state));
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
                self.reading.calls.push(call);
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
        (self.current, state.stdin) = (saved.0, saved.1);
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

    /// What an assignment makes of its variable.
    fn assignment(&mut self, assignment: &Assignment, state: &mut State) -> (String, Variable) {
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
        // A plain text takes the place of whatever was there; lists keep their other elements.
        let is_plain = assignment.index.is_none()
            && !assignment.append
            && matches!(assignment.value, AssignValue::Text(_))
            && state.variables.get(&name).is_none_or(|v| v.values.iter().all(|list| list.len() < 2));
        let old = if is_plain { None } else { self.lookup(&name, state) };
        self.worked += old.iter().flatten().map(String::len).sum::<usize>();
        let mut variable = match state.variables.get(&name) {
            Some(known) => Variable {
                values: old.into_iter().collect(),
                keys: known.keys.clone(),
                reference: known.reference,
                exported: known.exported,
            },
            None => Variable { values: old.into_iter().collect(), ..Variable::default() },
        };
        match (&assignment.value, &assignment.index) {
            (AssignValue::Text(word), Some(index)) => {
                let key = self.text(index, state);
                let key = self
                    .number(&key, state)
                    .filter(|_| !crate::wrapper::is_name(&key))
                    .map_or(key, |n| n.to_string());
                let value = self.text(word, state);
                if name == "BASH_ALIASES" {
                    state.aliases.insert(key.clone(), value.clone());
                }
                variable.set(&key, value, assignment.append);
            }
            (AssignValue::Text(word), None) => {
                let value = self.text(word, state);
                if assignment.append {
                    variable.set(variable.keys.first().cloned().as_deref().unwrap_or("0"), value, true);
                    if self.worked > self.most_text {
                        self.bound("too much text");
                        variable = Variable { exported: variable.exported, ..Variable::text(ANY) };
                    }
                } else if variable.values.last().is_some_and(|list| list.len() > 1) {
                    variable.set("0", value, false);
                } else {
                    variable = Variable {
                        values: vec![vec![value]],
                        exported: variable.exported,
                        ..Variable::default()
                    };
                }
            }
            (AssignValue::List(words), _) => {
                if !assignment.append {
                    variable.values = vec![Vec::new()];
                    variable.keys.clear();
                }
                for word in words {
                    self.list_element(word, &mut variable, state);
                }
                if variable.values.is_empty() {
                    variable.values.push(Vec::new());
                }
            }
        }
        (name, variable)
    }

    /// One word between the parentheses of `name=( … )`.
    fn list_element(&mut self, word: &Word, variable: &mut Variable, state: &mut State) {
        if matches!(word.parts.first(), Some(Part::Bare(text)) if text.starts_with('[')) {
            let text = self.text(word, state);
            if let Some((key, value)) = text[1..].split_once("]=") {
                variable.set(key, value.to_owned(), false);
                return;
            }
        }
        for arg in self.fields(word, state) {
            let next = match variable.keys.last() {
                Some(last) => last.parse::<i64>().map_or(0, |n| n + 1),
                None => variable.values.last().map_or(0, |list| i64::try_from(list.len()).unwrap_or(0)),
            };
            variable.set(&next.to_string(), arg.text, false);
        }
    }

    fn set_variable(&mut self, name: String, variable: Variable, state: &mut State) {
        if matches!(name.as_str(), "PROMPT_COMMAND" | "BASH_ENV") {
            let text = variable.values.last().and_then(|v| v.first()).cloned().unwrap_or_default();
            self.code_variable(&name, &text, state);
        }
        state.variables.insert(name, variable);
    }

    /// An assignment among the arguments of `declare`: noted for it, and a word like the others.
    fn declaration(&mut self, assignment: &Assignment, state: &mut State) -> Arg {
        // Unlike an assignment by itself it is a word, and braces count: the last of what they make stays.
        let mut last = None;
        if let AssignValue::Text(word) = &assignment.value
            && word.parts.iter().any(|part| matches!(part, Part::Bare(text) if text.contains('{')))
        {
            let mut parts = crate::brace::braces(&word.parts).0.pop().unwrap_or_default();
            // Then it is split too, and the first field is all that is assigned.
            if crate::expand::may_split(&parts) {
                parts = vec![Part::Quoted(ANY.to_string())];
            }
            let value = AssignValue::Text(Word { parts, span: 0..0 });
            last = Some(Assignment { value, ..assignment.clone() });
        }
        let (name, variable) = self.assignment(last.as_ref().unwrap_or(assignment), state);
        let value = variable.values.last().map(|list| list.join(" ")).unwrap_or_default();
        let arg = Arg::new(format!("{name}={value}"));
        self.current.declared.push((name, variable));
        arg
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
            inner.stdin = Some(state.input());
        }
        self.forked += 1;
        let saved = std::mem::take(&mut self.current);
        let output =
            self.deeper(|reader| reader.run_script(script, &mut inner)).unwrap_or_else(|| ANY.to_string());
        // What is not shared any more is changed without being copied.
        drop(inner);
        self.current = saved;
        self.forked -= 1;
        self.processes += 1;
        let path = format!("/dev/fd/6{}", self.processes);
        if input {
            state.write(path.clone(), output);
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
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.bound("too many commands");
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
        if let Some(name) = first.glob.then(|| by_pattern(&first.text)).flatten() {
            // `/bin/r?`: the shell finds the program by a pattern.
            *first = Arg::new(name);
        } else if let Some(path) = state.hashed.get(&first.text) {
            *first = Arg::new(path);
        } else if first.text.contains('/')
            && let Some(path) = state.resolved(&first.text)
        {
            *first = Arg::new(path);
        }
        let name = crate::path::name(&first.text).to_owned();
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
    pub(crate) fn record(&mut self, mut argv: Vec<Arg>, state: &State) {
        let mut vars: Vec<(String, String)> = state
            .variables
            .iter()
            .filter(|(_, variable)| variable.exported)
            .map(|(name, variable)| {
                (name.clone(), variable.values.last().map(|v| v.join(" ")).unwrap_or_default())
            })
            .collect();
        vars.extend(self.vars.iter().cloned());
        let mut stdin = state.stdin.clone();
        let mut secrets = Vec::new();
        if !state.files.is_empty() {
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
            cwd: state.cwd(),
            secrets,
            ..self.blank_call()
        };
        self.reading.calls.push(call);
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

/// A program that a pattern may stand for, where that matters.
fn by_pattern(pattern: &str) -> Option<&'static str> {
    const NAMES: &[&str] = &[
        "rm", "dd", "sh", "bash", "git", "curl", "chmod", "mkfs", "shred", "find", "mv", "nc", "reboot",
        "shutdown", "halt", "eval",
    ];
    let base = crate::path::name(pattern);
    NAMES.iter().find(|name| crate::path::matches(base, name)).copied()
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

/// A word of a loop's list; what a pattern will find is not known.
fn found(arg: Arg) -> String {
    if !arg.glob {
        return arg.text;
    }
    let mut text = String::new();
    let mut inside = false;
    for c in arg.text.chars() {
        match c {
            '[' => inside = true,
            ']' if inside => {
                inside = false;
                text.push(ANY);
            }
            _ if inside => {}
            '*' | '?' => text.push(ANY),
            c => text.push(c),
        }
    }
    text
}

/// Numbers and names: no path, no flag, no command of several words.
fn is_plain_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['-', '.'])
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Whether a command is known to succeed, or to fail.
fn succeeds(command: &Command) -> Option<bool> {
    match command {
        Command::Negated(command) => succeeds(command).map(|done| !done),
        Command::Simple(simple) if simple.words.is_empty() => {
            (!simple.assignments.is_empty()).then_some(true)
        }
        Command::Simple(simple) => match simple.words[0].parts.as_slice() {
            [Part::Bare(name)] => match name.as_str() {
                ":" | "true" | "echo" | "printf" | "cd" | "pushd" | "popd" | "mkdir" | "export"
                | "declare" | "local" | "readonly" | "typeset" | "set" | "unset" | "shopt" | "alias" => {
                    Some(true)
                }
                "false" => Some(false),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// `while true`, `while :`, `until false`.
fn is_endless(condition: &Script) -> bool {
    matches!(condition.commands.as_slice(), [command] if succeeds(command) == Some(true))
        || matches!(condition.commands.as_slice(), [Command::Arithmetic(word)] if is_number(word))
}

fn is_number(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [])
        || matches!(word.parts.as_slice(), [Part::Bare(text)] if { let text = text.trim(); text.chars().all(|c| c == ';' || c.is_whitespace()) || text == "1" })
}

/// Whether a loop's body leaves something running each time and waits for nothing.
fn starts_more(body: &Script) -> bool {
    let waits = |command: &Command| matches!(command, Command::Background(_)) || succeeds(command).is_some();
    body.commands.iter().any(|command| matches!(command, Command::Background(_)))
        && body.commands.iter().all(waits)
}

/// The variables that a loop's `read` sets.
fn names_read(condition: &Script) -> Vec<String> {
    let Some(Command::Simple(simple)) = condition.commands.last() else { return Vec::new() };
    let mut words = simple.words.iter().map(|word| match word.parts.as_slice() {
        [Part::Bare(text)] => text.as_str(),
        _ => "",
    });
    if words.next() != Some("read") {
        return Vec::new();
    }
    words.filter(|word| crate::wrapper::is_name(word)).map(str::to_owned).collect()
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

fn count(name: &str, state: &State) -> usize {
    match name {
        DIRECTORY => state.cwds.len(),
        POSITIONAL => state.other_positional.len() + 1,
        name => state.variables.get(name).map_or(1, |v| v.values.len().max(1)),
    }
}
