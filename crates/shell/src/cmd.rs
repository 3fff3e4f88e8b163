//! `cmd` of Windows, to the extent that what its commands do is seen: several on a line, pipes, redirections, variables, loops,
//! conditions.

use crate::programs;
use crate::reader::Reader;
use crate::reading::{Arg, Direction, Redirect};
use crate::state::{State, Variable};
use crate::text::ANY;

/// Rounds of a loop that are walked.
const MOST_ROUNDS: usize = 12;

impl Reader<'_> {
    pub(crate) fn read_cmd(mut self, command: &str) -> crate::Reading {
        if !self.begin(command) {
            return self.reading;
        }
        let mut state = State::new(self.world.cwd(), &self.meter);
        self.run_cmd(command, &mut state);
        self.finish(&state)
    }

    /// A command line in a process of its own: all words behind `/c` or `/k`.
    pub(crate) fn cmd(&mut self, argv: &[Arg], state: &mut State) -> String {
        self.record(argv.to_vec(), state);
        let is_switch = |text: &str| {
            let bare = text.trim_start_matches('/').to_ascii_lowercase();
            text.starts_with('/') && bare.starts_with(['c', 'k', 'r'])
        };
        let Some(at) = argv.iter().position(|arg| is_switch(&arg.text)) else {
            let code = state.stdin.clone();
            return code.map(|code| self.started_cmd(&code, state)).unwrap_or_default();
        };
        // `/c"del x"`
        let own = argv[at].text.trim_start_matches('/').get(1..).unwrap_or_default().to_owned();
        let words = std::iter::once(own).chain(argv[at + 1..].iter().map(|arg| {
            let blank = argv.len() > at + 2 && arg.text.contains(' ');
            if blank { format!("\"{}\"", arg.text) } else { arg.text.clone() }
        }));
        let code = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        self.started_cmd(&code, state)
    }

    fn started_cmd(&mut self, code: &str, state: &mut State) -> String {
        let mut inner = state.clone();
        let output = self.wrapped("cmd", |reader| reader.run_cmd(code, &mut inner));
        state.left_by(inner);
        output.unwrap_or_default()
    }

    pub(crate) fn run_cmd(&mut self, code: &str, state: &mut State) -> String {
        if crate::reader::is_only_holes(code) {
            self.unseen("cmd", code);
            return ANY.to_string();
        }
        self.meter.add(20 * code.len());
        let saved = self.leave();
        // One pair of quotes around it all is taken off.
        let code = code.trim();
        let code = code
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .filter(|rest| rest.matches('"').count() % 2 == 0)
            .unwrap_or(code);
        let outer = state.stdin.clone();
        let mut output = String::new();
        for (part, piped) in parts(code) {
            if piped {
                state.stdin = Some(output.as_str().into());
            } else {
                state.stdin.clone_from(&outer);
            }
            output = self.deeper(|reader| reader.cmd_part(part.trim(), state)).unwrap_or_default();
        }
        state.stdin = outer;
        self.come_back(saved);
        output
    }

    fn cmd_part(&mut self, part: &str, state: &mut State) -> String {
        if !self.goes_on() || !self.steps_on() {
            return String::new();
        }
        let part = part.trim_start_matches(['@', '(', ' ']).trim_end_matches([' ']);
        let first = part.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        match first.as_str() {
            "" | "rem" | "::" | ")" => return String::new(),
            "for" => return self.cmd_loop(part, state),
            "if" => return self.run_cmd(&behind_condition(part), state),
            "else" | "do" => return self.run_cmd(&part[first.len()..], state),
            _ => {}
        }
        let text = self.percent(part, state);
        let (mut argv, redirects) = words(&text);
        let Some(name) = argv.first().map(|arg| arg.text.to_ascii_lowercase()) else { return String::new() };
        argv[0].text = argv[0].text.replace('\\', "/");
        let saved = self.at_span(&(0..0), redirects.clone());
        let output = self.cmd_program(&name, argv, &text, state);
        self.come_back(saved);
        for redirect in
            redirects.iter().filter(|redirect| redirect.direction != Direction::Read && redirect.fd == 1)
        {
            let path = state.absolute(&redirect.target.text);
            state.write(path, output.as_str());
        }
        output
    }

    fn cmd_program(&mut self, name: &str, mut argv: Vec<Arg>, text: &str, state: &mut State) -> String {
        match name {
            // Another command behind it; a first word in quotes is a window's title.
            "start" | "call" => {
                let titled = name == "start" && text[name.len()..].trim_start().starts_with('"');
                let rest = argv
                    .into_iter()
                    .skip(1 + usize::from(titled))
                    .skip_while(|arg| arg.text.starts_with('/'));
                let rest: Vec<Arg> = rest.collect();
                return self
                    .wrapped("cmd", |reader| reader.dispatch_program(rest, state))
                    .unwrap_or_default();
            }
            "cd" | "chdir" | "pushd" => {
                if let Some(dir) = argv.iter().skip(1).find(|arg| !arg.text.eq_ignore_ascii_case("/d")) {
                    let there = state.absolute(&dir.text);
                    state.enter(there);
                }
                return String::new();
            }
            "set" => {
                let assigned = argv[1..].iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                if let Some((name, value)) = assigned.split_once('=') {
                    self.code_variable(name, value, state);
                    state
                        .variables
                        .insert(name.to_owned(), Variable { exported: true, ..Variable::text(value) });
                    return String::new();
                }
            }
            _ => {}
        }
        programs::drop_ending(&mut argv[0].text);
        let Some(known) = programs::of_cmd(name) else { return self.dispatch_program(argv, state) };
        known.clone_into(&mut argv[0].text);
        self.record(argv.clone(), state);
        let read =
            argv.iter().skip(1).find(|arg| programs::cmdlet(known).is_some() && !arg.text.starts_with('/'));
        read.map_or_else(String::new, |file| self.file_text(&file.text, state).to_string())
    }

    /// `for /d %d in (…) do …`
    fn cmd_loop(&mut self, part: &str, state: &mut State) -> String {
        let lower = part.to_ascii_lowercase();
        let (Some(from), Some(at)) = (lower.find(" in ").or_else(|| lower.find(" in(")), lower.find(") do"))
        else {
            return String::new();
        };
        let head: Vec<&str> = part[..from].split_whitespace().collect();
        let Some(variable) = head.last().map(|name| name.trim_start_matches('%')) else {
            return String::new();
        };
        let set = part.get(from + 4..at).unwrap_or_default().trim_start_matches([' ', '(']);
        let body = part[at + 4..].trim();
        let body = body.strip_prefix('(').map_or(body, |rest| rest.trim_end_matches([')', ' ']));
        let option = |name: &str| head.iter().position(|word| word.eq_ignore_ascii_case(name));
        let items: Vec<String> = if option("/f").is_some() {
            let code = set.trim_matches(['\'', '`', '"', ' ']);
            let output = if set.contains(['\'', '`']) {
                self.run_cmd(code, state)
            } else {
                self.file_text(code, state).to_string()
            };
            output.lines().map(str::to_owned).collect()
        } else {
            let set = self.percent(set, state);
            let root = option("/r").and_then(|at| head.get(at + 1)).filter(|word| !word.starts_with('%'));
            words(&set)
                .0
                .into_iter()
                .map(|arg| root.map_or(arg.text.clone(), |root| format!("{root}/{}", arg.text)))
                .collect()
        };
        let mut output = String::new();
        for item in items.into_iter().take(MOST_ROUNDS) {
            let mut code = body.replace(&format!("%%{variable}"), &format!("%{variable}"));
            for form in [format!("%~{variable}"), format!("%{variable}")] {
                code = code.replace(&form, &item);
            }
            output.push_str(&self.run_cmd(&code, state));
        }
        output
    }
}

