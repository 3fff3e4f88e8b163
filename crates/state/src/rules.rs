//! Files of rules that users write, and the one form in which a hook reads them: a cache in the project's records, which is made anew by
//! the first hook after any of the files has changed.
//!
//! Whoever knows rules (`checks::rules`) makes the book; this file knows where the texts lie and whether the book is still theirs.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use model::rule::{Author, Book};

use crate::config::{Layer, Loaded, Policy};
use crate::{Machine, Project, atomic, files, sha256, trust};

/// What the cache begins with: another version, another cache. Then the length of the head, which has a name and a stamp for everything
/// that has to be the same, and the troubles; then the book. Every hook reads it, so nothing in it has to be taken apart to be compared.
const MAGIC: &[u8] = concat!("plimsoll rules of ", env!("CARGO_PKG_VERSION"), ", 2\n").as_bytes();

/// A file that has changed so recently may change again without a trace.
const TICK: u64 = 50_000_000;

/// More files than these are not read from one folder.
const MOST_FILES: usize = 200;

/// Whose rules count here besides the user's and the project's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Others<'a> {
    /// Files and folders that settings name.
    pub named: &'a [String],
    /// They do not stand in the user's own settings, but above them.
    pub by_policy: bool,
    pub policy: Option<&'a Policy>,
}

impl<'a> Others<'a> {
    pub fn of(loaded: &'a Loaded) -> Self {
        Self {
            named: &loaded.config.rules_shared,
            by_policy: loaded.source("rules.shared") >= Layer::Policy,
            policy: loaded.policy.as_ref(),
        }
    }

    /// Where a file comes from: a policy's has another place with each commit.
    fn origin(&self, file: &Path) -> PathBuf {
        match self.policy {
            Some(policy) if policy.rules() == file => policy.checkout.join("rules.toml"),
            _ => file.to_owned(),
        }
    }
}

/// A file with rules, as it is now.
#[derive(Debug)]
pub struct Source {
    pub by: Author,
    /// What people know it by, and what its last good form is kept by.
    pub file: PathBuf,
    pub text: io::Result<String>,
}

/// What is known of the rules here.
#[derive(Debug)]
pub enum Kept {
    /// Nobody has written any.
    Nothing,
    /// As they were made of the files that are there now, with what is wrong with those.
    Fresh(Book, Vec<Trouble>),
    /// They have to be made.
    Stale,
}

/// Something that is not in force as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A file that cannot be read as rules.
    Broken(String),
    /// Rules of the project that wait for trust.
    Waits(String),
    /// Anything else.
    Odd(String),
}

impl Trouble {
    pub fn text(&self) -> &str {
        match self {
            Trouble::Broken(text) | Trouble::Waits(text) | Trouble::Odd(text) => text,
        }
    }

    fn letter(&self) -> u8 {
        match self {
            Trouble::Broken(_) => b'b',
            Trouble::Waits(_) => b'w',
            Trouble::Odd(_) => b'o',
        }
    }

    fn read(letter: u8, text: &str) -> Option<Self> {
        let text = text.to_owned();
        Some(match letter {
            b'b' => Trouble::Broken(text),
            b'w' => Trouble::Waits(text),
            b'o' => Trouble::Odd(text),
            _ => return None,
        })
    }
}

/// Where rules may lie: files, and folders of them.
fn places(machine: &Machine, project: &Project, others: Others<'_>) -> Vec<(Author, PathBuf)> {
    let mut found = Vec::with_capacity(5 + others.named.len());
    let home = machine.home();
    if let Some(home) = &home {
        let hooks = home.join(".claude/hooks");
        found.push((Author::User, hooks.join("rules.toml")));
        found.push((Author::User, hooks.join("rules.d")));
    }
    // In a home that is itself the project, they are the user's.
    if home.as_deref() != Some(project.root.as_path()) {
        let hooks = project.root.join(".claude/hooks");
        found.push((Author::Project, hooks.join("rules.toml")));
        found.push((Author::Project, hooks.join("rules.d")));
    }
    for named in others.named {
        // From the home, not from wherever an agent happens to be.
        let base = home.as_deref().unwrap_or(Path::new("/"));
        let by = if others.by_policy { Author::Policy } else { Author::Shared };
        found.push((by, model::path::absolute(Path::new(named), base, home.as_deref())));
    }
    found.extend(others.policy.map(|policy| (Author::Policy, policy.rules())));
    found
}

