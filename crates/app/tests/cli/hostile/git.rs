//! Git starts programs for its settings, and reads files that a clone can make. All of it lies in `.git`, which an archive brings
//! along.

use std::fs;
use std::path::Path;

use super::checkout::Checkout;
use crate::world::write;

/// Settings whose value is a command; `X` stands for it.
const COMMANDS: &[(&str, &str)] = &[
    ("core.fsmonitor", "X"),
    ("core.sshCommand", "X"),
    ("core.pager", "X"),
    ("pager.status", "X"),
    ("pager.diff", "X"),
    ("pager.log", "X"),
    ("pager.branch", "X"),
    ("pager.show", "X"),
    ("core.editor", "X"),
    ("sequence.editor", "X"),
    ("core.askPass", "X"),
    ("core.gitProxy", "X"),
    ("core.alternateRefsCommand", "X"),
    ("filter.evil.clean", "X"),
    ("filter.evil.smudge", "X"),
    ("diff.external", "X"),
    ("diff.evil.command", "X"),
    ("diff.evil.textconv", "X"),
    ("merge.evil.driver", "X"),
    ("interactive.diffFilter", "X"),
    ("gpg.program", "X"),
    ("gpg.openpgp.program", "X"),
    ("gpg.ssh.program", "X"),
    ("gpg.ssh.defaultKeyCommand", "X"),
    ("gpg.x509.program", "X"),
    ("alias.st", "!X"),
    ("alias.status", "!X"),
    ("alias.diff", "!X"),
    ("alias.rev-parse", "!X"),
    ("credential.helper", "!X"),
    ("remote.origin.url", "ext::X"),
    ("remote.origin.uploadpack", "X"),
    ("remote.origin.receivepack", "X"),
    ("submodule.sub.update", "!X"),
    ("submodule.sub.url", "ext::X"),
    ("trailer.x.command", "X"),
    ("trailer.x.cmd", "X"),
    ("uploadpack.packObjectsHook", "X"),
    ("difftool.evil.cmd", "X"),
    ("mergetool.evil.cmd", "X"),
    ("tar.tar.command", "X"),
    ("web.browser", "evil"),
    ("browser.evil.cmd", "X"),
    ("sendemail.smtpserver", "X"),
    ("hook.evil.command", "X"),
];

/// Settings that let those be asked for.
const SWITCHES: &[(&str, &str)] = &[
    ("log.showSignature", "true"),
    ("commit.gpgSign", "true"),
    ("tag.gpgSign", "true"),
    ("filter.evil.required", "true"),
    ("protocol.ext.allow", "always"),
    ("submodule.recurse", "true"),
    ("submodule.sub.active", "true"),
    ("submodule.sub.fetchRecurseSubmodules", "true"),
    ("status.submoduleSummary", "true"),
    ("diff.submodule", "log"),
    ("diff.tool", "evil"),
    ("fetch.recurseSubmodules", "true"),
    ("hook.evil.event", "post-index-change"),
    ("core.untrackedCache", "true"),
    ("core.preloadIndex", "false"),
    ("gc.auto", "1"),
    ("gc.autoDetach", "false"),
];

const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "push-to-checkout",
    "reference-transaction",
    "update",
];

const ATTRIBUTES: &str = "* filter=evil diff=evil merge=evil\n";

/// One shim for each setting, so that the canary names the one that was heeded.
fn poison(clone: &Checkout, config: &Path) {
    for (key, value) in COMMANDS {
        let shim = clone.shim(&format!(".evil/{key}"));
        let value = value.replace('X', &shim.to_string_lossy());
        clone.git(&["config", "--file", &config.to_string_lossy(), key, &value]);
    }
    let shim = clone.shim(".evil/url.insteadOf");
    let key = format!("url.ext::{}.insteadOf", shim.display());
    clone.git(&["config", "--file", &config.to_string_lossy(), &key, "https://"]);
    for (key, value) in SWITCHES {
        clone.git(&["config", "--file", &config.to_string_lossy(), key, value]);
    }
}

