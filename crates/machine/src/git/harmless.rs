//! Keeps git from starting anything that a repository names: hooks, monitors, filters, drivers, helpers.
//!
//! Three layers. `ALWAYS` and `VARIABLES` switch off what has a fixed name. `with_options` gives a command the options that no
//! setting of the repository can take back. `named` finds what has a name of the repository's choosing, such as
//! `filter.<name>.clean`, and takes it away by that name; the user's own filters (git-lfs) stay.
//!
//! All of it holds for every call, also where the user has asked for a merge or a work tree: no git of ours runs a hook.

use std::io;
use std::path::Path;

use super::Repository;
use crate::files;
use crate::process::Finished;

/// Before the command. A value given here wins over every file.
pub(super) static ALWAYS: &[&str] = &[
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.askPass=",
    "-c",
    "core.quotePath=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "submodule.recurse=false",
    "-c",
    "fetch.recurseSubmodules=false",
    "-c",
    "push.recurseSubmodules=no",
    "-c",
    "status.submoduleSummary=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
];

pub(super) static VARIABLES: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Set and empty: nobody is asked, also not whom `core.askPass` names.
    ("GIT_ASKPASS", ""),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_PAGER", "cat"),
];

/// The words of a call, with the options that keep its command from starting anything. `.gitmodules` may say of a submodule that it is to
/// be looked into, which runs git there, with settings of its own: only an option wins over that.
pub(super) fn with_options(args: &[&str]) -> Vec<String> {
    let mut at = 0;
    while let Some(word) = args.get(at).filter(|word| word.starts_with('-')) {
        at += if matches!(*word, "-c" | "-C" | "--git-dir" | "--work-tree") { 2 } else { 1 };
    }
    let options: &[&str] = match args.get(at).copied() {
        Some("diff") => &["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"],
        Some("log" | "show") => &["--no-ext-diff", "--no-textconv", "--no-show-signature"],
        Some("status") => &["--ignore-submodules=dirty"],
        // Of two values of `remote.<name>.uploadpack` the first counts, which is the repository's.
        Some("fetch") => {
            &["--no-recurse-submodules", "--no-auto-maintenance", "--upload-pack=git-upload-pack"]
        }
        _ => &[],
    };
    let (before, after) = args.split_at(args.len().min(at + 1));
    before.iter().chain(options).chain(after).map(|&word| word.to_owned()).collect()
}

/// What takes away the settings that have a name of the repository's choosing.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Options before the command.
    pub(super) words: Vec<String>,
    /// For names that no option can hold.
    pub(super) variables: Vec<(String, String)>,
}

/// Words without which a config file names nothing to run. Section and key names have no other spelling than with other capitals, so that a
/// file without any of them needs no closer look.
static WORDS: &[&str] = &[
    "filter",
    "include",
    "textconv",
    "command",
    "driver",
    "helper",
    "askpass",
    "proxy",
    "editor",
    "vcs",
    "program",
    "extension",
    "customtransfer",
    "standalonetransferagent",
    "external",
    "hook",
];

/// Looks through the repository's own config. `ask` runs git, which knows best what its files say; listing them starts nothing.
pub(super) fn named(dir: &Path, ask: impl FnOnce(&[String]) -> io::Result<Finished>) -> io::Result<Named> {
    if !may_name_something(dir) {
        return Ok(Named::default());
    }
    let words = ["config", "--list", "--show-scope", "-z"].map(str::to_owned);
    let done = ask(&words)?;
    if done.code != Some(0) {
        let words = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or("no words").to_owned();
        return Err(io::Error::other(format!("the settings of the repository cannot be read: {words}")));
    }
    let text = String::from_utf8_lossy(&done.stdout);
    let mut parts = text.split('\0');
    let mut named = Named::default();
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        if !matches!(scope, "local" | "worktree") {
            continue;
        }
        let key = entry.split_once('\n').map_or(entry, |(key, _)| key);
        for (key, value) in instead(key) {
            named.set(key, value);
        }
    }
    Ok(named)
}

