//! A file of one commit, proven by the commit's hash: whoever may write to the repository's folder cannot change it.

use model::Unknown;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::Repository;
use super::objects::{Id, Kind, Objects};

/// A file at the top of a commit; `Ok(None)` where the commit has none of that name.
pub fn pinned(repository: &Repository, commit: &str, name: &str) -> Result<Option<Vec<u8>>, Unknown> {
    let id = bytes(commit).ok_or_else(|| Unknown(format!("{commit} is not the whole hash of a commit")))?;
    let objects = Objects::of(repository);
    let commit = read(&objects, &id, Kind::Commit)?;
    let tree = commit.split(|byte| *byte == b'\n').next().and_then(|line| line.strip_prefix(b"tree "));
    let tree = tree.and_then(|hex| bytes(std::str::from_utf8(hex).ok()?));
    let tree = read(&objects, &tree.ok_or_else(|| Unknown("the commit has no tree".into()))?, Kind::Tree)?;
    match entry(&tree, name.as_bytes(), id.len()) {
        Some(blob) => read(&objects, &blob, Kind::Blob).map(Some),
        None => Ok(None),
    }
}

/// An object whose content has the hash that it is called by.
fn read(objects: &Objects, id: &[u8], wanted: Kind) -> Result<Vec<u8>, Unknown> {
    let (kind, content) = objects.read(id)?;
    let name = match wanted {
        Kind::Commit => "commit",
        Kind::Tree => "tree",
        Kind::Blob => "blob",
        Kind::Tag => "tag",
    };
    let header = format!("{name} {}\0", content.len());
    let hash = if id.len() == 20 {
        Sha1::new().chain_update(&header).chain_update(&content).finalize().to_vec()
    } else {
        Sha256::new().chain_update(&header).chain_update(&content).finalize().to_vec()
    };
    if kind == wanted && hash == id {
        Ok(content)
    } else {
        Err(Unknown("git: an object is not what its hash says".into()))
    }
}

/// The regular file of this name in a tree: `100644 name\0<id>`.
fn entry(mut rest: &[u8], name: &[u8], id_length: usize) -> Option<Id> {
    loop {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let end = space + rest[space..].iter().position(|byte| *byte == 0)?;
        let id = rest.get(end + 1..end + 1 + id_length)?;
        if &rest[space + 1..end] == name && rest[..space].starts_with(b"100") {
            return Some(id.to_vec());
        }
        rest = &rest[end + 1 + id_length..];
    }
}

fn bytes(hex: &str) -> Option<Id> {
    let digits = matches!(hex.len(), 40 | 64) && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pairs = || (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok());
    digits.then(|| pairs().collect())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{commit, git, repo};

    #[test]
    fn a_file_is_the_commits_whatever_lies_there() {
        let (_guard, root) = repo();
        commit(&root, "config.json", "{\"profile\": \"strict\"}");
        let repository = Repository::find(&root).unwrap();
        let first = repository.head().commit.unwrap();
        std::fs::write(root.join("config.json"), "{}").unwrap();
        commit(&root, "config.json", "{ }");
        let read = |name| {
            pinned(&repository, &first, name).map(|text| text.map(|text| String::from_utf8(text).unwrap()))
        };
        assert_eq!(read("config.json").unwrap().as_deref(), Some("{\"profile\": \"strict\"}"));
        assert_eq!(read("rules.toml").unwrap(), None);
        git(&root, &["gc", "-q"]);
        assert_eq!(read("config.json").unwrap().as_deref(), Some("{\"profile\": \"strict\"}"), "from a pack");
        assert!(pinned(&repository, "abc", "config.json").is_err());
        assert!(pinned(&repository, &"0".repeat(40), "config.json").is_err());
    }

    #[test]
    fn an_object_under_anothers_name_is_noticed() {
        let (_guard, root) = repo();
        commit(&root, "config.json", "strict");
        let repository = Repository::find(&root).unwrap();
        let head = repository.head().commit.unwrap();
        commit(&root, "other", "loose");
        let objects = root.join(".git/objects");
        let place = |text: &str| {
            let id = Sha1::digest(format!("blob {}\0{text}", text.len()));
            let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
            objects.join(&hex[..2]).join(&hex[2..])
        };
        let forged = std::fs::read(place("loose")).unwrap();
        std::fs::remove_file(place("strict")).unwrap();
        std::fs::write(place("strict"), forged).unwrap();
        assert!(pinned(&repository, &head, "config.json").is_err());
    }
}
