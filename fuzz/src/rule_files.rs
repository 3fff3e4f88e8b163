//! Files of rules: any text is rules or a mistake with a line, what was read is the same after it was kept, and matching ends. Rules of a
//! project never make a refusal less.

use checks::cases::{Table, shell_event};
use checks::rules::import::{From, import};
use checks::rules::{Matched, found, found_by_trying_all, parse};
use checks::{Context, Options, run};
use model::rule::{Author, Book, Key, Rule};
use model::{Config, Decision};

/// Commands that are refused without any rule, and one that is nothing.
const COMMANDS: &[&str] = &["rm -rf /", "git push --force origin main", "ls -la"];

pub fn rule_files(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for from in [From::ClaudeCode, From::Codex, From::CcSafetyNet] {
        // What comes of it is read by us again, there.
        let _ = import(from, &text, "team");
    }
    if let Some(book) = Book::from_bytes(bytes.to_vec(), 0) {
        let mut found = Vec::new();
        book.about(Key::AnyProgram, &mut found);
        for number in found {
            let _ = book.rule(number);
        }
    }
    let rules: Vec<Rule> = match parse(&text, Author::Project, "rules.toml") {
        Ok(written) => written.into_iter().map(|one| one.rule).collect(),
        Err(fault) => {
            assert!(!fault.text.is_empty(), "a mistake without words");
            return;
        }
    };
    let book = Book::new(&rules);
    let kept = Book::from_bytes(book.as_bytes().to_vec(), 0).expect("what was made is read again");
    assert!(
        rules.iter().zip(0..).all(|(rule, number)| kept.rule(number).as_ref() == Some(rule)),
        "another rule"
    );
    assert_eq!(kept.is_empty(), rules.is_empty(), "a rule that is looked up by nothing");
    let config = Config::default();
    for command in COMMANDS {
        let event = shell_event(command);
        assert_eq!(
            ids(found(&event, &Table::default(), &config, &book)),
            ids(found_by_trying_all(&event, &Table::default(), &config, &book)),
            "{command}: the index has lost a rule"
        );
        let table = Table::default().with_rules(Book::new(&rules));
        let verdict = run(&shell_event(command), &Context::new(&config, &table), &Options::default()).verdict;
        let refused = *command != "ls -la";
        // Words that a trusted rule writes otherwise are another command.
        let rewrites = rules.iter().any(|rule| !rule.rewrite.is_empty());
        assert!(
            !refused || rewrites || verdict.decision == Decision::Deny,
            "{command} is {}",
            verdict.decision
        );
    }
}

fn ids(found: Vec<Matched>) -> Vec<String> {
    found.into_iter().map(|one| format!("{} {:?} {:?}", one.rule.id, one.fit, one.call)).collect()
}
