//! What a running script knows: variables, functions, aliases, where it is, and the files it has written so far.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::shared::{Meter, Shared, Weigh};
use crate::syntax::Command;
use crate::text::{ANY, UNSET};

/// More possible values of one variable are not kept apart.
const MOST_VALUES: usize = 80;

/// A variable with the values it may have. Branches that set it differently leave several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Each value is a list; a plain variable's has one element. No value at all: it was unset.
    pub(crate) values: Vec<Vec<String>>,
    /// The keys of a list that does not simply count from 0.
    pub(crate) keys: Vec<String>,
    /// `declare -n`: another variable's name.
    pub(crate) reference: bool,
    pub(crate) exported: bool,
}

impl Variable {
    pub(crate) fn text(value: impl Into<String>) -> Self {
        Self::list(vec![value.into()])
    }

    pub(crate) fn list(list: Vec<String>) -> Self {
        Self { values: vec![list], ..Self::default() }
    }

    fn join(&mut self, other: &Variable) {
        if self.keys != other.keys {
            self.keys.clear();
        }
        for value in &other.values {
            if !self.values.contains(value) {
                self.values.push(value.clone());
            }
        }
        let unset = vec![UNSET.to_string()];
        if (self.values.is_empty() != other.values.is_empty()) && !self.values.contains(&unset) {
            self.values.push(unset);
        }
        if self.values.len() > MOST_VALUES {
            self.values = vec![vec![ANY.to_string()]];
        }
    }

    /// Where the element `key` is in the list.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.position_in(key, self.values.last().map_or(0, Vec::len))
    }

    /// `name[key]=value`
    pub(crate) fn set(&mut self, key: &str, value: String, append: bool) {
        let mut list = self.values.pop().unwrap_or_default();
        self.values.clear();
        match self.position_in(key, list.len()) {
            Some(at) if at < list.len() => {
                if append {
                    list[at].push_str(&value);
                } else {
                    list[at] = value;
                }
            }
            at => {
                if at != Some(list.len()) && self.keys.is_empty() {
                    self.keys = (0..list.len()).map(|n| n.to_string()).collect();
                }
                // Numbers in their order, names in the order they came.
                let number = key.parse::<i64>().ok();
                let place = self
                    .keys
                    .iter()
                    .position(|k| matches!((k.parse::<i64>().ok(), number), (Some(a), Some(b)) if a > b));
                let place = place.unwrap_or(list.len());
                if at != Some(list.len()) || !self.keys.is_empty() {
                    self.keys.insert(place.min(self.keys.len()), key.to_owned());
                }
                list.insert(place, value);
            }
        }
        self.values.push(list);
    }

    fn position_in(&self, key: &str, length: usize) -> Option<usize> {
        if !self.keys.is_empty() {
            let last = self.keys.last().and_then(|last| last.parse::<i64>().ok());
            // From behind: the highest number counts, not how many there are.
            let key = match (last, key.parse::<i64>().ok().filter(|number| *number < 0)) {
                (Some(last), Some(number)) => (last + 1).saturating_add(number).to_string(),
                _ => key.to_owned(),
            };
            return self.keys.iter().position(|known| *known == key);
        }
        let number: i64 = if key.is_empty() { 0 } else { key.parse().ok()? };
        let number = if number < 0 { number + i64::try_from(length).ok()? } else { number };
        usize::try_from(number).ok()
    }

    /// `unset name[key]`
    pub(crate) fn remove(&mut self, key: &str) {
        let length = self.values.last().map_or(0, Vec::len);
        let Some(at) = self.position_in(key, length).filter(|at| *at < length) else { return };
        if self.keys.is_empty() && at + 1 < length {
            self.keys = (0..length).map(|n| n.to_string()).collect();
        }
        if !self.keys.is_empty() {
            self.keys.remove(at);
        }
        for list in &mut self.values {
            if at < list.len() {
                list.remove(at);
            }
        }
    }
}

impl Weigh for Variable {
    fn weight(&self) -> usize {
        self.values.weight() + self.keys.weight()
    }
}

pub(crate) type Map<V> = Shared<BTreeMap<String, V>>;

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) variables: Map<Variable>,
    pub(crate) functions: Map<Rc<Command>>,
    pub(crate) aliases: Map<String>,
    pub(crate) positional: Shared<Vec<String>>,
    /// What they may be instead, after ways that set them differently.
    pub(crate) other_positional: Shared<Vec<Vec<String>>>,
    /// `hash -p`: names that start another program.
    pub(crate) hashed: Map<String>,
    /// Texts of files that were written, by absolute path.
    pub(crate) files: Map<Rc<str>>,
    /// Links and copies: what a path of this script stands for.
    pub(crate) links: Map<String>,
    /// What is on stdin.
    pub(crate) stdin: Option<Rc<str>>,
    /// The calls that wrote it into a pipe.
    pub(crate) fed_by: std::ops::Range<usize>,
    /// Where it may be.
    pub(crate) cwds: Shared<Vec<Rc<str>>>,
    pub(crate) previous: String,
}

