//! Rules that the user, their team or the project has written: `rules/own`.

use model::rule::{Author, Book, Fit, Key, Rule as Written, Then, interned};
use model::{Decision, Event, EventName, Finding, Findings, Levels, Meta, On, Rewrite, Role};
use shell::{Call, Reading};

use super::allow;
use super::matching::{Matched, matched};
use crate::context::View;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "rules/own",
    summary: "your own rules, in rules.toml",
    docs: "\
Answers by the rules in `~/.claude/hooks/rules.toml`, `<project>/.claude/hooks/rules.toml`, the files in `rules.d/` beside each, and what
`rules.shared` names. A rule says what it matches (a call with its words and options, paths that are read, written or deleted, added lines,
hosts, tools of servers, packages, SQL, prompts) and what follows: `deny`, `ask`, `allow`, `warn`, `context` or `rewrite`. It holds in
every wrapper and script, and for every tool and agent, because it is matched on what a command comes down to. Where a part that a rule
looks at is not known, a rule that denies or asks asks.

`deny`, `ask` and `warn` of a project count at once; `allow`, `rewrite` and `context` wait for `plimsoll trust`. No rule of a project
weakens a check of Plimsoll's own. See [the guide](../guide/rules.md); `plimsoll rules check` tests your rules.
",
    cases: include_str!("own.toml"),
    on: &[On::event(EventName::UserPromptSubmit), On::event(EventName::PreToolUse)],
    role: Role::Guard,
    levels: Levels::ALWAYS,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(book) = cx.facts.rules() else { return };
    // What the user lets through is still in the way of a policy's rules.
    if cx.is_lifted() && !cx.config.floor.by_hand && book.has(Key::Policy) {
        of_policy(event, cx, book, out);
    }
    let said: Vec<model::RuleId> = out.findings.iter().map(|finding| finding.rule).collect();
    let found = matched(event, cx, book);
    if found.is_empty() {
        return;
    }
    let reading = cx.reading(event);
    let mut allowing: Vec<&Matched> = Vec::new();
    for one in found.iter().filter(|one| !said.contains(&one.rule.id.as_str())) {
        let call = one.call.zip(reading).map(|(at, reading)| &reading.calls[at]);
        match one.rule.then {
            Then::Allow => allowing.push(one),
            Then::Rewrite => rewrite(one, call, event, reading, out),
            _ => say(one, call, out),
        }
    }
    allow::decide(&allowing, event, cx, out);
}

/// What rules of a policy stop in all of the call.
fn of_policy(event: &Event, cx: &Context<'_>, book: &Book, out: &mut Findings) {
    let whole = View::default();
    let cx = cx.about(&whole);
    let reading = cx.reading(event);
    let stops = |one: &&Matched| {
        one.rule.by == Author::Policy && matches!(one.rule.then, Then::Deny | Then::Ask | Then::Warn)
    };
    for one in matched(event, &cx, book).iter().filter(stops) {
        say(one, one.call.zip(reading).map(|(at, reading)| &reading.calls[at]), out);
    }
}

/// The sentence of a rule about what it has found.
fn what(rule: &Written, fit: Fit, call: Option<&Call>) -> String {
    let mut text = if rule.say.is_empty() { format!("{} is about this.", rule.id) } else { rule.say.clone() };
    if fit == Fit::Perhaps {
        let about = call.map(|call| format!(": `{}`", model::redact(&call.line()))).unwrap_or_default();
        text.push_str(" Whether that is so here cannot be told, because a part is not known");
        text.push_str(&about);
        text.push('.');
    }
    text
}

fn instead(rule: &Written) -> Option<String> {
    (!rule.instead.is_empty()).then(|| format!("Instead: {}", rule.instead))
}

fn say(one: &Matched, call: Option<&Call>, out: &mut Findings) {
    let rule = &one.rule;
    let decision = match (rule.then, one.fit) {
        (Then::Deny, Fit::Yes) => Decision::Deny,
        (Then::Deny | Then::Ask, _) => Decision::Ask,
        (Then::Warn, _) => {
            let instead = instead(rule).map(|text| format!(" {text}")).unwrap_or_default();
            out.context.push(format!("[hook:warning] {}: {}{instead}", rule.id, what(rule, one.fit, call)));
            return;
        }
        (Then::Context, Fit::Yes) => {
            out.context.push(rule.say.clone());
            return;
        }
        _ => return,
    };
    out.findings.push(Finding {
        rule: interned(&rule.id),
        decision,
        what: what(rule, one.fit, call),
        why: format!("({}, a rule of {}.)", rule.id, whose(rule)).into(),
        instead: instead(rule),
        at: call.and_then(span),
    });
}

fn whose(rule: &Written) -> &'static str {
    match rule.by {
        Author::User => "the user",
        Author::Shared => "the user's team",
        Author::Project => "this project",
        Author::Policy => "the team's policy",
    }
}

/// The words of the call, without what it was wrapped in.
pub(super) fn span(call: &Call) -> Option<model::Span> {
    let spans: Vec<_> = call.argv.iter().filter_map(|arg| arg.span.clone()).collect();
    let first = spans.iter().map(|span| span.start).min()?;
    let last = spans.iter().map(|span| span.end).max()?;
    Some(first..last)
}

/// Writes other words in place of those that the rule names. Where they do not stand in the command itself, the user decides.
fn rewrite(one: &Matched, call: Option<&Call>, event: &Event, reading: Option<&Reading>, out: &mut Findings) {
    let (Some(call), Some(_)) = (call, reading) else { return };
    let rule = &one.rule;
    let mut rewrites = Vec::new();
    let mut stuck = one.fit != Fit::Yes;
    for (at, arg) in call.argv.iter().enumerate() {
        let text = if at == 0 { call.program() } else { arg.text.as_str() };
        let Some((_, to)) = rule.rewrite.iter().find(|(from, _)| from == text) else { continue };
        match (&arg.span, event.command()) {
            (Some(span), Some(_)) if crate::shell::literal(event, arg) => rewrites.push(Rewrite {
                rule: interned(&rule.id),
                span: span.clone(),
                text: to.clone(),
                why: format!("{}: `{text}` was written as `{to}`. {}", rule.id, rule.say)
                    .trim_end()
                    .to_owned(),
            }),
            _ => stuck = true,
        }
    }
    if !stuck {
        out.rewrites.append(&mut rewrites);
        return;
    }
    let words: Vec<String> = rule.rewrite.iter().map(|(from, to)| format!("`{to}` for `{from}`")).collect();
    let what = format!("`{}` should be run with {}.", model::redact(&call.line()), words.join(", "));
    let finding = out.ask(interned(&rule.id), what, "Plimsoll cannot change it there.");
    finding.instead = instead(rule);
    finding.at = span(call);
}
