//! The walk through a script of PowerShell. As in a shell's, every branch is taken and what holds after any of them is kept.

use super::syntax::{Doing, Element, Expr, Redirect as Written, Script, Statement, Word, WordKind};
use super::{Block, Items, bounded, text};
use crate::reader::Reader;
use crate::reading::{Arg, Call, Direction, Redirect};
use crate::state::{State, Variable};
use crate::text::{ANY, SECRET, has_hole, holes};

/// Rounds of a loop that are walked one by one.
const MOST_ROUNDS: usize = 12;

impl Reader<'_> {
    pub(super) fn script_of_powershell(&mut self, script: &Script, state: &mut State) -> Items {
        let mut output = Items::new();
        for statement in &script.statements {
            let more = self.statement(statement, state);
            output.extend(more);
            output = bounded(output);
        }
        output
    }

    fn statement(&mut self, statement: &Statement, state: &mut State) -> Items {
        if !self.goes_on() {
            return Items::new();
        }
        self.meter.add(100 + 4 * state.variables.len());
        let names = super::several::several(statement, state);
        if names.is_empty() {
            return self.statement_once(statement, state);
        }
        let mut output = Items::new();
        self.each_choice(names, state, |reader, state| {
            output.extend(reader.statement_once(statement, state));
            String::new()
        });
        bounded(output)
    }

    fn statement_once(&mut self, statement: &Statement, state: &mut State) -> Items {
        match statement {
            Statement::Pipeline(elements) => self.pipeline_of_powershell(elements, state),
            Statement::Assign { target, add, value } => {
                let value = self.statement(value, state);
                self.assign(target, *add, value, state);
                Items::new()
            }
            Statement::If { arms, otherwise } => {
                let mut output = Items::new();
                let mut ways = Vec::new();
                for (condition, body) in arms {
                    self.statement(condition, state);
                    output.extend(self.way(body, state, &mut ways));
                }
                match otherwise {
                    Some(body) => output.extend(self.way(body, state, &mut ways)),
                    None => ways.push(state.clone()),
                }
                joined(ways, state);
                output
            }
            Statement::Loop { heads, body } => {
                heads.iter().for_each(|head| drop(self.statement(head, state)));
                // What counts the rounds is any number.
                if let [Statement::Assign { target: Expr::Variable(name), .. }, _, ..] = heads.as_slice() {
                    self.set(name, vec![ANY.to_string()], state);
                }
                let mut ways = vec![state.clone()];
                let output = self.way(body, state, &mut ways);
                joined(ways, state);
                output
            }
            Statement::Each { name, list, body } => {
                let items = self.statement(list, state);
                self.each_of(name, items, state, |reader, state| {
                    reader.deeper(|reader| reader.script_of_powershell(body, state)).unwrap_or_default()
                })
            }
            Statement::Switch { value, arms } => {
                let value = self.statement(value, state);
                self.set("_", value, state);
                let mut ways = vec![state.clone()];
                let mut output = Items::new();
                for body in arms {
                    output.extend(self.way(body, state, &mut ways));
                }
                joined(ways, state);
                output
            }
            Statement::Blocks(bodies) => {
                let mut output = Items::new();
                for body in bodies {
                    output.extend(
                        self.deeper(|reader| reader.script_of_powershell(body, state)).unwrap_or_default(),
                    );
                }
                output
            }
            Statement::Function { name, source } => {
                state.variables.insert(format!("function:{name}"), Variable::text(source.as_ref()));
                Items::new()
            }
            Statement::Parameters(parameters) => {
                self.bind(parameters, state);
                Items::new()
            }
        }
    }

    /// Secrets that a script shows by naming them, alone or in a text: `$env:TOKEN`, `echo "it is $env:TOKEN"`.
    pub(super) fn shown_by(&mut self, script: &Script, state: &mut State) {
        for statement in &script.statements {
            let Statement::Pipeline(elements) = statement else { continue };
            let [Element { doing, redirects, .. }] = elements.as_slice() else { continue };
            let said = match doing {
                _ if !redirects.is_empty() => continue,
                Doing::Expression(expr) if is_said(expr) => self.evaluate(expr, state),
                Doing::Command(words) if words.iter().all(|word| is_word(&word.kind)) => {
                    let argv = self.words_of_powershell(words, state);
                    let name = argv.first().map(|arg| arg.text.to_ascii_lowercase()).unwrap_or_default();
                    let entry = crate::programs::cmdlet(&name).and_then(crate::programs::find);
                    if !entry.is_some_and(|entry| entry.style.silent) {
                        continue;
                    }
                    argv.into_iter().skip(1).map(|arg| arg.text).collect()
                }
                _ => continue,
            };
            let Some(said) = said.into_iter().find(|item| has_hole(item, SECRET)) else { continue };
            let call = self.call(vec![Arg::new("Write-Output"), Arg::new(said.as_str())], state);
            self.push_made(Call { printed: holes(&said), ..call }, state);
        }
    }

    pub(super) fn statement_value(&mut self, statement: &Statement, state: &mut State) -> Items {
        self.statement(statement, state)
    }

    fn way(&mut self, body: &Block, state: &State, ways: &mut Vec<State>) -> Items {
        let mut inner = state.clone();
        let output = self.deeper(|reader| reader.script_of_powershell(body, &mut inner)).unwrap_or_default();
        ways.push(inner);
        output
    }

    /// Walks something with each of several items, one after the other; what is left in the end is tried all at once.
    pub(super) fn each_of(
        &mut self,
        name: &str,
        items: Items,
        state: &mut State,
        mut walk: impl FnMut(&mut Self, &mut State) -> Items,
    ) -> Items {
        let key = format!("${name}");
        let before = state.clone();
        let mut output = Items::new();
        let mut rest = items;
        let later = rest.split_off(rest.len().min(MOST_ROUNDS));
        for item in rest {
            state.variables.insert(key.clone(), Variable::text(item));
            output.extend(walk(self, state));
        }
        if !later.is_empty() {
            let values = later.into_iter().map(|item| vec![item]).collect();
            state.variables.insert(key.clone(), Variable { values, ..Variable::default() });
            output.extend(walk(self, state));
        }
        state.join(&before);
        match before.variables.get(&key) {
            Some(old) => state.variables.insert(key, old.clone()),
            None => state.variables.remove(&key),
        };
        bounded(output)
    }

    /// `param(…)`: by name, by place, or what they are where nothing is given.
    fn bind(&mut self, parameters: &[(String, Option<Expr>)], state: &mut State) {
        let given =
            state.variables.get("$unbound").and_then(|v| v.values.last().cloned()).unwrap_or_default();
        let mut named: Vec<(usize, String)> = Vec::new();
        let mut placed = Items::new();
        let mut at = 0;
        while at < given.len() {
            let word = &given[at];
            at += 1;
            let Some(name) =
                word.strip_prefix('-').filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
            else {
                placed.push(word.clone());
                continue;
            };
            let (name, own) =
                name.split_once(':').map_or((name, None), |(name, value)| (name, Some(value.to_owned())));
            let name = name.to_ascii_lowercase();
            let Some(index) = parameters.iter().position(|(known, _)| known.starts_with(&name)) else {
                continue;
            };
            let value = own.or_else(|| {
                given.get(at).filter(|next| !next.starts_with('-')).cloned().inspect(|_| at += 1)
            });
            named.push((index, value.unwrap_or_else(|| "True".into())));
        }
        let mut placed = placed.into_iter();
        for (index, (name, fallback)) in parameters.iter().enumerate() {
            let mut value: Items =
                named.iter().filter(|(known, _)| *known == index).map(|(_, value)| value.clone()).collect();
            if value.is_empty() {
                value.extend(placed.next());
            }
            if value.is_empty() {
                value = match fallback {
                    Some(expr) => self.evaluate(expr, state),
                    None => vec![ANY.to_string()],
                };
            }
            self.set(name, value, state);
        }
    }

    fn assign(&mut self, target: &Expr, add: bool, value: Items, state: &mut State) {
        match target {
            Expr::Variable(name) => {
                let value = if add {
                    let old = if state.variables.contains_key(&format!("${name}")) {
                        self.variable(name, state)
                    } else {
                        Items::new()
                    };
                    self.sum(old, value)
                } else {
                    value
                };
                self.set(name, value, state);
            }
            Expr::Cast(_, inner) => self.assign(inner, add, value, state),
            // `$a, $b = 1, 2`
            Expr::List(targets) => {
                let last = targets.len().saturating_sub(1);
                for (index, target) in targets.iter().enumerate() {
                    let part = if index == last {
                        value.get(index..).unwrap_or_default().to_vec()
                    } else {
                        value.get(index).cloned().into_iter().collect()
                    };
                    self.assign(target, add, part, state);
                }
            }
            // An entry of a table, or a property of something: what it is given, it keeps.
            Expr::Index(of, key) => {
                let key = text(&self.evaluate(key, state));
                self.assign_entry(of, &key, &value, state);
            }
            Expr::Member { of, name, .. } => {
                let key = text(&self.evaluate(name, state));
                self.assign_entry(of, &key, &value, state);
            }
            _ => {}
        }
    }

    fn assign_entry(&mut self, of: &Expr, key: &str, value: &[String], state: &mut State) {
        let Expr::Variable(name) = of else { return };
        let mut items = self.variable(name, state);
        let prefix = format!("{}{}", key.to_ascii_lowercase(), super::ENTRY);
        items.retain(|item| !item.starts_with(&prefix));
        items.push(prefix + &text(value));
        self.set(name, items, state);
    }

    fn pipeline_of_powershell(&mut self, elements: &[Element], state: &mut State) -> Items {
        let saved = (state.stdin.clone(), state.fed_by.clone());
        let mut input: Option<Items> = None;
        for element in elements {
            let begin = self.reading.calls.len();
            if let Some(items) = &input {
                state.stdin = Some(items.join("\n").into());
            }
            let output = self.stage(element, input.take(), state);
            state.fed_by = begin..self.reading.calls.len();
            input = Some(output);
        }
        (state.stdin, state.fed_by) = saved;
        input.unwrap_or_default()
    }

    fn stage(&mut self, element: &Element, input: Option<Items>, state: &mut State) -> Items {
        let redirects: Vec<Redirect> =
            element.redirects.iter().filter_map(|written| self.redirect_of(written, state)).collect();
        let saved = self.at_span(&element.span, redirects.clone());
        let output = match &element.doing {
            Doing::Expression(expr) => {
                let value = self.evaluate(expr, state);
                if !redirects.is_empty() {
                    let content = value.join("\n");
                    let call = Call {
                        redirects: redirects.clone(),
                        stdin: Some(content.into()),
                        ..self.blank_call(state.cwd())
                    };
                    self.push(call);
                }
                value
            }
            Doing::Command(words) => {
                let argv = self.words_of_powershell(words, state);
                self.command_of_powershell(argv, input, state)
            }
        };
        self.come_back(saved);
        if redirects.is_empty() {
            return output;
        }
        for redirect in redirects.iter().filter(|redirect| redirect.fd == 1) {
            let path = state.absolute(&redirect.target.text);
            let old = state
                .files
                .get(&path)
                .filter(|_| redirect.direction == Direction::Append)
                .map(ToString::to_string);
            state.write(path, old.unwrap_or_default() + &output.join("\n"));
        }
        Items::new()
    }

    /// `$null` is nowhere.
    fn redirect_of(&mut self, written: &Written, state: &mut State) -> Option<Redirect> {
        let target =
            self.words_of_powershell(std::slice::from_ref(&written.target), state).into_iter().next()?;
        let direction = if written.append { Direction::Append } else { Direction::Write };
        Some(Redirect { fd: if written.errors { 2 } else { 1 }, direction, target })
    }

    /// `~` is the home, quoted or not.
    fn at_home(&self, item: String) -> String {
        match (item.strip_prefix('~'), self.home_ref()) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with(['/', '\\']) => {
                format!("{home}{rest}")
            }
            _ => item,
        }
    }

    fn words_of_powershell(&mut self, words: &[Word], state: &mut State) -> Vec<Arg> {
        let mut argv = Vec::with_capacity(words.len());
        // `-Path a, b` is `-Path a -Path b`.
        let mut option: Option<String> = None;
        for word in words {
            let span = (self.outermost() && !word.span.is_empty()).then(|| word.span.clone());
            match &word.kind {
                WordKind::Parameter(name, None) => {
                    argv.push(Arg { text: name.clone(), span, glob: false });
                    option = Some(name.clone());
                }
                WordKind::Parameter(name, Some(value)) => {
                    for item in self.evaluate(value, state) {
                        argv.extend(parameter(name, self.at_home(item), span.clone()));
                    }
                    option = None;
                }
                WordKind::Splat(name) => {
                    for item in self.variable(name, state) {
                        match item.split_once(super::ENTRY) {
                            Some((key, value)) => {
                                argv.extend(parameter(&format!("-{key}"), value.to_owned(), None));
                            }
                            None => argv.push(arg(item, None)),
                        }
                    }
                    option = None;
                }
                WordKind::Value(expr) => {
                    let items = self.evaluate(expr, state);
                    let one = items.len() == 1;
                    for (index, item) in items.into_iter().enumerate() {
                        if let Some(name) = option.as_ref().filter(|_| index > 0) {
                            argv.push(Arg::new(name.clone()));
                        }
                        argv.push(arg(self.at_home(item), span.clone().filter(|_| one)));
                    }
                    option = None;
                }
            }
        }
        argv
    }
}

