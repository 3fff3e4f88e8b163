//! Values that are secret by the name before them: `DB_PASSWORD=…`, `"client_secret": "…"`, `https://me:…@host`.
//!
//! Names alone are everywhere in code and its documentation, so the value has to look like one, too. Only where a text is a list of
//! settings, as `env` prints it, is every value of such a name one.

use super::detect::Secret;
use super::ends::{before_gap, is_address, is_end};
use super::looks::{self, Looks, is_placeholder};
use super::names;

/// Longer ones are no passwords.
const LONGEST: usize = 1024;

/// Goes from sign to sign.
pub(super) struct Named<'a> {
    text: &'a str,
    /// Where the last value ends: signs in it are its own.
    done: usize,
    /// Whether the text is a list of settings, once somebody has asked.
    is_list: Option<bool>,
}

impl<'a> Named<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, done: 0, is_list: None }
    }

    /// The secret behind a `=` or a `:`, where `may_follow_a_name` says that there may be one.
    #[inline(never)]
    pub(super) fn behind(&mut self, sign: usize) -> Option<Secret> {
        let bytes = self.text.as_bytes();
        let end = before_gap(bytes, sign);
        if is_end(&bytes[..end]) {
            self.of_name(sign, end)
        } else if is_address(bytes, sign) {
            self.in_address(sign)
        } else {
            None
        }
    }

    fn in_address(&self, sign: usize) -> Option<Secret> {
        if sign < self.done { None } else { in_address(self.text, sign) }
    }

    #[inline(never)]
    fn of_name(&mut self, sign: usize, end: usize) -> Option<Secret> {
        let text = self.text;
        let bytes = text.as_bytes();
        if is_address(bytes, sign) {
            return self.in_address(sign);
        }
        let name = &text[name_before(bytes, end)?];
        if sign < self.done || !names::is_secret(name) || is_mundane(name) {
            return None;
        }
        let (from, to, quoted) = value_behind(bytes, sign)?;
        let value = text.get(from..to)?;
        let is_listed = |list: &mut Option<bool>| {
            is_setting(text, sign, name) && *list.get_or_insert_with(|| is_list(text))
        };
        let looks_like_one =
            is_value(value, quoted, bytes[sign] == b':') && !looks::says_its_name(name, value);
        if looks_like_one || is_listed(&mut self.is_list) && is_given(value) {
            self.done = to;
            let kind = format!("value of {name}");
            return Some(Secret { range: from..to, keep: 0, kind, certain: false });
        }
        None
    }
}

/// The name that ends in a place, where it may be one of a secret.
fn name_before(bytes: &[u8], end: usize) -> Option<std::ops::Range<usize>> {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let long = bytes[end.saturating_sub(64)..end].iter().rev().take_while(part).count();
    // `AWS::Api::ApiKey` is a type.
    let is_type = bytes[..end - long].ends_with(b"::");
    (long >= 4 && !is_type).then(|| end - long..end)
}

/// Where the value behind a sign begins and ends, and whether it stands in quotes.
fn value_behind(bytes: &[u8], sign: usize) -> Option<(usize, usize, bool)> {
    let mut from = sign + 1;
    // `:=`, `=>`, `==`
    while matches!(bytes.get(from), Some(b'=' | b'>')) && from < sign + 3 {
        from += 1;
    }
    while matches!(bytes.get(from), Some(b' ' | b'\t')) && from < sign + 12 {
        from += 1;
    }
    for scheme in [&b"Bearer "[..], b"bearer ", b"Basic ", b"Token ", b"token "] {
        if bytes[from..].starts_with(scheme) {
            from += scheme.len();
        }
    }
    while bytes.get(from) == Some(&b'\\') {
        from += 1;
    }
    let quote = bytes.get(from).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    from += usize::from(quote.is_some());
    let ends = |byte: u8| match quote {
        Some(quote) => byte == quote || matches!(byte, b'\n' | b'\\'),
        None => {
            byte.is_ascii_whitespace()
                || matches!(
                    byte,
                    b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b')' | b'}' | b']' | b'<' | b'\\'
                )
        }
    };
    let to = from
        + bytes[from..]
            .iter()
            .take(LONGEST)
            .position(|byte| ends(*byte))
            .unwrap_or_else(|| (bytes.len() - from).min(LONGEST));
    (to > from).then_some((from, to, quote.is_some()))
}

