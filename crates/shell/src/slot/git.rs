//! What git runs: aliases, settings that are commands, and the verbs that take one.

use super::git_config::{git_settings, is_own};
use super::option_values;
use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;

/// Names for commands that one script makes.
const MOST_ALIASES: usize = 32;

impl Reader<'_> {
    /// What git runs: aliases given on the line, configured commands, `rebase -x`, `bisect run`, `submodule foreach`.
    pub(super) fn git_slots(&mut self, texts: &[String], state: &mut State) {
        let mut aliases: Vec<(String, String)> = Vec::new();
        for (key, value) in self.git_environment(state) {
            self.git_setting(&key, &value, &mut aliases, state);
        }
        let mut at = 0;
        while at < texts.len() && texts[at].starts_with('-') {
            match texts[at].as_str() {
                "-c" => {
                    at += 1;
                    if let Some((key, value)) = texts.get(at).and_then(|t| t.split_once('=')) {
                        self.git_setting(key, value, &mut aliases, state);
                    }
                }
                option if option.starts_with("--config-env") => {
                    // The value is in a variable.
                    let setting = option.strip_prefix("--config-env=");
                    at += usize::from(setting.is_none());
                    let setting = setting.or_else(|| texts.get(at).map(String::as_str)).unwrap_or_default();
                    if let Some((key, name)) = setting.rsplit_once('=') {
                        let value = self.exported(name, state).unwrap_or_default();
                        self.git_setting(key, &value, &mut aliases, state);
                    }
                }
                "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix" => {
                    at += 1;
                }
                _ => {}
            }
            at += 1;
        }
        let rest = texts.get(at..).unwrap_or_default();
        let Some(verb) = rest.first() else { return };
        if let Some((_, code)) = aliases.iter().find(|(name, _)| name == verb) {
            let tail = crate::join(rest[1..].iter().map(String::as_str));
            let code = match code.strip_prefix('!') {
                Some(shell) => format!("{shell} {tail}"),
                None => format!("git {code} {tail}"),
            };
            self.run_slot("git", &code, state);
            return;
        }
        if !is_own(verb)
            && let Some(code) = self.git_alias(&texts[..at], verb, state)
        {
            let tail = crate::join(rest[1..].iter().map(String::as_str));
            let code = match code.strip_prefix('!') {
                Some(shell) => format!("{shell} {tail}"),
                // Where git was told to go, it goes with the alias too.
                None => format!("git {} {code} {tail}", crate::join(texts[..at].iter().map(String::as_str))),
            };
            self.run_slot("git", &code, state);
            return;
        }
        let args: Vec<Arg> = rest[1..].iter().map(Arg::new).collect();
        let options: &[&str] = match verb.as_str() {
            "rebase" => &["-x", "--exec"],
            "difftool" => &["-x", "--extcmd"],
            "grep" => &["-O", "--open-files-in-pager"],
            "clone" | "fetch" | "pull" | "push" | "ls-remote" | "fetch-pack" | "send-pack" | "archive" => {
                &["--upload-pack", "--receive-pack", "--exec", "-u"]
            }
            _ => &[],
        };
        for code in option_values(&args, options) {
            self.run_slot("git", &code, state);
        }
        for setting in option_values(&args, if verb == "clone" { &["-c", "--config"] } else { &[] }) {
            if let Some((key, value)) = setting.split_once('=') {
                self.git_setting(key, value, &mut aliases, state);
            }
        }
        // `ext::` is an address that is a command; `%` before a blank makes it part of a word.
        for address in rest.iter().filter_map(|t| t.strip_prefix("ext::")) {
            let escaped = address.replace("% ", "\u{1}");
            let inner = escaped.split_whitespace().map(|word| Arg::new(word.replace('\u{1}', " "))).collect();
            self.wrapped("git", |reader| reader.dispatch_program(inner, &mut state.clone()));
        }
        match verb.as_str() {
            "bisect" if rest.get(1).is_some_and(|t| t == "run") => {
                let inner: Vec<Arg> = rest[2..].iter().map(Arg::new).collect();
                self.wrapped("git", |reader| reader.dispatch_program(inner, &mut state.clone()));
            }
            "submodule" => {
                if let Some(at) = rest.iter().position(|t| t == "foreach") {
                    let words: Vec<String> = rest[at + 1..]
                        .iter()
                        .filter(|t| *t != "--recursive" && *t != "-q")
                        .cloned()
                        .collect();
                    self.run_slot("git", &words.join(" "), state);
                }
            }
            "filter-branch" => {
                for pair in rest.windows(2).filter(|pair| pair[0].ends_with("-filter")) {
                    self.run_slot("git", &pair[1], state);
                }
            }
            "config" => {
                // Set now, run later.
                let values: Vec<&String> = rest[1..].iter().filter(|t| !t.starts_with('-')).collect();
                let values = match values.as_slice() {
                    [verb, rest @ ..] if verb.as_str() == "set" => rest,
                    all => all,
                };
                if let [key, value] = values {
                    let mut later = Vec::new();
                    self.git_setting(key, value, &mut later, state);
                    for code in later.iter().filter_map(|(_, code)| code.strip_prefix('!')) {
                        self.run_slot("git", code, state);
                    }
                    // Names that a loop makes up do not add up to anything.
                    if self.git_aliases.len() < MOST_ALIASES {
                        self.git_aliases.extend(later);
                    }
                }
            }
            _ => {}
        }
    }

    /// What a name that git does not have stands for: given by this script, or in git's files.
    fn git_alias(&self, options: &[String], verb: &str, state: &State) -> Option<String> {
        let own = self.git_aliases.iter().rev().find(|(name, _)| name == verb);
        if let Some((_, code)) = own {
            return Some(code.clone());
        }
        let mut dir = state.cwd();
        for pair in options.windows(2).filter(|pair| pair[0] == "-C") {
            dir = crate::path::absolute(&pair[1], &dir);
        }
        let mut settings = self.world.git_settings(&dir);
        for (name, below) in [
            ("HOME", "/.gitconfig"),
            ("HOME", "/.config/git/config"),
            ("XDG_CONFIG_HOME", "/git/config"),
            ("GIT_CONFIG_GLOBAL", ""),
            ("GIT_CONFIG_SYSTEM", ""),
            ("GIT_CONFIG", ""),
        ] {
            let file = self.exported(name, state).map(|dir| dir + below);
            let text = file.and_then(|file| self.world.read(&crate::path::absolute(&file, &dir)));
            settings.extend(text.iter().flat_map(|text| git_settings(text)));
        }
        let key = format!("alias.{}", verb.to_ascii_lowercase());
        let longer = format!("alias.{verb}.command");
        settings.into_iter().rev().find(|(known, _)| *known == key || *known == longer).map(|(_, code)| code)
    }

    /// A variable that git sees.
    fn exported(&self, name: &str, state: &State) -> Option<String> {
        let own = self.vars.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        own.or_else(|| state.variables.get(name).filter(|v| v.exported)?.values.last()?.first().cloned())
    }

    pub(super) fn git_setting(
        &mut self,
        key: &str,
        value: &str,
        aliases: &mut Vec<(String, String)>,
        state: &State,
    ) {
        let key = key.to_ascii_lowercase();
        if let Some(alias) = key.strip_prefix("alias.") {
            aliases.push((alias.to_owned(), value.to_owned()));
        } else if is_git_command_key(&key) && value != "cat" {
            self.run_slot("git", value.trim_start_matches('!'), state);
        }
    }

    /// `GIT_CONFIG_KEY_0=… GIT_CONFIG_VALUE_0=…`
    pub(super) fn git_environment(&self, state: &State) -> Vec<(String, String)> {
        let value = |name: &str| self.exported(name, state);
        // `'key=value' 'key=value'`, as git hands them to itself.
        let handed = value("GIT_CONFIG_PARAMETERS").unwrap_or_default();
        let handed = crate::wrapper::split_string(&handed);
        let mut found: Vec<(String, String)> = handed
            .iter()
            .filter_map(|arg| arg.text.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        if value("GIT_CONFIG_COUNT").is_none() {
            return found;
        }
        found.extend((0..8).filter_map(|n| {
            Some((value(&format!("GIT_CONFIG_KEY_{n}"))?, value(&format!("GIT_CONFIG_VALUE_{n}"))?))
        }));
        found
    }
}

fn is_git_command_key(key: &str) -> bool {
    matches!(
        key,
        "core.pager"
            | "core.editor"
            | "core.sshcommand"
            | "core.fsmonitor"
            | "core.askpass"
            | "sequence.editor"
            | "diff.external"
            | "core.gitproxy"
            | "gpg.program"
    ) || key.starts_with("pager.")
        || (key.starts_with("filter.")
            && (key.ends_with(".clean") || key.ends_with(".smudge") || key.ends_with(".process")))
        || (key.starts_with("diff.") && (key.ends_with(".command") || key.ends_with(".textconv")))
        || (key.starts_with("merge.") && key.ends_with(".driver"))
        || (key.starts_with("difftool.") || key.starts_with("mergetool.")) && key.ends_with(".cmd")
        || key.starts_with("credential") && key.ends_with("helper")
}
