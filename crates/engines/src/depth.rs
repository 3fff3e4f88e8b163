//! Texts that are nested as no honest one is. Parsers follow brackets, quotes and lists by calling themselves, and one that runs
//! out of stack takes the whole process with it.

/// Far more than people and programs write; a tenth of what the smallest stack takes.
pub(crate) const MOST: usize = 500;

/// Of Python: working out the type of a list in a list a hundred times takes seconds.
pub(crate) const MOST_OF_PYTHON: usize = 60;

/// What no stack takes, however the lines begin.
const MOST_OF_ALL: usize = 5000;

/// Whether brackets, or the marks at the beginning of a line, lie within each other too often. Brackets in strings and comments count too:
/// it is a first look. So that a few of those in each part of a long file do not add up, a line that begins with a letter begins anew.
pub(crate) fn is_deep(text: &str, most: usize) -> bool {
    // Each level needs a character to open it.
    if text.len() <= most {
        return false;
    }
    let (mut all, mut open, mut marks) = (0_usize, 0_usize, 0_usize);
    let (mut beginning, mut first) = (true, true);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => (all, open) = (all + 1, open + 1),
            b')' | b']' | b'}' => (all, open) = (all.saturating_sub(1), open.saturating_sub(1)),
            _ if first && byte.is_ascii_alphanumeric() => open = 0,
            _ => {}
        }
        first = byte == b'\n';
        match byte {
            b'\n' => (marks, beginning) = (0, true),
            b'>' | b'-' | b'*' | b'+' | b'?' | b':' if beginning => marks += 1,
            b' ' | b'\t' => {}
            _ => beginning = false,
        }
        if open > most || all > MOST_OF_ALL || (marks > most && beginning && byte == b' ') {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_writes_is_deep() {
        let deep = [
            "[".repeat(1000),
            format!("x = {}1{}", "(".repeat(1000), ")".repeat(1000)),
            "{\"a\":".repeat(1000),
            format!("{}deep", "> ".repeat(1000)),
            format!("{}deep", "- ".repeat(1000)),
            "a[\n".repeat(6000),
        ];
        for text in &deep {
            assert!(is_deep(text, MOST), "{}", &text[..20]);
        }
        let plain = [
            "x = [1, 2, 3]\n".repeat(1000),
            format!("# {}\n\ntext\n", "-".repeat(2000)),
            format!("{}\n", "-".repeat(3000)),
            "- a\n  - b\n".repeat(1000),
            "a(b)(c)".repeat(2000),
            // Open ones in strings and comments.
            "print(\"(\")\n".repeat(300),
        ];
        for text in &plain {
            assert!(!is_deep(text, MOST_OF_PYTHON), "{}", &text[..20]);
        }
    }
}
