//! A variable that may have several values: a command is walked with each of them.

use super::bounds::MOST_STEPS;
use super::{MOST_CHOICES, Pin, Reader, append};
use crate::several::{DIRECTORY, POSITIONAL};
use crate::state::State;
use crate::text::ANY;

impl Reader<'_> {
    /// The value of several that counts now.
    pub(crate) fn pick(&self, name: &str, values: &[Vec<String>]) -> Vec<String> {
        match self.pins.get(name) {
            Some(pin) if pin.of == values => {
                values.get(pin.at).cloned().unwrap_or_else(|| vec![ANY.to_string()])
            }
            _ => values.last().cloned().unwrap_or_default(),
        }
    }

    /// Whether it is settled which value counts.
    pub(super) fn is_pinned(&self, name: &str, state: &State) -> bool {
        self.pins.get(name).is_some_and(|pin| match name {
            DIRECTORY => state.cwds.len() < 2,
            POSITIONAL => state.other_positional.is_empty(),
            name => state.variables.get(name).is_some_and(|variable| variable.values == pin.of),
        })
    }

    /// Walks a command with each combination of values that its variables may have. The ways that it may go are joined again.
    pub(crate) fn each_choice(
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
}

fn count(name: &str, state: &State) -> usize {
    match name {
        DIRECTORY => state.cwds.len(),
        POSITIONAL => state.other_positional.len() + 1,
        name => state.variables.get(name).map_or(1, |v| v.values.len().max(1)),
    }
}
