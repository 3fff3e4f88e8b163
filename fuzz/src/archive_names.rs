//! Whatever an archive or a patch holds, its names are read, or it is said that they could not be.
//!
//! The promises: no panic; what comes out is bounded; the work is at most linear in what goes in, and in what it is unpacked to.

use checks::arrivals::format::{Bytes, list, read_patch};

use crate::work::measured;

/// Bytes that may be allocated for any archive: names, texts, and a piece at a time.
const ANY_WORK: usize = 512 * 1024 * 1024;
const WORK_PER_BYTE: usize = 4096;

const MOST_NAMES: usize = 50_000;

/// Panics if a promise is broken.
pub fn archive_names(bytes: &[u8]) {
    let piece = |from: u64, most: usize| {
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
        Some(bytes[from..from.saturating_add(most).min(bytes.len())].to_vec())
    };
    let archive = Bytes { size: bytes.len() as u64, piece: &piece };
    let (listing, work) = measured(|| list(&archive, &|name| name.contains("toml")));
    assert!(work <= ANY_WORK + WORK_PER_BYTE * bytes.len(), "{work} bytes of work for {}", bytes.len());
    if let Some(listing) = listing {
        assert!(listing.members.len() <= MOST_NAMES, "{} names", listing.members.len());
    }
    let text = String::from_utf8_lossy(bytes);
    let (patch, work) = measured(|| read_patch(&text));
    assert!(work <= ANY_WORK + WORK_PER_BYTE * bytes.len(), "{work} bytes of work for {}", bytes.len());
    assert!(patch.files.len() <= MOST_NAMES, "{} files", patch.files.len());
    assert!(!patch.whole || !patch.files.is_empty(), "a patch for nothing");
}
