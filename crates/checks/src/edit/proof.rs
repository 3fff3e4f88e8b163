//! A proof that is no longer about the work: `edit/proof`.

use model::state_files::{Proof, Record};
use model::{Effect, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::{Code, evidence_roots};
use crate::{Check, Context, shell};

static META: Meta = Meta {
    id: "edit/proof",
    summary: "a proof of work that no longer counts because source has changed",
    docs: "\
When the user has confirmed that the work does what it should (`.claude/.proof-status` is `verified`) and source code changes afterwards,
by an edit or by a shell command, the status goes back to `pending`: what is committed is what they have seen. Tests, configuration
and generated files change nothing. It says nothing to the agent; the commit gate does.
",
    cases: include_str!("proof.toml"),
    on: &[On::edits(EventName::PostToolUse), On::shell(EventName::PostToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    for edit in shell::edits(event, cx).iter() {
        let Some(code) = Code::of(edit, cx).filter(|code| !code.is_test() && code.is_ours(cx)) else {
            continue;
        };
        for root in evidence_roots(code.repository.as_ref(), cx.facts.project()) {
            let file = root.join(".claude").join(Proof::FILE);
            let proof =
                cx.facts.record(&root, Proof::FILE).ok().flatten().and_then(|text| Proof::parse(&text));
            // Put aside for the moment, it would come back as it was.
            if proof.is_none() && cx.facts.modified(&file).is_none() {
                let effect = Effect::Record(file.to_string_lossy().into_owned(), Record::Remove);
                if !out.effects.contains(&effect) {
                    out.effects.push(effect);
                }
            }
            if proof.is_some_and(|proof| proof.verified) {
                let pending = Proof { verified: false, at: cx.facts.now() };
                let effect =
                    Effect::Record(file.to_string_lossy().into_owned(), Record::Write(pending.to_string()));
                if !out.effects.contains(&effect) {
                    out.effects.push(effect);
                }
            }
        }
    }
}
