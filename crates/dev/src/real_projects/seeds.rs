//! Faults that are put on new lines: each does not parse, names what is not there, or fails whenever it runs; or breaks a rule that the
//! project itself has chosen.

use std::path::Path;

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

/// After the first line that is nothing but an opening brace.
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

use Language::{Dockerfile, Python, Rust, Shell, Toml, Yaml};

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
    at_end("continue outside of a loop", Python, "\n\ndef seeded_ten():\n    continue\n"),
    at_end("yield outside of a function", Python, "\n\nyield 1\n"),
    at_end(
        "await in an ordinary function",
        Python,
        "\n\ndef seeded_eleven(value):\n    return await value\n",
    ),
    at_end("nonlocal in a module", Python, "\n\nnonlocal SEEDED\n"),
    at_end(
        "parameter without a default after one with",
        Python,
        "\n\ndef seeded_twelve(a=1, b):\n    return a\n",
    ),
    at_end("keyword given twice", Python, "\n\nSEEDED = dict(a=1, a=2)\n"),
    at_end("assignment to a literal", Python, "\n\n1 = SEEDED\n"),
    at_end("bracket that nothing opens", Python, "\n\nSEEDED = 1)\n"),
    at_end("open text of many lines", Python, "\n\nSEEDED = \"\"\"open\n"),
    at_end(
        "except after all exceptions",
        Python,
        "\n\ntry:\n    SEEDED = 1\nexcept:\n    SEEDED = 2\nexcept ValueError:\n    SEEDED = 3\n",
    ),
    at_end("name missing for format", Python, "\n\nSEEDED = '{name}'.format(other=1)\n"),
    at_end(
        "undefined decorator",
        Python,
        "\n\n@not_defined_anywhere\ndef seeded_thirteen():\n    return 1\n",
    ),
    at_end("undefined base class", Python, "\n\nclass Seeded(NotDefinedAnywhere):\n    pass\n"),
    at_end(
        "undefined name in an f-string",
        Python,
        "\n\ndef seeded_fourteen():\n    return f'{not_defined_anywhere}'\n",
    ),
    at_end("print as a statement", Python, "\n\nprint 'seeded'\n"),
    at_end("if without fi", Shell, "\nif true; then\n  echo seeded\n"),
    at_end("loop without done", Shell, "\nfor seeded in 1 2; do\n  echo \"$seeded\"\n"),
    at_end("open quote", Shell, "\necho \"seeded\n"),
    at_end("fi without if", Shell, "\nfi\n"),
    at_end("open substitution", Shell, "\nseeded=$(date\n"),
    at_end("open brace", Shell, "\nseeded() {\n  echo 1\n"),
    at_end("case without esac", Shell, "\ncase $1 in\n  a) echo 1 ;;\n"),
    at_end("if without then", Shell, "\nif true\n  echo seeded\nfi\n"),
    at_end("else without if", Shell, "\nelse\n  echo seeded\nfi\n"),
    at_end("while without do", Shell, "\nwhile true\n  echo seeded\ndone\n"),
    at_end("bracket that nothing opens in a script", Shell, "\necho seeded )\n"),
    at_end("test without its end", Shell, "\nif [[ -n \"$1\" ; then\n  echo seeded\nfi\n"),
    at_end("blanks around an assignment", Shell, "\nseeded = 1\n"),
    at_end("sign of a variable that is assigned to", Shell, "\n$seeded=1\n"),
    at_end("blanks around an addition", Shell, "\nseeded += 1\n"),
    at_end("local outside of a function", Shell, "\nlocal seeded=1\n"),
    at_end("key given twice", Yaml, "\nseeded_key: 1\nseeded_key: 2\n"),
    at_end("open list", Yaml, "\nseeded_list: [1, 2\n"),
    at_end("tab in YAML", Yaml, "\nseeded_tab:\n\tvalue: 1\n"),
    at_end("open quote in YAML", Yaml, "\nseeded_text: \"open\n"),
    at_end("alias that nothing names", Yaml, "\nseeded_alias: *nowhere_at_all\n"),
    at_end("mapping within a line", Yaml, "\nseeded_value: one: two\n"),
    at_end("open mapping", Yaml, "\nseeded_map: {a: 1\n"),
    at_end("bracket that nothing opens in YAML", Yaml, "\nseeded_end: ]\n"),
    at_end("missing value in TOML", Toml, "\nseeded =\n"),
    at_end("key given twice in TOML", Toml, "\n[seeded]\na = 1\na = 2\n"),
    at_end("open string in TOML", Toml, "\n[seeded]\na = \"open\n"),
    at_end("table given twice in TOML", Toml, "\n[seeded_table]\na = 1\n[seeded_table]\nb = 1\n"),
    at_end("text without quotes in TOML", Toml, "\n[seeded]\na = open\n"),
    at_end("open list in TOML", Toml, "\n[seeded]\na = [1, 2\n"),
    json("missing value in JSON", "\"seeded\": ,\n"),
    json("key without quotes", "seeded: 1,\n"),
    json("missing comma", "\"seeded\": 1\n"),
    json("single quotes in JSON", "'seeded': 1,\n"),
    json("two commas", "\"seeded\": 1,,\n"),
    json("key given twice in JSON", "\"seeded\": 1, \"seeded\": 2,\n"),
    json("open text in JSON", "\"seeded: 1,\n"),
    Seed { place: Place::End, ..json("text after the end of JSON", "}\n") },
    script("open function", "\nfunction seeded() {\n"),
    script("open parenthesis in JavaScript", "\nconst seeded = (1 + 2;\n"),
    script("declared twice", "\nlet seeded = 1;\nlet seeded = 2;\n"),
    script("missing operand", "\nconst seeded = 1 + ;\n"),
    script("constant without a value", "\nconst seeded;\n"),
    script("constant that is assigned to", "\nconst seeded = 1;\nseeded = 2;\n"),
    script("open text in JavaScript", "\nconst seeded = 'open;\n"),
    script("open template", "\nconst seeded = `open;\n"),
    script("open comment", "\n/* seeded\n"),
    script("break outside of a loop in JavaScript", "\nfunction seeded() {\n  break;\n}\n"),
    script("bracket that nothing opens in JavaScript", "\nconst seeded = [1]];\n"),
    script("pattern that is none", "\nconst seeded = /(/;\n"),
    script("two constructors", "\nclass Seeded {\n  constructor() {}\n  constructor() {}\n}\n"),
    script(
        "await in an ordinary function of JavaScript",
        "\nfunction seeded(a) {\n  const b = await a;\n  return b;\n}\n",
    ),
    at_end("missing semicolon in Rust", Rust, "\nfn seeded() {\n    let a = 1\n    let b = a;\n}\n"),
    at_end("open function in Rust", Rust, "\nfn seeded() {\n"),
    at_end("open text in Rust", Rust, "\nconst SEEDED: &str = \"open;\n"),
    at_end("missing value in Rust", Rust, "\nfn seeded() {\n    let a = ;\n}\n"),
    at_end("bracket that nothing opens in Rust", Rust, "\nfn seeded() -> Vec<u8> {\n    vec![1]]\n}\n"),
    at_end("COPY without a target", Dockerfile, "\nCOPY seeded\n"),
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

/// A file that only declares: what stands in it never runs, and it may leave out what a program needs.
pub(crate) fn is_stub(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [".pyi", ".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end))
}

impl Seed {
    pub(crate) fn is_for(&self, language: Language, file: &Path) -> bool {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        self.language == language && (self.extensions.is_empty() || self.extensions.contains(&extension))
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
