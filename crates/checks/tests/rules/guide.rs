//! Every rule in the guide keeps its cases, as they are and in all wrappers, and nothing is odd about it.

use checks::rules::{Written, parse, test};
use model::rule::Author;

/// The guide's rules, block by block.
fn blocks() -> Vec<Written> {
    let guide = include_str!("../../../../docs/guide/rules.md");
    let blocks = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let read =
        |text: &str| parse(text, Author::User, "rules.md").unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    blocks.flat_map(read).collect()
}

#[test]
fn ten_policies_hold() {
    let written = blocks();
    assert!(written.len() >= 10, "{}", written.len());
    let mut failures = Vec::new();
    let mut run = 0;
    for one in &written {
        let outcome = test::whole(one);
        run += outcome.run;
        failures.extend(
            outcome
                .failures
                .iter()
                .map(|failed| format!("{}: {}: {}", one.rule.id, failed.text, failed.case)),
        );
        failures.extend(test::oddities(one).into_iter().map(|odd| format!("{}: {odd}", one.rule.id)));
    }
    assert!(failures.is_empty(), "{} of {run}\n{}", failures.len(), failures.join("\n"));
    assert!(run > 500, "{run}");
}
