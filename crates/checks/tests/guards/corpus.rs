//! Every row of the corpus gets the answer it should.

use model::Decision;

use crate::judge::{is_undisturbed, judge, none, rows, said};

#[test]
fn rows_hold() {
    let rows = rows();
    for expected in ["deny", "allow"] {
        assert!(rows.iter().filter(|row| row.expected == expected).count() >= 400, "{expected}");
    }
    let mut failures = Vec::new();
    for row in rows {
        let verdict = judge(&row.command);
        let holds = match row.expected.as_str() {
            "deny" => verdict.decision == Decision::Deny,
            // Contested: a deny is right too, an approval is not.
            "ask" => verdict.decision != Decision::Allow,
            // Either will do.
            "stop" => verdict.decision >= Decision::Ask,
            "allow" => is_undisturbed(&verdict),
            other => panic!("{}: {other} is not an answer", row.id),
        };
        if !holds {
            failures.push(format!(
                "{}: expected {}, got {}: {:?}",
                row.id,
                row.expected,
                said(&verdict),
                row.command
            ));
        }
    }
    none(&failures);
}

#[test]
fn rows_are_told_apart() {
    let mut seen = std::collections::BTreeSet::new();
    for row in rows() {
        assert!(seen.insert(row.id.clone()), "{} twice", row.id);
        assert!(seen.insert(format!("\u{0}{}", row.command)), "{:?} twice", row.command);
    }
}
