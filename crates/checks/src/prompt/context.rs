//! What a prompt is about, looked up: `prompt/context`.

use std::path::{Path, PathBuf};

use model::config::Profile;
use model::state_files::{AgentFindings, Record, TestResult};
use model::{Body, Effect, Event, EventName, Findings, Levels, Meta, On, Role, source};

use crate::plan::annotations;
use crate::session::surroundings;
use crate::work::picture::{Picture, findings};
use crate::work::{has_todo, own_record};
use crate::{Check, Context};

static META: Meta = Meta {
    id: "prompt/context",
    summary: "facts that a prompt needs, added to it",
    docs: "\
Looks at the words of a prompt and adds what they call for: the branch and uncommitted files for a merge, commit or push, test results where
tests are meant. With the profile `strict` also: on the first prompt everything that the start of the session said, because clients may drop
that; findings about subagents, once; the plan for work on it; the decisions in files that are named; a claim on issues (`fix #42`), where
there is a list of work; a hint to `/backlog` for what is put off; a request to confirm the scope of large tasks; the research log.
",
    cases: include_str!("context.toml"),
    on: &[On::event(EventName::UserPromptSubmit)],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

/// Files of a prompt that are looked at.
const FILES: usize = 5;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Body::Prompt(prompt) = &event.body else { return };
    let words = Words::of(&prompt.text);
    let picture = Picture::of(event, cx);
    let mut lines: Vec<String> = Vec::new();
    if matches!(cx.config.profile, Profile::Strict | Profile::Observe) {
        full(event, cx, &picture, &words, &mut lines, out);
    }
    if words.any(&["merge", "commit", "push", "pr", "prs"]) || words.phrase("pull request") {
        lines.extend(picture.git());
        lines.extend(picture.main_warning());
    }
    if words.any(&["test", "tests", "testing", "failing", "fails", "merge", "commit"]) {
        lines.extend(picture.tests());
    }
    let mut seen: Vec<String> = Vec::new();
    lines.retain(|line| {
        !seen.contains(line) && {
            seen.push(line.clone());
            true
        }
    });
    if !lines.is_empty() {
        out.background.push(lines.join("\n"));
    }
}

fn full(
    event: &Event,
    cx: &Context<'_>,
    picture: &Picture<'_>,
    words: &Words,
    lines: &mut Vec<String>,
    out: &mut Findings,
) {
    let counter = format!(".prompt-count-{}", event.session.as_str());
    let before = own_record(cx, &counter).and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
    out.effects.push(Effect::Record(counter, Record::Write((before + 1).to_string())));
    if before == 0 {
        lines.extend(surroundings(picture));
        lines.extend(picture.plan_age());
        lines.extend(cx.facts.todo(&["hud"]));
    }
    if let Some((text, found)) = findings(cx) {
        lines.push("Findings about subagents that have ended:".into());
        lines.extend(found.into_iter().map(|line| format!("  {line}")));
        out.effects.push(Effect::Record(AgentFindings::FILE.into(), Record::Delivered(text)));
    }
    lines.extend(
        named_files(event, cx, words).into_iter().map(|(name, path)| decision_status(cx, &name, &path)),
    );
    if words.any(&["plan", "implement", "phase", "status", "progress", "demo"]) {
        lines.extend(picture.plan());
        let open = picture.test_status().filter(|status| status.result == TestResult::Fail);
        lines.extend(open.and_then(|_| picture.tests()));
    }
    // Observing claims nothing.
    let claims =
        if cx.config.profile == Profile::Strict && has_todo(cx) { words.claims() } else { Vec::new() };
    for number in claims {
        if cx.facts.claim(&number) {
            lines.push(format!("Issue #{number} is claimed for this session."));
        }
    }
    // What is quoted is talked about, not put off.
    if Words::of(&without_quotes(&words.raw.join(" "))).puts_off() {
        let how = if has_todo(cx) || has_command(cx, "backlog") {
            "put it on the list with /backlog"
        } else {
            "note it in the backlog"
        };
        lines.push(format!("Some of this is for later: {how}, so that it is not lost."));
    }
    if words.count() > 40 && words.actions() > 2 {
        lines.push(
            "Large task detected: name the steps and confirm the scope with the user before you begin."
                .into(),
        );
    } else if words.is_broad() {
        lines.push("Broad scope detected: say what is in and what is not before you begin.".into());
    }
    if words.any(&["research", "investigate", "compare", "evaluate", "explore"]) {
        lines.extend(picture.research());
    }
}

