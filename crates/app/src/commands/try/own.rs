//! `plimsoll try 'COMMAND'` and `plimsoll try --agent NAME`: a command of the user's, and the same guard behind another agent.

use agents::dialect::refuses;
use agents::{Dialect, Reply};
use anyhow::bail;
use serde_json::{Value as Json, json};

use super::{Expect, Stage, tool};
use crate::exit;
use crate::ui::Tone;

/// What another agent is shown with: something that must not run, something that is fine, something with a safe form.
const SHOWN: &[&str] = &["rm -rf /", "git status && ls -la", "git push --force origin feature"];

impl Stage<'_> {
    /// The user's own command, judged and not run.
    pub(super) fn play_own(&self, command: &str) -> anyhow::Result<()> {
        self.prepare()?;
        self.say("An agent would run your command in a scratch project. It is judged, and not run:");
        self.printer.mask_secrets_of(command);
        self.hook(&tool("PreToolUse", "Bash", &json!({"command": command})), Expect::Any)?;
        self.say("In your own project, with its settings and files:");
        self.printer.line(&format!("  plimsoll explain {}", shell::quote(command)));
        Ok(())
    }

    /// Hooks as another agent calls them, with its own payloads and answers.
    pub(super) fn play_agent(&self, dialect: &'static Dialect, own: Option<&str>) -> anyhow::Result<()> {
        self.prepare()?;
        self.say(&format!("{} calls the hook with its own payloads. It wants to run:", dialect.name));
        let commands = own.map_or_else(|| SHOWN.to_vec(), |own| vec![own]);
        for command in commands {
            self.printer.toned(Tone::Faint, &format!("  {} {command}", dialect.before()));
            let payload = dialect.in_sample(command, &self.root.to_string_lossy());
            let words = ["hook", "--agent", dialect.id, "--event", dialect.before(), "--deadline", "30"];
            let done = self.start(&words, payload.as_bytes())?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
            let (stdout, stderr) = (text(&done.stdout), text(&done.stderr));
            let blocked = done.code == Some(i32::from(exit::BLOCKED));
            if !blocked && done.code != Some(0) {
                bail!("the hook failed: exit {:?}, {stdout}{stderr}", done.code);
            }
            let said = if blocked { stderr.clone() } else { stdout.clone() };
            let reply = Reply { stdout, stderr, exit: if blocked { 2 } else { 0 }, otherwise: None };
            let (tone, word) = if refuses(&reply) { (Tone::Bad, "refused") } else { (Tone::Good, "runs") };
            let said = said.replace(&format!("{}/", self.root.display()), "");
            if said.is_empty() {
                self.printer.line(&format!("    {}, nothing to say", self.printer.paint(tone, word)));
                continue;
            }
            self.printer.line(&format!("    {}, told:", self.printer.paint(tone, word)));
            for line in parts(&said) {
                self.printer.hanging(&format!("      {line}"), 2);
            }
        }
        self.say(&format!("`plimsoll init --agent {}` registers it.", dialect.id));
        Ok(())
    }
}

/// An answer as it is read: of JSON each text by its name, everything else as it is.
fn parts(said: &str) -> Vec<String> {
    fn collect(name: &str, json: &Json, lines: &mut Vec<String>) {
        match json {
            Json::Object(entries) => entries.iter().for_each(|(name, json)| collect(name, json, lines)),
            Json::Array(items) => items.iter().for_each(|json| collect(name, json, lines)),
            Json::String(text) => lines.extend(text.lines().enumerate().map(|(number, line)| match number {
                0 => format!("{name}: {line}"),
                _ => format!("  {line}"),
            })),
            Json::Null => {}
            other => lines.push(format!("{name}: {other}")),
        }
    }
    match serde_json::from_str(said) {
        Ok(json @ Json::Object(_)) => {
            let mut lines = Vec::new();
            collect("", &json, &mut lines);
            lines
        }
        _ => said.lines().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_shown_in_its_parts() {
        let said = r#"{"a": {"decision": "deny", "reason": "One.\nTwo."}, "list": ["x"], "none": null, "yes": true}"#;
        assert_eq!(parts(said), ["decision: deny", "reason: One.", "  Two.", "list: x", "yes: true"]);
        assert_eq!(parts("plain\nwords"), ["plain", "words"]);
    }
}
