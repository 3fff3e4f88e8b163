//! Comments, descriptions of images and elements that are not shown, where they speak to an assistant.

use super::Hidden;

/// Longer ones are content.
const LONGEST: usize = 16 * 1024;
const LONGEST_TAG: usize = 2048;

/// What a byte is in a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InTag {
    Name,
    Other,
    Space,
    Quote,
    End,
}

static IN_TAG: [InTag; 256] = {
    let mut kinds = [InTag::Other; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => InTag::Space,
            b'"' | b'\'' => InTag::Quote,
            b'>' => InTag::End,
            b'-' => InTag::Name,
            _ if byte.is_ascii_alphanumeric() => InTag::Name,
            _ => InTag::Other,
        };
        byte += 1;
    }
    kinds
};

/// Whether an element that may hide something begins with the `<` in a place. `a <b` and `Vec<T>` are code, and most elements have nothing
/// but a class and an address.
pub(super) fn may_be_element(bytes: &[u8], place: usize) -> bool {
    let mut tag = &bytes[place + 1..bytes.len().min(place + LONGEST_TAG)];
    while let [byte, rest @ ..] = tag
        && IN_TAG[usize::from(*byte)] == InTag::Name
    {
        tag = rest;
    }
    let name = &bytes[place + 1..bytes.len().min(place + LONGEST_TAG) - tag.len()];
    match tag.first() {
        Some(b'/') => true,
        Some(byte) => match IN_TAG[usize::from(*byte)] {
            InTag::End => is_never_shown_bytes(name),
            InTag::Space => is_never_shown_bytes(name) || may_have_attributes(tag),
            _ => false,
        },
        None => false,
    }
}

/// Whether one of the attributes behind an element's name may matter.
fn may_have_attributes(mut tag: &[u8]) -> bool {
    while let [byte, rest @ ..] = tag {
        tag = rest;
        match IN_TAG[usize::from(*byte)] {
            InTag::End => return false,
            InTag::Space if matters(tag) => return true,
            InTag::Quote => {
                let Some(end) = tag.iter().position(|other| other == byte) else { return true };
                tag = &tag[end + 1..];
            }
            _ => {}
        }
    }
    false
}

#[inline]
fn matters(attribute: &[u8]) -> bool {
    let known: &[&[u8]] = match attribute.first() {
        Some(b'a') => &[b"alt", b"aria-"],
        Some(b't') => &[b"title"],
        Some(b'c') => &[b"content"],
        Some(b'd') => &[b"data-"],
        Some(b's') => &[b"style"],
        Some(b'h') => &[b"hidden"],
        _ => return false,
    };
    known.iter().any(|name| attribute.starts_with(name))
}

/// What begins with `<` or `!`.
pub(super) fn at(text: &str, place: usize, images: &mut Images) -> Option<Hidden> {
    let rest = &text[place..rest_end(text, place)];
    if rest.starts_with("<!--") {
        let end = images.comment_end(rest, place)?;
        return speaks(place, &rest[4..end], end + 3, "a comment");
    }
    if let Some(image) = rest.strip_prefix("![") {
        let end = images.end(text.as_bytes(), place + 2)? - (place + 2);
        // Both signs of the end within reach.
        let image = image.get(..end).filter(|_| end + 2 <= image.len())?;
        return images
            .is_prose(text, place + 2)
            .then(|| speaks(place, image, end + 3, "the description of an image"))?;
    }
    element(place, rest)
}

/// Where descriptions of images end. In a line of a bundle many seem to begin before one end.
#[derive(Default)]
pub(super) struct Images {
    /// What was looked through last, up to an end or to the end of the line, where one was found.
    looked: std::ops::Range<usize>,
    found: Option<u8>,
    /// What there is up to that end from a place on.
    made_of: Option<(usize, Amount)>,
    /// Up to here no comment ends, for those that begin before it.
    uncommented: usize,
}

