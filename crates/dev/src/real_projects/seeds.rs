//! Faults that are put on new lines: each does not parse, names what is not there, or fails whenever it runs; or breaks a rule that the
//! project itself has chosen.

use linters::Language;

/// One kind of fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed {
    pub(crate) kind: &'static str,
    pub(crate) language: Language,
    /// Extensions that it is for; all of the language where none is named.
    extensions: &'static [&'static str],
    place: Place,
    lines: &'static str,
    /// Only where the project has chosen this linter with its usual rules.
    pub(crate) chosen: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    End,
    /// After the first line with this in it.
    After(&'static str),
}

const fn at_end(kind: &'static str, language: Language, lines: &'static str) -> Seed {
    Seed { kind, language, extensions: &[], place: Place::End, lines, chosen: None }
}

const fn script(kind: &'static str, lines: &'static str) -> Seed {
    let extensions = &["js", "mjs", "ts", "tsx", "jsx"];
    Seed { kind, language: Language::TypeScript, extensions, place: Place::End, lines, chosen: None }
}

const fn json(kind: &'static str, lines: &'static str) -> Seed {
    Seed {
        kind,
        language: Language::Json,
        extensions: &["json"],
        place: Place::After("{"),
        lines,
        chosen: None,
    }
}

use Language::{Dockerfile, Python, Shell, Toml, Yaml};

pub(crate) static SEEDS: &[Seed] = &[
    at_end("undefined name", Python, "\n\ndef seeded_one():\n    return not_defined_anywhere\n"),
    at_end("undefined name in a call", Python, "\n\ndef seeded_two(value):\n    return lenght(value)\n"),
    at_end("missing colon", Python, "\n\ndef seeded_three()\n    return 1\n"),
    at_end("open parenthesis", Python, "\n\nSEEDED = (1, 2\n"),
    at_end("open string", Python, "\n\nSEEDED = 'open\n"),
    at_end("wrong indentation", Python, "\n\ndef seeded_four():\n    a = 1\n      b = 2\n    return a\n"),
    at_end("return outside of a function", Python, "\n\nreturn 1\n"),
    at_end("break outside of a loop", Python, "\n\ndef seeded_five():\n    break\n"),
    at_end("argument given twice", Python, "\n\ndef seeded_six(a, a):\n    return a\n"),
    at_end("too few values for %", Python, "\n\nSEEDED = '%s %s' % (1,)\n"),
    at_end("missing value for format", Python, "\n\nSEEDED = '{} {}'.format(1)\n"),
    at_end("NotImplemented raised", Python, "\n\ndef seeded_seven():\n    raise NotImplemented\n"),
    at_end(
        "local before assignment",
        Python,
        "\n\nSEEDED = 1\n\n\ndef seeded_eight():\n    print(SEEDED)\n    SEEDED = 2\n    return SEEDED\n",
    ),
    at_end("open f-string", Python, "\n\nSEEDED = f'{1'\n"),
    at_end("if without fi", Shell, "\nif true; then\n  echo seeded\n"),
    at_end("loop without done", Shell, "\nfor seeded in 1 2; do\n  echo \"$seeded\"\n"),
    at_end("open quote", Shell, "\necho \"seeded\n"),
    at_end("fi without if", Shell, "\nfi\n"),
    at_end("open substitution", Shell, "\nseeded=$(date\n"),
    at_end("open brace", Shell, "\nseeded() {\n  echo 1\n"),
    at_end("key given twice", Yaml, "\nseeded_key: 1\nseeded_key: 2\n"),
    at_end("open list", Yaml, "\nseeded_list: [1, 2\n"),
    at_end("tab in YAML", Yaml, "\nseeded_tab:\n\tvalue: 1\n"),
    at_end("open quote in YAML", Yaml, "\nseeded_text: \"open\n"),
    at_end("missing value in TOML", Toml, "\nseeded =\n"),
    at_end("key given twice in TOML", Toml, "\n[seeded]\na = 1\na = 2\n"),
    at_end("open string in TOML", Toml, "\n[seeded]\na = \"open\n"),
    json("missing value in JSON", "\"seeded\": ,\n"),
    json("key without quotes", "seeded: 1,\n"),
    json("missing comma", "\"seeded\": 1\n"),
    script("open function", "\nfunction seeded() {\n"),
    script("open parenthesis in JavaScript", "\nconst seeded = (1 + 2;\n"),
    script("declared twice", "\nlet seeded = 1;\nlet seeded = 2;\n"),
    script("missing operand", "\nconst seeded = 1 + ;\n"),
    at_end("unknown instruction", Dockerfile, "\nRUNN echo seeded\n"),
    Seed {
        kind: "unused variable, by the project's ruff",
        language: Python,
        extensions: &["py"],
        place: Place::End,
        lines: "\n\ndef seeded_nine():\n    seeded = 1\n    return 2\n",
        chosen: Some("ruff"),
    },
];

impl Seed {
    pub(crate) fn is_for(&self, language: Language, extension: &str) -> bool {
        // What stands in a stub never runs.
        let stub = extension == "pyi";
        self.language == language
            && !stub
            && (self.extensions.is_empty() || self.extensions.contains(&extension))
    }

    /// The text with the fault in it, where it has a place for it.
    pub(crate) fn plant(&self, text: &str) -> Option<String> {
        match self.place {
            Place::End => {
                let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
                Some(format!("{text}{end}{}", self.lines))
            }
            Place::After(mark) => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let at = lines.iter().position(|line| line.trim_end() == mark)?;
                lines.insert(at + 1, self.lines);
                Some(lines.concat())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_enough_kinds() {
        let mut kinds: Vec<&str> = SEEDS.iter().map(|seed| seed.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() == SEEDS.len() && kinds.len() >= 30, "{}", kinds.len());
    }
}
