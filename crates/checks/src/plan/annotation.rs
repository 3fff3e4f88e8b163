//! Decisions in code: `@decision ID` blocks in comments, and `# DECISION: …` in one line.

use model::Digest;

use super::ids::ids;

/// One decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Without one, it cannot be compared with the plan.
    pub id: Option<String>,
    pub title: String,
    pub status: String,
    pub has_rationale: bool,
    /// From 1.
    pub line: usize,
}

impl Annotation {
    /// It no longer stands, so no plan need know of it.
    pub fn is_retired(&self) -> bool {
        ["deprecated", "superseded"].iter().any(|word| self.status.eq_ignore_ascii_case(word))
    }
}

/// How far after its first line a block may say more.
const BLOCK: usize = 20;

/// A text without any of these has no decision in it.
const MARKS: &[&str] = &["@decision", "DECISION"];

/// What an audit of all decisions wants to know of a file: a word for each, its id or a dash, with an exclamation mark where it no longer
/// stands.
pub static DECISIONS: Digest = Digest { name: "decisions-1", of: digest };

fn digest(text: &str) -> Option<String> {
    let word = |decision: Annotation| {
        let retired = if decision.is_retired() { "!" } else { "" };
        format!("{}{retired}", decision.id.as_deref().unwrap_or("-"))
    };
    let words: Vec<String> = annotations(text).into_iter().map(word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The decisions of such a digest, without what it leaves out.
pub fn from_digest(said: &str) -> impl Iterator<Item = Annotation> + '_ {
    said.split(' ').map(|word| {
        let (id, retired) = word.strip_suffix('!').map_or((word, false), |id| (id, true));
        Annotation {
            id: (id != "-").then(|| id.to_owned()),
            status: if retired { "deprecated".into() } else { String::new() },
            ..Annotation::default()
        }
    })
}

/// Whether there is any decision in the text. Cheap: most files have none.
pub fn has_decision(text: &str) -> bool {
    text.contains("@decision") || text.lines().any(|line| inline(line).is_some())
}

/// All decisions in a text.
pub fn annotations(text: &str) -> Vec<Annotation> {
    if !MARKS.iter().any(|mark| text.contains(mark)) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(rest) = tag(line, "@decision") {
            found.push(block(rest, index, &lines));
        } else if let Some(rest) = inline(line) {
            let status = after(rest, "Status:")
                .and_then(|text| text.split(['.', ' ', ',']).find(|word| !word.is_empty()));
            found.push(Annotation {
                id: ids("DEC-", line).into_iter().next().map(|id| id.text),
                title: rest.split(". ").next().unwrap_or_default().trim().to_owned(),
                status: status.unwrap_or_default().to_owned(),
                has_rationale: after(rest, "Rationale:").is_some(),
                line: index + 1,
            });
        }
    }
    found
}

fn block(rest: &str, index: usize, lines: &[&str]) -> Annotation {
    let mut found = Annotation {
        id: ids("DEC-", rest).into_iter().next().map(|id| id.text),
        line: index + 1,
        ..Annotation::default()
    };
    for line in lines.iter().skip(index + 1).take(BLOCK) {
        if line.contains("@decision") {
            break;
        }
        if let Some(text) = tag(line, "@title") {
            text.clone_into(&mut found.title);
        } else if let Some(text) = tag(line, "@status") {
            text.split_whitespace().next().unwrap_or_default().clone_into(&mut found.status);
        }
        found.has_rationale |= tag(line, "@rationale").is_some() || line.contains("Rationale:");
    }
    found
}

/// What follows a tag, where the line has it as a word of its own. A mention inside a string or a sentence in backticks is none.
fn tag<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let at = line.find(name)?;
    let before = line[..at].trim_end();
    let opens = before.is_empty() || before.ends_with(['*', '/', '#', '!', ';', '-', '"', '\'', '%']);
    let rest = &line[at + name.len()..];
    (opens && rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ':'))
        .then(|| rest.trim_start_matches(':').trim())
}

/// What follows `# DECISION:`, `// DECISION:` or `// DECISION(ID):`.
fn inline(line: &str) -> Option<&str> {
    let at = line.find("DECISION")?;
    let before = line[..at].trim_end();
    let rest = &line[at + "DECISION".len()..];
    let comment = before.ends_with(['#', '*']) || before.ends_with("//") || before.ends_with("--");
    (comment && rest.starts_with([':', '('])).then(|| rest[1..].trim())
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.find(mark).map(|at| &text[at + mark.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_keeps_what_an_audit_asks() {
        let text = "# @decision DEC-A1-001\n# @status superseded\n# @decision DEC-B1-002\n# DECISION: x. Rationale: y. Status: accepted.\n";
        let said = digest(text).unwrap();
        assert_eq!(said, "DEC-A1-001! DEC-B1-002 -");
        let asked = |all: Vec<Annotation>| -> Vec<(Option<String>, bool)> {
            all.into_iter().map(|one| (one.id.clone(), one.is_retired())).collect()
        };
        assert_eq!(asked(from_digest(&said).collect()), asked(annotations(text)));
        assert_eq!(digest("x = 1\n"), None);
    }

    #[test]
    fn blocks_and_single_lines_are_read() {
        let text = "/**\r\n * @decision DEC-AUTH-001\r\n * @title Tokens\r\n * @status superseded\r\n * @rationale short\r\n */\r\n\
                    # DECISION: Use files. Rationale: simple. Status: accepted.\r\n// DECISION(DEC-IO-002): later\r\n";
        let found = annotations(text);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].id.as_deref(), Some("DEC-AUTH-001"));
        assert_eq!(
            (found[0].title.as_str(), found[0].is_retired(), found[0].has_rationale, found[0].line),
            ("Tokens", true, true, 2)
        );
        assert_eq!(
            (found[1].id.clone(), found[1].has_rationale, found[1].status.as_str()),
            (None, true, "accepted")
        );
        assert_eq!((found[2].id.as_deref(), found[2].has_rationale), (Some("DEC-IO-002"), false));
    }

    #[test]
    fn a_python_docstring_is_a_block() {
        let found = annotations(
            "\"\"\"\nStore.\n\n@decision DEC-DB-001\n@title One file\n@rationale\n  It is small.\n\"\"\"\n",
        );
        assert_eq!((found.len(), found[0].title.as_str(), found[0].has_rationale), (1, "One file", true));
    }

    #[test]
    fn mentions_are_no_decisions() {
        for text in [
            "say(\"see @decision in docs\")",
            "// the @decisions of others",
            "const DECISION: u8 = 1;",
            "x = 'DECISION:'",
        ] {
            assert_eq!(annotations(text), [], "{text}");
        }
        assert!(
            has_decision("# DECISION: x") && has_decision("@decision DEC-A-1") && !has_decision("decision")
        );
    }
}
