//! Git: what is lost, what becomes of branches, what is run, in every spelling.

use super::{deeds, does};

#[test]
fn options_cluster_attach_and_are_cut_short() {
    does("git branch -Df x", &["discards x", "changes history branches"]);
    does("git -C sub branch -dqf x", &["discards x", "changes history branches"]);
    does("git push -fu origin fix", &["publishes origin", "discards fix"]);
    does(
        "git reset --har",
        &["changes history the index or the branch", "discards every uncommitted change"],
    );
    does("git switch -cfix", &["keeps fix"]);
    does("git checkout -bfeature", &["keeps feature"]);
    does("git commit -mfix", &["commits to HEAD"]);
    does("git log -p -S'rm -rf'", &[]);
    does("git ls-remote --uploa=X origin", &["runs X", "fetches origin"]);
    does(
        "git clean -n --no-dry-run -fd",
        &deeds("git clean -fd").iter().map(String::as_str).collect::<Vec<_>>(),
    );
    does("git clean -fdn", &[]);
    does("/usr/lib/git-core/git-commit -m x", &["commits to HEAD"]);
}

#[test]
fn what_becomes_of_branches() {
    for merge in [
        "git pull . f",
        "git merge f",
        "git fetch . f:main",
        "git push . f:main",
        "git checkout -B main f",
        "git switch --force-c=main f",
        "git branch -f main f",
        "git branch -M f main",
        "git update-ref refs/heads/main f",
        "git worktree add -B main ../x f",
    ] {
        let found = deeds(merge);
        assert!(found.iter().any(|deed| deed.starts_with("merges into")), "{merge}: {found:?}");
    }
    for other in [
        "git pull",
        "git fetch origin main:main",
        "git branch main",
        "git push origin main",
        "git switch main",
    ] {
        let found = deeds(other);
        assert!(!found.iter().any(|deed| deed.starts_with("merges into")), "{other}: {found:?}");
    }
    does("git push origin :main", &["publishes origin", "deletes main"]);
    does("git push origin +HEAD:refs/heads/main", &["publishes origin", "discards main"]);
    does("git push --mirror", &["publishes ", "discards *"]);
    does("git push --force-with-lease origin x", &["publishes origin"]);
}

#[test]
fn what_is_lost() {
    does("git checkout -- a.c", &["discards a.c"]);
    does("git checkout dir", &["discards dir/**"]);
    does("git checkout main -- dir", &["discards dir/**", "writes dir/**"]);
    does("git checkout -f -b x", &["keeps x", "discards every uncommitted change"]);
    does("git restore :/", &["discards ./**", "changes history the index or the work tree"]);
    does("git restore -S .", &["changes history the index or the work tree"]);
    does("git diff -- . ':!.env'", &["reads ."]);
    does("git show :.env", &["reads .env"]);
    does("git show HEAD:a/.env", &["reads a/.env"]);
}

#[test]
fn what_is_set_and_run() {
    does("git -c core.pager=x log", &["sets core.pager"]);
    does("git config --global core.pager x", &["sets core.pager"]);
    does("git config core.pager", &[]);
    does("git config set core.pager x", &["sets core.pager"]);
    let role = |name: &str| super::super::find("git").and_then(|git| git.setting(name));
    assert_eq!(role("Diff.x.textconv"), Some(super::Role::Shell));
    assert_eq!(role("user.name"), None);
    assert_eq!(super::super::variable("GIT_SSH_COMMAND"), Some(super::Role::Shell));
    assert_eq!(super::super::variable("GIT_AUTHOR_NAME"), Some(super::Role::Text));
}
