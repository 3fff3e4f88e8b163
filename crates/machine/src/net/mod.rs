//! The one road to the network: a request that is posted and answered within a time. The second opinion and the telemetry use it; what they
//! send, and when, is theirs to answer for.

#[cfg(all(target_os = "linux", target_feature = "crt-static"))]
mod names;

use std::time::Duration;

use model::environment;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Proxy};

pub use ureq::Error;

use crate::Machine;

const LARGEST_ANSWER: u64 = 256 * 1024;

/// What is sent.
#[derive(Debug)]
pub struct Post<'a> {
    pub url: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: String,
    pub body: Vec<u8>,
}

/// Posts, and waits no longer than `limit`. No redirect is followed: it would take the keys in the headers along.
pub fn post(post: &Post<'_>, proxy: Option<Proxy>, limit: Duration) -> Result<Answer, Error> {
    let config = Agent::config_builder()
        .timeout_global(Some(limit))
        .proxy(proxy)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("plimsoll/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver());
    let mut request = agent.post(post.url);
    for (name, value) in post.headers {
        request = request.header(*name, *value);
    }
    let mut response = request.send(post.body)?;
    let body = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec()?;
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    Ok(Answer { status: response.status().as_u16(), kind: kind.unwrap_or_default().to_owned(), body })
}

/// The proxy that the user's variables name for an address. The error is the name of a variable that holds something else.
pub fn proxy(machine: &Machine, base: &str) -> Result<Option<Proxy>, &'static str> {
    if is_local(base) || is_exempt(machine, base) {
        return Ok(None);
    }
    let named = [environment::HTTPS_PROXY, environment::HTTPS_PROXY_LOWER];
    let Some((variable, url)) = named.iter().find_map(|variable| Some((variable, machine.var(variable)?)))
    else {
        return Ok(None);
    };
    Proxy::new(&url).map(Some).map_err(|_| variable.name)
}

/// Whether the user's list says that this host is reached without the proxy.
fn is_exempt(machine: &Machine, base: &str) -> bool {
    let list = [environment::NO_PROXY, environment::NO_PROXY_LOWER].iter().find_map(|name| machine.var(name));
    list.is_some_and(|list| names(&list, host(base)))
}

/// This machine, where no line has to be crossed.
pub fn is_local(base: &str) -> bool {
    let host = base.strip_prefix("http://").unwrap_or_default();
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        host.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
            && !host.contains('@')
    })
}

/// The host of an address, without the port.
fn host(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    match rest.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(six),
        None => rest.split(':').next().unwrap_or(rest),
    }
}

/// A name counts for itself and for everything below it.
fn names(list: &str, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let entry = entry.split(':').next().unwrap_or(entry).trim_start_matches("*.").trim_start_matches('.');
        let entry = entry.to_ascii_lowercase();
        entry == "*"
            || host == entry
            || host.strip_suffix(entry.as_str()).is_some_and(|rest| rest.ends_with('.'))
    })
}

#[cfg(all(target_os = "linux", target_feature = "crt-static"))]
fn resolver() -> names::Names {
    names::Names::of_this_machine()
}

#[cfg(not(all(target_os = "linux", target_feature = "crt-static")))]
fn resolver() -> ureq::unversioned::resolver::DefaultResolver {
    ureq::unversioned::resolver::DefaultResolver::default()
}

#[cfg(test)]
mod tests {
    use super::{host, names};

    #[test]
    fn some_hosts_need_no_proxy() {
        for (list, base, exempt) in [
            ("example.com", "https://example.com/v1", true),
            ("example.com", "https://api.example.com:8443/v1", true),
            (".example.com, localhost", "https://api.example.com", true),
            ("*.example.com", "https://api.example.com", true),
            ("*", "https://anything.example", true),
            ("example.com:443", "https://key@example.com/", true),
            ("example.com", "https://notexample.com", false),
            ("", "https://example.com", false),
            ("::1", "http://[::1]:80/", false),
        ] {
            assert_eq!(names(list, host(base)), exempt, "{list} {base}");
        }
    }
}
