//! Files of the project that the code of a command brings in by `import` or `require`: what they do when they are loaded, the code
//! does. What files bring in is not followed: there, most of what functions could do is never done.

use super::Reader;
use crate::state::State;

/// So many files.
const MOST: usize = 6;
/// Larger ones are libraries.
const LARGEST: usize = 32 * 1024;

impl Reader<'_> {
    /// What code brings in, and what that does.
    pub(super) fn imports(&mut self, language: &'static str, code: &str, state: &mut State) {
        let there = |path: &String| {
            let absolute = state.absolute(path);
            state.files.contains_key(&absolute)
                || self.world.exists(&absolute) && !self.world.is_directory(&absolute)
        };
        let mut found: Vec<String> =
            candidates(language, code).into_iter().filter(there).take(MOST).collect();
        found.dedup();
        for path in found {
            let Some(text) = self.script_text(&path, state).filter(|text| text.len() <= LARGEST) else {
                continue;
            };
            let name = self.script_name(&path, state);
            self.in_script(name, |reader| reader.inline(language, &text, state));
        }
    }
}

/// The files that code may mean, the likely ones first.
fn candidates(language: &str, code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    match language {
        "python" if code.contains("import") => {
            for module in modules(code).into_iter().take(4 * MOST) {
                let plain = module.trim_matches('.').replace('.', "/");
                if !plain.is_empty() {
                    paths.extend([format!("{plain}.py"), format!("{plain}/__init__.py")]);
                }
            }
        }
        "javascript" if code.contains("./") => {
            for file in relative(code).take(4 * MOST) {
                let endings = ["", ".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"];
                paths.extend(endings.iter().map(|ending| format!("{file}{ending}")));
            }
        }
        _ => {}
    }
    paths
}

/// `import a.b as c, d` and `from a import b`: `a.b`, `d`, `a`, `a.b`.
fn modules(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in code.split(['\n', ';']).map(str::trim) {
        let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
        if let Some(names) = line.strip_prefix("import ") {
            found.extend(names.split(',').map(first));
        } else if let Some((module, names)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
        {
            let module = module.trim();
            found.push(module.to_owned());
            let inside = names.trim_matches(['(', ')']).split(',').map(first);
            found.extend(inside.filter(|name| name != "*").map(|name| format!("{module}.{name}")));
        }
    }
    found.retain(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')));
    found
}

/// What stands in quotes behind `require(`, `from` and `import`, and leads to a file of the project.
fn relative(code: &str) -> impl Iterator<Item = &str> {
    code.split(['"', '\'', '`'])
        .scan("", |before, text| {
            let named = std::mem::replace(before, text).trim_end();
            let brought = ["require(", "from", "import", "import("].iter().any(|word| named.ends_with(word));
            let leads = text.starts_with("./") || text.starts_with("../");
            Some((brought && leads && text.len() < 256).then_some(text))
        })
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_brought_in_is_named() {
        assert_eq!(modules("import os, a.b as c\nfrom x.y import (z, *)"), ["os", "a.b", "x.y", "x.y.z"]);
        assert_eq!(candidates("python", "from a import f")[..2], ["a.py", "a/__init__.py"]);
        let code = "const a = require('./a');\nimport b from \"../b.js\"\nlog('./c')";
        assert_eq!(relative(code).collect::<Vec<_>>(), ["./a", "../b.js"]);
    }
}
