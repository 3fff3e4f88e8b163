//! Starts the client that fixes: without hooks, with few tools, for one file, within a time, and ends it whole.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::Spent;
use serde_json::Value as Json;
use state::config::Trust;
use state::process::Program;
use state::reach::Fence;
use state::{Machine, atomic, files, trust};

use super::copies::{Copies, Work};
use super::turn::Turn;
use super::{Choice, preset};

/// Every tool that a client is known to offer. What a tier does not name of these is forbidden to it; a test compares the
/// list with what the client really offers.
pub(super) static TOOL_UNIVERSE: &[&str] = &[
    "Edit",
    "Read",
    "Write",
    "Bash",
    "Glob",
    "Grep",
    "WebFetch",
    "WebSearch",
    "NotebookEdit",
    "Task",
    "Agent",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "MultiEdit",
    "NotebookRead",
    "TodoWrite",
    "TodoRead",
    "BashOutput",
    "KillShell",
    "KillBash",
    "SlashCommand",
    "Skill",
    "ToolSearch",
    "LSP",
    "LS",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "TaskOutput",
    "TaskStop",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterWorktree",
    "ExitWorktree",
    "ScheduleWakeup",
    "Monitor",
    "RemoteTrigger",
    "PushNotification",
    "SendMessage",
    "TeamCreate",
    "TeamDelete",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "PowerShell",
    "Workflow",
    "Sleep",
    "Brief",
    "SendUserMessage",
    "SendUserFile",
    "StructuredOutput",
    "ReportFindings",
    "Artifact",
    "DesignSync",
    "REPL",
    "ListPeers",
    "WaitForMcpServers",
    "mcp__*",
];

const SETTINGS: &str = r#"{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "disableAllHooks": true,
  "skipDangerousModePermissionPrompt": true
}
"#;

/// How the client is started.
#[derive(Clone, Copy, Debug)]
pub struct Fixer<'a> {
    pub machine: &'a Machine,
    pub project: &'a Path,
    /// Another program than `claude`.
    pub command: Option<&'a str>,
    /// Another settings file than ours.
    pub settings_file: Option<&'a str>,
    /// Whether the client is kept apart from a project that is not trusted. Its settings file is, always.
    pub trust: Trust,
    pub root: bool,
}

/// How it went.
#[derive(Debug, Default)]
pub struct Fixed {
    /// Lines that begin with `[hook:…]`.
    pub said: Vec<String>,
    /// For the log.
    pub trace: Vec<String>,
    /// The file is another than before.
    pub changed: bool,
    /// What it has taken, where the client says so.
    pub spent: Option<Spent>,
}

