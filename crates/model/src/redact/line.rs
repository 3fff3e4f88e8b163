//! A line of words, read from the left: what the words before one make of it, and so what of it is hidden.

mod habit;
mod signs;

use super::names::Habits;
use super::words::{Quote, Word, is_reference};
use super::{BLANKS, MASK, formats, names, tokens, url};
use signs::{cut, is_file_name, is_number_pair, is_separator, is_switch, secret_sign};

/// What comes between a header's name and the secret.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "digest", "apikey", "negotiate", "ntlm"];

/// Options before `user:password`.
const USER_OPTIONS: &[&str] = &["-u", "-U", "--user", "--proxy-user"];

/// What is to be hidden of the words to come.
#[derive(Clone, Default)]
enum Hide {
    #[default]
    Nothing,
    /// The value that the next word begins.
    Value(Doubt),
    /// The password after this sign, if it is there: `user:password`.
    After(char),
    /// The password of OpenSSL, which says where it is: `pass:x`, but `env:NAME`.
    Source,
    /// A bare name: the value, if `=` or `:` comes first.
    AfterSign,
    /// The same, and a value in quotes.
    Quoted,
    /// Everything up to this quote.
    Until(Quote),
    /// The next word and everything up to the end of the line.
    Header,
    /// Everything up to the end of the line.
    Line,
    /// Everything up to a line with this word.
    Document(String),
}

/// How sure it is that a secret comes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Doubt {
    #[default]
    None,
    /// It may be the name of a file.
    File,
    /// An option may come instead.
    Option,
    /// It has to look like one.
    Looks,
}

/// The command that the present word belongs to.
#[derive(Clone, Default)]
struct Command {
    habits: Habits,
    /// As far as it matters.
    is_curl: bool,
    is_openssl: bool,
    is_sudo: bool,
    is_vault: bool,
    /// The word that `Habits::after` waits for was there.
    armed: bool,
    pairs: bool,
    /// `config`, `set`: a name and a value follow.
    sets: bool,
    with: bool,
    /// One word fewer: `htpasswd -n` has no file.
    fewer: bool,
    positional: u8,
    /// What it reads is secret.
    reads_secret: bool,
    /// `machine x login y`: a line of .netrc.
    netrc: u8,
}

#[derive(Default)]
pub(super) struct Line {
    pub(super) out: String,
    hide: Hide,
    /// The quote that the present word was opened with, and that is still open: `'X-Api-Key: …'`.
    header: Option<Quote>,
    command: Command,
    /// Where the words begin that `echo` prints.
    pub(super) echo: Option<usize>,
    /// The words that were printed into the present pipe.
    pub(super) piped: Option<(usize, usize)>,
    /// The last word was a backslash: the line goes on.
    continued: bool,
    user: Ahead,
    token: Ahead,
}

/// The next find in the rest of a word, counted from its end: a long word with many secrets is not searched for each of them.
#[derive(Clone, Copy, Default)]
enum Ahead {
    #[default]
    Unknown,
    Nothing,
    At(usize, usize),
}

impl Ahead {
    fn next(&mut self, rest: &str, find: fn(&str) -> Option<(usize, usize)>) -> Option<(usize, usize)> {
        let len = rest.len();
        match *self {
            Ahead::Nothing => return None,
            Ahead::At(from, to) if from <= len => return Some((len - from, len - to)),
            Ahead::At(..) | Ahead::Unknown => {}
        }
        let found = find(rest);
        *self = found.map_or(Ahead::Nothing, |(from, to)| Ahead::At(len - from, len - to));
        found
    }
}

