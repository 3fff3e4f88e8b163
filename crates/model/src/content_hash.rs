//! The name of a content: what two files have in common that say the same.

use std::fmt;

use serde_json::Value;

const PREFIX: &str = "sha256:";
const ABSENT: &str = "absent";
const UNREADABLE: &str = "unreadable";

/// A SHA-256, as state files have it: `sha256:<hex>`. Two words stand beside it, for a file that is not there and for one that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(String);

impl ContentHash {
    /// Of the digits that a hash function gives, four bits each.
    pub fn of_digits(digits: impl Iterator<Item = u8>) -> Self {
        // By hand, because every hook call hashes its project's path, and formatting costs more than the hash.
        let mut text = String::with_capacity(PREFIX.len() + 64);
        text.push_str(PREFIX);
        text.extend(digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit & 15)])));
        Self(text)
    }

    /// In place of a hash where there is no file.
    pub fn absent() -> Self {
        Self(ABSENT.to_owned())
    }

    /// In place of a hash where there is something that cannot be read. Nothing is known about it.
    pub fn unreadable() -> Self {
        Self(UNREADABLE.to_owned())
    }

    /// As it was written down; whatever else stands there equals no content.
    pub fn written(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn is_absent(&self) -> bool {
        self.0 == ABSENT
    }

    pub fn is_unreadable(&self) -> bool {
        self.0 == UNREADABLE
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digits alone; none where it is no hash.
    pub fn hex(&self) -> &str {
        self.0.strip_prefix(PREFIX).unwrap_or_default()
    }

    /// So many of the digits, for the name of a file.
    pub fn first(&self, digits: usize) -> &str {
        self.hex().get(..digits).unwrap_or_default()
    }

    /// Enough of the digits to tell files of one folder apart.
    pub fn short(&self) -> &str {
        self.first(16)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ContentHash> for Value {
    fn from(hash: ContentHash) -> Self {
        hash.0.into()
    }
}

/// What a state file has in its place.
impl PartialEq<Value> for ContentHash {
    fn eq(&self, other: &Value) -> bool {
        other.as_str() == Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_hash_has_no_digits() {
        let hash = ContentHash::of_digits((0..64).map(|at| at % 16));
        assert_eq!((hash.as_str().len(), hash.short(), hash.first(6)), (71, "0123456789abcdef", "012345"));
        assert_eq!((ContentHash::absent().hex(), ContentHash::unreadable().short()), ("", ""));
        assert_eq!(ContentHash::written(hash.as_str()), hash);
        assert!(ContentHash::written("absent").is_absent() && !hash.is_unreadable());
    }
}
