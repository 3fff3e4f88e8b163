//! How a file differs from the last commit, told from its bytes without starting git.
//!
//! A glance names the paths that may differ. For most of them git would only compare bytes: a file that it looks after has the text that the
//! index names, or another; a new one is ignored by some list, or by none. Whatever depends on more than that (line ends, filters, links,
//! a pattern that may mean the file) is left to git.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use model::ChangeKind;
use sha1::{Digest as _, Sha1};

use super::Repository;
use super::changes::Dirty;
use super::glob;
use super::index::{Entry, Index};
use crate::{Machine, files};

/// Larger files are read by git.
const LARGEST: u64 = 4 * 1024 * 1024;
/// New files in new folders; with more it is quicker to ask git.
const MOST: usize = 100;

/// What could be told about the paths of a glance.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) dirty: BTreeMap<String, Dirty>,
    /// Files that are as they were committed.
    pub(super) clean: Vec<String>,
    /// Left to git.
    pub(super) open: Vec<String>,
}

/// What lies around a work tree and decides how git reads it.
pub(super) struct Around<'a> {
    root: &'a Path,
    repository: &'a Repository,
    /// Filters, encodings and marks may change what a file's bytes are in a commit.
    changes_bytes: bool,
    /// The user's settings name another list of ignored files than the usual.
    ignores_elsewhere: bool,
    /// Patterns of the lists that hold for the whole work tree.
    ignored: Vec<Pattern>,
}

const ATTRIBUTES_FILE: &[u8] = b".gitattributes";
/// Words without which attributes change no bytes but line ends.
const ATTRIBUTES: &[&str] = &["filter", "ident", "working-tree-encoding", "[attr]"];

impl<'a> Around<'a> {
    pub(super) fn of(machine: &Machine, root: &'a Path, repository: &'a Repository, index: &Index) -> Self {
        let text = |path: &Path| files::read(path).ok().flatten().unwrap_or_default().to_ascii_lowercase();
        let home = machine.home();
        let own = |name: &str| home.iter().map(|home| home.join(name)).collect::<Vec<_>>();
        let settings = [own(".gitconfig"), own(".config/git/config"), vec!["/etc/gitconfig".into()]].concat();
        let settings: Vec<String> =
            settings.iter().chain([&repository.common_dir.join("config")]).map(|path| text(path)).collect();
        let says = |word: &str| settings.iter().any(|text| text.contains(word));
        // Settings from the environment, or from files that those include, may say anything.
        let unseen = super::command::has_settings_elsewhere() || says("[include");
        let all = index.entries.iter().map(|entry| index.path(entry));
        let below = all.filter(|path| path.ends_with(ATTRIBUTES_FILE));
        let below = below.filter_map(|path| Some(root.join(std::str::from_utf8(path).ok()?)));
        let attributes = below
            .chain([root.join(".gitattributes"), repository.common_dir.join("info/attributes")])
            .chain(own(".config/git/attributes"))
            .chain([PathBuf::from("/etc/gitattributes")]);
        let changes_bytes = unseen
            || says("attributesfile")
            || attributes
                .map(|path| text(&path))
                .any(|text| ATTRIBUTES.iter().any(|word| text.contains(word)));
        let lists = [vec![repository.common_dir.join("info/exclude")], own(".config/git/ignore")].concat();
        Self {
            root,
            repository,
            changes_bytes,
            ignores_elsewhere: unseen || says("excludesfile"),
            ignored: lists.iter().flat_map(|path| patterns(path)).collect(),
        }
    }

    /// Tells what can be told about these paths.
    pub(super) fn settle(&self, paths: &[String], index: &Index) -> Settled {
        let mut settled = Settled::default();
        for path in paths {
            let known = match index.find(path.as_bytes()) {
                Some(entry) => self.tracked(path, (index, entry), &mut settled),
                // Something else lies in place of a folder.
                None if index.has_below(path.as_bytes()) => None,
                None => self.untracked(path, &mut settled),
            };
            if known.is_none() {
                settled.open.push(path.clone());
            }
        }
        settled
    }

