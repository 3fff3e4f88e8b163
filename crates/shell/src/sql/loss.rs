//! Statements that change or destroy.

use super::constants::is_always_true;
use super::tokens::Token;
use super::{Act, Reader};
use crate::programs::kind::is_for_tests;

impl Reader {
    /// What the word at `at` does, where it is a verb.
    pub(super) fn verb(&mut self, tokens: &[Token], at: usize, taken_back: bool) {
        let word = |index: usize| tokens.get(index).map_or("", Token::word);
        let before = if at == 0 { "" } else { word(at - 1) };
        let first = word(0);
        let is_verb = !matches!(
            before,
            "ON" | "FOR" | "OR" | "BEFORE" | "AFTER" | "INSTEAD" | "GRANT" | "AS" | "." | "SELECT" | "BY"
        );
        match word(at) {
            "DROP" if is_verb => self.drops(tokens, at),
            "TRUNCATE"
                if is_verb
                    && tokens.get(at + 1).is_some_and(|t| *t != Token::Sign('('))
                    && !word(at + 1).is_empty() =>
            {
                self.destroys("run TRUNCATE", false);
            }
            "DELETE" if is_verb && before != "DETACH" && first != "MATCH" => {
                let from = word(at + 1) == "FROM"
                    || at == 0 && !word(1).is_empty()
                    || before == "THEN" && word(at + 1).is_empty();
                let clickhouse = first == "ALTER" && word(at + 1) == "WHERE";
                let merges = tokens.iter().any(|t| t.is("MERGE"));
                if (from || clickhouse) && !merges {
                    self.rows(tokens, at, "delete every row of a table", taken_back);
                }
            }
            "UPDATE"
                if is_verb
                    && !matches!(before, "DO" | "KEY")
                    && word(at + 1) != "SET"
                    && !word(at + 1).is_empty()
                    && tokens[at..].iter().any(|t| t.is("SET")) =>
            {
                self.rows(tokens, at, "change every row of a table", taken_back);
            }
            // Cypher: every node, or every one of a kind.
            "MATCH" if at == 0 => {
                let deletes = tokens.iter().any(|t| t.is("DELETE"));
                let narrowed = tokens.iter().any(|t| t.is("WHERE") || *t == Token::Sign('{'));
                match deletes {
                    true if !narrowed => self.destroys("delete every node of a graph", false),
                    true => self.add(Act::Changes),
                    false => {}
                }
            }
            "FLUSHALL" | "FLUSHDB" if at == 0 => self.destroys("empty a database", false),
            "RESET" if at == 0 && matches!(word(1), "MASTER" | "BINARY") => {
                self.destroys("remove a database's journal", false);
            }
            "PURGE" if at == 0 && matches!(word(1), "BINARY" | "MASTER") => {
                self.destroys("remove a database's journal", false);
            }
            _ => {}
        }
    }

    pub(super) fn drops(&mut self, tokens: &[Token], at: usize) {
        const KINDS: &[&str] = &[
            "DATABASE",
            "TABLE",
            "SCHEMA",
            "TABLESPACE",
            "KEYSPACE",
            "COLLECTION",
            "USER",
            "ROLE",
            "OWNED",
            "WAREHOUSE",
            "MEASUREMENT",
            "SERIES",
            "BUCKET",
            "STREAM",
            "TOPIC",
            "CATALOG",
            "DICTIONARY",
            "GRAPH",
            "DATASET",
            "TABLES",
            "LOGIN",
        ];
        const PARTS: &[&str] = &[
            "CONSTRAINT",
            "INDEX",
            "KEY",
            "PRIMARY",
            "FOREIGN",
            "DEFAULT",
            "NOT",
            "EXPRESSION",
            "IDENTITY",
            "CHECK",
            "TRIGGER",
            "PROJECTION",
        ];
        let words: Vec<&str> = tokens[at + 1..].iter().map(Token::word).filter(|w| !w.is_empty()).collect();
        let skip = words
            .iter()
            .take_while(|w| matches!(**w, "FOREIGN" | "EXTERNAL" | "EDGE" | "VERTEX" | "IF" | "EXISTS"));
        let kind = words.get(skip.count()).copied().unwrap_or_default();
        if tokens[0].is("ALTER") {
            let column = words.first().is_some_and(|word| !PARTS.contains(word) && !KINDS.contains(word));
            if column || words.first().is_some_and(|w| *w == "PARTITION") {
                self.destroys("drop a column", false);
            }
            return;
        }
        if words.first().is_some_and(|w| matches!(*w, "TEMP" | "TEMPORARY")) || !KINDS.contains(&kind) {
            return;
        }
        let names: Vec<&str> = words
            .iter()
            .skip_while(|w| **w != kind)
            .skip(1)
            .copied()
            .filter(|w| !matches!(*w, "IF" | "EXISTS" | "CASCADE" | "RESTRICT" | "FORCE" | "WITH" | "PURGE"))
            .collect();
        if kind == "TABLE"
            && !names.is_empty()
            && names.iter().all(|name| self.made.iter().any(|made| made == name))
        {
            return self.add(Act::Changes);
        }
        let whole = matches!(kind, "DATABASE" | "SCHEMA" | "KEYSPACE");
        let for_tests = whole && !names.is_empty() && names.iter().all(|name| is_for_tests(name));
        self.destroys(format!("run DROP {kind}"), for_tests);
    }

    /// A verb for rows: is there something that says which?
    pub(super) fn rows(&mut self, tokens: &[Token], at: usize, what: &str, taken_back: bool) {
        let mut depth = 0_i32;
        let mut end = tokens.len();
        for (index, token) in tokens.iter().enumerate().skip(at) {
            depth += match token {
                Token::Sign('(') => 1,
                Token::Sign(')') => -1,
                _ => 0,
            };
            if depth < 0 {
                end = index;
                break;
            }
        }
        let own = &tokens[at..end];
        let condition =
            own.iter().position(|t| t.is("WHERE") || t.is("ON") && own.iter().any(|t| t.is("JOIN")));
        let stops = ["RETURNING", "ORDER", "LIMIT", "GROUP", "OPTION"];
        let narrowed = condition.is_some_and(|from| {
            let rest = &own[from + 1..];
            let until = rest.iter().position(|t| stops.iter().any(|w| t.is(w))).unwrap_or(rest.len());
            !is_always_true(&rest[..until])
        });
        let few = own.iter().any(|t| t.is("LIMIT") || t.is("TOP"));
        if narrowed || few || taken_back {
            self.add(Act::Changes);
        } else {
            self.destroys(what, false);
        }
    }
}
