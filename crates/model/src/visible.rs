//! Characters that do something to a terminal, or hide what a text says, made visible. Text of a project, an agent or a tool
//! reaches a screen only through here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with every control, bidirectional and zero-width character as `\u{202e}`. Tabs and line ends stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(may_begin) || !text.chars().any(is_unseen) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // The line end of another system.
            '\r' if chars.peek() == Some(&'\n') => {}
            _ if is_unseen(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.into()
}

/// The same inside of JSON, whose own way to write them means the character itself.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.bytes().any(may_begin) || !json.chars().any(is_unseen) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_unseen(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out.into()
}

/// The first character that makes a text look like another one: it turns the direction of writing around, or spells words that no
/// screen shows. Marks inside of emoji are neither.
pub fn disguise(text: &str) -> Option<char> {
    if text.is_ascii() {
        return None;
    }
    let mut flag = false;
    text.chars().find(|&c| {
        let tag = matches!(c, '\u{e0000}'..='\u{e007f}');
        // The flags of regions are spelled with tags.
        flag = c == '\u{1f3f4}' || flag && tag;
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') || tag && !flag
    })
}

/// Whether a character can begin with this byte that must not be shown as it is: nearly every text has none.
fn may_begin(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0b..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1 | 0xe2 | 0xe3 | 0xef | 0xf3)
}

fn is_unseen(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // C0, DEL, C1 and the soft hyphen.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' => true,
        // Fillers and marks without a shape.
        '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{3164}'
        | '\u{ffa0}' => true,
        // Of the two directions.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Zero-width, line separators, and the rest of that block.
        '\u{200b}'..='\u{200d}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_stays_and_what_is_not_is_written_out() {
        for (text, shown) in [
            ("plain, with\ttabs\nand lines", "plain, with\ttabs\nand lines"),
            ("Grüße, 漢字, 🦀, – “q” …", "Grüße, 漢字, 🦀, – “q” …"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{9b}2J\u{7f}\0", "\\u{9b}2J\\u{7f}\\u{0}"),
            ("over\rwritten, a\r\nline", "over\\u{d}written, a\nline"),
            ("a\u{202e}b\u{202c}c\u{2066}d\u{2069}", "a\\u{202e}b\\u{202c}c\\u{2066}d\\u{2069}"),
            ("l\u{200e}r\u{200f}a\u{61c}", "l\\u{200e}r\\u{200f}a\\u{61c}"),
            ("z\u{200b}w\u{feff}j\u{2060}s\u{2028}", "z\\u{200b}w\\u{feff}j\\u{2060}s\\u{2028}"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible(shown), shown);
        }
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({"a\u{202e}": "\u{9b}x\u{e0041}é\u{1b}"});
        let text = value.to_string();
        let shown = visible_json(&text);
        assert!(!shown.contains(['\u{202e}', '\u{9b}', '\u{e0041}']) && shown.contains('é'), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    /// The cheap test knows the first byte of every one of them.
    #[test]
    fn no_character_slips_through_the_cheap_test() {
        for c in ('\0'..=char::MAX).filter(|c| is_unseen(*c)) {
            let mut bytes = [0; 4];
            assert!(may_begin(c.encode_utf8(&mut bytes).as_bytes()[0]), "{c:?}");
        }
    }
}
