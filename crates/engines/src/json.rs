//! JSON, and JSON with comments where that is the custom: parsing, and a printer that changes nothing but white space.

use std::collections::HashSet;
use std::path::Path;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};

use crate::lines::{Lines, number};
use crate::problem::{Input, Outcome, Problem};

pub(crate) const LINTER: &str = "json";
pub(crate) const CODE: &str = "JSON_SYNTAX";
const TWICE: &str = "JSON_DUPLICATE_KEY";

pub(crate) fn lint(input: &Input<'_>) -> Outcome<Vec<Problem>> {
    let text = input.text.strip_prefix('\u{feff}').unwrap_or(input.text);
    let found = if allows_comments(input.path) { loose(text) } else { strict(text) };
    Ok(found.map_or_else(|| twice(text), |problem| vec![problem]))
}

/// Keys that their object has already: readers keep the last of them, and what the first said is lost.
fn twice(text: &str) -> Vec<Problem> {
    let (collect, options) = (CollectOptions::default(), ParseOptions::default());
    let Some(root) = jsonc_parser::parse_to_ast(text, &collect, &options).ok().and_then(|read| read.value)
    else {
        return Vec::new();
    };
    let lines = Lines::new(text);
    let (mut found, mut open) = (Vec::new(), vec![&root]);
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                let mut seen = HashSet::new();
                for property in &object.properties {
                    let name = property.name.as_str();
                    if !seen.insert(name) && !is_remark(name) {
                        let (line, column) = lines.position(property.name.range().start);
                        let message =
                            format!("the key \"{name}\" is there twice, and only the last one counts");
                        let code = TWICE.into();
                        found.push(Problem { line, column, code, message, linter: LINTER });
                    }
                    open.push(&property.value);
                }
            }
            Value::Array(array) => open.extend(&array.elements),
            _ => {}
        }
    }
    found
}

/// What people use for remarks, because JSON has none.
fn is_remark(key: &str) -> bool {
    key.is_empty() || key.starts_with(['/', '#', '_', '$']) || key.contains("comment")
}

/// One item per line, keys and values as they are written, indented as the file is. Nothing where it does not parse, or where comments
/// may stand between the values.
pub(crate) fn format(input: &Input<'_>) -> Outcome<Option<String>> {
    let (mark, text) = match input.text.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", input.text),
    };
    if allows_comments(input.path) || strict(text).is_some() {
        return Ok(None);
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let printed = format!("{mark}{}", print(text, newline, indentation(text)));
    Ok((printed != input.text).then_some(printed))
}

/// Whether two texts are the same document. `None` where one is not plain JSON.
pub(crate) fn same(old: &str, new: &str) -> Option<bool> {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    Some(read(old)? == read(new)?)
}

fn strict(text: &str) -> Option<Problem> {
    let error = serde_json::from_str::<serde_json::Value>(text).err()?;
    let message = error.to_string();
    // The position is in its own fields.
    let message = message.split(" at line ").next().unwrap_or(&message);
    Some(problem(number(error.line().max(1)), number(error.column().max(1)), message))
}

fn loose(text: &str) -> Option<Problem> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let error = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options).err()?;
    let (line, column) = Lines::new(text).position(error.range().start);
    Some(problem(line, column, &error.kind().to_string()))
}

fn problem(line: u32, column: u32, message: &str) -> Problem {
    Problem { line, column, code: CODE.into(), message: message.to_owned(), linter: LINTER }
}

/// Files whose own readers take comments and trailing commas, though they are called `.json`.
pub(crate) fn allows_comments(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let folder = |wanted: &str| path.parent().is_some_and(|folder| folder.ends_with(wanted));
    name.ends_with(".jsonc")
        || ["tsconfig", "jsconfig"].iter().any(|base| {
            stem.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
        })
        || matches!(
            name,
            ".babelrc.json"
                | ".cspell.json"
                | ".dprint.json"
                | ".luarc.json"
                | ".markdownlint.json"
                | ".mocharc.json"
                | ".oxfmtrc.json"
                | ".oxlintrc.json"
                | ".textlintrc.json"
                | "babel.config.json"
                | "coc-settings.json"
                | "cspell.json"
                | "devcontainer.json"
                | ".devcontainer.json"
                | ".eslintrc.json"
                | ".jshintrc"
                | ".swcrc"
                | "api-extractor.json"
                | "biome.json"
                | "deno.json"
                | "dprint.json"
                | "firebase.json"
                | "knip.json"
                | "language-configuration.json"
                | "nx.json"
                | "pyrightconfig.json"
                | "rush.json"
                | "tslint.json"
                | "turbo.json"
                | "typedoc.json"
                | "wrangler.json"
        )
        // ASP.NET's, and there is one for each surrounding.
        || stem == "appsettings"
        || stem.starts_with("appsettings.")
        || folder(".vscode")
        || folder(".zed")
        || folder(".cspell")
        // Shared bases of TypeScript's settings have names of their own.
        || folder("tsconfig")
        || folder("tsconfigs")
        // An editor's settings among somebody's own.
        || (folder("User") && matches!(name, "settings.json" | "keybindings.json" | "tasks.json"))
        || folder(".claude/hooks")
        || path.ends_with(".claude/settings.json")
        || path.ends_with(".claude/settings.local.json")
}

