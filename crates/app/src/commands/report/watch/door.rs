//! Who may see the page: whoever has the one-time token, and from then on the browser that was given the cookie for it. A page of
//! somebody else in the same browser can reach this address, by its name or by one that it has pointed here, so the names that a
//! browser sends along (`Host`, `Origin`) must be ours.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug)]
pub(super) struct Door {
    port: u16,
    token: String,
    cookie: String,
    entered: AtomicBool,
}

/// What a request gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The token was right: the cookie to set.
    Enter(String),
    Page,
    Events,
    Nothing,
    /// A status, and why.
    Refused(&'static str, &'static str),
}

const BAD: &str = "400 Bad Request";
const FORBIDDEN: &str = "403 Forbidden";

impl Door {
    pub(super) fn new(port: u16) -> Self {
        Self { port, token: secret(), cookie: secret(), entered: AtomicBool::new(false) }
    }

    /// Where the user goes, once.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/enter?token={}", self.port, self.token)
    }

    pub(super) fn judge(&self, head: &[u8]) -> Passed {
        let Some(request) = Request::read(head) else { return Passed::Refused(BAD, "not a request") };
        let name = format!("127.0.0.1:{}", self.port);
        if request.one("host") != Some(&name) {
            return Passed::Refused(FORBIDDEN, "another host was meant");
        }
        let origin = format!("http://{name}");
        if request.all("origin").iter().any(|known| **known != origin) {
            return Passed::Refused(FORBIDDEN, "another page asks");
        }
        // Browsers say where a request comes from; a link or the address bar is `none`.
        if request.all("sec-fetch-site").iter().any(|site| !["same-origin", "none"].contains(site)) {
            return Passed::Refused(FORBIDDEN, "another page asks");
        }
        if request.method != "GET" {
            return Passed::Refused("405 Method Not Allowed", "this can only be read");
        }
        if let Some(token) = request.target.strip_prefix("/enter?token=") {
            // Compared first: whoever guesses wrong does not use it up.
            if !same(token, &self.token) || self.entered.swap(true, Ordering::SeqCst) {
                return Passed::Refused(
                    FORBIDDEN,
                    "that token is not valid, or was used; start `plimsoll report --watch` again",
                );
            }
            return Passed::Enter(format!(
                "{}={}; HttpOnly; SameSite=Strict; Path=/",
                self.cookie_name(),
                self.cookie
            ));
        }
        if !self.has_cookie(&request) {
            return Passed::Refused(FORBIDDEN, "open the address that `plimsoll report --watch` has printed");
        }
        match request.target {
            "/" => Passed::Page,
            "/events" => Passed::Events,
            "/favicon.ico" => Passed::Nothing,
            _ => Passed::Refused("404 Not Found", "there is nothing here"),
        }
    }

    /// Browsers keep cookies by host, not by port.
    fn cookie_name(&self) -> String {
        format!("plimsoll_{}", self.port)
    }

    fn has_cookie(&self, request: &Request<'_>) -> bool {
        let name = self.cookie_name();
        let pairs = request.all("cookie").into_iter().flat_map(|line| line.split(';'));
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && same(value, &self.cookie))
    }
}

/// Does not tell by its time how much was right.
fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |wrong, (a, b)| wrong | (a ^ b)) == 0
}

/// 256 bits. The keys of the standard hasher come from the system's own source of randomness, and the hash is a keyed one.
fn secret() -> String {
    let keyed = RandomState::new();
    (0_u64..4).map(|part| format!("{:016x}", keyed.hash_one(part))).collect()
}

struct Request<'a> {
    method: &'a str,
    target: &'a str,
    headers: Vec<(String, &'a str)>,
}

