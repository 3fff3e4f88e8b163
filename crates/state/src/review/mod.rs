//! The second opinion: who can be asked, the asking, and what is kept of the answers.
//!
//! The asking itself (`wire`, `http`) is the feature `second-opinion`. Without it there is nobody to ask. Nothing here
//! runs before the check has found that it is needed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use model::config::Profile;
use model::environment::{self, Variable};
use model::{Conclusion, Config, Judgement, Question, Reviewer, SessionId};
use thiserror::Error;

use crate::written::{self, Belief};
use crate::{Machine, Project, append_line, files, sha256};

#[cfg(feature = "second-opinion")]
mod http;
mod pause;
#[cfg(feature = "second-opinion")]
mod wire;

/// Why a reviewer has given no answer. It reads on after the reviewer's name.
#[derive(Debug, Error)]
#[error("{why}{}", .pause.as_deref().unwrap_or_default())]
pub(crate) struct Unasked {
    why: Why,
    /// What follows from it, where this failure begins a pause.
    pause: Option<String>,
}

#[derive(Debug, Error)]
#[cfg_attr(not(feature = "second-opinion"), expect(dead_code, reason = "nobody is asked"))]
enum Why {
    #[error("cannot be asked: this executable was built without the second opinion")]
    #[cfg_attr(feature = "second-opinion", expect(dead_code, reason = "this one was built with it"))]
    Left,
    #[error("has no key")]
    NoKey,
    #[error("was not asked: {0} is neither https nor on this machine")]
    Open(String),
    #[error("was not asked: {0} is not a model's name")]
    Model(String),
    #[error("was not asked: {0} is not an address of a proxy")]
    Proxy(&'static str),
    #[error("did not answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    #[error("could not be asked: {0}")]
    Unreached(String),
    #[error("answered with status {status}{}", .said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Status { status: u16, said: Option<String> },
    #[error("gave an answer that cannot be read")]
    Unreadable,
}

/// Asks one reviewer, and remembers where that fails.
#[cfg(feature = "second-opinion")]
pub(crate) fn ask(
    machine: &Machine,
    config: &Config,
    reviewer: Reviewer,
    question: &Question,
    earlier: Option<&model::Review>,
    limit: Duration,
) -> Result<model::Review, Unasked> {
    let answer = http::ask(machine, config, reviewer, question, earlier, limit);
    let said = pause::note(machine, reviewer, answer.is_err());
    answer.map_err(|why| Unasked { why, pause: said })
}

#[cfg(not(feature = "second-opinion"))]
pub(crate) fn ask(
    _: &Machine,
    _: &Config,
    _: Reviewer,
    _: &Question,
    _: Option<&model::Review>,
    _: Duration,
) -> Result<model::Review, Unasked> {
    Err(Unasked { why: Why::Left, pause: None })
}

/// Who has a key, in the order to ask them.
pub(crate) fn reviewers(machine: &Machine, config: &Config) -> Vec<Reviewer> {
    let off = machine.var(&environment::LLM_REVIEW_ENABLED).is_some_and(|value| value == "0");
    // Observing must not send anything away, nor make anybody wait.
    if !cfg!(feature = "second-opinion") || off || config.profile == Profile::Observe {
        return Vec::new();
    }
    let can =
        |reviewer: &Reviewer| key(machine, *reviewer).is_some() && !pause::is_paused(machine, *reviewer);
    Reviewer::ALL.into_iter().filter(can).collect()
}

/// A reviewer's key, from the environment or from `~/.claude/.env`.
fn key(machine: &Machine, reviewer: Reviewer) -> Option<String> {
    let variable = match reviewer {
        Reviewer::Gemini => &environment::GEMINI_API_KEY,
        Reviewer::OpenAi => &environment::OPENAI_API_KEY,
    };
    machine.var(variable).or_else(|| from_file(machine, variable))
}

fn from_file(machine: &Machine, variable: &Variable) -> Option<String> {
    let text = files::read(&machine.home()?.join(".claude/.env")).ok()??;
    text.lines().rev().find_map(|line| setting(line, variable.name)).filter(|value| !value.is_empty())
}

/// The value in `NAME=value`, `export NAME="value"` or `NAME=value # a remark`.
fn setting(line: &str, name: &str) -> Option<String> {
    let line = line.trim();
    let (known, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    if known.trim() != name {
        return None;
    }
    let value = value.trim();
    let inner = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
        _ => value.split(" #").next(),
    };
    Some(inner?.trim().to_owned())
}

fn cache(project: &Project) -> PathBuf {
    project.claude_dir().join(".llm-review-cache")
}

/// The session's own, which alone is believed: neither an older session nor a file that a clone brought along answers for this one.
fn own(project: &Project, session: &SessionId) -> PathBuf {
    project.session_dir(session).join("reviews")
}

fn hash(text: &str) -> String {
    sha256(text.as_bytes()).hex().to_owned()
}

/// The command itself: what the file of old is keyed by.
fn command_of(question: &Question) -> &str {
    question.identity.split('\0').next().unwrap_or_default()
}

/// What was concluded about the same question in this session.
pub(crate) fn remembered(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    question: &Question,
    belief: Belief,
) -> Option<Conclusion> {
    if !session.is_known() {
        return None;
    }
    let (text, hash) = match belief {
        Belief::Ours => (files::read(&own(project, session)).ok()??, hash(&question.identity)),
        Belief::Everything => {
            (written::read(machine, &cache(project), belief).ok()??, hash(command_of(question)))
        }
    };
    text.lines().rev().find_map(|line| {
        let [known, judgement, reason, _epoch] = line.split('|').collect::<Vec<_>>().try_into().ok()?;
        (known == hash)
            .then_some(Conclusion { judgement: Judgement::parse(judgement)?, reason: reason.into() })
    })
}

/// A line `hash|verdict|reason|epoch`.
pub(crate) fn remember(
    machine: &Machine,
    project: &Project,
    session: &SessionId,
    question: &Question,
    conclusion: &Conclusion,
) -> io::Result<()> {
    let file = cache(project);
    if !session.is_known() {
        return Ok(());
    }
    // A link would carry text that others wrote to wherever it leads.
    if file.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
        return Err(io::Error::other(format!("{} is a link", file.display())));
    }
    let reason = conclusion.reason.replace('|', "-").replace(char::is_control, " ");
    let line = |key: &str| {
        [&hash(key), conclusion.judgement.as_str(), &reason, &machine.now().to_string()].join("|")
    };
    append_line(&own(project, session), &line(&question.identity))?;
    written::append(machine, &file, &line(command_of(question)))
}

