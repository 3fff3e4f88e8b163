//! Names in a patch, and what becomes of the files: unified and context diffs, git's extended headers, `Index:` lines, patches in mails.
//! A diff in the body of another is none, so hunks are counted.

use super::{LONGEST_NAME, MOST_NAMES};

/// What one patch file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    pub files: Vec<FilePatch>,
    /// Every line that could matter was understood.
    pub whole: bool,
}

/// What it does to one file. Names are as they stand there, with whatever a `-p` takes away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePatch {
    pub old: Option<Name>,
    pub new: Option<Name>,
    /// The old name goes when the new one comes.
    pub renamed: bool,
    pub deleted: bool,
    pub created: bool,
    /// Texts before and after, hunk by hunk; none where they are not text.
    pub hunks: Vec<(String, String)>,
    pub binary: bool,
}

/// A name, and whether it has no `a/` or `b/` before it, as those in `rename from` have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub bare: bool,
}

/// What a file is held in until the next begins.
#[derive(Default)]
struct Reader {
    files: Vec<FilePatch>,
    current: FilePatch,
    /// The name in an `Index:` line.
    index: Option<String>,
    /// Its hunks have begun, so that a new name is another file's.
    begun: bool,
    git: bool,
    /// `*** old` was the last name, so `--- new` is the other side.
    context: bool,
    strange: bool,
}

/// The patch in a text.
pub fn read(text: &str) -> Patch {
    let mut reader = Reader::default();
    let mut lines = text.lines().map(|line| line.strip_suffix('\r').unwrap_or(line)).peekable();
    while let Some(line) = lines.next() {
        // A patch may be indented as a whole.
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let line = &line[indent..];
        if let Some((old, new)) = line.strip_prefix("@@ -").and_then(counts) {
            let hunk = hunk(&mut lines, indent, old, new);
            reader.strange |= hunk.is_none();
            reader.hunk(hunk.unwrap_or_default());
        } else {
            reader.header(line, indent);
        }
    }
    reader.flush();
    let encoded = is_encoded(text);
    let whole = !reader.strange && !encoded && !reader.files.is_empty() && reader.files.len() < MOST_NAMES;
    Patch { files: reader.files, whole }
}

/// A mail whose text is in another coding: lines are not what they seem.
fn is_encoded(text: &str) -> bool {
    text.lines().any(|line| {
        line.get(..26).is_some_and(|key| key.eq_ignore_ascii_case("content-transfer-encoding:"))
            && !["7bit", "8bit", "binary"].iter().any(|plain| line.to_ascii_lowercase().contains(plain))
    })
}

/// The lines of both sides in `12,3 +12,4 @@`.
fn counts(header: &str) -> Option<(u64, u64)> {
    let (old, rest) = header.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => range.parse::<u64>().ok().map(|_| 1),
    };
    Some((count(old)?, count(new)?))
}

/// Both texts of a hunk; `None` where it ends too early.
fn hunk<'a>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    indent: usize,
    mut old: u64,
    mut new: u64,
) -> Option<(String, String)> {
    let (mut before, mut after) = (String::new(), String::new());
    let push = |text: &mut String, line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    while old > 0 || new > 0 {
        let line = lines.next()?;
        let line = line.get(indent.min(line.len() - line.trim_start_matches([' ', '\t']).len())..)?;
        match line.as_bytes().first() {
            Some(b'-') => {
                old = old.checked_sub(1)?;
                push(&mut before, &line[1..]);
            }
            Some(b'+') => {
                new = new.checked_sub(1)?;
                push(&mut after, &line[1..]);
            }
            Some(b'\\') => {}
            first => {
                // Some editors take the blank of an empty line away.
                let rest = if first == Some(&b' ') { &line[1..] } else { line };
                if first.is_some_and(|byte| !matches!(byte, b' ' | b'\t')) {
                    return None;
                }
                (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?);
                push(&mut before, rest);
                push(&mut after, rest);
            }
        }
    }
    Some((before, after))
}

impl Reader {
    fn hunk(&mut self, hunk: (String, String)) {
        self.begun = true;
        self.current.hunks.push(hunk);
    }

    fn flush(&mut self) {
        let file = std::mem::take(&mut self.current);
        let named = |name: &str| [&file.old, &file.new].into_iter().flatten().any(|known| known.text == name);
        let index = self.index.take().filter(|name| !named(name));
        let nameless = file.old.is_none() && file.new.is_none();
        // A hunk for a file that is named elsewhere: on the command line, or nowhere.
        self.strange |= nameless && index.is_none() && self.begun;
        if let Some(name) = index {
            self.also(name);
        }
        if !nameless {
            self.push(file);
        }
        (self.begun, self.git, self.context) = (false, false, false);
    }

    fn push(&mut self, file: FilePatch) {
        if self.files.len() < MOST_NAMES {
            self.files.push(file);
        }
    }

    /// A file that some programs would take this for.
    fn also(&mut self, text: String) {
        let new = Some(Name { text, bare: false });
        self.push(FilePatch { new, binary: true, ..FilePatch::default() });
    }

