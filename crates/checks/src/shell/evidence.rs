//! Proof before a commit or a merge: `shell/evidence`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::deed::{Object, Verb};
use model::state_files::{Proof, TestStatus};
use model::{AGENT_BRANCH, Event, Findings, Levels, Meta, Repository, Tested, Tree, Unknown, is_own_name};
use shell::Call;
use shell::programs::{Brings, Role::Reset, is_main};

use super::commit_on_main::{is_meta, switches_to};
use super::commits::{Made, calls, is_plan, makes_commit, note_added};
use crate::runner::is_own_test;
use crate::work::{best, code_roots, evidence_roots};
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels::STRICT,
    ..super::guard(
        "shell/evidence",
        "a commit or merge without passing tests and the user's confirmation",
        "\
`git commit`, `git merge` and whatever else puts a commit on a branch (`cherry-pick`, `revert`, `am`, `rebase`, `commit-tree`, `update-ref`, an
alias from git's own files, a work tree that the same command makes), and `git reset COMMIT` to a commit that main does not have yet, need
tests that have passed on exactly the code that results, and the user's word that they have seen it work. Runs are recorded wherever they
happen: in the background after an edit, by `plimsoll test`, by the agent's own
commands. Evidence belongs to the code and not to a folder, so that a merge whose result was tested in a work tree needs no second run. Into a
branch that is not main another may be merged when what lies there has been tested: what both give together is tested on the way to main. A missing
result, a recent failure (with its count), an older one, a part of the tests, tests that are running and an unknown status each have their own reason.

`.claude/.test-status` and `.claude/.proof-status` mirror this for other tools. A file that came with a clone, a patch or an archive, or that anybody else has
written, is not evidence, and that is said. Exempt are the first commit of a repository, a commit of `MASTER_PLAN.md` alone, and the repository in `~/.claude`.
",
        include_str!("evidence.toml"),
    )
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    let mut made = Made::default();
    let mut added = Vec::new();
    let mut switched = None;
    for call in calls(reading) {
        made.note(call, cx);
        switched = switches_to(call).or(switched);
        note_added(call, &mut added);
        let resets = brings(call) == Some(Brings::Reset);
        if !makes_commit(call) && !resets {
            continue;
        }
        let Some(repository) = made.repository(call, event, cx) else { continue };
        let tree = if resets {
            let branch = switched.or(repository.branch.as_deref());
            let Some(branch) = branch.filter(|branch| is_main(branch)) else { continue };
            let Some(version) = moved_to(call, branch, &repository.root, cx) else { continue };
            Tree::Version(version.to_owned())
        } else {
            tree(call)
        };
        if is_meta(&repository.root, cx) || is_meta(&repository.main_root, cx) {
            continue;
        }
        if is_exempt(call, &added, &repository, cx) {
            continue;
        }
        let mut before = reading.calls.iter().take_while(|before| !std::ptr::eq(*before, call));
        let tests_first = before.any(runs_tests);
        let work = Work { repository: &repository, tree, call, cx, tests_first };
        let missing: Vec<Missing> = [work.tests(), work.proof()].into_iter().flatten().collect();
        // One commit that may not be is enough; one that may be says nothing about the next.
        if missing.is_empty() {
            continue;
        }
        for missing in missing {
            let what = format!("Cannot {}: {}.", call.path().last().unwrap_or(&"commit"), missing.what);
            let finding = out.deny(META.id, what, "Work is committed when it is known to work.");
            finding.instead = Some(missing.instead);
            finding.at.clone_from(&call.span);
        }
        return;
    }
}

fn brings(call: &Call) -> Option<Brings> {
    call.words().entry.and_then(|entry| entry.brings)
}

/// Whether a call runs tests, by a runner or through us.
fn runs_tests(call: &Call) -> bool {
    super::test_runs::runs(call) || is_own_test(call)
}

struct Missing {
    what: String,
    instead: String,
}

/// The first commit of a repository, and one of the plan alone, have nothing that could have been tested or shown.
fn is_exempt(call: &Call, added: &[String], repository: &Repository, cx: &Context<'_>) -> bool {
    let commits = call.deeds.iter().all(|deed| !matches!(deed.verb, Verb::Replays | Verb::Merges));
    commits && (repository.unborn || is_plan(call, added, cx, &repository.root))
}

/// The code that a call puts on a branch. What cannot be told is what lies there, which is what most calls commit.
fn tree(call: &Call) -> Tree {
    let words: Vec<&str> = call.operands().map(|arg| arg.text.as_str()).collect();
    let tree = match (brings(call), &words[..]) {
        (Some(Brings::Merge), [version]) => Tree::Merged((*version).to_owned()),
        // From this repository itself. To a branch by its name it only goes where nothing is to be merged.
        (_, [".", spec]) => match spec.split_once(':') {
            Some((version, _)) => Tree::Version(version.trim_start_matches('+').to_owned()),
            None => Tree::Merged((*spec).to_owned()),
        },
        // Ours: the branch of a work tree that was made for an agent.
        (None, [agent]) if is_own_name(call.program()) => Tree::Merged(format!("{AGENT_BRANCH}{agent}")),
        _ if call.with_role(Reset).next().is_some() => Tree::Version(start(call).to_owned()),
        _ => Tree::Present,
    };
    match &tree {
        Tree::Merged(version) | Tree::Version(version) if !shell::text::is_known(version) => Tree::Present,
        _ => tree,
    }
}

