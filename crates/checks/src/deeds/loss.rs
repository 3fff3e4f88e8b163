//! What a tool would take away: files, services, work that no commit has.

use model::deed::{Object, Verb};
use model::{Decision, Event, Facts, Findings, RuleId};
use shell::{Arg, Call};

use super::place;
use crate::Context;
use crate::shell::{Place, is_disk, place as place_of, report_loss};

/// Files that must not be lost, by whichever tool. What is judged is the same as for `rm -rf`, because a tool that deletes does not say
/// whether it takes folders too.
pub(crate) fn files(rule: RuleId, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let cwd = super::start(event, cx.facts);
    for deed in cx.deeds(event) {
        let Object::Path { text, tree, pattern } = &deed.object else { continue };
        let verb = match deed.verb {
            Verb::Deletes => "delete",
            Verb::Empties => "empty",
            Verb::Moves => "move away",
            Verb::Writes => {
                let path = place::absolute(text, &cwd, cx.facts);
                if is_disk(&path) {
                    let what = format!("This would overwrite {text}, a disk or a part of one.");
                    out.deny(rule, what, "Everything on it would be gone.");
                    return;
                }
                if is_key(&path, cx.facts) {
                    let what = format!("This would overwrite {text}, which holds keys.");
                    out.ask(rule, what, "What is lost of it cannot be brought back.");
                }
                continue;
            }
            _ => continue,
        };
        let arg = Arg { text: place::absolute(text, &cwd, cx.facts), span: None, glob: *pattern };
        if let Some(at) = lost(&arg, *tree, &cwd, cx.facts) {
            report_loss(verb, &Arg { text: text.clone(), ..arg }, at, Decision::Deny, out);
            return;
        }
    }
}

fn is_key(path: &str, facts: &dyn Facts) -> bool {
    let home = facts.home().map(|home| home.to_string_lossy());
    let own = shell::path::is_below(path, &facts.project().to_string_lossy());
    !own && shell::is_secret_path(path, home.as_deref())
}

/// How bad the loss is, where it is one.
fn lost(arg: &Arg, tree: bool, cwd: &str, facts: &dyn Facts) -> Option<Place> {
    let call = Call { cwd: cwd.into(), ..Call::default() };
    match place_of(arg, &call, facts) {
        // A folder does not go by itself.
        Place::Project | Place::Home | Place::GitDir if !tree && !arg.glob => None,
        Place::Shared if is_key(&arg.text, facts) => Some(Place::Home),
        at => (at >= Place::GitDir).then_some(at),
    }
}

/// What others use, by the name of the tool alone: enough for a question.
pub(crate) fn services(rule: RuleId, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for deed in cx.deeds(event) {
        let text = deed.object.text();
        match (deed.verb, &deed.object) {
            (Verb::Destroys, _) => {
                let what = format!("This would delete {text} as a whole.");
                out.ask(rule, what, "Others may be using it, and it cannot be restored.");
            }
            (Verb::Permits, Object::Thing(_)) => {
                out.ask(rule, format!("This would {text}."), "Whoever finds it first can use it.").instead =
                    Some("Grant only the right that is needed, to the account that needs it.".into());
            }
            (Verb::Alters, Object::Thing(_)) => {
                out.ask(rule, format!("This would {text}."), "It is seen outside of this machine at once.")
                    .instead = Some("Say what would change, and let the user decide.".into());
            }
            (Verb::Lends, Object::Thing(_)) => {
                out.ask(rule, format!("This would give {text} to a container."), "Nothing holds it in.")
                    .instead = Some("Give it the one right that it needs.".into());
            }
            // A page signs its requests with what the user is signed in with.
            (Verb::Runs, Object::Code { language, text })
                if language == "javascript" && requests_deletion(text) =>
            {
                let what = "This would have the page delete something in the user's name.";
                out.ask(rule, what.into(), "Others may be using it, and it cannot be restored.");
            }
            _ => {}
        }
    }
}

/// Whether code of a page sends a request that deletes something.
fn requests_deletion(code: &str) -> bool {
    let bare: String =
        code.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')).collect();
    bare.contains("method:DELETE") || bare.contains(".open(DELETE,") || bare.contains("axios.delete(")
}

/// Work that is nowhere but here.
pub(crate) fn work(rule: RuleId, event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for deed in cx.deeds(event) {
        if let (Verb::Deletes, Object::Thing(thing)) = (deed.verb, &deed.object) {
            let what = format!("This would throw away {thing}.");
            out.ask(rule, what, "What is not committed cannot be brought back.").instead =
                Some("Commit or stash it first.".into());
        }
    }
}
