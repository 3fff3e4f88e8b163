//! Addresses: which are files of this machine, which give its credentials away, and which stay on it.

use std::net::{Ipv4Addr, Ipv6Addr};

use model::deed::{Deed, Object, Verb};

/// What opening an address does. A `file:` in it, also behind another scheme, is a path that is read.
pub fn deed(verb: Verb, address: &str) -> Deed {
    match file(address) {
        Some(path) => Deed::path(Verb::Reads, path),
        None => Deed::new(verb, Object::Address(address.to_owned())),
    }
}

/// A path, which may be written as an address.
pub fn of_path(verb: Verb, text: &str) -> Deed {
    Deed::path(verb, file(text).unwrap_or_else(|| text.to_owned()))
}

/// The path in a `file:` address.
pub(crate) fn file(address: &str) -> Option<String> {
    let at = address.to_ascii_lowercase().find("file:")?;
    // `profile:` and the like.
    if address[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = &address[at + 5..];
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let path = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
    let end = path.find(['?', '#']).unwrap_or(path.len());
    Some(decoded(&path[..end]))
}

/// `%2e` is a dot.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                bytes.push(hex(*high).unwrap_or_default() * 16 + hex(*low).unwrap_or_default());
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The host of an address, without user, port and brackets, in small letters.
pub fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    let host = match rest.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or(inner),
        None => rest.split(':').next().unwrap_or(rest),
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Where clouds tell a machine its own credentials.
pub fn gives_credentials(address: &str) -> bool {
    const NAMES: &[&str] = &[
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.tencentyun.com",
    ];
    const NUMBERS: [Ipv4Addr; 5] = [
        Ipv4Addr::new(169, 254, 169, 254),
        Ipv4Addr::new(169, 254, 170, 2),
        Ipv4Addr::new(169, 254, 170, 23),
        Ipv4Addr::new(100, 100, 100, 200),
        Ipv4Addr::new(192, 0, 0, 192),
    ];
    let host = host(address);
    let by_number = number(&host).is_some_and(|number| NUMBERS.contains(&number));
    let by_six = host.parse::<Ipv6Addr>().is_ok_and(|six| {
        six == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)
            || six.to_ipv4_mapped().is_some_and(|four| NUMBERS.contains(&four))
    });
    // Through something that asks for us, or by a name that only says the number.
    by_number || by_six || NAMES.contains(&host.as_str()) || names_credentials(address)
}

/// The port of an address, where it names one.
fn port(address: &str) -> Option<u16> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority).rsplit_once(':')?.1.parse().ok()
}

/// The path of an address.
fn path_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.find('/').map_or("", |at| &rest[at..])
}

/// Interfaces that give out secrets, or that whoever reaches them can do anything with: an engine of containers, a vault, a
/// cluster's own.
pub fn gives_secrets(address: &str) -> bool {
    let (host, path) = (host(address), path_of(address));
    let web = address.starts_with("http");
    let engine = matches!(port(address), Some(2375 | 2376));
    let vault = (port(address) == Some(8200) || host.starts_with("vault.")) && path.starts_with("/v1/");
    let open = ["/v1/sys/health", "/v1/sys/seal-status"].iter().any(|known| path.starts_with(known));
    let cluster = (host.starts_with("kubernetes.default") || matches!(port(address), Some(6443 | 10250)))
        && (path.contains("/secrets") || path.contains("/exec") || path.contains("/run/"));
    let settings = host.ends_with("consul") && path.starts_with("/v1/kv/") || port(address) == Some(2379);
    web && (engine || vault && !open || cluster || settings)
}

/// Schemes by which an address says words to a service that knows nothing of pages.
pub fn speaks_otherwise(address: &str) -> bool {
    let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
    matches!(
        scheme.as_str(),
        "gopher" | "dict" | "ldap" | "ldaps" | "jar" | "netdoc" | "expect" | "phar" | "tftp"
    )
}