/// The commands of a line, each with whether it reads what the one before prints. A loop takes the rest of its line.
fn parts(code: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let (mut part, mut piped, mut quoted) = (String::new(), false, false);
    let mut letters = code.chars().peekable();
    let is_loop = |part: &str| {
        part.trim_start_matches(['@', ' ', '('])
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("for "))
    };
    while let Some(c) = letters.next() {
        match c {
            '"' => {
                quoted = !quoted;
                part.push(c);
            }
            '^' if !quoted => match letters.next() {
                Some('\r' | '\n') | None => {}
                // Kept apart from what it would mean, until the words are taken.
                Some(next) => {
                    part.push('^');
                    part.push(next);
                }
            },
            '\n' | '\r' => found.push((std::mem::take(&mut part), std::mem::take(&mut piped))),
            '&' | '|' if !quoted && !is_loop(&part) && !part.ends_with('>') => {
                let twice = letters.next_if_eq(&c).is_some();
                found.push((std::mem::take(&mut part), std::mem::replace(&mut piped, c == '|' && !twice)));
            }
            ')' if !quoted && !is_loop(&part) && !part.contains('(') => {
                found.push((std::mem::take(&mut part), std::mem::take(&mut piped)));
            }
            _ => part.push(c),
        }
    }
    found.push((part, piped));
    found.retain(|(part, _)| !part.trim().is_empty());
    found
}

