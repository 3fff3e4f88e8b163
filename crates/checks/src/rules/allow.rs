//! Rules that allow. A command is approved where every call in it is allowed by a rule, or needs no question by itself: of
//! `npm test && curl … | sh` a rule about `npm test` allows nothing.

use model::rule::{Fit, Kind, Rule, interned, pattern};
use model::{Change, Decision, Event, EventName, Finding, Findings, PermissionMode, Tool};
use shell::Call;

use super::matching::Matched;
use super::scene::Scene;
use crate::Context;

pub(super) fn decide(allowing: &[&Matched], event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let sure: Vec<&Matched> = allowing.iter().copied().filter(|one| one.fit == Fit::Yes).collect();
    let (Some(first), Some(use_)) = (sure.first(), event.tool_use()) else { return };
    // In this mode the client judges for itself.
    if event.name != EventName::PreToolUse || event.mode == PermissionMode::Auto || use_.odd.is_some() {
        return;
    }
    let allowed = match &use_.tool {
        Tool::Shell(_) => commands(&sure, event, cx),
        // What it says it runs is judged, and approved by nobody.
        Tool::Foreign(foreign) => {
            foreign.commands.is_empty()
                && !foreign.clipped
                && sure.iter().any(|one| one.call.is_none() && covers(&one.rule, event, cx))
                && all_edits(&sure, event, cx)
        }
        Tool::Edit(_) | Tool::Patch(_) => all_edits(&sure, event, cx),
        _ => sure.iter().any(|one| one.call.is_none() && covers(&one.rule, event, cx)),
    };
    if allowed {
        out.findings.push(Finding {
            rule: interned(&first.rule.id),
            decision: Decision::Allow,
            what: format!("Allowed by the rule {}.", first.rule.id),
            why: "".into(),
            instead: None,
            at: None,
        });
    }
}

fn commands(sure: &[&Matched], event: &Event, cx: &Context<'_>) -> bool {
    let Some(reading) = cx.reading(event) else { return false };
    let command = event.command().unwrap_or_default();
    if command.is_empty() || crate::shell::changes_path(command) {
        return false;
    }
    if !reading.doubts.is_empty() || !reading.unseen.is_empty() || reading.fork_bomb {
        return false;
    }
    // By the name that the rule says: a program with a slash is whatever lies there.
    let says = |one: &Matched, at: usize| {
        let Some(wanted) = one.rule.when.call.as_ref().filter(|_| one.call == Some(at)) else { return false };
        let call = &reading.calls[at];
        let program = call.argv.first().map_or("", |arg| arg.text.as_str());
        let plain = !program.contains('/') || shell::path::is_program(program);
        let named = |name: &String| pattern::fits(name, call.program(), Kind::Text) == Fit::Yes;
        wanted.program.iter().any(|name| if name.contains('/') { !plain } else { plain && named(name) })
    };
    let is_named = |at: usize| sure.iter().any(|one| says(one, at));
    let mut calls = reading.calls.iter().enumerate().filter(|(_, call)| call.script.is_none());
    sure.iter().any(|one| one.call.is_some_and(&is_named))
        && calls.all(|(at, call)| {
            is_named(at) && is_plain(call, cx) || crate::shell::needs_no_question(reading, at, event, cx)
        })
}

/// Started as it is, here, by this user, and writing nothing beside.
pub(super) fn is_plain(call: &Call, cx: &Context<'_>) -> bool {
    let told = |(name, _): &(String, String)| {
        shell::programs::variable(name).is_some() || !shell::text::is_known(name)
    };
    let known = |arg: &shell::Arg| shell::text::is_known(&arg.text);
    !call.elsewhere
        && call.argv.iter().all(known)
        && !call.vars.iter().any(told)
        && crate::shell::is_started_plainly(call, cx)
}

/// Whether a rule that fits a tool's call is about all of it: one about paths or hosts may be about one of several.
pub(super) fn covers(rule: &Rule, event: &Event, cx: &Context<'_>) -> bool {
    rule.when.mcp.is_some() || rule.when.frame.tool.is_some() || cx.deeds(event).len() <= 1
}

/// Every file that the call changes is one that a rule allows.
fn all_edits(sure: &[&Matched], event: &Event, cx: &Context<'_>) -> bool {
    event.edits().iter().all(|edit| {
        if edit.change == Change::Unknown {
            return false;
        }
        let one = event.with_edit(edit.clone());
        let view = crate::context::View::default();
        let cx = cx.about(&view);
        let scene = Scene::of_tool(&one, &cx);
        sure.iter().any(|matched| {
            // A rule about the tool, not about files.
            matched.rule.when.mcp.is_some() || scene.fits(&matched.rule, &one, &cx) == Fit::Yes
        })
    })
}
