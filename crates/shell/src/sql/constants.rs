//! What expressions of constants come to: the text that they make, and conditions that always hold.

use std::collections::HashMap;

use super::tokens::Token;
use crate::text::ANY;

pub(super) fn last_word(text: &str) -> &str {
    text.split_whitespace().last().unwrap_or(text).trim_matches(['\'', '"'])
}

pub(super) fn is_type(word: &str) -> bool {
    let word = word.split('(').next().unwrap_or(word);
    word.is_empty()
        || [
            "TEXT", "VARCHAR", "NVARCHAR", "CHAR", "VARCHAR2", "CLOB", "STRING", "DECLARE", "SET", "MAX",
            "CONSTANT", "BEGIN",
        ]
        .contains(&word)
        || word.bytes().all(|b| b.is_ascii_digit())
}

/// The text that an expression of constants makes; what is not one is a hole.
pub(super) fn fold(tokens: &[Token], variables: &HashMap<String, String>) -> String {
    let mut made = String::new();
    let mut depth = 0_i32;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Text(text) => made.push_str(text),
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => {
                depth -= 1;
                if depth < 0 {
                    break;
                }
            }
            Token::Sign('|' | '+' | ',') => {}
            Token::Word(word)
                if matches!(word.as_str(), "USING" | "INTO" | "FROM" | "WHERE" | "END" | "LOOP") =>
            {
                break;
            }
            Token::Word(word)
                if matches!(
                    word.as_str(),
                    "N" | "E" | "CONCAT" | "CONCAT_WS" | "UPPER" | "LOWER" | "TRIM"
                ) => {}
            Token::Word(word) if matches!(word.as_str(), "CHR" | "CHAR") => {
                let end = tokens[at..]
                    .iter()
                    .position(|t| *t == Token::Sign(')'))
                    .map_or(tokens.len(), |end| at + end);
                let codes =
                    tokens[at..end].iter().filter_map(|t| t.word().parse().ok()).filter_map(char::from_u32);
                made.extend(codes);
                at = end;
            }
            Token::Word(word)
                if matches!(word.as_str(), "FORMAT" | "REPLACE" | "REVERSE" | "QUOTE_IDENT")
                    && tokens.get(at + 1) == Some(&Token::Sign('(')) =>
            {
                let (arguments, end) = arguments(tokens, at + 1, variables);
                let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
                made.push_str(&match word.as_str() {
                    "FORMAT" => filled(&arguments),
                    "REPLACE" => argument(0).replace(argument(1), argument(2)),
                    "REVERSE" => argument(0).chars().rev().collect(),
                    _ => argument(0).to_owned(),
                });
                at = end;
            }
            token => match variables.get(token.word()) {
                Some(value) => made.push_str(value),
                None if token.word().is_empty() => {}
                None => made.push(ANY),
            },
        }
        at += 1;
    }
    made
}

/// The arguments of a call whose bracket is at `open`, and where it ends.
pub(super) fn arguments(
    tokens: &[Token],
    open: usize,
    variables: &HashMap<String, String>,
) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_i32, open + 1);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') if depth == 1 => {
                found.push(fold(&tokens[from..at], variables));
                return (found, at);
            }
            Token::Sign(')') => depth -= 1,
            Token::Sign(',') if depth == 1 => {
                found.push(fold(&tokens[from..at], variables));
                from = at + 1;
            }
            _ => {}
        }
    }
    (found, tokens.len())
}

/// `format('DROP %s %I', 'TABLE', name)`
fn filled(arguments: &[String]) -> String {
    let Some((template, values)) = arguments.split_first() else { return String::new() };
    let mut values = values.iter();
    let mut parts = template.split('%');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$');
        if let Some(rest) = rest.strip_prefix(['I', 's', 'L']) {
            made.push_str(values.next().map_or("x", String::as_str));
            made.push_str(rest);
        } else {
            made.push_str(part);
        }
    }
    made
}

/// `WHERE true`, `1=1`, `id = id`, `name LIKE '%'`, or any of them behind an `OR`.
pub(super) fn is_always_true(condition: &[Token]) -> bool {
    let plain: Vec<&Token> = condition.iter().filter(|t| !matches!(t, Token::Sign('(' | ')'))).collect();
    plain.split(|t| t.is("OR")).any(|part| part.split(|t| t.is("AND")).all(is_true))
}

fn is_true(atom: &[&Token]) -> bool {
    let number = |t: &Token| t.word().parse::<i64>().ok();
    match atom {
        [only] => only.is("TRUE") || number(only).is_some_and(|n| n != 0),
        [not, only] => not.is("NOT") && (only.is("FALSE") || number(only) == Some(0)),
        [left, Token::Sign('='), right] => left == right,
        [left, Token::Sign('<' | '!' | '>'), .., right]
            if number(left).is_some() && number(right).is_some() =>
        {
            true
        }
        [_, like, Token::Text(pattern)] if like.is("LIKE") || like.is("ILIKE") => {
            pattern.bytes().all(|b| b == b'%')
        }
        // Every row has an `id`.
        [id, Token::Sign('>'), .., least] => is_id(id) && number(least).is_some_and(|n| n <= 0),
        [id, is, not, null] => is_id(id) && is.is("IS") && not.is("NOT") && null.is("NULL"),
        _ => false,
    }
}

fn is_id(token: &Token) -> bool {
    matches!(token.word().rsplit('.').next(), Some("ID" | "ROWID" | "_ID" | "CTID"))
}