/// The command behind `if [/i] [not] exist x`, `if a==b`, `if errorlevel 1`.
fn behind_condition(part: &str) -> String {
    let mut rest = part.trim_start()[2..].trim_start();
    let mut take = |count: usize| {
        for _ in 0..count {
            let end = match rest.strip_prefix('"').and_then(|inner| inner.find('"')) {
                Some(end) => end + 2,
                None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
            };
            // `"a"=="b"` is one word.
            let more = rest[end..].find(char::is_whitespace).map_or(rest.len(), |more| end + more);
            rest = rest[more..].trim_start();
        }
        rest
    };
    let word = |rest: &str| rest.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let mut left = take(0);
    while matches!(word(left).as_str(), "/i" | "not") {
        left = take(1);
    }
    let count = match word(left).as_str() {
        "exist" | "defined" | "errorlevel" => 2,
        first if first.contains("==") => 1,
        _ => 3,
    };
    take(count).to_owned()
}

/// The words of one command, quotes and carets taken off, and where its output goes.
fn words(text: &str) -> (Vec<Arg>, Vec<Redirect>) {
    let mut argv: Vec<Arg> = Vec::new();
    let mut redirects = Vec::new();
    let mut pending: Option<(u32, Direction)> = None;
    let (mut word, mut any, mut quoted) = (String::new(), false, false);
    let mut letters = text.chars().peekable();
    let mut done = |word: &mut String, any: &mut bool, pending: &mut Option<(u32, Direction)>| {
        if !std::mem::take(any) {
            return;
        }
        let text = std::mem::take(word);
        let arg = Arg { glob: text.contains(['*', '?']), ..Arg::new(text) };
        match pending.take() {
            Some((_, Direction::Duplicate)) => {}
            Some((fd, direction)) if !arg.text.eq_ignore_ascii_case("nul") => {
                redirects.push(Redirect { fd, direction, target: arg });
            }
            Some(_) => {}
            None => argv.push(arg),
        }
    };
    while let Some(c) = letters.next() {
        match c {
            '"' => {
                quoted = !quoted;
                any = true;
            }
            '^' if !quoted => {
                word.extend(letters.next());
                any = true;
            }
            c if c.is_whitespace() && !quoted => done(&mut word, &mut any, &mut pending),
            '>' | '<' if !quoted => {
                let fd = if matches!(word.as_str(), "1" | "2") {
                    std::mem::take(&mut word).parse().unwrap_or(1)
                } else {
                    1
                };
                any = any && !word.is_empty();
                done(&mut word, &mut any, &mut pending);
                let twice = letters.next_if_eq(&'>').is_some();
                let direction = match (c, twice) {
                    ('<', _) => Direction::Read,
                    (_, true) => Direction::Append,
                    _ if letters.next_if_eq(&'&').is_some() => Direction::Duplicate,
                    _ => Direction::Write,
                };
                pending = Some((fd, direction));
            }
            c => {
                word.push(c);
                any = true;
            }
        }
    }
    done(&mut word, &mut any, &mut pending);
    (argv, redirects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_cmd_splits_them() {
        let split = |text| {
            parts(text).into_iter().map(|(part, piped)| (part.trim().to_owned(), piped)).collect::<Vec<_>>()
        };
        assert_eq!(
            split("a & b && c | d"),
            [
                ("a".to_owned(), false),
                ("b".to_owned(), false),
                ("c".to_owned(), false),
                ("d".to_owned(), true)
            ]
        );
        assert_eq!(split("echo \"a & b\""), [("echo \"a & b\"".to_owned(), false)]);
        assert_eq!(split("for %f in (*) do del %f & echo x").len(), 1);
    }

    #[test]
    fn words_lose_quotes_and_carets() {
        let (argv, redirects) = words("de^l /s \"C:\\a b\" 2>nul >out.txt");
        let texts: Vec<&str> = argv.iter().map(|arg| arg.text.as_str()).collect();
        assert_eq!(texts, ["del", "/s", "C:\\a b"]);
        assert_eq!(redirects.len(), 1);
        assert_eq!(redirects[0].target.text, "out.txt");
    }

    #[test]
    fn conditions_are_left_out() {
        assert_eq!(behind_condition("if not exist \"a b\" rd x"), "rd x");
        assert_eq!(behind_condition("if \"%a%\"==\"b\" del y"), "del y");
        assert_eq!(behind_condition("IF errorlevel 1 del y"), "del y");
    }
}