/// Whether the client has a command of this name: the project's, or the user's.
fn has_command(cx: &Context<'_>, name: &str) -> bool {
    let dirs = [Some(cx.facts.project()), cx.facts.home()].into_iter().flatten();
    dirs.map(|dir| dir.join(".claude")).any(|dir| {
        [format!("commands/{name}.md"), format!("skills/{name}/SKILL.md")]
            .iter()
            .any(|file| cx.facts.modified(&dir.join(file)).is_some())
    })
}

/// Files that the prompt names and that are there.
fn named_files(event: &Event, cx: &Context<'_>, words: &Words) -> Vec<(String, PathBuf)> {
    let base = event.cwd.as_deref().unwrap_or_else(|| cx.facts.project());
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for word in &words.raw {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let word =
            word.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '.' | '_' | '~'));
        if !source::is_source(Path::new(word))
            || found.iter().any(|(name, _)| name == word)
            || found.len() == FILES
        {
            continue;
        }
        let places = [base, cx.facts.project()]
            .map(|dir| model::path::absolute(Path::new(word), dir, cx.facts.home()));
        if let Some(path) = places.into_iter().find(|path| cx.facts.modified(path).is_some()) {
            found.push((word.to_owned(), path));
        }
    }
    found
}

fn decision_status(cx: &Context<'_>, name: &str, path: &Path) -> String {
    let text = cx.facts.read(path).ok().flatten().unwrap_or_default();
    let found: Vec<String> = annotations(&text)
        .into_iter()
        .map(|decision| {
            let id = decision.id.unwrap_or_else(|| "without an id".into());
            if decision.status.is_empty() { id } else { format!("{id} ({})", decision.status) }
        })
        .collect();
    match found.len() {
        0 => format!("{name}: no @decision, {} lines", text.lines().count()),
        _ => format!("{name}: @decision {}", found.join(", ")),
    }
}

/// A prompt, word by word.
struct Words {
    raw: Vec<String>,
    /// Small letters, without punctuation.
    plain: Vec<String>,
    text: String,
}

/// A text without its code and its quotations; a quote that is never closed is left as it is. Some clients hand the whole prompt on in
/// quotes, which quotes nothing.
fn without_quotes(text: &str) -> String {
    let whole = text.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let mut rest = whole.filter(|inside| !inside.contains('"')).unwrap_or(text);
    let mut out = String::new();
    while let Some(at) = rest.find(['`', '"', '\u{201c}']) {
        let opens = rest[at..].chars().next().unwrap_or('"');
        let closes = if opens == '\u{201c}' { '\u{201d}' } else { opens };
        let inside = at + opens.len_utf8();
        let Some(end) = rest[inside..].find(closes) else { break };
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = &rest[inside + end + closes.len_utf8()..];
    }
    out + rest
}

impl Words {
    fn of(text: &str) -> Self {
        let raw: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let trim =
            |word: &String| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#').to_lowercase();
        let plain: Vec<String> = raw.iter().map(trim).filter(|word| !word.is_empty()).collect();
        let text = plain.join(" ");
        Self { raw, plain, text }
    }

    fn count(&self) -> usize {
        self.plain.len()
    }

    fn any(&self, words: &[&str]) -> bool {
        self.plain.iter().any(|word| words.contains(&word.as_str()))
    }

    /// Words in a row.
    fn phrase(&self, phrase: &str) -> bool {
        format!(" {} ", self.text).contains(&format!(" {phrase} "))
    }

