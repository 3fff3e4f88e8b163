//! Tasks of the project that a command starts by name: `make t`, `npm run t`, `just t`.

use crate::reader::Reader;
use crate::reading::Arg;
use crate::state::State;

/// Larger files are not tasks that a person wrote.
const LARGEST: usize = 128 * 1024;

impl Reader<'_> {
    /// `make` and `just`: the recipe, line by line.
    pub(crate) fn task_runner(&mut self, name: &str, argv: &[Arg], state: &mut State) -> Option<String> {
        let (files, label): (&[&str], _) = match name {
            "make" | "gmake" => (&["GNUmakefile", "makefile", "Makefile"], "make"),
            "just" => (&["justfile", "Justfile", ".justfile"], "just"),
            _ => return None,
        };
        self.record(argv.to_vec(), state);
        let args: Vec<&str> = argv[1..].iter().map(|a| a.text.as_str()).collect();
        // `just --command cmd …`
        if let Some(at) =
            args.iter().position(|a| *a == "--command" || *a == "-c").filter(|_| label == "just")
        {
            let inner = argv[at + 2..].to_vec();
            self.wrapped(label, |reader| reader.dispatch_program(inner, &mut state.clone()));
        }
        let mut dir = String::new();
        let mut file = None;
        for pair in args.windows(2) {
            match pair[0] {
                "-C" | "--directory" => dir = format!("{}/", pair[1]),
                "-f" | "--file" | "--makefile" | "--justfile" => file = Some(pair[1].to_owned()),
                _ => {}
            }
        }
        if args.iter().any(|a| matches!(*a, "-n" | "--dry-run" | "--just-print")) {
            return Some(crate::text::ANY.to_string());
        }
        let text = match file.as_deref() {
            Some("-" | "/dev/stdin") => state.stdin.clone(),
            Some(file) => self.script_text(&format!("{dir}{file}"), state),
            None => files.iter().find_map(|file| self.script_text(&format!("{dir}{file}"), state)),
        };
        for code in args.iter().filter_map(|a| a.strip_prefix("SHELL=")) {
            self.run_slot("make", code, state);
        }
        let given = args.iter().find_map(|a| a.strip_prefix("--eval=")).map(str::to_owned);
        let text: Option<std::rc::Rc<str>> = match (given, text) {
            (Some(given), Some(text)) => Some(format!("{given}\n{text}").into()),
            (given, text) => given.map(Into::into).or(text),
        };
        let Some(text) = text.filter(|text| text.len() <= LARGEST) else {
            return Some(crate::text::ANY.to_string());
        };
        if crate::reader::is_only_holes(&text) {
            self.unseen(label, &text);
        }
        let values = ["-C", "-f", "-j", "--directory", "--file", "--makefile", "--justfile"];
        let targets: Vec<&str> =
            crate::builtin::operands(&args, &values).into_iter().filter(|a| !a.contains('=')).collect();
        let mut seen = Vec::new();
        let targets: Vec<String> = if targets.is_empty() {
            first_target(&text).into_iter().collect()
        } else {
            targets.into_iter().map(str::to_owned).collect()
        };
        for target in targets {
            self.recipe(label, &text, &target, &mut seen, state);
        }
        Some(crate::text::ANY.to_string())
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

    /// `npm run x`, `yarn x`: the script of `package.json`.
    pub(crate) fn package_script(&mut self, name: &str, argv: &[Arg], state: &mut State) {
        let args: Vec<&str> = argv[1..].iter().map(|a| a.text.as_str()).collect();
        let words = crate::builtin::operands(
            &args,
            &["--prefix", "-C", "--filter", "-w", "--workspace", "--registry"],
        );
        let script = match (words.first().copied(), words.get(1).copied()) {
            (Some("run" | "run-script"), Some(script)) => script,
            (Some("test" | "t"), _) => "test",
            (Some(verb @ ("start" | "stop" | "restart")), _) => verb,
            (Some(script), _) if name == "yarn" || name == "pnpm" || name == "bun" => script,
            _ => return,
        };
        let Some(text) = self.script_text("package.json", state).filter(|text| text.len() <= LARGEST) else {
            return;
        };
        for name in [format!("pre{script}"), script.to_owned(), format!("post{script}")] {
            if let Some(code) = json_script(&text, &name) {
                self.in_script(self.script_name("package.json", state), |reader| {
                    reader.run_text(&code, "npm", &mut state.clone())
                });
            }
        }
    }
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
            out.push_str(&value.unwrap_or_else(|| crate::text::ANY.to_string()));
        } else {
            out.push(crate::text::ANY);
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    out
}

/// `"name": "code"` inside `"scripts"`. By hand: a JSON parser here would be a dependency for one lookup.
fn json_script(text: &str, name: &str) -> Option<String> {
    let scripts = &text[text.find("\"scripts\"")?..];
    let open = scripts.find('{')?;
    let mut rest = &scripts[open + 1..];
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', ',']);
        if !rest.starts_with('"') {
            return None;
        }
        let (key, after) = json_string(rest)?;
        let after = after.trim_start().strip_prefix(':')?.trim_start();
        let (value, after) = json_string(after)?;
        if key == name {
            return Some(value);
        }
        rest = after;
    }
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
        assert_eq!(
            make_variables("rm -rf $(X) $(shell date)", make),
            format!("rm -rf /srv {}", crate::text::ANY)
        );
        let json = r#"{"scripts": {"a": "echo \"x\"", "b": "rm -rf \u0041"}}"#;
        assert_eq!(json_script(json, "b").as_deref(), Some("rm -rf A"));
        assert_eq!(json_script(json, "c"), None);
    }
}
