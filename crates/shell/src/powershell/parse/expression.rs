//! Expressions: values, members, operators.

use super::{Parsed, Parser};
use crate::powershell::syntax::Expr;

/// Operators by how tightly they bind; the words among them also with `c` or `i` before them.
const OPERATORS: &[(&str, u8)] = &[
    ("-and", 1),
    ("-or", 1),
    ("-xor", 1),
    ("-eq", 2),
    ("-ne", 2),
    ("-gt", 2),
    ("-ge", 2),
    ("-lt", 2),
    ("-le", 2),
    ("-like", 2),
    ("-notlike", 2),
    ("-match", 2),
    ("-notmatch", 2),
    ("-replace", 2),
    ("-split", 2),
    ("-join", 2),
    ("-contains", 2),
    ("-notcontains", 2),
    ("-in", 2),
    ("-notin", 2),
    ("-is", 2),
    ("-isnot", 2),
    ("-as", 2),
    ("-band", 2),
    ("-bor", 2),
    ("-bxor", 2),
    ("-shl", 2),
    ("-shr", 2),
    ("-f", 5),
];

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.binary(1)
    }

    /// Operators that bind at least as tightly as `level`.
    pub(super) fn binary(&mut self, level: u8) -> Parsed<Expr> {
        let mut left = self.deeper(Self::list)?;
        loop {
            let before = self.at;
            self.blanks();
            let Some((length, found)) = self.operator().filter(|(_, found)| *found >= level) else {
                self.at = before;
                return Ok(left);
            };
            let name = self.text[self.at..self.at + length].to_ascii_lowercase();
            self.at += length;
            self.lines();
            let right = self.deeper(|parser| parser.binary(found + 1))?;
            left = Expr::Binary(name, Box::new(left), Box::new(right));
        }
    }

    fn operator(&self) -> Option<(usize, u8)> {
        let byte = self.peek()?;
        match byte {
            b'+' | b'-' if self.peek_at(1) == Some(b'=') => None,
            b'*' | b'/' | b'%' if self.peek_at(1) == Some(b'=') => None,
            b'+' if self.peek_at(1) != Some(b'+') => Some((1, 3)),
            b'*' | b'/' | b'%' => Some((1, 4)),
            b'.' if self.peek_at(1) == Some(b'.') => Some((2, 6)),
            b'?' if self.peek_at(1) == Some(b'?') && self.peek_at(2) != Some(b'=') => Some((2, 2)),
            b'-' if self.peek_at(1) == Some(b'-') => None,
            b'-' => {
                let rest = &self.bytes[self.at + 1..];
                let length = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
                if length == 0 {
                    return Some((1, 3));
                }
                let word = self.text[self.at..=self.at + length].to_ascii_lowercase();
                let known =
                    |word: &str| OPERATORS.iter().find(|(name, _)| *name == word).map(|(_, level)| *level);
                let plain = || {
                    word.strip_prefix("-c")
                        .or(word.strip_prefix("-i"))
                        .and_then(|rest| known(&format!("-{rest}")))
                };
                known(&word).or_else(plain).map(|level| (length + 1, level))
            }
            _ => None,
        }
    }

    /// `a, b`: tighter than any operator.
    fn list(&mut self) -> Parsed<Expr> {
        let first = if self.peek() == Some(b',') { None } else { Some(self.unary()?) };
        let mut list: Vec<Expr> = first.into_iter().collect();
        let mut several = list.is_empty();
        loop {
            let before = self.at;
            self.blanks();
            if self.peek() != Some(b',') {
                self.at = before;
                break;
            }
            self.at += 1;
            self.lines();
            several = true;
            list.push(self.deeper(Self::unary)?);
        }
        Ok(if several { Expr::List(list) } else { list.pop().unwrap_or_else(|| Expr::List(Vec::new())) })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let operator = match self.peek() {
            Some(b'!') => "!",
            Some(b'+' | b'-') if self.peek_at(1) == self.peek() => {
                self.at += 2;
                return self.deeper(Self::unary);
            }
            Some(b'+') => "+",
            Some(b'-') => ["-not", "-join", "-split", "-bnot"]
                .into_iter()
                .find(|op| {
                    self.bytes
                        .get(self.at..self.at + op.len())
                        .is_some_and(|text| text.eq_ignore_ascii_case(op.as_bytes()))
                })
                .unwrap_or("-"),
            _ => return self.postfix(),
        };
        self.at += operator.len();
        self.lines();
        let of = self.deeper(Self::unary)?;
        Ok(Expr::Unary(operator.into(), Box::new(of)))
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let value = self.primary()?;
        self.members(value)
    }

    /// `.name`, `.name(…)`, `::name(…)`, `[…]`, `++`
    pub(super) fn members(&mut self, mut value: Expr) -> Parsed<Expr> {
        loop {
            match (self.peek(), self.peek_at(1)) {
                (Some(b':'), Some(b':')) => {
                    self.at += 2;
                    value = self.member(value, true)?;
                }
                (Some(b'.'), Some(next))
                    if next.is_ascii_alphabetic() || matches!(next, b'_' | b'$' | b'"' | b'\'' | b'(') =>
                {
                    self.at += 1;
                    value = self.member(value, false)?;
                }
                // `$x?.y`
                (Some(b'?'), Some(b'.')) => self.at += 1,
                (Some(b'['), _) => {
                    self.at += 1;
                    self.lines();
                    let index = self.deeper(|parser| parser.binary(1))?;
                    self.lines();
                    self.expect(b']', "an unclosed bracket")?;
                    value = Expr::Index(Box::new(value), Box::new(index));
                }
                (Some(b'+'), Some(b'+')) | (Some(b'-'), Some(b'-')) => self.at += 2,
                // A call on the next line: `x\n  .y()`
                _ => return Ok(value),
            }
        }
    }

    fn member(&mut self, of: Expr, fixed: bool) -> Parsed<Expr> {
        let name = match self.peek() {
            Some(b'$') => self.variable()?,
            Some(b'"') => self.double()?,
            Some(b'\'') => self.single()?,
            Some(b'(') => self.deeper(Self::primary)?,
            _ => {
                let begin = self.at;
                while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    self.at += 1;
                }
                Expr::Literal(self.text[begin..self.at].to_owned())
            }
        };
        let args = match self.peek() {
            Some(b'(') => Some(self.method_arguments()?),
            // `.foreach{ … }`
            Some(b'{') => Some(vec![Expr::Block(self.deeper(Self::block)?)]),
            _ => None,
        };
        Ok(Expr::Member { of: Box::new(of), name: Box::new(name), fixed, args })
    }

    fn method_arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.at += 1;
        let mut args = Vec::new();
        loop {
            self.lines();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    return Ok(args);
                }
                Some(b',') => self.at += 1,
                None => return self.stop("an unclosed parenthesis"),
                _ => {
                    let begin = self.at;
                    args.push(self.deeper(Self::argument_of_method)?);
                    if self.at == begin {
                        return self.stop("an unexpected character");
                    }
                }
            }
        }
    }

    /// Operators, but no commas.
    fn argument_of_method(&mut self) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            let before = self.at;
            self.blanks();
            let Some((length, level)) = self.operator() else {
                self.at = before;
                return Ok(left);
            };
            let name = self.text[self.at..self.at + length].to_ascii_lowercase();
            self.at += length;
            self.lines();
            // `-join` and `-f` take lists; the rest of the operators do not need them.
            let right = if level == 5 { self.deeper(Self::list)? } else { self.deeper(Self::unary)? };
            left = Expr::Binary(name, Box::new(left), Box::new(right));
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match (self.peek(), self.peek_at(1)) {
            (Some(b'$'), _) => self.variable(),
            (Some(b'"'), _) => self.double(),
            (Some(b'\''), _) => self.single(),
            (Some(b'@'), Some(b'"' | b'\'')) => self.here(),
            (Some(b'@'), Some(b'(')) => {
                self.at += 2;
                Ok(Expr::Sub(self.script(b')', "an unclosed parenthesis")?))
            }
            (Some(b'@'), Some(b'{')) => self.hash(),
            (Some(b'('), _) => {
                self.at += 1;
                Ok(Expr::Sub(self.script(b')', "an unclosed parenthesis")?))
            }
            (Some(b'{'), _) => Ok(Expr::Block(self.deeper(Self::block)?)),
            (Some(b'['), _) => self.typed(),
            (Some(b'0'..=b'9'), _) => Ok(self.number()),
            // `-is [x]` and other words; a command where PowerShell would want a value is not read.
            (Some(b), _) if b.is_ascii_alphabetic() => {
                let begin = self.at;
                while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
                    self.at += 1;
                }
                Ok(Expr::Literal(self.text[begin..self.at].to_owned()))
            }
            _ => self.stop("a missing value"),
        }
    }

    fn number(&mut self) -> Expr {
        let begin = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric())
            || self.peek() == Some(b'.') && self.peek_at(1).is_some_and(|b| b.is_ascii_digit())
        {
            self.at += 1;
        }
        let text = &self.text[begin..self.at];
        let number = text
            .strip_prefix("0x")
            .or(text.strip_prefix("0X"))
            .and_then(|digits| u64::from_str_radix(digits, 16).ok());
        Expr::Literal(number.map_or_else(|| text.to_owned(), |number| number.to_string()))
    }

    /// What stands between brackets, these included.
    pub(super) fn bracketed(&mut self) -> Parsed<&str> {
        let begin = self.at;
        let mut open = 0;
        loop {
            match self.peek() {
                Some(b'[' | b'(') => open += 1,
                Some(b']' | b')') => {
                    open -= 1;
                    if open == 0 {
                        self.at += 1;
                        return Ok(&self.text[begin..self.at]);
                    }
                }
                Some(b'\'') => {
                    self.single()?;
                    continue;
                }
                None => return self.stop("an unclosed bracket"),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// `[type]::member`, `[type]value`, or the type by itself.
    fn typed(&mut self) -> Parsed<Expr> {
        let text = self.bracketed()?;
        let name: String = text[1..text.len() - 1].to_ascii_lowercase().split_whitespace().collect();
        let name = name.strip_prefix("system.").map(str::to_owned).unwrap_or(name);
        if self.starts("::") {
            return Ok(Expr::Type(name));
        }
        let before = self.at;
        self.blanks();
        let casts = match self.peek() {
            Some(b'$' | b'"' | b'\'' | b'(' | b'[' | b'{' | b'0'..=b'9') => true,
            Some(b'@') => matches!(self.peek_at(1), Some(b'(' | b'{' | b'"' | b'\'')),
            Some(b'-') => self.peek_at(1).is_some_and(|b| b.is_ascii_digit()),
            _ => false,
        };
        if casts {
            let of = self.deeper(Self::unary)?;
            return Ok(Expr::Cast(name, Box::new(of)));
        }
        self.at = before;
        Ok(Expr::Type(name))
    }

    /// `@{ a = 1; b = 2 }`
    fn hash(&mut self) -> Parsed<Expr> {
        self.at += 2;
        let mut pairs = Vec::new();
        loop {
            self.lines();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Expr::Hash(pairs));
                }
                Some(b';') => self.at += 1,
                None => return self.stop("an unclosed table"),
                _ => {
                    let key = self.deeper(Self::postfix)?;
                    self.lines();
                    self.expect(b'=', "a table without a value")?;
                    self.lines();
                    pairs.push((key, self.deeper(Self::statement)?));
                }
            }
        }
    }

    /// `$name`, `${name}`, `$scope:name`, `$( … )`
    pub(super) fn variable(&mut self) -> Parsed<Expr> {
        self.at += 1;
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                Ok(Expr::Sub(self.script(b')', "an unclosed parenthesis")?))
            }
            Some(b'{') => {
                let begin = self.at + 1;
                while self.peek().is_some_and(|b| b != b'}') {
                    self.at += 1;
                }
                let name = &self.text[begin.min(self.at)..self.at];
                self.expect(b'}', "an unclosed variable")?;
                Ok(Expr::Variable(plain_name(name)))
            }
            Some(b'$' | b'?' | b'^') => {
                let name = self.text[self.at..=self.at].to_owned();
                self.at += 1;
                Ok(Expr::Variable(name))
            }
            _ => {
                let begin = self.at;
                loop {
                    match self.peek() {
                        Some(b) if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => self.at += 1,
                        Some(b':')
                            if self.at > begin
                                && self
                                    .peek_at(1)
                                    .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') =>
                        {
                            self.at += 1;
                        }
                        _ => break,
                    }
                }
                if self.at == begin {
                    return Ok(Expr::Literal("$".into()));
                }
                Ok(Expr::Variable(plain_name(&self.text[begin..self.at])))
            }
        }
    }

    /// One argument of a command.
    pub(super) fn argument(&mut self) -> Parsed<Expr> {
        match (self.peek(), self.peek_at(1)) {
            (Some(b'$'), _) if self.expands() => {
                let value = self.deeper(Self::variable)?;
                let value = self.deeper(|parser| parser.members(value))?;
                if self.ends_word() || matches!(self.peek(), Some(b'(' | b'{' | b'>')) {
                    return Ok(value);
                }
                Ok(Expr::Text(vec![value, self.deeper(Self::bare)?]))
            }
            (Some(b'('), _) | (Some(b'@'), Some(b'(' | b'{' | b'"' | b'\'')) => {
                let value = self.deeper(Self::primary)?;
                self.deeper(|parser| parser.members(value))
            }
            (Some(b'{'), _) => Ok(Expr::Block(self.deeper(Self::block)?)),
            (Some(b'"' | b'\''), _) => {
                let value = self.deeper(Self::primary)?;
                if self.ends_word() || matches!(self.peek(), Some(b'(' | b'{' | b'>')) {
                    return Ok(value);
                }
                if self.peek() == Some(b'.') || self.peek() == Some(b'[') || self.starts("::") {
                    let more = self.deeper(Self::bare)?;
                    return Ok(Expr::Text(vec![value, more]));
                }
                Ok(Expr::Text(vec![value, self.deeper(Self::bare)?]))
            }
            (Some(b'['), _) if self.starts_type() => {
                let value = self.typed()?;
                self.deeper(|parser| parser.members(value))
            }
            _ => self.bare(),
        }
    }

    /// `[io.file]::x` among the words of a command; a pattern of names begins the same.
    fn starts_type(&self) -> bool {
        let name = self.bytes[self.at + 1..]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
        let end = self.at + 1 + name.count();
        self.bytes[end..].starts_with(b"]::")
    }
}

/// In small letters, without the scopes that all come down to one here.
fn plain_name(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let scoped = ["script:", "global:", "local:", "private:", "using:", "variable:"]
        .iter()
        .find_map(|scope| lower.strip_prefix(scope));
    // The names of the environment keep their letters.
    if lower.starts_with("env:") {
        return format!("env:{}", &name[4..]);
    }
    scoped.map(str::to_owned).unwrap_or(lower)
}