impl Fixer<'_> {
    /// The client, in the four places where it may be.
    pub fn find(&self) -> Option<PathBuf> {
        if let Some(command) = self.command {
            let path = Path::new(command);
            return if path.is_absolute() {
                Some(path.to_owned())
            } else {
                self.machine.find_program(command)
            };
        }
        let home = self.machine.home();
        let usual = [".local/bin/claude", ".npm-global/bin/claude"]
            .into_iter()
            .filter_map(|name| Some(home.as_ref()?.join(name)));
        let usual = usual.chain([PathBuf::from("/usr/local/bin/claude")]).filter(|file| files::is_file(file));
        let fence = self.fence();
        let own = |file: &PathBuf| fence.as_ref().is_some_and(|fence| fence.holds(file));
        self.machine.find_programs("claude").chain(usual).find(|file| !own(file))
    }

    /// Around a project that is not trusted.
    fn fence(&self) -> Option<Fence> {
        let trusted = self.trust == Trust::Everything || trust::tools_may_run(self.machine, self.project);
        (!trusted).then(|| Fence::around(self.machine, self.project))
    }

    /// Lets it fix what is wrong in these lines of `file`. Failing is not fatal: what remains is found by linting again. `parses` knows
    /// whether a text of this file's language can be read.
    pub fn run(
        &self,
        (file, lines): (&Path, &[u32]),
        prompt: &str,
        choice: &Choice,
        at_most: Duration,
        parses: &dyn Fn(&str) -> bool,
    ) -> Fixed {
        let mut fixed = Fixed::default();
        let Some(client) = self.find() else {
            fixed.said.push("[hook:error] claude binary not found, cannot delegate".into());
            return fixed;
        };
        let _turn = match Turn::take(self.machine) {
            Ok(turn) => turn,
            Err(why) => {
                fixed.said.push(format!("[hook:warning] no model was started: {why}"));
                return fixed;
            }
        };
        let limit = Duration::from_secs(choice.timeout).min(at_most);
        let program = match preset::words(&client, prompt, file) {
            Some(words) => {
                let name = client.display();
                fixed.trace.push(format!("[hook:subprocess] agent={name} timeout={}", choice.timeout));
                Program::new(&client).args(words).env("HOOK_SKIP_SUBPROCESS", "1")
            }
            None => match self.claude(&client, file, prompt, choice, &mut fixed) {
                Some(program) => program,
                None => return fixed,
            },
        };
        let program = match self.fence() {
            Some(fence) => program.apart_from(&fence),
            None => program,
        };
        let copies = Copies::take(self.project, file);
        let ran = program
            .cwd(self.project)
            .without_env("CLAUDECODE")
            .env("PLIMSOLL_FIXER", "1")
            .within(limit)
            .keeping(1024 * 1024)
            .run();
        let ended_well = ran.as_ref().is_ok_and(|done| done.code == Some(0));
        match ran {
            Ok(done) => {
                fixed.spent = spent(&done.stdout, &choice.model);
                let words = String::from_utf8_lossy(&done.stderr).into_owned();
                fixed.trace.extend(words.lines().take(20).map(|line| format!("subprocess: {line}")));
                match done.code {
                    Some(0) => {}
                    Some(code) => fixed.said.push(format!("[hook:warning] subprocess failed (exit {code})")),
                    None => fixed.said.push("[hook:warning] subprocess failed (killed by a signal)".into()),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                fixed.said.push("[hook:warning] subprocess timed out (exit 124)".into());
            }
            Err(error) => fixed.said.push(format!("[hook:warning] subprocess failed ({error})")),
        }
        fixed.changed = copies.settle(self.machine, &Work { ended_well, lines, parses }, &mut fixed.said);
        let how = if fixed.changed { "modified" } else { "unchanged" };
        fixed.trace.push(format!("[hook:subprocess] file {how}"));
        fixed
    }

    /// Claude Code, with what the tier allows and without what the project or the user would have it start.
    fn claude(
        &self,
        client: &Path,
        file: &Path,
        prompt: &str,
        choice: &Choice,
        fixed: &mut Fixed,
    ) -> Option<Program> {
        let settings = match self.settings(fixed) {
            Ok(settings) => settings,
            Err(error) => {
                fixed.said.push(format!(
                    "[hook:error] the fixer's settings could not be written, cannot delegate: {error}"
                ));
                return None;
            }
        };
        let mut program = Program::new(client).args(["-p", prompt]);
        // Another value than 1 does not count for the client.
        let in_sandbox = self.machine.var(&model::environment::IS_SANDBOX).as_deref() == Some("1");
        program = if self.root && !in_sandbox {
            // The client does not skip permissions for root. Edits it accepts; nothing else is left to be asked for.
            program.args(["--permission-mode", "acceptEdits"])
        } else {
            program.arg("--dangerously-skip-permissions")
        };
        // Nothing that the project, or the user's own settings, would have the client start: hooks, servers, helpers.
        program = program.args(["--setting-sources", "", "--strict-mcp-config"]);
        program = program.arg("--settings").arg(&settings);
        let blocked = blocked(&choice.tools);
        if blocked.is_empty() {
            fixed.said.push("[hook:warning] all tools allowed for tier (disallowedTools is empty)".into());
        } else {
            program = program.args(["--disallowedTools", &blocked.join(",")]);
        }
        let turns = choice.max_turns.to_string();
        program = program.args(["--max-turns", &turns, "--model", &choice.model]);
        // What it answers is not read; what it cost is.
        program = program.args(["--output-format", "json"]).arg(file);
        fixed.trace.push(format!(
            "[hook:subprocess] model={} tools={} max_turns={turns} timeout={}",
            choice.model,
            choice.tools.join(","),
            choice.timeout
        ));
        Some(program)
    }

    /// The settings that keep the client from calling hooks, and so itself: ours, which lie outside of the project; another file
    /// where the user's config names one; one of the project's where the user has trusted what it says.
    fn settings(&self, fixed: &mut Fixed) -> io::Result<PathBuf> {
        let ours = self.machine.state_dir().join("fixer");
        if let Some(own) = self.own_settings() {
            if trust::is_trusted_file(self.machine, self.project, &own.file, &own.content) {
                // A copy of what was trusted: the file itself may be another by the time that the client reads it.
                return kept(&ours, "trusted.json", &own.content);
            }
            let name = own.file.strip_prefix(self.project).unwrap_or(&own.file).display();
            fixed.trace.push(format!("{name} is not trusted and was not used; `plimsoll trust` shows it"));
            return kept(&ours, "settings.json", SETTINGS.as_bytes());
        }
        match self.named().filter(|file| !Fence::around(self.machine, self.project).holds(file)) {
            Some(file) if files::is_file(&file) => Ok(file),
            Some(file) => {
                if let Some(dir) = file.parent() {
                    files::create_dir(dir)?;
                }
                atomic::write(&file, SETTINGS.as_bytes())?;
                fixed.said.push(format!("[hook:warning] created missing {}", file.display()));
                Ok(file)
            }
            None => kept(&ours, "settings.json", SETTINGS.as_bytes()),
        }
    }

    fn named(&self) -> Option<PathBuf> {
        let home = self.machine.home();
        self.settings_file.map(|text| model::path::absolute(Path::new(text), self.project, home.as_deref()))
    }

    /// The settings file that the project has for the fixer, where it says anything else than ours.
    pub fn own_settings(&self) -> Option<OwnSettings> {
        let file = self.named().unwrap_or_else(|| self.project.join(".claude/subprocess-settings.json"));
        if !Fence::around(self.machine, self.project).holds(&file) && !file.starts_with(self.project) {
            return None;
        }
        let content = files::read_bytes(&file).ok()?;
        let same = || {
            let theirs: Option<Json> = serde_json::from_slice(&content).ok();
            theirs.is_some() && theirs == serde_json::from_str(SETTINGS).ok()
        };
        (!same()).then_some(OwnSettings { file, content })
    }
}