/// Hosts that keep whatever they are sent, for whoever made the address.
pub fn collects(address: &str) -> bool {
    const HOSTS: &[&str] = &[
        "webhook.site",
        "requestbin.com",
        "requestbin.net",
        "pipedream.net",
        "requestcatcher.com",
        "beeceptor.com",
        "hookbin.com",
        "interact.sh",
        "interactsh.com",
        "oastify.com",
        "burpcollaborator.net",
        "dnslog.cn",
        "canarytokens.com",
        "oast.pro",
        "oast.live",
        "oast.site",
        "oast.online",
        "oast.fun",
        "oast.me",
        "bxss.me",
        "ceye.io",
        "typedwebhook.tools",
        "webhook-test.com",
        "postb.in",
    ];
    let host = host(address);
    HOSTS
        .iter()
        .any(|known| host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Whether an address has more to say than where it leads: a query, or names that were put before its host.
pub fn carries(address: &str) -> bool {
    let query = address.split_once('?').is_some_and(|(_, query)| query.len() >= 12);
    let long = path_of(address).split(['/', '?']).any(|part| part.len() >= 40);
    query || long || host(address).split('.').count() >= 4
}

/// The files that code in a page names, as addresses: up to the end of the text that they stand in.
pub fn files_in(code: &str) -> impl Iterator<Item = String> {
    code.match_indices("file:").filter_map(|(at, _)| {
        let rest = &code[at..];
        let end = rest.find(['"', '\'', '`', ' ', ')', '\n']).unwrap_or(rest.len());
        file(&rest[..end])
    })
}

/// Whether a text names an address where a cloud gives credentials away.
pub fn names_credentials(text: &str) -> bool {
    ["169.254.169.254", "169-254-169-254", "169.254.170.2", "metadata.google.internal"]
        .iter()
        .any(|part| text.contains(part))
}

/// An address in numbers, in any of the forms that a resolver takes: `0xa9fea9fe`, `2852039166`, `0251.0376.0251.0376`.
fn number(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u32> = host.split('.').map(part).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let head = first.iter().enumerate().map(|(at, part)| part << (24 - 8 * at)).sum::<u32>();
    Some(Ipv4Addr::from(head.checked_add(*last)?))
}

fn part(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

/// Whether it is where everybody takes packages from, by a road that nobody can change on the way.
pub fn is_registry(address: &str) -> bool {
    const DOMAINS: &[&str] =
        &["crates.io", "golang.org", "npmjs.org", "pypi.org", "pythonhosted.org", "yarnpkg.com"];
    let host = address.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    DOMAINS
        .iter()
        .any(|domain| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// What is sent there stays on this machine.
pub fn is_here(address: &str) -> bool {
    let host = host(address);
    matches!(host.as_str(), "localhost" | "0.0.0.0" | "::1" | "host.docker.internal")
        || host.ends_with(".localhost")
        || number(&host).is_some_and(|number| number.is_loopback())
}

/// A host for tests or for a trial, by its name: `api.staging.example.org`, `dev-api.example`.
pub fn is_for_trial(address: &str) -> bool {
    const NAMES: &[&str] = &["staging", "stage", "stg", "dev", "test", "testing", "sandbox", "preview", "qa"];
    let host = host(address);
    // The last part says who gives the names out.
    let own = host.rsplit_once('.').map_or(host.as_str(), |(own, _)| own);
    own.split(['.', '-']).any(|part| NAMES.contains(&part))
}

/// Whether an address looks like that of another host: a host before the `@`, letters of two scripts in one name, characters that
/// only look like dots, an escaped letter.
pub fn pretends(address: &str) -> bool {
    let Some((_, rest)) = address.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    // `github.com@evil.example`; a user is hardly ever called like that, and a hole is not a name.
    let posing = !user.contains(':') && user.contains('.') && !user.contains(crate::text::is_hole);
    let odd = |c: char| matches!(c, '%' | '\\' | '\u{3002}' | '\u{ff01}'..='\u{ff5e}' | '\u{ff61}');
    posing || host.contains(odd) || host.split('.').any(is_of_two_scripts)
}

/// Latin letters beside those of a script that has the same shapes.
fn is_of_two_scripts(label: &str) -> bool {
    let alike =
        |c: char| matches!(c, '\u{370}'..='\u{52f}' | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}');
    label.contains(alike) && label.contains(|c: char| c.is_ascii_alphabetic())
}

/// Whether a host's name says something else than it shows: its letters are not those of plain addresses.
pub fn is_foreign(address: &str) -> bool {
    let host = host(address);
    host.split('.').any(|label| label.starts_with("xn--"))
        || host.contains(|c: char| !c.is_ascii() && !crate::text::is_hole(c))
        || pretends(address)
}

/// A user and a password in a web address.
pub fn has_password(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else { return false };
    let web = ["http", "https", "ws", "wss", "ftp"].iter().any(|web| web.eq_ignore_ascii_case(scheme));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    web && authority
        .rsplit_once('@')
        .and_then(|(user, _)| user.split_once(':'))
        .is_some_and(|(_, password)| !password.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_look_like_others() {
        for address in [
            "http://github.com@evil.example/x",
            "https://g\u{456}thub.com/install.sh",
            "https://exam%70le.com/",
            "https://example\u{3002}com/",
            "https://\u{ff47}oogle.com/",
        ] {
            assert!(pretends(address), "{address}");
        }
        for address in [
            "https://user:p@example.org/",
            "https://git@github.com/x",
            "https://m\u{fc}nchen.example/",
            "https://\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.example/",
            "https://example.org/%70?q=a@b.c",
        ] {
            assert!(!pretends(address), "{address}");
        }
        assert!(is_foreign("https://xn--80ak6aa92e.com/") && !is_foreign("https://example.org/"));
    }

    #[test]
    fn the_address_of_the_credentials_in_every_form() {
        for address in [
            "http://169.254.169.254/latest/meta-data/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://[::ffff:169.254.169.254]/",
            "http://[fd00:ec2::254]/",
            "http://user@metadata.google.internal./x",
            "http://100.100.100.200/",
            "http://localhost:8080/?url=http://169.254.169.254/",
            "http://169.254.169.254.nip.io/",
        ] {
            assert!(gives_credentials(address), "{address}");
        }
        for address in
            ["https://docs.aws.amazon.com/metadata", "http://169.254.1.1/", "https://example.org/2852039166"]
        {
            assert!(!gives_credentials(address), "{address}");
        }
    }

    #[test]
    fn files_behind_addresses() {
        for (address, path) in [
            ("file:///etc/shadow", Some("/etc/shadow")),
            ("FILE://localhost/etc/shadow", Some("/etc/shadow")),
            ("view-source:file:///home/me/%2essh/id_rsa", Some("/home/me/.ssh/id_rsa")),
            ("file:/etc/x?a#b", Some("/etc/x")),
            ("https://x.org/profile:1", None),
        ] {
            assert_eq!(file(address).as_deref(), path, "{address}");
        }
    }

    #[test]
    fn what_stays_here() {
        assert!(
            is_here("http://localhost:3000/x") && is_here("http://127.0.0.1") && is_here("http://[::1]:80/")
        );
        assert!(!is_here("https://localhost.evil.org") && !is_here("https://example.org/localhost"));
        assert!(
            has_password("https://u:p@x.org")
                && !has_password("https://x.org/u:p@y")
                && !has_password("postgres://u:p@h/d")
        );
    }
}
