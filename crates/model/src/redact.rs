//! Secrets out of text that is kept: the decision log, and whatever is shown from it.
//!
//! By hand and without regular expressions, because it runs on every hook call. It errs towards hiding: a log line with a
//! word too few is better than one with a password.

use std::borrow::Cow;

const MASK: &str = "***";
const LONGEST: usize = 240;
/// What is looked at. Much more than is kept, because a secret shrinks to three characters.
const LOOKED_AT: usize = 8 * 1024;

const BLANKS: [char; 4] = [' ', '\n', '\t', '\r'];

/// Names whose value is secret when they end in one of these.
const SECRET_NAMES: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "apikey",
    "accesskey",
    "secretkey",
    "api-key",
    "access-key",
    "secret-key",
    "private-key",
    "_key",
    "_pass",
    "-pass",
    "credential",
    "credentials",
    "cookie",
    "authorization",
];

/// The same for whole names.
const SECRET_WORDS: &[&str] = &["key", "pass", "bearer"];

/// Prefixes that providers put before their keys.
const SECRET_PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "npm_",
    "pypi-",
    "hf_",
];

/// What comes between a header's name and the secret.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "digest"];

/// Options before `user:password`.
const USER_OPTIONS: &[&str] = &["-u", "-U", "--user", "--proxy-user"];

/// Programs with an option of one letter for the password, which may stand right behind it.
const PASSWORD_OPTIONS: &[(&str, &str)] = &[
    ("mysql", "-p"),
    ("mysqldump", "-p"),
    ("mysqladmin", "-p"),
    ("mariadb", "-p"),
    ("sshpass", "-p"),
    ("redis-cli", "-a"),
];

/// One line, at most 240 characters, secrets masked.
pub fn redact(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut out = masked(text, LONGEST).replace(BLANKS, " ");
    if out.len() > LONGEST {
        out.truncate(out.floor_char_boundary(LONGEST));
        out.push('…');
    }
    out
}

/// All of it, lines and blanks as they are, secrets masked: for text that leaves the machine.
pub fn redact_all(text: &str) -> String {
    masked(text, usize::MAX)
}

/// Stops when it has `enough`.
fn masked(text: &str, enough: usize) -> String {
    let mut line = Line { out: String::with_capacity(text.len().min(enough) + 8), ..Line::default() };
    for piece in text.split_inclusive(BLANKS) {
        if line.out.len() > enough {
            break;
        }
        let word = piece.trim_end_matches(BLANKS);
        line.word(word);
        if !matches!(line.hide, Hide::Until(_)) {
            line.out.push_str(&piece[word.len()..]);
        }
    }
    line.out
}

/// What is to be hidden of the words to come.
#[derive(Clone, Copy, Default)]
enum Hide {
    #[default]
    Nothing,
    /// The value that the next word begins.
    Value,
    /// The password after the colon, if there is one.
    Password,
    /// A bare name: the value, if `=` or `:` comes first.
    AfterSign,
    /// Everything up to this quote.
    Until(Quote),
    /// All the rest.
    Everything,
}

/// What a secret is enclosed in.
#[derive(Clone, Copy)]
struct Quote {
    mark: char,
    /// A backslash before the mark makes it a part of the secret. Not so in single quotes, and not where the secret itself was
    /// opened with one: `"{\"token\": …`.
    escapes: bool,
}

impl Quote {
    /// The quote that `text` begins with.
    fn opening(text: &str) -> Option<Self> {
        let mark = text.trim_start_matches(['\\', '$']).chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        Some(Self { mark, escapes: mark == '"' && !text.starts_with('\\') })
    }

    /// Where it ends in `text`.
    fn end(self, text: &str) -> Option<usize> {
        let mut marks = text.match_indices(self.mark).map(|(at, _)| at);
        marks.find(|&at| !(self.escapes && text[..at].ends_with('\\')))
    }
}

#[derive(Default)]
struct Line {
    out: String,
    hide: Hide,
    /// The quote that the present header was opened with: `'X-Api-Key: …'`.
    header: Option<Quote>,
    /// The password option of the program that was named last.
    option: Option<&'static str>,
}