/// The commit that main is set to where it is checked out, if that is more than a step back in its own history: what is on main already,
/// here or at its remote, needs no evidence.
fn moved_to<'a>(call: &'a Call, branch: &str, root: &Path, cx: &Context<'_>) -> Option<&'a str> {
    let mut operands = call.operands();
    let version = operands.next()?.text.as_str();
    // With paths, only the index changes.
    let paths = operands.next().is_some()
        || call.texts().any(|text| text == "--")
        || cx.facts.entry(&PathBuf::from(shell::path::absolute(version, &call.cwd))).is_some();
    if paths || !shell::text::is_known(version) {
        return None;
    }
    let steps = ["HEAD", "@"].iter().find_map(|name| version.strip_prefix(name));
    let is_step = steps.is_some_and(|steps| !steps.starts_with('{') && !steps.contains("@{"));
    (!is_step && !is_upstream(version, branch) && !cx.facts.has_in_history(root, branch, version))
        .then_some(version)
}

/// Whether a name is that of this branch at another place: `origin/main` on `main`.
fn is_upstream(version: &str, branch: &str) -> bool {
    version.split_once('/').is_some_and(|(_, there)| there == branch)
}

/// The commit that a branch is set to: the last word, unless that names the folder which is made for it.
fn start(call: &Call) -> &str {
    let makes = |text: &str| {
        call.deeds.iter().any(|deed| match &deed.object {
            Object::Path { text: made, .. } => deed.verb == Verb::Keeps && made == text,
            _ => false,
        })
    };
    call.operands().map(|arg| arg.text.as_str()).rfind(|text| !makes(text)).unwrap_or("HEAD")
}

/// What is about to be committed or merged.
struct Work<'a> {
    repository: &'a Repository,
    tree: Tree,
    call: &'a Call,
    cx: &'a Context<'a>,
    /// The same command runs tests before.
    tests_first: bool,
}

