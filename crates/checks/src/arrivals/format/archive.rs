//! Which format a file has, by its first bytes, and what is in it.

use model::{Incoming, What};

use super::bytes::{Bytes, Gunzip, Stream};
use super::{LONGEST_FILE, LONGEST_NAME, MOST_NAMES, MOST_TEXT, cpio, tar, zip};

/// What an archive holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub members: Vec<Incoming>,
    /// Nothing was left unread.
    pub whole: bool,
}

/// What is collected, and how much.
pub(super) struct Found<'a> {
    pub(super) members: Vec<Incoming>,
    text: usize,
    full: bool,
    /// Whose text is asked for.
    wanted: &'a dyn Fn(&str) -> bool,
}

impl Found<'_> {
    pub(super) fn add(&mut self, name: &[u8], what: What) {
        let more = match &what {
            What::Link(text) | What::Twin(text) | What::File(Some(text)) => text.len(),
            _ => 0,
        };
        self.text += name.len() + more;
        self.full |= self.members.len() >= MOST_NAMES || self.text > MOST_TEXT || name.len() > LONGEST_NAME;
        if !self.full {
            self.members.push(Incoming { name: String::from_utf8_lossy(name).into_owned(), what });
        }
    }

    /// Whether the text of a file of this name and size is asked for.
    pub(super) fn wants(&self, name: &[u8], size: u64) -> bool {
        // The last quarter is for names.
        size <= LONGEST_FILE && self.text < MOST_TEXT / 4 * 3 && (self.wanted)(&String::from_utf8_lossy(name))
    }

    pub(super) fn is_full(&self) -> bool {
        self.full
    }
}

/// What is in an archive; `None` where it is none of the formats that are read here. Texts of files that are `wanted` come along.
pub fn list(bytes: &Bytes<'_>, wanted: &dyn Fn(&str) -> bool) -> Option<Listing> {
    let mut found = Found { members: Vec::new(), text: 0, full: false, wanted };
    let head = (bytes.piece)(0, tar::BLOCK)?;
    let whole = if head.starts_with(&[0x1f, 0x8b]) {
        let inner = Gunzip::new(bytes.stream())?.take_head();
        let mut unpacked = Gunzip::new(bytes.stream())?;
        ordered(&inner, &mut unpacked, &mut found)?
    } else if head.starts_with(b"PK") {
        zip::list(bytes, &mut found)
    } else if let Some(whole) = ordered(&head, &mut bytes.stream(), &mut found) {
        whole
    } else if zip::is_behind_something(bytes) {
        // A program that unpacks itself, or a picture with an archive at its end.
        zip::list(bytes, &mut found)
    } else {
        return None;
    };
    Some(Listing { whole: whole && !found.full, members: found.members })
}

/// Formats that are read from their beginning to their end.
fn ordered(head: &[u8], stream: &mut dyn Stream, found: &mut Found<'_>) -> Option<bool> {
    if tar::begins(head) {
        Some(tar::list(stream, found))
    } else if cpio::begins(head) {
        Some(cpio::list(stream, found))
    } else {
        None
    }
}

impl Gunzip<'_> {
    fn take_head(mut self) -> Vec<u8> {
        let mut head = vec![0; tar::BLOCK];
        let count = self.read(&mut head);
        head.truncate(count);
        head
    }
}

/// The text of a file that is asked for, or `None` and past it.
pub(super) fn text_of(stream: &mut dyn Stream, name: &[u8], size: u64, found: &Found<'_>) -> (What, u64) {
    if !found.wants(name, size) {
        return (What::File(None), size);
    }
    let text = usize::try_from(size).ok().and_then(|size| stream.take(size));
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (What::File(text), 0)
}
