//! Whether characters look as if a machine had made them, or a writer of documentation.

/// What a run of characters is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looks {
    pub(super) len: usize,
    pub(super) digits: usize,
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) distinct: u32,
    /// How often figures, capitals and small letters take turns.
    pub(super) turns: usize,
}

impl Looks {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut looks = Self { len: text.len(), ..Self::default() };
        let mut seen = 0_u128;
        let mut before = 0;
        for &byte in text {
            seen |= 1 << (byte & 127);
            let class = match byte {
                b'0'..=b'9' => {
                    looks.digits += 1;
                    1
                }
                b'A'..=b'Z' => {
                    looks.upper += 1;
                    2
                }
                b'a'..=b'z' => {
                    looks.lower += 1;
                    3
                }
                _ => 0,
            };
            looks.turns += usize::from(class != 0 && before != 0 && class != before);
            if class != 0 {
                before = class;
            }
        }
        looks.distinct = seen.count_ones();
        looks
    }

    /// Figures among letters, or capitals among small letters. `figureless` keys have only letters.
    pub(super) fn is_mixed(&self, figureless: bool) -> bool {
        let cases = self.upper >= 3 && self.lower >= 3;
        let varied = self.distinct >= if self.len < 12 { 4 } else { 6 };
        // No word has thirty letters.
        let long = figureless && self.len >= 30 && self.distinct >= 10;
        varied
            && (long
                || self.digits >= 2
                || self.digits == 1 && self.upper + self.lower >= 3
                || cases && self.turns >= 6)
    }

    /// The same beyond doubt: nobody names a thing like that.
    pub(super) fn is_made(&self) -> bool {
        let letters = self.upper + self.lower;
        let figures = self.digits >= 2 && letters >= 3 && self.turns * 5 >= self.len;
        // The humps of a name take turns less often.
        let cases = self.len >= 16 && self.upper >= 5 && self.lower >= 5 && self.turns * 5 >= self.len * 2;
        (figures || cases) && self.distinct as usize >= (self.len / 3).min(10)
    }

    /// Whether a value beside the name of a secret is one by its looks: long, and neither words nor numbers.
    pub(super) fn is_random(&self, text: &[u8]) -> bool {
        // What fingers make of the middle row of keys is short and has no capitals.
        let fumbled =
            self.len < 20 && (self.upper < 2 || self.lower < 2) && (self.digits < 4 || self.turns < 6);
        if self.len < 15 || self.distinct < 9 || fumbled {
            return false;
        }
        // One word of a machine's: nothing in it parts it.
        let whole = self.len >= 20
            && self.digits >= 2
            && self.turns >= 3
            && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
        let hex = self.len >= 24
            && text.iter().all(u8::is_ascii_hexdigit)
            && self.digits >= 4
            && self.upper + self.lower >= 4;
        let cases = self.len >= 20 && self.upper >= 4 && self.lower >= 4;
        hex || whole || self.is_made() && (self.digits >= 3 || cases)
    }
}

/// Words of those who write documentation and tests, small: no key that a machine has made holds one.
const WORDS: &[&str] = &[
    "example",
    "sample",
    "xxxx",
    "your",
    "placeholder",
    "redacted",
    "dummy",
    "changeme",
    "change-me",
    "change_me",
    "insert",
    "replace",
    "fake",
    "1234567",
    "abcdef",
    "qwerty",
    "0000000",
    "aaaaaaa",
    "deadbeef",
    "foobar",
    "..",
    "todo",
    "notreal",
    "not-a",
    "not_a",
    "secret",
    "password",
    "ssw0rd",
    "masked",
    "hidden",
    "lorem",
];

/// Keys that documentation uses: everybody has seen them.
const KNOWN: &[&str] = &[
    "eyJzdWIiOiIxMjM0NTY3ODkw",
    "eyJzb21lIjoicGF5bG9hZCJ9",
    "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    "2YotnFZFEjr1zCsicMWpAA",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "mF_9.B5f-4.1JqM",
    "kkk9d7dh3k39sjv7",
    "4eC39HqLyjWDarjtT1zdp7dc",
    // OAuth's own document.
    "dpf43f3p2l4k3l03",
    "hh5s93j4hdidpola",
    "hdhd0244k9j7ao03",
    "9djdj82h48djs9d2",
    "kd94hf93k423kf44",
    "nnch734d00sl2jdk",
    "pfkkdhi9sl3r4s00",
    "BQokikJOvBiI2HlWgH4olfQ2",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw",
];

