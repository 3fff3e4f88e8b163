//! Settings of a program that hold commands: given on the line, in its environment, or set for later; and what a name stands for
//! that the program itself does not have.

use model::deed::{Object, Verb};

use super::Reader;
use crate::programs::{Role, variable};
use crate::reading::Call;
use crate::state::State;

/// Names for commands that one script makes.
const MOST_ALIASES: usize = 32;

impl Reader<'_> {
    /// What the settings of a call start, as texts that a shell reads.
    pub(super) fn settings(&mut self, call: &Call, state: &State) -> Vec<String> {
        let words = call.words();
        let Some(program) = words.program.filter(|program| !program.settings.is_empty()) else {
            return Vec::new();
        };
        let set =
            call.deeds.iter().filter(|deed| deed.verb == Verb::Sets).filter_map(|deed| match &deed.object {
                Object::Setting { name, value } => Some((name.clone(), value.clone())),
                _ => None,
            });
        let lasts = words.lasts();
        let (mut aliases, mut all) = (Vec::new(), Vec::new());
        for (key, value) in environment(call).into_iter().chain(set) {
            match program.setting(&key) {
                // Set now, run later.
                Some(Role::Alias) if lasts => {
                    all.extend(value.strip_prefix('!').map(str::to_owned));
                    aliases.push((key, value));
                }
                Some(Role::Alias) => aliases.push((key, value)),
                Some(Role::Shell) if !program.usual.contains(&value.as_str()) => {
                    all.push(value.trim_start_matches('!').to_owned());
                }
                _ => {}
            }
        }
        if lasts {
            // Names that a loop makes up do not add up to anything.
            let room = MOST_ALIASES.saturating_sub(self.aliased.len());
            self.aliased.extend(aliases.into_iter().take(room));
        } else if let Some(code) = self.alias(call, &aliases, state) {
            all.push(code);
        }
        all
    }

    /// What a name that the program does not have stands for: given on the line, by this script, or in its files.
    fn alias(&self, call: &Call, given: &[(String, String)], state: &State) -> Option<String> {
        let words = call.words();
        let program = words.program.filter(|program| words.path == [program.name()])?;
        let at = *words.operands.first()?;
        let name = call.argv[at].text.to_ascii_lowercase();
        let fits = |(key, _): &&(String, String)| {
            let rest = key.split_once('.').map_or("", |(_, rest)| rest);
            program.setting(key) == Some(Role::Alias)
                && rest.strip_suffix(".command").unwrap_or(rest).eq_ignore_ascii_case(&name)
        };
        let known = self.aliased.iter().rev().find(fits).or_else(|| given.iter().rev().find(fits));
        let code = match known {
            Some((_, code)) => code.clone(),
            None if program.style.dashed => {
                self.in_files(call, state).iter().rev().find(fits).map(|(_, code)| code.clone())?
            }
            None => return None,
        };
        let text =
            |from: usize, to: usize| crate::join(call.argv[from..to].iter().map(|arg| arg.text.as_str()));
        let tail = text(at + 1, call.argv.len());
        Some(match code.strip_prefix('!') {
            Some(shell) => format!("{shell} {tail}"),
            // Where it was told to go, it goes with the alias too.
            None => format!("{} {code} {tail}", text(0, at)),
        })
    }

    /// Git's settings, in its files: the ones that count last.
    fn in_files(&self, call: &Call, state: &State) -> Vec<(String, String)> {
        let dir = crate::programs::repository(call);
        let mut settings = self.world.git_settings(&dir);
        for (name, below) in [
            ("HOME", "/.gitconfig"),
            ("HOME", "/.config/git/config"),
            ("XDG_CONFIG_HOME", "/git/config"),
            ("GIT_CONFIG_GLOBAL", ""),
            ("GIT_CONFIG_SYSTEM", ""),
            ("GIT_CONFIG", ""),
        ] {
            let file = call.var(name).map(|dir| format!("{dir}{below}"));
            let text = file.and_then(|file| self.world.read(&crate::path::absolute(&file, &state.cwd())));
            settings.extend(text.iter().flat_map(|text| crate::git_settings(text)));
        }
        settings
    }
}

/// Settings in variables: `'key=value' 'key=value'` in one, or a key in one and its value in another.
fn environment(call: &Call) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, text) in &call.vars {
        match variable(name) {
            Some(Role::Settings) => {
                let list = crate::wrapper::split_string(text);
                let pairs = list.iter().filter_map(|arg| arg.text.split_once('='));
                found.extend(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
            }
            Some(Role::Key) => {
                let number = name.rsplit('_').next();
                let value = call.vars.iter().rev().find(|(other, _)| {
                    variable(other) == Some(Role::Value) && other.rsplit('_').next() == number
                });
                found.extend(value.map(|(_, value)| (text.clone(), value.clone())));
            }
            _ => {}
        }
    }
    found
}
