//! A first look at a document: what the rules about consistency compare with, and which lines are code.

/// The original compares with the first of its kind; the engine with the majority. So the first is looked for here.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// `dash`, `asterisk` or `plus`.
    pub(super) bullet: Option<&'static str>,
    /// `backtick` or `tilde`.
    pub(super) fence: Option<&'static str>,
    /// `fenced` or `indented`.
    pub(super) code: Option<&'static str>,
    /// Lines (from 1) that open a fence.
    pub(super) openings: Vec<usize>,
    /// Per line: inside of code or of the front matter.
    pub(super) hidden: Vec<bool>,
    /// The first line that has something to say: not blank, no front matter, no comment.
    pub(super) first: Option<usize>,
    /// Lines where a list with another marker follows one without a blank line.
    pub(super) colliding: Vec<usize>,
}

pub(super) fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    let mut fence: Option<(char, usize)> = None;
    let mut front = text.starts_with("---\n") || text.starts_with("---\r\n");
    let mut comment = false;
    // The last marker with its indentation, while its list goes on.
    let mut list: Option<(usize, char)> = None;
    let mut blank = true;
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let body = strip_quote(line);
        let indent = body.len() - body.trim_start().len();
        let content = body.trim();
        let mut hidden = true;
        if front {
            front = number == 1 || !matches!(content, "---" | "...");
        } else if let Some((mark, length)) = fence {
            let run = content.chars().take_while(|c| *c == mark).count();
            if run >= length && content.chars().all(|c| c == mark) {
                fence = None;
            }
        } else if let Some(opening) = opening(content) {
            fence = Some(opening);
            scan.openings.push(number);
            scan.fence.get_or_insert(if opening.0 == '`' { "backtick" } else { "tilde" });
            scan.code.get_or_insert("fenced");
            scan.first.get_or_insert(number);
        } else if content.is_empty() {
            hidden = false;
        } else if comment || content.starts_with("<!--") {
            comment = !content.contains("-->");
        } else if indent >= 4 && list.is_none() && blank {
            scan.code.get_or_insert("indented");
            scan.first.get_or_insert(number);
        } else {
            hidden = false;
            scan.first.get_or_insert(number);
            match bullet(content) {
                Some(mark) => {
                    scan.bullet.get_or_insert(match mark {
                        '-' => "dash",
                        '*' => "asterisk",
                        _ => "plus",
                    });
                    if !blank && list.is_some_and(|(at, before)| at == indent && before != mark) {
                        scan.colliding.push(number);
                    }
                    if list.is_none_or(|(at, _)| at >= indent) || list.is_some_and(|(at, _)| indent > at) {
                        list = Some((indent, mark));
                    }
                }
                None if blank && indent < 2 => list = None,
                None => {}
            }
        }
        blank = content.is_empty();
        scan.hidden.push(hidden);
    }
    scan
}

/// Without the marks of a quotation.
fn strip_quote(line: &str) -> &str {
    let mut line = line;
    while let Some(rest) = line.trim_start().strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
    }
    line
}

fn opening(content: &str) -> Option<(char, usize)> {
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = content.chars().take_while(|c| *c == mark).count();
    (length >= 3 && !(mark == '`' && content[length..].contains('`'))).then_some((mark, length))
}

/// The marker of a list item; `* * *` is a rule.
fn bullet(content: &str) -> Option<char> {
    let mark = content.chars().next().filter(|c| matches!(c, '-' | '*' | '+'))?;
    let rest = &content[1..];
    let rule = content.chars().all(|c| c == mark || c == ' ') && content.matches(mark).count() >= 3;
    (!rule && rest.starts_with([' ', '\t'])).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_kind_is_found() {
        let found =
            scan("---\na: 1\n---\n\n<!-- - x -->\n* * *\n\n~~~\n- no\n~~~\n\n- a\n+ b\n\n```sh\nx\n```\n");
        assert_eq!((found.bullet, found.fence, found.code), (Some("dash"), Some("tilde"), Some("fenced")));
        assert_eq!(found.openings, [8, 15]);
        assert_eq!(found.first, Some(6));
        assert_eq!(found.colliding, [13]);
        assert_eq!(scan("text\n\n    code\n").code, Some("indented"));
        assert_eq!(scan("- a\n\n    in the item\n").code, None);
    }
}