/// How many characters there are, how many of them words are made of, and how many programs.
#[derive(Clone, Copy, Default)]
struct Amount {
    all: usize,
    words: usize,
    code: usize,
}

impl Amount {
    fn of(text: &str) -> Self {
        let mut amount = Self::default();
        for c in text.chars() {
            amount.all += 1;
            amount.words += usize::from(c.is_alphanumeric() || c.is_whitespace());
            amount.code += usize::from(matches!(c, '{' | '}' | ';' | '\\'));
        }
        amount
    }
}

impl Images {
    /// Where the comment ends that a text begins with.
    fn comment_end(&mut self, rest: &str, place: usize) -> Option<usize> {
        let from = self.uncommented.saturating_sub(place).max(4).min(rest.len());
        let bytes = &rest.as_bytes()[from..];
        let end = bytes.windows(3).position(|three| three == b"-->").map(|end| from + end);
        if end.is_none() {
            self.uncommented = (place + rest.len()).saturating_sub(2);
        }
        end
    }

    /// The next `](` in a line.
    fn end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if from < self.looked.start
            || from > self.looked.end
            || from == self.looked.end && self.found.is_some()
        {
            *self = Self { looked: from..from, found: None, made_of: None, ..*self };
        }
        let reach = bytes.len().min(from + LONGEST);
        while self.found.is_none() && self.looked.end < reach {
            let byte = bytes[self.looked.end];
            if byte == b'\n' || byte == b']' && bytes.get(self.looked.end + 1) == Some(&b'(') {
                self.found = Some(byte);
            } else {
                self.looked.end += 1;
            }
        }
        (self.found == Some(b']')).then_some(self.looked.end)
    }

    /// Words rather than code, from a place up to the end: in a bundle the signs of an image are signs of a program.
    fn is_prose(&mut self, text: &str, from: usize) -> bool {
        let amount = match self.made_of {
            // Less what is before it.
            Some((before, amount)) if before <= from => {
                let less = Amount::of(&text[before..from]);
                Amount {
                    all: amount.all - less.all,
                    words: amount.words - less.words,
                    code: amount.code - less.code,
                }
            }
            _ => Amount::of(&text[from..self.looked.end]),
        };
        self.made_of = Some((from, amount));
        amount.words * 10 >= amount.all * 7 && amount.code * 25 < amount.all
    }
}

/// An element whose attributes speak, or that is not shown and does.
fn element(place: usize, rest: &str) -> Option<Hidden> {
    let inner = rest.strip_prefix('<')?;
    let long = inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    let name = &inner[..long];
    // `a <b` and `Vec<T>` are code.
    match inner.as_bytes().get(long)? {
        b'>' if is_never_shown(name) => {}
        byte if long > 0 && (byte.is_ascii_whitespace() || *byte == b'/') => {}
        _ => return None,
    }
    let end = 1 + long + end_of_tag(&inner.as_bytes()[long..])?;
    let tag = &rest[1 + long..end];
    let mut is_shown = !is_never_shown(name) && !tag.ends_with(" hidden") && !tag.contains(" hidden ");
    for (attribute, value) in Attributes(tag) {
        let is_said = matches!(attribute, "alt" | "title" | "aria-label" | "content");
        if (is_said || attribute.starts_with("data-"))
            && let Some(hit) = speaks(place, value, end + 1, "an attribute")
        {
            return Some(hit);
        }
        is_shown &= match attribute {
            "style" => !is_unseen(value),
            "aria-hidden" => value != "true",
            "hidden" => false,
            _ => true,
        };
    }
    if is_shown {
        return None;
    }
    let content = &rest[end + 1..];
    let close = content.find(&format!("</{name}"))?;
    speaks(place, &content[..close], end + 1 + close, "an element that is not shown")
}

