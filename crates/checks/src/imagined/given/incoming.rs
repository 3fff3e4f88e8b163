//! The part of a case's world that files bring: `archives = { "a.tgz" = { "src/a.py" = "text", "y" = "-> target" } }`, made here in the
//! format that the name asks for, and `versions = { side = { "src/a.py" = "text", "old.py" = false } }`, what differs there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use model::{Incoming, Unknown, What};

use toml::Value;

#[derive(Debug, Default)]
pub(in crate::imagined) struct Given {
    pub(in crate::imagined) bytes: BTreeMap<PathBuf, Vec<u8>>,
    pub(in crate::imagined) versions: BTreeMap<String, Result<Vec<Incoming>, Unknown>>,
}

impl Given {
    /// The files that are there then.
    pub(in crate::imagined) fn archives(
        &mut self,
        value: &Value,
        place: impl Fn(&str) -> PathBuf,
    ) -> Vec<PathBuf> {
        for (name, content) in value.as_table().into_iter().flatten() {
            self.bytes.insert(place(name), archive(name, &members(content)));
        }
        self.bytes.keys().cloned().collect()
    }

    /// A text instead of a table says why it cannot be read.
    pub(in crate::imagined) fn versions(&mut self, value: &Value) {
        for (name, content) in value.as_table().into_iter().flatten() {
            let why = content.as_str().map(|why| Unknown(why.to_owned()));
            self.versions.insert(name.clone(), why.map_or_else(|| Ok(members(content)), Err));
        }
    }
}

fn members(content: &Value) -> Vec<Incoming> {
    let member = |(name, value): (&String, &Value)| {
        let what = match value.as_str() {
            None => What::Gone,
            Some(text) => match text.strip_prefix("-> ") {
                Some(target) => What::Link(target.to_owned()),
                None if name.ends_with('/') => What::Folder,
                None => What::File(Some(text.to_owned())),
            },
        };
        Incoming { name: name.clone(), what }
    };
    content.as_table().into_iter().flatten().map(member).collect()
}

/// An archive in the format of its name; a format that nobody here reads is some bytes that begin as it does.
fn archive(name: &str, members: &[Incoming]) -> Vec<u8> {
    let ends = |ending: &str| name.ends_with(ending);
    if ends(".tar") {
        tar(members)
    } else if ends(".tgz") || ends(".tar.gz") {
        gzip(&tar(members))
    } else if ends(".zip") || ends(".jar") || ends(".whl") {
        zip(members)
    } else if ends(".cpio") {
        cpio(members)
    } else {
        b"\xfd7zXZ\0 and so on".to_vec()
    }
}

fn content(what: &What) -> &[u8] {
    match what {
        What::File(Some(text)) => text.as_bytes(),
        _ => &[],
    }
}

fn tar(members: &[Incoming]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Incoming { name, what } in members {
        let mut header = [0; 512];
        let content = content(what);
        let (kind, link) = match what {
            What::Link(to) => (b'2', to.as_str()),
            What::Twin(to) => (b'1', to.as_str()),
            What::Folder => (b'5', ""),
            _ => (b'0', ""),
        };
        header[..name.len().min(100)].copy_from_slice(&name.as_bytes()[..name.len().min(100)]);
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = kind;
        header[157..157 + link.len().min(100)].copy_from_slice(&link.as_bytes()[..link.len().min(100)]);
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
        bytes.extend(header);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// Not made smaller: the format lets one store what it is.
fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let mut parts = plain.chunks(0xffff).peekable();
    while let Some(part) = parts.next() {
        let length = u16::try_from(part.len()).unwrap_or_default();
        bytes.push(u8::from(parts.peek().is_none()));
        bytes.extend(length.to_le_bytes());
        bytes.extend((!length).to_le_bytes());
        bytes.extend(part);
    }
    bytes.extend([0; 8]);
    bytes
}

fn zip(members: &[Incoming]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let word = |number: usize| u32::try_from(number).unwrap_or_default().to_le_bytes();
    let half = |number: usize| u16::try_from(number).unwrap_or_default().to_le_bytes();
    for Incoming { name, what } in members {
        let (content, mode) = match what {
            What::Link(to) => (to.as_bytes(), 0o120_777_u32),
            what => (content(what), 0o100_644),
        };
        let at = bytes.len();
        let sizes = [word(0), word(content.len()), word(content.len())].concat();
        bytes.extend([b"PK\x03\x04".as_slice(), &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sizes].concat());
        bytes.extend([half(name.len()), half(0)].concat());
        bytes.extend([name.as_bytes(), content].concat());
        directory
            .extend([b"PK\x01\x02".as_slice(), &[20, 3, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sizes].concat());
        directory.extend([half(name.len()), half(0), half(0), half(0), half(0)].concat());
        directory.extend([(mode << 16).to_le_bytes(), word(at)].concat());
        directory.extend(name.as_bytes());
    }
    let at = bytes.len();
    bytes.extend(&directory);
    bytes.extend([b"PK\x05\x06".as_slice(), &[0; 4], &half(members.len()), &half(members.len())].concat());
    bytes.extend([word(directory.len()), word(at)].concat());
    bytes.extend(half(0));
    bytes
}

fn cpio(members: &[Incoming]) -> Vec<u8> {
    let last = Incoming { name: "TRAILER!!!".into(), what: What::Folder };
    let mut bytes = Vec::new();
    for Incoming { name, what } in members.iter().chain([&last]) {
        let (content, mode) = match what {
            What::Link(to) => (to.as_bytes(), 0o120_777),
            What::Folder => (&[][..], 0o040_755),
            what => (content(what), 0o100_644),
        };
        let mut fields = [0; 13];
        (fields[1], fields[6], fields[11]) = (mode, content.len(), name.len() + 1);
        bytes.extend(b"070701");
        bytes.extend(fields.iter().flat_map(|field| format!("{field:08x}").into_bytes()));
        bytes.extend(name.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}