impl<'a> Request<'a> {
    /// `None` for anything that is not plain: another form of target, a folded header, bytes that are no text.
    fn read(head: &'a [u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?.split_once("\r\n\r\n")?.0;
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !["HTTP/1.1", "HTTP/1.0"].contains(&version) || !target.starts_with('/')
        {
            return None;
        }
        let header = |line: &'a str| {
            let (name, value) = line.split_once(':')?;
            let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            plain.then(|| (name.to_ascii_lowercase(), value.trim()))
        };
        Some(Self { method, target, headers: lines.map(header).collect::<Option<_>>()? })
    }

    fn all(&self, name: &str) -> Vec<&'a str> {
        self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| *value).collect()
    }

    /// Its value, where it is there exactly once.
    fn one(&self, name: &str) -> Option<&'a str> {
        match self.all(name)[..] {
            [value] => Some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str, headers: &[&str]) -> Vec<u8> {
        format!("GET {target} HTTP/1.1\r\n{}\r\n\r\n", headers.join("\r\n")).into_bytes()
    }

    fn inside(door: &Door) -> String {
        format!("Cookie: other=1; plimsoll_4000={}", door.cookie)
    }

    #[test]
    fn the_token_opens_once_and_the_cookie_keeps_open() {
        let door = Door::new(4000);
        let host = "Host: 127.0.0.1:4000";
        let wrong = format!("/enter?token={}", "0".repeat(64));
        assert!(matches!(door.judge(&request(&wrong, &[host])), Passed::Refused(FORBIDDEN, _)));
        let right = format!("/enter?token={}", door.token);
        let Passed::Enter(cookie) = door.judge(&request(&right, &[host])) else { panic!("it must open") };
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        assert!(matches!(door.judge(&request(&right, &[host])), Passed::Refused(FORBIDDEN, _)), "once");
        let cookie = inside(&door);
        assert_eq!(door.judge(&request("/", &[host, &cookie])), Passed::Page);
        assert_eq!(
            door.judge(&request("/events", &[host, &cookie, "Origin: http://127.0.0.1:4000"])),
            Passed::Events
        );
        assert_ne!(Door::new(1).token, Door::new(1).token);
        assert_eq!(door.token.len(), 64);
    }

    #[test]
    fn others_are_refused() {
        let door = Door::new(4000);
        let (host, cookie) = ("Host: 127.0.0.1:4000", inside(&door));
        for (target, headers) in [
            ("/", vec![host]),
            ("/", vec![host, "Cookie: plimsoll_4000=1"]),
            ("/", vec![host, "Cookie: plimsoll_4000="]),
            ("/events", vec![host]),
            ("/", vec![&*cookie]),
            ("/", vec!["Host: evil.example:4000", &cookie]),
            ("/", vec!["Host: localhost:4000", &cookie]),
            ("/", vec!["Host: 127.0.0.1:4000.evil.example", &cookie]),
            ("/", vec!["Host: 127.0.0.1", &cookie]),
            ("/", vec![host, "Host: evil.example", &cookie]),
            ("/", vec![host, "Origin: http://evil.example", &cookie]),
            ("/", vec![host, "Origin: null", &cookie]),
            ("/", vec![host, "Origin: http://127.0.0.1:4001", &cookie]),
            ("/events", vec![host, "Sec-Fetch-Site: cross-site", &cookie]),
            ("/events", vec![host, "Sec-Fetch-Site: same-site", &cookie]),
            ("http://evil.example/", vec![host, &cookie]),
            ("*", vec![host, &cookie]),
            ("/../etc/passwd", vec![host, &cookie]),
            ("//", vec![host, &cookie]),
            ("/%2e%2e/", vec![host, &cookie]),
            ("/?x", vec![host, &cookie]),
            ("/events/..", vec![host, &cookie]),
            ("/ HTTP/1.1\r\nHost: 127.0.0.1:4000\r\n\r\nGET /", vec![host]),
            ("/", vec![host, &cookie, " folded"]),
        ] {
            let passed = door.judge(&request(target, &headers));
            assert!(matches!(passed, Passed::Refused(..)), "{target} {headers:?}: {passed:?}");
        }
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "get"] {
            let head = format!("{method} / HTTP/1.1\r\n{host}\r\n{cookie}\r\n\r\n");
            assert!(matches!(door.judge(head.as_bytes()), Passed::Refused(..)), "{method}");
        }
        for head in [&b""[..], b"\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\xff\xfe\r\n\r\n"] {
            assert!(matches!(door.judge(head), Passed::Refused(BAD, _)));
        }
    }
}
