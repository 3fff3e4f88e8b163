//! Secrets in what a tool returns: `result/secrets`.

use model::{Effect, Event, EventName, Findings, Levels, Meta, Patch, Role, Secret};

use super::{AFTER, fingerprint, kinds};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "result/secrets",
    summary: "a key or a password in what a tool returns",
    docs: "\
Puts a mark in the place of secrets before the model reads them and the transcript keeps them: `ghp_…‹masked: GitHub token›`. You see the
original where it is, in the file or in your terminal. Keys are known by their shape (two hundred formats, with their sum where they have
one), private keys by their frame, values by the name before them (`DB_PASSWORD=…`), and the values of the project's own `.env` wherever they
turn up; those are read for the moment and kept nowhere. Keys of documentation (`AKIAIOSFODNN7EXAMPLE`) stay. In files of installed packages
(`node_modules`, `site-packages`), which everybody can read, private keys and values by their name stay, too: they are those of tests.

Where a result cannot be replaced, which is the client's doing for commands that fail and for some agents, you are told once what has leaked, so
that you can revoke it. `warn` tells and masks nothing.
",
    cases: include_str!("secrets.toml"),
    on: AFTER,
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(use_) = event.tool_use() else { return };
    let sights = cx.sights(event);
    let found: Vec<&Secret> = sights.iter().flat_map(|sight| &sight.secrets).collect();
    if found.is_empty() {
        return;
    }
    for ((at, text), sight) in use_.outcome.texts().iter().zip(sights) {
        for secret in &sight.secrets {
            let patch = Patch { at: at.clone(), span: secret.range.clone(), text: secret.mark(text) };
            out.patches.push(patch);
        }
    }
    let named = kinds(found.iter().map(|secret| secret.kind.as_str()));
    let masks = cx.config.checks.get(META.id) != Some(&model::Level::Warn);
    if use_.replaceable && event.name == EventName::PostToolUse && masks {
        out.context.push(format!(
            "Secrets in this result are masked: {named}. You do not need their values; programs read them where they are. \
             Leave the marks out of what you write."
        ));
        return;
    }
    out.patches.clear();
    let subject: String = event.subject().chars().take(80).collect();
    let said = format!("leaked-{:016x}", fingerprint(&[&named, &subject]));
    if cx.facts.was_said(&said) {
        return;
    }
    out.effects.push(Effect::Said(said));
    out.notices.push(format!(
        "A secret has reached the conversation and its transcript: {named}, in the result of `{subject}`. It could not be masked \
         there. Revoke it and make a new one."
    ));
    out.context.push(format!("This result holds secrets ({named}). Do not repeat, write or send them."));
}
