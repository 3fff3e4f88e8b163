//! Work that a version system would throw away: `shell/discard-work`.

use model::deed::{Certainty, Deed, Object, Verb};
use model::{Event, Findings, Meta};
use shell::Call;
use shell::programs::{Role, is_main, is_whole, repository};

use crate::{Check, Context};

static META: Meta = super::guard_on(
    super::BEFORE_ANY,
    "shell/discard-work",
    "a git command that throws work away",
    "\
Refuses `git reset --hard`, `git clean -f`, `git checkout -- .`, `git restore .`, `git switch --discard-changes`, `git stash clear`, and the
ways to lose history for good (`reflog expire`, `gc --prune=now`, `filter-branch`, `update-ref -d` of main), in every spelling, and the
same in Mercurial, Subversion, Jujutsu and Perforce. Each answer names the form that keeps the work. Where somebody is there to
answer, these are a question: `git branch -D`, a folder of the project that is named (`git clean -fd build/`, `git checkout src/`), and
`git reset --hard` after `git stash`.
",
    include_str!("discard_work.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    crate::deeds::work(META.id, event, cx, out);
    let Some(reading) = cx.reading(event) else { return };
    let mut stashed: Vec<Stashed> = Vec::new();
    for call in reading.calls.iter().filter(|call| !call.only_looks()) {
        let lost = call
            .deeds
            .iter()
            .find_map(|deed| lost(deed, call, &stashed, cx).or_else(|| unstaged(deed, call)));
        if let Some(lost) = lost.or_else(|| for_later(event, call, cx)) {
            let why = "What is not committed cannot be brought back.";
            let asks = lost.mild && cx.may_ask(event);
            let finding =
                if asks { out.ask(META.id, lost.what, why) } else { out.deny(META.id, lost.what, why) };
            finding.instead = Some(lost.instead.to_owned());
            finding.at.clone_from(&call.span);
            if !asks {
                return;
            }
        }
        if stashes(call) {
            let untracked = call.concerns(UNTRACKED);
            stashed.push(Stashed { repository: repository(call), untracked });
        }
    }
}

struct Lost {
    what: String,
    instead: &'static str,
    /// It is little, or it is kept elsewhere.
    mild: bool,
}

const OWN_BRANCH: &str = "Give the commit a branch of its own: `git branch <name> <commit>`.";

/// What a command has put aside before.
struct Stashed {
    repository: String,
    /// With the files that git does not know.
    untracked: bool,
}

/// As the table says it of a stash and of what is cleaned up.
const UNTRACKED: &str = "files that git does not know";

fn lost(deed: &Deed, call: &Call, stashed: &[Stashed], cx: &Context<'_>) -> Option<Lost> {
    let entry = call.words().entry.filter(|entry| entry.style.versions)?;
    let lost = |what: String, mild: bool| Some(Lost { what, instead: entry.instead, mild });
    match (&deed.object, deed.verb) {
        (Object::Thing(thing), Verb::Discards) => {
            let kept = stashed.iter().any(|stash| {
                let covers = if thing.contains(UNTRACKED) {
                    stash.untracked
                } else {
                    thing == "every uncommitted change"
                };
                covers && stash.repository == repository(call)
            });
            lost(format!("This would throw away {thing}."), kept)
        }
        (Object::Path { text, tree, .. }, Verb::Discards) => {
            let path = shell::path::absolute(text, &call.cwd);
            let project = cx.facts.project().to_string_lossy();
            if is_whole(text) || shell::path::is_below(&project, &path) {
                return lost("This would throw away every change that is not committed.".into(), false);
            }
            let here = shell::path::is_below(&path, &project);
            let what = format!("This would throw away what is not committed in {}.", shell::text::show(text));
            if *tree { lost(what, here) } else { None }
        }
        (Object::Path { text, tree: true, .. }, Verb::Deletes) if is_whole(text) => {
            lost("This would delete every tracked file.".into(), false)
        }
        // What others have is another check's.
        (Object::Ref(_), _) if call.does(Verb::Publishes) => None,
        // Another commit becomes the branch.
        (Object::Ref(name), Verb::Discards) if is_main(name) && call.does(Verb::Merges) => Some(Lost {
            what: "This would move the main branch away from its commits.".into(),
            instead: OWN_BRANCH,
            mild: false,
        }),
        (Object::Ref(name), Verb::Discards) => {
            // All of them, by whatever listed them, is more than a branch.
            let several = name.starts_with(shell::text::ANY);
            let mild = !is_main(name) && !several;
            lost("This would delete a branch whether it is merged or not.".into(), mild)
        }
        (Object::Ref(name), Verb::Deletes) if is_main(name) || name == "HEAD" => {
            lost("This would delete the main branch.".into(), false)
        }
        // All of them, by whatever listed them.
        (Object::Ref(name), Verb::Deletes)
            if deed.certainty == Certainty::Hole && name.starts_with(shell::text::is_hole) =>
        {
            lost("This would delete whatever is found.".into(), false)
        }
        (Object::Ref(_), Verb::Merges) if call.chose("stdin") && deletes(call) => {
            lost("This would delete branches and tags by their files.".into(), false)
        }
        _ => None,
    }
}

/// The index by its file.
fn unstaged(deed: &Deed, call: &Call) -> Option<Lost> {
    let Object::Path { text, .. } = &deed.object else { return None };
    let gone = matches!(deed.verb, Verb::Writes | Verb::Empties | Verb::Deletes | Verb::Moves);
    (gone && shell::path::absolute(text, &call.cwd).ends_with("/.git/index")).then(|| Lost {
        what: "This would throw away what is staged.".into(),
        instead: "Only unstage: `git restore --staged .`",
        mild: true,
    })
}

/// References that go away by what comes in.
fn deletes(call: &Call) -> bool {
    call.stdin.as_deref().is_some_and(|text| text.lines().any(|line| line.starts_with("delete")))
}

/// Everything that is not committed, put aside.
fn stashes(call: &Call) -> bool {
    let part = ["patch", "keep-index", "staged"].iter().any(|option| call.chose(option));
    !part && call.words().operands.is_empty() && call.concerns("a stash")
}

/// A setting that throws work away when it is used: a name for such a command, or `git clean` without being told twice.
fn for_later(event: &Event, call: &Call, cx: &Context<'_>) -> Option<Lost> {
    let program = call.words().program.filter(|program| program.style.versions)?;
    call.deeds.iter().filter(|deed| deed.verb == Verb::Sets).find_map(|deed| {
        let Object::Setting { name, value } = &deed.object else { return None };
        // What is set for this call alone has been looked at with it.
        let lasts = call.words().lasts();
        if name == "clean.requireforce" && lasts && matches!(value.as_str(), "false" | "0" | "no" | "off") {
            return Some(Lost {
                what: "This would let git delete files that it does not know without being told twice."
                    .into(),
                instead: "See what would go: `git clean -n`.",
                mild: false,
            });
        }
        let named = lasts && program.setting(name) == Some(Role::Alias) && !value.starts_with('!');
        let code = named.then(|| format!("{} {value}", program.name()))?;
        let meant = crate::context::read_text(event, &code, cx.facts);
        meant.calls.iter().find_map(|call| call.deeds.iter().find_map(|deed| lost(deed, call, &[], cx)))
    })
}
