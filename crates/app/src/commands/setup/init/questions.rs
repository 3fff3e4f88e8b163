//! The three questions, and what the options of the command line answer of them.

use anyhow::Context;
use linters::Language;
use model::config::Profile;
use serde_json::{Value as Json, json};
use state::config::Layer;
use state::{Machine, files};

use super::{Consent, Visit, peers, person, registration};
use crate::fault::Fault;
use crate::ui::{Prompt, Tone};

/// Who is to be guarded.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    pub(super) claude: bool,
    pub(super) peers: Vec<&'static agents::Dialect>,
}

impl Chosen {
    pub(super) fn is_nobody(&self) -> bool {
        !self.claude && self.peers.is_empty()
    }
}

#[derive(Debug)]
pub(super) struct Answers {
    pub(super) chosen: Chosen,
    /// Keys and values to write. What is in force already need not be: it would stand above the user's own choice.
    pub(super) settings: Vec<(String, Json)>,
    /// What the client cannot read goes out of its settings file.
    pub(super) plain: bool,
}

/// What `--agent` names; `None` without it.
pub(super) fn named(machine: &Machine, names: &[String]) -> anyhow::Result<Option<Chosen>> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut chosen = Chosen::default();
    for name in names {
        match name.as_str() {
            "claude" | "claude-code" => chosen.claude = true,
            "all" => chosen.peers.extend(peers::present(machine)),
            name => {
                let names = || peers::all().map(|dialect| dialect.id).collect::<Vec<_>>();
                let unknown = || {
                    let near = crate::ui::nearest(name, names().into_iter());
                    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                    Fault::Usage(format!("unknown agent {name}{near}; known: {}", names().join(", ")))
                };
                chosen.peers.push(peers::find(name).with_context(unknown)?);
            }
        }
    }
    Ok(Some(chosen))
}

