//! Commands that are the user's alone. Beneath an agent each needs a permit: the question that the user was asked about exactly
//! this call, just now. It is used up by the run that it was given for.

use std::io;
use std::path::{Path, PathBuf};

use model::{Event, EventName, Personal, time};
use serde_json::{Value as Json, json};

use crate::ancestry::{Live, Processes};
use crate::{Machine, Project, atomic, client, files, sha256};

/// How long a question may wait for its answer.
const LONGEST: u64 = 15 * 60;

/// Calls that are sent together arrive within this; a call that comes later says that the question before it is settled.
const TOGETHER: u64 = 2;

/// What shows that an agent is above this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Above {
    /// A client whose hooks have come here.
    Client(String),
    /// A variable that clients set for what their agents run.
    Variable(&'static str),
    /// Nothing is above it, but a client is at work in the same project: what an agent has left running by itself.
    Beside,
    /// The processes above cannot be seen from here, and there are clients.
    Hidden,
}

/// Whether an agent runs this command. A sign is enough; that there is none proves nothing.
pub fn agent_above(machine: &Machine) -> Option<Above> {
    let sign = client::SIGNS.iter().find(|sign| machine.var(sign).is_some());
    sign.map(|sign| Above::Variable(sign.name)).or_else(|| client_above(machine))
}

/// The variables that say so.
pub fn signs() -> impl Iterator<Item = &'static str> {
    client::SIGNS.iter().map(|sign| sign.name)
}

/// The same by processes alone.
pub fn client_above(machine: &Machine) -> Option<Above> {
    if client::is_hidden(machine) {
        return Some(Above::Hidden);
    }
    let clients = client::recorded_above(machine, &Live::default(), std::process::id());
    let client = clients.into_iter().next().map(|client| Above::Client(client.name));
    client.or_else(|| client::is_orphan(machine, &Project::here(machine)).then_some(Above::Beside))
}

fn folder(machine: &Machine) -> PathBuf {
    machine.state_dir().join("permits")
}

/// The user is asked about this call.
pub(crate) fn permit(
    machine: &Machine,
    project: &Project,
    event: &Event,
    asked: &Personal,
) -> io::Result<()> {
    // What an agent feeds to a hook by itself puts no question to anybody.
    if !client::speaks(machine, project, &event.session) {
        return Ok(());
    }
    let id = event.tool_use().and_then(|call| call.id.clone()).unwrap_or_default();
    let clients = client::recorded_above(machine, &Live::default(), std::process::id());
    let json = json!({
        "session": event.session.as_str(),
        "tool_use_id": id,
        "words": plain(&asked.words),
        "cwd": files::resolve(&asked.cwd),
        "at": machine.now(),
        "clients": clients.iter().map(|client| json!([client.pid, client.began])).collect::<Vec<_>>(),
    });
    let name = sha256(format!("{}\n{id}\n{:?}", event.session.as_str(), asked).as_bytes());
    atomic::write_cache(
        &folder(machine).join(format!("{}.json", name.first(32))),
        format!("{json}\n").as_bytes(),
    )
}

/// Takes back what the user has not agreed to: the session is at another call, so the question has been answered, and with a no,
/// or the call has run. Costs one look where nobody was asked.
pub fn settle(machine: &Machine, project: &Project, event: &Event) {
    // From what is known already: this is asked before every call.
    let Some(folder) = project.records.ancestors().nth(2).map(|state| state.join("permits")) else { return };
    if !files::is_dir(&folder) {
        return;
    }
    let id = event.tool_use().and_then(|call| call.id.as_deref()).unwrap_or_default();
    let mut left = 0;
    for file in files::list(&folder) {
        let stays = files::read_json(&file).is_some_and(|permit| {
            let age = age(&permit, machine.now());
            let other = permit["session"] == event.session.as_str() && permit["tool_use_id"] != id;
            // Beside another call a question may still be open; where the agent has ended or the user speaks, none is.
            let together = event.name == EventName::PreToolUse;
            age.is_some_and(|age| if other { together && age <= TOGETHER } else { age <= LONGEST })
        });
        if stays {
            left += 1;
        } else {
            let _ = files::remove(&file);
        }
    }
    if left == 0 {
        // Only where it is empty.
        let _ = std::fs::remove_dir(&folder);
    }
}

