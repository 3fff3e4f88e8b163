//! The user's own word that the work does what it should: `prompt/proof`.

use model::state_files::{Proof, Record};
use model::{Body, Effect, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::work::evidence_home;
use crate::work::picture::Picture;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "prompt/proof",
    summary: "a prompt by which the user confirms the work",
    docs: "\
When the user's whole prompt is one of `proof.words` (`verified`, `I have seen it work`, …), the proof of work is recorded in `.claude/.proof-status`,
which a commit needs. `plimsoll proof verify` in a terminal does the same. A prompt that only contains such a word does not count, and
nothing that an agent says or runs does: only a prompt from the process that began the session, and no session that an agent has started.
",
    cases: include_str!("proof.toml"),
    on: &[On::event(EventName::UserPromptSubmit)],
    role: Role::Guard,
    levels: Levels::STRICT,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Prompt(prompt) = &event.body else { return };
    let said = plain(&prompt.text);
    if event.subagent.is_some()
        || said.is_empty()
        || !cx.config.proof_words.iter().any(|words| plain(words) == said)
    {
        return;
    }
    // An agent can send a hook whatever it likes; the user speaks through the client that began the session.
    if !cx.facts.is_the_client() {
        out.context.push("This prompt does not come from the client that began the session, so it verifies nothing. The user can say it themselves with `plimsoll proof verify`.".into());
        return;
    }
    let proof = Proof { verified: true, at: cx.facts.now() };
    // Where the agent is, and where it has worked last: what the user has seen may lie in another work tree.
    let mut homes = vec![evidence_home(event, cx)];
    let here = Picture::of(event, cx);
    let work = Picture::of_work(event, &here.changes(event), cx);
    homes.extend(work.map(|work| work.root().to_owned()).filter(|root| *root != homes[0]));
    for home in homes {
        let file = home.join(".claude").join(Proof::FILE);
        let record = Record::Write(proof.to_string());
        out.effects.push(Effect::Record(file.to_string_lossy().into_owned(), record));
    }
    out.context.push("The user has verified the work: it may be committed when its tests pass. After a later change of source they must confirm it again.".into());
}

/// Words in small letters, without punctuation.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
