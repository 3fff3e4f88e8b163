//! Bytes from stdin to a JSON object, or the reason why not.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use thiserror::Error;

/// A hook's input above this is not read. Clients send whole files twice on an edit; nothing honest comes near it.
pub const LARGEST: usize = 16 * 1024 * 1024;

/// A payload that can be used.
#[derive(Debug)]
pub struct Input {
    pub payload: Map<String, Value>,
    /// Bytes that are not UTF-8 were replaced. Paths and commands may not be what they seem.
    pub damaged: bool,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadInput {
    #[error("the hook got no input on stdin")]
    Empty,
    #[error("the hook's input is larger than {} MiB", LARGEST / 1024 / 1024)]
    TooLarge,
    #[error("the hook's input is not JSON: {0}")]
    NotJson(String),
    #[error("the hook's input is JSON but not an object")]
    NotAnObject,
}

/// Reads a payload. Never fails on what is merely unusual: unknown fields, a byte order mark, broken UTF-8.
pub fn read(bytes: &[u8]) -> Result<Input, BadInput> {
    read_without(bytes, &[])
}

/// The same of an agent that sends fields twice, or many that nobody reads: those are passed over, not kept.
pub fn read_from(bytes: &[u8], agent: Option<&str>) -> Result<Input, BadInput> {
    let unread =
        agent.and_then(|name| crate::DIALECTS.iter().find(|one| one.id == name && !one.unread.is_empty()));
    let Some(dialect) = unread else { return read(bytes) };
    let input = read_without(bytes, dialect.unread)?;
    // Another version of it may send them once, by the other name.
    if input.payload.contains_key(dialect.read_instead) { Ok(input) } else { read(bytes) }
}

fn read_without(bytes: &[u8], unread: &[&str]) -> Result<Input, BadInput> {
    if bytes.len() > LARGEST {
        return Err(BadInput::TooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(BadInput::Empty);
    }
    let (parsed, damaged) = match std::str::from_utf8(bytes) {
        Ok(text) => (object(text, unread), false),
        Err(_) => (object(&String::from_utf8_lossy(bytes), unread), true),
    };
    parsed.map(|payload| Input { payload, damaged })
}

fn object(text: &str, unread: &[&str]) -> Result<Map<String, Value>, BadInput> {
    let not_json = |error: serde_json::Error| BadInput::NotJson(error.to_string());
    if unread.is_empty() {
        return match serde_json::from_str(text).map_err(not_json)? {
            Value::Object(payload) => Ok(payload),
            _ => Err(BadInput::NotAnObject),
        };
    }
    if !text.trim_start().starts_with('{') {
        return object(text, &[]);
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let payload = Without(unread).deserialize(&mut json).map_err(not_json)?;
    json.end().map_err(not_json)?;
    Ok(payload)
}

/// An object without these keys.
struct Without<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Without<'_> {
    type Value = Map<String, Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Without<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if self.0.contains(&key.as_str()) {
                entries.next_value::<IgnoredAny>()?;
            } else {
                map.insert(key, entries.next_value()?);
            }
        }
        Ok(map)
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
    fn what_an_agent_sends_twice_is_passed_over_where_it_stands_twice() {
        let twice =
            br#"{"toolInput": {"command": "ls"}, "session_id": "s", "tool_input": {"command": "ls"}}"#;
        let read_as = |bytes: &[u8], name| read_from(bytes, Some(name)).map(|input| input.payload);
        assert!(read_as(twice, "grok").is_ok_and(|payload| payload.len() == 2));
        assert!(read_as(twice, "codex").is_ok_and(|payload| payload.len() == 3));
        let once = br#"{"toolInput": {"command": "ls"}, "sessionId": "s"}"#;
        assert!(read_as(once, "grok").is_ok_and(|payload| payload.contains_key("toolInput")));
        for bad in [&b"[1]"[..], b"{\"a\":", b"{} {}", b"7", b"{\"toolInput\":}", b" "] {
            assert_eq!(read_as(bad, "grok"), read(bad).map(|input| input.payload), "{bad:?}");
        }
    }

    #[test]
    fn broken_utf8_is_read_and_marked() {
        let input = read(b"{\"cwd\":\"/a\xff\"}").unwrap();
        assert!(input.damaged);
        assert_eq!(input.payload["cwd"], "/a\u{fffd}");
        assert!(!read(b"\xef\xbb\xbf{}").unwrap().damaged);
    }
}
