//! Why a script does not parse, in the original's terms: what was opened where, and where its end was missed.
//!
//! The engine's parser stops at the first thing that it does not expect. The original names the construct that is still
//! open, which is what a user has to fix.

/// Line and number of what the original would say; empty where nothing is left open.
pub(super) fn explain(text: &str) -> Vec<(usize, u32)> {
    let mut scanner = Scanner { rest: text.chars().peekable(), line: 1, ..Scanner::new() };
    scanner.run()
}

#[derive(Clone, Copy, Debug)]
enum Open {
    If(usize),
    /// `for`, `while`, before its `do`.
    Loop(usize),
    /// The line of the loop, and of its `do`.
    Do(usize, usize),
    Case(usize),
    /// The line, and whether it is the body of a function.
    Brace(usize, bool),
}

struct Scanner<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    open: Vec<Open>,
    /// The next word may be a command.
    at_command: bool,
    /// The last thing was `)` or `function name`, so that `{` is a body.
    function: bool,
    /// The next word is the name of a function.
    naming: bool,
    /// Where the simple command began.
    command_line: usize,
    /// Where the word began.
    word_line: usize,
    here_documents: Vec<(String, bool)>,
}

impl Scanner<'_> {
    fn new() -> Self {
        Scanner {
            rest: "".chars().peekable(),
            line: 1,
            open: Vec::new(),
            at_command: true,
            function: false,
            naming: false,
            command_line: 1,
            word_line: 1,
            here_documents: Vec::new(),
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn run(&mut self) -> Vec<(usize, u32)> {
        let mut word = String::new();
        let mut quoted = false;
        loop {
            let Some(c) = self.next() else {
                if let Some(found) = self.word(&word, quoted) {
                    return found;
                }
                return self.open.last().map_or_else(Vec::new, |open| missed(*open, self.line));
            };
            match c {
                '\\' => {
                    if self.next() != Some('\n') {
                        word.push('x');
                        quoted = true;
                    }
                }
                '\'' | '"' => {
                    let (line, command) = (
                        self.line,
                        if word.is_empty() && self.at_command { self.line } else { self.command_line },
                    );
                    if !self.quote(c) {
                        return vec![(command, 1009), (line, 1073), (self.line, 1072)];
                    }
                    word.push('x');
                    quoted = true;
                }
                '#' if word.is_empty() => {
                    while self.rest.peek().is_some_and(|c| *c != '\n') {
                        self.next();
                    }
                }
                '<' if self.rest.peek() == Some(&'<') => {
                    if let Some(found) = self.word(&std::mem::take(&mut word), quoted) {
                        return found;
                    }
                    quoted = false;
                    self.next();
                    self.here_document();
                }
                ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | '`' => {
                    if let Some(found) = self.word(&std::mem::take(&mut word), quoted) {
                        return found;
                    }
                    quoted = false;
                    match c {
                        ' ' | '\t' | '<' | '>' => {}
                        ')' => {
                            self.function = true;
                            self.at_command = true;
                        }
                        _ => {
                            self.at_command = true;
                            self.function &= c == '\n';
                        }
                    }
                    if c == '\n' {
                        self.skip_here_documents();
                    }
                }
                _ => {
                    if word.is_empty() {
                        self.word_line = self.line;
                    }
                    word.push(c);
                }
            }
        }
    }

    /// Whether it is closed.
    fn quote(&mut self, mark: char) -> bool {
        while let Some(c) = self.next() {
            match c {
                '\\' if mark == '"' => {
                    self.next();
                }
                _ if c == mark => return true,
                _ => {}
            }
        }
        false
    }

    fn here_document(&mut self) {
        // `<<<` takes a word, not a text.
        if self.rest.peek() == Some(&'<') {
            self.next();
            return;
        }
        let tabs = self.rest.next_if(|c| *c == '-').is_some();
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let mut end = String::new();
        while let Some(c) =
            self.rest.next_if(|c| !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | '<' | '>' | ')'))
        {
            if !matches!(c, '\'' | '"' | '\\') {
                end.push(c);
            }
        }
        self.here_documents.push((end, tabs));
    }

    fn skip_here_documents(&mut self) {
        for (end, tabs) in std::mem::take(&mut self.here_documents) {
            loop {
                let mut line = String::new();
                let mut more = false;
                while let Some(c) = self.next() {
                    if c == '\n' {
                        more = true;
                        break;
                    }
                    line.push(c);
                }
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line == end || !more {
                    break;
                }
            }
        }
    }

    fn word(&mut self, word: &str, quoted: bool) -> Option<Vec<(usize, u32)>> {
        if word.is_empty() {
            return None;
        }
        let (line, was_command, function) =
            (self.word_line, self.at_command, std::mem::take(&mut self.function));
        self.at_command = false;
        if !was_command {
            return None;
        }
        self.command_line = line;
        if std::mem::take(&mut self.naming) {
            self.function = true;
            self.at_command = true;
            return None;
        }
        if quoted {
            return None;
        }
        let top = self.open.last().copied();
        match word {
            "if" => self.open.push(Open::If(line)),
            "for" | "while" | "until" | "select" => {
                self.open.push(Open::Loop(line));
                self.at_command = matches!(word, "while" | "until");
                return None;
            }
            "case" => {
                self.open.push(Open::Case(line));
                return None;
            }
            "function" => {
                self.naming = true;
                self.at_command = true;
                return None;
            }
            "{" => self.open.push(Open::Brace(line, function)),
            "do" => {
                if let Some(Open::Loop(from)) = top {
                    self.open.pop();
                    self.open.push(Open::Do(from, line));
                }
            }
            "then" | "else" | "elif" | "!" | "time" => {}
            "fi" | "done" | "esac" | "}" => {
                let fits = matches!(
                    (word, top),
                    ("fi", Some(Open::If(_)))
                        | ("done", Some(Open::Do(..)))
                        | ("esac", Some(Open::Case(_)))
                        | ("}", Some(Open::Brace(..)))
                );
                if !fits {
                    return Some(top.map_or_else(|| vec![(line, 1089)], |open| missed(open, line)));
                }
                self.open.pop();
                return None;
            }
            _ => return None,
        }
        self.at_command = true;
        None
    }
}

