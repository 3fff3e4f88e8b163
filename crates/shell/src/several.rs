//! Which variables of a command may have several values: each combination of them is walked by itself. Commands in substitutions
//! count as part of the command, so that a value is the same wherever it stands in it.

use crate::state::State;
use crate::syntax::{
    AssignValue, Assignment, Command, Index, Parameter, Part, Redirect, Script, Simple, Word,
};

/// The directory, and the positional parameters, under the names that they have here.
pub(crate) const DIRECTORY: &str = "PWD";
pub(crate) const POSITIONAL: &str = "@";

/// More than these are not told apart.
const MOST_NAMES: usize = 12;

pub(crate) struct Several<'s> {
    state: &'s State,
    pub(crate) names: Vec<String>,
}

impl<'s> Several<'s> {
    pub(crate) fn new(state: &'s State) -> Self {
        Self { state, names: Vec::new() }
    }

    /// Nothing can have several values: the usual case, and cheap to see.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.other_positional.is_empty()
            && self.state.variables.values().all(|variable| variable.values.len() < 2)
    }

    pub(crate) fn add(&mut self, name: &str) {
        if self.names.len() < MOST_NAMES && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }

    pub(crate) fn simple(&mut self, simple: &Simple) {
        simple.assignments.iter().for_each(|assignment| self.assignment(assignment));
        simple.words.iter().for_each(|word| self.word(word));
        simple.declared.iter().for_each(|(_, assignment)| self.assignment(assignment));
        self.redirects(&simple.redirects);
    }

    /// What a `for` goes through.
    pub(crate) fn list(&mut self, words: Option<&[Word]>) {
        match words {
            Some(words) => words.iter().for_each(|word| self.word(word)),
            None => self.name("@"),
        }
    }

    pub(crate) fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Bare(_) | Part::Quoted(_) => {}
                Part::Double(inner) => self.parts(inner),
                Part::Parameter(parameter) => self.parameter(parameter),
                Part::Arithmetic(word) => self.arithmetic(word),
                Part::Substitution(script) | Part::Process { script, .. } => self.script(script),
            }
        }
    }

    fn word(&mut self, word: &Word) {
        self.parts(&word.parts);
    }

    fn parameter(&mut self, parameter: &Parameter) {
        self.name(&parameter.name);
        if parameter.indirect
            && let Some(variable) = self.state.variables.get(&parameter.name)
        {
            // The variable that it names counts too.
            for target in variable.values.iter().filter_map(|list| list.first()) {
                self.name(target.split('[').next().unwrap_or(target));
            }
        }
        if let Some(change) = &parameter.operation {
            self.word(&change.word);
            self.word(&change.other);
        }
        if let Some(Index::At(word)) = &parameter.index {
            self.arithmetic(word);
        }
    }

    /// Names stand in an expression without a dollar.
    fn arithmetic(&mut self, word: &Word) {
        for part in &word.parts {
            if let Part::Bare(text) | Part::Quoted(text) = part {
                text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .for_each(|name| self.name(name));
            }
        }
        self.word(word);
    }

    fn name(&mut self, name: &str) {
        let state = self.state;
        let positional = matches!(name, "*" | "@" | "#") || name.starts_with(|c: char| c.is_ascii_digit());
        if positional {
            if !state.other_positional.is_empty() {
                self.add(POSITIONAL);
            }
        } else if let Some(variable) = state.variables.get(name) {
            if variable.values.len() > 1 {
                self.add(name);
            }
            if variable.reference
                && let Some(target) = variable.values.last().and_then(|list| list.first())
                && state.variables.get(target).is_some_and(|v| v.values.len() > 1)
            {
                self.add(target);
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        if assignment.append || assignment.index.is_some() {
            self.name(&assignment.name);
        }
        if let Some(index) = &assignment.index {
            self.arithmetic(index);
        }
        match &assignment.value {
            AssignValue::Text(word) => self.word(word),
            AssignValue::List(words) => words.iter().for_each(|word| self.word(word)),
        }
    }

    pub(crate) fn redirects(&mut self, redirects: &[Redirect]) {
        redirects.iter().for_each(|redirect| self.word(&redirect.target));
    }

    fn script(&mut self, script: &Script) {
        script.commands.iter().for_each(|command| self.command(command));
    }

    pub(crate) fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Pipeline(commands) => commands.iter().for_each(|command| self.command(command)),
            Command::Negated(command) | Command::Background(command) => self.command(command),
            Command::List { first, rest } => {
                self.command(first);
                rest.iter().for_each(|(_, command)| self.command(command));
            }
            Command::Coprocess { script, .. } => self.script(script),
            Command::Subshell(script) | Command::Group(script) => self.script(script),
            Command::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.script(condition);
                    self.script(body);
                }
                otherwise.iter().for_each(|script| self.script(script));
            }
            Command::For { words, body, .. } => {
                words.iter().flatten().for_each(|word| self.word(word));
                self.script(body);
            }
            Command::While { condition, body } => {
                self.script(condition);
                self.script(body);
            }
            Command::Case { word, arms } => {
                self.word(word);
                for arm in arms {
                    arm.patterns.iter().for_each(|word| self.word(word));
                    self.script(&arm.body);
                }
            }
            Command::Function { .. } => {}
            Command::Words(words) => words.iter().for_each(|word| self.word(word)),
            Command::Arithmetic(word) => self.arithmetic(word),
            Command::Redirected { command, redirects } => {
                self.command(command);
                self.redirects(redirects);
            }
        }
    }
}