impl Line {
    fn word(&mut self, word: &str) {
        let hide = std::mem::take(&mut self.hide);
        match hide {
            _ if word.is_empty() => self.hide = hide,
            Hide::Everything => self.hide = hide,
            Hide::Until(quote) => self.until(quote, word),
            Hide::Value if SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) => {
                self.out.push_str(word);
                self.hide = Hide::Value;
            }
            Hide::Value => self.value(word),
            Hide::Password if word.contains(':') => self.password(word, 0),
            Hide::AfterSign if matches!(word, "=" | ":" | ":=") => {
                self.out.push_str(word);
                self.hide = Hide::Value;
            }
            Hide::Nothing | Hide::Password | Hide::AfterSign => self.plain(word),
        }
    }

    /// A word that nothing before it makes secret.
    fn plain(&mut self, word: &str) {
        self.header = Quote::opening(word);
        if word.starts_with("-----BEGIN") {
            self.out.push_str(MASK);
            self.hide = Hide::Everything;
            return;
        }
        let program = word.rsplit('/').next().unwrap_or_default();
        if let Some((_, option)) = PASSWORD_OPTIONS.iter().find(|(name, _)| *name == program) {
            self.option = Some(option);
        } else if let Some(option) = self.option.filter(|option| word.starts_with(option)) {
            self.out.push_str(option);
            return self.value_after(&word[option.len()..]);
        }
        if let Some(option) = USER_OPTIONS.iter().find(|option| word.starts_with(**option)) {
            match word[option.len()..].find(':') {
                Some(_) => return self.password(word, option.len()),
                None if word.len() == option.len() => self.hide = Hide::Password,
                None => {}
            }
        }
        let word = &without_user(word);
        if let Some(at) = secret_sign(word) {
            self.out.push_str(&word[..=at]);
            return self.value_after(&word[at + 1..]);
        }
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if is_secret_name(bare) {
            self.hide = if word.starts_with('-') || bare.eq_ignore_ascii_case("bearer") {
                Hide::Value
            } else {
                Hide::AfterSign
            };
        }
        match secret_prefix(word) {
            Some(at) => {
                self.out.push_str(&word[..at]);
                self.out.push_str(MASK);
            }
            None => self.out.push_str(word),
        }
    }

    /// The secret that `rest` begins; where it is empty, the next word does.
    fn value_after(&mut self, rest: &str) {
        if rest.is_empty() {
            self.hide = Hide::Value;
        } else {
            self.value(rest);
        }
    }

    /// The beginning of a secret: to the end of the word, or of the quotes that it stands in.
    fn value(&mut self, text: &str) {
        self.out.push_str(MASK);
        if let Some(quote) = Quote::opening(text) {
            let mark = text.find(quote.mark).map_or(0, |at| at + 1);
            self.until(quote, &text[mark..]);
        } else if let Some(quote) = self.header {
            self.until(quote, text);
        }
    }

    /// What closes the brackets around a secret is shown; anything else behind it may belong to it.
    fn until(&mut self, quote: Quote, text: &str) {
        let Some(at) = quote.end(text) else {
            self.hide = Hide::Until(quote);
            return;
        };
        let rest = &text[at..];
        self.out.push_str(if rest.chars().all(|c| c.is_ascii_punctuation()) { rest } else { &rest[..1] });
    }

    /// `user:password`, from the first colon behind `from` on.
    fn password(&mut self, word: &str, from: usize) {
        let at = word[from..].find(':').map_or(word.len(), |at| from + at + 1);
        self.header = Quote::opening(&word[from..]);
        self.out.push_str(&word[..at]);
        self.value(&word[at..]);
    }
}

/// `https://user:password@host` without the first part.
fn without_user(word: &str) -> Cow<'_, str> {
    if let Some(scheme) = word.find("://").map(|at| at + 3)
        && let Some(at) = word[scheme..].find('@').map(|at| at + scheme)
        && !word[scheme..at].contains('/')
    {
        return format!("{}{MASK}{}", &word[..scheme], &word[at..]).into();
    }
    word.into()
}

/// Where the `=` or `:` behind the name of a secret is: `TOKEN=x`, `--token=x`, `"api_key":"x"`, `https://host/?token=x`.
fn secret_sign(word: &str) -> Option<usize> {
    word.match_indices(['=', ':']).map(|(at, _)| at).find(|&at| {
        let before = word[..at].trim_end_matches(['"', '\'', '\\']);
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        is_secret_name(before.rsplit(|c: char| !is_part(c)).next().unwrap_or_default())
    })
}

fn is_secret_name(name: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    SECRET_WORDS.contains(&name.as_str()) || SECRET_NAMES.iter().any(|secret| name.ends_with(secret))
}

