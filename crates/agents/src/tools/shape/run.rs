//! Commands and code among the arguments, under their names or by their looks.

use model::{Command, Intent, Noun};
use serde_json::Value;

use super::super::compose::{self, Beside, names_command, strings};
use super::super::words::{intent_of_word, plain};
use super::super::{keys, looks};
use super::files::Files;
use super::{Object, Shape, Text};

impl Shape {
    /// Commands and code of an object, with what stands beside them.
    pub(super) fn commands(&mut self, object: &Object, at: &str) {
        let beside = Beside::of(object);
        let has_path = Files::of(object).has_path;
        let named = names_command(object);
        let language = object.iter().find(|(key, _)| keys::is_language(&plain(key)));
        let language = language.and_then(|(_, value)| looks::language(value.as_str()?));
        for (key, value) in object {
            let name = plain(key);
            let here = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            if keys::is_command(&name) && !(named && keys::is_args(&name))
                || name == "shell" && value.as_str().is_some_and(|text| text.contains(' '))
            {
                // `{"command": "create", "path": …}` is the verb of an editor.
                let verb = |text: &str| has_path && intent_of_word(text).is_some() && !text.contains('/');
                match (value, strings(value)) {
                    (Value::String(text), _) if verb(text) => {}
                    (Value::String(text), _) if self.nature.data && looks::is_statement(text) => {}
                    (Value::String(text), _) => {
                        let command = beside.command(text, Some(&here), self.nature.afar);
                        self.started(&command);
                        self.has_command = true;
                        // Whether a shell reads it, only the tool's name tells.
                        let guessed = !self.nature.shell;
                        self.run(Command { language: self.spoken(command.language), guessed, ..command });
                    }
                    (_, Some(words)) => self.list(&name, &words, &beside),
                    _ => {}
                }
            } else if keys::is_args(&name) && self.nature.program.is_some() && !named {
                let words = strings(value).map(|words| compose::join(words.iter().copied()));
                let text = words.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_default();
                self.started(&Command { text, cwd: beside.cwd.map(Into::into), ..Command::default() });
            } else if keys::is_args(&name)
                && !named
                && (self.intent == Intent::Run || self.nature.shell)
                && let Some(words) = strings(value).filter(|words| is_program(words[0]))
            {
                // `{"args": ["bash", "-c", …]}`: the program is the first of them.
                self.list(&name, &words, &Beside::of(object).without_args());
            } else if self.runs()
                && (keys::is_code(&name) || keys::may_hold_code(&name) && self.speaks(language))
            {
                let packed = compose::is_packed(object);
                for text in value.as_str().into_iter().chain(strings(value).into_iter().flatten()) {
                    let unpacked = packed.then(|| compose::unpacked(text)).flatten();
                    self.code(&name, unpacked.as_deref().unwrap_or(text), language, beside.cwd);
                }
            }
        }
    }

    /// `{"command": "delete ns prod"}` for a tool that is called after a program.
    pub(super) fn started(&mut self, command: &Command) {
        let first = command.text.split_whitespace().next().unwrap_or_default();
        if let Some(program) = self.nature.program.filter(|program| first != *program && !first.contains('/'))
        {
            let text = format!("{program} {}", command.text);
            self.run(Command { text, at: None, guessed: true, ..command.clone() });
        }
    }

    /// Whether it is said in which language something is run.
    pub(super) fn speaks(&self, beside: Option<&str>) -> bool {
        beside.is_some() || self.intent == Intent::Run && self.nature.language.is_some()
    }

    pub(super) fn spoken(&self, language: model::Language) -> model::Language {
        if self.nature.language == Some("powershell") { model::Language::PowerShell } else { language }
    }

    /// Whether code among the arguments is run, and not only written down.
    pub(super) fn runs(&self) -> bool {
        matches!(
            self.intent,
            Intent::Unknown | Intent::Run | Intent::Query | Intent::Fetch | Intent::Configure
        ) || self.nature.shell && self.intent != Intent::Write
    }

    /// A list of words is one command, a list of lines several; where it could be either, it is both.
    pub(super) fn list(&mut self, key: &str, words: &[&str], beside: &Beside<'_>) {
        self.has_command = true;
        // The first of a command's words is a program's name, and has no blanks.
        let whole = words.len() > 1 && is_line(words[0]);
        let lines = keys::is_plural(key) || whole;
        if lines {
            for line in words {
                let command = beside.command(line, None, self.nature.afar);
                self.started(&command);
                self.run(command);
            }
        }
        if !lines || whole || words.iter().all(|word| !word.contains(' ')) {
            let command = beside.command(&compose::join(words.iter().copied()), None, self.nature.afar);
            self.started(&command);
            self.run(command);
        }
    }

    pub(super) fn code(&mut self, key: &str, text: &str, said: Option<&'static str>, cwd: Option<&str>) {
        let by_key = key.split('_').find_map(looks::language);
        // What a page cannot do, the program that drives it does.
        let drives =
            ["require(", "child_process", "process.", "import("].iter().any(|word| text.contains(word));
        if self.nature.page && !drives {
            return self.add(key, Noun::Code { language: "javascript", text: text.to_owned() });
        }
        let language = said
            .or(by_key)
            .or_else(|| text.starts_with("#!").then(|| looks::language_of(text)).flatten())
            .or(self.nature.language)
            .or_else(|| looks::language_of(text));
        match language {
            Some("sql") => self.add(key, Noun::Statement(text.to_owned())),
            Some(language) => {
                self.add(key, Noun::Code { language, text: text.to_owned() });
                for command in compose::running(language, text).into_iter().flatten() {
                    self.run(Command { cwd: cwd.map(Into::into), ..command });
                }
            }
            // It may be for a shell, and it may be Python.
            None => {
                for language in ["shell", "python"] {
                    for command in compose::running(language, text).into_iter().flatten() {
                        self.run(Command { cwd: cwd.map(Into::into), guessed: true, ..command });
                    }
                }
            }
        }
    }

