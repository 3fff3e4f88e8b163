//! Git's index, read from its own file: which files it looks after, and what each looked like when git last compared it.
//!
//! Only what an ordinary repository has is understood. Conflicts, submodules, split and sparse indexes are not; then nothing is
//! known, and `git` itself is asked.

/// A file that git looks after.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path from the root of the work tree, in the index's names.
    path: (usize, usize),
    /// Where its fields begin.
    at: usize,
    /// The user has told git not to compare it.
    pub(super) unwatched: bool,
}

/// What a file looked like: every field that git compares before it reads a file, each cut to 32 bits as git does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) changed: (u32, u32),
    pub(super) written: (u32, u32),
    pub(super) number: u32,
    pub(super) mode: u32,
    pub(super) owner: (u32, u32),
    pub(super) size: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Index {
    /// As it was read. What is asked of an entry is looked up here: of most entries nobody asks more than the path and the look.
    bytes: Vec<u8>,
    /// All paths, one after the other, where the index shortens them: else they are among its bytes.
    names: Vec<u8>,
    is_shortened: bool,
    /// In the order of their paths' bytes: what lies below a folder lies beside each other.
    pub(super) entries: Vec<Entry>,
    /// The tree that a commit of the index would have; `None` where something was staged since the last one.
    pub(super) tree: Option<Vec<u8>>,
}

/// The length of an object's name. Repositories with longer ones are left to git.
const ID: usize = 20;
/// Times, numbers, mode, owner and size, the object's name, flags.
const FIXED: usize = 40 + ID + 2;

const UNWATCHED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const LENGTH: u16 = 0x0fff;
/// Of the second flags: not in the work tree on purpose; announced by `git add -N`.
const SKIPPED: u16 = 0x4000;
const ANNOUNCED: u16 = 0x2000;

const REGULAR: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;
const LINK: u32 = 0o120_000;

impl Index {
    /// `None` where there is anything in it that is not understood.
    pub(super) fn parse(whole: Vec<u8>) -> Option<Self> {
        let bytes = whole.as_slice();
        let version =
            word(bytes, 4).filter(|version| bytes.starts_with(b"DIRC") && (2..=4).contains(version))?;
        let is_shortened = version == 4;
        let count = usize::try_from(word(bytes, 8)?).ok()?;
        // Each takes that much at least; a larger number is made up.
        let mut entries = Vec::with_capacity(count.min(bytes.len() / FIXED));
        let mut names: Vec<u8> = Vec::new();
        let mut at = 12;
        let mut before = (0, 0);
        for _ in 0..count {
            let (entry, after) = entry(bytes, at, is_shortened.then_some(&mut names), before)?;
            let all = if is_shortened { names.as_slice() } else { bytes };
            // They are in order, or it is not an index.
            if before.1 > 0 && all[before.0..before.1] >= all[entry.path.0..entry.path.1] {
                return None;
            }
            (at, before) = (after, entry.path);
            entries.push(entry);
        }
        let end = bytes.len().checked_sub(ID)?;
        let mut tree = None;
        extensions(bytes.get(at..end)?, &mut tree)?;
        Some(Self { bytes: whole, names, is_shortened, entries, tree })
    }

    pub(super) fn path(&self, entry: &Entry) -> &[u8] {
        let all = if self.is_shortened { &self.names } else { &self.bytes };
        &all[entry.path.0..entry.path.1]
    }

    pub(super) fn look(&self, entry: &Entry) -> Look {
        Look::of(&self.bytes[entry.at..])
    }

