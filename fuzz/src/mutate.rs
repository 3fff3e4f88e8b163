//! Damage done to saved inputs, the same for the same seed. It knows no coverage; it makes up for that by knowing what hooks
//! are asked: half of what it does keeps the JSON whole and changes what it says.

/// Longer inputs are cut, except those that are meant to be too long.
const LARGEST: usize = 1024 * 1024;

/// Above what the hook reads at all.
const TOO_LARGE: usize = 16 * 1024 * 1024 + 1;

/// The words of a dictionary, by where they go.
#[derive(Debug, Default)]
struct Words {
    texts: Vec<Vec<u8>>,
    fields: Vec<Vec<u8>>,
    values: Vec<Vec<u8>>,
    /// Long texts are one of these, again and again.
    units: Vec<Vec<u8>>,
}

impl Words {
    fn read(dictionary: &str) -> Self {
        // The empty word is one too, and cannot be in the file.
        let mut words = Self { texts: vec![Vec::new()], fields: vec![Vec::new()], ..Self::default() };
        for line in dictionary.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (kind, word) = line.split_once('=').expect("a line of a dictionary is `kind=\"word\"`");
            let list = match kind {
                "text" => &mut words.texts,
                "field" => &mut words.fields,
                "value" => &mut words.values,
                "unit" => &mut words.units,
                _ => panic!("no kind of word: {line}"),
            };
            let word = word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
            list.push(unescape(word.expect("a word is in quotes")));
        }
        words
    }
}

/// Makes inputs out of others.
#[derive(Debug)]
pub struct Mutator {
    state: u64,
    corpus: Vec<Vec<u8>>,
    words: Words,
}

impl Mutator {
    pub fn new(seed: u64, corpus: Vec<Vec<u8>>, dictionary: &str) -> Self {
        Self { state: seed, corpus, words: Words::read(dictionary) }
    }

    /// The next input.
    pub fn make(&mut self) -> Vec<u8> {
        if self.below(20_000) == 0 {
            return repeated(b"{\"cwd\":\"", b"a", TOO_LARGE);
        }
        let mut bytes = self.saved();
        for _ in 0..=self.below(4) {
            self.damage(&mut bytes);
        }
        bytes.truncate(LARGEST);
        bytes
    }

    fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        match self.below(20) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.byte(),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + self.length()).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + self.length()).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                put(bytes, at, at, &copy);
            }
            5 => {
                let noise: Vec<u8> = (0..self.below(16)).map(|_| self.byte()).collect();
                put(bytes, at, at, &noise);
            }
            6 => {
                let other = self.saved();
                let from = self.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            7 => {
                let word = self.text();
                put(bytes, at, at, &word);
            }
            8 => {
                let deep = self.nested();
                put(bytes, at, at, &deep);
            }
            9..=12 => self.replace_string(bytes),
            13..=15 => self.replace_value(bytes),
            _ => self.add_field(bytes),
        }
    }

    /// Another text between two quotes: a path, an event, a field's name.
    fn replace_string(&mut self, bytes: &mut Vec<u8>) {
        let Some((start, end)) = self.string(bytes) else { return };
        let text = match self.below(10) {
            0 => self.long_text(),
            1 | 2 => self.field(),
            _ => self.text(),
        };
        put(bytes, start, end, &text);
    }

    /// Another value after a colon. Only short values are replaced whole; of a longer one the rest stays and breaks the JSON.
    fn replace_value(&mut self, bytes: &mut Vec<u8>) {
        let colons: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b':').take(1000).collect();
        if colons.is_empty() {
            return;
        }
        let start = colons[self.below(colons.len())] + 1;
        let length = bytes[start..]
            .iter()
            .position(|b| matches!(b, b',' | b'}' | b'\n'))
            .unwrap_or(bytes.len() - start);
        let value = self.value();
        put(bytes, start, start + length, &value);
    }

    /// One more field, at the beginning of an object. Where the object has it already, it is there twice.
    fn add_field(&mut self, bytes: &mut Vec<u8>) {
        let braces: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b'{').take(1000).collect();
        if braces.is_empty() {
            return;
        }
        let at = braces[self.below(braces.len())] + 1;
        let field = [b"\"", &self.field()[..], b"\":", &self.value(), b","].concat();
        put(bytes, at, at, &field);
    }

    fn value(&mut self) -> Vec<u8> {
        match self.below(12) {
            0 => self.nested(),
            1 => [b"\"", &self.long_text()[..], b"\""].concat(),
            2..=5 => {
                let at = self.below(self.words.values.len());
                self.words.values[at].clone()
            }
            _ => [b"\"", &self.text()[..], b"\""].concat(),
        }
    }

    fn text(&mut self) -> Vec<u8> {
        let at = self.below(self.words.texts.len());
        self.words.texts[at].clone()
    }

    fn field(&mut self) -> Vec<u8> {
        let at = self.below(self.words.fields.len());
        self.words.fields[at].clone()
    }

    fn nested(&mut self) -> Vec<u8> {
        // Around the limits of parsers (128), of recursion on the stack, and far beyond.
        let depth = *self.pick(&[2, 60, 126, 127, 128, 129, 1_000, 50_000]);
        let closed = self.below(2) * depth;
        let (open, close) =
            *self.pick(&[("[", "]"), ("{\"a\":", "}"), ("[{\"tool_input\":", "}]"), ("$(", ")"), ("(", ")")]);
        [open.repeat(depth), close.repeat(closed)].concat().into_bytes()
    }

    fn long_text(&mut self) -> Vec<u8> {
        let length = *self.pick(&[100, 100, 255, 256, 256, 1_000, 4_095, 4_096, 10_001, 300_000]);
        let at = self.below(self.words.units.len());
        let begin = *self.pick(&["", "", "/", "/home/user/project/", "~/", "git reset --hard; : "]);
        repeated(begin.as_bytes(), &self.words.units[at], length)
    }

    /// A string in the input, as the places after its first quote and of its last.
    fn string(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        let mut found = Vec::new();
        let mut open = None;
        let mut at = 0;
        while at < bytes.len() && found.len() < 1000 {
            match (bytes[at], open) {
                (b'\\', _) => at += 1,
                (b'"', None) => open = Some(at + 1),
                (b'"', Some(start)) => {
                    found.push((start, at));
                    open = None;
                }
                _ => {}
            }
            at += 1;
        }
        if found.is_empty() { None } else { Some(found[self.below(found.len())]) }
    }

    fn saved(&mut self) -> Vec<u8> {
        let at = self.below(self.corpus.len());
        self.corpus.get(at).cloned().unwrap_or_else(|| b"{}".to_vec())
    }

    fn length(&mut self) -> usize {
        let most = *self.pick(&[2, 8, 64, 1024]);
        self.below(most) + 1
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or(0)
    }

    /// `SplitMix64`: small, and good enough for this.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn repeated(begin: &[u8], unit: &[u8], length: usize) -> Vec<u8> {
    [begin, &unit.repeat(length / unit.len())].concat()
}

fn put(bytes: &mut Vec<u8>, start: usize, end: usize, text: &[u8]) {
    bytes.splice(start..end, text.iter().copied());
}

/// `\\`, `\"` and `\xNN` are all that libFuzzer knows.
fn unescape(word: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'\\', [b'x', a, b, tail @ ..]) => {
                let hex = |digit: &u8| {
                    char::from(*digit).to_digit(16).and_then(|n| u8::try_from(n).ok()).unwrap_or(0)
                };
                out.push(hex(a) * 16 + hex(b));
                tail
            }
            (b'\\', [next, tail @ ..]) => {
                out.push(*next);
                tail
            }
            _ => {
                out.push(*first);
                tail
            }
        };
    }
    out
}
