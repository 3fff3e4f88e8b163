//! History that others have: `shell/force-push`.

use model::deed::{Certainty, Deed, Object, Verb};
use model::{Event, Findings, Meta, Rewrite};
use shell::programs::{Role, is_main, repository};
use shell::{Arg, Call};
use std::path::Path;

use super::literal;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/force-push",
    "a push that overwrites what others have",
    "\
A forced push to `main` or `master` is refused in every spelling: `--force`, `-f`, `-uf`, `+main`, `HEAD:main`, `--mirror`, `--delete main`,
or without a name while that branch is checked out. On other branches `--force` becomes `--force-with-lease`, which does the same
unless somebody else has pushed meanwhile; the rewrite approves nothing. That safe form, onto `main`, is a question.
",
    include_str!("force_push.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for call in &reading.calls {
        // Branches on the other side that lose what they have.
        let goes_out = call.does(Verb::Publishes);
        let lost: Vec<(&Deed, &str)> = call
            .deeds
            .iter()
            .filter(|deed| goes_out && matches!(deed.verb, Verb::Discards | Verb::Deletes))
            .filter_map(|deed| match &deed.object {
                Object::Ref(name) => Some((deed, name.as_str())),
                _ => None,
            })
            .collect();
        if !lost.is_empty() {
            judge(event, call, &lost, cx, out);
        } else if goes_out && leased_to_main(call, cx) {
            out.ask(
                META.id,
                "This may overwrite main on the other side.".into(),
                "Nobody's push would be lost, but everybody has that history.",
            )
            .instead = Some("Push a branch of your own, and let it be merged.".into());
        }
    }
}

/// A forced push in its safe form, to the branch that everybody builds on.
fn leased_to_main(call: &Call, cx: &Context<'_>) -> bool {
    let forced = call.chose("force-with-lease") || call.chose("force-if-includes");
    if !forced || call.words().rehearses {
        return false;
    }
    let here = || cx.facts.repository(Path::new(&repository(call))).and_then(|found| found.branch);
    let mut specs =
        call.with_role(Role::Refspec).map(|spec| spec.rsplit(':').next().unwrap_or(spec)).peekable();
    match specs.peek() {
        None => here().is_some_and(|branch| is_main(&branch)),
        Some(_) => specs.any(|name| {
            is_main(name) || matches!(name, "HEAD" | "@") && here().is_some_and(|branch| is_main(&branch))
        }),
    }
}

fn judge(event: &Event, call: &Call, lost: &[(&Deed, &str)], cx: &Context<'_>, out: &mut Findings) {
    let here = || cx.facts.repository(Path::new(&repository(call))).and_then(|found| found.branch);
    let main = lost.iter().find(|(_, name)| {
        is_main(name) || *name == "*" || *name == "HEAD" && here().is_some_and(|branch| is_main(&branch))
    });
    if let Some((deed, _)) = main {
        let what = match deed.verb {
            Verb::Deletes => "This would delete main on the other side.",
            _ => "This would overwrite main on the other side.",
        };
        let finding = out.deny(META.id, what.into(), "Others have that history.");
        finding.instead =
            Some("Push a branch of your own: `git push --force-with-lease origin <branch>`.".into());
        finding.at.clone_from(&call.span);
        return;
    }
    if let Some((deed, _)) = lost.iter().find(|(deed, _)| deed.certainty == Certainty::Hole) {
        let what = match deed.verb {
            Verb::Deletes => {
                "This deletes branches or tags on the other side that cannot be told from the command."
            }
            _ => "This forces a push to a branch that cannot be told from the command.",
        };
        out.ask(META.id, what.into(), "It may be main.");
        return;
    }
    if lost.iter().any(|(deed, _)| deed.verb == Verb::Discards) {
        rewrite(event, call, out);
    }
}

/// `--force` → `--force-with-lease`, `-fu` → `--force-with-lease -u`, `+branch` → `--force-with-lease branch`.
fn rewrite(event: &Event, call: &Call, out: &mut Findings) {
    const WHY: &str = "Plimsoll ran this with --force-with-lease instead of --force, so that nobody's push is overwritten unseen.";
    const SAFE: &str = "--force-with-lease";
    let words = call.words();
    let option = |chosen: &shell::programs::decoded::Chosen| {
        let arg = &call.argv[chosen.word];
        // Others may be in the same word, and the last of them may have its value behind it.
        let times = words.chosen("force").filter(|other| other.word == chosen.word).count();
        let rest = if arg.text.starts_with("--") { String::new() } else { arg.text.replacen('f', "", times) };
        let text = if rest.len() < 2 { SAFE.to_owned() } else { format!("{SAFE} {rest}") };
        (arg, text)
    };
    let mut changes: Vec<(&Arg, String)> = words.chosen("force").map(option).collect();
    if changes.is_empty() {
        let plus = call.operands().filter_map(|arg| Some((arg, arg.text.strip_prefix('+')?)));
        changes.extend(plus.map(|(arg, name)| (arg, format!("{SAFE} {}", shell::quote(name)))));
    }
    let span = |arg: &Arg| arg.span.clone().filter(|_| literal(event, arg));
    if changes.iter().all(|(arg, _)| span(arg).is_some()) {
        out.rewrites.extend(changes.into_iter().filter_map(|(arg, text)| {
            Some(Rewrite { rule: META.id, span: span(arg)?, text, why: WHY.into() })
        }));
    } else {
        // Inside other text there are no bytes to change.
        out.deny(
            META.id,
            "A forced push overwrites what others may have pushed.".into(),
            "The safe form does the same unless somebody else has pushed.",
        )
        .instead = Some("Use the safe form: `git push --force-with-lease`.".into());
    }
}
