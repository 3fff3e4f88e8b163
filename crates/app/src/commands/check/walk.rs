//! The files of a project that git does not ignore, by our own look at the ignore files: a clone may have a FIFO or a device in
//! the place of one, and the walker of the crate `ignore` would wait for it. Its patterns are used all the same.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use state::{files, git};

/// Read in a folder, the one that counts more first.
const NAMES: [&str; 2] = [".ignore", ".gitignore"];

/// What the ignore files of a folder say, and those above it.
struct Rules {
    here: Vec<Gitignore>,
    above: Option<Rc<Rules>>,
}

impl Rules {
    fn of(dir: &Path, above: Option<Rc<Rules>>) -> Rc<Self> {
        let here = NAMES.iter().filter_map(|name| patterns(dir, &dir.join(name))).collect();
        Rc::new(Self { here, above })
    }

    /// The nearest word about a path.
    fn leave_out(&self, path: &Path, is_dir: bool) -> bool {
        for rules in &self.here {
            match rules.matched(path, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        self.above.as_ref().is_some_and(|above| above.leave_out(path, is_dir))
    }
}

/// The patterns in a file, for what lies below `dir`; none where there is no such file, or nothing that can be read as one.
pub(super) fn patterns(dir: &Path, file: &Path) -> Option<Gitignore> {
    let text = files::read(file).ok().flatten()?;
    let mut builder = GitignoreBuilder::new(dir);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A pattern that is none ignores nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

/// Everything below `starts` that is not ignored. Names that begin with a dot count, git's own folder does not; links are not
/// followed.
pub(super) fn walk(starts: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for start in starts {
        if files::is_file(start) {
            found.push(start.clone());
            continue;
        }
        let mut open = vec![(start.clone(), above(start))];
        while let Some((dir, above)) = open.pop() {
            let rules = Rules::of(&dir, Some(above));
            for entry in files::entries(&dir) {
                if entry.path.file_name().is_some_and(|name| name == ".git") {
                    continue;
                }
                if rules.leave_out(&entry.path, entry.is_dir) {
                    continue;
                }
                if entry.is_dir {
                    open.push((entry.path, Rc::clone(&rules)));
                } else if entry.is_file {
                    found.push(entry.path);
                }
            }
        }
    }
    found
}

/// What holds for a folder from outside of it: the user's own patterns, the repository's, and those of the folders above.
fn above(start: &Path) -> Rc<Rules> {
    let (mine, _) = Gitignore::global();
    let mut rules = Rc::new(Rules { here: vec![mine], above: None });
    let Some(repository) = git::Repository::find(start) else { return rules };
    let exclude = repository.common_dir.join("info/exclude");
    rules = Rc::new(Rules {
        here: patterns(&repository.root, &exclude).into_iter().collect(),
        above: Some(rules),
    });
    let mut folders: Vec<&Path> =
        start.ancestors().skip(1).take_while(|dir| dir.starts_with(&repository.root)).collect();
    folders.reverse();
    folders.into_iter().fold(rules, |above, dir| Rules::of(dir, Some(above)))
}
