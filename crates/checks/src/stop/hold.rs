//! How long a stop is held. Some checks speak once; others go on until they are satisfied, but not for ever: an agent that cannot
//! satisfy them would run until its client gives up.

use model::{Body, Effect, Event, Findings, Held, RuleId};

use crate::Context;

/// The same reasons are given so often, different ones so often; then the stop goes through and the user sees what is open.
const SAME: u32 = 3;
const ALL: u32 = 5;

/// Whether nobody has held this stop yet: for checks that speak once.
pub(crate) fn is_first(event: &Event) -> bool {
    matches!(&event.body, Body::Stop(stop) if !stop.active)
}

/// Holds the stop for these reasons, until they are settled or have been given often enough.
pub(crate) fn hold(rule: RuleId, event: &Event, cx: &Context<'_>, reasons: &[String], out: &mut Findings) {
    if reasons.is_empty() {
        return;
    }
    let by = event.subagent.as_ref().map_or_else(|| rule.to_owned(), |agent| format!("{rule}-{}", agent.id));
    let text = reasons.join("\n\n");
    // A stop that is not the answer to a block begins anew.
    let before = if is_first(event) { Some(Held::default()) } else { cx.facts.held(&by) };
    let Some(before) = before else {
        // What cannot be counted would be held for ever.
        out.notices.push(format!(
            "[hook:warning] {rule}: the agent was held (how often could not be recorded) and finishes with this open:\n{text}"
        ));
        return;
    };
    let same = if before.reasons == text { before.same } else { 0 };
    if same >= SAME || before.times >= ALL {
        out.notices.push(format!(
            "[hook:warning] {rule}: the agent was held {} times and finishes with this open:\n{text}",
            before.times
        ));
        return;
    }
    out.deny(rule, text.clone(), "");
    out.effects
        .push(Effect::Held { by, held: Held { times: before.times + 1, same: same + 1, reasons: text } });
}

#[cfg(test)]
mod tests {
    use model::{AgentId, Config, Decision, EventName, PermissionMode, SessionId, Stop};

    use super::*;
    use crate::cases::Table;

    fn stop(active: bool) -> Event {
        Event {
            agent: AgentId("claude-code"),
            name: EventName::Stop,
            session: SessionId::new("s1"),
            cwd: None,
            transcript: None,
            prompt: None,
            mode: PermissionMode::Default,
            subagent: None,
            body: Body::Stop(Stop { active, last_message: String::new() }),
        }
    }

    /// Stops again and again for these reasons; says how often it was held.
    fn rounds(reasons: &mut dyn FnMut(u32) -> String) -> u32 {
        let config = Config::default();
        let mut table = Table::default();
        for round in 0..20 {
            let mut out = Findings::default();
            hold("stop/x", &stop(round > 0), &Context::new(&config, &table), &[reasons(round)], &mut out);
            if out.decision() != Decision::Deny {
                assert!(out.notices[0].contains(&reasons(round)), "the user sees what is open");
                return round;
            }
            let Some(Effect::Held { held, .. }) = out.effects.pop() else { panic!("not remembered") };
            table.set_held(held);
        }
        panic!("held for ever")
    }

    #[test]
    fn the_same_reasons_hold_three_times_and_others_five() {
        assert_eq!(rounds(&mut |_| "a".into()), 3);
        assert_eq!(rounds(&mut |round| round.to_string()), 5);
    }

    #[test]
    fn where_it_cannot_be_counted_a_stop_is_held_once() {
        let config = Config::default();
        let mut table = Table::default();
        table.forget_held();
        for (active, decision) in [(false, Decision::Deny), (true, Decision::None)] {
            let mut out = Findings::default();
            hold("stop/x", &stop(active), &Context::new(&config, &table), &["a".into()], &mut out);
            assert_eq!(out.decision(), decision);
            assert_eq!(out.notices.iter().any(|text| text.contains("could not be recorded")), active);
        }
    }

    #[test]
    fn a_new_turn_begins_anew() {
        let config = Config::default();
        let mut table = Table::default();
        table.set_held(Held { times: 5, same: 3, reasons: "a".into() });
        let mut out = Findings::default();
        hold("stop/x", &stop(false), &Context::new(&config, &table), &["a".into()], &mut out);
        assert_eq!(out.decision(), Decision::Deny);
    }
}
