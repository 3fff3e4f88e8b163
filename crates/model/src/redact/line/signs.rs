//! What a word looks like by itself: a separator, a switch, a file, the name of a secret.

use crate::redact::names;

pub(super) fn is_number_pair(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
}

pub(super) fn is_separator(text: &str) -> bool {
    matches!(text, "|" | "||" | "|&" | ";" | "&&" | "&")
}

/// An option whose name ends like a secret, and that takes none.
pub(super) fn is_switch(bare: &str) -> bool {
    const SWITCHES: &[&str] = &[
        "no-", "with-", "show-", "print-", "ask-", "use-", "get-", "prompt-", "reset-", "rotate-", "require-",
    ];
    SWITCHES.iter().any(|start| bare.starts_with(start))
}

pub(super) fn is_file_name(text: &str) -> bool {
    const ENDS: &[&str] =
        &[".pem", ".key", ".json", ".crt", ".pub", ".txt", ".jar", ".yml", ".yaml", ".p12", ".asc"];
    let text = text.trim_matches(['"', '\'']);
    let is_path = text.starts_with(['/', '.', '~']) || text.contains('/') && !text.contains(['+', '=']);
    is_path || ENDS.iter().any(|end| text.ends_with(end))
}

/// Where another parameter begins behind a value: `&b=2`, `;Name=x`.
pub(super) fn cut(text: &str) -> Option<usize> {
    text.match_indices(['&', ';']).map(|(at, _)| at).find(|&at| {
        let name = text[at + 1..]
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        name.starts_with('=') && name.len() < text.len() - at - 1
    })
}

/// Where the `=` or `:` behind the name of a secret is, and the name: `TOKEN=x`, `"api_key":"x"`, `https://host/?token=x`.
pub(super) fn secret_sign(text: &str) -> Option<(usize, &str)> {
    text.match_indices(['=', ':']).find_map(|(at, sign)| {
        let before = text[..at].trim_end_matches(['"', '\'', '\\']);
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = before.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
        let in_address = before[..before.len() - name.len()].ends_with(['?', '&']);
        let rest = &text[at + 1..];
        let known = if in_address { names::is_secret_parameter(name) } else { names::is_secret(name) }
            // The file of Docker's client: `"auth": "…"`.
            || name == "auth" && before.len() < at;
        let is_no_secret = rest.starts_with("//")
            || name.contains("PWD") && rest.starts_with(['/', '$', '~', '"'])
            || sign == ":" && matches!(name, "PASS" | "Pass")
            || names::may_be_a_file(name) && !rest.is_empty() && is_file_name(rest);
        (known && !is_no_secret)
            .then(|| (if rest.starts_with('=') && sign == ":" { at + 1 } else { at }, name))
    })
}
