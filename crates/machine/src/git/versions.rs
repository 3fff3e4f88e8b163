//! What differs between two versions of a repository's files, and which commit a word stands for.

use std::collections::BTreeMap;

use model::{Incoming, Unknown, What};

use super::Repository;
use super::objects::{Id, Kind, Objects, bytes, hex};
use crate::files;

/// Names that one question may come to.
const MOST: usize = 10_000;
/// Files of one version.
const MOST_FILES: usize = 200_000;
/// Folders in folders.
const DEEPEST: usize = 200;
/// Of a file whose text is asked for.
const LONGEST_FILE: usize = 256 * 1024;
/// Steps back from a commit.
const MOST_STEPS: usize = 1000;

const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
const REPOSITORY: u32 = 0o160_000;

/// What comes and goes on the way from one version to the other; `Ok(None)` where one of them is not there. No version at all, "",
/// has no files.
pub fn version_changes(
    repository: &Repository,
    from: &str,
    to: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Option<Vec<Incoming>>, Unknown> {
    // With these, git reads other objects than those that are named.
    if has_replacements(repository) {
        return Err(Unknown("git: objects are replaced here".into()));
    }
    let reader = Reader { repository, objects: Objects::of(repository), wanted };
    let mut trees = Vec::new();
    for version in [from, to] {
        match version {
            "" => trees.push(None),
            version => match reader.tree_of(version)? {
                None => return Ok(None),
                tree => trees.push(tree),
            },
        }
    }
    let mut found = Vec::new();
    reader.compare(trees[0].as_deref(), trees[1].as_deref(), "", 0, &mut found)?;
    Ok(Some(found))
}

/// Every file of a version by its name, with the name of its content; `Ok(None)` where there is no such version.
pub fn version_files(
    repository: &Repository,
    version: &str,
) -> Result<Option<BTreeMap<Vec<u8>, String>>, Unknown> {
    if has_replacements(repository) {
        return Err(Unknown("git: objects are replaced here".into()));
    }
    let reader = Reader { repository, objects: Objects::of(repository), wanted: &|_| false };
    let Some(tree) = reader.tree_of(version)? else { return Ok(None) };
    let mut found = BTreeMap::new();
    let mut open = vec![(Vec::new(), tree, 0)];
    while let Some((within, tree, depth)) = open.pop() {
        if depth > DEEPEST || found.len() > MOST_FILES {
            return Err(Unknown("git: too many files".into()));
        }
        for (name, (mode, id)) in reader.entries(Some(&tree))? {
            let path = [within.as_slice(), &name].concat();
            match mode {
                FOLDER => open.push(([path.as_slice(), b"/"].concat(), id, depth + 1)),
                REPOSITORY => {}
                _ => drop(found.insert(path, hex(&id))),
            }
        }
    }
    Ok(Some(found))
}

fn has_replacements(repository: &Repository) -> bool {
    !files::list(&repository.common_dir.join("refs/replace")).is_empty()
        || files::exists(&repository.common_dir.join("info/grafts"))
        || files::read(&repository.common_dir.join("packed-refs"))
            .ok()
            .flatten()
            .is_some_and(|text| text.contains("refs/replace/"))
}

struct Reader<'a> {
    repository: &'a Repository,
    objects: Objects,
    wanted: &'a dyn Fn(&str) -> bool,
}

/// A folder's files: mode and name of the object.
type Entries = BTreeMap<Vec<u8>, (u32, Id)>;