    /// A command under another name: whatever a tool that runs commands is given, or what looks like nothing else.
    pub(super) fn command_by_looks(&mut self, it: &Text<'_>, said: bool) {
        if keys::is_command(it.key) || keys::is_code(it.key) || keys::is_args(it.key) || keys::is_cwd(it.key)
        {
            return;
        }
        let runs = !self.has_command
            && (self.nature.shell || self.intent == Intent::Run && !self.nature.page && !self.nature.data);
        let told = !said || self.intent == Intent::Run && !self.nature.page;
        let written = self.intent == Intent::Send || self.intent == Intent::Write && self.about_files;
        let looks = || !written && !self.nature.service && !self.nature.page && told && is_command(it.said);
        if it.said.len() > 1 && (runs && !said || looks()) && !looks::is_address(it.said) {
            let at = it.at.filter(|_| self.nature.shell).map(str::to_owned);
            let language = self.spoken(model::Language::Posix);
            // An interpreter may be waiting for it there.
            if let Some(code) = looks::language_of(it.said).filter(|language| *language != "shell" && runs) {
                for command in compose::running(code, it.said).into_iter().flatten() {
                    self.run(Command { guessed: true, ..command });
                }
            }
            self.run(Command { text: it.said.to_owned(), language, at, guessed: true, ..Command::default() });
        }
    }

    /// A script that is run by its name or from its address.
    pub(super) fn script(&mut self, text: &str, is_address: bool) {
        if self.intent != Intent::Run || self.nature.page {
            return;
        }
        let ending = text.split(['?', '#']).next().unwrap_or(text).rsplit('.').next().unwrap_or_default();
        let program = match ending {
            "sh" | "bash" | "zsh" => "sh",
            "py" => "python3",
            "js" | "mjs" | "cjs" => "node",
            "rb" => "ruby",
            "pl" => "perl",
            _ if is_address
                && self
                    .nature
                    .tool
                    .iter()
                    .any(|word| matches!(word.as_str(), "script" | "code" | "installer")) =>
            {
                "sh"
            }
            _ => return,
        };
        let text = if is_address {
            format!("curl -fsSL {} | {program}", compose::literal(text))
        } else {
            format!("{program} {}", compose::quote(text))
        };
        self.run(Command { text, guessed: true, ..Command::default() });
    }

    pub(super) fn requests(&mut self, object: &Object) {
        let address = object.iter().find_map(|(key, value)| {
            let text = value.as_str()?;
            (keys::is_address(&plain(key)) && looks::is_address(text)).then_some(text)
        });
        if let Some(text) = address.and_then(|address| compose::request(object, address)) {
            self.run(Command { text, guessed: true, ..Command::default() });
        }
    }

    /// Options of a browser that start a program of their own: `--renderer-cmd-prefix=…`.
    pub(super) fn launched(&mut self, key: &str, text: &str) {
        let Some((name, program)) = text.split_once('=').filter(|_| self.nature.page && keys::is_args(key))
        else {
            return;
        };
        if name.ends_with("-cmd-prefix") || name.ends_with("-launcher") || name.ends_with("-subprocess-path")
        {
            self.run(Command { text: program.to_owned(), guessed: true, ..Command::default() });
        }
    }

    /// What a shell would say for a tool that changes who may do what with a file.
    pub(super) fn permissions(&mut self, input: &Object) {
        if self.intent != Intent::Permit {
            return;
        }
        let mode =
            input.iter().find(|(key, _)| matches!(plain(key).as_str(), "mode" | "permissions" | "perms"));
        let Some(mode) = mode.and_then(|(_, value)| {
            value.as_str().map(str::to_owned).or(value.as_u64().map(|n| n.to_string()))
        }) else {
            return;
        };
        let paths: Vec<String> =
            self.out.edits.iter().map(|edit| edit.path.to_string_lossy().into_owned()).collect();
        for path in paths {
            let text = format!("chmod -R {} {}", compose::quote(&mode), compose::quote(&path));
            self.run(Command { text, guessed: true, ..Command::default() });
        }
    }
}

/// Whether a word is a program's name with more words behind it.
fn is_line(word: &str) -> bool {
    word.trim().split_once(char::is_whitespace).is_some_and(|(first, _)| is_program(first))
}

/// Whether a word may be the name of a program.
fn is_program(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '.' | '~'))
        && !word.contains(|c: char| c.is_whitespace() || matches!(c, '=' | ':'))
}

/// A line that nobody writes but for a shell: a program that is known, and the signs of a command.
fn is_command(text: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "bash", "cat", "chmod", "chown", "cp", "curl", "dd", "docker", "env", "eval", "find", "git", "kill",
        "kubectl", "mkfs", "mv", "nc", "node", "npm", "perl", "pip", "pkill", "python", "python3", "rm",
        "rsync", "scp", "sed", "sh", "shred", "ssh", "sudo", "tar", "tee", "wget", "zsh",
    ];
    let first = text.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or(first);
    let signs = [" -", " | ", "|", "&&", "; ", " > ", " >> ", "$(", " ~", " /", "`"];
    PROGRAMS.contains(&name) && signs.iter().any(|sign| text.contains(sign))
}