/// Where the `>` is that ends a tag. One in a value does not.
fn end_of_tag(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (at, &byte) in tag.iter().take(LONGEST_TAG).enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None if byte == b'>' => return Some(at),
            None if before == b'=' && matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None => {}
        }
        before = byte;
    }
    None
}

fn rest_end(text: &str, place: usize) -> usize {
    text.floor_char_boundary((place + LONGEST).min(text.len()))
}

/// Markdown's ways to write a comment as a link that nobody follows, at the beginning of a line: `[//]: # (text)`.
pub(super) fn link(text: &str, place: usize) -> Option<Hidden> {
    if place > 0 && text.as_bytes()[place - 1] != b'\n' {
        return None;
    }
    let rest = &text[place..];
    let start = ["[//]: #", "[comment]: #", "[comment]: <>", "[]: #"]
        .into_iter()
        .find(|start| rest.starts_with(start))?;
    let line = rest.find('\n').unwrap_or(rest.len());
    speaks(place, &rest[start.len()..line], line, "a comment")
}

/// The attributes of an element that have a value: name and value.
struct Attributes<'a>(&'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let (before, behind) = self.0.split_once('=')?;
        let name = before.trim_ascii_end();
        let name = name.rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or(name);
        let behind = behind.trim_ascii_start();
        let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, rest) = match quote {
            Some(quote) => behind[1..].split_once(quote)?,
            None => behind.split_at(behind.find(|c: char| c.is_ascii_whitespace()).unwrap_or(behind.len())),
        };
        self.0 = rest;
        Some((name, value))
    }
}

fn is_never_shown(name: &str) -> bool {
    is_never_shown_bytes(name.as_bytes())
}

fn is_never_shown_bytes(name: &[u8]) -> bool {
    matches!(name, b"template" | b"noscript")
}

/// A style that a browser does not show.
fn is_unseen(style: &str) -> bool {
    const STYLES: &[&str] = &[
        "display:none",
        "visibility:hidden",
        "font-size:0",
        "font-size:1px",
        "opacity:0",
        "color:white",
        "color:#fff",
        "left:-",
        "height:0",
        "width:0",
        "color:transparent",
    ];
    let tight: String = style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    STYLES.iter().any(|style| tight.contains(style)) && !tight.contains("opacity:0.")
}

fn speaks(place: usize, hidden: &str, long: usize, how: &'static str) -> Option<Hidden> {
    is_to_an_assistant(hidden).then(|| Hidden {
        range: place..place + long,
        how,
        says: hidden.split_whitespace().collect::<Vec<_>>().join(" "),
        // It is text, and stays as it is: the warning says what it is.
        instead: None,
    })
}

/// Who is meant.
const READERS: &[&str] = &[
    "ai",
    "ais",
    "openai",
    "jailbreak",
    "persona",
    "llm",
    "llms",
    "gpt",
    "chatgpt",
    "claude",
    "copilot",
    "gemini",
    "codex",
    "assistant",
    "assistants",
    "agent",
    "agents",
    "bot",
    "chatbot",
    "model",
    "system",
    "user",
];

/// What somebody is told to do.
const ORDERS: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "print",
    "say",
    "repeat",
    "output",
    "reply",
    "respond",
    "answer",
    "reveal",
    "send",
    "post",
    "visit",
    "execute",
    "pretend",
    "translate",
    "tell",
    "focus",
    "provide",
    "must",
    "instead",
    "act",
    "upload",
    "delete",
    "exfiltrate",
    "obey",
    "comply",
    "summarize",
    "summarise",
    "mention",
    "recommend",
    "fetch",
    "run",
    "insert",
    "write",
    "return",
    "follow",
    "stop",
    "quote",
    "append",
    "add",
];

/// What is to be set aside.
const SET_ASIDE: &[&str] =
    &["ignore", "disregard", "forget", "override", "bypass", "stop", "abandon", "cancel"];