/// Uses the permit for these words in this folder, if there is one.
pub fn use_permit(machine: &Machine, words: &[String], cwd: &Path) -> bool {
    use_one(machine, &Live::default(), std::process::id(), words, cwd)
}

fn use_one(machine: &Machine, processes: &dyn Processes, pid: u32, words: &[String], cwd: &Path) -> bool {
    let (words, cwd) = (json!(plain(words)), json!(files::resolve(cwd)));
    let above: Vec<Json> = client::recorded_above(machine, processes, pid)
        .iter()
        .map(|client| json!([client.pid, client.began]))
        .collect();
    files::list(&folder(machine)).iter().any(|file| {
        let fits = files::read_json(file).is_some_and(|permit| {
            // Of the same client, where it is known.
            let clients = permit["clients"].as_array().cloned().unwrap_or_default();
            permit["words"] == words
                && permit["cwd"] == cwd
                && age(&permit, machine.now()).is_some_and(|age| age <= LONGEST)
                && (clients.is_empty() || clients.iter().any(|client| above.contains(client)))
        });
        // Whoever removes it has it.
        fits && std::fs::remove_file(file).is_ok()
    })
}

/// `None` for one that begins in the future: the clock was set back.
fn age(permit: &Json, now: u64) -> Option<u64> {
    let at = permit["at"].as_u64()?;
    (!time::is_ahead(at, now)).then(|| now.saturating_sub(at))
}

/// The old address of a verb has two spellings.
fn plain(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if words.first().is_some_and(|word| word == "compat")
        && let Some(name) = words.get_mut(1)
    {
        *name = name.trim_end_matches(".sh").to_owned();
    }
    words
}

/// Whether somebody may be at a terminal: one of the three streams is one.
pub fn has_terminal() -> bool {
    use std::io::IsTerminal;
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}

/// Shows a word on the terminal and reads it back from there, not from stdin, which may be anything. `None` where there is no
/// terminal to read from.
pub fn challenge(question: &str) -> Option<Answer> {
    use std::io::{BufRead, Write};
    let mut terminal = terminal()?;
    let word = word()?;
    write!(terminal, "{question}Type {word} to go on: ").and_then(|()| terminal.flush()).ok()?;
    let mut line = String::new();
    io::BufReader::new(terminal).read_line(&mut line).ok()?;
    let line = line.trim();
    Some(match () {
        () if line.eq_ignore_ascii_case(&word) => Answer::Word,
        () if ["y", "yes"].iter().any(|yes| line.eq_ignore_ascii_case(yes)) => Answer::Yes,
        () => Answer::No,
    })
}

/// What was typed where a word was to be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The word.
    Word,
    /// A yes that is not the word, and counts for nothing.
    Yes,
    /// Anything else.
    No,
}

/// The terminal of this process; else the one behind a stream. Whatever is called `/dev/tty` has to be one.
#[cfg(unix)]
fn terminal() -> Option<std::fs::File> {
    use std::io::IsTerminal;
    use std::os::fd::AsFd;
    let own = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").ok();
    own.filter(IsTerminal::is_terminal).or_else(|| {
        let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
        let streams = [stderr.as_fd(), stdout.as_fd(), stdin.as_fd()];
        let stream = streams.into_iter().find(IsTerminal::is_terminal)?;
        stream.try_clone_to_owned().ok().map(std::fs::File::from)
    })
}

#[cfg(not(unix))]
fn terminal() -> Option<std::fs::File> {
    std::fs::OpenOptions::new().read(true).write(true).open("CON").ok()
}

