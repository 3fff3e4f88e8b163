//! Bytes from stdin to a JSON object, or the reason why not.

use std::fmt;

use serde_json::{Map, Value};

/// A hook's input above this is not read. Clients send whole files twice on an edit; nothing honest comes near it.
pub const LARGEST: usize = 16 * 1024 * 1024;

/// A payload that can be used.
#[derive(Debug)]
pub struct Input {
    pub payload: Map<String, Value>,
    /// Bytes that are not UTF-8 were replaced. Paths and commands may not be what they seem.
    pub damaged: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadInput {
    Empty,
    TooLarge,
    NotJson(String),
    NotAnObject,
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadInput::Empty => f.write_str("the hook got no input on stdin"),
            BadInput::TooLarge => write!(f, "the hook's input is larger than {} MiB", LARGEST / 1024 / 1024),
            BadInput::NotJson(why) => write!(f, "the hook's input is not JSON: {why}"),
            BadInput::NotAnObject => f.write_str("the hook's input is JSON but not an object"),
        }
    }
}

/// Reads a payload. Never fails on what is merely unusual: unknown fields, a byte order mark, broken UTF-8.
pub fn read(bytes: &[u8]) -> Result<Input, BadInput> {
    if bytes.len() > LARGEST {
        return Err(BadInput::TooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(BadInput::Empty);
    }
    let (parsed, damaged) = match std::str::from_utf8(bytes) {
        Ok(text) => (serde_json::from_str(text), false),
        Err(_) => (serde_json::from_str(&String::from_utf8_lossy(bytes)), true),
    };
    match parsed {
        Ok(Value::Object(payload)) => Ok(Input { payload, damaged }),
        Ok(_) => Err(BadInput::NotAnObject),
        Err(error) => Err(BadInput::NotJson(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_bad_input_has_its_name() {
        assert_eq!(read(b" \n").unwrap_err(), BadInput::Empty);
        assert_eq!(read(b"[1]").unwrap_err(), BadInput::NotAnObject);
        assert!(matches!(read(b"{\"a\":").unwrap_err(), BadInput::NotJson(_)));
        assert_eq!(read(&vec![b' '; LARGEST + 1]).unwrap_err(), BadInput::TooLarge);
        assert!(matches!(read(&b"[".repeat(100_000)).unwrap_err(), BadInput::NotJson(_)));
    }

    #[test]
    fn broken_utf8_is_read_and_marked() {
        let input = read(b"{\"cwd\":\"/a\xff\"}").unwrap();
        assert!(input.damaged);
        assert_eq!(input.payload["cwd"], "/a\u{fffd}");
        assert!(!read(b"\xef\xbb\xbf{}").unwrap().damaged);
    }
}