/// Names that end like a secret's and mean something else.
fn is_mundane(name: &str) -> bool {
    let last = name.rsplit(['.', '_', '-']).next().unwrap_or(name);
    let bare = name.eq_ignore_ascii_case("key")
        || name.eq_ignore_ascii_case("cookie")
        || name.eq_ignore_ascii_case("pass");
    let keyed = last.eq_ignore_ascii_case("key") && {
        let lower = name.to_ascii_lowercase();
        ![
            "api",
            "secret",
            "access",
            "auth",
            "private",
            "account",
            "encryption",
            "signing",
            "admin",
            "service",
            "app",
            "sdk",
            "insert",
            "license",
        ]
        .iter()
        .any(|word| lower.contains(word))
    };
    // Where a list goes on, and no more.
    let lists =
        ["pagetoken", "page_token", "nexttoken", "next_token", "paginationtoken", "continuationtoken"];
    let place = lists.iter().any(|end| ends(name, end)) || is_of_state(name);
    // The id of a key, and where it holds; what is signed with it is beside it.
    let scope =
        name.eq_ignore_ascii_case("x-amz-credential") || name.eq_ignore_ascii_case("x-goog-credential");
    bare || keyed
        || scope
        || place
        || last.eq_ignore_ascii_case("cookie")
        || name.to_ascii_lowercase().contains("public")
}

/// Which state of a thing, or which request, is meant: `LockToken`, `update_token`. Whoever has it can do nothing with it. In AWS's own
/// spelling `ClientToken` is one, too; Vault's `client_token` is not.
fn is_of_state(name: &str) -> bool {
    const STATES: &[&str] = &["lock", "change", "idempotency", "update", "request", "lifecycleaction"];
    let at = name.len().saturating_sub("token".len());
    let Some(before) = name.get(..at).filter(|_| ends(name, "token")) else { return false };
    let before = before.trim_end_matches(['_', '-']);
    before.ends_with("Client")
        || before == "client" && name.ends_with("Token")
        || STATES.iter().any(|state| ends(before, state))
}

fn ends(name: &str, end: &str) -> bool {
    let at = name.len().wrapping_sub(end.len());
    name.as_bytes().get(at..).is_some_and(|tail| tail.eq_ignore_ascii_case(end.as_bytes()))
}

/// By its looks: what a machine has made, of a length that keys have.
fn is_value(value: &str, quoted: bool, after_colon: bool) -> bool {
    let bytes = value.as_bytes();
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'-'
                    | b'+'
                    | b'/'
                    | b'='
                    | b'.'
                    | b':'
                    | b'~'
                    | b'!'
                    | b'@'
                    | b'#'
                    | b'%'
                    | b'^'
                    | b'*'
                    | b'?'
            )
    };
    let looks = Looks::of(bytes);
    // `key: curve25519.PrivateKey` is a type.
    let code = !quoted && (value.contains('.') || value.contains("::") || looks.len < 20 && after_colon);
    !code
        && bytes.iter().all(plain)
        && (looks.is_random(bytes) || has_random_part(bytes))
        && !is_placeholder(bytes)
        && !looks::is_public_point(bytes)
        && !looks::is_empty_token(bytes)
        && !looks::is_type_name(bytes)
        && !value.starts_with("UUID=")
        && !is_path(value)
}

/// `live_…`: one word of a machine's with another before it.
fn has_random_part(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| matches!(byte, b'_' | b'-' | b'.' | b':'));
    parts.any(|part| part.len() >= 20 && part.len() < value.len() && Looks::of(part).is_random(part))
}

fn is_path(value: &str) -> bool {
    value.starts_with(['/', '.', '~', '$', '@', '#'])
        || value.contains("./")
        || value.matches('/').count() > 3 && !value.contains(['+', '='])
}

