//! What commands print, as it is shown and as it is compared.

use std::path::Path;

use model::GateRun;

/// What is shown of an output: its end, where the reason is.
const SHOWN: usize = 4000;

/// The same as it is compared: of a command that ran below `root`.
pub fn compared(run: &GateRun, root: &Path) -> String {
    alike(&shown(run), root)
}

/// What the agent sees of a run: the end of what it printed, and why it was stopped.
pub(super) fn shown(run: &GateRun) -> String {
    let printed = ending(&run.printed);
    match &run.stopped {
        Some(why) if printed.is_empty() => why.clone(),
        Some(why) => format!("{printed}\n{why}"),
        None => printed,
    }
}

/// The last part of an output, whole lines, without colours.
fn ending(text: &str) -> String {
    let plain = without_colours(text);
    let plain = plain.trim();
    if plain.len() <= SHOWN {
        return plain.to_owned();
    }
    let start = plain.ceil_char_boundary(plain.len() - SHOWN);
    let start = plain[start..].find('\n').map_or(start, |at| start + at + 1);
    format!("[… more before this]\n{}", &plain[start..])
}

fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                // `ESC [ … letter`; anything else is two characters.
                if rest.next() == Some('[') {
                    rest.by_ref().find(char::is_ascii_alphabetic);
                }
            }
            '\r' => {}
            c => out.push(c),
        }
    }
    out
}

/// Shown output without what differs from run to run: the folder, and numbers, in times and counts and lines.
pub fn alike(output: &str, root: &Path) -> String {
    let output = output.replace(root.to_string_lossy().trim_end_matches('/'), ".");
    let mut text = String::new();
    for c in output.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_the_end_is_shown() {
        let text: String = (0..2000).map(|n| format!("line {n}\n")).collect();
        let end = ending(&text);
        assert!(end.len() < SHOWN + 60 && end.ends_with("line 1999") && end.starts_with("[… "), "{end}");
        assert_eq!(ending("\u{1b}[31mred\u{1b}[0m\r\n"), "red");
        assert_eq!(ending("é\u{1b}"), "é");
        let stopped = GateRun { passed: false, printed: "half\n".into(), stopped: Some("[stopped]".into()) };
        assert_eq!(shown(&stopped), "half\n[stopped]");
        assert_eq!(shown(&GateRun { printed: String::new(), ..stopped }), "[stopped]");
    }

    #[test]
    fn times_counts_and_the_folder_make_no_difference() {
        let one = alike("/tmp/a/x.py:12: 3 failed in 0.41s", Path::new("/tmp/a/"));
        assert_eq!(one, alike("/home/b/x.py:7: 14 failed in 2.07s", Path::new("/home/b")));
    }
}