    /// `fix #42`, `work on issue #7`: the numbers. `start with point #3 of my list` is about no issue.
    fn claims(&self) -> Vec<String> {
        const VERBS: &[&str] = &["work", "fix", "implement", "tackle", "start", "handle", "address"];
        const BETWEEN: &[&str] = &[
            "on", "issue", "issues", "bug", "bugs", "ticket", "tickets", "the", "github", "and", "working",
            "also",
        ];
        let mut found: Vec<String> = Vec::new();
        let mut claimed = 0;
        for word in &self.plain {
            if VERBS.contains(&word.as_str()) {
                claimed = 6;
            } else if !word.starts_with('#') && !BETWEEN.contains(&word.as_str()) {
                claimed = 0;
            } else if let Some(number) = word
                .strip_prefix('#')
                .filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
            {
                if claimed > 0 && !found.iter().any(|known| known == number) {
                    found.push(number.to_owned());
                }
                // A list goes on.
                claimed = if claimed > 0 { 3 } else { 0 };
            } else {
                claimed = usize::saturating_sub(claimed, 1);
            }
        }
        found
    }

    fn puts_off(&self) -> bool {
        let phrases = [
            "park this",
            "park that",
            "park it",
            "remind me",
            "come back to",
            "not now",
            "down the road",
            "at some point",
        ];
        // A property of systems, and a time within the task, are nothing that is put off.
        let other = [
            "eventually consistent",
            "eventual",
            "sooner or later",
            "or later",
            "and later",
            "later than",
            "later versions",
            "later version",
            "the later",
            "a later",
            "any later",
            "in later",
            "see you later",
            "use defer",
            "using defer",
            "a defer",
            "the defer",
            "defer statement",
            "defer statements",
            "defer keyword",
            "is in the backlog",
            "show the backlog",
            "show me the backlog",
            "list the backlog",
        ];
        let own = |word: &str| {
            self.any(&[word]) && !other.iter().any(|phrase| phrase.contains(word) && self.phrase(phrase))
        };
        ["later", "defer", "backlog", "eventually", "someday", "postpone"].into_iter().any(own)
            || phrases.iter().any(|phrase| self.phrase(phrase))
            // By itself it says how much is wanted, not what is to wait.
            || self.phrase("for now") && self.any(&["leave", "skip", "ignore", "enough", "park"])
    }

    fn actions(&self) -> usize {
        const VERBS: &[&str] = &[
            "add",
            "build",
            "change",
            "create",
            "delete",
            "design",
            "document",
            "fix",
            "implement",
            "integrate",
            "migrate",
            "move",
            "refactor",
            "remove",
            "rename",
            "replace",
            "rewrite",
            "test",
            "update",
            "write",
        ];
        self.plain.iter().filter(|word| VERBS.contains(&word.as_str())).count()
    }

    fn is_broad(&self) -> bool {
        self.any(&["everything", "entire", "comprehensive"])
            || self.phrase("all of")
            || self.phrase("complete overhaul")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_off_is_told_from_what_is_called_so() {
        for text in [
            "do the rest later",
            "eventually we should fix it",
            "not now",
            "park this",
            "leave that for now",
            "put it in the backlog",
            "let us defer the caching",
        ] {
            assert!(Words::of(text).puts_off(), "{text}");
        }
        for text in [
            "make the store eventually consistent",
            "Python 3.10 or later",
            "see the later section",
            "hello",
            "rename `later` to `after`",
            "translate \"we will do it later\"",
            "for now just explain the code",
            "use defer to close the file",
            "what is in the backlog?",
            "see you later",
        ] {
            assert!(!Words::of(&without_quotes(text)).puts_off(), "{text}");
        }
    }

    #[test]
    fn issues_are_claimed_by_a_verb_before_them() {
        let claims = |text: &str| Words::of(text).claims();
        assert_eq!(claims("Fix #42, please."), ["42"]);
        assert_eq!(claims("work on issues #7, #8 and #9"), ["7", "8", "9"]);
        assert_eq!(claims("what about #42?"), Vec::<String>::new());
        assert_eq!(
            claims("fix the parser as described a long while ago in the notes of #42"),
            Vec::<String>::new()
        );
        assert_eq!(claims("fix #x and #"), Vec::<String>::new());
        assert_eq!(claims("start with point #3 of my list"), Vec::<String>::new());
        assert_eq!(claims("start working on #3"), ["3"]);
    }
}
