//! What of what was found is the edit's: what lies on its lines, and what is new with it. The rest was there before, and is nobody's
//! business now.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;

use linters::{Before, Past, Plan, Run, Touched, is_syntax};
use model::{Change, Event, SessionId, Since, Violation};
use state::{atomic, files, git};

use super::{Service, cause, open};

/// Texts beyond this are not kept for the stop, where all of such a file counts.
const MOST: usize = 4 * 1024 * 1024;

/// An edit, as far as it is known.
pub(super) struct Edited<'a> {
    pub(super) event: &'a Event,
    pub(super) change: &'a Change,
    file: &'a Path,
    /// The file as the edit left it, before anything was formatted.
    after: String,
    before: OnceCell<Before>,
}

impl<'a> Edited<'a> {
    pub(super) fn new(event: &'a Event, change: &'a Change, file: &'a Path) -> Self {
        let after = files::read(file).ok().flatten().unwrap_or_default();
        Self { event, change, file, after, before: OnceCell::new() }
    }

    /// The edit has left everything as it was.
    pub(super) fn did_nothing(&self) -> bool {
        agents::text_before(self.event).is_some_and(|before| before == self.after)
    }

    fn find(&self) -> Before {
        if let Some(text) = agents::text_before(self.event) {
            return Before::Text(text.to_owned());
        }
        if agents::made_file(self.event) {
            return Before::New;
        }
        if let Some(text) = undone(self.change, &self.after).or_else(|| self.committed()) {
            return Before::Text(text);
        }
        if matches!(self.change, Change::Write { .. }) { Before::New } else { Before::Unknown }
    }

    /// The version of the last commit.
    fn committed(&self) -> Option<String> {
        let repository = git::Repository::find(self.file.parent()?)?;
        let name = self.file.strip_prefix(&repository.root).ok()?.to_str()?;
        git::show(&repository.root, "HEAD", name)
    }

    /// Whether a line is new with this edit.
    pub(super) fn brought(&self, line: &str) -> bool {
        let line = line.trim();
        if line.is_empty() {
            return false;
        }
        let has = |text: &str| text.lines().any(|other| other.trim() == line);
        match (agents::text_before(self.event), self.change) {
            (Some(before), _) => !has(before),
            (None, Change::Write { content }) => has(content),
            (None, Change::Replace(parts)) => parts.iter().any(|part| has(&part.new) && !has(&part.old)),
            (None, Change::Cell { .. } | Change::Unknown | Change::Removed) => false,
        }
    }

    /// For those of these that lie on other lines than the edit's, which of its lines have made them. Nothing where all lie on its own.
    pub(super) fn causes(&self, file: &Path, found: &[Violation]) -> Vec<Option<Since>> {
        let Some(Before::Text(before)) = (!found.is_empty()).then(|| self.before()) else {
            return Vec::new();
        };
        let after = files::read(file).ok().flatten().unwrap_or_default();
        let touched = Touched::between(before, &after);
        if found.iter().all(|found| touched.has(found.line)) {
            return Vec::new();
        }
        found.iter().map(|found| cause::of(found, &touched, before, &after)).collect()
    }

    /// Whether a line was there before and still is. Not known means not.
    pub(super) fn left_alone(&self, line: &str) -> bool {
        let line = line.trim();
        let before = agents::text_before(self.event);
        !line.is_empty() && before.is_some_and(|before| before.lines().any(|other| other.trim() == line))
    }
}

impl Past for Edited<'_> {
    fn before(&self) -> &Before {
        self.before.get_or_init(|| self.find())
    }
}

/// The text before a replacement, where that follows from the text after it.
fn undone(change: &Change, after: &str) -> Option<String> {
    let Change::Replace(parts) = change else { return None };
    let mut text = after.to_owned();
    for part in parts.iter().rev() {
        if part.new.is_empty() || part.old.is_empty() {
            return None;
        }
        if part.all {
            text = text.replace(&part.new, &part.old);
        } else {
            if text.matches(&part.new).count() != 1 {
                return None;
            }
            text = text.replacen(&part.new, &part.old, 1);
        }
    }
    (change.apply(&text).as_deref() == Some(after)).then_some(text)
}

/// The text that a session found, when it first edited a file.
pub(super) struct Found(Before);

impl Past for Found {
    fn before(&self) -> &Before {
        &self.0
    }
}