impl Named {
    fn set(&mut self, key: String, value: &str) {
        if !key.contains('=') {
            self.words.extend(["-c".to_owned(), format!("{key}={value}")]);
            return;
        }
        // Behind those that the user's own environment sets.
        let first = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
        let ours = self.variables.len() / 2;
        let at: usize = first + ours;
        self.variables.retain(|(name, _)| name != "GIT_CONFIG_COUNT");
        self.variables.push((format!("GIT_CONFIG_KEY_{at}"), key));
        self.variables.push((format!("GIT_CONFIG_VALUE_{at}"), value.to_owned()));
        self.variables.push(("GIT_CONFIG_COUNT".to_owned(), (at + 1).to_string()));
    }
}

/// Whether a closer look is needed. Git takes the nearest folder that it holds for a repository, which may be another than the nearest
/// that looks like one, so all of them count.
fn may_name_something(dir: &Path) -> bool {
    dir.ancestors().filter_map(Repository::at).any(|repository| {
        let places = [repository.common_dir.join("config"), repository.git_dir.join("config.worktree")];
        places.iter().any(|file| match files::read(file) {
            Ok(Some(text)) => {
                let text = text.to_ascii_lowercase();
                WORDS.iter().any(|word| text.contains(word))
            }
            Ok(None) => false,
            Err(_) => true,
        })
    })
}

/// What is set instead of a key that names something to run; nothing for any other key. Git prints section and key in small letters.
fn instead(key: &str) -> Vec<(String, &'static str)> {
    let Some((section, rest)) = key.split_once('.') else { return Vec::new() };
    let (name, last) = match rest.rsplit_once('.') {
        Some((name, last)) => (Some(name), last),
        None => (None, rest),
    };
    let this = |value: &'static str| vec![(key.to_owned(), value)];
    match (section, name, last) {
        // An empty command is not a filter; one that is required must not be missed.
        ("filter", Some(name), "clean" | "smudge" | "process" | "required") => {
            let mut all = filterless(name);
            all.retain(|(known, _)| known.ends_with(&format!(".{last}")) || known.ends_with(".required"));
            all
        }
        // git-lfs is the user's own filter, but these are started by it.
        ("lfs", _, "standalonetransferagent") => filterless("lfs"),
        ("lfs", Some(name), _) if name.starts_with("extension") || name.starts_with("customtransfer") => {
            filterless("lfs")
        }
        ("diff", Some(_), "textconv") => this("cat"),
        ("diff", Some(_), "command") | ("merge", Some(_), "driver") => this("false"),
        ("diff", None, "external") | ("interactive", None, "difffilter") => this("false"),
        ("credential", _, "helper") => this(""),
        ("core", None, "sshcommand") => this("ssh"),
        ("core", None, "gitproxy") => this("none"),
        ("core" | "sequence", None, "editor") => this(":"),
        ("core", None, "alternaterefscommand") => this("true"),
        ("gpg", _, "program" | "defaultkeycommand") => this("false"),
        ("remote", Some(_), "vcs") => this("none"),
        ("hook", Some(name), _) => {
            vec![(format!("hook.{name}.command"), "true"), (format!("hook.{name}.enabled"), "false")]
        }
        ("trailer", Some(_), "command" | "cmd") => this("true"),
        _ => Vec::new(),
    }
}

