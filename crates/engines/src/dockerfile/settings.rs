//! `.hadolint.yaml` and the comments in a Dockerfile that speak to hadolint.

use std::path::Path;

use ryl::yaml_dom::YamlOwned;

use crate::problem::{Outcome, Trouble};

#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) ignored: Vec<String>,
    pub(crate) trusted_registries: Vec<String>,
    /// Label and kind of value.
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) strict_labels: bool,
    /// Comments that ignore a rule have no effect.
    pub(crate) no_pragmas: bool,
}

impl Settings {
    pub(crate) fn read(file: &Path, text: &str) -> Outcome<Self> {
        let wrong = |what: &dyn std::fmt::Display| Trouble::new(format_args!("{}: {what}", file.display()));
        let documents = YamlOwned::load_from_str(text).map_err(|error| wrong(&error))?;
        let Some(document) = documents.first() else { return Ok(Settings::default()) };
        let Some(map) = document.as_mapping() else { return Err(wrong(&"not a mapping")) };
        let mut settings = Settings::default();
        for (key, value) in map {
            match key.as_str().unwrap_or_default() {
                "ignored" | "ignore" => settings.ignored = strings(value),
                "trustedRegistries" => settings.trusted_registries = strings(value),
                "strict-labels" => settings.strict_labels = value.as_bool().unwrap_or_default(),
                "disable-ignore-pragma" => settings.no_pragmas = value.as_bool().unwrap_or_default(),
                "label-schema" => {
                    let pairs = value.as_mapping().into_iter().flatten();
                    let text = |value: &YamlOwned| value.as_str().unwrap_or_default().to_owned();
                    settings.labels = pairs.map(|(label, kind)| (text(label), text(kind))).collect();
                }
                // How a report is printed and when it fails is not ours.
                _ => {}
            }
        }
        Ok(settings)
    }
}

fn strings(value: &YamlOwned) -> Vec<String> {
    let items = value.as_sequence().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// `# hadolint ignore=A,B` holds for the instruction that follows, `# hadolint global ignore=A` for the file.
#[derive(Debug, Default)]
pub(crate) struct Pragmas {
    global: Vec<String>,
    /// The line of the comment, and what it names.
    local: Vec<(u32, Vec<String>)>,
    /// `# hadolint shell=…`
    pub(crate) shell: Option<String>,
}

impl Pragmas {
    pub(crate) fn read(text: &str) -> Self {
        let mut pragmas = Pragmas::default();
        for (line, content) in (1_u32..).zip(text.lines()) {
            let Some(comment) = content.trim_start().strip_prefix('#') else { continue };
            let Some(pragma) = comment.trim().strip_prefix("hadolint ") else { continue };
            let pragma: String = pragma.split_whitespace().collect::<Vec<_>>().join(" ");
            let (global, pragma) = match pragma.strip_prefix("global ") {
                Some(rest) => (true, rest.to_owned()),
                None => (false, pragma),
            };
            let Some((key, value)) = pragma.split_once('=') else { continue };
            let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
            match (key.trim(), global) {
                ("ignore", true) => pragmas.global.extend(names),
                ("ignore", false) => pragmas.local.push((line, names)),
                ("shell", _) => pragmas.shell = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        pragmas
    }

    /// Whether a finding about the instruction on `line` is ignored; `above` is the last line before it that is not a comment.
    pub(crate) fn ignore(&self, line: u32, above: u32, code: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|name| name == code);
        named(&self.global) || self.local.iter().any(|(at, names)| (above..line).contains(at) && named(names))
    }
}
