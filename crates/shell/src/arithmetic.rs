//! Integer expressions, as far as they are constant: enough for `$((1+1))`, indices and slices.

/// The value, or `None` where it is not constant or not understood.
pub(crate) fn value(text: &str) -> Option<i64> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, depth: 0 };
    let value = reader.sum()?;
    reader.blanks();
    (reader.at == reader.bytes.len()).then_some(value)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        loop {
            self.blanks();
            match self.bytes.get(self.at) {
                Some(b'+') => {
                    self.at += 1;
                    value = value.checked_add(self.product()?)?;
                }
                Some(b'-') => {
                    self.at += 1;
                    value = value.checked_sub(self.product()?)?;
                }
                _ => return Some(value),
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.atom()?;
        loop {
            self.blanks();
            match self.bytes.get(self.at) {
                Some(b'*') => {
                    self.at += 1;
                    value = value.checked_mul(self.atom()?)?;
                }
                Some(b'/') => {
                    self.at += 1;
                    value = value.checked_div(self.atom()?)?;
                }
                Some(b'%') => {
                    self.at += 1;
                    value = value.checked_rem(self.atom()?)?;
                }
                _ => return Some(value),
            }
        }
    }

    fn atom(&mut self) -> Option<i64> {
        self.blanks();
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        match self.bytes.get(self.at)? {
            b'-' => {
                self.at += 1;
                self.atom()?.checked_neg()
            }
            b'(' => {
                self.at += 1;
                let value = self.sum()?;
                self.blanks();
                (self.bytes.get(self.at) == Some(&b')')).then(|| self.at += 1)?;
                Some(value)
            }
            b if b.is_ascii_digit() => {
                let begin = self.at;
                while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                    self.at += 1;
                }
                std::str::from_utf8(&self.bytes[begin..self.at]).ok()?.parse().ok()
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn constants() {
        assert_eq!(value(" 1 + 2*3 "), Some(7));
        assert_eq!(value("-(2-5)%2"), Some(1));
        assert_eq!(value("1/0"), None);
        assert_eq!(value("x+1"), None);
    }
}