    /// The name of its contents.
    pub(super) fn id(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.at + 40..entry.at + 40 + ID]
    }

    /// Whether a file on disk is of the kind that git remembers: a file, and one that can be run or not.
    #[cfg(unix)]
    pub(super) fn is_file(&self, entry: &Entry, meta: &std::fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let mode = if meta.mode() & 0o100 == 0 { REGULAR } else { EXECUTABLE };
        meta.is_file() && self.look(entry).mode == mode
    }

    /// The file of this path, if git looks after it.
    pub(super) fn find(&self, path: &[u8]) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| self.path(entry).cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// Whether git looks after anything in a folder of this path.
    pub(super) fn has_below(&self, folder: &[u8]) -> bool {
        let stem = [folder, b"/"].concat();
        let at = self.entries.partition_point(|entry| self.path(entry) < stem.as_slice());
        self.entries.get(at).is_some_and(|entry| self.path(entry).starts_with(&stem))
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

impl Look {
    /// The fields that an entry begins with.
    fn of(fields: &[u8]) -> Self {
        let field = |number: usize| {
            let at = 4 * number;
            u32::from_be_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]])
        };
        // Device numbers are not compared, by git neither: they change from one start of a machine to the next.
        Self {
            changed: (field(0), field(1)),
            written: (field(2), field(3)),
            number: field(5),
            mode: field(6),
            owner: (field(7), field(8)),
            size: field(9),
        }
    }
}

/// The entry at this place, and where the next begins. A path that is shortened by what it has in common with the one before (`before`) is
/// added to the names.
fn entry(
    bytes: &[u8],
    at: usize,
    names: Option<&mut Vec<u8>>,
    before: (usize, usize),
) -> Option<(Entry, usize)> {
    let fixed: &[u8; FIXED] = bytes.get(at..at + FIXED)?.try_into().ok()?;
    let mode = word(bytes, at + 24)?;
    if ![REGULAR, EXECUTABLE, LINK].contains(&mode) {
        return None;
    }
    let flags = u16::from_be_bytes([fixed[FIXED - 2], fixed[FIXED - 1]]);
    if flags & STAGE != 0 {
        return None;
    }
    let mut name = at + FIXED;
    let mut more = 0;
    if flags & EXTENDED != 0 {
        more = half(bytes, name).filter(|more| more & ANNOUNCED == 0)?;
        name += 2;
    }
    let (path, after) = if let Some(names) = names {
        let start = names.len();
        let after = shortened(bytes, name, names, before)?;
        ((start, names.len()), after)
    } else {
        let rest = bytes.get(name..)?;
        let length = match usize::from(flags & LENGTH) {
            0xfff => rest.iter().position(|byte| *byte == 0)?,
            length => length,
        };
        rest.get(..length)?;
        // Padded with one to eight NULs to a multiple of eight.
        ((name, name + length), at + (name + length - at + 8) / 8 * 8)
    };
    let unwatched = flags & UNWATCHED != 0 || more & SKIPPED != 0;
    (path.0 < path.1).then_some((Entry { path, at, unwatched }, after))
}

/// A name of version 4: so many bytes less of the one before it, then the rest up to a NUL.
fn shortened(bytes: &[u8], at: usize, names: &mut Vec<u8>, before: (usize, usize)) -> Option<usize> {
    let (mut at, mut less) = (at, 0_usize);
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        less = less.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            break;
        }
        less += 1;
    }
    let kept = (before.1 - before.0).checked_sub(less)?;
    names.extend_from_within(before.0..before.0 + kept);
    let rest = bytes.get(at..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    names.extend_from_slice(&rest[..end]);
    Some(at + end + 1)
}

/// Takes the tree of the whole index from the extension that remembers trees. `None` where there is an extension without which the
/// index cannot be understood: git writes those in small letters.
fn extensions(mut rest: &[u8], tree: &mut Option<Vec<u8>>) -> Option<()> {
    while !rest.is_empty() {
        let name = rest.get(..4)?;
        let length = usize::try_from(word(rest, 4)?).ok()?;
        let content = rest.get(8..8_usize.checked_add(length)?)?;
        match name {
            b"TREE" => *tree = remembered(content),
            name if name[0].is_ascii_lowercase() => return None,
            _ => {}
        }
        rest = &rest[8 + length..];
    }
    Some(())
}

/// The first entry stands for the root: an empty name, how many files it has (below zero where that is no longer known), how many
/// folders, and its object.
fn remembered(content: &[u8]) -> Option<Vec<u8>> {
    let rest = content.strip_prefix(b"\0")?;
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    (!rest.starts_with(b"-")).then(|| rest.get(line + 1..line + 1 + ID).map(<[u8]>::to_vec))?
}