/// What the original says about `open` when it meets `line` instead of its end.
fn missed(open: Open, line: usize) -> Vec<(usize, u32)> {
    match open {
        Open::If(from) => vec![(from, 1046), (from, 1073), (line, 1047), (line, 1072)],
        Open::Do(from, at) => vec![(from, 1073), (at, 1061), (line, 1062), (line, 1072)],
        Open::Loop(from) => vec![(from, 1073), (line, 1058), (line, 1072)],
        Open::Case(from) => vec![(from, 1073), (line, 1072)],
        Open::Brace(from, function) => {
            let mut found = vec![(from, 1073), (line, 1056), (line, 1072)];
            if function {
                found.push((from, 1009));
            }
            found
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_named() {
        assert_eq!(explain("if a; then\n  b\n"), [(1, 1046), (1, 1073), (3, 1047), (3, 1072)]);
        assert_eq!(explain("x\nfor f in a b; do\n  b\n"), [(2, 1073), (2, 1061), (4, 1062), (4, 1072)]);
        assert_eq!(explain("f() {\n  echo\n"), [(1, 1073), (3, 1056), (3, 1072), (1, 1009)]);
        assert_eq!(explain("echo \"a\nb\n"), [(1, 1009), (1, 1073), (3, 1072)]);
        assert_eq!(explain("case $1 in\n a) b ;;\n"), [(1, 1073), (3, 1072)]);
        assert_eq!(explain("while a; do\n  b\nfi\n"), [(1, 1073), (1, 1061), (3, 1062), (3, 1072)]);
    }

    #[test]
    fn what_is_closed_is_not() {
        for text in [
            "if a; then b; elif c; then d; else e; fi\n",
            "for f in a; do b; done; while read -r x; do y; done < z\n",
            "case $1 in a|b) c ;; *) d ;; esac\n",
            "f() {\n  echo '}' \"{\" # {\n}\nfunction g {\n  h\n}\n",
            "cat <<EOF\nif then {\nEOF\ncat <<-'X'\n\tdone\n\tX\necho <<< \"$x\"\n",
            "echo if then fi do done { }\n",
        ] {
            assert_eq!(explain(text), [], "{text}");
        }
    }
}
