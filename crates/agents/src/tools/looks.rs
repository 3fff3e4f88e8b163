//! What a text is, by its looks: a path, an address, a statement for a database, code of a language.

/// Longer texts are content, not names.
const LONGEST_PATH: usize = 4096;

/// Whether a text could be a path at all, where its argument says that it is one.
pub(super) fn may_be_path(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST_PATH
        && !text.contains(['\n', '\0'])
        && (is_file_address(text) || !is_address(text))
}

/// Whether a text is a path by its looks alone: from the root, from home, from here, or a hidden file's name.
pub(super) fn is_path(text: &str) -> bool {
    if !may_be_path(text) {
        return false;
    }
    let bytes = text.as_bytes();
    let from = ["/", "~/", "~\\", "./", "../", "$HOME", "${HOME}", "%USERPROFILE%", "\\\\", "file:"];
    if text == "~" || from.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    // `C:\Users`
    if bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/')
    {
        return true;
    }
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b'+' | b'*')
    };
    let hidden = bytes[0] == b'.' && bytes.len() > 2 && bytes[1].is_ascii_alphabetic();
    (hidden || text.contains('/')) && text.len() <= 512 && bytes.iter().all(|&byte| plain(byte))
}

/// A file's name and nothing else: `biome.json`.
pub(super) fn is_name(text: &str) -> bool {
    let Some((stem, ending)) = text.rsplit_once('.') else { return false };
    let plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    !stem.is_empty()
        && text.len() <= 255
        && (1..=10).contains(&ending.len())
        && plain(text)
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// `https://host`, and whatever else has a scheme.
pub(super) fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let mut letters = scheme.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && !rest.is_empty()
        && !text.contains([' ', '\n'])
}

/// The code of an address that is nothing but code: `javascript:alert(1)`.
pub(super) fn page_code(text: &str) -> Option<&str> {
    let (scheme, code) = text.trim_start().split_once(':')?;
    scheme.eq_ignore_ascii_case("javascript").then_some(code)
}

pub(super) fn is_file_address(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Words that a statement begins with.
const STATEMENTS: &[&str] = &[
    "ALTER", "ANALYZE", "BEGIN", "CALL", "COPY", "CREATE", "DECLARE", "DELETE", "DESCRIBE", "DETACH", "DROP",
    "EXEC", "EXECUTE", "EXPLAIN", "FLUSHALL", "FLUSHDB", "GRANT", "INSERT", "MATCH", "MERGE", "OPTIONAL",
    "PRAGMA", "RENAME", "REPLACE", "REVOKE", "ROLLBACK", "SELECT", "SET", "SHOW", "START", "TRUNCATE",
    "UPDATE", "USE", "VACUUM", "WITH",
];

/// Whether a text begins as a statement for a database does. Comments may come first.
pub(super) fn is_statement(text: &str) -> bool {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ';'));
    while let Some(after) = comment(rest) {
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ';'));
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let first = &rest[..end];
    // `truncate -s 0 x` is a program.
    let option = rest[end..].trim_start().starts_with('-') && !rest[end..].trim_start().starts_with("--");
    !option
        && (3..=9).contains(&first.len())
        && STATEMENTS.iter().any(|word| word.eq_ignore_ascii_case(first))
}

/// Whether a text is a statement that takes something away and nothing else: for arguments that could be anything, where words
/// about such a statement must not count.
pub(super) fn is_bare_statement(text: &str) -> bool {
    is_statement(text) && text.split(';').any(takes_away)
}

fn takes_away(piece: &str) -> bool {
    let mut rest = piece.trim_start();
    while let Some(after) = comment(rest) {
        rest = after.trim_start();
    }
    let upper = rest.to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split_whitespace()
        .filter(|word| !matches!(*word, "IF" | "EXISTS" | "ONLY" | "TABLE"))
        .collect();
    let name =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-\"`[]$,".contains(&byte));
    // After the name nothing comes, or a word of the language.
    let ends = |word: Option<&&str>| {
        word.is_none_or(|word| {
            matches!(
                *word,
                "CASCADE"
                    | "RESTRICT"
                    | "RESTART"
                    | "CONTINUE"
                    | "PURGE"
                    | "WHERE"
                    | "USING"
                    | "RETURNING"
                    | "AS"
                    | "WITH"
                    | "FORCE"
            )
        })
    };
    match words.as_slice() {
        ["DROP", "DATABASE" | "SCHEMA" | "KEYSPACE" | "COLLECTION" | "ROLE" | "USER", thing, rest @ ..]
        | ["DROP" | "TRUNCATE", thing, rest @ ..]
        | ["DELETE", "FROM", thing, rest @ ..] => name(thing) && ends(rest.first()),
        ["UPDATE", thing, "SET", ..] => name(thing),
        ["ALTER", thing, "DROP", ..] => name(thing),
        ["MATCH", ..] => words.iter().any(|word| word.trim_start_matches(')') == "DELETE"),
        ["FLUSHALL" | "FLUSHDB"] | ["FLUSHALL" | "FLUSHDB", "ASYNC" | "SYNC"] => true,
        _ => false,
    }
}

