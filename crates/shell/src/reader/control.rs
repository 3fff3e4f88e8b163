//! Lists, conditions, loops and `case`: every way that they may go is gone.

use std::rc::Rc;

use model::deed::Verb;

use super::{MOST_CHOICES, MOST_ROUNDS, Reader, append, is_only_holes};
use crate::programs::Role;
use crate::reading::Arg;
use crate::several::Several;
use crate::state::{Map, State, Variable};
use crate::syntax::{Arm, Command, Part, Script, Word};
use crate::text::{ANY, EACH, is_known};

impl Reader<'_> {
    /// `a && b || c`: every command is walked. Where one is reached only perhaps, its variables are kept beside the others.
    pub(super) fn run_list(
        &mut self,
        first: &Command,
        rest: &[(bool, Command)],
        state: &mut State,
    ) -> String {
        let mut output = self.run(first, state);
        let mut done = succeeds(first);
        let mut ways = Vec::new();
        for (and, command) in rest {
            match done {
                Some(done) if done != *and => {
                    // It cannot be reached, and nothing that it does counts, but nobody writes what must not run.
                    let mut inner = state.clone();
                    self.run(command, &mut inner);
                    // `cd a || cd b`: a folder may not be there.
                    state.join_directories(&inner.cwds);
                    continue;
                }
                Some(_) => {}
                None => ways.push((state.variables.clone(), state.cwds.clone())),
            }
            let more = self.run(command, state);
            append(&mut output, &more);
            done = if done.is_some() { succeeds(command) } else { None };
        }
        for (variables, cwds) in ways {
            state.join_known(&variables);
            state.join_directories(&cwds);
        }
        self.forget_missing(state);
        output
    }

    /// Where it may be after several ways: not in a folder that is not there, and that nothing so far can have made. A build makes
    /// some, but what it leaves there is the project's.
    fn forget_missing(&mut self, state: &mut State) {
        if state.cwds.len() < 2 || self.may_have_made() {
            return;
        }
        for cwd in
            state.cwds.iter().filter(|cwd| !self.folders.contains_key(*cwd)).cloned().collect::<Vec<_>>()
        {
            let there = !is_known(&cwd) || self.world.is_directory(&cwd);
            self.folders.insert(cwd, there);
        }
        let there = |cwd: &Rc<str>| self.folders.get(cwd).copied().unwrap_or(true);
        if state.cwds.iter().any(there) && !state.cwds.iter().all(there) {
            state.cwds.retain(there);
        }
    }

    /// Whether a call so far may have made a folder.
    fn may_have_made(&mut self) -> bool {
        let (seen, makes) = self.makes;
        let harmless = |verb: Verb| {
            matches!(verb, Verb::Reads | Verb::Looks | Verb::Uses | Verb::Queries | Verb::Builds)
        };
        let makes = makes
            || !self.reading.unseen.is_empty()
            || !self.reading.inline.is_empty()
            || self.reading.calls[seen..]
                .iter()
                .any(|call| !call.words().understood || !call.deeds.iter().all(|deed| harmless(deed.verb)));
        self.makes = (self.reading.calls.len(), makes);
        makes
    }

    pub(super) fn run_if(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        state: &mut State,
    ) -> String {
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

    pub(super) fn run_for(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Script,
        state: &mut State,
    ) -> String {
        let mut several = Several::new(state);
        if !several.is_idle() {
            several.list(words);
        }
        let names = several.names;
        let mut values: Vec<String> = Vec::new();
        let mut ways = 0;
        let mut never = false;
        // A loop that chooses is not about all that its pattern finds.
        let all = !chooses(body);
        self.each_choice(names, state, |reader, state| {
            let list: Vec<String> = match words {
                Some(words) => {
                    let fields = words.iter().flat_map(|word| reader.fields(word, state));
                    fields.map(|arg| found(arg, all)).collect()
                }
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
        self.few_enough(&mut values);
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
            let first = state.variables.clone();
            state.join(&before);
            let more = self.run_script(body, state);
            append(&mut output, &more);
            if widen(&mut state.variables, &first) {
                self.run_script(body, state);
            }
        }
        self.loops -= 1;
        if let Some(unchanged) = unchanged {
            state.join_known(&unchanged.variables);
        }
        output
    }

    /// Too many values to try each: names without a meaning of their own become one unknown one.
    pub(crate) fn few_enough(&mut self, values: &mut Vec<String>) {
        if values.len() <= MOST_CHOICES {
            return;
        }
        values.retain(|value| !is_plain_name(value));
        if values.len() >= MOST_CHOICES {
            self.bound("too many possible values");
            values.truncate(MOST_CHOICES - 1);
        }
        values.push(ANY.to_string());
    }

    /// A loop over few values, one after the other.
    pub(super) fn rounds(
        &mut self,
        name: &str,
        values: Vec<String>,
        body: &Script,
        state: &mut State,
    ) -> String {
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

    pub(super) fn run_while(&mut self, condition: &Script, body: &Script, state: &mut State) -> String {
        if let Some(text) = state.stdin.as_deref().filter(|text| text.contains(EACH) && chooses(body)) {
            state.stdin = Some(text.replace(EACH, &ANY.to_string()).into());
        }
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
            if widen(&mut inner.variables, &first) {
                self.run_script(body, &mut inner);
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

    pub(super) fn run_case(&mut self, word: &Word, arms: &[Arm], state: &mut State) -> String {
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
}

/// A word of a loop's list; what a pattern will find is not known. `all`: a star by itself is for everything there.
fn found(arg: Arg, all: bool) -> String {
    if !arg.glob {
        return arg.text;
    }
    if all && arg.text.split('/').any(|part| part == "*") {
        let part = |part: &str| match part {
            "*" => EACH.to_string(),
            part => found(Arg { glob: true, ..Arg::new(part) }, false),
        };
        return arg.text.split('/').map(part).collect::<Vec<_>>().join("/");
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

/// What every round changes may become anything. Whether there is such a thing.
fn widen(variables: &mut Map<Variable>, first: &Map<Variable>) -> bool {
    let changed: Vec<String> = variables
        .iter()
        .filter(|(name, now)| first.get(*name) != Some(now))
        .map(|(name, _)| name.clone())
        .collect();
    for name in &changed {
        if let Some(variable) = variables.get_mut(name) {
            variable.values.push(vec![ANY.to_string()]);
        }
    }
    !changed.is_empty()
}

/// Whether some of a loop's rounds may do less than others.
fn chooses(body: &Script) -> bool {
    body.commands.iter().any(|command| match command {
        Command::If { .. } | Command::Case { .. } => true,
        Command::List { first, rest } => rest.iter().any(|(and, _)| *and) && !takes_away(first),
        Command::Group(script) | Command::Subshell(script) => chooses(script),
        _ => false,
    })
}

/// Whether a command is what a loop is there for, and not a question before it.
fn takes_away(command: &Command) -> bool {
    let Command::Simple(simple) = command else { return false };
    let Some([Part::Bare(name)]) = simple.words.first().map(|word| word.parts.as_slice()) else {
        return false;
    };
    let operands = crate::programs::find(name).and_then(|program| program.operands).unwrap_or_default();
    operands.iter().any(|operand| matches!(operand.role, Role::Delete | Role::Tree | Role::Move))
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
    matches!(condition.commands.as_slice(), [command] if succeeds(command).is_some() || is_true(command))
        || matches!(condition.commands.as_slice(), [Command::Arithmetic(word)] if is_number(word))
}

/// `[ true ]`, `[[ 1 ]]`, `/bin/true`: nothing that a round could change.
fn is_true(command: &Command) -> bool {
    let simple = match command {
        Command::Simple(simple) => simple,
        // `[[ 1 ]]`
        Command::Words(words) => {
            return matches!(words.as_slice(), [Word { parts, .. }] if matches!(parts.as_slice(), [Part::Bare(text)] if !text.is_empty()));
        }
        _ => return false,
    };
    let words: Option<Vec<&str>> = simple
        .words
        .iter()
        .map(|word| match word.parts.as_slice() {
            [Part::Bare(text)] => Some(text.as_str()),
            _ => None,
        })
        .collect();
    match words.as_deref() {
        // `until /bin/false`
        Some([path]) => path.starts_with('/') && (path.ends_with("/true") || path.ends_with("/false")),
        Some(["[", word, "]"] | ["test", word]) => !word.is_empty(),
        _ => false,
    }
}

fn is_number(word: &Word) -> bool {
    // Of a head of three parts the one in the middle says when it ends.
    if let [Part::Bare(text)] = word.parts.as_slice()
        && let [_, middle, _] = text.split(';').collect::<Vec<_>>().as_slice()
    {
        return matches!(middle.trim(), "" | "1");
    }
    matches!(word.parts.as_slice(), [])
        || matches!(word.parts.as_slice(), [Part::Bare(text)] if { let text = text.trim(); text.chars().all(|c| c == ';' || c.is_whitespace()) || text == "1" })
}

/// Whether a loop's body leaves something running each time and waits for nothing.
fn starts_more(body: &Script) -> bool {
    let is_background = |command: &Command| matches!(command, Command::Background(_));
    // Beside the shell, nobody waits for it.
    let beside = |command: &Command| matches!(command, Command::Subshell(script) if script.commands.iter().any(is_background));
    let here = body.commands.iter().any(is_background);
    let given_up = body.commands.iter().any(|command| is_called(command, "disown"));
    let paces = |command: &Command| {
        if is_called(command, "wait") { here && !given_up } else { !is_idle(command) }
    };
    (here || body.commands.iter().any(beside)) && !body.commands.iter().any(paces)
}

/// Whether a command is over at once, whatever it starts.
fn is_idle(command: &Command) -> bool {
    match command {
        Command::Background(_) => true,
        Command::Subshell(script) => {
            let starts = script.commands.iter().any(|command| matches!(command, Command::Background(_)));
            let idle = |command: &Command| is_idle(command) || !starts && is_called(command, "wait");
            script.commands.iter().all(idle)
        }
        // What is never done.
        Command::If { arms, otherwise: None } => arms.iter().all(
            |(condition, _)| matches!(condition.commands.as_slice(), [only] if succeeds(only) == Some(false)),
        ),
        command => succeeds(command).is_some() || is_called(command, "disown"),
    }
}

fn is_called(command: &Command, name: &str) -> bool {
    let Command::Simple(simple) = command else { return false };
    let first = simple.words.first().map(|word| word.parts.as_slice());
    matches!(first, Some([Part::Bare(text)]) if text == name)
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

#[cfg(test)]
mod tests;