impl Line {
    pub(super) fn with_room(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), ..Self::default() }
    }

    pub(super) fn word(&mut self, word: &Word<'_>) {
        let new_line = word.gap.contains('\n');
        let hide = std::mem::take(&mut self.hide);
        match &hide {
            Hide::Until(_) => {}
            Hide::Line if !new_line => {
                self.hide = hide;
                return;
            }
            Hide::Document(end) if word.text != end => {
                self.hide = hide;
                return;
            }
            Hide::Document(_) => {
                self.out.push('\n');
                self.out.push_str(word.text);
                return;
            }
            _ => self.out.push_str(word.gap),
        }
        if new_line && !self.continued && !matches!(hide, Hide::Until(_)) {
            self.end_of_command(false);
        }
        self.continued = word.text == "\\";
        (self.user, self.token) = Default::default();
        let mut rest = self.first(hide, word);
        while !rest.is_empty() {
            rest = self.more(rest);
        }
    }

    /// The beginning of a word. Gives what of it has not been looked at.
    fn first<'a>(&mut self, hide: Hide, word: &Word<'a>) -> &'a str {
        let text = word.text;
        match hide {
            _ if text.is_empty() => {
                self.hide = hide;
                ""
            }
            Hide::Until(quote) => self.until(quote, text),
            // `--with-token < file`
            Hide::Value(_) if text.starts_with('<') => self.plain(word),
            Hide::Value(_) if is_separator(text) => self.plain(word),
            Hide::Value(_) if SCHEMES.iter().any(|scheme| text.eq_ignore_ascii_case(scheme)) => {
                self.out.push_str(text);
                self.hide = Hide::Value(Doubt::None);
                ""
            }
            Hide::Value(_) if text.eq_ignore_ascii_case("aws4-hmac-sha256") => {
                self.out.push_str(text);
                self.hide = self.header.map_or(Hide::Line, Hide::Until);
                self.out.push(' ');
                self.out.push_str(MASK);
                ""
            }
            Hide::Value(Doubt::File) if is_file_name(text) => self.plain(word),
            Hide::Value(Doubt::Option) if text.len() > 1 && text.starts_with('-') => self.plain(word),
            Hide::Value(Doubt::Looks)
                if text.len() < 8 || !(formats::is_varied(text.as_bytes()) || text.len() >= 20) =>
            {
                self.plain(word)
            }
            Hide::Value(_) => self.value(text),
            // `docker run -u 1000:1000`
            Hide::After(sign) if text.contains(sign) && !is_number_pair(text) => self.after(text, 0, sign),
            Hide::Header if text == MASK => self.plain(word),
            Hide::Header => {
                self.out.push_str(MASK);
                self.hide = Hide::Line;
                ""
            }
            Hide::Source => match text.trim_start_matches(['"', '\'']).split_once(':') {
                Some(("env" | "file" | "fd", _)) => self.plain(word),
                Some(("pass" | "hexkey" | "key", _)) => self.after(text, 0, ':'),
                None if text == "stdin" => {
                    self.read_secret();
                    self.plain(word)
                }
                _ => self.value(text),
            },
            Hide::Quoted if text.starts_with(['\'', '"']) => self.value(text),
            Hide::AfterSign | Hide::Quoted if matches!(text, "=" | ":" | ":=") => {
                self.out.push_str(text);
                self.hide = Hide::Value(Doubt::None);
                ""
            }
            _ => self.plain(word),
        }
    }

    /// A word that nothing before it makes secret.
    fn plain<'a>(&mut self, word: &Word<'a>) -> &'a str {
        let text = word.text;
        if is_separator(text) {
            self.end_of_command(matches!(text, "|" | "|&"));
            self.out.push_str(text);
            return "";
        }
        self.header = Quote::opening(text)
            .and_then(|(quote, inner)| quote.end(&text[inner..]).is_none().then_some(quote));
        let bare = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        if self.begins_program(text, bare) {
            self.out.push_str(text);
            return "";
        }
        if let Some(rest) = self.habit(text, bare) {
            return rest;
        }
        if let Some(option) = USER_OPTIONS.iter().find(|option| text.starts_with(**option)) {
            let given = &text[option.len()..];
            match given.find(':') {
                Some(_) if is_number_pair(given) => {}
                Some(_) => return self.after(text, option.len(), ':'),
                None if given.is_empty() => {
                    self.out.push_str(text);
                    self.hide = Hide::After(':');
                    return "";
                }
                None => {}
            }
        }
        if !word.has_signs {
            self.name_alone(text, bare);
            // A key that is known by its looks has no signs.
            return self.more_of(text, false);
        }
        // `npm config set //host/:_authToken`, `$env:TOKEN`
        if !text.contains('=') {
            let last = bare.rsplit(':').next().unwrap_or(bare);
            self.name_alone(text, last.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
        }
        text
    }

    /// A word that names something, with no value behind it: the next may be it.
    fn name_alone(&mut self, text: &str, bare: &str) {
        if self.command.netrc == 2 && matches!(bare, "password" | "account") {
            self.command.netrc = 0;
            self.hide = Hide::Value(Doubt::None);
            return;
        }
        match bare {
            "machine" | "default" => self.command.netrc = 1,
            "login" if self.command.netrc == 1 => self.command.netrc = 2,
            "set" | "config" | "setx" => self.command.sets = true,
            // SQL: `IDENTIFIED BY 'x'`, `PASSWORD 'x'`.
            "BY" | "PASSWORD" => {
                self.hide = Hide::Quoted;
                return;
            }
            _ => {}
        }
        if bare.eq_ignore_ascii_case("bearer") {
            self.hide = Hide::Value(Doubt::Looks);
        } else if names::is_secret(bare) || self.command.sets && bare.contains("-token.") {
            let is_option = text.starts_with('-');
            self.hide = if is_option && is_switch(bare) || bare.starts_with("set-") {
                Hide::Nothing
            } else if names::may_be_a_file(bare) && is_option {
                Hide::Value(Doubt::File)
            } else if is_option || self.command.sets && !text.starts_with(['"', '\'']) {
                Hide::Value(Doubt::Option)
            } else {
                Hide::AfterSign
            };
        }
    }

    fn more<'a>(&mut self, text: &'a str) -> &'a str {
        self.more_of(text, true)
    }

    /// The first secret in a part of a word, by the name before it or by its looks. Gives what is behind it.
    fn more_of<'a>(&mut self, text: &'a str, has_signs: bool) -> &'a str {
        let sign = if has_signs { secret_sign(text) } else { None };
        let user = if has_signs { self.user.next(text, url::user) } else { None };
        let token = self.token.next(text, tokens::find);
        let first = [sign.map(|(at, _)| at), user.map(|(from, _)| from), token.map(|(from, _)| from)]
            .into_iter()
            .flatten()
            .min();
        let Some(first) = first else {
            self.out.push_str(text);
            return "";
        };
        if let Some((from, to)) =
            user.or(token).filter(|(from, _)| *from == first).or(token.filter(|(from, _)| *from == first))
        {
            self.out.push_str(&text[..from]);
            self.out.push_str(MASK);
            return &text[to..];
        }
        let (at, name) = sign.unwrap_or((0, ""));
        self.out.push_str(&text[..=at]);
        let rest = &text[at + 1..];
        if rest.is_empty() {
            self.hide = if names::is_cookie(name) && self.header.is_none() && text.ends_with(':') {
                Hide::Header
            } else {
                Hide::Value(if names::may_be_a_file(name) { Doubt::File } else { Doubt::None })
            };
            return "";
        }
        self.value(rest)
    }

    /// The beginning of a secret: to the end of the word, or of the quotes that it stands in. Gives what is behind it.
    fn value<'a>(&mut self, text: &'a str) -> &'a str {
        // A substitution is code; what it prints is not in the text.
        for code in ["$(", "\"$(", "`", "<("] {
            if let Some(rest) = text.strip_prefix(code) {
                self.out.push_str(code);
                return rest;
            }
        }
        if is_reference(text) {
            self.out.push_str(text);
            return "";
        }
        if let Some((quote, inner)) = Quote::opening(text) {
            self.out.push_str(&text[..inner]);
            self.out.push_str(MASK);
            return self.until(quote, &text[inner..]);
        }
        self.out.push_str(MASK);
        let cut = cut(text);
        let closing = self.header.and_then(|quote| quote.end(text));
        match (cut, closing) {
            (Some(cut), closing) if closing.is_none_or(|closing| cut < closing) => &text[cut..],
            (_, Some(closing)) => self.behind(&text[closing..]),
            (_, None) => {
                if let Some(quote) = self.header {
                    self.hide = Hide::Until(quote);
                    return "";
                }
                let kept = text.trim_end_matches([')', ']', '}', ',', '"', '\'', '`']);
                // Half a quote in the middle: `foo"bar baz"`.
                if let Some(mark) = ['"', '\''].into_iter().find(|mark| kept.matches(*mark).count() % 2 == 1)
                    && let Some((quote, _)) = Quote::opening(&mark.to_string())
                    && kept.len() == text.len()
                {
                    self.hide = Hide::Until(quote);
                }
                self.out.push_str(&text[kept.len()..]);
                ""
            }
        }
    }

    fn until<'a>(&mut self, quote: Quote, text: &'a str) -> &'a str {
        match quote.end(text) {
            Some(at) => self.behind(&text[at..]),
            None => {
                self.hide = Hide::Until(quote);
                ""
            }
        }
    }

    /// A quote that ends a secret, and what is behind it: more of the same word belongs to the secret, brackets and commas do not.
    fn behind<'a>(&mut self, text: &'a str) -> &'a str {
        self.header = None;
        let end = text.find(['"', '\'']).map_or(0, |at| at + 1);
        self.out.push_str(&text[..end]);
        let rest = &text[end..];
        let closes = |c: char| matches!(c, '"' | '\'' | ')' | ']' | '}' | ',' | ';' | '`' | '\\');
        if rest.chars().all(closes) {
            return rest;
        }
        if rest.starts_with(|c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '$' | '"' | '\'' | '_' | '-' | '.' | '/')
        }) {
            // `"hunter1"hunter2`; the quote may open again.
            if let Some((mark, at)) = ['"', '\'']
                .into_iter()
                .filter_map(|mark| Some((mark, rest.find(mark)?)))
                .min_by_key(|(_, at)| *at)
                && let Some((quote, _)) = Quote::opening(&mark.to_string())
            {
                return self.until_next(quote, &rest[at + 1..]);
            }
            return "";
        }
        rest
    }

    /// Another quoted part of the same secret.
    fn until_next<'a>(&mut self, quote: Quote, text: &'a str) -> &'a str {
        match quote.end(text) {
            Some(at) => {
                let rest = &text[at + 1..];
                if rest.starts_with([',', '}', ']', ')', ';', ':']) { rest } else { "" }
            }
            None => {
                self.hide = Hide::Until(quote);
                ""
            }
        }
    }

    /// `user:password`, from the first sign behind `from` on.
    fn after<'a>(&mut self, text: &'a str, from: usize, sign: char) -> &'a str {
        let at = text[from..].find(sign).map_or(text.len(), |at| from + at + 1);
        self.header = Quote::opening(&text[from..]).map(|(quote, _)| quote);
        self.out.push_str(&text[..at]);
        if at == text.len() { "" } else { self.value(&text[at..]) }
    }

    fn end_of_command(&mut self, into_pipe: bool) {
        self.command = Command::default();
        if let Some(from) = self.echo.take() {
            self.piped = into_pipe.then_some((from, self.out.len()));
        } else if !into_pipe {
            self.piped = None;
        }
    }

    /// What the present command reads is a secret: so is what was printed into the pipe that it reads from.
    fn read_secret(&mut self) {
        self.command.reads_secret = true;
        let Some((from, to)) = self.piped.take() else { return };
        let printed = self.out[from..to].to_owned();
        let is_harmless = |word: &str| {
            let inner = word.trim_matches(['"', '\'']);
            word.starts_with('-') && word.len() <= 3
                || is_reference(word) && !word.starts_with('\'')
                || inner.starts_with('%') && inner.len() <= 4
        };
        if !printed.split(BLANKS).all(|word| word.is_empty() || is_harmless(word)) {
            let end = printed.len() - printed.trim_end().len();
            self.out.replace_range(from..to - end, &format!(" {MASK}"));
        }
    }
}
