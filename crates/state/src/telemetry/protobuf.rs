//! The form of protocol buffers, as far as OTLP needs it: a key, then a number, eight bytes, or a length with as many bytes.

/// A message that is being written.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
}

const VARINT: u64 = 0;
const EIGHT: u64 = 1;
const LENGTH: u64 = 2;
const FOUR: u64 = 5;

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            // The low seven bits, and that there are more.
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push((value & 0x7f) as u8);
    }

    fn key(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    pub(super) fn number(&mut self, field: u64, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    pub(super) fn fixed(&mut self, field: u64, value: u64) {
        self.key(field, EIGHT);
        self.bytes.extend(value.to_le_bytes());
    }

    pub(super) fn double(&mut self, field: u64, value: f64) {
        self.fixed(field, value.to_bits());
    }

    pub(super) fn data(&mut self, field: u64, data: &[u8]) {
        self.key(field, LENGTH);
        self.varint(data.len() as u64);
        self.bytes.extend(data);
    }

    pub(super) fn text(&mut self, field: u64, text: &str) {
        self.data(field, text.as_bytes());
    }

    pub(super) fn message(&mut self, field: u64, message: &Message) {
        self.data(field, &message.bytes);
    }

    /// Many numbers of eight bytes in one.
    pub(super) fn packed(&mut self, field: u64, values: impl Iterator<Item = u64>) {
        let bytes: Vec<u8> = values.flat_map(u64::to_le_bytes).collect();
        self.data(field, &bytes);
    }
}

/// The fields of a message, with the bytes of those that have a length. `None` where the bytes are none.
pub(super) fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, u64, &[u8])>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = take(&mut bytes)?;
        let (field, number, data): (u64, u64, &[u8]) = match key & 7 {
            VARINT => (key >> 3, take(&mut bytes)?, &[]),
            kind @ (EIGHT | FOUR) => {
                let length = if kind == EIGHT { 8 } else { 4 };
                let (data, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                (key >> 3, 0, data)
            }
            LENGTH => {
                let length = usize::try_from(take(&mut bytes)?).ok()?;
                let (data, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                (key >> 3, 0, data)
            }
            _ => return None,
        };
        if field == 0 {
            return None;
        }
        fields.push((field, number, data));
    }
    Some(fields)
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut message = Message::default();
        message.number(1, 300);
        message.text(2, "ä");
        message.fixed(3, 7);
        message.number(4, u64::MAX);
        assert_eq!(message.bytes[..3], [0x08, 0xac, 0x02]);
        let fields = fields(&message.bytes).unwrap();
        assert_eq!(fields[0], (1, 300, &[][..]));
        assert_eq!(fields[1], (2, 0, "ä".as_bytes()));
        assert_eq!(fields[3].1, u64::MAX);
    }

    #[test]
    fn other_text_is_no_message() {
        for text in ["<html><body>Please log in</body></html>", "OK", "\u{0}", "{}", "a"] {
            assert!(fields(text.as_bytes()).is_none(), "{text}");
        }
        assert_eq!(fields(b""), Some(Vec::new()));
    }
}