/// The files have changed, so that git looks at their content.
fn touched(clone: &mut Checkout) {
    for (name, text) in
        [("app.py", "x = 3\n"), ("README.md", "# A project.\n"), ("data.yaml", "a: 2\n"), ("app.ts", "x\n")]
    {
        clone.file(name, text);
    }
    clone.file(".gitattributes", ATTRIBUTES);
    clone.file(".git/info/attributes", ATTRIBUTES);
    clone.file(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::x\n\tupdate = !x\n");
    clone.edited = ["app.py", ".gitattributes", "README.md"].map(str::to_owned).to_vec();
}

pub(super) fn settings(clone: &mut Checkout) {
    touched(clone);
    for name in HOOKS {
        clone.shim(&format!(".git/hooks/{name}"));
        clone.shim(&format!(".evil/hooks/{name}"));
    }
    let folder = clone.project.join(".evil/hooks");
    clone.git(&["config", "core.hooksPath", &folder.to_string_lossy()]);
    poison(clone, &clone.project.join(".git/config"));
}

/// A filter that is a process comes before one that is a command, so it has a repository of its own. The hooks lie in their usual
/// folder.
pub(super) fn processes(clone: &mut Checkout) {
    touched(clone);
    for name in HOOKS {
        clone.shim(&format!(".git/hooks/{name}"));
    }
    let shim = clone.shim(".evil/filter.evil.process");
    clone.git(&["config", "filter.evil.process", &shim.to_string_lossy()]);
    clone.git(&["config", "filter.lfs.process", &shim.to_string_lossy()]);
    clone.git(&["config", "core.fsmonitor", "true"]);
}

pub(super) fn included(clone: &mut Checkout) {
    touched(clone);
    let file = clone.project.join("settings.gitconfig");
    poison(clone, &file);
    clone.git(&["config", "include.path", "../settings.gitconfig"]);
    clone.git(&["config", "includeIf.onbranch:main.path", "../settings.gitconfig"]);
}

pub(super) fn of_a_worktree(clone: &mut Checkout) {
    touched(clone);
    clone.git(&["config", "extensions.worktreeConfig", "true"]);
    poison(clone, &clone.project.join(".git/config.worktree"));
}

/// `.git` is a file that leads to a folder of the clone's own.
pub(super) fn elsewhere(clone: &mut Checkout) {
    touched(clone);
    fs::rename(clone.project.join(".git"), clone.project.join("repository")).unwrap();
    clone.file(".git", "gitdir: repository\n");
    poison(clone, &clone.project.join("repository/config"));
}

/// Git takes a folder with the right files in it for a repository.
pub(super) fn bare_inside(clone: &mut Checkout) {
    touched(clone);
    let bare = clone.project.join("vendor/lib");
    clone.git(&["clone", "-q", "--bare", ".", "vendor/lib"]);
    poison(clone, &bare.join("config"));
    clone.git(&["config", "--file", &bare.join("config").to_string_lossy(), "core.bare", "false"]);
    clone.git(&["config", "--file", &bare.join("config").to_string_lossy(), "core.worktree", ".."]);
    clone.file("vendor/lib/app.py", "x = 1\n");
    clone.cwd = bare;
    clone.edited = vec!["vendor/lib/app.py".into()];
}

/// Files of the repository that we read ourselves, because a few microseconds are less than a start of git.
pub(super) fn files_that_wait(clone: &mut Checkout) {
    for name in ["HEAD", "config", "index", "packed-refs", "commondir", "info/exclude", "refs/heads/main"] {
        clone.fifo(&format!(".git/{name}"));
    }
}

pub(super) fn rules_that_wait(clone: &mut Checkout) {
    clone.fifo(".gitignore");
    clone.link(".gitattributes", "/dev/ptmx");
    clone.fifo(".gitmodules");
    clone.fifo("tests/.gitignore");
    clone.link(".git/info/attributes", "/dev/zero");
    clone.fifo(".git/MERGE_HEAD");
    clone.fifo(".ignore");
    clone.fifo(".rgignore");
}

/// Files that settings of the repository name.
pub(super) fn settings_that_wait(clone: &mut Checkout) {
    clone.fifo("lists/ignored");
    clone.link("lists/attributes", "/dev/zero");
    clone.fifo("lists/settings");
    for (key, file) in [
        ("core.excludesFile", "ignored"),
        ("core.attributesFile", "attributes"),
        ("include.path", "settings"),
    ] {
        let place = clone.project.join("lists").join(file);
        // Not by a run that would read what was set before.
        let file = clone.project.join(".git/config");
        let (section, name) = key.split_once('.').unwrap();
        let text = fs::read_to_string(&file).unwrap();
        write(&file, &format!("{text}[{section}]\n\t{name} = {}\n", place.display()));
    }
}

/// Files of the database itself.
pub(super) fn databases_that_wait(clone: &mut Checkout) {
    for name in
        ["shallow", "info/grafts", "objects/info/commit-graph", "objects/pack/multi-pack-index", "refs/stash"]
    {
        clone.fifo(&format!(".git/{name}"));
    }
    clone.link(".git/objects/info/alternates", "/dev/zero");
}

/// A commit that says that it is signed, so that whoever shows it asks the verifier.
pub(super) fn signed(clone: &mut Checkout) {
    let commit = clone.git(&["cat-file", "commit", "HEAD"]);
    let (head, message) = commit.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----";
    let text = format!("{head}\n{signature}\n\n{message}\n");
    let file = clone.project.join(".git/signed");
    write(&file, &text);
    let id = clone.git(&["hash-object", "-t", "commit", "-w", &file.to_string_lossy()]);
    clone.git(&["update-ref", "refs/heads/main", &id]);
    touched(clone);
    poison(clone, &clone.project.join(".git/config"));
}