impl State {
    pub(crate) fn new(cwd: String, meter: &Meter) -> Self {
        Self {
            variables: Shared::new(BTreeMap::new(), meter),
            functions: Shared::new(BTreeMap::new(), meter),
            aliases: Shared::new(BTreeMap::new(), meter),
            positional: Shared::new(vec!["bash".into()], meter),
            other_positional: Shared::new(Vec::new(), meter),
            hashed: Shared::new(BTreeMap::new(), meter),
            files: Shared::new(BTreeMap::new(), meter),
            links: Shared::new(BTreeMap::new(), meter),
            stdin: None,
            fed_by: 0..0,
            cwds: Shared::new(vec![cwd.into()], meter),
            previous: String::new(),
        }
    }

    /// The directory, where there is only one it can be.
    pub(crate) fn cwd(&self) -> Rc<str> {
        self.cwds.last().cloned().unwrap_or_default()
    }

    /// The same, for a look at it.
    pub(crate) fn folder(&self) -> &str {
        self.cwds.last().map_or("", |cwd| cwd)
    }

    /// What stands on stdin, where somebody is sure to read it.
    pub(crate) fn input(&self) -> Rc<str> {
        self.stdin.clone().unwrap_or_else(|| ANY.to_string().into())
    }

    /// The same; a terminal gives nothing.
    pub(crate) fn piped(&self) -> Rc<str> {
        self.stdin.clone().unwrap_or_default()
    }

    pub(crate) fn write(&mut self, path: String, text: impl Into<Rc<str>>) {
        self.files.insert(path, text.into());
    }

    pub(crate) fn enter(&mut self, dir: String) {
        self.previous = self.folder().to_owned();
        self.cwds.set(vec![dir.into()]);
    }

    /// What lies on the disk after something that had a state of its own: whoever wrote it.
    pub(crate) fn left_by(&mut self, inner: State) {
        self.files = inner.files;
        self.links = inner.links;
    }

    /// What holds after either of two ways was taken.
    pub(crate) fn join(&mut self, other: &State) {
        self.join_variables(&other.variables);
        self.functions.take_over(&other.functions);
        self.aliases.take_over(&other.aliases);
        self.files.take_over(&other.files);
        self.links.take_over(&other.links);
        if !self.positional.is(&other.positional) || !self.other_positional.is(&other.other_positional) {
            for list in std::iter::once(&*other.positional).chain(other.other_positional.iter()) {
                let known = *self.positional == *list || self.other_positional.contains(list);
                if !known && self.other_positional.len() < MOST_VALUES {
                    self.other_positional.push(list.clone());
                }
            }
        }
        self.join_directories(&other.cwds);
    }

    /// Where it may be as well.
    pub(crate) fn join_directories(&mut self, other: &Shared<Vec<Rc<str>>>) {
        if self.cwds.is(other) {
            return;
        }
        for cwd in other.iter() {
            if !self.cwds.contains(cwd) && self.cwds.len() < MOST_VALUES {
                self.cwds.push(cwd.clone());
            }
        }
    }

    pub(crate) fn join_variables(&mut self, other: &Map<Variable>) {
        if self.variables.is(other) {
            return;
        }
        // On the way where it is not mentioned it stayed unset.
        for (name, mine) in self.variables.iter_mut() {
            if !other.contains_key(name) {
                mine.join(&Variable::text(UNSET));
            }
        }
        for (name, variable) in other.iter() {
            match self.variables.get_mut(name) {
                Some(mine) => mine.join(variable),
                None => {
                    let mut variable = variable.clone();
                    variable.join(&Variable::text(UNSET));
                    self.variables.insert(name.clone(), variable);
                }
            }
        }
    }

    /// The same, for a command that may not be reached: what it sets for the first time counts as set, because it was asked for
    /// just before whether it is (`[ -n "$x" ] || x=y`).
    pub(crate) fn join_known(&mut self, other: &Map<Variable>) {
        if self.variables.is(other) {
            return;
        }
        for (name, variable) in other.iter() {
            match self.variables.get_mut(name) {
                Some(mine) if mine != variable => mine.join(variable),
                _ => {}
            }
        }
    }

    /// `path` as an absolute one, `.` and `..` taken out.
    pub(crate) fn absolute(&self, path: &str) -> String {
        crate::path::absolute(path, self.folder())
    }

    /// The file that `path` stands for after the links that this script has made.
    pub(crate) fn resolved(&self, path: &str) -> Option<String> {
        if self.links.is_empty() {
            return None;
        }
        let absolute = self.absolute(path);
        self.links.iter().find_map(|(link, target)| {
            let rest = absolute.strip_prefix(link.as_str())?;
            let path = format!("{}{rest}", target.trim_end_matches('/'));
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| if path.is_empty() { "/".to_owned() } else { path })
        })
    }
}