impl Visit<'_> {
    /// `None` where the user ends it.
    pub(super) fn interview(&self, prompt: &Prompt, told: Option<Chosen>) -> Option<Answers> {
        let mut settings = Vec::new();
        let mut plain = false;
        if told.as_ref().is_none_or(|chosen| chosen.claude) {
            plain = self.comments(prompt)?;
            let profile = self.profile(prompt)?;
            if self.args.profile.is_some() || profile != self.before.config.profile {
                settings.push(("profile".to_owned(), profile.as_str().into()));
            }
            let fixes = profile != Profile::Guards && self.fixer(prompt)?;
            if fixes != self.before.config.subprocess_delegation {
                settings.push(("phases.subprocess_delegation".to_owned(), fixes.into()));
            }
            // Which languages are used is a matter of each project.
            if self.is_new() && self.layer() == Layer::Project {
                settings.extend(Language::ALL.into_iter().filter_map(|language| self.language(language)));
            }
            if self.args.strict_configs {
                // Who wants the strict set wants what it stands for, too.
                let strict = [
                    ("unconfigured", json!("all")),
                    ("formatting", json!("all")),
                    ("boy_scout", json!(true)),
                ];
                settings.extend(strict.map(|(key, value)| (key.to_owned(), value)));
            }
        }
        let chosen = match told {
            Some(chosen) => chosen,
            None => self.agents(prompt)?,
        };
        Some(Answers { chosen, settings, plain })
    }

    /// Whether there is no config file yet.
    pub(super) fn is_new(&self) -> bool {
        let file = self.layer().file(self.machine, self.project);
        file.is_none_or(|file| !files::exists(&file))
    }

    /// Before anything else: hooks in a file that the client does not read guard nothing.
    fn comments(&self, prompt: &Prompt) -> Option<bool> {
        let file = self.scope.file(self.machine, self.project);
        let unread = file.filter(|file| {
            files::read(file).ok().flatten().is_some_and(|text| !registration::is_read_by_client(&text))
        });
        let Some(file) = unread else { return Some(false) };
        self.printer.toned(
            Tone::Warning,
            &format!(
                "{} has comments, or a comma after the last entry. Claude Code then silently ignores every hook in that file.",
                self.shown(&file)
            ),
        );
        prompt.confirm("Take them out? A copy of the file is kept. yes or no", None)
    }

    fn profile(&self, prompt: &Prompt) -> Option<Profile> {
        let now = self.before.config.profile;
        if let Some(told) = self.args.profile.as_deref().and_then(Profile::parse) {
            return Some(told);
        }
        let mut rows = vec![
            ("guards", "stops what would do harm, keeps rules and settings out of the agent's reach"),
            ("standard", "guards, and lints each file that the agent edits"),
            ("strict", "standard, and requires tests, a plan and proof before a commit"),
        ];
        if !rows.iter().any(|(name, _)| *name == now.as_str()) {
            rows.push((now.as_str(), "as it is now"));
        }
        if prompt.asks() {
            self.printer.toned(Tone::Title, "\n1. How much is on?");
            for (name, meaning) in &rows {
                self.printer.hanging(&format!("  {name:10} {meaning}"), 11);
            }
        }
        let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
        prompt.choose("  Profile", &names, Some(now.as_str())).and_then(|name| Profile::parse(&name))
    }

    fn fixer(&self, prompt: &Prompt) -> Option<bool> {
        if prompt.asks() {
            self.printer.toned(Tone::Title, "\n2. May a model fix what linters find?");
            self.printer.line("  It starts `claude -p` after an edit, costs money, and edits the file.");
        }
        prompt.confirm("  A model may fix", Some(self.before.config.subprocess_delegation))
    }

    fn agents(&self, prompt: &Prompt) -> Option<Chosen> {
        let present = peers::present(self.machine);
        if present.is_empty() {
            return Some(Chosen { claude: true, peers: Vec::new() });
        }
        let names: Vec<&str> =
            ["claude"].into_iter().chain(present.iter().map(|dialect| dialect.id)).collect();
        if prompt.asks() {
            self.printer.toned(Tone::Title, "\n3. Which agents?");
            self.printer.line(&format!("  Found: {}. Several with commas, or `all`.", names.join(", ")));
        }
        let ours =
            |dialect: &&agents::Dialect| !peers::registered(self.machine, self.project, dialect).is_empty();
        let registered = present.iter().copied().filter(|dialect| ours(dialect)).map(|dialect| dialect.id);
        let default: Vec<&str> = ["claude"].into_iter().chain(registered).collect();
        let default = if prompt.asks() { default } else { vec!["claude"] };
        let names = prompt.several("  Agents", &names, &default)?;
        let is_chosen = |name: &str| names.iter().any(|chosen| chosen == name);
        let peers = present.into_iter().filter(|dialect| is_chosen(dialect.id)).collect();
        Some(Chosen { claude: is_chosen("claude"), peers })
    }

    /// TypeScript's tools are many; it is on only where it is used. The others cost nothing where there are no files.
    fn language(&self, language: Language) -> Option<(String, Json)> {
        let found = self.survey.languages.contains(&language);
        match language {
            Language::TypeScript => Some(("languages.typescript.enabled".to_owned(), json!(found))),
            // These two have no switch: their tools run where they are found.
            Language::Rust | Language::Go => None,
            other => Some((format!("languages.{}", other.key()), json!(true))),
        }
    }

    /// The one confirmation. `None` is a no.
    pub(super) fn confirm(&self, prompt: &Prompt) -> Option<Consent> {
        // Trust in a project's code is never an agent's to give.
        let tools = !self.tools.waiting.is_empty() && !person::is_beneath_an_agent(self.machine);
        if !tools {
            return prompt.confirm("Write this? yes or no", None)?.then_some(Consent::Yes);
        }
        self.list_tools();
        let words = "Write this? yes, no, or trust (yes, and those tools may run)";
        match prompt.choose(words, &["yes", "no", "trust", "y", "n", "t"], None)?.as_str() {
            "yes" | "y" => Some(Consent::Yes),
            "trust" | "t" => Some(Consent::AndTools),
            _ => None,
        }
    }
}