/// Whether this is what documentation puts in a key's place.
pub(super) fn is_placeholder(text: &[u8]) -> bool {
    let has = |word: &str| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    // Long texts of a machine may hold four letters by chance.
    let words = if text.len() > 80 { &WORDS[..1] } else { WORDS };
    is_repeated(text)
        || words.iter().any(|word| has(word))
        || KNOWN.iter().any(|known| has(known))
        || is_said_in_base64(text)
}

/// `bWFydGluOnNlY3JldA==` is `martin:secret`, which nobody has as a password.
fn is_said_in_base64(text: &[u8]) -> bool {
    let Some(said) = decoded(text) else { return false };
    let plain = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    said.len() >= 8
        && said.iter().all(plain)
        && WORDS.iter().any(|word| said.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// What base64 stands for, in either alphabet, up to what fills it up.
pub(super) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.iter().take_while(|byte| **byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 255) as u8);
        }
    }
    Some(out)
}

/// A JSON web token that names nobody, nothing and no time: what documentation signs.
pub(super) fn is_empty_token(token: &[u8]) -> bool {
    const CLAIMS: &[&str] = &[
        "\"exp\"",
        "\"iat\"",
        "\"nbf\"",
        "\"iss\"",
        "\"sub\"",
        "\"aud\"",
        "\"jti\"",
        "\"nonce\"",
        "id\"",
        "role",
        "mail",
        "user",
        "scope",
    ];
    let said = token.split(|byte| *byte == b'.').nth(1).and_then(decoded);
    said.and_then(|said| String::from_utf8(said).ok()).is_some_and(|said| {
        said.len() < 64
            && said.starts_with('{')
            && said.ends_with('}')
            && !CLAIMS.iter().any(|claim| said.contains(claim))
    })
}

/// A point of the curve P-256, as the keys of web push are: the public half.
pub(super) fn is_public_point(value: &[u8]) -> bool {
    matches!(value.len(), 87 | 88) && decoded(value).is_some_and(|bytes| bytes.len() == 65 && bytes[0] == 4)
}

/// `NonEmptyString1600`: words with capitals, and a number behind them.
pub(super) fn is_type_name(value: &[u8]) -> bool {
    let digits = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let words = &value[..value.len() - digits];
    let mut humps = words.split_inclusive(u8::is_ascii_uppercase).skip(1).peekable();
    humps.peek().is_some()
        && words.iter().all(u8::is_ascii_alphabetic)
        // All but the last end with the capital of the next.
        && words.len() >= 4 * words.iter().filter(|byte| byte.is_ascii_uppercase()).count()
        && humps.all(|hump| hump.len() >= 3)
}

/// `"ImportToken": "import-token-5ott6ho5nts7bbcg"`: the handle of a thing is called after it, by all its words.
pub(super) fn says_its_name(name: &str, value: &str) -> bool {
    let mut words = 0;
    let mut rest = value.as_bytes();
    let mut before = b'_';
    for byte in name.bytes() {
        let starts =
            byte.is_ascii_uppercase() && before.is_ascii_lowercase() || !before.is_ascii_alphanumeric();
        before = byte;
        if !byte.is_ascii_alphanumeric() {
            continue;
        }
        words += usize::from(starts);
        while let [b'-' | b'_', behind @ ..] = rest {
            rest = behind;
        }
        match rest {
            [same, behind @ ..] if same.eq_ignore_ascii_case(&byte) => rest = behind,
            _ => return false,
        }
    }
    words >= 2
}

/// The same character six times, or the same half twice: fingers make that.
fn is_repeated(text: &[u8]) -> bool {
    let (first, second) = text.split_at(text.len() / 2);
    let same = text.len() >= 16 && first == second;
    same || text.windows(6).any(|six| six.iter().all(|byte| *byte == six[0]))
}
