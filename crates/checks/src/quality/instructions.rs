//! The project's commands by name, from the front matter of its `CLAUDE.md`, or of what other agents read in its place: a YAML block that
//! begins on the first line.

use std::path::{Path, PathBuf};

use granit_parser::{Event, Parser};
use serde_json::{Map, Value as Json};
use thiserror::Error;

#[derive(Debug, Default)]
pub(super) struct Commands {
    file: PathBuf,
    all: Map<String, Json>,
    pub(super) problems: Vec<String>,
}

impl Commands {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.all.get(name)?.as_str().map(str::trim).filter(|command| !command.is_empty())
    }

    /// Where the file lies, which is where they are run.
    pub(super) fn dir(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    pub(super) fn place(&self) -> String {
        self.file.display().to_string()
    }
}

/// What agents read as a project's instructions, in the order in which they count in one folder.
pub const INSTRUCTIONS: &[&str] = &["CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];

/// Of the first of these texts that has any: the nearest folder's come first.
pub(super) fn find(files: impl IntoIterator<Item = (PathBuf, String)>) -> Commands {
    let mut problems = Vec::new();
    for (file, text) in files {
        let Some(block) = front_matter(&text) else { continue };
        match yaml(&block) {
            Ok(json) => match json.get("commands") {
                Some(Json::Object(all)) => {
                    for (name, value) in all.iter().filter(|(_, value)| !value.is_string()) {
                        problems.push(format!("{}: commands.{name} is not text ({value})", file.display()));
                    }
                    return Commands { file, all: all.clone(), problems };
                }
                Some(_) => {
                    problems
                        .push(format!("{}: commands is not a list of names and commands", file.display()));
                }
                None => {}
            },
            Err(error) => problems.push(format!("{}: its front matter is not YAML: {error}", file.display())),
        }
    }
    Commands { problems, ..Commands::default() }
}

/// The block between `---` on the first line and the next `---` or `...`.
fn front_matter(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let mut block = String::new();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(block);
        }
        block.push_str(line);
        block.push('\n');
    }
    // A rule that is never closed is a rule.
    None
}

/// As deep as anything sensible goes.
const DEEPEST: usize = 20;

/// Why a block has no commands to give.
#[derive(Debug, Error)]
enum BadBlock {
    #[error("{0}")]
    NotYaml(String),
    #[error("it is nested too deep")]
    TooDeep,
    #[error("aliases are not read")]
    Alias,
    #[error("it is not a list of names and values")]
    NotAMap,
}

/// YAML as JSON, every scalar as text: a command that looks like a number is still a command.
fn yaml(text: &str) -> Result<Map<String, Json>, BadBlock> {
    let mut stack: Vec<(Json, Option<String>)> = Vec::new();
    let mut top = Json::Null;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| BadBlock::NotYaml(error.to_string()))?;
        let value = match event {
            Event::Scalar(value, ..) => {
                if let Some((Json::Object(_), key @ None)) = stack.last_mut() {
                    *key = Some(value.into_owned());
                    continue;
                }
                Json::String(value.into_owned())
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                if stack.len() >= DEEPEST {
                    return Err(BadBlock::TooDeep);
                }
                let list = matches!(event, Event::SequenceStart(..));
                stack.push((if list { Json::Array(Vec::new()) } else { Json::Object(Map::new()) }, None));
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => stack.pop().map(|(value, _)| value).unwrap_or_default(),
            Event::Alias(_) => return Err(BadBlock::Alias),
            _ => continue,
        };
        match stack.last_mut() {
            None => top = value,
            Some((Json::Array(list), _)) => list.push(value),
            Some((Json::Object(map), key)) => {
                if let Some(key) = key.take() {
                    map.insert(key, value);
                }
            }
            Some(_) => {}
        }
    }
    match top {
        Json::Object(map) => Ok(map),
        Json::Null => Ok(Map::new()),
        _ => Err(BadBlock::NotAMap),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str) -> Option<String> {
        let json = yaml(&front_matter(text)?).ok()?;
        json.get("commands")?.get("test")?.as_str().map(|text| text.trim().to_owned())
    }

    /// The table of what the original's reader made of each, with what it should be.
    #[test]
    fn front_matter_is_real_yaml() {
        for (text, command) in [
            ("---\ncommands:\n  test: \"cargo test\"\n---\n", Some("cargo test")),
            ("---\ncommands:\n\n  # all of them\n  test: \"cargo test\" # c\n---\n", Some("cargo test")),
            ("---\ncommands:\n  test: cargo test\n---\n", Some("cargo test")),
            ("---\ncommands:\n  test: 'cargo test'\n---\n", Some("cargo test")),
            ("---\ncommands:\n  test: \"bash -c \\\"x\\\"\"\n---\n", Some("bash -c \"x\"")),
            ("---\ncommands:\n  test:  cargo test\n---\n", Some("cargo test")),
            (
                "---\ncommands:\n  test: |\n    cargo build\n    cargo test\n---\n",
                Some("cargo build\ncargo test"),
            ),
            ("---\ncommands:\n    test: cargo test\n---\n", Some("cargo test")),
            ("---\ncommands: {test: cargo test, check: x}\n---\n", Some("cargo test")),
            ("---\r\ncommands:\r\n  test: cargo test\r\n---\r\n", Some("cargo test")),
            ("\u{feff}---\ncommands:\n  test: cargo test\n---\n", Some("cargo test")),
            ("--- \ncommands:\n  test: cargo test\n--- \n", Some("cargo test")),
            ("---\ncommands:\n  test-unit: a\n  test: b\n---\n", Some("b")),
            ("---\ntitle: x\ncommands:\n  other: [1, {a: b}]\n  test: t\nmore: y\n---\n", Some("t")),
            // Rules in the text are not front matter, and neither is a block that is not closed.
            ("# Title\n\n---\ncommands:\n  test: rm\n---\n", None),
            ("\n---\ncommands:\n  test: rm\n---\n", None),
            ("---\ncommands:\n  test: rm\n", None),
            ("---\ncommands:\n\ttest: rm\n---\n", None),
        ] {
            assert_eq!(test(text).as_deref(), command, "{text:?}");
        }
    }

    #[test]
    fn the_first_text_that_has_commands_counts() {
        let text = |name: &str| format!("---\ncommands:\n  test: {name}\n---\n");
        let files = |list: &[(&str, &str)]| -> Vec<(PathBuf, String)> {
            list.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect()
        };
        let (near, top) = (text("near"), text("top"));
        let found = find(files(&[
            ("/p/a/CLAUDE.md", "no commands"),
            ("/p/a/AGENTS.md", &near),
            ("/p/CLAUDE.md", &top),
        ]));
        assert_eq!((found.get("test"), found.dir()), (Some("near"), Path::new("/p/a")));
        let broken = find(files(&[("/p/CLAUDE.md", "---\ncommands:\n\ttest: x\n---\n")]));
        assert!(broken.problems[0].contains("is not YAML"), "{:?}", broken.problems);
    }
}
