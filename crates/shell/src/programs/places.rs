//! Where the name of a program stands among the names of all: a table by hash, because every word that may be a program is looked up,
//! several times. `build.rs` reads this file too, and fills the table.

/// So many places there are; less than half of them are taken.
pub(crate) const PLACES: usize = 8192;

/// The place at which the search for a name begins. (FNV-1a: names are short.)
pub(crate) fn place(name: &str) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in name.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    (hash ^ hash >> 15) as usize % PLACES
}

/// A mark of a name: who has not got the mark has not got the name.
pub(super) fn mark(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let ends =
        bytes.first().map_or(0, |b| usize::from(*b)) * 5 + bytes.last().map_or(0, |b| usize::from(*b)) * 11;
    1 << ((bytes.len() + ends) % 64)
}