/// `os.environ.get(…`: a program that looks like a list of settings.
fn is_call(value: &str) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    value.split_once('(').is_some_and(|(before, _)| !before.is_empty() && before.chars().all(name))
}

/// A value that is really there, in a list of settings.
fn is_given(value: &str) -> bool {
    let looks = Looks::of(value.as_bytes());
    value.len() >= 6
        && !is_placeholder(value.as_bytes())
        && !is_path(value)
        && !is_call(value)
        && !value.starts_with(['{', '<', '(', '['])
        && !value.contains("://")
        && looks.digits < looks.len
        && !matches!(
            value.to_ascii_lowercase().as_str(),
            "true" | "false" | "none" | "null" | "undefined" | "enabled" | "disabled"
        )
}

/// `NAME=value` at the beginning of a line, in capitals.
fn is_setting(text: &str, sign: usize, name: &str) -> bool {
    let bytes = text.as_bytes();
    let capitals =
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let Some(start) = sign.checked_sub(name.len()).filter(|_| capitals && bytes[sign] == b'=') else {
        return false;
    };
    // Backwards, and no further than blanks go: a line may be the whole text.
    let before = text[..start].strip_suffix("export ").unwrap_or(&text[..start]);
    let before = before.trim_end_matches(|c: char| c.is_whitespace() && !matches!(c, '\n' | '\t'));
    // `12→` and `12\t` are the numbers of lines, `file:12:` is a place.
    before.is_empty() || before.ends_with(['\n', '\t', '→', ':'])
}

/// Whether most of a text is settings: what `env` or `cat .env` prints.
fn is_list(text: &str) -> bool {
    let (mut settings, mut others) = (0, 0);
    for line in text.lines().take(200) {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '\t' | '→'));
        let line = line.strip_prefix("export ").unwrap_or(line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let name = line.split('=').next().unwrap_or_default();
        let is_name = name.len() < line.len()
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name { settings += 1 } else { others += 1 }
    }
    settings > 0 && settings >= others * 4
}

/// What ends the part of an address that names a host.
static ENDS_HOST: [bool; 256] = {
    let mut ends = [false; 256];
    let signs = b" \t\n\r\x0c/\"'<>`?#\\){}$[]";
    let mut at = 0;
    while at < signs.len() {
        ends[signs[at] as usize] = true;
        at += 1;
    }
    ends
};

/// The password of `scheme://user:password@host`.
fn in_address(text: &str, colon: usize) -> Option<Secret> {
    let rest = &text.as_bytes()[colon + 3..];
    // Most have no `@`.
    let known = rest.iter().take(300).find(|byte| **byte == b'@' || ENDS_HOST[usize::from(**byte)])?;
    if *known != b'@' {
        return None;
    }
    let end = rest.iter().take(300).position(|byte| ENDS_HOST[usize::from(*byte)]);
    let authority = &rest[..end.unwrap_or_else(|| rest.len().min(300))];
    let at = authority.iter().rposition(|byte| *byte == b'@')?;
    let sign = authority[..at].iter().position(|byte| *byte == b':')?;
    let password = &authority[sign + 1..at];
    let looks = Looks::of(password);
    let host = std::str::from_utf8(&authority[at + 1..]).unwrap_or_default();
    let shown = host.contains("example") || host.starts_with("host") || host.is_empty();
    // `key_1234`
    // Oracle's own example since 1977.
    let tiger = authority[..sign].eq_ignore_ascii_case(b"scott") && password.starts_with(b"tiger");
    let counted = password.strip_suffix(b"_1234").is_some_and(|word| word.iter().all(u8::is_ascii_lowercase));
    let varied = looks.digits >= 1 && looks.upper + looks.lower >= 2 && looks.distinct >= 6 && !counted;
    if password.len() < 8
        || !varied
        || shown
        || tiger
        || is_placeholder(password)
        || password.contains(&b'%') && password.len() < 16
        // Many hosts with their ports.
        || password.contains(&b',') && password.contains(&b':')
    {
        return None;
    }
    let from = colon + 3 + sign + 1;
    Some(Secret {
        range: from..from + password.len(),
        keep: 0,
        kind: "password in an address".into(),
        certain: false,
    })
}
