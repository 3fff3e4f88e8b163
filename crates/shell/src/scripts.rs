//! Tasks of the project that a command starts by name: `make t`, `npm run t`, `just t`.

use model::deed::{Certainty, Deed, Object, Verb};

use crate::programs::Role;
use crate::reader::Reader;
use crate::reader::follow::Starter;
use crate::reading::Arg;
use crate::state::State;
use crate::text::ANY;

/// Larger files are not tasks that a user wrote.
const LARGEST: usize = 128 * 1024;

/// Files that a file of tasks may bring along.
const MOST_INCLUDED: usize = 16;

impl Reader<'_> {
    /// The tasks that a call names, in the file that its language keeps them in.
    pub(crate) fn tasks(&mut self, by: Starter<'_>, state: &mut State) -> Option<String> {
        match by.entry.language {
            "make" => self.recipes(by, &["GNUmakefile", "makefile", "Makefile"], state),
            "just" => self.recipes(by, &["justfile", "Justfile", ".justfile"], state),
            "ini-tasks" | "yaml-tasks" | "yaml-hooks" => self.kept_in_settings(by, state),
            _ => self.package_scripts(by, state),
        }
        Some(ANY.to_string())
    }

    /// `make` and `just`: the recipe, line by line.
    fn recipes(&mut self, by: Starter<'_>, files: &[&str], state: &mut State) {
        if by.words.has("dry-run") {
            return;
        }
        let file = by.values("file").chain(by.values("justfile")).last().map(str::to_owned);
        let text = match file.as_deref() {
            Some("-" | "/dev/stdin") => state.stdin.clone(),
            Some(file) => self.carrier(file, state),
            None => files.iter().find_map(|file| self.carrier(file, state)),
        };
        let operands: Vec<&str> = by.words.operands.iter().map(|&at| by.argv[at].text.as_str()).collect();
        for code in operands.iter().filter_map(|word| word.strip_prefix("SHELL=")) {
            self.run_slot("make", code, state);
        }
        let given = by.values("eval").last().map(str::to_owned);
        let text: Option<std::rc::Rc<str>> = match (given, text) {
            (Some(given), Some(text)) => Some(format!("{given}\n{text}").into()),
            (given, text) => given.map(Into::into).or(text),
        };
        let Some(text) = text.map(|text| self.with_included(text, state)) else { return };
        if crate::reader::is_only_holes(&text) {
            self.unseen(by.label, &text);
        }
        let mut targets: Vec<String> =
            operands.iter().filter(|word| !word.contains('=')).map(|word| (*word).to_owned()).collect();
        if targets.is_empty() {
            targets.extend(first_target(&text));
        }
        if by.entry.language == "make" && !is_plain_makefile(&text) {
            self.not_read();
        }
        // `make test PYTEST=x` runs what it is given where a command stands, and a shell reads the rest.
        let given: Vec<(&str, &str)> = operands.iter().filter_map(|word| word.split_once('=')).collect();
        let signs = ['$', '`', ';', '&', '|', '<', '>', '(', '\n'];
        if given.iter().any(|(name, value)| value.contains(signs) || is_command_in(name, &text)) {
            self.not_read();
        }
        let text = given.iter().fold(text, |text, (name, value)| {
            text.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value).into()
        });
        let mut seen = Vec::new();
        for target in targets {
            if find_recipe(&text, &target).is_none() {
                self.not_read();
            }
            self.recipe(by.label, &text, &target, &mut seen, state);
        }
    }

    /// The text with that of the files that it names to be read, too, and of those that they name.
    fn with_included(&mut self, text: std::rc::Rc<str>, state: &State) -> std::rc::Rc<str> {
        let mut names = included(&text);
        if names.is_empty() {
            return text;
        }
        let (mut all, mut at) = (text.to_string(), 0);
        while let Some(name) = names.get(at).filter(|_| at < MOST_INCLUDED && all.len() <= LARGEST).cloned() {
            at += 1;
            if let Some(more) = self.script_text(&name, state) {
                let further = included(&more).into_iter().filter(|name| !names.contains(name));
                names.extend(further.collect::<Vec<_>>());
                all.push('\n');
                all.push_str(&more);
            }
        }
        all.into()
    }

    /// The text of a file that tasks are kept in. One that is there and cannot be read is noted.
    pub(crate) fn carrier(&mut self, file: &str, state: &State) -> Option<std::rc::Rc<str>> {
        let text = self.script_text(file, state).filter(|text| text.len() <= LARGEST);
        if text.is_none() && self.world.exists(&state.absolute(file)) {
            self.not_read();
        }
        text
    }

    fn recipe(
        &mut self,
        label: &'static str,
        text: &str,
        target: &str,
        seen: &mut Vec<String>,
        state: &mut State,
    ) {
        if seen.iter().any(|known| known == target) || seen.len() > 24 {
            return;
        }
        seen.push(target.to_owned());
        let Some((needs, lines)) = find_recipe(text, target) else { return };
        for need in needs {
            self.recipe(label, text, &need, seen, state);
        }
        for line in lines {
            let code = line.trim_start().trim_start_matches(['@', '-', '+']).replace("$$", "$");
            // Make's own variables are not the shell's.
            let code = make_variables(&code, text);
            self.in_script(self.script.clone().or_else(|| Some(target.to_owned())), |reader| {
                reader.run_text(&code, label, &mut state.clone())
            });
        }
    }

    /// `npm run x`, `yarn x`: the script of `package.json`; and what an installation runs of it.
    fn package_scripts(&mut self, by: Starter<'_>, state: &mut State) {
        let task = by.words.roles().iter().copied().find(|(_, role)| *role == Role::Task);
        let installs = by.argv_verb().is_some_and(|verb| INSTALLS.contains(&verb));
        if let Some((at, _)) = task.filter(|(at, _)| is_file(&by.argv[*at].text)) {
            self.script(by, &by.argv[at..], state);
            return;
        }
        // `yarn build`: which of the verbs that one entry knows stands there.
        let named = |arg: &Arg| by.entry.names.contains(&arg.text.as_str());
        let verb = by.argv.iter().position(named).filter(|_| by.words.path.len() > 1);
        let verb = verb.filter(|_| task.is_none() && by.words.does().any(is_task));
        // `pnpm prisma migrate reset`, `yarn jest x.test.js`: a program of the project's, where no script has its name.
        let first = task.filter(|_| by.words.path.len() == 1).map(|(at, _)| at).or(verb);
        if let Some(at) = first.filter(|at| at + 1 < by.argv.len()) {
            let name = &by.argv[at].text;
            let text = self.carrier("package.json", state);
            let scripted = text.is_some_and(|text| !json_scripts(&text, name).is_empty());
            if !scripted && crate::programs::find(name).is_some() {
                let inner = by.argv[at..].to_vec();
                self.wrapped(by.label, |reader| reader.dispatch_program(inner, &mut state.clone()));
            }
        }
        let task =
            task.map(|(at, _)| at).or(verb).map(|at| by.argv[at].text.as_str()).or_else(|| by.argv_verb());
        let names: Vec<String> = match task {
            Some(_) if installs => INSTALL_SCRIPTS.iter().map(|name| (*name).to_owned()).collect(),
            Some(task) => around(task),
            None => Vec::new(),
        };
        if names.is_empty() {
            return;
        }
        let Some(text) = self.carrier("package.json", state) else { return };
        if crate::reader::is_only_holes(&text) {
            self.unseen(by.label, &text);
        }
        // What stands behind the task is handed to its script.
        let given = if installs { String::new() } else { given_to(task.unwrap_or_default(), by) };
        for name in names {
            let mut codes = json_scripts(&text, &name);
            if task == Some(name.as_str()) {
                codes.iter_mut().for_each(|code| code.push_str(&given));
            }
            // The last of several counts, and whoever reads the file sees the first.
            if codes.len() > 1 {
                self.not_read();
            }
            for code in codes {
                self.in_script(self.script_name("package.json", state), |reader| {
                    reader.run_text(&code, "npm", &mut state.clone())
                });
            }
        }
    }

    /// Part of what the last call starts was not read.
    pub(crate) fn not_read(&mut self) {
        if let Some(call) = self.reading.calls.last_mut() {
            let object = Object::Thing("something that was not read whole".into());
            call.deeds.push(Deed { certainty: Certainty::Unseen, ..Deed::new(Verb::Runs, object) });
            call.done = crate::cached::Cached::default();
        }
    }
}