impl Service<'_> {
    /// Keeps the text before the session's first edit of a file, for what is looked at later.
    pub(super) fn remember(&self, session: &SessionId, edited: &Edited<'_>) {
        let place = open::place(self.project, session, edited.file).with_extension("before");
        if !session.is_known() || files::exists(&place) {
            return;
        }
        let text = match edited.before() {
            Before::Text(text) => text.as_str(),
            Before::New => "",
            Before::Unknown | Before::Asked => return,
        };
        if text.len() <= MOST {
            // Not kept, the whole file counts at the stop.
            let _ = files::create_dir(place.parent().unwrap_or(Path::new("/")));
            let _ = atomic::write(&place, text.as_bytes());
        }
    }

    pub(super) fn found_by(&self, session: &SessionId, file: &Path) -> Found {
        let place = open::place(self.project, session, file).with_extension("before");
        Found(match files::read(&place).ok().flatten() {
            Some(text) if text.is_empty() => Before::New,
            Some(text) => Before::Text(text),
            None => Before::Unknown,
        })
    }

    /// Of what a linter of whole projects says about one file: it cannot be asked about a text that is no more.
    pub(super) fn on_own_lines<'v>(
        &self,
        file: &Path,
        past: &dyn Past,
        found: impl Iterator<Item = &'v Violation>,
    ) -> Vec<Violation> {
        let Before::Text(before) = past.before() else { return found.cloned().collect() };
        let after = files::read(file).ok().flatten().unwrap_or_default();
        let touched = Touched::between(before, &after);
        found.filter(|found| self.loaded.config.boy_scout || touched.has(found.line)).cloned().collect()
    }

    /// Those violations that count for what was done to the file.
    pub(super) fn own(
        &self,
        run: &Run<'_>,
        plan: &Plan,
        past: &dyn Past,
        violations: Vec<Violation>,
    ) -> Vec<Violation> {
        if violations.is_empty() || self.loaded.config.boy_scout {
            return violations;
        }
        let Before::Text(before) = past.before() else { return violations };
        let after = files::read(run.file).ok().flatten().unwrap_or_default();
        let touched = Touched::between(before, &after);
        if touched.nothing() {
            return Vec::new();
        }
        let (own, others): (Vec<Violation>, Vec<Violation>) =
            violations.into_iter().partition(|found| touched.has(found.line));
        // Of what is on its lines only what is about the whole file can be older than the edit.
        let may_be_older =
            |found: &&Violation| is_syntax(found) || is_of_file(found) || is_unknown_name(found);
        let unsure = others.iter().chain(own.iter().filter(may_be_older));
        let mut names: Vec<&'static str> = unsure.map(|found| found.linter).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return own;
        }
        let (old, asked) = run.of_text(plan, &names, before);
        let was_broken = old.iter().any(is_syntax);
        let mut own = own;
        own.retain(|found| {
            let known = |other: &Violation| {
                is_of_file(other) && (other.linter, &other.code) == (found.linter, &found.code)
            };
            !(is_of_file(found) && old.iter().any(known))
        });
        own.retain(|found| (plan.hears(found) && !found.built_in) || !is_used_already(found, &old));
        let mut known = Known::of(&old, before);
        let mut all = own;
        for found in others {
            if !known.take(&found, &touched, &after) && asked.contains(&found.linter) {
                all.push(found);
            }
        }
        // What could not be read before is not the edit's doing, wherever the reader gives up now.
        all.retain(|found| !(was_broken && is_syntax(found)));
        all.sort();
        all
    }
}

/// Linters tell at the first place what is about the file as a whole: a missing notice, a missing docstring.
fn is_of_file(found: &Violation) -> bool {
    found.line <= 1 && found.column <= 1
}

/// A name that nothing in the file defines.
fn is_unknown_name(found: &Violation) -> bool {
    found.code == "F821"
}

/// A name that the file used before the edit without defining it: whoever runs the file puts it there (`_`, `spark`, `get_config`). In a project that
/// has chosen the linter its settings name such ones, and the linter itself knows them.
fn is_used_already(found: &Violation, old: &[Violation]) -> bool {
    is_unknown_name(found)
        && old.iter().any(|other| (&other.code, &other.message) == (&found.code, &found.message))
}

/// What was found before an edit, by rule and place, and by rule and the words on its line.
struct Known {
    by_line: HashMap<(String, u32), usize>,
    by_text: HashMap<(String, String), usize>,
}

impl Known {
    fn of(found: &[Violation], text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let (mut by_line, mut by_text) = (HashMap::new(), HashMap::new());
        for one in found {
            *by_line.entry((one.code.clone(), one.line)).or_insert(0) += 1;
            *by_text.entry((one.code.clone(), words(&lines, one.line).to_owned())).or_insert(0) += 1;
        }
        Self { by_line, by_text }
    }

    /// Whether a finding was there before. Each old one stands for one.
    fn take(&mut self, found: &Violation, touched: &Touched, after: &str) -> bool {
        let code = &found.code;
        let line = touched.line_before(found.line).unwrap_or(0);
        if let Some(count) = self.by_line.get_mut(&(code.clone(), line)).filter(|count| **count > 0) {
            *count -= 1;
            return true;
        }
        let lines: Vec<&str> = after.lines().collect();
        let key = (code.clone(), words(&lines, found.line).to_owned());
        let count = self.by_text.get_mut(&key).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    }
}

fn words<'t>(lines: &[&'t str], line: u32) -> &'t str {
    let index = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
    index.and_then(|index| lines.get(index)).map_or("", |line| line.trim())
}

#[cfg(test)]
mod tests {
    use model::Replacement;

    use super::*;

    fn part(old: &str, new: &str, all: bool) -> Replacement {
        Replacement { old: old.into(), new: new.into(), all }
    }

    #[test]
    fn a_replacement_is_undone_where_it_can_be() {
        let change = Change::Replace(vec![part("a", "b", false)]);
        assert_eq!(undone(&change, "x b y\n").as_deref(), Some("x a y\n"));
        assert_eq!(undone(&change, "b b\n"), None, "it could be either");
        assert_eq!(undone(&Change::Replace(vec![part("a", "", false)]), "x\n"), None);
        let two = Change::Replace(vec![part("a", "b", false), part("c", "d", false)]);
        assert_eq!(undone(&two, "b d\n").as_deref(), Some("a c\n"));
    }
}
