//! The project's own commands after an edit and before a subagent ends: `quality/commands`.

use model::{
    Effect, Event, EventName, Findings, GateOutcome, GateVerdict, Levels, Mail, Meta, On, Reader, Role, Tools,
};

use crate::stop::hold;
use crate::{Check, Context};

static META: Meta = Meta {
    id: "quality/commands",
    summary: "a command of the project that fails after the agent's work",
    docs: "\
Runs the project's own commands when the agent has done something: `check` after an edit, `check` and `test` before a subagent
ends, or whatever is configured. What runs when stands in `quality-checks.json` (`.claude/hooks/`, `.claude/`, the project's root, or
`hooks/` of a plugin); what the words stand for in the front matter of the nearest `CLAUDE.md` (or `AGENTS.md`, `GEMINI.md`, `QWEN.md`):

```yaml
---
commands:
  test: \"cargo test\"
  check: \"cargo clippy && cargo fmt --check\"
---
```

A check that is `blocking` holds the agent with the end of its output; any other failure is told to it. The later form, `gates.json`,
with `command`, `on_pass`, `on_fail` (`CONTINUE`, `BLOCK`, `STOP` or the name of another gate) and `keywords`, is read too. `STOP`
ends the whole run and tells you why. `enabled_tools` and `enabled_agents` are exact names or patterns with `*`; none means all. A
blocking check that has no command is named once in a session: nothing that is not run counts as passed.

A command that fails in the same way on the commit that the session began with is told as \"failed before too\" and does not hold the agent. That is
found out when it has failed, not earlier: from what is remembered of that commit, else by running it once on a checkout of it in a folder of its own
(with the project's `node_modules`, `.venv`, `venv` and `vendor` lent to it), where there is time for it.

Commands come with the project, so they run only after you have trusted exactly these (`plimsoll trust`, in the folder of the
`CLAUDE.md`). Each gets what is left of
the hook's time and is ended as a whole when that is up. One that has passed on exactly this code does not run again. An edited file
has been formatted before `check` looks at it. `plimsoll quality run` runs them by hand.
",
    cases: include_str!("commands.toml"),
    on: &[
        On::edits(EventName::PostToolUse),
        On::shell(EventName::PostToolUse),
        On { event: EventName::PostToolUse, tools: Tools::Mcp },
        On::event(EventName::SubagentStop),
        On::event(EventName::Stop),
        On::event(EventName::UserPromptSubmit),
    ],
    role: Role::Advisory,
    levels: Levels::TIDY,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let quality = cx.facts.quality(event, cx.remaining());
    // Once in a session: the user fixes it, not the agent.
    for problem in quality.problems {
        let what = format!("quality-{:016x}", mark(&problem));
        if !cx.facts.was_said(&what) {
            out.notices.push(format!("[hook:warning] {problem}"));
            out.effects.push(Effect::Said(what));
        }
    }
    let stops = matches!(event.name, EventName::Stop | EventName::SubagentStop);
    for outcome in &quality.outcomes {
        match outcome.verdict {
            GateVerdict::Passed => {}
            GateVerdict::Warn if stops => out.effects.push(Effect::Mail(Mail {
                key: format!("quality/{}", outcome.name),
                text: warning(outcome),
                to: Reader::Model,
            })),
            GateVerdict::Warn => out.context.push(warning(outcome)),
            GateVerdict::Stop => {
                let text = refusal(outcome);
                out.deny(META.id, text.clone(), "");
                out.halt = Some(text);
            }
            GateVerdict::Block => {
                let text = refusal(outcome);
                if stops {
                    hold(META.id, event, cx, &[text], out);
                } else {
                    out.deny(META.id, text, "");
                }
            }
        }
    }
}

/// Tells one text from another: FNV-1a, because it has to be the same in every process.
fn mark(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn warning(outcome: &GateOutcome) -> String {
    let how =
        if outcome.before { "failed before too, so it does not block" } else { "failed (non-blocking)" };
    format!("⚠️ Project {} command {how}:\n`{}`\n{}", outcome.name, outcome.command, outcome.output)
}

fn refusal(outcome: &GateOutcome) -> String {
    let (how, then) = match (outcome.passed, outcome.verdict) {
        (false, GateVerdict::Stop) => ("failed", "The work stops here."),
        (false, _) => ("failed", "Fix errors before completing."),
        (true, GateVerdict::Stop) => ("passed", "Its gate stops the work on that (`on_pass: STOP`)."),
        (true, _) => ("passed", "Its gate blocks on that (`on_pass: BLOCK`)."),
    };
    let text =
        format!("Project {} command {how}. {then}\n`{}`\n{}", outcome.name, outcome.command, outcome.output);
    text.trim_end().to_owned()
}
