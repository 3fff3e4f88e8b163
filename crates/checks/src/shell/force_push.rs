//! History that others have: `shell/force-push`.

use model::{Event, Facts, Findings, Meta, Rewrite};
use shell::{Arg, Call};
use std::path::PathBuf;

use super::words::{Git, git};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/force-push",
    "a push that overwrites what others have",
    "\
A forced push to `main` or `master` is refused in every spelling: `--force`, `-f`, `-uf`, `+main`, `HEAD:main`, `--mirror`, `--delete main`,
or without a name while that branch is checked out. On other branches `--force` becomes `--force-with-lease`, which does the same
unless somebody else has pushed meanwhile; the rewrite approves nothing.
",
    include_str!("force_push.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in &reading.calls {
            let Some(git) = git(call).filter(|git| {
                matches!(git.verb, "push" | "send-pack") && !git.flag("n", &["dry-run"]) && !git.has("--help")
            }) else {
                continue;
            };
            judge(call, &git, cx.facts, out);
        }
    }
}

fn is_main(name: &str) -> bool {
    let name = name.trim_start_matches('+');
    let target = name.rsplit(':').next().unwrap_or(name);
    matches!(target.trim_start_matches("refs/heads/"), "main" | "master")
}

/// A pattern that stands for every branch.
fn is_every(name: &str) -> bool {
    let target = name.trim_start_matches('+').rsplit(':').next().unwrap_or(name);
    matches!(target, "refs/heads/*" | "refs/*" | "*")
}

fn judge(call: &Call, git: &Git<'_>, facts: &dyn Facts, out: &mut Findings) {
    let forced = git.flag("f", &["force"]) && git.args.iter().any(is_force);
    let words = git.operands(&["-o", "--push-option", "--receive-pack", "--exec", "--repo"]);
    let refs: Vec<&Arg> = words.iter().skip(1).copied().collect();
    let plus = refs.iter().any(|r| r.text.starts_with('+'));
    let deletes =
        git.flag("d", &["delete"]) || refs.iter().any(|r| r.text.starts_with(':') && r.text.len() > 1);
    let everything = git.has("--mirror")
        || (git.has("--all") || git.has("--branches")) && (forced || git.has("--prune"))
        || git.has("--prune") && (forced || refs.iter().any(|r| is_every(&r.text)))
        || refs.iter().any(|r| is_every(&r.text) && (forced || r.text.starts_with('+')));
    let names_main = refs.iter().any(|r| is_main(&r.text) && (forced || deletes || r.text.starts_with('+')));
    let unknown = refs.iter().any(|r| !shell::text::is_known(&r.text));
    let current_main = (forced
        && (refs.is_empty() || refs.iter().all(|r| matches!(r.text.as_str(), "HEAD" | "@"))))
        && facts.repository(&directory(call, git)).and_then(|r| r.branch).is_some_and(|b| is_main(&b));
    if names_main || everything || current_main {
        let what = if deletes && !forced {
            "This would delete main on the other side."
        } else {
            "This would overwrite main on the other side."
        };
        let finding = out.deny(META.id, what.into(), "Others have that history.");
        finding.instead =
            Some("Push a branch of your own: `git push --force-with-lease origin <branch>`.".into());
        finding.at.clone_from(&call.span);
        return;
    }
    if unknown && (forced || plus || deletes) {
        let what = if deletes {
            "This deletes branches or tags on the other side that cannot be told from the command."
        } else {
            "This forces a push to a branch that cannot be told from the command."
        };
        out.ask(META.id, what.into(), "It may be main.");
        return;
    }
    if !forced && !plus {
        return;
    }
    rewrite(git, plus && !forced, out);
}

fn is_force(arg: &Arg) -> bool {
    arg.text == "--force"
        || (arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains('f'))
        || arg.text.starts_with("--forc") && !arg.text.starts_with("--force-")
}

/// `--force` → `--force-with-lease`, `-fu` → `-u --force-with-lease`, `+branch` → `--force-with-lease branch`.
fn rewrite(git: &Git<'_>, plus: bool, out: &mut Findings) {
    const WHY: &str = "Plimsoll ran this with --force-with-lease instead of --force, so that nobody's push is overwritten unseen.";
    let mut rewrites = Vec::new();
    for arg in git.args {
        let text = if plus {
            match arg.text.strip_prefix('+') {
                Some(name) => format!("--force-with-lease {}", shell::quote(name)),
                None => continue,
            }
        } else if arg.text.starts_with("--forc") && !arg.text.starts_with("--force-") {
            "--force-with-lease".to_owned()
        } else if is_force(arg) {
            let rest: String = arg.text.chars().filter(|c| *c != 'f').collect();
            if rest == "-" { "--force-with-lease".to_owned() } else { format!("{rest} --force-with-lease") }
        } else {
            continue;
        };
        match &arg.span {
            Some(span) => rewrites.push(Rewrite { rule: META.id, span: span.clone(), text, why: WHY.into() }),
            None => {
                // Inside other text there are no bytes to change.
                out.deny(
                    META.id,
                    "A forced push overwrites what others may have pushed.".into(),
                    "The safe form does the same unless somebody has.",
                )
                .instead = Some("Use the safe form: `git push --force-with-lease`.".into());
                return;
            }
        }
    }
    out.rewrites.append(&mut rewrites);
}

/// Where the repository of a git call is.
pub(super) fn directory(call: &Call, git: &Git<'_>) -> PathBuf {
    let mut dir = call.cwd.clone();
    for next in &git.dirs {
        dir = shell::path::absolute(next, &dir);
    }
    match git.database {
        Some(database) => {
            let path = shell::path::absolute(database, &dir);
            PathBuf::from(path.strip_suffix("/.git").unwrap_or(&path))
        }
        None => PathBuf::from(dir),
    }
}
