//! Texts that are nested as no honest one is. Parsers follow brackets, quotes and lists by calling themselves, and one that runs
//! out of stack takes the whole process with it.

/// Far more than people and programs write; a tenth of what the smallest stack takes.
const MOST: usize = 500;

/// Whether brackets, or the marks at the beginning of a line, lie within each other too often. Brackets in strings count: it is a
/// first look, and a text that has hundreds of open ones is no loss.
pub(crate) fn is_deep(text: &str) -> bool {
    // Each level needs a character to open it.
    if text.len() <= MOST {
        return false;
    }
    let (mut open, mut marks, mut beginning) = (0_usize, 0_usize, true);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'\n' => (marks, beginning) = (0, true),
            b'>' | b'-' | b'*' | b'+' | b'?' | b':' if beginning => marks += 1,
            b' ' | b'\t' => {}
            _ => beginning = false,
        }
        if open > MOST || (marks > MOST && beginning && byte == b' ') {
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
        ];
        for text in &deep {
            assert!(is_deep(text), "{}", &text[..20]);
        }
        let plain = [
            "x = [1, 2, 3]\n".repeat(1000),
            format!("# {}\n\ntext\n", "-".repeat(2000)),
            format!("{}\n", "-".repeat(3000)),
            "- a\n  - b\n".repeat(1000),
            "a(b)(c)".repeat(2000),
        ];
        for text in &plain {
            assert!(!is_deep(text), "{}", &text[..20]);
        }
    }
}