/// Two syllables and two more, by chance.
fn word() -> Option<String> {
    use std::hash::{BuildHasher, RandomState};
    // Seeded by the system for every process.
    let chance = RandomState::new().hash_one(std::process::id()).to_le_bytes();
    chance.first_chunk().map(|bytes| spell(*bytes))
}

fn spell(bytes: [u8; 4]) -> String {
    const SYLLABLES: &[u8; 32] = b"bafodigukelomanipurasetivoxazehy";
    bytes
        .iter()
        .flat_map(|byte| {
            let at = usize::from(byte % 16) * 2;
            [char::from(SYLLABLES[at]), char::from(SYLLABLES[at + 1])]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::testing::Made;

    fn event(session: &str, id: &str) -> Event {
        Event {
            agent: model::AgentId("claude-code"),
            name: EventName::PreToolUse,
            session: model::SessionId::new(session),
            cwd: None,
            transcript: None,
            prompt: None,
            mode: model::PermissionMode::Default,
            subagent: None,
            body: model::Body::Tool(model::ToolUse {
                id: Some(id.into()),
                name: "Bash".into(),
                known: true,
                tool: model::Tool::Own,
                input: serde_json::Map::new(),
                outcome: model::Outcome::Pending,
                replaceable: false,
                odd: None,
            }),
        }
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_permit_is_for_one_run_of_exactly_this() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let state = base.join("state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &base);
        let project = Project::at(&machine, base.clone());
        let give = |text: &str| {
            permit(
                &machine,
                &project,
                &event("s", "t1"),
                &Personal { words: words(text), cwd: base.clone() },
            )
            .unwrap();
        };
        let uses = |text: &str, cwd: &Path| use_one(&machine, &Made(vec![]), 1, &words(text), cwd);
        assert!(!uses("trust --yes", &base), "nobody was asked");
        give("trust --yes");
        for (other, cwd) in [
            ("trust", base.as_path()),
            ("trust --yes x", &base),
            ("approve x", &base),
            ("trust --yes", Path::new("/")),
        ] {
            assert!(!uses(other, cwd), "{other}");
        }
        assert!(uses("trust --yes", &base));
        assert!(!uses("trust --yes", &base), "it is used up");
        give("compat approve_configs.sh 12 a");
        assert!(uses("compat approve_configs 12 a", &base), "two spellings of one address");
    }

    #[test]
    fn another_call_settles_the_question() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let state = base.join("state").to_string_lossy().into_owned();
        let machine = Machine::with(&[("PLIMSOLL_STATE_DIR", &state)], &base);
        let project = Project::at(&machine, base.clone());
        let give = |age: u64| {
            permit(
                &machine,
                &project,
                &event("s", "t1"),
                &Personal { words: words("trust"), cwd: base.clone() },
            )
            .unwrap();
            let file = files::list(&folder(&machine)).pop().unwrap();
            let mut json = files::read_json(&file).unwrap();
            json["at"] = (machine.now() - age).into();
            std::fs::write(&file, json.to_string()).unwrap();
        };
        let uses = || use_one(&machine, &Made(vec![]), 1, &words("trust"), &base);
        give(30);
        settle(&machine, &project, &event("s", "t1"));
        settle(&machine, &project, &event("another", "t2"));
        assert!(uses(), "the call itself, and other sessions, leave it");
        give(30);
        settle(&machine, &project, &event("s", "t2"));
        assert!(!uses(), "the agent is at another call");
        assert!(!files::is_dir(&folder(&machine)), "and nothing is left to look at");
        give(0);
        settle(&machine, &project, &event("s", "t2"));
        assert!(uses(), "calls that are sent together");
        give(LONGEST + 1);
        assert!(!uses(), "too old");
    }

    #[test]
    fn words_are_short_and_differ() {
        assert_eq!(spell([0, 1, 2, 3]), "bafodigu");
        assert_eq!(spell([255, 16, 0, 15]).len(), 8);
    }
}
