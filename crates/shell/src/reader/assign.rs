//! Assignments: by themselves, of lists, and among the arguments of `declare`.

use super::Reader;
use crate::reading::Arg;
use crate::state::{State, Variable};
use crate::syntax::{AssignValue, Assignment, Part, Word};
use crate::text::ANY;

impl Reader<'_> {
    /// What an assignment makes of its variable.
    pub(super) fn assignment(&mut self, assignment: &Assignment, state: &mut State) -> (String, Variable) {
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
    pub(super) fn list_element(&mut self, word: &Word, variable: &mut Variable, state: &mut State) {
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

    pub(super) fn set_variable(&mut self, name: String, variable: Variable, state: &mut State) {
        let loads = crate::programs::variable(&name) == Some(crate::programs::Role::Script);
        if loads || matches!(name.as_str(), "PROMPT_COMMAND" | "BASH_ENV") {
            let text = variable.values.last().and_then(|v| v.first()).cloned().unwrap_or_default();
            self.code_variable(&name, &text, state);
        }
        state.variables.insert(name, variable);
    }

    /// An assignment among the arguments of `declare`: noted for it, and a word like the others.
    pub(super) fn declaration(&mut self, assignment: &Assignment, state: &mut State) -> Arg {
        // Unlike an assignment by itself it is a word, and braces count: the last of what they make stays.
        let mut last = None;
        if let AssignValue::Text(word) = &assignment.value
            && word.parts.iter().any(|part| matches!(part, Part::Bare(text) if text.contains('{')))
        {
            // Each of them is expanded, whichever stays: what is substituted there is run. A tilde stays one: to bash this
            // is not an assignment any more by the time it looks.
            let parts =
                std::iter::once(Part::Quoted(String::new())).chain(word.parts.iter().cloned()).collect();
            let untilded = Word { parts, span: word.span.clone() };
            let text = match self.fields(&untilded, state).pop() {
                // Then it is split too, and the first field is all that is assigned.
                Some(last) if !crate::expand::may_split(&word.parts) => last.text,
                _ => ANY.to_string(),
            };
            let value = AssignValue::Text(Word { parts: vec![Part::Quoted(text)], span: 0..0 });
            last = Some(Assignment { value, ..assignment.clone() });
        }
        let (name, variable) = self.assignment(last.as_ref().unwrap_or(assignment), state);
        let value = variable.values.last().map(|list| list.join(" ")).unwrap_or_default();
        let arg = Arg::new(format!("{name}={value}"));
        self.current.declared.push((name, variable));
        arg
    }
}
