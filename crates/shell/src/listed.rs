//! Commands that stand in a file of settings: environments for tests in an INI file, tasks and hooks in YAML. Such files are read by
//! their lines; what is written in a rarer way is not seen.

use crate::reader::Reader;
use crate::reader::follow::Starter;
use crate::state::State;
use crate::text::ANY;

/// Tasks that start tasks.
const MOST_TASKS: usize = 32;

impl Reader<'_> {
    /// What the words of a call start, by the file that its language keeps it in.
    pub(crate) fn kept_in_settings(&mut self, by: Starter<'_>, state: &mut State) {
        if ["list", "list-all", "listenvs", "dry-run"].iter().any(|option| by.words.has(option)) {
            return;
        }
        let usual: &[&str] = match by.entry.language {
            "ini-tasks" => &["tox.ini"],
            "yaml-tasks" => &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"],
            _ => &[".pre-commit-config.yaml"],
        };
        let file = by.values("config").chain(by.values("taskfile")).last().map(str::to_owned);
        let text = match &file {
            Some(file) => self.carrier(file, state),
            None => usual.iter().find_map(|file| self.carrier(file, state)),
        };
        let Some(text) = text else { return };
        if crate::reader::is_only_holes(&text) {
            return self.unseen(by.label, &text);
        }
        let named: Vec<&str> = by.words.operands.iter().map(|&at| by.argv[at].text.as_str()).collect();
        let codes = match by.entry.language {
            "ini-tasks" => {
                let chosen = by.values("env").chain(by.values("e")).flat_map(|list| list.split(','));
                let chosen: Vec<&str> = chosen.collect();
                environments(&text, &chosen)
            }
            "yaml-tasks" => tasks(&text, &named),
            _ => hooks(&text, &named),
        };
        let name = self.script_name(file.as_deref().unwrap_or(usual[0]), state);
        for code in codes {
            let code = filled(&code);
            self.in_script(name.clone(), |reader| reader.run_text(&code, by.label, &mut state.clone()));
        }
    }
}

/// `{env:HOME}` as a shell has it; what else is filled in is not known, and what is handed on is nothing.
fn filled(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find('{') {
        // `${HOME}` is a shell's own.
        let own = rest[..at].ends_with('$');
        let Some(end) = rest[at..].find('}').filter(|_| !own) else {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        out.push_str(&rest[..at]);
        let inner = &rest[at + 1..at + end];
        match inner.strip_prefix("env:").map(|name| name.split(':').next().unwrap_or(name)) {
            Some(name) => out.extend(["${", name, "}"]),
            None if inner.starts_with("posargs") => {}
            None if matches!(inner, "toxinidir" | "tox_root") => out.push('.'),
            // Folders of the environment that is made for the tests.
            None if inner.ends_with("dir") => out.push_str(".tox/env"),
            None => out.push(ANY),
        }
        rest = rest[at + end + 1..].trim_start_matches('}');
    }
    out + rest
}

/// The commands of the environments that are chosen, or of those that the file lists.
fn environments(text: &str, chosen: &[&str]) -> Vec<String> {
    let settings = settings(text);
    let of = |section: &str, keys: &[&str]| -> Vec<&(String, String, Vec<String>)> {
        settings.iter().filter(|(own, key, _)| own == section && keys.contains(&key.as_str())).collect()
    };
    let mut names: Vec<String> = chosen.iter().map(|name| (*name).trim().to_owned()).collect();
    if names.is_empty() {
        for (.., values) in of("tox", &["envlist", "env_list"]) {
            names.extend(values.iter().flat_map(|line| line.split(',')).map(|name| name.trim().to_owned()));
        }
    }
    let sections = names.iter().map(|name| format!("testenv:{name}")).chain(["testenv".to_owned()]);
    let mut found = Vec::new();
    for section in sections {
        for (.., values) in of(&section, &["commands", "commands_pre", "commands_post"]) {
            found.extend(values.iter().map(|line| line.trim_start_matches(['-', '!', ' ']).to_owned()));
        }
    }
    found
}

/// Sections, keys and the lines of their values; one that begins with a blank belongs to the value before it.
fn settings(text: &str) -> Vec<(String, String, Vec<String>)> {
    let mut found: Vec<(String, String, Vec<String>)> = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            name.0.trim().clone_into(&mut section);
        } else if line.starts_with([' ', '\t']) {
            if let Some((.., values)) = found.last_mut() {
                match values.last_mut().filter(|last| last.ends_with('\\')) {
                    Some(last) => {
                        last.pop();
                        last.push_str(bare);
                    }
                    None => values.push(bare.to_owned()),
                }
            }
        } else if let Some((key, value)) = line.split_once('=') {
            let values = Some(value.trim()).filter(|value| !value.is_empty()).map(str::to_owned);
            found.push((section.clone(), key.trim().to_owned(), values.into_iter().collect()));
        }
    }
    found
}

/// A line of YAML: how deep it stands, and what it says. `- ` before it makes what it says stand deeper.
struct Line<'a> {
    depth: usize,
    text: &'a str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let bare = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let made = |line| Line { depth: indent(line), text: line.trim() };
    text.lines().filter(bare).map(made).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// `key: value`, the key without its quotes.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) =
        text.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with(' '))?;
    Some((key.trim().trim_matches(['\'', '"']), value.trim()))
}