/// Verbs by which what a project depends on is installed, and the project's own scripts run.
const INSTALLS: &[&str] = &["install", "ci"];
const INSTALL_SCRIPTS: &[&str] = &["preinstall", "install", "postinstall", "prepare"];

/// The words behind a task, as its script gets them.
fn given_to(task: &str, by: Starter<'_>) -> String {
    let from = by.argv.iter().position(|arg| arg.text == task).map_or(0, |at| at + 1);
    let words =
        by.words.operands.iter().filter(|at| **at >= from.max(1)).map(|at| by.argv[*at].text.as_str());
    let words = words.filter(|word| *word != "--" && *word != task);
    words.map(|word| format!(" '{}'", word.replace('\'', r"'\''"))).collect()
}

/// What the tables say of a task.
fn is_task((verb, thing): (Verb, &str)) -> bool {
    verb == Verb::Builds && thing == "a task"
}

/// Whether a word is a file with code, or what comes in, and no task's name.
fn is_file(word: &str) -> bool {
    word == "-" || crate::code::is_javascript(word) || crate::code::is_address(word)
}

/// A script with those that run before and after it.
fn around(script: &str) -> Vec<String> {
    vec![format!("pre{script}"), script.to_owned(), format!("post{script}")]
}

/// Whether a makefile says what it runs in plain words.
fn is_plain_makefile(text: &str) -> bool {
    const MORE: &[&str] = &[
        "$(shell",
        "${shell",
        "$(eval",
        "$(call",
        "$(foreach",
        "$($(",
        "$(${",
        "${${",
        ".SHELLFLAGS",
        ".ONESHELL",
    ];
    let begins = |line: &str| {
        let line = line.trim_start();
        ["include ", "-include ", "sinclude ", "define ", "SHELL", "load "]
            .iter()
            .any(|word| line.starts_with(word))
            || line.starts_with('%')
            || line.contains("!=") && !line.contains('"')
    };
    !MORE.iter().any(|word| text.contains(word))
        && !text.lines().filter(|line| !line.starts_with('\t')).any(begins)
}