/// Where a key begins that is known by its first letters.
fn secret_prefix(word: &str) -> Option<usize> {
    const SHORTEST: usize = 12;
    // Most words are short, and a search for each prefix is what this all costs.
    if word.len() <= SHORTEST {
        return None;
    }
    SECRET_PREFIXES.iter().find_map(|prefix| {
        let at = word.find(prefix)?;
        let long = word.len() - at >= prefix.len() + SHORTEST;
        (long && (at == 0 || !word.as_bytes()[at - 1].is_ascii_alphanumeric())).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_the_rest_stays() {
        for (text, expected) in [
            ("git push -u origin main", "git push -u origin main"),
            ("echo sk-learn", "echo sk-learn"),
            ("curl https://host/a@b", "curl https://host/a@b"),
            ("sudo -u postgres psql -p 5432", "sudo -u postgres psql -p 5432"),
            ("grep -n 'password' src/a.rs", "grep -n 'password' src/a.rs"),
            ("DB_PASSWORD=hunter2 psql -h db", "DB_PASSWORD=*** psql -h db"),
            (r#"DB_PASSWORD="hunter1 hunter2" psql -h db"#, r#"DB_PASSWORD=***" psql -h db"#),
            (r#"DB_PASSWORD="hunter1 \"hunter2" psql"#, r#"DB_PASSWORD=***" psql"#),
            (r#"DB_PASSWORD="hunter1"hunter2 psql"#, r#"DB_PASSWORD=***" psql"#),
            ("mysql --password hunter2 -e x", "mysql --password *** -e x"),
            ("mysql -u root -phunter2 -e x", "mysql -u root -p*** -e x"),
            ("sshpass -p 'hunter1 hunter2' ssh host", "sshpass -p ***' ssh host"),
            ("tool --token=hunter2 -v", "tool --token=*** -v"),
            ("tool --api-key 'hunter1 hunter2' -v", "tool --api-key ***' -v"),
            ("curl -u me:hunter2 http://x", "curl -u me:*** http://x"),
            ("curl -ume:hunter2 http://x", "curl -ume:*** http://x"),
            ("curl --user 'me:hunter1 hunter2' http://x", "curl --user 'me:***' http://x"),
            (
                "curl -H 'Authorization: Bearer abc.def' http://x",
                "curl -H 'Authorization: Bearer ***' http://x",
            ),
            ("curl -H 'X-Api-Key: hunter2' http://x", "curl -H 'X-Api-Key: ***' http://x"),
            (r#"curl -H "Cookie: a=1; b=2" http://x"#, r#"curl -H "Cookie: ***" http://x"#),
            (
                r#"curl -d '{"api_key": "hunter2", "n": 1}' http://x"#,
                r#"curl -d '{"api_key": ***", "n": 1}' http://x"#,
            ),
            (r#"curl -d "{\"api_key\":\"hunter2\"}" http://x"#, r#"curl -d "{\"api_key\":***"}" http://x"#),
            ("curl 'https://host/?a=1&token=hunter2'", "curl 'https://host/?a=1&token=***'"),
            ("git clone https://me:pw@host/r.git", "git clone https://***@host/r.git"),
            ("export X=ghp_0123456789abcdef0123", "export X=***"),
            ("printf 'password = hunter2\n'", "printf 'password = ***'"),
            ("echo -----BEGIN RSA PRIVATE KEY----- abc", "echo ***    "),
        ] {
            assert_eq!(redact(text).trim_end(), expected.trim_end(), "{text}");
        }
    }

    #[test]
    fn what_leaves_the_machine_is_masked_to_its_end_and_otherwise_as_it_was() {
        let long = "echo  one\n\tdone\n".repeat(1000);
        assert_eq!(redact_all(&long), long);
        let (text, expected) = ("DB_PASSWORD=hunter2 run\n", "DB_PASSWORD=*** run\n");
        assert_eq!(redact_all(&format!("{long}{text}")), format!("{long}{expected}"));
    }

    #[test]
    fn the_result_is_one_bounded_line() {
        for text in ["é\n".repeat(1000), "x".repeat(1_000_000), format!("token='{}", "é ".repeat(100_000))]
        {
            let out = redact(&text);
            assert!(out.chars().count() <= LONGEST + 1 && !out.contains('\n'), "{out}");
        }
    }

    #[test]
    fn no_mixture_of_signs_is_too_odd() {
        const PIECES: &[&str] = &[
            "'", "\"", "\\", "=", ":", "é", " ", "token", "--key", "-u", "mysql ", "-p", "https://", "@", "$",
        ];
        for number in 0..PIECES.len().pow(4) {
            let digits = [1, 15, 225, 3375].map(|power| number / power % PIECES.len());
            let text: String = digits.map(|digit| PIECES[digit]).concat();
            assert!(!redact(&format!("{text} x")).contains('\n'), "{text}");
        }
    }
}