impl Work<'_> {
    /// The folders whose code goes into the commit: of the repository, or the project in it.
    fn roots(&self) -> Vec<PathBuf> {
        code_roots(self.repository, self.cx.facts.project())
    }

    fn tested(&self) -> Tested {
        let of = |root: &PathBuf| self.cx.facts.tested(root, &self.tree);
        let mut all: Vec<Tested> = self.roots().iter().map(of).collect();
        // What a merge gives can only be tested after it. Off main that is soon enough: the way to main asks for it again.
        if self.is_brought_in() && !all.iter().any(|tested| matches!(tested, Tested::Same | Tested::NoTests))
        {
            all = self.roots().iter().map(|root| self.cx.facts.tested(root, &Tree::Present)).collect();
        }
        best(&all)
    }

    /// Whether another branch is merged into one that is not main.
    fn is_brought_in(&self) -> bool {
        matches!(self.tree, Tree::Merged(_)) && !self.repository.branch.as_deref().is_some_and(is_main)
    }

    /// What helps where the tests of what would be committed have not passed.
    fn advice(&self) -> String {
        let test = "run `plimsoll test`, which runs the project's tests and records the result";
        let picks = brings(self.call) == Some(Brings::Pick);
        match &self.tree {
            Tree::Merged(version) if self.is_brought_in() => format!(
                "Run `plimsoll test`: it runs the project's tests and records the result. Where they only pass with {version}: git merge --no-commit --no-ff {version}, then `plimsoll test`, then commit."
            ),
            // By this name it lies elsewhere, and there is no branch to work on.
            Tree::Merged(version)
                if is_upstream(version, self.repository.branch.as_deref().unwrap_or_default()) =>
            {
                format!(
                "What the merge gives has not been tested. To take over what {version} has: git pull --ff-only."
                )
            }
            Tree::Merged(version) => {
                let here = self.repository.branch.as_deref().unwrap_or("HEAD");
                format!(
                    "What the merge gives has not been tested. On {version}, merge {here} first; run `plimsoll test` there, commit, and merge then."
                )
            }
            Tree::Version(version) => format!(
                "{version} has not been tested. Check it out, run `plimsoll test` there, and try again."
            ),
            Tree::Present if picks && !self.call.chose("continue") => {
                format!("Do it without a commit (`-n`), {test}, and commit then.")
            }
            Tree::Present if self.tests_first => {
                "Run the tests in a command of their own, and commit with the next one: how they end is only known when the command has ended.".to_owned()
            }
            Tree::Present => {
                "Run `plimsoll test`: it runs the project's tests and records the result.".to_owned()
            }
        }
    }

    fn tests(&self) -> Option<Missing> {
        let tested = self.tested();
        if matches!(tested, Tested::Same | Tested::NoTests) {
            return None;
        }
        let facts = self.cx.facts;
        // Never waited for here: the agent can.
        if self.roots().iter().any(|root| facts.tests_are_running(root, Duration::ZERO)) {
            return Some(Missing {
                what: "the tests are still running".into(),
                instead: "Wait for their end; their result is recorded by itself. Then try again.".into(),
            });
        }
        let instead = self.advice();
        let missing = |what: String| Some(Missing { what, instead: instead.clone() });
        let last = match self.last() {
            Ok(last) => last,
            Err(unknown) => return missing(format!("the test results cannot be read ({})", unknown.0)),
        };
        match (tested, last) {
            (Tested::Part(part), _) => missing(format!("only a part of the tests has been run on this code (`{part}`)")),
            (Tested::Forged, _) => missing(
                "there are no test results: .claude/.test-status was not written by Plimsoll and counts for nothing".into(),
            ),
            (tested, Some(text)) => self.by_status(&text, &tested, missing),
            (_, None) => missing("there are no test results for this code".into()),
        }
    }

    /// The last status in a work tree of this repository, whatever code it is of.
    fn last(&self) -> Result<Option<String>, Unknown> {
        for root in evidence_roots(Some(self.repository), self.cx.facts.project()) {
            if let Some(text) = self.cx.facts.record(&root, TestStatus::FILE)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn by_status(
        &self,
        text: &str,
        tested: &Tested,
        missing: impl Fn(String) -> Option<Missing>,
    ) -> Option<Missing> {
        let mut fields = text.trim().split('|');
        let (result, count, time) =
            (fields.next().unwrap_or_default(), fields.next().unwrap_or("?"), fields.next());
        let age = time.and_then(|t| t.parse::<u64>().ok()).map(|t| self.cx.facts.now().saturating_sub(t));
        // The same run again would end as it did.
        let fix = |missing: Option<Missing>| {
            let says = |instead| format!("Fix what fails first. {instead}");
            let of_this = *tested == Tested::Failed;
            missing
                .map(|found| if of_this { Missing { instead: says(found.instead), ..found } } else { found })
        };
        match (result, age) {
            ("pass", _) if *tested == Tested::Unrecorded => {
                missing("the test results are of no run that Plimsoll has seen".into())
            }
            ("pass", _) if *tested == Tested::Failed => {
                missing("the last tests of this code did not pass".into())
            }
            ("pass", _) => missing("source has changed since the tests passed".into()),
            ("fail", Some(age)) if age < TestStatus::RECENT => {
                fix(missing(format!("tests are failing ({count} failed, {age} s ago)")))
            }
            ("fail", _) => fix(missing("the last tests did not pass".into())),
            (other, _) => missing(format!("the test status is not known ({other})")),
        }
    }

    /// The work tree in which the branch that is merged was worked on, where the user has seen it.
    fn work_tree(&self) -> Option<PathBuf> {
        let Tree::Merged(version) = &self.tree else { return None };
        let main = (self.repository.main_root != self.repository.root).then_some(&self.repository.main_root);
        let mut all = self.repository.worktrees.iter().chain(main);
        let is_it = |root: &&PathBuf| {
            self.cx.facts.repository(root).is_some_and(|there| there.branch.as_deref() == Some(version))
        };
        all.find(is_it).cloned()
    }

    fn proof(&self) -> Option<Missing> {
        let facts = self.cx.facts;
        let word = self.cx.config.proof_words.first().map_or("verified", String::as_str);
        let ask = format!(
            "Show the user how it works, and ask them to answer `{word}` when they have seen it, or to run `plimsoll proof verify`."
        );
        let missing = |what: &str| Some(Missing { what: what.into(), instead: ask.clone() });
        // The same code, wherever the user has seen it.
        if self.roots().iter().any(|root| facts.proved(root, &self.tree)) {
            return None;
        }
        let mut roots = evidence_roots(Some(self.repository), facts.project());
        roots.extend(self.work_tree());
        let mut there = false;
        for root in &roots {
            match facts.record(root, Proof::FILE) {
                Ok(Some(text)) => {
                    return match text.trim().split('|').next() {
                        Some("verified") => None,
                        Some("pending") => missing("the work has changed since the user last saw it"),
                        _ => missing("the proof of work has a status that is not known"),
                    };
                }
                Ok(None) => there |= facts.modified(&root.join(".claude").join(Proof::FILE)).is_some(),
                Err(_) => return missing("the proof of work cannot be read"),
            }
        }
        if there {
            return missing(
                "the user has not seen it work: .claude/.proof-status was not written by Plimsoll and counts for nothing",
            );
        }
        missing("the user has not seen it work")
    }
}
