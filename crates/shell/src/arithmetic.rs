//! Integer expressions, as far as they are constant: enough for `$((1+1))`, indices and slices.

/// The value, or `None` where it is not constant or not understood. `name` gives the values of variables.
pub(crate) fn value(text: &str, name: &dyn Fn(&str) -> Option<String>) -> Option<i64> {
    evaluate(text, name, 0)
}

fn evaluate(text: &str, name: &dyn Fn(&str) -> Option<String>, depth: usize) -> Option<i64> {
    if text.trim().is_empty() {
        return Some(0);
    }
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, depth, name };
    let value = reader.binary(0)?;
    reader.blanks();
    (reader.at == reader.bytes.len()).then_some(value)
}

/// Names that the expression gives a new value: `x=1`, `x+=2`, `x++`.
pub(crate) fn assigned(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphabetic() || bytes[at] == b'_') {
            // A number's letters are not a name.
            let number = bytes[at].is_ascii_digit();
            at += 1;
            while number && at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'#') {
                at += 1;
            }
            continue;
        }
        let begin = at;
        while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
            at += 1;
        }
        let before = text[..begin].trim_end();
        let after = text[at..].trim_start();
        let after = match after.strip_prefix('[') {
            Some(index) => index.split_once(']').map_or("", |(_, rest)| rest.trim_start()),
            None => after,
        };
        let plain = after.starts_with('=') && !after.starts_with("==");
        let combined = ["+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]
            .iter()
            .any(|op| after.starts_with(op));
        let stepped = after.starts_with("++")
            || after.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--");
        if plain || combined || stepped {
            found.push(&text[begin..at]);
        }
    }
    found
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    name: &'a dyn Fn(&str) -> Option<String>,
}

/// Operators by rank, the weakest first; longer ones before their beginnings.
const OPERATORS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn starts(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn operator(&mut self, rank: usize) -> Option<&'static str> {
        self.blanks();
        let found = OPERATORS[rank].iter().find(|op| self.starts(op))?;
        let next = self.bytes.get(self.at + found.len());
        let longer = match *found {
            // `**`, `||`, `&&`, `<<`, and whatever assigns.
            "*" => next == Some(&b'*'),
            "|" => next == Some(&b'|'),
            "&" => next == Some(&b'&'),
            "<" => next == Some(&b'<'),
            ">" => next == Some(&b'>'),
            _ => false,
        };
        let assigns = next == Some(&b'=') && !matches!(*found, "==" | "!=" | "<=" | ">=" | "<" | ">");
        if longer || assigns {
            return None;
        }
        self.at += found.len();
        Some(found)
    }

    fn binary(&mut self, rank: usize) -> Option<i64> {
        if rank == OPERATORS.len() {
            return self.power();
        }
        let mut left = self.binary(rank + 1)?;
        while let Some(operator) = self.operator(rank) {
            let right = self.binary(rank + 1)?;
            let shift = u32::try_from(right).ok();
            left = match operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<<" => left.checked_shl(shift?)?,
                ">>" => left.checked_shr(shift?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.atom()?;
        self.blanks();
        if !self.starts("**") {
            return Some(base);
        }
        self.at += 2;
        let exponent = self.power()?;
        base.checked_pow(u32::try_from(exponent).ok()?)
    }

    fn atom(&mut self) -> Option<i64> {
        self.blanks();
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        match self.bytes.get(self.at)? {
            sign @ (b'-' | b'+' | b'!' | b'~') => {
                if self.bytes.get(self.at + 1) == Some(sign) && matches!(sign, b'-' | b'+') {
                    return None;
                }
                self.at += 1;
                let value = self.atom()?;
                match sign {
                    b'-' => value.checked_neg(),
                    b'!' => Some(i64::from(value == 0)),
                    b'~' => Some(!value),
                    _ => Some(value),
                }
            }
            b'(' => {
                self.at += 1;
                let value = self.binary(0)?;
                self.blanks();
                (self.bytes.get(self.at) == Some(&b')')).then(|| self.at += 1)?;
                Some(value)
            }
            b if b.is_ascii_digit() => self.number(),
            b if b.is_ascii_alphabetic() || *b == b'_' => {
                let begin = self.at;
                while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    self.at += 1;
                }
                if matches!(self.bytes.get(self.at), Some(b'[')) {
                    return None;
                }
                let name = std::str::from_utf8(&self.bytes[begin..self.at]).ok()?;
                // A variable's value is an expression again.
                evaluate(&(self.name)(name)?, self.name, self.depth + 10)
            }
            _ => None,
        }
    }

    /// `12`, `0x1f`, `017`, `2#101`.
    fn number(&mut self) -> Option<i64> {
        let begin = self.at;
        while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'#') {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[begin..self.at]).ok()?;
        if let Some((base, digits)) = text.split_once('#') {
            return i64::from_str_radix(digits, base.parse().ok().filter(|base| (2..=36).contains(base))?)
                .ok();
        }
        if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            return i64::from_str_radix(digits, 16).ok();
        }
        if text.len() > 1 && text.starts_with('0') {
            return i64::from_str_radix(text, 8).ok();
        }
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants() {
        let none = |_: &str| None;
        let value = |text: &str| value(text, &none);
        assert_eq!(value(" 1 + 2*3 "), Some(7));
        assert_eq!(value("-(2-5)%2"), Some(1));
        assert_eq!(value("2**3**0 + (1<2) + !0 + 0x10 + 010 + 2#11"), Some(2 + 1 + 1 + 16 + 8 + 3));
        assert_eq!(value("1/0"), None);
        assert_eq!(value("x+1"), None);
        assert_eq!(
            super::value("x*2", &|_| Some("y".into()).filter(|_| false).or(Some("3+1".into()))),
            Some(8)
        );
    }

    #[test]
    fn names_that_change() {
        assert_eq!(assigned("i++ + j == 3, k += 2, l=4, --m"), ["i", "k", "l", "m"]);
        assert!(assigned("a <= b && 0x1f != c").is_empty());
    }
}