/// A value in one line without its quotes, or what stands below it.
fn value(value: &str, below: &[Line<'_>], depth: usize) -> String {
    if value.is_empty() || value.starts_with(['|', '>']) {
        let lines = below.iter().take_while(|line| line.depth > depth);
        return lines.map(|line| line.text).collect::<Vec<_>>().join("\n");
    }
    let quoted = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    match (quoted('\''), quoted('"')) {
        (Some(text), _) => text.replace("''", "'"),
        (_, Some(text)) => text.replace("\\\"", "\"").replace("\\\\", "\\"),
        _ => value.to_owned(),
    }
}

/// The commands of tasks by their names, and of those that they start.
fn tasks(text: &str, named: &[&str]) -> Vec<String> {
    let lines = lines(text);
    let Some(start) = lines.iter().position(|line| line.depth == 0 && line.text == "tasks:") else {
        return Vec::new();
    };
    let body = &lines[start + 1..];
    let body = &body[..body.iter().position(|line| line.depth == 0).unwrap_or(body.len())];
    let depth = body.first().map_or(2, |line| line.depth);
    let mut open: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
    if open.is_empty() {
        open.push("default".to_owned());
    }
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(name) = open.get(at).filter(|_| at < MOST_TASKS).cloned() {
        at += 1;
        let is_it =
            |line: &Line<'_>| line.depth == depth && pair(line.text).is_some_and(|(key, _)| key == name);
        let Some(head) = body.iter().position(is_it) else { continue };
        let (_, short) = pair(body[head].text).unwrap_or_default();
        if !short.is_empty() {
            found.push(value(short, &[], depth));
        }
        let own = &body[head + 1..];
        let own = &own[..own.iter().position(|line| line.depth <= depth).unwrap_or(own.len())];
        let (codes, others) = steps(own);
        found.extend(codes);
        open.extend(others);
    }
    found
}

/// The commands of one task, and the names of the tasks that it needs.
fn steps(lines: &[Line<'_>]) -> (Vec<String>, Vec<String>) {
    let (mut codes, mut others) = (Vec::new(), Vec::new());
    let mut list = "";
    let outer = lines.first().map_or(0, |line| line.depth);
    // What stands below a line that has been taken.
    let mut taken = usize::MAX;
    for (at, line) in lines.iter().enumerate() {
        if line.depth > taken {
            continue;
        }
        taken = usize::MAX;
        let item = line.text.strip_prefix("- ").map(str::trim);
        match (item.unwrap_or(line.text), pair(item.unwrap_or(line.text))) {
            (_, Some(("cmd" | "defer" | "sh", code))) => {
                codes.push(value(code, &lines[at + 1..], line.depth));
                taken = line.depth;
            }
            (_, Some(("task", name))) => others.push(value(name, &[], 0)),
            (_, Some((key @ ("cmds" | "deps" | "preconditions" | "status"), inline))) if item.is_none() => {
                list = key;
                let names = inline.trim_matches(['[', ']']).split(',').map(|one| value(one.trim(), &[], 0));
                let names = names.filter(|name| !name.is_empty());
                if key == "deps" { others.extend(names) } else { codes.extend(names) }
            }
            (code, _) if item.is_some() && list == "deps" => others.push(value(code, &[], 0)),
            (code, _) if item.is_some() && !list.is_empty() => {
                codes.push(value(code, &lines[at + 1..], line.depth));
                taken = line.depth;
            }
            _ if item.is_none() && line.depth <= outer => list = "",
            _ => {}
        }
    }
    (codes, others)
}

/// The commands of hooks that the project has itself; those of others are fetched in the version that it names.
fn hooks(text: &str, named: &[&str]) -> Vec<String> {
    let lines = lines(text);
    let (mut own, mut wanted) = (false, true);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match pair(line.text.trim_start_matches("- ")) {
            Some(("repo", repo)) => own = value(repo, &[], 0) == "local",
            Some(("id", id)) => wanted = named.is_empty() || named.contains(&value(id, &[], 0).as_str()),
            Some(("entry", code)) if own && wanted => found.push(value(code, &lines[at + 1..], line.depth)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_those_that_are_chosen() {
        let text = "[tox]\nenvlist = py, lint\n[testenv]\ncommands =\n    pytest {posargs:tests}\n    - rm -rf {env:HOME}\n\
                    [testenv:lint]\ncommands = ruff check \\\n  src\n[testenv:release]\ncommands = twine upload dist/*\n";
        assert_eq!(
            environments(text, &[]),
            ["ruff check src", "pytest {posargs:tests}", "rm -rf {env:HOME}"]
        );
        assert_eq!(environments(text, &["release"])[0], "twine upload dist/*");
        assert_eq!(filled("rm -rf {env:HOME}/x {posargs} ${A}"), "rm -rf ${HOME}/x  ${A}");
        assert_eq!(filled("{{.BIN}} a"), format!("{ANY} a"));
    }

    #[test]
    fn tasks_are_those_that_are_named() {
        let text = "version: '3'\ntasks:\n  default: echo hi\n  wipe:\n    desc: x\n    deps: [pre]\n    cmds:\n      - rm -rf ~\n      - cmd: 'ls'\n      - |\n        a\n        b\n      - task: more\n    silent: true\n  pre:\n    cmd: make\n  more:\n    cmds:\n    - pwd\n  other:\n    cmds: [\"false\"]\n";
        assert_eq!(tasks(text, &[]), ["echo hi"]);
        assert_eq!(tasks(text, &["wipe"]), ["rm -rf ~", "ls", "a\nb", "make", "pwd"]);
        assert_eq!(tasks(text, &["other"]), ["false"]);
        assert!(tasks("a: b", &["x"]).is_empty());
    }

    #[test]
    fn hooks_are_the_projects_own() {
        let text = "repos:\n- repo: https://x\n  hooks:\n  - id: a\n    entry: other\n- repo: local\n  hooks:\n  - id: b\n    entry: sh x.sh\n  - id: c\n    entry: \"bash -c 'ls'\"\n";
        assert_eq!(hooks(text, &[]), ["sh x.sh", "bash -c 'ls'"]);
        assert_eq!(hooks(text, &["c"]), ["bash -c 'ls'"]);
    }
}
