//! A text of statements as words, names, texts and signs.

use crate::text::ANY;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// In capitals.
    Word(String),
    /// A name in quotes of its own.
    Name(String),
    Text(String),
    Sign(char),
    End,
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Token::Word(own) if own == word)
    }

    pub(super) fn text(&self) -> Option<String> {
        match self {
            Token::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    pub(super) fn word(&self) -> &str {
        match self {
            Token::Word(text) | Token::Name(text) => text,
            _ => "",
        }
    }
}

/// Words, names, texts and signs; comments left out.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let until = |from: usize, end: &str| {
        let end: Vec<char> = end.chars().collect();
        (from..chars.len()).find(|&i| chars[i..].starts_with(&end)).unwrap_or(chars.len())
    };
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '-' if at(i + 1) == '-' => i = until(i, "\n"),
            // MySQL runs `/*! … */`.
            '/' if at(i + 1) == '*' && at(i + 2) == '!' => i += 3,
            '*' if at(i + 1) == '/' => i += 2,
            '/' if at(i + 1) == '*' => i = until(i + 2, "*/") + 2,
            '\'' => {
                let mut value = String::new();
                i += 1;
                while i < chars.len() {
                    if chars[i] == '\'' {
                        if at(i + 1) != '\'' {
                            break;
                        }
                        i += 1;
                    }
                    value.push(chars[i]);
                    i += 1;
                }
                i += 1;
                found.push(Token::Text(value));
            }
            open @ ('"' | '`') => {
                let end = until(i + 1, &open.to_string());
                let name: String = chars[(i + 1).min(end)..end].iter().collect();
                // MySQL takes texts in these quotes, too.
                found.push(if name.contains([' ', '/']) && open == '"' {
                    Token::Text(name)
                } else {
                    Token::Name(name.to_ascii_uppercase())
                });
                i = end + 1;
            }
            '[' if at(i + 1).is_alphabetic() => {
                let end = until(i, "]");
                found.push(Token::Name(chars[i + 1..end].iter().collect::<String>().to_ascii_uppercase()));
                i = end + 1;
            }
            '$' if at(i + 1) == '$' || at(i + 1).is_alphabetic() || at(i + 1) == '_' => {
                let tag_end = until(i + 1, "$");
                let tag: String = chars[i..(tag_end + 1).min(chars.len())].iter().collect();
                if tag[1..].trim_end_matches('$').chars().all(|c| c.is_alphanumeric() || c == '_')
                    && tag.ends_with('$')
                {
                    let end = until(tag_end + 1, &tag);
                    found.push(Token::Text(chars[(tag_end + 1).min(end)..end].iter().collect()));
                    i = end + tag.chars().count();
                } else {
                    i += 1;
                }
            }
            ';' => {
                found.push(Token::End);
                i += 1;
            }
            c if c.is_alphanumeric()
                || matches!(c, '_' | '@' | '#' | '\\' | ANY)
                || c == ':' && at(i + 1).is_alphabetic() =>
            {
                let from = i;
                i += 1;
                while at(i).is_alphanumeric() || matches!(at(i), '_' | '@' | '#' | '$' | '.' | ANY) {
                    i += 1;
                }
                let word: String = chars[from..i].iter().collect();
                found.push(if word == "GO" { Token::End } else { Token::Word(word.to_uppercase()) });
            }
            c if c.is_whitespace() => i += 1,
            c => {
                found.push(Token::Sign(c));
                i += 1;
            }
        }
    }
    found
}