    /// A file that git looks after.
    fn tracked(&self, path: &str, (index, entry): (&Index, &Entry), settled: &mut Settled) -> Option<()> {
        let changed = |kind| Dirty { kind, in_head: true, staged: false, untracked: false };
        let file = self.root.join(path);
        let meta = match file.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) => {
                return (error.kind() == io::ErrorKind::NotFound).then(|| {
                    settled.dirty.insert(path.to_owned(), changed(ChangeKind::Deleted));
                });
            }
        };
        if self.changes_bytes || !meta.is_file() || meta.len() > LARGEST || !index.is_file(entry, &meta) {
            return None;
        }
        let bytes = files::read_bytes(&file).ok()?;
        // Line ends may be changed on the way.
        if bytes.contains(&b'\r') {
            return None;
        }
        let id = Sha1::new().chain_update(format!("blob {}\0", bytes.len())).chain_update(&bytes).finalize();
        if id[..] == *index.id(entry) {
            settled.clean.push(path.to_owned());
        } else {
            settled.dirty.insert(path.to_owned(), changed(ChangeKind::Modified));
        }
        Some(())
    }

    /// A file or a folder of which git knows nothing: new, where no list can mean it.
    fn untracked(&self, path: &str, settled: &mut Settled) -> Option<()> {
        if self.ignores_elsewhere {
            return None;
        }
        let mut found = Vec::new();
        let lists = self.lists_above(path)?;
        self.below(path, &lists, &mut found)?;
        for path in found {
            let dirty = Dirty { kind: ChangeKind::New, in_head: false, staged: true, untracked: true };
            settled.dirty.insert(path, dirty);
        }
        Some(())
    }

    /// The patterns of the lists in the folders above a path.
    fn lists_above(&self, path: &str) -> Option<Vec<Pattern>> {
        let mut all = self.ignored.clone();
        let mut dir = self.root.to_owned();
        all.extend(patterns(&dir.join(".gitignore")));
        let (above, _) = path.rsplit_once('/').unwrap_or_default();
        for part in above.split('/').filter(|part| !part.is_empty()) {
            dir.push(part);
            // A repository of its own, or a link, is git's to judge.
            if dir.join(".git").symlink_metadata().is_ok() || dir.is_symlink() {
                return None;
            }
            all.extend(patterns(&dir.join(".gitignore")));
        }
        Some(all)
    }

    /// The files at or below a path; `None` where one of them may be ignored, or where it takes git to know.
    fn below(&self, path: &str, lists: &[Pattern], found: &mut Vec<String>) -> Option<()> {
        // What we keep for ourselves is nobody's work, and is kept out of git.
        if path.starts_with(".claude/") && model::changes::is_record(path) {
            return Some(());
        }
        if lists.iter().any(|pattern| pattern.may_mean(path)) || path.contains('\n') {
            return None;
        }
        let file = self.root.join(path);
        let meta = file.symlink_metadata().ok()?;
        if !meta.is_dir() {
            found.push(path.to_owned());
            return (found.len() <= MOST && (meta.is_file() || meta.is_symlink())).then_some(());
        }
        if file == self.repository.git_dir || file.join(".git").symlink_metadata().is_ok() {
            return None;
        }
        let own = patterns(&file.join(".gitignore"));
        let lists = [lists, &own].concat();
        for entry in std::fs::read_dir(&file).ok()? {
            let name = entry.ok()?.file_name();
            self.below(&format!("{path}/{}", name.to_str()?), &lists, found)?;
        }
        Some(())
    }
}

/// A line of a list of ignored files, as far as it is looked at: its last name, in small letters, and how many folders it names before.
#[derive(Clone, Debug)]
struct Pattern {
    name: String,
    folders: usize,
}

impl Pattern {
    fn of(line: &str) -> Self {
        let line = line.trim().trim_start_matches('!').trim_end_matches('/');
        let (before, name) = line.rsplit_once('/').unwrap_or(("", line));
        let name = name.to_lowercase();
        // What is written in a way that is not read here may mean everything.
        let is_plain = !name.chars().all(|c| c == '*') && !line.contains('\\') && !name.contains("[[");
        let folders = before.split('/').filter(|part| !part.is_empty() && *part != "**").count();
        if is_plain { Self { name, folders } } else { Self::EVERYTHING.clone() }
    }

    const EVERYTHING: &'static Self = &Self { name: String::new(), folders: 0 };

    /// Whether it may mean this path, or a folder above it: more than it does, and never less.
    fn may_mean(&self, path: &str) -> bool {
        let mut names = path.split('/').skip(self.folders);
        self.name.is_empty() || names.any(|name| glob::matches(&self.name, &name.to_lowercase()))
    }
}

fn patterns(list: &Path) -> Vec<Pattern> {
    match files::read(list) {
        Ok(text) => {
            let text = text.unwrap_or_default();
            text.lines()
                .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
                .map(Pattern::of)
                .collect()
        }
        // One that cannot be read may mean everything.
        Err(_) => vec![Pattern::EVERYTHING.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_may_mean_more_than_it_does_and_never_less() {
        for (pattern, path, may) in [
            ("*.log", "a/b.log", true),
            ("*.log", "a.log/c.py", true),
            ("build/", "build/a.py", true),
            ("build", "src/rebuild.py", false),
            (".*", ".claude/settings.json", true),
            (".claude/.*", ".claude/settings.json", false),
            (".claude/.*", ".claude/.x", true),
            ("**/.claude/.*", "a/.claude/.x", true),
            ("/a.py", "a.py", true),
            ("**/a.py", "a.py", true),
            ("*.ts", "src/A.TS", true),
            ("*.ts", "src/a.py", false),
            ("*", "a.py", true),
            ("folder/**", "folder/a.py", true),
            ("!a.py", "a.py", true),
            ("a\\ b", "other.py", true),
        ] {
            assert_eq!(Pattern::of(pattern).may_mean(path), may, "{pattern} {path}");
        }
    }
}
