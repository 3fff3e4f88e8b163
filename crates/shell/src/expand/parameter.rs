//! What `$name`, `${name…}` and their operations expand to.

use super::{Draft, Mark, Use, is_joined, is_missing, is_secret_name, is_several};
use crate::reader::Reader;
use crate::state::State;
use crate::syntax::{Index, Operation, Parameter, Word};
use crate::text::{ANY, SECRET, UNSET, is_known};

impl Reader<'_> {
    /// The values of a variable: one for a plain one, several for a list.
    pub(crate) fn lookup(&self, name: &str, state: &State) -> Option<Vec<String>> {
        match name {
            "@" | "*" => return Some(state.positional.get(1..).unwrap_or_default().to_vec()),
            "#" => return Some(vec![state.positional.len().saturating_sub(1).to_string()]),
            "?" | "$" | "!" | "-" | "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "BASHPID" | "EPOCHSECONDS"
            | "_" => return Some(vec![ANY.to_string()]),
            "PWD" => return Some(vec![state.folder().to_owned()]),
            "OLDPWD" if !state.previous.is_empty() => return Some(vec![state.previous.clone()]),
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            // Beyond what this script was given they are empty; at the top nobody knows.
            let unknown = self.outermost() && state.positional.len() <= 1;
            return state.positional.get(number).map(|text| vec![text.clone()]).or((!unknown).then(Vec::new));
        }
        if let Some(variable) = state.variables.get(name) {
            if variable.reference
                && let Some(target) = variable.values.last().and_then(|v| v.first())
                && target != name
                // A reference to a reference is followed once; circles are not.
                && !state.variables.get(target).is_some_and(|next| next.reference)
            {
                return self.lookup(target, state);
            }
            return (!variable.values.is_empty()).then(|| self.pick(name, &variable.values));
        }
        match name {
            "HOME" => return self.home().map(|home| vec![home]),
            "IFS" => return Some(vec![" \t\n".into()]),
            "0" => return Some(vec!["bash".into()]),
            "SHELL" | "BASH" => return Some(vec!["/bin/bash".into()]),
            _ => {}
        }
        if is_secret_name(name) {
            return Some(vec![SECRET.to_string()]);
        }
        self.variable_of_world(name).map(|text| vec![text])
    }

    pub(super) fn parameter(&mut self, parameter: &Parameter, state: &mut State, how: Use, out: &mut Draft) {
        let several = is_several(parameter);
        let (mut values, exists) = self.values_of(parameter, state);
        if parameter.length {
            let length = match &values {
                // What is not known may have been split.
                Some(list) if several => list.iter().all(|text| is_known(text)).then_some(list.len()),
                Some(list) => {
                    list.first().map_or(Some(0), |text| is_known(text).then(|| text.chars().count()))
                }
                None => Some(0),
            };
            out.push(&length.map_or_else(|| ANY.to_string(), |n| n.to_string()), Mark::Quoted);
            return;
        }
        if let Some(change) = &parameter.operation {
            match change.operation {
                Operation::Default { empty } | Operation::Assign { empty } => {
                    if is_missing(values.as_deref(), empty) {
                        if matches!(change.operation, Operation::Assign { .. }) {
                            let text = self.text(&change.word, state);
                            let value = crate::state::Variable::text(text.as_str());
                            state.variables.insert(parameter.name.clone(), value);
                            // It is the variable that stands here, so quotes around the new value are gone.
                            out.push(&text, if how == Use::Fields { Mark::Expanded } else { Mark::Quoted });
                            return;
                        }
                        return self.instead(&change.word, state, how, out);
                    }
                    // Not used now, but nobody writes a command there that must not run.
                    let _ = self.text(&change.word, state);
                }
                Operation::Alternative { empty } => {
                    // A variable that may be set outside counts as set: then this is what stands here.
                    if exists && is_missing(values.as_deref(), empty) {
                        let _ = self.text(&change.word, state);
                        return;
                    }
                    return self.instead(&change.word, state, how, out);
                }
                Operation::Error => {
                    let _ = self.text(&change.word, state);
                    // Behind it the variable is set and not empty, whatever it is.
                    values = Some(values.unwrap_or_else(|| vec![ANY.to_string()]));
                }
                _ => values = self.changed(change, parameter, values, state),
            }
        }
        let Some(values) = values else {
            // Nobody has set it in this script; the environment may have.
            let unset = if parameter.name.parse::<usize>().is_ok() { ANY } else { UNSET };
            out.push(&unset.to_string(), if how == Use::Fields { Mark::Expanded } else { Mark::Quoted });
            return;
        };
        let joined = is_joined(parameter);
        match how {
            Use::Fields => {
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.mark(Mark::Break);
                    }
                    out.push(value, Mark::Expanded);
                }
            }
            Use::Double if several && !joined => {
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        out.mark(Mark::Break);
                    }
                    out.mark(Mark::Empty);
                    out.push(value, Mark::Quoted);
                }
            }
            Use::Double | Use::Text => {
                let separator: String =
                    if joined { self.ifs(state).chars().take(1).collect() } else { " ".into() };
                out.push(&values.join(&separator), Mark::Quoted);
            }
        }
    }

    /// The text that stands in for a value, with its own quotes.
    pub(super) fn instead(&mut self, word: &Word, state: &mut State, how: Use, out: &mut Draft) {
        let mut inner = Draft::default();
        self.draft(&word.parts, state, how, &mut inner);
        if how != Use::Double {
            self.tilde(&word.parts, &mut inner, how, state);
        }
        for (c, mark) in inner.chars {
            out.chars.push((c, if mark == Mark::Bare && how == Use::Fields { Mark::Expanded } else { mark }));
        }
    }

    /// What `${name[index]}` and `${!name}` stand for, and whether this script knows the variable at all.
    pub(super) fn values_of(
        &mut self,
        parameter: &Parameter,
        state: &mut State,
    ) -> (Option<Vec<String>>, bool) {
        let name = parameter.name.as_str();
        let special = !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let exists = special || state.variables.contains_key(name);
        if parameter.indirect {
            if matches!(parameter.index, Some(Index::All | Index::Joined)) {
                return (self.keys(name, state), exists);
            }
            if parameter.operation.as_ref().is_some_and(|change| change.operation == Operation::Names) {
                let names = state.variables.keys().filter(|known| known.starts_with(name)).cloned().collect();
                return (Some(names), exists);
            }
            let target = self.lookup(name, state).and_then(|values| values.into_iter().next());
            let values = match target {
                Some(target) if is_known(&target) => {
                    let (base, index) =
                        target.split_once('[').map_or((target.as_str(), None), |(base, rest)| {
                            (base, Some(rest.trim_end_matches(']')))
                        });
                    let values = self.lookup(base, state);
                    match index {
                        Some("@" | "*") => values,
                        Some(index) => self.element(base, index, values, state),
                        None => values.map(|list| list.into_iter().take(1).collect()),
                    }
                }
                Some(_) => Some(vec![ANY.to_string()]),
                None => None,
            };
            return (values, exists);
        }
        let values = self.lookup(name, state);
        let values = match &parameter.index {
            Some(Index::All | Index::Joined) => values,
            Some(Index::At(word)) => {
                let index = self.text(word, state);
                self.element(name, &index, values, state)
            }
            None if matches!(name, "@" | "*") => values,
            None => values.and_then(|list| list.into_iter().next()).map(|first| vec![first]),
        };
        (values, exists)
    }

    fn keys(&self, name: &str, state: &State) -> Option<Vec<String>> {
        let variable = state.variables.get(name)?;
        if !variable.keys.is_empty() {
            return Some(variable.keys.clone());
        }
        Some((0..variable.values.last().map_or(0, Vec::len)).map(|n| n.to_string()).collect())
    }

    fn element(
        &self,
        name: &str,
        index: &str,
        values: Option<Vec<String>>,
        state: &State,
    ) -> Option<Vec<String>> {
        let list = values?;
        let variable = state.variables.get(name);
        let position = variable.and_then(|v| v.position(index)).or_else(|| {
            let number = self.number(index, state)?;
            variable.map_or_else(|| usize::try_from(number).ok(), |v| v.position(&number.to_string()))
        });
        match position {
            // What is not known may have been split, so that the others have other places.
            Some(at) if list.len() > 1 && list[..at.min(list.len())].iter().any(|text| !is_known(text)) => {
                Some(vec![ANY.to_string()])
            }
            Some(at) => {
                list.get(at).cloned().map(|value| vec![value]).or_else(|| variable.is_some().then(Vec::new))
            }
            None if is_known(index) && variable.is_some_and(|v| !v.keys.is_empty()) => Some(Vec::new()),
            // An index that is not known: any of them.
            None => Some(vec![if list.len() == 1 { list[0].clone() } else { ANY.to_string() }]),
        }
    }
}
