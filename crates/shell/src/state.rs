//! What a running script knows: variables, functions, aliases, where it is, and the files it has written so far.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::syntax::Command;
use crate::text::{ANY, UNSET};

/// More possible values of one variable are not kept apart.
const MOST_VALUES: usize = 12;

/// A variable with the values it may have. Branches that set it differently leave several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) values: Vec<Vec<String>>,
    /// `declare -n`: another variable's name.
    pub(crate) reference: bool,
    pub(crate) exported: bool,
}

impl Variable {
    pub(crate) fn text(value: impl Into<String>) -> Self {
        Self { values: vec![vec![value.into()]], reference: false, exported: false }
    }

    fn join(&mut self, other: &Variable) {
        for value in &other.values {
            if !self.values.contains(value) {
                self.values.push(value.clone());
            }
        }
        if self.values.len() > MOST_VALUES {
            self.values = vec![vec![ANY.to_string()]];
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) variables: BTreeMap<String, Variable>,
    pub(crate) functions: BTreeMap<String, Rc<Command>>,
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) positional: Vec<String>,
    /// `hash -p`: names that start another program.
    pub(crate) hashed: BTreeMap<String, String>,
    /// Texts of files that were written, by absolute path.
    pub(crate) files: BTreeMap<String, String>,
    /// What is on stdin.
    pub(crate) stdin: Option<String>,
    /// Where it may be.
    pub(crate) cwds: Vec<String>,
    pub(crate) previous: String,
}

impl State {
    /// The directory, where there is only one it can be.
    pub(crate) fn cwd(&self) -> String {
        self.cwds.last().cloned().unwrap_or_default()
    }

    pub(crate) fn enter(&mut self, dir: String) {
        self.previous = self.cwd();
        self.cwds = vec![dir];
    }

    /// What holds after either of two ways was taken.
    pub(crate) fn join(&mut self, other: State) {
        for (name, variable) in other.variables {
            match self.variables.get_mut(&name) {
                Some(mine) => mine.join(&variable),
                None => {
                    // On the other way it stayed unset.
                    let mut variable = variable;
                    variable.join(&Variable::text(UNSET));
                    self.variables.insert(name, variable);
                }
            }
        }
        self.functions.extend(other.functions);
        self.aliases.extend(other.aliases);
        self.files.extend(other.files);
        for cwd in other.cwds {
            if !self.cwds.contains(&cwd) && self.cwds.len() < MOST_VALUES {
                self.cwds.push(cwd);
            }
        }
    }

    /// `path` as an absolute one, `.` and `..` taken out.
    pub(crate) fn absolute(&self, path: &str) -> String {
        crate::path::absolute(path, &self.cwd())
    }
}