/// A parameter with its value; whether it is meant at all stays in one word.
fn parameter(name: &str, value: String, span: Option<std::ops::Range<usize>>) -> Vec<Arg> {
    if matches!(value.as_str(), "True" | "False") {
        return vec![arg(format!("{name}:{value}"), span)];
    }
    vec![Arg::new(name), arg(value, span)]
}

fn arg(text: String, span: Option<std::ops::Range<usize>>) -> Arg {
    // Cmdlets find files by patterns, quoted or not.
    let glob = text.contains(['*', '?']) && !text.starts_with('{');
    Arg { text, span, glob }
}

/// What holds after any of these ways.
fn joined(ways: Vec<State>, state: &mut State) {
    let mut ways = ways.into_iter();
    let Some(first) = ways.next() else { return };
    *state = first;
    ways.for_each(|way| state.join(&way));
}

/// What is shown as it is.
fn is_said(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) | Expr::Variable(_) => true,
        Expr::Text(parts) => parts.iter().all(is_said),
        _ => false,
    }
}

fn is_word(kind: &WordKind) -> bool {
    match kind {
        WordKind::Parameter(_, value) => value.as_ref().is_none_or(is_said),
        WordKind::Value(expr) => is_said(expr),
        WordKind::Splat(_) => false,
    }
}
