//! Readers of names: which files an archive or a patch would bring, from its bytes alone. Every reader is bounded, takes any bytes, and
//! says where it could not read to the end. Where programs differ in what they make of the same bytes, the names of each are given.

mod archive;
mod bytes;
mod cpio;
mod patch;
pub(crate) use patch::strip;
mod tar;
mod zip;

pub use archive::{Listing, list};
pub use bytes::{Bytes, gunzip};
pub use patch::{FilePatch, Name, Patch, read as read_patch};

/// More than this an archive is not read for.
const MOST_NAMES: usize = 50_000;
/// Of names, links and texts together.
const MOST_TEXT: usize = 16 * 1024 * 1024;
/// Longer names no system takes.
const LONGEST_NAME: usize = 4096;
/// Of a file whose text is asked for.
const LONGEST_FILE: u64 = 256 * 1024;
/// What a packed archive may come to before it is left unread: half a second's work, and no more than whoever unpacks it would do.
const MOST_UNPACKED: u64 = 256 * 1024 * 1024;
