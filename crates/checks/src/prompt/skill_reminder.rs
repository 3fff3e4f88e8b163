//! Skills that a prompt could use: `prompt/skill-reminder`.

use model::{Body, Event, EventName, Findings, Levels, Meta, On, Role};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "prompt/skill-reminder",
    summary: "a prompt that matches a skill on this machine",
    docs: "\
Compares a prompt with the skills in `~/.claude/skills` and `.claude/skills`: the words that a skill's description puts in quotes are
what it is for. Where one of them is in the prompt, the agent is told of the skill. Off unless you switch it on, because it speaks
often.
",
    cases: include_str!("skill_reminder.toml"),
    on: &[On::event(EventName::UserPromptSubmit)],
    role: Role::Advisory,
    levels: Levels::NEVER,
    since: "0.1",
};

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Prompt(prompt) = &event.body else { return };
    let prompt = prompt.text.to_lowercase();
    let mut names: Vec<String> = Vec::new();
    for root in [cx.facts.home(), Some(cx.facts.project())].into_iter().flatten() {
        let dir = root.join(".claude/skills");
        for name in cx.facts.names_in(&dir) {
            let Ok(Some(text)) = cx.facts.read(&dir.join(&name).join("SKILL.md")) else { continue };
            if triggers(&text).iter().any(|trigger| has_word(&prompt, trigger)) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    match names.as_slice() {
        [] => {}
        [name] => out.context.push(format!("Consider using the Skill tool to invoke /{name}")),
        names => {
            let list: String = names.iter().map(|name| format!("\n- /{name}")).collect();
            out.context.push(format!("Consider using the Skill tool to invoke one of these:{list}"));
        }
    }
}

/// What the description puts in quotes.
fn triggers(text: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with("description:"));
    let mut description =
        lines.next().unwrap_or_default().trim_start().trim_start_matches("description:").trim().to_owned();
    // It may go on, indented.
    for line in lines.take_while(|line| line.starts_with([' ', '\t'])) {
        description.push(' ');
        description.push_str(line.trim());
    }
    // The whole may stand in quotes itself.
    let whole = ['"', '\''].iter().find_map(|quote| description.strip_prefix(*quote)?.strip_suffix(*quote));
    let description = whole.unwrap_or(&description).replace("\\\"", "\"");
    description
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|word| word.trim().to_lowercase())
        .filter(|word| word.len() > 2)
        .collect()
}

/// By itself: "test" is not in "latest".
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next()))
}
