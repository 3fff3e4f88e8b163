//! Little languages that hand a part of their text to a shell, between two marks: `syscmd(…)` of m4, `$(shell …)` of make.

/// The language, what begins a command in it, and what ends it. Commands that end with the line have a line break there.
static ESCAPES: &[(&str, &[(&str, char)])] = &[
    ("m4", &[("syscmd(", ')')]),
    ("make", &[("$(shell ", ')'), ("${shell ", '}'), ("!=", '\n')]),
    ("postscript", &[("%pipe%", ')')]),
    ("rpm", &[("%(", ')')]),
    ("tex", &[("write18{", '}'), ("input{|", '}'), ("input|", '\n')]),
];

/// Whether a language is one of these.
pub(crate) fn has(language: &str) -> bool {
    ESCAPES.iter().any(|(known, _)| *known == language)
}

/// The commands in a text of such a language.
pub(crate) fn commands(language: &str, text: &str) -> Vec<String> {
    let marks = ESCAPES.iter().filter(|(known, _)| *known == language).flat_map(|(_, marks)| *marks);
    let mut found = Vec::new();
    for (begin, end) in marks {
        for rest in text.split(begin).skip(1).take(64) {
            let command = &rest[..until(rest, *end)];
            // m4 has quotes of its own around it, others have marks of their own or none.
            let command = command.trim().trim_matches(['`', '\'', '"', '{', '}']).trim();
            if !command.is_empty() {
                found.push(command.to_owned());
            }
        }
    }
    found
}

/// Where the command ends: brackets of the same kind inside of it are its own.
fn until(text: &str, end: char) -> usize {
    let begin = match end {
        ')' => '(',
        '}' => '{',
        other => other,
    };
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == end && depth == 0 {
            return at;
        }
        match c {
            c if c == end => depth -= 1,
            c if c == begin => depth += 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_between_their_marks() {
        let rows = [
            ("m4", "syscmd(`rm -rf ~')", "rm -rf ~"),
            ("m4", "esyscmd(date)dnl", "date"),
            ("make", "x := $(shell echo $(words a b))", "echo $(words a b)"),
            ("rpm", "%(rm -rf ~)", "rm -rf ~"),
            ("tex", "\\immediate\\write18{rm -rf ~}\\end", "rm -rf ~"),
        ];
        for (language, text, command) in rows {
            assert_eq!(commands(language, text), [command], "{text}");
        }
        assert!(commands("m4", "define(x, 1)").is_empty());
    }
}
