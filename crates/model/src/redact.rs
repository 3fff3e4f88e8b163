//! Secrets out of text that is kept: the decision log, and whatever is shown from it.
//!
//! By hand and without regular expressions, because it runs on every hook call. It errs towards hiding: a log line with a
//! word too few is better than one with a password.

const MASK: &str = "***";
const LONGEST: usize = 240;

/// Words whose value is secret when they end in one of these.
const SECRET_NAMES: &[&str] =
    &["token", "secret", "password", "passwd", "pwd", "api_key", "apikey", "api-key", "credential", "private_key"];

/// Prefixes that providers put before their keys.
const SECRET_PREFIXES: &[&str] =
    &["sk-", "sk_live_", "rk_live_", "ghp_", "gho_", "ghs_", "ghu_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "ASIA", "AIza", "eyJ", "npm_", "pypi-", "hf_"];

/// One line, at most 240 characters, secrets masked.
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(LONGEST) + 8);
    let mut hide_next = false;
    for (index, word) in text.split([' ', '\n', '\t', '\r']).enumerate() {
        if out.len() > LONGEST {
            break;
        }
        if index > 0 {
            out.push(' ');
        }
        let lower = word.to_ascii_lowercase();
        if hide_next && !word.is_empty() {
            hide_next = matches!(lower.as_str(), "bearer" | "basic" | "token");
            out.push_str(if hide_next { word } else { MASK });
            continue;
        }
        hide_next = next_is_secret(&lower);
        mask_word(word, &lower, &mut out);
    }
    if out.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&i| out.is_char_boundary(i)).unwrap_or(0);
        out.truncate(end);
        out.push('…');
    }
    out
}

/// `--password X`, `Authorization: Bearer X`, `-u user:pass`.
fn next_is_secret(lower: &str) -> bool {
    let bare = lower.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    matches!(bare, "bearer" | "authorization") || (lower.starts_with("--") && is_secret_name(bare))
}

fn is_secret_name(name: &str) -> bool {
    SECRET_NAMES.iter().any(|secret| name.ends_with(secret)) || name.ends_with("_key") || name == "key"
}

fn mask_word(word: &str, lower: &str, out: &mut String) {
    // NAME=value, --token=value, "api_key": "value" written without a space.
    if let Some(at) = lower.find(['=', ':'])
        && is_secret_name(lower[..at].trim_matches(|c: char| matches!(c, '"' | '\'' | '{' | ',' | '-')))
        && at + 1 < word.len()
    {
        out.push_str(&word[..=at]);
        out.push_str(MASK);
        return;
    }
    // https://user:password@host
    if let Some(scheme) = word.find("://")
        && let Some(at) = word[scheme..].find('@').map(|i| i + scheme)
        && !word[scheme + 3..at].contains('/')
    {
        out.push_str(&word[..scheme + 3]);
        out.push_str(MASK);
        out.push_str(&word[at..]);
        return;
    }
    for prefix in SECRET_PREFIXES {
        if let Some(at) = word.find(prefix)
            && word.len() - at >= prefix.len() + 12
            && (at == 0 || !word.as_bytes()[at - 1].is_ascii_alphanumeric())
        {
            out.push_str(&word[..at]);
            out.push_str(MASK);
            return;
        }
    }
    out.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_the_rest_stays() {
        for (text, expected) in [
            ("git push origin main", "git push origin main"),
            ("DB_PASSWORD=hunter2 psql -h db", "DB_PASSWORD=*** psql -h db"),
            ("mysql --password hunter2 -e x", "mysql --password *** -e x"),
            ("curl -H 'Authorization: Bearer abc.def' http://x", "curl -H 'Authorization: Bearer *** http://x"),
            ("git clone https://me:pw@host/r.git", "git clone https://***@host/r.git"),
            ("export X=ghp_0123456789abcdef0123", "export X=***"),
            ("echo sk-learn", "echo sk-learn"),
            ("curl https://host/a@b", "curl https://host/a@b"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn the_result_is_one_bounded_line() {
        let text = "é\n".repeat(1000);
        let out = redact(&text);
        assert!(out.chars().count() <= LONGEST + 1 && !out.contains('\n'), "{out}");
    }
}
