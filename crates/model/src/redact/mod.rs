//! Secrets out of text that is kept, shown or sent: the decision log, what commands print, the second opinion. One function.
//!
//! By hand and without regular expressions, because it runs on every hook call: words, and what the words before them make of
//! them. It errs towards hiding: a log line with a word too few is better than one with a password. What is not a secret by its
//! looks stays: `$PASSWORD`, the name of a file, `-p 8080:80`.

mod assigned;
mod detect;
mod ends;
mod formats;
mod line;
mod looks;
mod names;
mod own_values;
mod pem;
mod shapes;
mod tokens;
mod url;
mod words;

use std::borrow::Cow;

pub(crate) use detect::Secrets;
pub use detect::{MARK, Secret, find_secrets, mask};
pub use own_values::OwnValues;

use line::Line;
use words::Words;

/// What stands for a secret.
pub const MASK: &str = "***";
const LONGEST: usize = 240;
/// What is looked at. Much more than is kept, because a secret shrinks to three characters.
const LOOKED_AT: usize = 8 * 1024;

const BLANKS: [char; 4] = [' ', '\n', '\t', '\r'];

/// One line, at most 240 characters, secrets masked.
pub fn redact(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut out = masked(text, LONGEST);
    if out.contains(['\n', '\t', '\r']) {
        out = out.replace(BLANKS, " ");
    }
    if out.len() > LONGEST {
        out.truncate(out.floor_char_boundary(LONGEST));
        out.push('…');
    }
    out
}

/// All of it, lines and blanks as they are, secrets masked: for text that leaves the machine, or is shown.
pub fn redact_all(text: &str) -> String {
    masked(text, usize::MAX)
}

/// The parts of a text that `redact_all` masks. A part of a command, a single word say, does not show what it is.
pub fn secrets(text: &str) -> Vec<String> {
    let shown = redact_all(text);
    let mut secrets = Vec::new();
    let mut pieces = shown.split(MASK);
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return secrets };
    for piece in pieces {
        // A piece that is short could be anywhere; with the next ones it is not, but this is good enough for showing.
        let at = if piece.is_empty() { rest.len() } else { rest.find(piece).unwrap_or(rest.len()) };
        let (secret, more) = rest.split_at(at);
        let words = secret.split(BLANKS).map(|word| word.trim_matches(['"', '\'']));
        secrets.extend(words.filter(|word| word.len() > 2).map(str::to_owned));
        rest = more.strip_prefix(piece).unwrap_or_default();
    }
    secrets
}

/// Whether a text has a key in it that is one beyond doubt: a private key, or a provider's token by its looks. For those who
/// stop somebody because of it; what is only shown or kept is masked with much less.
pub fn has_key(text: &str) -> bool {
    const SHORTEST: usize = 16;
    let private = || tokens::private_keys(text).iter().any(|(from, to)| to - from > 24);
    // A signed address names the key that it was signed with, which is not a secret.
    let signed = text.contains("X-Amz-Signature=");
    let certain = |word: &str| {
        let Some((from, to)) = tokens::find(word) else { return false };
        let (before, secret) = (&word[..from], &word[from..to]);
        let random = secret.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
            let digits = run.bytes().filter(u8::is_ascii_digit).count();
            run.len() >= SHORTEST && digits >= 2 && run.len() - digits >= 4
        });
        let amazon = before.ends_with("IA") || before.ends_with("ACCA");
        // Much else is JSON in base64.
        let json = before.ends_with("eyJ") && secret.matches('.').count() != 2;
        !json && !secret.ends_with("EXAMPLE") && (amazon && !signed || !amazon && random)
    };
    text.contains("-----BEGIN ") && private()
        || text
            .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '&' | '?' | '=' | ',' | ';'))
            .any(certain)
}

/// Stops when it has `enough`.
fn masked(text: &str, enough: usize) -> String {
    let text = &without_private_keys(text);
    let mut line = Line::with_room(text.len().min(enough) + 8);
    for word in Words::new(text) {
        // What is on its way into a pipe may turn out to be a secret yet.
        if line.out.len() > enough && line.echo.is_none() && line.piped.is_none() {
            break;
        }
        line.word(&word);
    }
    line.out
}

fn without_private_keys(text: &str) -> Cow<'_, str> {
    if !text.contains("-----BEGIN ") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (begin, end) in tokens::private_keys(text) {
        out.push_str(&text[from..begin]);
        out.push_str(MASK);
        from = end;
    }
    out.push_str(&text[from..]);
    out.into()
}

#[cfg(test)]
mod tests;
