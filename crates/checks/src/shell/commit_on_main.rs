//! Commits on the branch that everybody shares: `shell/commit-on-main`.

use std::collections::BTreeMap;
use std::path::Path;

use model::deed::{Deed, Object, Verb};
use model::{Event, Findings, Level, Levels, Meta, Repository};
use shell::programs::is_main;
use shell::{Call, Reading};

use super::commits::{Made, calls, is_plan, note_added};
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels::STRICT,
    ..super::guard(
        "shell/commit-on-main",
        "a commit on main or master",
        "\
Refuses `git commit` while `main` or `master` is checked out, and whatever else commits (`cherry-pick`, `revert`, `am`, `rebase -i`,
`update-ref`, an alias from git's own files), in the repository that the command is about: by its directory, `-C`,
`--git-dir`, `GIT_DIR`, in a linked work tree. A branch that the same command has just made counts. Exempt are the first commit
of a repository, the commit that ends a merge, the repository in `~/.claude`, and a commit of `MASTER_PLAN.md` alone.
",
        include_str!("commit_on_main.toml"),
    )
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    // Branches that this command itself has switched to.
    let mut switched: BTreeMap<String, &str> = BTreeMap::new();
    let mut added: Vec<String> = Vec::new();
    let mut made = Made::default();
    for call in calls(reading) {
        let dir = shell::programs::repository(call);
        made.note(call, cx);
        if let Some(branch) = switches_to(call) {
            switched.insert(dir, branch);
            continue;
        }
        note_added(call, &mut added);
        let Some(deed) = call.deeds.iter().find(|deed| commits_here(deed, reading)) else { continue };
        let Some(repository) = made.repository(call, event, cx) else { continue };
        let named = branch_of(deed).filter(|name| is_main(name)).map(str::to_owned);
        let branch = named.or_else(|| switched.get(&dir).map(|name| (*name).to_owned()));
        let branch = branch.or_else(|| repository.branch.clone()).unwrap_or_default();
        let exempt = is_exempt(&repository, cx)
            || deed.verb == Verb::Commits && is_plan(call, &added, cx, Path::new(&dir));
        if is_main(&branch) && !exempt {
            report(call, &branch, out);
            return;
        }
    }
}

/// The branch that a call goes to.
pub(super) fn switches_to(call: &Call) -> Option<&str> {
    call.deeds.iter().find(|deed| deed.verb == Verb::Keeps).and_then(branch_of)
}

fn branch_of(deed: &Deed) -> Option<&str> {
    match &deed.object {
        Object::Ref(name) => Some(name),
        _ => None,
    }
}

/// Whether a deed commits what is worked on, and does not only bring two branches together.
fn commits_here(deed: &Deed, reading: &Reading) -> bool {
    let Some(name) = branch_of(deed) else { return false };
    match deed.verb {
        // By itself it leaves an object that nothing names.
        Verb::Commits if name == "an object" => calls(reading).any(|call| {
            let moves = |deed: &Deed| {
                matches!(deed.verb, Verb::Merges | Verb::Keeps | Verb::Records) && branch_of(deed).is_some()
            };
            let named = ["the index or the branch", "branches"].iter().any(|thing| call.concerns(thing));
            named || call.does(Verb::Publishes) || call.deeds.iter().any(moves)
        }),
        Verb::Commits | Verb::Replays => true,
        // Set to any commit, and not only brought to another branch's.
        Verb::Discards => is_main(name),
        _ => false,
    }
}

/// Whether this project refuses commits on the branch that a call works on.
pub(super) fn refuses(call: &Call, cx: &Context<'_>) -> bool {
    let branch = || cx.facts.repository(Path::new(&shell::programs::repository(call)))?.branch;
    crate::level(&META, cx.config) == Level::On && branch().is_some_and(|branch| is_main(&branch))
}

fn report(call: &Call, branch: &str, out: &mut Findings) {
    let finding = out.deny(
        META.id,
        format!("Cannot commit directly to {branch}."),
        "Main is sacred: everybody builds on it.",
    );
    // With a branch of its own: `git worktree add PATH main` is refused while main is checked out.
    finding.instead = Some(format!(
        "Work on a branch of its own: git worktree add .worktrees/feature-name -b feature-name {branch}"
    ));
    finding.at.clone_from(&call.span);
}

fn is_exempt(repository: &Repository, cx: &Context<'_>) -> bool {
    repository.unborn || repository.merging || is_meta(&repository.root, cx)
}

/// The repository that holds the agent's own set-up.
pub(super) fn is_meta(root: &Path, cx: &Context<'_>) -> bool {
    cx.facts.home().is_some_and(|home| root == home.join(".claude"))
}
