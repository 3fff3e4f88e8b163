//! Rules that users write, from their files to the book that a hook reads: `state::rules` knows the files and keeps the book, `checks::rules`
//! knows rules; here they meet. The first hook after a change makes the book anew.

use checks::rules::{Written, parse};
use model::Problem;
use model::rule::{Author, Book, Rule};
use serde_json::{Map, Value as Json};
use state::config::Loaded;
use state::rules::{Kept, Others, Source, Trouble};
use state::{Machine, Project, rules, trust};

/// The rules that count here; `None` where nobody has written any. What is wrong with them is added to the other problems.
pub(crate) fn in_force(machine: &Machine, project: &Project, loaded: &mut Loaded) -> Option<Book> {
    let (book, troubles) = match rules::kept(machine, project, Others::of(loaded)) {
        Kept::Nothing => return None,
        Kept::Fresh(book, troubles) => (book, troubles),
        Kept::Stale => {
            let (sources, watched) = rules::sources(machine, project, Others::of(loaded));
            let made = Made::of(machine, project, sources);
            let book = made.book();
            // Where it cannot be kept, the next hook makes it again; the full disk is said elsewhere.
            let _ = rules::keep(project, &watched, &book, &made.troubles);
            (book, made.troubles)
        }
    };
    for trouble in troubles {
        if let Trouble::Broken(text) = &trouble {
            loaded.stale.push(text.clone());
        }
        let untrusted = matches!(trouble, Trouble::Waits(_));
        loaded.problems.push(Problem { text: trouble.text().to_owned(), untrusted });
    }
    (!book.is_empty()).then_some(book)
}

/// The same with other rules besides, for trying them.
pub(crate) fn with(machine: &Machine, project: &Project, loaded: &Loaded, more: &[Rule]) -> Option<Book> {
    let (sources, _) = rules::sources(machine, project, Others::of(loaded));
    let made = Made::of(machine, project, sources);
    let mut all: Vec<Rule> = made.counting().cloned().collect();
    // One of the same name is tried in place of it.
    all.retain(|rule| !more.iter().any(|new| new.id == rule.id));
    all.extend_from_slice(more);
    (!all.is_empty()).then(|| Book::new(&all))
}

/// A rule, and whether it counts.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(crate) written: Written,
    /// It waits for the user's trust.
    pub(crate) waits: bool,
}

/// All rules of all files.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) rules: Vec<Standing>,
    pub(crate) troubles: Vec<Trouble>,
}

impl Made {
    /// Everything that is written here, now.
    pub(crate) fn here(machine: &Machine, project: &Project, loaded: &Loaded) -> Self {
        let (sources, _) = rules::sources(machine, project, Others::of(loaded));
        Self::of(machine, project, sources)
    }

    fn of(machine: &Machine, project: &Project, sources: Vec<Source>) -> Self {
        let mut made = Self::default();
        let trusted = trust::recorded_rules(machine, project);
        let mut waiting: Vec<String> = Vec::new();
        for source in sources {
            for written in made.read(machine, &source) {
                let waits = waits(&written, &trusted);
                waiting.extend(waits.then(|| written.rule.id.clone()));
                made.rules.push(Standing { written, waits });
            }
        }
        if !waiting.is_empty() {
            made.troubles.push(Trouble::Waits(format!(
                "rules of this project that allow, rewrite or speak to the agent are ignored until you run `plimsoll trust`: {}",
                waiting.join(", ")
            )));
        }
        made
    }

    /// The rules of one file; those of its last good form where it has a mistake.
    fn read(&mut self, machine: &Machine, source: &Source) -> Vec<Written> {
        let file = source.file.to_string_lossy();
        let (fault, text) = match &source.text {
            Ok(text) => match parse(text, source.by, &file) {
                Ok(written) => {
                    // Not worth stopping for: without it a later mistake costs the rules, and is said.
                    let _ = rules::keep_good(machine, &source.file, text);
                    return written;
                }
                Err(fault) => (fault.to_string(), rules::last_good(machine, &source.file)),
            },
            Err(error) => (format!("it cannot be read: {error}"), rules::last_good(machine, &source.file)),
        };
        let last = text.and_then(|text| parse(&text, source.by, &file).ok());
        let so = if last.is_some() {
            "its last good rules stay in force until it is fixed"
        } else {
            "the file is ignored until it is fixed"
        };
        self.troubles.push(Trouble::Broken(format!("{file}: {fault}; {so}")));
        last.unwrap_or_default()
    }

    /// The rules that count.
    pub(crate) fn counting(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|standing| !standing.waits).map(|standing| &standing.written.rule)
    }

    pub(crate) fn book(&self) -> Book {
        Book::new(&self.counting().cloned().collect::<Vec<_>>())
    }

    /// What trust is asked for: every rule of the project that needs it, trusted or not.
    pub(crate) fn bound(&self) -> Map<String, Json> {
        let bound = self.rules.iter().filter(|standing| needs_trust(&standing.written));
        bound
            .map(|standing| (standing.written.rule.id.clone(), standing.written.text.clone().into()))
            .collect()
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.rules.iter().any(|standing| standing.waits)
    }
}

fn needs_trust(written: &Written) -> bool {
    written.rule.by == Author::Project && written.rule.then.needs_trust()
}

fn waits(written: &Written, trusted: &Map<String, Json>) -> bool {
    needs_trust(written)
        && trusted.get(&written.rule.id).and_then(Json::as_str) != Some(written.text.as_str())
}
