//! One fault that two linters know, each by a rule of its own, is told once.

use model::Violation;

/// Without what was said already, by another linter or by the engine in its place.
pub(crate) fn once(violations: Vec<Violation>) -> Vec<Violation> {
    let mut told: Vec<Violation> = Vec::new();
    for found in violations {
        if !told.iter().any(|other| same_fault(other, &found)) {
            told.push(found);
        }
    }
    told
}

/// Whether two findings of different linters are about one fault.
pub(super) fn same_fault(one: &Violation, other: &Violation) -> bool {
    if one.file != other.file {
        return false;
    }
    if (one.linter, one.built_in) == (other.linter, other.built_in) {
        // In the same words at the same place, under several rules: each names a part of one construct that is broken.
        return (one.line, one.column) == (other.line, other.column)
            && one.message == other.message
            && one.code != other.code;
    }
    let same_rule = one.code == other.code && one.column == other.column;
    let same_kind = kind(one).is_some_and(|kind_of_one| kind(other) == Some(kind_of_one));
    if one.line == other.line {
        return same_rule || same_kind;
    }
    // Of an import over several lines one names the line of the name, the other that of the statement.
    kind(one) == Some("unused import") && same_kind && name(one).is_some() && name(one) == name(other)
}

/// What several linters find, each under a rule of its own.
fn kind(found: &Violation) -> Option<&'static str> {
    match (found.code.as_str(), found.linter) {
        _ if linters::is_syntax(found) => Some("syntax"),
        ("F401", _) => Some("unused import"),
        ("F841", _) => Some("unused variable"),
        ("F821" | "unresolved-reference", _) => Some("undefined name"),
        ("VULTURE", _) if found.message.starts_with("unused import") => Some("unused import"),
        ("VULTURE", _) if found.message.starts_with("unused variable") => Some("unused variable"),
        _ => None,
    }
}

/// The name that a message is about: the last part of what it has in quotes.
pub(super) fn name(found: &Violation) -> Option<&str> {
    let quoted = found.message.split(['`', '\'']).nth(1)?;
    quoted.rsplit('.').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(linter: &'static str, line: u32, code: &str, message: &str) -> Violation {
        Violation {
            file: "a.py".into(),
            line,
            column: 1,
            code: code.into(),
            message: message.into(),
            linter,
            built_in: false,
        }
    }

    #[test]
    fn a_fault_is_told_once() {
        let unused = found("ruff", 3, "F401", "`os.path` imported but unused");
        let vulture = found("vulture", 1, "VULTURE", "unused import 'path' (90% confidence)");
        let undefined = found("ruff", 7, "F821", "Undefined name `x`");
        let ty = found("ty", 7, "unresolved-reference", "Name `x` used when not defined");
        let built_in = Violation { built_in: true, ..undefined.clone() };
        let all = vec![unused.clone(), undefined.clone(), vulture, ty, built_in];
        assert_eq!(once(all), [unused, undefined]);
    }

    #[test]
    fn a_broken_construct_is_told_once_at_each_end() {
        let rules = |line: u32, rules: [&'static str; 2]| {
            rules.map(|rule| found("shellcheck", line, rule, "expected command"))
        };
        let all = [rules(3, ["SC1046", "SC1073"]), rules(9, ["SC1047", "SC1072"])].concat();
        assert_eq!(once(all.clone()), [all[0].clone(), all[2].clone()]);
    }

    #[test]
    fn what_differs_is_told() {
        let all = vec![
            found("ruff", 3, "F401", "`os` imported but unused"),
            found("vulture", 4, "VULTURE", "unused import 'sys' (90% confidence)"),
            found("vulture", 3, "VULTURE", "unused function 'f' (60% confidence)"),
            found("ruff", 3, "F841", "Local variable `x` is assigned to but never used"),
        ];
        assert_eq!(once(all.clone()), all);
    }
}