fn cache(project: &Project) -> PathBuf {
    project.records.join("rules.cache")
}

/// Number, size and time of a file or folder; nothing where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp([u64; 3]);

impl Stamp {
    fn of(path: &Path) -> Self {
        let Ok(meta) = path.metadata() else { return Self::default() };
        let time = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&meta);
        #[cfg(not(unix))]
        let number = 1;
        Self([number, meta.len(), time.map_or(0, |at| u64::try_from(at.as_nanos()).unwrap_or(0))])
    }
}

/// A path as it stands in the cache. One that is no text is no path that is there, so such a cache is made again each time.
fn name(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// The rules as they were made last, where the files are still the same. Where there are none, a look at five places is all.
pub fn kept(machine: &Machine, project: &Project, others: Others<'_>) -> Kept {
    let places = places(machine, project, others);
    // The cache first: it looks at the places itself.
    if let Some(kept) = read_cache(project, &places) {
        return kept;
    }
    if places.iter().any(|(_, path)| path.symlink_metadata().is_ok()) { Kept::Stale } else { Kept::Nothing }
}

fn read_cache(project: &Project, places: &[(Author, PathBuf)]) -> Option<Kept> {
    let bytes = files::read_bytes(&cache(project)).ok()?;
    let mut head = bytes.strip_prefix(MAGIC)?;
    let length = number(&mut head)?;
    let start = MAGIC.len() + 8 + length;
    head = head.get(..length)?;
    let mut seen = places.iter();
    for _ in 0..number(&mut head)? {
        let path = text(&mut head)?;
        let kept = Stamp([word(&mut head)?, word(&mut head)?, word(&mut head)?]);
        let path = match seen.next() {
            Some((_, place)) if name(place) == path => place.as_path(),
            Some(_) => return None,
            None => Path::new(path),
        };
        if Stamp::of(path) != kept {
            return None;
        }
    }
    // A place that was not looked at then.
    if seen.next().is_some() {
        return None;
    }
    let mut troubles = Vec::new();
    while let Some((letter, rest)) = head.split_first() {
        head = rest;
        troubles.push(Trouble::read(*letter, text(&mut head)?)?);
    }
    Some(Kept::Fresh(Book::from_bytes(bytes, start)?, troubles))
}

fn word(from: &mut &[u8]) -> Option<u64> {
    let (first, rest) = from.split_first_chunk::<8>()?;
    *from = rest;
    Some(u64::from_le_bytes(*first))
}

fn number(from: &mut &[u8]) -> Option<usize> {
    usize::try_from(word(from)?).ok()
}

fn text<'a>(from: &mut &'a [u8]) -> Option<&'a str> {
    let length = number(from)?;
    let (first, rest) = from.split_at_checked(length)?;
    *from = rest;
    std::str::from_utf8(first).ok()
}

fn put(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Everything that has to be the same for the rules to be the same: the places first, in their order.
#[derive(Debug)]
pub struct Watched {
    all: Vec<(String, Stamp)>,
    /// One of them is so young that it could change without a trace.
    young: bool,
}

/// All files of rules that are there, and what to remember of them.
pub fn sources(machine: &Machine, project: &Project, others: Others<'_>) -> (Vec<Source>, Watched) {
    let places = places(machine, project, others);
    let now = u64::try_from(machine.nanos()).unwrap_or(u64::MAX);
    let mut all = Vec::new();
    let mut watch = |path: &Path| all.push((name(path).into_owned(), Stamp::of(path)));
    places.iter().for_each(|(_, path)| watch(path));
    watch(&trust::file(machine));
    let mut found = Vec::new();
    for (by, path) in places {
        if path.is_dir() {
            let mut inner: Vec<PathBuf> =
                path.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            inner.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
            inner.sort();
            for file in inner.into_iter().take(MOST_FILES) {
                watch(&file);
                found.push(source(by, &file, file.clone()));
            }
        } else if path.symlink_metadata().is_ok() {
            found.push(source(by, &path, others.origin(&path)));
        }
    }
    let young = all.iter().any(|(_, Stamp([_, _, time]))| time.saturating_add(TICK) > now);
    (found, Watched { all, young })
}

fn source(by: Author, place: &Path, file: PathBuf) -> Source {
    let text = files::read_bytes(place).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
    });
    Source { by, file, text }
}

