//! Which lines of an edit have made a finding that shows elsewhere: a use of what they took away, a bracket whose other side is gone.

use linters::{Altered, Touched};
use model::{Since, Violation};

use super::same::name;

/// `None` for what lies on lines of the edit itself.
pub(super) fn of(found: &Violation, touched: &Touched, before: &str, after: &str) -> Option<Since> {
    if touched.has(found.line) {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let altered = touched.altered(old.len());
    let word = name(found).filter(|word| word.chars().all(is_of_word));
    let names = |line: &str| word.is_some_and(|word| has_word(line, word));
    let of_name: Vec<&Altered> = altered
        .iter()
        .filter(|part| {
            old[part.before.clone()].iter().chain(&new[part.after.clone()]).any(|line| names(line))
        })
        .collect();
    let candidates = if of_name.is_empty() { altered.iter().collect() } else { of_name };
    // A reader stumbles below what is wrong, not above it.
    let at = usize::try_from(found.line).unwrap_or(usize::MAX).saturating_sub(1);
    let part = candidates.iter().rfind(|part| part.after.start <= at).or(candidates.first())?;
    let named = part.after.clone().find(|line| names(new[*line]));
    let line = named.unwrap_or(part.after.start).min(new.len().saturating_sub(1));
    Some(Since { line: u32::try_from(line + 1).ok()?, removed: part.after.is_empty() })
}

fn is_of_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn has_word(line: &str, word: &str) -> bool {
    !word.is_empty() && line.split(|c| !is_of_word(c)).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(before: &str, after: &str, line: u32, message: &str) -> Option<(u32, bool)> {
        let found = Violation {
            file: "a.py".into(),
            line,
            column: 1,
            code: "F821".into(),
            message: message.into(),
            linter: "ruff",
            built_in: false,
        };
        let since = of(&found, &Touched::between(before, after), before, after)?;
        Some((since.line, since.removed))
    }

    #[test]
    fn the_change_that_took_the_name_away_is_found() {
        let before = "import os\nimport sys\n\na = 1\nb = os.name\n";
        let gone = before.replace("import os\n", "");
        assert_eq!(since(before, &gone, 4, "Undefined name `os`"), Some((1, true)));
        // Of two changes the one that has the name, though the other is nearer.
        let both = gone.replace("a = 1", "a = 2");
        assert_eq!(since(before, &both, 4, "Undefined name `os`"), Some((1, true)));
        assert_eq!(since(before, &both, 4, "Something else"), Some((3, false)));
        assert_eq!(since(before, &both, 3, "Undefined name `a`"), None, "a line of the edit");
    }

    #[test]
    fn a_fault_below_is_that_of_the_last_change_above_it() {
        let before = "f(1)\ng(2)\nh(3)\ni(4)\n";
        let after = "f(1\ng(2)\nh(3)\ni(5)\n";
        assert_eq!(since(before, after, 3, "unexpected token"), Some((1, false)));
        assert_eq!(since(before, "g(2)\nh(3)\n", 99, "unexpected end"), Some((2, true)), "within the text");
        assert_eq!(since("x\n", "", 1, "empty"), Some((1, true)));
    }

    #[test]
    fn the_line_with_the_name_is_told() {
        let before = "const a = 1;\nuse(a);\n";
        let after = "const a = 1;\nuse(a);\n\nlet b = 2;\nlet a = 3;\n";
        assert_eq!(since(before, after, 1, "Identifier `a` has already been declared"), Some((5, false)));
    }
}
