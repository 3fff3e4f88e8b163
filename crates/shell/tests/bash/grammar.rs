//! Scripts by chance: the same for the same seed, valid, ending, and about nothing but words.

mod statements;

use std::fmt::Write;

pub(crate) struct Grammar {
    seed: u64,
    /// Plain variables and lists that have a value.
    texts: Vec<String>,
    lists: Vec<String>,
    functions: Vec<String>,
    /// How many positional parameters there are.
    positional: usize,
    depth: usize,
    documents: usize,
}

const WORDS: &[&str] = &["a", "bc", "x1", "-n", "--flag=v", "u.v", "left", "R2", "m/n", "00", "-", "k=v"];
const PROGRAMS: &[&str] = &["one", "two", "three"];

impl Grammar {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            texts: Vec::new(),
            lists: Vec::new(),
            functions: Vec::new(),
            positional: 0,
            depth: 0,
            documents: 0,
        }
    }

    pub(crate) fn script(&mut self) -> String {
        // Every name has a value: what is not set here is not known, and anything would fit.
        let mut script = String::from("n=3; set -- P 'Q R'\n");
        self.positional = 2;
        for name in ["v0", "v1", "v2", "v3", "v4"] {
            let _ = writeln!(script, "{name}={}", self.piece());
            self.texts.push(name.into());
        }
        for name in ["l0", "l1", "l2"] {
            let _ = writeln!(script, "{name}=({} {})", self.piece(), self.piece());
            self.lists.push(name.into());
        }
        for _ in 0..self.below(5) + 3 {
            let _ = writeln!(script, "{}", self.statement());
        }
        script + &self.call() + "\n"
    }

    fn next(&mut self) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 20
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap_or(0) % end
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn name_of(&mut self, of_lists: bool) -> Option<String> {
        let list = if of_lists { self.lists.clone() } else { self.texts.clone() };
        if list.is_empty() { None } else { Some(list[self.below(list.len())].clone()) }
    }

    fn new_text(&mut self) -> String {
        let name = format!("v{}", self.below(5));
        if !self.texts.contains(&name) {
            self.texts.push(name.clone());
        }
        name
    }

    fn new_list(&mut self) -> String {
        let name = format!("l{}", self.below(3));
        if !self.lists.contains(&name) {
            self.lists.push(name.clone());
        }
        name
    }

    fn statement(&mut self) -> String {
        self.depth += 1;
        let kind = if self.depth > 3 { self.below(9) } else { self.below(32) };
        let text = match kind {
            0..=3 => self.call(),
            4..=6 => self.assignment(),
            7 => self.list_change(),
            8 => self.positional(),
            9 => self.for_loop(),
            10 => self.case(),
            11 => self.condition(),
            12 => self.function(),
            13 | 14 => self.function_call(),
            15 => self.evaluation(),
            16 => self.read(),
            17 => self.read_loop(),
            18 => self.pipeline(),
            19 => self.document(),
            20 => self.declaration(),
            21 => self.shell(),
            22 => self.sourced(),
            23 => format!("({}\n{})", self.statement(), self.call()),
            24 => format!("{{ {}\n}}", self.statement()),
            25 => self.wrapped(),
            26 => self.arithmetic_statement(),
            27 => self.chain(),
            28 => self.separators(),
            29 => self.printf_into(),
            30 => self.mapped(),
            _ => self.arithmetic_loop(),
        };
        self.depth -= 1;
        text
    }

    fn call(&mut self) -> String {
        let mut line = self.pick(PROGRAMS).to_owned();
        for _ in 0..=self.below(3) {
            line.push(' ');
            line.push_str(&self.word());
        }
        match self.below(8) {
            0 => line.push_str(" # a comment"),
            1 => line = format!("P{}={} {line}", self.below(3), self.word()),
            2 => line.push_str(" > out.txt"),
            3 => line = format!("{line} \\\n  {}", self.word()),
            _ => {}
        }
        line
    }

    /// A word of a command, in one piece of source.
    fn word(&mut self) -> String {
        let mut word = String::new();
        for _ in 0..=self.below(3) {
            let piece = self.piece();
            append(&mut word, &piece);
        }
        word
    }

    fn piece(&mut self) -> String {
        self.depth += 1;
        let kind = if self.depth > 6 { self.below(8) } else { self.below(24) };
        let piece = match kind {
            0..=3 => self.pick(WORDS).to_owned(),
            4 => format!("'{}'", self.pick(&["a b", "", "x*y", "$v0", "\"", "~", "a\\b", "p  q"])),
            5 => format!("\\{}", self.pick(&[" ", "$", "\"", "'", "a", "*", "\\", "~", "{"])),
            6 => format!("$'{}'", self.pick(&["a\\tb", "\\x41", "\\101z", "it\\'s", "\\u0042", "n\\\\m"])),
            7 | 8 => self.parameter(),
            9..=12 => self.double(),
            13 => self.substitution(),
            14 => format!("$(({}))", self.expression()),
            15 => self.brace(),
            16 | 17 => self.operation(),
            18 | 19 => self.list_use(),
            // Not `~` by itself: with what follows it is a person's name.
            20 => self.pick(&["~/x", "~/", "a~", "~+/"]).to_owned(),
            21 => self.pick(&["$@", "\"$@\"", "$*", "\"$*\"", "$#", "\"${@:2}\"", "${*:1:2}"]).to_owned(),
            22 => format!("`printf '%s' {}`", self.pick(WORDS)),
            _ => self
                .pick(&[
                    "{", "}", "a{b", "{a}", "x[", "a]b", "#h", "a#", "=", "%", "^", "+", "@", ":", ",", "!x",
                ])
                .to_owned(),
        };
        self.depth -= 1;
        piece
    }

    fn double(&mut self) -> String {
        let mut text = String::from("\"");
        for _ in 0..=self.below(3) {
            let part = match self.below(8) {
                0 => self.pick(&["a b", "'", "  ", "x", "{a,b}", "~", "*", "#"]).to_owned(),
                1 => self.pick(&["\\\"", "\\$", "\\\\", "\\a", "\\`"]).to_owned(),
                2 | 3 => self.parameter(),
                4 => self.operation(),
                5 => self.list_use().trim_matches('"').to_owned(),
                6 => self.substitution(),
                _ => self.pick(WORDS).to_owned(),
            };
            append(&mut text, &part);
        }
        text + "\""
    }

    fn parameter(&mut self) -> String {
        match (self.below(6), self.name_of(false)) {
            (0, _) if self.positional > 0 => format!("${}", self.below(self.positional) + 1),
            (1, Some(name)) => format!("${{{name}}}"),
            (_, Some(name)) => format!("${name}"),
            (_, None) => "z".into(),
        }
    }

    fn operation(&mut self) -> String {
        let Some(name) = self.name_of(false) else { return "w".into() };
        let pattern = self.pick(&["a", "*b", "?", "[a-c]", "'*'", "\\*", "x*", "*", "\"a\"", "b c", "/"]);
        let word = self.pick(&["d", "e f", "'g h'", "\"i j\"", "", "$v0", "~", "\\}"]);
        let word = if word == "$v0" && !self.texts.iter().any(|t| t == "v0") { "d" } else { word };
        match self.below(18) {
            0 => format!("${{{name}:-{word}}}"),
            1 => format!("${{{name}-{word}}}"),
            2 => format!("${{{name}:+{word}}}"),
            3 => format!("${{{name}+{word}}}"),
            4 => format!("${{#{name}}}"),
            5 => format!("${{{name}#{pattern}}}"),
            6 => format!("${{{name}##{pattern}}}"),
            7 => format!("${{{name}%{pattern}}}"),
            8 => format!("${{{name}%%{pattern}}}"),
            9 => format!(
                "${{{name}/{}/{}}}",
                pattern.replace('/', "\\/"),
                self.pick(&["Y", "", "Q R", "'S T'", "\\/"])
            ),
            10 => format!("${{{name}//{}/{}}}", pattern.replace('/', "\\/"), self.pick(&["Y", "", "QR"])),
            11 => format!("${{{name}:{}}}", self.pick(&["0", "1", " -1", "2", "1+1", "9"])),
            12 => format!("${{{name}:{}:{}}}", self.pick(&["0", "1", " -2"]), self.pick(&["1", "2", "0"])),
            13 => format!("${{{name}{}}}", self.pick(&["^", "^^", ",", ",,"])),
            14 => format!("${{{name}@{}}}", self.pick(&["U", "L", "u"])),
            15 => format!("${{{name}/#{}/Z}}", self.pick(&["a", "x", "b*"])),
            16 => format!("${{{name}/%{}/Z}}", self.pick(&["a", "x", "*b"])),
            _ => format!("${{{name}:={word}}}"),
        }
    }

    fn list_use(&mut self) -> String {
        let Some(name) = self.name_of(true) else { return "q".into() };
        match self.below(12) {
            0..=2 => format!("\"${{{name}[@]}}\""),
            3 => format!("${{{name}[@]}}"),
            4 => format!("\"${{{name}[*]}}\""),
            5 => format!("${{{name}[*]}}"),
            6 => format!("${{#{name}[@]}}"),
            7 => format!("${{{name}[{}]}}", self.pick(&["0", "1", "-1", "1-1", "5"])),
            8 => format!("\"${{{name}[@]:{}}}\"", self.pick(&["1", "0:1", "1:2", " -1"])),
            9 => format!("\"${{{name}[@]/a/Z}}\""),
            10 => format!("\"${{!{name}[@]}}\""),
            _ => format!("\"${name}\""),
        }
    }

    fn substitution(&mut self) -> String {
        self.depth += 1;
        let inner = match self.below(6) {
            0 => format!("echo {}", self.word()),
            1 => format!("printf '%s\\n' {} {}", self.word(), self.word()),
            2 => format!("printf '%s' {} | tr a-c x-z", self.word()),
            3 => format!("echo {} | rev", self.word()),
            // What `one` prints is not known, and anything would fit behind it.
            4 => format!("one {} > out.txt; echo {}", self.word(), self.word()),
            _ => format!("printf '%s-%s' {} {}", self.word(), self.pick(WORDS)),
        };
        self.depth -= 1;
        format!("$({inner})")
    }

    fn expression(&mut self) -> String {
        let first = self.below(20);
        let second = self.below(9) + 1;
        let operator = self.pick(&["+", "-", "*", "/", "%", "<", "==", "&", "|", "<<", "**"]);
        match self.below(4) {
            0 => format!("({first} {operator} {second}) * 2"),
            1 => format!("n + {second}"),
            2 => format!("-{first} + !{second}"),
            _ => format!("{first}{operator}{second}"),
        }
    }

    fn brace(&mut self) -> String {
        // In braces of its own: what stands behind them would become part of the name.
        let name = self.name_of(false).unwrap_or_default();
        match self.below(7) {
            0 => "{a,b}".into(),
            1 => "p{1..3}q".into(),
            2 => "{x,{y,z}}".into(),
            3 => format!("{{${{{name}}},'c d'}}"),
            4 => "{3..1}{a,b}".into(),
            5 => "{01..03}".into(),
            _ => "{a..e..2}{,s}".into(),
        }
    }

    fn assignment(&mut self) -> String {
        let value = if self.below(12) == 0 { String::new() } else { self.word() };
        let name = self.new_text();
        match self.below(6) {
            0 => format!("{name}+={value}"),
            1 => format!("{name}={value} n={}", self.below(9)),
            2 => format!("export {name}={value}"),
            _ => format!("{name}={value}"),
        }
    }

    fn list_change(&mut self) -> String {
        let values: Vec<String> = (0..self.below(4)).map(|_| self.word()).collect();
        let name = self.new_list();
        match self.below(6) {
            0 => format!("{name}+=({})", values.join(" ")),
            1 => format!("{name}[{}]={}", self.below(3), self.word()),
            2 => format!("declare -a {name}=({})", values.join(" ")),
            3 => format!("{name}=([2]={} [0]=h)", self.pick(WORDS)),
            _ => format!("{name}=({})", values.join(" ")),
        }
    }

    fn positional(&mut self) -> String {
        if self.positional > 1 && self.below(3) == 0 {
            self.positional -= 1;
            return "shift".into();
        }
        // How many there are is known only where every word is one field.
        let count = self.below(3) + 1;
        let words: Vec<String> =
            (0..count).map(|_| self.double()).filter(|word| !word.contains(['@', '['])).collect();
        self.positional = words.len();
        format!("set -- {}", words.join(" "))
    }
}

/// Adds a piece; `$name` before a letter becomes `${name}`, so that it stays this name.
fn append(text: &mut String, piece: &str) {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if piece.starts_with(|c| is_of_name(c) || c == '{')
        && let Some((before, name)) = text.rsplit_once('$')
        && name.starts_with('v')
        && name.chars().all(is_of_name)
    {
        *text = format!("{before}${{{name}}}");
    }
    text.push_str(piece);
}
