//! The commands of a `RUN`, as words. Rules about package managers need no more of shell than this.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// Without quotes. What is only known at run time is left as it is written.
    pub(crate) words: Vec<String>,
}

impl Command {
    pub(crate) fn name(&self) -> &str {
        let name = self.words.first().map_or("", String::as_str);
        name.rsplit('/').next().unwrap_or(name)
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name() == name
    }

    /// `apt-get install`: the name, and the first argument that is not an option.
    pub(crate) fn is_verb(&self, name: &str, verb: &str) -> bool {
        self.is(name) && self.arguments().next() == Some(verb)
    }

    /// Arguments that are not options.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-'))
    }

    pub(crate) fn options(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(String::as_str).filter(|word| word.starts_with('-'))
    }

    /// `-y`, also within `-qy`; `--yes`, also with a value.
    pub(crate) fn has(&self, options: &[&str]) -> bool {
        self.options().any(|given| {
            let given = given.split('=').next().unwrap_or(given);
            options.iter().any(|option| {
                let letter = option.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
                match (letter, given.strip_prefix("--")) {
                    (Some(letter), None) => given.contains(letter),
                    (None, _) | (Some(_), Some(_)) => given == *option,
                }
            })
        })
    }

    /// Arguments that are not options, without the value that follows one of `with_value`.
    pub(crate) fn arguments_without(&self, with_value: &[&str]) -> Vec<&str> {
        let mut found = Vec::new();
        let mut words = self.words.iter().skip(1).map(String::as_str);
        while let Some(word) = words.next() {
            if with_value.contains(&word) {
                words.next();
            } else if !word.starts_with('-') {
                found.push(word);
            }
        }
        found
    }
}

/// What a script runs, in order, with what is inside of substitutions; and whether there is a pipe.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands {
    pub(crate) list: Vec<Command>,
    pub(crate) pipe: bool,
}

pub(crate) fn commands(text: &str) -> Commands {
    let mut found = Commands::default();
    Scanner { rest: text, found: &mut found }.run();
    found
}

/// Words before a command that are none themselves.
static KEYWORDS: &[&str] = &["!", "(", "{", "do", "elif", "else", "if", "then", "until", "while"];
/// Words that begin or end something, and are not commands either.
static HEADS: &[&str] = &["[", "[[", "case", "done", "esac", "fi", "for", "}"];

struct Scanner<'a, 'b> {
    rest: &'a str,
    found: &'b mut Commands,
}

impl Scanner<'_, '_> {
    fn run(&mut self) {
        let mut command = Command::default();
        let mut word: Option<String> = None;
        while let Some(first) = self.rest.chars().next() {
            self.rest = &self.rest[first.len_utf8()..];
            match first {
                '\\' => {
                    let next = self.rest.chars().next();
                    self.rest = &self.rest[next.map_or(0, char::len_utf8)..];
                    match next {
                        // A line that goes on.
                        Some('\n') | None => {}
                        Some(next) => word.get_or_insert_default().push(next),
                    }
                }
                '\'' => {
                    let end = self.rest.find('\'').unwrap_or(self.rest.len());
                    word.get_or_insert_default().push_str(&self.rest[..end]);
                    self.rest = self.rest.get(end + 1..).unwrap_or_default();
                }
                '"' => self.quoted(word.get_or_insert_default()),
                '$' if self.rest.starts_with('(') => self.substitution(word.get_or_insert_default()),
                '`' => {
                    let end = self.rest.find('`').unwrap_or(self.rest.len());
                    Scanner { rest: &self.rest[..end], found: self.found }.run();
                    word.get_or_insert_default().push_str("`…`");
                    self.rest = self.rest.get(end + 1..).unwrap_or_default();
                }
                '#' if word.is_none() => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[end..];
                }
                ' ' | '\t' => command.words.extend(word.take()),
                // `2>&1` and the like are not separators.
                '&' if word.as_deref().is_some_and(|word| word.ends_with(['>', '<'])) => {
                    word.get_or_insert_default().push('&');
                }
                '\n' | ';' | '|' | '&' | '(' | ')' => {
                    command.words.extend(word.take());
                    let pipe = first == '|' && !self.rest.starts_with('|');
                    if matches!(first, '|' | '&' | ';') {
                        self.rest = self.rest.trim_start_matches(first);
                    }
                    self.found.pipe |= pipe;
                    self.end(&mut command);
                }
                _ => word.get_or_insert_default().push(first),
            }
        }
        command.words.extend(word.take());
        self.end(&mut command);
    }

    fn quoted(&mut self, word: &mut String) {
        while let Some(first) = self.rest.chars().next() {
            self.rest = &self.rest[first.len_utf8()..];
            match first {
                '"' => return,
                '\\' => {
                    let next = self.rest.chars().next();
                    self.rest = &self.rest[next.map_or(0, char::len_utf8)..];
                    word.extend(next.filter(|next| *next != '\n'));
                }
                '$' if self.rest.starts_with('(') => self.substitution(word),
                _ => word.push(first),
            }
        }
    }

    /// After `$`, at `(`.
    fn substitution(&mut self, word: &mut String) {
        let mut depth = 0_usize;
        let end = self.rest.char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        });
        let end = end.unwrap_or(self.rest.len());
        if !self.rest.starts_with("((") {
            let mut inner = Commands::default();
            Scanner { rest: self.rest.get(1..end).unwrap_or_default(), found: &mut inner }.run();
            self.found.list.extend(inner.list);
        }
        word.push_str("$(…)");
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
    }

    fn end(&mut self, command: &mut Command) {
        let mut words = std::mem::take(&mut command.words);
        let skip =
            words.iter().take_while(|word| KEYWORDS.contains(&word.as_str()) || is_assignment(word)).count();
        words.drain(..skip);
        if words.first().is_some_and(|first| !HEADS.contains(&first.as_str())) {
            self.found.list.push(Command { words });
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        commands(text).list.into_iter().map(|command| command.words.join(" ")).collect()
    }

    #[test]
    fn scripts_come_apart() {
        assert_eq!(
            words("apt-get update && \\\n  A=1 apt-get install -y 'a b' \"c$(id -u)\""),
            ["apt-get update", "id -u", "apt-get install -y a b c$(…)",]
        );
        assert_eq!(words("if [ -f x ]; then rm x; fi # rm y"), ["rm x"]);
        assert_eq!(words("(cd /x; ls) 2>&1"), ["cd /x", "ls", "2>&1"]);
        assert!(commands("a | b").pipe);
        assert!(!commands("a || b").pipe);
    }

    #[test]
    fn options_are_found_in_any_form() {
        let command = commands("apt-get -qqy install --yes=1 --no-install-recommends a").list.remove(0);
        assert!(command.has(&["-y"]) && command.has(&["--yes"]) && command.has(&["-q"]));
        assert!(!command.has(&["-f"]) && !command.has(&["--no"]));
        assert!(command.is_verb("apt-get", "install"));
    }
}
