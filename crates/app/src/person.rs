//! Commands that are the user's alone. Beneath an agent they need a permit: its user was asked about exactly this call. At a
//! terminal a word is read back from it. Where there is neither, in CI and in scripts, the line itself must say `--yes`.

use anyhow::bail;
use state::person::Answer;
use state::{Machine, person};

use crate::ui::Printer;

/// Fails where an agent runs these words and nobody has agreed to them.
pub(crate) fn permitted(machine: &Machine) -> anyhow::Result<()> {
    let words = machine.arguments();
    let plain: Vec<&str> = words.iter().map(String::as_str).collect();
    let held = |verb: &&str| model::PERSONAL.contains(verb) || *verb == model::CHECK_WITH_TRUST;
    let Some(verb) = model::personal_verb(&plain).filter(held) else {
        return Ok(());
    };
    // Setting up is for whoever asks for it; only to make less of it is the user's, and only then is it known.
    if verb == "init" || person::agent_above(machine).is_none() {
        return Ok(());
    }
    use_permit(machine, verb)
}

pub(crate) fn is_beneath_an_agent(machine: &Machine) -> bool {
    person::agent_above(machine).is_some()
}

fn use_permit(machine: &Machine, verb: &str) -> anyhow::Result<()> {
    if person::use_permit(machine, &machine.arguments(), &machine.cwd()) {
        return Ok(());
    }
    bail!("{}", refusal(verb))
}

/// What an agent is told that runs such a command by a way on which nobody was asked.
pub(crate) fn refusal(verb: &str) -> String {
    format!(
        "only the user may run `plimsoll {verb}`: run it as a tool call by itself, written out in full, so that the user is asked, or let the user run it in a terminal"
    )
}

/// The user's yes to what they have been shown. Where nobody can be asked, `yes` is whether the line itself says it.
pub(crate) fn agrees(machine: &Machine, printer: &Printer, question: &str, yes: bool) -> bool {
    // Its permit has been used up by now.
    if person::agent_above(machine).is_some() {
        return true;
    }
    let terminal = person::has_terminal();
    let answer = if terminal { asked(printer, question) } else { yes };
    if answer {
        return true;
    }
    printer.line("nothing was changed");
    if !terminal {
        printer.note("plimsoll: there is no terminal to ask on; if you agree, add --yes");
    }
    false
}

/// Whether the word was typed. Out of habit people type `y` first; what is asked for is said again then, once, with another word.
fn asked(printer: &Printer, question: &str) -> bool {
    for again in [true, false] {
        let question = printer.on_screen(question);
        // A short one has the word on its line.
        let between = if question.chars().count() > 40 { '\n' } else { ' ' };
        match person::challenge(&format!("{question}{between}")) {
            Some(Answer::Word) => return true,
            Some(Answer::Yes) if again => {
                printer
                    .line("A yes is the word itself, so that nothing but a user at a keyboard can say it.");
            }
            _ => return false,
        }
    }
    false
}

/// The same for what only turns out to be the user's while it runs.
pub(crate) fn agrees_to_less(
    machine: &Machine,
    printer: &Printer,
    question: &str,
    yes: bool,
) -> anyhow::Result<bool> {
    if person::agent_above(machine).is_some() {
        use_permit(machine, "init")?;
        return Ok(true);
    }
    Ok(agrees(machine, printer, question, yes))
}
