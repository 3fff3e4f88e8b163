//! What `$(…)`, `<(…)` and `>(…)` run.

use std::rc::Rc;

use super::Reader;
use crate::reading::Output;
use crate::state::State;
use crate::syntax::Script;
use crate::text::ANY;

impl Reader<'_> {
    pub(crate) fn substitute(&mut self, script: &Rc<Script>, state: &mut State) -> String {
        let mut inner = state.clone();
        let saved = std::mem::take(&mut self.current);
        let output = self
            .printing(Output::Kept, |reader| reader.deeper(|reader| reader.run_script(script, &mut inner)))
            .unwrap_or_else(|| ANY.to_string());
        self.current = saved;
        state.left_by(inner);
        // Zero bytes are dropped.
        output.trim_end_matches('\n').replace('\0', "")
    }

    /// A process substitution: a file name that stands for what the command prints, or reads.
    pub(crate) fn process(&mut self, script: &Rc<Script>, input: bool, state: &mut State) -> String {
        let mut inner = state.clone();
        if !input {
            inner.stdin = Some(state.input());
        }
        self.forked += 1;
        let saved = std::mem::take(&mut self.current);
        let goes = if input { Output::Kept } else { self.output };
        let output = self
            .printing(goes, |reader| reader.deeper(|reader| reader.run_script(script, &mut inner)))
            .unwrap_or_else(|| ANY.to_string());
        // What is not shared any more is changed without being copied.
        drop(inner);
        self.current = saved;
        self.forked -= 1;
        self.processes += 1;
        let path = format!("/dev/fd/6{}", self.processes);
        if input {
            state.write(path.clone(), output);
        } else {
            self.outlets.push((path.clone(), Rc::clone(script)));
        }
        path
    }
}