/// Tabs or four spaces where the file has nothing else; two spaces otherwise. Who edits one line does not want the others in the
/// difference.
fn indentation(text: &str) -> &'static str {
    let white = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let indents = || text.lines().map(|line| &line[..white(&line)]).filter(|indent| !indent.is_empty());
    match indents().next() {
        Some("\t") if indents().all(|indent| indent.bytes().all(|byte| byte == b'\t')) => "\t",
        Some("    ") if indents().all(|indent| indent.len() % 4 == 0 && !indent.contains('\t')) => "    ",
        _ => "  ",
    }
}

/// `text` is known to be valid.
fn print(text: &str, newline: &str, indent: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0;
    let mut rest = text.trim();
    let line = |out: &mut String, depth: usize| {
        out.push_str(newline);
        (0..depth).for_each(|_| out.push_str(indent));
    };
    while let Some(first) = rest.chars().next() {
        let mut taken = 1;
        match first {
            '{' | '[' => {
                let close = if first == '{' { '}' } else { ']' };
                let after = rest[1..].trim_start();
                out.push(first);
                if after.starts_with(close) {
                    out.push(close);
                    taken = rest.len() - after.len() + 1;
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(first);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            '"' => {
                taken = string_length(rest);
                out.push_str(&rest[..taken]);
            }
            _ if first.is_ascii_whitespace() => {}
            _ => {
                taken = rest.find([',', '}', ']', ' ', '\t', '\r', '\n']).unwrap_or(rest.len());
                out.push_str(&rest[..taken]);
            }
        }
        rest = &rest[taken..];
    }
    out.push_str(newline);
    out
}

/// Of a string with its quotes, at the start of `text`.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint_as(name: &str, text: &str) -> Vec<(u32, u32)> {
        let found = lint(&Input::new(Path::new(name), text)).unwrap();
        found.into_iter().map(|problem| (problem.line, problem.column)).collect()
    }

    #[test]
    fn errors_have_their_place() {
        assert_eq!(lint_as("/a.json", "{\"a\": 1}"), []);
        assert_eq!(lint_as("/a.json", "{\n  \"a\": }\n"), [(2, 8)]);
        assert_eq!(lint_as("/a.json", ""), [(1, 1)], "an empty file is not JSON");
        assert_eq!(lint_as("/a.json", "{} {}"), [(1, 4)]);
        assert_eq!(lint_as("/a.json", "// no\n{}"), [(1, 1)]);
    }

    #[test]
    fn comments_are_right_where_they_are_the_custom() {
        let text = "// yes\n{\n  \"a\": 1, /* too */\n}\n";
        for name in ["/tsconfig.json", "/tsconfig.app.json", "/.vscode/settings.json", "/a.jsonc"] {
            assert_eq!(lint_as(name, text), [], "{name}");
            assert_eq!(format(&Input::new(Path::new(name), text)).unwrap(), None);
        }
        assert_eq!(lint_as("/tsconfig.json", "{'a': 1}"), [(1, 2)]);
        assert!(!allows_comments(Path::new("/tsconfigs.json")));
    }

    #[test]
    fn keys_that_are_there_twice_are_found() {
        let of = |text: &str| {
            let found = lint(&Input::new(Path::new("/a.json"), text)).unwrap();
            found.into_iter().map(|found| format!("{}:{} ", found.line, found.column)).collect::<String>()
        };
        assert_eq!(of("{\"a\": 1,\n \"b\": {\"a\": 1},\n \"a\": 2}\n"), "3:2 ");
        assert_eq!(of("[{\"a\": 1}, {\"a\": 1, \"a\": 2}]\n"), "1:21 ");
        assert_eq!(of("{\"//\": 1, \"//\": 2, \"_comment\": 1, \"_comment\": 2}\n"), "", "remarks");
    }

    #[test]
    fn the_printer_changes_white_space_only() {
        let print = |text: &str| format(&Input::new(Path::new("/a.json"), text)).unwrap();
        assert_eq!(
            print(r#"{"b":1.50,"a":[1, {} ,[ ]],"c":"x\"{,\u00e9"}"#).as_deref(),
            Some(
                "{\n  \"b\": 1.50,\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"c\": \"x\\\"{,\\u00e9\"\n}\n"
            )
        );
        assert_eq!(print("{\r\n\"a\":1}").as_deref(), Some("{\r\n  \"a\": 1\r\n}\r\n"));
        assert_eq!(print("{\n  \"a\": 1\n}\n"), None);
        for own in ["{\n    \"a\": {\n        \"b\": 1\n    }\n}\n", "{\n\t\"a\": 1\n}\n"] {
            assert_eq!(print(own), None);
        }
        assert_eq!(print("{\n\t\"a\":1}").as_deref(), Some("{\n\t\"a\": 1\n}\n"));
        assert_eq!(
            print("{\n    \"a\": 1,\n   \"b\": 2\n}\n").as_deref(),
            Some("{\n  \"a\": 1,\n  \"b\": 2\n}\n")
        );
        assert_eq!(print("{"), None);
        assert_eq!(print(" 12345678901234567890123 ").as_deref(), Some("12345678901234567890123\n"));
    }
}