    fn header(&mut self, line: &str, indent: usize) {
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.flush();
            self.git = true;
            // Where they cannot be told apart, they follow on lines of their own.
            if let Some((old, new)) = both_names(names) {
                self.current.old = Some(Name { text: old, bare: false });
                self.current.new = Some(Name { text: new, bare: false });
            }
        } else if !(self.git && indent == 0 && !self.begun && self.extended(line)) {
            self.plain(line);
        }
    }

    /// What git says besides; whether this line was one of those.
    fn extended(&mut self, line: &str) -> bool {
        let bare = |text: &str| quoted(text).map(|text| Name { text, bare: true });
        if let Some(name) = line.strip_prefix("rename from ") {
            (self.current.old, self.current.renamed) = (bare(name), true);
        } else if let Some(name) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to ")) {
            self.current.new = bare(name);
        } else if line.starts_with("copy from ") {
            // What is copied stays as it is.
            self.current.old = None;
        } else if line.starts_with("deleted file mode") {
            self.current.deleted = true;
        } else if line.starts_with("new file mode") {
            self.current.created = true;
        } else if line == "GIT binary patch" || line.starts_with("Binary files ") {
            self.current.binary = true;
        } else {
            return false;
        }
        true
    }

    fn plain(&mut self, line: &str) {
        let (side, rest) = if let Some(rest) = line.strip_prefix("--- ") {
            (if self.context { Side::New } else { Side::Old }, rest)
        } else if let Some(rest) = line.strip_prefix("+++ ") {
            (Side::New, rest)
        } else if let Some(rest) = line.strip_prefix("*** ") {
            (Side::Old, rest)
        } else if let Some(rest) = line.strip_prefix("Index: ") {
            (Side::Index, rest)
        } else {
            return;
        };
        // `*** 1,3 ****` and `--- 1,3 ----` are the two halves of a hunk in a context diff.
        if rest.ends_with(" ****") || rest.ends_with(" ----") {
            self.begun = true;
            // Their lines are not taken apart here.
            self.current.binary = true;
        } else if rest.len() > LONGEST_NAME {
            self.strange = true;
        } else {
            self.name(side, rest);
            self.context = line.starts_with("*** ");
        }
    }

    fn name(&mut self, side: Side, rest: &str) {
        let named = self.current.old.is_some() || self.current.new.is_some();
        let another = !self.git && named && side != Side::New || side == Side::Index;
        if self.begun || another {
            self.flush();
        }
        let mut names = spellings(rest);
        let Some(first) = names.next() else { return };
        for other in names {
            self.also(other);
        }
        if first == "/dev/null" {
            match side {
                Side::Old => self.current.created = true,
                _ => self.current.deleted = true,
            }
            return;
        }
        let slot = match side {
            Side::Old => &mut self.current.old,
            Side::New => &mut self.current.new,
            Side::Index => {
                self.index = Some(first);
                return;
            }
        };
        match slot {
            // Git has said it already, and checks that it is the same.
            Some(known) if known.text == first || known.bare => {}
            _ => {
                let before = slot.replace(Name { text: first, bare: false });
                if let Some(before) = before {
                    self.also(before.text);
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
    Index,
}

/// The name in a header line: up to the tab before a date, and where there is none, as some programs end it at the first blank.
fn spellings(rest: &str) -> impl Iterator<Item = String> {
    let rest = rest.trim_end();
    let mut names = Vec::new();
    if rest.starts_with('"') {
        names.extend(quoted(rest));
    } else if let Some((name, _)) = rest.split_once('\t') {
        names.push(name.trim_end().to_owned());
    } else {
        let dated = rest.split_once("  ").map_or(rest, |(name, _)| name);
        names.push(dated.to_owned());
        if let Some((name, _)) = dated.split_once(' ') {
            names.push(name.to_owned());
        }
    }
    names.retain(|name| !name.is_empty());
    names.into_iter()
}

/// `a/x b/x`, where the names are the same but for their first part, or in quotes.
fn both_names(text: &str) -> Option<(String, String)> {
    let text = text.trim_end();
    if text.starts_with('"') || text.ends_with('"') {
        let (old, rest) = match text.strip_prefix('"') {
            Some(inner) => {
                let end = closing(inner)?;
                (quoted(&text[..end + 2])?, text[end + 2..].trim_start())
            }
            None => {
                let at = text.find(" \"")?;
                (text[..at].to_owned(), &text[at + 1..])
            }
        };
        return Some((old, quoted(rest)?));
    }
    // Names may have blanks, so the middle is where both sides agree.
    let same = |old: &str, new: &str| {
        let tail = |name: &str| name.split_once('/').map(|(_, tail)| tail.to_owned());
        old == new || tail(old).is_some() && tail(old) == tail(new)
    };
    let blanks = text.match_indices(' ').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let (old, new) = blanks.into_iter().take(LONGEST_NAME).find(|(old, new)| same(old, new))?;
    Some((old.to_owned(), new.to_owned()))
}

/// Where a text in quotes ends, from after its first one.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// A name as git quotes it: `"a/\303\244\t"`; without quotes it is itself.
fn quoted(text: &str) -> Option<String> {
    let Some(inner) = text.strip_prefix('"') else { return Some(text.trim_end().to_owned()) };
    let inner = &inner.as_bytes()[..closing(inner)?];
    let mut bytes = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        at += 1;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let next = *inner.get(at)?;
        at += 1;
        bytes.push(match next {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'0'..=b'3' => {
                let digits = inner.get(at - 1..at + 2)?;
                at += 2;
                let value =
                    std::str::from_utf8(digits).ok().and_then(|text| u8::from_str_radix(text, 8).ok());
                value?
            }
            other => other,
        });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A name without its first parts; `None` where it has no more of them. Several slashes in a row are one.
pub(crate) fn strip(name: &str, count: usize) -> Option<&str> {
    let mut rest = name;
    for _ in 0..count {
        rest = rest.split_once('/')?.1.trim_start_matches('/');
    }
    Some(rest).filter(|rest| !rest.is_empty())
}