/// The session's answers end with it, and the file of old is emptied for the next.
pub(crate) fn forget(machine: &Machine, project: &Project, session: &SessionId) -> io::Result<()> {
    files::remove(&own(project, session))?;
    written::remove(machine, &cache(project))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn keys_are_found_in_a_file_of_settings() {
        for (line, value) in [
            ("GEMINI_API_KEY=abc", Some("abc")),
            ("export GEMINI_API_KEY=\"abc\"", Some("abc")),
            ("  GEMINI_API_KEY = 'a c' # mine", Some("a c")),
            ("GEMINI_API_KEY=abc # mine", Some("abc")),
            ("# GEMINI_API_KEY=abc", None),
            ("MY_GEMINI_API_KEY=abc", None),
            ("GEMINI_API_KEY", None),
        ] {
            assert_eq!(setting(line, "GEMINI_API_KEY").as_deref(), value, "{line}");
        }
    }

    #[test]
    fn a_conclusion_is_known_again_in_its_session_only() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[], dir.path());
        let project = Project::at(&machine, dir.path().to_owned());
        let (one, two) = (SessionId::new("one"), SessionId::new("two"));
        let ask =
            |command: &str, branch: &str| Question::new(command, Path::new("/p"), Some(branch.into()), "");
        let said = |reason: &str| Conclusion { judgement: Judgement::Doubtful, reason: reason.into() };
        let question = ask("ls", "main");
        remember(&machine, &project, &one, &question, &said("a | b\nc")).unwrap();
        assert_eq!(remembered(&machine, &project, &one, &question, Belief::Ours), Some(said("a - b c")));
        assert_eq!(remembered(&machine, &project, &two, &question, Belief::Ours), None);
        assert_eq!(remembered(&machine, &project, &one, &ask("ls", "other"), Belief::Ours), None);
        remember(&machine, &project, &one, &question, &said("later")).unwrap();
        assert_eq!(remembered(&machine, &project, &one, &question, Belief::Ours), Some(said("later")));
        let text = std::fs::read_to_string(cache(&project)).unwrap();
        let fields: Vec<_> = text.lines().next().unwrap().split('|').collect();
        assert_eq!((fields.len(), fields[0].len(), fields[1], fields[2]), (4, 64, "doubtful", "a - b c"));
        assert_eq!(fields[0], hash("ls"), "the hash of the command alone");
        forget(&machine, &project, &two).unwrap();
        assert_eq!(remembered(&machine, &project, &one, &question, Belief::Ours), Some(said("later")));
        forget(&machine, &project, &one).unwrap();
        forget(&machine, &project, &one).unwrap();
        assert_eq!(remembered(&machine, &project, &one, &question, Belief::Ours), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let machine = Machine::with(&[], dir.path());
        let project = Project::at(&machine, dir.path().to_owned());
        std::fs::create_dir(dir.path().join(".claude")).unwrap();
        std::fs::write(dir.path().join("profile"), "").unwrap();
        std::os::unix::fs::symlink("../profile", cache(&project)).unwrap();
        let conclusion = Conclusion { judgement: Judgement::Safe, reason: "$(run)".into() };
        let question = Question::new("ls", Path::new("/p"), None, "");
        assert!(remember(&machine, &project, &SessionId::new("s"), &question, &conclusion).is_err());
        assert_eq!(std::fs::read_to_string(dir.path().join("profile")).unwrap(), "");
    }
}
