//! Starts the client that mends: without hooks, with few tools, for one file, within a time, and ends it whole.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use state::process::Program;
use state::{Machine, atomic, files};

use super::Choice;

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
    /// Another settings file than the project's own.
    pub settings_file: Option<&'a str>,
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
        self.machine.find_program("claude").or_else(|| {
            usual.chain([PathBuf::from("/usr/local/bin/claude")]).find(|file| files::is_file(file))
        })
    }

    /// Lets it mend `file`. Failing is not fatal: what remains is found by linting again.
    pub fn run(&self, file: &Path, prompt: &str, choice: &Choice, at_most: Duration) -> Fixed {
        let mut fixed = Fixed::default();
        let Some(client) = self.find() else {
            fixed.said.push("[hook:error] claude binary not found, cannot delegate".into());
            return fixed;
        };
        let settings = match self.settings(&mut fixed) {
            Ok(settings) => settings,
            Err(error) => {
                fixed.said.push(format!(
                    "[hook:error] the fixer's settings could not be written, cannot delegate: {error}"
                ));
                return fixed;
            }
        };
        let limit = Duration::from_secs(choice.timeout).min(at_most);
        let mut program = Program::new(&client).args(["-p", prompt]);
        // Another value than 1 does not count for the client.
        let in_sandbox = self.machine.var(&model::environment::IS_SANDBOX).as_deref() == Some("1");
        program = if self.root && !in_sandbox {
            // The client does not skip permissions for root. Edits it accepts; nothing else is left to be asked for.
            program.args(["--permission-mode", "acceptEdits"])
        } else {
            program.arg("--dangerously-skip-permissions")
        };
        program = program.args(["--setting-sources", ""]).arg("--settings").arg(&settings);
        let blocked = blocked(&choice.tools);
        if blocked.is_empty() {
            fixed.said.push("[hook:warning] all tools allowed for tier (disallowedTools is empty)".into());
        } else {
            program = program.args(["--disallowedTools", &blocked.join(",")]);
        }
        let turns = choice.max_turns.to_string();
        program = program.args(["--max-turns", &turns, "--model", &choice.model]).arg(file);
        fixed.trace.push(format!(
            "[hook:subprocess] model={} tools={} max_turns={turns} timeout={}",
            choice.model,
            choice.tools.join(","),
            choice.timeout
        ));
        let before = files::read_bytes(file).ok();
        let ran =
            program.cwd(self.project).without_env("CLAUDECODE").within(limit).keeping(1024 * 1024).run();
        match ran {
            Ok(done) => {
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
        fixed.changed = files::read_bytes(file).ok() != before;
        let how = if fixed.changed { "modified" } else { "unchanged" };
        fixed.trace.push(format!("[hook:subprocess] file {how}"));
        fixed
    }

    /// The settings that keep the client from calling hooks, and so itself. Written where they are missing.
    fn settings(&self, fixed: &mut Fixed) -> io::Result<PathBuf> {
        let own = self
            .settings_file
            .map(|text| model::path::absolute(Path::new(text), self.project, self.machine.home().as_deref()));
        let file = own.unwrap_or_else(|| self.project.join(".claude/subprocess-settings.json"));
        if !files::is_file(&file) {
            if let Some(dir) = file.parent() {
                files::create_dir(dir)?;
            }
            atomic::write(&file, SETTINGS.as_bytes())?;
            let name = file.strip_prefix(self.project).unwrap_or(&file).display();
            fixed.said.push(format!("[hook:warning] created missing {name}"));
        }
        Ok(file)
    }
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
}
