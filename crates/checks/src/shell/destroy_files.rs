//! Files that must not be lost: `shell/destroy-files`.

use std::path::Path;

use model::deed::{Certainty, Object, Verb};
use model::{Decision, Event, EventName, Facts, Findings, Meta, On};
use shell::programs::Search;
use shell::{Arg, Call};

use super::place::{Place, place};
use crate::{Check, Context};

static META: Meta = super::guard_on(
    ON,
    "shell/destroy-files",
    "a command or a tool that deletes the system, a home, the project or its history",
    "\
Refuses to delete, overwrite or move away the root, system directories, home directories and what matters most in them, the
project as a whole, and the repository's `.git`, by whatever program: `rm`, `find -delete`, `shred`, `mv`, `truncate`, `rsync
--delete`, a library call in inline Python or Perl; and to remove packages without which the machine does not run. Variables that nobody has set count as empty, because then `$DIR/` is
the root. Leaving every source file of a pattern empty (`truncate -s 0 src/*.py`), and deleting folders of a machine that is called after
production, are questions. Deleting inside the project (`rm -rf node_modules`) and in temporary directories is nobody's business. What a server's
tool deletes or moves away is judged as `rm -rf` is.
",
    include_str!("destroy_files.toml"),
);

static ON: &[On] =
    &[On::shell(EventName::PreToolUse), On::foreign(EventName::PreToolUse), On::edits(EventName::PreToolUse)];

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::files(META.id, event, cx, out);
    let Some(reading) = cx.reading(event) else { return };
    let mut fresh: Vec<String> = Vec::new();
    // A machine that users depend on, by its name.
    let production = reading.calls.iter().flat_map(|call| &call.deeds).any(
        |deed| matches!(&deed.object, Object::Host(host) if shell::programs::kind::names_production(host)),
    );
    for call in reading.calls.iter().filter(|call| !call.only_looks()) {
        if let Some(path) = lost_there(call, cx.facts).filter(|_| production) {
            out.ask(
                META.id,
                format!("This would delete {} on a machine of production.", shell::text::show(path)),
                "Users depend on it, and it cannot be brought back from here.",
            );
        }
        fresh.extend(made(call));
        if let Some(packages) = essential(call).filter(|_| !call.elsewhere) {
            out.deny(
                META.id,
                format!("This would remove {packages}, which the system needs."),
                "Nothing could put it back.",
            )
            .instead = Some(
                "Remove only what you have installed, and let the package manager say what depends on it."
                    .into(),
            );
            return;
        }
        if let Some(pattern) = emptied(call, cx.facts) {
            out.ask(
                META.id,
                format!("This would leave every file of {} empty.", shell::text::show(pattern)),
                "What is not committed in them is lost.",
            )
            .instead = Some("Name the one file that you mean.".into());
        }
        let losses = losses(call, &fresh, cx.facts);
        if let Some(loss) = losses.iter().max_by_key(|loss| (loss.answer, loss.at)) {
            report(loss.verb, &loss.what, loss.at, loss.answer, out);
            if loss.answer == Decision::Deny {
                return;
            }
        }
    }
}

/// A folder of another machine that goes away, outside of its temporary places.
fn lost_there<'a>(call: &'a Call, facts: &dyn Facts) -> Option<&'a str> {
    call.deeds.iter().filter(|deed| deed.place == model::deed::Place::OtherHost).find_map(|deed| match &deed
        .object
    {
        Object::Path { text, tree: true, pattern } if deed.verb == Verb::Deletes => {
            let what = Arg { text: text.clone(), span: None, glob: *pattern };
            (place(&what, call, facts) >= Place::Shared).then_some(text.as_str())
        }
        _ => None,
    })
}

/// A pattern for source files of the project, which are all left without content.
fn emptied<'a>(call: &'a Call, facts: &dyn Facts) -> Option<&'a str> {
    let many = |text: &str| text.contains(['*', '?', '{']) || !shell::text::is_known(text);
    call.deeds.iter().filter(|deed| deed.verb == Verb::Empties).find_map(|deed| match &deed.object {
        Object::Path { text, .. } if many(text) && super::words::is_source(text) && !call.elsewhere => {
            let path = shell::path::absolute(text, &call.cwd);
            shell::path::is_below(&path, &facts.project().to_string_lossy()).then_some(text.as_str())
        }
        _ => None,
    })
}

/// Something that a call would lose.
struct Loss {
    verb: &'static str,
    what: Arg,
    at: Place,
    answer: Decision,
}

/// What is said of such a loss.
pub(crate) fn report(verb: &str, arg: &Arg, at: Place, answer: Decision, out: &mut Findings) {
    let name = shell::text::show(&arg.text);
    let (what, instead) = match at {
        Place::Root => (
            format!("This would {verb} {name}, the root of the file system."),
            "Name the one directory that you mean.",
        ),
        Place::System => {
            (format!("This would {verb} {name}, which the system needs."), "Leave system files alone.")
        }
        Place::Home => (
            format!("This would {verb} {name}, the user's own files."),
            "Name the one directory that you mean.",
        ),
        Place::Project => (
            format!("This would {verb} {name}, the project as a whole."),
            "Name what you want to remove, such as `rm -rf ./build`.",
        ),
        Place::GitDir => (
            format!("This would {verb} {name}, the repository's history."),
            "Leave .git alone; `git gc` cleans it.",
        ),
        _ => return,
    };
    let finding = match answer {
        Decision::Deny => out.deny(META.id, what, "It cannot be undone."),
        _ => out.ask(META.id, what, "What is there now would be lost."),
    };
    finding.instead = Some(instead.into());
    finding.at.clone_from(&arg.span);
}

/// Packages without which a machine does not start, or cannot install anything any more.
const ESSENTIAL: &[&str] = &[
    "apt",
    "base-files",
    "bash",
    "busybox",
    "coreutils",
    "dash",
    "dbus",
    "dnf",
    "dpkg",
    "filesystem",
    "glibc",
    "grub-pc",
    "grub2",
    "init",
    "kernel",
    "libc-bin",
    "libc6",
    "libpam-runtime",
    "libssl3",
    "linux",
    "login",
    "musl",
    "network-manager",
    "openssh-server",
    "openssl",
    "pacman",
    "pam",
    "passwd",
    "rpm",
    "shadow",
    "sudo",
    "systemd",
    "udev",
    "util-linux",
    "yum",
];

/// What the tables say of a removal against what the package manager knows.
const FORCED: &str = "packages, whatever needs them";

/// What a call would take away although the system needs it, or against what a package manager knows.
fn essential(call: &Call) -> Option<String> {
    let vital = |name: &str| {
        let name = name.split([':', '=']).next().unwrap_or_default();
        ESSENTIAL.contains(&name) || name.starts_with("linux-image-") || name == "*"
    };
    let removed = call.deeds.iter().filter(|deed| deed.verb == Verb::Uninstalls);
    removed
        .filter(|deed| match &deed.object {
            Object::Package(name) => vital(name),
            object => object.text() == FORCED,
        })
        .map(|deed| deed.object.text().to_owned())
        .next()
}

/// What a call would lose, with the place that it is lost from.
fn losses(call: &Call, fresh: &[String], facts: &dyn Facts) -> Vec<Loss> {
    let mut found = Vec::new();
    for deed in &call.deeds {
        let Object::Path { text, tree, pattern } = &deed.object else { continue };
        let what = Arg { text: text.clone(), span: deed.span.clone(), glob: *pattern };
        let (verb, tree) = match deed.verb {
            Verb::Deletes => ("delete", *tree),
            Verb::Empties => ("empty", false),
            Verb::Moves => ("move away", true),
            Verb::Writes | Verb::Edits => {
                found.extend(overwritten(call, deed.verb, deed.certainty, &what, *tree, facts));
                continue;
            }
            _ => continue,
        };
        let at = lost_from(verb, &what, tree, call, fresh, facts);
        // The files of one folder, and none below: the user may well mean it.
        let mild = at == Place::Project && !tree && deed.verb == Verb::Deletes;
        found.push(Loss { verb, what, at, answer: if mild { Decision::Ask } else { Decision::Deny } });
    }
    // With a filter it is a clean-up, except of the whole machine, and of a home by no more than an age or a size.
    if let Some(search) = Search::of(call).filter(|search| search.deletes && search.is_narrowed()) {
        for root in &search.roots {
            let what = Arg::new(root);
            let at = place(&what, call, facts);
            let any_name = search.wanted.is_empty() && !search.empty;
            let answer = match at {
                Place::GitDir if finds_history(&search, &shell::path::absolute(root, &call.cwd)) => {
                    Decision::Deny
                }
                Place::Home if any_name => Decision::Ask,
                at if at >= Place::System => Decision::Deny,
                _ => continue,
            };
            found.push(Loss { verb: "delete what is in", what, at, answer });
        }
    }
    // A program that is not known, with the options of one that is.
    let cluster = |text: &str| text.starts_with('-') && text.contains('f') && text.contains(['r', 'R']);
    if call.program().contains(shell::text::is_hole) && call.texts().any(cluster) {
        for what in call.args().iter().filter(|arg| !arg.text.starts_with('-')) {
            let at = lost_from("delete", what, true, call, fresh, facts);
            found.push(Loss { verb: "delete", what: what.clone(), at, answer: Decision::Deny });
        }
    }
    found.retain(|loss| loss.at >= Place::GitDir);
    found
}

/// How bad it is that a path goes, with what is below it or without.
fn lost_from(verb: &str, what: &Arg, tree: bool, call: &Call, fresh: &[String], facts: &dyn Facts) -> Place {
    let at = place(what, call, facts);
    let path = shell::path::absolute(&what.text, &call.cwd);
    let home = facts.home().map(|home| home.to_string_lossy().into_owned());
    // A pattern takes every file of the place, folders or not.
    let tree = tree || what.glob;
    // A key that is gone is gone, without any recursion; so is what a user's shells start with.
    let own = |path: &str| {
        shell::is_secret_path(path, home.as_deref())
            || verb != "move away" && crate::lasting::is_startup(path, facts)
    };
    if at == Place::Shared && !call.elsewhere && own(&path) {
        return Place::Home;
    }
    if at == Place::GitDir && fresh.iter().any(|copy| shell::path::is_below(&path, copy) && path != *copy) {
        return Place::Ordinary;
    }
    match at {
        // What is below them stays when only the path itself goes: a folder cannot go that way.
        Place::Project | Place::Home if !tree => Place::Ordinary,
        Place::GitDir if !tree && !is_vital_to_git(&path) => Place::Ordinary,
        other => other,
    }
}

/// What is lost under new content: accounts, what the system runs from, keys. Other files of the system have their owners, too, and
/// are written every day.
fn overwritten(
    call: &Call,
    verb: Verb,
    certainty: Certainty,
    what: &Arg,
    tree: bool,
    facts: &dyn Facts,
) -> Option<Loss> {
    let at = place(what, call, facts);
    let path = shell::path::absolute(&what.text, &call.cwd);
    let loss = |verb, at, answer| Some(Loss { verb, what: what.clone(), at, answer });
    if tree {
        // Whatever is in an archive, over what the system has.
        let top = path.split('/').filter(|part| !part.is_empty()).count() <= 1;
        let over = at >= Place::System && !call.elsewhere && (certainty == Certainty::Unseen || top);
        return if over { loss("unpack over", at, Decision::Deny) } else { None };
    }
    if call.elsewhere {
        return None;
    }
    let exists = || facts.entry(Path::new(&path)).is_some_and(|entry| !entry.directory);
    if is_account_file(&path) {
        // `cat new > /etc/passwd` says openly what it does, and with what.
        let openly = call.does(Verb::Reads) && call.redirects.iter().any(|to| to.target.text == what.text);
        return loss("overwrite", Place::System, if openly { Decision::Ask } else { Decision::Deny });
    }
    if verb == Verb::Edits {
        return None;
    }
    // What only git itself writes.
    let records = ["/.git/objects/", "/.git/HEAD", "/.git/packed-refs", "/.git/index"];
    if at == Place::GitDir && records.iter().any(|part| path.contains(part)) {
        return loss("overwrite", at, Decision::Ask);
    }
    if is_vital(&path) && (path.starts_with("/boot/") || path == "/etc/fstab" || exists()) {
        return loss("overwrite", Place::System, Decision::Deny);
    }
    // What nobody has described writes to it.
    if certainty == Certainty::Unseen && at >= Place::System {
        return loss("overwrite", at, Decision::Ask);
    }
    let home = facts.home().map(|home| home.to_string_lossy().into_owned());
    if at == Place::Shared && is_key(&path, home.as_deref()) {
        return loss("overwrite", Place::Home, Decision::Deny);
    }
    None
}

/// The copy of something that a call makes: its history is somebody else's, and still there.
fn made(call: &Call) -> Vec<String> {
    let absolute = |path: &str| shell::path::absolute(path, &call.cwd);
    let brought = |deed: &model::deed::Deed| match deed.verb {
        Verb::Fetches => true,
        Verb::Reads => matches!(deed.object, Object::Path { tree: true, .. }),
        _ => false,
    };
    if call.deeds.iter().any(brought) {
        let made = call.paths(&[Verb::Writes, Verb::Appends, Verb::Keeps]);
        return made.map(|(path, _)| absolute(path)).collect();
    }
    let last = call.texts().filter(|text| !text.starts_with('-')).last();
    last.filter(|_| call.program().starts_with("create-")).map(absolute).into_iter().collect()
}

/// Without these git no longer takes the folder for a repository, or has lost commits or branches.
fn is_vital_to_git(path: &str) -> bool {
    path.split_once("/.git/").is_some_and(|(_, rest)| {
        matches!(rest, "HEAD" | "config" | "packed-refs")
            || rest.starts_with("objects/") && shell::text::is_known(rest)
            || super::place::is_of_a_pack(rest)
    })
}

/// Of each kind of file that holds commits and branches, one.
const RECORDS: &[&str] = &[
    "HEAD",
    "packed-refs",
    "refs/heads/main",
    "objects/ab/cdef0123456789abcdef0123456789abcdef01",
    "objects/pack/pack-abcdef0123.pack",
    "objects/pack/pack-abcdef0123.idx",
];

/// Whether a search below a repository's own folder finds commits, branches, or what git starts with. Locks and samples are none.
fn finds_history(search: &Search, root: &str) -> bool {
    let Some((repository, _)) = root.split_once("/.git") else { return false };
    RECORDS.iter().any(|record| search.lets_through(&format!("{repository}/.git/{record}"), root))
}

/// Who may log in.
fn is_account_file(path: &str) -> bool {
    matches!(path, "/etc/passwd" | "/etc/shadow" | "/etc/group" | "/etc/gshadow" | "/etc/sudoers")
}

/// Files without which nobody can log in, or nothing starts.
fn is_vital(path: &str) -> bool {
    path == "/etc/fstab"
        || ["/boot/", "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/lib/", "/usr/lib/"]
            .iter()
            .any(|dir| path.starts_with(dir))
}

/// A key or a token of the user's, that no program makes again.
fn is_key(path: &str, home: Option<&str>) -> bool {
    shell::is_secret_path(path, home)
        && !shell::path::name(path).starts_with(".env")
        && !path.ends_with("_history")
        && !path.ends_with("/.npmrc")
}
