//! The release executable itself. A hook is started for every tool call, so it must not need a loader.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
use crate::needs::missing;

/// The segment that names a loader.
const PT_INTERP: u32 = 3;

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().unwrap()
}

/// The kinds of a 64-bit little-endian ELF file's segments, read by hand: it is twenty bytes, not worth a crate.
fn segments(elf: &[u8]) -> Vec<u32> {
    assert_eq!(&elf[..6], b"\x7fELF\x02\x01", "a 64-bit little-endian ELF file");
    let table = usize::try_from(u64::from_le_bytes(number(elf, 0x20))).unwrap();
    let size = usize::from(u16::from_le_bytes(number(elf, 0x36)));
    let count = usize::from(u16::from_le_bytes(number(elf, 0x38)));
    (0..count).map(|index| u32::from_le_bytes(number(elf, table + index * size))).collect()
}

#[test]
fn a_segment_that_names_a_loader_is_seen() {
    let mut elf = vec![0; 0x40 + 2 * 0x38];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
    elf[0x20] = 0x40;
    elf[0x36] = 0x38;
    elf[0x38] = 2;
    elf[0x40] = 6;
    elf[0x78] = 3;
    assert_eq!(segments(&elf), [6, PT_INTERP]);
}

#[test]
#[cfg(target_os = "linux")]
fn the_release_executable_is_static() {
    let Some(path) = std::env::var_os("PLIMSOLL_RELEASE_BINARY").map(PathBuf::from) else {
        missing("release", "PLIMSOLL_RELEASE_BINARY is not set; scripts/test sets it");
        return;
    };
    let elf = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let segments = segments(&elf);
    assert!(!segments.is_empty());
    assert!(!segments.contains(&PT_INTERP), "{} needs a loader: {segments:?}", path.display());
}
