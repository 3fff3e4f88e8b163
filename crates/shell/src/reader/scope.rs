//! What holds while code runs inside of something else: variables that are set for it, and wrappers around it.

use super::Reader;
use crate::state::{State, Variable};

impl Reader<'_> {
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
pub(super) fn restore(hidden: Vec<(String, Option<Variable>)>, state: &mut State) {
    for (name, variable) in hidden.into_iter().rev() {
        match variable {
            Some(variable) => state.variables.insert(name, variable),
            None => state.variables.remove(&name),
        };
    }
}