impl Reader<'_> {
    fn tree_of(&self, version: &str) -> Result<Option<Id>, Unknown> {
        let Some(mut id) = self.commit(version)? else { return Ok(None) };
        // A tag is of a commit, a commit has a tree.
        for _ in 0..8 {
            let (kind, content) = self.objects.read(&id)?;
            id = match kind {
                Kind::Tree => return Ok(Some(id)),
                Kind::Commit => named(&content, "tree", 0),
                Kind::Tag => named(&content, "object", 0),
                Kind::Blob => None,
            }
            .ok_or_else(|| Unknown("git: this is not a version of the files".into()))?;
        }
        Err(Unknown("git: tags upon tags".into()))
    }

    /// The object that a word stands for: a name, and steps from there.
    fn commit(&self, version: &str) -> Result<Option<Id>, Unknown> {
        let strange = || Unknown(format!("git: {version} is not read here"));
        let end = version.find(['^', '~']).unwrap_or(version.len());
        let (base, mut steps) = version.split_at(end);
        let Some(mut id) = self.base(base)? else { return Ok(None) };
        while let Some(sign) = steps.chars().next() {
            steps = &steps[1..];
            if sign == '^' && steps.starts_with('{') {
                let (kind, rest) = steps[1..].split_once('}').ok_or_else(strange)?;
                // What it leads to in the end is looked for anyway.
                steps = Some(rest).filter(|_| matches!(kind, "" | "commit" | "tree")).ok_or_else(strange)?;
                continue;
            }
            let digits = steps.find(|c: char| !c.is_ascii_digit()).unwrap_or(steps.len());
            let (number, rest) = steps.split_at(digits);
            let number: usize = if number.is_empty() { 1 } else { number.parse().map_err(|_| strange())? };
            steps = rest;
            let (count, parent) = match sign {
                '~' => (number, 1),
                '^' if number == 0 => (0, 1),
                '^' => (1, number),
                _ => return Err(strange()),
            };
            if count > MOST_STEPS {
                return Err(strange());
            }
            for _ in 0..count {
                let Some(next) = self.parent(&id, parent)? else { return Ok(None) };
                id = next;
            }
        }
        Ok(Some(id))
    }

    fn parent(&self, id: &[u8], number: usize) -> Result<Option<Id>, Unknown> {
        let mut id = id.to_vec();
        for _ in 0..8 {
            let (kind, content) = self.objects.read(&id)?;
            match kind {
                Kind::Tag => id = named(&content, "object", 0).unwrap_or_default(),
                _ => return Ok(named(&content, "parent", number - 1)),
            }
        }
        Ok(None)
    }

    /// A name without steps: a reference, an earlier value of one, or an object's own name, whole or its beginning.
    fn base(&self, name: &str) -> Result<Option<Id>, Unknown> {
        if files::exists(&self.repository.common_dir.join("reftable")) {
            return Err(Unknown("git: its references are in a form that is not read here".into()));
        }
        if let Some((reference, rest)) = name.split_once("@{") {
            let number = rest.strip_suffix('}').and_then(|number| number.parse::<usize>().ok());
            let number = number.ok_or_else(|| Unknown(format!("git: {name} is not read here")))?;
            return Ok(self.earlier(reference, number));
        }
        let plain = |c: char| c.is_alphanumeric() || "/._-+#=%,@".contains(c);
        if name.is_empty() || name.contains("..") || name.starts_with(['/', '-']) || !name.chars().all(plain)
        {
            return Err(Unknown(format!("git: {name} is not read here")));
        }
        let name = if name == "@" { "HEAD" } else { name };
        if let Some(id) = self.reference(name) {
            return Ok(Some(id));
        }
        let digits = name.len() >= 4 && name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if digits {
            let name = name.to_ascii_lowercase();
            return match bytes(&name).filter(|id| matches!(id.len(), 20 | 32)) {
                Some(id) => Ok(Some(id)),
                None => self.objects.abbreviated(&name),
            };
        }
        // What the only remote has under that name.
        Ok(self.reference(&format!("refs/remotes/origin/{name}")))
    }

    fn reference(&self, name: &str) -> Option<Id> {
        let places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
        let heads = [format!("refs/remotes/{name}/HEAD")];
        let mut names = places.iter().map(|place| format!("{place}{name}")).chain(heads);
        names.find_map(|name| bytes(&self.repository.reference(&name, 5)?))
    }

    /// What a reference was so many changes ago.
    fn earlier(&self, reference: &str, number: usize) -> Option<Id> {
        let name = match reference {
            "" | "@" => "HEAD",
            name => name,
        };
        let places = ["", "refs/", "refs/heads/", "refs/remotes/"];
        let dirs = [&self.repository.git_dir, &self.repository.common_dir];
        let mut logs =
            places.iter().flat_map(|place| dirs.map(|dir| dir.join("logs").join(format!("{place}{name}"))));
        let log = logs.find_map(|path| files::read(&path).ok().flatten())?;
        let line = log.lines().rev().nth(number)?;
        line.split(' ').nth(1).and_then(bytes)
    }

    fn entries(&self, tree: Option<&[u8]>) -> Result<Entries, Unknown> {
        let mut entries = Entries::new();
        let Some(id) = tree else { return Ok(entries) };
        let (kind, content) = self.objects.read(id)?;
        if kind != Kind::Tree {
            return Err(Unknown("git: a folder is none".into()));
        }
        let mut rest = content.as_slice();
        while !rest.is_empty() {
            rest = one_entry(rest, id.len(), &mut entries)
                .ok_or_else(|| Unknown("git: a folder is broken".into()))?;
        }
        Ok(entries)
    }

    fn compare(
        &self,
        from: Option<&[u8]>,
        to: Option<&[u8]>,
        within: &str,
        depth: usize,
        found: &mut Vec<Incoming>,
    ) -> Result<(), Unknown> {
        if depth > DEEPEST || found.len() > MOST {
            return Err(Unknown("git: too much has changed".into()));
        }
        let (before, after) = (self.entries(from)?, self.entries(to)?);
        let gone = before.iter().filter(|(name, _)| !after.contains_key(*name));
        let pairs = after.iter().map(|(name, new)| (name, before.get(name), Some(new)));
        for (name, old, new) in pairs.chain(gone.map(|(name, old)| (name, Some(old), None))) {
            if old == new {
                continue;
            }
            let path = format!("{within}{}", String::from_utf8_lossy(name));
            let folder = |entry: Option<&(u32, Id)>| {
                entry.filter(|entry| entry.0 == FOLDER).map(|entry| entry.1.clone())
            };
            let (old_folder, new_folder) = (folder(old), folder(new));
            if old_folder.is_some() || new_folder.is_some() {
                self.compare(
                    old_folder.as_deref(),
                    new_folder.as_deref(),
                    &format!("{path}/"),
                    depth + 1,
                    found,
                )?;
            }
            let what = match new {
                Some((FOLDER | REPOSITORY, _)) => continue,
                Some((mode, id)) => self.file(&path, *mode, id)?,
                None if old_folder.is_none() => What::Gone,
                None => continue,
            };
            found.push(Incoming { name: path, what });
        }
        Ok(())
    }

    fn file(&self, path: &str, mode: u32, id: &[u8]) -> Result<What, Unknown> {
        if mode != LINK && !(self.wanted)(path) {
            return Ok(What::File(None));
        }
        let (_, content) = self.objects.read(id)?;
        let text = (content.len() <= LONGEST_FILE).then(|| String::from_utf8_lossy(&content).into_owned());
        Ok(if mode == LINK { What::Link(text.unwrap_or_default()) } else { What::File(text) })
    }
}