/// Whether a recipe has a variable where a command stands.
fn is_command_in(name: &str, text: &str) -> bool {
    let begins = |before: &str| {
        let before = before.trim_end_matches([' ', '\t', '@', '-', '+']);
        before.is_empty() || before.ends_with(['\n', '&', '|', ';', '('])
    };
    let stands = |form: &str| text.match_indices(form).any(|(at, _)| begins(&text[..at]));
    stands(&format!("$({name})")) || stands(&format!("${{{name}}}"))
}

/// Files that are read as if they stood there: `include a.mk`, `import 'a.just'`.
fn included(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| {
        let words = ["include ", "-include ", "sinclude ", "import "];
        words.iter().find_map(|word| line.trim_start().strip_prefix(word))
    });
    let names = lines.flat_map(|rest| rest.split('#').next().unwrap_or_default().split_whitespace());
    names.map(|name| name.trim_matches(['\'', '"']).to_owned()).filter(|name| !name.contains('$')).collect()
}

fn first_target(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        target_of(line)
            .map(|(names, _)| names)
            .and_then(|names| names.into_iter().find(|n| !n.starts_with('.')))
    })
}

/// `name other: need need`.
fn target_of(line: &str) -> Option<(Vec<String>, Vec<String>)> {
    if line.starts_with([' ', '\t', '#']) {
        return None;
    }
    let (names, needs) = line.split_once(':')?;
    if needs.starts_with('=') || names.contains('=') {
        return None;
    }
    let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    Some((list(names), list(needs.split(['#', ';']).next().unwrap_or_default())))
}