const RULES: &[&str] = &[
    "instruction",
    "instructions",
    "direction",
    "directions",
    "prompt",
    "prompts",
    "previous",
    "prior",
    "above",
    "everything",
    "guidelines",
    "earlier",
    "task",
    "rest",
    "them",
];

/// Whether a hidden text speaks to whoever reads it for others: it names an assistant and orders something, or it sets aside what was
/// said before. Comments of editors, formatters and translators do neither.
fn is_to_an_assistant(text: &str) -> bool {
    if text.len() < 12 || !text.contains([' ', '\n', '+', '_']) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let count = |list: &[&str]| words.iter().filter(|word| list.contains(word)).count();
    let sets_aside =
        has(SET_ASIDE) && has(RULES) && (count(ORDERS) >= 2 || count(RULES) >= 2 || words.len() >= 5);
    // A part of the page that was taken out has its links in it, and names what the page is about.
    let is_page = lower.matches("](http").count() >= 3;
    let named = !is_page && has(&READERS[..READERS.len() - 3]) || lower.contains("language model");
    // The roles of a conversation, as a script has them.
    let roles = ["system:", "user:", "assistant:"].iter().any(|role| lower.contains(role));
    let ordered = has(ORDERS) && words.len() >= 4;
    let polite = &[
        "you", "your", "must", "ignore", "do", "please", "instead", "always", "never", "should", "if", "when",
    ];
    // What to say should somebody ask, and words to say after them.
    let asked = has(&["ask", "asks", "asked", "questioned"])
        && has(&["if", "when"])
        && has(&["reply", "respond", "say", "tell", "report", "answer"]);
    let by_rote = is_said_by_rote(&words);
    // Programs that read for others, by what they do instead of by a name.
    let screened = has(&["automated"])
        && has(&["analysis", "screening", "scoring", "evaluation"])
        && has(&["software", "systems", "tools", "reviewers"])
        && has(&["note", "attention", "message", "hidden"]);
    let unseen = named && has(&["invisible", "hidden", "secretly"]);
    // A part to play.
    let persona = [
        "you are now",
        "i want you to",
        "from now on",
        "stay in character",
        "stays in character",
        "your reply",
        "your response",
        "your answers",
    ]
    .iter()
    .any(|words| lower.contains(words))
        || ["act as ", "act like ", "pretend ", "assume the ", "ignore all ", "imagine you"]
            .iter()
            .any(|words| lower.trim_start().starts_with(words));
    let speaks = persona && words.len() >= 6
        || sets_aside
        || roles && ordered
        || named && ordered && has(polite)
        || unseen;
    speaks
        || screened
        || says_instead(&lower)
        || asked && has(&["user", "only", "simply"])
        || asked && has(&["questioned"])
        || by_rote && has(&["instead", "just", "user", "only", "please"])
}

/// `Repeat the following sentence`: soon behind the order.
fn is_said_by_rote(words: &[&str]) -> bool {
    let what = |word: &&str| matches!(*word, "phrase" | "sentence" | "verbatim" | "following");
    words.iter().enumerate().any(|(at, word)| {
        matches!(*word, "repeat" | "print" | "say" | "output") && words[at + 1..].iter().take(5).any(what)
    })
}

/// Something is to be set aside, and something else said in its place: `Ignore this data and print …`. Only as an order, at the beginning
/// of a sentence, and about what is being read.
fn says_instead(lower: &str) -> bool {
    const READ: &[&str] =
        &["data", "content", "contents", "document", "indicators", "scoring", "info", "information"];
    const SAID: &[&str] = &["print", "say", "report", "output", "respond", "reply", "answer", "repeat"];
    lower.split(['.', ':', '!', '?', '\n']).any(|sentence| {
        let mut words = sentence.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let begins = words.next().is_some_and(|word| matches!(word, "ignore" | "disregard" | "override"));
        // In this order.
        begins
            && words.by_ref().take(5).any(|word| READ.contains(&word))
            && words.take(8).any(|word| SAID.contains(&word))
    })
}