/// Takes `100644 name\0` and the bytes of a name from the front; what follows is left.
fn one_entry<'a>(rest: &'a [u8], id_length: usize, entries: &mut Entries) -> Option<&'a [u8]> {
    let blank = rest.iter().position(|byte| *byte == b' ')?;
    let end = rest.iter().position(|byte| *byte == 0).filter(|end| *end > blank)?;
    let mode = u32::from_str_radix(std::str::from_utf8(&rest[..blank]).ok()?, 8).ok()?;
    let id = rest.get(end + 1..end + 1 + id_length)?;
    entries.insert(rest[blank + 1..end].to_vec(), (mode, id.to_vec()));
    Some(&rest[end + 1 + id_length..])
}

/// The object on the line of this name in the head of a commit or a tag, the first or a later one.
fn named(content: &[u8], key: &str, number: usize) -> Option<Id> {
    let text = String::from_utf8_lossy(content);
    let head = text.lines().take_while(|line| !line.is_empty());
    let mut found = head.filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    bytes(found.nth(number)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{commit, git, repo};

    fn changes(root: &std::path::Path, from: &str, to: &str) -> Option<Vec<(String, What)>> {
        let repository = Repository::find(root).unwrap();
        let wanted = |name: &str| name.ends_with(".toml");
        let found = version_changes(&repository, from, to, &wanted).unwrap()?;
        Some(found.into_iter().map(|change| (change.name, change.what)).collect())
    }

    /// What git itself says, for the same question.
    fn asked(root: &std::path::Path, from: &str, to: &str) -> Vec<String> {
        let text = git(root, &["diff-tree", "-r", "--name-only", "--no-renames", from, to]);
        let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
        names.sort();
        names
    }

    fn names(root: &std::path::Path, from: &str, to: &str) -> Vec<String> {
        let mut names: Vec<String> =
            changes(root, from, to).unwrap().into_iter().map(|(name, _)| name).collect();
        names.sort();
        names
    }

    /// A history with folders, links, deletions and long files that are packed as deltas.
    fn history() -> (tempfile::TempDir, std::path::PathBuf) {
        let (guard, root) = repo();
        let long: String = (0..2000).map(|n| format!("line {n}\n")).collect();
        std::fs::create_dir_all(root.join("a/b/c")).unwrap();
        std::fs::write(root.join("long.txt"), &long).unwrap();
        std::fs::write(root.join("a/b/c/x.toml"), "k = 1\n").unwrap();
        std::fs::write(root.join("a/gone"), "x").unwrap();
        git(&root, &["add", "-A"]);
        commit(&root, "first", "1");
        git(&root, &["tag", "-a", "-m", "t", "v1"]);
        for n in 0..20 {
            std::fs::write(root.join("long.txt"), long.replace("line 7\n", &format!("line seven {n}\n")))
                .unwrap();
            std::fs::write(root.join("a/b/c/x.toml"), format!("k = {n}\n")).unwrap();
            git(&root, &["add", "-A"]);
            commit(&root, &format!("f{n}"), "x");
        }
        std::fs::remove_file(root.join("a/gone")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("b/c", root.join("a/link")).unwrap();
        git(&root, &["add", "-A"]);
        commit(&root, "last", "1");
        (guard, root)
    }

    #[test]
    fn versions_differ_as_git_says() {
        let (_guard, root) = history();
        git(&root, &["branch", "side", "HEAD~3"]);
        let short = git(&root, &["rev-parse", "--short=7", "HEAD~5"]);
        let check = |root: &std::path::Path| {
            for (from, to) in [
                ("HEAD", "v1"),
                ("v1", "HEAD"),
                ("HEAD~4", "side"),
                ("side", "HEAD^"),
                ("HEAD@{2}", "@"),
                (short.as_str(), "main"),
                ("v1^{}", "HEAD^^~2"),
                ("side", "side"),
            ] {
                assert_eq!(names(root, from, to), asked(root, from, to), "{from} {to}");
            }
        };
        check(&root);
        // The same from packs, with deltas, and with references in one file.
        git(&root, &["gc", "-q", "--aggressive"]);
        check(&root);
        // And from the store of another.
        let other = root.join("../other");
        git(&root, &["clone", "-q", "-s", ".", other.to_str().unwrap()]);
        assert_eq!(names(&other, "v1", "HEAD"), asked(&root, "v1", "HEAD"));
        assert_eq!(
            names(&other, "HEAD", "side"),
            asked(&root, "HEAD", "side"),
            "a branch that only the remote has"
        );
        std::fs::remove_dir_all(other).unwrap();
    }

    #[test]
    fn texts_come_along_where_they_are_asked_for() {
        let (_guard, root) = history();
        let found = changes(&root, "HEAD", "v1").unwrap();
        let of = |name: &str| &found.iter().find(|(known, _)| known == name).unwrap().1;
        assert_eq!(*of("a/b/c/x.toml"), What::File(Some("k = 1\n".into())));
        assert_eq!(*of("long.txt"), What::File(None));
        assert_eq!(*of("last"), What::Gone);
        let back = changes(&root, "v1", "HEAD").unwrap();
        #[cfg(unix)]
        assert!(back.contains(&("a/link".into(), What::Link("b/c".into()))), "{back:?}");
        assert!(back.contains(&("a/gone".into(), What::Gone)));
    }

    #[test]
    fn a_stash_has_what_was_put_aside() {
        let (_guard, root) = history();
        std::fs::write(root.join("a/b/c/x.toml"), "k = 99\n").unwrap();
        std::fs::write(root.join("new.toml"), "n = 1\n").unwrap();
        git(&root, &["stash", "-q", "-u"]);
        std::fs::write(root.join("long.txt"), "other").unwrap();
        git(&root, &["stash", "-q"]);
        assert_eq!(names(&root, "stash@{0}^1", "stash@{0}"), ["long.txt"]);
        assert_eq!(names(&root, "stash@{1}^1", "stash@{1}"), ["a/b/c/x.toml"]);
        assert_eq!(
            changes(&root, "", "stash@{1}^3").unwrap(),
            [("new.toml".to_owned(), What::File(Some("n = 1\n".into())))]
        );
        assert_eq!(changes(&root, "", "stash@{0}^3"), None);
        assert_eq!(changes(&root, "HEAD", "stash@{2}"), None);
    }

    #[test]
    fn what_is_not_there_is_missing_and_what_is_not_read_unknown() {
        let (_guard, root) = history();
        let repository = Repository::find(&root).unwrap();
        let ask = |to: &str| version_changes(&repository, "HEAD", to, &|_| false);
        for missing in ["nowhere", "HEAD~99", "abcdef0", "HEAD^2"] {
            assert_eq!(ask(missing), Ok(None), "{missing}");
        }
        for strange in ["HEAD@{yesterday}", ":/first", "a..b", "-", "@{u}", "main:a", &"0".repeat(40), "../x"]
        {
            assert!(ask(strange).is_err(), "{strange}");
        }
        let head = git(&root, &["rev-parse", "HEAD"]);
        let other = git(&root, &["rev-parse", "HEAD~1"]);
        git(&root, &["replace", &head, &other]);
        assert!(ask("HEAD").is_err(), "objects are replaced");
    }

    #[test]
    fn broken_objects_are_unknown() {
        let (_guard, root) = history();
        git(&root, &["gc", "-q", "--aggressive"]);
        let packs: Vec<_> = files::list(&root.join(".git/objects/pack"));
        let pack = packs.iter().find(|path| path.extension().is_some_and(|e| e == "pack")).unwrap();
        let whole = std::fs::read(pack).unwrap();
        #[cfg(unix)]
        files::make_executable(pack).unwrap();
        let repository = Repository::find(&root).unwrap();
        for at in (12..whole.len()).step_by(whole.len() / 60 + 1) {
            let mut broken = whole.clone();
            broken[at] ^= 0x55;
            std::fs::write(pack, broken).unwrap();
            // Whatever it says, it ends, and panics at nothing.
            let _ = version_changes(&repository, "HEAD", "v1", &|_| true);
        }
        std::fs::write(pack, &whole[..100]).unwrap();
        assert!(version_changes(&repository, "HEAD", "v1", &|_| true).is_err());
    }
}