/// What comes after a comment, where a text begins with one.
fn comment(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("--") {
        return Some(rest.split_once('\n').map_or("", |(_, rest)| rest));
    }
    let rest = text.strip_prefix("/*")?;
    Some(rest.split_once("*/").map_or("", |(_, rest)| rest))
}

/// The language of a name or an ending, as far as its code can be read: the name that is used from here on.
pub(super) fn language(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "python" | "python3" | "py" | "ipython" | "jupyter" | "notebook" => "python",
        "javascript" | "js" | "node" | "nodejs" | "typescript" | "ts" | "deno" | "bun" | "mjs" | "cjs" => {
            "javascript"
        }
        "bash" | "sh" | "shell" | "zsh" | "ksh" | "dash" | "fish" | "posix" => "shell",
        "powershell" | "pwsh" | "ps1" => "powershell",
        "ruby" | "rb" => "ruby",
        "perl" | "pl" => "perl",
        "php" => "php",
        "lua" => "lua",
        "applescript" | "osascript" => "applescript",
        "sql" | "postgresql" | "mysql" | "sqlite" => "sql",
        _ => return None,
    })
}

/// The language of code, by its first line or by words that others do not have.
pub(super) fn language_of(code: &str) -> Option<&'static str> {
    const PYTHON: &[&str] =
        &["import os", "import sys", "import sub", "import shutil", "import ", "from ", "def ", "print("];
    const SCRIPT: &[&str] = &[
        "const ",
        "let ",
        "var ",
        "require(",
        "=> ",
        "function",
        "await ",
        "console.",
        "document.",
        "process.",
    ];
    let code = &code[..code.floor_char_boundary(4096)];
    if let Some(line) = code.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
        let program = line.split_whitespace().rfind(|word| !word.starts_with('-'))?;
        let name = program.rsplit('/').next().unwrap_or(program);
        return language(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    }
    let lines = || code.lines().map(str::trim_start);
    let starts = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.starts_with(word)));
    if code.contains("require(") || code.contains("=>") || starts(SCRIPT) {
        return Some("javascript");
    }
    let called = [".rmtree(", "os.remove(", "os.system(", "subprocess.", "open(", "__import__("];
    if starts(PYTHON) || called.iter().any(|call| code.contains(call)) {
        return Some("python");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_addresses_and_words() {
        for path in [
            "/etc/passwd",
            "~/.ssh/id_rsa",
            "./a",
            "../b c",
            "C:\\Users\\me",
            "file:///etc/shadow",
            ".ruff.toml",
            "src/app.py",
            "$HOME/.aws",
            "~",
        ] {
            assert!(is_path(path), "{path}");
        }
        for other in ["https://x.org/a", "hello", "and/or what", "1.2.3", "", "a\n/b", "..", "text: x/y"] {
            assert!(!is_path(other), "{other}");
        }
        assert!(
            is_address("https://x.org")
                && is_address("postgres://u@h/db")
                && !is_address("see https://x.org")
        );
    }

    #[test]
    fn statements_begin_with_their_verb() {
        for statement in
            ["DROP TABLE x", "  -- go\n delete from x", "/* a */ truncate t", "(select 1)", "FLUSHALL"]
        {
            assert!(is_statement(statement), "{statement}");
        }
        for other in ["dropped it", "hello", "", "drops table", "users"] {
            assert!(!is_statement(other), "{other}");
        }
    }

    #[test]
    fn words_about_a_statement_are_none() {
        for statement in [
            "DROP TABLE users",
            "drop table if exists a.b cascade",
            "TRUNCATE users",
            "select 1; delete from x",
            "DELETE FROM x WHERE 1=1",
            "UPDATE x SET a = 1",
            "-- x\nDROP SCHEMA public",
            "ALTER TABLE t DROP COLUMN c",
            "FLUSHALL",
            "MATCH (n) DETACH DELETE n",
        ] {
            assert!(is_bare_statement(statement), "{statement}");
        }
        for words in [
            "DROP TABLE in migrations.sql",
            "Drop me a line",
            "Delete from here what you like",
            "Update the docs",
            "SELECT 1",
            "Truncate long lines at 80",
            "drop support for node 18",
        ] {
            assert!(!is_bare_statement(words), "{words}");
        }
    }

    #[test]
    fn code_is_known_by_its_words() {
        for (code, language) in [
            ("#!/usr/bin/env python3\nx", Some("python")),
            ("#!/bin/bash -e\nls", Some("shell")),
            ("import shutil\nshutil.rmtree('/')", Some("python")),
            ("const fs = require('fs')", Some("javascript")),
            ("ls -la", None),
        ] {
            assert_eq!(language_of(code), language, "{code}");
        }
    }
}