fn find_recipe(text: &str, target: &str) -> Option<(Vec<String>, Vec<String>)> {
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((names, needs)) = target_of(line) else { continue };
        // A just recipe may have parameters after its name.
        if !names.iter().any(|name| name == target) && names.first().map(String::as_str) != Some(target) {
            continue;
        }
        // `name: need; command` has its first line right there.
        let mut recipe: Vec<String> =
            line.split_once(';').map(|(_, code)| code.to_owned()).into_iter().collect();
        let mut joined = false;
        for line in lines.by_ref() {
            if !line.starts_with(['\t', ' ']) && !line.trim().is_empty() {
                break;
            }
            let open = line.ends_with('\\');
            match recipe.last_mut() {
                Some(last) if joined => {
                    last.push('\n');
                    last.push_str(line.trim_start());
                }
                _ if line.trim().is_empty() => {}
                _ => recipe.push(line.to_owned()),
            }
            joined = open;
        }
        return Some((needs, recipe));
    }
    None
}

/// `$(NAME)` and `${NAME}` by the file's own assignments; others stay unknown.
fn make_variables(code: &str, text: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("$(") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let Some(end) = after.find(')') else {
            out.push_str(&rest[at..]);
            return out;
        };
        let name = &after[..end];
        if crate::wrapper::is_name(name) {
            let value = text.lines().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim_end_matches([':', '?', '+']).trim() == name).then(|| value.trim().to_owned())
            });
            // What every shell gets from its environment, make hands on as it is.
            let inherited = || match name {
                "HOME" | "LOGNAME" | "PWD" | "TMPDIR" | "USER" => format!("${{{name}}}"),
                _ => ANY.to_string(),
            };
            out.push_str(&value.unwrap_or_else(inherited));
        } else {
            out.push(ANY);
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Every `"name": "code"` inside `"scripts"`. By hand: a JSON parser here would be a dependency for one lookup.
fn json_scripts(text: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("\"scripts\"") {
        let scripts = &text[at + 9..];
        let Some(mut rest) =
            scripts.trim_start().strip_prefix(':').and_then(|rest| rest.trim_start().strip_prefix('{'))
        else {
            continue;
        };
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
            let Some((key, after)) = json_string(rest) else { break };
            let value =
                after.trim_start().strip_prefix(':').and_then(|after| json_string(after.trim_start()));
            let Some((value, after)) = value else { break };
            if key == name {
                found.push(value);
            }
            rest = after;
        }
    }
    found
}

fn json_string(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &text[at + 2..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'u' => {
                    let code: String = (0..4).filter_map(|_| chars.next().map(|(_, c)| c)).collect();
                    out.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                }
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_and_scripts_are_found() {
        let make = "X := /srv\nall: build\n\ttrue\nbuild:\n\t@rm -rf $(X)\\\n\t  more\n";
        assert_eq!(first_target(make).as_deref(), Some("all"));
        let (needs, lines) = find_recipe(make, "build").unwrap();
        assert!(needs.is_empty());
        assert_eq!(lines, ["\t@rm -rf $(X)\\\nmore"]);
        assert_eq!(make_variables("rm -rf $(X) $(shell date)", make), format!("rm -rf /srv {ANY}"));
        let json = r#"{"scripts": {"a": "echo \"x\"", "b": "rm -rf \u0041"}}"#;
        assert_eq!(json_scripts(json, "b"), ["rm -rf A"]);
        assert!(json_scripts(json, "c").is_empty());
    }
}