/// A settings file of the project, which is the user's to trust.
#[derive(Debug)]
pub struct OwnSettings {
    pub file: PathBuf,
    pub content: Vec<u8>,
}

/// A file of ours with this content.
fn kept(folder: &Path, name: &str, content: &[u8]) -> io::Result<PathBuf> {
    let file = folder.join(name);
    if files::read_bytes(&file).ok().as_deref() != Some(content) {
        files::create_dir(folder)?;
        atomic::write(&file, content)?;
    }
    Ok(file)
}

/// What a client says at its end about what it took: one JSON object, perhaps behind lines of somebody else.
fn spent(stdout: &[u8], model: &str) -> Option<Spent> {
    let text = String::from_utf8_lossy(stdout);
    let last = text.lines().rev().find(|line| line.starts_with('{'))?;
    let said: Json = serde_json::from_str(last).ok()?;
    let usage = said.get("usage")?;
    let tokens = |key: &str| usage.get(key).and_then(Json::as_u64).unwrap_or(0);
    let dollars = said.get("total_cost_usd").and_then(Json::as_f64).unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within bounds just before")]
    let microdollars = (dollars.clamp(0.0, 1e6) * 1e6).round() as u64;
    Some(Spent {
        model: model.to_owned(),
        micros: said.get("duration_ms").and_then(Json::as_u64).unwrap_or(0).saturating_mul(1000),
        tokens_in: tokens("input_tokens")
            + tokens("cache_creation_input_tokens")
            + tokens("cache_read_input_tokens"),
        tokens_out: tokens("output_tokens"),
        microdollars,
    })
}

/// All tools but these.
fn blocked(tools: &[String]) -> Vec<&'static str> {
    TOOL_UNIVERSE.iter().copied().filter(|tool| !tools.iter().any(|allowed| allowed == tool)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tier_does_not_name_is_blocked() {
        let blocked = blocked(&["Edit".into(), "Read".into()]);
        for tool in ["Write", "Bash", "Glob", "Grep", "WebFetch", "WebSearch", "NotebookEdit", "Task"] {
            assert!(blocked.contains(&tool), "{tool}");
        }
        assert!(!blocked.contains(&"Edit") && !blocked.contains(&"Read"));
    }

    #[test]
    fn what_it_cost_is_read_from_what_the_client_says_at_its_end() {
        let said = br#"hello
{"type":"result","duration_ms":2100,"total_cost_usd":0.0123456,"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":42}}
"#;
        let found = spent(said, "haiku").unwrap();
        assert_eq!((found.micros, found.tokens_in, found.tokens_out), (2_100_000, 3210, 42));
        assert_eq!((found.microdollars, found.model.as_str()), (12_346, "haiku"));
        for text in ["", "done", "{", "{}", "[1]", r#"{"usage": 3, "#] {
            assert_eq!(spent(text.as_bytes(), "haiku"), None, "{text}");
        }
    }
}
