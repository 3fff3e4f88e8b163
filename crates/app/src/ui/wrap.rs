//! Lines that are wider than the screen, broken between words. Commands and paths are never broken inside.

/// Wider than this nobody reads with ease, however wide the screen is.
const WIDEST: usize = 100;

/// How wide text may be, for a terminal of so many columns. The last one stays free: some terminals break a line that fills it.
pub(crate) fn text_width(columns: usize) -> usize {
    columns.saturating_sub(1).clamp(20, WIDEST)
}

/// Each line broken so that it fits; what follows a break is indented as its line is, and by `hang` more. `is_mark` tells
/// characters that take no place on a screen.
pub(crate) fn wrap(text: &str, width: usize, hang: usize, is_mark: impl Fn(char) -> bool) -> String {
    let wide = |text: &str| text.chars().filter(|c| !is_mark(*c)).count();
    let mut out = String::with_capacity(text.len() + 16);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        if wide(line) <= width {
            out.push_str(line);
            continue;
        }
        let blank = line.chars().filter(|c| !is_mark(*c)).take_while(|c| *c == ' ').count();
        // An indentation that leaves no room is none.
        let indent = if blank + hang + 20 > width { 0 } else { blank + hang };
        let mut column = 0;
        let mut first = true;
        for piece in pieces(line) {
            let (word, gap) = (wide(piece.trim_end_matches(' ')), wide(piece));
            if !first && column + word > width {
                while out.ends_with(' ') {
                    out.pop();
                }
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                column = indent;
            }
            out.push_str(piece);
            column += gap;
            first = first && word == 0;
        }
    }
    out
}

/// Words with the blanks behind them; blanks at the beginning stand by themselves. What stands in backticks stays together, and so does
/// a command of ours that ends a line (`…, with: plimsoll allow 'a b' --once`): it is there to be copied.
fn pieces(line: &str) -> Vec<&str> {
    let last = line.find(TO_BE_COPIED).map(|at| at + 2);
    let (words, command) = line.split_at(last.unwrap_or(line.len()));
    let mut all = words_of(words);
    if !command.is_empty() {
        all.push(command);
    }
    all
}

const TO_BE_COPIED: &str = ": plimsoll ";

fn words_of(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut in_code, mut in_blanks) = (0, false, false);
    let closes = |at: usize| line[at + 1..].contains('`');
    for (at, c) in line.char_indices() {
        match c {
            '`' if in_code => in_code = false,
            '`' => in_code = closes(at) && line[at + 1..].find('`').is_some_and(|length| length < 60),
            _ => {}
        }
        if c == ' ' && !in_code {
            in_blanks = true;
        } else if in_blanks {
            pieces.push(&line[start..at]);
            (start, in_blanks) = (at, false);
        }
    }
    pieces.push(&line[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, width: usize, hang: usize) -> String {
        wrap(text, width, hang, |_| false)
    }

    #[test]
    fn lines_break_between_words_and_keep_their_indentation() {
        assert_eq!(plain("  one two three four five six", 24, 2), "  one two three four\n    five six");
        assert_eq!(plain("short\nlines stay", 40, 0), "short\nlines stay");
    }

    #[test]
    fn a_word_that_fits_nowhere_stays_whole() {
        let path = "/a/very/long/path/that/no/screen/is/wide/enough/for";
        assert_eq!(plain(&format!("see {path} now"), 30, 0), format!("see\n{path}\nnow"));
    }

    #[test]
    fn what_is_to_be_typed_is_not_broken() {
        assert_eq!(
            plain("then run `plimsoll init --agent codex` here", 30, 0),
            "then run\n`plimsoll init --agent codex`\nhere"
        );
    }

    #[test]
    fn a_command_that_ends_a_line_can_be_copied() {
        assert_eq!(
            plain("  Only the user can, with: plimsoll allow 'rm -rf a b' --once", 40, 2),
            "  Only the user can, with:\n    plimsoll allow 'rm -rf a b' --once"
        );
    }

    #[test]
    fn marks_take_no_place() {
        let text = "\u{fdd1}bold words\u{fdd0} fit in twenty col";
        assert_eq!(wrap(text, 31, 0, |c| ('\u{fdd0}'..='\u{fdd5}').contains(&c)), text);
    }

    #[test]
    fn very_wide_screens_are_not_used_up() {
        assert_eq!((text_width(80), text_width(140), text_width(5)), (79, 100, 20));
    }
}
