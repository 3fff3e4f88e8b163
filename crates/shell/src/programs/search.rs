//! A search through folders, as `find` and its like have it: where it begins, what it lets through, and what it hands on.

use super::Role;
use crate::reading::Call;
use crate::text::{ANY, EACH, is_known};

/// What a search is told to find.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// As they were written.
    pub roots: Vec<String>,
    /// Names and paths of which one must fit, and those of which none may.
    pub wanted: Vec<Test>,
    unwanted: Vec<Test>,
    /// Something besides names and kinds narrows it: an age, a size, an owner.
    narrowed: bool,
    /// Only what is empty.
    pub empty: bool,
    files_only: bool,
    /// Only the roots themselves.
    itself: bool,
    /// What is found goes away.
    pub deletes: bool,
}

#[derive(Clone, Debug)]
pub struct Test {
    pub pattern: String,
    /// Of the whole path, as the search prints it.
    whole: bool,
    /// Letter case aside.
    fold: bool,
}

impl Search {
    /// `None` for a call that searches nothing.
    pub fn of(call: &Call) -> Option<Self> {
        let words = call.words();
        let argv = &call.argv;
        let spec = words.operand_spec()?;
        if !spec.iter().any(|operand| operand.role == Role::Search) {
            return None;
        }
        let mut made = Self { deletes: words.has("delete"), empty: words.has("empty"), ..Self::default() };
        for &(at, role) in words.roles() {
            let text = argv[at].text.as_str();
            match role {
                Role::Search => made.roots.push(text.to_owned()),
                Role::Narrow => made.narrowed |= !matches!(text, "" | "." | ".*" | "*" | "^"),
                _ => {}
            }
        }
        if made.roots.is_empty() {
            made.roots.push(".".to_owned());
        }
        // What comes after it is asked of what is gone already.
        let gone = words.chosen("delete").map(|chosen| chosen.word).min().unwrap_or(usize::MAX);
        for chosen in words.options.iter().filter(|chosen| chosen.word < gone || is_global(chosen)) {
            let (Some(option), Some(value)) = (chosen.option, chosen.value) else { continue };
            let text = value.text(argv);
            let before = argv.get(chosen.word - 1).map_or("", |arg| arg.text.as_str());
            let negated = matches!(before, "!" | "-not" | "\\!");
            match option.role {
                Role::Name | Role::Whole => {
                    let fold = option.names.iter().any(|name| name.starts_with('i'));
                    let ending = option.names.contains(&"extension");
                    let pattern =
                        if ending { format!("*.{}", text.trim_start_matches('.')) } else { text.to_owned() };
                    let test = Test { pattern, whole: option.role == Role::Whole, fold };
                    let rest: Vec<&str> = argv[value.end..]
                        .iter()
                        .take(3)
                        .map(|arg| arg.text.trim_start_matches('\\'))
                        .collect();
                    let rest = rest.strip_prefix(&[")"]).unwrap_or(&rest);
                    // Left out, unless it is what is then worked on.
                    let pruned = rest.first() == Some(&"-prune")
                        && rest.get(1).is_none_or(|next| matches!(*next, "-o" | "-or"));
                    if negated || pruned { &mut made.unwanted } else { &mut made.wanted }.push(test);
                }
                Role::Narrow => made.narrowed = true,
                _ => {}
            }
            made.files_only |= option.names.contains(&"type") && text == "f";
            made.itself |= option.names.contains(&"maxdepth") && text == "0";
        }
        Some(made)
    }

    /// Whether it takes less than everything below its roots.
    pub fn is_narrowed(&self) -> bool {
        self.narrowed || self.empty || !self.wanted.is_empty()
    }

    /// What stands for each thing that is found below a root.
    pub fn found(&self, root: &str) -> Vec<String> {
        let below = |name: &str| format!("{}/{name}", root.trim_end_matches('/'));
        let named = self.wanted.iter().find(|test| !test.whole);
        match named {
            _ if self.itself => vec![root.to_owned()],
            Some(test) => {
                let name = test.pattern.replace(['*', '?'], &ANY.to_string());
                let found = below(&format!("{ANY}/{name}"));
                if is_known(&name) { vec![found] } else { vec![below(&ANY.to_string()), found] }
            }
            None if self.is_narrowed() => vec![below(&ANY.to_string())],
            None => vec![below(&EACH.to_string())],
        }
    }

    /// Whether `path`, absolute and below the absolute `root`, would be found.
    pub fn lets_through(&self, path: &str, root: &str) -> bool {
        if !crate::path::is_below(path, root) || self.empty {
            return false;
        }
        let rest = path[root.trim_end_matches('/').len()..].trim_start_matches('/');
        let wanted =
            self.wanted.is_empty() || self.wanted.iter().any(|test| test.fits(path, rest, self.files_only));
        wanted && !self.unwanted.iter().any(|test| test.fits(path, rest, false))
    }
}

/// An option of the search as a whole, wherever it stands.
fn is_global(chosen: &super::decoded::Chosen) -> bool {
    ["maxdepth", "mindepth"].iter().any(|name| chosen.is(name))
}

impl Test {
    /// `rest` is what comes after the root. `last`: only the last name counts, a folder on the way does not take it along.
    fn fits(&self, path: &str, rest: &str, last: bool) -> bool {
        let matches = |text: &str| {
            if self.fold {
                crate::path::matches(&self.pattern.to_lowercase(), &text.to_lowercase())
            } else {
                crate::path::matches(&self.pattern, text)
            }
        };
        if self.whole {
            // As the search prints it, from wherever it begins.
            let tail = self.pattern.trim_start_matches("./");
            let folder = tail.trim_end_matches("/*").rsplit('/').next().unwrap_or_default();
            return matches(path)
                || crate::path::matches(tail, rest)
                || !last && rest.split('/').any(|name| name == folder);
        }
        let mut names = rest.split('/');
        if last { names.next_back().is_some_and(matches) } else { names.any(matches) }
    }
}
