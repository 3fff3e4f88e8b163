//! Files of a repository that git would open, and then wait for or never come to an end of: FIFOs, devices.

use std::path::{Path, PathBuf};

use super::Repository;
use crate::files;

/// A file that git would open, and then wait for or never come to an end of: a FIFO, a device. Not those of folders further down; there
/// the time limit has to do.
pub(super) fn find(dir: &Path) -> Option<PathBuf> {
    let own = ["HEAD", "index", "config.worktree", "info/sparse-checkout", "rebase-merge/head-name"];
    let common = [
        "config",
        "packed-refs",
        "info/attributes",
        "info/exclude",
        "info/grafts",
        "shallow",
        "refs/stash",
        "objects/info/alternates",
        "objects/info/commit-graph",
        "objects/pack/multi-pack-index",
    ];
    let rules = [".gitignore", ".gitattributes", ".gitmodules"];
    dir.ancestors().find_map(|folder| {
        let repository = Repository::at(folder)?;
        let own = own.iter().map(|name| repository.git_dir.join(name));
        let common = common.iter().map(|name| repository.common_dir.join(name));
        let rules = rules.iter().map(|name| folder.join(name));
        // `/dev/null` is how some say that there is none.
        let ends = |file: &Path| {
            files::is_file(file) || files::is_dir(file) || files::resolve(file) == Path::new("/dev/null")
        };
        let known = own.chain(common).chain(rules).find(|file| files::exists(file) && !ends(file));
        // Files that its settings name, once it is known that those end.
        known.or_else(|| {
            let settings = [repository.common_dir.join("config"), repository.git_dir.join("config.worktree")];
            let named = settings.iter().flat_map(|settings| named_files(settings, folder));
            named.into_iter().find(|file| files::exists(file) && !ends(file))
        })
    })
}

/// What a file of settings has git read besides: other settings, lists of what is ignored, attributes.
fn named_files(settings: &Path, folder: &Path) -> Vec<PathBuf> {
    let Ok(Some(text)) = files::read(settings) else { return Vec::new() };
    let lines = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        let key = key.rsplit([' ', '\t', ']']).find(|part| !part.is_empty())?;
        let named = ["path", "excludesfile", "attributesfile"];
        named.iter().any(|known| key.eq_ignore_ascii_case(known)).then_some(value)
    });
    let values = lines.map(|value| value.trim().trim_matches('"')).filter(|value| !value.is_empty());
    // Settings are found from where the other lie, lists from the work tree.
    let base = settings.parent().unwrap_or(folder);
    values.flat_map(|value| [base.join(value), folder.join(value)]).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::super::run;
    use super::*;
    use crate::testing::{commit, repo};

    #[test]
    fn git_is_not_started_on_files_without_an_end() {
        for name in [
            ".git/info/attributes",
            ".git/index",
            ".git/shallow",
            ".git/objects/info/alternates",
            ".gitignore",
            ".gitattributes",
        ] {
            let (_guard, root) = repo();
            commit(&root, "a.txt", "one\n");
            std::os::unix::fs::symlink("/dev/null", root.join(".gitmodules")).unwrap();
            assert_eq!(find(&root), None);
            let file = root.join(name);
            let _ = std::fs::remove_file(&file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
            assert_eq!(find(&root).as_deref(), Some(file.as_path()));
            let error = run(&root, &["status"], Duration::from_secs(20)).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("not a regular file"), "{error}");
        }
    }

    #[test]
    fn nor_where_its_settings_name_one() {
        for setting in ["core.excludesFile", "core.attributesFile", "include.path"] {
            let (_guard, root) = repo();
            let file = root.join("named");
            let config = root.join(".git/config");
            let (section, key) = setting.split_once('.').unwrap();
            let text = std::fs::read_to_string(&config).unwrap();
            std::fs::write(&config, format!("{text}[{section}]\n\t{key} = {}\n", file.display())).unwrap();
            assert_eq!(find(&root), None, "{setting}");
            std::fs::write(&file, "").unwrap();
            assert_eq!(find(&root), None, "{setting}");
            std::fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
            assert_eq!(find(&root).as_deref(), Some(file.as_path()), "{setting}");
        }
    }
}