fn filterless(name: &str) -> Vec<(String, &'static str)> {
    let one = |key: &str, value| (format!("filter.{name}.{key}"), value);
    vec![one("clean", ""), one("smudge", ""), one("process", ""), one("required", "false")]
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::super::{committed, diff, differing, dirty, documented_diff, listed, run, show, staged};
    use super::*;
    use crate::testing::{commit, git, repo};

    /// A repository with a change, and a program that leaves a mark where it was run.
    fn repository() -> (tempfile::TempDir, PathBuf, String, PathBuf) {
        let (guard, root) = repo();
        commit(&root, "a.txt", "one\n");
        commit(&root, "b.bin", "two\n");
        let mark = guard.path().canonicalize().unwrap().join(".git/mark");
        let script = root.join(".git/evil");
        std::fs::write(&script, format!("#!/bin/sh\necho \"$@\" >>'{}'\ncat\n", mark.display())).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&script, executable).unwrap();
        (guard, root.clone(), script.to_string_lossy().into_owned(), mark)
    }

    /// Everything that we ask of git.
    fn ask_everything(root: &Path) {
        // The time of the file is new, so that git has to look into it.
        std::fs::write(root.join("a.txt"), "changed\n").unwrap();
        std::fs::write(root.join("new.txt"), "new\n").unwrap();
        let _ = dirty(root, &[]);
        let _ = staged(root);
        let _ = differing(root, "HEAD", &[]);
        let _ = diff(root, "HEAD");
        let _ = documented_diff(root);
        let _ = show(root, "HEAD", "a.txt");
        let _ = listed(root);
        let _ = committed(root, None, 0, &["**".into()]);
        let quick = Duration::from_secs(20);
        for words in [
            &["log", "-p", "-1"][..],
            &["show", "HEAD"],
            &["add", "-A"],
            &["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qm", "new"],
            &["merge", "--quiet", "--ff-only", "HEAD"],
            &["fetch", "--quiet"],
            &["checkout", "-q", "HEAD", "--", "a.txt"],
            &["worktree", "add", "-q", "-b", "other", "tree"],
            &["stash", "-q"],
        ] {
            let _ = run(root, words, quick);
        }
    }

    #[test]
    fn nothing_that_a_repository_names_is_run() {
        // What `.git/config` says; `EVIL` is the program.
        let rows = [
            ("[core]\n\tfsmonitor = EVIL\n", ""),
            ("[core]\n\thooksPath = hooks\n", ""),
            ("[filter \"x\"]\n\tclean = EVIL\n\tsmudge = EVIL\n\trequired = true\n", "* filter=x"),
            ("[filter \"x\"]\n\tprocess = EVIL\n", "* filter=x"),
            (
                "[filter \"a=b\"]\n\tclean = EVIL\n\tsmudge = EVIL\n[filter \"c=d\"]\n\tclean = EVIL\n",
                "* filter=a=b\nb.bin filter=c=d",
            ),
            ("[filter \"a.b c\"]\n\tclean = EVIL\n", "* \"filter=a.b c\""),
            ("[FILTER \"x\"] Clean = EVIL\n", "* filter=x"),
            ("[include]\n\tpath = ../included\n", "* filter=x"),
            ("[includeIf \"gitdir:**\"]\n\tpath = ../included\n", "* filter=x"),
            ("[extensions]\n\tworktreeConfig = true\n", "* filter=x"),
            ("[diff]\n\texternal = EVIL\n", ""),
            ("[diff \"x\"]\n\ttextconv = EVIL\n", "* diff=x"),
            ("[diff \"x\"]\n\tcommand = EVIL\n", "* diff=x"),
            ("[merge \"x\"]\n\tdriver = EVIL\n", "* merge=x"),
            (
                "[core]\n\tpager = EVIL\n\teditor = EVIL\n\taskPass = EVIL\n[pager]\n\tlog = EVIL\n\tdiff = EVIL\n",
                "",
            ),
            ("[log]\n\tshowSignature = true\n[gpg]\n\tprogram = EVIL\n[commit]\n\tgpgSign = true\n", ""),
            (
                "[core]\n\tsshCommand = EVIL\n[remote \"origin\"]\n\turl = ssh://127.0.0.1:1/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
                "",
            ),
            (
                "[remote \"origin\"]\n\turl = .\n\tuploadpack = EVIL\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
                "",
            ),
            (
                "[remote \"origin\"]\n\turl = ext::EVIL\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[protocol \"ext\"]\n\tallow = always\n",
                "",
            ),
            ("[credential]\n\thelper = !EVIL\n", ""),
            ("[alias]\n\tstatus = !EVIL\n\tdiff = !EVIL\n\tconfig = !EVIL\n", ""),
        ];
        let one = |(config, attributes): (&str, &str)| {
            let (_guard, root, evil, mark) = repository();
            let hook = root.join(".git/hooks");
            std::fs::create_dir_all(&hook).unwrap();
            for name in [
                "post-checkout",
                "pre-commit",
                "post-commit",
                "post-index-change",
                "reference-transaction",
                "post-merge",
            ] {
                std::fs::copy(root.join(".git/evil"), hook.join(name)).unwrap();
            }
            let filter = format!("[filter \"x\"]\n\tclean = {evil}\n\tsmudge = {evil}\n");
            std::fs::write(root.join("included"), &filter).unwrap();
            std::fs::write(root.join(".git/config.worktree"), &filter).unwrap();
            std::fs::create_dir_all(root.join(".git/info")).unwrap();
            std::fs::write(root.join(".git/info/attributes"), attributes).unwrap();
            let mut text = std::fs::read_to_string(root.join(".git/config")).unwrap();
            if config.contains("worktreeConfig") {
                text = text.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
            }
            text.push_str(&config.replace("EVIL", &evil));
            std::fs::write(root.join(".git/config"), text).unwrap();
            ask_everything(&root);
            assert!(!mark.exists(), "{config}: {}", std::fs::read_to_string(&mark).unwrap());
            assert_eq!(dirty(&root, &[]).err().map(|error| error.to_string()), None, "{config}");
        };
        std::thread::scope(|scope| {
            for some in rows.chunks(6) {
                scope.spawn(move || some.iter().copied().for_each(one));
            }
        });
    }

    #[test]
    fn a_submodule_has_settings_of_its_own_that_are_not_followed() {
        let (_guard, root, evil, mark) = repository();
        let (_other, inner) = repo();
        commit(&inner, "c.txt", "three\n");
        let from = inner.to_string_lossy().into_owned();
        git(&root, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "sub"]);
        git(&root, &["commit", "-qm", "sub"]);
        let modules = std::fs::read_to_string(root.join(".gitmodules")).unwrap();
        std::fs::write(root.join(".gitmodules"), modules + "\tignore = none\n").unwrap();
        let config = root.join(".git/modules/sub/config");
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, text + &format!("[filter \"x\"]\n\tclean = {evil}\n")).unwrap();
        std::fs::create_dir_all(root.join(".git/modules/sub/info")).unwrap();
        std::fs::write(root.join(".git/modules/sub/info/attributes"), "* filter=x").unwrap();
        std::fs::write(root.join("sub/c.txt"), "changed\n").unwrap();
        ask_everything(&root);
        assert!(!mark.exists());
    }

    #[test]
    fn a_folder_that_looks_like_a_repository_is_none() {
        let (_guard, root, evil, mark) = repository();
        let bare = root.join("assets");
        git(&root, &["init", "-q", "--bare", "assets"]);
        let config = std::fs::read_to_string(bare.join("config")).unwrap();
        let config = config.replace("bare = true", "bare = false");
        let filter = format!("\tworktree = .\n[filter \"x\"]\n\tclean = {evil}\n\tsmudge = {evil}\n");
        std::fs::write(bare.join("config"), config + &filter).unwrap();
        std::fs::create_dir_all(bare.join("info")).unwrap();
        std::fs::write(bare.join("info/attributes"), "* filter=x").unwrap();
        std::fs::write(bare.join("a.txt"), "one\n").unwrap();
        ask_everything(&bare);
        assert!(!mark.exists());
    }

    #[test]
    fn the_users_own_filters_stay() {
        let (_guard, root, _, _) = repository();
        let text = std::fs::read_to_string(root.join(".git/config")).unwrap();
        std::fs::write(root.join(".git/config"), text + "[filter \"theirs\"]\n\tclean = evil\n").unwrap();
        let named = named(&root, |words| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let own = ["-c", "filter.lfs.clean=git-lfs clean -- %f"];
            run(&root, &[&own[..], &words].concat(), Duration::from_secs(20))
        });
        let words = named.unwrap().words;
        assert!(words.iter().any(|word| word == "filter.theirs.clean="), "{words:?}");
        assert!(!words.iter().any(|word| word.contains("lfs")), "{words:?}");
    }

    #[test]
    fn a_plain_repository_costs_no_further_process() {
        let (_guard, root) = repo();
        git(&root, &["remote", "add", "origin", "https://example.invalid/x.git"]);
        git(&root, &["config", "branch.main.remote", "origin"]);
        assert!(!may_name_something(&root));
        let none = named(&root, |_| panic!("git was asked"));
        assert!(none.unwrap().words.is_empty());
    }

    #[test]
    fn options_come_after_the_command() {
        for (args, expected) in [
            (&["status", "-z"][..], "status --ignore-submodules=dirty -z"),
            (
                &["-c", "a.b=c", "diff", "HEAD"],
                "-c a.b=c diff --no-ext-diff --no-textconv --ignore-submodules=dirty HEAD",
            ),
            (&["rev-parse", "HEAD"], "rev-parse HEAD"),
            (&["-C", "/x"], "-C /x"),
            (&[], ""),
        ] {
            assert_eq!(with_options(args).join(" "), expected);
        }
    }
}