/// Keeps the rules for the hooks to come. What is too young to be known by its time is not kept: the next hook looks again.
pub fn keep(project: &Project, watched: &Watched, book: &Book, troubles: &[Trouble]) -> io::Result<()> {
    if watched.young {
        return Ok(());
    }
    let mut head = (watched.all.len() as u64).to_le_bytes().to_vec();
    for (name, Stamp(words)) in &watched.all {
        put(name, &mut head);
        words.iter().for_each(|word| head.extend_from_slice(&word.to_le_bytes()));
    }
    for trouble in troubles {
        head.push(trouble.letter());
        put(&trouble.text().replace(['\n', '\r'], " "), &mut head);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
    bytes.extend(head);
    bytes.extend_from_slice(book.as_bytes());
    atomic::write_cache(&cache(project), &bytes)
}

fn good(machine: &Machine, file: &Path) -> PathBuf {
    let name = sha256(file.to_string_lossy().as_bytes());
    machine.state_dir().join("rules").join(format!("{}.toml", name.short()))
}

/// What a file said when it was last without a mistake.
pub fn last_good(machine: &Machine, file: &Path) -> Option<String> {
    files::read(&good(machine, file)).ok().flatten()
}

/// Remembers that.
pub fn keep_good(machine: &Machine, file: &Path, text: &str) -> io::Result<()> {
    let copy = good(machine, file);
    if files::read(&copy).ok().flatten().as_deref() == Some(text) {
        return Ok(());
    }
    atomic::write(&copy, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_lasts_until_a_file_changes() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (home, root) = (base.join("home"), base.join("p"));
        let text = |path: &Path| path.to_string_lossy().into_owned();
        for folder in [home.join(".claude/hooks/rules.d"), root.join(".claude/hooks")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::remove_dir(home.join(".claude/hooks/rules.d")).unwrap();
        let state = text(&base.join("state"));
        let machine = Machine::with(&[("HOME", &text(&home)), ("PLIMSOLL_STATE_DIR", &state)], &root);
        let project = Project::at(&machine, root.clone());
        let nobody = Others::default();
        assert!(matches!(kept(&machine, &project, nobody), Kept::Nothing));

        let file = root.join(".claude/hooks/rules.toml");
        std::fs::write(&file, "").unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
        assert!(matches!(kept(&machine, &project, nobody), Kept::Stale));
        let make = || {
            let (found, watched) = sources(&machine, &project, nobody);
            keep(&project, &watched, &Book::new(&[]), &[Trouble::Odd("x\ny".into())]).unwrap();
            found.len()
        };
        assert_eq!(make(), 1);
        let Kept::Fresh(_, troubles) = kept(&machine, &project, nobody) else { panic!("it was just made") };
        assert_eq!(troubles, [Trouble::Odd("x y".into())]);

        // Another place, another file in a folder, another text: each makes it anew.
        let named = ["/somewhere".to_owned()];
        assert!(matches!(kept(&machine, &project, Others { named: &named, ..nobody }), Kept::Stale));
        std::fs::write(&file, "# changed\n").unwrap();
        assert!(matches!(kept(&machine, &project, nobody), Kept::Stale));
        std::fs::create_dir(home.join(".claude/hooks/rules.d")).unwrap();
        std::fs::write(home.join(".claude/hooks/rules.d/a.toml"), "").unwrap();
        std::fs::write(home.join(".claude/hooks/rules.d/notes.md"), "").unwrap();
        assert_eq!(make(), 2);
        // Both are too young to be known by their times.
        assert!(matches!(kept(&machine, &project, nobody), Kept::Stale));
    }
}
