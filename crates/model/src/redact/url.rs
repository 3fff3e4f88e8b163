//! The user in an address: `https://user:password@host`.

/// No user and password are longer, and a text may hold many addresses.
const LONGEST: usize = 1024;

/// Where it begins and ends. A name alone is a key on the web and none elsewhere: `ssh://git@host`.
pub(super) fn user(text: &str) -> Option<(usize, usize)> {
    if !text.contains('@') && !text.contains("hook") {
        return None;
    }
    let mut from = 0;
    while let Some(start) = text[from..].find("://").map(|at| from + at + 3) {
        let rest = &text[start..];
        let rest = &rest[..rest.floor_char_boundary(LONGEST)];
        let end = rest.find(['"', '\'', '<', '>', ' ', ',', '`']).unwrap_or(rest.len());
        let rest = &rest[..end];
        from = start;
        if let Some(at) = webhook(rest) {
            return Some((start + at, start + rest.len()));
        }
        let Some(at) = rest.rfind('@') else { continue };
        let user = &rest[..at];
        // A slash before it makes it a part of the path, unless a password has one: `u:a/b@host`, but `host:80/a@b`.
        if let Some(slash) = user.find(['/', '?', '#']) {
            let password = user[..slash].split_once(':').map(|(_, password)| password);
            if password.is_none_or(|password| password.bytes().all(|byte| byte.is_ascii_digit())) {
                continue;
            }
        }
        let is_web = text[..start].ends_with("http://") || text[..start].ends_with("https://");
        let password = user.split_once(':').map(|(_, password)| password);
        if user.is_empty() || user == super::MASK || password.is_none() && !is_web {
            continue;
        }
        if super::words::is_reference(password.unwrap_or(user)) {
            continue;
        }
        return Some((start, start + at));
    }
    None
}

/// Where the secret part begins of an address that is a key itself: whoever has it may post.
fn webhook(address: &str) -> Option<usize> {
    const HOOKS: &[&str] = &["hooks.slack.com/services/", "/api/webhooks/", ".webhook.office.com/webhookb2/"];
    let from = HOOKS.iter().find_map(|hook| Some(address.find(hook)? + hook.len()))?;
    (address.len() - from > 12).then_some(from)
}
